//! A shuffle of bits: how bit fields move when a key, or a leaf, is laid out differently.

use crate::tree::layout::BitRange;

/// Moves of bits in 128: the bits of each mask rotate to the left.
#[derive(Debug)]
pub(crate) struct BitShuffle(Vec<(u128, u32)>);

impl BitShuffle {
    /// Moves the bits of the first range of each pair into the second one, which is no smaller.
    pub fn new(ranges: impl Iterator<Item = (BitRange, BitRange)>) -> Self {
        let mut moves: Vec<(u128, u32)> = Vec::new();
        for (from, to) in ranges.filter(|(from, _)| from.bits > 0) {
            let at = |range: BitRange| range.word * u64::BITS + u32::from(range.shift);
            let left = at(to).wrapping_sub(at(from)) % u128::BITS;
            let mask = ((1 << from.bits) - 1) << at(from);
            match moves.iter_mut().find(|(_, other)| *other == left) {
                Some((all, _)) => *all |= mask,
                None => moves.push((mask, left)),
            }
        }
        BitShuffle(moves)
    }

    /// Whether every bit stays where it is.
    pub fn is_identity(&self) -> bool {
        self.0.iter().all(|&(_, left)| left == 0)
    }

    /// The moved bits. Those in no range are dropped.
    pub fn apply(&self, [low, high]: [u64; 2]) -> [u64; 2] {
        let bits = u128::from(low) | u128::from(high) << 64;
        let moved = self.0.iter().fold(0, |all, &(mask, left)| all | (bits & mask).rotate_left(left));
        [moved as u64, (moved >> 64) as u64]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_go_where_they_belong() {
        let range = |word, shift, bits| BitRange { word, shift, bits };
        let shuffle = BitShuffle::new(
            [
                (range(0, 0, 4), range(1, 60, 4)),
                (range(0, 4, 8), range(0, 0, 9)),
                (range(0, 0, 0), range(0, 50, 3)),
                (range(1, 10, 2), range(0, 20, 2)),
            ]
            .into_iter(),
        );
        assert_eq!(shuffle.apply([0x0fff_fa57, 0b11 << 10 | 1]), [3 << 20 | 0xa5, 7 << 60]);
        assert!(!shuffle.is_identity());
        assert!(BitShuffle::new([(range(1, 3, 5), range(1, 3, 8))].into_iter()).is_identity());
    }
}
