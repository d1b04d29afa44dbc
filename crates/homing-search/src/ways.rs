//! What a best-first search knows of each state: the shortest path met to it, its estimate, and whether it is closed.
//!
//! Twelve bytes a state, side by side, because a state that is met again is asked for all of them or for its length.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use homing_core::{Cost, StateId};
use homing_store::Segments;

/// The way to each state.
pub(crate) struct Ways {
    nodes: Segments<[AtomicU32; 3]>,
    /// Which step of its parent leads to a state, for stores that cannot find a state again.
    ordinals: Option<Segments<AtomicU32>>,
}

/// Of a node, where its parent, its `g` and its mark are.
const PARENT: usize = 0;
const G: usize = 1;
const MARK: usize = 2;

/// A mark is `h`, and whether the state was expanded with the `g` it has.
const CLOSED: u32 = 1 << 31;

/// The `h` of a state that no error can be reached from; a larger estimate is taken for one less than this.
const DEAD_END: u32 = CLOSED - 1;

/// What a path to a known state was good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gain {
    /// Nothing: it is no shorter.
    None,
    /// The state still waits, and has a shorter path now.
    Nearer,
    /// It was expanded, and has to be once more.
    Reopened,
}

impl Ways {
    pub fn new(with_ordinals: bool) -> Self {
        Ways { nodes: Segments::new(), ordinals: with_ordinals.then(Segments::new) }
    }

    /// The way to a new state, over `u` by its step number `ordinal`.
    #[inline]
    pub fn begin(&mut self, v: StateId, u: StateId, ordinal: u32, g: Cost, h: Option<Cost>) {
        self.nodes.reserve(v.index() + 1);
        if let Some(ordinals) = &mut self.ordinals {
            ordinals.reserve(v.index() + 1);
        }
        self.point(v, u, ordinal, g);
        self.nodes[v.index()][MARK].store(h.map_or(DEAD_END, |h| h.min(DEAD_END - 1)), Relaxed);
    }

    fn point(&self, v: StateId, u: StateId, ordinal: u32, g: Cost) {
        let node = &self.nodes[v.index()];
        node[PARENT].store(u.0, Relaxed);
        node[G].store(g, Relaxed);
        if let Some(ordinals) = &self.ordinals {
            ordinals[v.index()].store(ordinal, Relaxed);
        }
    }

    /// Replaces the way to a known state by one of length `g` if that is shorter and the state is not closed, or closed
    /// states may be reopened.
    #[inline]
    pub fn relax(&self, v: StateId, u: StateId, ordinal: u32, g: Cost, reopens: bool) -> Gain {
        let node = &self.nodes[v.index()];
        if g >= node[G].load(Relaxed) {
            return Gain::None;
        }
        let mark = node[MARK].load(Relaxed);
        let is_closed = mark & CLOSED != 0;
        if is_closed && !reopens {
            return Gain::None;
        }
        node[MARK].store(mark & !CLOSED, Relaxed);
        self.point(v, u, ordinal, g);
        if is_closed { Gain::Reopened } else { Gain::Nearer }
    }

    /// Closes a state. False if it was closed.
    #[inline]
    pub fn close(&self, u: StateId) -> bool {
        let mark = &self.nodes[u.index()][MARK];
        let before = mark.load(Relaxed);
        mark.store(before | CLOSED, Relaxed);
        before & CLOSED == 0
    }

    #[inline]
    pub fn g(&self, u: StateId) -> Cost {
        self.nodes[u.index()][G].load(Relaxed)
    }

    #[inline]
    pub fn h(&self, u: StateId) -> Option<Cost> {
        let h = self.nodes[u.index()][MARK].load(Relaxed) & !CLOSED;
        (h != DEAD_END).then_some(h)
    }

    /// Asks for the memory of a node that will be read soon.
    #[inline]
    pub fn prefetch(&self, u: StateId) {
        if u.index() < self.nodes.capacity() {
            self.nodes.prefetch(u.index());
        }
    }

    /// The states on the way from the root to `u`, which it ends with.
    pub fn way_to(&self, u: StateId) -> Vec<StateId> {
        let mut way = vec![u];
        let mut at = u;
        while at.index() > 0 {
            at = StateId(self.nodes[at.index()][PARENT].load(Relaxed));
            way.push(at);
        }
        way.reverse();
        way
    }

    /// Which step of its parent leads to `v`, if that is known.
    pub fn ordinal(&self, v: StateId) -> Option<u32> {
        self.ordinals.as_ref().map(|ordinals| ordinals[v.index()].load(Relaxed))
    }

    /// Bytes for so many states.
    pub fn memory(&self, states: u64) -> u64 {
        states * if self.ordinals.is_some() { 16 } else { 12 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_get_shorter_and_closed_states_are_reopened() {
        let mut ways = Ways::new(true);
        let [root, a, b] = [0, 1, 2].map(StateId);
        ways.begin(root, root, 0, 0, Some(4));
        ways.begin(a, root, 3, 5, Some(Cost::MAX));
        ways.begin(b, root, 4, 9, None);
        assert_eq!((ways.h(root), ways.h(a), ways.h(b)), (Some(4), Some(DEAD_END - 1), None));
        assert_eq!(ways.relax(b, a, 1, 9, true), Gain::None);
        assert_eq!(ways.relax(b, a, 1, 8, true), Gain::Nearer);
        assert_eq!((ways.way_to(b), ways.ordinal(b), ways.g(b)), (vec![root, a, b], Some(1), 8));
        assert!(ways.close(b) && !ways.close(b));
        assert_eq!(ways.relax(b, root, 2, 7, false), Gain::None);
        assert_eq!(ways.relax(b, root, 2, 7, true), Gain::Reopened);
        assert_eq!((ways.way_to(b), ways.ordinal(b), ways.h(b)), (vec![root, b], Some(2), None));
        assert!(ways.close(b));
    }
}
