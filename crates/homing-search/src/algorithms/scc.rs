//! Search for an accepting cycle by strongly connected components (Couvreur 1999; Gabow 2000): one depth-first pass, any number of
//! acceptance sets, weak fairness by marks, and strong fairness by splitting components.
//!
//! The states on the depth-first path, and those that may still lead back to it, are *live*: they lie on a stack, in the order in
//! which they were entered. The path is divided into partial components, each known by the index of its first state, its root. A
//! step to a live state merges all partial components from there on, and joins their marks and those of the steps between them. As
//! soon as a component has all marks it has an accepting cycle. A root that is left takes its component from the stack.
//!
//! A cycle is built afterwards, by a breadth-first search inside the component: the component alone is not a cycle.

use std::collections::HashSet;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use homing_core::{
    Blind, Changed, Cost, End, Limit, Outcome, State, StateId, Step, Stop, TransitionSystem, Violation, Watch,
};
use homing_store::{LoadById, Recall, Segments};

use crate::Objective;
use crate::cycles::{Cycles, Expander, Fairness, Lasso, Marks, close, fair_part, way_into};
use crate::depth_first::{Bound, DepthFirst, Entry, Leave, Visited, quick_key};
use crate::limits::Budget;

/// Explores `system` from its initial state until an accepting cycle is found, or an error of `objective`. `store` is empty at the
/// start.
pub fn search<T, S, E, W>(
    system: &T,
    objective: &Objective<'_, E>,
    cycles: &Cycles<'_>,
    store: &mut S,
    watch: &mut W,
) -> Outcome<T::Action>
where
    T: TransitionSystem,
    S: LoadById,
    E: Fn(&Violation) -> bool,
    W: Watch,
{
    if cycles.fit_in_one_word() {
        search_with::<T, S, E, W, 1>(system, objective, cycles, store, watch)
    } else {
        search_with::<T, S, E, W, 5>(system, objective, cycles, store, watch)
    }
}

fn search_with<T, S, E, W, const N: usize>(
    system: &T,
    objective: &Objective<'_, E>,
    cycles: &Cycles<'_>,
    store: &mut S,
    watch: &mut W,
) -> Outcome<T::Action>
where
    T: TransitionSystem,
    S: LoadById,
    E: Fn(&Violation) -> bool,
    W: Watch,
{
    let Objective { is_error, on_error, limits, .. } = objective;
    let mut search = DepthFirst::new(system, is_error, (*on_error).into(), Budget::new(limits, watch));
    let mut visited = Components::<_, _, N>::new(system, store, cycles);
    let mut end = match search.search(&mut visited, &mut Blind, &mut { Bound::NONE }) {
        Ok(()) => search.budget.end(),
        Err(ended) => ended.into(),
    };
    if visited.is_stopped {
        end = End::limit(Limit::CutOff); // a component was not split to the end
    }
    if search.closed.take().is_some() {
        match system.patiently(|| visited.lasso(system)) {
            Some(lasso) => search.best = Some(lasso.into_path(cycles.violation.clone())),
            None => end = End::limit(Limit::CutOff), // there was no time to build it
        }
    }
    let memory = visited.tables();
    let mut outcome = search.outcome(end, &visited);
    outcome.stats.memory += memory;
    outcome
}

/// A partial component of the path.
struct Root<const N: usize> {
    /// The index of its first state.
    index: u32,
    /// The marks of the step by which that was entered.
    entered: Marks<N>,
    /// The marks of the steps inside.
    inside: Marks<N>,
}

/// A state on the path.
struct OnPath<const N: usize> {
    id: StateId,
    index: u32,
    /// The processes that can move, once its steps were generated.
    enabled: Marks<N>,
}

