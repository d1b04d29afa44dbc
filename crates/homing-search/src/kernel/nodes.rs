//! The node table: what a search over an open list knows of each state, in arrays by its id.
//!
//! Of every node there is its parent, for the path, and a mark: whether it is open or closed, the length `g` of the path to it
//! and its estimate `h`, in as few bytes as the order of the search allows. [`LevelMarks`] takes one byte, [`EvaluatedMarks`]
//! eight. Threads share the table.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use homing_core::{Cost, StateId};
use homing_store::Segments;

/// Parents and marks.
pub(crate) struct NodeTable<M> {
    parents: Segments<AtomicU32>,
    /// Which step of its parent leads to a node, for stores that do not give states back.
    ordinals: Option<Segments<AtomicU32>>,
    pub marks: M,
}

/// The step by which a node is reached.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    pub parent: StateId,
    /// Which step of the parent it is.
    pub ordinal: u32,
}

/// What a path to a known node was good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relaxed {
    /// Nothing: the path is no shorter, or the node is closed and not reopened.
    Worse,
    /// The node is open, and has a shorter path now.
    Better,
    /// The node was closed, and is open again with a shorter path.
    Reopened,
}

/// The mark of each node: open or closed, with `g` and `h` as far as they are needed. `now` is the `g` of the nodes that are
/// being expanded.
pub(crate) trait Marks: Send + Sync {
    /// Bytes of a mark.
    const BYTES: u64;

    /// Makes room for so many nodes.
    fn reserve(&mut self, nodes: usize);

    /// Opens a new node; `h` is `None` if no error can be reached from it.
    fn open(&self, v: StateId, g: Cost, h: Option<Cost>, now: Cost);

    /// Gives a known node the path length `g` if that is shorter and the node is open, or closed nodes may be reopened;
    /// `relink` replaces its parent at that moment.
    fn relax(&self, v: StateId, g: Cost, now: Cost, relink: impl FnOnce()) -> Relaxed;

    /// Closes a node that is to be expanded with the path length `now`. False if it is closed, or has a shorter path.
    fn close(&self, u: StateId, now: Cost) -> bool;

    /// The estimate of a node.
    fn h(&self, v: StateId) -> Option<Cost>;

    /// Whether a known node is open, and is expanded later than those of path length `now`. This and what follows is for searches that
    /// may take only the steps of a stubborn set; others need not know it.
    fn is_later(&self, _v: StateId, _now: Cost) -> bool {
        false
    }

    /// Only the steps of a stubborn set of a closed node were taken.
    fn set_reduced(&self, _u: StateId) {}

    /// All steps of a closed node are taken.
    fn set_full(&self, _u: StateId) {}

    /// The steps that were taken lead from a reduced node to one all of whose steps are taken. False if that is known, or if the node is not
    /// reduced.
    fn settle(&self, _u: StateId) -> bool {
        false
    }

    /// Whether all steps of a closed node are taken, or it is known that it leads to such a node.
    fn is_settled(&self, _u: StateId) -> bool {
        true
    }
}

impl<M: Marks> NodeTable<M> {
    /// A table for so many nodes. `with_ordinals` if the store does not give states back.
    pub fn new(marks: M, nodes: u64, with_ordinals: bool) -> Self {
        let ordinals = with_ordinals.then(Segments::new);
        let mut table = NodeTable { parents: Segments::new(), ordinals, marks };
        table.reserve(nodes);
        table
    }

    /// Makes room for so many nodes.
    pub fn reserve(&mut self, nodes: u64) {
        let nodes = nodes as usize;
        self.parents.reserve(nodes);
        self.marks.reserve(nodes);
        if let Some(ordinals) = &mut self.ordinals {
            ordinals.reserve(nodes);
        }
    }

    /// Opens a new node.
    #[inline]
    pub fn open(&self, v: StateId, link: Link, g: Cost, h: Option<Cost>, now: Cost) {
        self.link(v, link);
        self.marks.open(v, g, h, now);
    }

    /// Gives a known node another parent if the path over it, of length `g`, is shorter.
    #[inline]
    pub fn relax(&self, v: StateId, link: Link, g: Cost, now: Cost) -> Relaxed {
        self.marks.relax(v, g, now, || self.link(v, link))
    }

