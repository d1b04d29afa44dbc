use homing_core::{Limits, Unwatched};
use homing_store::TreeStore;

use super::*;
use crate::OnError;
use crate::cycles::tests::{Net, PROCESSES};
use crate::testing::violation;

fn run(net: &Net, fairness: Fairness, effort: Effort) -> Outcome<usize> {
    let (limits, violation) = (Limits::default(), violation("cycle"));
    // no process beyond these ever moves: that there may be more makes no difference
    let processes = if net.sets == 1 { 200 } else { usize::from(PROCESSES) };
    let cycles = Cycles { sets: net.sets, fairness, processes, violation: &violation };
    let objective = Objective::new(|_: &Violation| true, OnError::Stop, &limits);
    search(net, &objective, &cycles, effort, &mut TreeStore::new(), &mut Unwatched)
}

#[test]
fn lassos_are_as_short_as_all_pairs_say() {
    let all = Effort { below: Cost::MAX, most_steps: None };
    let mut found = 0;
    for seed in 0..3000 {
        let net = Net::random(seed, seed % 3 == 0);
        for fairness in [Fairness::None, Fairness::Weak] {
            let outcome = run(&net, fairness, all);
            let length = outcome.path.as_ref().map(|path| path.length);
            assert_eq!(
                (outcome.end, length),
                (End::Exhausted, net.shortest(fairness)),
                "seed {seed}, {fairness:?}: {net:?}"
            );
            outcome.path.iter().for_each(|path| net.check(path, fairness));
            if let Some(length) = length {
                found += 1;
                let below = run(&net, fairness, Effort { below: length, most_steps: None });
                assert!(below.path.is_none() && below.end == End::Exhausted, "none is shorter: {seed}");
            }
        }
    }
    assert!(found > 1000, "{found}");
}

#[test]
fn an_effort_that_is_too_small_proves_nothing() {
    let ends = (0..200)
        .map(|seed| run(&Net::random(seed, false), Fairness::None, Effort { below: 100, most_steps: Some(3) }).end);
    assert!(ends.filter(|end| *end == End::Stopped(Stop::GivenUp)).count() > 50);
}
