//! The depth-first loop: the one loop of all searches that follow a path, leave it and come back.
//!
//! A search is this loop with a [`Visited`], which decides when a step leads on (*generated*, *enter*) and hears when a state is
//! left (*leave*), perhaps to expand it once more, and with a [`Bound`] on `f` that may move. Depth-first search enters a state once; depth-limited search,
//! iterative deepening and stateless search enter it again, by a shorter path or by any.
//!
//! Invariant: the steps still to come of the states on the path are in the stack `d`, those of the deepest state on top.
//! The steps of a state are generated once each time it is entered. An error may happen inside a step, so it has its turn among
//! the steps, or before them if they have a random order.

pub(crate) mod depths;
mod generation;
mod stack;

use std::collections::HashSet;

use homing_core::{
    Changed, Cost, End, Estimate, Estimated, Outcome, Path, Purpose, Selection, State, Stats, Step, Stop, Stream,
    TransitionSystem, Violation, Watch,
};
use homing_store::{Key, Recall, Store};

use crate::limits::Budget;
use crate::{OnError, StepOrder, Weight};
use generation::Generation;
use stack::{PendingTarget, Stack, Turn};

/// What a depth-first search knows of the states it visits.
pub(crate) trait Visited {
    /// What a state is found by.
    type Key: Key;
    /// What is kept of a step to a state until its turn.
    type Edge: Copy + Default;

    /// The bytes of a generated state are kept until its turn, because it cannot be loaded by its key.
    const KEEPS_GENERATED: bool;
    /// A state may be entered more than once.
    const ENTERS_AGAIN: bool;
    /// Whether a state is entered is decided at its turn: it is not [generated](Visited::generated), but all states that a state
    /// leads to are looked up together first ([`Visited::was_entered`]).
    const DECIDES_AT_TURN: bool;

    /// The search begins at the root, perhaps again.
    fn begin(&mut self) {}

    /// The key of a state. `memory` is what the search holds besides, here and below.
    fn key<W: Watch>(
        &mut self,
        budget: &Budget<'_, W>,
        state: &State,
        changed: Changed<'_>,
        memory: u64,
    ) -> Result<Self::Key, Stop>;

    /// The key of a state if it is quickly made and there is room. Asked for only if whether a state is entered is decided at its
    /// turn.
    #[inline(always)]
    fn quick_key(&mut self, state: &State, changed: Changed<'_>) -> Option<Self::Key> {
        let _ = (state, changed);
        None
    }

    /// A step leads to a state by a path of length `g`, or by one that is too long. `estimate` is called if the estimate of the
    /// state is not known.
    fn generated<W: Watch>(
        &mut self,
        budget: &Budget<'_, W>,
        generated: (Self::Key, &State),
        g: Option<Cost>,
        memory: u64,
        estimate: impl FnOnce() -> Option<Estimated>,
    ) -> Result<Generated, Stop> {
        let _ = (budget, generated, g, memory, estimate);
        Ok(Generated::HasTurn { h: 0 })
    }

    /// Fetches the memory in which a generated state will be looked up.
    fn prefetch_row(&self, _: Self::Key) {}

