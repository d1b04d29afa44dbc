//! The state that a thread has before it, packed: each word with its value, each node above them with its reference.
//!
//! Numbers of words and nodes come from the packing and from nowhere else, so that no index has to be checked where it
//! counts: a step is looked at here once, whatever it leads to.

use std::sync::Arc;

use homing_core::{Changed, State, Written};

use crate::NeedsGrowth;
use crate::dirty::{DirtyBits, DirtySet};
use crate::tree::dictionary::UNKNOWN;
use crate::tree::key::{self as root, Root};
use crate::tree::packing::{LEAF, Packing, Place};
use crate::tree::shape::{Node, QUARTERS, Shape, TOP};

/// Where references come from, and what they refer to.
pub(crate) trait Nodes {
    fn leaf(&mut self, table: u32, words: [u64; LEAF]) -> Result<u32, NeedsGrowth>;
    /// The references of its children are the halves of the number.
    fn pair(&mut self, table: u32, children: u64) -> Result<u32, NeedsGrowth>;
    fn wide(&mut self, table: u32, children: [u64; 2]) -> Result<u32, NeedsGrowth>;
    fn leaf_at(&self, table: u32, reference: u32) -> [u64; LEAF];
    fn pair_at(&self, table: u32, reference: u32) -> u64;
    fn wide_at(&self, table: u32, reference: u32) -> [u64; 2];
}

/// Why there is no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// For a node.
    Room,
    /// A value that came for the first time.
    Code,
    /// The key has no room for a reference.
    Reference,
}

impl From<NeedsGrowth> for Missing {
    fn from(_: NeedsGrowth) -> Self {
        Missing::Room
    }
}

/// A packed state.
#[derive(Debug)]
pub(crate) struct Board {
    pub packing: Arc<Packing>,
    /// When the packing was known to be the newest.
    pub generation: u64,
    bytes: Vec<u8>,
    /// Those of each leaf one after the other.
    words: Vec<u64>,
    /// The same for a state that came from it; equal to `words` between two calls. Of no use if there is no tree.
    next_words: Vec<u64>,
    /// By node; none yet if no state was put on the board.
    refs: Vec<u32>,
    /// The same for a state that came from it; equal to `refs` between two calls.
    next: Vec<u32>,
    is_fresh: bool,
    /// Of the state; of no use as long as there is none.
    key: Root,
    marks: DirtyBits,
    written: DirtyBits,
}

/// No reference.
const NONE: u32 = u32::MAX;

