//! Stateless search (Holzmann 2004, ch. 8, "Trade-Offs", Fig. 8.5): nothing is stored but the path under way.
//!
//! A state is entered once for each path to it that has no state twice: hardly any memory, and in the worst case time that is
//! exponential in the number of states. What it proves holds for paths within the bound.
//! Differs from the book: states on the path are found by their hash before they are compared.

use homing_core::{
    Blind, Changed, Cost, Estimated, Limit, Limits, Outcome, State, Step, Stop, TransitionSystem, Violation, Watch,
};
use homing_store::StackSet;

use crate::Objective;
use crate::depth_first::{Bound, DepthFirst, Entry, Generated, Leave, Visited};
use crate::limits::Budget;

/// How deep a search goes that has no limit: as deep as SPIN does.
pub const DEFAULT_DEPTH: Cost = 10_000;

/// Explores `system` from its initial state, deepest states first, no deeper than `limits.max_depth` or [`DEFAULT_DEPTH`].
/// States are compared after a [hidden prefix](homing_store::Store::hidden_prefix) of so many bytes.
///
/// Every visit of a state counts as a state, and is limited by `limits.max_states`.
pub fn search<T, E, W>(
    system: &T,
    objective: &Objective<'_, E>,
    hidden_prefix: usize,
    watch: &mut W,
) -> Outcome<T::Action>
where
    T: TransitionSystem,
    E: Fn(&Violation) -> bool,
    W: Watch,
{
    let Objective { is_error, on_error, limits, .. } = objective;
    let limits = Limits { max_depth: limits.max_depth.or(Some(DEFAULT_DEPTH)), ..**limits };
    let mut search = DepthFirst::new(system, is_error, (*on_error).into(), Budget::new(&limits, watch));
    let mut visited = OnPath { limits: &limits, path: StackSet::new(hidden_prefix), entered: 0 };
    let end = match search.search(&mut visited, &mut Blind, &mut { Bound::NONE }) {
        Ok(()) => search.budget.end(),
        Err(ended) => ended.into(),
    };
    let mut outcome = search.outcome(end, &visited);
    outcome.stats.peak_states = visited.path.peak_len() as u64;
    outcome
}

/// The states on the path under way are all that is known.
struct OnPath<'l> {
    limits: &'l Limits,
    path: StackSet,
    entered: u64,
}

impl Visited for OnPath<'_> {
    type Key = u64;
    type Edge = ();

    const KEEPS_GENERATED: bool = true;
    const ENTERS_AGAIN: bool = true;
    const DECIDES_AT_TURN: bool = false;

    fn key<W: Watch>(&mut self, _: &Budget<'_, W>, state: &State, _: Changed<'_>, _: u64) -> Result<u64, Stop> {
        Ok(self.path.hash(state))
    }

    fn generated<W: Watch>(
        &mut self,
        _: &Budget<'_, W>,
        (key, state): (u64, &State),
        g: Option<Cost>,
        _: u64,
        _: impl FnOnce() -> Option<Estimated>,
    ) -> Result<Generated, Stop> {
        Ok(match g {
            _ if self.path.contains(key, state) => Generated::Skipped,
            None => Generated::TooDeep,
            Some(_) => Generated::HasTurn { h: 0 },
        })
    }

    fn edge<A>(&mut self, _: &Step<'_, A>) {}

    fn enter<W: Watch>(
        &mut self,
        _: &mut Budget<'_, W>,
        (key, state, ()): (u64, &State, ()),
        _: Option<Cost>,
        memory: u64,
    ) -> Result<Entry, Stop> {
        if self.limits.max_states.is_some_and(|most| self.entered >= most) {
            return Err(Stop::Limit(Limit::States));
        }
        if self.limits.memory.is_some_and(|most| memory + self.memory() > most) {
            return Err(Stop::Limit(Limit::Memory));
        }
        self.path.push(key, state);
        self.entered += 1;
        Ok(Entry::First)
    }

    fn leave<W: Watch>(&mut self, _: &Budget<'_, W>, _: u64) -> Result<Leave, Stop> {
        self.path.pop();
        Ok(Leave::Done)
    }

    fn load(&mut self, _: u64, _: &mut Vec<u8>) {}

    fn states(&self) -> u64 {
        self.entered
    }

    fn memory(&self) -> u64 {
        self.path.memory()
    }
}

