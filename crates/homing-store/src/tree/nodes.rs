//! The nodes of a store: where a board gets references from.

use crate::NeedsGrowth;
use crate::recent_cache::RecentCache;
use crate::tree::TreeStore;
use crate::tree::packed_parent::Nodes;
use crate::tree::packing::LEAF;

/// The numbers of nodes seen lately.
#[derive(Debug)]
pub(crate) struct Recent {
    leaves: RecentCache<[u64; 3], u32, 4096>,
    pairs: RecentCache<[u64; 2], u32, 8192>,
    wide: RecentCache<[u64; 3], u32, 4096>,
}

impl Default for Recent {
    fn default() -> Self {
        Recent { leaves: RecentCache::new(0), pairs: RecentCache::new(0), wide: RecentCache::new(0) }
    }
}

impl Recent {
    /// The words of leaves are not what they were.
    pub fn forget_leaves(&mut self) {
        self.leaves = RecentCache::new(0);
    }
}

/// The nodes of a store, as one thread meets them.
pub(crate) struct Met<'a> {
    pub store: &'a TreeStore,
    pub recent: &'a mut Recent,
}

impl Nodes for Met<'_> {
    #[inline(always)]
    fn leaf(&mut self, table: u32, words: [u64; LEAF]) -> Result<u32, NeedsGrowth> {
        let find = || self.store.number(&self.store.leaves[table as usize], words);
        self.recent.leaves.id([words[0], words[1], table.into()], find)
    }

    #[inline(always)]
    fn pair(&mut self, table: u32, children: u64) -> Result<u32, NeedsGrowth> {
        let find = || self.store.number(&self.store.pairs[table as usize], narrowed(children));
        self.recent.pairs.id([children, table.into()], find)
    }

    #[inline(always)]
    fn wide(&mut self, table: u32, children: [u64; 2]) -> Result<u32, NeedsGrowth> {
        let find = || self.store.number(&self.store.wide[table as usize], children);
        self.recent.wide.id([children[0], children[1], table.into()], find)
    }

    #[inline]
    fn leaf_at(&self, table: u32, reference: u32) -> [u64; LEAF] {
        self.store.leaves[table as usize].get(reference)
    }

    #[inline]
    fn pair_at(&self, table: u32, reference: u32) -> u64 {
        widened(self.store.pairs[table as usize].get(reference))
    }

    #[inline]
    fn wide_at(&self, table: u32, reference: u32) -> [u64; 2] {
        self.store.wide[table as usize].get(reference)
    }
}

/// The nodes of a store, for somebody without a cursor.
pub(crate) struct Unmet<'a> {
    pub store: &'a TreeStore,
    /// Whether nodes are added that are not there; if not, there is no room for them.
    pub adds: bool,
}

impl Nodes for Unmet<'_> {
    fn leaf(&mut self, table: u32, words: [u64; LEAF]) -> Result<u32, NeedsGrowth> {
        let leaves = &self.store.leaves[table as usize];
        if self.adds { self.store.number(leaves, words) } else { leaves.find(words).ok_or(NeedsGrowth) }
    }

    fn pair(&mut self, table: u32, children: u64) -> Result<u32, NeedsGrowth> {
        let pairs = &self.store.pairs[table as usize];
        if self.adds {
            self.store.number(pairs, narrowed(children))
        } else {
            pairs.find(narrowed(children)).ok_or(NeedsGrowth)
        }
    }

    fn wide(&mut self, table: u32, children: [u64; 2]) -> Result<u32, NeedsGrowth> {
        let wide = &self.store.wide[table as usize];
        if self.adds { self.store.number(wide, children) } else { wide.find(children).ok_or(NeedsGrowth) }
    }

    fn leaf_at(&self, table: u32, reference: u32) -> [u64; LEAF] {
        self.store.leaves[table as usize].get(reference)
    }

    fn pair_at(&self, table: u32, reference: u32) -> u64 {
        widened(self.store.pairs[table as usize].get(reference))
    }

    fn wide_at(&self, table: u32, reference: u32) -> [u64; 2] {
        self.store.wide[table as usize].get(reference)
    }
}

/// Two references, in fewer bits if they are small: their lower halves come first.
#[inline]
fn narrowed(children: u64) -> u64 {
    let low = |reference: u64| reference & ((1 << 24) - 1);
    let (a, b) = (children & u64::from(u32::MAX), children >> 32);
    low(a) | low(b) << 24 | (a >> 24) << 48 | (b >> 24) << 56
}

/// The same, as they were.
#[inline]
fn widened(narrow: u64) -> u64 {
    let part = |from: u32, bits: u32| narrow >> from & ((1 << bits) - 1);
    part(0, 24) | part(48, 8) << 24 | (part(24, 24) | part(56, 8) << 24) << 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_come_back() {
        for pair in [0, 5, 5 << 32, 0x00ab_cdef_0012_3456, 0x0fff_ffff_0fff_ffff, u64::MAX] {
            assert_eq!(widened(narrowed(pair)), pair);
            assert_eq!(narrowed(pair) >> 48 == 0, pair & 0xff00_0000_ff00_0000 == 0);
        }
    }
}
