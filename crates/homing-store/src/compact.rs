//! Hash compaction (Wolper & Leroy, "Reliable hashing without collision detection", CAV 1993): of each state a
//! fingerprint of 64 bits.
//!
//! Two states of one fingerprint are taken for one: of ten million states some three in a million such searches lose
//! one. A fingerprint is a sum over the words of a state, so that it is made from that of the state it came from by the
//! words that were changed.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use homing_core::{Changed, State, StateId};

use crate::changes::{Marked, Marks, mark_changed};
use crate::index::{Entered, Index};
use crate::mix::{SALTS, avalanche};
use crate::table::{Narrow, Table};
use crate::{Full, Interned, Recall, Store};

/// Fingerprints of states.
#[derive(Debug)]
pub struct CompactStore {
    fingerprints: Table<Narrow>,
    /// How many bytes in front of each state are no part of its identity.
    carried: usize,
    longest: AtomicUsize,
}

/// A state with its fingerprint.
#[derive(Debug, Default)]
pub struct Desk {
    bytes: Vec<u8>,
    /// None as long as there is no state.
    fingerprint: Option<u64>,
    marks: Marks,
}

const WORD: usize = 8;

/// What a word adds to the fingerprint of its state.
#[inline]
fn share(at: usize, word: u64) -> u64 {
    avalanche(word ^ (at as u64 + 1).wrapping_mul(SALTS[0]) ^ SALTS[2])
}

#[inline]
fn word(state: &State, at: usize) -> u64 {
    match state[at * WORD..].first_chunk() {
        Some(&bytes) => u64::from_le_bytes(bytes),
        None => {
            let rest = &state[at * WORD..];
            let mut bytes = [0; WORD];
            bytes[..rest.len()].copy_from_slice(rest);
            u64::from_le_bytes(bytes)
        }
    }
}

/// The fingerprint of a state without what it carries.
pub(crate) fn fingerprint(identity: &[u8]) -> u64 {
    let words = (0..identity.len().div_ceil(WORD)).map(|at| share(at, word(identity, at)));
    words.fold(avalanche(identity.len() as u64 ^ SALTS[3]), u64::wrapping_add)
}

/// The fingerprint of a state made from that of the one on the desk.
#[inline]
pub(crate) fn next_fingerprint(desk: &mut Desk, identity: &[u8], changed: Changed<'_>) -> u64 {
    let Desk { bytes, fingerprint: Some(before), marks } = desk else { return fingerprint(identity) };
    if bytes.len() != identity.len() {
        fingerprint(identity)
    } else if bytes.len() <= 64 * WORD {
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

impl Desk {
    pub(crate) fn place(&mut self, identity: &[u8]) {
        self.bytes.clear();
        self.bytes.extend_from_slice(identity);
        self.fingerprint = Some(fingerprint(identity));
        self.marks.reset(identity.len().div_ceil(WORD));
    }
}

impl CompactStore {
    /// A store for a system that [carries](homing_core::TransitionSystem::carried) so many bytes.
    pub fn new(carried: usize) -> Self {
        CompactStore { fingerprints: Table::new(Index::MOST), carried, longest: AtomicUsize::new(0) }
    }
}

impl Store for CompactStore {
    type Key = u64;
    type Desk = Desk;

    const LOSSLESS: bool = false;
    const RECALL: Recall = Recall::Nothing;

    fn place(&self, desk: &mut Desk, state: &State) {
        self.longest.fetch_max(state.len(), Relaxed);
        desk.place(&state[self.carried..]);
    }

    fn open(&self, _: &mut Desk, _: StateId, _: &mut Vec<u8>) {
        panic!("a fingerprint is no state");
    }

    fn open_key(&self, _: &mut Desk, _: u64, _: &mut Vec<u8>) {
        panic!("a fingerprint is no state");
    }

    #[inline]
    fn key(&self, desk: &mut Desk, state: &State, changed: Changed<'_>) -> Result<u64, Full> {
        // Places are counted from the start of the state: with carried bytes in front they would have to be shifted.
        let changed = if self.carried == 0 { changed } else { Changed::Anywhere };
        Ok(next_fingerprint(desk, &state[self.carried..], changed))
    }

    #[inline]
    fn prefetch(&self, key: u64) {
        self.fingerprints.prefetch(key);
    }

    #[inline]
    fn approach(&self, key: u64) {
        self.fingerprints.approach(key);
    }

    fn prefetch_state(&self, _: StateId) {}

    #[inline]
    fn intern(&self, key: u64, _: &State) -> Result<Interned, Full> {
        Ok(match self.fingerprints.enter(key)? {
            Entered::New(number) => Interned::New(StateId(number)),
            Entered::Known(number) => Interned::Known(StateId(number)),
        })
    }

    #[inline]
    fn find(&self, key: u64, _: &State) -> Option<Interned> {
        self.fingerprints.find(key).map(|number| Interned::Known(StateId(number)))
    }

    fn carry(&self, _: StateId, _: &State) {}

    fn len(&self) -> u64 {
        u64::from(self.fingerprints.len())
    }

    fn capacity(&self) -> u64 {
        u64::from(self.fingerprints.capacity())
    }

    fn memory(&self) -> u64 {
        self.fingerprints.memory()
    }

    fn used(&self) -> u64 {
        self.fingerprints.used()
    }

    fn next_growth(&self) -> u64 {
        if self.fingerprints.is_full() { self.fingerprints.next_growth() } else { 0 }
    }

    fn grow(&mut self) -> bool {
        !self.fingerprints.is_full() || self.fingerprints.grow()
    }

    fn longest(&self) -> usize {
        self.longest.load(Relaxed)
    }
}
