//! Memory of tables: zeroed, taken page by page as it is written, in huge pages where the system gives them.

use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64};

use memmap2::{MmapMut, MmapOptions};

/// What tables are made of: all zeros is a value, nothing has to be dropped, and threads may share it.
///
/// # Safety
/// All of that has to be true of the type.
pub unsafe trait Shared: Sync + Send {}

// SAFETY: integers, and arrays of them.
unsafe impl Shared for AtomicU8 {}
unsafe impl Shared for AtomicU16 {}
unsafe impl Shared for AtomicU32 {}
unsafe impl Shared for AtomicU64 {}
unsafe impl<T: Shared, const N: usize> Shared for [T; N] {}

/// An array of zeros of a fixed length. What was never written takes no memory.
#[derive(Debug)]
pub(crate) struct Pages<T> {
    start: NonNull<T>,
    len: usize,
    /// What `start` points into; none if the array is empty.
    _map: Option<MmapMut>,
}

// SAFETY: it owns what it points to, and hands out shared references to values that threads may share.
unsafe impl<T: Shared> Send for Pages<T> {}
unsafe impl<T: Shared> Sync for Pages<T> {}

/// Smaller arrays do not fill a huge page.
const HUGE: usize = 4 << 20;

impl<T: Shared> Pages<T> {
    /// # Panics
    /// If the system has no room in the address space, as an allocation does.
    pub fn new(len: usize) -> Self {
        let bytes = len * size_of::<T>();
        if bytes == 0 {
            return Pages { start: NonNull::dangling(), len: 0, _map: None };
        }
        let map = MmapOptions::new().len(bytes).no_reserve_swap().map_anon();
        let mut map = map.unwrap_or_else(|error| panic!("no room for a table of {bytes} bytes: {error}"));
        #[cfg(target_os = "linux")]
        if bytes >= HUGE {
            let _ = map.advise(memmap2::Advice::HugePage); // a kernel without them does without
        }
        let start = NonNull::new(map.as_mut_ptr().cast()).expect("memory is somewhere");
        Pages { start, len, _map: Some(map) }
    }

    /// Bytes of the address space.
    pub fn bytes(&self) -> u64 {
        (self.len * size_of::<T>()) as u64
    }
}

impl<T: Shared> Deref for Pages<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: the mapping holds `len` values, all zeros at first, which is a value of `T`; it is aligned to a page;
        // only shared references to it are ever given out.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

/// A growing array that never moves what it holds: pieces, each twice as long as the one before.
#[derive(Debug)]
pub struct Segments<T> {
    pieces: Vec<Pages<T>>,
    /// Of each piece where the whole array would begin if it were of one piece: an index is counted from there.
    origins: [*const T; MOST_PIECES],
    capacity: usize,
    /// How many values have an index together.
    stride: usize,
}

const FIRST_BITS: u32 = 12;
const FIRST: usize = 1 << FIRST_BITS;
const MOST_PIECES: usize = 36;

// SAFETY: as for the pieces, which the origins are derived from.
unsafe impl<T: Shared> Send for Segments<T> {}
unsafe impl<T: Shared> Sync for Segments<T> {}

impl<T: Shared> Segments<T> {
    pub fn new() -> Self {
        Segments::in_strips(1)
    }

    /// So many values have an index together. They are there for [`strip`](Self::strip) alone, unless it is one.
    pub(crate) fn in_strips(stride: usize) -> Self {
        Segments { pieces: Vec::new(), origins: [std::ptr::null(); MOST_PIECES], capacity: 0, stride }
    }

    #[inline]
    pub(crate) fn stride(&self) -> usize {
        self.stride
    }

    /// Makes room for so many values or strips, zeros where there was none.
    ///
    /// # Panics
    /// If there is no room for them in the address space.
    pub fn reserve(&mut self, len: usize) {
        while self.capacity < len {
            let piece = Pages::<T>::new((FIRST << self.pieces.len()) * self.stride);
            self.origins[self.pieces.len()] = piece.as_ptr().wrapping_sub(self.capacity * self.stride);
            self.pieces.push(piece);
            self.capacity = (FIRST << self.pieces.len()) - FIRST;
        }
    }

    /// Gives back the memory of pieces of which none of the first `len` values or strips is a part.
    pub(crate) fn shrink(&mut self, len: usize) {
        while self.capacity - (FIRST << self.pieces.len() >> 1) >= len && self.pieces.pop().is_some() {
            self.capacity = (FIRST << self.pieces.len()) - FIRST;
        }
    }

    /// How many values or strips there is room for.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// # Panics
    /// If there is no room for so many strips.
    #[inline]
    pub(crate) fn strip(&self, index: usize) -> &[T] {
        assert!(index < self.capacity, "a strip beyond the array");
        let piece = (index + FIRST).ilog2() - FIRST_BITS;
        // SAFETY: as for a single value below; pieces hold whole strips, and so do those before a piece.
        unsafe {
            std::slice::from_raw_parts(self.origins[piece as usize].wrapping_add(index * self.stride), self.stride)
        }
    }

    /// So many values from `index` on, if they lie in one piece.
    ///
    /// # Panics
    /// If there is no room for so many values.
    #[inline]
    pub fn run(&self, index: usize, len: usize) -> Option<&[T]> {
        let from_first = index + FIRST;
        let piece = from_first.ilog2() - FIRST_BITS;
        self.pieces[piece as usize][from_first - (FIRST << piece)..].get(..len)
    }

    /// Asks for the memory of a value that will be read soon.
    #[inline]
    pub fn prefetch(&self, index: usize) {
        prefetch(&self[index]);
    }
}

impl<T: Shared> std::ops::Index<usize> for Segments<T> {
    type Output = T;

    /// # Panics
    /// If there is no room for so many values.
    #[inline]
    fn index(&self, index: usize) -> &T {
        assert!(index < self.capacity, "an index beyond the array");
        debug_assert_eq!(self.stride, 1);
        let piece = (index + FIRST).ilog2() - FIRST_BITS;
        // SAFETY: the index is below the capacity, so its piece exists and reaches from where the pieces before it end
        // to its own end; the origin is as far before the piece as those are long.
        unsafe { &*self.origins[piece as usize].wrapping_add(index) }
    }
}

impl<T: Shared> Default for Segments<T> {
    fn default() -> Self {
        Segments::new()
    }
}

/// Asks for the cache line of a value that will be read soon.
#[inline]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a hint about an address that is a reference.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch(std::ptr::from_ref(value).cast(), _MM_HINT_T0);
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

/// Asks for the cache line of a value that will be written soon, also by other threads: it is taken from them at once, not
/// read first and taken afterwards.
#[inline]
pub fn prefetch_to_write<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a hint about an address that is a reference.
    unsafe {
        std::arch::asm!("prefetchw [{}]", in(reg) std::ptr::from_ref(value), options(nostack, preserves_flags, readonly));
    }
    #[cfg(not(target_arch = "x86_64"))]
    prefetch(value);
}

#[cfg(test)]
mod tests {
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

    #[test]
    fn pages_are_zero_and_an_empty_array_is_one() {
        let pages = Pages::<[AtomicU16; 3]>::new(HUGE / 4);
        assert!(pages.iter().step_by(999).all(|value| value.iter().all(|part| part.load(Relaxed) == 0)));
        assert_eq!(pages.bytes(), (HUGE / 4 * 6) as u64);
        assert!(Pages::<AtomicU8>::new(0).is_empty());
    }
}
