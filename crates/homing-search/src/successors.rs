//! The states that one state leads to, from when they are shown until they are looked up.
//!
//! They are looked up together, so that the memory they lie in can be on its way meanwhile. Of each its bytes and what
//! was changed are kept, because only of a new one an estimate is wanted.

use homing_core::{Changed, Cost, State, Written};
use homing_store::{Interned, Key};

/// A step to a state that is looked up.
pub(crate) struct Successor<K> {
    pub key: K,
    /// Which step it is.
    pub ordinal: u32,
    pub cost: Cost,
    /// What the store made of it, once it was asked.
    pub interned: Option<Interned>,
    length: u32,
    /// How many places were written; none if it may have changed anywhere.
    written: Option<u32>,
}

pub(crate) struct Successors<K> {
    list: Vec<Successor<K>>,
    bytes: Vec<u8>,
    written: Vec<Written>,
}

impl<K> Default for Successors<K> {
    fn default() -> Self {
        Successors { list: Vec::new(), bytes: Vec::new(), written: Vec::new() }
    }
}

impl<K: Key> Successors<K> {
    pub fn clear(&mut self) {
        self.list.clear();
        self.bytes.clear();
        self.written.clear();
    }

    #[inline]
    pub fn push(&mut self, key: K, ordinal: u32, cost: Cost, state: &State, changed: Changed<'_>) {
        self.bytes.extend_from_slice(state);
        let written = match changed {
            Changed::Anywhere => None,
            Changed::At(places) => {
                self.written.extend_from_slice(places);
                Some(places.len() as u32)
            }
        };
        let length = state.len() as u32;
        self.list.push(Successor { key, ordinal, cost, interned: None, length, written });
    }

    pub fn keys(&self) -> impl Iterator<Item = K> {
        self.list.iter().map(|successor| successor.key)
    }

    /// In the order they were shown.
    #[inline]
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&mut Successor<K>, &State)> {
        let mut bytes = self.bytes.as_slice();
        self.list.iter_mut().map(move |successor| {
            let (state, behind) = bytes.split_at(successor.length as usize);
            bytes = behind;
            (successor, state)
        })
    }

    /// The same, with where each differs from the state it came from.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (&Successor<K>, &State, Changed<'_>)> {
        let (mut bytes, mut written) = (self.bytes.as_slice(), self.written.as_slice());
        self.list.iter().map(move |successor| {
            let (state, behind) = bytes.split_at(successor.length as usize);
            bytes = behind;
            let changed = successor.written.map_or(Changed::Anywhere, |count| {
                let (places, behind) = written.split_at(count as usize);
                written = behind;
                Changed::At(places)
            });
            (successor, state, changed)
        })
    }
}
