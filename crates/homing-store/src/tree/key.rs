//! The key of a state in two words: the id of its packing, and next to it the packed state itself, or references to the
//! nodes below the root of its tree.
//!
//! The packing id is in the four lowest and the two highest bits of the first word. A small value has its bits low: the
//! upper [columns](crate::table::columns) of keys take no room in a table as long as they are zero in all keys.

use crate::NeedsGrowth;
use crate::tree::layout::{BitRange, FreeBits};
use crate::tree::nodes::Nodes;
use crate::tree::packing::{Packing, PackingId};
use crate::tree::shape::TOP_NODES;

/// The key of a state in a tree store.
pub type TreeKey = [u64; 2];

/// The most bits that a reference to a node has.
pub(crate) const MAX_REF_BITS: u32 = 28;
pub(crate) const MAX_NODES: u32 = (1 << MAX_REF_BITS) - 1;

/// The short id in a key whose packing id has no room in the first word. Then the second word is the packing id, and
/// the first has a reference to a node above the tree.
pub(crate) const ESCAPE_ID: PackingId = 63;

/// Packing ids up to this one have no bits above the low free bits.
pub(crate) const MAX_LOW_ID: PackingId = 15;

/// How many bits next to a low packing id are in the lowest three columns.
pub(crate) const LOW_FREE_BITS: u32 = 44;

/// The bits of a key next to the packing id.
pub(crate) const FREE_BITS: [FreeBits; 2] =
    [FreeBits { word: 0, from: LOW_ID_BITS, len: 58 }, FreeBits { word: 1, from: 0, len: 64 }];

const LOW_ID_BITS: u32 = 4;
const HIGH_ID_FROM: u32 = 62;

/// Why there is no key for a state yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoKey {
    /// The table of a node is full.
    TableFull,
    /// A byte has a value that is not in its dictionary.
    UnknownValue,
    /// A reference has more bits than the packing's keys have for it.
    WideReference,
}

impl From<NeedsGrowth> for NoKey {
    fn from(_: NeedsGrowth) -> Self {
        NoKey::TableFull
    }
}

/// A short packing id in its place in the first word of a key.
#[inline]
pub(crate) fn id_bits(short_id: PackingId) -> u64 {
    u64::from(short_id & MAX_LOW_ID) | u64::from(short_id >> LOW_ID_BITS) << HIGH_ID_FROM
}

/// The packing id in the first word of a key, which may be [`ESCAPE_ID`].
#[inline]
pub(crate) fn short_id([low, _]: TreeKey) -> PackingId {
    low as u32 & MAX_LOW_ID | ((low >> HIGH_ID_FROM) as u32) << LOW_ID_BITS
}

/// The packing id of a key.
#[inline]
pub(crate) fn packing_id(key: TreeKey) -> PackingId {
    match short_id(key) {
        ESCAPE_ID => key[1] as u32,
        short => short,
    }
}

/// The key of a tree, from the references to the nodes below its root.
#[inline]
pub(crate) fn from_top(top: [u32; TOP_NODES], packing: &Packing, nodes: &mut impl Nodes) -> Result<TreeKey, NoKey> {
    if packing.id >= ESCAPE_ID {
        return Ok(escaped(top, packing.id, nodes)?);
    }
    let (mut key, mut beyond) = ([id_bits(packing.id), 0], 0);
    for (reference, &BitRange { word, shift, bits }) in
        top.into_iter().zip(&packing.refs).take(packing.shape.top_count())
    {
        key[word as usize & 1] |= u64::from(reference) << shift;
        beyond |= reference >> bits;
    }
    if beyond == 0 { Ok(key) } else { Err(NoKey::WideReference) }
}

/// The key of a tree whose packing id has no room in the first word.
#[cold]
fn escaped(top: [u32; TOP_NODES], id: PackingId, nodes: &mut impl Nodes) -> Result<TreeKey, NeedsGrowth> {
    let [a, b, c, d] = top.map(u64::from);
    let above = nodes.quad(0, [a | b << 32, c | d << 32])?;
    Ok([id_bits(ESCAPE_ID) | u64::from(above) << LOW_ID_BITS, id.into()])
}

/// The references to the nodes below the root of a tree, from its key.
#[inline]
pub(crate) fn top(key: TreeKey, packing: &Packing, nodes: &impl Nodes) -> [u32; TOP_NODES] {
    if packing.id >= ESCAPE_ID {
        let [ab, cd] = nodes.quad_at(0, (key[0] >> LOW_ID_BITS) as u32 & MAX_NODES);
        return [ab as u32, (ab >> 32) as u32, cd as u32, (cd >> 32) as u32];
    }
    let bits_of = |BitRange { word, shift, bits }: BitRange| key[word as usize & 1] >> shift & ((1 << bits) - 1);
    packing.refs.map(|range| bits_of(range) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_bits_and_packing_ids_share_no_bit() {
        let mut taken = [id_bits(ESCAPE_ID), 0];
        for FreeBits { word, from, len } in FREE_BITS {
            let bits = (u64::MAX >> (64 - len)) << from;
            assert_eq!(taken[word as usize] & bits, 0);
            taken[word as usize] |= bits;
        }
        assert_eq!(taken, [u64::MAX; 2]);
        for id in 0..=ESCAPE_ID {
            assert_eq!(short_id([id_bits(id) | !id_bits(ESCAPE_ID), 7]), id);
            assert!(id > MAX_LOW_ID || id_bits(id) < 1 << (LOW_ID_BITS + LOW_FREE_BITS));
        }
    }
}
