//! New packings for states that are there already: whoever makes them has the store for himself.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use homing_core::Changed;

use crate::board::Missing;
use crate::classes::{Classes, note};
use crate::codes::Codes;
use crate::nodes::Unmet;
use crate::packing;
use crate::root::{self, FAR_CLASS};
use crate::tree::{TreeStore, Wanted};

/// As many states of a length tell what its bytes are used for, if they are keys when they are packed.
const ENOUGH: u32 = 200;

/// The same for trees, of which a packing that was outgrown leaves nodes behind.
const ENOUGH_FOR_TREES: u32 = 200;

impl TreeStore {
    fn classes_mut(&mut self) -> &mut Classes {
        self.classes.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes room for the values that are wanted, and if states are to be `counted`, packs those of lengths that there
    /// are enough of. False if there are too many nodes.
    pub(crate) fn repack(&mut self, counted: bool) -> bool {
        let mut by_length: BTreeMap<usize, Vec<Wanted>> = BTreeMap::new();
        for wanted in self.wanted.get_mut().unwrap_or_else(PoisonError::into_inner).drain(..) {
            by_length.entry(wanted.length).or_default().push(wanted);
        }
        for (length, wanted) in by_length {
            let mut codes = self.classes().newest(length).expect("it wants a value").codes();
            let outgrown = wanted.iter().map(|wanted| codes[wanted.at].count()).collect();
            wanted.iter().for_each(|&Wanted { at, value, .. }| note(&mut codes[at], value));
            if !self.renew(length, codes, outgrown) {
                return false;
            }
        }
        if !counted {
            return true;
        }
        self.frequent_raw().into_iter().all(|(class, count)| {
            let codes = self.codes_of(class);
            let is_clear = count >= ENOUGH_FOR_TREES || packing::is_inline(&codes);
            !is_clear || self.renew(codes.len(), codes, Vec::new())
        })
    }

    /// The classes that would better be packed, each with the number of its states.
    fn frequent_raw(&self) -> Vec<(u32, u32)> {
        let classes = self.classes();
        let raw: Vec<bool> = (0..classes.count() as u32).map(|class| classes.can_improve(class)).collect();
        let mut counts = vec![0; raw.len()];
        (0..self.roots.len()).for_each(|number| counts[root::class(self.roots.get(number)) as usize] += 1);
        let frequent = raw.iter().zip(counts).enumerate().filter(|&(_, (raw, count))| *raw && count >= ENOUGH);
        frequent.map(|(class, (_, count))| (class as u32, count)).collect()
    }

    /// The values in the states of a class, of which there are some.
    fn codes_of(&mut self, class: u32) -> Vec<Arc<Codes>> {
        let mut board = self.board(class);
        let mut codes: Vec<Arc<Codes>> = Vec::new();
        let mut before: Vec<u8> = Vec::new();
        for number in 0..self.roots.len() {
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
    fn renew(&mut self, length: usize, codes: Vec<Arc<Codes>>, outgrown: Vec<usize>) -> bool {
        let before = self.classes().newest(length).expect("a known length").class;
        let newest = self.classes_mut().renew(length, codes, outgrown);
        let after = newest.class;
        if after == before {
            return true;
        }
        *self.packed_by.get_mut() += newest.memory();
        let bit = |class: u32| (class.min(FAR_CLASS) as usize / 64, 1 << (class.min(FAR_CLASS) % 64));
        let (word, mask) = bit(before);
        self.retired[word] |= mask;
        let (word, mask) = bit(after);
        if after < FAR_CLASS {
            self.retired[word] &= !mask; // it may be the one for any state, which was retired once
        }
        self.generation += 1;
        let is_done = self.rewrite(before, after);
        if !is_done {
            self.classes_mut().set_newest(length, before);
            let is_back = self.rewrite(after, before);
            debug_assert!(is_back, "the nodes are still there");
            let ((word, mask), (old_word, old_mask)) = (bit(after), bit(before));
            self.retired[word] |= mask;
            if before < FAR_CLASS {
                self.retired[old_word] &= !old_mask;
            }
        }
        self.roots.index_anew();
        is_done
    }

    /// Gives the states of one class keys of another. False if there are too many nodes.
    fn rewrite(&mut self, from: u32, to: u32) -> bool {
        let (mut old, mut new) = (self.board(from), self.board(to));
        if let Some(moves) = old.packing.moves(&new.packing) {
            self.move_bits(from, to, &moves);
            return true;
        }
        for number in 0..self.roots.len() {
            let key = self.roots.get(number);
            if root::class(key) != from {
                continue;
            }
            old.put(key, &Unmet { store: self, adds: true });
            let key = loop {
                match new.after(old.state(), Changed::Anywhere, &mut Unmet { store: self, adds: true }) {
                    Ok(key) => break key,
                    Err(Missing::Room) if self.grow_nodes() => {}
                    Err(Missing::Room) => return false,
                    Err(Missing::Code) => unreachable!("what these states have was noted"),
                }
            };
            new.put(key, &Unmet { store: self, adds: true });
            self.roots.replace(number, key);
        }
        true
    }

    /// The same for classes whose keys are packed states with the same codes.
    fn move_bits(&mut self, from: u32, to: u32, moves: &[(u64, u32)]) {
        for number in 0..self.roots.len() {
            let key = self.roots.get(number);
            if root::near_class(key) == from {
                let moved = moves.iter().map(|&(mask, left)| (key & mask).rotate_left(left));
                let moved = moved.fold(root::class_bits(to), |all, moved| all | moved);
                self.roots.replace(number, moved);
            }
        }
    }

    /// Makes room for nodes where there is none. False if there are too many.
    pub(crate) fn grow_nodes(&mut self) -> bool {
        (!self.leaves.is_full() || self.leaves.grow())
            && (!self.wide.is_full() || self.wide.grow())
            && (!self.pairs.is_full() || self.pairs.grow())
    }
}

#[cfg(test)]
mod tests {
    use homing_core::StateId;

    use super::*;
    use crate::table::Table;
    use crate::{Full, Interned, Store};

    /// Enters so many states, or as many as there is room for.
    fn fill(store: &mut TreeStore, count: usize) -> Vec<Vec<u8>> {
        let mut random = fastrand::Rng::with_seed(5);
        let (mut desk, mut states) = (Default::default(), Vec::new());
        while states.len() < count {
            let state: Vec<u8> = (0..60).map(|at| if at % 2 == 0 { random.u8(..4) } else { 9 }).collect();
            loop {
                let key = store.key(&mut desk, &state, Changed::Anywhere);
                match key.and_then(|key| store.intern(key, &state)) {
                    Ok(interned) => break assert_eq!(interned, Interned::New(StateId(states.len() as u32))),
                    Err(Full) if store.grow() => {}
                    Err(Full) => return states,
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
        let (nodes, packings) = (store.leaves.len(), store.packings());
        let mut store = TreeStore::new();
        store.leaves = Table::new(nodes + 700);
        let states = fill(&mut store, 1100);
        assert_eq!((states.len(), store.packings()), (1024, packings + 1), "it was tried");
        let (mut desk, mut out) = (Default::default(), Vec::new());
        for (number, state) in states.iter().enumerate() {
            let id = StateId(number as u32);
            store.open(&mut desk, id, &mut out);
            assert_eq!(&out, state);
            let key = store.key(&mut desk, state, Changed::Anywhere).expect("nothing is new");
            assert_eq!(store.find(key, state), Some(Interned::Known(id)));
        }
    }
}
