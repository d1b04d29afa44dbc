//! The result of a search.

use crate::{Cost, Stop, Violation};

/// A run from the initial state to an error: a finite one, whose last action shows the violation, or a lasso.
#[derive(Clone, Debug)]
pub struct Path<A> {
    /// The steps from the initial state on.
    pub actions: Vec<A>,
    /// Of a lasso, the number of actions in its stem: the others lead from a state back to it, again and again.
    pub cycle: Option<usize>,
    /// The number of statements executed, each of a cycle once.
    pub length: Cost,
    /// The error.
    pub violation: Violation,
    /// No run to an error has fewer statements; the search has proved it.
    pub shortest: bool,
}

impl<A> Path<A> {
    /// A finite run that ends in an error, not known to be a shortest one.
    pub fn finite(actions: Vec<A>, length: Cost, violation: Violation) -> Self {
        Path { actions, cycle: None, length, violation, shortest: false }
    }
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// An error was found, and the search was asked to stop at the first.
    Found,
    /// Every reachable state was expanded, or with partial-order reduction enough of them to stand for all.
    Exhausted,
    /// The search ended before either.
    Stopped(Stop),
}

impl End {
    /// The end of a search that reached a limit.
    pub const fn limit(limit: crate::Limit) -> End {
        End::Stopped(Stop::Limit(limit))
    }
}

/// Figures of a search. `transitions` is `states + revisited + matched`, as SPIN counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// States that were stored; without a store, all that were visited.
    pub states: u64,
    /// Expansions of states, a second one of a state included.
    pub expanded: u64,
    /// Arrivals at a state that was stored before.
    pub matched: u64,
    /// States visited a second time, by a nested search.
    pub revisited: u64,
    /// Closed states that were opened again because a shorter path to them was found.
    pub reopened: u64,
    /// The most states held at a time.
    pub peak_states: u64,
    /// States of which only the steps of a stubborn set were taken.
    pub reduced: u64,
    /// Moves of reduced states that were not taken.
    pub left_out: u64,
    /// The length of the longest path that was followed.
    pub max_depth: Cost,
    /// No path of less than this length leads to an error. Only a breadth-first search that loses nothing knows more than 0.
    pub clear_below: Cost,
    /// How often the estimate contradicted what it guarantees, as far as the search noticed. Then it proves no path shortest.
    pub contradictions: u64,
    /// Bytes of everything the search stored, at its peak.
    pub memory: u64,
}

impl Stats {
    /// The transitions taken.
    pub fn transitions(&self) -> u64 {
        self.states + self.revisited + self.matched
    }

    /// The figures of this search and of one that came after it, which had the memory of this one for its own.
    pub fn and_then(self, next: Stats) -> Stats {
        Stats {
            states: self.states + next.states,
            expanded: self.expanded + next.expanded,
            matched: self.matched + next.matched,
            revisited: self.revisited + next.revisited,
            reopened: self.reopened + next.reopened,
            peak_states: self.peak_states.max(next.peak_states),
            reduced: self.reduced + next.reduced,
            left_out: self.left_out + next.left_out,
            max_depth: self.max_depth.max(next.max_depth),
            clear_below: next.clear_below,
            contradictions: self.contradictions + next.contradictions,
            memory: self.memory.max(next.memory),
        }
    }
}

/// The result of a search: how it ended, an error if there was one, and its figures.
#[derive(Clone, Debug)]
pub struct Outcome<A> {
    /// How it ended.
    pub end: End,
    /// The error that was found: the first of its search order, or a shortest one where the search promises that.
    pub path: Option<Path<A>>,
    /// How many violations were met; more than one only when the search was asked to go on.
    pub errors: u64,
    /// What it took.
    pub stats: Stats,
}
