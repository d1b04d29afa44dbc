//! A set of keys that gives each key an id, once, and returns the key for the id.
//!
//! Keys lie in the order of their ids in [rows](rows::Rows) that never move; an [index](index::Index) finds them by
//! hash. Ids stay valid while the table grows: growing makes a new index and nothing else.

pub(crate) mod columns;
pub(crate) mod ids;
pub(crate) mod index;
pub(crate) mod pages;
pub(crate) mod rows;
pub(crate) mod segments;

use std::ops::Range;
use std::sync::atomic::AtomicU32;

use crate::NeedsGrowth;
use crate::sizes::size;
use crate::table::ids::{IdAllocator, IdSource};
use crate::table::index::{Index, Inserted};
use crate::table::rows::Rows;

/// Keys with ids. Any number of threads may insert and read; growing needs exclusive access.
#[derive(Debug)]
pub(crate) struct Table<R> {
    index: Index,
    rows: R,
    ids: IdAllocator,
    /// Several threads allocate ids from blocks.
    has_id_blocks: bool,
    /// How many keys it may ever hold.
    max_len: u32,
}

const FIRST_CAPACITY: u32 = size(1 << 10, 1 << 4) as u32;

impl<R: Rows> Table<R> {
    pub fn new(max_len: u32) -> Self {
        let capacity = FIRST_CAPACITY.min(max_len);
        let mut rows = R::default();
        rows.reserve(capacity as usize);
        Table { index: Index::new(capacity), rows, ids: IdAllocator::default(), has_id_blocks: false, max_len }
    }

    /// A table into which several threads insert many keys at a time.
    pub fn with_id_blocks(max_len: u32) -> Self {
        Table { has_id_blocks: true, ..Table::new(max_len) }
    }

    pub fn len(&self) -> u32 {
        self.ids.len()
    }

    /// The ids of all keys.
    pub fn ids(&mut self) -> Vec<Range<u32>> {
        self.ids.allocated()
    }

    /// A source of ids for one thread that inserts keys.
    pub fn id_source(&self) -> IdSource {
        self.ids.source()
    }

    /// How many keys fit without growing.
    pub fn capacity(&self) -> u32 {
        self.index.capacity()
    }

    #[inline]
    pub fn get(&self, id: u32) -> R::Key {
        self.rows.get(id)
    }

    /// Fetches the cache line of the index at which a key will be looked up.
    #[inline]
    pub fn prefetch(&self, key: R::Key) {
        self.index.prefetch(R::hash(key));
    }

    /// Fetches the row that will be compared with a key. To be called some time after [`prefetch`](Self::prefetch).
    #[inline]
    pub fn prefetch_row(&self, key: R::Key) {
        if let Some(id) = self.index.peek(R::hash(key)) {
            self.rows.prefetch(id);
        }
    }

    /// Fetches the row of an id.
    #[inline]
    pub fn prefetch_id(&self, id: u32) {
        self.rows.prefetch(id);
    }

    #[inline]
    pub fn find(&self, key: R::Key) -> Option<u32> {
        self.index.find(R::hash(key), |id| self.rows.get(id) == key)
    }

    /// Adds a key unless it is there already.
    #[inline]
    pub fn insert(&self, key: R::Key, source: &mut IdSource) -> Result<Inserted, NeedsGrowth> {
        let hash = R::hash(key);
        match self.index.probe(hash, |id| self.rows.get(id) == key) {
            Ok(id) => Ok(Inserted::Known(id)),
            Err(slot) => self.insert_from(slot, key, hash, source),
        }
    }

    /// Does what [`insert`](Self::insert) does for a key that was not found before a slot.
    #[inline(never)]
    fn insert_from(&self, slot: usize, key: R::Key, hash: u64, source: &mut IdSource) -> Result<Inserted, NeedsGrowth> {
        if !self.rows.fits(key) {
            return Err(NeedsGrowth);
        }
        self.index.find_or_insert_from(
            slot,
            hash,
            |id| self.rows.get(id) == key,
            || {
                let id = self.ids.allocate(source, self.index.capacity(), self.index.is_single_threaded)?;
                self.rows.set(id, key);
                Ok(id)
            },
        )
    }

    pub fn is_full(&self) -> bool {
        self.ids.end() >= self.capacity()
    }

    /// The capacity after growing. Larger tables grow by a smaller factor, because their empty slots count.
    fn next_capacity(&self) -> u32 {
        let capacity = u64::from(self.capacity());
        let next = if capacity < 1 << 22 { capacity * 2 } else { capacity + capacity / 2 };
        next.min(u64::from(self.max_len)) as u32
    }

    /// The bytes by which growing makes the table larger.
    pub fn next_growth(&self) -> u64 {
        Index::bytes_for(self.next_capacity()) - self.index.bytes()
    }

    /// Makes rows wide enough for the keys that did not fit.
    pub fn widen(&mut self) {
        self.rows.widen(None, self.ids.end());
    }

    /// The bytes by which [`widen`](Self::widen) makes the table larger.
    pub fn widening(&self) -> u64 {
        self.rows.widening(self.ids.end())
    }

