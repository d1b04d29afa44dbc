//! Highway search, approximate (Engels, Groote, van Weerdenburg & Willemse 2009, Algorithm 1). Names `N`, `c` as there.
//!
//! Of the states that a level leads to, `N` are kept and all others dropped, at random, without first generating the whole of the
//! next level: the c-th candidate takes a slot with probability `N/c`. Within a level a state that is a successor of several
//! states is tried several times, which favours it (Property 8); [`highway_exact`](crate::highway_exact) does not.
//! Differs from the paper: steps are enumerated and not successors, so that a second step to the same state is a second try.
//! The order of a level is that of its slots, which are replaced in place.

use homing_core::{Blind, Outcome, Purpose, Stream, TransitionSystem, Violation, Watch};
use homing_store::Store;

use crate::Objective;
use crate::level_loop::{self, Draw, Lanes, Priority, Slot};

/// Explores `system` from its initial state, `lanes.width` states of each level. `store` is empty at the start.
///
/// Ends with [`Stop::Dropped`](homing_core::Stop::Dropped) if no error was found and a state was dropped.
pub fn search<T, S, E, W>(
    system: &mut T,
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
    let draw = || Reservoir { stream: lanes.seed.stream(Purpose::Drop), c: 0 };
    let systems = std::slice::from_mut(system);
    level_loop::search(systems, objective, (lanes, draw), vec![&mut Blind], store, watch)
}

/// Lines 6 to 12 of Algorithm 1, with one draw for both decisions: a number below `c` is a slot with probability `N/c`, and then
/// each slot with the same.
struct Reservoir {
    stream: Stream,
    /// How many candidates were tried in this level.
    c: u64,
}

impl Draw for Reservoir {
    fn begin(&mut self) {
        self.c = 0;
    }

    fn slot(&mut self, _: Priority, filled: usize, width: usize) -> Option<usize> {
        self.c += 1;
        if filled < width {
            return Some(filled);
        }
        let k = self.stream.below(self.c) as usize;
        (k < width).then_some(k)
    }

    fn arrange(_: &mut [Slot]) {}
}

#[cfg(test)]
mod tests;