    /// What is kept of a step of the state under way.
    fn edge<A>(&mut self, step: &Step<'_, A>) -> Self::Edge;

    /// Whether a generated state was entered before, and so needs no turn.
    fn was_entered(&mut self, _: Self::Key, _: &State, _: Self::Edge) -> bool {
        false
    }

    /// Whether a step of the state under way that needs no turn closes a cycle that is an error.
    fn closes_cycle(&self) -> bool {
        false
    }

    /// The turn of a generated state has come, by a path of length `g` or by one that is too long. Whether it is entered.
    fn enter<W: Watch>(
        &mut self,
        budget: &mut Budget<'_, W>,
        generated: (Self::Key, &State, Self::Edge),
        g: Option<Cost>,
        memory: u64,
    ) -> Result<Entry, Stop>;

    /// The deepest state of the path is left: all its steps had their turn.
    fn leave<W: Watch>(&mut self, budget: &Budget<'_, W>, memory: u64) -> Result<Leave, Stop> {
        let _ = (budget, memory);
        Ok(Leave::Done)
    }

    /// The key of the deepest state of the path, which is expanded again; its bytes get into `s`.
    fn again(&mut self, _: &mut Vec<u8>) -> Self::Key {
        unreachable!("no state is expanded again unless the search asks for it")
    }

    /// Makes the entered state the parent of keys. Its bytes are in `s`, or get there.
    fn load(&mut self, key: Self::Key, s: &mut Vec<u8>);

    /// How many states were stored or, if none are, entered.
    fn states(&self) -> u64;

    /// How many steps led to a state that was visited before, if that is not known until their turn.
    fn matched(&self) -> Option<u64> {
        None
    }

    /// Bytes it holds.
    fn memory(&self) -> u64;
}

/// The key of a state for a search that decides at its turn, as [`Visited::quick_key`].
#[inline(always)]
pub(crate) fn quick_key<S: Store>(
    store: &S,
    cursor: &mut S::Cursor,
    state: &State,
    changed: Changed<'_>,
) -> Option<S::Key> {
    let key = if S::Recall::KEEPS_GENERATED {
        store.key(cursor, state, changed).ok()?
    } else {
        store.quick_key(cursor, state, changed)?
    };
    store.prefetch(key);
    Some(key)
}

/// What becomes of a generated state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Generated {
    /// It is not known, and too deep.
    TooDeep,
    /// It is skipped: a path as good was followed or will be, or no error can be reached from it.
    Skipped,
    /// It has a turn if it is within the bound.
    HasTurn { h: Cost },
}

/// Whether a state is entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// No: it was entered meanwhile by a path as good, or is too deep.
    No,
    /// For the first time since the search began at the root.
    First,
    /// By a better path than before.
    Again,
    /// No: the step closes a cycle that is an error.
    Cycle,
}

/// Whether a state whose steps had their turn is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leave {
    /// It is left.
    Done,
    /// It is expanded again: a nested search begins there.
    Again,
    /// It is not left: from it on there is a cycle that is an error.
    Cycle,
}

/// A path that closes a cycle.
pub(crate) struct Closed<A> {
    /// The steps from the root to the last state.
    pub actions: Vec<A>,
    /// Their costs.
    pub costs: Vec<Cost>,
    /// The step that closes the cycle, if it had a turn.
    pub closing: Option<(A, Cost)>,
}

/// A bound on `f = g + W·h` of what is followed.
pub(crate) struct Bound {
    pub weight: Weight,
    pub most: Cost,
    /// The least `f` beyond the bound: the next threshold of iterative deepening.
    pub next_threshold: Option<Cost>,
}

impl Bound {
    /// No bound.
    pub const NONE: Bound = Bound::new(Weight::ZERO, Cost::MAX);

    pub const fn new(weight: Weight, most: Cost) -> Self {
        Bound { weight, most, next_threshold: None }
    }

    #[inline]
    fn admits(&mut self, g: Cost, h: Cost) -> bool {
        let f = g.saturating_add(self.weight.times(h));
        if f > self.most {
            self.next_threshold = Some(self.next_threshold.map_or(f, |least| least.min(f)));
        }
        f <= self.most
    }
}

/// What is done when an error has its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AtError {
    Stop,
    /// Each error is counted once, though its state may be entered again.
    Count,
    /// The search goes on below the length of its path.
    Shorten,
}

impl From<OnError> for AtError {
    fn from(on_error: OnError) -> Self {
        match on_error {
            OnError::Stop => AtError::Stop,
            OnError::Count => AtError::Count,
        }
    }
}

/// Why the loop ended before everything within the bound was seen.
pub(crate) enum Ended {
    Found,
    Stopped(Stop),
}

impl From<Stop> for Ended {
    fn from(stop: Stop) -> Self {
        Ended::Stopped(stop)
    }
}

impl From<Ended> for End {
    fn from(ended: Ended) -> Self {
        match ended {
            Ended::Found => End::Found,
            Ended::Stopped(stop) => End::Stopped(stop),
        }
    }
}

