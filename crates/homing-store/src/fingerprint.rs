//! Fingerprints of 64 bits: a sum over the words of a state, so that one is made from that of the state it came from by the
//! words that were changed.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use homing_core::{Changed, State};

use crate::dirty::{Marked, Marks, mark_changed};
use crate::mix::{SALTS, avalanche};
use crate::table::ids::Slot;

/// Makes the fingerprints of states.
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

    /// Puts a state on the cursor, with its fingerprint if that is at hand.
    pub fn set_parent(&self, cursor: &mut Cursor, state: &State, key: Option<u64>) {
        if state.len() > self.longest() {
            self.longest.fetch_max(state.len(), Relaxed);
        }
        cursor.place(&state[self.hidden_prefix..], key);
    }

    /// The fingerprint of a state that came from the one on the cursor.
    #[inline]
    pub fn key(&self, cursor: &mut Cursor, state: &State, changed: Changed<'_>) -> u64 {
        // Places are counted from the start of the state: with carried bytes in front they would have to be shifted.
        let changed = if self.hidden_prefix == 0 { changed } else { Changed::Anywhere };
        next_fingerprint(cursor, &state[self.hidden_prefix..], changed)
    }

    /// The length of the longest state that was placed, in bytes.
    pub fn longest(&self) -> usize {
        self.longest.load(Relaxed)
    }
}

/// A state with its fingerprint.
#[derive(Debug)]
pub struct Cursor {
    bytes: Vec<u8>,
    /// None as long as there is no state.
    fingerprint: Option<u64>,
    marks: Marks,
    /// Where new numbers come from.
    pub(crate) slot: Slot,
}

const WORD: usize = 8;

/// For states of so many bytes the marks are a single word.
const MOST_IN_A_WORD: usize = 64 * WORD;

/// What a word adds to the fingerprint of its state.
#[inline]
fn share(at: usize, word: u64) -> u64 {
    avalanche(word ^ (at as u64 + 1).wrapping_mul(SALTS[0]) ^ SALTS[2])
}

#[inline]
fn word(state: &State, at: usize) -> u64 {
    let rest = &state[at * WORD..];
    match (rest.first_chunk(), state.last_chunk()) {
        (Some(&bytes), _) => u64::from_le_bytes(bytes),
        (None, Some(&bytes)) => u64::from_le_bytes(bytes) >> (8 * (WORD - rest.len())),
        (None, None) => rest.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    }
}

/// The fingerprint of a state without what it carries.
fn fingerprint(identity: &[u8]) -> u64 {
    let words = (0..identity.len().div_ceil(WORD)).map(|at| share(at, word(identity, at)));
    words.fold(avalanche(identity.len() as u64 ^ SALTS[3]), u64::wrapping_add)
}

/// The fingerprint of a state made from that of the one on the cursor.
#[inline]
fn next_fingerprint(cursor: &mut Cursor, identity: &[u8], changed: Changed<'_>) -> u64 {
    let Cursor { bytes, fingerprint: Some(before), marks, .. } = cursor else { return fingerprint(identity) };
    if bytes.len() != identity.len() {
        fingerprint(identity)
    } else if bytes.len() <= MOST_IN_A_WORD {
        next_of_marked(*before, &mut 0u64, bytes, identity, changed)
    } else {
        next_of_marked(*before, marks, bytes, identity, changed)
    }
}

/// `marked` is empty, and left so.
#[inline]
fn next_of_marked<M: Marked>(
    fingerprint: u64,
    marked: &mut M,
    bytes: &[u8],
    identity: &[u8],
    changed: Changed<'_>,
) -> u64 {
    mark_changed(marked, changed, WORD, bytes, identity);
    let mut next = fingerprint;
    while let Some(at) = marked.take_first() {
        next = next.wrapping_sub(share(at, word(bytes, at))).wrapping_add(share(at, word(identity, at)));
    }
    next
}

impl Cursor {
    /// With no state on it.
    pub(crate) fn new(slot: Slot) -> Self {
        Cursor { bytes: Vec::new(), fingerprint: None, marks: Marks::default(), slot }
    }

    fn place(&mut self, identity: &[u8], key: Option<u64>) {
        self.bytes.clear();
        self.bytes.extend_from_slice(identity);
        self.fingerprint = Some(key.unwrap_or_else(|| fingerprint(identity)));
        if identity.len() > MOST_IN_A_WORD {
            self.marks.reset(identity.len().div_ceil(WORD));
        }
    }
}
