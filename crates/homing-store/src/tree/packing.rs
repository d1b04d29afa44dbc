//! A packing: how the states of one length become keys and leaves, and back.
//!
//! Each byte of a state is replaced by its code in a [dictionary](Dictionary), in as few bits as the
//! [layout](super::layout) gives it. A state of few bits is a key by itself. Others are cut into the leaves of a tree,
//! of two words each and about equally full: if two parts of a state are unequal, the larger one has far more values.
//! Each leaf has a table of its values, and the key has references into the tables, or to nodes above them.
//!
//! A packing never changes. When a byte has a value for which it has no bits, another packing replaces it, with the
//! same dictionaries. If the leaf of that byte has bits left, only the values in the table of the leaf move their bits,
//! and keys stay the same.

use std::sync::Arc;

use homing_core::State;

use crate::tree::bit_shuffle::BitShuffle;
use crate::tree::dictionary::{Dictionary, UNKNOWN};
use crate::tree::field::Field;
use crate::tree::key::{ESCAPE_ID, id_bits};
use crate::tree::layout::{
    BitRange, LEAF_WORDS, LeafFill, Overflow, bits_needed, inline_layout, layout_in, leaf_layout, reference_layout,
};
use crate::tree::shape::{Inner, Shape, TOP_NODES};

/// The number of a packing in its store; it is a part of each key that the packing makes.
pub(crate) type PackingId = u32;

/// How the states of one length are packed.
#[derive(Debug)]
pub(crate) struct Packing {
    pub id: PackingId,
    /// A packed state is one word, and with the packing id in it the key.
    pub is_inline: bool,
    /// By byte of the state.
    pub fields: Vec<Field>,
    /// By word and bit: the byte that the bit belongs to.
    byte_of_bit: Vec<[u32; 64]>,
    /// The tree over the leaves.
    pub shape: Shape,
    /// The key has references to the leaves themselves, and the packing id in its first word.
    pub is_flat: bool,
    /// The bits of a key that are the references to the top nodes.
    pub refs: [BitRange; TOP_NODES],
    pub tables: Tables,
    /// The table of each inner node.
    inner_tables: Vec<u32>,
}

/// Which tables the nodes of a packing have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tables {
    /// The first table of leaves, of pairs and of quads, which all packings share that take bytes as they are.
    Common,
    /// One table for each node, from these on.
    From { leaves: u32, pairs: u32, quads: u32 },
}

/// What a new packing is to be like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// States may be keys by themselves.
    pub may_be_inline: bool,
    /// The tables of a tree.
    pub tables: Tables,
    /// How many bits a reference in a key has at least.
    pub ref_bits: u8,
}

impl Packing {
    /// A packing for bytes that had these values.
    pub fn new(id: PackingId, dictionaries: Vec<Arc<Dictionary>>, overflow: &Overflow, plan: Plan) -> Self {
        let Plan { may_be_inline, tables, ref_bits } = plan;
        let counts = lens(&dictionaries);
        let inline = inline_layout(id, &counts, overflow).filter(|_| may_be_inline);
        let is_inline = inline.is_some();
        let fill = if matches!(tables, Tables::Common) { LeafFill::Raw } else { LeafFill::Growing };
        let layout = inline.unwrap_or_else(|| leaf_layout(&counts, overflow, fill));
        let shape = Shape::new(layout.iter().map(|range| range.word as usize / LEAF_WORDS + 1).max().unwrap_or(1));
        let fields = fields(dictionaries, layout);
        let refs = reference_layout(id, &vec![ref_bits; shape.top_count()]);
        let byte_of_bit = byte_of_bit(&fields, shape.leaf_parents.len());
        let inner_tables = inner_tables(&shape, tables);
        let is_flat = !is_inline && shape.inner.is_empty() && id < ESCAPE_ID;
        Packing { id, is_inline, byte_of_bit, fields, shape, is_flat, refs, tables, inner_tables }
    }

    /// The packing of the same states into the same leaves and tables, when bytes have more values. `None` if a leaf is
    /// too small, or if the packing has no tables of its own.
    pub fn with_more_values(&self, dictionaries: Vec<Arc<Dictionary>>, overflow: &Overflow) -> Option<Packing> {
        if !self.has_own_tables() {
            return None;
        }
        let leaves: Vec<usize> = self.fields.iter().map(Field::leaf).collect();
        let layout = layout_in(&leaves, &lens(&dictionaries), overflow)?;
        let fields = fields(dictionaries, layout);
        let Packing { id, is_inline, is_flat, refs, tables, .. } = *self;
        let byte_of_bit = byte_of_bit(&fields, self.leaves());
        let (shape, inner_tables) = (self.shape.clone(), self.inner_tables.clone());
        Some(Packing { id, is_inline, byte_of_bit, fields, shape, is_flat, refs, tables, inner_tables })
    }

