//! The packings of a store, numbered as they came: a number is a class of keys.
//!
//! States of one length begin with a packing in which every byte has eight bits: it takes any state, and when there are
//! enough states they tell what the bytes are used for. Every later packing has a class of its own, so that a key made
//! before can be read for ever.

use std::collections::HashMap;
use std::sync::Arc;

use crate::tree::dictionary::{Codes, UNKNOWN};
use crate::tree::key::LOW_ROOM;
use crate::tree::packing::{self, Outgrown, Packing, Plan, Tables};

#[derive(Debug)]
pub(crate) struct Classes {
    of_length: HashMap<usize, Versions>,
    packings: Vec<Arc<Packing>>,
    /// Fields of all packings.
    fields: usize,
    identity: Arc<Codes>,
    /// Of bytes that have one value.
    constant: HashMap<u8, Arc<Codes>>,
}

/// The classes of a length.
#[derive(Clone, Copy, Debug)]
struct Versions {
    raw: u32,
    newest: u32,
    /// How many had states that are keys by themselves.
    inline: u32,
}

/// After so many packings without leaves, each outgrown by a value, there are leaves, unless few bits are needed: leaves
/// have more room, and with fewer classes there are smaller keys.
const MOST_INLINE: u32 = 10;

/// With more packings than this, or more fields in all, a length goes back to the one that takes any state.
const MOST_PACKINGS: usize = 200;
const MOST_FIELDS: usize = 1 << 20;

impl Classes {
    pub fn new() -> Self {
        Classes {
            of_length: HashMap::new(),
            packings: Vec::new(),
            fields: 0,
            identity: Arc::new(Codes::identity()),
            constant: HashMap::new(),
        }
    }

    pub fn packing(&self, class: u32) -> &Arc<Packing> {
        &self.packings[class as usize]
    }

    /// The packing that keys of states of this length are made by.
    pub fn newest(&self, length: usize) -> Option<&Arc<Packing>> {
        self.of_length.get(&length).map(|versions| self.packing(versions.newest))
    }

    /// The packing for states of a length that never came before.
    /// References in keys have at least so many bits.
    pub fn begin(&mut self, length: usize, bits: u8) -> &Packing {
        let codes = vec![self.identity.clone(); length];
        let plan = Plan { may_be_inline: true, tables: Tables::Common, bits };
        let raw = self.push(|class| Packing::new(class, codes, &Outgrown::default(), plan));
        self.of_length.insert(length, Versions { raw, newest: raw, inline: 0 });
        self.packing(raw)
    }

    /// Another packing for states of a length that is known, with these values: of the same class if the leaves of the one
    /// before it have room for them. Otherwise that one is retired, leaves have tables from `tables` on, and references at
    /// least so many bits.
    pub fn renew(
        &mut self,
        length: usize,
        codes: Vec<Arc<Codes>>,
        outgrown: &Outgrown,
        (tables, bits): (Tables, u8),
    ) -> Arc<Packing> {
        debug_assert_eq!(codes.len(), length);
        let is_out_of_room = self.is_out_of_room(length);
        let Versions { raw, newest, inline } = self.of_length[&length];
        if let Some(looser) = self.packing(newest).loosened(codes.clone(), outgrown) {
            let has_same = |packing: &&mut Arc<Packing>| packing.has_same_tables(&looser);
            // what is in the tables is no longer what older classes would take it for
            self.packings.iter_mut().filter(has_same).for_each(|older| *older = Arc::new(looser.for_keys_of(older)));
            return self.packing(newest).clone();
        }
        let class = match is_out_of_room {
            true => raw,
            false => {
                let may_be_inline = inline < MOST_INLINE || packing::needed_by(&codes) <= LOW_ROOM as usize;
                let plan = Plan { may_be_inline, tables, bits };
                self.push(|class| Packing::new(class, codes, outgrown, plan))
            }
        };
        let packing = self.packing(class).clone();
        self.of_length.insert(length, Versions { raw, newest: class, inline: inline + u32::from(packing.is_inline) });
        packing
    }

    /// The packing of a class, which is the newest of its length, with references of at least so many bits in its keys.
    pub fn widen_references(&mut self, class: u32, bits: &[u8]) -> Arc<Packing> {
        let before = self.packing(class).clone();
        let wider = self.push(|class| before.with_references(class, bits));
        let versions = self.of_length.get_mut(&before.length()).expect("a known length");
        versions.newest = wider;
        if versions.raw == class {
            versions.raw = wider;
        }
        self.packing(wider).clone()
    }

    pub fn set_newest(&mut self, length: usize, class: u32) {
        self.of_length.get_mut(&length).expect("a known length").newest = class;
    }

    fn push(&mut self, packing: impl FnOnce(u32) -> Packing) -> u32 {
        let class = self.packings.len() as u32;
        let packing = packing(class);
        self.fields += packing.length();
        self.packings.push(Arc::new(packing));
        class
    }

    /// Whether another packing may do better than the one that takes any state.
    pub fn can_improve(&self, class: u32) -> bool {
        let packing = self.packing(class);
        let is_raw = self.of_length[&packing.length()].raw == class;
        is_raw && !packing.is_inline && !self.is_out_of_room(packing.length())
    }

    /// Whether there may be no other packing for this length.
    fn is_out_of_room(&self, length: usize) -> bool {
        self.packings.len() >= MOST_PACKINGS || self.fields + length > MOST_FIELDS
    }

    pub fn count(&self) -> usize {
        self.packings.len()
    }

    /// The codes of bytes that have these values and no others.
    pub fn constants(&mut self, state: &[u8]) -> Vec<Arc<Codes>> {
        let shared = |&value: &u8| self.constant.entry(value).or_insert_with(|| Arc::new(Codes::of(value))).clone();
        state.iter().map(shared).collect()
    }
}

/// Adds a value to the codes of a byte. Those that a packing has stay as they are: it may have no room for it.
pub(crate) fn note(codes: &mut Arc<Codes>, value: u8) {
    if codes.code(value) == UNKNOWN {
        if Arc::get_mut(codes).is_none() {
            *codes = Arc::new(Codes::clone(codes));
        }
        codes.insert(value, 256);
    }
}
