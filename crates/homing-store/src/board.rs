//! The state that a thread has before it, as a tree: each leaf with its value, each node with its reference.
//!
//! Numbers of nodes come from the shape and from nowhere else, so that no index has to be checked where it counts: a step
//! is looked at here once, whatever it leads to.

use std::sync::Arc;

use homing_core::{Changed, State};

use crate::Full;
use crate::changes::{Marked, Marks};
use crate::shape::{Leaf, Node, Shape, TOP, Value, WINDOW};

/// Where references come from, and what they refer to.
pub(crate) trait Nodes {
    fn leaf(&mut self, value: Value) -> Result<u32, Full>;
    /// Of a single window.
    fn short_leaf(&mut self, value: u64) -> Result<u32, Full>;
    /// The references of its children are the halves of the number.
    fn pair(&mut self, children: u64) -> Result<u32, Full>;
    fn wide(&mut self, children: [u64; 2]) -> Result<u32, Full>;
    fn leaf_at(&self, reference: u32) -> Value;
    fn short_leaf_at(&self, reference: u32) -> u64;
    fn pair_at(&self, reference: u32) -> u64;
    fn wide_at(&self, reference: u32) -> [u64; 2];
}

/// The tree of one state.
#[derive(Debug)]
pub(crate) struct Board {
    pub shape: Arc<Shape>,
    bytes: Vec<u8>,
    /// By leaf.
    values: Vec<Value>,
    /// By node.
    refs: Vec<u32>,
    /// The same for a state that came from it; equal to `refs` between two calls.
    next: Vec<u32>,
    marks: Marks,
    written: Marks,
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
    // SAFETY: `Board::new` gives every array of the board as many places as the shape has nodes or leaves, and numbers of
    // nodes, parents, children and leaves come from that shape.
    unsafe { places.get_unchecked(number) }
}

#[inline]
fn at_mut<T>(places: &mut [T], number: usize) -> &mut T {
    debug_assert!(number < places.len());
    // SAFETY: as above.
    unsafe { places.get_unchecked_mut(number) }
}