/// Depth-first searches of one system, and what they found.
pub(crate) struct DepthFirst<'a, T: TransitionSystem, E, W, K> {
    system: &'a T,
    is_error: &'a E,
    at_error: AtError,
    /// Where the random order of steps comes from.
    order: Option<Stream>,
    pub budget: Budget<'a, W>,
    /// The best error so far: the last where each has to be shorter, the first otherwise.
    pub best: Option<Path<T::Action>>,
    /// A path that closes a cycle which is an error.
    pub closed: Option<Closed<T::Action>>,
    errors: u64,
    counted: HashSet<(K, u32)>,
    /// Steps to states that were taken, except to unknown ones that are too deep.
    steps: u64,
    reopened: u64,
    max_depth: Cost,
    stack_memory: u64,
}

impl<'a, T, E, W, K> DepthFirst<'a, T, E, W, K>
where
    T: TransitionSystem,
    E: Fn(&Violation) -> bool,
    W: Watch,
    K: Key,
{
    pub fn new(system: &'a T, is_error: &'a E, at_error: AtError, budget: Budget<'a, W>) -> Self {
        DepthFirst {
            system,
            is_error,
            at_error,
            order: None,
            budget,
            best: None,
            closed: None,
            errors: 0,
            counted: HashSet::new(),
            steps: 0,
            reopened: 0,
            max_depth: 0,
            stack_memory: 0,
        }
    }

    /// Follows the steps of each state in this order.
    pub fn ordered(self, order: StepOrder) -> Self {
        let order = match order {
            StepOrder::AsShown => None,
            StepOrder::Random(seed) => Some(seed.stream(Purpose::Order)),
        };
        DepthFirst { order, ..self }
    }

    /// Searches from the root as far as the bound allows.
    pub fn search<V: Visited<Key = K>, H: Estimate>(
        &mut self,
        visited: &mut V,
        h: &mut H,
        bound: &mut Bound,
    ) -> Result<(), Ended> {
        let mut d = Stack::new();
        let ended = self.follow(&mut d, visited, h, bound);
        self.stack_memory = self.stack_memory.max(d.memory());
        while self.best.is_none()
            && matches!(ended, Err(Ended::Stopped(_)))
            && let Some((mut actions, g, error)) = d.pop_error()
        {
            // a limit was reached before its turn, but it is an error
            if let Some(length) = self.budget.lengthen(g, error.cost) {
                self.errors = 1;
                actions.push(error.action);
                self.best = Some(Path::finite(actions, length, error.violation));
            }
        }
        ended
    }

    fn follow<V: Visited<Key = K>, H: Estimate>(
        &mut self,
        d: &mut Stack<T::Action, K, V::Edge>,
        visited: &mut V,
        h: &mut H,
        bound: &mut Bound,
    ) -> Result<(), Ended> {
        let mut s = self.system.initial().into_vec(); // the one buffer that holds the state being entered
        visited.begin();
        let mut key = visited.key(&self.budget, &s, Changed::Anywhere, 0)?;
        let root = visited.generated(&self.budget, (key, &s), Some(0), 0, || h.distance(&s))?;
        match root {
            Generated::HasTurn { h } if bound.admits(0, h) => {}
            _ => return Ok(()),
        }
        let edge = visited.edge(&Step::to((), 0, &s));
        visited.enter(&mut self.budget, (key, &s, edge), Some(0), 0)?;
        loop {
            visited.load(key, &mut s);
            self.max_depth = self.max_depth.max(d.g());
            self.expand(d, visited, h, bound, (key, &s))?;
            if visited.closes_cycle() {
                return self.found_cycle(d, None);
            }
            key = loop {
                let memory = d.memory();
                let next = match d.next(&mut s, || visited.leave(&self.budget, memory))? {
                    Turn::Step(next) => next,
                    Turn::Again => break visited.again(&mut s),
                    Turn::Cycle => return self.found_cycle(d, None),
                    Turn::End => return Ok(()),
                };
                let g = self.budget.lengthen(d.g(), next.cost);
                if g.is_some_and(|g| g > bound.most) {
                    continue; // the bound was moved
                }
                match next.target {
                    PendingTarget::Error(violation) => {
                        if let Some(g) = g {
                            self.found(d, (next.action, violation), g, bound)?;
                        }
                    }
                    PendingTarget::State(target, edge) => {
                        let entry = visited.enter(&mut self.budget, (target, &s, edge), g, d.memory())?;
                        if V::ENTERS_AGAIN {
                            self.reopened += u64::from(entry == Entry::Again);
                        }
                        match entry {
                            Entry::No if visited.closes_cycle() => return self.found_cycle(d, None),
                            Entry::No => {}
                            Entry::Cycle => return self.found_cycle(d, Some((next.action, next.cost))),
                            Entry::First | Entry::Again => {
                                d.enter(next.action, next.cost);
                                break target;
                            }
                        }
                    }
                }
            };
        }
    }

    /// A step of the state under way closes a cycle that is an error.
    #[cold]
    fn found_cycle<G: Copy + Default>(
        &mut self,
        d: &Stack<T::Action, K, G>,
        closing: Option<(T::Action, Cost)>,
    ) -> Result<(), Ended> {
        self.errors += 1;
        self.closed = Some(Closed { actions: d.actions(), costs: d.costs(), closing });
        Err(Ended::Found)
    }

    /// An error has its turn, at the end of a path of length `g`.
    #[cold]
    fn found<G: Copy + Default>(
        &mut self,
        d: &Stack<T::Action, K, G>,
        (action, violation): (T::Action, Violation),
        g: Cost,
        bound: &mut Bound,
    ) -> Result<(), Ended> {
        self.max_depth = self.max_depth.max(g);
        self.errors += 1;
        if self.best.is_none() || self.at_error == AtError::Shorten {
            let mut actions = d.actions();
            actions.push(action);
            self.best = Some(Path::finite(actions, g, violation));
        }
        match (self.at_error, g.checked_sub(1)) {
            (AtError::Count, _) => Ok(()),
            (AtError::Shorten, Some(shorter)) => {
                bound.most = shorter;
                Ok(())
            }
            (AtError::Stop, _) | (AtError::Shorten, None) => Err(Ended::Found),
        }
    }

    /// Puts the steps of a state on the stack, as far as they are within the bound and lead on.
    #[inline]
    fn expand<V: Visited<Key = K>, H: Estimate>(
        &mut self,
        d: &mut Stack<T::Action, K, V::Edge>,
        visited: &mut V,
        h: &mut H,
        bound: &mut Bound,
        (key, s): (K, &State),
    ) -> Result<(), Stop> {
        let (system, g) = (self.system, d.g());
        let mut generation = Generation { search: self, d, visited, h, bound, key, g, going: Ok(()) };
        generation.begin(s)?;
        system.for_each_step(s, Selection::All, |step| generation.take(step));
        let Generation { search, d, visited, going, .. } = generation;
        if V::DECIDES_AT_TURN {
            d.generated_keys().for_each(|key| visited.prefetch_row(key));
            d.seal(|key, target, edge| visited.was_entered(key, target, edge));
        } else {
            d.seal(|_, _, _| false);
        }
        if let Some(order) = &mut search.order {
            d.shuffle(order);
        }
        going
    }

    /// The outcome of a search that ended so.
    pub fn outcome<V: Visited>(self, end: End, visited: &V) -> Outcome<T::Action> {
        let states = visited.states();
        let stats = Stats {
            states,
            expanded: self.budget.expansions(),
            matched: transitions(visited, self.steps).saturating_sub(states),
            revisited: 0,
            reopened: self.reopened,
            peak_states: states,
            reduced: 0,
            left_out: 0,
            max_depth: self.max_depth,
            clear_below: 0,
            contradictions: 0,
            memory: visited.memory() + self.stack_memory,
        };
        Outcome { end, path: self.best, errors: self.errors, stats }
    }
}

/// How many steps to states were taken, the initial state counted as one. Where states are entered again, each time counts.
fn transitions<V: Visited>(visited: &V, steps: u64) -> u64 {
    visited.matched().map_or(steps + 1, |matched| visited.states() + matched)
}
