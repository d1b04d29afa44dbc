//! The cursor of a thread on a tree store, and the keys that are made with it.

use std::sync::Arc;

use homing_core::{Changed, State};

use crate::NeedsGrowth;
use crate::table::ids::IdSource;
use crate::tree::TreeStore;
use crate::tree::key::{NoKey, TreeKey};
use crate::tree::nodes::{CachedNodes, NodeCaches, Nodes};
use crate::tree::packed_parent::PackedParent;
use crate::tree::packing::{Packing, PackingId};
use crate::tree::repack::RepackRequest;

/// The state that one thread expands, packed, and the nodes that it looked up recently.
#[derive(Debug)]
pub struct Cursor {
    /// `None` as long as there is no state.
    pub(super) parent: Option<PackedParent>,
    /// Parents in other packings, the most recent one last.
    others: Vec<PackedParent>,
    pub(super) caches: NodeCaches,
    /// The store's generation when the packings of all parents were last compared with those of the store.
    pub(super) generation: u64,
    /// Where new ids come from.
    pub(super) ids: IdSource,
}

/// How many parents in other packings a cursor keeps.
const MAX_OTHERS: usize = 4;

impl Cursor {
    pub(super) fn new(ids: IdSource) -> Self {
        Cursor { parent: None, others: Vec::new(), caches: NodeCaches::new(), generation: 0, ids }
    }

    /// Keeps a parent for later, in place of the oldest one.
    pub(super) fn keep(&mut self, parent: PackedParent) {
        if self.others.len() == MAX_OTHERS {
            self.others.remove(0);
        }
        self.others.push(parent);
    }
}

impl TreeStore {
    /// The key of a state whose packing has a deep tree, or whose differences from its parent are unknown.
    #[inline(never)]
    pub(super) fn general_key(
        &self,
        cursor: &mut Cursor,
        state: &State,
        changed: Changed<'_>,
    ) -> Result<TreeKey, NeedsGrowth> {
        if let Cursor { parent: Some(parent), caches, .. } = cursor
            && parent.generation == self.generation
            && parent.state().len() == state.len()
        {
            match parent.successor_key(state, changed, &mut CachedNodes { store: self, caches }) {
                Ok(key) => return Ok(key),
                Err(NoKey::TableFull) => return Err(NeedsGrowth),
                Err(NoKey::UnknownValue | NoKey::WideReference) => {}
            }
        }
        self.rare_key(cursor, state, changed)
    }

    /// The key of a state that has a new value or another length than its parent, or whose packing was replaced since
    /// the parent was loaded.
    #[cold]
    #[inline(never)]
    fn rare_key(&self, cursor: &mut Cursor, state: &State, changed: Changed<'_>) -> Result<TreeKey, NeedsGrowth> {
        self.update_packings(cursor);
        let is_outdated = |parent: &PackedParent| parent.generation != self.generation;
        if cursor.parent.as_ref().is_some_and(is_outdated) {
            self.repack_parent(cursor)?;
        }
        if let Cursor { parent: Some(parent), caches, .. } = cursor
            && parent.state().len() == state.len()
        {
            return self.key_from(parent, state, changed, &mut CachedNodes { store: self, caches });
        }
        let is_fit = |parent: &PackedParent| parent.is_current(state.len(), self.generation);
        let mut other = match cursor.others.iter().position(is_fit) {
            Some(at) => cursor.others.remove(at),
            None => self.blank_parent(self.newest_packing(state.len())),
        };
        let mut nodes = CachedNodes { store: self, caches: &mut cursor.caches };
        let key = self.key_from(&mut other, state, Changed::Anywhere, &mut nodes);
        if let Ok(key) = key {
            other.load(key, &nodes); // the next state of this length will differ less from this one
        }
        cursor.keep(other);
        key
    }

    /// The key of a state of the same length as `parent`, whose packing is the newest. Values that are new are added to
    /// the dictionaries; if the packing has no room for one, or for a reference, that is requested.
    pub(super) fn key_from(
        &self,
        parent: &mut PackedParent,
        state: &State,
        changed: Changed<'_>,
        nodes: &mut impl Nodes,
    ) -> Result<TreeKey, NeedsGrowth> {
        let mut key = parent.successor_key(state, changed, nodes);
        if key == Err(NoKey::UnknownValue) {
            self.add_values(&parent.packing, state)?;
            key = parent.successor_key(state, changed, nodes);
            debug_assert_ne!(key, Err(NoKey::UnknownValue));
        }
        if key == Err(NoKey::WideReference) {
            self.request(&mut vec![RepackRequest::WiderReferences { packing: parent.packing.id }]);
        }
        key.map_err(|_| NeedsGrowth)
    }

    /// Adds the values of a state to the dictionaries of its packing, and requests room where there is none.
    fn add_values(&self, packing: &Packing, state: &State) -> Result<(), NeedsGrowth> {
        let mut requests = Vec::new();
        packing.add_values(state, |at, value| requests.push(RepackRequest::Value { length: state.len(), at, value }));
        if requests.is_empty() {
            return Ok(());
        }
        self.request(&mut requests);
        Err(NeedsGrowth)
    }

    /// Brings a cursor up to date after packings have changed: its cache of leaves, and the packings of its parents.
    #[cold]
    pub(super) fn update_packings(&self, cursor: &mut Cursor) {
        if cursor.generation == self.generation {
            return;
        }
        cursor.generation = self.generation;
        cursor.caches.clear_leaves();
        let packings = self.packings();
        let is_same = |parent: &PackedParent| Arc::ptr_eq(&parent.packing, packings.get(parent.packing.id));
        cursor.others.retain(is_same);
        if let Some(parent) = cursor.parent.take_if(|parent| !is_same(parent)) {
            let packing = packings.get(parent.packing.id).clone();
            let generation = parent.generation; // not the store's: the packing may be retired by now
            cursor.parent = Some(parent.repacked(packing, generation));
        }
    }

    /// Packs the parent by the newest packing of its length.
    fn repack_parent(&self, cursor: &mut Cursor) -> Result<(), NeedsGrowth> {
        let Cursor { parent: Some(parent), others, caches, .. } = cursor else { return Ok(()) };
        let newest = self.newest_packing(parent.state().len());
        if newest.id != parent.packing.id {
            let other = others.iter().position(|other| other.packing.id == newest.id);
            let mut new = other.map_or_else(|| PackedParent::new(newest, self.generation), |at| others.remove(at));
            let mut nodes = CachedNodes { store: self, caches };
            let key = self.key_from(&mut new, parent.state(), Changed::Anywhere, &mut nodes)?;
            new.load(key, &nodes);
            let old = std::mem::replace(parent, new);
            parent.generation = self.generation;
            cursor.keep(old); // there may be more keys of its packing to load
        } else {
            parent.generation = self.generation;
        }
        Ok(())
    }

    /// Makes the parent one of a given packing.
    #[cold]
    pub(super) fn switch_packing(&self, cursor: &mut Cursor, id: PackingId) {
        let other = cursor.others.iter().position(|other| other.packing.id == id);
        let parent = other.map_or_else(|| self.blank_parent_by_id(id), |at| cursor.others.remove(at));
        if let Some(before) = cursor.parent.replace(parent) {
            cursor.keep(before);
        }
    }
}
