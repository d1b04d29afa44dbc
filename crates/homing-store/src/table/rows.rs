//! How the keys of a table lie in memory: one row for each id.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU64};

use crate::mix;
use crate::prefetch::prefetch;
use crate::table::segments::Segments;

/// The keys of a table by id.
pub(crate) trait Rows: Default + Sync {
    type Key: Copy + Eq;

    /// Makes room for at least `len` rows.
    fn reserve(&mut self, len: usize);

    fn get(&self, row: u32) -> Self::Key;

    /// Writes a row that no thread has read yet.
    fn set(&self, row: u32, key: Self::Key);

    /// Writes a row that may hold another key.
    fn replace(&mut self, row: u32, key: Self::Key) {
        self.set(row, key);
    }

    /// Whether rows are wide enough for a key. If not, its width is kept until rows are [widened](Self::widen).
    fn fits(&self, _key: Self::Key) -> bool {
        true
    }

    /// Makes rows wide enough for a key and for all keys that did not [fit](Self::fits). The first `len` rows are in
    /// use.
    fn widen(&mut self, _key: Option<Self::Key>, _len: u32) {}

    /// The bytes by which [`widen`](Self::widen) makes the rows larger.
    fn widening(&self, _len: u32) -> u64 {
        0
    }

    /// Makes rows as narrow as the first `len` keys allow, after some of them were replaced.
    fn trim(&mut self, _len: u32) {}

    /// Fetches the cache line of a row that will be read soon.
    fn prefetch(&self, row: u32);

    fn hash(key: Self::Key) -> u64;

    /// The bytes of a row.
    fn width(&self) -> u64;
}

/// Keys of 64 bits in rows of 48. The upper two bytes are arrays of their own, which take no room as long as they are
/// zero in all keys.
#[derive(Debug, Default)]
pub(crate) struct Rows48 {
    low: Segments<[AtomicU16; 3]>,
    /// Bits 48 to 55, and 56 to 63.
    high: [Segments<AtomicU8>; 2],
    /// One bit for each array of `high`: whether it is not all zero.
    has_high: AtomicU8,
}

impl Rows48 {
    /// Bits 48 to 63 of a key, in their place.
    #[inline]
    fn high_bits(&self, row: u32) -> u64 {
        let [low, high] = self.high.each_ref().map(|high| u64::from(high[row as usize].load(Relaxed)));
        low << 48 | high << 56
    }
}

impl Rows for Rows48 {
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
            _ => low | self.high_bits(row),
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

    fn trim(&mut self, len: u32) {
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

/// Keys of 64 bits that use all their bits, as fingerprints do.
#[derive(Debug, Default)]
pub(crate) struct Rows64(Segments<AtomicU64>);

impl Rows for Rows64 {
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
        Rows48::hash(key)
    }

    fn width(&self) -> u64 {
        8
    }
}

/// Keys of 128 bits.
#[derive(Debug, Default)]
pub(crate) struct Rows128(Segments<[AtomicU64; 2]>);

impl Rows for Rows128 {
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
