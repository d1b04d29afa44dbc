use homing_core::{
    Cost, End, Estimate, Estimated, Guarantee, Limit, Limits, Outcome, State, Stop, Unwatched, Violation,
};
use homing_store::{ExactStore, TreeStore};

use super::{Pace, at_pace};
use crate::cycles::tests::{Net, agrees};
use crate::cycles::{Cycles, Fairness};
use crate::ndfs::{Class, Region, RegionOf};
use crate::testing::{Random, violation};
use crate::{Objective, OnError, scc};

/// An estimate that knows nothing: what is found does not depend on it.
struct Guess(u64);

impl Estimate for Guess {
    fn distance(&mut self, state: &State) -> Option<Estimated> {
        let guess = Random(self.0 ^ u64::from(state[0])).below(5);
        guess.checked_sub(1).map(|guess| Estimated::from(guess as Cost))
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee::Guess
    }
}

/// Turns of one expansion, with many probes, with few, and the usual ones.
const PACES: [Pace; 4] = [
    Pace::USUAL,
    Pace { turn: (1, 2), probe: 1, free: 1 << 20 },
    Pace { turn: (1, 1), probe: 2, free: 4 },
    Pace { turn: (2, 8), probe: 4, free: 0 },
];

fn directed(net: &Net, region: RegionOf<'_>, limits: &Limits, pace: Pace, seed: u64) -> Outcome<usize> {
    let violation = violation("cycle");
    let cycles = Cycles { sets: 1, fairness: Fairness::None, processes: 3, violation: &violation };
    let objective = Objective::new(|_: &Violation| true, OnError::Stop, limits);
    let mut guess = Guess(seed);
    let mut store = ExactStore::new(0);
    let outcome = at_pace(net, &objective, &cycles, (region, &mut guess, pace), &mut store, &mut Unwatched);
    if seed.is_multiple_of(16) {
        let mut tree = TreeStore::new();
        let other = at_pace(net, &objective, &cycles, (region, &mut guess, pace), &mut tree, &mut Unwatched);
        assert_eq!(outcome.path.clone().map(|path| path.actions), other.path.map(|path| path.actions));
    }
    outcome
}

#[test]
fn it_finds_the_cycles_of_small_graphs() {
    let mut found = 0;
    for seed in 0..3000 {
        let net = Net::random(seed, true);
        let region = |state: &State| net.region(usize::from(state[0]));
        let all_in_p = |state: &State| Region { class: Class::P, ..net.region(usize::from(state[0])) };
        let one_in_p = |_: &State| Region { class: Class::P, component: 0 };
        for region in [&region as RegionOf<'_>, &all_in_p, &one_in_p] {
            for pace in PACES {
                let outcome = directed(&net, region, &Limits::default(), pace, seed);
                found += u32::from(outcome.path.is_some());
                agrees(&net, outcome, Fairness::None, seed);
            }
        }
    }
    assert!(found > 1000, "{found}");
}

/// Many entries of components with many parts, left and entered again.
#[test]
fn it_agrees_with_components_where_there_are_many_entries() {
    let violation = violation("cycle");
    let limits = Limits::default();
    let objective = Objective::new(|_: &Violation| true, OnError::Stop, &limits);
    let cycles = Cycles { sets: 1, fairness: Fairness::None, processes: 3, violation: &violation };
    let mut found = [0; 2];
    for seed in 0..3000 {
        let (states, full) = ([12, 24, 60][seed as usize % 3], seed % 2 == 0);
        let net = Net::layered(seed, states, full);
        let expected = scc::search(&net, &objective, &cycles, &mut TreeStore::new(), &mut Unwatched);
        let region = |state: &State| {
            let component = Net::layer(state[0], states);
            let class = [Class::N, if full { Class::F } else { Class::P }][component as usize % 2];
            Region { component, class }
        };
        for pace in PACES {
            let outcome = directed(&net, &region, &limits, pace, seed);
            assert_eq!(outcome.end, expected.end, "seed {seed}, {pace:?}: {net:?}");
            assert_eq!(outcome.path.is_some(), expected.path.is_some(), "seed {seed}");
            found[usize::from(outcome.path.is_some())] += 1;
            match &outcome.path {
                Some(path) => net.check(path, Fairness::None),
                None => assert_eq!(outcome.stats.states, expected.stats.states, "seed {seed}"),
            }
        }
    }
    assert!(found.iter().all(|&count| count > 2000), "{found:?}");
}

/// Below a limit on the depth nothing is claimed, unless all steps were followed.
#[test]
fn a_limit_on_the_depth_hides_no_cycle_silently() {
    for seed in 0..1000 {
        let net = Net::layered(seed, 12, false);
        let region = |state: &State| {
            let component = Net::layer(state[0], 12);
            Region { component, class: [Class::N, Class::P][component as usize % 2] }
        };
        let everywhere = directed(&net, &region, &Limits::default(), Pace::USUAL, seed);
        for max_depth in 0..6 {
            let limits = Limits { max_depth: Some(max_depth), ..Limits::default() };
            let outcome = directed(&net, &region, &limits, PACES[seed as usize % PACES.len()], seed);
            match outcome.end {
                End::Exhausted => assert_eq!(everywhere.end, End::Exhausted, "seed {seed}, {max_depth}: {net:?}"),
                End::Found => net.check(&outcome.path.expect("it was found"), Fairness::None),
                end => assert_eq!(end, End::Stopped(Stop::Limit(Limit::Depth))),
            }
        }
    }
}
