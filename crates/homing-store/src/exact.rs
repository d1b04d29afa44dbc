//! The exact store: every state in full, found through an index.
//!
//! It takes the most memory and keeps hidden bytes ([`Store::hidden_prefix`]), which no other store that hands
//! states back does.

use std::sync::atomic::Ordering::{Acquire, Relaxed};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize};

use homing_core::{Changed, State, StateId};
use rapidhash::v3::{DEFAULT_RAPID_SECRETS, rapidhash_v3_inline};

use crate::prefetch::prefetch;
use crate::sizes::size;
use crate::table::index::{Index, Inserted};
use crate::table::segments::Segments;
use crate::{ById, Interned, Keys, LoadById, NeedsGrowth, Numbered, Prefetch, Store, Usage};

/// States of any length, uncompressed.
#[derive(Debug)]
pub struct ExactStore {
    /// How many leading bytes of each state are no part of its identity.
    hidden_prefix: usize,
    index: Index,
    /// By id: the index of the state's first word, and its length in bytes.
    locations: Segments<AtomicU64>,
    /// The bytes of all states; each begins with a new word.
    words: Segments<AtomicU64>,
    next_word: AtomicUsize,
    /// There was no room for the words of a state. Until the store has grown no other state, even if it would fit, may
    /// take a slot of the index: the slot that was given back may lie before one that was taken meanwhile.
    is_full: AtomicBool,
    len: AtomicU32,
    longest: AtomicUsize,
}

const FIRST_CAPACITY: u32 = size(1 << 10, 1 << 4) as u32;
const WORD: usize = size_of::<u64>();

/// The bits of a location that are the length.
const LENGTH_BITS: u32 = 28;

impl ExactStore {
    /// A store for a system that has so many [hidden bytes](Store::hidden_prefix).
    pub fn new(hidden_prefix: usize) -> Self {
        let mut store = ExactStore {
            hidden_prefix,
            index: Index::new(FIRST_CAPACITY),
            locations: Segments::new(),
            words: Segments::new(),
            next_word: AtomicUsize::new(0),
            is_full: AtomicBool::new(false),
            len: AtomicU32::new(0),
            longest: AtomicUsize::new(0),
        };
        store.locations.reserve(FIRST_CAPACITY as usize);
        store.words.reserve(1);
        store
    }

    /// The id of a state, if it is known.
    pub fn id_of(&self, state: &State) -> Option<StateId> {
        let id = self.index.find(hash(&state[self.hidden_prefix..]), |id| self.is_equal(id, state))?;
        Some(StateId(id))
    }

    /// The words of a state, and its length in bytes.
    fn words_of(&self, id: u32) -> (&[AtomicU64], usize) {
        let location = self.locations[id as usize].load(Relaxed);
        let length = (location & ((1 << LENGTH_BITS) - 1)) as usize;
        let words = self.words.slice((location >> LENGTH_BITS) as usize, length.div_ceil(WORD));
        (words.expect("a state lies in one segment"), length)
    }

    fn load(&self, id: u32, out: &mut Vec<u8>) {
        let (words, length) = self.words_of(id);
        out.clear();
        words.iter().for_each(|word| out.extend_from_slice(&word.load(Relaxed).to_le_bytes()));
        out.truncate(length);
    }

    /// Whether the state with an id is equal to `state`, apart from their hidden prefixes.
    #[inline]
    fn is_equal(&self, id: u32, state: &State) -> bool {
        let (words, length) = self.words_of(id);
        let hidden_bits = |at: usize| self.hidden_prefix.saturating_sub(at * WORD).min(WORD) as u32 * 8;
        length == state.len()
            && words.iter().zip(state.chunks(WORD)).enumerate().all(|(at, (held, bytes))| {
                let difference = held.load(Relaxed) ^ word(bytes);
                difference.checked_shr(hidden_bits(at)).unwrap_or(0) == 0
            })
    }

    /// Copies a state into the store and gives it an id.
    fn add(&self, state: &State) -> Result<u32, NeedsGrowth> {
        let count = state.len().div_ceil(WORD);
        if self.is_full.load(Relaxed) || self.len.load(Relaxed) >= self.index.capacity() {
            return Err(NeedsGrowth);
        }
        let (at, words) = loop {
            let at = self.next_word.load(Relaxed);
            if at + count > self.words.capacity() {
                self.is_full.store(true, Relaxed);
                return Err(NeedsGrowth);
            }
            if self.next_word.compare_exchange_weak(at, at + count, Relaxed, Relaxed).is_ok()
                && let Some(words) = self.words.slice(at.min(self.words.capacity() - 1), count)
            {
                break (at, words);
            }
        };
        let id = self.len.fetch_add(1, Relaxed);
        if id >= self.index.capacity() {
            self.len.fetch_sub(1, Relaxed); // the words stay unused
            return Err(NeedsGrowth);
        }
        words.iter().zip(state.chunks(WORD)).for_each(|(held, bytes)| held.store(word(bytes), Relaxed));
        self.locations[id as usize].store((at as u64) << LENGTH_BITS | state.len() as u64, Relaxed);
        self.longest.fetch_max(state.len(), Relaxed);
        Ok(id)
    }

