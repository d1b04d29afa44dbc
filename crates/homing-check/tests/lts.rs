//! Searches on random labelled transition systems, against a search by the definition.

use std::collections::VecDeque;

use fastrand::Rng;
use homing_check::lts::{Options, check};
use homing_check::{OnError, Search, StoreChoice, Verdict};
use homing_core::{Limits, Unwatched};
use homing_lts::structures::{back_loop, components, diamond};
use homing_lts::{Builder, Lts, LtsSystem, Pattern, Property};

fn random_lts(random: &mut Rng) -> Lts {
    let (states, edges) = (random.u32(1..=40), random.u32(0..=80));
    let mut builder = Builder::new(u64::from(states), u64::from(edges));
    for _ in 0..edges {
        let label = ["a", "b", "c", "error"][random.usize(0..4).min(random.usize(0..4))];
        builder.add(random.u32(0..states), label.as_bytes(), random.u32(0..states)).expect("small");
    }
    builder.finish(random.u32(0..states), states).expect("small")
}

/// How many states are reachable, how many errors there are, and how far the nearest is.
fn brute(lts: &Lts, pattern: Option<&Pattern>) -> (u64, u64, Option<u32>) {
    let mut distance = vec![None; lts.states() as usize];
    let mut queue = VecDeque::from([lts.initial()]);
    distance[lts.initial() as usize] = Some(0u32);
    let mut errors = Vec::new();
    while let Some(state) = queue.pop_front() {
        let here = distance[state as usize].expect("it was reached");
        if pattern.is_none() && lts.edges(state).len() == 0 {
            errors.push(here);
        }
        for edge in lts.edges(state) {
            if pattern.is_some_and(|pattern| pattern.matches(lts.labels().text(edge.label))) {
                errors.push(here + 1);
            }
            if distance[edge.target as usize].is_none() {
                distance[edge.target as usize] = Some(here + 1);
                queue.push_back(edge.target);
            }
        }
    }
    let states = distance.iter().flatten().count() as u64;
    (states, errors.len() as u64, errors.iter().min().copied())
}

#[track_caller]
fn compare(lts: &Lts, pattern: Option<&Pattern>, context: &str) {
    let property = pattern.map_or_else(|| Property::no_deadlock(lts), |pattern| Property::no_action(pattern, lts));
    let system = LtsSystem::new(lts, &property);
    let (states, errors, nearest) = brute(lts, pattern);
    let expected = if nearest.is_some() { Verdict::Violated } else { Verdict::Holds };
    for (search, store, threads) in [
        (Search::Auto, StoreChoice::Tree, 1),
        (Search::Bfs, StoreChoice::Exact, 3),
        (Search::Dfs, StoreChoice::Tree, 1),
    ] {
        let options = Options { search, store, threads, ..Options::default() };
        let report = check(system, &options, &mut Unwatched);
        assert_eq!(report.verdict, expected, "{context}, {search:?}");
        let length = report.path.as_ref().map(|path| path.length);
        match search {
            Search::Dfs => assert!(length >= nearest, "{context}"),
            _ => {
                assert_eq!(length, nearest, "{context}, {search:?}");
                assert!(report.path.is_none_or(|path| path.shortest), "{context}, {search:?}");
            }
        }
        let all = check(system, &Options { on_error: OnError::Count, ..options }, &mut Unwatched);
        assert_eq!((all.stats.states, all.errors), (states, errors), "{context}, {search:?}");
    }
}

#[test]
fn verdicts_and_lengths_are_those_of_the_definition() {
    let error = Pattern::parse("error").expect("a pattern");
    for seed in 0..1000 {
        let lts = random_lts(&mut Rng::with_seed(seed));
        compare(&lts, None, &format!("seed {seed}, deadlock"));
        compare(&lts, Some(&error), &format!("seed {seed}, action"));
    }
}

#[test]
fn structures() {
    let report = Pattern::parse("report*").expect("a pattern");
    for (name, lts) in [("diamond", diamond(10)), ("back-loop", back_loop(9)), ("components", components(5, 5))] {
        compare(&lts, None, name);
        compare(&lts, Some(&report), name);
    }
}

#[test]
fn a_limit_is_never_a_proof() {
    let lts = diamond(20);
    let property = Property::no_deadlock(&lts);
    let system = LtsSystem::new(&lts, &property);
    for limits in
        [Limits { max_states: Some(50), ..Limits::default() }, Limits { max_depth: Some(37), ..Limits::default() }]
    {
        let report = check(system, &Options { limits, ..Options::default() }, &mut Unwatched);
        assert!(matches!(report.verdict, Verdict::Unknown(_)), "{limits:?}: {:?}", report.verdict);
    }
}
