//! The probabilities are exact: dynamic programming over the draws of Algorithm 1.

use homing_core::{End, Limit, Limits, Stop};

use super::*;
use crate::OnError;
use crate::level_loop::structures::{Highway, Net, Order, assert_share, runs};

const NO_LIMITS: Limits = Limits { max_depth: None, max_states: None, memory: None };

#[test]
fn structures_have_the_sizes_of_the_paper() {
    for (net, states, edges) in
        [(Net::diamond(10), 100, 180), (Net::back_loop(9), 47, 56), (Net::components(), 31, 110)]
    {
        assert_eq!((net.steps.len(), net.edges()), (states, edges));
    }
}

#[test]
fn the_diamond_is_covered_as_algorithm_1_does() {
    let limits = Limits { max_depth: Some(9), ..NO_LIMITS };
    for (width, p) in [
        (2, [0.0133, 0.0642, 0.1817, 0.3166, 0.4248, 0.4183, 0.3245, 0.1796, 0.0656, 0.0115]),
        (3, [0.0354, 0.1379, 0.3140, 0.4588, 0.5238, 0.5361, 0.4769, 0.3305, 0.1527, 0.0339]),
        (4, [0.0798, 0.2526, 0.4589, 0.5758, 0.5973, 0.5967, 0.5840, 0.4895, 0.2840, 0.0814]),
    ] {
        let counts = Highway::Approximate.expanded(&Net::diamond(10), width, &limits);
        for (j, p) in p.into_iter().enumerate() {
            assert_share(counts[(9 - j) * 10 + j], runs(), p, &format!("width {width}, state {j}"));
        }
    }
}

#[test]
fn back_loops_are_escaped_as_often_by_both_highways() {
    let net = Net::back_loop(9);
    for highway in [Highway::Approximate, Highway::EXACT] {
        for (width, p) in [(1, 1.0 / 256.0), (2, 88.0 / 729.0), (3, 111.0 / 256.0), (4, 19.0 / 25.0), (5, 1.0)] {
            let found = (0..runs()).filter(|&seed| highway.run(&net, width, seed, &NO_LIMITS).path.is_some()).count();
            assert_share(found as u64, runs(), p, &format!("{highway:?} of width {width}"));
        }
    }
}

#[test]
fn the_lanes_that_long_back_loops_need() {
    let net = Net::back_loop(200);
    for highway in [Highway::Approximate, Highway::EXACT] {
        let found =
            |width, runs| (0..runs).filter(|&seed| highway.run(&net, width, seed, &NO_LIMITS).path.is_some()).count();
        assert_eq!(found(101, 20), 20, "{highway:?}");
        assert!(found(100, 200) < 200, "{highway:?}");
    }
}

/// Property 8: the state that several others share is tried again and again, which counts if it is tried last.
#[test]
fn funnels_attract_algorithm_1_only() {
    let limits = Limits { max_depth: Some(2), ..NO_LIMITS };
    for (width, c, k, p_last, p) in
        [(3, 5, 2, 5.0 / 7.0, 0.5), (4, 8, 3, 26.0 / 33.0, 4.0 / 9.0), (6, 12, 5, 0.9253, 6.0 / 13.0)]
    {
        for (highway, order, p) in [
            (Highway::Approximate, Order::FunnelLast, p_last),
            (Highway::Approximate, Order::FunnelFirst, p),
            (Highway::EXACT, Order::FunnelLast, p),
            (Highway::EXACT, Order::FunnelFirst, p),
        ] {
            let count = highway.expanded(&Net::funnel(c, k, order), width, &limits)[1];
            assert_share(count, runs(), p, &format!("{highway:?} of width {width}, {order:?}"));
        }
    }
}

/// The mean share of the five exits that are seen when the search ends. Each run gives a share between 0 and 1, whose variance is
/// at most that of a single exit.
#[test]
fn lanes_are_spread_over_components() {
    let net = Net::components();
    for (width, p) in [(1, 0.2), (2, 0.262), (3, 0.396), (4, 0.512), (5, 0.638)] {
        let counts = Highway::Approximate.expanded(&net, width, &NO_LIMITS);
        let seen: u64 = Net::exits().iter().map(|&exit| counts[exit as usize]).sum();
        let (share, sigma) = (seen as f64 / (5 * runs()) as f64, (p * (1.0 - p) / runs() as f64).sqrt());
        assert!((share - p).abs() <= 4.5 * sigma + 0.5e-3, "width {width}: {share} instead of {p} (sigma {sigma})");
    }
}

