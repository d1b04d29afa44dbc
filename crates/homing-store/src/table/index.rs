//! An index from hashes to numbers: open addressing with linear probing, four bytes an entry, shared by threads.
//!
//! An entry is a tag and a number. The tag is as much of the hash as the width of the numbers leaves room for, so that in
//! a table of millions one look at the wrong key comes with a thousand look-ups. An entry is never changed or removed,
//! and one being made is marked busy: whoever has the same tag waits for it, so that no key is entered twice.

use std::ops::Range;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use crate::NeedsGrowth;
use crate::table::pages::{Pages, prefetch, prefetch_to_write};

/// Numbers by hash.
#[derive(Debug)]
pub(crate) struct Index {
    entries: Pages<AtomicU32>,
    /// The bits of the number in an entry; all of them are the mark of one being made.
    busy: u32,
    /// How many numbers fit before it has to grow.
    capacity: u32,
    /// How many entries there are besides the first one of each number.
    others: u32,
    /// One thread alone adds entries: nothing has to be claimed.
    pub is_alone: bool,
}

/// Where a key was found or entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entered {
    New(u32),
    Known(u32),
}

const EMPTY: u32 = 0;

/// A thread is begun for so many numbers: that takes as long as entering a few thousand.
const WORTH_A_THREAD: usize = 1 << 16;

impl Index {
    /// How many numbers an index can have: two are kept for marks.
    pub const MOST: u32 = u32::MAX - 2;

    /// The slots for so many numbers, a quarter of them empty.
    fn slots(capacity: u32) -> usize {
        capacity as usize + capacity as usize / 3 + 1
    }

    /// Bytes of an index for so many numbers.
    pub fn bytes_for(capacity: u32) -> u64 {
        (Self::slots(capacity) * size_of::<AtomicU32>()) as u64
    }

    pub fn new(capacity: u32) -> Self {
        let number_bits = 32 - (capacity + 2).leading_zeros(); // for 1 to `capacity`, empty and busy
        let busy = ((1u64 << number_bits) - 1) as u32;
        Index { entries: Pages::new(Self::slots(capacity)), busy, capacity, others: 0, is_alone: false }
    }

    pub fn capacity(&self) -> u32 {
        self.capacity
    }

    pub fn bytes(&self) -> u64 {
        self.entries.bytes()
    }

    #[inline]
    fn home(&self, hash: u64) -> usize {
        (((hash >> 32) * self.entries.len() as u64) >> 32) as usize
    }

    /// The tag, in its place in an entry.
    #[inline]
    fn tag(&self, hash: u64) -> u32 {
        hash as u32 & !self.busy
    }

    #[inline]
    pub fn prefetch(&self, hash: u64) {
        let entry = &self.entries[self.home(hash)];
        if self.is_alone { prefetch(entry) } else { prefetch_to_write(entry) }
    }

    /// The number that a look-up will look at first, if the tag is right. The memory was asked for a while ago.
    #[inline]
    pub fn peek(&self, hash: u64) -> Option<u32> {
        let entry = self.entries[self.home(hash)].load(Relaxed);
        let number = entry & self.busy;
        (entry & !self.busy == self.tag(hash) && number != 0 && number != self.busy).then(|| number - 1)
    }

    /// From a slot on, the number for which `is_same` holds, or else the empty slot behind all that could be it.
    #[inline]
    fn walk(&self, from: usize, tag: u32, is_same: impl Fn(u32) -> bool) -> Result<u32, usize> {
        let busy = self.busy;
        let mut slot = from;
        loop {
            let entry = self.entries[slot].load(Acquire);
            if entry == EMPTY {
                return Err(slot);
            }
            if entry & !busy == tag {
                let number = entry & busy;
                if number == busy {
                    std::hint::spin_loop();
                    continue;
                }
                if is_same(number - 1) {
                    return Ok(number - 1);
                }
            }
            slot = self.behind(slot);
        }
    }

    /// The number of the entry with this hash for which `is_same` holds, or else the slot to [enter it from](Self::enter_from).
    #[inline]
    pub fn look(&self, hash: u64, is_same: impl Fn(u32) -> bool) -> Result<u32, usize> {
        self.walk(self.home(hash), self.tag(hash), is_same)
    }

    /// The number of the entry with this hash for which `is_same` holds.
    #[inline]
    pub fn find(&self, hash: u64, is_same: impl Fn(u32) -> bool) -> Option<u32> {
        self.look(hash, is_same).ok()
    }

