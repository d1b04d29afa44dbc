//! The allocation of ids to threads.
//!
//! Entries with neighbouring ids lie in the same cache lines, here and in every other array by id. So each of several
//! threads allocates ids from a block of its own: otherwise every new entry of one thread takes a cache line away from
//! another.

use std::ops::Range;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize};

use crate::NeedsGrowth;

/// The ids of a block: the smallest values by id are bytes, and a cache line has 64.
const BLOCK: u32 = 64;

/// How many sources have a block of their own. Those made later share one more block.
const OWN_BLOCKS: usize = 64;

/// The value of a block while a thread takes new ids for it, and of the shared one while a thread allocates from it.
const LOCKED: u64 = u64::MAX;

/// A value that threads write often, alone in its cache lines.
#[derive(Debug, Default)]
#[repr(align(128))]
struct CachePadded<T>(T);

/// Allocates the ids of a table, from 0 up.
#[derive(Debug, Default)]
pub(crate) struct IdAllocator {
    /// The first id that neither was allocated nor is in a block.
    next: CachePadded<AtomicU32>,
    /// The ids that are left in each block: the first in the lower half, the end in the upper one. The last block is
    /// shared. `None`: there are no blocks, and ids are allocated one by one.
    blocks: Option<Box<[CachePadded<AtomicU64>]>>,
    /// How many sources were made.
    sources: AtomicUsize,
}

/// The block that one thread allocates from. Only [`IdAllocator::source`] makes one with a block of its own, and it
/// cannot be copied: so no two threads allocate from such a block at a time.
#[derive(Debug)]
pub(crate) struct IdSource {
    block: usize,
}

impl IdSource {
    /// The block that is shared by all threads without one of their own.
    pub const fn shared() -> Self {
        IdSource { block: OWN_BLOCKS }
    }
}

/// The ids that are left in a block.
fn range(block: u64) -> Range<u32> {
    block as u32..(block >> 32) as u32
}

/// How many ids are left in a block, unless a thread is taking new ones for it.
fn left_in(block: u64) -> Option<u32> {
    (block != LOCKED).then(|| range(block).len() as u32)
}

impl IdAllocator {
    /// From now on several threads allocate ids from blocks.
    pub fn use_blocks(&mut self) {
        self.blocks.get_or_insert_with(|| (0..=OWN_BLOCKS).map(|_| CachePadded::default()).collect());
    }

    /// A source with a block of its own as long as there are any, then the shared one. It is of use to this allocator
    /// alone.
    pub fn source(&self) -> IdSource {
        IdSource { block: self.sources.fetch_add(1, Relaxed).min(OWN_BLOCKS) }
    }

    /// Allocates an id below `capacity`. If `is_single_threaded`, no other thread allocates any.
    #[inline]
    pub fn allocate(&self, source: &mut IdSource, capacity: u32, is_single_threaded: bool) -> Result<u32, NeedsGrowth> {
        let CachePadded(next) = &self.next;
        if is_single_threaded {
            let id = next.load(Relaxed);
            if id >= capacity {
                return Err(NeedsGrowth);
            }
            next.store(id + 1, Relaxed);
            return Ok(id);
        }
        match &self.blocks {
            Some(blocks) => {
                let block = &blocks[source.block].0;
                if source.block < OWN_BLOCKS {
                    self.allocate_from_own(block, capacity)
                } else {
                    self.allocate_from_shared(block, capacity)
                }
            }
            None => self.reserve(1, capacity).map(|ids| ids.start),
        }
    }

    /// Allocates an id from a block that no other thread uses.
    #[inline]
    fn allocate_from_own(&self, block: &AtomicU64, capacity: u32) -> Result<u32, NeedsGrowth> {
        let mut left = range(block.load(Relaxed));
        if left.is_empty() {
            // no thread may see the new ids as neither in a block nor allocated
            block.store(LOCKED, Relaxed);
            left = self.reserve(BLOCK, capacity).inspect_err(|_| block.store(0, Release))?;
        }
        block.store(u64::from(left.start + 1) | u64::from(left.end) << 32, Release);
        Ok(left.start)
    }

    /// Allocates an id from the block that other threads use as well.
    #[cold]
    fn allocate_from_shared(&self, block: &AtomicU64, capacity: u32) -> Result<u32, NeedsGrowth> {
        let mut seen = block.load(Relaxed);
        while seen == LOCKED || block.compare_exchange_weak(seen, LOCKED, Acquire, Relaxed).is_err() {
            std::hint::spin_loop();
            seen = block.load(Relaxed);
        }
        let left = range(seen);
        let allocated = if left.is_empty() { self.reserve(BLOCK, capacity) } else { Ok(left) };
        let rest = allocated.as_ref().map_or(seen, |left| u64::from(left.start + 1) | u64::from(left.end) << 32);
        block.store(rest, Release);
        allocated.map(|left| left.start)
    }