    fn link(&self, v: StateId, link: Link) {
        self.parents[v.index()].store(link.parent.0, Ordering::Relaxed);
        if let Some(ordinals) = &self.ordinals {
            ordinals[v.index()].store(link.ordinal, Ordering::Relaxed);
        }
    }

    /// All steps of a closed node are taken. The nodes on the path to it lead to it.
    pub fn set_full(&self, u: StateId) {
        self.marks.set_full(u);
        self.settle(self.parent(u));
    }

    /// The node leads to one all of whose steps are taken, and so do those on the path to it.
    pub fn settle(&self, u: StateId) {
        let mut at = u;
        while self.marks.settle(at) {
            at = self.parent(at);
        }
    }

    /// The node from which a node was reached; the root for itself.
    fn parent(&self, u: StateId) -> StateId {
        StateId(self.parents[u.index()].load(Ordering::Relaxed))
    }

    /// The states from the root to `u`.
    pub fn path_to(&self, u: StateId) -> Vec<StateId> {
        let mut states = vec![u];
        let mut at = u;
        while at.index() > 0 {
            at = self.parent(at);
            states.push(at);
        }
        states.reverse();
        states
    }

    /// Which step of its parent leads to `v`, if that was kept.
    pub fn ordinal(&self, v: StateId) -> Option<u32> {
        self.ordinals.as_ref().map(|ordinals| ordinals[v.index()].load(Ordering::Relaxed))
    }

    /// Bytes for so many nodes.
    pub fn memory(&self, nodes: u64) -> u64 {
        let ordinal = if self.ordinals.is_some() { 4 } else { 0 };
        nodes * (4 + ordinal + M::BYTES)
    }
}

/// Marks for a search that expands all nodes of one `g` before those of the next: one byte each.
///
/// `g` is known of open nodes only. It lies so near to the `g` of the nodes being expanded that a byte holds it; the few that do
/// not are in a map.
#[derive(Default)]
pub(crate) struct LevelMarks {
    marks: Segments<AtomicU8>,
    /// The `g` of nodes marked as far; locked also while a path is replaced by a shorter one.
    far: Mutex<HashMap<StateId, Cost>>,
}

/// A mark of a node: its id was given a moment ago, its `g` is far away, or it is closed. Every other value is `g` modulo [`WINDOW`], counted
/// from [`FIRST`].
const FRESH: u8 = 0;
const FAR: u8 = 1;
const CLOSED: u8 = 2;
const FIRST: u8 = 6;
const WINDOW: Cost = 250;

/// A mark of a closed node in a search with stubborn sets: [`CLOSED`] until it is known which of its steps are taken; then some, some that
/// lead to a node all of whose steps are taken, or all.
const REDUCED: u8 = 3;
const SETTLED: u8 = 4;
const FULL: u8 = 5;

fn near(g: Cost) -> u8 {
    FIRST + (g % WINDOW) as u8
}

fn is_closed(mark: u8) -> bool {
    matches!(mark, CLOSED | REDUCED | SETTLED | FULL)
}

impl LevelMarks {
    fn far(&self) -> MutexGuard<'_, HashMap<StateId, Cost>> {
        self.far.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cold]
    fn relax_open(&self, v: StateId, g: Cost, now: Cost, relink: impl FnOnce()) -> Relaxed {
        let mark = &self.marks[v.index()];
        let mut far = self.far();
        let known = match mark.load(Ordering::Acquire) {
            mark if is_closed(mark) => return Relaxed::Worse,
            FAR => far[&v],
            near => now + (Cost::from(near - FIRST) + WINDOW - now % WINDOW) % WINDOW,
        };
        if g >= known {
            return Relaxed::Worse;
        }
        relink();
        if g - now < WINDOW {
            far.remove(&v);
            mark.store(near(g), Ordering::Release);
        } else {
            far.insert(v, g);
            mark.store(FAR, Ordering::Release);
        }
        Relaxed::Better
    }
}

impl Marks for LevelMarks {
    const BYTES: u64 = 1;

    fn reserve(&mut self, nodes: usize) {
        self.marks.reserve(nodes);
    }

    #[inline]
    fn open(&self, v: StateId, g: Cost, _: Option<Cost>, now: Cost) {
        let mark = if g - now < WINDOW {
            near(g)
        } else {
            self.far().insert(v, g);
            FAR
        };
        self.marks[v.index()].store(mark, Ordering::Release);
    }

