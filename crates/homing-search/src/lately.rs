//! What a thread met lately: the interleavings of two steps lead to one state, and in breadth-first order they are shown
//! one shortly after the other. Whoever comes second need not be looked up.

use homing_core::{Condition, Cost};
use homing_store::Key;

/// Keys, each in the one place it may have, with the length of the path that led there.
pub(crate) struct Lately<K> {
    places: Box<[Place<K>; SIZE]>,
}

#[derive(Clone, Copy)]
struct Place<K> {
    key: K,
    g: Cost,
}

/// A quarter of a megabyte: it stays in the second cache, and an eighth of it makes for up to 9 % more instructions.
const SIZE: usize = 1 << 14;

/// A path as long as none.
const NEVER: Cost = Cost::MAX;

impl<K: Key> Lately<K> {
    pub fn new() -> Self {
        let places = vec![Place { key: K::default(), g: NEVER }; SIZE].into_boxed_slice();
        Lately { places: places.try_into().ok().expect("of this size") }
    }

    #[inline(always)]
    fn place(key: K) -> usize {
        (key.spread() >> (64 - SIZE.ilog2())) as usize
    }

    /// Asks for the memory of a state that will be met soon.
    #[inline(always)]
    pub fn prefetch(&self, key: K) {
        homing_store::prefetch(&self.places[Self::place(key)]);
    }

    /// Meets a state on a path of length `g`. Tells whether it was met on one as short, as far as is remembered.
    #[inline(always)]
    pub fn meet(&mut self, key: K, g: Cost) -> bool {
        let place = &mut self.places[Self::place(key)];
        let again = Condition::CacheKey.is_met(place.key == key) && place.g <= g && place.g != NEVER;
        if !again {
            *place = Place { key, g };
        }
        again
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_met_again_unless_the_path_is_shorter() {
        let mut lately = Lately::<u64>::new();
        assert!(!lately.meet(0, NEVER) && !lately.meet(0, 7));
        assert!(lately.meet(0, 7) && lately.meet(0, 8));
        assert!(!lately.meet(0, 6) && lately.meet(0, 6) && lately.meet(0, 7));
        let others = 100_000;
        (1..others).for_each(|key| assert!(!lately.meet(key, 1)));
        let met = (1..others).filter(|&key| lately.meet(key, 1)).count();
        assert!(met <= SIZE, "it forgets, and takes nobody for another");
    }
}
