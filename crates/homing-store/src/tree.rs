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

use crate::board::{self, Board, Nodes};
use crate::cache::Cache;
use crate::index::{Entered, Index};
use crate::shape::{Shape, Value};
use crate::table::{Narrow, Quick, Table, Wide};
use crate::{Full, Interned, Key, Recall, Store};

/// States as trees.
#[derive(Debug)]
pub struct TreeStore {
    leaves: Table<Wide>,
    /// Those of short states.
    short_leaves: Table<Quick>,
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

/// The state that a thread has before it, and the nodes it has met.
#[derive(Debug, Default)]
pub struct Desk {
    class: u32,
    /// None as long as there is no state.
    board: Option<Board>,
    recent: Recent,
}

/// The numbers of nodes seen lately.
#[derive(Debug, Default)]
struct Recent {
    leaves: Cache<Value, 2048>,
    short_leaves: Cache<u64, 2048>,
    pairs: Cache<u64, 16384>,
    wide: Cache<[u64; 2], 2048>,
}

/// References have this many bits.
const REF_BITS: u32 = 28;
const MOST_NODES: u32 = (1 << REF_BITS) - 1;

/// The class of a root that has no room for its class: its first reference is to the pair, its second the class.
const FAR_CLASS: u32 = 255;

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

/// The nodes of a store, as one thread meets them.
struct Met<'a> {
    store: &'a TreeStore,
    recent: &'a mut Recent,
}

impl Nodes for Met<'_> {
    #[inline(always)]
    fn leaf(&mut self, value: Value) -> Result<u32, Full> {
        self.recent.leaves.number(value, || self.store.leaves.number(value))
    }

    #[inline(always)]
    fn short_leaf(&mut self, value: u64) -> Result<u32, Full> {
        self.recent.short_leaves.number(value, || self.store.short_leaves.number(value))
    }

    #[inline(always)]
    fn pair(&mut self, children: u64) -> Result<u32, Full> {
        let key = || root(children as u32, (children >> 32) as u32, 0);
        self.recent.pairs.number(children, || self.store.pairs.number(key()))
    }

    #[inline(always)]
    fn wide(&mut self, children: [u64; 2]) -> Result<u32, Full> {
        self.recent.wide.number(children, || self.store.wide.number(children))
    }

    #[inline]
    fn leaf_at(&self, reference: u32) -> Value {
        self.store.leaves.get(reference)
    }

    #[inline]
    fn short_leaf_at(&self, reference: u32) -> u64 {
        self.store.short_leaves.get(reference)
    }

    #[inline]
    fn pair_at(&self, reference: u32) -> u64 {
        let (a, b, _) = parts(self.store.pairs.get(reference));
        u64::from(a) | u64::from(b) << 32
    }

    #[inline]
    fn wide_at(&self, reference: u32) -> [u64; 2] {
        self.store.wide.get(reference)
    }
}

impl TreeStore {
    pub fn new() -> Self {
        TreeStore {
            leaves: Table::new(MOST_NODES),
            short_leaves: Table::new(MOST_NODES),
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
    fn root(&self, [a, b]: [u32; 2], class: u32) -> Result<Key, Full> {
        if class < FAR_CLASS {
            return Ok(root(a, b, class));
        }
        Ok(root(self.pairs.number(root(a, b, 0))?, class, FAR_CLASS))
    }

    /// The references below the root, and the class.
    fn below(&self, key: Key) -> ([u32; 2], u32) {
        let (a, b, class) = parts(key);
        if class < FAR_CLASS {
            return ([a, b], class);
        }
        let (left, right, _) = parts(self.pairs.get(a));
        ([left, right], b)
    }

    /// The key of a state that has nothing in common with the one on the desk.
    #[cold]
    fn key_from_scratch(&self, state: &State, recent: &mut Recent) -> Result<Key, Full> {
        let (class, shape) = self.class_of(state.len());
        self.root(board::from_scratch(&shape, state, &mut Met { store: self, recent })?, class)
    }

    /// The board of states of a class.
    #[cold]
    fn board(&self, class: u32) -> Board {
        Board::new(self.classes.read().expect("nobody panics with it").shapes[class as usize].clone())
    }
}

impl Default for TreeStore {
    fn default() -> Self {
        TreeStore::new()
    }
}

impl Store for TreeStore {
    type Desk = Desk;

    const LOSSLESS: bool = true;
    const RECALL: Recall = Recall::ByKey;

    fn place(&self, desk: &mut Desk, _: &State, _: Option<Key>) {
        desk.board = None; // keys are made from scratch until a state is opened
    }

    fn open(&self, desk: &mut Desk, id: StateId, out: &mut Vec<u8>) {
        self.open_key(desk, self.roots.get(id.0), out);
    }

    fn open_key(&self, desk: &mut Desk, key: Key, out: &mut Vec<u8>) {
        let Desk { class: held, board, recent } = desk;
        let (top, class) = self.below(key);
        let board = match board {
            Some(board) if *held == class => board,
            _ => {
                *held = class;
                board.insert(self.board(class))
            }
        };
        board.put(top, &Met { store: self, recent });
        out.clear();
        out.extend_from_slice(board.state());
    }

    #[inline]
    fn key(&self, desk: &mut Desk, state: &State, changed: Changed<'_>) -> Result<Key, Full> {
        let Desk { class, board, recent } = desk;
        match board {
            Some(board) if board.shape.length == state.len() => {
                let top = board.after(state, changed, &mut Met { store: self, recent })?;
                self.root(top, *class)
            }
            _ => self.key_from_scratch(state, recent),
        }
    }

    #[inline]
    fn prefetch(&self, key: Key) {
        self.roots.prefetch(key);
    }

    #[inline]
    fn approach(&self, key: Key) {
        self.roots.approach(key);
    }

    #[inline]
    fn prefetch_state(&self, id: StateId) {
        self.roots.prefetch_row(id.0);
    }

    #[inline]
    fn intern(&self, key: Key, _: &State) -> Result<Interned, Full> {
        Ok(match self.roots.enter(key)? {
            Entered::New(number) => Interned::New(StateId(number)),
            Entered::Known(number) => Interned::Known(StateId(number)),
        })
    }

    #[inline]
    fn find(&self, key: Key, _: &State) -> Option<Interned> {
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
        self.leaves.memory()
            + self.short_leaves.memory()
            + self.pairs.memory()
            + self.wide.memory()
            + self.roots.memory()
    }

    fn used(&self) -> u64 {
        self.leaves.used() + self.short_leaves.used() + self.pairs.used() + self.wide.used() + self.roots.used()
    }

    fn next_growth(&self) -> u64 {
        let leap = |full: bool, growth: u64| if full { growth } else { 0 };
        leap(self.leaves.is_full(), self.leaves.next_growth())
            + leap(self.short_leaves.is_full(), self.short_leaves.next_growth())
            + leap(self.wide.is_full(), self.wide.next_growth())
            + leap(self.pairs.is_full(), self.pairs.next_growth())
            + leap(self.roots.is_full(), self.roots.next_growth())
    }

    fn grow(&mut self) -> bool {
        (!self.leaves.is_full() || self.leaves.grow())
            && (!self.short_leaves.is_full() || self.short_leaves.grow())
            && (!self.wide.is_full() || self.wide.grow())
            && (!self.pairs.is_full() || self.pairs.grow())
            && (!self.roots.is_full() || self.roots.grow())
    }

    fn longest(&self) -> usize {
        self.longest.load(Relaxed)
    }
}