/// Calls a method of a board with sets of the least size: the words of small ones are registers.
macro_rules! with_marks {
    ($board:ident, $method:ident $(, $argument:expr)*) => {
        match $board.refs.len() {
            0..=64 => $board.$method(0u64, 0u64 $(, $argument)*),
            65..=128 => $board.$method(0u128, 0u128 $(, $argument)*),
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
    pub fn new(shape: Arc<Shape>) -> Self {
        let nodes = shape.nodes();
        let (mut marks, mut written) = (Marks::default(), Marks::default());
        marks.reset(nodes);
        written.reset(nodes);
        Board {
            bytes: vec![0; shape.length.max(WINDOW)],
            values: vec![Value::default(); shape.leaves.len()],
            refs: vec![NONE; nodes],
            next: vec![NONE; nodes],
            marks,
            written,
            shape,
        }
    }

    pub fn state(&self) -> &State {
        &self.bytes[..self.shape.length]
    }

    /// The references below the root, of a state of the same length that came from the one on the board.
    #[inline]
    pub fn after(&mut self, state: &State, changed: Changed<'_>, nodes: &mut impl Nodes) -> Result<[u32; 2], Full> {
        debug_assert_eq!(state.len(), self.shape.length);
        if state.len() < WINDOW {
            return self.after_marked(0u64, 0u64, &padded(state), Changed::Anywhere, nodes);
        }
        let top = with_marks!(self, after_marked, state, changed, nodes);
        if top.is_err() {
            self.marks.clear();
        }
        top
    }

    #[inline(always)]
    fn after_marked<M: Marked>(
        &mut self,
        mut marked: M,
        mut written: M,
        state: &State,
        changed: Changed<'_>,
        nodes: &mut impl Nodes,
    ) -> Result<[u32; 2], Full> {
        let Board { shape, values, refs, next, .. } = self;
        let Shape { short, leaves, leaf_of, inner, top, .. } = &**shape;
        match changed {
            Changed::At(places) => {
                for place in places {
                    let (first, last) = (place.offset as usize, (place.offset + place.width) as usize - 1);
                    marked.mark(leaf_of[first] as usize);
                    marked.mark(leaf_of[last] as usize); // no place spans more leaves: they have 8 bytes, or there are two
                }
            }
            Changed::Anywhere => (0..leaves.len()).for_each(|leaf| marked.mark(leaf)),
        }
        let mut made = Ok(());
        while let Some(node) = marked.take_first() {
            let (reference, parent) = if node < leaves.len() {
                let leaf: &Leaf = at(leaves, node);
                let value = leaf.read(state);
                if value == *at(values, node) {
                    continue; // it was written, but with what was there
                }
                (if *short { nodes.short_leaf(value[0]) } else { nodes.leaf(value) }, leaf.parent)
            } else {
                let node: &Node = at(inner, node - leaves.len());
                (reference(node, next, nodes), node.parent)
            };
            let Ok(reference) = reference else {
                made = Err(Full);
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

    /// Puts the state with these references below the root on the board: what differs from the one that was there.
    pub fn put(&mut self, top: [u32; 2], nodes: &impl Nodes) {
        with_marks!(self, put_marked, top, nodes);
    }

    #[inline(always)]
    fn put_marked<M: Marked>(&mut self, mut marked: M, _: M, top: [u32; 2], nodes: &impl Nodes) {
        let Board { shape, bytes, values, refs, next, .. } = self;
        let Shape { short, leaves, inner, .. } = &**shape;
        let mut set = |refs: &mut [u32], marked: &mut M, node: u32, reference: u32| {
            let node = node as usize;
            if *at(refs, node) != reference {
                *at_mut(refs, node) = reference;
                *at_mut(next, node) = reference;
                marked.mark(node);
            }
        };
        for (node, reference) in shape.top.into_iter().zip(top) {
            set(refs, &mut marked, node, reference);
        }
        while let Some(node) = marked.take_last() {
            let reference = *at(refs, node);
            if node < leaves.len() {
                let value = if *short { [nodes.short_leaf_at(reference), 0] } else { nodes.leaf_at(reference) };
                *at_mut(values, node) = value;
                at(leaves, node).write(bytes, value);
                continue;
            }
            let Node { children: [a, b, c, d], count, .. } = *at(inner, node - leaves.len());
            let [low, high] = if count == 2 { [nodes.pair_at(reference), 0] } else { nodes.wide_at(reference) };
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

/// The reference to an inner node, given those to its children.
#[inline(always)]
fn reference(node: &Node, refs: &[u32], nodes: &mut impl Nodes) -> Result<u32, Full> {
    let of = |child: u32| *at(refs, child as usize);
    let [a, b, c, d] = node.children;
    let low = both(of(a), of(b));
    match node.count {
        2 => nodes.pair(low),
        3 => nodes.wide([low, both(of(c), 0)]),
        _ => nodes.wide([low, both(of(c), of(d))]),
    }
}

/// The references below the root, of a state that came from nowhere.
pub(crate) fn from_scratch(shape: &Shape, state: &State, nodes: &mut impl Nodes) -> Result<[u32; 2], Full> {
    let short = padded(state);
    let state = if state.len() < WINDOW { &short } else { state };
    let mut refs = Vec::with_capacity(shape.nodes());
    for leaf in &shape.leaves {
        let value = leaf.read(state);
        refs.push(if shape.short { nodes.short_leaf(value[0]) } else { nodes.leaf(value) }?);
    }
    for node in &shape.inner {
        refs.push(reference(node, &refs, nodes)?); // its children have lower numbers
    }
    Ok(shape.top.map(|node| refs[node as usize]))
}

/// A state that is shorter than a window, or the first of another.
fn padded(state: &State) -> [u8; WINDOW] {
    let mut bytes = [0; WINDOW];
    let len = state.len().min(WINDOW);
    bytes[..len].copy_from_slice(&state[..len]);
    bytes
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    /// References are numbers in the order of arrival, of any kind of node.
    #[derive(Default)]
    struct Listed {
        known: HashMap<[u64; 2], u32>,
        list: Vec<[u64; 2]>,
    }

    impl Nodes for Listed {
        fn leaf(&mut self, value: Value) -> Result<u32, Full> {
            let Listed { known, list } = self;
            Ok(*known.entry(value).or_insert_with(|| {
                list.push(value);
                list.len() as u32 - 1
            }))
        }

        fn short_leaf(&mut self, value: u64) -> Result<u32, Full> {
            self.leaf([value, u64::MAX])
        }

        fn pair(&mut self, children: u64) -> Result<u32, Full> {
            self.leaf([children, u64::MAX])
        }

        fn wide(&mut self, children: [u64; 2]) -> Result<u32, Full> {
            self.leaf(children)
        }

        fn leaf_at(&self, reference: u32) -> Value {
            self.list[reference as usize]
        }

        fn short_leaf_at(&self, reference: u32) -> u64 {
            self.list[reference as usize][0]
        }

        fn pair_at(&self, reference: u32) -> u64 {
            self.list[reference as usize][0]
        }

        fn wide_at(&self, reference: u32) -> [u64; 2] {
            self.list[reference as usize]
        }
    }

    #[test]
    fn what_is_put_is_what_the_references_were_made_for() {
        for length in (0..140).chain([1000, 1240, 5000]) {
            let mut random = fastrand::Rng::with_seed(length as u64);
            let mut nodes = Listed::default();
            let mut board = Board::new(Arc::new(Shape::new(length)));
            let mut state = vec![0; length];
            let top = from_scratch(&board.shape, &state, &mut nodes).unwrap();
            board.put(top, &nodes);
            for _ in 0..30 {
                for _ in 0..random.usize(..3).min(length) {
                    state[random.usize(..length)] = random.u8(..4);
                }
                let top = board.after(&state, Changed::Anywhere, &mut nodes).unwrap();
                assert_eq!(board.next, board.refs);
                assert_eq!(from_scratch(&board.shape, &state, &mut nodes), Ok(top));
                board.put(top, &nodes);
                assert_eq!(board.state(), state, "length {length}");
                assert_eq!(board.after(&state, Changed::At(&[]), &mut nodes), Ok(top));
            }
        }
    }
}
