//! Depth-first and nested depth-first search with randomised storing (Brim, Černá & Nečesal 2001, §3, Fig. 2: *NestedDFSReSt*): a
//! state that the search leaves is stored with a probability only, and explored again if it is reached again. Less is stored, and
//! more is explored; the answer is the same.
//!
//! Both stacks are known at any time, so each of them is a simple path, and the search ends. Deleting states makes it enter states
//! again, but all that can be reached from such a state was visited, or can be reached from a state on the stack: states are entered
//! for the first time, and left for the first time, in the order of the search that deletes nothing, and so second searches begin in
//! post-order.
//!
//! The test marked (×) in the figure cuts a second search at an accepting state that is not known. Either its own second search is
//! done, or the first search has not reached it; then it can be reached from a state `r` on the stack, and the second search reaches
//! `r`, which closes an accepting cycle. The test has to ask whether the state is accepting: to cut every deleted state loses cycles.
//!
//! Differs from the figure: nothing is deleted from the store. States on the stacks are in sets of their own, and a state is added
//! to the store when the first search leaves and keeps it. The second search reports a step to any state on the path of the first,
//! not to its seed alone; so a mark {s,1} of a state on that path is never asked for.

use homing_core::{
    Blind, Changed, Condition, Cost, Outcome, Purpose, Seed, State, StateId, Step, Stop, Stream, TransitionSystem,
    Violation, Watch, is_below,
};
use homing_store::{Key, Numbered, Recall, StackSet};

use crate::cycles::{Cycles, Lasso};
use crate::depth_first::{Bound, DepthFirst, Entry, Leave, Visited, quick_key};
use crate::limits::Budget;
use crate::{Objective, StepOrder};

/// Which states are stored when they are left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Storing {
    /// When that is decided.
    pub strategy: Strategy,
    /// The probability that a state is stored (`P_sto` in the paper).
    pub keep: Probability,
    /// Of the random numbers.
    pub seed: Seed,
}

/// When it is decided whether a state is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// Each time it is left (§3.1). The expected number of its expansions is at most `1/P_sto`.
    Dynamic,
    /// Once and for all (§3.2): the same share of the states, whatever the search. Regions that are not stored are explored along
    /// every simple path.
    Static,
}

/// A number from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probability(f64);

impl Eq for Probability {} // it is a number

impl Probability {
    /// The probability, if it is from 0 to 1.
    pub fn new(probability: f64) -> Option<Probability> {
        (0.0..=1.0).contains(&probability).then_some(Probability(probability))
    }

    /// As a number.
    pub fn get(self) -> f64 {
        self.0
    }
}

/// Explores `system` from its initial state until an error of `objective` is found or, if `cycles` is given, an acceptance cycle:
/// one through a state whose [labels](TransitionSystem::labels) are accepting. `store` is empty at the start.
///
/// Of the figures, `states` are those stored at the end, and `peak_states` the most that were known at a time: stored, or on a
/// stack. How many distinct states were visited is not known. `limits.max_states` limits those known at a time.
pub fn search<T, S, E, W>(
    system: &T,
    objective: &Objective<'_, E>,
    cycles: Option<&Cycles<'_>>,
    (storing, order): (Storing, StepOrder),
    store: &mut S,
    watch: &mut W,
) -> Outcome<T::Action>
where
    T: TransitionSystem,
    S: Numbered,
    E: Fn(&Violation) -> bool,
    W: Watch,
{
    let Objective { is_error, on_error, limits, observer } = objective;
    let budget = Budget::new(limits, watch).observed_by(*observer);
    let mut search = DepthFirst::new(system, is_error, (*on_error).into(), budget).ordered(order);
    let mut visited = VisitedStates::new(system, cycles.is_some(), storing, store);
    let end = match search.search(&mut visited, &mut Blind, &mut { Bound::NONE }) {
        Ok(()) => search.budget.end(),
        Err(ended) => ended.into(),
    };
    if let (Some(closed), Some(cycles)) = (search.closed.take(), cycles) {
        let mut stem: Vec<_> = closed.actions.into_iter().zip(closed.costs).collect();
        stem.extend(closed.closing);
        let cycle = stem.split_off(visited.back_to.expect("a step leads back to the path"));
        search.best = Some(Lasso { stem, cycle }.into_path(cycles.violation.clone()));
    }
    let mut outcome = search.outcome(end, &visited);
    outcome.stats.matched = visited.matched;
    outcome.stats.revisited = visited.entered - outcome.stats.states;
    outcome.stats.peak_states = visited.peak;
    outcome
}

/// What a state is found by: in the sets of the stacks by its hash, in the store by its key.
#[derive(Clone, Copy, Debug, Default)]
struct FoundBy<K> {
    hash: u64,
    key: K,
}

