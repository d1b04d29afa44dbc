//! The frontier of a uniform-cost search: an array of buckets by `g`.
//!
//! Costs are small whole numbers, so the few buckets between the lowest `g` and the longest step above it do what a heap
//! would do, without comparing (Dial 1969).

use std::collections::VecDeque;

use homing_core::{Cost, StateId, Violation};

/// An error that a step out of `u` shows.
pub(crate) struct Event<A> {
    pub u: StateId,
    pub action: A,
    pub violation: Violation,
}

pub(crate) enum Entry<A> {
    Event(Event<A>),
    State(StateId),
}

/// Entries by `g`, first in first out among equals, but events before states: what a state of the same `g` leads to is
/// no shorter.
pub(crate) struct Buckets<A> {
    /// The `g` of the front bucket.
    lowest: Cost,
    buckets: VecDeque<Bucket<A>>,
    states: usize,
    most_states: usize,
}

struct Bucket<A> {
    events: VecDeque<Event<A>>,
    states: VecDeque<StateId>,
}

impl<A> Buckets<A> {
    pub fn new() -> Self {
        Buckets { lowest: 0, buckets: VecDeque::new(), states: 0, most_states: 0 }
    }

    /// # Panics
    /// If an entry of a greater `g` has been popped: a search that adds costs never does that.
    pub fn push_state(&mut self, g: Cost, id: StateId) {
        self.bucket(g).states.push_back(id);
        self.states += 1;
        self.most_states = self.most_states.max(self.states);
    }

    /// # Panics
    /// As [`Buckets::push_state`].
    pub fn push_event(&mut self, g: Cost, event: Event<A>) {
        self.bucket(g).events.push_back(event);
    }

    pub fn pop(&mut self) -> Option<(Cost, Entry<A>)> {
        while let Some(front) = self.buckets.front_mut() {
            if let Some(event) = front.events.pop_front() {
                return Some((self.lowest, Entry::Event(event)));
            }
            if let Some(id) = front.states.pop_front() {
                self.states -= 1;
                return Some((self.lowest, Entry::State(id)));
            }
            if self.buckets.len() == 1 {
                return None; // it stays: a step of cost 0 may still come here
            }
            self.buckets.pop_front();
            self.lowest += 1;
        }
        None
    }

    /// The event of the lowest `g`, whatever states would come before it.
    pub fn pop_event(&mut self) -> Option<(Cost, Event<A>)> {
        let (offset, bucket) = self.buckets.iter_mut().enumerate().find(|(_, bucket)| !bucket.events.is_empty())?;
        Some((self.lowest + offset as Cost, bucket.events.pop_front()?))
    }

    /// How many states wait, superseded entries included.
    pub fn states(&self) -> usize {
        self.states
    }

    /// Bytes of the states that waited, when they were most, and of the buckets.
    pub fn memory(&self) -> u64 {
        (self.most_states * size_of::<StateId>() + self.buckets.capacity() * size_of::<Bucket<A>>()) as u64
    }

    fn bucket(&mut self, g: Cost) -> &mut Bucket<A> {
        let offset = g.checked_sub(self.lowest).expect("entries come in order of g") as usize;
        if offset >= self.buckets.len() {
            self.buckets.resize_with(offset + 1, || Bucket { events: VecDeque::new(), states: VecDeque::new() });
        }
        &mut self.buckets[offset]
    }
}
