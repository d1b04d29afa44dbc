//! The tree store: states are packed into words, and those that do not fit into a key are trees of shared nodes (Laarman,
//! van de Pol & Weber, "Parallel recursive state compression for free", SPIN 2011, with their incremental update of
//! section 3).
//!
//! A state is two words, or a root of four references to nodes, and a node that occurs in many states is stored once: a
//! million states that are combinations of a thousand quarters take the roots and little more. The tree of a state is made
//! from that of the state it came from, by the path from each leaf that was changed.
//! Differs from the paper: leaves are packed words, nodes far from the root have four children (a half of the look-ups),
//! nodes and roots lie in arrays behind an index, so that references stay right while tables grow, and the parts of a
//! reference that are zero take no room. States of different length are packed differently; the key says how.
//!
//! Invariant: the keys of all states that were entered are of the newest packing of their length. A key in anybody's hand
//! may be older, and is renewed when it is looked for and not found.

mod bit_shuffle;
mod dictionary;
mod key;
mod nodes;
mod packed_parent;
mod packing;
mod packings;
mod repack;
mod shape;

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU64, AtomicUsize};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};

use homing_core::{Changed, State, StateId};

use crate::table::Table;
use crate::table::columns::Columns16;
use crate::table::ids::IdSource;
use crate::table::index::{Index, Inserted};
use crate::table::rows::{Rows, Rows48, Rows128};
use crate::tree::bit_shuffle::Moves;
use crate::tree::key::{self as root, FAR_CLASS, MOST_NODES, Root};
use crate::tree::nodes::{Met, Recent, Unmet};
use crate::tree::packed_parent::{Board, Missing, Nodes};
use crate::tree::packing::Packing;
use crate::tree::packings::Classes;
use crate::{ByKey, Interned, Keys, LoadById, LoadByKey, NeedsGrowth, Numbered, Prefetch, Store, Usage};

/// States as packed words and trees.
#[derive(Debug)]
pub struct TreeStore {
    /// Nodes by table.
    pub(crate) leaves: Vec<Table<Rows128>>,
    pub(crate) pairs: Vec<Table<Rows48>>,
    pub(crate) wide: Vec<Table<Rows128>>,
    pub(crate) roots: Table<Columns16>,
    pub(crate) classes: RwLock<Classes>,
    pub(crate) wanted: Mutex<Vec<Wanted>>,
    /// How many threads it was grown by.
    pub(crate) threads: usize,
    /// How many nodes a table of leaves may have.
    pub(crate) most_leaves: u32,
    /// How often a packing was renewed.
    pub(crate) generation: u64,
    /// A bit for each class whose keys are no longer made; for [`FAR_CLASS`] if there is one beyond.
    pub(crate) retired: u64,
    /// Of each near class that is retired how its keys are made new ones, if bits have to move and that is all.
    pub(crate) shortcuts: Vec<Option<(Moves, u32)>>,
    /// Bytes of all packings.
    pub(crate) packed_by: AtomicU64,
    /// Bytes of all tables of nodes: it is asked for all the time, and they are many.
    nodes: AtomicU64,
    longest: AtomicUsize,
}

/// What there is no room for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wanted {
    /// In the byte at a place of the states of a length.
    Value { length: usize, at: usize, value: u8 },
    /// In the keys of a class.
    Reference { class: u32 },
}

/// The state that a thread has before it, and the nodes it has met.
#[derive(Debug)]
pub struct Cursor {
    /// None as long as there is no state.
    board: Option<Board>,
    /// Boards of other lengths, the last one used lately.
    others: Vec<Board>,
    recent: Recent,
    /// Of the store when it was looked whether packings are still what they were.
    generation: u64,
    /// Where new numbers come from.
    ids: IdSource,
}

/// How many other boards a cursor has.
const MOST_OTHERS: usize = 4;

impl Cursor {
    fn lay_aside(&mut self, board: Board) {
        if self.others.len() == MOST_OTHERS {
            self.others.remove(0);
        }
        self.others.push(board);
    }
}

