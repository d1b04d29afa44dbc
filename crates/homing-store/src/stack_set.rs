//! The set of the states on a path: states are added at its end and removed from there.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use homing_core::State;
use rapidhash::v3::{DEFAULT_RAPID_SECRETS, rapidhash_v3_inline};

/// The states on the stack of a depth-first search, found by their hash before they are compared. A search that does
/// not store a state when it leaves it forgets the state with this set.
#[derive(Debug)]
pub struct StackSet {
    /// How many leading bytes of each state are no part of its identity.
    hidden_prefix: usize,
    frames: Vec<Frame>,
    bytes: Vec<u8>,
    /// By hash, the deepest state that has it.
    deepest: HashMap<u64, u32>,
    peak_len: usize,
    peak_bytes: usize,
}

#[derive(Debug)]
struct Frame {
    hash: u64,
    /// Where its bytes begin.
    start: usize,
    /// The next state above it with the same hash.
    above: Option<u32>,
}

impl StackSet {
    /// An empty set of states whose first bytes do not distinguish them.
    pub fn new(hidden_prefix: usize) -> Self {
        StackSet {
            hidden_prefix,
            frames: Vec::new(),
            bytes: Vec::new(),
            deepest: HashMap::new(),
            peak_len: 0,
            peak_bytes: 0,
        }
    }

    /// The hash of a state, by which it is looked for.
    pub fn hash(&self, state: &State) -> u64 {
        rapidhash_v3_inline::<true, false, false>(&state[self.hidden_prefix..], &DEFAULT_RAPID_SECRETS)
    }

    /// Whether the state with this hash is in the set.
    pub fn contains(&self, hash: u64, state: &State) -> bool {
        let next = |&at: &u32| self.frames[at as usize].above;
        let mut same_hash = std::iter::successors(self.deepest.get(&hash).copied(), next);
        same_hash.any(|at| self.identity(at) == &state[self.hidden_prefix..])
    }

    /// Adds a state with its hash.
    pub fn push(&mut self, hash: u64, state: &State) {
        let at = self.frames.len() as u32;
        let above = match self.deepest.entry(hash) {
            Entry::Occupied(mut entry) => Some(entry.insert(at)),
            Entry::Vacant(entry) => {
                entry.insert(at);
                None
            }
        };
        self.frames.push(Frame { hash, start: self.bytes.len(), above });
        self.bytes.extend_from_slice(&state[self.hidden_prefix..]);
        self.peak_len = self.peak_len.max(self.frames.len());
        self.peak_bytes = self.peak_bytes.max(self.bytes.len());
    }

    /// Removes the state that was added last, if there is one.
    pub fn pop(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        self.bytes.truncate(frame.start);
        match frame.above {
            Some(above) => self.deepest.insert(frame.hash, above),
            None => self.deepest.remove(&frame.hash),
        };
    }

    /// How many states it holds.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// Whether it holds no state.
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// The most states it held.
    pub fn peak_len(&self) -> usize {
        self.peak_len
    }

    /// The most bytes it held.
    pub fn memory(&self) -> u64 {
        (self.peak_bytes + self.peak_len * (size_of::<Frame>() + size_of::<(u64, u32)>())) as u64
    }

    fn identity(&self, at: u32) -> &[u8] {
        let at = at as usize;
        let end = self.frames.get(at + 1).map_or(self.bytes.len(), |next| next.start);
        &self.bytes[self.frames[at].start..end]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_in_the_set_until_they_are_popped() {
        let mut set = StackSet::new(1);
        // one hash for all: states are compared
        for state in [b"xa", b"xb", b"xc"] {
            assert!(!set.contains(7, state));
            set.push(7, state);
        }
        assert!(set.contains(7, b"yb") && !set.contains(7, b"xd") && !set.contains(8, b"xa"));
        set.pop();
        assert!(!set.contains(7, b"xc") && set.contains(7, b"xa") && set.contains(7, b"xb"));
        (0..3).for_each(|_| set.pop());
        assert!(set.is_empty() && !set.contains(7, b"xa"));
        assert_eq!((set.len(), set.peak_len()), (0, 3));
        assert_eq!(set.hash(b"xa"), set.hash(b"ya"), "the first byte is hidden");
        assert_ne!(set.hash(b"xa"), set.hash(b"xb"));
    }
}
