//! The labels of a system: each text once, with a number.

use std::fmt;

use rapidhash::v3::{DEFAULT_RAPID_SECRETS, rapidhash_v3_inline};

/// The number of a label, in the order of their first use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LabelId(pub u32);

/// The labels of a system. A label is a sequence of bytes, which need not be UTF-8.
///
/// All texts are in one buffer, and the index is a table of numbers: a file can have as many labels as transitions.
#[derive(Clone, Debug, Default)]
pub struct Labels {
    bytes: Vec<u8>,
    /// Where each label ends in `bytes`.
    ends: Vec<usize>,
    /// Open addressing by the hash of the text: a number, or [`EMPTY`]. Its length is a power of two, or 0.
    index: Vec<u32>,
    /// The label that was looked up last: transitions with the same label often follow each other.
    last: Option<LabelId>,
}

const EMPTY: u32 = u32::MAX;

impl Labels {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The text of a label.
    pub fn text(&self, label: LabelId) -> &[u8] {
        let at = label.0 as usize;
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start..self.ends[at]]
    }

    /// The text of a label, for showing.
    pub fn show(&self, label: LabelId) -> LabelText<'_> {
        LabelText(self.text(label))
    }

    /// All labels, by number.
    pub fn iter(&self) -> impl Iterator<Item = (LabelId, &[u8])> {
        (0..self.len() as u32).map(|number| (LabelId(number), self.text(LabelId(number))))
    }

    /// The number of a text, if it is a label.
    pub fn find(&self, text: &[u8]) -> Option<LabelId> {
        if self.index.is_empty() { None } else { self.slot(text).ok() }
    }

    /// The number of a text, which becomes a label if it is none yet.
    ///
    /// # Panics
    /// If there are 2^32 - 1 labels already.
    #[inline]
    pub fn intern(&mut self, text: &[u8]) -> LabelId {
        if let Some(last) = self.last
            && self.text(last) == text
        {
            return last;
        }
        let label = self.look_up(text);
        self.last = Some(label);
        label
    }

    fn look_up(&mut self, text: &[u8]) -> LabelId {
        if self.index.len() < 2 * (self.len() + 1) {
            self.grow();
        }
        match self.slot(text) {
            Ok(label) => label,
            Err(slot) => {
                let number = u32::try_from(self.len()).ok().filter(|&number| number != EMPTY);
                let number = number.expect("fewer than 2^32 - 1 labels");
                self.index[slot] = number;
                self.bytes.extend_from_slice(text);
                self.ends.push(self.bytes.len());
                LabelId(number)
            }
        }
    }

    /// The label with this text, or the slot of the index where it would be entered.
    fn slot(&self, text: &[u8]) -> Result<LabelId, usize> {
        let mask = self.index.len() - 1;
        let mut slot = hash(text) & mask;
        loop {
            match self.index[slot] {
                EMPTY => return Err(slot),
                number if self.text(LabelId(number)) == text => return Ok(LabelId(number)),
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    fn grow(&mut self) {
        let slots = (4 * (self.len() + 1)).next_power_of_two().max(64);
        let mut index = vec![EMPTY; slots];
        for (label, text) in self.iter() {
            let mut slot = hash(text) & (slots - 1);
            while index[slot] != EMPTY {
                slot = (slot + 1) & (slots - 1);
            }
            index[slot] = label.0;
        }
        self.index = index;
    }

    /// The bytes that it holds.
    pub fn memory(&self) -> u64 {
        (self.bytes.capacity() + 8 * self.ends.capacity() + 4 * self.index.capacity()) as u64
    }
}

fn hash(text: &[u8]) -> usize {
    rapidhash_v3_inline::<true, false, false>(text, &DEFAULT_RAPID_SECRETS) as usize
}

/// A label as it stands in a file: in quotes. Bytes that are not UTF-8 are replaced.
#[derive(Clone, Copy, Debug)]
pub struct LabelText<'a>(pub &'a [u8]);

impl fmt::Display for LabelText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", String::from_utf8_lossy(self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_text_has_one_number() {
        let mut labels = Labels::default();
        assert_eq!(labels.find(b"a"), None);
        assert_eq!(labels.intern(b""), LabelId(0), "the empty text is a label");
        let texts: Vec<String> = (0..1000).map(|number| format!("label {}", number % 500)).collect();
        for text in &texts {
            let label = labels.intern(text.as_bytes());
            assert_eq!(labels.text(label), text.as_bytes());
            assert_eq!(labels.intern(text.as_bytes()), label);
        }
        assert_eq!((labels.len(), labels.find(b"label 499"), labels.find(b"label")), (501, Some(LabelId(500)), None));
        assert_eq!(labels.iter().nth(7), Some((LabelId(7), &b"label 6"[..])));
    }
}
