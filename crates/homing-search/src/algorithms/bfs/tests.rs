use homing_core::{Cost, Limits, Progress, Stop, Unwatched};
use homing_store::ExactStore;

use super::*;
use crate::testing::Row::{Bad, Endless, To};
use crate::testing::{Chain, Graph, Table, walk};

fn run(system: &Table, errors: OnError, limits: Limits) -> Outcome<usize> {
    search(
        &mut [system],
        &Objective::new(|_| true, errors, &limits),
        Reduction::SleepSets,
        &mut ExactStore::new(0),
        &mut Unwatched,
    )
}

#[test]
fn states_are_expanded_by_length_then_as_they_came() {
    let system = Table::new(&[
        ("a", &[To("far", 5), To("b", 2), To("c", 1), To("d", 2)]),
        ("b", &[To("e", 1), To("a", 1)]),
        ("c", &[To("far", 2), To("b", 1)]), // far gets nearer; b does not
        ("d", &[]),
        ("e", &[To("far", 1)]),
        ("far", &[]),
    ]);
    let outcome = run(&system, OnError::Stop, Limits::default());
    assert_eq!(*system.expanded.lock().unwrap(), ["a", "c", "b", "d", "far", "e"]);
    assert_eq!(outcome.end, End::Exhausted);
    assert_eq!((outcome.stats.states, outcome.stats.matched, outcome.stats.max_depth), (6, 4, 3));
    assert_eq!(outcome.stats.transitions(), 1 + 9);
    assert_eq!(outcome.stats.expanded, 6);
}

#[test]
fn shortest_is_by_statements_not_by_moves() {
    let system = Table::new(&[
        ("a", &[Bad("one move", 9), To("b", 1)]),
        ("b", &[To("c", 1)]),
        ("c", &[To("d", 1)]),
        ("d", &[Bad("four moves", 1)]),
    ]);
    let outcome = run(&system, OnError::Stop, Limits::default());
    let path = outcome.path.expect("an error");
    assert_eq!((path.violation.message.as_str(), path.actions), ("four moves", vec![1, 0, 0, 0]));
    assert_eq!((path.length, path.shortest, outcome.end), (4, true, End::Found));
}

#[test]
fn an_event_comes_before_the_states_of_its_length() {
    let system = Table::new(&[
        ("a", &[To("b", 2), Bad("inside the step", 2), To("c", 1)]),
        ("b", &[]),
        ("c", &[To("d", 1)]),
        ("d", &[]),
    ]);
    let outcome = run(&system, OnError::Stop, Limits::default());
    assert_eq!(*system.expanded.lock().unwrap(), ["a", "c"]);
    assert_eq!(outcome.path.expect("an error").actions, [1]);
}

#[test]
fn all_errors_are_counted_and_a_shortest_is_kept() {
    let system = Table::new(&[
        ("a", &[Bad("long", 4), To("b", 1)]),
        ("b", &[To("c", 1), Bad("mid", 2)]),
        ("c", &[Bad("short", 0), To("a", 1)]),
    ]);
    let outcome = run(&system, OnError::Count, Limits::default());
    assert_eq!((outcome.end, outcome.errors), (End::Exhausted, 3));
    let path = outcome.path.expect("an error");
    assert_eq!((path.violation.message.as_str(), path.length, path.shortest), ("short", 2, true));
    assert_eq!(outcome.stats.transitions(), 1 + 3);
    assert_eq!(outcome.stats.max_depth, 4);
}

#[test]
fn violations_of_another_property_are_passed_over() {
    let system = Table::new(&[("a", &[Bad("other", 1), To("b", 1)]), ("b", &[Bad("mine", 1)])]);
    let mine = |violation: &Violation| violation.message == "mine";
    let outcome = search(
        &mut [&system],
        &Objective::new(mine, OnError::Count, &Limits::default()),
        Reduction::SleepSets,
        &mut ExactStore::new(0),
        &mut Unwatched,
    );
    assert_eq!((outcome.errors, outcome.path.expect("an error").actions), (1, vec![1, 0]));
}

#[test]
fn a_step_that_was_not_followed_leaves_the_search_incomplete() {
    let system = Table::new(&[("a", &[Endless(9), To("b", 1)]), ("b", &[])]);
    let outcome = run(&system, OnError::Stop, Limits::default());
    assert_eq!((outcome.end, outcome.stats.states), (End::Stopped(Stop::Limit(Limit::CutOff)), 2));
}

#[test]
fn what_is_too_deep_is_cut_off() {
    let system = Table::new(&[
        ("a", &[To("b", 2), To("c", 1)]),
        ("b", &[To("d", 2), To("a", 2)]), // a is known: no cut
        ("c", &[To("e", 1)]),
        ("d", &[Bad("too deep", 0)]),
        ("e", &[Bad("too long", 3)]),
    ]);
    let at_most = |depth| Limits { max_depth: Some(depth), ..Limits::default() };
    let outcome = run(&system, OnError::Stop, at_most(3));
    assert_eq!(outcome.end, End::Stopped(Stop::Limit(Limit::Depth)));
    assert_eq!(*system.expanded.lock().unwrap(), ["a", "c", "b", "e"]);
    assert_eq!((outcome.errors, outcome.stats.max_depth, outcome.stats.matched), (0, 2, 1));
    let outcome = run(&system, OnError::Stop, at_most(4));
    let path = outcome.path.expect("an error");
    assert_eq!((outcome.end, path.length, path.shortest), (End::Found, 4, true));
}

