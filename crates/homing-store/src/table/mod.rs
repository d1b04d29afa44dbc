//! A set of keys that gives each a number, once, and hands the key back for the number.
//!
//! Keys lie in the order of their numbers in an array that never moves; an index finds them. Numbers that were given
//! stay right while the table grows: growing makes a new index, nothing else.

pub(crate) mod columns;
pub(crate) mod ids;
pub(crate) mod index;
pub mod pages;

use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64};

use crate::table::ids::{Numbers, Slot};
use crate::table::index::{Entered, Index};
use crate::table::pages::{Segments, prefetch};
use crate::{NeedsGrowth, mix};

/// How the keys of a table lie in memory.
pub(crate) trait Rows: Default + Sync {
    type Key: Copy + Eq;

    fn reserve(&mut self, len: usize);
    fn get(&self, row: u32) -> Self::Key;
    /// Writes a row nobody has seen yet.
    fn set(&self, row: u32, key: Self::Key);
    /// Writes a row that may hold another key.
    fn replace(&mut self, row: u32, key: Self::Key) {
        self.set(row, key);
    }
    /// Whether there is room for a key as it is. If not, it is remembered until [room is made](Self::make_room).
    fn admits(&self, _key: Self::Key) -> bool {
        true
    }
    /// Makes room for a key, and for all that there was no room for. So many rows were written.
    fn make_room(&mut self, _key: Option<Self::Key>, _len: u32) {}
    /// Bytes by which that makes the table larger.
    fn wanted(&self, _len: u32) -> u64 {
        0
    }
    /// So many rows were written, some of them again.
    fn settle(&mut self, _len: u32) {}
    fn prefetch(&self, row: u32);
    fn hash(key: Self::Key) -> u64;
    /// Bytes of each row.
    fn width(&self) -> u64;
}

/// Keys of 64 bits. As long as the upper 8 or 16 of all are zero they take no room.
#[derive(Debug, Default)]
pub(crate) struct Narrow {
    low: Segments<[AtomicU16; 3]>,
    /// Bits 48 to 55, and 56 to 63.
    high: [Segments<AtomicU8>; 2],
    /// A bit for each of them that is not all zero.
    has_high: AtomicU8,
}

impl Narrow {
    /// What is above bit 47, where somebody has something there.
    #[inline]
    fn high_part(&self, row: u32) -> u64 {
        let [low, high] = self.high.each_ref().map(|high| u64::from(high[row as usize].load(Relaxed)));
        low << 48 | high << 56
    }
}

impl Rows for Narrow {
    type Key = u64;

    fn reserve(&mut self, len: usize) {
        self.low.reserve(len);
        self.high.iter_mut().for_each(|high| high.reserve(len));
    }

    #[inline]
    fn get(&self, row: u32) -> u64 {
        let [a, b, c] = &self.low[row as usize];
        let part = |part: &AtomicU16| u64::from(part.load(Relaxed));
        let low = part(a) | part(b) << 16 | part(c) << 32;
        match self.has_high.load(Relaxed) {
            0 => low,
            _ => low | self.high_part(row),
        }
    }

    #[inline]
    fn set(&self, row: u32, key: u64) {
        for (at, part) in self.low[row as usize].iter().enumerate() {
            part.store((key >> (16 * at)) as u16, Relaxed);
        }
        if key >> 48 == 0 {
            return;
        }
        for (at, high) in self.high.iter().enumerate() {
            let part = (key >> (48 + 8 * at)) as u8;
            if part != 0 {
                high[row as usize].store(part, Relaxed);
                if self.has_high.load(Relaxed) >> at & 1 == 0 {
                    self.has_high.fetch_or(1 << at, Relaxed);
                }
            }
        }
    }

    fn replace(&mut self, row: u32, key: u64) {
        self.high.iter().for_each(|high| high[row as usize].store(0, Relaxed));
        self.set(row, key);
    }

    /// Perhaps no upper part is left.
    fn settle(&mut self, len: u32) {
        let had_high = self.has_high.get_mut();
        for (at, high) in self.high.iter().enumerate() {
            let had = *had_high >> at & 1 != 0;
            if had && (0..len as usize).all(|row| high[row].load(Relaxed) == 0) {
                *had_high &= !(1 << at);
            }
        }
    }

    #[inline]
    fn prefetch(&self, row: u32) {
        prefetch(&self.low[row as usize]);
    }

    #[inline]
    fn hash(key: u64) -> u64 {
        mix::fold(key ^ mix::SALTS[0], mix::SALTS[1])
    }

    fn width(&self) -> u64 {
        6 + u64::from(self.has_high.load(Relaxed).count_ones())
    }
}

/// Keys of 64 bits, that take their whole room.
#[derive(Debug, Default)]
pub(crate) struct Quick(Segments<AtomicU64>);

impl Rows for Quick {
    type Key = u64;

    fn reserve(&mut self, len: usize) {
        self.0.reserve(len);
    }

    #[inline]
    fn get(&self, row: u32) -> u64 {
        self.0[row as usize].load(Relaxed)
    }

