//! Visited-state stores: they give each state a number, once, and most hand the state back for the number. Numbers are dense, but
//! for a few that threads have set aside for what they will add.
//!
//! A store knows nothing of search orders. What a search keeps about a state lives in arrays of its own, by the number.
//! Any number of threads may look up and add states at a time; growing is for one alone, between two looks.

mod bitstate;
mod compact;
mod dirty;
mod exact;
mod fingerprint;
mod mix;
mod prefetch;
mod recent_cache;
mod table;
mod tree;

use std::fmt::Debug;
use std::hash::Hash;

use homing_core::{Changed, State, StateId};

pub use bitstate::BitStore;
pub use compact::CompactStore;
pub use exact::ExactStore;
pub use prefetch::prefetch;
pub use recent_cache::{CacheEntry, RecentCache};
pub use table::pages::Zeroable;
pub use table::segments::Segments;
pub use tree::TreeStore;

/// What a store made of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interned {
    /// It was not there before.
    New(StateId),
    Known(StateId),
    /// It seems to be known, but not by which number.
    MaybeKnown,
}

/// There is no room for a new state until the store has [grown](Store::grow).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NeedsGrowth;

/// What a state is looked for by.
pub trait Key: Copy + Eq + Hash + Default + Debug + Send + Sync {
    /// A number whose upper bits differ for most keys that differ.
    fn spread(self) -> u64;
}

impl Key for u64 {
    #[inline]
    fn spread(self) -> u64 {
        self.wrapping_mul(mix::SALTS[0])
    }
}

impl<const N: usize> Key for [u64; N]
where
    [u64; N]: Default,
{
    #[inline]
    fn spread(self) -> u64 {
        self.into_iter().zip(mix::SALTS).fold(0, |all, (word, salt)| all ^ word.wrapping_mul(salt))
    }
}

/// What of a state a store can hand back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recall {
    /// All of it, for its key alone.
    ByKey,
    /// All of it, for its number.
    ByNumber,
    /// Nothing: whoever needs the state has to keep it.
    Nothing,
}

/// Duplicate detection. Numbers count up from 0 in the order of target.
///
/// A state is looked up in two steps: its key is made, and later the key is looked for. In between the memory it leads to
/// can be [asked for](Store::prefetch) ahead of time. A key is made on a cursor: what one thread has before it, above all
/// the state that is being expanded, because most of a key is that of the state it came from.
pub trait Store: Send + Sync {
    type Key: Key;
    type Cursor: Send;

    /// Two states are one only if they are equal after the [hidden prefix](Store::hidden_prefix). Otherwise states may be lost,
    /// and nothing is proved.
    const LOSSLESS: bool;
    const RECALL: Recall;

    /// A cursor for one thread, with no state on it. It is of use to this store alone.
    ///
    /// The first 64 cursors have ids of their own to give, so that threads do not write next to each other; later ones share
    /// theirs, which is slower.
    fn cursor(&self) -> Self::Cursor;

    /// Puts a state that is about to be expanded on the cursor; its key, if it is at hand, need not be made again.
    fn set_parent(&self, cursor: &mut Self::Cursor, state: &State, key: Option<Self::Key>);

    /// Puts the state with a number on the cursor, and makes it the contents of `out`.
    ///
    /// # Panics
    /// If the store does not recall states by number or by key.
    fn load(&self, cursor: &mut Self::Cursor, id: StateId, out: &mut Vec<u8>);

    /// The same for a key, whether the state is known or not.
    ///
    /// # Panics
    /// If the store does not recall states by key.
    fn load_by_key(&self, cursor: &mut Self::Cursor, key: Self::Key, out: &mut Vec<u8>);

    /// The key of a state. `changed` tells where it differs from the state on the cursor; if that is unknown, it is found
    /// out.
    fn key(&self, cursor: &mut Self::Cursor, state: &State, changed: Changed<'_>) -> Result<Self::Key, NeedsGrowth>;

    /// The same if it is quickly made, as it mostly is; none if it is not, or if there is no room.
    #[inline(always)]
    fn quick_key(&self, _desk: &mut Self::Cursor, _state: &State, _changed: Changed<'_>) -> Option<Self::Key> {
        None
    }

    /// Asks for the memory that the key will be looked for in.
    fn prefetch(&self, key: Self::Key);

    /// Asks for what the look-up will come to next, once that memory is there.
    fn prefetch_row(&self, key: Self::Key);

    /// Asks for the memory that a state will be opened from.
    fn prefetch_state(&self, id: StateId);

    /// Adds the state that has this key unless it is there already.
    fn intern(&self, cursor: &mut Self::Cursor, key: Self::Key, state: &State) -> Result<Interned, NeedsGrowth>;

    /// The state that has this key, which is never new.
    fn find(&self, key: Self::Key, state: &State) -> Option<Interned>;

    /// How many bytes at the front of each state are kept with it but do not distinguish states: the values of variables that
    /// are `hidden`. They are those of the run that reached the state first, so that a search over such a store claims neither
    /// that a path is shortest nor that reordered steps lead to the same state.
    fn hidden_prefix(&self) -> usize {
        0
    }

    /// Replaces the hidden bytes of a state by those of `state`, which is otherwise equal: another run now leads to it.
    fn replace_hidden(&self, id: StateId, state: &State) {
        let _ = (id, state);
    }

    fn len(&self) -> u64;

    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many states it has room for without growing.
    fn capacity(&self) -> u64;

    /// Bytes it holds.
    fn memory(&self) -> u64;

    /// Bytes of what is in use, without the empty entries of tables.
    fn used(&self) -> u64;

    /// Bytes that growing would add: tables grow by leaps, and a limit wants to be kept before the leap, not noticed
    /// behind it.
    fn next_growth(&self) -> u64;

    /// Makes room where there is none. So many threads use the store, and have nothing else to do meanwhile: they help. False
    /// if it has all the states it can number.
    fn grow(&mut self, threads: usize) -> bool;

    /// The length of the longest state seen, in bytes.
    fn longest(&self) -> usize;
}