#[test]
fn states_and_memory_are_limited() {
    let chain = Chain { last: 100_000 };
    let stopped = |limits: Limits| {
        search(
            &mut [&chain],
            &Objective::new(|_| true, OnError::Stop, &limits),
            Reduction::SleepSets,
            &mut ExactStore::new(0),
            &mut Unwatched,
        )
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
}

#[test]
fn a_state_too_many_ends_the_search_even_behind_a_step_too_deep() {
    let system = Table::new(&[("a", &[To("b", 1), To("c", 1), To("deep", 9)])]);
    let limits = Limits { max_depth: Some(3), max_states: Some(2), ..Limits::default() };
    let outcome = run(&system, OnError::Stop, limits);
    assert_eq!((outcome.end, outcome.stats.states), (End::Stopped(Stop::Limit(Limit::States)), 2));
}

#[test]
fn an_error_still_queued_at_a_limit_is_reported() {
    let system =
        Table::new(&[("a", &[Bad("longer", 7), Bad("known", 5), To("b", 1)]), ("b", &[To("c", 1), To("d", 1)])]);
    let limits = Limits { max_states: Some(3), ..Limits::default() };
    let outcome = run(&system, OnError::Stop, limits);
    assert_eq!((outcome.end, outcome.errors), (End::Stopped(Stop::Limit(Limit::States)), 1));
    let path = outcome.path.expect("an error");
    assert_eq!((path.length, path.shortest, path.actions), (5, false, vec![1]));
}

#[test]
fn the_watch_looks_before_the_first_expansion_and_then_now_and_then() {
    struct Looks(u64);
    impl Watch for Looks {
        fn look(&mut self, progress: &Progress) -> Option<Stop> {
            self.0 += 1;
            assert_eq!(progress.states, progress.transitions);
            (progress.depth >= 8192).then_some(Stop::Interrupted)
        }
    }
    let mut looks = Looks(0);
    let chain = Chain { last: 100_000 };
    let store = &mut ExactStore::new(0);
    let outcome = search(
        &mut [&chain],
        &Objective::new(|_| true, OnError::Stop, &Limits::default()),
        Reduction::SleepSets,
        store,
        &mut looks,
    );
    assert_eq!((outcome.end, outcome.stats.expanded), (End::Stopped(Stop::Interrupted), 8192));
    assert_eq!(looks.0, 3);
}

#[test]
fn a_million_steps_deep() {
    let chain = Chain { last: 1_000_000 };
    let store = &mut ExactStore::new(0);
    let outcome = search(
        &mut [&chain],
        &Objective::new(|_| true, OnError::Stop, &Limits::default()),
        Reduction::SleepSets,
        store,
        &mut Unwatched,
    );
    let path = outcome.path.expect("an error");
    assert_eq!((path.length, path.actions.len(), path.shortest), (1_000_000, 1_000_001, true));
}

/// The least length of an error, by relaxing every step until nothing changes.
fn least_length(graph: &Graph) -> Option<Cost> {
    let mut g = vec![Cost::MAX; graph.steps.len()];
    g[0] = 0;
    let mut best = Cost::MAX;
    for _ in 0..=graph.steps.len() {
        for u in 0..graph.steps.len() {
            for &(cost, target) in &graph.steps[u] {
                let length = g[u].saturating_add(cost);
                match target {
                    Some(v) => g[v as usize] = g[v as usize].min(length),
                    None => best = best.min(length),
                }
            }
        }
    }
    (best < Cost::MAX).then_some(best)
}

#[test]
fn what_states_carry_spoils_the_proof() {
    let graph = Graph { steps: vec![vec![(1, None)]] };
    let store = &mut ExactStore::new(Graph::HIDDEN_PREFIX);
    let outcome = search(
        &mut [&graph],
        &Objective::new(|_| true, OnError::Stop, &Limits::default()),
        Reduction::SleepSets,
        store,
        &mut Unwatched,
    );
    assert!(!outcome.path.expect("an error").shortest);
}

#[test]
fn random_systems_give_a_shortest_error_that_can_be_walked() {
    for seed in 0..2000 {
        let graph = Graph::random(seed);
        let explore = |errors| {
            let store = &mut ExactStore::new(Graph::HIDDEN_PREFIX);
            search(
                &mut [&graph],
                &Objective::new(|_| true, errors, &Limits::default()),
                Reduction::SleepSets,
                store,
                &mut Unwatched,
            )
        };
        let (first, all) = (explore(OnError::Stop), explore(OnError::Count));
        assert_eq!(first.path.as_ref().map(|path| path.length), least_length(&graph), "seed {seed}");
        if let Some(path) = first.path {
            assert_eq!(walk(&graph, &path.actions), (path.length, path.violation), "seed {seed}");
        }
        let store = &mut ExactStore::new(Graph::HIDDEN_PREFIX);
        let depth_first = crate::dfs::search(
            &graph,
            &Objective::new(|_| true, OnError::Count, &Limits::default()),
            crate::StepOrder::AsShown,
            store,
            &mut Unwatched,
        );
        assert_eq!(all.stats.states, depth_first.stats.states, "seed {seed}");
        assert_eq!(all.stats.matched, depth_first.stats.matched, "seed {seed}");
        assert_eq!(all.errors, depth_first.errors, "seed {seed}");
    }
}
