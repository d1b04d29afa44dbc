//! The compiled engine shows the steps that the interpreter shows: the same targets in the same order, with the same movers and
//! violations, and with exact places of change.

use std::collections::HashSet;
use std::ops::ControlFlow;

use homing_core::{Changed, Selection, State, Target, TransitionSystem};
use homing_engine::{CompiledEngine, Interpreter};
use homing_ir::Model;
use homing_network::generate::{Arbiter, NetworkText, Variant, arbiter, hanoi, philosophers};
use homing_network::random_networks::random_network;
use homing_network::{Format, read};

/// The most states of a network that are compared.
const MOST_STATES: usize = 300;

/// The steps of a state as texts, and the states they lead to. Undoes what each step says it changed.
fn steps(system: &impl TransitionSystem, state: &State) -> (Vec<String>, Vec<Box<State>>) {
    let (mut shown, mut targets) = (Vec::new(), Vec::new());
    system.for_each_step(state, Selection::All, |step| {
        let target = match step.target {
            Target::State(target) => {
                targets.push(target.into());
                if let Changed::At(written) = step.changed {
                    let mut before = target.to_vec();
                    for record in written.iter().rev() {
                        let (at, width) = (record.offset as usize, record.width as usize);
                        before[at..at + width].copy_from_slice(&record.old.to_le_bytes()[..width]);
                    }
                    assert_eq!(before, state, "what a step says it changed");
                }
                format!("{target:?}")
            }
            Target::Violation(violation) => format!("{violation:?}"),
            Target::CutOff => "cut off".to_owned(),
        };
        shown.push(format!("{} {:?} {} {target}", step.ordinal, step.movers, step.cost));
        ControlFlow::Continue(())
    });
    (shown, targets)
}

/// Compares both engines on the states of a model; how many there are. The interpreter alone finds that there is no initial state.
fn compare(model: &Model, text: &str) -> usize {
    let (Ok(interpreter), Ok(compiled)) = (Interpreter::new(model), CompiledEngine::new(model)) else { return 0 };
    assert!(compiled.compile_seconds().is_some(), "it is compiled: {text}");
    let (mut states, mut visited) = (vec![interpreter.initial()], HashSet::from([interpreter.initial()]));
    let mut at = 0;
    while at < states.len().min(MOST_STATES) {
        let state = states[at].clone();
        at += 1;
        let (expected, targets) = steps(&interpreter, &state);
        assert_eq!(steps(&compiled, &state).0, expected, "{text}\n{:#?}", interpreter.describe(&state));
        states.extend(targets.into_iter().filter(|target| visited.insert(target.clone())));
    }
    at
}

/// Compares both engines on a network alone, and with each of its queries.
fn compare_all(network: &NetworkText) -> usize {
    let input = network.to_input(Format::Xta);
    let mut reading = read(&input);
    let lowered = reading.lower().expect("it can be lowered");
    let with_queries = lowered.queries.iter().map(|query| {
        let mut model = lowered.model.clone();
        model.add_invariant(query.invariant.clone());
        compare(&model, &input.text)
    });
    with_queries.sum::<usize>() + compare(&lowered.model, &input.text)
}

/// `HOMING_NETWORKS` chooses another number of networks.
#[test]
fn random_networks_have_the_same_steps_in_both_engines() {
    let networks: u64 = std::env::var("HOMING_NETWORKS").map_or(200, |text| text.parse().expect("a number"));
    let states: usize = (0..networks).map(|seed| compare_all(&random_network(seed))).sum();
    println!("{states} states of {networks} networks compared");
    assert!(states as u64 > 100 * networks, "{states} states of {networks} networks are too few");
}

#[test]
fn generated_networks_have_the_same_steps_in_both_engines() {
    let all =
        [arbiter(Arbiter::new(2)), hanoi(4, Variant::A), hanoi(4, Variant::B), hanoi(4, Variant::C), philosophers(5)];
    for network in all {
        assert!(compare_all(&network) > 200);
    }
}
