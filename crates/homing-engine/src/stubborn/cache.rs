//! What identifies a situation of a process, and the table of the choices that were made before. Keys are compared in full.

use std::hash::Hasher;

use super::known::ProcessView;
use super::unit::{Key, MOST_PLACES};

/// What the access sets of a process depend on.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Values {
    proctype: u32,
    location: u32,
    /// Its pid, if they depend on that.
    pid: u32,
    /// The number of the table of channels.
    channels: u32,
    values: [i32; MOST_PLACES],
}

impl Values {
    /// Those of a process at a location.
    #[inline(always)]
    pub fn of(key: &Key, at: ProcessView<'_>, location: u32, channels: u32) -> Self {
        let mut values = [0; MOST_PLACES];
        for (value, place) in values.iter_mut().zip(&key.places) {
            *value = place.value(at);
        }
        let pid = if key.reads_pid { at.pid as u32 } else { 0 };
        Values { proctype: at.work.processes[at.pid].proctype.0, location, pid, channels, values }
    }

    /// Whether they are those of a process at a location. Values are compared one by one: to write them all down first takes longer.
    #[inline(always)]
    pub fn are_of(&self, key: &Key, at: ProcessView<'_>, location: u32, channels: u32) -> bool {
        self.location == location
            && self.channels == channels
            && self.proctype == at.work.processes[at.pid].proctype.0
            && (!key.reads_pid || self.pid == at.pid as u32)
            && self.values.iter().zip(&key.places).all(|(value, place)| *value == place.value(at))
    }
}

/// The words of the longest signature of a state whose choice is kept.
const LONGEST: usize = 32;

/// The choices that are kept.
const KEPT: usize = 1 << 13;

/// The choices in states that came before: a table in which a new choice replaces another one at its place.
#[derive(Default)]
pub struct Choices {
    entries: Vec<Entry>,
    /// The signature of the state that is looked at, all that its choice depends on; zeros follow.
    signature: [u32; LONGEST],
    length: usize,
    generation: u64,
}

#[derive(Clone)]
struct Entry {
    signature: [u32; LONGEST],
    length: usize,
    choice: Option<u64>,
}

impl Choices {
    /// Begins a signature. The choices of another generation are forgotten: its words had another meaning.
    pub fn begin(&mut self, generation: u64) {
        self.signature[..self.length].fill(0);
        self.length = 0;
        if self.generation != generation {
            self.generation = generation;
            self.entries.clear();
        }
    }

    /// Adds a word to the signature; none if there is no room.
    #[inline(always)]
    pub fn sign(&mut self, word: u32) -> Option<()> {
        *self.signature.get_mut(self.length)? = word;
        self.length += 1;
        Some(())
    }

    /// The choice in the state with the present signature.
    #[inline(always)]
    pub fn get(&self) -> Option<Option<u64>> {
        let entry = self.entries.get(self.place())?;
        // an entry without words is free
        (entry.length == self.length && entry.signature == self.signature).then_some(entry.choice)
    }

    /// Keeps the choice in the state with the present signature.
    pub fn add(&mut self, choice: Option<u64>) {
        if self.entries.is_empty() {
            self.entries.resize(KEPT, Entry { signature: [0; LONGEST], length: 0, choice: None });
        }
        let place = self.place();
        self.entries[place] = Entry { signature: self.signature, length: self.length, choice };
    }

    #[inline(always)]
    fn place(&self) -> usize {
        let mut mixer = Mixer::default();
        let (pairs, rest) = self.signature[..self.length].as_chunks::<2>();
        pairs.iter().for_each(|[one, two]| mixer.write_u64(u64::from(*one) << 32 | u64::from(*two)));
        rest.iter().for_each(|word| mixer.write_u32(*word));
        mixer.finish() as usize % KEPT
    }
}

/// A hash function for a few words, which only has to spread them.
#[derive(Default)]
pub struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }

    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|word| self.write_u64(u64::from_le_bytes(*word)));
        rest.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    #[inline(always)]
    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    #[inline(always)]
    fn write_u32(&mut self, word: u32) {
        self.write_u64(word.into());
    }

    #[inline(always)]
    fn write_i32(&mut self, word: i32) {
        self.write_u32(word as u32);
    }
}
