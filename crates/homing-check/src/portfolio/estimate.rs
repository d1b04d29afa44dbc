//! The estimate of a member of a portfolio: it leaves no state out, and what it says of states is noted.

use std::cell::{Cell, RefCell};

use homing_core::{Changed, Cost, Estimate, Estimated, Guarantee, State};

use crate::explore::AnyEstimate;

/// What a member has seen of its estimate.
pub(super) struct Seen {
    /// How many dead ends were estimated since the last state that is none.
    pub dead_ends: Cell<u64>,
    /// The least estimate of a state.
    pub nearest: Cell<Cost>,
}

impl Seen {
    pub fn new() -> Self {
        Seen { dead_ends: Cell::new(0), nearest: Cell::new(Cost::MAX) }
    }
}

/// An estimate that prunes nothing: states that the inner estimate takes for dead ends are expanded last instead of
/// never. So the proof that there is no error does not depend on the estimate, and every reachable statement is
/// reached.
pub(super) struct SafeEstimate<'a, 'm> {
    pub source: Source<'a, 'm>,
    pub seen: &'a Seen,
}

/// Where an estimate comes from.
#[derive(Clone, Copy)]
pub(super) enum Source<'a, 'm> {
    /// It was there at the beginning.
    Early(&'a RefCell<&'a mut AnyEstimate<'m>>),
    /// It is prepared before the search that it directs has its first turn. Only the initial state is estimated before that, as 0.
    Late(&'a RefCell<Option<AnyEstimate<'m>>>),
}

/// The estimate of a dead end: greater than other estimates in practice.
const LAST: Cost = 1 << 10;

impl<'m> SafeEstimate<'_, 'm> {
    /// What is asked of the estimate; none if there is no estimate yet.
    fn ask<R>(&self, question: impl FnOnce(&mut AnyEstimate<'m>) -> R) -> Option<R> {
        match self.source {
            Source::Early(estimate) => Some(question(&mut estimate.borrow_mut())),
            Source::Late(estimate) => estimate.borrow_mut().as_mut().map(question),
        }
    }

    /// The answer, no greater than [`LAST`]; a dead end gets that, and every state if there is no estimate yet gets 0.
    fn within_reach(&self, answer: Option<Option<Estimated>>) -> Estimated {
        let Some(estimated) = answer else { return Estimated::from(0) };
        let Seen { dead_ends, nearest } = self.seen;
        dead_ends.set(if estimated.is_some() { 0 } else { dead_ends.get() + 1 });
        let Estimated { h, tie } = estimated.unwrap_or(Estimated::from(LAST));
        let h = h.min(LAST);
        nearest.set(nearest.get().min(h));
        Estimated { h, tie }
    }
}

impl Estimate for SafeEstimate<'_, '_> {
    fn distance(&mut self, state: &State) -> Option<Estimated> {
        Some(self.within_reach(self.ask(|estimate| estimate.distance(state))))
    }

    fn expand(&mut self, state: &State) {
        self.ask(|estimate| estimate.expand(state));
    }

    fn distance_after(&mut self, state: &State, changed: Changed<'_>) -> Option<Estimated> {
        Some(self.within_reach(self.ask(|estimate| estimate.distance_after(state, changed))))
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee::Guess
    }
}
