//! The tree store: lossless compression of states into trees of shared nodes (Laarman, van de Pol & Weber, "Parallel
//! recursive state compression for free", SPIN 2011, with their incremental update of section 3).
//!
//! A state is a root of two references to nodes, and a node that occurs in many states is stored once: a million states
//! that are combinations of a thousand halves take the roots and little more. The tree of a state is made from that of
//! the state it came from, by the path from each leaf that was changed.
//! Differs from the paper: nodes far from the root have four children (a half of the look-ups), nodes and roots lie in
//! arrays behind an index, so that references stay right while tables grow, and the parts of a reference that are zero
//! take no room. States of different length have trees of different shape; the root says which.

use std::collections::HashMap;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, RwLock};

use homing_core::{Changed, State, StateId};

use crate::cache::Cache;
use crate::changes::{Marked, Marks, mark_changed};
use crate::index::{Entered, Index};
use crate::shape::{LEAF, Node, Shape};
use crate::table::{Narrow, Quick, Table, Wide};
use crate::{Full, Interned, Recall, Store};

/// States as trees.
#[derive(Debug)]
pub struct TreeStore {
    leaves: Table<Quick>,
    pairs: Table<Narrow>,
    wide: Table<Wide>,
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
    marks: Marks,
    written: Marks,
    recent: Recent,
}

/// The numbers of nodes seen lately.
#[derive(Debug, Default)]
struct Recent {
    leaves: Cache<u64, 2048>,
    pairs: Cache<u64, 16384>,
    wide: Cache<[u64; 2], 2048>,
}

/// References have this many bits.
const REF_BITS: u32 = 28;
const MOST_NODES: u32 = (1 << REF_BITS) - 1;

/// The class of a root that has no room for its class: its first reference is to the pair, its second the class.
const FAR_CLASS: u32 = 255;

/// No reference.
const NONE: u32 = u32::MAX;

/// The lower bits of the references and of the class come first: if the upper are zero, 48 bits hold a root.
#[inline]
fn root(a: u32, b: u32, class: u32) -> u64 {
    let (a, b, class) = (u64::from(a), u64::from(b), u64::from(class));
    let low = |value: u64, bits: u32| value & ((1 << bits) - 1);
    low(a, 22) | low(b, 22) << 22 | low(class, 4) << 44 | (a >> 22) << 48 | (b >> 22) << 54 | (class >> 4) << 60
}

/// The references and the class of a root.
#[inline]
fn parts(root: u64) -> (u32, u32, u32) {
    let take = |from: u32, bits: u32| (root >> from & ((1 << bits) - 1)) as u32;
    (take(0, 22) | take(48, 6) << 22, take(22, 22) | take(54, 6) << 22, take(44, 4) | take(60, 4) << 4)
}

