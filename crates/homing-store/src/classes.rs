//! The packings of a store, numbered as they came: a number is a class of keys.
//!
//! States of one length begin with a packing in which every byte has eight bits: it takes any state, and when there are
//! enough states they tell what the bytes are used for. Every later packing has a class of its own, so that a key made
//! before can be read for ever.

use std::collections::HashMap;
use std::sync::Arc;

use crate::codes::{Codes, UNKNOWN};
use crate::packing::{Outlook, Packing};

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
    /// How often a tree was outgrown.
    mistakes: usize,
}

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
    pub fn begin(&mut self, length: usize) -> &Packing {
        let raw = self.push(vec![self.identity.clone(); length], &Outlook::default());
        self.of_length.insert(length, Versions { raw, newest: raw, mistakes: 0 });
        self.packing(raw)
    }

    /// Another packing for states of a length that is known, with these values. The one before it is retired.
    /// `outgrown` is how many values bytes had that have one too many.
    pub fn renew(&mut self, length: usize, codes: Vec<Arc<Codes>>, outgrown: Vec<usize>) -> Arc<Packing> {
        debug_assert_eq!(codes.len(), length);
        let is_out_of_room = self.is_out_of_room(length);
        let Versions { raw, newest, mistakes } = self.of_length[&length];
        let is_mistake = newest != raw && !self.packing(newest).is_inline;
        let mistakes = mistakes + usize::from(is_mistake);
        self.of_length.insert(length, Versions { raw, newest, mistakes });
        let class = if is_out_of_room { raw } else { self.push(codes, &Outlook { outgrown, mistakes }) };
        self.set_newest(length, class);
        self.packing(class).clone()
    }

    pub fn set_newest(&mut self, length: usize, class: u32) {
        self.of_length.get_mut(&length).expect("a known length").newest = class;
    }

    fn push(&mut self, codes: Vec<Arc<Codes>>, outlook: &Outlook) -> u32 {
        let class = self.packings.len() as u32;
        self.fields += codes.len();
        self.packings.push(Arc::new(Packing::new(class, codes, outlook)));
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
