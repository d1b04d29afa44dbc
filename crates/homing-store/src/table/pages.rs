//! Zeroed memory of a fixed length: the system provides a page when it is first written, in huge pages where it has
//! them.

use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64};

use memmap2::{MmapMut, MmapOptions};

use crate::sizes::size;

/// Types that tables consist of: memory of zeros is a valid value, there is nothing to drop, and threads may share
/// values.
///
/// # Safety
/// Zeroed memory is a valid value of the type, and a value may be forgotten without being dropped.
pub unsafe trait Zeroable: Sync + Send {}

// SAFETY: integers, and arrays of them.
unsafe impl Zeroable for AtomicU8 {}
unsafe impl Zeroable for AtomicU16 {}
unsafe impl Zeroable for AtomicU32 {}
unsafe impl Zeroable for AtomicU64 {}
unsafe impl<T: Zeroable, const N: usize> Zeroable for [T; N] {}

/// An array of zeros of a fixed length. Pages that were never written take no memory.
#[derive(Debug)]
pub(crate) struct Pages<T> {
    start: NonNull<T>,
    len: usize,
    /// The mapping that `start` points to; `None` if the array is empty.
    _map: Option<MmapMut>,
}

// SAFETY: it owns the memory it points to, and gives out shared references only, to values that threads may share.
unsafe impl<T: Zeroable> Send for Pages<T> {}
unsafe impl<T: Zeroable> Sync for Pages<T> {}

/// Smaller arrays do not fill a huge page.
const MIN_FOR_HUGE_PAGES: usize = size(4 << 20, 4 << 10);

impl<T: Zeroable> Pages<T> {
    /// # Panics
    /// If the address space has no room for the array, as an allocation would.
    pub fn new(len: usize) -> Self {
        let bytes = len * size_of::<T>();
        if bytes == 0 {
            return Pages { start: NonNull::dangling(), len: 0, _map: None };
        }
        let mut options = MmapOptions::new();
        options.len(bytes);
        if !cfg!(miri) {
            options.no_reserve_swap(); // Miri has plain mappings only
        }
        let mut map =
            options.map_anon().unwrap_or_else(|error| panic!("no room for a table of {bytes} bytes: {error}"));
        #[cfg(target_os = "linux")]
        if bytes >= MIN_FOR_HUGE_PAGES && !cfg!(miri) {
            let _ = map.advise(memmap2::Advice::HugePage); // a kernel without huge pages uses small ones
        }
        let start = NonNull::new(map.as_mut_ptr().cast()).expect("a mapping is not at address 0");
        Pages { start, len, _map: Some(map) }
    }

    /// The bytes of address space that the array takes.
    pub fn bytes(&self) -> u64 {
        (self.len * size_of::<T>()) as u64
    }
}

impl<T: Zeroable> Deref for Pages<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: the mapping holds `len` values, all zeros at first, which is a value of `T`; it is aligned to a page;
        // only shared references to it are ever given out.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering::Relaxed;

    use super::*;

    #[test]
    fn pages_are_zero_and_an_array_may_be_empty() {
        let len = MIN_FOR_HUGE_PAGES / 4;
        let pages = Pages::<[AtomicU16; 3]>::new(len);
        assert!(pages.iter().step_by(999).all(|value| value.iter().all(|half| half.load(Relaxed) == 0)));
        assert_eq!(pages.bytes(), 6 * len as u64);
        assert!(Pages::<AtomicU8>::new(0).is_empty());
    }
}
