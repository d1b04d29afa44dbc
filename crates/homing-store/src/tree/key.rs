//! The key of a state in two words: its class, and beside it a packed state, or references to the nodes of a tree.
//!
//! The class is in the lowest bits and in the two highest of the first word. What is small has its bits low: the upper
//! columns of keys take no room in a table as long as they are zero in all.

use crate::NeedsGrowth;
use crate::tree::packed_parent::{Missing, Nodes};
use crate::tree::packing::{Packing, Place};
use crate::tree::shape::QUARTERS;

/// The key of a state.
pub type Root = [u64; 2];

/// References have at most this many bits.
pub(crate) const REF_BITS: u32 = 28;
pub(crate) const MOST_NODES: u32 = (1 << REF_BITS) - 1;

/// The class of a key that has no room for its class: that is in its second word, and in its first one there is a
/// reference to a node above the tree.
pub(crate) const FAR_CLASS: u32 = 63;

/// Classes up to this one have no bits above the low room.
pub(crate) const LOW_CLASS: u32 = 15;

/// How many bits beside the class are in the lowest columns.
pub(crate) const LOW_ROOM: u32 = 44;

/// A run of bits in a word of a key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub word: u32,
    pub from: u32,
    pub len: u32,
}

/// The runs of bits beside the class.
pub(crate) const BESIDE: [Run; 2] = [Run { word: 0, from: LOW_BITS, len: 58 }, Run { word: 1, from: 0, len: 64 }];

const LOW_BITS: u32 = 4;
const HIGH_FROM: u32 = 62;

/// A class where it belongs in the first word of a key.
#[inline]
pub(crate) fn class_bits(class: u32) -> u64 {
    u64::from(class & LOW_CLASS) | u64::from(class >> LOW_BITS) << HIGH_FROM
}

/// The class of a key, or [`FAR_CLASS`].
#[inline]
pub(crate) fn near_class([low, _]: Root) -> u32 {
    low as u32 & LOW_CLASS | ((low >> HIGH_FROM) as u32) << LOW_BITS
}

/// The key of a tree.
#[inline]
pub(crate) fn root(top: [u32; QUARTERS], packing: &Packing, nodes: &mut impl Nodes) -> Result<Root, Missing> {
    if packing.class >= FAR_CLASS {
        return Ok(far_root(top, packing.class, nodes)?);
    }
    let (mut key, mut beyond) = ([class_bits(packing.class), 0], 0);
    for (reference, &Place { word, shift, bits }) in top.into_iter().zip(&packing.refs).take(packing.shape.quarters()) {
        key[word as usize & 1] |= u64::from(reference) << shift;
        beyond |= reference >> bits;
    }
    if beyond == 0 { Ok(key) } else { Err(Missing::Reference) }
}

#[cold]
fn far_root(top: [u32; QUARTERS], class: u32, nodes: &mut impl Nodes) -> Result<Root, NeedsGrowth> {
    let [a, b, c, d] = top.map(u64::from);
    let above = nodes.wide(0, [a | b << 32, c | d << 32])?;
    Ok([class_bits(FAR_CLASS) | u64::from(above) << LOW_BITS, class.into()])
}

/// The references below the root of a tree.
#[inline]
pub(crate) fn below(key: Root, packing: &Packing, nodes: &impl Nodes) -> [u32; QUARTERS] {
    if packing.class >= FAR_CLASS {
        let [ab, cd] = nodes.wide_at(0, (key[0] >> LOW_BITS) as u32 & MOST_NODES);
        return [ab as u32, (ab >> 32) as u32, cd as u32, (cd >> 32) as u32];
    }
    let of = |Place { word, shift, bits }: Place| key[word as usize & 1] >> shift & ((1 << bits) - 1);
    packing.refs.map(|place| of(place) as u32)
}

/// The class of a key.
#[inline]
pub(crate) fn class(key: Root) -> u32 {
    match near_class(key) {
        FAR_CLASS => key[1] as u32,
        near => near,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_and_classes_share_no_bit() {
        let mut taken = [class_bits(FAR_CLASS), 0];
        for Run { word, from, len } in BESIDE {
            let bits = (u64::MAX >> (64 - len)) << from;
            assert_eq!(taken[word as usize] & bits, 0);
            taken[word as usize] |= bits;
        }
        assert_eq!(taken, [u64::MAX; 2]);
        for class in 0..=FAR_CLASS {
            assert_eq!(near_class([class_bits(class) | !class_bits(FAR_CLASS), 7]), class);
            assert!(class > LOW_CLASS || class_bits(class) < 1 << (LOW_BITS + LOW_ROOM));
        }
    }
}
