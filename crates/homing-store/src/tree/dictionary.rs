//! Dictionary coding of one byte of a state: the values it has had, numbered in the order in which they came.

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU8, AtomicU16};
use std::sync::{Mutex, PoisonError};

/// A dictionary from the values of a byte to codes from 0 up. A value keeps its code; threads may add values at any
/// time.
#[derive(Debug)]
pub(crate) struct Dictionary {
    /// The code of each value, or [`UNKNOWN`].
    encode: [AtomicU16; 256],
    /// The value of each code.
    decode: [AtomicU8; 256],
    len: Mutex<usize>,
}

/// The code of a value that is not in the dictionary. Its highest bit distinguishes it from all codes.
pub(crate) const UNKNOWN: u16 = 0x8000;

impl Dictionary {
    /// A dictionary of one value, which has code 0.
    pub fn of(value: u8) -> Self {
        let dictionary = Dictionary {
            encode: [const { AtomicU16::new(UNKNOWN) }; 256],
            decode: [const { AtomicU8::new(0) }; 256],
            len: Mutex::new(0),
        };
        dictionary.insert(value, 1);
        dictionary
    }

    /// A dictionary in which every value is its own code.
    pub fn identity() -> Self {
        let dictionary = Dictionary::of(0);
        (1..=u8::MAX).for_each(|value| _ = dictionary.insert(value, 256));
        dictionary
    }

    /// The code of a value, or [`UNKNOWN`].
    #[inline]
    pub fn code(&self, value: u8) -> u16 {
        self.encode[value as usize].load(Acquire) // a thread that gets the code from this one then finds its value
    }

    /// The value of a code that was assigned.
    #[inline]
    pub fn value(&self, code: u8) -> u8 {
        self.decode[code as usize].load(Relaxed)
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        *self.len.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Assigns a code to a value unless it has one. False if there would be more than `max_len` values.
    pub fn insert(&self, value: u8, max_len: usize) -> bool {
        let mut len = self.len.lock().unwrap_or_else(PoisonError::into_inner);
        if self.code(value) != UNKNOWN {
            return true;
        }
        if *len >= max_len {
            return false;
        }
        self.decode[*len].store(value, Relaxed);
        self.encode[value as usize].store(*len as u16, Release);
        *len += 1;
        true
    }
}

impl Clone for Dictionary {
    fn clone(&self) -> Self {
        let dictionary = Dictionary::of(self.value(0));
        (1..self.len()).for_each(|code| _ = dictionary.insert(self.value(code as u8), 256));
        dictionary
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_numbered_in_the_order_in_which_they_come() {
        let dictionary = Dictionary::of(7);
        assert!(dictionary.insert(200, 3) && dictionary.insert(7, 3) && dictionary.insert(0, 3));
        assert!(!dictionary.insert(1, 3) && dictionary.insert(200, 3));
        assert_eq!([7, 200, 0, 1].map(|value| dictionary.code(value)), [0, 1, 2, UNKNOWN]);
        assert_eq!(([0, 1, 2].map(|code| dictionary.value(code)), dictionary.len()), ([7, 200, 0], 3));
        let identity = Dictionary::identity();
        assert!((0..=255).all(|value| identity.code(value) == u16::from(value) && identity.value(value) == value));
        assert_eq!(identity.len(), 256);
    }
}
