//! Repacking: new packings for states that are in the store already. It is a part of growing, which has exclusive
//! access.
//!
//! A packing is replaced in three cases: enough states were packed as they are to know their values, a byte has a value
//! for which it has no bits, or a reference no longer fits into keys.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, PoisonError};

use homing_core::Changed;

use crate::sizes::size;
use crate::table::Table;
use crate::tree::TreeStore;
use crate::tree::bit_shuffle::BitShuffle;
use crate::tree::dictionary::Dictionary;
use crate::tree::key::{self, ESCAPE_ID, MAX_NODES, MAX_REF_BITS, NoKey};
use crate::tree::layout::Overflow;
use crate::tree::nodes::{IfNew, UncachedNodes};
use crate::tree::packing::{Packing, PackingId, Tables};
use crate::tree::packings::{Packings, add_value};

/// Something for which a packing has no room.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RepackRequest {
    /// A value of the byte `at` in states of a length.
    Value { length: usize, at: usize, value: u8 },
    /// A reference in the keys of a packing.
    WiderReferences { packing: PackingId },
}

/// So many states of a length show which values its bytes have.
const MIN_STATES: u32 = size(200, 10) as u32;

/// Packing more states than that again takes milliseconds.
const MANY_STATES: u32 = 1 << 18;

impl TreeStore {
    fn packings_mut(&mut self) -> &mut Packings {
        self.packings.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes room for everything that was requested. If `counts_states`, also packs the lengths of which there are
    /// enough states. False if there are too many nodes.
    pub(super) fn repack(&mut self, counts_states: bool) -> bool {
        let mut values: BTreeMap<usize, Vec<(usize, u8)>> = BTreeMap::new();
        let mut narrow = BTreeSet::new();
        for request in self.requests.get_mut().unwrap_or_else(PoisonError::into_inner).drain(..) {
            match request {
                RepackRequest::Value { length, at, value } => values.entry(length).or_default().push((at, value)),
                RepackRequest::WiderReferences { packing } => _ = narrow.insert(packing),
            }
        }
        if !narrow.into_iter().all(|packing| self.widen_references(packing)) {
            return false;
        }
        for (length, values) in values {
            let mut dictionaries = self.packings().newest(length).expect("it requests a value").dictionaries();
            let counts = values.iter().map(|&(at, _)| dictionaries[at].len()).collect();
            let overflow = Overflow { counts, has_many_states: self.roots.len() > MANY_STATES };
            values.iter().for_each(|&(at, value)| add_value(&mut dictionaries[at], value));
            if !self.renew(length, dictionaries, &overflow) {
                return false;
            }
        }
        if !counts_states {
            return true;
        }
        self.frequent_raw().into_iter().all(|id| {
            let dictionaries = self.dictionaries_of(id);
            self.renew(dictionaries.len(), dictionaries, &Overflow::default())
        })
    }

    /// The packings that take any state and have enough states to be replaced by a better one.
    fn frequent_raw(&mut self) -> Vec<PackingId> {
        let ids = self.roots.ids();
        let packings = self.packings();
        let raw: Vec<bool> = (0..packings.len() as PackingId).map(|id| packings.can_improve(id)).collect();
        if !raw.contains(&true) {
            return Vec::new();
        }
        let mut counts = vec![0; raw.len()];
        for id in ids.into_iter().flatten() {
            counts[key::packing_id(self.roots.get(id)) as usize] += 1;
        }
        let frequent = raw.iter().zip(counts).enumerate().filter(|&(_, (raw, count))| *raw && count >= MIN_STATES);
        frequent.map(|(id, _)| id as PackingId).collect()
    }

    /// The values in the states of a packing, which has at least one.
    fn dictionaries_of(&mut self, packing: PackingId) -> Vec<Arc<Dictionary>> {
        let mut state = self.blank_parent_by_id(packing);
        let mut dictionaries: Vec<Arc<Dictionary>> = Vec::new();
        let mut before: Vec<u8> = Vec::new();
        for id in self.roots.ids().into_iter().flatten() {
            let key = self.roots.get(id);
            if key::packing_id(key) != packing {
                continue;
            }
            state.load(key, &UncachedNodes { store: self, if_new: IfNew::Refuse });
            if dictionaries.is_empty() {
                dictionaries = self.packings_mut().constants(state.state());
                before = state.state().to_vec();
            }
            for (at, &value) in state.state().iter().enumerate() {
                if before[at] != value {
                    add_value(&mut dictionaries[at], value);
                    before[at] = value;
                }
            }
        }
        dictionaries
    }

    /// Packs all states of a length by a new packing with these values. False, and nothing is changed, if there are too
    /// many nodes.
    fn renew(&mut self, length: usize, dictionaries: Vec<Arc<Dictionary>>, overflow: &Overflow) -> bool {
        let before = self.packings().newest(length).expect("a known length").clone();
        let [leaves, pairs, quads] = [self.leaves.len(), self.pairs.len(), self.quads.len()].map(|len| len as u32);
        let tables = Tables::From { leaves, pairs, quads };
        let ref_bits = if before.has_own_tables() { self.reference_bits(&before).into_iter().max() } else { None };
        let newest = self.packings_mut().renew(length, dictionaries, overflow, (tables, ref_bits.unwrap_or(0)));
        if Arc::ptr_eq(&before, &newest) {
            return true;
        }
        *self.packing_memory.get_mut() += newest.memory();
        if newest.id == before.id {
            *self.packing_memory.get_mut() -= before.memory();
            self.shuffle_leaves(&before, &newest);
            return true;
        }
        if newest.has_own_tables() {
            let [pairs, quads] = newest.shape.inner_counts();
            self.leaves.extend((0..newest.leaves()).map(|_| Table::new(self.max_leaves)));
            self.pairs.extend((0..pairs).map(|_| Table::new(MAX_NODES)));
            self.quads.extend((0..quads).map(|_| Table::new(MAX_NODES)));
        }
        self.replace(&before, &newest)
    }

    /// Replaces a packing by one with wider references in its keys. False if there are too many nodes.
    fn widen_references(&mut self, id: PackingId) -> bool {
        let before = self.packings().get(id).clone();
        if self.packings().newest(before.length()).is_none_or(|newest| newest.id != id) {
            return true; // no keys are made by it any more
        }
        let bits = self.reference_bits(&before);
        let wider = self.packings_mut().widen_references(id, &bits);
        *self.packing_memory.get_mut() += wider.memory();
        self.replace(&before, &wider)
    }

    /// How many bits the references to the top nodes of a packing need by now.
    fn reference_bits(&self, packing: &Packing) -> Vec<u8> {
        let len = |node: u32| match (node as usize).checked_sub(packing.leaves()) {
            None => self.leaves[packing.leaf_table(node as usize) as usize].len(),
            Some(inner) if packing.shape.inner[inner].count == 2 => {
                self.pairs[packing.inner_table(inner) as usize].len()
            }
            Some(inner) => self.quads[packing.inner_table(inner) as usize].len(),
        };
        let bits = |node: &u32| (u32::BITS - len(*node).leading_zeros()).min(MAX_REF_BITS) as u8;
        packing.shape.top[..packing.shape.top_count()].iter().map(bits).collect()
    }

    /// Moves the bits of the leaves whose bytes have more values in `after`. Keys stay the same.
    fn shuffle_leaves(&mut self, before: &Packing, after: &Packing) {
        for leaf in 0..after.leaves() {
            let shuffle = before.leaf_shuffle(after, leaf);
            if !shuffle.is_identity() {
                let leaves = &mut self.leaves[after.leaf_table(leaf) as usize];
                (0..leaves.len()).for_each(|id| leaves.replace(id, shuffle.apply(leaves.get(id))));
                leaves.rebuild_index(self.threads);
            }
        }
        self.generation += 1;
    }

    /// Gives all states of one packing keys of another, which is the newest. False, and nothing is changed, if there
    /// are too many nodes.
    fn replace(&mut self, before: &Packing, after: &Packing) -> bool {
        self.retire(before.id);
        self.reinstate(after.id); // it may be the one for any state, which was retired before
        self.generation += 1;
        if let Err(after) = self.rewrite_keys(before.id, after.id) {
            self.packings_mut().set_newest(before.length(), before.id);
            let is_restored = self.rewrite_keys(after, before.id).is_ok();
            debug_assert!(is_restored, "the nodes are still there");
            self.retire(after);
            self.reinstate(before.id);
            self.key_shuffles = self.find_key_shuffles();
            self.roots.rebuild_index(self.threads);
            return false;
        }
        self.key_shuffles = self.find_key_shuffles();
        let newest = self.packings().newest(before.length()).expect("a known length").id;
        self.roots.reindex(self.threads, |key| key::packing_id(key) == newest);
        true
    }

    fn find_key_shuffles(&self) -> Vec<Option<(BitShuffle, PackingId)>> {
        let packings = self.packings();
        let shuffle = |id: PackingId| {
            let packing = packings.get(id);
            let newest = packings.newest(packing.length()).filter(|newest| newest.id != id)?;
            packing.key_shuffle(newest).map(|shuffle| (shuffle, newest.id))
        };
        (0..ESCAPE_ID.min(packings.len() as PackingId)).map(shuffle).collect()
    }

    fn retire(&mut self, id: PackingId) {
        self.retired |= 1 << id.min(ESCAPE_ID);
    }

    fn reinstate(&mut self, id: PackingId) {
        if id < ESCAPE_ID {
            self.retired &= !(1 << id);
        }
    }

    /// Gives the states of one packing keys of another, or of one with wider references that replaces it meanwhile. If
    /// there are too many nodes, some states have keys of the packing in the error.
    fn rewrite_keys(&mut self, from: PackingId, mut to: PackingId) -> Result<(), PackingId> {
        let (mut old, mut new) = (self.blank_parent_by_id(from), self.blank_parent_by_id(to));
        if let Some(shuffle) = old.packing.key_shuffle(&new.packing) {
            self.shuffle_keys(from, to, &shuffle);
            return Ok(());
        }
        for id in self.roots.ids().into_iter().flatten() {
            let key = self.roots.get(id);
            if key::packing_id(key) != from {
                continue;
            }
            old.load(key, &UncachedNodes { store: self, if_new: IfNew::Add });
            let key = loop {
                let mut nodes = UncachedNodes { store: self, if_new: IfNew::Add };
                match new.successor_key(old.state(), Changed::Anywhere, &mut nodes) {
                    Ok(key) => break key,
                    Err(NoKey::TableFull) if self.grow_nodes() => {}
                    Err(NoKey::WideReference) if self.widen_references(to) => {
                        to = self.packings().newest(old.state().len()).expect("a known length").id;
                        new = self.blank_parent_by_id(to);
                    }
                    Err(NoKey::TableFull | NoKey::WideReference) => return Err(to),
                    Err(NoKey::UnknownValue) => unreachable!("the values of these states were added"),
                }
            };
            new.load(key, &UncachedNodes { store: self, if_new: IfNew::Add });
            self.roots.replace(id, key);
        }
        Ok(())
    }

    /// Gives the states of one packing keys of another whose keys have the same codes or references in other bits.
    fn shuffle_keys(&mut self, from: PackingId, to: PackingId, shuffle: &BitShuffle) {
        for id in self.roots.ids().into_iter().flatten() {
            let key = self.roots.get(id);
            if key::short_id(key) == from {
                let [low, high] = shuffle.apply(key);
                self.roots.replace(id, [low | key::id_bits(to), high]);
            }
        }
    }

    /// Grows the tables of nodes that are full. False if there are too many nodes.
    pub(super) fn grow_nodes(&mut self) -> bool {
        self.leaves.iter_mut().all(|leaves| !leaves.is_full() || leaves.grow(self.threads))
            && self.quads.iter_mut().all(|quads| !quads.is_full() || quads.grow(self.threads))
            && self.pairs.iter_mut().all(|pairs| !pairs.is_full() || pairs.grow(self.threads))
    }
}

#[cfg(test)]
mod tests {
    use homing_core::StateId;

