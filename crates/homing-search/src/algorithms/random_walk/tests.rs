use homing_core::{End, Unwatched};

use super::*;
use crate::OnError;
use crate::level_loop::structures::{Net, assert_share, chi_square, runs};
use crate::testing::Row::{Bad, To};
use crate::testing::{Table, walk};

fn run<T: TransitionSystem>(system: &T, seed: u64, unit: Option<u64>, limits: Limits) -> Outcome<T::Action> {
    let objective = Objective::new(|_: &Violation| true, OnError::Stop, &limits);
    search(system, &objective, Seed::of_run(seed, 0), unit, &mut Unwatched)
}

fn at_most(states: u64) -> Limits {
    Limits { max_states: Some(states), ..Limits::default() }
}

#[test]
fn lubys_sequence() {
    let sequence: Vec<u64> = (1..=15).map(luby).collect();
    assert_eq!(sequence, [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
}

/// State j is hit with probability C(9, j)/2^9. The limit has probability 0.0001 with 9 degrees of freedom.
#[test]
fn the_diamond_is_left_in_the_middle() {
    let net = Net::diamond(10);
    let mut counts = [0; 10];
    for seed in 0..runs() {
        run(&net, seed, None, at_most(10));
        counts[net.take_expanded()[9..].iter().find(|&at| at / 10 + at % 10 == 9).map_or(0, |at| at % 10) as usize] +=
            1;
    }
    let statistic = chi_square(&counts, &[1.0, 9.0, 36.0, 84.0, 126.0, 126.0, 84.0, 36.0, 9.0, 1.0]);
    assert!(statistic < 33.72, "{statistic} by {counts:?}");
}

/// The expected number of steps to the error, solved exactly. The number is nearly geometric, so that its standard deviation is
/// about its mean.
#[test]
fn back_loops_hold_a_walk_for_as_long_as_they_should() {
    for (n, steps) in [(3, 34.0), (5, 152.0), (7, 630.0)] {
        let net = Net::back_loop(n);
        let length =
            |seed| f64::from(run(&net, seed, None, Limits::default()).path.expect("it is reached at last").length);
        let runs = 2000;
        let mean = (0..runs).map(length).sum::<f64>() / runs as f64;
        assert!((mean - steps).abs() < 4.5 * steps / (runs as f64).sqrt(), "{n}: {mean} instead of {steps}");
    }
}

#[test]
fn back_loops_are_escaped_within_a_limit_as_often_as_they_should() {
    let net = Net::back_loop(9);
    for (states, p) in [(30, 0.0086), (50, 0.0164), (100, 0.0355), (1000, 0.3233)] {
        let found = (0..runs()).filter(|&seed| run(&net, seed, None, at_most(states)).path.is_some()).count();
        assert_share(found as u64, runs(), p, &format!("{states} states"));
    }
}

/// Some exit is seen within k states with probability 1 - (3/4)^(k - 2).
#[test]
fn components_are_left_as_soon_as_they_should() {
    let net = Net::components();
    for k in [2, 3, 4, 6, 10] {
        let seen = |seed| {
            run(&net, seed, None, at_most(k));
            net.take_expanded().iter().any(|at| Net::exits().contains(at))
        };
        let found = (0..runs()).filter(|&seed| seen(seed)).count();
        assert_share(found as u64, runs(), 1.0 - 0.75f64.powi(k as i32 - 2), &format!("{k} states"));
    }
}

#[test]
fn a_path_is_found_again_from_the_seed() {
    let net = Net::back_loop(6);
    for seed in 0..200 {
        for unit in [None, Some(20)] {
            let outcome = run(&net, seed, unit, Limits::default());
            let path = outcome.path.expect("it is reached at last");
            assert_eq!(walk(&net, &path.actions).0, path.length);
            assert_eq!((outcome.end, outcome.errors, outcome.stats.peak_states), (End::Found, 1, 1));
        }
    }
}

#[test]
fn one_run_without_choice_is_all_there_is() {
    let system = Table::new(&[("a", &[To("b", 1)]), ("b", &[To("c", 2)]), ("c", &[])]);
    let outcome = run(&system, 0, Some(1000), Limits::default());
    assert_eq!((outcome.end, outcome.stats.states, outcome.stats.max_depth), (End::Exhausted, 3, 3));
    let limits = Limits { max_depth: Some(2), ..Limits::default() };
    assert_eq!(run(&system, 0, Some(1000), limits).end, End::limit(Limit::Depth));
    let choice = Table::new(&[("a", &[To("b", 1), To("b", 1)]), ("b", &[])]);
    let outcome = run(&choice, 0, Some(1000), at_most(50));
    assert_eq!((outcome.end, outcome.stats.expanded), (End::limit(Limit::States), 50));
}

#[test]
fn a_bound_on_the_depth_starts_it_again() {
    let system = Table::new(&[("a", &[To("a", 1), To("b", 1)]), ("b", &[Bad("near", 1), To("a", 1)])]);
    let limits = Limits { max_depth: Some(2), max_states: Some(1000), ..Limits::default() };
    for seed in 0..20 {
        let path = run(&system, seed, None, limits).path.expect("half of the walks find it");
        assert_eq!((path.actions, path.length), (vec![1, 0], 2));
    }
    let limits = Limits { max_depth: Some(1), max_states: Some(1000), ..Limits::default() };
    let outcome = run(&system, 0, None, limits);
    assert_eq!((outcome.end, outcome.errors), (End::limit(Limit::States), 0), "the error is too deep");
}