impl TreeStore {
    pub fn new() -> Self {
        let mut store = TreeStore {
            leaves: vec![Table::new(MOST_NODES)],
            pairs: vec![Table::new(MOST_NODES)],
            wide: vec![Table::new(MOST_NODES)],
            roots: Table::with_id_blocks(Index::MAX_IDS),
            classes: RwLock::new(Classes::new()),
            wanted: Mutex::default(),
            threads: 1,
            most_leaves: MOST_NODES,
            generation: 0,
            retired: 0,
            shortcuts: Vec::new(),
            packed_by: AtomicU64::new(0),
            nodes: AtomicU64::new(0),
            longest: AtomicUsize::new(0),
        };
        store.count_nodes();
        store
    }

    fn count_nodes(&mut self) {
        *self.nodes.get_mut() = self.leaves.iter().chain(&self.wide).map(Table::memory).sum::<u64>()
            + self.pairs.iter().map(Table::memory).sum::<u64>();
    }

    /// The number of a node in its table, be it new or not.
    #[inline(never)]
    pub(crate) fn number<R: Rows>(&self, table: &Table<R>, node: R::Key) -> Result<u32, NeedsGrowth> {
        match table.insert(node, &mut IdSource::shared())? {
            Inserted::Known(number) => Ok(number),
            Inserted::New(number) => {
                self.nodes.fetch_add(table.width(), Relaxed);
                Ok(number)
            }
        }
    }

    /// How many packings there were, of all lengths.
    pub fn packings(&self) -> usize {
        self.classes().count()
    }

    pub(crate) fn classes(&self) -> RwLockReadGuard<'_, Classes> {
        self.classes.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// An empty board for a class.
    pub(crate) fn board(&self, class: u32) -> Board {
        let packing = self.classes().packing(class).clone(); // the lock is given back: it is asked for once more
        self.board_of(packing)
    }

    fn board_of(&self, packing: Arc<Packing>) -> Board {
        // a packing that is not the newest is noticed by a generation that never was
        let is_newest = self.newest(packing.length()).class == packing.class;
        Board::new(packing, if is_newest { self.generation } else { u64::MAX })
    }

    /// The packing of states of a length.
    fn newest(&self, length: usize) -> Arc<Packing> {
        if let Some(known) = self.classes().newest(length) {
            return known.clone();
        }
        self.longest.fetch_max(length, Relaxed);
        let mut classes = self.classes.write().unwrap_or_else(PoisonError::into_inner);
        if classes.newest(length).is_none() {
            let nodes = self.leaves[0].len().max(self.pairs[0].len()).max(self.wide[0].len());
            let bits = (u32::BITS - nodes.leading_zeros()) as u8;
            self.packed_by.fetch_add(classes.begin(length, bits).memory(), Relaxed);
        }
        classes.newest(length).expect("it was put there").clone()
    }

    /// Whether keys of the same class are no longer made.
    #[inline]
    fn is_retired(&self, key: Root) -> bool {
        let near = root::near_class(key);
        self.retired >> near & 1 != 0 && (near < FAR_CLASS || self.is_far_retired(key))
    }

    #[cold]
    fn is_far_retired(&self, key: Root) -> bool {
        let (classes, class) = (self.classes(), root::class(key));
        classes.newest(classes.packing(class).length()).is_some_and(|newest| newest.class != class)
    }

    /// The newest key of a state that has one of a retired class, if that is quickly made.
    fn moved(&self, key: Root) -> Option<Root> {
        let (moves, class) = self.shortcuts.get(root::near_class(key) as usize)?.as_ref()?;
        let [low, high] = moves.apply(key);
        Some([low | root::class_bits(*class), high])
    }