    use super::*;
    use crate::{Interned, Keys, LoadById, LoadByKey, NeedsGrowth, Store};

    /// Adds so many states, or as many as there is room for.
    fn fill(store: &mut TreeStore, count: usize) -> Vec<Vec<u8>> {
        let mut random = fastrand::Rng::with_seed(5);
        let (mut cursor, mut states) = (store.cursor(), Vec::new());
        while states.len() < count {
            let state: Vec<u8> = (0..60).map(|at| if at % 2 == 0 { random.u8(..4) } else { 9 }).collect();
            loop {
                let key = store.key(&mut cursor, &state, Changed::Anywhere);
                match key.and_then(|key| store.intern(&mut cursor, key, &state)) {
                    Ok(interned) => break assert_eq!(interned, Interned::New(StateId(states.len() as u32))),
                    Err(NeedsGrowth) if store.grow(1) => {}
                    Err(NeedsGrowth) => return states,
                }
            }
            states.push(state);
        }
        states
    }

    #[test]
    fn a_store_without_room_for_other_nodes_keeps_the_states_it_has() {
        let mut store = TreeStore::new();
        let first_capacity = store.capacity() as usize;
        fill(&mut store, first_capacity);
        let packings = store.packing_count();
        let mut store = TreeStore::new();
        store.max_leaves = first_capacity as u32 * 2 / 3;
        let states = fill(&mut store, first_capacity + 76);
        assert_eq!((states.len(), store.packing_count()), (first_capacity, packings + 1), "another packing was tried");
        let (mut cursor, mut out) = (store.cursor(), Vec::new());
        for (at, state) in states.iter().enumerate() {
            let id = StateId(at as u32);
            store.load(&mut cursor, id, &mut out);
            assert_eq!(&out, state);
            let key = store.key(&mut cursor, state, Changed::Anywhere).expect("nothing is new");
            assert_eq!(store.find(key, state), Some(Interned::Known(id)));
        }
    }

