//! A small memory of the numbers of keys, for one thread: most keys were looked up a moment ago.
//!
//! Numbers never change, so nothing is ever wrong in it.

use crate::Key;

/// Numbers by key, each in the one place it may have.
#[derive(Debug)]
pub(crate) struct Cache<K, const SIZE: usize> {
    places: Box<[Place<K>; SIZE]>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Place<K> {
    key: K,
    /// Counted from 1; 0 if there is none.
    number: u32,
}

impl<K: Key, const SIZE: usize> Cache<K, SIZE> {
    /// The number of a key, which `find` knows if the cache does not.
    #[inline(always)]
    pub fn number<E>(&mut self, key: K, find: impl FnOnce() -> Result<u32, E>) -> Result<u32, E> {
        let place = &mut self.places[(key.spread() >> (64 - SIZE.ilog2())) as usize % SIZE];
        if place.key == key && place.number != 0 {
            return Ok(place.number - 1);
        }
        let number = find()?;
        *place = Place { key, number: number + 1 };
        Ok(number)
    }
}

impl<K: Key, const SIZE: usize> Default for Cache<K, SIZE> {
    fn default() -> Self {
        let places = vec![Place::default(); SIZE].into_boxed_slice();
        Cache { places: places.try_into().expect("of this size") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_that_were_found() {
        let mut cache = Cache::<u64, 1024>::default();
        for round in 0..3 {
            for key in (0..20_000).chain(0..3) {
                let number = cache.number(key, || Ok::<u32, ()>(key as u32 * 7));
                assert_eq!(number, Ok(key as u32 * 7), "round {round}");
            }
        }
        assert_eq!(cache.number(0, || Err(())), Ok(0));
        assert_eq!(cache.number(123_456, || Err("not there")), Err("not there"));
        assert_eq!(cache.number(123_456, || Ok::<u32, ()>(5)), Ok(5), "an error is not kept");
    }
}
