//! Depth-first search (Holzmann, The SPIN Model Checker, ch. 8, Fig. 8.1, with the check of Fig. 8.2), in the order in
//! which SPIN visits states.
//!
//! Invariant: the steps of the states on the path that are still to come are in `d`, those of the deepest state on top.
//! Differs from the book: no recursion. The steps of a state are generated once, when it is entered. Those that lead to a
//! known state are matched then; the others wait in `d` and are looked up again when their turn comes, because
//! a state is marked as visited when it is entered, not when it is generated. Safety is checked step by step: an error
//! may happen inside a step, so it has its turn among the steps. When the search ends early, `matched` may therefore be
//! ahead of SPIN's; of a full search it is the same.

use std::ops::ControlFlow;

use homing_core::{
    Changed, End, Limits, Outcome, Path, Progress, Selection, Stats, Target, TransitionSystem, Violation, Watch,
};
use homing_store::{Interned, Recall, Store};

use crate::Errors;
use crate::budget::Budget;
use crate::stack::{Pended, Stack};

/// Explores `system` from its initial state, deepest states first. `store` is empty at the start. Violations for which
/// `is_error` is false are passed over.
///
/// With `limits.max_depth` a state may first be reached by a long path and its successors be cut off, though a shorter
/// path to it exists: then the search is incomplete, and says so.
pub fn search<T, S, W>(
    system: &T,
    is_error: impl Fn(&Violation) -> bool,
    errors: Errors,
    store: &mut S,
    limits: &Limits,
    watch: &mut W,
) -> Outcome<T::Action>
where
    T: TransitionSystem,
    S: Store,
    W: Watch,
{
    let mut s = system.initial().into_vec(); // the one buffer that holds the state being entered
    let mut cursor = store.cursor();
    let mut budget = Budget::new(limits, watch);
    let mut d = Stack::new();
    let mut first = None;
    let (mut count, mut matched, mut max_depth) = (0, 0, 0);

    let mut key = budget.key(store, &mut cursor, &s, Changed::Anywhere, d.memory());
    let mut entry = key.and_then(|key| budget.admit(store, &mut cursor, (key, &s), d.memory()));
    let end = 'enter: loop {
        if let Err(limit) = entry {
            break End::Stopped(limit);
        }
        match (S::RECALL, key) {
            (Recall::ByKey, Ok(key)) => store.load_by_key(&mut cursor, key, &mut s),
            _ => store.set_parent(&mut cursor, &s, key.ok()),
        }
        let progress = |store: &S, d: &Stack<_, _>, matched: u64| Progress {
            states: store.len(),
            transitions: store.len() + matched,
            depth: d.g(),
            frontier: d.pending() as u64 + 1,
            memory: store.memory() + d.memory(),
            errors: count,
        };
        if let Err(limit) = budget.charge_expansion(|| progress(store, &d, matched)) {
            break End::Stopped(limit);
        }
        max_depth = max_depth.max(d.g());
        let mut stopped = None;
        system.for_each_step(&s, Selection::All, |step| {
            match step.target {
                Target::State(target) => match budget.key(store, &mut cursor, target, step.changed, d.memory()) {
                    Ok(key) => {
                        store.prefetch(key);
                        d.keep_state(step.action, step.cost, key, (S::RECALL != Recall::ByKey).then_some(target));
                    }
                    Err(limit) => stopped = Some(limit),
                },
                Target::Violation(violation) if is_error(&violation) => {
                    d.keep_violation(step.action, step.cost, violation);
                }
                Target::Violation(_) => {}
                Target::CutOff => {
                    stopped = budget.cut_off(d.g(), step.cost, || progress(store, &d, matched)).err();
                }
            }
            if let Err(limit) = budget.charge_step(|| progress(store, &d, matched)) {
                stopped = Some(limit);
            }
            if stopped.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        d.fresh_keys().for_each(|key| store.prefetch_row(key));
        matched += d.turn_over(|key, target| store.find(key, target).is_some());
        if let Some(limit) = stopped {
            break End::Stopped(limit);
        }

        while let Some(turn) = d.next(&mut s) {
            let g = budget.lengthen(d.g(), turn.cost);
            match (turn.target, g) {
                (Pended::Violation(violation), Some(g)) => {
                    max_depth = max_depth.max(g);
                    count += 1;
                    if first.is_none() {
                        let mut actions = d.actions();
                        actions.push(turn.action);
                        first = Some(Path::finite(actions, g, violation));
                    }
                    if errors == Errors::StopAtFirst {
                        break 'enter End::Found;
                    }
                }
                (Pended::State(at), Some(_)) => match budget.admit(store, &mut cursor, (at, &s), d.memory()) {
                    Ok(Interned::Known(_) | Interned::MaybeKnown) => matched += 1,
                    admission => {
                        d.enter(turn.action, turn.cost);
                        (key, entry) = (Ok(at), admission);
                        continue 'enter;
                    }
                },
                (Pended::State(at), None) if store.find(at, &s).is_some() => matched += 1,
                (_, None) => budget.leave_aside(),
            }
        }
        break budget.end();
    };
    while first.is_none()
        && let Some((mut actions, g, step)) = d.next_violation()
    {
        // a limit was hit before the turn of this error came, but an error it is
        if let Some(length) = budget.lengthen(g, step.cost) {
            count = 1;
            actions.push(step.action);
            first = Some(Path::finite(actions, length, step.violation));
        }
    }
    let stats = Stats {
        states: store.len(),
        expanded: budget.expansions(),
        matched,
        reopened: 0,
        peak_states: store.len(),
        reduced: 0,
        max_depth,
        memory: store.memory() + d.memory(),
    };
    Outcome { end, path: first, errors: count, stats }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use homing_core::{Cost, Limit, Stop, Unwatched};
    use homing_store::ExactStore;

    use super::*;
    use crate::testing::Row::{Bad, Endless, To};
    use crate::testing::{Chain, Graph, Table, walk};

    fn run(system: &Table, errors: Errors, limits: Limits) -> Outcome<usize> {
        search(system, |_| true, errors, &mut ExactStore::new(0), &limits, &mut Unwatched)
    }

    #[test]
    fn a_state_is_visited_when_it_is_entered() {
        // c is generated by a before b is entered, but entered from b: SPIN's order, and its stack
        let system = Table::new(&[
            ("a", &[To("b", 1), To("c", 1), To("d", 1)]),
            ("b", &[To("a", 1), To("c", 1)]),
            ("c", &[To("e", 1), To("c", 1)]),
            ("d", &[To("e", 1)]),
            ("e", &[]),
        ]);
        let outcome = run(&system, Errors::StopAtFirst, Limits::default());
        assert_eq!(*system.expanded.lock().unwrap(), ["a", "b", "c", "e", "d"]);
        assert_eq!(outcome.end, End::Exhausted);
        assert_eq!((outcome.stats.states, outcome.stats.matched, outcome.stats.max_depth), (5, 4, 3));
        assert_eq!(outcome.stats.transitions(), 1 + 8);
        assert_eq!((outcome.stats.expanded, outcome.stats.peak_states), (5, 5));
    }

    #[test]
    fn an_error_has_its_turn_among_the_steps() {
        let system = Table::new(&[
            ("a", &[To("b", 2), Bad("late", 1), To("c", 1)]),
            ("b", &[To("d", 3)]),
            ("d", &[]),
            ("c", &[Bad("never met", 1)]),
        ]);
        let outcome = run(&system, Errors::StopAtFirst, Limits::default());
        assert_eq!(*system.expanded.lock().unwrap(), ["a", "b", "d"]);
        let path = outcome.path.expect("an error");
        assert_eq!((path.violation.message.as_str(), path.actions, path.length), ("late", vec![1], 1));
        assert!(!path.shortest);
        assert_eq!((outcome.end, outcome.errors), (End::Found, 1));
        assert_eq!(outcome.stats.max_depth, 5);
    }

    #[test]
    fn all_errors_are_counted_and_the_first_is_kept() {
        let system = Table::new(&[
            ("a", &[To("b", 1), Bad("second", 1)]),
            ("b", &[To("c", 1), To("c", 2)]),
            ("c", &[Bad("first", 0), Bad("third", 4)]),
        ]);
        let outcome = run(&system, Errors::CountAll, Limits::default());
        assert_eq!((outcome.end, outcome.errors), (End::Exhausted, 3));
        let path = outcome.path.expect("an error");
        assert_eq!((path.violation.message.as_str(), path.actions, path.length), ("first", vec![0, 0, 0], 2));
        assert_eq!(outcome.stats.transitions(), 1 + 3);
        assert_eq!(outcome.stats.max_depth, 6);
    }

    #[test]
    fn violations_of_another_property_are_passed_over() {
        let system = Table::new(&[("a", &[Bad("other", 1), To("b", 1)]), ("b", &[Bad("mine", 1)])]);
        let mine = |violation: &Violation| violation.message == "mine";
        let outcome =
            search(&system, mine, Errors::CountAll, &mut ExactStore::new(0), &Limits::default(), &mut Unwatched);
        assert_eq!((outcome.errors, outcome.path.expect("an error").actions), (1, vec![1, 0]));
    }

    #[test]
    fn a_step_that_was_not_followed_leaves_the_search_incomplete() {
        let system = Table::new(&[("a", &[Endless(9), To("b", 1)]), ("b", &[])]);
        let outcome = run(&system, Errors::StopAtFirst, Limits::default());
        assert_eq!((outcome.end, outcome.stats.states), (End::Stopped(Stop::Limit(Limit::CutOff)), 2));
    }

    #[test]
    fn what_is_too_deep_is_cut_off() {
        let system = Table::new(&[
            ("a", &[To("b", 2), To("c", 1)]),
            ("b", &[To("d", 2), To("a", 2)]), // a is known: no cut
            ("c", &[To("e", 1)]),
            ("d", &[Bad("too deep", 0)]),
            ("e", &[Bad("too long", 2)]),
        ]);
        let at_most = |depth| Limits { max_depth: Some(depth), ..Limits::default() };
        let outcome = run(&system, Errors::StopAtFirst, at_most(3));
        assert_eq!(outcome.end, End::Stopped(Stop::Limit(Limit::Depth)));
        assert_eq!(*system.expanded.lock().unwrap(), ["a", "b", "c", "e"]);
        assert_eq!((outcome.errors, outcome.stats.max_depth, outcome.stats.matched), (0, 2, 1));
        let outcome = run(&system, Errors::StopAtFirst, at_most(4));
        assert_eq!((outcome.end, outcome.path.expect("an error").length), (End::Found, 4));
    }

    #[test]
    fn a_bound_that_no_path_exceeds_is_no_limit() {
        let system = Table::new(&[("a", &[To("b", 1), To("c", 3)]), ("b", &[To("c", 1)]), ("c", &[])]);
        let limits = Limits { max_depth: Some(2), ..Limits::default() };
        assert_eq!(run(&system, Errors::StopAtFirst, limits).end, End::Exhausted);
    }

    #[test]
    fn states_and_memory_are_limited() {
        let chain = Chain { last: 100_000 };
        let stopped = |limits: Limits| {
            search(&chain, |_| true, Errors::StopAtFirst, &mut ExactStore::new(0), &limits, &mut Unwatched)
        };
        let outcome = stopped(Limits { max_states: Some(1000), ..Limits::default() });
        assert_eq!((outcome.end, outcome.stats.states), (End::Stopped(Stop::Limit(Limit::States)), 1000));
        let outcome = stopped(Limits { max_states: Some(100_001), ..Limits::default() });
        assert_eq!(outcome.end, End::Found, "no state beyond the limit was asked for");
        let outcome = stopped(Limits { memory: Some(1 << 20), ..Limits::default() });
        assert_eq!(outcome.end, End::Stopped(Stop::Limit(Limit::Memory)));
        let last_expansion = 100; // room is asked for before a state is stored, not for what follows from it
        assert!(outcome.stats.memory <= (1 << 20) + last_expansion, "{}", outcome.stats.memory);
        assert!(outcome.stats.states > 1000);
        let outcome = stopped(Limits { max_states: Some(0), ..Limits::default() });
        assert_eq!((outcome.end, outcome.stats.expanded), (End::Stopped(Stop::Limit(Limit::States)), 0));
    }

    #[test]
    fn an_error_still_pending_at_a_limit_is_brought_home() {
        let system = Table::new(&[
            ("a", &[To("b", 2), To("x", 1)]),
            ("b", &[To("c", 3), Bad("known", 5)]),
            ("c", &[To("d", 1), To("e", 1)]),
        ]);
        let limits = Limits { max_states: Some(3), ..Limits::default() };
        let outcome = run(&system, Errors::StopAtFirst, limits);
        assert_eq!(outcome.end, End::Stopped(Stop::Limit(Limit::States)));
        let path = outcome.path.expect("an error");
        assert_eq!((path.actions, path.length, outcome.errors), (vec![0, 1], 7, 1));
        let limits = Limits { max_depth: Some(6), ..limits };
        let outcome = run(&system, Errors::StopAtFirst, limits);
        assert_eq!((outcome.end, outcome.errors), (End::Stopped(Stop::Limit(Limit::States)), 0), "it is too long");
    }

    #[test]
    fn the_watch_looks_before_the_first_expansion() {
        struct TimeIsUp;
        impl Watch for TimeIsUp {
            fn look(&mut self, _: &Progress) -> Option<Stop> {
                Some(Stop::Limit(Limit::Timeout))
            }
        }
        let system = Table::new(&[("a", &[Bad("not seen", 0)])]);
        let outcome =
            search(&system, |_| true, Errors::StopAtFirst, &mut ExactStore::new(0), &Limits::default(), &mut TimeIsUp);
        assert_eq!((outcome.end, outcome.stats.expanded), (End::Stopped(Stop::Limit(Limit::Timeout)), 0));
    }

    #[test]
    fn a_million_steps_deep() {
        let outcome = search(
            &Chain { last: 1_000_000 },
            |_| true,
            Errors::StopAtFirst,
            &mut ExactStore::new(0),
            &Limits::default(),
            &mut Unwatched,
        );
        let path = outcome.path.expect("an error");
        assert_eq!((path.length, path.actions.len()), (1_000_000, 1_000_001));
        assert_eq!(outcome.stats.max_depth, 1_000_000);
    }

    /// Figures 8.1 and 8.2 word for word, recursion included.
    struct Book<'a> {
        graph: &'a Graph,
        entered: HashSet<u8>,
        matched: u64,
        deepest: Cost,
        path: Vec<usize>,
        errors: Vec<(Vec<usize>, Cost)>,
    }

    impl Book<'_> {
        fn visit(&mut self, state: u8, g: Cost) {
            self.entered.insert(state);
            self.deepest = self.deepest.max(g);
            for (action, &(cost, target)) in self.graph.steps[state as usize].iter().enumerate() {
                self.path.push(action);
                match target {
                    None => self.errors.push((self.path.clone(), g + cost)),
                    Some(target) if self.entered.contains(&target) => self.matched += 1,
                    Some(target) => self.visit(target, g + cost),
                }
                self.path.pop();
            }
        }
    }

    #[test]
    fn random_systems_are_searched_as_in_the_book() {
        for seed in 0..2000 {
            let graph = Graph::random(seed);
            let mut book = Book {
                graph: &graph,
                entered: HashSet::new(),
                matched: 0,
                deepest: 0,
                path: Vec::new(),
                errors: Vec::new(),
            };
            book.visit(0, 0);
            let explore = |errors| {
                let store = &mut ExactStore::new(Graph::HIDDEN_PREFIX);
                search(&graph, |_| true, errors, store, &Limits::default(), &mut Unwatched)
            };
            let all = explore(Errors::CountAll);
            assert_eq!(all.end, End::Exhausted, "seed {seed}");
            assert_eq!(all.stats.states, book.entered.len() as u64, "seed {seed}");
            assert_eq!(all.stats.matched, book.matched, "seed {seed}");
            assert_eq!(all.stats.max_depth, book.deepest.max(book.errors.iter().map(|e| e.1).max().unwrap_or(0)));
            assert_eq!(all.errors, book.errors.len() as u64, "seed {seed}");
            let first = explore(Errors::StopAtFirst);
            assert_eq!(first.end == End::Found, !book.errors.is_empty(), "seed {seed}");
            if let Some(path) = first.path {
                assert_eq!((path.actions.clone(), path.length), book.errors[0].clone(), "seed {seed}");
                assert_eq!(walk(&graph, &path.actions), (path.length, path.violation), "seed {seed}");
            }
        }
    }
}
