//! The estimate by abstraction against the exact distances of all states of small models: consistent, and infinite only where no error
//! is reachable.

mod exact;

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroU32;
use std::path::Path;

use exact::processes::processes;
use exact::{ALL, Graph, TooLarge, conditions, graph, number, read, wrong};
use homing_core::{Cost, Estimate, Guarantee, StopToken, ViolationKind};
use homing_engine::Reader;
use homing_heuristics::{AbstractionOptions, Goal, ModelAbstraction, Supervision};
use homing_ir::{Model, Reduced};
use homing_network::generate::random_system;
use homing_network::random_networks::random_network;
use homing_network::{Format, Input};
use xtask::generate::generate;

/// The bounds on classes that abstractions are checked with: nearly nothing is distinguished, something, much.
const BOUNDS: [u32; 3] = [5, 20, 60];

/// What was checked of abstractions.
#[derive(Debug, Default)]
struct Abstracted {
    models: usize,
    refused: BTreeMap<String, usize>,
    /// Abstractions that know the exact distance of every state to an error.
    exact: usize,
    /// Abstractions that some state is pruned by.
    pruning: usize,
    /// Abstractions that the check rejects when they are one too large.
    broken: usize,
    checked: usize,
    /// Goals, each of which is checked with one of the bounds.
    goals: usize,
}

/// Checks the abstractions of a model for these errors against exact distances.
fn check_abstraction(
    name: &str,
    model: &Model,
    graph: &Graph,
    exact: &[Option<Cost>],
    goal: Goal<'_>,
    seen: &mut Abstracted,
) {
    let bound = BOUNDS[seen.goals % BOUNDS.len()];
    seen.goals += 1;
    {
        let options = AbstractionOptions::with_bound(NonZeroU32::new(bound).expect("not 0"));
        let unwatched = Supervision { stop: &StopToken::default(), show: &mut |_| () };
        let abstraction = match ModelAbstraction::new(model, goal, &options, unwatched) {
            Ok(abstraction) => abstraction,
            Err(reason) => {
                *seen.refused.entry(reason).or_default() += 1;
                return;
            }
        };
        let mut estimate = abstraction.estimate();
        assert_eq!(estimate.guarantee(), Guarantee::Consistent);
        if let Some(wrong) = wrong(graph, exact, &mut estimate) {
            panic!("{name}: abstraction with bound {bound} for {goal:?}: {wrong}; {:?}", abstraction.preparation());
        }
        seen.checked += 1;
        let guesses: Vec<Option<Cost>> = graph.states.iter().map(|state| Some(estimate.distance(state)?.h)).collect();
        seen.exact += usize::from(guesses == exact);
        seen.pruning += usize::from(guesses.contains(&None));
        let is_tight = guesses.iter().zip(exact).any(|(guess, exact)| guess.is_some() && guess == exact);
        if is_tight {
            seen.broken += 1;
            assert!(exact::wrong(graph, exact, &mut TooLarge(estimate)).is_some(), "{name}: bound {bound}");
        }
    }
}

/// Checks the abstractions of a model and its reduced copy for all kinds of errors, and for some invariants.
fn check_abstractions(name: &str, model: &Model, most: usize, seen: &mut Abstracted) {
    let reduced = Reduced::of(model);
    for (model, name) in [(model, name.to_owned()), (&reduced.model, format!("{name}, reduced"))] {
        let Some(graph) = graph(model, most) else { continue };
        seen.models += 1;
        for kinds in [&ALL[..1], &ALL[1..2], &ALL[2..], &ALL] {
            check_abstraction(&name, model, &graph, &graph.to_errors(kinds), Goal::Errors(kinds), seen);
        }
        for expr in conditions(model).into_iter().take(4) {
            let mut reader = Reader::new(model);
            let violated: Vec<(usize, Cost)> = (0..graph.states.len())
                .filter(|&at| {
                    reader.load(&graph.states[at]);
                    reader.eval(0, expr) == Some(0)
                })
                .map(|at| (at, 0))
                .collect();
            let faults = graph.errors.iter().filter(|(_, kind, _)| *kind == ViolationKind::RuntimeError);
            let errors = violated.into_iter().chain(faults.map(|&(at, _, cost)| (at, cost)));
            let exact = graph.distances(errors);
            check_abstraction(&name, model, &graph, &exact, Goal::Invariant(expr), seen);
        }
    }
}

