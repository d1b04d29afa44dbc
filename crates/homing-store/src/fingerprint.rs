//! Fingerprints of 64 bits: a sum over the words of a state, so that a successor's fingerprint is its parent's plus the
//! difference of the words that the step changed.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use homing_core::{Changed, State};

use crate::dirty::{DirtyBits, DirtySet, mark_changed};
use crate::mix::{SALTS, avalanche};
use crate::table::ids::IdSource;

/// Computes the fingerprints of states.
#[derive(Debug)]
pub(crate) struct Fingerprints {
    /// How many bytes in front of each state are no part of its identity.
    pub hidden_prefix: usize,
    longest: AtomicUsize,
}

impl Fingerprints {
    pub fn new(hidden_prefix: usize) -> Self {
        Fingerprints { hidden_prefix, longest: AtomicUsize::new(0) }
    }

    /// Makes a state the parent on the cursor; `key` is its fingerprint if that is known.
    pub fn set_parent(&self, cursor: &mut Cursor, state: &State, key: Option<u64>) {
        if state.len() > self.longest() {
            self.longest.fetch_max(state.len(), Relaxed);
        }
        cursor.set_parent(&state[self.hidden_prefix..], key);
    }

    /// The fingerprint of a successor of the parent on the cursor.
    #[inline]
    pub fn key(&self, cursor: &mut Cursor, state: &State, changed: Changed<'_>) -> u64 {
        // Offsets count from the start of the state: with a hidden prefix they would have to be shifted.
        let changed = if self.hidden_prefix == 0 { changed } else { Changed::Anywhere };
        next_fingerprint(cursor, &state[self.hidden_prefix..], changed)
    }

    /// The length of the longest parent, in bytes.
    pub fn longest(&self) -> usize {
        self.longest.load(Relaxed)
    }
}

/// The state that one thread expands, with its fingerprint.
#[derive(Debug)]
pub struct Cursor {
    /// The state without its hidden prefix.
    identity: Vec<u8>,
    /// `None` as long as there is no state.
    fingerprint: Option<u64>,
    dirty: DirtyBits,
    /// Where new ids come from.
    pub(crate) ids: IdSource,
}

const WORD: usize = 8;

/// For states of up to so many bytes the set of dirty words is a single word.
const MAX_FOR_A_WORD: usize = 64 * WORD;

/// The summand of the word at an index.
#[inline]
fn summand(at: usize, word: u64) -> u64 {
    avalanche(word ^ (at as u64 + 1).wrapping_mul(SALTS[0]) ^ SALTS[2])
}

/// The word at an index; the last one may be incomplete.
#[inline]
fn word(state: &State, at: usize) -> u64 {
    let rest = &state[at * WORD..];
    match (rest.first_chunk(), state.last_chunk()) {
        (Some(&bytes), _) => u64::from_le_bytes(bytes),
        (None, Some(&bytes)) => u64::from_le_bytes(bytes) >> (8 * (WORD - rest.len())),
        (None, None) => rest.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    }
}

/// The fingerprint of a state without its hidden prefix.
fn fingerprint(identity: &[u8]) -> u64 {
    let words = (0..identity.len().div_ceil(WORD)).map(|at| summand(at, word(identity, at)));
    words.fold(avalanche(identity.len() as u64 ^ SALTS[3]), u64::wrapping_add)
}

/// The fingerprint of a successor, derived from its parent's if both have the same length.
#[inline]
fn next_fingerprint(cursor: &mut Cursor, identity: &[u8], changed: Changed<'_>) -> u64 {
    let Cursor { identity: parent, fingerprint: Some(before), dirty, .. } = cursor else {
        return fingerprint(identity);
    };
    if parent.len() != identity.len() {
        fingerprint(identity)
    } else if parent.len() <= MAX_FOR_A_WORD {
        next_by_words(*before, &mut 0u64, parent, identity, changed)
    } else {
        next_by_words(*before, dirty, parent, identity, changed)
    }
}

/// The fingerprint of a successor, derived from its parent's. `dirty` is empty, and left so.
#[inline]
fn next_by_words<D: DirtySet>(
    fingerprint: u64,
    dirty: &mut D,
    parent: &[u8],
    identity: &[u8],
    changed: Changed<'_>,
) -> u64 {
    mark_changed(dirty, changed, WORD, parent, identity);
    let mut next = fingerprint;
    while let Some(at) = dirty.take_first() {
        next = next.wrapping_sub(summand(at, word(parent, at))).wrapping_add(summand(at, word(identity, at)));
    }
    next
}

impl Cursor {
    /// A cursor without a parent.
    pub(crate) fn new(ids: IdSource) -> Self {
        Cursor { identity: Vec::new(), fingerprint: None, dirty: DirtyBits::default(), ids }
    }

    fn set_parent(&mut self, identity: &[u8], key: Option<u64>) {
        self.identity.clear();
        self.identity.extend_from_slice(identity);
        self.fingerprint = Some(key.unwrap_or_else(|| fingerprint(identity)));
        if identity.len() > MAX_FOR_A_WORD {
            self.dirty.reset(identity.len().div_ceil(WORD));
        }
    }
}
