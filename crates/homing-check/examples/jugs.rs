//! Two jugs hold five and three litres: measure four. Checked by breadth-first search, by A* and by the portfolio.
//!
//! `cargo run -p homing-check --example jugs` prints the shortest way.

use homing_check::{Checker, EstimateBy, Fork, Guarantee, Report, Rules, Search, Unwatched, Verdict, Weight};

/// The jugs as a system; that one of them holds `wanted` litres is its error.
pub fn jugs(wanted: u8) -> impl Fork<Action = &'static str> + Copy {
    Rules::new([0, 0], move |&[five, three], steps| {
        if five == wanted || three == wanted {
            return steps.error("measured", "the litres are measured");
        }
        let (over, back) = (five.min(3 - three), three.min(5 - five));
        steps.to("fill five", [5, three]);
        steps.to("fill three", [five, 3]);
        steps.to("empty five", [0, three]);
        steps.to("empty three", [five, 0]);
        steps.to("pour five into three", [five - over, three + over]);
        steps.to("pour three into five", [five + back, three - back]);
    })
}

/// Measures by three searches: breadth-first, A* and the portfolio.
pub fn measure(wanted: u8) -> [Report<&'static str>; 3] {
    // a step is needed as long as nothing is measured, and it is all that is known
    let estimate = EstimateBy::new(Guarantee::Consistent, move |jugs| Some(u32::from(!jugs.contains(&wanted))));
    let checker = || Checker::new(jugs(wanted)).estimate(estimate);
    [
        checker().search(Search::Bfs).threads(2).run(&mut Unwatched),
        checker().search(Search::AStar { weight: Weight::ONE }).run(&mut Unwatched),
        checker().run(&mut Unwatched),
    ]
}

#[allow(dead_code)] // the tests use the functions alone
fn main() {
    for report in measure(4) {
        let path = report.path.expect("four litres can be measured");
        println!("{}, {} steps, {} states:", report.search.name(), path.length, report.stats.states);
        path.actions.iter().for_each(|action| println!("  {action}"));
    }
    // with more than five litres there is no jug to hold them
    assert!(measure(6).iter().all(|report| report.verdict == Verdict::Holds));
}
