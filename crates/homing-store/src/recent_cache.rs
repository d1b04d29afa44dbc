//! A direct-mapped cache of recent keys for one thread: most keys of a search were looked up a moment ago.

use crate::Key;
use crate::prefetch::prefetch;

/// A direct-mapped cache: the value of a key, until another key takes the same entry. `SIZE` is a power of two.
///
/// Which value marks an entry that was never filled is up to the user, because the default key can be the key of a
/// state.
#[derive(Debug)]
pub struct RecentCache<K, V, const SIZE: usize> {
    entries: Box<[CacheEntry<K, V>; SIZE]>,
}

/// An entry of a [`RecentCache`]: the last key that was put there, with its value.
#[derive(Clone, Copy, Debug)]
pub struct CacheEntry<K, V> {
    /// The key; the default one in an entry that was never filled.
    pub key: K,
    /// Its value; the vacant one in an entry that was never filled.
    pub value: V,
}

impl<K: Key, V: Copy, const SIZE: usize> RecentCache<K, V, SIZE> {
    /// A cache whose entries all have the value `vacant`.
    pub fn new(vacant: V) -> Self {
        const { assert!(SIZE.is_power_of_two()) }
        let entries = vec![CacheEntry { key: K::default(), value: vacant }; SIZE].into_boxed_slice();
        RecentCache { entries: entries.try_into().ok().expect("a slice of this size") }
    }

    #[inline(always)]
    fn at(key: K) -> usize {
        (key.spread() >> (64 - SIZE.ilog2())) as usize % SIZE
    }

    /// Fetches the entry of a key that will be used soon.
    #[inline(always)]
    pub fn prefetch(&self, key: K) {
        prefetch(&self.entries[Self::at(key)]);
    }

    /// The entry of a key. It may hold another key.
    #[inline(always)]
    pub fn entry(&mut self, key: K) -> &mut CacheEntry<K, V> {
        &mut self.entries[Self::at(key)]
    }
}

impl<K: Key, const SIZE: usize> RecentCache<K, u32, SIZE> {
    /// The id of a key, from the cache or else from `find`. Values are ids plus one; the vacant one is 0.
    #[inline(always)]
    pub(crate) fn id<E>(&mut self, key: K, find: impl FnOnce() -> Result<u32, E>) -> Result<u32, E> {
        let entry = self.entry(key);
        if entry.key == key && entry.value != 0 {
            return Ok(entry.value - 1);
        }
        let id = find()?;
        *entry = CacheEntry { key, value: id + 1 };
        Ok(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sizes::size;

    #[test]
    fn ids_are_those_that_were_found() {
        let mut cache = RecentCache::<u64, u32, { size(1024, 64) }>::new(0);
        for round in 0..3 {
            for key in (0..size(20_000, 200) as u64).chain(0..3) {
                let id = cache.id(key, || Ok::<u32, ()>(key as u32 * 7));
                assert_eq!(id, Ok(key as u32 * 7), "round {round}");
            }
        }
        assert_eq!(cache.id(0, || Err(())), Ok(0));
        assert_eq!(cache.id(123_456, || Err("not there")), Err("not there"));
        assert_eq!(cache.id(123_456, || Ok::<u32, ()>(5)), Ok(5), "an error is not kept");
    }

    #[test]
    fn a_key_is_not_taken_for_another() {
        let mut cache = RecentCache::<u64, u32, 64>::new(u32::MAX);
        assert_eq!((cache.entry(0).key, cache.entry(0).value), (0, u32::MAX), "vacant");
        for key in 0..200 {
            cache.prefetch(key);
            *cache.entry(key) = CacheEntry { key, value: key as u32 };
        }
        let kept = (0..200).filter(|&key| cache.entry(key).key == key).count();
        assert!((1..=64).contains(&kept));
        assert!((0..200).all(|key| cache.entry(key).key != key || cache.entry(key).value == key as u32));
    }
}