#[inline]
fn both(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

/// The place of a node or leaf.
#[inline]
fn at<T>(places: &[T], number: usize) -> &T {
    debug_assert!(number < places.len());
    // SAFETY: `Board::new` gives every array of the board as many places as the shape has nodes or leaves, of which there
    // is one, and numbers of nodes, parents, children and leaves come from that shape, those of words from its packing.
    // There are as many fields as bytes in a state, and the number of a byte was one of the state at hand.
    unsafe { places.get_unchecked(number) }
}

#[inline]
fn at_mut<T>(places: &mut [T], number: usize) -> &mut T {
    debug_assert!(number < places.len());
    // SAFETY: as above.
    unsafe { places.get_unchecked_mut(number) }
}

/// The words of a leaf.
#[inline]
fn leaf_in(words: &[u64], leaf: usize) -> &[u64; LEAF] {
    words[LEAF * leaf..].first_chunk().expect("all words of a leaf are there")
}

#[inline]
fn leaf_in_mut(words: &mut [u64], leaf: usize) -> &mut [u64; LEAF] {
    words[LEAF * leaf..].first_chunk_mut().expect("all words of a leaf are there")
}

/// Shows the bytes in which a state may differ from the one before it.
#[inline(always)]
fn for_each_change(changed: Changed<'_>, before: &State, state: &State, mut visit: impl FnMut(usize)) {
    match changed {
        Changed::At(places) => {
            for place in places {
                for_each_difference(place, before, state, &mut visit);
            }
        }
        Changed::Anywhere => {
            for (at, (old, new)) in before.chunks(8).zip(state.chunks(8)).enumerate() {
                if old != new {
                    (at * 8..at * 8 + new.len()).for_each(&mut visit);
                }
            }
        }
    }
}

/// Shows the bytes of a place that are not what they were before: of wide ones mostly few. A single byte is always shown.
#[inline(always)]
fn for_each_difference(place: &Written, before: &State, state: &State, mut visit: impl FnMut(usize)) {
    let (from, width) = (place.offset as usize, place.width as usize);
    if width == 1 {
        assert!(from < state.len());
        return visit(from);
    }
    let mut differs = word(&before[from..from + width]) ^ word(&state[from..from + width]);
    while differs != 0 {
        let nth = differs.trailing_zeros() / 8;
        visit(from + nth as usize);
        differs &= !(0xff << (8 * nth));
    }
}

/// Up to eight bytes as a number.
#[inline]
fn word(bytes: &[u8]) -> u64 {
    match bytes.len() {
        8 => u64::from_le_bytes(bytes.try_into().expect("eight")),
        4 => u64::from(u32::from_le_bytes(bytes.try_into().expect("four"))),
        2 => u64::from(u16::from_le_bytes(bytes.try_into().expect("two"))),
        _ => bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    }
}

/// Calls a method of a board with sets of the least size: the words of small ones are registers.
macro_rules! with_marks {
    ($board:ident, $method:ident $(, $argument:expr)*) => {
        match $board.refs.len() {
            0..=64 => $board.$method(0u64, 0u64 $(, $argument)*),
            _ => {
                let (mut marks, mut written) = (std::mem::take(&mut $board.marks), std::mem::take(&mut $board.written));
                let result = $board.$method(&mut marks, &mut written $(, $argument)*);
                ($board.marks, $board.written) = (marks, written);
                result
            }
        }
    };
}

impl Board {
    /// With no state on it.
    pub fn new(packing: Arc<Packing>, generation: u64) -> Self {
        let nodes = packing.shape.nodes();
        let (mut marks, mut written) = (DirtyBits::default(), DirtyBits::default());
        marks.reset(nodes);
        written.reset(nodes);
        Board {
            bytes: packing.template(),
            words: packing.blank(),
            next_words: packing.blank(),
            refs: vec![NONE; nodes],
            next: vec![NONE; nodes],
            is_fresh: true,
            key: [0; 2],
            marks,
            written,
            generation,
            packing,
        }
    }

    /// With the same state on it, if it was packed [more loosely](Packing::loosened).
    pub fn loosened(self, packing: Arc<Packing>, generation: u64) -> Self {
        let mut seen = 0;
        let mut words = packing.blank();
        for (field, &value) in packing.fields.iter().zip(&self.bytes) {
            field.write(value, &mut words[field.word as usize], &mut seen);
        }
        debug_assert_eq!(seen & UNKNOWN, 0);
        Board { next_words: words.clone(), words, packing, generation, ..self }
    }

    #[inline]
    pub fn state(&self) -> &State {
        &self.bytes
    }

    /// The key of a state of the same length that came from the one on the board.
    #[inline]
    pub fn after(&mut self, state: &State, changed: Changed<'_>, nodes: &mut impl Nodes) -> Result<Root, Missing> {
        debug_assert_eq!(state.len(), self.bytes.len());
        match changed {
            _ if !self.packing.is_inline => self.after_tree(state, changed, nodes),
            Changed::At(places) => self.after_places(state, places).ok_or(Missing::Code),
            Changed::Anywhere => self.after_all(state),
        }
    }

    /// Whether states of this length are packed as on this board.
    #[inline(always)]
    pub fn is_current(&self, length: usize, generation: u64) -> bool {
        self.bytes.len() == length && self.generation == generation
    }

    /// The key of a state that came from the one on the board by changes in these places, if the key is the packed state
    /// and all its values have codes. It is most of what is done with a board.
    #[inline(always)]
    pub fn after_places(&self, state: &State, places: &[Written]) -> Option<Root> {
        assert_eq!(state.len(), self.bytes.len());
        let (fields, mut word, mut seen) = (&*self.packing.fields, *at(&self.words, 0), 0);
        for place in places {
            for_each_difference(place, &self.bytes, state, |byte| {
                at(fields, byte).write(*at(state, byte), &mut word, &mut seen);
            });
        }
        (seen & UNKNOWN == 0).then_some([word, 0])
    }

    /// Whether there is a state on the board that has references to leaves in its key.
    #[inline(always)]
    pub fn is_flat(&self) -> bool {
        self.packing.is_flat && !self.is_fresh
    }

    /// The key of a state that came from the one on the board by changes in these places, if it has references to leaves.
    #[inline(never)]
    pub fn after_leaves(&mut self, state: &State, places: &[Written], nodes: &mut impl Nodes) -> Result<Root, Missing> {
        assert_eq!(state.len(), self.bytes.len());
        let Board { packing, bytes, words, next_words, key, .. } = self;
        let (fields, mut changed, mut seen) = (&*packing.fields, 0u32, 0);
        for place in places {
            for_each_difference(place, bytes, state, |byte| {
                let field = at(fields, byte);
                field.write(*at(state, byte), at_mut(next_words, field.word as usize), &mut seen);
                changed |= 1 << (field.word as usize / LEAF);
            });
        }
        let (mut key, mut lacks) = (*key, (seen & UNKNOWN != 0).then_some(Missing::Code));
        while changed != 0 {
            let leaf = changed.trailing_zeros() as usize;
            changed &= changed - 1;
            let held = *leaf_in(words, leaf);
            let words = std::mem::replace(leaf_in_mut(next_words, leaf), held);
            if lacks.is_some() || words == held {
                continue; // what was written has to be taken back in any case
            }
            match nodes.leaf(packing.table(leaf), words) {
                Err(NeedsGrowth) => lacks = Some(Missing::Room),
                Ok(reference) => {
                    let Place { word, shift, bits } = packing.refs[leaf % QUARTERS];
                    if reference >> bits != 0 {
                        lacks = Some(Missing::Reference);
                    }
                    let word = &mut key[word as usize % 2];
                    *word = *word & !(((1 << bits) - 1) << shift) | u64::from(reference) << shift;
                }
            }
        }
        lacks.map_or(Ok(key), Err)
    }

    #[inline(never)]
    fn after_all(&self, state: &State) -> Result<Root, Missing> {
        let (mut word, mut seen) = (self.words[0], 0);
        for_each_change(Changed::Anywhere, &self.bytes, state, |byte| {
            self.packing.fields[byte].write(state[byte], &mut word, &mut seen);
        });
        if seen & UNKNOWN == 0 { Ok([word, 0]) } else { Err(Missing::Code) }
    }

    #[inline(never)]
    fn after_tree(&mut self, state: &State, changed: Changed<'_>, nodes: &mut impl Nodes) -> Result<Root, Missing> {
        let top = with_marks!(self, after_marked, state, changed, nodes);
        let key = top.and_then(|top| root::root(top, &self.packing, nodes));
        if key.is_err() {
            self.marks.clear();
            self.next_words.copy_from_slice(&self.words);
        }
        key
    }

    #[inline(always)]
    fn after_marked<M: DirtySet>(
        &mut self,
        mut marked: M,
        mut written: M,
        state: &State,
        changed: Changed<'_>,
        nodes: &mut impl Nodes,
    ) -> Result<[u32; QUARTERS], Missing> {
        let Board { packing, bytes, words, next_words, refs, next, is_fresh, .. } = self;
        let Packing { fields, shape: Shape { leaves, inner, top, .. }, .. } = &**packing;
        let fields = &fields[..state.len()]; // then one check is for both
        let mut seen = 0;
        for_each_change(changed, bytes, state, |byte| {
            let field = &fields[byte];
            field.write(state[byte], at_mut(next_words, field.word as usize), &mut seen);
            marked.mark(field.word as usize / LEAF);
        });
        if seen & UNKNOWN != 0 {
            return Err(Missing::Code);
        }
        if *is_fresh {
            (0..leaves.len()).for_each(|leaf| marked.mark(leaf));
        }
        let mut made = Ok(());
        while let Some(node) = marked.take_first() {
            let (reference, parent) = if node < leaves.len() {
                let held = *leaf_in(words, node);
                let words = std::mem::replace(leaf_in_mut(next_words, node), held);
                if words == held && !*is_fresh {
                    continue; // it was written, but with what was there
                }
                (nodes.leaf(packing.table(node), words), *at(leaves, node))
            } else {
                let table = packing.inner_table(node - leaves.len());
                let node: &Node = at(inner, node - leaves.len());
                (reference(node, table, next, nodes), node.parent)
            };
            let Ok(reference) = reference else {
                made = Err(Missing::Room);
                break;
            };
            *at_mut(next, node) = reference;
            written.mark(node);
            if parent != TOP {
                marked.mark(parent as usize);
            }
        }
        let top = top.map(|node| *at(next, node as usize));
        while let Some(node) = written.take_first() {
            *at_mut(next, node) = *at(refs, node);
        }
        made.map(|()| top)
    }

    /// Puts the state with this key on the board, which is of its packing: what differs from the one that was there.
    #[inline]
    pub fn put(&mut self, key: Root, nodes: &impl Nodes) {
        if self.packing.is_inline {
            let [word, _] = key;
            let differs = std::mem::replace(&mut self.words[0], word) ^ word;
            self.packing.decode(0, word, differs, &mut self.bytes);
        } else {
            let top = root::below(key, &self.packing, nodes);
            match self.packing.is_flat {
                true => self.put_leaves(top, nodes),
                false => with_marks!(self, put_marked, top, nodes),
            }
        }
        (self.is_fresh, self.key) = (false, key);
    }

    #[inline]
    fn put_leaves(&mut self, top: [u32; QUARTERS], nodes: &impl Nodes) {
        for (leaf, reference) in top.into_iter().enumerate().take(self.packing.leaves()) {
            if *at(&self.refs, leaf) != reference {
                (self.refs[leaf], self.next[leaf]) = (reference, reference);
                let Board { packing, bytes, words, next_words, .. } = self;
                put_leaf((packing, bytes), (words, next_words), leaf, nodes.leaf_at(packing.table(leaf), reference));
            }
        }
    }

    #[inline(always)]
    fn put_marked<M: DirtySet>(&mut self, mut marked: M, _: M, top: [u32; QUARTERS], nodes: &impl Nodes) {
        let Board { packing, bytes, words, next_words, refs, next, .. } = self;
        let Shape { leaves, inner, .. } = &packing.shape;
        let mut set = |refs: &mut [u32], marked: &mut M, node: u32, reference: u32| {
            let node = node as usize;
            if *at(refs, node) != reference {
                *at_mut(refs, node) = reference;
                *at_mut(next, node) = reference;
                marked.mark(node);
            }
        };
        for (node, reference) in packing.shape.top.into_iter().zip(top).take(packing.shape.quarters()) {
            set(refs, &mut marked, node, reference);
        }
        while let Some(node) = marked.take_last() {
            let reference = *at(refs, node);
            if node < leaves.len() {
                put_leaf((packing, bytes), (words, next_words), node, nodes.leaf_at(packing.table(node), reference));
                continue;
            }
            let table = packing.inner_table(node - leaves.len());
            let Node { children: [a, b, c, d], count, .. } = *at(inner, node - leaves.len());
            let [low, high] = match count {
                2 => [nodes.pair_at(table, reference), 0],
                _ => nodes.wide_at(table, reference),
            };
            set(refs, &mut marked, a, low as u32);
            set(refs, &mut marked, b, (low >> 32) as u32);
            if count > 2 {
                set(refs, &mut marked, c, high as u32);
            }
            if count > 3 {
                set(refs, &mut marked, d, (high >> 32) as u32);
            }
        }
    }
}

/// Puts a leaf on a board: its words, and the bytes that differ.
#[inline(always)]
fn put_leaf(
    (packing, bytes): (&Packing, &mut [u8]),
    (words, next_words): (&mut [u64], &mut [u64]),
    leaf: usize,
    new: [u64; LEAF],
) {
    let before = std::mem::replace(leaf_in_mut(words, leaf), new);
    *leaf_in_mut(next_words, leaf) = new;
    for (half, (word, before)) in new.into_iter().zip(before).enumerate() {
        packing.decode(LEAF * leaf + half, word, word ^ before, bytes);
    }
}

/// The reference to an inner node, given those to its children.
#[inline(always)]
fn reference(node: &Node, table: u32, refs: &[u32], nodes: &mut impl Nodes) -> Result<u32, NeedsGrowth> {
    let of = |child: u32| *at(refs, child as usize);
    let [a, b, c, d] = node.children;
    let low = both(of(a), of(b));
    match node.count {
        2 => nodes.pair(table, low),
        3 => nodes.wide(table, [low, both(of(c), 0)]),
        _ => nodes.wide(table, [low, both(of(c), of(d))]),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::tree::dictionary::Codes;
    use crate::tree::packing::{Outgrown, Plan, Tables};

    /// References are numbers in the order of target, of any kind of node.
    #[derive(Default)]
    struct Listed {
        known: HashMap<[u64; 3], u32>,
        list: Vec<[u64; 3]>,
    }

    impl Listed {
        fn number(&mut self, node: [u64; 3]) -> Result<u32, NeedsGrowth> {
            let Listed { known, list } = self;
            Ok(*known.entry(node).or_insert_with(|| {
                list.push(node);
                list.len() as u32 - 1
            }))
        }
    }

    impl Nodes for Listed {
        fn leaf(&mut self, table: u32, [low, high]: [u64; LEAF]) -> Result<u32, NeedsGrowth> {
            self.number([3 * u64::from(table), low, high])
        }

        fn pair(&mut self, table: u32, children: u64) -> Result<u32, NeedsGrowth> {
            self.number([3 * u64::from(table) + 1, children, 0])
        }

        fn wide(&mut self, table: u32, [low, high]: [u64; 2]) -> Result<u32, NeedsGrowth> {
            self.number([3 * u64::from(table) + 2, low, high])
        }

        fn leaf_at(&self, table: u32, reference: u32) -> [u64; LEAF] {
            let [kind, low, high] = self.list[reference as usize];
            assert_eq!(kind, 3 * u64::from(table));
            [low, high]
        }

        fn pair_at(&self, table: u32, reference: u32) -> u64 {
            let [kind, children, _] = self.list[reference as usize];
            assert_eq!(kind, 3 * u64::from(table) + 1);
            children
        }

        fn wide_at(&self, table: u32, reference: u32) -> [u64; 2] {
            let [kind, low, high] = self.list[reference as usize];
            assert_eq!(kind, 3 * u64::from(table) + 2);
            [low, high]
        }
    }

    #[test]
    fn what_is_put_is_what_the_key_was_made_for() {
        for (length, class) in (0..140).chain([1000, 1240, 5000]).flat_map(|length| [(length, 3), (length, 300)]) {
            let mut random = fastrand::Rng::with_seed(length as u64);
            let mut nodes = Listed::default();
            let codes = (0..length).map(|_| {
                let codes = Codes::of(0);
                (1..4).for_each(|value| _ = codes.insert(value * 50, 4));
                Arc::new(codes)
            });
            let tables = Tables::From { leaves: 5, pairs: 2, wide: 3 };
            let plan = Plan { may_be_inline: true, tables, bits: 14 };
            let packing = Arc::new(Packing::new(class, codes.collect(), &Outgrown::default(), plan));
            assert_eq!(packing.is_inline, class == 3 && length <= 29);
            let fresh = || Board::new(packing.clone(), 0);
            let mut board = fresh();
            let mut state = vec![0; length];
            for _ in 0..30 {
                let key = board.after(&state, Changed::Anywhere, &mut nodes).unwrap();
                assert!(board.next == board.refs && (packing.is_inline || board.next_words == board.words));
                assert_eq!(fresh().after(&state, Changed::Anywhere, &mut nodes), Ok(key));
                assert_eq!(root::class(key), class);
                board.put(key, &nodes);
                assert_eq!(board.state(), state, "length {length}");
                assert_eq!(board.after(&state, Changed::At(&[]), &mut nodes), Ok(key));
                for _ in 0..random.usize(..3).min(length) {
                    state[random.usize(..length)] = random.u8(..4) * 50;
                }
                if length > 0 {
                    let mut strange = state.clone();
                    strange[random.usize(..length)] = 77;
                    packing.learn(&strange, |_, _| ()); // there may be room for it
                    let made = board.after(&strange, Changed::Anywhere, &mut nodes);
                    assert!(made.is_ok() || made == Err(Missing::Code));
                    assert!(packing.is_inline || board.next_words == board.words);
                }
            }
        }
    }
}