fn models_in(folder: &str) -> Vec<(String, Model)> {
    let mut models = Vec::new();
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).expect("a folder") {
        let path = entry.expect("a file").path();
        if path.extension().is_some_and(|ending| ending == "pml") {
            let name = path.display().to_string();
            let model = read(&name, fs::read_to_string(&path).expect("a text"));
            models.extend(model.map(|model| (name, model)));
        }
    }
    models.sort_by(|one, other| one.0.cmp(&other.0));
    models
}

#[test]
fn abstractions_of_random_models() {
    let (seed, count) = (number("HOMING_SEED", 1), number("HOMING_MODELS", 60));
    let most = number("HOMING_STATES", 1000) as usize;
    let mut seen = Abstracted::default();
    for seed in seed..seed + count {
        if let Some(model) = read("model.pml", generate(seed).model.to_string()) {
            check_abstractions(&format!("seed {seed}"), &model, most, &mut seen);
        }
    }
    println!("{seen:?}");
    assert!(seen.checked > count as usize && seen.broken > count as usize / 2, "{seen:?}");
}

/// Processes that end before those they have created do, and leave their channels to them.
#[test]
fn abstractions_of_processes_that_end() {
    let (seed, count) = (number("HOMING_SEED", 1), number("HOMING_MODELS", 150));
    let most = number("HOMING_STATES", 1000) as usize;
    let mut seen = Abstracted::default();
    for seed in seed..seed + count {
        let text = processes(seed);
        let model = read("model.pml", text.clone()).unwrap_or_else(|| panic!("no model: {text}"));
        check_abstractions(&format!("seed {seed}: {text}"), &model, most, &mut seen);
    }
    println!("{seen:?}");
    assert!(seen.checked > count as usize && seen.pruning > count as usize / 4, "{seen:?}");
}

#[test]
fn abstractions_of_the_rules_and_our_own_models() {
    let mut seen = Abstracted::default();
    for (name, model) in models_in("../homing/tests/rules").into_iter().chain(models_in("../../models")) {
        check_abstractions(&name, &model, number("HOMING_STATES", 1000) as usize, &mut seen);
    }
    println!("{seen:?}");
    assert!(seen.models > 300 && seen.exact > 100 && seen.pruning > 50, "{seen:?}");
}

/// An invariant of a location that cannot be evaluated after a step is a run-time error, which an estimate must not miss.
#[test]
fn invariants_of_locations_that_fail() {
    let mut seen = Abstracted::default();
    for invariant in ["12 / n > 1", "table[n] > 0", "12 / (3 - n) > 0 and table[n] < 5", "n < 2 or 12 / (m - 2) > 0"] {
        let text = format!(
            "int[0,4] n = 1; int[0,3] m; const int table[4] = {{ 3, 2, 1, 4 }}; chan c;
             process P() {{ state A, B {{ {invariant} }}, C; init A;
                 trans A -> B {{ }}, B -> B {{ guard n < 4; assign n++; }}, B -> A {{ sync c!; }}, A -> C {{ guard n == 3; }}; }}
             process Q() {{ state A, B; init A;
                 trans A -> B {{ sync c?; assign m++; }}, B -> A {{ guard m < 3; assign n = 0; }}; }}
             system P, Q;"
        );
        let mut reading = homing_network::read(&Input::new("m.xta", text, Format::Xta).query("E<> P.C and m == 2"));
        let lowered = reading.lower().expect("a network");
        let mut model = lowered.model;
        model.add_invariant(lowered.queries[0].invariant.clone());
        let graph = graph(&model, 1000).expect("a small network");
        let is_fault = |(_, kind, _): &(usize, ViolationKind, Cost)| *kind == ViolationKind::RuntimeError;
        assert!(graph.errors.iter().any(is_fault), "{invariant} does not fail");
        for _ in BOUNDS {
            let exact = graph.to_errors(&[ViolationKind::Invariant, ViolationKind::RuntimeError]);
            check_abstraction(invariant, &model, &graph, &exact, Goal::Invariant(&model.invariants[0].expr), &mut seen);
        }
    }
    assert_eq!((seen.checked, &seen.refused), (12, &BTreeMap::new()), "{seen:?}");
    assert!(seen.broken > 6, "{seen:?}");
}

