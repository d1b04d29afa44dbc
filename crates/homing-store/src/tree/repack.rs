//! New packings for states that are there already: whoever makes them has the store for himself.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, PoisonError};

use homing_core::Changed;

use crate::table::Table;
use crate::tree::bit_shuffle::Moves;
use crate::tree::dictionary::Codes;
use crate::tree::key::{self as root, FAR_CLASS, MOST_NODES, REF_BITS};
use crate::tree::nodes::Unmet;
use crate::tree::packed_parent::Missing;
use crate::tree::packing::{Outgrown, Packing, Tables};
use crate::tree::packings::{Classes, note};
use crate::tree::{TreeStore, Wanted};

/// As many states of a length tell what its bytes are used for.
const ENOUGH: u32 = 200;

/// Packing more states than that anew is a matter of milliseconds.
const MANY: u32 = 1 << 18;

/// So many bits more than it needs a reference has at least when it is made wider.
const SLACK: u32 = 0;

impl TreeStore {
    fn classes_mut(&mut self) -> &mut Classes {
        self.classes.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes room for the values that are wanted, and if states are to be `counted`, packs those of lengths that there
    /// are enough of. False if there are too many nodes.
    pub(crate) fn repack(&mut self, counted: bool) -> bool {
        let mut values: BTreeMap<usize, Vec<(usize, u8)>> = BTreeMap::new();
        let mut references = BTreeSet::new();
        for wanted in self.wanted.get_mut().unwrap_or_else(PoisonError::into_inner).drain(..) {
            match wanted {
                Wanted::Value { length, at, value } => values.entry(length).or_default().push((at, value)),
                Wanted::Reference { class } => _ = references.insert(class),
            }
        }
        if !references.into_iter().all(|class| self.widen_references(class)) {
            return false;
        }
        for (length, wanted) in values {
            let mut codes = self.classes().newest(length).expect("it wants a value").codes();
            let counts = wanted.iter().map(|&(at, _)| codes[at].count()).collect();
            let outgrown = Outgrown { counts, are_many: self.roots.len() > MANY };
            wanted.iter().for_each(|&(at, value)| note(&mut codes[at], value));
            if !self.renew(length, codes, &outgrown) {
                return false;
            }
        }
        if !counted {
            return true;
        }
        self.frequent_raw().into_iter().all(|class| {
            let codes = self.codes_of(class);
            self.renew(codes.len(), codes, &Outgrown::default())
        })
    }

    /// The classes that would better be packed.
    fn frequent_raw(&mut self) -> Vec<u32> {
        let numbers = self.roots.ids();
        let classes = self.classes();
        let raw: Vec<bool> = (0..classes.count() as u32).map(|class| classes.can_improve(class)).collect();
        if !raw.contains(&true) {
            return Vec::new();
        }
        let mut counts = vec![0; raw.len()];
        for number in numbers.into_iter().flatten() {
            counts[root::class(self.roots.get(number)) as usize] += 1;
        }
        let frequent = raw.iter().zip(counts).enumerate().filter(|&(_, (raw, count))| *raw && count >= ENOUGH);
        frequent.map(|(class, _)| class as u32).collect()
    }

    /// The values in the states of a class, of which there are some.
    fn codes_of(&mut self, class: u32) -> Vec<Arc<Codes>> {
        let mut board = self.board(class);
        let mut codes: Vec<Arc<Codes>> = Vec::new();
        let mut before: Vec<u8> = Vec::new();
        for number in self.roots.ids().into_iter().flatten() {
            let key = self.roots.get(number);
            if root::class(key) != class {
                continue;
            }
            board.put(key, &Unmet { store: self, adds: false });
            if codes.is_empty() {
                codes = self.classes_mut().constants(board.state());
                before = board.state().to_vec();
            }
            for (at, &value) in board.state().iter().enumerate() {
                if before[at] != value {
                    note(&mut codes[at], value);
                    before[at] = value;
                }
            }
        }
        codes
    }

    /// Packs all states of a length anew. False, and nothing is changed, if there are too many nodes.
    fn renew(&mut self, length: usize, codes: Vec<Arc<Codes>>, outgrown: &Outgrown) -> bool {
        let before = self.classes().newest(length).expect("a known length").clone();
        let [leaves, pairs, wide] = [self.leaves.len(), self.pairs.len(), self.wide.len()].map(|len| len as u32);
        let tables = Tables::From { leaves, pairs, wide };
        let bits = if before.has_own_tables() { self.reference_bits(&before).into_iter().max() } else { None };
        let newest = self.classes_mut().renew(length, codes, outgrown, (tables, bits.unwrap_or(0)));
        if Arc::ptr_eq(&before, &newest) {
            return true;
        }
        *self.packed_by.get_mut() += newest.memory();
        if newest.class == before.class {
            *self.packed_by.get_mut() -= before.memory();
            self.loosen(&before, &newest);
            return true;
        }
        if newest.has_own_tables() {
            let [pairs, wide] = newest.shape.inner_counts();
            self.leaves.extend((0..newest.leaves()).map(|_| Table::new(self.most_leaves)));
            self.pairs.extend((0..pairs).map(|_| Table::new(MOST_NODES)));
            self.wide.extend((0..wide).map(|_| Table::new(MOST_NODES)));
        }
        self.replace(&before, &newest)
    }

    /// Makes the keys of a class wider, which has references that there is no room for. False if there are too many nodes.
    fn widen_references(&mut self, class: u32) -> bool {
        let before = self.classes().packing(class).clone();
        if self.classes().newest(before.length()).is_none_or(|newest| newest.class != class) {
            return true; // there are no new keys of it
        }
        let bits = self.reference_bits(&before);
        let wider = self.classes_mut().widen_references(class, &bits);
        *self.packed_by.get_mut() += wider.memory();
        self.replace(&before, &wider)
    }

    /// How many bits the references of a tree need, and a few more.
    fn reference_bits(&self, packing: &Packing) -> Vec<u8> {
        let len = |node: u32| match (node as usize).checked_sub(packing.leaves()) {
            None => self.leaves[packing.table(node as usize) as usize].len(),
            Some(inner) if packing.shape.inner[inner].count == 2 => {
                self.pairs[packing.inner_table(inner) as usize].len()
            }
            Some(inner) => self.wide[packing.inner_table(inner) as usize].len(),
        };
        let bits = |node: &u32| (u32::BITS - len(*node).leading_zeros() + SLACK).min(REF_BITS) as u8;
        packing.shape.top[..packing.shape.quarters()].iter().map(bits).collect()
    }

    /// Moves the bits of leaves whose bytes have more values. Keys stay as they are.
    fn loosen(&mut self, before: &Packing, after: &Packing) {
        for leaf in 0..after.leaves() {
            let moves = before.moves_in_leaf(after, leaf);
            if !moves.is_nothing() {
                let leaves = &mut self.leaves[after.table(leaf) as usize];
                (0..leaves.len()).for_each(|number| leaves.replace(number, moves.apply(leaves.get(number))));
                leaves.rebuild_index(self.threads);
            }
        }
        self.generation += 1;
    }

    /// Gives all states of one packing keys of another, which is the newest. False, and nothing is changed, if there are too
    /// many nodes.
    fn replace(&mut self, before: &Packing, after: &Packing) -> bool {
        self.retire(before.class);
        self.bring_back(after.class); // it may be the one for any state, which was retired once
        self.generation += 1;
        if let Err(after) = self.rewrite(before.class, after.class) {
            self.classes_mut().set_newest(before.length(), before.class);
            let is_back = self.rewrite(after, before.class).is_ok();
            debug_assert!(is_back, "the nodes are still there");
            self.retire(after);
            self.bring_back(before.class);
            self.shortcuts = self.find_shortcuts();
            self.roots.rebuild_index(self.threads);
            return false;
        }
        self.shortcuts = self.find_shortcuts();
        let newest = self.classes().newest(before.length()).expect("a known length").class;
        self.roots.reindex(self.threads, |key| root::class(key) == newest);
        true
    }

    fn find_shortcuts(&self) -> Vec<Option<(Moves, u32)>> {
        let classes = self.classes();
        let shortcut = |class: u32| {
            let packing = classes.packing(class);
            let newest = classes.newest(packing.length()).filter(|newest| newest.class != class)?;
            packing.moves(newest).map(|moves| (moves, newest.class))
        };
        (0..FAR_CLASS.min(classes.count() as u32)).map(shortcut).collect()
    }

    fn retire(&mut self, class: u32) {
        self.retired |= 1 << class.min(FAR_CLASS);
    }

    fn bring_back(&mut self, class: u32) {
        if class < FAR_CLASS {
            self.retired &= !(1 << class);
        }
    }

    /// Gives the states of one class keys of another, or of one with wider references in its place. If there are too many
    /// nodes some have keys of the latter, which is told.
    fn rewrite(&mut self, from: u32, mut to: u32) -> Result<(), u32> {
        let (mut old, mut new) = (self.board(from), self.board(to));
        if let Some(moves) = old.packing.moves(&new.packing) {
            self.move_bits(from, to, &moves);
            return Ok(());
        }
        for number in self.roots.ids().into_iter().flatten() {
            let key = self.roots.get(number);
            if root::class(key) != from {
                continue;
            }
            old.put(key, &Unmet { store: self, adds: true });
            let key = loop {
                match new.after(old.state(), Changed::Anywhere, &mut Unmet { store: self, adds: true }) {
                    Ok(key) => break key,
                    Err(Missing::Room) if self.grow_nodes() => {}
                    Err(Missing::Reference) if self.widen_references(to) => {
                        to = self.classes().newest(old.state().len()).expect("a known length").class;
                        new = self.board(to);
                    }
                    Err(Missing::Room | Missing::Reference) => return Err(to),
                    Err(Missing::Code) => unreachable!("what these states have was noted"),
                }
            };
            new.put(key, &Unmet { store: self, adds: true });
            self.roots.replace(number, key);
        }
        Ok(())
    }

    /// The same for classes whose keys have the same in other places.
    fn move_bits(&mut self, from: u32, to: u32, moves: &Moves) {
        for number in self.roots.ids().into_iter().flatten() {
            let key = self.roots.get(number);
            if root::near_class(key) == from {
                let [low, high] = moves.apply(key);
                self.roots.replace(number, [low | root::class_bits(to), high]);
            }
        }
    }

    /// Makes room for nodes where there is none. False if there are too many.
    pub(crate) fn grow_nodes(&mut self) -> bool {
        self.leaves.iter_mut().all(|leaves| !leaves.is_full() || leaves.grow(self.threads))
            && self.wide.iter_mut().all(|wide| !wide.is_full() || wide.grow(self.threads))
            && self.pairs.iter_mut().all(|pairs| !pairs.is_full() || pairs.grow(self.threads))
    }
}

#[cfg(test)]
mod tests {
    use homing_core::StateId;

