//! Stateless search (Holzmann, The SPIN Model Checker, ch. 8, "Trade-Offs", Fig. 8.5): nothing is stored but the path under
//! way.
//!
//! A state is entered once for each path to it that has no state twice: hardly any memory, and in the worst case time that
//! is exponential in the number of states. What it proves holds for paths within the bound.
//! Differs from the book: states on the path are found by their hash before they are compared.

use std::collections::HashMap;
use std::collections::hash_map::Entry as Place;
use std::hash::{DefaultHasher, Hasher};

use homing_core::{Blind, Changed, Cost, Limit, Limits, Outcome, State, Stop, TransitionSystem, Violation, Watch};

use crate::budget::Budget;
use crate::descent::{Bound, Descents, Entry, Met, Reach, Visited};
use crate::{Errors, Weight};

/// How deep a search goes that is not told: as deep as SPIN does.
pub const DEFAULT_DEPTH: Cost = 10_000;

/// Explores `system` from its initial state, deepest states first, no deeper than `limits.max_depth` or
/// [`DEFAULT_DEPTH`]. Violations for which `is_error` is false are passed over.
///
/// States are compared after a [hidden prefix](homing_store::Store::hidden_prefix) of so many bytes.
///
/// Every visit of a state counts as a state, and is limited by `limits.max_states`.
pub fn search<T, W>(
    system: &T,
    is_error: impl Fn(&Violation) -> bool,
    errors: Errors,
    hidden_prefix: usize,
    limits: &Limits,
    watch: &mut W,
) -> Outcome<T::Action>
where
    T: TransitionSystem,
    W: Watch,
{
    let limits = Limits { max_depth: limits.max_depth.or(Some(DEFAULT_DEPTH)), ..*limits };
    let mut descents = Descents::new(system, is_error, errors.into(), Budget::new(&limits, watch));
    let mut visited = OnPath::new(hidden_prefix, &limits);
    let mut bound = Bound::new(Weight::ZERO, Cost::MAX); // the limit on the depth is the budget's
    let end = match descents.descend(&mut visited, &mut Blind, &mut bound) {
        Ok(()) => descents.budget.end(),
        Err(halt) => halt.into(),
    };
    let mut outcome = descents.outcome(end, &visited);
    outcome.stats.peak_states = visited.most as u64;
    outcome
}

/// The states on the path under way.
struct OnPath<'l> {
    limits: &'l Limits,
    /// How many bytes in front of each state are no part of its identity.
    hidden_prefix: usize,
    frames: Vec<Frame>,
    bytes: Vec<u8>,
    /// Of each hash the deepest state that has it.
    deepest: HashMap<u64, u32>,
    entered: u64,
    most: usize,
    most_bytes: usize,
}

struct Frame {
    key: u64,
    /// Where its bytes begin.
    start: usize,
    /// The next state above that has the same hash.
    above: Option<u32>,
}

impl<'l> OnPath<'l> {
    fn new(hidden_prefix: usize, limits: &'l Limits) -> Self {
        OnPath {
            limits,
            hidden_prefix,
            frames: Vec::new(),
            bytes: Vec::new(),
            deepest: HashMap::new(),
            entered: 0,
            most: 0,
            most_bytes: 0,
        }
    }

    fn identity(&self, at: u32) -> &[u8] {
        let at = at as usize;
        let end = self.frames.get(at + 1).map_or(self.bytes.len(), |next| next.start);
        &self.bytes[self.frames[at].start..end]
    }

    /// Leaves the states below the first ones of the path.
    fn leave(&mut self, remain: usize) {
        while self.frames.len() > remain
            && let Some(frame) = self.frames.pop()
        {
            self.bytes.truncate(frame.start);
            match frame.above {
                Some(above) => self.deepest.insert(frame.key, above),
                None => self.deepest.remove(&frame.key),
            };
        }
    }
}

