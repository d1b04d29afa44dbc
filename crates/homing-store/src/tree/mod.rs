//! The tree store: states are packed into words, and those that do not fit into a key are trees of shared nodes
//! (Laarman, van de Pol & Weber, "Parallel recursive state compression for free", SPIN 2011, with their incremental
//! update of section 3).
//!
//! Differs from the paper: leaves are packed words; nodes far from the root have four children (half as many look-ups);
//! nodes and roots lie in arrays found through an index, so that references stay valid while tables grow; the upper
//! bits of references that are zero take no room. States of different lengths are packed differently; the key says how.
//!
//! Invariant: the key of every state in the table of roots was made by the newest packing of its length. A key that a
//! thread holds may be older; it is upgraded when it is looked up and not found.
//!
//! # One state, step by step
//! The example has four processes of three bytes each: a program counter from 3 to 14, a variable with the values 0,
//! 10, 20, 30 and 40, and a counter of rounds from 7 up. It is explored breadth-first. `example.rs` does that and
//! checks the numbers.
//!
//! **Leaves.** The first state is `3 0 7 | 3 0 7 | 3 0 7 | 3 0 7`. Nothing is known of states of twelve bytes, so their
//! first [`Packing`], which has id 0, takes each byte as it is. A key has 58 bits next to the packing id. 96 bits do
//! not fit, so the state is cut into four leaves of up to 128 bits, here one for each process. A leaf is stored once,
//! in a table that gives it the next number, a *reference*. After 1024 states the table has 12 leaves, the local states
//! of a process; leaf 7 is `0x07140a`, the bytes 10, 20 and 7.
//!
//! **The key** is the root of the tree. State 500 is `10 20 7 | 4 10 7 | 4 10 7 | 3 0 7`: leaves 7, 1, 1 and 0. Its key
//! has the packing id in bits 0 to 3 and a reference of 11 bits at bits 4, 15, 26 and 37: `7 << 4 | 1 << 15 | 1 << 26`,
//! or `0x4008070`. Keys lie by id in columns of 16 bits ([`Columns16`]). None has more than 48 bits, so three columns
//! are enough: 6 bytes. An [index](crate::table::index) finds the key by its hash. It has 1366 slots of 4 bytes for
//! 1024 ids; the entry of this state has 21 bits of the hash as a tag and, in the other 11, the id plus one, 501.
//!
//! **A successor's key** is made from its parent's. State 500 comes from state 331, `10 20 7 | 4 10 7 | 3 0 7 | 3 0 7`,
//! by a step of the third process. The [cursor] holds state 331 as a [`PackedParent`]: the words of its leaves, their
//! references and its key, `0x8070`. The step says that it wrote bytes 6 to 8. Only these are packed again, and only
//! their leaf is looked up, in a cache of recent nodes first: it is leaf 1, and a 1 at bit 26 makes the parent's key
//! the successor's. In a deeper tree the nodes on the path from the leaf to the root are looked up as well.
//!
//! **Dictionaries.** State 1024 finds the index full. The store [grows](crate::Store::grow): the index is replaced by a
//! larger one. There are enough states now to see which values each byte has, so a new packing, with id 1, packs them
//! again. Each byte has a [dictionary](dictionary::Dictionary) of its values in the order in which they came, and takes
//! the bits of its code: byte 0 has had 12 values (4 bits), byte 1 five (3 bits), byte 2 only one (none). 28 bits for
//! the whole state fit into a key: the packing is *inline*, without leaves. The key takes three columns anyway, so the
//! 16 bits that are left of them are given out as room for values to come: the fields of a process have 6, 4 and 1 bits
//! ([layout]). State 500 has the codes `7 2 0 | 1 1 0 | 1 1 0 | 0 0 0`. Its key is the packing id 1 with `7 << 4 | 2 <<
//! 10 | 1 << 15 | 1 << 21 | 1 << 26 | 1 << 32`, or `0x104208871`. A successor's key is its parent's with the codes of
//! the written bytes replaced, without any look-up.
//!
//! **A value too many.** The one bit of byte 2 has room for its second value, 8, but not for 9, which comes after
//! 17,550 states. Making that key fails, and growing makes packing 2, with fields of 5, 4 and 3 bits for the first
//! process. All codes stay the same, so all keys become keys of packing 2 by a [shuffle](BitShuffle) of their bits:
//! that of state 500 is now `0x108210472`. A thread may still hold its old key: the packing id says how to read and
//! upgrade it. In a packing with leaves that have bits left, only the table of one leaf is shuffled, and keys stay.
//! When a reference has too many bits for its keys, a packing with wider references replaces theirs in the same way
//! ([repack]).
//!
//! **Bytes.** 100,000 states take 10 bytes each: 6 for the key and 4 for the entry of the index (without its empty
//! slots, which are a quarter of a full index). Large states take hardly more: 100,016 states of 40 such processes, 120
//! bytes each, are combinations of 1001, 551, 286 and 286 leaves, each with the packed bytes of ten processes. With all
//! leaves a state takes 10.4 bytes.
//!
//! **Threads** look up and add at the same time. To add a key, a thread claims an empty slot of the index by writing
//! the tag and a busy mark into it (compare-and-exchange), takes an id from the block of 64 that its cursor owns,
//! writes the row, and then the entry. Another thread that finds a busy entry with the same tag waits. Nodes are added
//! in the same way. A dictionary takes a new value at any time as long as its field has room. Whatever moves entries or
//! keys needs exclusive access: a call that finds no room returns [`NeedsGrowth`], and the search lets one thread grow
//! the store while the others wait.

