use std::collections::HashMap;

use homing_core::{Blind, Estimated, Limits, Progress, Stop, Unwatched};
use homing_store::{BitStore, CompactStore, ExactStore, TreeStore};

use super::*;
use crate::Weight;
use crate::testing::Row::{Bad, Endless, To};
use crate::testing::{Chain, Graph, Table, Whims, walk};

/// Estimates by name; what is not in the table is a dead end.
struct FixedEstimate {
    h: HashMap<&'static str, Cost>,
    guarantee: Guarantee,
    asked: Vec<String>,
}

fn fixed(h: &[(&'static str, Cost)], guarantee: Guarantee) -> FixedEstimate {
    FixedEstimate { h: h.iter().copied().collect(), guarantee, asked: Vec::new() }
}

impl Estimate for FixedEstimate {
    fn distance(&mut self, state: &State) -> Option<Estimated> {
        let name = std::str::from_utf8(state).expect("states are names");
        self.asked.push(name.to_owned());
        self.h.get(name).copied().map(Estimated::from)
    }

    fn guarantee(&self) -> Guarantee {
        self.guarantee
    }
}

fn run<H: Estimate>(system: &Table, by: Evaluation, h: &mut H, errors: OnError, limits: Limits) -> Outcome<usize> {
    let guide = Directed { by, estimate: h };
    search(system, &Objective::new(|_| true, errors, &limits), guide, &mut ExactStore::new(0), &mut Unwatched)
}

fn first<H: Estimate>(system: &Table, by: Evaluation, h: &mut H) -> Outcome<usize> {
    run(system, by, h, OnError::Stop, Limits::default())
}

fn order(system: &Table) -> Vec<String> {
    std::mem::take(&mut *system.expanded.lock().unwrap())
}

/// A short way that looks long, and a long way that looks short.
fn fork() -> Table {
    Table::new(&[
        ("a", &[To("b", 1), To("c", 1), To("dead", 1)]),
        ("b", &[To("d", 1), To("a", 1)]),
        ("c", &[To("e", 3)]),
        ("d", &[Bad("near", 1)]),
        ("e", &[Bad("far", 1)]),
        ("dead", &[To("a", 1)]),
    ])
}

const SEEMS: [(&str, Cost); 5] = [("a", 3), ("b", 2), ("c", 1), ("d", 1), ("e", 0)];

#[test]
fn greedy_goes_where_an_error_seems_near() {
    let (system, mut h) = (fork(), fixed(&SEEMS, Guarantee::Guess));
    let outcome = first(&system, Evaluation::Greedy, &mut h);
    assert_eq!(order(&system)[..3], ["a", "c", "e"]);
    let path = outcome.path.expect("an error");
    assert_eq!((path.violation.message.as_str(), path.length, path.shortest), ("far", 5, false));
    assert_eq!((outcome.end, outcome.stats.expanded, outcome.stats.states), (End::Found, 3, 5));
    assert_eq!(h.asked, ["a", "b", "c", "dead", "e"], "once for each new state");
}

#[test]
fn a_star_finds_the_shortest_and_its_weight_trades_length_for_work() {
    let (system, mut h) = (fork(), fixed(&SEEMS, Guarantee::Admissible));
    let outcome = first(&system, Evaluation::A_STAR, &mut h);
    assert_eq!(order(&system)[..4], ["a", "c", "b", "d"]); // f(c) = 2, f(b) = 3, f(d) = 3, f(e) = 4
    let path = outcome.path.expect("an error");
    assert_eq!((path.actions, path.length, path.shortest), (vec![0, 0, 0], 3, true));

    let outcome = first(&system, Evaluation::Weighted(Weight::new(5.0).unwrap()), &mut h);
    assert_eq!(order(&system)[..3], ["a", "c", "e"]); // f(c) = 6, f(b) = 11, f(e) = 4
    let path = outcome.path.expect("an error");
    assert_eq!((path.length, path.shortest), (5, false));

    let guess = first(&system, Evaluation::A_STAR, &mut fixed(&SEEMS, Guarantee::Guess));
    assert!(!guess.path.expect("an error").shortest, "the estimate is only a guess");
    let blind = first(&system, Evaluation::Weighted(Weight::ZERO), &mut fixed(&SEEMS, Guarantee::Guess));
    assert!(blind.path.expect("an error").shortest, "the estimate counts for nothing");
}

#[test]
fn of_equals_the_last_comes_first() {
    let system = Table::new(&[
        ("a", &[To("b", 1), To("c", 1), To("d", 1)]),
        ("b", &[]),
        ("c", &[To("e", 1)]),
        ("d", &[To("f", 1)]),
        ("e", &[]),
        ("f", &[]),
    ]);
    let outcome = first(&system, Evaluation::A_STAR, &mut Blind);
    assert_eq!(order(&system), ["a", "d", "c", "b", "e", "f"]);
    assert_eq!((outcome.end, outcome.stats.max_depth), (End::Exhausted, 2));
    assert_eq!(outcome.stats.transitions(), 1 + 5);
    first(&system, Evaluation::Greedy, &mut Blind);
    assert_eq!(order(&system), ["a", "d", "f", "c", "e", "b"], "depth first, from the last step");
}

/// `c` is first reached over `b`, because `a` seems far away from an error.
fn detour() -> (Table, FixedEstimate) {
    let system = Table::new(&[
        ("s", &[To("a", 1), To("b", 1)]),
        ("a", &[To("c", 1)]),
        ("b", &[To("c", 3)]),
        ("c", &[Bad("first", 4), Bad("second", 9)]),
    ]);
    (system, fixed(&[("s", 0), ("a", 5), ("b", 0), ("c", 0)], Guarantee::Admissible))
}

#[test]
fn a_closed_state_is_reopened_by_a_shorter_path() {
    let (system, mut h) = detour();
    let outcome = first(&system, Evaluation::A_STAR, &mut h);
    assert_eq!(order(&system)[..5], ["s", "b", "c", "a", "c"]);
    let path = outcome.path.expect("an error");
    assert_eq!((path.actions, path.length, path.shortest), (vec![0, 0, 0], 6, true));
    let stats = outcome.stats;
    assert_eq!((stats.expanded, stats.reopened, stats.states, stats.matched), (5, 1, 4, 1));
    first(&system, Evaluation::Greedy, &mut h);
    assert_eq!(order(&system)[..3], ["s", "b", "c"], "greedy asks for no shorter path");
}

#[test]
fn an_error_shown_twice_is_counted_once() {
    let (system, mut h) = detour();
    let outcome = run(&system, Evaluation::A_STAR, &mut h, OnError::Count, Limits::default());
    assert_eq!((outcome.end, outcome.errors, outcome.stats.reopened), (End::Exhausted, 2, 1));
    assert_eq!(outcome.path.expect("an error").length, 6);
}

#[test]
fn an_error_waits_for_its_turn() {
    let system = Table::new(&[
        ("a", &[Bad("one move", 9), To("b", 1)]),
        ("b", &[To("c", 1)]),
        ("c", &[To("d", 1)]),
        ("d", &[Bad("four moves", 1)]),
    ]);
    let path = first(&system, Evaluation::A_STAR, &mut Blind).path.expect("an error");
    assert_eq!((path.violation.message.as_str(), path.length, path.shortest), ("four moves", 4, true));
    let path = first(&system, Evaluation::Greedy, &mut Blind).path.expect("an error");
    assert_eq!((path.violation.message.as_str(), path.length, path.shortest), ("one move", 9, false));
}

#[test]
fn dead_ends_are_proof_enough() {
    let system = Table::new(&[("a", &[To("b", 1), To("c", 1)]), ("b", &[To("x", 1)]), ("c", &[])]);
    let outcome = first(&system, Evaluation::A_STAR, &mut fixed(&[("a", 1), ("c", 1)], Guarantee::Guess));
    assert_eq!(order(&system), ["a", "c"]);
    assert_eq!((outcome.end, outcome.stats.states, outcome.stats.expanded), (End::Exhausted, 3, 2));
    let outcome = first(&system, Evaluation::A_STAR, &mut fixed(&[], Guarantee::Guess));
    assert_eq!((outcome.end, outcome.stats.states, outcome.stats.expanded), (End::Exhausted, 1, 0));
}

#[test]
fn what_is_too_deep_is_cut_off_by_the_estimate_too() {
    let at_most = |depth| Limits { max_depth: Some(depth), ..Limits::default() };
    let deep = |guarantee, depth| {
        let (system, mut h) = (fork(), fixed(&SEEMS, guarantee));
        let outcome = run(&system, Evaluation::A_STAR, &mut h, OnError::Stop, at_most(depth));
        (outcome.end, outcome.path.map(|path| path.length), outcome.stats.expanded)
    };
    assert_eq!(deep(Guarantee::Admissible, 3), (End::Found, Some(3), 4));
    assert_eq!(deep(Guarantee::Admissible, 2), (End::Stopped(Stop::Limit(Limit::Depth)), None, 0));
    assert_eq!(deep(Guarantee::Guess, 2), (End::Stopped(Stop::Limit(Limit::Depth)), None, 4));
}

#[test]
fn a_step_that_was_not_followed_leaves_the_search_incomplete() {
    let system = Table::new(&[("a", &[Endless(9), To("b", 1)]), ("b", &[])]);
    let outcome = first(&system, Evaluation::A_STAR, &mut Blind);
    assert_eq!((outcome.end, outcome.stats.states), (End::Stopped(Stop::Limit(Limit::CutOff)), 2));
}

#[test]
fn states_memory_and_time_are_limited() {
    struct TimeIsUp;
    impl Watch for TimeIsUp {
        fn look(&mut self, _: &Progress) -> Option<Stop> {
            Some(Stop::Limit(Limit::Timeout))
        }
    }
    let chain = Chain { last: 100_000 };
    let stopped = |limits: Limits| {
        let guide = Directed { by: Evaluation::A_STAR, estimate: &mut Blind };
        search(
            &chain,
            &Objective::new(|_| true, OnError::Stop, &limits),
            guide,
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
    assert!(outcome.stats.memory <= (1 << 20) + 100 && outcome.stats.states > 1000);
    let outcome = stopped(Limits { max_states: Some(0), ..Limits::default() });
    assert_eq!((outcome.end, outcome.stats.expanded), (End::Stopped(Stop::Limit(Limit::States)), 0));
    let (guide, store) = (Directed { by: Evaluation::A_STAR, estimate: &mut Blind }, &mut ExactStore::new(0));
    let outcome =
        search(&chain, &Objective::new(|_| true, OnError::Stop, &Limits::default()), guide, store, &mut TimeIsUp);
    assert_eq!((outcome.end, outcome.stats.expanded), (End::Stopped(Stop::Limit(Limit::Timeout)), 0));
}

#[test]
fn an_error_still_waiting_at_a_limit_is_reported() {
    let system =
        Table::new(&[("a", &[Bad("longer", 7), Bad("known", 5), To("b", 1)]), ("b", &[To("c", 1), To("d", 1)])]);
    let limits = Limits { max_states: Some(3), ..Limits::default() };
    let outcome = run(&system, Evaluation::A_STAR, &mut Blind, OnError::Stop, limits);
    assert_eq!((outcome.end, outcome.errors), (End::Stopped(Stop::Limit(Limit::States)), 1));
    let path = outcome.path.expect("an error");
    assert_eq!((path.length, path.shortest, path.actions), (5, false, vec![1]));
}

#[test]
fn every_store_serves_but_only_lossless_ones_prove() {
    fn check<S: Store>(mut store: S) {
        let (system, mut h) = detour();
        let guide = Directed { by: Evaluation::A_STAR, estimate: &mut h };
        let limits = Limits::default();
        let outcome =
            search(&system, &Objective::new(|_| true, OnError::Stop, &limits), guide, &mut store, &mut Unwatched);
        let path = outcome.path.expect("an error");
        assert_eq!(walk(&system, &path.actions), (path.length, path.violation));
        assert_eq!(path.shortest, S::LOSSLESS);
    }
    check(ExactStore::new(0));
    check(TreeStore::new());
    check(CompactStore::new(0));
    check(BitStore::new(0, 20, 3));
}

#[test]
fn what_a_state_carries_is_that_of_the_path_to_it() {
    fn check<S: Store>(graph: &Graph, seed: u64, by: Evaluation, mut store: S) {
        let guide = Directed { by, estimate: &mut Whims(seed) };
        // an error that still waits at a limit may lie behind a state that has another path now
        let limits = Limits { max_states: seed.is_multiple_of(2).then_some(seed % 29), ..Limits::default() };
        let outcome =
            search(graph, &Objective::new(|_| true, OnError::Stop, &limits), guide, &mut store, &mut Unwatched);
        if let Some(path) = outcome.path {
            assert_eq!(walk(graph, &path.actions), (path.length, path.violation), "{by:?}, seed {seed}");
            assert!(!path.shortest);
        }
    }
    for seed in 0..3000 {
        let graph = Graph::random(seed);
        for by in [Evaluation::A_STAR, Evaluation::Weighted(Weight::new(4.0).unwrap()), Evaluation::Greedy] {
            check(&graph, seed, by, ExactStore::new(1));
            check(&graph, seed, by, CompactStore::new(1));
        }
    }
}

#[test]
fn a_state_that_carries_bytes_is_not_reopened() {
    struct Detour;
    impl Estimate for Detour {
        fn distance(&mut self, state: &State) -> Option<Estimated> {
            Some(Estimated::from([0, 0, 30, 0, 0][state[1] as usize]))
        }

        fn guarantee(&self) -> Guarantee {
            Guarantee::Guess
        }
    }
    // 1 is expanded by the longer path; its error waits while 2 finds the shorter one and, in 4, a state too many
    let steps = [
        vec![(5, Some(1)), (1, Some(2))],
        vec![(1, Some(3))],
        vec![(1, Some(1)), (1, Some(4))],
        vec![(50, None)],
        vec![],
    ];
    let (graph, guide) = (Graph { steps: steps.into() }, Directed { by: Evaluation::A_STAR, estimate: &mut Detour });
    let (store, limits) = (&mut ExactStore::new(1), Limits { max_states: Some(4), ..Limits::default() });
    let outcome = search(&graph, &Objective::new(|_| true, OnError::Stop, &limits), guide, store, &mut Unwatched);
    let path = outcome.path.expect("an error");
    assert_eq!(outcome.end, End::Stopped(Stop::Limit(Limit::States)));
    assert_eq!(walk(&graph, &path.actions), (path.length, path.violation));
}