// keys of a tree change when it is packed anew, hashes never
impl<K> PartialEq for FoundBy<K> {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash
    }
}

impl<K> Eq for FoundBy<K> {}

impl<K> std::hash::Hash for FoundBy<K> {
    fn hash<H: std::hash::Hasher>(&self, hasher: &mut H) {
        self.hash.hash(hasher);
    }
}

impl<K: Key> Key for FoundBy<K> {
    fn spread(self) -> u64 {
        self.hash
    }
}

/// A state on the path.
struct OnPath<K> {
    by: FoundBy<K>,
    frame: Frame,
}

enum Frame {
    /// On the stack of the first search.
    First { is_accepting: bool, is_static_kept: bool },
    /// On the stack of the second search. It is in `second` unless it is stored.
    Second { is_stored: bool },
}

/// *VisitedStates*: those that are stored, and those on the two stacks.
struct VisitedStates<'s, T, S: Numbered> {
    system: &'s T,
    searches_cycles: bool,
    storing: Storing,
    /// One number for each state that is left, or the key of the hash that decides.
    draws: Stream,
    /// The states that were kept: {s,0} for all of them.
    store: &'s mut S,
    cursor: S::Cursor,
    /// A bit by id: {s,1} for states that are stored.
    red: Vec<u64>,
    /// The stack of the first search.
    first: StackSet,
    /// The stack of the second search, without its seed and without states that are stored.
    second: StackSet,
    path: Vec<OnPath<S::Key>>,
    /// The second search is under way.
    is_second: bool,
    entered: u64,
    matched: u64,
    peak: u64,
    /// The depth of the state that a step leads back to.
    back_to: Option<usize>,
}

/// What becomes of a step to a state.
enum Arrival {
    /// The state is known, or cut.
    Known,
    /// The step closes a cycle with the state at this depth.
    Closes(usize),
    /// The state is entered; by the second search perhaps one that is stored.
    Enters(Option<StateId>),
}

impl<'s, T: TransitionSystem, S: Numbered> VisitedStates<'s, T, S> {
    fn new(system: &'s T, searches_cycles: bool, storing: Storing, store: &'s mut S) -> Self {
        let stack = || StackSet::new(store.hidden_prefix());
        VisitedStates {
            system,
            searches_cycles,
            storing,
            draws: storing.seed.stream(Purpose::Keep),
            first: stack(),
            second: stack(),
            cursor: store.cursor(),
            store,
            red: Vec::new(),
            path: Vec::new(),
            is_second: false,
            entered: 0,
            matched: 0,
            peak: 0,
            back_to: None,
        }
    }

    /// A step leads to a state.
    fn arrive(&self, by: FoundBy<S::Key>, t: &State) -> Arrival {
        let on_path = self.first.position(by.hash, t);
        let stored = || self.store.id(by.key, t);
        if !self.is_second {
            return if on_path.is_some() || stored().is_some() { Arrival::Known } else { Arrival::Enters(None) };
        }
        if let Some(depth) = on_path {
            return Arrival::Closes(depth);
        }
        match stored() {
            Some(id) if self.is_red(id) => Arrival::Known,
            Some(id) => Arrival::Enters(Some(id)),
            None if self.second.contains(by.hash, t) => Arrival::Known,
            None if Condition::StoringAccepting.is_met(self.system.labels(t).accepting) => Arrival::Known, // (×)
            None => Arrival::Enters(None),
        }
    }

    fn is_red(&self, id: StateId) -> bool {
        self.red.get(id.index() / 64).is_some_and(|word| word >> (id.index() % 64) & 1 != 0)
    }

    fn redden(&mut self, id: StateId) {
        let word = id.index() / 64;
        if self.red.len() <= word {
            self.red.resize(word + 1, 0);
        }
        self.red[word] |= 1 << (id.index() % 64);
    }

    /// How many states are known.
    fn known(&self) -> u64 {
        self.store.len() + (self.first.len() + self.second.len()) as u64
    }

    /// Bytes of everything beside the store.
    fn tables(&self) -> u64 {
        let path = self.path.capacity() * size_of::<OnPath<S::Key>>() + self.red.capacity() * 8;
        self.first.memory() + self.second.memory() + path as u64
    }

    /// Whether the state that the first search leaves is kept.
    fn is_kept(&mut self, is_static_kept: bool) -> bool {
        match self.storing.strategy {
            Strategy::Dynamic => self.draws.chance(self.storing.keep.0),
            Strategy::Static => is_static_kept,
        }
    }
}

