//! Depth-first search below a bound: the one loop of all searches that go down again and again, or no deeper than told.
//! They differ in what they know of the states they met (`Visited`) and in how they move the bound.
//!
//! Invariant: a step in the stack `d` leads to a state or an error that was within the bound when it was shown.
//! Differs from depth-first search without a bound (`dfs.rs`) in that a state may be entered again, by a shorter path.

use std::collections::HashSet;
use std::ops::ControlFlow;

use homing_core::{
    Changed, Cost, End, Estimate, Outcome, Path, Progress, Selection, State, Stats, Stop, Target, TransitionSystem,
    Violation, Watch,
};
use homing_store::Key;

use crate::budget::Budget;
use crate::stack::{Pended, Stack};
use crate::{Errors, Weight};

/// What a search knows of the states it met, and how it finds them again.
pub(crate) trait Visited {
    type Key: Key;

    /// Whether the bytes of a state have to wait with it, because its key is not enough to open it.
    const NEEDS_BYTES: bool;

    /// A descent begins at the root.
    fn begin(&mut self);

    /// The key of a state. `memory` is what the search holds besides, here and below.
    fn key<W: Watch>(
        &mut self,
        budget: &Budget<'_, W>,
        state: &State,
        changed: Changed<'_>,
        memory: u64,
    ) -> Result<Self::Key, Stop>;

    /// Whether a path to the state was followed before, of whatever length.
    fn knows(&self, key: Self::Key, state: &State) -> bool;

    /// A path of length `g` leads to the state. `estimate` is asked if its estimate is not known.
    fn meet<W: Watch>(
        &mut self,
        budget: &Budget<'_, W>,
        met: (Self::Key, &State),
        g: Cost,
        memory: u64,
        estimate: impl FnOnce() -> Option<Cost>,
    ) -> Result<Met, Stop>;

    /// The turn of a state that was met has come.
    fn enter<W: Watch>(
        &mut self,
        budget: &Budget<'_, W>,
        met: (Self::Key, &State),
        reach: Reach,
        memory: u64,
    ) -> Result<Entry, Stop>;

    /// Makes the state that is entered the one that keys are made from. Its bytes are in `s`, or get there.
    fn open(&mut self, key: Self::Key, s: &mut Vec<u8>);

    fn states(&self) -> u64;

    /// Bytes it holds.
    fn memory(&self) -> u64;
}

/// How far down a state is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    /// The length of the path to it.
    pub g: Cost,
    /// How many states the path has before it.
    pub states: usize,
}

/// What a path to a state is good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Met {
    /// Nothing: one that is as good was followed, or will be.
    Before,
    /// Nothing: no error can be reached from the state.
    DeadEnd,
    /// It is to be followed if the estimate is within the bound.
    Open { h: Cost },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// The state was entered meanwhile, by a path as good.
    No,
    /// For the first time in this descent.
    First,
    /// By a better path than before.
    Again,
}

/// `f = g + W·h` of what is followed.
pub(crate) struct Bound {
    pub weight: Weight,
    pub most: Cost,
    /// The least `f` beyond the bound that was met.
    pub beyond: Option<Cost>,
}

impl Bound {
    pub fn new(weight: Weight, most: Cost) -> Self {
        Bound { weight, most, beyond: None }
    }

    fn admits(&mut self, g: Cost, h: Cost) -> bool {
        let f = g.saturating_add(self.weight.times(h));
        if f > self.most {
            self.beyond = Some(self.beyond.map_or(f, |beyond| beyond.min(f)));
        }
        f <= self.most
    }
}

/// What is done about an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    Stop,
    /// Each error is counted once, though its state may be entered again.
    Count,
    /// It goes on below the length of the path.
    GoShorter,
}

impl From<Errors> for Then {
    fn from(errors: Errors) -> Self {
        match errors {
            Errors::StopAtFirst => Then::Stop,
            Errors::CountAll => Then::Count,
        }
    }
}

