//! Every search gives the verdict of the explorer: a state that decides a query comes before a run-time error, whichever of the two a
//! search meets first.

use std::num::NonZeroU32;
use std::ops::ControlFlow;

use homing_check::model::{
    DecideError, Decider, Guidance, Interrupt, ModelReduction, Options, PropertyResult, QueryTask, SearchTask,
};
use homing_check::{OnError, Reduction, Search, Shortening, StoreChoice, Verdict, Weight};
use homing_core::{Limits, ViolationKind};
use homing_heuristics::{Combine, Heuristic};
use homing_network::explorer::{self, Answer, explore};
use homing_network::random_networks::random_failing_network;
use homing_network::{Format, Lowered, LoweredQuery, read};

/// What a result says, apart from figures and paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Said {
    /// A state decides the query.
    State,
    /// No state does, and a run-time error is reachable.
    RuntimeError,
    /// No state does.
    Nothing,
    Undecided,
}

impl Said {
    fn by_the_explorer(answer: Answer) -> Self {
        match answer {
            Answer { length: Some(_), .. } => Said::State,
            Answer { fails: true, .. } => Said::RuntimeError,
            Answer { .. } => Said::Nothing,
        }
    }

    fn by(result: &PropertyResult) -> Self {
        match (result.verdict, result.counterexample.as_ref().map(|found| found.violation.kind)) {
            (Verdict::Violated, Some(ViolationKind::Invariant)) => Said::State,
            (Verdict::Violated, Some(ViolationKind::RuntimeError)) => Said::RuntimeError,
            (Verdict::Holds, None) => Said::Nothing,
            (Verdict::Unknown(_), None) => Said::Undecided,
            other => panic!("{other:?}"),
        }
    }
}

/// The limit of searches that visit states again and again.
const MOST_STATES: u64 = 20_000;

/// The ways to search: a name, the options, and whether the search sees everything.
fn ways() -> Vec<(&'static str, Options<'static>, bool)> {
    let search = |search| Options { search, ..Options::default() };
    let limited =
        |limited| Options { limits: Limits { max_states: Some(MOST_STATES), ..Limits::default() }, ..search(limited) };
    let by = |options, heuristic| Options { guidance: Guidance::By(heuristic), ..options };
    let a_star = search(Search::AStar { weight: Weight::ONE });
    let bound = NonZeroU32::new(50);
    vec![
        ("auto", search(Search::Auto), true),
        ("auto --shortest", Options { shortening: Shortening::Always, ..search(Search::Auto) }, true),
        ("auto, 2 threads", Options { threads: 2, ..search(Search::Auto) }, true),
        ("auto --all-errors", Options { on_error: OnError::Count, ..search(Search::Auto) }, true),
        ("bfs", search(Search::Bfs), true),
        ("bfs, 3 threads", Options { threads: 3, ..search(Search::Bfs) }, true),
        ("bfs --sleep-sets off", Options { reduction: Reduction::None, ..search(Search::Bfs) }, true),
        ("bfs --store exact", Options { store: Some(StoreChoice::Exact), ..search(Search::Bfs) }, true),
        ("bfs --all-errors", Options { on_error: OnError::Count, ..search(Search::Bfs) }, true),
        ("dfs", search(Search::Dfs), true),
        ("dfs --shortest", Options { shortening: Shortening::Always, ..search(Search::Dfs) }, true),
        ("dfs --all-errors", Options { on_error: OnError::Count, ..search(Search::Dfs) }, true),
        ("random-dfs", Options { seed: 3, ..search(Search::RandomDfs) }, true),
        ("best-first", search(Search::BestFirst), true),
        ("best-first, formula", by(search(Search::BestFirst), Heuristic::Formula(Combine::Sum)), true),
        ("astar", a_star, true),
        ("astar, fsm-max", by(a_star, Heuristic::FsmMax), true),
        ("astar, fsm-sum", by(a_star, Heuristic::FsmSum), true),
        ("astar, abstraction", Options { guidance: Guidance::Abstraction { bound }, ..a_star }, true),
        ("astar --shortest", Options { shortening: Shortening::Always, ..a_star }, true),
        ("ida", search(Search::Ida { weight: Weight::ONE }), true),
        ("stateless", limited(Search::Stateless), false),
        ("beam", limited(Search::Beam { width: 8 }), false),
        ("highway", limited(Search::Highway { width: 8 }), false),
        ("highway-exact", limited(Search::HighwayExact { width: 8 }), false),
        ("random-walk", limited(Search::RandomWalk), false),
        (
            "bfs --max-states 30",
            Options { limits: Limits { max_states: Some(30), ..Limits::default() }, ..search(Search::Bfs) },
            false,
        ),
    ]
}

