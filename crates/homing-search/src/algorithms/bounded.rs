//! Depth-limited search that stores depths (Holzmann 2004, ch. 8, "Depth-Limited Search", Fig. 8.4), and the iteration that comes
//! closer and closer to a shortest path (the fragment after it; `pan -i`).
//!
//! Covers all that is within the bound: a state that was reached by a longer path is entered again, because what was cut off
//! after it may now be within. When each error has to be shorter than the one before and all has been seen, the last one is a
//! shortest; that is proved if no state is lost and none has hidden bytes.
//! Differs from the book: depth is measured in statements, a path as long as the bound is within it, and an error that lies
//! exactly there is seen. After an error the bound is one less than its length, as nothing else is shorter.

use homing_core::{Blind, End, Outcome, TransitionSystem, Violation, Watch};
use homing_store::Numbered;

use crate::Objective;
use crate::depth_first::depths::Depths;
use crate::depth_first::{AtError, Bound, DepthFirst, Ended};
use crate::limits::Budget;

/// Explores `system` from its initial state, deepest states first, as far as paths within `limits.max_depth` lead. `store` is
/// empty at the start.
pub fn search<T, S, E, W>(system: &T, objective: &Objective<'_, E>, store: &mut S, watch: &mut W) -> Outcome<T::Action>
where
    T: TransitionSystem,
    S: Numbered,
    E: Fn(&Violation) -> bool,
    W: Watch,
{
    let Objective { is_error, on_error, limits, .. } = objective;
    let mut search = DepthFirst::new(system, is_error, (*on_error).into(), Budget::new(limits, watch));
    let mut visited = Depths::new(store);
    let end = match search.search(&mut visited, &mut Blind, &mut { Bound::NONE }) {
        Ok(()) => search.budget.end(),
        Err(ended) => ended.into(),
    };
    search.outcome(end, &visited)
}

/// Searches as [`search`] does, and after an error goes on below the length of its path until there is no shorter one. Each error
/// is counted, and the path to the last is returned.
pub fn shorten<T, S, E, W>(system: &T, objective: &Objective<'_, E>, store: &mut S, watch: &mut W) -> Outcome<T::Action>
where
    T: TransitionSystem,
    S: Numbered,
    E: Fn(&Violation) -> bool,
    W: Watch,
{
    let has_hidden = store.hidden_prefix() > 0;
    let Objective { is_error, limits, .. } = objective;
    let mut search = DepthFirst::new(system, is_error, AtError::Shorten, Budget::new(limits, watch));
    let mut visited = Depths::new(store);
    let end = match search.search(&mut visited, &mut Blind, &mut { Bound::NONE }) {
        Ok(()) | Err(Ended::Found) if search.best.is_some() => {
            let (proves, budget) = (S::LOSSLESS && !has_hidden, &search.budget);
            search.best.iter_mut().for_each(|path| path.shortest = proves && budget.followed_all_below(path.length));
            End::Found
        }
        Ok(()) => search.budget.end(),
        Err(ended) => ended.into(),
    };
    search.outcome(end, &visited)
}

#[cfg(test)]
mod tests {
    use crate::OnError;
    use homing_core::{Cost, Limit, Limits, Stop, Unwatched};
    use homing_store::ExactStore;

    use super::*;
    use crate::testing::Row::{Bad, Endless, To};
    use crate::testing::{Chain, Table};

    fn run(system: &Table, on_error: OnError, limits: Limits) -> Outcome<usize> {
        search(system, &Objective::new(|_| true, on_error, &limits), &mut ExactStore::new(0), &mut Unwatched)
    }

    fn run_shorten(system: &Table, limits: Limits) -> Outcome<usize> {
        shorten(system, &Objective::new(|_| true, OnError::Stop, &limits), &mut ExactStore::new(0), &mut Unwatched)
    }

    fn at_most(depth: Cost) -> Limits {
        Limits { max_depth: Some(depth), ..Limits::default() }
    }

    /// The example of Fig. 8.3: a state at depth two and one, with an error behind it.
    fn example() -> Table {
        Table::new(&[
            ("s0", &[To("s1", 1), To("s2", 1)]),
            ("s1", &[To("s2", 1)]),
            ("s2", &[To("e", 1)]),
            ("e", &[Bad("e", 0)]),
        ])
    }

    #[test]
    fn a_state_reached_by_a_shorter_path_is_entered_again() {
        let system = example();
        let outcome = run(&system, OnError::Stop, at_most(2));
        assert_eq!(*system.expanded.lock().unwrap(), ["s0", "s1", "s2", "s2", "e"]);
        assert_eq!((outcome.end, outcome.path.expect("an error").length), (End::Found, 2));
        assert_eq!((outcome.stats.reopened, outcome.stats.states, outcome.stats.max_depth), (1, 4, 2));
        let outcome = run(&system, OnError::Stop, at_most(1));
        assert_eq!((outcome.end, outcome.errors), (End::Stopped(Stop::Limit(Limit::Depth)), 0));
    }

    #[test]
    fn each_error_is_shorter_than_the_one_before() {
        let system = example();
        let outcome = run_shorten(&system, Limits::default());
        assert_eq!(*system.expanded.lock().unwrap(), ["s0", "s1", "s2", "e", "s2", "e"]);
        let path = outcome.path.expect("an error");
        assert_eq!((outcome.end, outcome.errors, path.actions), (End::Found, 2, vec![1, 0, 0]));
        assert_eq!((path.length, path.shortest), (2, true));
        let limits = Limits { max_states: Some(3), ..Limits::default() };
        let outcome = run_shorten(&example(), limits);
        assert_eq!((outcome.end, outcome.errors), (End::Stopped(Stop::Limit(Limit::States)), 0));
    }

    #[test]
    fn a_limit_leaves_a_path_unproved() {
        let system =
            Table::new(&[("a", &[Bad("first", 9), To("b", 1), To("c", 1)]), ("b", &[]), ("c", &[Bad("short", 1)])]);
        let outcome = run_shorten(&system, Limits { max_states: Some(2), ..Limits::default() });
        let path = outcome.path.expect("an error");
        assert_eq!((outcome.end, path.length, path.shortest), (End::Stopped(Stop::Limit(Limit::States)), 9, false));
        let system = Table::new(&[("a", &[Endless(1), Bad("known", 9)])]);
        let outcome = run_shorten(&system, Limits::default());
        assert!(!outcome.path.expect("an error").shortest, "something shorter may be hidden");
    }

    #[test]
    fn an_error_of_no_length_ends_it() {
        let outcome = run_shorten(&Table::new(&[("a", &[To("b", 1), Bad("here", 0)])]), Limits::default());
        let path = outcome.path.expect("an error");
        assert_eq!((outcome.end, path.length, path.shortest), (End::Found, 0, true));
    }

    #[test]
    fn errors_of_a_state_entered_twice_are_counted_once() {
        let system =
            Table::new(&[("a", &[To("b", 1), To("c", 1)]), ("b", &[To("c", 1)]), ("c", &[Bad("x", 1), Bad("y", 1)])]);
        let outcome = run(&system, OnError::Count, Limits::default());
        assert_eq!((outcome.end, outcome.errors, outcome.stats.reopened), (End::Exhausted, 2, 1));
        let outcome = run(&system, OnError::Count, at_most(2));
        assert_eq!((outcome.end, outcome.errors), (End::Stopped(Stop::Limit(Limit::Depth)), 2), "seen the second time");
    }

    #[test]
    fn a_million_steps_deep() {
        let store = &mut ExactStore::new(0);
        let chain = Chain { last: 1_000_000 };
        let outcome =
            shorten(&chain, &Objective::new(|_| true, OnError::Stop, &Limits::default()), store, &mut Unwatched);
        let path = outcome.path.expect("an error");
        assert_eq!((path.length, path.shortest), (1_000_000, true));
    }
}
