//! The models of the paper: sizes, lengths and the number of expansions.

mod support;

use std::num::NonZeroU32;

use homing_abstraction::{Abstraction, BucketOrder, Options};
use support::explicit::Explicit;
use support::models::{Hanoi, arbiter_tree, hanoi};
use support::network::Network;
use support::search::{FsmMax, Run, astar, greedy};

fn options(bound: u32) -> Options {
    Options::with_bound(NonZeroU32::new(bound).unwrap())
}

#[test]
fn the_models_have_the_known_numbers_of_states() {
    let states = |network: &Network| Explicit::of(&network.system(), 300_000).unwrap().states.len();
    assert_eq!(states(&arbiter_tree(2)), 771);
    assert_eq!([Hanoi::A, Hanoi::B, Hanoi::C].map(|variant| states(&hanoi(4, variant))), [1_449, 3_423, 9_849]);
}

/// Rows of ABSTRACTION.md, section 2.5: expansions and length of A* and of greedy search with bounds 50 and 100.
#[test]
fn searches_expand_as_many_states_as_the_reference() {
    check(&arbiter_tree(2), [(37, 12), (19, 12)], [(13, 12), (13, 12)]);
    check(&arbiter_tree(3), [(2_142, 17), (1_015, 17)], [(28, 27), (27, 26)]);
    check(&hanoi(4, Hanoi::B), [(1_251, 52), (54, 52)], [(417, 78), (54, 52)]);
    check(&hanoi(5, Hanoi::B), [(13_609, 114), (8_165, 114)], [(2_150, 178), (1_860, 156)]);
}

fn check(network: &Network, shortest: [(usize, u32); 2], first: [(usize, u32); 2]) {
    let system = network.system();
    for (bound, (shortest, first)) in [50, 100].into_iter().zip(shortest.into_iter().zip(first)) {
        let abstraction = Abstraction::new(&system, &options(bound));
        let run = |(expanded, length)| Run { expanded, length: Some(length) };
        assert_eq!(astar(network, &mut abstraction.evaluator(), usize::MAX), run(shortest));
        assert_eq!(greedy(network, &mut abstraction.evaluator(), usize::MAX), run(first));
    }
}

#[test]
fn greedy_search_of_the_large_trees_follows_the_reference() {
    for (k, bound, expanded, length) in [(4, 50, 86, 75), (4, 100, 71, 63), (5, 100, 490, 459), (6, 100, 2_385, 2_225)]
    {
        let network = arbiter_tree(k);
        let abstraction = Abstraction::new(&network.system(), &options(bound));
        let run = greedy(&network, &mut abstraction.evaluator(), 10_000);
        assert_eq!(run, Run { expanded, length: Some(length) }, "A{k}, N{bound}");
        assert_eq!(abstraction.statistics().merges.len(), (2 << k) - 1);
    }
}

#[test]
fn the_finite_state_machine_estimate_is_the_baseline() {
    let network = arbiter_tree(3);
    let mut fsm = FsmMax::new(&network.system());
    assert_eq!(astar(&network, &mut fsm, usize::MAX), Run { expanded: 17_003, length: Some(17) });
    assert_eq!(greedy(&network, &mut fsm, usize::MAX), Run { expanded: 235, length: Some(136) });
}

/// The shape of Fig. 4: splitting the nearest bucket first gives the better estimate.
#[test]
fn the_nearest_bucket_first_is_more_accurate() {
    let system = hanoi(3, Hanoi::B).system();
    let explicit = Explicit::of(&system, 10_000).unwrap();
    let missing = |bucket_order| {
        let abstraction = Abstraction::new(&system, &Options { bucket_order, ..options(40) });
        let f = |state: &Vec<u32>| abstraction.distance(state).unwrap();
        let states = explicit.states.iter().zip(&explicit.distances);
        states.filter_map(|(state, d)| d.map(|d| d - f(state))).sum::<u32>()
    };
    let (nearest, farthest) = (missing(BucketOrder::NearestFirst), missing(BucketOrder::FarthestFirst));
    assert!(nearest * 10 < farthest, "{nearest} against {farthest}");
}

/// The description names what was composed, and what came out.
#[test]
fn a_construction_is_described() {
    let mut builder = homing_abstraction::FactoredSystem::builder();
    let (x, y, z) = (builder.factor("x", 2), builder.factor("y", 2), builder.factor("z", 2));
    let (both, own) = (builder.label(1), builder.label(3));
    builder.initial(x, 0).initial(y, 0).initial(z, 0).goals(x, [1]);
    builder.transition(x, both, 0, 1).transition(y, both, 1, 1).transition(y, own, 0, 1);
    let abstraction = Abstraction::new(&builder.build().unwrap(), &options(10));
    assert_eq!([0, 1].map(|y| abstraction.distance(&[0, y, 0])), [Some(4), Some(1)]);
    let description = abstraction.statistics().to_string();
    let lines: Vec<&str> = description.lines().collect();
    assert_eq!(
        lines[0],
        "#1 = x with y: 4 pairs, 3 reachable, 3 of them lead to the goal, 2 transitions, longest distance 4, 3 classes"
    );
    assert_eq!(lines[1], "left out, as the error does not depend on them: z");
    assert!(lines[2].starts_with("1 merges, 2 labels, "));
}