#[inline]
fn both(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

/// The bytes of a leaf, zeros behind the end of the state.
#[inline]
fn leaf(state: &State, at: usize) -> u64 {
    match state[at * LEAF..].first_chunk::<LEAF>() {
        Some(&bytes) => u64::from_le_bytes(bytes),
        None => {
            let rest = &state[at * LEAF..];
            let mut bytes = [0; LEAF];
            bytes[..rest.len()].copy_from_slice(rest);
            u64::from_le_bytes(bytes)
        }
    }
}

impl TreeStore {
    pub fn new() -> Self {
        TreeStore {
            leaves: Table::new(MOST_NODES),
            pairs: Table::new(MOST_NODES),
            wide: Table::new(MOST_NODES),
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

    #[inline]
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
    #[inline(always)]
    fn node(&self, node: &Node, refs: &[u32], at: usize, state: &State, recent: &mut Recent) -> Result<u32, Full> {
        let of = |child: usize| refs[node.children[child] as usize];
        match node.count {
            0 => {
                let leaf = leaf(state, at);
                recent.leaves.number(leaf, || self.leaves.number(leaf))
            }
            2 => {
                let (a, b) = (of(0), of(1));
                recent.pairs.number(both(a, b), || self.pairs.number(root(a, b, 0)))
            }
            count => {
                let last = if count == 4 { of(3) } else { 0 };
                let children = [both(of(0), of(1)), both(of(2), last)];
                recent.wide.number(children, || self.wide.number(children))
            }
        }
    }

    /// The key of a state that came from the one with these bytes and references. `marked` is empty, and left so unless
    /// the store is full.
    #[inline]
    fn key_of_marked<M: Marked>(
        &self,
        shape: &Shape,
        class: u32,
        (marked, written): (&mut M, &mut M),
        (bytes, refs, next, recent): (&[u8], &[u32], &mut [u32], &mut Recent),
        state: &State,
        changed: Changed<'_>,
    ) -> Result<u64, Full> {
        mark_changed(marked, changed, LEAF, &bytes[..shape.length], state);
        let nodes = shape.nodes.as_slice();
        let (refs, next) = (&refs[..nodes.len()], &mut next[..nodes.len()]);
        let mut all = Ok(());
        while let Some(at) = marked.take_first() {
            let node = &nodes[at];
            if node.count == 0 && leaf(state, at) == leaf(bytes, at) {
                continue; // it was written, but with what was there
            }
            match self.node(node, next, at, state, recent) {
                Ok(reference) => next[at] = reference,
                Err(Full) => {
                    all = Err(Full);
                    break;
                }
            }
            written.mark(at);
            if node.parent != Node::TOP {
                marked.mark(node.parent as usize);
            }
        }
        let key = all.and_then(|()| self.root(shape.top.map(|node| next[node as usize]), class));
        while let Some(at) = written.take_first() {
            next[at] = refs[at];
        }
        key
    }

    /// The key of a state that has nothing in common with the one on the desk.
    fn key_from_scratch(&self, state: &State, recent: &mut Recent) -> Result<u64, Full> {
        let (class, shape) = self.class_of(state.len());
        let mut refs = vec![NONE; shape.nodes.len()];
        for (at, node) in shape.nodes.iter().enumerate() {
            refs[at] = self.node(node, &refs, at, state, recent)?;
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
            desk.written.reset(shape.nodes.len());
            (desk.class, desk.shape) = (class, Some(shape));
        }
        let Desk { shape: Some(shape), bytes, refs, next, marks, .. } = desk else { unreachable!("it was put there") };
        if shape.nodes.len() <= 64 {
            self.decode_marked(shape, top, &mut 0u64, bytes, refs, next);
        } else {
            self.decode_marked(shape, top, marks, bytes, refs, next);
        }
    }

    /// `marked` is empty, and left so.
    #[inline]
    fn decode_marked<M: Marked>(
        &self,
        shape: &Shape,
        top: [u32; 2],
        marked: &mut M,
        bytes: &mut [u8],
        refs: &mut [u32],
        next: &mut [u32],
    ) {
        let nodes = shape.nodes.as_slice();
        let (refs, next) = (&mut refs[..nodes.len()], &mut next[..nodes.len()]);
        let mut set = |refs: &mut [u32], marked: &mut M, node: u32, reference: u32| {
            let node = node as usize;
            if refs[node] != reference {
                refs[node] = reference;
                next[node] = reference;
                marked.mark(node);
            }
        };
        set(refs, marked, shape.top[0], top[0]);
        set(refs, marked, shape.top[1], top[1]);
        while let Some(at) = marked.take_last() {
            let node = &nodes[at];
            match node.count {
                0 => bytes[at * LEAF..][..LEAF].copy_from_slice(&self.leaves.get(refs[at]).to_le_bytes()),
                2 => {
                    let (a, b, _) = parts(self.pairs.get(refs[at]));
                    set(refs, marked, node.children[0], a);
                    set(refs, marked, node.children[1], b);
                }
                count => {
                    let [low, high] = self.wide.get(refs[at]);
                    set(refs, marked, node.children[0], low as u32);
                    set(refs, marked, node.children[1], (low >> 32) as u32);
                    set(refs, marked, node.children[2], high as u32);
                    if count == 4 {
                        set(refs, marked, node.children[3], (high >> 32) as u32);
                    }
                }
            }
        }
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
        let Desk { class, shape, bytes, refs, next, marks, written, recent } = desk;
        let Some(shape) = shape.as_ref().filter(|shape| shape.length == state.len()) else {
            return self.key_from_scratch(state, recent);
        };
        let on_desk = (bytes.as_slice(), refs.as_slice(), next.as_mut_slice(), recent);
        if shape.nodes.len() <= 64 {
            self.key_of_marked(shape, *class, (&mut 0u64, &mut 0u64), on_desk, state, changed)
        } else {
            let key = self.key_of_marked(shape, *class, (marks, written), on_desk, state, changed);
            if key.is_err() {
                marks.clear();
            }
            key
        }
    }

    #[inline]
    fn prefetch(&self, key: u64) {
        self.roots.prefetch(key);
    }

    #[inline]
    fn approach(&self, key: u64) {
        self.roots.approach(key);
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
        self.leaves.memory() + self.pairs.memory() + self.wide.memory() + self.roots.memory()
    }

    fn used(&self) -> u64 {
        self.leaves.used() + self.pairs.used() + self.wide.used() + self.roots.used()
    }

    fn next_growth(&self) -> u64 {
        let leap = |full: bool, growth: u64| if full { growth } else { 0 };
        leap(self.leaves.is_full(), self.leaves.next_growth())
            + leap(self.wide.is_full(), self.wide.next_growth())
            + leap(self.pairs.is_full(), self.pairs.next_growth())
            + leap(self.roots.is_full(), self.roots.next_growth())
    }

    fn grow(&mut self) -> bool {
        (!self.leaves.is_full() || self.leaves.grow())
            && (!self.wide.is_full() || self.wide.grow())
            && (!self.pairs.is_full() || self.pairs.grow())
            && (!self.roots.is_full() || self.roots.grow())
    }

    fn longest(&self) -> usize {
        self.longest.load(Relaxed)
    }
}