/// Why a descent ended before everything within the bound was seen.
pub(crate) enum Halt {
    Found,
    Stopped(Stop),
}

impl From<Stop> for Halt {
    fn from(limit: Stop) -> Self {
        Halt::Stopped(limit)
    }
}

impl From<Halt> for End {
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::Found => End::Found,
            Halt::Stopped(limit) => End::Stopped(limit),
        }
    }
}

/// Descents into one system, and what they brought home.
pub(crate) struct Descents<'a, T: TransitionSystem, E, W, K> {
    pub system: &'a T,
    is_error: E,
    then: Then,
    pub budget: Budget<'a, W>,
    /// The best error so far: the last where each has to be shorter, the first otherwise.
    pub best: Option<Path<T::Action>>,
    errors: u64,
    counted: HashSet<(K, u32)>,
    arrivals: u64,
    reopened: u64,
    max_depth: Cost,
    stack_memory: u64,
}

impl<'a, T, E, W, K> Descents<'a, T, E, W, K>
where
    T: TransitionSystem,
    E: Fn(&Violation) -> bool,
    W: Watch,
    K: Key,
{
    pub fn new(system: &'a T, is_error: E, then: Then, budget: Budget<'a, W>) -> Self {
        Descents {
            system,
            is_error,
            then,
            budget,
            best: None,
            errors: 0,
            counted: HashSet::new(),
            arrivals: 0,
            reopened: 0,
            max_depth: 0,
            stack_memory: 0,
        }
    }

    /// Goes down from the root as far as the bound lets it.
    pub fn descend<V: Visited<Key = K>, H: Estimate>(
        &mut self,
        visited: &mut V,
        h: &mut H,
        bound: &mut Bound,
    ) -> Result<(), Halt> {
        let mut d = Stack::new();
        let halt = self.follow(&mut d, visited, h, bound);
        self.stack_memory = self.stack_memory.max(d.memory());
        while self.best.is_none()
            && matches!(halt, Err(Halt::Stopped(_)))
            && let Some((mut actions, g, step)) = d.next_violation()
        {
            // the limit was hit before the turn of this error came, but an error it is
            if let Some(length) = self.budget.lengthen(g, step.cost) {
                self.errors = 1;
                actions.push(step.action);
                self.best = Some(Path::finite(actions, length, step.violation));
            }
        }
        halt
    }

    fn follow<V: Visited<Key = K>, H: Estimate>(
        &mut self,
        d: &mut Stack<T::Action, K>,
        visited: &mut V,
        h: &mut H,
        bound: &mut Bound,
    ) -> Result<(), Halt> {
        let mut s = self.system.initial().into_vec(); // the one buffer that holds the state being entered
        visited.begin();
        let mut key = visited.key(&self.budget, &s, Changed::Anywhere, 0)?;
        let root = visited.meet(&self.budget, (key, &s), 0, 0, || h.distance(&s).map(|root| root.h))?;
        match root {
            Met::Open { h } if bound.admits(0, h) => {
                visited.enter(&self.budget, (key, &s), Reach { g: 0, states: 0 }, 0)?
            }
            _ => return Ok(()),
        };
        loop {
            visited.open(key, &mut s);
            self.max_depth = self.max_depth.max(d.g());
            self.expand(d, visited, h, bound, (key, &s))?;
            key = loop {
                let Some(turn) = d.next(&mut s) else { return Ok(()) };
                let g = d.g() + turn.cost;
                if g > bound.most {
                    continue; // the bound was moved
                }
                match turn.target {
                    Pended::Violation(violation) => {
                        self.max_depth = self.max_depth.max(g);
                        self.errors += 1;
                        if self.best.is_none() || self.then == Then::GoShorter {
                            let mut actions = d.actions();
                            actions.push(turn.action);
                            self.best = Some(Path::finite(actions, g, violation));
                        }
                        match (self.then, g.checked_sub(1)) {
                            (Then::Count, _) => {}
                            (Then::GoShorter, Some(shorter)) => bound.most = shorter,
                            (Then::Stop, _) | (Then::GoShorter, None) => return Err(Halt::Found),
                        }
                    }
                    Pended::State(at) => {
                        let reach = Reach { g, states: d.steps() + 1 };
                        let entry = visited.enter(&self.budget, (at, &s), reach, d.memory())?;
                        self.reopened += u64::from(entry == Entry::Again);
                        if entry != Entry::No {
                            d.enter(turn.action, turn.cost);
                            break at;
                        }
                    }
                }
            };
        }
    }

    /// Puts the steps of a state on the stack, as far as they are within the bound and good for something.
    fn expand<V: Visited<Key = K>, H: Estimate>(
        &mut self,
        d: &mut Stack<T::Action, K>,
        visited: &mut V,
        h: &mut H,
        bound: &mut Bound,
        (key, s): (K, &State),
    ) -> Result<(), Stop> {
        let progress = |visited: &V, d: &Stack<_, _>, arrivals: u64, errors: u64| Progress {
            states: visited.states(),
            transitions: arrivals + 1,
            depth: d.g(),
            frontier: d.pending() as u64 + 1,
            memory: visited.memory() + d.memory(),
            errors,
        };
        self.budget.charge_expansion(|| progress(visited, d, self.arrivals, self.errors))?;
        h.expand(s);
        let (mut ordinal, mut going) = (0, Ok(()));
        self.system.for_each_step(s, Selection::All, |step| {
            let g = self.budget.lengthen(d.g(), step.cost);
            match (step.target, g) {
                (Target::State(target), g) => {
                    let mut met = || -> Result<Option<K>, Stop> {
                        let to = visited.key(&self.budget, target, step.changed, d.memory())?;
                        let Some(g) = g else {
                            let is_known = visited.knows(to, target);
                            self.arrivals += u64::from(is_known);
                            if !is_known {
                                self.budget.leave_aside();
                            }
                            return Ok(None);
                        };
                        self.arrivals += 1;
                        let estimate = || h.distance_after(target, step.changed).map(|target| target.h);
                        let met = visited.meet(&self.budget, (to, target), g, d.memory(), estimate)?;
                        Ok(matches!(met, Met::Open { h } if bound.admits(g, h)).then_some(to))
                    };
                    match met() {
                        Ok(Some(to)) => {
                            d.keep_state(step.action, step.cost, to, V::NEEDS_BYTES.then_some(target));
                        }
                        Ok(None) => {}
                        Err(limit) => going = Err(limit),
                    }
                }
                (Target::Violation(violation), _) if !(self.is_error)(&violation) => {}
                (Target::Violation(violation), Some(g)) => {
                    if bound.admits(g, 0) && (self.then != Then::Count || self.counted.insert((key, ordinal))) {
                        d.keep_violation(step.action, step.cost, violation);
                    }
                }
                (Target::Violation(_), None) => self.budget.leave_aside(),
                (Target::CutOff, _) => {
                    let progress = || progress(visited, d, self.arrivals, self.errors);
                    going = self.budget.cut_off(d.g(), step.cost, progress);
                }
            }
            ordinal += 1;
            if going.is_ok() {
                going = self.budget.charge_step(|| progress(visited, d, self.arrivals, self.errors));
            }
            if going.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        d.turn_over(|_, _| false);
        going
    }

    /// What was brought home. Where states were met again and again, each time counts as an target.
    pub fn outcome<V: Visited>(self, end: End, visited: &V) -> Outcome<T::Action> {
        let states = visited.states();
        let stats = Stats {
            states,
            expanded: self.budget.expansions(),
            matched: (self.arrivals + 1).saturating_sub(states),
            reopened: self.reopened,
            peak_states: states,
            reduced: 0,
            max_depth: self.max_depth,
            memory: visited.memory() + self.stack_memory,
        };
        Outcome { end, path: self.best, errors: self.errors, stats }
    }
}
