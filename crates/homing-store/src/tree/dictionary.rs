//! The values that a byte of a state has had, numbered in the order of their target.

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU8, AtomicU16};
use std::sync::{Mutex, PoisonError};

/// A dictionary of bytes. What was numbered keeps its number.
#[derive(Debug)]
pub(crate) struct Codes {
    /// By value; [`UNKNOWN`] if it never came.
    encode: [AtomicU16; 256],
    /// By code.
    decode: [AtomicU8; 256],
    count: Mutex<usize>,
}

/// No code. The highest bit tells it from all that are one.
pub(crate) const UNKNOWN: u16 = 0x8000;

impl Codes {
    /// Of a byte that has had one value.
    pub fn of(value: u8) -> Self {
        let codes = Codes {
            encode: [const { AtomicU16::new(UNKNOWN) }; 256],
            decode: [const { AtomicU8::new(0) }; 256],
            count: Mutex::new(0),
        };
        codes.insert(value, 1);
        codes
    }

    /// Every value is its own code.
    pub fn identity() -> Self {
        let codes = Codes::of(0);
        (1..=u8::MAX).for_each(|value| _ = codes.insert(value, 256));
        codes
    }

    #[inline]
    pub fn code(&self, value: u8) -> u16 {
        self.encode[value as usize].load(Acquire) // then whoever has the code from us finds the value
    }

    /// The value of a code that was given.
    #[inline]
    pub fn value(&self, code: u8) -> u8 {
        self.decode[code as usize].load(Relaxed)
    }

    /// How many values there are.
    pub fn count(&self) -> usize {
        *self.count.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Numbers a value unless it has a number. False if there would be more than `most`.
    pub fn insert(&self, value: u8, most: usize) -> bool {
        let mut count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        if self.code(value) != UNKNOWN {
            return true;
        }
        if *count >= most {
            return false;
        }
        self.decode[*count].store(value, Relaxed);
        self.encode[value as usize].store(*count as u16, Release);
        *count += 1;
        true
    }
}

impl Clone for Codes {
    fn clone(&self) -> Self {
        let codes = Codes::of(self.value(0));
        (1..self.count()).for_each(|code| _ = codes.insert(self.value(code as u8), 256));
        codes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_numbered_as_they_come() {
        let codes = Codes::of(7);
        assert!(codes.insert(200, 3) && codes.insert(7, 3) && codes.insert(0, 3));
        assert!(!codes.insert(1, 3) && codes.insert(200, 3));
        assert_eq!([7, 200, 0, 1].map(|value| codes.code(value)), [0, 1, 2, UNKNOWN]);
        assert_eq!(([0, 1, 2].map(|code| codes.value(code)), codes.count()), ([7, 200, 0], 3));
        let identity = Codes::identity();
        assert!((0..=255).all(|value| identity.code(value) == u16::from(value) && identity.value(value) == value));
        assert_eq!(identity.count(), 256);
    }
}