    /// Makes room for more keys. False if the table may not hold more.
    pub fn grow(&mut self, threads: usize) -> bool {
        let capacity = self.next_capacity();
        if capacity == self.capacity() {
            return false;
        }
        self.rows.reserve(capacity as usize);
        if self.has_id_blocks && threads > 1 {
            self.ids.use_blocks();
        }
        let Table { index, rows, ids, .. } = self;
        index.grow(capacity, &ids.allocated(), threads, || |id| R::hash(rows.get(id)));
        true
    }

    /// Gives an id to another key. Look-ups are wrong until the index is [rebuilt](Self::rebuild_index) or
    /// [updated](Self::reindex).
    pub fn replace(&mut self, id: u32, key: R::Key) {
        self.rows.widen(Some(key), self.ids.end());
        self.rows.replace(id, key);
    }

    /// Lets the keys that were replaced be found; `is_changed` holds for all of them.
    pub fn reindex(&mut self, threads: usize, is_changed: impl Fn(R::Key) -> bool) {
        let most = self.index.extra_left() as usize;
        let all = self.ids.allocated().into_iter().flatten();
        let changed: Vec<u32> = all.filter(|&id| is_changed(self.rows.get(id))).take(most + 1).collect();
        if changed.len() > most {
            return self.rebuild_index(threads);
        }
        // a look-up passes their old entries: the key of the id is another
        changed.iter().for_each(|&id| self.index.insert_extra(R::hash(self.rows.get(id)), id));
    }

    /// Lets all keys be found after any of them were replaced.
    pub fn rebuild_index(&mut self, threads: usize) {
        let Table { index, rows, ids, .. } = self;
        rows.trim(ids.end());
        index.grow(index.capacity(), &ids.allocated(), threads, || |id| R::hash(rows.get(id)));
    }

    /// The bytes of the index and of the rows in use.
    pub fn memory(&self) -> u64 {
        self.index.bytes() + self.used_rows()
    }

    /// The bytes of a row.
    pub fn width(&self) -> u64 {
        self.rows.width()
    }

    /// The bytes of the entries and rows in use, without the empty slots of the index.
    pub fn used(&self) -> u64 {
        self.used_rows() + u64::from(self.ids.end()) * size_of::<AtomicU32>() as u64
    }

    fn used_rows(&self) -> u64 {
        u64::from(self.ids.end()) * self.width()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::table::columns::Columns16;
    use crate::table::rows::{Rows48, Rows64, Rows128};

    fn insert<R: Rows>(table: &Table<R>, key: R::Key) -> Result<Inserted, NeedsGrowth> {
        table.insert(key, &mut IdSource::shared())
    }

    #[track_caller]
    fn check<R: Rows>(keys: impl Iterator<Item = R::Key>)
    where
        R::Key: std::hash::Hash + std::fmt::Debug,
    {
        let mut table = Table::<R>::new(Index::MAX_IDS);
        let mut reference = HashMap::new();
        for key in keys {
            let known = reference.get(&key).copied();
            assert_eq!(table.find(key), known);
            let inserted = loop {
                match insert(&table, key) {
                    Ok(inserted) => break inserted,
                    Err(NeedsGrowth) if table.is_full() => assert!(table.grow(1)),
                    Err(NeedsGrowth) => table.widen(),
                }
            };
            let next = reference.len() as u32;
            assert_eq!(inserted, known.map_or(Inserted::New(next), Inserted::Known));
            assert_eq!(table.get(*reference.entry(key).or_insert(next)), key);
        }
        assert_eq!(table.len() as usize, reference.len());
        for (key, id) in reference {
            assert_eq!((table.get(id), table.find(key)), (key, Some(id)));
        }
    }

    #[test]
    fn keys_keep_their_ids_while_the_table_grows() {
        check::<Rows48>((0..size(40_000, 100) as u64).map(|at| at * at % 30_011));
        // the upper bits come late
        check::<Rows48>((0..size(40_000, 100) as u64).map(|at| (at * at % 30_011) << 44 | 5));
        check::<Rows64>((0..size(40_000, 100) as u64).map(|at| (at * at % 30_011) << 44 | 5));
        check::<Columns16>(
            (0..size(40_000, 100) as u64).map(|at| [at % 200, (at * at % 501) << (at / size(1000, 3) as u64)]),
        );
        check::<Rows128>((0..size(40_000, 100) as u64).map(|at| [at % 200, at * at % 501]));
        check::<Rows128>([[0, 0], [0, 1], [1, 0], [0, 0]].into_iter());
    }

    #[test]
    fn a_table_that_may_not_grow_stays_full_but_finds() {
        let max_len = size(1500, 50) as u64;
        let mut table = Table::<Rows48>::new(max_len as u32);
        for key in 0..max_len {
            if table.is_full() {
                assert!(table.grow(1));
            }
            assert_eq!(insert(&table, key), Ok(Inserted::New(key as u32)));
        }
        assert_eq!(insert(&table, max_len), Err(NeedsGrowth));
        assert!(!table.grow(1));
        assert_eq!(
            (insert(&table, 7), table.find(max_len), table.len()),
            (Ok(Inserted::Known(7)), None, max_len as u32)
        );
    }
}
