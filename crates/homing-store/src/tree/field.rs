//! A field: the bits of a packed state that hold one byte of the state.

use std::sync::Arc;

use crate::tree::dictionary::Dictionary;
use crate::tree::layout::{BitRange, LEAF_WORDS};

/// A byte of the state, as bits of a word.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub dictionary: Arc<Dictionary>,
    /// All bits but its own.
    pub others: u64,
    pub word: u32,
    pub shift: u8,
    pub bits: u8,
}

impl Field {
    /// A field for a byte with these values. A dictionary that is shared by constant bytes is copied if values can be
    /// added.
    pub fn new(dictionary: Arc<Dictionary>, BitRange { word, shift, bits }: BitRange) -> Self {
        let is_shared = bits > 0 && dictionary.len() == 1; // with all bytes that have the same only value
        let dictionary = if is_shared { Arc::new(Dictionary::of(dictionary.value(0))) } else { dictionary };
        Field { dictionary, others: !(((1 << bits) - 1) << shift), word, shift, bits }
    }

    /// Writes the code of a value into its bits of a word, and adds it to the bits of all codes `seen`. If it is
    /// [unknown](crate::tree::dictionary::UNKNOWN), the word is invalid.
    #[inline(always)]
    pub fn write(&self, value: u8, word: &mut u64, seen: &mut u16) {
        let code = self.dictionary.code(value);
        *seen |= code;
        *word = *word & self.others | u64::from(code) << self.shift;
    }

    /// Its bits of the word; 0 if it has none.
    #[inline]
    pub fn mask(&self) -> u64 {
        !self.others
    }

    /// How many values it has room for.
    pub fn room(&self) -> usize {
        1 << self.bits
    }

    /// Its bits.
    pub fn range(&self) -> BitRange {
        BitRange { word: self.word, shift: self.shift, bits: self.bits }
    }

    /// The leaf that its word belongs to.
    pub fn leaf(&self) -> usize {
        self.word as usize / LEAF_WORDS
    }

    /// Whether all values of this field have the same codes in another.
    pub fn agrees(&self, other: &Field) -> bool {
        let len = self.dictionary.len();
        len <= other.dictionary.len()
            && (0..len).all(|code| self.dictionary.value(code as u8) == other.dictionary.value(code as u8))
    }
}