    #[inline]
    fn set(&self, row: u32, key: u64) {
        self.0[row as usize].store(key, Relaxed);
    }

    #[inline]
    fn prefetch(&self, row: u32) {
        prefetch(&self.0[row as usize]);
    }

    #[inline]
    fn hash(key: u64) -> u64 {
        Narrow::hash(key)
    }

    fn width(&self) -> u64 {
        8
    }
}

/// Keys of 128 bits.
#[derive(Debug, Default)]
pub(crate) struct Wide(Segments<[AtomicU64; 2]>);

impl Rows for Wide {
    type Key = [u64; 2];

    fn reserve(&mut self, len: usize) {
        self.0.reserve(len);
    }

    #[inline]
    fn get(&self, row: u32) -> [u64; 2] {
        let [a, b] = &self.0[row as usize];
        [a.load(Relaxed), b.load(Relaxed)]
    }

    #[inline]
    fn set(&self, row: u32, [a, b]: [u64; 2]) {
        let held = &self.0[row as usize];
        held[0].store(a, Relaxed);
        held[1].store(b, Relaxed);
    }

    #[inline]
    fn prefetch(&self, row: u32) {
        prefetch(&self.0[row as usize]);
    }

    #[inline]
    fn hash([a, b]: [u64; 2]) -> u64 {
        mix::fold(a ^ mix::SALTS[0], b ^ mix::SALTS[1])
    }

    fn width(&self) -> u64 {
        16
    }
}

/// Numbered keys. Entering and reading is for all threads; growing for one alone.
#[derive(Debug)]
pub(crate) struct Table<R> {
    index: Index,
    rows: R,
    numbers: Numbers,
    /// Several threads have blocks of numbers.
    divides: bool,
    /// How many keys it may ever hold.
    most: u32,
}

const FIRST_CAPACITY: u32 = 1 << 10;

impl<R: Rows> Table<R> {
    pub fn new(most: u32) -> Self {
        let capacity = FIRST_CAPACITY.min(most);
        let mut rows = R::default();
        rows.reserve(capacity as usize);
        Table { index: Index::new(capacity), rows, numbers: Numbers::default(), divides: false, most }
    }

    /// One in which several threads enter much at once.
    pub fn for_threads(most: u32) -> Self {
        Table { divides: true, ..Table::new(most) }
    }

    pub fn len(&self) -> u32 {
        self.numbers.len()
    }

    /// The numbers that there are.
    pub fn numbers(&mut self) -> Vec<Range<u32>> {
        self.numbers.taken()
    }

    /// How many keys fit without growing.
    pub fn capacity(&self) -> u32 {
        self.index.capacity()
    }

    #[inline]
    pub fn get(&self, number: u32) -> R::Key {
        self.rows.get(number)
    }

    #[inline]
    pub fn prefetch(&self, key: R::Key) {
        self.index.prefetch(R::hash(key));
    }

    /// Asks for the key that will be compared with this one.
    #[inline]
    pub fn prefetch_row(&self, key: R::Key) {
        if let Some(number) = self.index.peek(R::hash(key)) {
            self.rows.prefetch(number);
        }
    }

    #[inline]
    pub fn prefetch_number(&self, number: u32) {
        self.rows.prefetch(number);
    }

    #[inline]
    pub fn find(&self, key: R::Key) -> Option<u32> {
        self.index.find(R::hash(key), |number| self.rows.get(number) == key)
    }

    /// A new slot to enter keys by, for one thread.
    pub fn slot(&self) -> Slot {
        self.numbers.slot()
    }

    #[inline]
    pub fn enter(&self, key: R::Key, own: &mut Slot) -> Result<Entered, NeedsGrowth> {
        let hash = R::hash(key);
        match self.index.look(hash, |number| self.rows.get(number) == key) {
            Ok(number) => Ok(Entered::Known(number)),
            Err(slot) => self.add(key, hash, slot, own),
        }
    }

    /// The same for a key that is not in front of this slot.
    #[inline(never)]
    fn add(&self, key: R::Key, hash: u64, slot: usize, own: &mut Slot) -> Result<Entered, NeedsGrowth> {
        if !self.rows.admits(key) {
            return Err(NeedsGrowth);
        }
        self.index.enter_from(
            slot,
            hash,
            |number| self.rows.get(number) == key,
            || {
                let number = self.numbers.take(own, self.index.capacity(), self.index.is_alone)?;
                self.rows.set(number, key);
                Ok(number)
            },
        )
    }

    pub fn is_full(&self) -> bool {
        self.numbers.end() >= self.capacity()
    }

    /// The capacity after it has grown: larger tables grow by less, for the room they leave empty counts.
    fn next_capacity(&self) -> u32 {
        let capacity = u64::from(self.capacity());
        let next = if capacity < 1 << 22 { capacity * 2 } else { capacity + capacity / 2 };
        next.min(u64::from(self.most)) as u32
    }

