//! A table from what the access sets of a location depend on to its nodes: in most models the same values come again and again.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::known::ProcessView;
use super::unit::{Key, MOST_PLACES};

/// What the access sets of a process depend on.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Values {
    proctype: u32,
    location: u32,
    /// Its pid, if they depend on that.
    pid: u32,
    values: [i32; MOST_PLACES],
}

impl Values {
    /// Those of a process at a location.
    #[inline(always)]
    pub fn of(key: &Key, at: ProcessView<'_>, location: u32) -> Self {
        let mut values = [0; MOST_PLACES];
        for (value, place) in values.iter_mut().zip(&key.places) {
            *value = place.value(at);
        }
        let pid = if key.reads_pid { at.pid as u32 } else { 0 };
        Values { proctype: at.work.processes[at.pid].proctype.0, location, pid, values }
    }
}

/// The most entries; where there are more values, they do not come again and again.
const MOST: usize = 1 << 14;

/// The table: rows of `T`, by values.
pub struct Table<T> {
    places: HashMap<Values, (u32, u32), BuildHasherDefault<Mixer>>,
    rows: Vec<T>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Table { places: HashMap::default(), rows: Vec::new() }
    }
}

impl<T: Clone> Table<T> {
    /// The row of some values.
    #[inline(always)]
    pub fn get(&self, values: &Values) -> Option<&[T]> {
        let &(first, end) = self.places.get(values)?;
        Some(&self.rows[first as usize..end as usize])
    }

    /// Adds the row of some values.
    pub fn add(&mut self, values: Values, row: &[T]) {
        if self.places.len() >= MOST {
            self.places.clear();
            self.rows.clear();
        }
        let first = self.rows.len() as u32;
        self.rows.extend_from_slice(row);
        self.places.insert(values, (first, self.rows.len() as u32));
    }
}

/// A hash function for a few words, which only has to spread them.
#[derive(Default)]
struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }

    fn write(&mut self, bytes: &[u8]) {
        for word in bytes.chunks(4) {
            let mut padded = [0; 4];
            padded[..word.len()].copy_from_slice(word);
            self.write_u32(u32::from_le_bytes(padded));
        }
    }

    #[inline(always)]
    fn write_u32(&mut self, word: u32) {
        self.0 = (self.0.rotate_left(5) ^ u64::from(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    #[inline(always)]
    fn write_i32(&mut self, word: i32) {
        self.write_u32(word as u32);
    }
}
