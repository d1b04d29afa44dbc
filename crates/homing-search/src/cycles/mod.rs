//! Which cycles are errors, and lassos to them.
//!
//! A property of infinite runs is violated iff some reachable cycle is *accepting*: for each acceptance set it has a step in it.
//! Fairness adds conditions for the processes. Under weak fairness a process that can always move has to move again and again: a
//! step gets the mark of each process that cannot move before it or moves by it, and a fair cycle has all marks. Under strong
//! fairness a process that can move again and again has to: that is no matter of marks, and [`strong`] splits components.

mod components;
mod copies;
mod expander;
mod graph;
mod lasso;
mod marks;
mod strong;
#[cfg(test)]
pub(crate) mod tests;

use homing_core::Violation;

pub(crate) use components::Part;
pub use copies::FairCopies;
pub(crate) use expander::{Expander, OutEdge};
pub(crate) use graph::{EdgeRecorder, Graph, Palette};
pub(crate) use lasso::{Lasso, close, way_between, way_into};
pub(crate) use marks::Marks;
pub(crate) use strong::fair_part;

/// Which cycles are errors.
#[derive(Clone, Copy, Debug)]
pub struct Cycles<'a> {
    /// The number of acceptance sets ([`homing_core::Step::acceptance`]); without any, every cycle is accepting.
    pub sets: u32,
    /// What is demanded of the processes.
    pub fairness: Fairness,
    /// Pids are less than this.
    pub processes: usize,
    /// The error that a cycle is.
    pub violation: &'a Violation,
}

impl Cycles<'_> {
    /// Whether one word is enough for all marks.
    pub(crate) fn fit_in_one_word(&self) -> bool {
        self.fairness == Fairness::None || self.processes <= Marks::<1>::MOST_PROCESSES
    }
}

/// Which infinite runs count, by process. A process *can move* in a state if a step begins with it: a process that waits to
/// receive in a rendezvous cannot, as in SPIN (Holzmann 2004, ch. 8, "Adding Fairness").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fairness {
    /// All.
    #[default]
    None,
    /// Those in which each process that can always move, from some state on, moves again and again.
    Weak,
    /// Those in which each process that can move again and again moves again and again.
    Strong,
}
