//! The tree store: lossless compression of states into trees of shared nodes (Laarman, van de Pol & Weber, "Parallel
//! recursive state compression for free", SPIN 2011, with their incremental update of section 3).
//!
//! A state is a root of two references to nodes, and a node that occurs in many states is stored once: a million states
//! that are combinations of a thousand halves take the roots and little more. The tree of a state is made from that of
//! the state it came from, by the path from each leaf that was changed.
//! Differs from the paper: nodes near the leaves have four children (a half of the look-ups), nodes and roots lie in
//! arrays behind an index, so that references stay right while tables grow, and the parts of a reference that are zero
//! take no room. States of different length have trees of different shape; the root says which.

use std::collections::HashMap;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, RwLock};

use homing_core::{Changed, State, StateId};

use crate::changes::Marks;
use crate::index::{Entered, Index};
use crate::shape::{LEAF, Node, Shape};
use crate::table::{Narrow, Table, Wide};
use crate::{Full, Interned, Recall, Store};

/// States as trees.
#[derive(Debug)]
pub struct TreeStore {
    /// Leaves, and nodes with more than two children.
    wide: Table<Wide>,
    pairs: Table<Narrow>,
    roots: Table<Narrow>,
    classes: RwLock<Classes>,
    longest: AtomicUsize,
}

/// The lengths of states, numbered as they came.
#[derive(Debug, Default)]
struct Classes {
    of_length: HashMap<usize, u32>,
    shapes: Vec<Arc<Shape>>,
}

/// A state with the references of its tree.
#[derive(Debug, Default)]
pub struct Desk {
    class: u32,
    shape: Option<Arc<Shape>>,
    bytes: Vec<u8>,
    /// By node of the shape.
    refs: Vec<u32>,
    /// The same for a state that came from it; equal to `refs` between two calls.
    next: Vec<u32>,
    changed: Vec<u32>,
    marks: Marks,
}

/// References have this many bits.
const REF_BITS: u32 = 28;
const MOST_NODES: u32 = (1 << REF_BITS) - 1;

/// The class of a root that has no room for its class: its first reference is to the pair, its second the class.
const FAR_CLASS: u32 = 255;

/// No reference.
const NONE: u32 = u32::MAX;

/// The lower bits of the references and of the class come first: if the upper are zero, 48 bits hold a root.
fn root(a: u32, b: u32, class: u32) -> u64 {
    let (a, b, class) = (u64::from(a), u64::from(b), u64::from(class));
    let low = |value: u64, bits: u32| value & ((1 << bits) - 1);
    low(a, 22) | low(b, 22) << 22 | low(class, 4) << 44 | (a >> 22) << 48 | (b >> 22) << 54 | (class >> 4) << 60
}

/// The references and the class of a root.
fn parts(root: u64) -> (u32, u32, u32) {
    let take = |from: u32, bits: u32| (root >> from & ((1 << bits) - 1)) as u32;
    (take(0, 22) | take(48, 6) << 22, take(22, 22) | take(54, 6) << 22, take(44, 4) | take(60, 4) << 4)
}