    /// Bytes by which growing makes the table larger.
    pub fn next_growth(&self) -> u64 {
        Index::bytes_for(self.next_capacity()) - self.index.bytes()
    }

    /// Makes room for keys as large as those there was no room for.
    pub fn widen(&mut self) {
        self.rows.make_room(None, self.numbers.end());
    }

    /// Bytes by which that makes the table larger.
    pub fn widening(&self) -> u64 {
        self.rows.wanted(self.numbers.end())
    }

    /// Makes room for more keys. False if it may not hold more.
    pub fn grow(&mut self, threads: usize) -> bool {
        let capacity = self.next_capacity();
        if capacity == self.capacity() {
            return false;
        }
        self.rows.reserve(capacity as usize);
        if self.divides && threads > 1 {
            self.numbers.divide();
        }
        let Table { index, rows, numbers, .. } = self;
        index.grow(capacity, &numbers.taken(), threads, || |number| R::hash(rows.get(number)));
        true
    }

    /// Gives a number to another key. Nothing is found until all were [indexed anew](Self::index_anew).
    pub fn replace(&mut self, number: u32, key: R::Key) {
        self.rows.make_room(Some(key), self.numbers.end());
        self.rows.replace(number, key);
    }

    /// The keys that were replaced are found again: they are among those that `is_changed`.
    pub fn index_those(&mut self, threads: usize, is_changed: impl Fn(R::Key) -> bool) {
        let most = self.index.spare() as usize;
        let all = self.numbers.taken().into_iter().flatten();
        let changed: Vec<u32> = all.filter(|&number| is_changed(self.rows.get(number))).take(most + 1).collect();
        if changed.len() > most {
            return self.index_anew(threads);
        }
        // what was there of them is passed by: the key of the number is another
        changed.iter().for_each(|&number| self.index.insert_other(R::hash(self.rows.get(number)), number));
    }

    pub fn index_anew(&mut self, threads: usize) {
        let Table { index, rows, numbers, .. } = self;
        rows.settle(numbers.end());
        index.grow(index.capacity(), &numbers.taken(), threads, || |number| R::hash(rows.get(number)));
    }

    /// Bytes it holds.
    pub fn memory(&self) -> u64 {
        self.index.bytes() + self.used_rows()
    }

    /// Bytes of a key.
    pub fn width(&self) -> u64 {
        self.rows.width()
    }

    /// Bytes of the entries in use, without the empty ones of the index.
    pub fn used(&self) -> u64 {
        self.used_rows() + u64::from(self.numbers.end()) * size_of::<AtomicU32>() as u64
    }

    fn used_rows(&self) -> u64 {
        u64::from(self.numbers.end()) * self.width()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::table::columns::Slim;

    #[track_caller]
    fn check<R: Rows>(keys: impl Iterator<Item = R::Key>)
    where
        R::Key: std::hash::Hash + std::fmt::Debug,
    {
        let mut table = Table::<R>::new(Index::MOST);
        let mut reference = HashMap::new();
        for key in keys {
            let known = reference.get(&key).copied();
            assert_eq!(table.find(key), known);
            let entered = loop {
                match table.enter(key, &mut Slot::shared()) {
                    Ok(entered) => break entered,
                    Err(NeedsGrowth) if table.is_full() => assert!(table.grow(1)),
                    Err(NeedsGrowth) => table.widen(),
                }
            };
            let next = reference.len() as u32;
            assert_eq!(entered, known.map_or(Entered::New(next), Entered::Known));
            assert_eq!(table.get(*reference.entry(key).or_insert(next)), key);
        }
        assert_eq!(table.len() as usize, reference.len());
        for (key, number) in reference {
            assert_eq!((table.get(number), table.find(key)), (key, Some(number)));
        }
    }

    #[test]
    fn keys_keep_their_numbers_while_the_table_grows() {
        check::<Narrow>((0..40_000).map(|at| at * at % 30_011));
        check::<Narrow>((0..40_000).map(|at| (at * at % 30_011) << 44 | 5)); // the upper bits come late
        check::<Quick>((0..40_000).map(|at| (at * at % 30_011) << 44 | 5));
        check::<Slim>((0..40_000).map(|at| [at % 200, (at * at % 501) << (at / 1000)]));
        check::<Wide>((0..40_000).map(|at| [at % 200, at * at % 501]));
        check::<Wide>([[0, 0], [0, 1], [1, 0], [0, 0]].into_iter());
    }

    #[test]
    fn a_table_that_may_not_grow_stays_full_but_finds() {
        let mut table = Table::<Narrow>::new(1500);
        for key in 0..1500 {
            if table.is_full() {
                assert!(table.grow(1));
            }
            assert_eq!(table.enter(key, &mut Slot::shared()), Ok(Entered::New(key as u32)));
        }
        assert_eq!(table.enter(1500, &mut Slot::shared()), Err(NeedsGrowth));
        assert!(!table.grow(1));
        assert_eq!(
            (table.enter(7, &mut Slot::shared()), table.find(1500), table.len()),
            (Ok(Entered::Known(7)), None, 1500)
        );
    }
}
