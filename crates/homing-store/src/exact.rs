//! The exact store: every state in full, found through a hash table.
//!
//! States lie in an arena in the order of their numbers. The table is open-addressed with linear probing; an entry is 8
//! bytes, the upper half of the hash and the number, so that a cache line shows eight of them and a state is looked at
//! only when 32 bits of its hash agree.
//!
//! Growing forgets the old table first and fills the new one from the arena, front to back: hashing again costs less
//! than holding both tables, which would be the peak of the whole search.

use homing_core::{State, StateId};
use rapidhash::v3::{DEFAULT_RAPID_SECRETS, rapidhash_v3_inline};

use crate::arena::Arena;
use crate::{Interned, Store};

/// States of varying length, in full.
#[derive(Debug)]
pub struct ExactStore {
    /// How many bytes in front of each state are no part of its identity.
    carried: usize,
    states: Arena,
    /// Of a power of two; 0 is an empty slot, else the hash's upper half and the number + 1.
    table: Vec<u64>,
    longest: usize,
}

const FIRST_TABLE: usize = 1 << 10;

impl ExactStore {
    /// A store for a system that [carries](homing_core::TransitionSystem::carried) so many bytes.
    pub fn new(carried: usize) -> Self {
        ExactStore { carried, states: Arena::default(), table: vec![0; FIRST_TABLE], longest: 0 }
    }

    /// The length of the longest state, in bytes.
    pub fn longest(&self) -> usize {
        self.longest
    }

    fn intern_hashed(&mut self, hash: u64, state: &State) -> Interned {
        if self.is_full() {
            self.grow();
        }
        match self.probe(hash, &state[self.carried..]) {
            Probe::Found(id) => Interned::Known(id),
            Probe::Vacant(slot) => {
                let id = StateId(self.states.len() as u32);
                assert!(self.len() < Self::MOST_STATES, "the store has numbered all the states it can");
                self.table[slot] = entry(hash, id);
                self.states.push(state);
                self.longest = self.longest.max(state.len());
                Interned::New(id)
            }
        }
    }

    fn probe(&self, hash: u64, identity: &[u8]) -> Probe {
        let mask = self.table.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let entry = self.table[slot];
            if entry == 0 {
                return Probe::Vacant(slot);
            }
            if entry >> 32 == hash >> 32 {
                let id = StateId(entry as u32 - 1);
                if &self.states.get(id.index())[self.carried..] == identity {
                    return Probe::Found(id);
                }
            }
            slot = (slot + 1) & mask;
        }
    }

    /// Whether the next new state would fill the table beyond three quarters.
    fn is_full(&self) -> bool {
        self.states.len() >= self.table.len() / 4 * 3
    }

    fn grow(&mut self) {
        let slots = self.table.len() * 2;
        self.table = Vec::new();
        self.table = vec![0; slots];
        for index in 0..self.states.len() {
            let hash = hash(&self.states.get(index)[self.carried..]);
            let mut slot = hash as usize & (slots - 1);
            while self.table[slot] != 0 {
                slot = (slot + 1) & (slots - 1);
            }
            self.table[slot] = entry(hash, StateId(index as u32));
        }
    }
}

enum Probe {
    Found(StateId),
    Vacant(usize),
}

fn hash(identity: &[u8]) -> u64 {
    rapidhash_v3_inline::<true, false, false>(identity, &DEFAULT_RAPID_SECRETS)
}

fn entry(hash: u64, id: StateId) -> u64 {
    hash >> 32 << 32 | (u64::from(id.0) + 1)
}

impl Store for ExactStore {
    const MOST_STATES: u64 = u32::MAX as u64;

    fn intern(&mut self, state: &State) -> Interned {
        self.intern_hashed(hash(&state[self.carried..]), state)
    }

    fn find(&self, state: &State) -> Option<StateId> {
        let identity = &state[self.carried..];
        match self.probe(hash(identity), identity) {
            Probe::Found(id) => Some(id),
            Probe::Vacant(_) => None,
        }
    }

    fn load(&self, id: StateId, out: &mut Vec<u8>) {
        out.clear();
        out.extend_from_slice(self.states.get(id.index()));
    }

    fn carry(&mut self, id: StateId, state: &State) {
        debug_assert_eq!(self.find(state), Some(id));
        self.states.get_mut(id.index())[..self.carried].copy_from_slice(&state[..self.carried]);
    }

    fn len(&self) -> u64 {
        self.states.len() as u64
    }

