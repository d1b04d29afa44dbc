//! Visited-state stores: they give each state a dense number, once, and hand the state back for the number.
//!
//! A store knows nothing of search orders. What a search keeps about a state lives in arrays of its own, by the number.

mod arena;
mod exact;
mod segments;

use homing_core::{State, StateId};

pub use exact::ExactStore;
pub use segments::Segments;

/// What a store made of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interned {
    /// It was not there before.
    New(StateId),
    Known(StateId),
}

/// Exact duplicate detection: two states get one number iff they are equal behind the bytes they merely
/// [carry](homing_core::TransitionSystem::carried). Numbers count up from 0 in the order of arrival.
pub trait Store {
    /// How many states it can number. A search ends before it asks for more.
    const MOST_STATES: u64;

    /// Adds the state, with the bytes it carries, unless it is there already.
    ///
    /// # Panics
    /// If a new state arrives when there are [`Store::MOST_STATES`].
    fn intern(&mut self, state: &State) -> Interned;

    fn find(&self, state: &State) -> Option<StateId>;

    /// Replaces the contents of `out` by the state.
    fn load(&self, id: StateId, out: &mut Vec<u8>);

    /// Replaces the carried bytes of a state by those of `state`, which is otherwise equal: another run now leads to it.
    fn carry(&mut self, id: StateId, state: &State);

    fn len(&self) -> u64;

    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes it holds.
    fn memory(&self) -> u64;

    /// Bytes that the next new state takes beyond its own: tables grow by leaps, and a limit wants to be kept before
    /// the leap, not noticed behind it.
    fn next_growth(&self) -> u64;
}
