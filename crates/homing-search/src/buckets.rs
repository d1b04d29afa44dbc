//! The frontier of a breadth-first search in uniform-cost order: what waits, by the length of the path to it.

use std::collections::BTreeMap;

use homing_core::{Cost, State, StateId, Violation};

/// An error that a step out of `u` shows.
pub(crate) struct Event<A> {
    pub u: StateId,
    pub action: A,
    pub violation: Violation,
}

/// Waiting states in the order they came, few enough for one thread to take at a time.
#[derive(Default)]
pub(crate) struct Part {
    pub ids: Vec<StateId>,
    /// The states themselves, if the store does not keep them, and their lengths.
    bytes: Vec<u8>,
    lengths: Vec<u32>,
}

impl Part {
    /// As many states as make a part.
    const SIZE: usize = 256;

    pub fn push(&mut self, id: StateId, state: Option<&State>) {
        self.ids.push(id);
        if let Some(state) = state {
            self.bytes.extend_from_slice(state);
            self.lengths.push(state.len() as u32);
        }
    }

    /// The states it holds, in order.
    pub fn states(&self) -> impl Iterator<Item = &State> {
        let mut rest = self.bytes.as_slice();
        self.lengths.iter().map(move |&length| {
            let (state, behind) = rest.split_at(length as usize);
            rest = behind;
            state
        })
    }

    /// Bytes of a waiting state.
    #[inline]
    pub fn memory_of(state: Option<&State>) -> u64 {
        (size_of::<StateId>() + state.map_or(0, |state| state.len() + size_of::<u32>())) as u64
    }

    pub fn memory(&self) -> u64 {
        (self.ids.len() * size_of::<StateId>() + self.bytes.len() + self.lengths.len() * size_of::<u32>()) as u64
    }

    fn is_whole(&self) -> bool {
        self.ids.len() >= Self::SIZE
    }
}

/// What waits for one length.
pub(crate) struct Bucket<A> {
    pub events: Vec<Event<A>>,
    pub parts: Vec<Part>,
}

impl<A> Default for Bucket<A> {
    fn default() -> Self {
        Bucket { events: Vec::new(), parts: Vec::new() }
    }
}

/// Costs below this have a part of their own under way: nearly all steps do.
const SMALL: usize = 8;

/// What waits, by length. First in, first out among equals.
pub(crate) struct Buckets<A> {
    buckets: BTreeMap<Cost, Bucket<A>>,
}

impl<A> Buckets<A> {
    pub fn new() -> Self {
        Buckets { buckets: BTreeMap::new() }
    }

    /// Takes what waits for the least length.
    pub fn pop(&mut self) -> Option<(Cost, Bucket<A>)> {
        self.buckets.pop_first()
    }

    /// Takes the event of the least length, whatever waits before it.
    pub fn pop_event(&mut self) -> Option<(Cost, Event<A>)> {
        let (&g, bucket) = self.buckets.iter_mut().find(|(_, bucket)| !bucket.events.is_empty())?;
        Some((g, bucket.events.remove(0)))
    }
}

/// What one thread found while states with paths of length `now` were expanded.
pub(crate) struct Found<A> {
    now: Cost,
    /// By cost.
    under_way: [Part; SMALL],
    found: BTreeMap<Cost, Bucket<A>>,
}

impl<A> Found<A> {
    pub fn new() -> Self {
        Found { now: 0, under_way: Default::default(), found: BTreeMap::new() }
    }

    pub fn begin(&mut self, now: Cost) {
        self.now = now;
    }

    #[inline]
    pub fn push_state(&mut self, g: Cost, id: StateId, state: Option<&State>) {
        let cost = (g - self.now) as usize;
        match self.under_way.get_mut(cost) {
            Some(part) => {
                part.push(id, state);
                if part.is_whole() {
                    let part = std::mem::take(part);
                    self.found.entry(g).or_default().parts.push(part);
                }
            }
            None => {
                let parts = &mut self.found.entry(g).or_default().parts;
                if parts.last().is_none_or(Part::is_whole) {
                    parts.push(Part::default());
                }
                parts.last_mut().expect("there is one").push(id, state);
            }
        }
    }

    pub fn push_event(&mut self, g: Cost, event: Event<A>) {
        self.found.entry(g).or_default().events.push(event);
    }

    /// Puts everything behind what waits already.
    pub fn hand_over(&mut self, to: &mut Buckets<A>) {
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
        let mut buckets = Buckets::<()>::new();
        let mut found = Found::new();
        found.begin(5);
        for id in 0..600 {
            found.push_state(6, StateId(id), None);
        }
        found.push_state(5 + 100, StateId(600), Some(&[1, 2]));
        found.push_state(5 + 100, StateId(601), Some(&[3]));
        found.hand_over(&mut buckets);
        found.begin(6);
        found.push_state(7, StateId(602), None);
        found.hand_over(&mut buckets);
        let (g, bucket) = buckets.pop().unwrap();
        let ids: Vec<u32> = bucket.parts.iter().flat_map(|part| &part.ids).map(|id| id.0).collect();
        assert_eq!((g, ids), (6, (0..600).collect()));
        assert!(bucket.parts.len() > 1);
        assert_eq!(buckets.pop().unwrap().0, 7);
        let (g, bucket) = buckets.pop().unwrap();
        assert_eq!((g, bucket.parts.len()), (105, 1));
        assert_eq!(bucket.parts[0].states().collect::<Vec<_>>(), [&[1, 2][..], &[3]]);
        assert!(buckets.pop().is_none());
    }
}
