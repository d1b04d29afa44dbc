//! Nested depth-first search for an acceptance cycle (Courcoubetis, Vardi, Wolper & Yannakakis 1992; Holzmann 2004, ch. 8, Fig.
//! 8.7), with colours (Schwoon & Esparza 2005), and its improvement by the components of the claim (Edelkamp, Leue &
//! Lluch-Lafuente 2004, §7.2, Fig. 15).
//!
//! The first search is depth-first. When it leaves an accepting state, a second search looks for a step back to a state on the
//! path of the first; a state that it has visited it never visits again, whatever the seed. That is enough because seeds come in
//! post-order.
//!
//! The improved search knows the component of the claim that each state belongs to. In one all of whose cycles are accepting, a
//! step to a state on the path closes an accepting cycle, and no second search is needed; in one without accepting states nothing
//! is; in the others the second search stays inside the component.
//!
//! Differs from Fig. 8.7: a cycle is reported by the second search alone, or by the first where one of the two ends of the step
//! back is accepting (the figure lacks the test that the search is the second). Differs from Fig. 15: the second search comes after
//! the loop over the successors, in post-order. Where all successors of a state were visited by second searches, so is the state,
//! without a search (unless SPIN's numbers are wanted, see [`Colouring`]).

use std::sync::atomic::AtomicU8;
use std::sync::atomic::Ordering::Relaxed;

use homing_core::{
    Blind, Changed, Condition, Cost, Outcome, State, StateId, Step, Stop, Target, TransitionSystem, Violation, Watch,
};
use homing_store::{LoadById, Recall, Segments};

use crate::cycles::{Cycles, Lasso};
use crate::depth_first::{Bound, DepthFirst, Entry, Leave, Visited, quick_key};
use crate::limits::Budget;
use crate::{Objective, StepOrder};

/// Where a second search is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colouring {
    /// From every accepting state, as SPIN does: the numbers of states visited and matched are those of its verifier.
    Plain,
    /// From every accepting state that has a successor which no second search has visited.
    AllRed,
}

/// How the nested search is done. Random order in both searches is random nested depth-first search (Brim, Černá & Nečesal 2001, §5).
#[derive(Clone, Copy)]
pub struct Nested<'a> {
    /// Where a second search is needed.
    pub colouring: Colouring,
    /// Of the improved search, the region of each state.
    pub region: Option<RegionOf<'a>>,
    /// The order of the steps of a state.
    pub order: StepOrder,
}

/// The component of the claim that a state belongs to (the classes of §7.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// The number of the component.
    pub component: u32,
    /// Which of its cycles are accepting.
    pub class: Class,
}

/// The region of each state.
pub type RegionOf<'a> = &'a dyn Fn(&State) -> Region;

/// Which cycles of a component of a claim are accepting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// None: no state is accepting.
    N,
    /// All: every state is accepting.
    F,
    /// Perhaps some.
    P,
}

/// Explores `system` from its initial state until an acceptance cycle is found, or an error of `objective`: one through a state
/// whose [labels](TransitionSystem::labels) are accepting. `store` is empty at the start.
pub fn search<T, S, E, W>(
    system: &T,
    objective: &Objective<'_, E>,
    cycles: &Cycles<'_>,
    Nested { colouring, region, order }: Nested<'_>,
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
    let budget = Budget::new(limits, watch);
    let mut search = DepthFirst::new(system, is_error, (*on_error).into(), budget).ordered(order);
    let mut visited = Coloured::new(system, store, colouring, region);
    let end = match search.search(&mut visited, &mut Blind, &mut { Bound::NONE }) {
        Ok(()) => search.budget.end(),
        Err(ended) => ended.into(),
    };
    if let Some(closed) = search.closed.take() {
        let mut stem: Vec<_> = closed.actions.into_iter().zip(closed.costs).collect();
        stem.extend(closed.closing);
        let cycle = stem.split_off(visited.cycle_start());
        search.best = Some(Lasso { stem, cycle }.into_path(cycles.violation.clone()));
    }
    let revisited = visited.revisited;
    let mut outcome = search.outcome(end, &visited);
    outcome.stats.revisited = revisited;
    outcome
}

/// The colours of a state.
mod colour {
    /// On the path of the first search.
    pub const CYAN: u8 = 1;
    /// Visited by a second search.
    pub const RED: u8 = 2;
    pub const ACCEPTING: u8 = 4;
}
use colour::{ACCEPTING, CYAN, RED};

/// A state on the path.
struct OnPath<K> {
    id: StateId,
    key: K,
    region: Option<Region>,
    /// It was entered by the second search.
    second: bool,
    /// A successor was not visited by a second search.
    has_other: bool,
}

/// Stored states with their colours.
struct Coloured<'s, T, S: LoadById> {
    system: &'s T,
    store: &'s mut S,
    cursor: S::Cursor,
    colouring: Colouring,
    region: Option<RegionOf<'s>>,
    colours: Segments<AtomicU8>,
    path: Vec<OnPath<S::Key>>,
    /// The depth of the seed of the second search under way.
    seed: Option<usize>,
    matched: u64,
    revisited: u64,
    /// The state that a step leads back to.
    back_to: Option<StateId>,
}

impl<'s, T: TransitionSystem, S: LoadById> Coloured<'s, T, S> {
    fn new(system: &'s T, store: &'s mut S, colouring: Colouring, region: Option<RegionOf<'s>>) -> Self {
        Coloured {
            system,
            cursor: store.cursor(),
            store,
            colouring,
            region,
            colours: Segments::new(),
            path: Vec::new(),
            seed: None,
            matched: 0,
            revisited: 0,
            back_to: None,
        }
    }

