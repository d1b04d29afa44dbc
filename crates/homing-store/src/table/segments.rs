//! A growing array whose values never move, so that threads can read it while it is shared.

use crate::prefetch::prefetch;
use crate::sizes::size;
use crate::table::pages::{Pages, Zeroable};

/// A growing array of zeros that never moves its values: a list of segments, each twice as long as the one before.
///
/// Reading and writing (through atomics) needs a shared reference only; growing needs an exclusive one.
#[derive(Debug)]
pub struct Segments<T> {
    segments: Vec<Pages<T>>,
    /// For each segment the address of the whole array's first value if all of the array were adjacent to this segment:
    /// an index counts from there.
    origins: [*const T; MAX_SEGMENTS],
    capacity: usize,
    /// How many values share an index: 1, but for the array in [`RowSegments`].
    stride: usize,
}

/// A growing array of rows, each of the same number of values. It never moves them.
#[derive(Debug)]
pub(crate) struct RowSegments<T>(Segments<T>);

const FIRST_BITS: u32 = size(12, 4) as u32;

/// The length of the first segment.
const FIRST: usize = 1 << FIRST_BITS;
const MAX_SEGMENTS: usize = 36;

// SAFETY: as for the segments, which the origins are derived from.
unsafe impl<T: Zeroable> Send for Segments<T> {}
unsafe impl<T: Zeroable> Sync for Segments<T> {}

impl<T: Zeroable> Segments<T> {
    /// An empty array.
    pub fn new() -> Self {
        Segments::with_stride(1)
    }

    fn with_stride(stride: usize) -> Self {
        Segments { segments: Vec::new(), origins: [std::ptr::null(); MAX_SEGMENTS], capacity: 0, stride }
    }

    /// Makes room for at least `len` values; new ones are zero.
    ///
    /// # Panics
    /// If there is no room for them in the address space.
    pub fn reserve(&mut self, len: usize) {
        while self.capacity < len {
            let segment = Pages::<T>::new((FIRST << self.segments.len()) * self.stride);
            self.origins[self.segments.len()] = segment.as_ptr().wrapping_sub(self.capacity * self.stride);
            self.segments.push(segment);
            self.capacity = (FIRST << self.segments.len()) - FIRST;
        }
    }

    /// How many values there is room for.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// The `len` values from `index` on, if they lie in one segment.
    ///
    /// # Panics
    /// If the index is not below the capacity.
    #[inline]
    pub fn slice(&self, index: usize, len: usize) -> Option<&[T]> {
        let from_first = index + FIRST;
        let segment = from_first.ilog2() - FIRST_BITS;
        self.segments[segment as usize][from_first - (FIRST << segment)..].get(..len)
    }

    /// Fetches the cache line of a value that will be read soon.
    ///
    /// # Panics
    /// If the index is not below the capacity.
    #[inline]
    pub fn prefetch(&self, index: usize) {
        prefetch(&self[index]);
    }
}

impl<T: Zeroable> std::ops::Index<usize> for Segments<T> {
    type Output = T;

    /// # Panics
    /// If the index is not below the capacity.
    #[inline]
    fn index(&self, index: usize) -> &T {
        assert!(index < self.capacity, "an index beyond the array");
        debug_assert_eq!(self.stride, 1);
        let segment = (index + FIRST).ilog2() - FIRST_BITS;
        // SAFETY: the index is below the capacity, so its segment exists and reaches from where the segments before it
        // end to its own end; the origin is as far before the segment as those are long.
        unsafe { &*self.origins[segment as usize].wrapping_add(index) }
    }
}

impl<T: Zeroable> RowSegments<T> {
    /// An empty array of rows of `stride` values.
    pub fn new(stride: usize) -> Self {
        RowSegments(Segments::with_stride(stride))
    }

    /// How many values a row has.
    #[inline]
    pub fn stride(&self) -> usize {
        self.0.stride
    }

    /// Makes room for at least `len` rows; new ones are zero.
    pub fn reserve(&mut self, len: usize) {
        self.0.reserve(len);
    }

    /// Frees the segments that hold none of the first `len` rows, of which there is at least one.
    pub fn shrink(&mut self, len: usize) {
        let RowSegments(Segments { segments, capacity, .. }) = self;
        while *capacity - (FIRST << segments.len() >> 1) >= len && segments.pop().is_some() {
            *capacity = (FIRST << segments.len()) - FIRST;
        }
    }

    /// How many rows there is room for.
    pub fn capacity(&self) -> usize {
        self.0.capacity
    }

    /// The values of a row.
    ///
    /// # Panics
    /// If the index is not below the capacity.
    #[inline]
    pub fn row(&self, index: usize) -> &[T] {
        let Segments { origins, capacity, stride, .. } = &self.0;
        assert!(index < *capacity, "a row beyond the array");
        let segment = (index + FIRST).ilog2() - FIRST_BITS;
        // SAFETY: as for a single value above; segments hold whole rows, and so do those before a segment.
        unsafe { std::slice::from_raw_parts(origins[segment as usize].wrapping_add(index * stride), *stride) }
    }
}

impl<T: Zeroable> Default for Segments<T> {
    fn default() -> Self {
        Segments::new()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;
    use std::sync::atomic::Ordering::Relaxed;

    use super::*;

    #[test]
    fn values_stay_where_they_are_while_the_array_grows() {
        let mut segments = Segments::<AtomicU32>::new();
        let count = 5 * FIRST + 3;
        for index in 0..count {
            segments.reserve(index + 1);
            assert_eq!(segments[index].swap(index as u32 + 1, Relaxed), 0);
        }
        for index in 0..count {
            assert_eq!(segments[index].load(Relaxed), index as u32 + 1);
        }
        assert!(std::panic::catch_unwind(|| segments[segments.capacity()].load(Relaxed)).is_err());
    }
}
