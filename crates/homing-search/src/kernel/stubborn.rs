//! Partial-order reduction in a search over an open list: of a state that has a stubborn set ([`Selection::Stubborn`],
//! [`Selection::StubbornWithErrors`]) only the steps of that are taken.
//!
//! A process could be ignored for ever on a cycle of such states. So a state from which one can be reached that is expanded in full is
//! *settled*, as soon as that is known; and the search keeps those reduced states that are not settled, and from which no step leads to
//! a state that is expanded later, with a longer path. From every other such steps lead to a state that was expanded in full, or to one
//! of those kept. What they lead to is looked at when the open list is empty ([`super::settle`]). Which states are settled when a step to
//! them is looked up depends on the threads; what is expanded in full in the end does not, since no step leads from a terminal component to
//! a settled state.

use std::ops::ControlFlow;

use homing_core::{
    Condition, Cost, Selected, Selection, SleepSet, StateId, Target, TransitionSystem, Violation, Watch,
};
use homing_store::{Recall, Store};

use super::nodes::{Marks, NodeTable};
use super::worker::{Generation, Source, Worker};
use super::{Guarded, Order, SharedSearch};

/// The reduced states whose steps are pending, in the order of their expansion.
#[derive(Default)]
pub(super) struct Reduced {
    states: Vec<(StateId, Leads)>,
    /// Those before it have been looked up.
    at: usize,
    /// The states from which no step leads on.
    stuck: Vec<StateId>,
}

/// Where the steps of a reduced state lead, as far as they were looked up.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Leads {
    /// One of them to a state that is expanded later, or that is settled.
    On,
    /// All of them to states that were expanded before.
    Back,
}

impl Reduced {
    /// A step of `u` leads to a state that is expanded later. Steps are looked up in the order of the expansions.
    #[inline]
    pub fn leads_on(&mut self, u: StateId) {
        if let Some(further) = self.states[self.at..].iter().position(|reduced| reduced.0 == u) {
            self.at += further;
            self.states[self.at].1 = Leads::On;
        }
    }

    /// A step of `u` leads to the known node `v`.
    #[inline]
    pub fn leads_to<M: Marks>(&mut self, v: StateId, u: StateId, nodes: &NodeTable<M>, now: Cost) {
        let is_settled = nodes.marks.is_settled(v);
        if is_settled {
            nodes.settle(u);
        }
        if is_settled || nodes.marks.is_later(v, now) {
            self.leads_on(u);
        }
    }

    /// All steps of the states were looked up.
    fn looked_up(&mut self) {
        let stuck = self.states.drain(..).filter(|(_, leads)| *leads == Leads::Back).map(|(u, _)| u);
        self.stuck.extend(stuck);
        self.at = 0;
    }

    /// Hands over the states from which no step leads on.
    pub fn hand_over(&mut self, to: &mut Vec<StateId>) {
        to.append(&mut self.stuck);
    }
}

impl<T, S, O> Worker<T, S, O>
where
    T: TransitionSystem,
    S: Store,
    O: Order<T::Action, S::Key>,
{
    /// Takes the steps of a stubborn set, if the state is reduced.
    pub(super) fn expand_reduced<E, W>(
        &mut self,
        shared: &SharedSearch<'_, S, O::Marks, E>,
        guarded: &mut Guarded<'_, '_, S, O::Marks>,
        watch: &mut W,
        Source { u, s, g }: Source<'_>,
        stubborn: Selection,
    ) -> bool
    where
        E: Fn(&Violation) -> bool,
        W: Watch,
    {
        let Worker { system, cursor, batch, order, .. } = self;
        let before = batch.end();
        let mut generation = Generation { shared, guarded, cursor, batch, order, watch, u, g };
        let (mut taken, mut all_go_on) = (0u32, true);
        let selected = system.for_each_step(s, stubborn, |step| {
            // Nothing follows an error: then the steps of the set do not stand for the others, which need not come to it.
            all_go_on &= matches!(step.target, Target::State(_)) || Condition::StubbornFailure.is_off();
            if !all_go_on {
                return ControlFlow::Break(());
            }
            taken += 1;
            generation.take(step)
        });
        // A run without end is no step either.
        let is_reduced = selected != Selected::NotReduced && all_go_on && taken > 0;
        if !is_reduced {
            self.batch.truncate(before);
            return false;
        }
        if let Selected::Shown { left_out } = selected {
            shared.count_reduced(left_out.into());
        }
        guarded.nodes.marks.set_reduced(u);
        self.reduced.states.push((u, Leads::Back));
        true
    }

    /// Takes all steps of reduced states, as if their paths had the length `g`; what they lead to is looked up.
    pub fn expand_again<E, W>(
        &mut self,
        shared: &SharedSearch<'_, S, O::Marks, E>,
        guarded: &mut Guarded<'_, '_, S, O::Marks>,
        watch: &mut W,
        states: &[StateId],
        g: Cost,
    ) where
        E: Fn(&Violation) -> bool,
        W: Watch,
    {
        let Some(stubborn) = shared.stubborn else { return };
        let mut buffer = Vec::new();
        for &u in states {
            if shared.stopped().is_some() {
                break;
            }
            let s = S::Recall::load_stored(guarded.store, &mut self.cursor, u, None, &mut buffer);
            let mut twice = 0;
            self.system.for_each_step(s, stubborn, |_| {
                twice += 1;
                ControlFlow::Continue(())
            });
            shared.count_settled(twice);
            guarded.nodes.set_full(u);
            self.expand_fully(shared, guarded, watch, Source { u, s, g }, SleepSet::EMPTY);
        }
        self.finish(shared, guarded, g);
    }

    /// Hands over the reduced states from which no step leads to a state that is expanded later.
    pub fn hand_over_stuck(&mut self, to: &mut Vec<StateId>) {
        self.reduced.hand_over(to);
    }

    /// The system that is searched.
    pub fn system(&self) -> &T {
        &self.system
    }

    /// Looks up what is pending.
    pub fn finish<E>(
        &mut self,
        shared: &SharedSearch<'_, S, O::Marks, E>,
        guarded: &mut Guarded<'_, '_, S, O::Marks>,
        g: Cost,
    ) where
        E: Fn(&Violation) -> bool,
    {
        if shared.stopped().is_some() {
            self.batch.clear(); // one expansion can have left very many
            self.batch.matched = 0;
            return;
        }
        self.look_up(shared, guarded, g);
        self.reduced.looked_up();
    }
}