/// Stored states with their components.
struct Components<'s, T, S: LoadById, const N: usize> {
    system: &'s T,
    store: &'s mut S,
    cursor: S::Cursor,
    wanted: Marks<N>,
    fairness: Fairness,
    /// By id: 0 for a state that was not entered, [`LEFT`] for one whose component was left, else its index, from 1.
    index: Segments<AtomicU32>,
    entered: u32,
    live: Vec<StateId>,
    roots: Vec<Root<N>>,
    path: Vec<OnPath<N>>,
    most_live: usize,
    matched: u64,
    /// Some component has an accepting cycle: the last one of the path, or under strong fairness this one.
    found: bool,
    fair: Option<(Vec<StateId>, Marks<N>)>,
    is_stopped: bool,
}

const LEFT: u32 = u32::MAX;

impl<'s, T: TransitionSystem, S: LoadById, const N: usize> Components<'s, T, S, N> {
    fn new(system: &'s T, store: &'s mut S, cycles: &Cycles<'_>) -> Self {
        Components {
            system,
            cursor: store.cursor(),
            store,
            wanted: Marks::wanted(cycles),
            fairness: cycles.fairness,
            index: Segments::new(),
            entered: 0,
            live: Vec::new(),
            roots: Vec::new(),
            path: Vec::new(),
            most_live: 0,
            matched: 0,
            found: false,
            fair: None,
            is_stopped: false,
        }
    }

    /// A step of the deepest state leads to a state that was entered before.
    #[inline]
    fn meet(&mut self, target: StateId, marks: Marks<N>) {
        self.matched += 1;
        let index = self.index[target.index()].load(Relaxed);
        if index != LEFT {
            let marks = marks | self.idle();
            self.merge(index, marks);
        }
    }

    /// Merges the components of the path from a live state on.
    fn merge(&mut self, index: u32, mut marks: Marks<N>) {
        while let Some(root) = self.roots.pop_if(|root| root.index > index) {
            marks = marks | root.entered | root.inside;
        }
        let root = self.roots.last_mut().expect("the root of a live state is on the stack");
        root.inside = root.inside | marks;
        self.found |= self.fairness != Fairness::Strong && root.inside.has_all(self.wanted);
    }

    /// The marks of the processes that cannot move in the deepest state.
    #[inline]
    fn idle(&self) -> Marks<N> {
        match (self.fairness, self.path.last()) {
            (Fairness::Weak, Some(last)) => Marks::idle(last.enabled),
            _ => Marks::NONE,
        }
    }

    /// The component of a root is left.
    fn leave_component(&mut self, id: StateId, root: &Root<N>) {
        let from = self.live.iter().rposition(|&live| live == id).expect("it is live until its root is left");
        if self.fairness == Fairness::Strong && root.inside.has_all(self.wanted) {
            let mut expander = Expander::new(self.system, &*self.store, self.fairness);
            self.fair = fair_part(&mut expander, &self.live[from..], self.wanted);
            self.is_stopped |= expander.is_stopped;
            self.found = self.fair.is_some() && !self.is_stopped;
        }
        for left in self.live.drain(from..) {
            self.index[left.index()].store(LEFT, Relaxed);
        }
    }

    /// Builds a lasso: the fewest steps from the root into the component, then around. The path of the search is longer, as it went
    /// deep first.
    fn lasso(&self, system: &T) -> Option<Lasso<T::Action>> {
        let mut expander = Expander::new(system, &*self.store, self.fairness);
        let root = self.path.first()?.id;
        let fair: HashSet<StateId> = self.fair.iter().flat_map(|(states, _)| states.iter().copied()).collect();
        let live_from = self.roots.last().map_or(LEFT, |root| root.index);
        let is_inside = |id: StateId| match self.fair {
            Some(_) => fair.contains(&id),
            None => (live_from..LEFT).contains(&self.index[id.index()].load(Relaxed)),
        };
        let wanted = self.fair.as_ref().map_or(self.wanted, |(_, wanted)| *wanted);
        let (stem, entry) =
            if is_inside(root) { (Vec::new(), root) } else { way_into(&mut expander, root, is_inside)? };
        let cycle = close(&mut expander, entry, wanted, is_inside)?;
        Some(Lasso { stem, cycle })
    }