    /// The newest key of a state that has one of a retired class.
    #[cold]
    fn renewed(&self, key: Root) -> Result<Root, NeedsGrowth> {
        if let Some(moved) = self.moved(key) {
            return Ok(moved);
        }
        let mut nodes = Unmet { store: self, adds: true };
        let mut old = self.board(root::class(key));
        old.put(key, &nodes);
        let mut new = self.board_of(self.newest(old.state().len()));
        self.key_after(&mut new, old.state(), Changed::Anywhere, &mut nodes)
    }

    /// The same if it may be that of a state which was entered.
    #[cold]
    fn renewed_if_known(&self, key: Root) -> Option<Root> {
        if let Some(moved) = self.moved(key) {
            return Some(moved);
        }
        let mut nodes = Unmet { store: self, adds: false };
        let mut old = self.board(root::class(key));
        old.put(key, &nodes);
        let mut new = self.board_of(self.newest(old.state().len()));
        new.after(old.state(), Changed::Anywhere, &mut nodes).ok()
    }

    /// The key of a state of the length of those on a board, whose packing is the newest.
    fn key_after(
        &self,
        board: &mut Board,
        state: &State,
        changed: Changed<'_>,
        nodes: &mut impl Nodes,
    ) -> Result<Root, NeedsGrowth> {
        let mut made = board.after(state, changed, nodes);
        if made == Err(Missing::Code) {
            self.learn(&board.packing, state)?;
            made = board.after(state, changed, nodes);
            debug_assert_ne!(made, Err(Missing::Code));
        }
        if made == Err(Missing::Reference) {
            self.want(&mut vec![Wanted::Reference { class: board.packing.class }]);
        }
        made.map_err(|_| NeedsGrowth)
    }

    fn want(&self, wanted: &mut Vec<Wanted>) {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner).append(wanted);
    }

    /// Numbers the values of a state that came for the first time.
    fn learn(&self, packing: &Packing, state: &State) -> Result<(), NeedsGrowth> {
        let mut wanted = Vec::new();
        packing.learn(state, |at, value| wanted.push(Wanted::Value { length: state.len(), at, value }));
        if wanted.is_empty() {
            return Ok(());
        }
        self.want(&mut wanted);
        Err(NeedsGrowth)
    }

    /// The key of a state that is a tree, or was changed in many places.
    #[inline(never)]
    fn key_otherwise(&self, cursor: &mut Cursor, state: &State, changed: Changed<'_>) -> Result<Root, NeedsGrowth> {
        if let Cursor { board: Some(board), recent, .. } = cursor
            && board.generation == self.generation
            && board.state().len() == state.len()
        {
            match board.after(state, changed, &mut Met { store: self, recent }) {
                Ok(key) => return Ok(key),
                Err(Missing::Room) => return Err(NeedsGrowth),
                Err(Missing::Code | Missing::Reference) => {}
            }
        }
        self.key_slowly(cursor, state, changed)
    }

    /// The key of a state with a new value, of another length, or after there was another packing.
    #[cold]
    #[inline(never)]
    fn key_slowly(&self, cursor: &mut Cursor, state: &State, changed: Changed<'_>) -> Result<Root, NeedsGrowth> {
        self.catch_up(cursor);
        let is_behind = |board: &Board| board.generation != self.generation;
        if cursor.board.as_ref().is_some_and(is_behind) {
            self.refresh(cursor)?;
        }
        if let Cursor { board: Some(board), recent, .. } = cursor
            && board.state().len() == state.len()
        {
            return self.key_after(board, state, changed, &mut Met { store: self, recent });
        }
        let is_fit = |board: &Board| board.state().len() == state.len() && board.generation == self.generation;
        let mut board = match cursor.others.iter().position(is_fit) {
            Some(at) => cursor.others.remove(at),
            None => self.board_of(self.newest(state.len())),
        };
        let mut nodes = Met { store: self, recent: &mut cursor.recent };
        let key = self.key_after(&mut board, state, Changed::Anywhere, &mut nodes);
        if let Ok(key) = key {
            board.put(key, &nodes); // the next one will differ less
        }
        cursor.lay_aside(board);
        key
    }

    /// Brings a cursor up to date after packings have changed: what it knows of words, and how its boards are packed.
    #[cold]
    fn catch_up(&self, cursor: &mut Cursor) {
        if cursor.generation == self.generation {
            return;
        }
        cursor.generation = self.generation;
        cursor.recent.forget_leaves();
        let classes = self.classes();
        let is_same = |board: &Board| Arc::ptr_eq(&board.packing, classes.packing(board.packing.class));
        cursor.others.retain(is_same);
        if let Some(board) = cursor.board.take_if(|board| !is_same(board)) {
            let looser = classes.packing(board.packing.class).clone();
            let behind = board.generation; // or it may be retired by now
            cursor.board = Some(board.loosened(looser, behind));
        }
    }

    /// Packs the state on a cursor as states of its length are packed by now.
    fn refresh(&self, cursor: &mut Cursor) -> Result<(), NeedsGrowth> {
        let Cursor { board: Some(board), others, recent, .. } = cursor else { return Ok(()) };
        let newest = self.newest(board.state().len());
        if newest.class != board.packing.class {
            let other = others.iter().position(|board| board.packing.class == newest.class);
            let mut new = other.map_or_else(|| Board::new(newest, self.generation), |at| others.remove(at));
            let mut nodes = Met { store: self, recent };
            let key = self.key_after(&mut new, board.state(), Changed::Anywhere, &mut nodes)?;
            new.put(key, &nodes);
            let old = std::mem::replace(board, new);
            board.generation = self.generation;
            cursor.lay_aside(old); // there may be more keys of its class to open
        } else {
            board.generation = self.generation;
        }
        Ok(())
    }

    /// Makes the board that of a class.
    #[cold]
    fn switch(&self, cursor: &mut Cursor, class: u32) {
        let other = cursor.others.iter().position(|board| board.packing.class == class);
        let board = other.map_or_else(|| self.board(class), |at| cursor.others.remove(at));
        if let Some(board) = cursor.board.replace(board) {
            cursor.lay_aside(board);
        }
    }

    /// Enters a state that has a key of a retired class.
    #[cold]
    fn enter_renewed(&self, ids: &mut IdSource, key: Root) -> Result<Inserted, NeedsGrowth> {
        self.roots.insert(self.renewed(key)?, ids)
    }
}

