//! Visited-state stores: duplicate detection for searches in explicit state spaces.
//!
//! A store gives each state an id, once, and most stores give the state back for its id. Ids are dense, except for a
//! few that threads have reserved for states to come. A store knows nothing of search orders: what a search keeps about
//! a state lives in arrays of its own, by id ([`Segments`]).
//!
//! | store | keeps of a state | may lose states |
//! |---|---|---|
//! | [`TreeStore`] | a tree of shared nodes, about ten bytes | no |
//! | [`ExactStore`] | all bytes, with a hidden prefix | no |
//! | [`CompactStore`] | a fingerprint of 64 bits (hash compaction) | yes |
//! | [`BitStore`] | a few bits (bitstate hashing) | yes |
//!
//! `tree/` has all that serves the tree store alone; the head of `tree/mod.rs` follows one state through it, step by
//! step. `table/` has what stores are made of: an index, the allocation of ids, rows of keys, memory that never moves.
//!
//! Any number of threads may look up and add states at a time. Growing needs exclusive access: a call that finds no
//! room returns [`NeedsGrowth`], and the search decides when the store [grows](Store::grow).

#![warn(missing_docs)]

mod bitstate;
mod compact;
mod dirty;
mod exact;
mod fingerprint;
mod mix;
mod prefetch;
mod recall;
mod recent_cache;
mod sizes;
mod stack_set;
mod table;
mod tree;

use std::fmt::Debug;
use std::hash::Hash;

use homing_core::{Changed, State, StateId};

pub use bitstate::BitStore;
pub use compact::CompactStore;
pub use exact::ExactStore;
pub use prefetch::prefetch;
pub use recall::{ById, ByKey, Nothing, Recall};
pub use recent_cache::{CacheEntry, RecentCache};
pub use stack_set::StackSet;
pub use table::pages::Zeroable;
pub use table::segments::Segments;
pub use tree::TreeStore;

/// The result of looking up a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interned {
    /// The state is new, and has this id from now on.
    New(StateId),
    /// The state was stored before.
    Known(StateId),
    /// The state seems to have been stored before; its id is not known.
    MaybeKnown,
}

impl Interned {
    /// Whether the state is new.
    pub fn is_new(self) -> bool {
        matches!(self, Interned::New(_))
    }
}

/// The error of a store that has no room for a new state, or for a part of its key, until it has [grown](Store::grow).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NeedsGrowth;

/// What a state is looked up by.
pub trait Key: Copy + Eq + Hash + Default + Debug + Send + Sync {
    /// A hash of the key; its upper bits are good, its lower ones need not be.
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

/// Makes the keys of states.
///
/// A state is looked up in two steps: its key is made, and later the key is looked up. In between, the memory that the
/// look-up will need can be [fetched](Prefetch). A key is made with a cursor, which belongs to one thread and holds the
/// *parent*, the state that is being expanded, because most of a successor's key is its parent's.
pub trait Keys: Send + Sync {
    /// What a state is looked up by.
    type Key: Key;
    /// The parent state of the keys to be made, and what a thread needs to make them.
    type Cursor: Send;

    /// Makes a cursor for one thread, without a parent. It may be used with this store only.
    ///
    /// The first 64 cursors allocate ids from blocks of their own, so that threads do not write to the same cache
    /// lines; later ones share a block, which is slower.
    fn cursor(&self) -> Self::Cursor;

    /// Makes a state the parent of the keys to come; `key` is its own key if that is known.
    fn set_parent(&self, cursor: &mut Self::Cursor, state: &State, key: Option<Self::Key>);

    /// The key of a state. `changed` says where it may differ from the parent; if that is unknown, they are compared.
    fn key(&self, cursor: &mut Self::Cursor, state: &State, changed: Changed<'_>) -> Result<Self::Key, NeedsGrowth>;

    /// The key if it can be derived from the parent's in a few operations; `None` if it cannot, or there is no room.
    #[inline(always)]
    fn quick_key(&self, cursor: &mut Self::Cursor, state: &State, changed: Changed<'_>) -> Option<Self::Key> {
        let _ = (cursor, state, changed);
        None
    }
}

/// Hints that memory will be read soon. Without them a store is slower, nothing else.
pub trait Prefetch: Keys {
    /// Fetches the entry that a look-up of the key begins with.
    fn prefetch(&self, key: Self::Key) {
        let _ = key;
    }

