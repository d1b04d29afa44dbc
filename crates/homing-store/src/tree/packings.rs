//! All packings of a store, numbered in the order in which they were made.
//!
//! The states of one length begin with a packing in which every byte has eight bits: it takes any state. When there are
//! enough states, they show which values each byte has. Every later packing has an id of its own, so that a key made by
//! an older one can always be read.

use std::collections::HashMap;
use std::sync::Arc;

use crate::tree::dictionary::{Dictionary, UNKNOWN};
use crate::tree::key::LOW_FREE_BITS;
use crate::tree::layout::Overflow;
use crate::tree::packing::{self, Packing, PackingId, Plan, Tables};

/// Packings by id, and the newest one of each length of states.
#[derive(Debug)]
pub(crate) struct Packings {
    by_length: HashMap<usize, Versions>,
    packings: Vec<Arc<Packing>>,
    /// The fields of all packings.
    fields: usize,
    identity: Arc<Dictionary>,
    /// The dictionaries of bytes that have one value.
    constant: HashMap<u8, Arc<Dictionary>>,
}

/// The packings of one length.
#[derive(Clone, Copy, Debug)]
struct Versions {
    /// The one that takes any state.
    raw: PackingId,
    newest: PackingId,
    /// How many were inline.
    inline: u32,
}

/// After so many inline packings, each with too few bits for some value, there are leaves, unless few bits are needed:
/// leaves have more room, and with fewer packings keys are smaller.
const MAX_INLINE: u32 = 10;

/// With more packings than this, or more fields in all, a length returns to the packing that takes any state.
const MAX_PACKINGS: usize = 200;
const MAX_FIELDS: usize = 1 << 20;

impl Packings {
    pub fn new() -> Self {
        Packings {
            by_length: HashMap::new(),
            packings: Vec::new(),
            fields: 0,
            identity: Arc::new(Dictionary::identity()),
            constant: HashMap::new(),
        }
    }

    pub fn get(&self, id: PackingId) -> &Arc<Packing> {
        &self.packings[id as usize]
    }

    /// The packing that makes the keys of states of a length.
    pub fn newest(&self, length: usize) -> Option<&Arc<Packing>> {
        self.by_length.get(&length).map(|versions| self.get(versions.newest))
    }

    /// Makes the packing for states of a new length, whose keys have references of at least so many bits.
    pub fn begin(&mut self, length: usize, ref_bits: u8) -> &Packing {
        let dictionaries = vec![self.identity.clone(); length];
        let plan = Plan { may_be_inline: true, tables: Tables::Common, ref_bits };
        let raw = self.push(|id| Packing::new(id, dictionaries, &Overflow::default(), plan));
        self.by_length.insert(length, Versions { raw, newest: raw, inline: 0 });
        self.get(raw)
    }

    /// Makes another packing for states of a known length, with these values. It has the id of the newest one if the
    /// leaves of that one have room for them. Otherwise that one is retired, the nodes have tables from `tables` on,
    /// and references have at least so many bits.
    pub fn renew(
        &mut self,
        length: usize,
        dictionaries: Vec<Arc<Dictionary>>,
        overflow: &Overflow,
        (tables, ref_bits): (Tables, u8),
    ) -> Arc<Packing> {
        debug_assert_eq!(dictionaries.len(), length);
        let is_out_of_room = self.is_out_of_room(length);
        let Versions { raw, newest, inline } = self.by_length[&length];
        if let Some(new) = self.get(newest).with_more_values(dictionaries.clone(), overflow) {
            // older packings with the same tables have to read what is in the tables from now on
            let has_same = |packing: &&mut Arc<Packing>| packing.has_same_tables(&new);
            self.packings.iter_mut().filter(has_same).for_each(|older| *older = Arc::new(new.with_keys_of(older)));
            return self.get(newest).clone();
        }
        let id = match is_out_of_room {
            true => raw,
            false => {
                let needed = packing::bits_needed_by(&dictionaries);
                let may_be_inline = inline < MAX_INLINE || needed <= LOW_FREE_BITS as usize;
                let plan = Plan { may_be_inline, tables, ref_bits };
                self.push(|id| Packing::new(id, dictionaries, overflow, plan))
            }
        };
        let packing = self.get(id).clone();
        self.by_length.insert(length, Versions { raw, newest: id, inline: inline + u32::from(packing.is_inline) });
        packing
    }

    /// Replaces a packing, which is the newest of its length, by one whose keys have references of at least so many
    /// bits.
    pub fn widen_references(&mut self, id: PackingId, bits: &[u8]) -> Arc<Packing> {
        let before = self.get(id).clone();
        let wider = self.push(|id| before.with_references(id, bits));
        let versions = self.by_length.get_mut(&before.length()).expect("a known length");
        versions.newest = wider;
        if versions.raw == id {
            versions.raw = wider;
        }
        self.get(wider).clone()
    }

    pub fn set_newest(&mut self, length: usize, id: PackingId) {
        self.by_length.get_mut(&length).expect("a known length").newest = id;
    }

    fn push(&mut self, packing: impl FnOnce(PackingId) -> Packing) -> PackingId {
        let id = self.packings.len() as PackingId;
        let packing = packing(id);
        self.fields += packing.length();
        self.packings.push(Arc::new(packing));
        id
    }

    /// Whether a packing takes any state, so that another one may be better.
    pub fn can_improve(&self, id: PackingId) -> bool {
        let packing = self.get(id);
        let is_raw = self.by_length[&packing.length()].raw == id;
        is_raw && !packing.is_inline && !self.is_out_of_room(packing.length())
    }

    /// Whether there may be no other packing for this length.
    fn is_out_of_room(&self, length: usize) -> bool {
        self.packings.len() >= MAX_PACKINGS || self.fields + length > MAX_FIELDS
    }

    pub fn len(&self) -> usize {
        self.packings.len()
    }

    /// Dictionaries that have the bytes of a state as their only values.
    pub fn constants(&mut self, state: &[u8]) -> Vec<Arc<Dictionary>> {
        let shared =
            |&value: &u8| self.constant.entry(value).or_insert_with(|| Arc::new(Dictionary::of(value))).clone();
        state.iter().map(shared).collect()
    }
}

/// Adds a value to the dictionary of a byte. One that a packing uses is copied first: the packing may have no bits for
/// it.
pub(crate) fn add_value(dictionary: &mut Arc<Dictionary>, value: u8) {
    if dictionary.code(value) == UNKNOWN {
        if Arc::get_mut(dictionary).is_none() {
            *dictionary = Arc::new(Dictionary::clone(dictionary));
        }
        dictionary.insert(value, 256);
    }
}