impl Visited for OnPath<'_> {
    type Key = u64;

    const NEEDS_BYTES: bool = true;

    fn begin(&mut self) {
        self.leave(0);
    }

    fn key<W: Watch>(&mut self, _: &Budget<'_, W>, state: &State, _: Changed<'_>, _: u64) -> Result<u64, Stop> {
        let mut hasher = DefaultHasher::new();
        hasher.write(&state[self.hidden_prefix..]);
        Ok(hasher.finish())
    }

    fn knows(&self, key: u64, state: &State) -> bool {
        let next = |&at: &u32| self.frames[at as usize].above;
        let mut same_hash = std::iter::successors(self.deepest.get(&key).copied(), next);
        same_hash.any(|at| self.identity(at) == &state[self.hidden_prefix..])
    }

    fn meet<W: Watch>(
        &mut self,
        _: &Budget<'_, W>,
        (key, state): (u64, &State),
        _: Cost,
        _: u64,
        estimate: impl FnOnce() -> Option<Cost>,
    ) -> Result<Met, Stop> {
        if self.knows(key, state) {
            return Ok(Met::Before);
        }
        Ok(estimate().map_or(Met::DeadEnd, |h| Met::Open { h }))
    }

    fn enter<W: Watch>(
        &mut self,
        _: &Budget<'_, W>,
        (key, state): (u64, &State),
        reach: Reach,
        memory: u64,
    ) -> Result<Entry, Stop> {
        self.leave(reach.states);
        if self.limits.max_states.is_some_and(|most| self.entered >= most) {
            return Err(Stop::Limit(Limit::States));
        }
        if self.limits.memory.is_some_and(|most| memory + self.memory() > most) {
            return Err(Stop::Limit(Limit::Memory));
        }
        let at = self.frames.len() as u32;
        let above = match self.deepest.entry(key) {
            Place::Occupied(mut place) => Some(place.insert(at)),
            Place::Vacant(place) => {
                place.insert(at);
                None
            }
        };
        self.frames.push(Frame { key, start: self.bytes.len(), above });
        self.bytes.extend_from_slice(&state[self.hidden_prefix..]);
        self.entered += 1;
        self.most = self.most.max(self.frames.len());
        self.most_bytes = self.most_bytes.max(self.bytes.len());
        Ok(Entry::First)
    }

    fn open(&mut self, _: u64, _: &mut Vec<u8>) {}

    fn states(&self) -> u64 {
        self.entered
    }

    fn memory(&self) -> u64 {
        (self.most_bytes + self.most * (size_of::<Frame>() + size_of::<(u64, u32)>())) as u64
    }
}

#[cfg(test)]
mod tests {
    use homing_core::{End, Unwatched};

    use super::*;
    use crate::testing::Row::{Bad, To};
    use crate::testing::{Chain, Table};

    fn run(system: &Table, errors: Errors, limits: Limits) -> Outcome<usize> {
        search(system, |_| true, errors, 0, &limits, &mut Unwatched)
    }

    #[test]
    fn a_state_is_entered_by_every_path_but_never_twice_on_one() {
        let system = Table::new(&[
            ("a", &[To("b", 1), To("c", 1)]),
            ("b", &[To("a", 1), To("d", 1)]),
            ("c", &[To("d", 1)]),
            ("d", &[To("b", 1), To("d", 1)]),
        ]);
        let outcome = run(&system, Errors::StopAtFirst, Limits::default());
        assert_eq!(*system.expanded.lock().unwrap(), ["a", "b", "d", "c", "d", "b"]);
        assert_eq!((outcome.end, outcome.stats.states, outcome.stats.peak_states), (End::Exhausted, 6, 4));
        assert_eq!((outcome.stats.max_depth, outcome.stats.matched), (3, 6));
    }

    #[test]
    fn it_finds_what_is_within_the_bound() {
        let system =
            Table::new(&[("a", &[To("b", 1), To("c", 1)]), ("b", &[To("c", 1)]), ("c", &[To("a", 1), Bad("far", 2)])]);
        let at_most = |depth| Limits { max_depth: Some(depth), ..Limits::default() };
        let outcome = run(&system, Errors::StopAtFirst, at_most(3));
        let path = outcome.path.expect("an error");
        assert_eq!((outcome.end, path.actions, path.shortest), (End::Found, vec![1, 1], false));
        let outcome = run(&system, Errors::StopAtFirst, at_most(2));
        assert_eq!((outcome.end, outcome.errors), (End::Stopped(Stop::Limit(Limit::Depth)), 0));
        let outcome = run(&system, Errors::CountAll, at_most(9));
        assert_eq!((outcome.end, outcome.errors), (End::Exhausted, 1), "one error, by two paths");
    }

    #[test]
    fn it_does_not_go_deeper_than_told() {
        let chain = Chain { last: 1_000_000 };
        let outcome = search(&chain, |_| true, Errors::StopAtFirst, 0, &Limits::default(), &mut Unwatched);
        assert_eq!((outcome.end, outcome.stats.max_depth), (End::Stopped(Stop::Limit(Limit::Depth)), DEFAULT_DEPTH));
        let limits = Limits { max_depth: Some(2_000_000), ..Limits::default() };
        let outcome = search(&chain, |_| true, Errors::StopAtFirst, 0, &limits, &mut Unwatched);
        assert_eq!((outcome.end, outcome.path.expect("an error").length), (End::Found, 1_000_000));
        let limits = Limits { max_states: Some(100), ..limits };
        let outcome = search(&chain, |_| true, Errors::StopAtFirst, 0, &limits, &mut Unwatched);
        assert_eq!((outcome.end, outcome.stats.states), (End::Stopped(Stop::Limit(Limit::States)), 100));
        let limits = Limits { max_states: None, memory: Some(1 << 16), ..limits };
        let outcome = search(&chain, |_| true, Errors::StopAtFirst, 0, &limits, &mut Unwatched);
        assert_eq!(outcome.end, End::Stopped(Stop::Limit(Limit::Memory)));
    }
}
