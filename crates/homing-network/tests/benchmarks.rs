//! The generated benchmarks have the states and the shortest paths that the paper's models have.

use homing_network::explorer::{Exploration, Limits, Verdict, explore};
use homing_network::generate::{Arbiter, NetworkText, Variant, arbiter, hanoi, philosophers, random_system};
use homing_network::{Format, read};

fn explored(text: &NetworkText, format: Format) -> Exploration {
    let reading = read(&text.to_input(format));
    let messages = reading.diagnostics.messages();
    explore(&reading.network.unwrap_or_else(|| panic!("no network: {messages:?}")), Limits::default())
}

fn check(text: &NetworkText, states: usize, length: u32) {
    for format in [Format::Xta, Format::Xml] {
        let found = explored(text, format);
        assert_eq!((found.states, found.queries[0].length), (states, Some(length)), "{format:?}");
        assert_eq!((found.queries[0].verdict, found.errors), (Verdict::Satisfied, 0), "{format:?}");
    }
}

#[test]
fn the_arbiter_tree_of_height_2() {
    check(&arbiter(Arbiter::new(2)), 771, 12);
}

#[test]
fn the_arbiter_tree_of_height_3() {
    check(&arbiter(Arbiter::new(3)), 224_955, 17);
}

#[test]
fn the_arbiter_tree_with_another_pair() {
    check(&arbiter(Arbiter { pair: (1, 2), ..Arbiter::new(3) }), 224_955, 14);
}

#[test]
fn towers_of_4_disks() {
    check(&hanoi(4, Variant::A), 1449, 52);
    check(&hanoi(4, Variant::B), 3423, 52);
    check(&hanoi(4, Variant::C), 9849, 52);
}

#[test]
fn towers_of_5_disks() {
    check(&hanoi(5, Variant::A), 8145, 114);
    check(&hanoi(5, Variant::B), 26_409, 114);
    check(&hanoi(5, Variant::C), 101_361, 114);
}

#[test]
fn one_disk_is_moved_in_two_steps() {
    for variant in [Variant::A, Variant::B, Variant::C] {
        assert_eq!(explored(&hanoi(1, variant), Format::Xta).queries[0].length, Some(2), "{variant:?}");
    }
}

/// As many states as the Promela model has.
#[test]
fn philosophers_starve() {
    let found = explored(&philosophers(3), Format::Xta);
    assert_eq!((found.states, found.deadlocks, found.nearest_deadlock), (35, 1, Some(3)));
    assert_eq!((found.queries[0].verdict, found.queries[0].length), (Verdict::NotSatisfied, Some(3)));
}

/// Tables refer to these systems by their seeds: they must be the same in later versions.
#[test]
fn random_systems_reach_their_errors() {
    let mut found = Vec::new();
    for seed in 0..3 {
        let text = random_system(4, seed);
        let exploration = explored(&text, Format::Xta);
        assert_eq!(exploration.queries[0].verdict, Verdict::Satisfied, "seed {seed}");
        assert_eq!(exploration.states, explored(&text, Format::Xml).states, "seed {seed}");
        found.push((exploration.states, exploration.queries[0].length.unwrap_or(0)));
    }
    assert_eq!(found, RANDOM_SYSTEMS_OF_4);
}

const RANDOM_SYSTEMS_OF_4: [(usize, u32); 3] = [(1489, 6), (64, 3), (361, 6)];
