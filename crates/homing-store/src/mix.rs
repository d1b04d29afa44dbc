//! Mixing of bits, for hash functions.

/// Constants with random bits.
pub(crate) const SALTS: [u64; 4] =
    [0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93, 0xa076_1d64_78bd_642f, 0xe703_7ed1_a0b4_28db];

/// The two halves of the product, combined by exclusive or.
#[inline]
pub(crate) fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

/// A permutation of the 64-bit numbers in which every bit of the argument counts for every bit of the result
/// (SplitMix64; Steele, Lea & Flood 2014).
#[inline]
pub(crate) fn avalanche(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
