//! Hash compaction (Wolper & Leroy, "Reliable hashing without collision detection", CAV 1993): of each state a
//! fingerprint of 64 bits.
//!
//! Two states of one fingerprint are taken for one: of ten million states some three in a million such searches lose
//! one.

use homing_core::{Changed, State, StateId};

use crate::fingerprint::{Cursor, Fingerprints};
use crate::table::index::{Entered, Index};
use crate::table::{Quick, Table};
use crate::{Interned, NeedsGrowth, Recall, Store};

/// Fingerprints of states.
#[derive(Debug)]
pub struct CompactStore {
    fingerprints: Fingerprints,
    table: Table<Quick>,
}

impl CompactStore {
    /// A store for a system that has so many [hidden bytes](Store::hidden_prefix).
    pub fn new(hidden_prefix: usize) -> Self {
        CompactStore { fingerprints: Fingerprints::new(hidden_prefix), table: Table::for_threads(Index::MOST) }
    }
}

impl Store for CompactStore {
    type Key = u64;
    type Cursor = Cursor;

    const LOSSLESS: bool = false;
    const RECALL: Recall = Recall::Nothing;

    fn cursor(&self) -> Cursor {
        Cursor::new(self.table.slot())
    }

    fn set_parent(&self, cursor: &mut Cursor, state: &State, key: Option<u64>) {
        self.fingerprints.set_parent(cursor, state, key);
    }

    fn load(&self, _: &mut Cursor, _: StateId, _: &mut Vec<u8>) {
        panic!("a fingerprint is no state");
    }

    fn load_by_key(&self, _: &mut Cursor, _: u64, _: &mut Vec<u8>) {
        panic!("a fingerprint is no state");
    }

    #[inline]
    fn key(&self, cursor: &mut Cursor, state: &State, changed: Changed<'_>) -> Result<u64, NeedsGrowth> {
        Ok(self.fingerprints.key(cursor, state, changed))
    }

    #[inline]
    fn prefetch(&self, key: u64) {
        self.table.prefetch(key);
    }

    #[inline]
    fn prefetch_row(&self, key: u64) {
        self.table.prefetch_row(key);
    }

    fn prefetch_state(&self, _: StateId) {}

    #[inline]
    fn intern(&self, cursor: &mut Cursor, key: u64, _: &State) -> Result<Interned, NeedsGrowth> {
        Ok(match self.table.enter(key, &mut cursor.slot)? {
            Entered::New(number) => Interned::New(StateId(number)),
            Entered::Known(number) => Interned::Known(StateId(number)),
        })
    }

    #[inline]
    fn find(&self, key: u64, _: &State) -> Option<Interned> {
        self.table.find(key).map(|number| Interned::Known(StateId(number)))
    }

    fn hidden_prefix(&self) -> usize {
        self.fingerprints.hidden_prefix
    }

    fn len(&self) -> u64 {
        u64::from(self.table.len())
    }

    fn capacity(&self) -> u64 {
        u64::from(self.table.capacity())
    }

    fn memory(&self) -> u64 {
        self.table.memory()
    }

    fn used(&self) -> u64 {
        self.table.used()
    }

    fn next_growth(&self) -> u64 {
        if self.table.is_full() { self.table.next_growth() } else { 0 }
    }

    fn grow(&mut self, threads: usize) -> bool {
        !self.table.is_full() || self.table.grow(threads)
    }

    fn longest(&self) -> usize {
        self.fingerprints.longest()
    }
}
