//! Layouts: which bits of a key or of a leaf hold which byte of a state, or which reference.
//!
//! A byte that always had the same value takes no bits; the others take as many as their codes need.
//! Bits that would be left over are given out as room for values to come, so that a packing is rarely replaced.

use std::cmp::Reverse;

use crate::tree::key::{ESCAPE_ID, FREE_BITS, LOW_FREE_BITS, MAX_LOW_ID, MAX_REF_BITS};
use crate::tree::packing::PackingId;
use crate::tree::shape::TOP_NODES;

/// Adjacent bits in the words of a packed state, or of a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BitRange {
    pub word: u32,
    pub shift: u8,
    pub bits: u8,
}

/// Adjacent bits of a word that are not in use yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FreeBits {
    pub word: u32,
    pub from: u32,
    pub len: u32,
}

/// Bytes that have got one value too many for their bits. Other bytes that have as many values are probably of the same
/// kind: elements of an array, or the same variable of another process.
#[derive(Clone, Debug, Default)]
pub(crate) struct Overflow {
    /// How many values these bytes had before.
    pub counts: Vec<usize>,
    /// There are so many states that packing them again only once is worth some bits.
    pub has_many_states: bool,
}

impl Overflow {
    /// Whether a byte with so many values will soon need another bit, as others of its kind do.
    fn is_next(&self, count: usize) -> bool {
        count.is_power_of_two() && self.counts.contains(&count)
    }
}

/// The words of a leaf.
pub(crate) const LEAF_WORDS: usize = 2;

/// How many bits of a leaf may be needed when it is made: more will be needed later.
const MAX_BITS_IN_NEW_LEAF: usize = 64;

/// How many bits of a leaf may be needed if every byte takes eight bits: no more will be needed later.
const MAX_BITS_IN_RAW_LEAF: usize = 120;

/// How the bytes of a state fill leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LeafFill {
    /// Every byte takes eight bits.
    Raw,
    /// Bytes will have more values.
    Growing,
}

/// The bits that the codes of so many values need.
fn bits_for(count: usize) -> u8 {
    count.next_power_of_two().trailing_zeros() as u8
}

/// The bits that a state needs whose bytes have so many values each.
pub(crate) fn bits_needed(counts: &[usize]) -> usize {
    counts.iter().map(|&count| bits_for(count) as usize).sum()
}

/// Allots bits to each byte: as many as it needs, and up to `most` in all. Bits left over go to the bytes that will
/// need them first.
fn allot(counts: &[usize], overflow: &Overflow, most: usize) -> Vec<u8> {
    let mut bits: Vec<u8> = counts.iter().map(|&count| bits_for(count)).collect();
    let mut left = most.saturating_sub(bits_needed(counts));
    let mut order: Vec<usize> = (0..counts.len()).collect();
    order.sort_by_cached_key(|&at| {
        let (count, room) = (counts[at], 1 << bits[at]);
        (!overflow.is_next(count), count == 1, (room - count) * 64 / count, Reverse(count))
    });
    while left > 0 && order.iter().any(|&at| bits[at] < 8) {
        for &at in order.iter().filter(|&&at| bits[at] < 8).take(left).collect::<Vec<_>>() {
            bits[at] += 1;
            left -= 1;
        }
    }
    bits
}

/// Gives each byte the first free bits that have room for it.
fn first_fit(bits: &[u8], free: &[FreeBits]) -> Option<Vec<BitRange>> {
    let mut free = free.to_vec();
    let take = |&bits: &u8| {
        if bits == 0 {
            return Some(BitRange::default());
        }
        let free = free.iter_mut().find(|free| free.len >= u32::from(bits))?;
        let shift = free.from as u8;
        free.from += u32::from(bits);
        free.len -= u32::from(bits);
        Some(BitRange { word: free.word, shift, bits })
    };
    bits.iter().map(take).collect()
}

/// The layout of states that are keys by themselves, next to a packing id; in the lower bits if those are enough.
/// `None` if a state needs too many bits.
pub(crate) fn inline_layout(id: PackingId, counts: &[usize], overflow: &Overflow) -> Option<Vec<BitRange>> {
    let most = FREE_BITS[0].len;
    let low = if id <= MAX_LOW_ID { LOW_FREE_BITS } else { most };
    let (now, soon) = (bits_needed(counts), counts.iter().filter(|&&count| overflow.is_next(count)).count());
    if id >= ESCAPE_ID || now > most as usize {
        return None;
    }
    let wanted = if overflow.has_many_states { now + soon } else { now };
    let room = if wanted <= low as usize { low } else { most };
    first_fit(&allot(counts, overflow, room as usize), &FREE_BITS[..1])
}

/// The layout of references in a key: each of at least so many bits, and as wide as they fit into the fewest columns
/// that have room for them.
pub(crate) fn reference_layout(id: PackingId, least: &[u8]) -> [BitRange; TOP_NODES] {
    let [first, second] = FREE_BITS;
    let low = if id <= MAX_LOW_ID { LOW_FREE_BITS } else { first.len };
    let few_columns = [low, first.len].map(|len| [FreeBits { len, ..first }, FreeBits { len: 0, ..second }]);
    let more_columns = [16, 32, 48, 64].map(|len| [first, FreeBits { len, ..second }]);
    let mut order: Vec<usize> = (0..least.len()).collect();
    order.sort_by_key(|&at| Reverse(least[at])); // small ones find room where large ones do not
    let bits = |more: u8| order.iter().map(|&at| (least[at] + more).min(MAX_REF_BITS as u8)).collect::<Vec<_>>();
    let ranges = few_columns
        .into_iter()
        .chain(more_columns)
        .find_map(|free| (0..=MAX_REF_BITS as u8).rev().find_map(|more| first_fit(&bits(more), &free)));
    let mut layout = [BitRange::default(); TOP_NODES];
    order.iter().zip(ranges.expect("a key has room for the widest")).for_each(|(&at, range)| layout[at] = range);
    layout
}