impl Default for TreeStore {
    fn default() -> Self {
        TreeStore::new()
    }
}

impl Keys for TreeStore {
    type Key = Root;
    type Cursor = Cursor;

    fn cursor(&self) -> Cursor {
        Cursor {
            board: None,
            others: Vec::new(),
            recent: Recent::default(),
            generation: 0,
            ids: self.roots.id_source(),
        }
    }

    fn set_parent(&self, cursor: &mut Cursor, _: &State, _: Option<Root>) {
        if let Some(board) = cursor.board.take() {
            cursor.lay_aside(board); // what differs is found out until a state is opened
        }
    }

    #[inline]
    fn key(&self, cursor: &mut Cursor, state: &State, changed: Changed<'_>) -> Result<Root, NeedsGrowth> {
        match self.quick_key(cursor, state, changed) {
            Some(key) => Ok(key),
            None => self.key_otherwise(cursor, state, changed),
        }
    }

    #[inline(always)]
    fn quick_key(&self, cursor: &mut Cursor, state: &State, changed: Changed<'_>) -> Option<Root> {
        let (Cursor { board: Some(board), recent, .. }, Changed::At(places)) = (cursor, changed) else { return None };
        if !board.is_current(state.len(), self.generation) {
            return None;
        }
        if board.packing.is_inline {
            return board.after_places(state, places);
        }
        if board.is_flat() {
            return board.after_leaves(state, places, &mut Met { store: self, recent }).ok();
        }
        None
    }
}

impl Prefetch for TreeStore {
    #[inline]
    fn prefetch(&self, key: Root) {
        self.roots.prefetch(key);
    }