    #[inline]
    fn relax(&self, v: StateId, g: Cost, now: Cost, relink: impl FnOnce()) -> Relaxed {
        let mark = &self.marks[v.index()];
        let seen = loop {
            match mark.load(Ordering::Acquire) {
                FRESH => std::hint::spin_loop(), // the thread that stored the state is about to open its node
                seen => break seen,
            }
        };
        if is_closed(seen) || seen == near(g) && g - now < WINDOW {
            return Relaxed::Worse;
        }
        self.relax_open(v, g, now, relink)
    }

    #[inline]
    fn close(&self, u: StateId, now: Cost) -> bool {
        let mark = &self.marks[u.index()];
        let is_due = match mark.load(Ordering::Acquire) {
            FAR => {
                let mut far = self.far();
                let is_due = far.get(&u) == Some(&now);
                if is_due {
                    far.remove(&u);
                }
                is_due
            }
            seen => seen == near(now),
        };
        if is_due {
            mark.store(CLOSED, Ordering::Release);
        }
        is_due
    }

    #[inline]
    fn h(&self, _: StateId) -> Option<Cost> {
        Some(0)
    }

    fn is_later(&self, v: StateId, now: Cost) -> bool {
        let seen = self.marks[v.index()].load(Ordering::Acquire);
        !is_closed(seen) && seen != near(now)
    }

    fn set_reduced(&self, u: StateId) {
        self.marks[u.index()].store(REDUCED, Ordering::Release);
    }

    fn set_full(&self, u: StateId) {
        self.marks[u.index()].store(FULL, Ordering::Release);
    }

