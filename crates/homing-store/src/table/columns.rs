//! Rows of 128 bits in columns of 16: the upper columns that are zero in all rows take no room.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU16, AtomicUsize};

use crate::mix;
use crate::table::Rows;
use crate::table::pages::{Segments, prefetch};

#[derive(Debug)]
pub(crate) struct Slim {
    /// As many values for each row as there are columns.
    strips: Segments<AtomicU16>,
    /// How many columns a key needs that there was no room for.
    wanted: AtomicUsize,
}

const FEWEST: usize = 3;

/// How many columns a key takes.
fn columns([low, high]: [u64; 2]) -> usize {
    let bits = if high == 0 { 64 - low.leading_zeros() } else { 128 - high.leading_zeros() };
    (bits as usize).div_ceil(16).max(FEWEST)
}

impl Slim {
    #[inline]
    fn columns(&self) -> usize {
        self.strips.stride()
    }

    /// Lets the first `len` rows have other columns, which suffice. The last ones go first, and give back their memory.
    fn change(&mut self, columns: usize, len: u32) {
        let mut strips = Segments::in_strips(columns);
        strips.reserve(self.strips.capacity());
        let old = std::mem::replace(&mut self.strips, strips);
        let mut old = Slim { strips: old, wanted: AtomicUsize::new(0) };
        for row in (0..len).rev() {
            self.set(row, old.get(row));
            if row.is_power_of_two() {
                old.strips.shrink(row as usize);
            }
        }
    }
}

/// A key of more than one word.
#[inline(never)]
fn wide(strip: &[AtomicU16]) -> [u64; 2] {
    let part = |part: &AtomicU16| u64::from(part.load(Relaxed));
    let word = |strip: &[AtomicU16]| strip.iter().rev().fold(0, |word, column| word << 16 | part(column));
    let (low, high) = strip.split_at(4);
    [word(low), word(high)]
}

impl Default for Slim {
    fn default() -> Self {
        Slim { strips: Segments::in_strips(FEWEST), wanted: AtomicUsize::new(0) }
    }
}

impl Rows for Slim {
    type Key = [u64; 2];

    fn reserve(&mut self, len: usize) {
        self.strips.reserve(len);
    }

    #[inline(always)]
    fn get(&self, row: u32) -> [u64; 2] {
        let strip = self.strips.strip(row as usize);
        let part = |part: &AtomicU16| u64::from(part.load(Relaxed));
        match strip {
            [a, b, c] => [part(a) | part(b) << 16 | part(c) << 32, 0],
            [a, b, c, d] => [part(a) | part(b) << 16 | part(c) << 32 | part(d) << 48, 0],
            _ => wide(strip),
        }
    }

    #[inline]
    fn set(&self, row: u32, key: [u64; 2]) {
        for (at, part) in self.strips.strip(row as usize).iter().enumerate() {
            part.store((key[at / 4] >> (16 * (at % 4))) as u16, Relaxed);
        }
    }

    #[inline]
    fn admits(&self, key: [u64; 2]) -> bool {
        let columns = columns(key);
        let is_enough = columns <= self.columns();
        if !is_enough {
            self.wanted.fetch_max(columns, Relaxed);
        }
        is_enough
    }

    fn make_room(&mut self, key: Option<[u64; 2]>, len: u32) {
        let wanted = std::mem::take(self.wanted.get_mut()).max(key.map_or(0, columns));
        if wanted > self.columns() {
            self.change(wanted, len);
        }
    }

    fn wanted(&self, len: u32) -> u64 {
        let more = self.wanted.load(Relaxed).saturating_sub(self.columns());
        u64::from(len) * (more * size_of::<AtomicU16>()) as u64
    }

    fn settle(&mut self, len: u32) {
        let all = (0..len).map(|row| self.get(row)).fold([0; 2], |[a, b], [c, d]| [a | c, b | d]);
        let needed = columns(all);
        if needed < self.columns() {
            self.change(needed, len);
        }
    }

    #[inline]
    fn prefetch(&self, row: u32) {
        prefetch(&self.strips.strip(row as usize)[0]);
    }

    #[inline]
    fn hash([a, b]: [u64; 2]) -> u64 {
        mix::fold(a ^ mix::SALTS[0], b ^ mix::SALTS[1])
    }

    fn width(&self) -> u64 {
        (self.columns() * size_of::<AtomicU16>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_come_and_go_and_keys_stay() {
        let mut rows = Slim::default();
        rows.reserve(20_000);
        let mut random = fastrand::Rng::with_seed(4);
        let mut keys: Vec<[u64; 2]> = Vec::new();
        for columns in [3, 4, 5, 8] {
            let upper = if columns <= 4 { 0 } else { u64::MAX >> (16 * (8 - columns)) };
            let key = [u64::MAX >> (16 * 4usize.saturating_sub(columns)), upper];
            assert_eq!((super::columns(key), rows.admits(key)), (columns, columns == FEWEST));
            assert_eq!(rows.wanted(100), 200 * (columns - rows.columns()) as u64);
            rows.make_room(None, keys.len() as u32);
            assert_eq!((rows.width(), rows.admits(key)), (2 * columns as u64, true));
            for _ in 0..5000 {
                keys.push(key.map(|most| random.u64(..) & most));
                rows.set(keys.len() as u32 - 1, *keys.last().unwrap());
            }
            assert!((0..).zip(&keys).all(|(row, &key)| rows.get(row) == key));
        }
        keys.iter_mut().for_each(|[low, high]| (*low, *high) = (*low & 0xffff_ffff, *high & 5));
        (0..).zip(&keys).for_each(|(row, &key)| rows.set(row, key));
        rows.settle(keys.len() as u32);
        assert_eq!(rows.width(), 10);
        assert!((0..).zip(&keys).all(|(row, &key)| rows.get(row) == key));
    }
}
