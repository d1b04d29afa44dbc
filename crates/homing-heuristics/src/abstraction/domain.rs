//! The values that a cell can have, as far as they are known.

use std::collections::HashMap;

/// What a cell holds: one number, or the messages of a channel, field by field.
pub type Content = Box<[i32]>;

/// A finite domain. Values are numbered in the order in which they were found and keep their numbers.
#[derive(Clone, Debug, Default)]
pub struct Domain {
    values: Vec<Content>,
    numbers: HashMap<Content, u32>,
}

impl Domain {
    /// The number of values.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// The value with a number.
    pub fn value(&self, number: u32) -> &[i32] {
        &self.values[number as usize]
    }

    /// All values, by number.
    pub fn values(&self) -> impl Iterator<Item = &[i32]> {
        self.values.iter().map(|value| &value[..])
    }

    /// The number of a value, if it is known.
    pub fn find(&self, value: &[i32]) -> Option<u32> {
        self.numbers.get(value).copied()
    }

    /// The number of a value, which is new if it was not known.
    pub fn number(&mut self, value: &[i32]) -> u32 {
        if let Some(known) = self.find(value) {
            return known;
        }
        let number = self.values.len() as u32;
        self.values.push(value.into());
        self.numbers.insert(value.into(), number);
        number
    }
}