    fn memory(&self) -> u64 {
        size_of_val(self.table.as_slice()) as u64 + self.states.memory()
    }

    fn next_growth(&self) -> u64 {
        if self.is_full() { size_of_val(self.table.as_slice()) as u64 } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    /// A small generator (SplitMix64), so that a failing seed can be run again.
    struct Random(u64);

    impl Random {
        fn below(&mut self, bound: u64) -> u64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = self.0;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            (z ^ (z >> 31)) % bound
        }

        /// Few byte values and lengths that vary: many states come twice.
        fn state(&mut self, shortest: usize, longest: usize) -> Vec<u8> {
            let length = shortest as u64 + self.below((longest - shortest + 1) as u64);
            (0..length).map(|_| self.below(3) as u8).collect()
        }
    }

    #[test]
    fn agrees_with_a_hash_map() {
        for (seed, carried, longest, count) in
            [(1, 0, 6, 3_000), (2, 0, 12, 30_000), (3, 2, 9, 30_000), (4, 5, 40, 5_000), (5, 0, 300, 2_000)]
        {
            let mut random = Random(seed);
            let mut store = ExactStore::new(carried);
            let mut reference: HashMap<Vec<u8>, StateId> = HashMap::new();
            let mut in_order: Vec<Vec<u8>> = Vec::new();
            for step in 0..count {
                let state = random.state(carried, longest);
                let identity = state[carried..].to_vec();
                let known = reference.get(&identity).copied();
                assert_eq!(store.find(&state), known, "seed {seed}, step {step}");
                let expected = match known {
                    Some(id) => Interned::Known(id),
                    None => {
                        let id = StateId(in_order.len() as u32);
                        reference.insert(identity, id);
                        in_order.push(state.clone());
                        Interned::New(id)
                    }
                };
                assert_eq!(store.intern(&state), expected, "seed {seed}, step {step}");
            }
            assert_eq!(store.len(), in_order.len() as u64);
            assert_eq!(store.longest(), in_order.iter().map(Vec::len).max().unwrap());
            let mut out = vec![9; 3];
            for (index, state) in in_order.iter().enumerate() {
                store.load(StateId(index as u32), &mut out);
                assert_eq!(&out, state, "seed {seed}, state {index}");
            }
        }
    }

    #[test]
    fn states_of_one_hash_stay_apart() {
        let mut store = ExactStore::new(0);
        let states: Vec<[u8; 2]> = (0..500u16).map(u16::to_le_bytes).collect();
        for (index, state) in states.iter().enumerate() {
            assert_eq!(store.intern_hashed(u64::MAX, state), Interned::New(StateId(index as u32)));
        }
        for (index, state) in states.iter().enumerate() {
            assert_eq!(store.intern_hashed(u64::MAX, state), Interned::Known(StateId(index as u32)));
        }
    }

    #[test]
    fn a_prefix_and_the_empty_state_are_states_of_their_own() {
        let mut store = ExactStore::new(0);
        let states: [&[u8]; 4] = [&[], &[0], &[0, 0], &[0, 0, 0]];
        for (index, state) in states.into_iter().enumerate() {
            assert_eq!(store.intern(state), Interned::New(StateId(index as u32)));
        }
        assert_eq!(store.intern(&[]), Interned::Known(StateId(0)));
        let mut out = vec![1];
        store.load(StateId(0), &mut out);
        assert!(out.is_empty());
    }

    #[test]
    fn carried_bytes_are_kept_of_the_first_and_can_be_replaced() {
        let mut store = ExactStore::new(2);
        let mut out = Vec::new();
        assert_eq!(store.intern(&[1, 1, 5]), Interned::New(StateId(0)));
        assert_eq!(store.intern(&[2, 2, 5]), Interned::Known(StateId(0)));
        assert_eq!(store.find(&[3, 3, 5]), Some(StateId(0)));
        assert_eq!(store.find(&[1, 1, 6]), None);
        store.load(StateId(0), &mut out);
        assert_eq!(out, [1, 1, 5]);
        store.carry(StateId(0), &[4, 2, 5]);
        store.load(StateId(0), &mut out);
        assert_eq!(out, [4, 2, 5]);
        assert_eq!(store.len(), 1);
    }

    #[test]
    fn growth_is_announced() {
        let mut store = ExactStore::new(0);
        for i in 0..100_000u32 {
            let (memory, growth) = (store.memory(), store.next_growth());
            store.intern(&i.to_le_bytes());
            assert_eq!(store.memory(), memory + growth + 4, "state {i}");
        }
    }
}
