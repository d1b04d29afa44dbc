//! The frontier of a breadth-first search in uniform-cost order: what waits, by the length of the path to it.

use std::collections::BTreeMap;

use homing_core::{Cost, SleepSet, State, StateId, Violation};
use homing_store::Key;

/// An error that a step out of `u` shows.
pub(crate) struct Event<A> {
    pub u: StateId,
    pub action: A,
    pub violation: Violation,
}

/// Waiting states in the order they came, few enough for one thread to take at a time.
pub(crate) struct Part<K> {
    pub ids: Vec<StateId>,
    /// Who is asleep in each.
    pub asleep: Vec<SleepSet>,
    /// The states themselves, if the store does not keep them, with their lengths and keys.
    bytes: Vec<u8>,
    kept: Vec<(u32, K)>,
}

impl<K> Default for Part<K> {
    fn default() -> Self {
        Part { ids: Vec::new(), asleep: Vec::new(), bytes: Vec::new(), kept: Vec::new() }
    }
}

impl<K: Key> Part<K> {
    /// As many states as make a part.
    const SIZE: usize = 256;

    /// Bytes of a state that waits, apart from itself.
    const NUMBERS: usize = size_of::<StateId>() + size_of::<SleepSet>();

    #[inline]
    pub fn push(&mut self, id: StateId, asleep: SleepSet, kept: Option<(&State, K)>) {
        self.ids.push(id);
        self.asleep.push(asleep);
        if let Some((state, key)) = kept {
            self.bytes.extend_from_slice(state);
            self.kept.push((state.len() as u32, key));
        }
    }

    /// The states it holds, in order, with their keys.
    pub fn states(&self) -> impl Iterator<Item = (&State, K)> {
        let mut rest = self.bytes.as_slice();
        self.kept.iter().map(move |&(length, key)| {
            let (state, behind) = rest.split_at(length as usize);
            rest = behind;
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

    fn is_whole(&self) -> bool {
        self.ids.len() >= Self::SIZE
    }

    fn clear(&mut self) {
        self.ids.clear();
        self.asleep.clear();
        self.bytes.clear();
        self.kept.clear();
    }
}

/// What waits for one length.
pub(crate) struct Bucket<A, K> {
    pub events: Vec<Event<A>>,
    pub parts: Vec<Part<K>>,
}

impl<A, K> Default for Bucket<A, K> {
    fn default() -> Self {
        Bucket { events: Vec::new(), parts: Vec::new() }
    }
}

/// Costs below this have a part of their own under way: nearly all steps do.
const SMALL: usize = 8;

/// What waits, by length. First in, first out among equals.
pub(crate) struct Buckets<A, K> {
    buckets: BTreeMap<Cost, Bucket<A, K>>,
}

impl<A, K> Buckets<A, K> {
    pub fn new() -> Self {
        Buckets { buckets: BTreeMap::new() }
    }

    /// Takes what waits for the least length.
    pub fn pop(&mut self) -> Option<(Cost, Bucket<A, K>)> {
        self.buckets.pop_first()
    }

    /// Takes the event of the least length, whatever waits before it.
    pub fn pop_event(&mut self) -> Option<(Cost, Event<A>)> {
        let (&g, bucket) = self.buckets.iter_mut().find(|(_, bucket)| !bucket.events.is_empty())?;
        Some((g, bucket.events.remove(0)))
    }
}

/// What one thread found while states with paths of length `now` were expanded.
pub(crate) struct Found<A, K> {
    now: Cost,
    /// By cost.
    under_way: [Part<K>; SMALL],
    found: BTreeMap<Cost, Bucket<A, K>>,
    /// Empty parts, for their memory.
    spare: Vec<Part<K>>,
}

/// As many empty parts are kept.
const MOST_SPARE: usize = 64;

impl<A, K: Key> Found<A, K> {
    pub fn new() -> Self {
        Found { now: 0, under_way: Default::default(), found: BTreeMap::new(), spare: Vec::new() }
    }

    /// Takes back a part that was worked off.
    pub fn recycle(&mut self, mut part: Part<K>) {
        if self.spare.len() < MOST_SPARE {
            part.clear();
            self.spare.push(part);
        }
    }

    pub fn begin(&mut self, now: Cost) {
        self.now = now;
    }

    #[inline]
    pub fn push_state(&mut self, g: Cost, id: StateId, asleep: SleepSet, kept: Option<(&State, K)>) {
        let cost = (g - self.now) as usize;
        match self.under_way.get_mut(cost) {
            Some(part) => {
                part.push(id, asleep, kept);
                if part.is_whole() {
                    let part = std::mem::replace(part, self.spare.pop().unwrap_or_default());
                    self.found.entry(g).or_default().parts.push(part);
                }
            }
            None => {
                let parts = &mut self.found.entry(g).or_default().parts;
                if parts.last().is_none_or(Part::is_whole) {
                    parts.push(Part::default());
                }
                parts.last_mut().expect("there is one").push(id, asleep, kept);
            }
        }
    }

    pub fn push_event(&mut self, g: Cost, event: Event<A>) {
        self.found.entry(g).or_default().events.push(event);
    }

    /// Puts everything behind what waits already.
    pub fn hand_over(&mut self, to: &mut Buckets<A, K>) {
        for (cost, part) in self.under_way.iter_mut().enumerate() {
            if !part.ids.is_empty() {
                let g = self.now + cost as Cost;
                self.found.entry(g).or_default().parts.push(std::mem::take(part));
            }
        }
        while let Some((g, mut bucket)) = self.found.pop_first() {
            let waiting = to.buckets.entry(g).or_default();
            waiting.events.append(&mut bucket.events);
            waiting.parts.append(&mut bucket.parts);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_first_waits_in_front() {
        let mut buckets = Buckets::<(), u64>::new();
        let mut found = Found::new();
        found.begin(5);
        for id in 0..600 {
            found.push_state(6, StateId(id), SleepSet::EMPTY, None);
        }
        found.push_state(5 + 100, StateId(600), SleepSet::EMPTY, Some((&[1, 2], 7)));
        found.push_state(5 + 100, StateId(601), SleepSet::EMPTY, Some((&[3], 8)));
        found.hand_over(&mut buckets);
        found.begin(6);
        found.push_state(7, StateId(602), SleepSet::EMPTY, None);
        found.hand_over(&mut buckets);
        let (g, bucket) = buckets.pop().unwrap();
        let ids: Vec<u32> = bucket.parts.iter().flat_map(|part| &part.ids).map(|id| id.0).collect();
        assert_eq!((g, ids), (6, (0..600).collect()));
        assert!(bucket.parts.len() > 1);
        assert_eq!(buckets.pop().unwrap().0, 7);
        let (g, bucket) = buckets.pop().unwrap();
        assert_eq!((g, bucket.parts.len()), (105, 1));
        assert_eq!(bucket.parts[0].states().collect::<Vec<_>>(), [(&[1, 2][..], 7), (&[3], 8)]);
        assert!(buckets.pop().is_none());
    }
}