    /// Takes up to `most` adjacent ids, which are below `capacity`.
    fn reserve(&self, most: u32, capacity: u32) -> Result<Range<u32>, NeedsGrowth> {
        let end_of = |start: u32| (start < capacity).then(|| capacity.min(start.saturating_add(most)));
        let taken = self.next.0.fetch_update(Release, Relaxed, end_of);
        taken.map(|start| start..end_of(start).expect("it was below the capacity")).map_err(|_| NeedsGrowth)
    }

    /// The first id after all that were allocated or are in a block.
    pub fn end(&self) -> u32 {
        self.next.0.load(Acquire)
    }

    /// How many ids were allocated. Those that other threads allocate meanwhile may be counted or not.
    pub fn len(&self) -> u32 {
        let blocks = self.blocks.as_deref().unwrap_or_default();
        loop {
            let end = self.end();
            let left: Option<u32> = blocks.iter().map(|CachePadded(block)| left_in(block.load(Acquire))).sum();
            match left {
                // no block was taken between the first read and the last
                Some(left) if self.end() == end => return end - left,
                _ => std::thread::yield_now(),
            }
        }
    }

    /// The ids that were allocated, in order.
    pub fn allocated(&mut self) -> Vec<Range<u32>> {
        let mut left: Vec<Range<u32>> = Vec::new();
        for CachePadded(block) in self.blocks.iter_mut().flat_map(|blocks| blocks.iter_mut()) {
            left.push(range(*block.get_mut()));
        }
        left.retain(|left| !left.is_empty());
        left.sort_unstable_by_key(|left| left.start);
        let mut from = 0;
        let mut allocated = Vec::with_capacity(left.len() + 1);
        for Range { start, end } in left {
            allocated.push(from..start);
            from = end;
        }
        allocated.push(from..self.end());
        allocated
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering::SeqCst;

    use super::*;
    use crate::sizes::size;

    #[test]
    fn one_by_one() {
        let mut ids = IdAllocator::default();
        let allocated: Vec<_> = (0..5).map(|at| ids.allocate(&mut IdSource::shared(), 3, at % 2 == 0)).collect();
        assert_eq!(allocated, [Ok(0), Ok(1), Ok(2), Err(NeedsGrowth), Err(NeedsGrowth)]);
        assert_eq!((ids.len(), ids.end()), (3, 3));
        assert!(ids.allocated().into_iter().flatten().eq(0..3));
    }

    #[test]
    fn the_first_sources_of_every_allocator_have_a_block_of_their_own() {
        for _ in 0..5 {
            let ids = IdAllocator::default();
            let blocks: Vec<usize> = (0..OWN_BLOCKS + 3).map(|_| ids.source().block).collect();
            assert!(blocks[..OWN_BLOCKS].iter().copied().eq(0..OWN_BLOCKS));
            assert_eq!(blocks[OWN_BLOCKS..], [IdSource::shared().block; 3]);
        }
    }

    #[test]
    fn each_id_is_allocated_once() {
        for has_own_blocks in [true, false] {
            let mut ids = IdAllocator::default();
            assert_eq!(ids.allocate(&mut IdSource::shared(), 1000, false), Ok(0));
            ids.use_blocks();
            let mut all = vec![0];
            for capacity in [1000, 1100, 5000] {
                let ids = &ids;
                std::thread::scope(|scope| {
                    let thread = |count: usize| {
                        let mut source = if has_own_blocks { ids.source() } else { IdSource::shared() };
                        let mut allocate = move || ids.allocate(&mut source, capacity, false).ok();
                        scope.spawn(move || (0..count).map_while(|_| allocate()).collect::<Vec<_>>())
                    };
                    let threads = [400, 400, 400, 7].map(|count| thread(size(count, count / 7)));
                    threads.into_iter().for_each(|thread| all.extend(thread.join().expect("no panic")));
                });
            }
            all.sort_unstable();
            assert!(all.is_sorted_by(|one, other| one < other));
            let allocated = ids.allocated();
            assert!(all.iter().copied().eq(allocated.iter().cloned().flatten()));
            assert_eq!(all.len(), ids.len() as usize);
            assert_eq!(allocated.len() > 2, has_own_blocks, "some blocks are not used up");
            assert!(ids.end() <= 5000);
        }
    }

    #[test]
    fn the_number_of_ids_is_between_those_allocated_and_those_asked_for() {
        const EACH: usize = size(200_000, 300);
        let mut ids = IdAllocator::default();
        ids.use_blocks();
        let (ids, asked, allocated) = (&ids, AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for own in [true, true, false] {
                let (asked, allocated) = (&asked, &allocated);
                scope.spawn(move || {
                    let mut source = if own { ids.source() } else { IdSource::shared() };
                    for _ in 0..EACH {
                        asked.fetch_add(1, SeqCst);
                        ids.allocate(&mut source, u32::MAX, false).expect("there is room");
                        allocated.fetch_add(1, SeqCst);
                    }
                });
            }
            while allocated.load(SeqCst) < 3 * EACH {
                let least = allocated.load(SeqCst);
                let len = ids.len() as usize;
                assert!((least..=asked.load(SeqCst)).contains(&len), "{len}");
            }
        });
        assert_eq!(ids.len() as usize, 3 * EACH);
    }
}
