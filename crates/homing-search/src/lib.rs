//! Search algorithms, one file each, reading like the pseudo-code of their paper.
//!
//! A search knows no time, no file and no option: limits it can tell from its own figures come in as [`Limits`], all
//! others through a [`Watch`]. Nothing here recurses on the state space.
//!
//! [`Limits`]: homing_core::Limits
//! [`Watch`]: homing_core::Watch

pub mod best_first;
pub mod bfs;
pub mod bounded;
mod buckets;
mod budget;
mod common;
mod crew;
mod depths;
mod descent;
pub mod dfs;
pub mod fewest_switches;
pub mod ida;
mod lately;
mod links;
mod open;
mod retrace;
mod stack;
pub mod stateless;
mod successors;
#[cfg(test)]
mod testing;
mod ways;
mod weight;

pub use weight::{Guide, Merit, Weight};

/// Which steps a breadth-first search may leave out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// None.
    None,
    /// Those in the [sleep set](homing_core::SleepSet) of a state: the same states are visited, and paths are as short.
    SleepSets,
    /// Those outside an [ample set](homing_core::Selection::Ample): there is an error if a search of the whole system would
    /// find one, but it need not end a shortest path.
    AmpleSets,
}

/// What a search does when it meets an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Errors {
    /// It brings the first one home.
    StopAtFirst,
    /// It brings the first one home, but goes on and counts the others.
    CountAll,
}