    /// The packing with the same tree and another id, whose keys have references of at least so many bits.
    pub fn with_references(&self, id: PackingId, bits: &[u8]) -> Packing {
        let Packing { is_inline, tables, .. } = *self;
        let (fields, byte_of_bit, shape) = (self.fields.clone(), self.byte_of_bit.clone(), self.shape.clone());
        let (refs, inner_tables) = (reference_layout(id, bits), self.inner_tables.clone());
        let is_flat = !is_inline && shape.inner.is_empty() && id < ESCAPE_ID;
        Packing { id, is_inline, byte_of_bit, fields, shape, is_flat, refs, tables, inner_tables }
    }

    /// This packing with the id and the references of another that has the same tables.
    pub fn with_keys_of(&self, other: &Packing) -> Packing {
        Packing { refs: other.refs, ..self.with_references(other.id, &[]) }
    }

    /// The length of its states.
    pub fn length(&self) -> usize {
        self.fields.len()
    }

    pub fn leaves(&self) -> usize {
        self.shape.leaf_parents.len()
    }

    pub fn has_own_tables(&self) -> bool {
        !self.is_inline && self.tables != Tables::Common
    }

    /// Whether both packings are trees with the same tables of their own.
    pub fn has_same_tables(&self, other: &Packing) -> bool {
        self.has_own_tables() && other.has_own_tables() && self.tables == other.tables
    }

    /// The table of a leaf.
    #[inline]
    pub fn leaf_table(&self, leaf: usize) -> u32 {
        match self.tables {
            Tables::Common => 0,
            Tables::From { leaves, .. } => leaves + leaf as u32,
        }
    }

    /// The table of an inner node, by its index in the shape's list.
    #[inline]
    pub fn inner_table(&self, inner: usize) -> u32 {
        self.inner_tables[inner]
    }

    /// The state in which every byte has its first value.
    pub fn template(&self) -> Vec<u8> {
        self.fields.iter().map(|field| field.dictionary.value(0)).collect()
    }

    /// The words of the [template](Self::template).
    pub fn template_words(&self) -> Vec<u64> {
        let mut words = vec![0; LEAF_WORDS * self.leaves()];
        if self.is_inline {
            words[0] = id_bits(self.id);
        }
        words
    }

    /// Writes the bytes of the state that belong to the bits `differs` of the word at an index.
    #[inline]
    pub fn decode(&self, at: usize, word: u64, mut differs: u64, state: &mut State) {
        let byte_of_bit = &self.byte_of_bit[at];
        let state = &mut state[..self.fields.len()]; // then one bounds check is enough for both
        while differs != 0 {
            let byte = byte_of_bit[differs.trailing_zeros() as usize] as usize;
            let field = &self.fields[byte];
            state[byte] = field.dictionary.value(((word & field.mask()) >> field.shift) as u8);
            differs &= field.others;
        }
    }

    /// Adds the values of a state to the dictionaries. Those for which a byte has no bits are shown to `overflow`, each
    /// with the index of its byte.
    pub fn add_values(&self, state: &State, mut overflow: impl FnMut(usize, u8)) {
        for (at, (field, &value)) in self.fields.iter().zip(state).enumerate() {
            if field.dictionary.code(value) == UNKNOWN && !field.dictionary.insert(value, field.room()) {
                overflow(at, value);
            }
        }
    }

    /// How the bits of keys move when states are packed as `other` does. `None` if moving bits is not enough: then the
    /// keys have to be made from the states.
    pub fn key_shuffle(&self, other: &Packing) -> Option<BitShuffle> {
        if self.id >= ESCAPE_ID || other.id >= ESCAPE_ID || self.is_inline != other.is_inline {
            return None;
        }
        if self.is_inline {
            let are_kept = self.fields.iter().zip(&other.fields).all(|(field, new)| field.agrees(new));
            let ranges = self.fields.iter().zip(&other.fields).map(|(field, new)| (field.range(), new.range()));
            return are_kept.then(|| BitShuffle::new(ranges));
        }
        (self.tables == other.tables).then(|| BitShuffle::new(self.refs.into_iter().zip(other.refs)))
    }

