//! Checks what estimates claim (admissible, consistent) against the exact distances of all states of small models.

#[path = "../../homing-heuristics/tests/exact/mod.rs"]
mod exact;

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use exact::processes::processes;
use exact::{ALL, Graph, TooLarge, conditions, graph, graph_of, number, read, wrong};
use homing_check::model::{Liveness, LivenessTask, ModelReduction};
use homing_core::{Estimate, Fork, Guarantee, Selection, State, Target, TransitionSystem, ViolationKind};
use homing_engine::{CompiledEngine, Interpreter};
use homing_heuristics::{Combine, Goal, Heuristic, HeuristicEstimate};
use homing_ir::{Expr, Model, Reduced};
use homing_ltl::{Product, Stutter};
use xtask::generate::generate;
use xtask::live::{Kind, live};

/// What was checked.
#[derive(Debug, Default)]
struct Seen {
    models: usize,
    /// With an error to estimate the distance to.
    telling: usize,
    /// Estimates that claim something.
    claims: usize,
    /// Estimates that the check rejects when they are one too large.
    broken: usize,
}

/// Checks every estimate on a model.
fn check(name: &str, model: &Model, most: usize, seen: &mut Seen) {
    let Some(graph) = graph(model, most) else { return };
    seen.models += 1;
    seen.telling += usize::from(!graph.errors.is_empty());
    let last = &graph.states[graph.states.len() - 1];
    let heuristics = [
        Heuristic::Formula(Combine::Max),
        Heuristic::Formula(Combine::Sum),
        Heuristic::Deadlock(Combine::Max),
        Heuristic::Deadlock(Combine::Sum),
        Heuristic::FsmMax,
        Heuristic::FsmSum,
        Heuristic::Active,
        Heuristic::Messages,
        Heuristic::Hamming(last),
        Heuristic::Trail(last),
    ];
    let targets = [&ALL[..1], &ALL[1..2], &ALL[2..], &ALL[..2], &ALL];
    for kinds in targets {
        let exact = graph.to_errors(kinds);
        for heuristic in heuristics {
            let Ok(mut guide) = HeuristicEstimate::new(model, heuristic, Goal::Errors(kinds)) else { continue };
            if let Some(wrong) = wrong(&graph, &exact, &mut guide) {
                panic!("{name}: {heuristic:?} for {kinds:?}: {wrong}");
            }
            seen.claims += usize::from(guide.guarantee() > Guarantee::Guess);
            let is_claimed = guide.guarantee() > Guarantee::Guess;
            let is_tight =
                |at: usize| guide.distance(&graph.states[at]).is_some_and(|guess| exact[at] == Some(guess.h));
            if is_claimed && (0..graph.states.len()).any(is_tight) {
                seen.broken += 1;
                assert!(exact::wrong(&graph, &exact, &mut TooLarge(guide)).is_some(), "{name}: {heuristic:?}");
            }
        }
    }
    for expr in conditions(model).iter().take(8) {
        check_invariant(name, model, &graph, expr);
    }
}

fn check_invariant(name: &str, model: &Model, graph: &Graph, expr: &Expr) {
    let mut reader = homing_engine::Reader::new(model);
    let violated = (0..graph.states.len()).filter(|&at| {
        reader.load(&graph.states[at]);
        reader.eval(0, expr) == Some(0)
    });
    let exact = graph.distances(violated.map(|at| (at, 0)));
    for combine in [Combine::Max, Combine::Sum] {
        let guide = HeuristicEstimate::new(model, Heuristic::Formula(combine), Goal::Invariant(expr));
        if let Some(wrong) = wrong(graph, &exact, &mut guide.expect("it fits")) {
            panic!("{name}: {combine:?} for the invariant {expr:?}: {wrong}");
        }
    }
}

/// A model and its reduced copy.
fn check_both(name: &str, model: &Model, most: usize, seen: &mut Seen) {
    check(name, model, most, seen);
    check(&format!("{name}, reduced"), &Reduced::of(model).model, most, seen);
}

