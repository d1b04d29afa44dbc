//! Keys of 128 bits in columns of 16 bits: the upper columns that are zero in all keys take no room.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU16, AtomicUsize};

use crate::mix;
use crate::prefetch::prefetch;
use crate::table::rows::Rows;
use crate::table::segments::RowSegments;

/// Keys of 128 bits, each in as many columns of 16 bits as the widest key needs.
#[derive(Debug)]
pub(crate) struct Columns16 {
    /// One value for each column of a row.
    rows: RowSegments<AtomicU16>,
    /// How many columns the widest key needs that did not fit.
    wanted: AtomicUsize,
}

const MIN_COLUMNS: usize = 3;

/// How many columns a key needs.
fn columns([low, high]: [u64; 2]) -> usize {
    let bits = if high == 0 { 64 - low.leading_zeros() } else { 128 - high.leading_zeros() };
    (bits as usize).div_ceil(16).max(MIN_COLUMNS)
}

impl Columns16 {
    #[inline]
    fn columns(&self) -> usize {
        self.rows.stride()
    }

    /// Copies the first `len` rows to rows of `columns` columns, which are enough for all keys. The last rows are
    /// copied first, so that their old memory is freed while the others are copied.
    fn set_columns(&mut self, columns: usize, len: u32) {
        let mut rows = RowSegments::new(columns);
        rows.reserve(self.rows.capacity());
        let old = std::mem::replace(&mut self.rows, rows);
        let mut old = Columns16 { rows: old, wanted: AtomicUsize::new(0) };
        for row in (0..len).rev() {
            self.set(row, old.get(row));
            if row.is_power_of_two() {
                old.rows.shrink(row as usize);
            }
        }
    }
}

/// The key in a row of more than four columns.
#[inline(never)]
fn wide_key(row: &[AtomicU16]) -> [u64; 2] {
    let part = |part: &AtomicU16| u64::from(part.load(Relaxed));
    let word = |columns: &[AtomicU16]| columns.iter().rev().fold(0, |word, column| word << 16 | part(column));
    let (low, high) = row.split_at(4);
    [word(low), word(high)]
}

impl Default for Columns16 {
    fn default() -> Self {
        Columns16 { rows: RowSegments::new(MIN_COLUMNS), wanted: AtomicUsize::new(0) }
    }
}

impl Rows for Columns16 {
    type Key = [u64; 2];

    fn reserve(&mut self, len: usize) {
        self.rows.reserve(len);
    }

    #[inline(always)]
    fn get(&self, row: u32) -> [u64; 2] {
        let row = self.rows.row(row as usize);
        let part = |part: &AtomicU16| u64::from(part.load(Relaxed));
        match row {
            [a, b, c] => [part(a) | part(b) << 16 | part(c) << 32, 0],
            [a, b, c, d] => [part(a) | part(b) << 16 | part(c) << 32 | part(d) << 48, 0],
            _ => wide_key(row),
        }
    }

    #[inline]
    fn set(&self, row: u32, key: [u64; 2]) {
        for (at, part) in self.rows.row(row as usize).iter().enumerate() {
            part.store((key[at / 4] >> (16 * (at % 4))) as u16, Relaxed);
        }
    }

    #[inline]
    fn fits(&self, key: [u64; 2]) -> bool {
        let columns = columns(key);
        let is_enough = columns <= self.columns();
        if !is_enough {
            self.wanted.fetch_max(columns, Relaxed);
        }
        is_enough
    }

    fn widen(&mut self, key: Option<[u64; 2]>, len: u32) {
        let wanted = std::mem::take(self.wanted.get_mut()).max(key.map_or(0, columns));
        if wanted > self.columns() {
            self.set_columns(wanted, len);
        }
    }

    fn widening(&self, len: u32) -> u64 {
        let more = self.wanted.load(Relaxed).saturating_sub(self.columns());
        u64::from(len) * (more * size_of::<AtomicU16>()) as u64
    }

    fn trim(&mut self, len: u32) {
        let all = (0..len).map(|row| self.get(row)).fold([0; 2], |[a, b], [c, d]| [a | c, b | d]);
        let needed = columns(all);
        if needed < self.columns() {
            self.set_columns(needed, len);
        }
    }

    #[inline]
    fn prefetch(&self, row: u32) {
        prefetch(&self.rows.row(row as usize)[0]);
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
    use crate::sizes::size;

    #[test]
    fn keys_stay_when_columns_are_added_and_removed() {
        let mut rows = Columns16::default();
        rows.reserve(4 * size(5000, 20));
        let mut random = fastrand::Rng::with_seed(4);
        let mut keys: Vec<[u64; 2]> = Vec::new();
        for columns in [3, 4, 5, 8] {
            let upper = if columns <= 4 { 0 } else { u64::MAX >> (16 * (8 - columns)) };
            let key = [u64::MAX >> (16 * 4usize.saturating_sub(columns)), upper];
            assert_eq!((super::columns(key), rows.fits(key)), (columns, columns == MIN_COLUMNS));
            assert_eq!(rows.widening(100), 200 * (columns - rows.columns()) as u64);
            rows.widen(None, keys.len() as u32);
            assert_eq!((rows.width(), rows.fits(key)), (2 * columns as u64, true));
            for _ in 0..size(5000, 20) {
                keys.push(key.map(|most| random.u64(..) & most));
                rows.set(keys.len() as u32 - 1, *keys.last().unwrap());
            }
            assert!((0..).zip(&keys).all(|(row, &key)| rows.get(row) == key));
        }
        keys.iter_mut().for_each(|[low, high]| (*low, *high) = (*low & 0xffff_ffff, *high & 5));
        (0..).zip(&keys).for_each(|(row, &key)| rows.set(row, key));
        rows.trim(keys.len() as u32);
        assert_eq!(rows.width(), 10);
        assert!((0..).zip(&keys).all(|(row, &key)| rows.get(row) == key));
    }
}
