//! What a breadth-first search knows of each state: how it was reached, and whether it still waits.
//!
//! Five bytes a state, in arrays by its number, shared by threads. The length of a path is known of waiting states only:
//! theirs lie so near to the length under way that a byte tells it; the few that do not are in a map.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU8, AtomicU32};

use homing_core::{Cost, StateId};
use homing_store::Segments;

/// Marks of a state: it was given a number a moment ago, it was expanded, or it waits for a turn far away. Every other
/// value is the length of the path to it, counted around.
const FRESH: u8 = 0;
const EXPANDED: u8 = 1;
const FAR: u8 = 2;
const FIRST: u8 = 3;
const AROUND: Cost = 253;

/// The way to each state.
pub(crate) struct Links {
    parents: Segments<AtomicU32>,
    marks: Segments<AtomicU8>,
    /// Which step of its parent leads to a state, for stores that cannot find a state again.
    ordinals: Option<Segments<AtomicU32>>,
    /// The lengths of the paths to the states marked as far; it is locked too while a way is replaced by a shorter one.
    far: Mutex<HashMap<StateId, Cost>>,
}

/// Marks near to the length under way.
fn near(g: Cost) -> u8 {
    FIRST + (g % AROUND) as u8
}

impl Links {
    pub fn new(with_ordinals: bool) -> Self {
        let ordinals = with_ordinals.then(Segments::new);
        Links { parents: Segments::new(), marks: Segments::new(), ordinals, far: Mutex::default() }
    }

    /// Makes room for so many states.
    pub fn reserve(&mut self, states: u64) {
        let states = states as usize;
        self.parents.reserve(states);
        self.marks.reserve(states);
        if let Some(ordinals) = &mut self.ordinals {
            ordinals.reserve(states);
        }
    }

    /// The way to a new state, over `u` by its step number `ordinal`. It waits with a path of length `g`, while states
    /// with paths of length `now` are expanded.
    #[inline]
    pub fn begin(&self, v: StateId, u: StateId, ordinal: u32, g: Cost, now: Cost) {
        self.point(v, u, ordinal);
        let mark = if g - now < AROUND { near(g) } else { self.put_far(v, g) };
        self.marks[v.index()].store(mark, Release);
    }

    fn point(&self, v: StateId, u: StateId, ordinal: u32) {
        self.parents[v.index()].store(u.0, Relaxed);
        if let Some(ordinals) = &self.ordinals {
            ordinals[v.index()].store(ordinal, Relaxed);
        }
    }

    fn put_far(&self, v: StateId, g: Cost) -> u8 {
        self.far.lock().expect("nobody panics with it").insert(v, g);
        FAR
    }

    /// Replaces the way to a known state by one of length `g` if it still waits and that is shorter. Tells whether.
    #[inline]
    pub fn relax(&self, v: StateId, u: StateId, ordinal: u32, g: Cost, now: Cost) -> bool {
        let mark = &self.marks[v.index()];
        let seen = loop {
            match mark.load(Acquire) {
                FRESH => std::hint::spin_loop(), // whoever gave it a number is about to note its way
                seen => break seen,
            }
        };
        if seen == EXPANDED || seen == near(g) && g - now < AROUND {
            return false;
        }
        self.relax_waiting(v, u, ordinal, g, now)
    }

    #[cold]
    fn relax_waiting(&self, v: StateId, u: StateId, ordinal: u32, g: Cost, now: Cost) -> bool {
        let mark = &self.marks[v.index()];
        let mut far = self.far.lock().expect("nobody panics with it");
        let known = match mark.load(Acquire) {
            EXPANDED => return false,
            FAR => far[&v],
            near => now + (Cost::from(near - FIRST) + AROUND - now % AROUND) % AROUND,
        };
        if g >= known {
            return false;
        }
        self.point(v, u, ordinal);
        if g - now < AROUND {
            far.remove(&v);
            mark.store(near(g), Release);
        } else {
            far.insert(v, g);
            mark.store(FAR, Release);
        }
        true
    }

