//! Hash compaction (Wolper & Leroy, "Reliable hashing without collision detection", CAV 1993): a fingerprint of 64 bits
//! stands for a state.
//!
//! Two states with the same fingerprint are taken for one: of a million searches with ten million states each, about
//! three lose a state.

use homing_core::{Changed, State, StateId};

use crate::fingerprint::{Cursor, Fingerprints};
use crate::table::Table;
use crate::table::index::{Index, Inserted};
use crate::table::rows::Rows64;
use crate::{Interned, Keys, NeedsGrowth, Nothing, Numbered, Prefetch, Store, Usage};

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

impl Keys for CompactStore {
    type Key = u64;
    type Cursor = Cursor;

    fn cursor(&self) -> Cursor {
        Cursor::new(self.table.id_source())
    }

    fn set_parent(&self, cursor: &mut Cursor, state: &State, key: Option<u64>) {
        self.fingerprints.set_parent(cursor, state, key);
    }

    #[inline]
    fn key(&self, cursor: &mut Cursor, state: &State, changed: Changed<'_>) -> Result<u64, NeedsGrowth> {
        Ok(self.fingerprints.key(cursor, state, changed))
    }
}

impl Prefetch for CompactStore {
    #[inline]
    fn prefetch(&self, key: u64) {
        self.table.prefetch(key);
    }

    #[inline]
    fn prefetch_row(&self, key: u64) {
        self.table.prefetch_row(key);
    }
}

impl Store for CompactStore {
    type Recall = Nothing;

    const LOSSLESS: bool = false;

    #[inline]
    fn intern(&self, cursor: &mut Cursor, key: u64, state: &State) -> Result<Interned, NeedsGrowth> {
        let (id, is_new) = self.intern_id(cursor, key, state)?;
        Ok(if is_new { Interned::New(id) } else { Interned::Known(id) })
    }

    #[inline]
    fn find(&self, key: u64, state: &State) -> Option<Interned> {
        self.id(key, state).map(Interned::Known)
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

    fn next_growth(&self) -> u64 {
        if self.table.is_full() { self.table.next_growth() } else { 0 }
    }

    fn grow(&mut self, threads: usize) -> bool {
        !self.table.is_full() || self.table.grow(threads)
    }

    fn usage(&self) -> Usage {
        Usage { bytes: self.table.used(), longest_state: self.fingerprints.longest() }
    }

    fn hidden_prefix(&self) -> usize {
        self.fingerprints.hidden_prefix
    }
}

impl Numbered for CompactStore {
    #[inline]
    fn intern_id(&self, cursor: &mut Cursor, key: u64, _: &State) -> Result<(StateId, bool), NeedsGrowth> {
        Ok(match self.table.insert(key, &mut cursor.ids)? {
            Inserted::New(id) => (StateId(id), true),
            Inserted::Known(id) => (StateId(id), false),
        })
    }

    #[inline]
    fn id(&self, key: u64, _: &State) -> Option<StateId> {
        self.table.find(key).map(StateId)
    }
}
