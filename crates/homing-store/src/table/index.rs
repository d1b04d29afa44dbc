//! An index from hashes to ids: open addressing with linear probing, four bytes an entry, shared by threads.
//!
//! An entry is a tag and an id. The tag is as much of the hash as the width of the ids leaves room for, so that in a
//! table of millions one in a thousand look-ups compares a wrong key. An entry is never changed or removed. One that is
//! being made is marked busy, and a thread that looks for the same tag waits for it, so that no key is entered twice.

use std::ops::Range;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use crate::NeedsGrowth;
use crate::prefetch::{prefetch, prefetch_to_write};
use crate::sizes::size;
use crate::table::pages::Pages;

/// Ids by hash.
#[derive(Debug)]
pub(crate) struct Index {
    entries: Pages<AtomicU32>,
    /// The bits of the id in an entry; all of them set mark an entry that is being made.
    busy: u32,
    /// How many ids fit before the index has to grow.
    capacity: u32,
    /// How many entries there are besides the first one of each id.
    extra: u32,
    /// Only one thread adds entries: they need not be claimed first.
    pub is_single_threaded: bool,
}

/// The id of a key that was looked up, and added if it was new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Inserted {
    New(u32),
    Known(u32),
}

const EMPTY: u32 = 0;

/// A thread is started for so many ids: starting it takes as long as entering a few thousand.
const MIN_IDS_PER_THREAD: usize = size(1 << 16, 1 << 4);

impl Index {
    /// How many ids an index can have: two values are needed for marks.
    pub const MAX_IDS: u32 = u32::MAX - 2;

    /// The slots for so many ids, a quarter of them empty.
    fn slots(capacity: u32) -> usize {
        capacity as usize + capacity as usize / 3 + 1
    }

    /// The bytes of an index for so many ids.
    pub fn bytes_for(capacity: u32) -> u64 {
        (Self::slots(capacity) * size_of::<AtomicU32>()) as u64
    }

    pub fn new(capacity: u32) -> Self {
        let id_bits = 32 - (capacity + 2).leading_zeros(); // for 1 to `capacity`, empty and busy
        let busy = ((1u64 << id_bits) - 1) as u32;
        Index { entries: Pages::new(Self::slots(capacity)), busy, capacity, extra: 0, is_single_threaded: false }
    }

    pub fn capacity(&self) -> u32 {
        self.capacity
    }

    pub fn bytes(&self) -> u64 {
        self.entries.bytes()
    }

    /// The slot at which probing begins.
    #[inline]
    fn home(&self, hash: u64) -> usize {
        (((hash >> 32) * self.entries.len() as u64) >> 32) as usize
    }

    /// The tag, in its place in an entry.
    #[inline]
    fn tag(&self, hash: u64) -> u32 {
        hash as u32 & !self.busy
    }

    /// Fetches the cache line at which probing for a hash begins.
    #[inline]
    pub fn prefetch(&self, hash: u64) {
        let entry = &self.entries[self.home(hash)];
        if self.is_single_threaded { prefetch(entry) } else { prefetch_to_write(entry) }
    }

    /// The id in the home slot of a hash if its tag is right: the one that a look-up compares first. To be called some
    /// time after [`prefetch`](Self::prefetch).
    #[inline]
    pub fn peek(&self, hash: u64) -> Option<u32> {
        let entry = self.entries[self.home(hash)].load(Relaxed);
        let id = entry & self.busy;
        (entry & !self.busy == self.tag(hash) && id != 0 && id != self.busy).then(|| id - 1)
    }

    /// Probes from a slot on: returns the id for which `is_same` holds, or else the empty slot after all that could be
    /// it.
    #[inline]
    fn probe_from(&self, from: usize, tag: u32, is_same: impl Fn(u32) -> bool) -> Result<u32, usize> {
        let busy = self.busy;
        let mut slot = from;
        loop {
            let entry = self.entries[slot].load(Acquire);
            if entry == EMPTY {
                return Err(slot);
            }
            if entry & !busy == tag {
                let id = entry & busy;
                if id == busy {
                    std::hint::spin_loop();
                    continue;
                }
                if is_same(id - 1) {
                    return Ok(id - 1);
                }
            }
            slot = self.next_slot(slot);
        }
    }

    /// The id with this hash for which `is_same` holds, or else the slot to
    /// [continue from](Self::find_or_insert_from).
    #[inline]
    pub fn probe(&self, hash: u64, is_same: impl Fn(u32) -> bool) -> Result<u32, usize> {
        self.probe_from(self.home(hash), self.tag(hash), is_same)
    }

    /// The id with this hash for which `is_same` holds.
    #[inline]
    pub fn find(&self, hash: u64, is_same: impl Fn(u32) -> bool) -> Option<u32> {
        self.probe(hash, is_same).ok()
    }

    /// The id for which `is_same` holds, or else the one that `make` makes.
    #[inline]
    pub fn find_or_insert(
        &self,
        hash: u64,
        is_same: impl Fn(u32) -> bool,
        make: impl FnOnce() -> Result<u32, NeedsGrowth>,
    ) -> Result<Inserted, NeedsGrowth> {
        self.find_or_insert_from(self.home(hash), hash, is_same, make)
    }

