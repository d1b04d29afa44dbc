//! Search algorithms, one file each, reading like the pseudo-code of their paper.
//!
//! Searches over an open list ([`bfs`], [`best_first`]) share a kernel: node table, workers, limits, path reconstruction. Those
//! that go down a path ([`dfs`], [`bounded`], [`ida`], [`stateless`]) are uses of one depth-first loop. Those that keep a
//! bounded number of states of each level ([`highway`], [`highway_exact`], [`beam`]) are draw rules of one level loop, and
//! [`random_walk`] keeps one state. A search knows no time, no file and no option: limits that follow from its own figures come in as [`Limits`], all others through a [`Watch`]. Nothing
//! here recurses on the state space.
//!
//! [`Watch`]: homing_core::Watch

#![warn(missing_docs)]

mod algorithms;
mod cycles;
mod depth_first;
mod evaluation;
mod kernel;
mod level_loop;
mod limits;
mod open;
#[cfg(test)]
mod testing;

use homing_core::{Limits, Seed, Selection, State, Violation};

pub use algorithms::{
    astar_indfs, beam, best_first, bfs, bounded, cycle_proviso, dfs, fewest_switches, highway, highway_exact, ida,
    ndfs, random_walk, randomised_storing, recorded_scc, scc, shortest_lasso, stateless,
};
pub use cycles::{Cycles, FairCopies, Fairness};
pub use evaluation::{Directed, Evaluation, Weight};
pub use level_loop::Lanes;

/// What a search looks for, and how far it goes.
#[derive(Clone, Copy)]
pub struct Objective<'a, E> {
    /// The violations that count as errors; others are skipped.
    pub is_error: E,
    /// What is done when an error is found.
    pub on_error: OnError,
    /// Bounds that the search keeps.
    pub limits: &'a Limits,
    /// Is called with every state that a search which may be repeated expands: depth-first search, random walk, highway and beam.
    pub observer: Option<Observer<'a>>,
}

/// What is called with the states that a search expands, by all its threads.
pub type Observer<'a> = &'a (dyn Fn(&State) + Sync);

impl<E: std::fmt::Debug> std::fmt::Debug for Objective<'_, E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Objective { is_error, on_error, limits, observer: _ } = self;
        let mut shown = f.debug_struct("Objective");
        shown.field("is_error", is_error).field("on_error", on_error).field("limits", limits).finish_non_exhaustive()
    }
}

impl<'a, E: Fn(&Violation) -> bool> Objective<'a, E> {
    /// The violations for which `is_error` holds, within limits.
    pub fn new(is_error: E, on_error: OnError, limits: &'a Limits) -> Self {
        Objective { is_error, on_error, limits, observer: None }
    }

    /// The same, with another test for errors.
    pub fn with_test<F: Fn(&Violation) -> bool>(&self, is_error: F) -> Objective<'a, F> {
        Objective { is_error, on_error: self.on_error, limits: self.limits, observer: self.observer }
    }

    /// The same, with an observer of the states that are expanded.
    pub fn observed_by(self, observer: Observer<'a>) -> Self {
        Objective { observer: Some(observer), ..self }
    }
}

/// What a search does when it finds an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnError {
    /// It stops, and returns the path to the error.
    Stop,
    /// It returns the path to the first error, but goes on and counts the others.
    Count,
}

/// The order in which a depth-first search follows the steps of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepOrder {
    /// In which the system shows them.
    AsShown,
    /// Random: those that lead to new states, after the errors of the state.
    Random(Seed),
}

/// Which steps a breadth-first search may leave out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// None.
    None,
    /// Those in the [sleep set](homing_core::SleepSet) of a state: the same states are visited, and paths are as short.
    SleepSets,
    /// Those outside a [stubborn set](homing_core::Selection::Stubborn): there is an error if a search of the whole system would
    /// find one, but it need not end a shortest path.
    StubbornSets,
    /// Those outside a [stubborn set that has all that can fail](homing_core::Selection::StubbornWithErrors): fewer, but paths to errors
    /// are as short.
    StubbornSetsWithErrors,
}

impl Reduction {
    /// The steps that are taken of a state that has a stubborn set; none if all are.
    pub fn stubborn(self) -> Option<Selection> {
        match self {
            Reduction::None | Reduction::SleepSets => None,
            Reduction::StubbornSets => Some(Selection::Stubborn),
            Reduction::StubbornSetsWithErrors => Some(Selection::StubbornWithErrors),
        }
    }
}