    /// How the bits of a leaf move when states are packed as `other` does, which is made by
    /// [`with_more_values`](Self::with_more_values).
    pub fn leaf_shuffle(&self, other: &Packing, leaf: usize) -> BitShuffle {
        let pairs = self.fields.iter().zip(&other.fields).filter(|(field, _)| field.leaf() == leaf);
        debug_assert!(pairs.clone().all(|(field, new)| field.agrees(new)));
        let in_leaf = |field: &Field| BitRange { word: field.word % LEAF_WORDS as u32, ..field.range() };
        BitShuffle::new(pairs.map(|(field, new)| (in_leaf(field), in_leaf(new))))
    }

    pub fn dictionaries(&self) -> Vec<Arc<Dictionary>> {
        self.fields.iter().map(|field| field.dictionary.clone()).collect()
    }

    /// The bytes it takes.
    pub fn memory(&self) -> u64 {
        let own = self.fields.iter().filter(|field| field.bits > 0 && field.bits < 8).count();
        (size_of_val(&*self.fields) + size_of_val(&*self.byte_of_bit) + own * size_of::<Dictionary>()) as u64
    }
}

/// How many bits states with these values need.
pub(crate) fn bits_needed_by(dictionaries: &[Arc<Dictionary>]) -> usize {
    bits_needed(&lens(dictionaries))
}

fn lens(dictionaries: &[Arc<Dictionary>]) -> Vec<usize> {
    dictionaries.iter().map(|dictionary| dictionary.len()).collect()
}

fn fields(dictionaries: Vec<Arc<Dictionary>>, layout: Vec<BitRange>) -> Vec<Field> {
    dictionaries.into_iter().zip(layout).map(|(dictionary, range)| Field::new(dictionary, range)).collect()
}

/// The table of each inner node.
fn inner_tables(shape: &Shape, tables: Tables) -> Vec<u32> {
    let Tables::From { mut pairs, mut quads, .. } = tables else { return vec![0; shape.inner.len()] };
    let next = |table: &mut u32| std::mem::replace(table, *table + 1);
    let of = |node: &Inner| if node.count == 2 { next(&mut pairs) } else { next(&mut quads) };
    shape.inner.iter().map(of).collect()
}

