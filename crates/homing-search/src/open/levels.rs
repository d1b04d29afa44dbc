//! The open list of a search in the order of path lengths: a level is all that waits with one length.
//!
//! The states of a level are expanded by all threads together, because what they lead to waits in a later one. Each thread
//! collects what it finds in a [`LevelBuffer`] of its own, which is handed over when the level is done.

use std::collections::BTreeMap;

use homing_core::{Changed, Cost, Estimated, SleepSet, State, StateId};
use homing_store::Key;

use crate::kernel::nodes::LevelMarks;
use crate::kernel::{Event, Order, Recorder, Waiting};

/// Waiting states in the order they came, few enough for one thread to take at a time.
pub(crate) struct Chunk<K> {
    pub ids: Vec<StateId>,
    /// The sleep set of each.
    pub sleep: Vec<SleepSet>,
    /// The states themselves, if the store does not keep them, with their lengths and keys.
    bytes: Vec<u8>,
    kept: Vec<(u32, K)>,
}

impl<K> Default for Chunk<K> {
    fn default() -> Self {
        Chunk { ids: Vec::new(), sleep: Vec::new(), bytes: Vec::new(), kept: Vec::new() }
    }
}

impl<K: Key> Chunk<K> {
    /// As many states as a chunk holds.
    const SIZE: usize = 256;

    /// Bytes of a state that waits, apart from itself.
    const NUMBERS: usize = size_of::<StateId>() + size_of::<SleepSet>();

    #[inline]
    pub fn push(&mut self, id: StateId, sleep: SleepSet, kept: Option<(&State, K)>) {
        self.ids.push(id);
        self.sleep.push(sleep);
        if let Some((state, key)) = kept {
            self.bytes.extend_from_slice(state);
            self.kept.push((state.len() as u32, key));
        }
    }

    /// The states it holds, in order, with their keys.
    pub fn states(&self) -> impl Iterator<Item = (&State, K)> {
        let mut rest = self.bytes.as_slice();
        self.kept.iter().map(move |&(length, key)| {
            let (state, following) = rest.split_at(length as usize);
            rest = following;
            (state, key)
        })
    }

    /// Bytes of a waiting state.
    #[inline]
    pub fn memory_of(kept: Option<(&State, K)>) -> u64 {
        (Self::NUMBERS + kept.map_or(0, |(state, _)| state.len() + size_of::<(u32, K)>())) as u64
    }

    pub fn memory(&self) -> u64 {
        let kept = self.bytes.len() + self.kept.len() * size_of::<(u32, K)>();
        (self.ids.len() * Self::NUMBERS + kept) as u64
    }

    fn is_full(&self) -> bool {
        self.ids.len() >= Self::SIZE
    }

    fn clear(&mut self) {
        self.ids.clear();
        self.sleep.clear();
        self.bytes.clear();
        self.kept.clear();
    }
}

/// What waits with one path length.
pub(crate) struct Level<A, K> {
    pub events: Vec<Event<A>>,
    pub chunks: Vec<Chunk<K>>,
}

impl<A, K> Default for Level<A, K> {
    fn default() -> Self {
        Level { events: Vec::new(), chunks: Vec::new() }
    }
}

/// Costs below this have a chunk of their own under way: nearly all steps do.
const SMALL: usize = 8;

/// What waits, by length. First in, first out among equals.
pub(crate) struct Levels<A, K> {
    levels: BTreeMap<Cost, Level<A, K>>,
}

impl<A, K> Levels<A, K> {
    pub fn new() -> Self {
        Levels { levels: BTreeMap::new() }
    }

    /// Takes what waits with the least path length.
    pub fn pop(&mut self) -> Option<(Cost, Level<A, K>)> {
        self.levels.pop_first()
    }

    /// Takes the error with the shortest path, whatever waits before it.
    pub fn pop_event(&mut self) -> Option<Event<A>> {
        let level = self.levels.values_mut().find(|level| !level.events.is_empty())?;
        Some(level.events.remove(0))
    }
}

/// What one thread finds while states with paths of length `now` are expanded.
pub(crate) struct LevelBuffer<A, K, R = ()> {
    now: Cost,
    pub recorder: R,
    /// By cost.
    under_way: [Chunk<K>; SMALL],
    full: BTreeMap<Cost, Level<A, K>>,
    /// Empty chunks, for their memory.
    spare: Vec<Chunk<K>>,
    /// An error was found whose path is as long as those to the states being expanded.
    pub has_error_now: bool,
}

