//! The nodes of a store: where a board gets references from.

use crate::board::Nodes;
use crate::cache::Cache;
use crate::tree::TreeStore;
use crate::{Full, root};

/// The numbers of nodes seen lately.
#[derive(Debug, Default)]
pub(crate) struct Recent {
    leaves: Cache<u64, 4096>,
    pairs: Cache<u64, 16384>,
    wide: Cache<[u64; 2], 2048>,
}

/// The nodes of a store, as one thread meets them.
pub(crate) struct Met<'a> {
    pub store: &'a TreeStore,
    pub recent: &'a mut Recent,
}

impl Nodes for Met<'_> {
    #[inline(always)]
    fn leaf(&mut self, word: u64) -> Result<u32, Full> {
        self.recent.leaves.number(word, || self.store.leaves.number(word))
    }

    #[inline(always)]
    fn pair(&mut self, children: u64) -> Result<u32, Full> {
        self.recent.pairs.number(children, || self.store.pairs.number(narrowed(children)))
    }

    #[inline(always)]
    fn wide(&mut self, children: [u64; 2]) -> Result<u32, Full> {
        self.recent.wide.number(children, || self.store.wide.number(children))
    }

    #[inline]
    fn leaf_at(&self, reference: u32) -> u64 {
        self.store.leaves.get(reference)
    }

    #[inline]
    fn pair_at(&self, reference: u32) -> u64 {
        let [a, b] = root::references(self.store.pairs.get(reference));
        u64::from(a) | u64::from(b) << 32
    }

    #[inline]
    fn wide_at(&self, reference: u32) -> [u64; 2] {
        self.store.wide.get(reference)
    }
}

/// The nodes of a store, for somebody without a desk.
pub(crate) struct Unmet<'a> {
    pub store: &'a TreeStore,
    /// Whether nodes are added that are not there; if not, there is no room for them.
    pub adds: bool,
}

impl Nodes for Unmet<'_> {
    fn leaf(&mut self, word: u64) -> Result<u32, Full> {
        let Unmet { store: TreeStore { leaves, .. }, adds } = *self;
        if adds { leaves.number(word) } else { leaves.find(word).ok_or(Full) }
    }

    fn pair(&mut self, children: u64) -> Result<u32, Full> {
        let Unmet { store: TreeStore { pairs, .. }, adds } = *self;
        if adds { pairs.number(narrowed(children)) } else { pairs.find(narrowed(children)).ok_or(Full) }
    }

    fn wide(&mut self, children: [u64; 2]) -> Result<u32, Full> {
        let Unmet { store: TreeStore { wide, .. }, adds } = *self;
        if adds { wide.number(children) } else { wide.find(children).ok_or(Full) }
    }

    fn leaf_at(&self, reference: u32) -> u64 {
        self.store.leaves.get(reference)
    }

    fn pair_at(&self, reference: u32) -> u64 {
        let [a, b] = root::references(self.store.pairs.get(reference));
        u64::from(a) | u64::from(b) << 32
    }

    fn wide_at(&self, reference: u32) -> [u64; 2] {
        self.store.wide.get(reference)
    }
}

/// Two references, in fewer bits if they are small.
#[inline]
fn narrowed(children: u64) -> u64 {
    root::beside(children as u32, (children >> 32) as u32)
}
