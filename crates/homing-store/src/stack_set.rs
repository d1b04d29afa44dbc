//! The set of the states on a path: states are added at its end and removed from there.

use homing_core::State;
use rapidhash::v3::{DEFAULT_RAPID_SECRETS, rapidhash_v3_inline};

/// The states on the stack of a depth-first search, found by their hash before they are compared. A search that does
/// not store a state when it leaves it forgets the state with this set. Keys of stores are of no use here: those of a
/// tree change when it is packed anew.
///
/// A hash table with linear probing over the positions of the stack. Only the state that was added last is removed, and
/// no probe for another one has ever passed its slot, so that emptying the slot is enough.
#[derive(Debug)]
pub struct StackSet {
    /// How many leading bytes of each state are no part of its identity.
    hidden_prefix: usize,
    frames: Vec<Frame>,
    /// The bytes of all states, in order.
    bytes: Vec<u8>,
    /// One more than a position; 0 is an empty slot. Their number is a power of two, and at least half are empty.
    slots: Vec<u32>,
    peak_len: usize,
    peak_bytes: usize,
}

#[derive(Debug)]
struct Frame {
    hash: u64,
    /// Where its bytes begin.
    start: usize,
}

const FIRST_SLOTS: usize = 64;

impl StackSet {
    /// An empty set of states whose first bytes do not distinguish them.
    pub fn new(hidden_prefix: usize) -> Self {
        let (frames, bytes, slots) = (Vec::new(), Vec::new(), vec![0; FIRST_SLOTS]);
        StackSet { hidden_prefix, frames, bytes, slots, peak_len: 0, peak_bytes: 0 }
    }

    /// The hash of a state, by which it is looked for.
    #[inline]
    pub fn hash(&self, state: &State) -> u64 {
        rapidhash_v3_inline::<true, false, false>(&state[self.hidden_prefix..], &DEFAULT_RAPID_SECRETS)
    }

    /// The position of the state with this hash, counted from 0, if it is in the set.
    #[inline]
    pub fn position(&self, hash: u64, state: &State) -> Option<usize> {
        let is_it = |at: &usize| self.frames[*at].hash == hash && self.identity(*at) == &state[self.hidden_prefix..];
        let entries = self.probe(hash).map(|slot| self.slots[slot]).take_while(|&entry| entry != 0);
        entries.map(|entry| entry as usize - 1).find(is_it)
    }

    /// Whether the state with this hash is in the set.
    #[inline]
    pub fn contains(&self, hash: u64, state: &State) -> bool {
        self.position(hash, state).is_some()
    }

    /// Adds a state with its hash; it is not in the set.
    pub fn push(&mut self, hash: u64, state: &State) {
        self.frames.push(Frame { hash, start: self.bytes.len() });
        self.bytes.extend_from_slice(state);
        if self.frames.len() * 2 > self.slots.len() {
            self.slots = vec![0; self.slots.len() * 2];
            (0..self.frames.len()).for_each(|at| self.occupy(at));
        } else {
            self.occupy(self.frames.len() - 1);
        }
        self.peak_len = self.peak_len.max(self.frames.len());
        self.peak_bytes = self.peak_bytes.max(self.bytes.len());
    }

    /// Removes the state that was added last, if there is one.
    pub fn pop(&mut self) {
        let entry = self.frames.len() as u32;
        let Some(frame) = self.frames.pop() else { return };
        self.bytes.truncate(frame.start);
        let slot = self.probe(frame.hash).find(|&slot| self.slots[slot] == entry).expect("it has a slot");
        self.slots[slot] = 0;
    }

    /// The bytes of the state that was added last.
    pub fn last(&self) -> &State {
        self.frames.last().map_or(&[], |frame| &self.bytes[frame.start..])
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
        (self.peak_bytes + self.peak_len * size_of::<Frame>() + self.slots.len() * size_of::<u32>()) as u64
    }

    fn occupy(&mut self, at: usize) {
        let slot =
            self.probe(self.frames[at].hash).find(|&slot| self.slots[slot] == 0).expect("half of them are empty");
        self.slots[slot] = at as u32 + 1;
    }

    /// The slots in which a hash is looked for.
    #[inline]
    fn probe(&self, hash: u64) -> impl Iterator<Item = usize> + use<> {
        let mask = self.slots.len() - 1;
        (0..).map(move |next: usize| (hash as usize).wrapping_add(next) & mask)
    }

    /// The bytes that distinguish a state.
    fn identity(&self, at: usize) -> &[u8] {
        let end = self.frames.get(at + 1).map_or(self.bytes.len(), |next| next.start);
        &self.bytes[self.frames[at].start + self.hidden_prefix..end]
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
        assert_eq!((set.position(7, b"yb"), set.position(7, b"xd"), set.position(8, b"xa")), (Some(1), None, None));
        assert_eq!(set.last(), b"xc");
        set.pop();
        assert!(!set.contains(7, b"xc") && set.contains(7, b"xa") && set.contains(7, b"xb"));
        (0..3).for_each(|_| set.pop());
        assert!(set.is_empty() && !set.contains(7, b"xa"));
        assert_eq!((set.len(), set.peak_len()), (0, 3));
        assert_eq!(set.hash(b"xa"), set.hash(b"ya"), "the first byte is hidden");
        assert_ne!(set.hash(b"xa"), set.hash(b"xb"));
    }

    /// Against a list, with hashes that share their slots and with many more states than the first slots.
    #[test]
    fn it_agrees_with_a_list() {
        let (mut set, mut list) = (StackSet::new(0), Vec::<u64>::new());
        let mut random = 1u64;
        for round in 0..20_000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let hash = (random >> 33) % 1000;
            assert_eq!(set.position(hash, &[]), list.iter().position(|&other| other == hash), "round {round}");
            let grows = round % 4000 < 2000;
            if (random >> 20) % 8 < if grows { 5 } else { 2 } {
                if !list.contains(&hash) {
                    set.push(hash, &[]);
                    list.push(hash);
                }
            } else {
                set.pop();
                list.pop();
            }
            assert_eq!(set.len(), list.len());
        }
        assert!(set.peak_len() > FIRST_SLOTS, "it has grown");
    }
}