/// A highway of width 1 visits the states of one component in a random order: after k states it has seen the exit with
/// probability (k - 2)/4.
#[test]
fn one_lane_leaves_its_component_by_the_exit() {
    let net = Net::components();
    for k in 2..=6 {
        let limits = Limits { max_states: Some(k), ..NO_LIMITS };
        let seen = |seed| {
            Highway::Approximate.run(&net, 1, seed, &limits);
            net.take_expanded().iter().any(|at| Net::exits().contains(at))
        };
        let found = (0..runs()).filter(|&seed| seen(seed)).count();
        assert_share(found as u64, runs(), (k - 2) as f64 / 4.0, &format!("{k} states"));
    }
}

#[test]
fn one_seed_is_one_run() {
    let net = Net::diamond(10);
    let expanded = |seed| {
        Highway::Approximate.run(&net, 3, seed, &NO_LIMITS);
        net.take_expanded()
    };
    assert!((0..50).all(|seed| expanded(seed) == expanded(seed)));
    assert!((1..50).any(|seed| expanded(seed) != expanded(0)));
}

#[test]
fn what_drops_nothing_is_exhaustive() {
    let net = Net::diamond(10);
    for highway in [Highway::Approximate, Highway::EXACT, Highway::Exact { threads: 4 }] {
        let outcome = highway.run(&net, 10, 7, &NO_LIMITS);
        assert_eq!((outcome.end, outcome.stats.states, outcome.stats.transitions()), (End::Exhausted, 100, 181));
        assert_eq!(net.take_expanded(), Vec::from_iter(0..100));
        let outcome = highway.run(&net, 9, 7, &NO_LIMITS);
        assert_eq!((outcome.end, outcome.path.is_none()), (End::Stopped(Stop::Dropped), true));
    }
}

#[test]
fn limits_end_it() {
    let net = Net::diamond(10);
    let run = |limits: Limits| Highway::Approximate.run(&net, 10, 0, &limits);
    let outcome = run(Limits { max_states: Some(17), ..NO_LIMITS });
    assert_eq!(outcome.end, End::limit(Limit::States));
    assert_eq!((outcome.stats.states, outcome.stats.expanded), (17, 17));
    let outcome = run(Limits { max_states: Some(0), ..NO_LIMITS });
    assert_eq!((outcome.end, outcome.stats.expanded), (End::limit(Limit::States), 0));
    let outcome = run(Limits { max_depth: Some(3), ..NO_LIMITS });
    assert_eq!((outcome.end, outcome.stats.states, outcome.stats.max_depth), (End::limit(Limit::Depth), 10, 3));
    let outcome = run(Limits { memory: Some(1), ..NO_LIMITS });
    assert_eq!(outcome.end, End::limit(Limit::Memory));
}

#[test]
fn an_error_is_found_when_its_state_is_expanded() {
    let net = Net { errors: vec![2], ..Net::new(vec![vec![1, 2], vec![3], vec![], vec![]]) };
    let outcome = Highway::Approximate.run(&net, 2, 0, &NO_LIMITS);
    let path = outcome.path.expect("an error");
    assert_eq!((outcome.end, path.actions, path.length, path.shortest), (End::Found, vec![1, 0], 1, false));
    assert_eq!((outcome.errors, outcome.stats.expanded, outcome.stats.states), (1, 3, 3));
    let limits = Limits::default();
    let objective = crate::Objective::new(|_| true, OnError::Count, &limits);
    let lanes = Lanes { width: 2, seed: homing_core::Seed::of_run(0, 0) };
    let store = &mut homing_store::ExactStore::new(0);
    let outcome = search(&mut { &net }, &objective, lanes, store, &mut homing_core::Unwatched);
    assert_eq!((outcome.end, outcome.errors, outcome.stats.expanded), (End::Exhausted, 1, 4));
}
