//! Partial-order reduction of the search: of a state the steps of one process are taken, if they stand for all and one of them
//! leads on to a state that was not expanded before ([`Selection::Ample`]).
//!
//! Whether one does is known when its steps are looked up, some time after the expansion; a state that does not lead on is
//! expanded again then, and in full. So from each reduced state a step leads to one that is expanded later, whatever the
//! threads do, and that cannot go on for ever.

use std::ops::ControlFlow;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::fence;

use homing_core::{
    Condition, Cost, Selected, Selection, SleepSet, State, StateId, Target, TransitionSystem, Violation, Watch,
};
use homing_store::Store;

use super::Worker;
use super::expanding::Expanding;
use crate::common::{Access, Common};

/// The reduced states whose steps are pending, in the order of their expansion.
#[derive(Default)]
pub(super) struct Reduced {
    states: Vec<One>,
    /// Those before it have been looked up.
    at: usize,
}

struct One {
    u: StateId,
    /// How many steps were taken.
    taken: u64,
    /// One of them leads to a state that was not expanded before.
    leads_on: bool,
}

impl Reduced {
    /// A step of `u` leads to a state that was not expanded before. Steps are looked up in the order of the expansions.
    #[inline]
    pub fn leads_on(&mut self, u: StateId) {
        if let Some(further) = self.states[self.at..].iter().position(|one| one.u == u) {
            self.at += further;
            self.states[self.at].leads_on = true;
        }
    }
}

impl<T: TransitionSystem, S: Store> Worker<'_, T, S> {
    /// Takes the steps of one process that stand for all. Whether there is such a process.
    pub(super) fn expand_reduced<E, W>(
        &mut self,
        common: &Common<'_, T::Action, S, E>,
        access: &mut Access<'_, '_, S>,
        (u, s): (StateId, &State),
        now: Cost,
        watch: &mut W,
    ) -> bool
    where
        E: Fn(&Violation) -> bool,
        W: Watch,
    {
        let Worker { system, cursor, batch, found, .. } = self;
        let (pending, bytes) = (batch.pending.len(), batch.bytes.len());
        let mut expanding = Expanding { common, access, cursor, batch, found, watch, u, now };
        let (mut taken, mut goes_on) = (0, true);
        let selected = system.for_each_step(s, Selection::Ample, |step| {
            // Nothing follows an error: then they do not stand for the others, which need not come to it.
            goes_on = matches!(step.target, Target::State(_));
            if !goes_on {
                return ControlFlow::Break(());
            }
            taken += 1;
            expanding.take(step)
        });
        let is_ample = selected != Selected::NoAmpleSet;
        if is_ample && goes_on {
            self.reduced.states.push(One { u, taken, leads_on: Condition::AmpleProviso.is_off() });
        } else {
            self.batch.pending.truncate(pending);
            self.batch.bytes.truncate(bytes);
        }
        is_ample && goes_on
    }

    /// Looks up what is pending, and expands in full the reduced states that do not lead on.
    pub(super) fn settle<E, W>(
        &mut self,
        common: &Common<'_, T::Action, S, E>,
        access: &mut Access<'_, '_, S>,
        now: Cost,
        watch: &mut W,
    ) where
        E: Fn(&Violation) -> bool,
        W: Watch,
    {
        if common.stopped().is_some() {
            self.batch.forget(); // one expansion can have left very many
            return;
        }
        if common.reduces {
            fence(SeqCst); // of two threads whose states lead to each other's one sees that the other was expanded
        }
        self.look_up(common, access, now);
        if self.reduced.states.is_empty() || common.stopped().is_some() {
            return;
        }
        let reduced = std::mem::take(&mut self.reduced).states;
        let stuck = || reduced.iter().filter(|one| !one.leads_on);
        let (count, twice) = stuck().fold((0, 0), |(count, taken), one| (count + 1, taken + one.taken));
        common.tally_reduced(reduced.len() as u64 - count, twice);
        let mut s = std::mem::take(&mut self.s);
        for &One { u, .. } in stuck() {
            if common.stopped().is_some() {
                break;
            }
            access.store.load(&mut self.cursor, u, &mut s);
            self.expand_in_full(common, access, (u, &s, SleepSet::EMPTY), now, watch);
        }
        self.s = s;
        self.look_up(common, access, now);
    }
}
