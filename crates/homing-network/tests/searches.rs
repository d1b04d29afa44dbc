//! Searches of networks by the compiled engine: states and lengths are those of the explorer, for all stores and any number of
//! threads; a directed search expands about as many states as a prototype of its estimate.

use homing_core::{Fork, Limits, Outcome, StopToken, Unwatched, Violation, ViolationKind};
use homing_engine::{CompiledEngine, StepIndex};
use homing_heuristics::{Goal, Heuristic, HeuristicEstimate};
use homing_ir::Model;
use homing_network::explorer::{self, Exploration};
use homing_network::generate::{Arbiter, NetworkText, Variant, arbiter, hanoi, philosophers};
use homing_network::random_networks::random_network;
use homing_network::{Format, Reading, read};
use homing_search::{Directed, Evaluation, Objective, OnError, Reduction, best_first, bfs, dfs};
use homing_store::{ExactStore, Store, TreeStore};

/// A network with its first query.
fn model_of(reading: &mut Reading) -> Model {
    let lowered = reading.lower().expect("it can be lowered");
    let mut model = lowered.model;
    model.add_invariant(lowered.queries[0].invariant.clone());
    model
}

/// A network with its first query, and what the explorer found.
fn model_and_answers(text: &NetworkText) -> (Model, Exploration) {
    let mut reading = read(&text.to_input(Format::Xta));
    let model = model_of(&mut reading);
    let network = reading.network.expect("it was lowered");
    (model, explorer::explore(&network, explorer::Limits::default()))
}

fn is_error(violation: &Violation) -> bool {
    violation.kind == ViolationKind::Invariant
}

/// Runs a breadth-first search that stops at the first state which decides the query, or counts all.
fn breadth_first<S: Store>(
    model: &Model,
    store: &mut S,
    threads: usize,
    (reduction, on_error): (Reduction, OnError),
) -> Outcome<StepIndex> {
    let engine = CompiledEngine::lazy_until(model, StopToken::default()).expect("an initial state");
    let mut systems: Vec<_> = (1..threads).map(|_| engine.fork()).collect();
    systems.push(engine);
    let limits = Limits::default();
    let objective = Objective { is_error, on_error, limits: &limits, observer: None };
    bfs::search(&mut systems, &objective, reduction, store, &mut Unwatched)
}

/// The length of a shortest path, if there is one.
fn length(outcome: &Outcome<StepIndex>) -> Option<u32> {
    outcome.path.as_ref().map(|path| {
        assert!(path.shortest, "it is proved");
        path.length
    })
}

#[test]
fn stores_threads_and_reductions_visit_the_same_states() {
    let random = (0..40).map(random_network).filter(|text| {
        let answers = model_and_answers(text).1;
        answers.errors == 0 && answers.states < 20_000
    });
    let mut texts = vec![arbiter(Arbiter::new(2)), hanoi(4, Variant::B), philosophers(7)];
    texts.extend(random);
    assert!(texts.len() > 8, "{} networks are too few", texts.len());
    for text in texts {
        let (model, answers) = model_and_answers(&text);
        let shown = text.to_input(Format::Xta).text;
        for (threads, reduction) in [(1, Reduction::None), (1, Reduction::SleepSets), (3, Reduction::SleepSets)] {
            let counts = (reduction, OnError::Count);
            let tree = breadth_first(&model, &mut TreeStore::new(), threads, counts);
            let exact = breadth_first(&model, &mut ExactStore::new(0), threads, counts);
            for outcome in [&tree, &exact] {
                let transitions = outcome.stats.matched + outcome.stats.states - 1;
                let expected = (answers.states as u64, answers.transitions as u64);
                assert_eq!((outcome.stats.states, transitions), expected, "{shown}");
                assert_eq!(length(outcome), answers.queries[0].length, "{shown}");
            }
        }
        let engine = CompiledEngine::new(&model).expect("an initial state");
        let limits = Limits::default();
        let objective = Objective { is_error, on_error: OnError::Count, limits: &limits, observer: None };
        let order = homing_search::StepOrder::AsShown;
        let outcome = dfs::search(&engine, &objective, order, &mut TreeStore::new(), &mut Unwatched);
        assert_eq!(outcome.stats.states, answers.states as u64, "{shown}");
    }
}

/// Expands a network by A* with the FSM heuristic: the number of expansions, and the length.
fn directed(text: &NetworkText) -> (u64, Option<u32>) {
    let model = model_of(&mut read(&text.to_input(Format::Xta)));
    let engine = CompiledEngine::lazy_until(&model, StopToken::default()).expect("an initial state");
    let goal = Goal::Invariant(&model.invariants[0].expr);
    let mut estimate = HeuristicEstimate::new(&model, Heuristic::FsmMax, goal).expect("it fits");
    let limits = Limits::default();
    let objective = Objective { is_error, on_error: OnError::Stop, limits: &limits, observer: None };
    let directed = Directed { by: Evaluation::A_STAR, estimate: &mut estimate };
    let outcome = best_first::search(&engine, &objective, directed, &mut TreeStore::new(), &mut Unwatched);
    (outcome.stats.expanded, length(&outcome))
}

/// Expansions of a prototype with the same order of states with equal `f`: smaller `h` first, then the youngest.
#[test]
fn directed_searches_expand_as_many_states_as_the_prototype() {
    for (text, expanded, shortest) in [
        (arbiter(Arbiter::new(2)), 206, 12),
        (arbiter(Arbiter::new(3)), 17_003, 17),
        (hanoi(4, Variant::B), 2_281, 52),
        (hanoi(5, Variant::B), 20_023, 114),
    ] {
        let (expansions, length) = directed(&text);
        assert_eq!(length, Some(shortest));
        assert!(expansions <= (expanded * 6 / 5).max(expanded + 10), "{expansions} instead of {expanded}");
        assert!(expansions >= expanded * 5 / 6, "{expansions} instead of {expanded}");
    }
}
