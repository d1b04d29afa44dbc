//! The frontier of a best-first search: what waits, by `f`.
//!
//! Buckets and no heap, because merits are small whole numbers. Among states of one `f` those of the least `h` come
//! first, of these those that the estimate likes best, and of these the one that came last: the search goes deep where nothing tells states apart. The counts that
//! HSF-SPIN's authors give for breadth-first search (their table 7) come out with lists taken from that end. An error
//! comes before the states of its `f`, the one that came first before the others.

use std::collections::BTreeMap;

use homing_core::{Cost, State, StateId, Violation};
use homing_store::Key;

/// An error that a step out of `u` shows.
pub(crate) struct Event<A> {
    pub u: StateId,
    /// Which step of `u` it is.
    pub ordinal: u32,
    pub action: A,
    pub cost: Cost,
    /// The length of the path to `u` when the error was met.
    pub g: Cost,
    pub violation: Violation,
}

/// Whose turn has come.
pub(crate) enum Turn<A, K> {
    /// A state; if it was kept, the key too.
    State(StateId, Option<K>),
    Event(Event<A>),
}

/// What comes first among states of one `f`: the least `h`, then the least tie.
pub(crate) type Rank = (Cost, Cost);

/// Waiting states of one `f` and rank.
struct Pile<K> {
    rank: Rank,
    ids: Vec<StateId>,
    /// The states themselves, if the store does not keep them, with their lengths and keys.
    bytes: Vec<u8>,
    kept: Vec<(u32, K)>,
}

impl<K> Default for Pile<K> {
    fn default() -> Self {
        Pile { rank: (0, 0), ids: Vec::new(), bytes: Vec::new(), kept: Vec::new() }
    }
}

/// Waiting states of one `f`: piles with the least rank last; none is empty.
type Row<K> = Vec<Pile<K>>;

pub(crate) struct Open<A, K> {
    /// By `f`, as far as they are near to 0.
    rows: Vec<Row<K>>,
    /// No row before this one holds anything.
    least: usize,
    far: BTreeMap<Cost, Row<K>>,
    /// By `f`, and by the order they came.
    events: BTreeMap<(Cost, u64), Event<A>>,
    event_count: u64,
    /// Empty piles, for their memory.
    spare: Vec<Pile<K>>,
    len: u64,
    memory: u64,
    most_memory: u64,
}

/// Rows for an `f` below this are found without a look-up. The least one is looked for from row to row, so they are not
/// too many.
const NEAR: usize = 1 << 12;

/// As many empty piles are kept.
const MOST_SPARE: usize = 64;

impl<A, K: Key> Open<A, K> {
    pub fn new() -> Self {
        Open {
            rows: Vec::new(),
            least: 0,
            far: BTreeMap::new(),
            events: BTreeMap::new(),
            event_count: 0,
            spare: Vec::new(),
            len: 0,
            memory: 0,
            most_memory: 0,
        }
    }

    #[inline]
    pub fn push_state(&mut self, f: Cost, rank: Rank, id: StateId, kept: Option<(&State, K)>) {
        let row = if (f as usize) < NEAR {
            let f = f as usize;
            if f >= self.rows.len() {
                self.rows.resize_with(f + 1, Row::default);
            }
            self.least = self.least.min(f);
            &mut self.rows[f]
        } else {
            self.far.entry(f).or_default()
        };
        let at = row.partition_point(|pile| pile.rank > rank);
        if row.get(at).is_none_or(|pile| pile.rank != rank) {
            let pile = Pile { rank, ..self.spare.pop().unwrap_or_default() };
            row.insert(at, pile);
        }
        row[at].ids.push(id);
        if let Some((state, key)) = kept {
            row[at].bytes.extend_from_slice(state);
            row[at].kept.push((state.len() as u32, key));
        }
        self.len += 1;
        self.memory += memory_of::<K>(kept.map(|(state, _)| state.len()));
        self.most_memory = self.most_memory.max(self.memory);
    }

    pub fn push_event(&mut self, f: Cost, event: Event<A>) {
        self.events.insert((f, self.event_count), event);
        self.event_count += 1;
    }

