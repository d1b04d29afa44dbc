//! How the states of one length are packed: of each byte the code of its value, in as many bits as its values need.
//!
//! A byte that always had the same value takes no bits. Packed states of few bits are keys by themselves; others are cut
//! into words, the leaves of a tree, each about as full as the others: of two unequal halves of a state the larger has far
//! more values. A packing never changes. When a value comes that its byte has no room for, another packing is made, with
//! the same codes; bits that would be empty are given out as room for values to come, so that this is rare.

use std::sync::Arc;

use homing_core::State;

use crate::codes::{Codes, UNKNOWN};
use crate::root::{BESIDE, FAR_CLASS, class_bits};
use crate::shape::Shape;

/// A byte of the state, in a word.
#[derive(Debug)]
pub(crate) struct Field {
    pub codes: Arc<Codes>,
    /// None of a byte that has one value.
    pub mask: u64,
    pub word: u32,
    pub shift: u8,
    bits: u8,
}

impl Field {
    /// How many values it has room for.
    fn room(&self) -> usize {
        1 << self.bits
    }
}

#[derive(Debug)]
pub(crate) struct Packing {
    pub class: u32,
    /// A packed state is one word, and with the class in it the key.
    pub is_inline: bool,
    /// By byte of the state.
    pub fields: Vec<Field>,
    /// Of each bit of each word the byte it belongs to.
    byte_at: Vec<[u32; 64]>,
    /// The tree of words.
    pub shape: Shape,
}

/// Words of a tree are filled up to here when bits are given out that nobody asked for.
const FULL_WORD: usize = 60;

/// Where the fields of a packing are: of each byte its word, shift and bits.
type Layout = Vec<(u32, u8, u8)>;

impl Packing {
    /// For bytes that had these values.
    pub fn new(class: u32, codes: Vec<Arc<Codes>>) -> Self {
        let counts: Vec<usize> = codes.iter().map(|codes| codes.count()).collect();
        let beside = Some(class).filter(|&class| class < FAR_CLASS).and_then(|_| beside_class(&counts));
        let is_inline = beside.is_some();
        let layout = beside.unwrap_or_else(|| in_words(&counts));
        let words = layout.iter().map(|&(word, ..)| word as usize + 1).max().unwrap_or(1);
        let mut byte_at = vec![[u32::MAX; 64]; words];
        let fields = codes.into_iter().zip(layout).enumerate().map(|(at, (codes, (word, shift, bits)))| {
            byte_at[word as usize][shift as usize..][..bits as usize].fill(at as u32);
            let is_shared = bits > 0 && codes.count() == 1; // by all that have no other value
            let codes = if is_shared { Arc::new(Codes::of(codes.value(0))) } else { codes };
            Field { codes, mask: ((1 << bits) - 1) << shift, word, shift, bits }
        });
        let fields = fields.collect();
        Packing { class, is_inline, fields, byte_at, shape: Shape::new(words) }
    }

    pub fn length(&self) -> usize {
        self.fields.len()
    }

    /// The state in which every byte has its first value.
    pub fn template(&self) -> Vec<u8> {
        self.fields.iter().map(|field| field.codes.value(0)).collect()
    }

    /// The words of the template.
    pub fn blank(&self) -> Vec<u64> {
        let bits = if self.is_inline { class_bits(self.class) } else { 0 };
        vec![bits; self.shape.leaves.len()]
    }

    /// Writes the bytes that belong to the bits of `differs` in a word.
    #[inline]
    pub fn decode(&self, at: usize, word: u64, mut differs: u64, state: &mut State) {
        let byte_at = &self.byte_at[at];
        while differs != 0 {
            let byte = byte_at[differs.trailing_zeros() as usize] as usize;
            let field = &self.fields[byte];
            state[byte] = field.codes.value(((word & field.mask) >> field.shift) as u8);
            differs &= !field.mask;
        }
    }

    /// Numbers the values of a state that have no number. Those there is no room for are `wanted`, each with its byte.
    pub fn learn(&self, state: &State, mut wanted: impl FnMut(usize, u8)) {
        for (at, (field, &value)) in self.fields.iter().zip(state).enumerate() {
            if field.codes.code(value) == UNKNOWN && !field.codes.insert(value, field.room()) {
                wanted(at, value);
            }
        }
    }

    pub fn codes(&self) -> Vec<Arc<Codes>> {
        self.fields.iter().map(|field| field.codes.clone()).collect()
    }

    /// Bytes it holds.
    pub fn memory(&self) -> u64 {
        let own = self.fields.iter().filter(|field| field.bits > 0 && field.bits < 8).count();
        (size_of_val(&*self.fields) + size_of_val(&*self.byte_at) + own * size_of::<Codes>()) as u64
    }
}

/// The bits for so many values.
fn bits_for(count: usize) -> u8 {
    count.next_power_of_two().trailing_zeros() as u8
}

/// Bits by byte: as many as needed, and up to `most` in all. Those left over go where there were most values.
fn generous(counts: &[usize], most: usize) -> Vec<u8> {
    let mut bits: Vec<u8> = counts.iter().map(|&count| bits_for(count)).collect();
    let total: usize = bits.iter().map(|&bits| bits as usize).sum();
    let mut order: Vec<usize> = (0..counts.len()).filter(|&at| bits[at] < 8).collect();
    order.sort_by_key(|&at| std::cmp::Reverse(counts[at]));
    for &at in order.iter().take(most.saturating_sub(total)) {
        bits[at] += 1;
    }
    bits
}

/// A layout in the bits of a key beside the class, if there is one: in the lower ones if they suffice.
fn beside_class(counts: &[usize]) -> Option<Layout> {
    let total: usize = counts.iter().map(|&count| bits_for(count) as usize).sum();
    let ends = [1, 2].into_iter().map(|runs| &BESIDE[..runs]);
    for runs in ends {
        let room: usize = runs.iter().map(|&(_, len)| len as usize).sum();
        let layout = (total..=room).rev().find_map(|most| in_runs(&generous(counts, most), runs));
        if layout.is_some() {
            return layout;
        }
    }
    None
}

/// Each field in the first run that has room for it.
fn in_runs(bits: &[u8], runs: &[(u32, u32)]) -> Option<Layout> {
    let mut free = runs.to_vec();
    let place = |&bits: &u8| {
        let (from, left) = free.iter_mut().find(|(_, left)| *left >= u32::from(bits))?;
        let shift = if bits == 0 { 0 } else { *from };
        *from += u32::from(bits);
        *left -= u32::from(bits);
        Some((0, shift as u8, bits))
    };
    bits.iter().map(place).collect()
}

/// A layout in words that are about as full as each other.
fn in_words(counts: &[usize]) -> Layout {
    let total: usize = counts.iter().map(|&count| bits_for(count) as usize).sum();
    let words = match total.div_ceil(FULL_WORD) {
        few @ 0..=2 => few.max(1),
        many => many.next_multiple_of(2),
    };
    let bits = generous(counts, words * FULL_WORD);
    let total: usize = bits.iter().map(|&bits| bits as usize).sum();
    let (mut word, mut used, mut before) = (0, 0, 0);
    let place = |bits: u8| {
        let is_over = used + bits as usize > 64 || (before + bits as usize / 2) * words >= total * (word + 1);
        if used > 0 && bits > 0 && is_over {
            (word, used) = (word + 1, 0);
        }
        let shift = if bits == 0 { 0 } else { used };
        used += bits as usize;
        before += bits as usize;
        (if bits == 0 { 0 } else { word as u32 }, shift as u8, bits)
    };
    bits.into_iter().map(place).collect()
}