mod bit_shuffle;
mod cursor;
mod dictionary;
mod differences;
#[cfg(all(test, not(miri)))] // tables have other sizes under Miri
mod example;
mod field;
mod key;
mod layout;
mod nodes;
mod packed_parent;
mod packing;
mod packings;
mod repack;
mod shape;
mod store;
mod successor;

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU64, AtomicUsize};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};

use homing_core::Changed;

use crate::NeedsGrowth;
use crate::table::Table;
use crate::table::columns::Columns16;
use crate::table::ids::IdSource;
use crate::table::index::{Index, Inserted};
use crate::table::rows::{Rows, Rows48, Rows128};
use crate::tree::bit_shuffle::BitShuffle;
use crate::tree::key::{ESCAPE_ID, MAX_NODES, TreeKey};
use crate::tree::nodes::{IfNew, UncachedNodes};
use crate::tree::packed_parent::PackedParent;
use crate::tree::packing::{Packing, PackingId};
use crate::tree::packings::Packings;
use crate::tree::repack::RepackRequest;

/// A lossless store of states as packed words and trees: the default, which takes a few bytes for each state.
#[derive(Debug)]
pub struct TreeStore {
    /// The tables of nodes; a [`Packing`] says which of them its nodes have.
    leaves: Vec<Table<Rows128>>,
    pairs: Vec<Table<Rows48>>,
    quads: Vec<Table<Rows128>>,
    /// The keys of all states.
    roots: Table<Columns16>,
    packings: RwLock<Packings>,
    /// What growing has to make room for in packings.
    requests: Mutex<Vec<RepackRequest>>,
    /// By how many threads it was grown last.
    threads: usize,
    /// How many leaves a table of them may have.
    max_leaves: u32,
    /// How often packings have changed.
    generation: u64,
    /// A bit for each short packing id that is retired, which means that no keys are made by that packing any more. The
    /// bit of [`ESCAPE_ID`] is set if any longer id is retired.
    retired: u64,
    /// For each retired packing with a short id: how its keys become keys of the newest packing, with the id of that
    /// one, if moving bits is enough.
    key_shuffles: Vec<Option<(BitShuffle, PackingId)>>,
    /// The bytes of all packings.
    packing_memory: AtomicU64,
    /// The bytes of all tables of nodes. They are counted here because they are many, and the sum is read often.
    node_memory: AtomicU64,
    longest: AtomicUsize,
}

impl TreeStore {
    /// An empty store.
    pub fn new() -> Self {
        let mut store = TreeStore {
            leaves: vec![Table::new(MAX_NODES)],
            pairs: vec![Table::new(MAX_NODES)],
            quads: vec![Table::new(MAX_NODES)],
            roots: Table::with_id_blocks(Index::MAX_IDS),
            packings: RwLock::new(Packings::new()),
            requests: Mutex::default(),
            threads: 1,
            max_leaves: MAX_NODES,
            generation: 0,
            retired: 0,
            key_shuffles: Vec::new(),
            packing_memory: AtomicU64::new(0),
            node_memory: AtomicU64::new(0),
            longest: AtomicUsize::new(0),
        };
        store.count_node_memory();
        store
    }

    /// How many packings there were, of all lengths.
    pub fn packing_count(&self) -> usize {
        self.packings().len()
    }

    fn count_node_memory(&mut self) {
        *self.node_memory.get_mut() = self.leaves.iter().chain(&self.quads).map(Table::memory).sum::<u64>()
            + self.pairs.iter().map(Table::memory).sum::<u64>();
    }