/// `HOMING_SEED` and `HOMING_MODELS` choose other models, or more of them; `HOMING_STATES` larger ones.
#[test]
fn random_models() {
    let (seed, count) = (number("HOMING_SEED", 1), number("HOMING_MODELS", 100));
    let most = number("HOMING_STATES", 2000) as usize;
    let mut seen = Seen::default();
    for seed in seed..seed + count {
        if let Some(model) = read("model.pml", generate(seed).model.to_string()) {
            check_both(&format!("seed {seed}"), &model, most, &mut seen);
        }
    }
    println!("{seen:?}");
    assert!(seen.models > count as usize / 2 && seen.broken > count as usize / 2, "{seen:?}");
}

/// Processes that are created, are passed channels, and end.
#[test]
fn processes_that_end() {
    let (seed, count) = (number("HOMING_SEED", 1), number("HOMING_MODELS", 150));
    let most = number("HOMING_STATES", 1000) as usize;
    let mut seen = Seen::default();
    for seed in seed..seed + count {
        let text = processes(seed);
        let model = read("model.pml", text.clone()).unwrap_or_else(|| panic!("no model: {text}"));
        check_both(&format!("seed {seed}: {text}"), &model, most, &mut seen);
    }
    println!("{seen:?}");
    assert!(seen.models > count as usize && seen.broken > count as usize, "{seen:?}");
}

fn check_folder(folder: &str, most: usize) -> Seen {
    let mut seen = Seen::default();
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).expect("a folder") {
        let path = entry.expect("a file").path();
        if path.extension().is_some_and(|ending| ending == "pml")
            && let Some(model) = read(&path.display().to_string(), fs::read_to_string(&path).expect("a text"))
        {
            check_both(&path.display().to_string(), &model, most, &mut seen);
        }
    }
    println!("{seen:?}");
    seen
}

#[test]
fn models_of_the_rules() {
    let seen = check_folder("tests/rules", number("HOMING_STATES", 2000) as usize);
    assert!(seen.models > 300 && seen.telling > 50, "{seen:?}");
}

#[test]
fn our_own_models() {
    let seen = check_folder("../../models", number("HOMING_STATES", 2000) as usize);
    assert!(seen.models >= 6, "{seen:?}");
}

/// Checks the estimates of a claim, in the model or a reduced copy.
fn check_claim(name: &str, model: &Model, liveness: Liveness, reduction: ModelReduction, most: usize, seen: &mut Seen) {
    let Ok(task) = LivenessTask::new(model.clone(), liveness, reduction) else { return };
    let Ok(engine) = Interpreter::new(task.searched()) else { return };
    if engine.hidden_prefix() > 0 {
        return;
    }
    let buchi = task.buchi.as_ref().unwrap_or(&task.claim);
    for claim in [buchi, &task.claim].into_iter().take(if task.is_terminal { 2 } else { 1 }) {
        let system = engine.fork();
        let product = Product::new(system, claim.clone(), task.violations.clone(), Stutter::All);
        let Some(graph) = graph_of(&product, most) else { return };
        let accepts: Vec<bool> =
            claim.components().iter().map(|(_, accepting)| claim.counts_labels || *accepting != Some(false)).collect();
        let claim_state = |at: usize| usize::from(product.split(&graph.states[at]).1);
        let goals = (0..graph.states.len()).filter(|&at| accepts[claim_state(at)]).map(|at| (at, 0));
        let is_error =
            |kind| matches!(kind, ViolationKind::ClaimEnd | ViolationKind::Assertion | ViolationKind::RuntimeError);
        let errors = graph.errors.iter().filter(|(_, kind, _)| is_error(*kind)).map(|&(at, _, cost)| (at, cost));
        let exact = graph.distances(errors.chain(goals));
        seen.models += 1;
        seen.telling += usize::from(exact.iter().any(|exact| exact.is_some_and(|exact| exact > 1)));
        for combine in [Combine::Max, Combine::Sum] {
            let mut estimate = task.estimate(claim, combine);
            if let Some(wrong) = wrong(&graph, &exact, &mut estimate) {
                panic!("{name}: {combine:?} for {:?}: {wrong}", task.liveness);
            }
            seen.claims += usize::from(estimate.guarantee() > Guarantee::Guess);
            let is_tight = |at: usize| {
                estimate.distance(&graph.states[at]).is_some_and(|found| found.h > 0 && exact[at] == Some(found.h))
            };
            if combine == Combine::Max && (0..graph.states.len()).any(is_tight) {
                seen.broken += 1;
            }
        }
    }
}