    use super::*;
    use crate::{Interned, Keys, LoadById, LoadByKey, NeedsGrowth, Store};

    /// Enters so many states, or as many as there is room for.
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
        fill(&mut store, 1024);
        let packings = store.packings();
        let mut store = TreeStore::new();
        store.most_leaves = 700;
        let states = fill(&mut store, 1100);
        assert_eq!((states.len(), store.packings()), (1024, packings + 1), "it was tried");
        let (mut cursor, mut out) = (store.cursor(), Vec::new());
        for (number, state) in states.iter().enumerate() {
            let id = StateId(number as u32);
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
        let mut enter = |store: &mut TreeStore, state: &[u8]| loop {
            let key = store.key(&mut cursor, state, Changed::Anywhere);
            match key.and_then(|key| store.intern(&mut cursor, key, state).map(|_| key)) {
                Ok(key) => break key,
                Err(NeedsGrowth) => assert!(store.grow(1)),
            }
        };
        let mut state = || (0..120).map(|_| random.u8(..2)).collect::<Vec<_>>();
        let mut held = Vec::new();
        let is_wider = |store: &TreeStore| {
            let (classes, last) = (store.classes(), store.packings() as u32 - 1);
            last > 0 && classes.packing(last).has_same_tables(classes.packing(last - 1))
        };
        while store.packings() == 0 || !is_wider(&store) {
            let state = state();
            let key = enter(&mut store, &state);
            held.push((key, state)); // of any state, packed, and with wider references
        }
        let (before, packings, mut value) = (store.generation, store.packings(), 1);
        while store.generation == before {
            value += 1;
            let state = [&[value], &state()[1..]].concat();
            held.push((enter(&mut store, &state), state));
        }
        assert_eq!(store.packings(), packings);
        for (key, state) in held {
            store.load_by_key(&mut cursor_of(&store), key, &mut out);
            assert_eq!(out, state);
            assert!(store.find(key, &state).is_some());
        }
    }

    /// A cursor that knows nothing yet.
    fn cursor_of(store: &TreeStore) -> <TreeStore as Keys>::Cursor {
        let mut cursor = store.cursor();
        store.load(&mut cursor, StateId(0), &mut Vec::new());
        cursor
    }
}
