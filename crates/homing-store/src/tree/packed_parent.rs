//! The state that one thread expands, packed: the words of its leaves, and the reference to each node of its tree.
//!
//! This file loads a state by its key; `successor.rs` makes the keys of its successors.
//!
//! Invariants, which unchecked indexing relies on. They hold because all arrays are made by [`PackedParent::new`] for
//! the packing, which never changes:
//! - `refs` and `next_refs` have an entry for each node of the packing's shape; the parents, children and top nodes of
//!   the shape, and the numbers in dirty sets of nodes, are such nodes;
//! - `words` and `next_words` have an entry for each word of each leaf, of which there is at least one; the words of
//!   the packing's fields are such words;
//! - `bytes` has as many bytes as the packing has fields.

use std::sync::Arc;

use homing_core::State;

use crate::dirty::{DirtyBits, DirtySet};
use crate::tree::dictionary::UNKNOWN;
use crate::tree::key::{self, TreeKey};
use crate::tree::layout::LEAF_WORDS;
use crate::tree::nodes::Nodes;
use crate::tree::packing::Packing;
use crate::tree::shape::{Inner, Shape, TOP_NODES};

/// A packed state with its tree.
#[derive(Debug)]
pub(crate) struct PackedParent {
    pub packing: Arc<Packing>,
    /// The store's generation when the packing was last known to be the newest of its length.
    pub generation: u64,
    /// The state itself.
    pub(super) bytes: Vec<u8>,
    /// The words of the leaves, one leaf after the other.
    pub(super) words: Vec<u64>,
    /// The words of a successor; equal to `words` between two calls. Not in use if the packing is inline.
    pub(super) next_words: Vec<u64>,
    /// The reference to each node; [`NO_REFERENCE`] as long as no state was loaded.
    pub(super) refs: Vec<u32>,
    /// The references of a successor; equal to `refs` between two calls.
    pub(super) next_refs: Vec<u32>,
    /// No state was loaded yet: the state is the packing's template, and has no references and no key.
    pub(super) is_blank: bool,
    pub(super) key: TreeKey,
    /// Nodes to be computed; empty between two calls.
    pub(super) dirty: DirtyBits,
    /// Nodes whose reference in `next_refs` was written; empty between two calls.
    pub(super) written: DirtyBits,
}

const NO_REFERENCE: u32 = u32::MAX;

/// The words of a leaf.
#[inline]
pub(super) fn leaf_of(words: &[u64], leaf: usize) -> &[u64; LEAF_WORDS] {
    words[LEAF_WORDS * leaf..].first_chunk().expect("all words of a leaf are there")
}

#[inline]
pub(super) fn leaf_of_mut(words: &mut [u64], leaf: usize) -> &mut [u64; LEAF_WORDS] {
    words[LEAF_WORDS * leaf..].first_chunk_mut().expect("all words of a leaf are there")
}

/// Calls a method with two dirty sets of the smallest kind that has room for all nodes: small sets are registers.
macro_rules! with_dirty_sets {
    ($parent:ident, $method:ident $(, $argument:expr)*) => {
        match $parent.refs.len() {
            0..=64 => $parent.$method(0u64, 0u64 $(, $argument)*),
            _ => {
                let mut dirty = std::mem::take(&mut $parent.dirty);
                let mut written = std::mem::take(&mut $parent.written);
                let result = $parent.$method(&mut dirty, &mut written $(, $argument)*);
                ($parent.dirty, $parent.written) = (dirty, written);
                result
            }
        }
    };
}
pub(super) use with_dirty_sets;

impl PackedParent {
    /// A packed parent without a state.
    pub fn new(packing: Arc<Packing>, generation: u64) -> Self {
        let nodes = packing.shape.nodes();
        let (mut dirty, mut written) = (DirtyBits::default(), DirtyBits::default());
        dirty.reset(nodes);
        written.reset(nodes);
        PackedParent {
            bytes: packing.template(),
            words: packing.template_words(),
            next_words: packing.template_words(),
            refs: vec![NO_REFERENCE; nodes],
            next_refs: vec![NO_REFERENCE; nodes],
            is_blank: true,
            key: [0; 2],
            dirty,
            written,
            generation,
            packing,
        }
    }

    /// The same state, after its packing was replaced by one [with more values](Packing::with_more_values).
    pub fn repacked(self, packing: Arc<Packing>, generation: u64) -> Self {
        let mut seen = 0;
        let mut words = packing.template_words();
        for (field, &value) in packing.fields.iter().zip(&self.bytes) {
            field.write(value, &mut words[field.word as usize], &mut seen);
        }
        debug_assert_eq!(seen & UNKNOWN, 0);
        PackedParent { next_words: words.clone(), words, packing, generation, ..self }
    }