impl<T: TransitionSystem, S: Numbered> Visited for VisitedStates<'_, T, S> {
    type Key = FoundBy<S::Key>;
    type Edge = ();

    const KEEPS_GENERATED: bool = true;
    const ENTERS_AGAIN: bool = true;
    const DECIDES_AT_TURN: bool = true;

    fn key<W: Watch>(
        &mut self,
        budget: &Budget<'_, W>,
        state: &State,
        changed: Changed<'_>,
        memory: u64,
    ) -> Result<FoundBy<S::Key>, Stop> {
        let key = budget.key(self.store, &mut self.cursor, state, changed, memory)?;
        self.store.prefetch(key);
        Ok(FoundBy { hash: self.first.hash(state), key })
    }

    #[inline(always)]
    fn quick_key(&mut self, state: &State, changed: Changed<'_>) -> Option<FoundBy<S::Key>> {
        let key = quick_key(self.store, &mut self.cursor, state, changed)?;
        Some(FoundBy { hash: self.first.hash(state), key })
    }

    fn prefetch_row(&self, by: FoundBy<S::Key>) {
        self.store.prefetch_row(by.key);
    }

    fn edge<A>(&mut self, _: &Step<'_, A>) {}

    fn was_entered(&mut self, by: FoundBy<S::Key>, state: &State, (): ()) -> bool {
        let is_known = matches!(self.arrive(by, state), Arrival::Known);
        self.matched += u64::from(is_known);
        is_known
    }

    fn enter<W: Watch>(
        &mut self,
        budget: &mut Budget<'_, W>,
        (by, state, ()): (FoundBy<S::Key>, &State, ()),
        g: Option<Cost>,
        memory: u64,
    ) -> Result<Entry, Stop> {
        let stored = match self.arrive(by, state) {
            Arrival::Known => {
                self.matched += 1;
                return Ok(Entry::No);
            }
            Arrival::Closes(depth) => {
                self.back_to = Some(depth);
                return Ok(Entry::Cycle);
            }
            Arrival::Enters(_) if g.is_none() => {
                budget.skip_too_deep();
                return Ok(Entry::No);
            }
            Arrival::Enters(stored) => stored,
        };
        budget.admit_besides(self.known(), self.store.memory() + self.tables() + memory)?;
        let frame = match (self.is_second, stored) {
            (false, _) => {
                self.first.push(by.hash, state);
                Frame::First { is_accepting: false, is_static_kept: false } // known once it is loaded
            }
            (true, Some(id)) => {
                self.redden(id);
                Frame::Second { is_stored: true }
            }
            (true, None) => {
                self.second.push(by.hash, state);
                Frame::Second { is_stored: false }
            }
        };
        self.path.push(OnPath { by, frame });
        self.entered += 1;
        self.peak = self.peak.max(self.known());
        Ok(Entry::First)
    }

    fn leave<W: Watch>(&mut self, budget: &Budget<'_, W>, memory: u64) -> Result<Leave, Stop> {
        let Some(OnPath { by, frame }) = self.path.last() else { return Ok(Leave::Done) };
        let by = *by;
        match *frame {
            Frame::First { is_accepting: true, .. } if !self.is_second => {
                self.is_second = true; // the state is its seed
                self.entered += 1;
                return Ok(Leave::Again);
            }
            Frame::First { is_static_kept, .. } => {
                let was_seed = std::mem::take(&mut self.is_second);
                if self.is_kept(is_static_kept) {
                    let memory = memory + self.tables();
                    let left = (by.key, self.first.last());
                    let (id, _) = budget.admit_numbered(self.store, &mut self.cursor, left, memory)?;
                    if was_seed {
                        self.redden(id);
                    }
                }
                self.first.pop();
            }
            Frame::Second { is_stored: true } => {}
            Frame::Second { is_stored: false } => self.second.pop(),
        }
        self.path.pop();
        Ok(Leave::Done)
    }

    fn again(&mut self, s: &mut Vec<u8>) -> FoundBy<S::Key> {
        s.clear();
        s.extend_from_slice(self.first.last());
        self.path.last().expect("a state is expanded again").by
    }

    fn load(&mut self, by: FoundBy<S::Key>, s: &mut Vec<u8>) {
        S::Recall::load_generated(self.store, &mut self.cursor, by.key, s);
        if let Some(OnPath { frame: Frame::First { is_accepting, is_static_kept }, .. }) = self.path.last_mut()
            && !self.is_second
        {
            *is_accepting = self.searches_cycles && self.system.labels(s).accepting;
            let identity = &s[self.store.hidden_prefix()..];
            *is_static_kept = self.storing.strategy == Strategy::Static
                && is_below(self.draws.hash(0, identity), self.storing.keep.0);
        }
    }

    fn states(&self) -> u64 {
        self.store.len()
    }

    fn matched(&self) -> Option<u64> {
        Some(self.matched + self.entered - self.store.len())
    }

    fn memory(&self) -> u64 {
        self.store.memory() + self.tables()
    }
}

#[cfg(test)]
mod tests;