/// Many edges that receive a broadcast and write the same array: what they may write is collected once.
#[test]
fn broadcasts_with_many_receivers() {
    let edges = vec!["A -> A { sync b?; assign a[0] = (a[0] + 1) % 4, a[1] = a[0]; }"; 20].join(", ");
    let text = format!(
        "int[0,3] a[2]; broadcast chan b;
         process S() {{ state A; init A; trans A -> A {{ sync b!; }}; }}
         process R() {{ state A; init A; trans {edges}; }} system S, R;"
    );
    let mut reading = homing_network::read(&Input::new("m.xta", text, Format::Xta).query("E<> a[0] == 3"));
    let lowered = reading.lower().expect("a network");
    let mut model = lowered.model;
    model.add_invariant(lowered.queries[0].invariant.clone());
    let graph = graph(&model, 1000).expect("a small network");
    let mut seen = Abstracted::default();
    let exact = graph.to_errors(&[ViolationKind::Invariant, ViolationKind::RuntimeError]);
    check_abstraction("broadcast", &model, &graph, &exact, Goal::Invariant(&model.invariants[0].expr), &mut seen);
    assert_eq!(seen.checked, 1, "{seen:?}");
}

/// Random networks with data, functions and broadcasts, and random systems of the paper.
#[test]
fn abstractions_of_random_networks() {
    let (seed, count) = (number("HOMING_SEED", 1), number("HOMING_MODELS", 40));
    let most = number("HOMING_STATES", 1000) as usize;
    let mut seen = Abstracted::default();
    let systems = (3..6).flat_map(|processes| (1..11).map(move |seed| (processes, seed)));
    let systems = systems.map(|(processes, seed)| (format!("R{processes} {seed}"), random_system(processes, seed)));
    let networks = (seed..seed + count).map(|seed| (format!("network {seed}"), random_network(seed)));
    for (name, text) in networks.chain(systems) {
        let mut reading = homing_network::read(&text.to_input(Format::Xta));
        let Some(lowered) = reading.lower() else { continue };
        let mut goals = vec![lowered.model.clone()];
        goals.extend(lowered.queries.iter().map(|query| {
            let mut model = lowered.model.clone();
            model.add_invariant(query.invariant.clone());
            model
        }));
        for model in goals {
            let Some(graph) = graph(&model, most) else { continue };
            seen.models += 1;
            let mut kinds = ALL.to_vec();
            kinds.push(ViolationKind::Invariant);
            let exact = graph.to_errors(&kinds);
            check_abstraction(&name, &model, &graph, &exact, Goal::Errors(&ALL), &mut seen);
            if let Some(invariant) = model.invariants.first() {
                let exact = graph.to_errors(&[ViolationKind::Invariant, ViolationKind::RuntimeError]);
                check_abstraction(&name, &model, &graph, &exact, Goal::Invariant(&invariant.expr), &mut seen);
            }
        }
    }
    println!("{seen:?}");
    assert!(seen.models > count as usize && seen.broken > count as usize / 2, "{seen:?}");
}