    /// Does what [`find_or_insert`](Self::find_or_insert) does for a hash that was not found before a slot.
    #[inline]
    pub fn find_or_insert_from(
        &self,
        mut from: usize,
        hash: u64,
        is_same: impl Fn(u32) -> bool,
        make: impl FnOnce() -> Result<u32, NeedsGrowth>,
    ) -> Result<Inserted, NeedsGrowth> {
        let (tag, busy) = (self.tag(hash), self.busy);
        loop {
            let slot = match self.probe_from(from, tag, &is_same) {
                Ok(id) => return Ok(Inserted::Known(id)),
                Err(slot) => slot,
            };
            let entry = &self.entries[slot];
            if !self.is_single_threaded && entry.compare_exchange(EMPTY, tag | busy, Acquire, Relaxed).is_err() {
                from = slot; // another thread claimed the slot: look again
                continue;
            }
            let made = make();
            // The slot is given back only by a table that is full. It makes a new index before any thread enters
            // anything else, so no look-up misses an entry that was made after the slot meanwhile.
            let entry = made.map_or(EMPTY, |id| tag | (id + 1));
            self.entries[slot].store(entry, Release);
            return made.map(Inserted::New);
        }
    }

    #[inline]
    fn next_slot(&self, slot: usize) -> usize {
        if slot + 1 == self.entries.len() { 0 } else { slot + 1 }
    }

    /// How many ids may still have [another entry](Self::insert_extra).
    pub fn extra_left(&self) -> u32 {
        (self.capacity / 16).saturating_sub(self.extra)
    }

    /// Gives an id that has an entry another one, for another hash.
    pub fn insert_extra(&mut self, hash: u64, id: u32) {
        self.extra += 1;
        self.insert(hash, id, true);
    }

    /// Adds an entry. `is_single_threaded`: no other thread adds entries.
    #[inline]
    fn insert(&self, hash: u64, id: u32, is_single_threaded: bool) {
        let (mut slot, entry) = (self.home(hash), self.tag(hash) | (id + 1));
        loop {
            let held = &self.entries[slot];
            if held.load(Relaxed) == EMPTY {
                if is_single_threaded {
                    return held.store(entry, Relaxed);
                }
                if held.compare_exchange(EMPTY, entry, Relaxed, Relaxed).is_ok() {
                    return;
                }
            }
            slot = self.next_slot(slot);
        }
    }

    /// Replaces the index by one with room for `capacity` ids and enters `ids`. The old entries are freed first:
    /// hashing again costs less than holding both, which would be the memory peak of the whole search. Each thread that
    /// takes part gets its own function from ids to hashes from `hashes`.
    pub fn grow<H>(&mut self, capacity: u32, ids: &[Range<u32>], threads: usize, hashes: impl Fn() -> H + Sync)
    where
        H: FnMut(u32) -> u64,
    {
        self.entries = Pages::new(0);
        *self = Index::new(capacity);
        self.is_single_threaded = threads == 1;
        let count: usize = ids.iter().map(ExactSizeIterator::len).sum();
        let share = count.div_ceil(threads).max(MIN_IDS_PER_THREAD) as u32;
        if count <= share as usize {
            return ids.iter().for_each(|ids| self.fill(ids.clone(), true, hashes()));
        }
        let this = &*self;
        std::thread::scope(|scope| {
            for ids in ids {
                if ids.len() < MIN_IDS_PER_THREAD {
                    this.fill(ids.clone(), false, hashes());
                    continue;
                }
                let shares = ids.clone().step_by(share as usize);
                let shares = shares.map(|from| from..ids.end.min(from.saturating_add(share)));
                shares.for_each(|ids| _ = scope.spawn(|| this.fill(ids, false, hashes())));
            }
        });
    }

    /// Adds entries for ids that have none, in batches so that their cache lines are fetched together.
    fn fill(&self, ids: Range<u32>, is_single_threaded: bool, mut hash_of: impl FnMut(u32) -> u64) {
        let mut hashes = [0; 32];
        let mut from = ids.start;
        while from < ids.end {
            let count = (ids.end - from).min(hashes.len() as u32);
            for (id, hash) in (from..from + count).zip(&mut hashes) {
                *hash = hash_of(id);
                self.prefetch(*hash);
            }
            for (id, hash) in (from..from + count).zip(hashes) {
                self.insert(hash, id, is_single_threaded);
            }
            from += count;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_index_has_wide_tags() {
        let index = Index::new(1024);
        assert_eq!((index.entries.len(), index.bytes()), (1366, 4 * 1366));
        assert_eq!((index.busy.count_ones(), index.tag(u64::MAX).count_ones()), (11, 21));
        let inserted = index.find_or_insert(u64::MAX / 5, |_| unreachable!("it is empty"), || Ok(500));
        assert_eq!(inserted, Ok(Inserted::New(500)));
        let entry = index.entries[index.home(u64::MAX / 5)].load(Relaxed);
        assert_eq!((entry & index.busy, entry & !index.busy), (501, index.tag(u64::MAX / 5)));
        assert_eq!(index.find(u64::MAX / 5, |id| id == 500), Some(500));
    }

    #[test]
    fn a_slot_is_given_back_if_there_is_no_room() {
        let index = Index::new(10);
        assert_eq!(index.find_or_insert(7, |_| false, || Err(NeedsGrowth)), Err(NeedsGrowth));
        assert!(index.entries.iter().all(|entry| entry.load(Relaxed) == EMPTY));
    }
}
