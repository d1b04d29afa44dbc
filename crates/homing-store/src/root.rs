//! The key of a state in 64 bits: its class, and beside it a packed state, or two references to the nodes of a tree.
//!
//! The class is in bits 44 to 47 and 60 to 63. The lower bits of references come first: if the upper bits of everything
//! are zero, 48 or 56 bits hold a key.

use crate::Full;
use crate::board::Nodes;

/// The key of a state.
pub type Root = u64;

/// References have this many bits.
const REF_BITS: u32 = 28;
pub(crate) const MOST_NODES: u32 = (1 << REF_BITS) - 1;

/// The class of a key that has no room for its class: its first reference is to the pair, its second the class.
pub(crate) const FAR_CLASS: u32 = 255;

/// The runs of bits beside the class, each with its length: of those that fit into 6, 7 and 8 bytes with a class below 16.
pub(crate) const BESIDE: [[(u32, u32); 2]; 3] = [[(0, 44), (48, 0)], [(0, 44), (48, 8)], [(0, 44), (48, 12)]];

/// A class where it belongs in a key.
#[inline]
pub(crate) fn class_bits(class: u32) -> u64 {
    u64::from(class & 15) << 44 | u64::from(class >> 4) << 60
}

/// The class of a key, or [`FAR_CLASS`].
#[inline]
pub(crate) fn near_class(key: Root) -> u32 {
    (key >> 44 & 15 | key >> 60 << 4) as u32
}

/// Two references in the bits beside the class.
#[inline]
pub(crate) fn beside(a: u32, b: u32) -> u64 {
    let (a, b) = (u64::from(a), u64::from(b));
    let low = |value: u64| value & ((1 << 22) - 1);
    low(a) | low(b) << 22 | (a >> 22) << 48 | (b >> 22) << 54
}

/// The references of a key.
#[inline]
pub(crate) fn references(key: Root) -> [u32; 2] {
    let take = |from: u32, bits: u32| (key >> from & ((1 << bits) - 1)) as u32;
    [take(0, 22) | take(48, 6) << 22, take(22, 22) | take(54, 6) << 22]
}

/// The key of a tree.
#[inline]
pub(crate) fn root([a, b]: [u32; 2], class: u32, nodes: &mut impl Nodes) -> Result<Root, Full> {
    if class < FAR_CLASS {
        return Ok(beside(a, b) | class_bits(class));
    }
    let pair = nodes.pair(u64::from(a) | u64::from(b) << 32)?;
    Ok(beside(pair, class) | class_bits(FAR_CLASS))
}

/// The references below the root of a tree.
#[inline]
pub(crate) fn below(key: Root, nodes: &impl Nodes) -> [u32; 2] {
    let [a, b] = references(key);
    if near_class(key) < FAR_CLASS {
        return [a, b];
    }
    let pair = nodes.pair_at(a);
    [pair as u32, (pair >> 32) as u32]
}

/// The class of a key.
#[inline]
pub(crate) fn class(key: Root) -> u32 {
    match near_class(key) {
        FAR_CLASS => references(key)[1],
        near => near,
    }
}
