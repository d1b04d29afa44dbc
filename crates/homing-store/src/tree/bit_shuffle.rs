//! Bits that move from their places in a key, or in a word, to others.

use crate::tree::packing::Place;

/// Those of each mask go to the left, around the end.
#[derive(Debug)]
pub(crate) struct Moves(Vec<(u128, u32)>);

impl Moves {
    /// What is in the first place of each pair comes into the second, which is no smaller.
    pub fn new(places: impl Iterator<Item = (Place, Place)>) -> Self {
        let mut moves: Vec<(u128, u32)> = Vec::new();
        for (from, to) in places.filter(|(from, _)| from.bits > 0) {
            let at = |place: Place| place.word * u64::BITS + u32::from(place.shift);
            let left = at(to).wrapping_sub(at(from)) % u128::BITS;
            let mask = ((1 << from.bits) - 1) << at(from);
            match moves.iter_mut().find(|(_, other)| *other == left) {
                Some((all, _)) => *all |= mask,
                None => moves.push((mask, left)),
            }
        }
        Moves(moves)
    }

    /// Whether everything stays where it is.
    pub fn is_nothing(&self) -> bool {
        self.0.iter().all(|&(_, left)| left == 0)
    }

    /// What was in no place is gone.
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
        let place = |word, shift, bits| Place { word, shift, bits };
        let moves = Moves::new(
            [
                (place(0, 0, 4), place(1, 60, 4)),
                (place(0, 4, 8), place(0, 0, 9)),
                (place(0, 0, 0), place(0, 50, 3)),
                (place(1, 10, 2), place(0, 20, 2)),
            ]
            .into_iter(),
        );
        assert_eq!(moves.apply([0x0fff_fa57, 0b11 << 10 | 1]), [3 << 20 | 0xa5, 7 << 60]);
        assert!(!moves.is_nothing() && Moves::new([(place(1, 3, 5), place(1, 3, 8))].into_iter()).is_nothing());
    }
}