fn both(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

/// The bytes of a leaf, zeros behind the end of the state.
#[inline]
fn leaf(state: &State, at: usize) -> [u64; 2] {
    let words = |bytes: &[u8; LEAF]| {
        let (low, high) = bytes.split_at(8);
        [low, high].map(|half| u64::from_le_bytes(half.try_into().expect("half a leaf")))
    };
    match state[at * LEAF..].first_chunk() {
        Some(bytes) => words(bytes),
        None => {
            let rest = &state[at * LEAF..];
            let mut bytes = [0; LEAF];
            bytes[..rest.len()].copy_from_slice(rest);
            words(&bytes)
        }
    }
}

impl TreeStore {
    pub fn new() -> Self {
        TreeStore {
            wide: Table::new(MOST_NODES),
            pairs: Table::new(MOST_NODES),
            roots: Table::new(Index::MOST),
            classes: RwLock::default(),
            longest: AtomicUsize::new(0),
        }
    }

    fn class_of(&self, length: usize) -> (u32, Arc<Shape>) {
        let found = |classes: &Classes| {
            let class = *classes.of_length.get(&length)?;
            Some((class, classes.shapes[class as usize].clone()))
        };
        if let Some(known) = found(&self.classes.read().expect("nobody panics with it")) {
            return known;
        }
        let mut classes = self.classes.write().expect("nobody panics with it");
        if !classes.of_length.contains_key(&length) {
            let class = classes.shapes.len() as u32;
            classes.of_length.insert(length, class);
            classes.shapes.push(Arc::new(Shape::new(length)));
            self.longest.fetch_max(length, Relaxed);
        }
        found(&classes).expect("it was put there")
    }

    fn root(&self, [a, b]: [u32; 2], class: u32) -> Result<u64, Full> {
        if class < FAR_CLASS {
            return Ok(root(a, b, class));
        }
        Ok(root(self.pairs.number(root(a, b, 0))?, class, FAR_CLASS))
    }

    /// The references below the root, and the class.
    fn below(&self, key: u64) -> ([u32; 2], u32) {
        let (a, b, class) = parts(key);
        if class < FAR_CLASS {
            return ([a, b], class);
        }
        let (left, right, _) = parts(self.pairs.get(a));
        ([left, right], b)
    }

    /// The reference to a node, given those to its children.
    #[inline]
    fn node(&self, node: &Node, refs: &[u32], at: usize, state: &State) -> Result<u32, Full> {
        match node {
            Node::Leaf => self.wide.number(leaf(state, at)),
            Node::Pair([a, b]) => self.pairs.number(root(refs[*a as usize], refs[*b as usize], 0)),
            Node::Wide(count, children) => {
                let [a, b, c, d] = children.map(|child| refs[child as usize]);
                let d = if *count == 4 { d } else { 0 };
                self.wide.number([both(a, b), both(c, d)])
            }
        }
    }

    /// The key of a state that has nothing in common with the one on the desk.
    fn key_from_scratch(&self, state: &State) -> Result<u64, Full> {
        let (class, shape) = self.class_of(state.len());
        let mut refs = vec![NONE; shape.nodes.len()];
        for (at, node) in shape.nodes.iter().enumerate() {
            refs[at] = self.node(node, &refs, at, state)?;
        }
        self.root(shape.top.map(|node| refs[node as usize]), class)
    }

    /// Takes the tree of a state apart, as far as it differs from that on the desk.
    fn decode(&self, desk: &mut Desk, key: u64) {
        let (top, class) = self.below(key);
        if desk.shape.is_none() || desk.class != class {
            let shape = self.classes.read().expect("nobody panics with it").shapes[class as usize].clone();
            desk.bytes.clear();
            desk.bytes.resize(shape.leaves * LEAF, 0);
            desk.refs.clear();
            desk.refs.resize(shape.nodes.len(), NONE);
            desk.next.clear();
            desk.next.resize(shape.nodes.len(), NONE);
            desk.marks.reset(shape.nodes.len());
            (desk.class, desk.shape) = (class, Some(shape));
        }
        let Desk { shape: Some(shape), bytes, refs, next, marks, .. } = desk else { unreachable!("it was put there") };
        let (wide, pairs) = (&self.wide, &self.pairs);
        let mut set = |refs: &mut [u32], marks: &mut Marks, node: u32, reference: u32| {
            let node = node as usize;
            if refs[node] != reference {
                refs[node] = reference;
                next[node] = reference;
                marks.mark(node);
            }
        };
        for (node, reference) in shape.top.into_iter().zip(top) {
            set(refs, marks, node, reference);
        }
        marks.drain_down(|marks, at| match &shape.nodes[at] {
            Node::Leaf => {
                let [low, high] = wide.get(refs[at]);
                let leaf = &mut bytes[at * LEAF..][..LEAF];
                leaf[..8].copy_from_slice(&low.to_le_bytes());
                leaf[8..].copy_from_slice(&high.to_le_bytes());
            }
            Node::Pair([left, right]) => {
                let (a, b, _) = parts(pairs.get(refs[at]));
                set(refs, marks, *left, a);
                set(refs, marks, *right, b);
            }
            Node::Wide(count, children) => {
                let [low, high] = wide.get(refs[at]);
                let held = [low as u32, (low >> 32) as u32, high as u32, (high >> 32) as u32];
                for (child, reference) in children.iter().zip(held).take(*count as usize) {
                    set(refs, marks, *child, reference);
                }
            }
        });
    }
}

impl Default for TreeStore {
    fn default() -> Self {
        TreeStore::new()
    }
}

impl Store for TreeStore {
    type Key = u64;
    type Desk = Desk;

    const LOSSLESS: bool = true;
    const RECALL: Recall = Recall::ByKey;

    fn place(&self, desk: &mut Desk, _: &State) {
        desk.shape = None; // keys are made from scratch until a state is opened
    }

    fn open(&self, desk: &mut Desk, id: StateId, out: &mut Vec<u8>) {
        self.open_key(desk, self.roots.get(id.0), out);
    }

    fn open_key(&self, desk: &mut Desk, key: u64, out: &mut Vec<u8>) {
        self.decode(desk, key);
        let length = desk.shape.as_ref().expect("a state was opened").length;
        out.clear();
        out.extend_from_slice(&desk.bytes[..length]);
    }

    #[inline]
    fn key(&self, desk: &mut Desk, state: &State, changed: Changed<'_>) -> Result<u64, Full> {
        let Desk { class, shape: Some(shape), bytes, refs, next, changed: touched, marks } = desk else {
            return self.key_from_scratch(state);
        };
        if shape.length != state.len() {
            return self.key_from_scratch(state);
        }
        marks.mark_changed(changed, LEAF, &bytes[..shape.length], state);
        let updated = marks.drain_up(|marks, at| {
            let node = &shape.nodes[at];
            if let Node::Leaf = node
                && leaf(state, at) == leaf(bytes, at)
            {
                return Ok(()); // it was written, but with what was there
            }
            let reference = self.node(node, next, at, state)?;
            next[at] = reference;
            touched.push(at as u32);
            if let Some(parent) = shape.parents[at] {
                marks.mark(parent as usize);
            }
            Ok(())
        });
        let key = updated.and_then(|()| self.root(shape.top.map(|node| next[node as usize]), *class));
        if key.is_err() {
            marks.clear();
        }
        for at in touched.drain(..) {
            next[at as usize] = refs[at as usize];
        }
        key
    }

    #[inline]
    fn prefetch(&self, key: u64) {
        self.roots.prefetch(key);
    }

    #[inline]
    fn prefetch_state(&self, id: StateId) {
        self.roots.prefetch_row(id.0);
    }

    #[inline]
    fn intern(&self, key: u64, _: &State) -> Result<Interned, Full> {
        Ok(match self.roots.enter(key)? {
            Entered::New(number) => Interned::New(StateId(number)),
            Entered::Known(number) => Interned::Known(StateId(number)),
        })
    }

    #[inline]
    fn find(&self, key: u64, _: &State) -> Option<Interned> {
        self.roots.find(key).map(|number| Interned::Known(StateId(number)))
    }

    /// # Panics
    /// Always: a tree carries nothing.
    fn carry(&self, _: StateId, _: &State) {
        panic!("a tree carries nothing");
    }

    fn len(&self) -> u64 {
        u64::from(self.roots.len())
    }

    fn capacity(&self) -> u64 {
        u64::from(self.roots.capacity())
    }

    fn memory(&self) -> u64 {
        self.wide.memory() + self.pairs.memory() + self.roots.memory()
    }

    fn used(&self) -> u64 {
        self.wide.used() + self.pairs.used() + self.roots.used()
    }

    fn next_growth(&self) -> u64 {
        let leap = |full: bool, growth: u64| if full { growth } else { 0 };
        leap(self.wide.is_full(), self.wide.next_growth())
            + leap(self.pairs.is_full(), self.pairs.next_growth())
            + leap(self.roots.is_full(), self.roots.next_growth())
    }

    fn grow(&mut self) -> bool {
        (!self.wide.is_full() || self.wide.grow())
            && (!self.pairs.is_full() || self.pairs.grow())
            && (!self.roots.is_full() || self.roots.grow())
    }

    fn longest(&self) -> usize {
        self.longest.load(Relaxed)
    }
}