#[cfg(test)]
mod tests {
    use crate::OnError;
    use homing_core::{End, Unwatched};

    use super::*;
    use crate::testing::Row::{Bad, To};
    use crate::testing::{Chain, Table};

    fn run(system: &Table, errors: OnError, limits: Limits) -> Outcome<usize> {
        search(system, &Objective::new(|_| true, errors, &limits), 0, &mut Unwatched)
    }

    #[test]
    fn a_state_is_entered_by_every_path_but_never_twice_on_one() {
        let system = Table::new(&[
            ("a", &[To("b", 1), To("c", 1)]),
            ("b", &[To("a", 1), To("d", 1)]),
            ("c", &[To("d", 1)]),
            ("d", &[To("b", 1), To("d", 1)]),
        ]);
        let outcome = run(&system, OnError::Stop, Limits::default());
        assert_eq!(*system.expanded.lock().unwrap(), ["a", "b", "d", "c", "d", "b"]);
        assert_eq!((outcome.end, outcome.stats.states, outcome.stats.peak_states), (End::Exhausted, 6, 4));
        assert_eq!((outcome.stats.max_depth, outcome.stats.matched), (3, 6));
    }

    #[test]
    fn it_finds_what_is_within_the_bound() {
        let system =
            Table::new(&[("a", &[To("b", 1), To("c", 1)]), ("b", &[To("c", 1)]), ("c", &[To("a", 1), Bad("far", 2)])]);
        let at_most = |depth| Limits { max_depth: Some(depth), ..Limits::default() };
        let outcome = run(&system, OnError::Stop, at_most(3));
        let path = outcome.path.expect("an error");
        assert_eq!((outcome.end, path.actions, path.shortest), (End::Found, vec![1, 1], false));
        let outcome = run(&system, OnError::Stop, at_most(2));
        assert_eq!((outcome.end, outcome.errors), (End::Stopped(Stop::Limit(Limit::Depth)), 0));
        let outcome = run(&system, OnError::Count, at_most(9));
        assert_eq!((outcome.end, outcome.errors), (End::Exhausted, 1), "one error, by two paths");
    }

    #[test]
    fn it_does_not_go_deeper_than_asked() {
        let chain = Chain { last: 1_000_000 };
        let outcome = search(&chain, &Objective::new(|_| true, OnError::Stop, &Limits::default()), 0, &mut Unwatched);
        assert_eq!((outcome.end, outcome.stats.max_depth), (End::Stopped(Stop::Limit(Limit::Depth)), DEFAULT_DEPTH));
        let limits = Limits { max_depth: Some(2_000_000), ..Limits::default() };
        let outcome = search(&chain, &Objective::new(|_| true, OnError::Stop, &limits), 0, &mut Unwatched);
        assert_eq!((outcome.end, outcome.path.expect("an error").length), (End::Found, 1_000_000));
        let limits = Limits { max_states: Some(100), ..limits };
        let outcome = search(&chain, &Objective::new(|_| true, OnError::Stop, &limits), 0, &mut Unwatched);
        assert_eq!((outcome.end, outcome.stats.states), (End::Stopped(Stop::Limit(Limit::States)), 100));
        let limits = Limits { max_states: None, memory: Some(1 << 16), ..limits };
        let outcome = search(&chain, &Objective::new(|_| true, OnError::Stop, &limits), 0, &mut Unwatched);
        assert_eq!(outcome.end, End::Stopped(Stop::Limit(Limit::Memory)));
    }
}