/// As many empty chunks are kept.
const MOST_SPARE: usize = 64;

impl<A, K: Key, R> LevelBuffer<A, K, R> {
    pub fn new(recorder: R) -> Self {
        let (under_way, full, spare) = (Default::default(), BTreeMap::new(), Vec::new());
        LevelBuffer { now: 0, recorder, under_way, full, spare, has_error_now: false }
    }

    /// States with paths of length `now` are expanded next.
    pub fn begin(&mut self, now: Cost) {
        (self.now, self.has_error_now) = (now, false);
    }

    /// Takes back a chunk whose states were expanded.
    pub fn recycle(&mut self, mut chunk: Chunk<K>) {
        if self.spare.len() < MOST_SPARE {
            chunk.clear();
            self.spare.push(chunk);
        }
    }

    /// Adds everything at the end of what waits already.
    pub fn hand_over(&mut self, to: &mut Levels<A, K>) {
        for (cost, chunk) in self.under_way.iter_mut().enumerate() {
            if !chunk.ids.is_empty() {
                let g = self.now + cost as Cost;
                self.full.entry(g).or_default().chunks.push(std::mem::take(chunk));
            }
        }
        while let Some((g, mut level)) = self.full.pop_first() {
            let waiting = to.levels.entry(g).or_default();
            waiting.events.append(&mut level.events);
            waiting.chunks.append(&mut level.chunks);
        }
    }
}

impl<A, K: Key, R: Recorder> Order<A, K> for LevelBuffer<A, K, R> {
    type Marks = LevelMarks;
    type Recorder = R;

    const ESTIMATES: bool = false;

    #[inline(always)]
    fn expand(&mut self, _: &State) {}

    #[inline(always)]
    fn recorder(&mut self) -> &mut R {
        &mut self.recorder
    }

    #[inline(always)]
    fn estimate(&mut self, _: &State, _: Changed<'_>) -> Option<Estimated> {
        Some(Estimated { h: 0, tie: 0 })
    }

    fn least_distance(&self, _: Cost) -> Cost {
        0
    }

    #[inline]
    fn push(&mut self, Waiting { v, g, sleep, kept, .. }: Waiting<'_, K>) -> u64 {
        match self.under_way.get_mut((g - self.now) as usize) {
            Some(chunk) => {
                chunk.push(v, sleep, kept);
                if chunk.is_full() {
                    let chunk = std::mem::replace(chunk, self.spare.pop().unwrap_or_default());
                    self.full.entry(g).or_default().chunks.push(chunk);
                }
            }
            None => {
                let chunks = &mut self.full.entry(g).or_default().chunks;
                if chunks.last().is_none_or(Chunk::is_full) {
                    chunks.push(Chunk::default());
                }
                chunks.last_mut().expect("there is one").push(v, sleep, kept);
            }
        }
        Chunk::memory_of(kept)
    }

    fn push_event(&mut self, event: Event<A>) {
        let length = event.g + event.cost;
        self.has_error_now |= length == self.now;
        self.full.entry(length).or_default().events.push(event);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_first_waits_in_front() {
        let mut levels = Levels::<(), u64>::new();
        let mut buffer = LevelBuffer::new(());
        buffer.begin(5);
        let push = |buffer: &mut LevelBuffer<(), u64>, g, id, kept| {
            let estimated = Estimated { h: 0, tie: 0 };
            buffer.push(Waiting { v: StateId(id), g, estimated, sleep: SleepSet::EMPTY, kept });
        };
        for id in 0..600 {
            push(&mut buffer, 6, id, None);
        }
        push(&mut buffer, 5 + 100, 600, Some((&[1, 2], 7)));
        push(&mut buffer, 5 + 100, 601, Some((&[3], 8)));
        buffer.hand_over(&mut levels);
        buffer.begin(6);
        push(&mut buffer, 7, 602, None);
        buffer.hand_over(&mut levels);
        let (g, level) = levels.pop().unwrap();
        let ids: Vec<u32> = level.chunks.iter().flat_map(|chunk| &chunk.ids).map(|id| id.0).collect();
        assert_eq!((g, ids), (6, (0..600).collect()));
        assert!(level.chunks.len() > 1);
        assert_eq!(levels.pop().unwrap().0, 7);
        let (g, level) = levels.pop().unwrap();
        assert_eq!((g, level.chunks.len()), (105, 1));
        assert_eq!(level.chunks[0].states().collect::<Vec<_>>(), [(&[1, 2][..], 7), (&[3], 8)]);
        assert!(levels.pop().is_none());
    }
}