    /// The reference to a node, which is added to its table unless it is there.
    #[inline(never)]
    fn add_node<R: Rows>(&self, table: &Table<R>, node: R::Key) -> Result<u32, NeedsGrowth> {
        match table.insert(node, &mut IdSource::shared())? {
            Inserted::Known(reference) => Ok(reference),
            Inserted::New(reference) => {
                self.node_memory.fetch_add(table.width(), Relaxed);
                Ok(reference)
            }
        }
    }

    fn packings(&self) -> RwLockReadGuard<'_, Packings> {
        self.packings.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn blank_parent_by_id(&self, id: PackingId) -> PackedParent {
        let packing = self.packings().get(id).clone(); // the lock is released here: the next line takes it again
        self.blank_parent(packing)
    }

    fn blank_parent(&self, packing: Arc<Packing>) -> PackedParent {
        // a packing that is not the newest is recognized by a generation that never was
        let is_newest = self.newest_packing(packing.length()).id == packing.id;
        PackedParent::new(packing, if is_newest { self.generation } else { u64::MAX })
    }

    /// The packing that makes the keys of states of a length.
    fn newest_packing(&self, length: usize) -> Arc<Packing> {
        if let Some(known) = self.packings().newest(length) {
            return known.clone();
        }
        self.longest.fetch_max(length, Relaxed);
        let mut packings = self.packings.write().unwrap_or_else(PoisonError::into_inner);
        if packings.newest(length).is_none() {
            let nodes = self.leaves[0].len().max(self.pairs[0].len()).max(self.quads[0].len());
            let ref_bits = (u32::BITS - nodes.leading_zeros()) as u8;
            self.packing_memory.fetch_add(packings.begin(length, ref_bits).memory(), Relaxed);
        }
        packings.newest(length).expect("it was just made").clone()
    }

    /// Whether the packing of a key is retired.
    #[inline]
    fn is_retired(&self, key: TreeKey) -> bool {
        let short = key::short_id(key);
        self.retired >> short & 1 != 0 && (short < ESCAPE_ID || self.is_long_id_retired(key))
    }

    #[cold]
    fn is_long_id_retired(&self, key: TreeKey) -> bool {
        let (packings, id) = (self.packings(), key::packing_id(key));
        packings.newest(packings.get(id).length()).is_some_and(|newest| newest.id != id)
    }

    /// The key of the same state by the newest packing, for a key whose packing is retired, if moving bits is enough.
    fn shuffled(&self, key: TreeKey) -> Option<TreeKey> {
        let (shuffle, id) = self.key_shuffles.get(key::short_id(key) as usize)?.as_ref()?;
        let [low, high] = shuffle.apply(key);
        Some([low | key::id_bits(*id), high])
    }

    /// The key of the same state by the newest packing, for a key whose packing is retired.
    #[cold]
    fn upgraded(&self, key: TreeKey) -> Result<TreeKey, NeedsGrowth> {
        if let Some(shuffled) = self.shuffled(key) {
            return Ok(shuffled);
        }
        let mut nodes = UncachedNodes { store: self, if_new: IfNew::Add };
        let mut old = self.blank_parent_by_id(key::packing_id(key));
        old.load(key, &nodes);
        let mut new = self.blank_parent(self.newest_packing(old.state().len()));
        self.key_from(&mut new, old.state(), Changed::Anywhere, &mut nodes)
    }

    /// The key of the same state by the newest packing, for a key whose packing is retired; `None` if the state is not
    /// in the store.
    #[cold]
    fn upgraded_if_known(&self, key: TreeKey) -> Option<TreeKey> {
        if let Some(shuffled) = self.shuffled(key) {
            return Some(shuffled);
        }
        let mut nodes = UncachedNodes { store: self, if_new: IfNew::Refuse };
        let mut old = self.blank_parent_by_id(key::packing_id(key));
        old.load(key, &nodes);
        let mut new = self.blank_parent(self.newest_packing(old.state().len()));
        new.successor_key(old.state(), Changed::Anywhere, &mut nodes).ok()
    }

    /// Adds the state of a key whose packing is retired.
    #[cold]
    fn insert_upgraded(&self, key: TreeKey, ids: &mut IdSource) -> Result<Inserted, NeedsGrowth> {
        self.roots.insert(self.upgraded(key)?, ids)
    }

    fn request(&self, requests: &mut Vec<RepackRequest>) {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).append(requests);
    }
}

impl Default for TreeStore {
    fn default() -> Self {
        TreeStore::new()
    }
}
