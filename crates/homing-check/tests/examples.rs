//! Systems written in Rust: searches agree on verdicts and lengths, and claim what they have proved.

#[path = "../examples/jugs.rs"]
mod jugs;

use homing_check::{
    Checker, EstimateBy, Fork, Guarantee, Limits, OnError, Reason, Rules, Search, Shortening, StoreChoice, Unwatched,
    Verdict, ViolationKind, Watch, Weight,
};
use homing_core::{Limit, Progress, Stop};

#[test]
fn searches_agree_on_the_jugs() {
    for (wanted, shortest) in [(4, 6), (1, 4), (2, 2), (5, 1), (0, 0)] {
        for report in jugs::measure(wanted) {
            assert_eq!(report.verdict, Verdict::Violated, "{wanted}");
            let path = report.path.expect("a path");
            assert_eq!((path.length, path.shortest), (shortest, true), "{wanted}, {:?}", report.search);
            assert_eq!(path.actions.len(), shortest as usize + 1, "the last action shows the violation");
            assert_eq!(path.actions.last(), Some(&"measured"));
        }
    }
    for report in jugs::measure(6) {
        assert_eq!((report.verdict, report.path.is_none(), report.errors), (Verdict::Holds, true, 0));
        assert_eq!(report.stats.states, 16, "{:?}", report.search);
    }
}

/// Every search that can be asked for and visits all states; levels are wide enough.
const SEARCHES: [Search; 11] = [
    Search::Auto,
    Search::Bfs,
    Search::Dfs,
    Search::ShorterDfs,
    Search::BestFirst,
    Search::AStar { weight: Weight::ONE },
    Search::Ida { weight: Weight::ONE },
    Search::Stateless,
    Search::Highway { width: 64 },
    Search::HighwayExact { width: 64 },
    Search::Beam { width: 64 },
];

#[test]
fn every_search_and_store_gives_the_same_verdict() {
    let bits = StoreChoice::Bitstate { bits: 20, hashes: 3, seed: 0 };
    for search in SEARCHES {
        for store in [StoreChoice::Exact, StoreChoice::Tree, StoreChoice::Compact, bits, StoreChoice::Nothing] {
            let check = |wanted| Checker::new(jugs::jugs(wanted)).search(search).store(store).run(&mut Unwatched);
            let found = check(4);
            assert_eq!(found.verdict, Verdict::Violated, "{search:?} {store:?}");
            let path = found.path.expect("a path");
            assert!(path.length >= 6 && (!path.shortest || path.length == 6), "{search:?} {store:?}");
            let expected = if check(6).store_use.lossless { Verdict::Holds } else { Verdict::Unknown(Reason::Lossy) };
            assert_eq!(check(6).verdict, expected, "{search:?} {store:?}");
        }
    }
}

#[test]
fn a_lossy_store_proves_nothing() {
    for store in [StoreChoice::Compact, StoreChoice::Bitstate { bits: 20, hashes: 3, seed: 0 }] {
        let checker = |wanted| Checker::new(jugs::jugs(wanted)).search(Search::Bfs).store(store);
        assert_eq!(checker(6).run(&mut Unwatched).verdict, Verdict::Unknown(Reason::Lossy), "{store:?}");
        let path = checker(4).shortening(Shortening::Always).run(&mut Unwatched).path.expect("a path");
        assert!(!path.shortest, "{store:?}");
    }
}

/// A counter with a detour: the direct way to 100 has 100 steps, a greedy search takes the one of 150.
fn detour() -> impl Fork<Action = char> + Copy {
    Rules::new([0, 0], |&[x, y], steps| match (x, y) {
        (100, _) | (_, 150) => steps.error('!', "arrived"),
        (0, 0) => {
            steps.to('x', [1, 0]);
            steps.to('y', [0, 1]);
        }
        (_, 0) => steps.to('x', [x + 1, 0]),
        _ => steps.to('y', [0, y + 1]),
    })
}

#[test]
fn a_path_of_a_directed_search_is_shortened_if_it_is_asked_for() {
    let misleading = EstimateBy::new(Guarantee::Guess, |state| Some(200 - u32::from(state[1])));
    let checker = || Checker::new(detour()).search(Search::BestFirst).estimate(misleading);
    let found = checker().run(&mut Unwatched).path.expect("a path");
    assert_eq!((found.length, found.shortest), (150, false));
    for shortening in [Shortening::IfCheap, Shortening::Always] {
        let path = checker().shortening(shortening).run(&mut Unwatched).path.expect("a path");
        assert_eq!((path.length, path.shortest), (100, true), "{shortening:?}");
    }
    let path = checker().search(Search::Auto).run(&mut Unwatched).path.expect("a path");
    assert_eq!((path.length, path.shortest), (100, true), "the portfolio shortens by itself");
}

