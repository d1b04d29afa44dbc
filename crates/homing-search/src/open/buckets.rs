//! The open list of a best-first search: what waits, by `f`.
//!
//! Buckets and no heap, because values of `f` are small whole numbers. Among states of one `f` those of the least `h` come first,
//! of these those with the least tie-breaker, and of these the one that came last: the search goes deep where nothing tells
//! states apart. The counts that HSF-SPIN's authors give for breadth-first search (their table 7) come out with lists taken from
//! that end. An error comes before the states of its `f`, the one that came first before the others.

use std::collections::BTreeMap;

use homing_core::{Cost, State, StateId};
use homing_store::Key;

use crate::kernel::Event;

/// What is next in an open list.
pub(crate) enum Next<A, K> {
    /// A state, with its key if it was kept, and the bytes of its entry.
    State(StateId, Option<K>, u64),
    Event(Event<A>),
}

/// What comes first among states of one `f`: the least `h`, then the least tie.
pub(crate) type Rank = (Cost, Cost);

/// Waiting states of one `f` and rank.
struct Stack<K> {
    rank: Rank,
    ids: Vec<StateId>,
    /// The states themselves, if the store does not keep them, with their lengths and keys.
    bytes: Vec<u8>,
    kept: Vec<(u32, K)>,
}

impl<K> Default for Stack<K> {
    fn default() -> Self {
        Stack { rank: (0, 0), ids: Vec::new(), bytes: Vec::new(), kept: Vec::new() }
    }
}

/// Waiting states of one `f`: stacks with the least rank last; none is empty.
type Bucket<K> = Vec<Stack<K>>;

pub(crate) struct Buckets<A, K> {
    /// By `f`, as far as they are near to 0.
    buckets: Vec<Bucket<K>>,
    /// No bucket before this one holds anything.
    least: usize,
    far: BTreeMap<Cost, Bucket<K>>,
    /// By `f`, and by the order they came.
    events: BTreeMap<(Cost, u64), Event<A>>,
    event_count: u64,
    /// Empty stacks, for their memory.
    spare: Vec<Stack<K>>,
}

/// Buckets for an `f` below this are found without a look-up. The least one is looked for from bucket to bucket, so they are not
/// too many.
const NEAR: usize = 1 << 12;

/// As many empty stacks are kept.
const MOST_SPARE: usize = 64;

impl<A, K: Key> Buckets<A, K> {
    pub fn new() -> Self {
        Buckets {
            buckets: Vec::new(),
            least: 0,
            far: BTreeMap::new(),
            events: BTreeMap::new(),
            event_count: 0,
            spare: Vec::new(),
        }
    }

    /// Adds a state; the bytes that its entry takes.
    #[inline]
    pub fn push_state(&mut self, f: Cost, rank: Rank, id: StateId, kept: Option<(&State, K)>) -> u64 {
        let bucket = if (f as usize) < NEAR {
            let f = f as usize;
            if f >= self.buckets.len() {
                self.buckets.resize_with(f + 1, Bucket::default);
            }
            self.least = self.least.min(f);
            &mut self.buckets[f]
        } else {
            self.far.entry(f).or_default()
        };
        let at = bucket.partition_point(|stack| stack.rank > rank);
        if bucket.get(at).is_none_or(|stack| stack.rank != rank) {
            let stack = Stack { rank, ..self.spare.pop().unwrap_or_default() };
            bucket.insert(at, stack);
        }
        bucket[at].ids.push(id);
        if let Some((state, key)) = kept {
            bucket[at].bytes.extend_from_slice(state);
            bucket[at].kept.push((state.len() as u32, key));
        }
        memory_of::<K>(kept.map(|(state, _)| state.len()))
    }

    pub fn push_event(&mut self, f: Cost, event: Event<A>) {
        self.events.insert((f, self.event_count), event);
        self.event_count += 1;
    }