/// Values that are far away, and claims with several conditions on their way.
const COUNTERS: &str = "byte x, y; bool b; chan q = [3] of {byte};
    active proctype P() { do :: x < 7 -> x++ :: x > 0 -> x-- :: x == 5 -> b = !b od }
    active proctype Q() { byte z; do :: y < 6 -> y = y + 2 :: y = 0 :: q!1 :: q?z od }
    ltl p0 { [] (x != 5) }
    ltl p1 { [] (x == 3 -> [] (y != 4)) }
    ltl p2 { [] (x == 6 -> <> (y == 4)) }
    ltl p3 { <> [] (x < 4) }
    ltl p4 { !((y == 0) U (y == 6 && <> (x == 7 && len(q) == 3))) }
    ltl p5 { [] (len(q) == 3 -> (x < 3 U y == 2)) }
    ltl p6 { [] <> (x == 4) }
    ltl p7 { <> (x == 2) -> [] (x < 6 || !b) }";

/// The distance to where a claim accepts.
#[test]
fn claims_of_random_models() {
    let (seed, count) = (number("HOMING_SEED", 1), number("HOMING_MODELS", 400));
    let most = number("HOMING_STATES", 2000) as usize;
    let mut seen = Seen::default();
    for seed in seed..seed + count {
        let live = live(seed, &[Kind::Ltl, Kind::Never]);
        let Some(model) = read("model.pml", live.model.to_string()) else { continue };
        let formulas = model
            .formulas
            .iter()
            .map(|named| Liveness::Formula { text: named.name.clone(), formula: named.formula.clone() });
        let claims = (0..model.claims.len()).map(Liveness::Never);
        for liveness in formulas.chain(claims) {
            for reduction in [ModelReduction::None, ModelReduction::Reduced] {
                check_claim(&format!("seed {seed}"), &model, liveness.clone(), reduction, most, &mut seen);
            }
        }
    }
    println!("{seen:?}");
    assert!(seen.models > count as usize / 4 && seen.telling > count as usize / 20, "{seen:?}");
    let mut seen = Seen::default();
    let model = read("counters.pml", COUNTERS.to_owned()).expect("a model");
    for named in &model.formulas {
        let liveness = Liveness::Formula { text: named.name.clone(), formula: named.formula.clone() };
        for reduction in [ModelReduction::None, ModelReduction::Reduced] {
            check_claim(&named.name, &model, liveness.clone(), reduction, most, &mut seen);
        }
    }
    assert!(seen.telling * 2 > seen.models && seen.broken * 3 > seen.models, "{seen:?}");
}

/// The places that the compiled engine says it wrote, with the old values, do as well.
#[test]
fn after_a_step_of_the_compiled_engine() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/philosophers-shared.pml");
    let model = read("model.pml", fs::read_to_string(path).expect("a text")).expect("a model");
    let engine = CompiledEngine::new(&model).expect("an initial state");
    for heuristic in [Heuristic::Active, Heuristic::Formula(Combine::Max), Heuristic::Deadlock(Combine::Sum)] {
        let mut guide = HeuristicEstimate::new(&model, heuristic, Goal::Errors(&ALL)).expect("it fits");
        let mut state = engine.initial();
        for round in 0..100 {
            guide.expand(&state);
            let mut targets = Vec::new();
            engine.for_each_step(&state, Selection::All, |step| {
                if let Target::State(target) = step.target {
                    let after = guide.distance_after(target, step.changed);
                    assert_eq!(after, guide.distance(target));
                    targets.push(Box::<State>::from(target));
                }
                ControlFlow::Continue(())
            });
            state = targets.swap_remove(round % targets.len());
        }
    }
}