    /// Whether a known state was not expanded yet.
    pub fn waits(&self, v: StateId) -> bool {
        self.marks[v.index()].load(Acquire) != EXPANDED
    }

    /// Whether it is the turn of a waiting state among those with paths of length `now`; then it waits no longer. It is
    /// not if a shorter path was found meanwhile.
    #[inline]
    pub fn take_turn(&self, u: StateId, now: Cost) -> bool {
        let mark = &self.marks[u.index()];
        let due = match mark.load(Acquire) {
            FAR => {
                let mut far = self.far.lock().expect("nobody panics with it");
                let due = far.get(&u) == Some(&now);
                if due {
                    far.remove(&u);
                }
                due
            }
            seen => seen == near(now),
        };
        if due {
            mark.store(EXPANDED, Release);
        }
        due
    }

    /// The states on the way from the root to `u`, which it ends with.
    pub fn way_to(&self, u: StateId) -> Vec<StateId> {
        let mut way = vec![u];
        let mut at = u;
        while at.index() > 0 {
            at = StateId(self.parents[at.index()].load(Relaxed));
            way.push(at);
        }
        way.reverse();
        way
    }

    /// Which step of its parent leads to `v`, if that was kept.
    pub fn ordinal(&self, v: StateId) -> Option<u32> {
        self.ordinals.as_ref().map(|ordinals| ordinals[v.index()].load(Relaxed))
    }

    /// Bytes held for so many states.
    pub fn memory(&self, states: u64) -> u64 {
        let ordinal = if self.ordinals.is_some() { size_of::<u32>() } else { 0 };
        states * (size_of::<u32>() + size_of::<u8>() + ordinal) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shorter_way_replaces_a_longer_one_while_the_state_waits() {
        let mut links = Links::new(true);
        links.reserve(10);
        let [root, a, b] = [0, 1, 2].map(StateId);
        links.begin(root, root, 0, 0, 0);
        assert!(links.take_turn(root, 0));
        links.begin(a, root, 4, 2, 0);
        links.begin(b, root, 5, 9, 0);
        assert!(!links.relax(b, a, 6, 9, 2));
        assert_eq!(links.way_to(b), [root, b]);
        assert!(links.relax(b, a, 7, 3, 2));
        assert_eq!((links.way_to(b), links.ordinal(b)), (vec![root, a, b], Some(7)));
        assert!(!links.take_turn(b, 9), "a superseded turn");
        assert!(links.take_turn(b, 3));
        assert!(!links.take_turn(b, 3));
        assert!(!links.relax(b, root, 8, 3, 2), "expanded long ago");
        assert_eq!(links.way_to(root), [root]);
    }

    #[test]
    fn lengths_are_right_far_and_near() {
        for now in [0, 100, 252, 253, 254, 1000, 100_000] {
            for g in [1, 2, 200, 251, 252, 253, 254, 300, 505, 506, 507, 5000].map(|cost| now + cost) {
                let mut links = Links::new(false);
                links.reserve(2);
                let (u, v) = (StateId(0), StateId(1));
                links.begin(v, u, 0, g, now);
                assert!(!links.relax(v, u, 0, g, now), "{g} {now}");
                assert!(!links.relax(v, u, 0, g + 1, now), "{g} {now}");
                assert!(!links.take_turn(v, g + 1) && !links.take_turn(v, g - 1));
                if g > now + 1 {
                    assert!(links.relax(v, u, 0, g - 1, now), "{g} {now}");
                    assert!(!links.take_turn(v, g), "{g} {now}");
                    assert!(links.take_turn(v, g - 1), "{g} {now}");
                } else {
                    assert!(links.take_turn(v, g), "{g} {now}");
                }
                assert!(links.far.lock().unwrap().is_empty());
            }
        }
    }
}