    /// Fetches what the look-up reads after that entry, which should be at hand.
    fn prefetch_row(&self, key: Self::Key) {
        let _ = key;
    }

    /// Fetches what a state is loaded from.
    fn prefetch_state(&self, id: StateId) {
        let _ = id;
    }
}

/// A visited set: gives each state an id, once. Ids count up from 0, with few gaps.
///
/// Any number of threads may look up and add states at a time; growing is for one alone.
pub trait Store: Prefetch {
    /// What the store gives back: [`ByKey`], [`ById`] or [`Nothing`].
    type Recall: Recall<Self>
    where
        Self: Sized;

    /// Two states are one only if they are equal after the [hidden prefix](Store::hidden_prefix). Otherwise states may
    /// be lost, and nothing is proved.
    const LOSSLESS: bool;

    /// Adds the state with this key unless it is there already.
    fn intern(&self, cursor: &mut Self::Cursor, key: Self::Key, state: &State) -> Result<Interned, NeedsGrowth>;

    /// Looks for the state with this key, and adds nothing.
    fn find(&self, key: Self::Key, state: &State) -> Option<Interned>;

    /// How many states it holds.
    fn len(&self) -> u64;

    /// Whether it holds no state.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many states it has room for without growing; all ids are below that.
    fn capacity(&self) -> u64;

    /// The bytes it holds.
    fn memory(&self) -> u64;

    /// The bytes that growing would add. Tables grow by large steps, so a limit on memory has to be checked before.
    fn next_growth(&self) -> u64;

    /// Makes room where there is none. `threads` is how many threads use the store; as many take part in growing,
    /// because the others have to wait anyway. False if the store cannot hold more states.
    fn grow(&mut self, threads: usize) -> bool;

    /// Figures for reports.
    fn usage(&self) -> Usage;

    /// How many bytes at the front of each state are kept with it but do not distinguish states: the values of
    /// variables that are `hidden`. They are those of the run that reached the state first, so that a search over such
    /// a store claims neither that a path is shortest nor that reordered steps lead to the same state.
    fn hidden_prefix(&self) -> usize {
        0
    }

    /// Replaces the hidden bytes of a state by those of `state`, which is otherwise equal: another run now leads to it.
    fn replace_hidden(&self, id: StateId, state: &State) {
        let _ = (id, state);
    }
}

/// Figures of a store, for reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// The bytes in use, without the empty slots of tables.
    pub bytes: u64,
    /// The length of the longest state seen, in bytes.
    pub longest_state: usize,
}

/// A store that knows the id of every state it holds, so that arrays by id can be kept beside it.
pub trait Numbered: Store {
    /// Adds the state with this key unless it is there already: its id, and whether it is new.
    fn intern_id(
        &self,
        cursor: &mut Self::Cursor,
        key: Self::Key,
        state: &State,
    ) -> Result<(StateId, bool), NeedsGrowth>;

    /// The id of the state with this key, if it is there.
    fn id(&self, key: Self::Key, state: &State) -> Option<StateId>;
}

/// A store that gives states back for their ids.
pub trait LoadById: Numbered {
    /// Makes a stored state the parent of the keys to come, and the contents of `out`.
    fn load(&self, cursor: &mut Self::Cursor, id: StateId, out: &mut Vec<u8>);
}

/// A store that gives states back for their keys, stored or not.
pub trait LoadByKey: LoadById {
    /// Makes the state with a key the parent of the keys to come, and the contents of `out`.
    fn load_by_key(&self, cursor: &mut Self::Cursor, key: Self::Key, out: &mut Vec<u8>);
}
