//! The traits of stores, implemented by the tree store.

use std::sync::atomic::Ordering::Relaxed;

use homing_core::{Changed, State, StateId};

use crate::table::Table;
use crate::table::index::Inserted;
use crate::tree::TreeStore;
use crate::tree::cursor::Cursor;
use crate::tree::key::{self, TreeKey};
use crate::tree::nodes::CachedNodes;
use crate::{ByKey, Interned, Keys, LoadById, LoadByKey, NeedsGrowth, Numbered, Prefetch, Store, Usage};

impl Keys for TreeStore {
    type Key = TreeKey;
    type Cursor = Cursor;

    fn cursor(&self) -> Cursor {
        Cursor::new(self.roots.id_source())
    }

    fn set_parent(&self, cursor: &mut Cursor, _: &State, _: Option<TreeKey>) {
        if let Some(parent) = cursor.parent.take() {
            cursor.keep(parent); // successors are compared with an older state until one is loaded
        }
    }

    #[inline]
    fn key(&self, cursor: &mut Cursor, state: &State, changed: Changed<'_>) -> Result<TreeKey, NeedsGrowth> {
        match self.quick_key(cursor, state, changed) {
            Some(key) => Ok(key),
            None => self.general_key(cursor, state, changed),
        }
    }

    #[inline(always)]
    fn quick_key(&self, cursor: &mut Cursor, state: &State, changed: Changed<'_>) -> Option<TreeKey> {
        let (Cursor { parent: Some(parent), caches, .. }, Changed::At(writes)) = (cursor, changed) else { return None };
        if !parent.is_current(state.len(), self.generation) {
            return None;
        }
        if parent.packing.is_inline {
            return parent.inline_key(state, writes);
        }
        if parent.is_flat() {
            return parent.flat_key(state, writes, &mut CachedNodes { store: self, caches }).ok();
        }
        None
    }
}

impl Prefetch for TreeStore {
    #[inline]
    fn prefetch(&self, key: TreeKey) {
        self.roots.prefetch(key);
    }

    #[inline]
    fn prefetch_row(&self, key: TreeKey) {
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
    fn intern(&self, cursor: &mut Cursor, key: TreeKey, state: &State) -> Result<Interned, NeedsGrowth> {
        let (id, is_new) = self.intern_id(cursor, key, state)?;
        Ok(if is_new { Interned::New(id) } else { Interned::Known(id) })
    }

    #[inline]
    fn find(&self, key: TreeKey, state: &State) -> Option<Interned> {
        self.id(key, state).map(Interned::Known)
    }

    fn len(&self) -> u64 {
        u64::from(self.roots.len())
    }

    fn capacity(&self) -> u64 {
        u64::from(self.roots.capacity())
    }

    fn memory(&self) -> u64 {
        self.node_memory.load(Relaxed) + self.roots.memory() + self.packing_memory.load(Relaxed)
    }

    fn next_growth(&self) -> u64 {
        let growth_of = |full: bool, growth: u64| if full { growth } else { 0 };
        self.leaves.iter().chain(&self.quads).map(|nodes| growth_of(nodes.is_full(), nodes.next_growth())).sum::<u64>()
            + self.pairs.iter().map(|nodes| growth_of(nodes.is_full(), nodes.next_growth())).sum::<u64>()
            + growth_of(self.roots.is_full(), self.roots.next_growth())
            + self.roots.widening()
    }

    fn grow(&mut self, threads: usize) -> bool {
        self.threads = threads;
        self.roots.widen();
        let was_full = self.roots.is_full();
        let has_grown = self.grow_nodes() && (!was_full || self.roots.grow(threads)) && self.repack(was_full);
        self.count_node_memory();
        has_grown
    }

    fn usage(&self) -> Usage {
        let bytes = self.leaves.iter().chain(&self.quads).map(Table::used).sum::<u64>()
            + self.pairs.iter().map(Table::used).sum::<u64>()
            + self.roots.used();
        Usage { bytes, longest_state: self.longest.load(Relaxed) }
    }
}

impl Numbered for TreeStore {
    #[inline]
    fn intern_id(&self, cursor: &mut Cursor, key: TreeKey, _: &State) -> Result<(StateId, bool), NeedsGrowth> {
        let ids = &mut cursor.ids;
        let inserted = if self.is_retired(key) { self.insert_upgraded(key, ids) } else { self.roots.insert(key, ids) };
        Ok(match inserted? {
            Inserted::New(id) => (StateId(id), true),
            Inserted::Known(id) => (StateId(id), false),
        })
    }

    #[inline]
    fn id(&self, key: TreeKey, _: &State) -> Option<StateId> {
        let found = self.roots.find(key).or_else(|| {
            let upgraded = self.is_retired(key).then(|| self.upgraded_if_known(key))?;
            self.roots.find(upgraded?)
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
    fn load_by_key(&self, cursor: &mut Cursor, key: TreeKey, out: &mut Vec<u8>) {
        let id = key::packing_id(key);
        if cursor.generation != self.generation {
            self.update_packings(cursor);
        }
        if cursor.parent.as_ref().is_none_or(|parent| parent.packing.id != id) {
            self.switch_packing(cursor, id);
        }
        let Cursor { parent: Some(parent), caches, .. } = cursor else { unreachable!("it was just put there") };
        parent.load(key, &CachedNodes { store: self, caches });
        out.clear();
        out.extend_from_slice(parent.state());
    }
}