    #[inline]
    fn prefetch_row(&self, key: Root) {
        self.roots.prefetch_row(key);
    }

    #[inline]
    fn prefetch_state(&self, id: StateId) {
        self.roots.prefetch_id(id.0);
    }
}

impl Store for TreeStore {
    type Recall = ByKey;

    const LOSSLESS: bool = true;

    #[inline]
    fn intern(&self, cursor: &mut Cursor, key: Root, state: &State) -> Result<Interned, NeedsGrowth> {
        let (id, is_new) = self.intern_id(cursor, key, state)?;
        Ok(if is_new { Interned::New(id) } else { Interned::Known(id) })
    }

    #[inline]
    fn find(&self, key: Root, state: &State) -> Option<Interned> {
        self.id(key, state).map(Interned::Known)
    }

    fn len(&self) -> u64 {
        u64::from(self.roots.len())
    }

    fn capacity(&self) -> u64 {
        u64::from(self.roots.capacity())
    }

    fn memory(&self) -> u64 {
        self.nodes.load(Relaxed) + self.roots.memory() + self.packed_by.load(Relaxed)
    }

    fn next_growth(&self) -> u64 {
        let leap = |full: bool, growth: u64| if full { growth } else { 0 };
        self.leaves.iter().chain(&self.wide).map(|nodes| leap(nodes.is_full(), nodes.next_growth())).sum::<u64>()
            + self.pairs.iter().map(|nodes| leap(nodes.is_full(), nodes.next_growth())).sum::<u64>()
            + leap(self.roots.is_full(), self.roots.next_growth())
            + self.roots.widening()
    }

    fn grow(&mut self, threads: usize) -> bool {
        self.threads = threads;
        self.roots.widen();
        let was_full = self.roots.is_full();
        let has_grown = self.grow_nodes() && (!was_full || self.roots.grow(threads)) && self.repack(was_full);
        self.count_nodes();
        has_grown
    }

    fn usage(&self) -> Usage {
        let bytes = self.leaves.iter().chain(&self.wide).map(Table::used).sum::<u64>()
            + self.pairs.iter().map(Table::used).sum::<u64>()
            + self.roots.used();
        Usage { bytes, longest_state: self.longest.load(Relaxed) }
    }
}

impl Numbered for TreeStore {
    #[inline]
    fn intern_id(&self, cursor: &mut Cursor, key: Root, _: &State) -> Result<(StateId, bool), NeedsGrowth> {
        let ids = &mut cursor.ids;
        let entered = if self.is_retired(key) { self.enter_renewed(ids, key) } else { self.roots.insert(key, ids) };
        Ok(match entered? {
            Inserted::New(number) => (StateId(number), true),
            Inserted::Known(number) => (StateId(number), false),
        })
    }

    #[inline]
    fn id(&self, key: Root, _: &State) -> Option<StateId> {
        let found = self.roots.find(key).or_else(|| {
            let renewed = self.is_retired(key).then(|| self.renewed_if_known(key))?;
            self.roots.find(renewed?)
        });
        found.map(StateId)
    }
}

impl LoadById for TreeStore {
    fn load(&self, cursor: &mut Cursor, id: StateId, out: &mut Vec<u8>) {
        self.load_by_key(cursor, self.roots.get(id.0), out);
    }
}

impl LoadByKey for TreeStore {
    fn load_by_key(&self, cursor: &mut Cursor, key: Root, out: &mut Vec<u8>) {
        let class = root::class(key);
        if cursor.generation != self.generation {
            self.catch_up(cursor);
        }
        if cursor.board.as_ref().is_none_or(|board| board.packing.class != class) {
            self.switch(cursor, class);
        }
        let Cursor { board: Some(board), recent, .. } = cursor else { unreachable!("it was put there") };
        board.put(key, &Met { store: self, recent });
        out.clear();
        out.extend_from_slice(board.state());
    }
}
