//! Memory of tables: zeroed, taken page by page as it is written, in huge pages where the system gives them.

use std::marker::PhantomData;
use std::ops::Deref;
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
    /// None if the array is empty.
    map: Option<MmapMut>,
    len: usize,
    of: PhantomData<T>,
}

/// Smaller arrays do not fill a huge page.
const HUGE: usize = 4 << 20;

impl<T: Shared> Pages<T> {
    /// # Panics
    /// If the system has no room in the address space, as an allocation does.
    pub fn new(len: usize) -> Self {
        let bytes = len * size_of::<T>();
        let map = (bytes > 0).then(|| {
            let map = MmapOptions::new().len(bytes).no_reserve_swap().map_anon();
            let map = map.unwrap_or_else(|error| panic!("no room for a table of {bytes} bytes: {error}"));
            #[cfg(target_os = "linux")]
            if bytes >= HUGE {
                let _ = map.advise(memmap2::Advice::HugePage); // a kernel without them does without
            }
            map
        });
        Pages { map, len, of: PhantomData }
    }

    /// Bytes of the address space.
    pub fn bytes(&self) -> u64 {
        (self.len * size_of::<T>()) as u64
    }
}

impl<T: Shared> Deref for Pages<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match &self.map {
            // SAFETY: the mapping holds `len` values, all zeros at first, which is a value of `T`; it is aligned to a
            // page; only shared references to it are ever given out.
            Some(map) => unsafe { std::slice::from_raw_parts(map.as_ptr().cast(), self.len) },
            None => &[],
        }
    }
}

/// A growing array that never moves what it holds: pieces, each twice as long as the one before.
#[derive(Debug)]
pub struct Segments<T> {
    pieces: Vec<Pages<T>>,
}

const FIRST_BITS: u32 = 12;
const FIRST: usize = 1 << FIRST_BITS;

impl<T: Shared> Segments<T> {
    pub fn new() -> Self {
        Segments { pieces: Vec::new() }
    }

    /// Makes room for so many values, zeros where there was none.
    pub fn reserve(&mut self, len: usize) {
        while self.capacity() < len {
            self.pieces.push(Pages::new(FIRST << self.pieces.len()));
        }
    }

    /// How many values there is room for.
    pub fn capacity(&self) -> usize {
        (FIRST << self.pieces.len()) - FIRST
    }
}

impl<T: Shared> Segments<T> {
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
        let from_first = index + FIRST;
        let piece = from_first.ilog2() - FIRST_BITS;
        &self.pieces[piece as usize][from_first - (FIRST << piece)]
    }
}

impl<T: Shared> Default for Segments<T> {
    fn default() -> Self {
        Segments::new()
    }
}

/// Asks for the cache line of a value that will be read soon.
#[inline]
pub(crate) fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a hint about an address that is a reference.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch(std::ptr::from_ref(value).cast(), _MM_HINT_T0);
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
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