    #[test]
    fn keys_from_before_references_were_made_wider_are_good_when_leaves_take_more_values() {
        let mut random = fastrand::Rng::with_seed(8);
        let (mut store, mut out) = (TreeStore::new(), Vec::new());
        let mut cursor = store.cursor();
        let mut add = |store: &mut TreeStore, state: &[u8]| loop {
            let key = store.key(&mut cursor, state, Changed::Anywhere);
            match key.and_then(|key| store.intern(&mut cursor, key, state).map(|_| key)) {
                Ok(key) => break key,
                Err(NeedsGrowth) => assert!(store.grow(1)),
            }
        };
        let mut state = || (0..120).map(|_| random.u8(..2)).collect::<Vec<_>>();
        let mut held = Vec::new();
        let is_wider = |store: &TreeStore| {
            let (packings, last) = (store.packings(), store.packing_count() as u32 - 1);
            last > 0 && packings.get(last).has_same_tables(packings.get(last - 1))
        };
        while store.packing_count() == 0 || !is_wider(&store) {
            let state = state();
            let key = add(&mut store, &state);
            held.push((key, state)); // by the packing for any state, by the next one, and by that with wider references
        }
        let (before, packings, mut value) = (store.generation, store.packing_count(), 1);
        while store.generation == before {
            value += 1;
            let state = [&[value], &state()[1..]].concat();
            held.push((add(&mut store, &state), state));
        }
        assert_eq!(store.packing_count(), packings);
        for (key, state) in held {
            store.load_by_key(&mut cursor_of(&store), key, &mut out);
            assert_eq!(out, state);
            assert!(store.find(key, &state).is_some());
        }
    }

    /// A cursor with the first state as parent.
    fn cursor_of(store: &TreeStore) -> <TreeStore as Keys>::Cursor {
        let mut cursor = store.cursor();
        store.load(&mut cursor, StateId(0), &mut Vec::new());
        cursor
    }
}
