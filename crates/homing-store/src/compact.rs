//! Hash compaction (Wolper & Leroy, "Reliable hashing without collision detection", CAV 1993): a fingerprint of 64 bits
//! stands for a state.
//!
//! Two states with the same fingerprint are taken for one: of a million searches with ten million states each, about three
//! lose a state.

use homing_core::{Changed, State, StateId};

use crate::fingerprint::{Cursor, Fingerprints};
use crate::table::Table;
use crate::table::index::{Index, Inserted};
use crate::table::rows::Rows64;
use crate::{Interned, NeedsGrowth, Recall, Store};

/// Hash compaction: a set of 64-bit fingerprints, each with the id of its state. It may lose states.
#[derive(Debug)]
pub struct CompactStore {
    fingerprints: Fingerprints,
    table: Table<Rows64>,
}

impl CompactStore {
    /// A store for a system that has so many [hidden bytes](Store::hidden_prefix).
    pub fn new(hidden_prefix: usize) -> Self {
        CompactStore { fingerprints: Fingerprints::new(hidden_prefix), table: Table::with_id_blocks(Index::MAX_IDS) }
    }
}

impl Store for CompactStore {
    type Key = u64;
    type Cursor = Cursor;

    const LOSSLESS: bool = false;
    const RECALL: Recall = Recall::Nothing;

    fn cursor(&self) -> Cursor {
        Cursor::new(self.table.id_source())
    }

    fn set_parent(&self, cursor: &mut Cursor, state: &State, key: Option<u64>) {
        self.fingerprints.set_parent(cursor, state, key);
    }

    fn load(&self, _: &mut Cursor, _: StateId, _: &mut Vec<u8>) {
        panic!("a fingerprint cannot be turned back into its state");
    }

    fn load_by_key(&self, _: &mut Cursor, _: u64, _: &mut Vec<u8>) {
        panic!("a fingerprint cannot be turned back into its state");
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
        Ok(match self.table.insert(key, &mut cursor.ids)? {
            Inserted::New(id) => Interned::New(StateId(id)),
            Inserted::Known(id) => Interned::Known(StateId(id)),
        })
    }

    #[inline]
    fn find(&self, key: u64, _: &State) -> Option<Interned> {
        self.table.find(key).map(|id| Interned::Known(StateId(id)))
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
