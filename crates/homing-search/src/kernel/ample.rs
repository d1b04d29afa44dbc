//! Partial-order reduction in a search over an open list: of a state that has an ample set ([`Selection::Ample`]) only the steps
//! of that are taken, if one of them leads to a state that is expanded later.
//!
//! Whether one does is known when the steps are looked up, some time after the expansion; a state where none does is expanded
//! again then, and fully. So from each reduced state a step leads to one that is expanded later, whatever the threads do, and
//! no process is ignored for ever (Bošnački and Holzmann 2005).

use std::ops::ControlFlow;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::fence;

use homing_core::{
    Condition, Cost, Selected, Selection, SleepSet, StateId, Target, TransitionSystem, Violation, Watch,
};
use homing_store::{Recall, Store};

use super::worker::{Generation, Source, Worker};
use super::{Guarded, Order, SharedSearch};

/// The reduced states whose steps are pending, in the order of their expansion.
#[derive(Default)]
pub(super) struct Reduced {
    states: Vec<ReducedState>,
    /// Those before it have been looked up.
    at: usize,
}

struct ReducedState {
    u: StateId,
    /// How many steps were taken.
    taken: u64,
    /// One of them leads to a state that is expanded later.
    leads_on: bool,
}

impl Reduced {
    /// A step of `u` leads to a state that is expanded later. Steps are looked up in the order of the expansions.
    #[inline]
    pub fn leads_on(&mut self, u: StateId) {
        if let Some(further) = self.states[self.at..].iter().position(|reduced| reduced.u == u) {
            self.at += further;
            self.states[self.at].leads_on = true;
        }
    }

    /// The states where no step leads on.
    fn stuck(&self) -> impl Iterator<Item = &ReducedState> {
        self.states.iter().filter(|reduced| !reduced.leads_on)
    }
}

impl<T, S, O> Worker<T, S, O>
where
    T: TransitionSystem,
    S: Store,
    O: Order<T::Action, S::Key>,
{
    /// Takes the steps of an ample set, if there is one.
    pub(super) fn expand_ample<E, W>(
        &mut self,
        shared: &SharedSearch<'_, S, O::Marks, E>,
        guarded: &mut Guarded<'_, '_, S, O::Marks>,
        watch: &mut W,
        Source { u, s, g }: Source<'_>,
    ) -> bool
    where
        E: Fn(&Violation) -> bool,
        W: Watch,
    {
        let Worker { system, cursor, batch, order, .. } = self;
        let before = batch.end();
        let mut generation = Generation { shared, guarded, cursor, batch, order, watch, u, g };
        let (mut taken, mut all_go_on) = (0, true);
        let selected = system.for_each_step(s, Selection::Ample, |step| {
            // Nothing follows an error: then the ample steps do not stand for the others, which need not come to it.
            all_go_on = matches!(step.target, Target::State(_));
            if !all_go_on {
                return ControlFlow::Break(());
            }
            taken += 1;
            generation.take(step)
        });
        let is_reduced = selected != Selected::NoAmpleSet && all_go_on;
        if is_reduced {
            self.reduced.states.push(ReducedState { u, taken, leads_on: Condition::AmpleProviso.is_off() });
        } else {
            self.batch.truncate(before);
        }
        is_reduced
    }

    /// Looks up what is pending, and expands fully the reduced states where no step leads on.
    pub fn settle<E, W>(
        &mut self,
        shared: &SharedSearch<'_, S, O::Marks, E>,
        guarded: &mut Guarded<'_, '_, S, O::Marks>,
        watch: &mut W,
        g: Cost,
    ) where
        E: Fn(&Violation) -> bool,
        W: Watch,
    {
        if shared.stopped().is_some() {
            self.batch.clear(); // one expansion can have left very many
            self.batch.matched = 0;
            return;
        }
        if shared.ample_sets {
            fence(SeqCst); // of two threads whose states lead to each other's one sees that the other was expanded
        }
        self.look_up(shared, guarded, g);
        if self.reduced.states.is_empty() || shared.stopped().is_some() {
            return;
        }
        let reduced = std::mem::take(&mut self.reduced);
        let (count, twice) = reduced.stuck().fold((0, 0), |(count, taken), one| (count + 1, taken + one.taken));
        shared.count_reduced(reduced.states.len() as u64 - count, twice);
        let mut buffer = Vec::new();
        for &ReducedState { u, .. } in reduced.stuck() {
            if shared.stopped().is_some() {
                break;
            }
            let s = S::Recall::load_stored(guarded.store, &mut self.cursor, u, None, &mut buffer);
            self.expand_fully(shared, guarded, watch, Source { u, s, g }, SleepSet::EMPTY);
        }
        self.look_up(shared, guarded, g);
    }
}