    /// The number of the entry for which `is_same` holds, or else the one that `make` makes.
    #[inline]
    pub fn enter(
        &self,
        hash: u64,
        is_same: impl Fn(u32) -> bool,
        make: impl FnOnce() -> Result<u32, NeedsGrowth>,
    ) -> Result<Entered, NeedsGrowth> {
        self.enter_from(self.home(hash), hash, is_same, make)
    }

    /// The same if it is known not to be in front of a slot.
    #[inline]
    pub fn enter_from(
        &self,
        mut from: usize,
        hash: u64,
        is_same: impl Fn(u32) -> bool,
        make: impl FnOnce() -> Result<u32, NeedsGrowth>,
    ) -> Result<Entered, NeedsGrowth> {
        let (tag, busy) = (self.tag(hash), self.busy);
        loop {
            let slot = match self.walk(from, tag, &is_same) {
                Ok(number) => return Ok(Entered::Known(number)),
                Err(slot) => slot,
            };
            let entry = &self.entries[slot];
            if !self.is_alone && entry.compare_exchange(EMPTY, tag | busy, Acquire, Relaxed).is_err() {
                from = slot; // somebody was faster: look again
                continue;
            }
            let made = make();
            // The place is given back only by a table that is full. It makes a new index before anybody enters anything
            // else, so nobody misses what was entered behind the place meanwhile.
            let entry = made.map_or(EMPTY, |number| tag | (number + 1));
            self.entries[slot].store(entry, Release);
            return made.map(Entered::New);
        }
    }

    #[inline]
    fn behind(&self, slot: usize) -> usize {
        if slot + 1 == self.entries.len() { 0 } else { slot + 1 }
    }

    /// How many numbers may have another entry.
    pub fn spare(&self) -> u32 {
        (self.capacity / 16).saturating_sub(self.others)
    }

    /// Gives a number another entry, for another hash.
    pub fn insert_other(&mut self, hash: u64, number: u32) {
        self.others += 1;
        self.insert(hash, number, true);
    }

    /// `is_alone`: nobody else adds entries.
    #[inline]
    fn insert(&self, hash: u64, number: u32, is_alone: bool) {
        let (mut slot, entry) = (self.home(hash), self.tag(hash) | (number + 1));
        loop {
            let place = &self.entries[slot];
            if place.load(Relaxed) == EMPTY {
                if is_alone {
                    return place.store(entry, Relaxed);
                }
                if place.compare_exchange(EMPTY, entry, Relaxed, Relaxed).is_ok() {
                    return;
                }
            }
            slot = self.behind(slot);
        }
    }

    /// An index for more numbers in place of this one, which is forgotten first: hashing again costs less than holding
    /// both, which would be the peak of the whole search.
    /// Each thread that takes part has a way to the hashes of numbers from `hashes`.
    pub fn grow<H>(&mut self, capacity: u32, numbers: &[Range<u32>], threads: usize, hashes: impl Fn() -> H + Sync)
    where
        H: FnMut(u32) -> u64,
    {
        self.entries = Pages::new(0);
        *self = Index::new(capacity);
        self.is_alone = threads == 1;
        let count: usize = numbers.iter().map(ExactSizeIterator::len).sum();
        let share = count.div_ceil(threads).max(WORTH_A_THREAD) as u32;
        if count <= share as usize {
            return numbers.iter().for_each(|numbers| self.fill(numbers.clone(), true, hashes()));
        }
        let this = &*self;
        std::thread::scope(|scope| {
            for numbers in numbers {
                if numbers.len() < WORTH_A_THREAD {
                    this.fill(numbers.clone(), false, hashes());
                    continue;
                }
                let shares = numbers.clone().step_by(share as usize);
                let shares = shares.map(|from| from..numbers.end.min(from.saturating_add(share)));
                shares.for_each(|numbers| _ = scope.spawn(|| this.fill(numbers, false, hashes())));
            }
        });
    }

    /// Enters numbers that have no entry.
    fn fill(&self, numbers: Range<u32>, is_alone: bool, mut hash_of: impl FnMut(u32) -> u64) {
        let mut hashes = [0; 32];
        let mut from = numbers.start;
        while from < numbers.end {
            let count = (numbers.end - from).min(hashes.len() as u32);
            for (number, hash) in (from..from + count).zip(&mut hashes) {
                *hash = hash_of(number);
                self.prefetch(*hash);
            }
            for (number, hash) in (from..from + count).zip(hashes) {
                self.insert(hash, number, is_alone);
            }
            from += count;
        }
    }
}
