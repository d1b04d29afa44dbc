//! The nodes of the trees in a store, and the references to them.

use crate::NeedsGrowth;
use crate::recent_cache::RecentCache;
use crate::sizes::size;
use crate::tree::TreeStore;
use crate::tree::layout::LEAF_WORDS;

/// Tables of nodes: a node is added unless it is there, and its id is a reference to it. Leaves, pairs and quads have
/// separate tables, each kind numbered from 0.
pub(crate) trait Nodes {
    /// The reference to a leaf.
    fn leaf(&mut self, table: u32, words: [u64; LEAF_WORDS]) -> Result<u32, NeedsGrowth>;

    /// The reference to a pair; its children are the two halves of the word.
    fn pair(&mut self, table: u32, children: u64) -> Result<u32, NeedsGrowth>;

    /// The reference to a quad; its children are the halves of the words.
    fn quad(&mut self, table: u32, children: [u64; 2]) -> Result<u32, NeedsGrowth>;

    /// The leaf that a reference refers to.
    fn leaf_at(&self, table: u32, reference: u32) -> [u64; LEAF_WORDS];

    /// The pair that a reference refers to.
    fn pair_at(&self, table: u32, reference: u32) -> u64;

    /// The quad that a reference refers to.
    fn quad_at(&self, table: u32, reference: u32) -> [u64; 2];
}

/// The references to nodes that one thread looked up recently.
#[derive(Debug)]
pub(crate) struct NodeCaches {
    leaves: RecentCache<[u64; 3], u32, CACHED_LEAVES>,
    pairs: RecentCache<[u64; 2], u32, CACHED_PAIRS>,
    quads: RecentCache<[u64; 3], u32, CACHED_QUADS>,
}

const CACHED_LEAVES: usize = size(4096, 64);
const CACHED_PAIRS: usize = size(8192, 64);
const CACHED_QUADS: usize = size(4096, 64);

impl NodeCaches {
    pub fn new() -> Self {
        NodeCaches { leaves: RecentCache::new(0), pairs: RecentCache::new(0), quads: RecentCache::new(0) }
    }

    /// Forgets all leaves, because their words have changed in the store.
    pub fn clear_leaves(&mut self) {
        self.leaves = RecentCache::new(0);
    }
}

/// The nodes of a store as one thread looks them up, with its caches.
pub(crate) struct CachedNodes<'a> {
    pub store: &'a TreeStore,
    pub caches: &'a mut NodeCaches,
}

impl Nodes for CachedNodes<'_> {
    #[inline(always)]
    fn leaf(&mut self, table: u32, words: [u64; LEAF_WORDS]) -> Result<u32, NeedsGrowth> {
        let find = || self.store.add_node(&self.store.leaves[table as usize], words);
        self.caches.leaves.id([words[0], words[1], table.into()], find)
    }

    #[inline(always)]
    fn pair(&mut self, table: u32, children: u64) -> Result<u32, NeedsGrowth> {
        let find = || self.store.add_node(&self.store.pairs[table as usize], low_bits_first(children));
        self.caches.pairs.id([children, table.into()], find)
    }

    #[inline(always)]
    fn quad(&mut self, table: u32, children: [u64; 2]) -> Result<u32, NeedsGrowth> {
        let find = || self.store.add_node(&self.store.quads[table as usize], children);
        self.caches.quads.id([children[0], children[1], table.into()], find)
    }

    #[inline]
    fn leaf_at(&self, table: u32, reference: u32) -> [u64; LEAF_WORDS] {
        self.store.leaves[table as usize].get(reference)
    }

    #[inline]
    fn pair_at(&self, table: u32, reference: u32) -> u64 {
        both_children(self.store.pairs[table as usize].get(reference))
    }

    #[inline]
    fn quad_at(&self, table: u32, reference: u32) -> [u64; 2] {
        self.store.quads[table as usize].get(reference)
    }
}

/// The nodes of a store, without a cache.
pub(crate) struct UncachedNodes<'a> {
    pub store: &'a TreeStore,
    pub if_new: IfNew,
}

/// What is done about a node that is not in its table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IfNew {
    Add,
    /// It has no reference, as if its table were full.
    Refuse,
}

impl Nodes for UncachedNodes<'_> {
    fn leaf(&mut self, table: u32, words: [u64; LEAF_WORDS]) -> Result<u32, NeedsGrowth> {
        let leaves = &self.store.leaves[table as usize];
        match self.if_new {
            IfNew::Add => self.store.add_node(leaves, words),
            IfNew::Refuse => leaves.find(words).ok_or(NeedsGrowth),
        }
    }

    fn pair(&mut self, table: u32, children: u64) -> Result<u32, NeedsGrowth> {
        let (pairs, children) = (&self.store.pairs[table as usize], low_bits_first(children));
        match self.if_new {
            IfNew::Add => self.store.add_node(pairs, children),
            IfNew::Refuse => pairs.find(children).ok_or(NeedsGrowth),
        }
    }

    fn quad(&mut self, table: u32, children: [u64; 2]) -> Result<u32, NeedsGrowth> {
        let quads = &self.store.quads[table as usize];
        match self.if_new {
            IfNew::Add => self.store.add_node(quads, children),
            IfNew::Refuse => quads.find(children).ok_or(NeedsGrowth),
        }
    }

    fn leaf_at(&self, table: u32, reference: u32) -> [u64; LEAF_WORDS] {
        self.store.leaves[table as usize].get(reference)
    }

    fn pair_at(&self, table: u32, reference: u32) -> u64 {
        both_children(self.store.pairs[table as usize].get(reference))
    }

    fn quad_at(&self, table: u32, reference: u32) -> [u64; 2] {
        self.store.quads[table as usize].get(reference)
    }
}

/// The key of a pair in its table: the lower 24 bits of both children first, so that small references leave the upper
/// [bytes](crate::table::rows::Rows48) zero.
#[inline]
fn low_bits_first(children: u64) -> u64 {
    let low = |reference: u64| reference & ((1 << 24) - 1);
    let (a, b) = (children & u64::from(u32::MAX), children >> 32);
    low(a) | low(b) << 24 | (a >> 24) << 48 | (b >> 24) << 56
}

/// The children of a pair, from its key.
#[inline]
fn both_children(key: u64) -> u64 {
    let part = |from: u32, bits: u32| key >> from & ((1 << bits) - 1);
    part(0, 24) | part(48, 8) << 24 | (part(24, 24) | part(56, 8) << 24) << 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_children_of_a_pair_are_read_back() {
        for pair in [0, 5, 5 << 32, 0x00ab_cdef_0012_3456, 0x0fff_ffff_0fff_ffff, u64::MAX] {
            assert_eq!(both_children(low_bits_first(pair)), pair);
            assert_eq!(low_bits_first(pair) >> 48 == 0, pair & 0xff00_0000_ff00_0000 == 0);
        }
    }
}