    /// Takes what has the least `f`. The bytes of a state that was kept replace the contents of `s`.
    pub fn pop(&mut self, s: &mut Vec<u8>) -> Option<Turn<A, K>> {
        while self.rows.get(self.least).is_some_and(Vec::is_empty) {
            self.least += 1;
        }
        let is_near = self.least < self.rows.len();
        let f = if is_near { Some(self.least as Cost) } else { self.far.keys().next().copied() };
        if let Some(event) = self.events.first_entry()
            && f.is_none_or(|f| event.key().0 <= f)
        {
            return Some(Turn::Event(event.remove()));
        }
        let row = if is_near { &mut self.rows[self.least] } else { self.far.get_mut(&f?).expect("it was seen there") };
        let pile = row.last_mut().expect("an empty row was passed");
        let id = pile.ids.pop().expect("no pile is empty");
        let kept = pile.kept.pop();
        if let Some((length, _)) = kept {
            let start = pile.bytes.len() - length as usize;
            s.clear();
            s.extend_from_slice(&pile.bytes[start..]);
            pile.bytes.truncate(start);
        }
        if pile.ids.is_empty() {
            let pile = row.pop().expect("it was there a moment ago");
            if self.spare.len() < MOST_SPARE {
                self.spare.push(pile);
            }
            if !is_near && row.is_empty() {
                self.far.pop_first();
            }
        }
        self.len -= 1;
        self.memory -= memory_of::<K>(kept.map(|(length, _)| length as usize));
        Some(Turn::State(id, kept.map(|(_, key)| key)))
    }

    /// Takes the error of the least `f`, whatever waits before it.
    pub fn pop_event(&mut self) -> Option<Event<A>> {
        self.events.pop_first().map(|(_, event)| event)
    }

    /// How many states wait, those with a path superseded by a shorter one included.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Bytes of what waits.
    pub fn memory(&self) -> u64 {
        self.memory
    }

    /// Bytes when they were most.
    pub fn most_memory(&self) -> u64 {
        self.most_memory
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

    fn drain(open: &mut Open<(), u64>) -> Vec<u32> {
        let mut s = Vec::new();
        std::iter::from_fn(|| open.pop(&mut s))
            .map(|turn| match turn {
                Turn::State(id, _) => id.0,
                Turn::Event(event) => event.u.0,
            })
            .collect()
    }

    #[test]
    fn the_least_f_then_the_least_h_then_the_last_that_came() {
        let mut open = Open::new();
        for (f, h, id) in [(7, 3, 0), (7, 2, 1), (9, 0, 2), (7, 2, 3), (5, 5, 4), (7, 4, 5)] {
            open.push_state(f, (h, 0), StateId(id), None);
        }
        open.push_event(7, event(10));
        open.push_event(7, event(11));
        open.push_event(8, event(12));
        assert_eq!((open.len(), open.memory()), (6, 6 * 4));
        assert_eq!(drain(&mut open), [4, 10, 11, 3, 1, 0, 5, 12, 2]);
        assert_eq!((open.len(), open.memory(), open.most_memory()), (0, 0, 24));
    }

    #[test]
    fn states_that_the_store_does_not_keep_come_back_with_their_keys() {
        let mut open = Open::<(), u64>::new();
        open.push_state(3, (1, 0), StateId(0), Some((b"first", 7)));
        open.push_state(3, (1, 0), StateId(1), Some((b"second one", 8)));
        open.push_state(1 << 20, (1, 0), StateId(2), Some((b"far", 9)));
        let mut s = Vec::new();
        for (id, bytes, key) in [(1, &b"second one"[..], 8), (0, b"first", 7), (2, b"far", 9)] {
            let Some(Turn::State(u, kept)) = open.pop(&mut s) else { panic!("a state waits") };
            assert_eq!((u.0, s.as_slice(), kept), (id, bytes, Some(key)));
        }
        assert!(open.pop(&mut s).is_none());
        assert_eq!(open.memory(), 0);
    }

    #[test]
    fn it_orders_as_sorting_does_near_and_far() {
        for seed in 0..200 {
            let mut random = Random(seed);
            let (mut open, mut model, mut s) = (Open::<(), u64>::new(), Vec::new(), Vec::new());
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
                        Turn::State(id, _) => id.0,
                        Turn::Event(_) => panic!("no error waits"),
                    });
                    assert_eq!(popped, least.map(|(_, id)| id), "seed {seed}");
                }
            }
        }
    }
}
