//! The numbers of a table, handed out to threads.
//!
//! What has neighbouring numbers lies in the same lines of memory, here and wherever else it is an index. So each of several
//! threads takes its numbers from a block of its own: otherwise every new entry of one is a line that it has to take away
//! from another.

use std::ops::Range;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize};

use crate::NeedsGrowth;

/// As many numbers make a block: the smallest things by number are bytes, and a line has 64.
const BLOCK: u32 = 64;

/// Threads that came later than that share one more block.
const BLOCKS: usize = 64;

/// Somebody takes from a block.
const LOCKED: u64 = u64::MAX;

/// Something that threads write, away from all else.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Apart<T>(T);

#[derive(Debug, Default)]
pub(crate) struct Numbers {
    /// The first that neither was taken nor is in a block.
    next: Apart<AtomicU32>,
    /// The numbers of a block that were not taken: the first in the lower half, the end in the upper one. None: there are no
    /// blocks, and numbers are taken one by one. The last one is that of all who have none of their own.
    blocks: Option<Box<[Apart<AtomicU64>]>>,
    /// How many slots were given out.
    slots: AtomicUsize,
}

/// The right to take from a block. Only [`Numbers::slot`] makes one, and it cannot be copied: no two threads take from the
/// same block at a time, but for the last one.
#[derive(Debug)]
pub(crate) struct Slot(usize);

impl Slot {
    /// The block that all share who have none of their own.
    pub const fn shared() -> Self {
        Slot(BLOCKS)
    }
}

fn range(block: u64) -> Range<u32> {
    block as u32..(block >> 32) as u32
}

impl Numbers {
    /// From now on several threads take numbers from blocks of their own.
    pub fn divide(&mut self) {
        self.blocks.get_or_insert_with(|| (0..=BLOCKS).map(|_| Apart::default()).collect());
    }

    /// A slot with a block of its own, as long as there are any; then the shared one.
    pub fn slot(&self) -> Slot {
        Slot(self.slots.fetch_add(1, Relaxed).min(BLOCKS))
    }

    /// Takes one below `capacity`, by a slot of this table or the shared one. Only one thread may be `alone`.
    #[inline]
    pub fn take(&self, slot: &mut Slot, capacity: u32, alone: bool) -> Result<u32, NeedsGrowth> {
        let Apart(next) = &self.next;
        if alone {
            let number = next.load(Relaxed);
            if number >= capacity {
                return Err(NeedsGrowth);
            }
            next.store(number + 1, Relaxed);
            return Ok(number);
        }
        match &self.blocks {
            Some(blocks) => {
                let own = slot.0;
                if own < BLOCKS {
                    self.take_own(&blocks[own].0, capacity)
                } else {
                    self.take_from(&blocks[own].0, capacity)
                }
            }
            None => self.reserve(1, capacity).map(|numbers| numbers.start),
        }
    }

    /// Takes one from the block of this thread alone.
    #[inline]
    fn take_own(&self, block: &AtomicU64, capacity: u32) -> Result<u32, NeedsGrowth> {
        let mut left = range(block.load(Relaxed));
        if left.is_empty() {
            left = self.reserve(BLOCK, capacity)?;
        }
        block.store(u64::from(left.start + 1) | u64::from(left.end) << 32, Release);
        Ok(left.start)
    }

    /// Takes one from a block that other threads have as well.
    #[cold]
    fn take_from(&self, block: &AtomicU64, capacity: u32) -> Result<u32, NeedsGrowth> {
        let mut seen = block.load(Relaxed);
        while seen == LOCKED || block.compare_exchange_weak(seen, LOCKED, Acquire, Relaxed).is_err() {
            std::hint::spin_loop();
            seen = block.load(Relaxed);
        }
        let left = range(seen);
        let taken = if left.is_empty() { self.reserve(BLOCK, capacity) } else { Ok(left) };
        let rest = taken.as_ref().map_or(seen, |left| u64::from(left.start + 1) | u64::from(left.end) << 32);
        block.store(rest, Release);
        taken.map(|left| left.start)
    }

    /// Takes up to so many in a row, which are below `capacity`.
    fn reserve(&self, most: u32, capacity: u32) -> Result<Range<u32>, NeedsGrowth> {
        let behind = |start: u32| (start < capacity).then(|| capacity.min(start.saturating_add(most)));
        let taken = self.next.0.fetch_update(Relaxed, Relaxed, behind);
        taken.map(|start| start..behind(start).expect("it was taken")).map_err(|_| NeedsGrowth)
    }

    /// What is behind all that were taken.
    pub fn end(&self) -> u32 {
        self.next.0.load(Acquire)
    }

    /// How many were taken.
    pub fn len(&self) -> u32 {
        let blocks = self.blocks.iter().flat_map(|blocks| blocks.iter());
        let left = blocks.map(|Apart(block)| match block.load(Acquire) {
            LOCKED => 0,
            block => range(block).len() as u32,
        });
        self.end() - left.sum::<u32>()
    }

    /// Those that were taken.
    pub fn taken(&mut self) -> Vec<Range<u32>> {
        let mut left: Vec<Range<u32>> = Vec::new();
        for Apart(block) in self.blocks.iter_mut().flat_map(|blocks| blocks.iter_mut()) {
            left.push(range(*block.get_mut()));
        }
        left.retain(|left| !left.is_empty());
        left.sort_unstable_by_key(|left| left.start);
        let mut from = 0;
        let mut taken = Vec::with_capacity(left.len() + 1);
        for Range { start, end } in left {
            taken.push(from..start);
            from = end;
        }
        taken.push(from..self.end());
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_by_one() {
        let mut numbers = Numbers::default();
        let taken: Vec<_> = (0..5).map(|at| numbers.take(&mut Slot::shared(), 3, at % 2 == 0)).collect();
        assert_eq!(taken, [Ok(0), Ok(1), Ok(2), Err(NeedsGrowth), Err(NeedsGrowth)]);
        assert_eq!((numbers.len(), numbers.end()), (3, 3));
        assert!(numbers.taken().into_iter().flatten().eq(0..3));
    }

    #[test]
    fn the_first_slots_of_every_table_have_a_block_of_their_own() {
        for _ in 0..5 {
            let numbers = Numbers::default();
            let slots: Vec<usize> = (0..BLOCKS + 3).map(|_| numbers.slot().0).collect();
            assert!(slots[..BLOCKS].iter().copied().eq(0..BLOCKS));
            assert_eq!(slots[BLOCKS..], [Slot::shared().0; 3]);
        }
    }

    #[test]
    fn threads_take_each_number_once() {
        let mut numbers = Numbers::default();
        assert_eq!(numbers.take(&mut Slot::shared(), 1000, false), Ok(0));
        numbers.divide();
        for capacity in [1000, 1100, 5000] {
            let numbers = &numbers;
            std::thread::scope(|scope| {
                let thread = |count: usize| {
                    let mut slot = numbers.slot();
                    scope.spawn(move || (0..count).map_while(|_| numbers.take(&mut slot, capacity, false).ok()).count())
                };
                let threads = [400, 400, 400, 7].map(thread);
                threads.into_iter().for_each(|thread| assert!(thread.join().expect("no panic") <= 400));
            });
        }
        let taken = numbers.taken();
        assert_eq!(taken.iter().map(ExactSizeIterator::len).sum::<usize>(), numbers.len() as usize);
        assert!(taken.len() > 1, "some blocks are not used up");
        assert!(taken.is_sorted_by(|one, other| one.end < other.start));
        assert!(numbers.end() <= 5000);
    }
}
