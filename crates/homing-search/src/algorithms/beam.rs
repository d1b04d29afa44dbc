//! Beam search: the states of a level that seem nearest to an error are kept, and all others dropped (Groce & Visser 2002, §3;
//! the level loop is that of a highway search).
//!
//! Width 1 is hill climbing that visits no state twice. Wider is not always better. Among states with the same estimate `h` a hash
//! keyed by seed and level decides, so that the result depends neither on the order of generation nor on the number of threads.
//! States from which no error can be reached, by the estimate, are no candidates.
//! Differs from the usual beam search, which takes all states that were generated for visited: a state that was dropped may come
//! again in a later level.

use std::collections::BinaryHeap;

use homing_core::{Estimate, Outcome, TransitionSystem, Violation, Watch};
use homing_store::Store;

use crate::Objective;
use crate::level_loop::{self, Draw, Lanes, Priority, Slot};

/// Explores from the initial state, the `lanes.width` best states of each level, with a thread for each of `systems`, which are one
/// and the same system and have an estimate each; all estimates are equal. `store` is empty at the start.
///
/// Ends with [`Stop::Dropped`](homing_core::Stop::Dropped) if no error was found and a state was dropped.
///
/// # Panics
/// If there is no system, or there are fewer estimates than systems.
pub fn search<T, S, E, W>(
    systems: &mut [T],
    objective: &Objective<'_, E>,
    lanes: Lanes,
    estimates: Vec<&mut (dyn Estimate + Send)>,
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
    assert!(systems.len() <= estimates.len(), "an estimate for each thread");
    level_loop::search(systems, objective, (lanes, Best::default), estimates, store, watch)
}

/// Keeps the candidates with the least priorities.
#[derive(Default)]
struct Best {
    /// The priorities of all slots, the largest on top.
    heap: BinaryHeap<(Priority, usize)>,
}

impl Draw for Best {
    fn begin(&mut self) {
        self.heap.clear();
    }

    fn slot(&mut self, priority: Priority, filled: usize, width: usize) -> Option<usize> {
        if filled < width {
            self.heap.push((priority, filled));
            return Some(filled);
        }
        let mut worst = self.heap.peek_mut()?;
        if priority > worst.0 {
            return None;
        }
        worst.0 = priority;
        Some(worst.1)
    }

    fn arrange(slots: &mut [Slot]) {
        slots.sort_unstable_by_key(|slot| slot.priority);
    }
}

#[cfg(test)]
mod tests;
