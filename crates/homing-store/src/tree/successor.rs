//! The key of a successor, made from its packed parent: only what the step changed is packed again, and only the path
//! from each changed leaf to the root is looked up again (Laarman, van de Pol & Weber 2011, §3).
//!
//! Every state that a search generates passes through here once, so numbers that come from the packing are not checked;
//! the invariants in `packed_parent.rs` say why they need not be.

use homing_core::{Changed, State, Written};

use crate::NeedsGrowth;
use crate::dirty::DirtySet;
use crate::tree::dictionary::UNKNOWN;
use crate::tree::differences::{for_each_change, for_each_difference};
use crate::tree::key::{self, NoKey, TreeKey};
use crate::tree::layout::{BitRange, LEAF_WORDS};
use crate::tree::nodes::Nodes;
use crate::tree::packed_parent::{PackedParent, leaf_of, leaf_of_mut, with_dirty_sets};
use crate::tree::shape::{Inner, NO_PARENT, Shape, TOP_NODES};

impl PackedParent {
    /// The key of a successor of the same length.
    #[inline]
    pub fn successor_key(
        &mut self,
        state: &State,
        changed: Changed<'_>,
        nodes: &mut impl Nodes,
    ) -> Result<TreeKey, NoKey> {
        debug_assert_eq!(state.len(), self.bytes.len());
        match changed {
            _ if !self.packing.is_inline => self.tree_key(state, changed, nodes),
            Changed::At(writes) => self.inline_key(state, writes).ok_or(NoKey::UnknownValue),
            Changed::Anywhere => self.inline_key_by_comparing(state),
        }
    }

    /// The key of a successor by these writes if the packing is inline; `None` if a value is in no dictionary. Most
    /// keys of small models are made here.
    #[inline(always)]
    pub fn inline_key(&self, state: &State, writes: &[Written]) -> Option<TreeKey> {
        assert_eq!(state.len(), self.bytes.len());
        // SAFETY: there is at least one word.
        let (fields, mut word, mut seen) = (&*self.packing.fields, unsafe { *self.words.get_unchecked(0) }, 0);
        for write in writes {
            for_each_difference(write, &self.bytes, state, |byte| {
                // SAFETY: `byte` is below the length of the state, which has as many bytes as there are fields.
                let (field, value) = unsafe { (fields.get_unchecked(byte), *state.get_unchecked(byte)) };
                field.write(value, &mut word, &mut seen);
            });
        }
        (seen & UNKNOWN == 0).then_some([word, 0])
    }

    /// The key of a successor by these writes if the packing is flat and there is a parent.
    #[inline(never)]
    pub fn flat_key(&mut self, state: &State, writes: &[Written], nodes: &mut impl Nodes) -> Result<TreeKey, NoKey> {
        assert_eq!(state.len(), self.bytes.len());
        let PackedParent { packing, bytes, words, next_words, key, .. } = self;
        let (fields, mut changed, mut seen) = (&*packing.fields, 0u32, 0);
        for write in writes {
            for_each_difference(write, bytes, state, |byte| {
                // SAFETY: `byte` is below the length of the state, which has as many bytes as there are fields.
                let (field, value) = unsafe { (fields.get_unchecked(byte), *state.get_unchecked(byte)) };
                // SAFETY: the word of a field is one of a leaf.
                field.write(value, unsafe { next_words.get_unchecked_mut(field.word as usize) }, &mut seen);
                changed |= 1 << (field.word as usize / LEAF_WORDS);
            });
        }
        let (mut key, mut error) = (*key, (seen & UNKNOWN != 0).then_some(NoKey::UnknownValue));
        while changed != 0 {
            let leaf = changed.trailing_zeros() as usize;
            changed &= changed - 1;
            let before = *leaf_of(words, leaf);
            let words = std::mem::replace(leaf_of_mut(next_words, leaf), before);
            if error.is_some() || words == before {
                continue; // the words have to be restored in any case
            }
            match nodes.leaf(packing.leaf_table(leaf), words) {
                Err(NeedsGrowth) => error = Some(NoKey::TableFull),
                Ok(reference) => {
                    let BitRange { word, shift, bits } = packing.refs[leaf % TOP_NODES];
                    if reference >> bits != 0 {
                        error = Some(NoKey::WideReference);
                    }
                    let word = &mut key[word as usize % 2];
                    *word = *word & !(((1 << bits) - 1) << shift) | u64::from(reference) << shift;
                }
            }
        }
        error.map_or(Ok(key), Err)
    }

    /// The key of a state of the same length if the packing is inline and it is unknown what a step wrote.
    #[inline(never)]
    fn inline_key_by_comparing(&self, state: &State) -> Result<TreeKey, NoKey> {
        let (mut word, mut seen) = (self.words[0], 0);
        for_each_change(Changed::Anywhere, &self.bytes, state, |byte| {
            self.packing.fields[byte].write(state[byte], &mut word, &mut seen);
        });
        if seen & UNKNOWN == 0 { Ok([word, 0]) } else { Err(NoKey::UnknownValue) }
    }