#[test]
fn limits_and_the_watch_end_a_search() {
    struct Impatient;
    impl Watch for Impatient {
        fn look(&mut self, _: &Progress) -> Option<Stop> {
            Some(Stop::Interrupted)
        }
    }
    // all states of three bytes: no error
    let cube = Rules::new([0; 3], |&state, steps| {
        for at in 0..3 {
            let mut next: [u8; 3] = state;
            next[at] = next[at].wrapping_add(1);
            steps.to(at, next);
        }
    });
    for search in [Search::Auto, Search::Bfs, Search::Dfs] {
        let interrupted = Checker::new(cube).search(search).run(&mut Impatient);
        assert_eq!(interrupted.verdict, Verdict::Unknown(Reason::Stopped(Stop::Interrupted)), "{search:?}");
        let limits = Limits { max_states: Some(10_000), ..Limits::default() };
        let limited = Checker::new(cube).search(search).limits(limits).run(&mut Unwatched);
        assert_eq!(limited.verdict, Verdict::Unknown(Reason::Stopped(Stop::Limit(Limit::States))), "{search:?}");
    }
}

#[test]
fn chosen_errors_are_counted() {
    let two = Rules::new([0], |&[x], steps| match x {
        0 => {
            steps.to("left", [1]);
            steps.to("right", [2]);
        }
        1 => steps.error("one", "it is one"),
        _ => steps.error("two", "it is two"),
    });
    let checker = || Checker::new(two).on_error(OnError::Count);
    assert_eq!(checker().run(&mut Unwatched).errors, 2);
    let chosen = checker().errors(|violation| violation.message == "it is two").run(&mut Unwatched);
    assert_eq!((chosen.errors, chosen.path.map(|path| path.actions)), (1, Some(vec!["right", "two"])));
}

/// A line of ten steps to an error, and a short cut of four.
fn two_ways() -> impl Fork<Action = u8> + Copy {
    Rules::new([0], |&[x], steps| match x {
        9 => steps.error(0, "the end"),
        0 => {
            steps.to(1, [1]);
            steps.to(2, [20]);
        }
        22 => steps.to(1, [9]),
        _ => steps.to(1, [x + 1]),
    })
}

/// An estimate that is not what it guarantees is noticed on the way, and nothing is claimed.
#[test]
fn an_estimate_that_contradicts_its_guarantee_proves_nothing() {
    let run = |guarantee, distance: fn(u8) -> u32| {
        let estimate = EstimateBy::new(guarantee, move |state| Some(distance(state[0])));
        let search = Search::AStar { weight: Weight::ONE };
        Checker::new(two_ways()).search(search).estimate(estimate).run(&mut Unwatched)
    };
    let honest = run(Guarantee::Consistent, |x| match x {
        20.. => 23 - u32::from(x),
        x => (9 - u32::from(x)).min(4),
    });
    assert!(honest.path.is_some_and(|path| path.shortest && path.length == 4));
    assert_eq!(honest.stats.contradictions, 0);
    // falls by more than a step costs
    let falling = run(Guarantee::Consistent, |x| if x == 0 { 4 } else { 0 });
    assert!(falling.path.is_some_and(|path| !path.shortest) && falling.stats.contradictions > 0);
    // is admissible no more beside the error
    let far = run(Guarantee::Admissible, |x| if x == 9 { 0 } else { 30 });
    assert!(far.path.is_some_and(|path| !path.shortest) && far.stats.contradictions > 0);
    // a guess guarantees nothing that could be contradicted
    let guess = run(Guarantee::Guess, |x| if x == 0 { 4 } else { 0 });
    assert!(guess.path.is_some_and(|path| !path.shortest) && guess.stats.contradictions == 0);
}

#[test]
fn a_search_for_cycles_is_refused_without_labels() {
    for search in [Search::Scc, Search::Ndfs, Search::Indfs, Search::AStarIndfs] {
        let report = Checker::new(jugs::jugs(6)).search(search).run(&mut Unwatched);
        assert_eq!((report.verdict, report.stats.states), (Verdict::Unknown(Reason::Unsupported), 0), "{search:?}");
    }
}

#[test]
fn deadlocks_are_errors_where_that_is_asked_for() {
    let counter = Rules::new([0], |&[x], steps| {
        if x < 3 {
            steps.to("add", [x + 1])
        }
    });
    assert_eq!(Checker::new(counter).run(&mut Unwatched).verdict, Verdict::Holds);
    for search in SEARCHES {
        let report = Checker::new(counter.deadlocks_are_errors("stuck")).search(search).run(&mut Unwatched);
        let path = report.path.expect("a path");
        assert_eq!((path.length, path.violation.kind), (3, ViolationKind::InvalidEndState), "{search:?}");
    }
}