/// The layout of states in leaves that need about as many bits as each other.
pub(crate) fn leaf_layout(counts: &[usize], overflow: &Overflow, fill: LeafFill) -> Vec<BitRange> {
    let max_bits = match fill {
        LeafFill::Raw => MAX_BITS_IN_RAW_LEAF,
        LeafFill::Growing => MAX_BITS_IN_NEW_LEAF,
    };
    let varying = counts.iter().filter(|&&count| count > 1).count();
    let least = bits_needed(counts).div_ceil(max_bits).next_multiple_of(TOP_NODES).min(varying).max(1);
    let with_leaves = |leaves: usize| layout_in(&leaf_of_bytes(counts, leaves), counts, overflow);
    (least..).step_by(TOP_NODES).find_map(with_leaves).expect("a byte has room in a leaf")
}

/// The leaf of each byte if there are so many leaves, with about as many bits in each, or as many bytes where most have
/// no bits yet, because they may have some later.
fn leaf_of_bytes(counts: &[usize], leaves: usize) -> Vec<usize> {
    let weight = |&count: &usize| 2 * bits_for(count) as usize + 1;
    let all: usize = counts.iter().map(weight).sum();
    let (mut leaf, mut before) = (0, 0);
    let leaf_of = |count: &usize| {
        let weight = weight(count);
        if before > 0 && (2 * before + weight) * leaves >= 2 * all * (leaf + 1) {
            leaf += 1;
        }
        before += weight;
        leaf
    };
    counts.iter().map(leaf_of).collect()
}

/// The layout of states whose bytes are in the given leaves, with all bits of each leaf given out. `None` if a leaf is
/// too small.
pub(crate) fn layout_in(leaves: &[usize], counts: &[usize], overflow: &Overflow) -> Option<Vec<BitRange>> {
    let mut layout = vec![BitRange::default(); counts.len()];
    let mut by_leaf = vec![Vec::new(); leaves.iter().copied().max().unwrap_or(0) + 1];
    leaves.iter().enumerate().for_each(|(at, &leaf)| by_leaf[leaf].push(at));
    for (leaf, bytes) in by_leaf.into_iter().enumerate() {
        let counts: Vec<usize> = bytes.iter().map(|&at| counts[at]).collect();
        let free = [0, 1].map(|half| FreeBits { word: (LEAF_WORDS * leaf + half) as u32, from: 0, len: u64::BITS });
        let most = LEAF_WORDS * u64::BITS as usize;
        let ranges =
            (bits_needed(&counts)..=most).rev().find_map(|most| first_fit(&allot(&counts, overflow, most), &free))?;
        let of_leaf = |range: BitRange| if range.bits == 0 { BitRange { word: free[0].word, ..range } } else { range };
        bytes.iter().zip(ranges).for_each(|(&at, range)| layout[at] = of_leaf(range));
    }
    Some(layout)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::key::id_bits;

    #[test]
    fn references_are_wide_where_they_are_wanted_and_take_few_columns() {
        let bits = |id, least: &[u8]| reference_layout(id, least).map(|range| range.bits);
        assert_eq!(bits(3, &[0; 4]), [11; 4]);
        assert_eq!((bits(20, &[0; 4]), bits(3, &[0, 0])), ([14; 4], [22, 22, 0, 0]));
        assert_eq!(bits(3, &[3, 12, 5, 20]), [4, 13, 6, 21]);
        assert_eq!(bits(3, &[28; 4]), [28; 4]);
        for least in [[0; 4], [12, 1, 3, 17], [28, 28, 1, 1], [20; 4]] {
            let mut taken = [id_bits(ESCAPE_ID), 0];
            for (BitRange { word, shift, bits }, least) in reference_layout(9, &least).into_iter().zip(least) {
                let mask = ((1 << bits) - 1) << shift;
                assert!(bits >= least && taken[word as usize] & mask == 0);
                taken[word as usize] |= mask;
            }
        }
    }

    #[test]
    fn if_there_are_many_states_all_bytes_of_a_kind_get_another_bit_at_once() {
        let counts = [[9].as_slice(), &[8; 10], &[2; 9]].concat(); // 4 + 30 + 9 bits
        let layout = |has_many_states: bool| {
            inline_layout(1, &counts, &Overflow { counts: vec![8], has_many_states }).expect("room")
        };
        let bits = |layout: &[BitRange]| layout.iter().map(|range| u32::from(range.bits)).sum::<u32>();
        assert_eq!(bits(&layout(false)), LOW_FREE_BITS);
        let layout = layout(true);
        assert!(layout[..11].iter().all(|range| range.bits >= 4), "{layout:?}");
        assert!(bits(&layout) > LOW_FREE_BITS);
    }
}