    /// Bytes of the tables beside the store.
    fn tables(&self) -> u64 {
        (self.store.len() * 4) + (self.most_live * 4) as u64 + (self.path.capacity() * size_of::<OnPath<N>>()) as u64
    }
}

impl<T: TransitionSystem, S: LoadById, const N: usize> Visited for Components<'_, T, S, N> {
    type Key = S::Key;
    type Edge = Marks<N>;

    const KEEPS_GENERATED: bool = S::Recall::KEEPS_GENERATED;
    const ENTERS_AGAIN: bool = false;
    const DECIDES_AT_TURN: bool = true;

    #[inline]
    fn key<W: Watch>(
        &mut self,
        budget: &Budget<'_, W>,
        state: &State,
        changed: Changed<'_>,
        memory: u64,
    ) -> Result<S::Key, Stop> {
        let memory = memory + self.tables();
        let key = budget.key(self.store, &mut self.cursor, state, changed, memory)?;
        self.store.prefetch(key);
        Ok(key)
    }

    #[inline(always)]
    fn quick_key(&mut self, state: &State, changed: Changed<'_>) -> Option<S::Key> {
        quick_key(self.store, &mut self.cursor, state, changed)
    }

    #[inline]
    fn prefetch_row(&self, key: S::Key) {
        self.store.prefetch_row(key);
    }

    #[inline]
    fn edge<A>(&mut self, step: &Step<'_, A>) -> Marks<N> {
        let sets = Marks::of_sets(step.acceptance);
        if self.fairness != Fairness::Weak {
            return sets;
        }
        if let Some(last) = self.path.last_mut() {
            last.enabled = last.enabled | Marks::enabled(step);
        }
        sets | Marks::movers(step)
    }

    #[inline]
    fn was_entered(&mut self, key: S::Key, state: &State, marks: Marks<N>) -> bool {
        let known = self.store.id(key, state);
        if let Some(id) = known {
            self.meet(id, marks);
        }
        known.is_some()
    }

    #[inline]
    fn closes_cycle(&self) -> bool {
        self.found
    }

    #[inline]
    fn enter<W: Watch>(
        &mut self,
        budget: &mut Budget<'_, W>,
        (key, state, marks): (S::Key, &State, Marks<N>),
        g: Option<Cost>,
        memory: u64,
    ) -> Result<Entry, Stop> {
        if g.is_none() {
            if !self.was_entered(key, state, marks) {
                budget.skip_too_deep();
            }
            return Ok(Entry::No);
        }
        let memory = memory + self.tables();
        let (id, is_new) = budget.admit_numbered(self.store, &mut self.cursor, (key, state), memory)?;
        if !is_new {
            self.meet(id, marks);
            return Ok(Entry::No);
        }
        self.index.reserve(id.index() + 1);
        self.entered += 1;
        let (index, entered) = (self.entered, marks | self.idle());
        self.index[id.index()].store(index, Relaxed);
        self.live.push(id);
        self.most_live = self.most_live.max(self.live.len());
        self.roots.push(Root { index, entered, inside: Marks::NONE });
        self.path.push(OnPath { id, index, enabled: Marks::NONE });
        Ok(Entry::First)
    }

    #[inline]
    fn leave<W: Watch>(&mut self, _: &Budget<'_, W>, _: u64) -> Result<Leave, Stop> {
        let Some(last) = self.path.last() else { return Ok(Leave::Done) };
        let (id, index) = (last.id, last.index);
        if let Some(root) = self.roots.pop_if(|root| root.index == index) {
            self.leave_component(id, &root);
            if self.found {
                return Ok(Leave::Cycle);
            }
        }
        self.path.pop();
        Ok(Leave::Done)
    }

    #[inline]
    fn load(&mut self, key: S::Key, s: &mut Vec<u8>) {
        S::Recall::load_generated(self.store, &mut self.cursor, key, s);
    }

    fn states(&self) -> u64 {
        self.store.len()
    }

    fn matched(&self) -> Option<u64> {
        Some(self.matched)
    }

    fn memory(&self) -> u64 {
        self.store.memory() + self.tables()
    }
}