    fn settle(&self, u: StateId) -> bool {
        let mark = &self.marks[u.index()];
        mark.compare_exchange(REDUCED, SETTLED, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    fn is_settled(&self, u: StateId) -> bool {
        matches!(self.marks[u.index()].load(Ordering::Acquire), FULL | SETTLED)
    }
}

/// Marks for a search by `f = g + h`: `g`, `h` and whether the node is closed, eight bytes.
pub(crate) struct EvaluatedMarks {
    marks: Segments<[AtomicU32; 2]>,
    /// Closed nodes with a shorter path now are opened again.
    reopens: bool,
}

/// In a mark: where `g` is, and where `h` is with the bit [`IS_CLOSED`].
const G: usize = 0;
const H: usize = 1;
const IS_CLOSED: u32 = 1 << 31;

/// The `h` of a node from which no error can be reached; a larger estimate counts as one less than this.
const DEAD_END: u32 = IS_CLOSED - 1;

impl EvaluatedMarks {
    pub fn new(reopens: bool) -> Self {
        EvaluatedMarks { marks: Segments::new(), reopens }
    }

    #[inline]
    pub fn g(&self, u: StateId) -> Cost {
        self.marks[u.index()][G].load(Ordering::Relaxed)
    }
}

impl Marks for EvaluatedMarks {
    const BYTES: u64 = 8;

    fn reserve(&mut self, nodes: usize) {
        self.marks.reserve(nodes);
    }

    #[inline]
    fn open(&self, v: StateId, g: Cost, h: Option<Cost>, _: Cost) {
        let mark = &self.marks[v.index()];
        mark[G].store(g, Ordering::Relaxed);
        mark[H].store(h.map_or(DEAD_END, |h| h.min(DEAD_END - 1)), Ordering::Relaxed);
    }

    #[inline]
    fn relax(&self, v: StateId, g: Cost, _: Cost, relink: impl FnOnce()) -> Relaxed {
        let mark = &self.marks[v.index()];
        if g >= mark[G].load(Ordering::Relaxed) {
            return Relaxed::Worse;
        }
        let h = mark[H].load(Ordering::Relaxed);
        let is_closed = h & IS_CLOSED != 0;
        if is_closed && !self.reopens {
            return Relaxed::Worse;
        }
        mark[G].store(g, Ordering::Relaxed);
        mark[H].store(h & !IS_CLOSED, Ordering::Relaxed);
        relink();
        if is_closed { Relaxed::Reopened } else { Relaxed::Better }
    }

    #[inline]
    fn close(&self, u: StateId, _: Cost) -> bool {
        let mark = &self.marks[u.index()][H];
        let before = mark.load(Ordering::Relaxed);
        mark.store(before | IS_CLOSED, Ordering::Relaxed);
        before & IS_CLOSED == 0
    }

    #[inline]
    fn h(&self, v: StateId) -> Option<Cost> {
        let h = self.marks[v.index()][H].load(Ordering::Relaxed) & DEAD_END;
        (h != DEAD_END).then_some(h)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by(parent: StateId, ordinal: u32) -> Link {
        Link { parent, ordinal }
    }

    #[test]
    fn a_shorter_path_replaces_a_longer_one_while_a_node_is_open() {
        let nodes = NodeTable::new(LevelMarks::default(), 10, true);
        let [root, a, b] = [0, 1, 2].map(StateId);
        nodes.open(root, by(root, 0), 0, None, 0);
        assert!(nodes.marks.close(root, 0));
        nodes.open(a, by(root, 4), 2, None, 0);
        nodes.open(b, by(root, 5), 9, None, 0);
        assert_eq!(nodes.relax(b, by(a, 6), 9, 2), Relaxed::Worse);
        assert_eq!(nodes.path_to(b), [root, b]);
        assert_eq!(nodes.relax(b, by(a, 7), 3, 2), Relaxed::Better);
        assert_eq!((nodes.path_to(b), nodes.ordinal(b)), (vec![root, a, b], Some(7)));
        assert!(!nodes.marks.close(b, 9), "a superseded entry");
        assert!(nodes.marks.is_later(b, 2) && nodes.marks.close(b, 3));
        assert!(!nodes.marks.is_later(b, 2) && !nodes.marks.close(b, 3));
        assert_eq!(nodes.relax(b, by(root, 8), 3, 2), Relaxed::Worse, "closed long ago");
        assert_eq!(nodes.path_to(root), [root]);
    }

    #[test]
    fn lengths_are_right_far_and_near() {
        for now in [0, 100, 252, 253, 254, 1000, 100_000] {
            for g in [1, 2, 200, 251, 252, 253, 254, 300, 505, 506, 507, 5000].map(|cost| now + cost) {
                let nodes = NodeTable::new(LevelMarks::default(), 2, false);
                let (u, v) = (StateId(0), StateId(1));
                nodes.open(v, by(u, 0), g, None, now);
                assert_eq!(nodes.relax(v, by(u, 0), g, now), Relaxed::Worse, "{g} {now}");
                assert_eq!(nodes.relax(v, by(u, 0), g + 1, now), Relaxed::Worse, "{g} {now}");
                assert!(!nodes.marks.close(v, g + 1) && !nodes.marks.close(v, g - 1));
                if g > now + 1 {
                    assert_eq!(nodes.relax(v, by(u, 0), g - 1, now), Relaxed::Better, "{g} {now}");
                    assert!(!nodes.marks.close(v, g), "{g} {now}");
                    assert!(nodes.marks.close(v, g - 1), "{g} {now}");
                } else {
                    assert!(nodes.marks.close(v, g), "{g} {now}");
                }
                assert!(nodes.marks.far.lock().unwrap().is_empty());
            }
        }
    }

    #[test]
    fn closed_nodes_are_reopened_if_they_may_be() {
        let [root, a, b] = [0, 1, 2].map(StateId);
        for reopens in [false, true] {
            let nodes = NodeTable::new(EvaluatedMarks::new(reopens), 3, true);
            nodes.open(root, by(root, 0), 0, Some(4), 0);
            nodes.open(a, by(root, 3), 5, Some(Cost::MAX), 0);
            nodes.open(b, by(root, 4), 9, None, 0);
            let h = |v| nodes.marks.h(v);
            assert_eq!((h(root), h(a), h(b)), (Some(4), Some(DEAD_END - 1), None));
            assert_eq!(nodes.relax(b, by(a, 1), 9, 0), Relaxed::Worse);
            assert_eq!(nodes.relax(b, by(a, 1), 8, 0), Relaxed::Better);
            assert_eq!((nodes.path_to(b), nodes.ordinal(b), nodes.marks.g(b)), (vec![root, a, b], Some(1), 8));
            assert!(nodes.marks.close(b, 0) && !nodes.marks.close(b, 0));
            if !reopens {
                assert_eq!(nodes.relax(b, by(root, 2), 7, 0), Relaxed::Worse);
                continue;
            }
            assert_eq!(nodes.relax(b, by(root, 2), 7, 0), Relaxed::Reopened);
            assert_eq!((nodes.path_to(b), nodes.ordinal(b), h(b)), (vec![root, b], Some(2), None));
            assert!(nodes.marks.close(b, 0));
        }
    }
}