    fn colour(&self, id: StateId) -> u8 {
        self.colours[id.index()].load(Relaxed)
    }

    fn paint(&self, id: StateId, colour: u8) {
        self.colours[id.index()].fetch_or(colour, Relaxed);
    }

    /// The depth of the state that the cycle begins and ends in.
    fn cycle_start(&self) -> usize {
        let is_start = |state: &OnPath<S::Key>| !state.second && Some(state.id) == self.back_to;
        self.path.iter().position(is_start).expect("a step leads back to the path")
    }

    /// Whether a step of the first search to a state on its path closes an acceptance cycle at once.
    fn closes(&self, target: u8, region: Option<Region>) -> bool {
        let last = self.path.last().expect("a step has a source");
        match last.region {
            Some(Region { class: Class::F, .. }) => region == last.region,
            Some(Region { class: Class::N, .. }) => false,
            _ => (target | self.colour(last.id)) & ACCEPTING != 0,
        }
    }

    /// Whether the second search may go to a state: it stays in the component of its seed.
    fn is_inside(&self, region: Option<Region>) -> bool {
        self.seed.is_none_or(|seed| self.path[seed].region == region)
    }

    /// Whether a second search begins at the deepest state, which the first search is about to leave.
    fn begins_second(&mut self) -> bool {
        let last = self.path.last().expect("a state is left");
        let (id, colour) = (last.id, self.colour(last.id));
        let is_seed = colour & ACCEPTING != 0 && last.region.is_none_or(|region| region.class == Class::P);
        if self.colouring == Colouring::AllRed {
            if Condition::NestedAllRed.is_met(!last.has_other) {
                self.paint(id, RED);
                return false;
            }
            return is_seed;
        }
        self.matched += u64::from(is_seed && colour & RED != 0);
        is_seed && colour & RED == 0
    }
}

impl<T: TransitionSystem, S: LoadById> Visited for Coloured<'_, T, S> {
    type Key = S::Key;
    type Edge = Option<Region>;

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
    fn edge<A>(&mut self, step: &Step<'_, A>) -> Option<Region> {
        match step.target {
            Target::State(target) => self.region.map(|region| region(target)),
            Target::Violation(_) | Target::CutOff => None,
        }
    }

    fn was_entered(&mut self, key: S::Key, state: &State, region: Option<Region>) -> bool {
        let Some(id) = self.store.id(key, state) else { return false };
        let colour = self.colour(id);
        if self.seed.is_some() {
            if !self.is_inside(region) {
                return true;
            }
            let is_known = colour & CYAN == 0 && colour & RED != 0;
            self.matched += u64::from(is_known);
            return is_known;
        }
        if let Some(last) = self.path.last_mut() {
            last.has_other |= colour & RED == 0;
        }
        if colour & CYAN != 0 && self.closes(colour, region) {
            return false;
        }
        self.matched += 1;
        true
    }

    fn enter<W: Watch>(
        &mut self,
        budget: &mut Budget<'_, W>,
        (key, state, region): (S::Key, &State, Option<Region>),
        g: Option<Cost>,
        memory: u64,
    ) -> Result<Entry, Stop> {
        if g.is_none() && self.store.id(key, state).is_none() {
            budget.skip_too_deep();
            return Ok(Entry::No);
        } // a known state is followed at any depth: otherwise a cycle could be missed
        let (second, memory) = (self.seed.is_some(), memory + self.tables());
        let (id, is_new) = budget.admit_numbered(self.store, &mut self.cursor, (key, state), memory)?;
        if is_new {
            self.colours.reserve(id.index() + 1);
            self.paint(id, if second { RED } else { CYAN });
        } else if self.was_entered(key, state, region) {
            return Ok(Entry::No);
        } else if self.colour(id) & CYAN != 0 {
            self.back_to = Some(id);
            return Ok(Entry::Cycle);
        } else {
            debug_assert!(second, "the first search enters new states");
            self.paint(id, RED);
            self.revisited += 1;
        }
        self.path.push(OnPath { id, key, region, second, has_other: false });
        Ok(Entry::First)
    }

    fn leave<W: Watch>(&mut self, _: &Budget<'_, W>, _: u64) -> Result<Leave, Stop> {
        let depth = self.path.len().checked_sub(1);
        if self.seed.is_none() && self.begins_second() {
            let id = self.path.last().expect("a state is left").id;
            self.paint(id, RED);
            self.revisited += 1;
            self.seed = depth;
            return Ok(Leave::Again);
        }
        if self.seed == depth {
            self.seed = None;
        }
        if let Some(left) = self.path.pop() {
            self.colours[left.id.index()].fetch_and(!CYAN, Relaxed);
            let is_other = self.colour(left.id) & RED == 0;
            if let Some(last) = self.path.last_mut() {
                last.has_other |= is_other;
            }
        }
        Ok(Leave::Done)
    }

    fn again(&mut self, s: &mut Vec<u8>) -> S::Key {
        let last = self.path.last().expect("a state is expanded again");
        self.store.load(&mut self.cursor, last.id, s);
        last.key
    }

    #[inline]
    fn load(&mut self, key: S::Key, s: &mut Vec<u8>) {
        S::Recall::load_generated(self.store, &mut self.cursor, key, s);
        if self.seed.is_none()
            && self.system.labels(s).accepting
            && let Some(last) = self.path.last()
        {
            self.paint(last.id, ACCEPTING);
        }
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

impl<T, S: LoadById> Coloured<'_, T, S> {
    /// Bytes of the tables beside the store.
    fn tables(&self) -> u64 {
        self.store.len() + (self.path.capacity() * size_of::<OnPath<S::Key>>()) as u64
    }
}
