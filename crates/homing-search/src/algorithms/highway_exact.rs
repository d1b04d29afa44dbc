//! Highway search (Engels, Groote, van Weerdenburg & Willemse 2009, Def. 5): each level is a uniformly drawn subset of `N` new
//! successors of the level before.
//!
//! Bottom-k sampling: the priority of a state is a hash keyed by seed and level, and the `N` states with the least priorities are
//! kept. All instances of a state have the same priority, so that each subset of the distinct successors has the same probability,
//! however often a state is generated, in whatever order and by how many threads.
//! Differs from the paper, which generates the whole of the next level before it draws: this takes memory for `N` states.

use homing_core::{Blind, Estimate, Outcome, TransitionSystem, Violation, Watch};
use homing_store::Store;

use crate::level_loop::Lanes;
use crate::{Objective, beam};

/// Explores from the initial state, `lanes.width` states of each level, with a thread for each of `systems`, which are one and the
/// same system. `store` is empty at the start.
///
/// Ends with [`Stop::Dropped`](homing_core::Stop::Dropped) if no error was found and a state was dropped.
///
/// # Panics
/// If there is no system.
pub fn search<T, S, E, W>(
    systems: &mut [T],
    objective: &Objective<'_, E>,
    lanes: Lanes,
    store: &mut S,
    watch: &mut W,
) -> Outcome<T::Action>
where
    T: TransitionSystem + Send,
    T::Action: Send,
    S: Store,
    E: Fn(&Violation) -> bool + Sync,
    W: Watch,
{
    let mut blind = vec![Blind; systems.len()];
    let estimates = blind.iter_mut().map(|blind| blind as &mut (dyn Estimate + Send)).collect();
    beam::search(systems, objective, lanes, estimates, store, watch)
}

#[cfg(test)]
mod tests;