    /// The key of a successor if the packing has leaves.
    #[inline(never)]
    fn tree_key(&mut self, state: &State, changed: Changed<'_>, nodes: &mut impl Nodes) -> Result<TreeKey, NoKey> {
        let top = with_dirty_sets!(self, successor_top, state, changed, nodes);
        let key = top.and_then(|top| key::from_top(top, &self.packing, nodes));
        if key.is_err() {
            self.dirty.clear();
            self.next_words.copy_from_slice(&self.words);
        }
        key
    }

    /// Packs what the step changed into `next_words`, and marks the leaves to be looked up again.
    #[inline(always)]
    fn pack_changes<D: DirtySet>(&mut self, dirty: &mut D, state: &State, changed: Changed<'_>) -> Result<(), NoKey> {
        let PackedParent { packing, bytes, next_words, is_blank, .. } = self;
        let fields = &packing.fields[..state.len()]; // then one bounds check is enough for both
        let mut seen = 0;
        for_each_change(changed, bytes, state, |byte| {
            let field = &fields[byte];
            // SAFETY: the word of a field is one of a leaf.
            field.write(state[byte], unsafe { next_words.get_unchecked_mut(field.word as usize) }, &mut seen);
            dirty.mark(field.word as usize / LEAF_WORDS);
        });
        if seen & UNKNOWN != 0 {
            return Err(NoKey::UnknownValue);
        }
        if *is_blank {
            (0..packing.leaves()).for_each(|leaf| dirty.mark(leaf));
        }
        Ok(())
    }

    /// The references to the top nodes of a successor. `dirty` and `written` are empty; `written` is left so. After an
    /// error `next_words` is not restored.
    #[inline(always)]
    fn successor_top<D: DirtySet>(
        &mut self,
        mut dirty: D,
        mut written: D,
        state: &State,
        changed: Changed<'_>,
        nodes: &mut impl Nodes,
    ) -> Result<[u32; TOP_NODES], NoKey> {
        self.pack_changes(&mut dirty, state, changed)?;
        let PackedParent { packing, words, next_words, refs, next_refs, is_blank, .. } = self;
        let Shape { leaf_parents, inner, top, .. } = &packing.shape;
        let mut made = Ok(());
        while let Some(node) = dirty.take_first() {
            let (reference, parent) = if node < leaf_parents.len() {
                let before = *leaf_of(words, node);
                let words = std::mem::replace(leaf_of_mut(next_words, node), before);
                if words == before && !*is_blank {
                    continue; // it was written, but not changed
                }
                // SAFETY: `node` is a leaf.
                (nodes.leaf(packing.leaf_table(node), words), unsafe { *leaf_parents.get_unchecked(node) })
            } else {
                let table = packing.inner_table(node - leaf_parents.len());
                // SAFETY: a node of the shape that is no leaf is an inner node.
                let inner = unsafe { inner.get_unchecked(node - leaf_parents.len()) };
                // SAFETY: children are nodes of the shape, and each has a reference.
                (unsafe { inner_reference(inner, table, next_refs, nodes) }, inner.parent)
            };
            let Ok(reference) = reference else {
                made = Err(NoKey::TableFull);
                break;
            };
            // SAFETY: only nodes of the shape are marked, and each has a reference.
            unsafe { *next_refs.get_unchecked_mut(node) = reference };
            written.mark(node);
            if parent != NO_PARENT {
                dirty.mark(parent as usize);
            }
        }
        // SAFETY: top nodes are nodes of the shape.
        let top = top.map(|node| unsafe { *next_refs.get_unchecked(node as usize) });
        while let Some(node) = written.take_first() {
            // SAFETY: only nodes of the shape are marked, and each has a reference in both arrays.
            unsafe { *next_refs.get_unchecked_mut(node) = *refs.get_unchecked(node) };
        }
        made.map(|()| top)
    }
}

/// The reference to an inner node, given those to all nodes.
///
/// # Safety
/// `refs` has an entry for each child of the node.
#[inline(always)]
unsafe fn inner_reference(inner: &Inner, table: u32, refs: &[u32], nodes: &mut impl Nodes) -> Result<u32, NeedsGrowth> {
    let both = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
    // SAFETY: the caller promises it.
    let of = |child: u32| unsafe { *refs.get_unchecked(child as usize) };
    let [a, b, c, d] = inner.children;
    let low = both(of(a), of(b));
    match inner.count {
        2 => nodes.pair(table, low),
        3 => nodes.quad(table, [low, both(of(c), 0)]),
        _ => nodes.quad(table, [low, both(of(c), of(d))]),
    }
}