    fn next_capacity(&self) -> u32 {
        (u64::from(self.index.capacity()) * 2).min(u64::from(Index::MAX_IDS)) as u32
    }

    fn index_is_full(&self) -> bool {
        self.len.load(Acquire) >= self.index.capacity()
    }
}

/// Up to eight bytes as a number.
#[inline]
fn word(bytes: &[u8]) -> u64 {
    match bytes.first_chunk() {
        Some(&bytes) => u64::from_le_bytes(bytes),
        None => bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    }
}

fn hash(identity: &[u8]) -> u64 {
    rapidhash_v3_inline::<true, false, false>(identity, &DEFAULT_RAPID_SECRETS)
}

impl Keys for ExactStore {
    type Key = u64;
    type Cursor = ();

    fn cursor(&self) {}

    fn set_parent(&self, (): &mut (), _: &State, _: Option<u64>) {}

    #[inline]
    fn key(&self, (): &mut (), state: &State, _: Changed<'_>) -> Result<u64, NeedsGrowth> {
        Ok(hash(&state[self.hidden_prefix..]))
    }
}

impl Prefetch for ExactStore {
    #[inline]
    fn prefetch(&self, key: u64) {
        self.index.prefetch(key);
    }

    #[inline]
    fn prefetch_row(&self, key: u64) {
        if let Some(id) = self.index.peek(key) {
            prefetch(&self.locations[id as usize]);
        }
    }

    #[inline]
    fn prefetch_state(&self, id: StateId) {
        prefetch(&self.locations[id.index()]);
    }
}

impl Store for ExactStore {
    type Recall = ById;

    const LOSSLESS: bool = true;

    #[inline]
    fn intern(&self, (): &mut (), key: u64, state: &State) -> Result<Interned, NeedsGrowth> {
        let (id, is_new) = self.intern_id(&mut (), key, state)?;
        Ok(if is_new { Interned::New(id) } else { Interned::Known(id) })
    }

    #[inline]
    fn find(&self, key: u64, state: &State) -> Option<Interned> {
        self.id(key, state).map(Interned::Known)
    }

    fn len(&self) -> u64 {
        u64::from(self.len.load(Acquire))
    }

    fn capacity(&self) -> u64 {
        u64::from(self.index.capacity())
    }

    fn memory(&self) -> u64 {
        let words = self.next_word.load(Relaxed) as u64 + self.len();
        self.index.bytes() + words * WORD as u64
    }

    fn next_growth(&self) -> u64 {
        if self.index_is_full() { Index::bytes_for(self.next_capacity()) - self.index.bytes() } else { 0 }
    }

    fn grow(&mut self, threads: usize) -> bool {
        let mut capacity = self.index.capacity();
        if self.index_is_full() {
            capacity = self.next_capacity();
            if capacity == self.index.capacity() {
                return false;
            }
            self.locations.reserve(capacity as usize);
        }
        if std::mem::take(self.is_full.get_mut()) {
            self.words.reserve(self.words.capacity() + 1); // no room for the words of a state: twice as much
        }
        // Even if it does not grow: a slot that was given back hides the entries that were made after it.
        let mut index = std::mem::replace(&mut self.index, Index::new(0));
        let (len, store) = (*self.len.get_mut(), &*self);
        index.grow(capacity, std::slice::from_ref(&(0..len)), threads, || {
            let mut state = Vec::new();
            move |id| {
                store.load(id, &mut state);
                hash(&state[store.hidden_prefix..])
            }
        });
        self.index = index;
        true
    }

    fn usage(&self) -> Usage {
        let words = self.next_word.load(Relaxed) as u64 + self.len();
        let bytes = self.len() * size_of::<AtomicU32>() as u64 + words * WORD as u64;
        Usage { bytes, longest_state: self.longest.load(Relaxed) }
    }

    fn hidden_prefix(&self) -> usize {
        self.hidden_prefix
    }

    fn replace_hidden(&self, id: StateId, state: &State) {
        let (words, length) = self.words_of(id.0);
        debug_assert_eq!(length, state.len());
        let with_hidden = words.iter().zip(state.chunks(WORD)).take(self.hidden_prefix.div_ceil(WORD));
        with_hidden.for_each(|(held, bytes)| held.store(word(bytes), Relaxed)); // the rest is equal
    }
}

impl Numbered for ExactStore {
    #[inline]
    fn intern_id(&self, (): &mut (), key: u64, state: &State) -> Result<(StateId, bool), NeedsGrowth> {
        Ok(match self.index.find_or_insert(key, |id| self.is_equal(id, state), || self.add(state))? {
            Inserted::New(id) => (StateId(id), true),
            Inserted::Known(id) => (StateId(id), false),
        })
    }

    #[inline]
    fn id(&self, key: u64, state: &State) -> Option<StateId> {
        self.index.find(key, |id| self.is_equal(id, state)).map(StateId)
    }
}

impl LoadById for ExactStore {
    fn load(&self, (): &mut (), id: StateId, out: &mut Vec<u8>) {
        self.load(id.0, out);
    }
}