/// The queries of a network decided together, without and with searches for single queries before, are decided as each alone.
fn check_together(lowered: &Lowered, answers: &[Answer], shown: &str) {
    let asked: Vec<SearchTask> = lowered.queries.iter().map(|query| task(lowered, query)).collect();
    let queries: Vec<QueryTask<'_>> = asked.iter().map(|task| QueryTask { name: "query", task }).collect();
    for (brief, threads, max_states) in [(0, 1, None), (0, 3, None), (4096, 1, None), (0, 1, Some(30))] {
        let limits = Limits { max_states, ..Limits::default() };
        let interrupt = Interrupt::default();
        let decider = Decider::new(Options { threads, limits, ..Options::default() }, &interrupt);
        let mut said: Vec<Option<Said>> = vec![None; queries.len()];
        let mut report = |nth: usize, result: PropertyResult| {
            assert!(said[nth].replace(Said::by(&result)).is_none(), "reported twice");
            if let (Some(found), Some(length)) = (&result.counterexample, answers[nth].length) {
                let is_proved = found.shortest || brief > 0 || max_states.is_some();
                let is_nearest = found.length == length && is_proved;
                let may_be_longer = brief > 0 && !found.shortest && found.length > length;
                assert!(is_nearest || may_be_longer, "{}\n{shown}", lowered.queries[nth].text);
            }
            assert!(result.runtime_error.is_none() || answers[nth].fails, "{shown}");
            ControlFlow::Continue(())
        };
        let decided = decider.with_brief_searches(brief).decide_together(&queries, None, &mut report);
        decided.unwrap_or_else(|error| panic!("{error}\n{shown}"));
        for (nth, answer) in answers.iter().enumerate() {
            let expected = Said::by_the_explorer(*answer);
            let is_undecided = max_states.is_some() && said[nth] == Some(Said::Undecided);
            let query = &lowered.queries[nth].text;
            assert!(said[nth] == Some(expected) || is_undecided, "{query}: {:?}, {answer:?}\n{shown}", said[nth]);
        }
    }
}

fn task(lowered: &Lowered, query: &LoweredQuery) -> SearchTask {
    SearchTask::of_invariant(lowered.model.clone(), query.invariant.clone(), ModelReduction::Reduced)
}

/// `HOMING_NETWORKS` chooses another number of networks, `HOMING_FIRST` the seed of the first.
#[test]
fn every_search_gives_the_verdict_of_the_explorer() {
    let number = |name, or: u64| std::env::var(name).map_or(or, |text| text.parse().expect("a number"));
    let (first, networks) = (number("HOMING_FIRST", 0), number("HOMING_NETWORKS", 60));
    let (mut both, mut compared) = (0, 0);
    for seed in first..first + networks {
        let text = random_failing_network(seed);
        let input = text.to_input(Format::Xta);
        let mut reading = read(&input);
        let lowered = reading.lower().unwrap_or_else(|| panic!("{:?}", reading.diagnostics));
        let answers = explore(&reading.network.expect("it was lowered"), explorer::Limits { states: 2_000 });
        if !answers.complete || answers.states == 0 {
            continue;
        }
        check_together(&lowered, &answers.queries, &format!("seed {seed}\n{}", input.text));
        for (nth, (query, answer)) in lowered.queries.iter().zip(&answers.queries).enumerate() {
            let expected = Said::by_the_explorer(*answer);
            both += usize::from(expected == Said::State && answer.fails);
            // of three ways one, each time another
            let ways = ways().into_iter().skip((seed as usize + nth) % 3).step_by(3);
            for (name, options, is_complete) in ways {
                let task = task(&lowered, query);
                let shown = || format!("seed {seed}, {name}, {}\n{}\n{answer:?}", query.text, input.text);
                let interrupt = Interrupt::default();
                let result = Decider::new(options, &interrupt).decide("query", &task, None);
                let result = match result {
                    Err(DecideError::Heuristic(_)) => continue,
                    result => result.unwrap_or_else(|error| panic!("{error}\n{}", shown())),
                };
                let said = Said::by(&result);
                compared += usize::from(said != Said::Undecided);
                assert!(said == expected || (!is_complete && said == Said::Undecided), "{said:?}\n{}", shown());
                let found = result.counterexample.as_ref().filter(|_| said == Said::State);
                if let (Some(found), Some(length)) = (found, answer.length) {
                    assert!(found.length == length || (!found.shortest && found.length > length), "{}", shown());
                }
                assert!(result.runtime_error.is_none() || answer.fails, "{}", shown());
            }
        }
    }
    println!("{networks} networks, {compared} results compared, {both} queries with a state and an error");
    let least = networks as usize / 4;
    assert!(both > least, "{both} queries have both a state that decides them and a run-time error");
}