    #[inline]
    pub fn state(&self) -> &State {
        &self.bytes
    }

    /// Whether keys of states of this length are made by its packing.
    #[inline(always)]
    pub fn is_current(&self, length: usize, generation: u64) -> bool {
        self.bytes.len() == length && self.generation == generation
    }

    /// Whether there is a state, with references to leaves in its key.
    #[inline(always)]
    pub fn is_flat(&self) -> bool {
        self.packing.is_flat && !self.is_blank
    }

    /// Loads the state with a key that its packing made: whatever differs from the state before.
    #[inline]
    pub fn load(&mut self, key: TreeKey, nodes: &impl Nodes) {
        if self.packing.is_inline {
            let [word, _] = key;
            let differs = std::mem::replace(&mut self.words[0], word) ^ word;
            self.packing.decode(0, word, differs, &mut self.bytes);
        } else {
            let top = key::top(key, &self.packing, nodes);
            match self.packing.is_flat {
                true => self.load_leaves(top, nodes),
                false => with_dirty_sets!(self, load_nodes, top, nodes),
            }
        }
        (self.is_blank, self.key) = (false, key);
    }

    #[inline]
    fn load_leaves(&mut self, top: [u32; TOP_NODES], nodes: &impl Nodes) {
        for (leaf, reference) in top.into_iter().enumerate().take(self.packing.leaves()) {
            // SAFETY: leaves are nodes, of which each has a reference.
            if unsafe { *self.refs.get_unchecked(leaf) } != reference {
                (self.refs[leaf], self.next_refs[leaf]) = (reference, reference);
                let PackedParent { packing, bytes, words, next_words, .. } = self;
                let new = nodes.leaf_at(packing.leaf_table(leaf), reference);
                load_leaf((packing, bytes), (words, next_words), leaf, new);
            }
        }
    }

    #[inline(always)]
    fn load_nodes<D: DirtySet>(&mut self, mut dirty: D, _: D, top: [u32; TOP_NODES], nodes: &impl Nodes) {
        let PackedParent { packing, bytes, words, next_words, refs, next_refs, .. } = self;
        let Shape { leaf_parents, inner, .. } = &packing.shape;
        let mut set = |refs: &mut [u32], dirty: &mut D, node: u32, reference: u32| {
            let node = node as usize;
            // SAFETY: `node` is a top node or a child of the shape, and so has a reference in both arrays.
            unsafe {
                if *refs.get_unchecked(node) != reference {
                    *refs.get_unchecked_mut(node) = reference;
                    *next_refs.get_unchecked_mut(node) = reference;
                    dirty.mark(node);
                }
            }
        };
        for (node, reference) in packing.shape.top.into_iter().zip(top).take(packing.shape.top_count()) {
            set(refs, &mut dirty, node, reference);
        }
        while let Some(node) = dirty.take_last() {
            // SAFETY: only nodes of the shape are marked.
            let reference = unsafe { *refs.get_unchecked(node) };
            if node < leaf_parents.len() {
                let new = nodes.leaf_at(packing.leaf_table(node), reference);
                load_leaf((packing, bytes), (words, next_words), node, new);
                continue;
            }
            let table = packing.inner_table(node - leaf_parents.len());
            // SAFETY: a node that is no leaf is an inner node.
            let inner = unsafe { *inner.get_unchecked(node - leaf_parents.len()) };
            let Inner { children: [a, b, c, d], count, .. } = inner;
            let [low, high] = match count {
                2 => [nodes.pair_at(table, reference), 0],
                _ => nodes.quad_at(table, reference),
            };
            set(refs, &mut dirty, a, low as u32);
            set(refs, &mut dirty, b, (low >> 32) as u32);
            if count > 2 {
                set(refs, &mut dirty, c, high as u32);
            }
            if count > 3 {
                set(refs, &mut dirty, d, (high >> 32) as u32);
            }
        }
    }
}

