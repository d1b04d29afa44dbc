//! The models of the paper: sizes, lengths and the number of expansions.

mod support;

use std::num::NonZeroU32;

use homing_abstraction::{Abstraction, Options};
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

#[test]
#[ignore = "for reference"]
fn scratch() {
    for (name, network) in [
        ("A2", arbiter_tree(2)),
        ("A3", arbiter_tree(3)),
        ("H4b", hanoi(4, Hanoi::B)),
        ("H5b", hanoi(5, Hanoi::B)),
        ("H5a", hanoi(5, Hanoi::A)),
        ("H5c", hanoi(5, Hanoi::C)),
    ] {
        let system = network.system();
        let fsm = astar(&network, &mut FsmMax::new(&system), usize::MAX);
        let gfsm = greedy(&network, &mut FsmMax::new(&system), usize::MAX);
        println!("{name} fsm {fsm:?} {gfsm:?}");
        for n in [50, 100] {
            let abstraction = Abstraction::new(&system, &options(n));
            let a = astar(&network, &mut abstraction.evaluator(), usize::MAX);
            let g = greedy(&network, &mut abstraction.evaluator(), usize::MAX);
            println!("{name} N{n} {a:?} {g:?} {:?}", abstraction.statistics().elapsed);
        }
    }
    let _: Option<Run> = None;
}
