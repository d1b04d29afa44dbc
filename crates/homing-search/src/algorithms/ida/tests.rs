use crate::OnError;
use std::collections::HashMap;

use homing_core::{Blind, Estimated, Guarantee, Limits, Stop, Unwatched};
use homing_store::{ExactStore, TreeStore};

use super::*;
use crate::testing::Row::{Bad, Endless, To};
use crate::testing::{Chain, Graph, Table, Whims, walk};

/// Estimates by name; what is not in the table is a dead end.
struct FixedEstimate(HashMap<&'static str, Cost>, Guarantee);

impl Estimate for FixedEstimate {
    fn distance(&mut self, state: &State) -> Option<Estimated> {
        self.0.get(std::str::from_utf8(state).expect("states are names")).copied().map(Estimated::from)
    }

    fn guarantee(&self) -> Guarantee {
        self.1
    }
}

fn fixed(h: &[(&'static str, Cost)]) -> FixedEstimate {
    FixedEstimate(h.iter().copied().collect(), Guarantee::Admissible)
}

fn run<H: Estimate>(system: &Table, weight: Weight, h: &mut H, errors: OnError, limits: Limits) -> Outcome<usize> {
    let guide = Directed { by: weight, estimate: h };
    search(system, &Objective::new(|_| true, errors, &limits), guide, &mut TreeStore::new(), &mut Unwatched)
}

fn order(system: &Table) -> Vec<String> {
    std::mem::take(&mut *system.expanded.lock().unwrap())
}

#[test]
fn each_descent_goes_as_far_as_the_least_that_was_left_aside() {
    let system = Table::new(&[
        ("a", &[To("b", 1), To("c", 4)]),
        ("b", &[To("d", 1), To("a", 1)]),
        ("c", &[]),
        ("d", &[Bad("here", 7)]),
    ]);
    let outcome = run(&system, Weight::ONE, &mut Blind, OnError::Stop, Limits::default());
    // thresholds 0, 1, 2, 4, 9
    assert_eq!(order(&system), ["a", "a", "b", "a", "b", "d", "a", "b", "d", "c", "a", "b", "d"]);
    let path = outcome.path.expect("an error");
    assert_eq!((outcome.end, path.length, path.shortest, path.actions), (End::Found, 9, true, vec![0, 0, 0]));
    assert_eq!((outcome.stats.states, outcome.stats.expanded, outcome.stats.reopened), (4, 13, 0));
}

#[test]
fn an_estimate_saves_descents_and_states() {
    let system = Table::new(&[
        ("a", &[To("dead", 1), To("b", 1), To("c", 1)]),
        ("b", &[To("d", 1)]),
        ("c", &[Bad("near", 2)]),
        ("d", &[Bad("far", 2)]),
        ("dead", &[To("a", 1)]),
    ]);
    let mut h = fixed(&[("a", 3), ("b", 3), ("c", 2), ("d", 2)]);
    let outcome = run(&system, Weight::ONE, &mut h, OnError::Stop, Limits::default());
    assert_eq!(order(&system), ["a", "c"]);
    assert_eq!(outcome.path.expect("an error").length, 3);
    // with weight 2 the threshold is 6, and c is within it too, but b comes first
    let outcome = run(&system, Weight::new(2.0).unwrap(), &mut h, OnError::Stop, Limits::default());
    let path = outcome.path.expect("an error");
    assert!(path.length <= 6 && !path.shortest);
    h.1 = Guarantee::Guess;
    let outcome = run(&system, Weight::ONE, &mut h, OnError::Stop, Limits::default());
    assert!(!outcome.path.expect("an error").shortest);
}

#[test]
fn a_shorter_path_enters_a_state_again() {
    let system = Table::new(&[("a", &[To("b", 1), To("c", 1)]), ("b", &[To("c", 1)]), ("c", &[Bad("here", 1)])]);
    let outcome =
        run(&system, Weight::ONE, &mut fixed(&[("a", 2), ("b", 0), ("c", 0)]), OnError::Count, Limits::default());
    // below 2, c is first reached over b; below 3, in which the longer path ends, that way to c is not taken again
    assert_eq!(order(&system), ["a", "b", "c", "c", "a", "b", "c"]);
    let path = outcome.path.expect("an error");
    assert_eq!((outcome.end, outcome.errors, path.length, path.shortest), (End::Exhausted, 1, 2, true));
    assert_eq!(outcome.stats.reopened, 1);
}

#[test]
fn nothing_left_aside_is_the_proof() {
    let system = Table::new(&[("a", &[To("b", 3)]), ("b", &[To("a", 1), To("c", 2)]), ("c", &[])]);
    let outcome = run(&system, Weight::ONE, &mut Blind, OnError::Stop, Limits::default());
    assert_eq!((outcome.end, outcome.stats.states, outcome.stats.max_depth), (End::Exhausted, 3, 5));
    let system = Table::new(&[("a", &[Endless(9)])]);
    let outcome = run(&system, Weight::ONE, &mut Blind, OnError::Stop, Limits::default());
    assert_eq!(outcome.end, End::Stopped(Stop::Limit(Limit::CutOff)));
    let outcome = run(&system, Weight::ONE, &mut fixed(&[]), OnError::Stop, Limits::default());
    assert_eq!((outcome.end, outcome.stats.expanded), (End::Exhausted, 0), "no error can be reached, it is said");
}

#[test]
fn limits_are_kept() {
    let chain = Chain { last: 50 };
    let stopped = |limits: Limits| {
        let guide = Directed { by: Weight::ONE, estimate: &mut Blind };
        search(
            &chain,
            &Objective::new(|_| true, OnError::Stop, &limits),
            guide,
            &mut ExactStore::new(0),
            &mut Unwatched,
        )
    };
    let outcome = stopped(Limits { max_depth: Some(49), ..Limits::default() });
    assert_eq!((outcome.end, outcome.stats.max_depth), (End::Stopped(Stop::Limit(Limit::Depth)), 49));
    let outcome = stopped(Limits { max_depth: Some(50), ..Limits::default() });
    assert_eq!((outcome.end, outcome.path.expect("an error").length), (End::Found, 50));
    let outcome = stopped(Limits { max_states: Some(20), ..Limits::default() });
    assert_eq!((outcome.end, outcome.stats.states), (End::Stopped(Stop::Limit(Limit::States)), 20));
}

#[test]
fn bits_are_enough_and_another_hash_function_may_see_what_one_has_lost() {
    let system = Table::new(&[
        ("a", &[To("b", 1), To("c", 1), To("d", 1)]),
        ("b", &[To("e", 1)]),
        ("c", &[To("f", 1)]),
        ("d", &[To("g", 1)]),
        ("e", &[]),
        ("f", &[To("a", 1)]),
        ("g", &[Bad("here", 1)]),
    ]);
    let find = |bits: u32, seeds: &[u64]| {
        let mut store = BitStore::new(0, bits, 1);
        let (guide, fields) =
            (Directed { by: Weight::ONE, estimate: &mut Blind }, BitFields { store: &mut store, seeds });
        let limits = Limits::default();
        partial(&system, &Objective::new(|_| true, OnError::Stop, &limits), guide, fields, &mut Unwatched)
    };
    let path = find(20, &[0]).path.expect("an error");
    assert_eq!((path.length, path.shortest, path.actions), (3, false, vec![2, 0, 0]));
    let seeds: Vec<u64> = (1..200).collect();
    let unlucky: Vec<u64> = seeds.iter().copied().filter(|&seed| find(6, &[seed]).path.is_none()).collect();
    assert!((5..150).contains(&unlucky.len()), "in a field of 64 bits some lose a state on the path: {unlucky:?}");
    let lucky = seeds.iter().copied().find(|seed| !unlucky.contains(seed)).unwrap();
    assert!(find(6, &[unlucky[0], unlucky[1], lucky]).path.is_some());
}

#[test]
fn what_a_state_carries_is_that_of_the_path_to_it() {
    for seed in 0..1000 {
        let (graph, store) = (Graph::random(seed), &mut ExactStore::new(1));
        let guide = Directed { by: Weight::ONE, estimate: &mut Whims(seed) };
        let limits = Limits::default();
        let outcome = search(&graph, &Objective::new(|_| true, OnError::Stop, &limits), guide, store, &mut Unwatched);
        if let Some(path) = outcome.path {
            assert_eq!(walk(&graph, &path.actions), (path.length, path.violation), "seed {seed}");
        }
    }
}