/// Loads a leaf: its words, and the bytes that differ.
#[inline(always)]
fn load_leaf(
    (packing, bytes): (&Packing, &mut [u8]),
    (words, next_words): (&mut [u64], &mut [u64]),
    leaf: usize,
    new: [u64; LEAF_WORDS],
) {
    let before = std::mem::replace(leaf_of_mut(words, leaf), new);
    *leaf_of_mut(next_words, leaf) = new;
    for (half, (word, before)) in new.into_iter().zip(before).enumerate() {
        packing.decode(LEAF_WORDS * leaf + half, word, word ^ before, bytes);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use homing_core::Changed;

    use super::*;
    use crate::NeedsGrowth;
    use crate::sizes::size;
    use crate::tree::dictionary::Dictionary;
    use crate::tree::key::NoKey;
    use crate::tree::layout::Overflow;
    use crate::tree::packing::{Plan, Tables};

    /// Nodes of all kinds in one list.
    #[derive(Default)]
    struct Listed {
        known: HashMap<[u64; 3], u32>,
        list: Vec<[u64; 3]>,
    }

    impl Listed {
        fn reference(&mut self, node: [u64; 3]) -> Result<u32, NeedsGrowth> {
            let Listed { known, list } = self;
            Ok(*known.entry(node).or_insert_with(|| {
                list.push(node);
                list.len() as u32 - 1
            }))
        }
    }

    impl Nodes for Listed {
        fn leaf(&mut self, table: u32, [low, high]: [u64; LEAF_WORDS]) -> Result<u32, NeedsGrowth> {
            self.reference([3 * u64::from(table), low, high])
        }

        fn pair(&mut self, table: u32, children: u64) -> Result<u32, NeedsGrowth> {
            self.reference([3 * u64::from(table) + 1, children, 0])
        }

        fn quad(&mut self, table: u32, [low, high]: [u64; 2]) -> Result<u32, NeedsGrowth> {
            self.reference([3 * u64::from(table) + 2, low, high])
        }

        fn leaf_at(&self, table: u32, reference: u32) -> [u64; LEAF_WORDS] {
            let [kind, low, high] = self.list[reference as usize];
            assert_eq!(kind, 3 * u64::from(table));
            [low, high]
        }

        fn pair_at(&self, table: u32, reference: u32) -> u64 {
            let [kind, children, _] = self.list[reference as usize];
            assert_eq!(kind, 3 * u64::from(table) + 1);
            children
        }

        fn quad_at(&self, table: u32, reference: u32) -> [u64; 2] {
            let [kind, low, high] = self.list[reference as usize];
            assert_eq!(kind, 3 * u64::from(table) + 2);
            [low, high]
        }
    }

    #[test]
    fn the_state_that_is_loaded_is_the_one_the_key_was_made_for() {
        let lengths = if cfg!(miri) { vec![0, 12, 100] } else { (0..140).chain([1000, 1240, 5000]).collect() };
        for (length, id) in lengths.into_iter().flat_map(|length| [(length, 3), (length, 300)]) {
            let mut random = fastrand::Rng::with_seed(length as u64);
            let mut nodes = Listed::default();
            let dictionaries = (0..length).map(|_| {
                let dictionary = Dictionary::of(0);
                (1..4).for_each(|value| _ = dictionary.insert(value * 50, 4));
                Arc::new(dictionary)
            });
            let tables = Tables::From { leaves: 5, pairs: 2, quads: 3 };
            let plan = Plan { may_be_inline: true, tables, ref_bits: 14 };
            let packing = Arc::new(Packing::new(id, dictionaries.collect(), &Overflow::default(), plan));
            assert_eq!(packing.is_inline, id == 3 && length <= 29);
            let blank = || PackedParent::new(packing.clone(), 0);
            let mut parent = blank();
            let mut state = vec![0; length];
            for _ in 0..size(30, 3) {
                let key = parent.successor_key(&state, Changed::Anywhere, &mut nodes).unwrap();
                assert!(parent.next_refs == parent.refs && (packing.is_inline || parent.next_words == parent.words));
                assert_eq!(blank().successor_key(&state, Changed::Anywhere, &mut nodes), Ok(key));
                assert_eq!(key::packing_id(key), id);
                parent.load(key, &nodes);
                assert_eq!(parent.state(), state, "length {length}");
                assert_eq!(parent.successor_key(&state, Changed::At(&[]), &mut nodes), Ok(key));
                for _ in 0..random.usize(..3).min(length) {
                    state[random.usize(..length)] = random.u8(..4) * 50;
                }
                if length > 0 {
                    let mut strange = state.clone();
                    strange[random.usize(..length)] = 77;
                    packing.add_values(&strange, |_, _| ()); // there may be room for it
                    let made = parent.successor_key(&strange, Changed::Anywhere, &mut nodes);
                    assert!(made.is_ok() || made == Err(NoKey::UnknownValue));
                    assert!(packing.is_inline || parent.next_words == parent.words);
                }
            }
        }
    }
}