/// By word and bit: the byte that the bit belongs to.
fn byte_of_bit(fields: &[Field], leaves: usize) -> Vec<[u32; 64]> {
    let mut byte_of_bit = vec![[u32::MAX; 64]; LEAF_WORDS * leaves];
    for (at, field) in fields.iter().enumerate() {
        byte_of_bit[field.word as usize][field.shift as usize..][..field.bits as usize].fill(at as u32);
    }
    byte_of_bit
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A dictionary of so many values, from 0 on.
    fn dictionary(count: usize) -> Arc<Dictionary> {
        let dictionary = Dictionary::of(0);
        (1..count).for_each(|value| _ = dictionary.insert(value as u8, 256));
        Arc::new(dictionary)
    }

    fn packing(id: PackingId, counts: &[usize]) -> Packing {
        let dictionaries = counts.iter().map(|&count| dictionary(count)).collect();
        let tables = Tables::From { leaves: 1, pairs: 1, quads: 1 };
        let plan = Plan { may_be_inline: true, tables, ref_bits: 0 };
        Packing::new(id, dictionaries, &Overflow { counts: vec![2], has_many_states: false }, plan)
    }

    fn packed(packing: &Packing, state: &[u8]) -> Vec<u64> {
        let (mut words, mut seen) = (packing.template_words(), 0);
        let fields = packing.fields.iter().zip(state);
        fields.for_each(|(field, &value)| field.write(value, &mut words[field.word as usize], &mut seen));
        assert_eq!(seen & UNKNOWN, 0);
        words
    }

    fn any_counts(random: &mut fastrand::Rng, most: usize) -> Vec<usize> {
        (0..random.usize(..200)).map(|_| random.usize(1..=most)).collect()
    }

    fn any_state(random: &mut fastrand::Rng, counts: &[usize]) -> Vec<u8> {
        counts.iter().map(|&count| random.usize(..count) as u8).collect()
    }

    #[test]
    fn every_byte_has_bits_of_its_own() {
        let mut random = fastrand::Rng::with_seed(3);
        for round in 0..400 {
            let counts = any_counts(&mut random, [1, 2, 5, 17, 256][round % 5]);
            let packing = packing(if round % 3 == 0 { 700 } else { 60 }, &counts);
            let mut taken = packing.template_words();
            if packing.is_inline {
                taken[0] = id_bits(ESCAPE_ID);
            }
            for (field, &count) in packing.fields.iter().zip(&counts) {
                assert!(field.room() >= count && field.bits <= 8);
                let word = &mut taken[field.word as usize];
                assert_eq!((field.mask().count_ones(), field.mask() & *word), (field.bits.into(), 0));
                *word |= field.mask();
            }
            assert!(!packing.is_inline || packing.id == 60 && taken[1..] == [0]);
            let (mut state, values) = (packing.template(), any_state(&mut random, &counts));
            let words = packed(&packing, &values).into_iter().zip(packing.template_words());
            for (at, (word, template)) in words.enumerate() {
                packing.decode(at, word, word ^ template, &mut state);
            }
            assert_eq!(state, values);
        }
    }

    #[test]
    fn few_bits_are_low_and_those_left_over_are_given_out() {
        let packing = |counts: &[usize]| packing(3, counts);
        let bits = |packing: &Packing| packing.fields.iter().map(|field| field.bits).collect::<Vec<_>>();
        let small = packing(&[16; 10]);
        assert!(small.is_inline && small.fields.iter().all(|field| field.mask() < 1 << 48));
        assert_eq!(bits(&small), [5, 5, 5, 5, 4, 4, 4, 4, 4, 4]);
        assert_eq!(bits(&packing(&[256, 255, 256, 256, 1, 2, 3, 4])), [8, 8, 8, 8, 1, 3, 4, 4]);
        assert!(packing(&[16; 14]).is_inline && !packing(&[16; 15]).is_inline);
        assert_eq!([15, 60, 64, 65].map(|count| packing(&vec![16; count]).leaves()), [4, 4, 4, 8]);
        assert_eq!(bits(&packing(&[16; 60])), [8; 60]);
    }

    #[test]
    fn bits_of_keys_move_as_the_states_would_be_packed() {
        let (old, new) = (packing(3, &[2, 7, 3, 1, 9]), packing(9, &[2, 7, 3, 130, 9]));
        let key = |packing: &Packing, state: &[u8]| packed(packing, state).try_into().unwrap();
        let shuffle = old.key_shuffle(&new).expect("the codes are the same");
        for state in [[0, 0, 0, 0, 0], [1, 6, 2, 0, 8], [1, 3, 1, 0, 4]] {
            let [low, high] = shuffle.apply(key(&old, &state));
            assert_eq!([low | id_bits(9), high], key(&new, &state));
        }
        assert!(new.key_shuffle(&old).is_none(), "there is no room for all values");
        assert!(old.key_shuffle(&packing(9, &[200; 5])).is_some());
        assert!(old.key_shuffle(&packing(300, &[200; 5])).is_none());
    }

    #[test]
    fn leaves_take_more_values_until_they_are_full() {
        let mut random = fastrand::Rng::with_seed(6);
        for round in 0..100 {
            let counts = any_counts(&mut random, [5, 17][round % 2]);
            let old = packing(700, &counts);
            let more: Vec<usize> = counts.iter().map(|&count| count + random.usize(..3)).collect();
            let dictionaries = more.iter().map(|&count| dictionary(count)).collect();
            let Some(new) = old.with_more_values(dictionaries, &Overflow::default()) else {
                assert!(bits_needed(&more) > 64);
                continue;
            };
            assert_eq!((new.id, new.leaves(), new.refs), (old.id, old.leaves(), old.refs));
            let state = any_state(&mut random, &counts);
            let (before, after) = (packed(&old, &state), packed(&new, &state));
            for leaf in 0..old.leaves() {
                let words = |all: &[u64]| [all[LEAF_WORDS * leaf], all[LEAF_WORDS * leaf + 1]];
                assert_eq!(old.leaf_shuffle(&new, leaf).apply(words(&before)), words(&after), "round {round}");
            }
        }
        let takes = |counts: &[usize], values| {
            let dictionaries = vec![dictionary(values); counts.len()];
            packing(3, counts).with_more_values(dictionaries, &Overflow::default()).is_some()
        };
        assert!(!takes(&[4; 5], 5), "there are no leaves");
        assert!(takes(&[4; 90], 5) && !takes(&[4; 90], 256), "there is no room for so many");
    }
}
