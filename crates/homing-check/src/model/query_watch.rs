//! The watch of a search for several queries.

use std::ops::ControlFlow;

use homing_core::{Progress, Stop, Watch};

use super::interrupt::Watcher;
use super::query_layer::Asked;

/// The greedy searches have at most one state for so many of the breadth-first search: estimating a state for one query can take as long
/// as ten steps.
const ONE_FOR: u64 = 64;

/// Each greedy search has so many times the states of the one before it.
const GROWTH: u64 = 4;

/// The watch of the search: begins the greedy searches, and ends it when nothing is undecided.
pub(super) struct PassWatch<'w, 'i> {
    watcher: Watcher<'i>,
    attempt: &'w mut dyn FnMut(u64) -> ControlFlow<()>,
    /// The greedy searches begin at so many states.
    next: u64,
    /// The states of each of them.
    budget: u64,
    asked: &'w Asked,
}

impl<'w, 'i> PassWatch<'w, 'i> {
    /// The watch of a search for so many queries, each of which was searched for with a budget of `brief` states before.
    pub fn new(
        (watcher, asked): (Watcher<'i>, &'w Asked),
        (brief, queries): (u64, usize),
        attempt: &'w mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Self {
        PassWatch { watcher, attempt, next: ONE_FOR * brief * queries as u64, budget: brief, asked }
    }
}

impl Watch for PassWatch<'_, '_> {
    fn look(&mut self, progress: &Progress) -> Option<Stop> {
        let over = self.watcher.look(progress);
        if over.is_some() {
            return over;
        }
        if progress.states >= self.next {
            let is_over = (self.attempt)(self.budget).is_break();
            (self.next, self.budget) = (self.next * GROWTH, self.budget * GROWTH);
            if is_over {
                return Some(Stop::Superseded);
            }
        }
        (!self.asked.is_any_open()).then_some(Stop::Superseded)
    }

    fn after_cut_off(&mut self, progress: &Progress) -> Option<Stop> {
        self.watcher.after_cut_off(progress)
    }
}