    /// Takes what has the least `f`. The bytes of a state that was kept replace the contents of `s`.
    pub fn pop(&mut self, s: &mut Vec<u8>) -> Option<Next<A, K>> {
        while self.buckets.get(self.least).is_some_and(Vec::is_empty) {
            self.least += 1;
        }
        let is_near = self.least < self.buckets.len();
        let f = if is_near { Some(self.least as Cost) } else { self.far.keys().next().copied() };
        if let Some(event) = self.events.first_entry()
            && f.is_none_or(|f| event.key().0 <= f)
        {
            return Some(Next::Event(event.remove()));
        }
        let bucket =
            if is_near { &mut self.buckets[self.least] } else { self.far.get_mut(&f?).expect("it was seen there") };
        let stack = bucket.last_mut().expect("an empty bucket was passed");
        let id = stack.ids.pop().expect("no stack is empty");
        let kept = stack.kept.pop();
        if let Some((length, _)) = kept {
            let start = stack.bytes.len() - length as usize;
            s.clear();
            s.extend_from_slice(&stack.bytes[start..]);
            stack.bytes.truncate(start);
        }
        if stack.ids.is_empty() {
            let stack = bucket.pop().expect("it was there a moment ago");
            if self.spare.len() < MOST_SPARE {
                self.spare.push(stack);
            }
            if !is_near && bucket.is_empty() {
                self.far.pop_first();
            }
        }
        let bytes = memory_of::<K>(kept.map(|(length, _)| length as usize));
        Some(Next::State(id, kept.map(|(_, key)| key), bytes))
    }

    /// Takes the error of the least `f`, whatever waits before it.
    pub fn pop_event(&mut self) -> Option<Event<A>> {
        self.events.pop_first().map(|(_, event)| event)
    }
}

/// Bytes of a waiting state, which is so long if it is kept.
#[inline]
fn memory_of<K>(kept: Option<usize>) -> u64 {
    (size_of::<StateId>() + kept.map_or(0, |length| length + size_of::<(u32, K)>())) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Random, violation};

    fn event(u: u32) -> Event<()> {
        Event { u: StateId(u), ordinal: 0, action: (), cost: 0, g: 0, violation: violation("") }
    }

    fn drain(open: &mut Buckets<(), u64>) -> Vec<u32> {
        let mut s = Vec::new();
        std::iter::from_fn(|| open.pop(&mut s))
            .map(|turn| match turn {
                Next::State(id, ..) => id.0,
                Next::Event(event) => event.u.0,
            })
            .collect()
    }

    #[test]
    fn the_least_f_then_the_least_h_then_the_last_that_came() {
        let mut open = Buckets::new();
        for (f, h, id) in [(7, 3, 0), (7, 2, 1), (9, 0, 2), (7, 2, 3), (5, 5, 4), (7, 4, 5)] {
            open.push_state(f, (h, 0), StateId(id), None);
        }
        open.push_event(7, event(10));
        open.push_event(7, event(11));
        open.push_event(8, event(12));
        assert_eq!(drain(&mut open), [4, 10, 11, 3, 1, 0, 5, 12, 2]);
    }

    #[test]
    fn states_that_the_store_does_not_keep_come_back_with_their_keys() {
        let mut open = Buckets::<(), u64>::new();
        open.push_state(3, (1, 0), StateId(0), Some((b"first", 7)));
        open.push_state(3, (1, 0), StateId(1), Some((b"second one", 8)));
        open.push_state(1 << 20, (1, 0), StateId(2), Some((b"far", 9)));
        let mut s = Vec::new();
        for (id, state, key) in [(1, &b"second one"[..], 8), (0, b"first", 7), (2, b"far", 9)] {
            let Some(Next::State(u, kept, bytes)) = open.pop(&mut s) else { panic!("a state waits") };
            assert_eq!((u.0, s.as_slice(), kept), (id, state, Some(key)));
            assert_eq!(bytes, (4 + state.len() + size_of::<(u32, u64)>()) as u64);
        }
        assert!(open.pop(&mut s).is_none());
    }

    #[test]
    fn it_orders_as_sorting_does_near_and_far() {
        for seed in 0..200 {
            let mut random = Random(seed);
            let (mut open, mut model, mut s) = (Buckets::<(), u64>::new(), Vec::new(), Vec::new());
            let spread = [6, 600, 6000, 60_000][random.below(4) as usize];
            for id in 0..300 {
                if random.below(3) > 0 {
                    let (f, h) = (random.below(spread) as Cost, random.below(5) as Cost);
                    open.push_state(f, (h, 0), StateId(id), None);
                    model.push((std::cmp::Reverse((f, h)), id));
                } else {
                    let least = model.iter().max().copied(); // the greatest is the least f and h, then the last
                    model.retain(|&entry| Some(entry) != least);
                    let popped = open.pop(&mut s).map(|turn| match turn {
                        Next::State(id, ..) => id.0,
                        Next::Event(_) => panic!("no error waits"),
                    });
                    assert_eq!(popped, least.map(|(_, id)| id), "seed {seed}");
                }
            }
        }
    }
}
