//! Explores a network in the intermediate form by the interpreter, and compares what is found with the explorer of this crate.

use std::collections::HashSet;
use std::ops::ControlFlow;

use homing_core::{Selection, State, Target, TransitionSystem, ViolationKind};
use homing_engine::Interpreter;
use homing_ir::Model;
use homing_network::explorer::{Exploration, Limits, explore};
use homing_network::{Input, read};

/// What a breadth-first search of a model finds, with the lengths of shortest paths.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Found {
    states: usize,
    transitions: usize,
    deadlocks: usize,
    nearest_deadlock: Option<u32>,
    errors: usize,
    nearest_error: Option<u32>,
    /// The nearest state in which an invariant does not hold.
    nearest_violation: Option<u32>,
}

/// Visits the states of a model.
fn search(model: &Model) -> Found {
    let mut found = Found::default();
    let engine = match Interpreter::new(model) {
        Ok(engine) => engine,
        Err(_) => return Found { errors: 1, nearest_error: Some(0), ..found },
    };
    let initial = engine.initial();
    let mut known: HashSet<Box<State>> = HashSet::from([initial.clone()]);
    let (mut level, mut depth) = (vec![initial], 0);
    while !level.is_empty() {
        let mut next = Vec::new();
        for state in &level {
            engine.for_each_step(state, Selection::All, |step| {
                match step.target {
                    Target::State(target) => {
                        assert_eq!(step.cost, 1, "a step of a network has length 1");
                        found.transitions += 1;
                        if known.insert(target.into()) {
                            next.push(target.into());
                        }
                    }
                    Target::Violation(violation) => match violation.kind {
                        ViolationKind::InvalidEndState => {
                            found.deadlocks += 1;
                            found.nearest_deadlock.get_or_insert(depth);
                        }
                        ViolationKind::Invariant => drop(found.nearest_violation.get_or_insert(depth)),
                        ViolationKind::RuntimeError => {
                            found.errors += 1;
                            found.nearest_error.get_or_insert(depth);
                        }
                        other => panic!("a violation of another kind: {other:?}"),
                    },
                    Target::CutOff => panic!("a step is cut off"),
                }
                ControlFlow::Continue(())
            });
        }
        depth += 1;
        level = next;
    }
    found.states = known.len();
    found
}

/// Compares both explorations of a network; the explorer's result. `None` if it has more states than the limit.
#[track_caller]
pub fn compare(input: &Input, limits: Limits) -> Option<Exploration> {
    let mut reading = read(input);
    let shown = || format!("{}\n{:?}", input.text, input.queries);
    let messages = |reading: &homing_network::Reading| {
        reading.diagnostics.messages().iter().map(|message| message.message.clone()).collect::<Vec<_>>()
    };
    let lowered = reading.lower().unwrap_or_else(|| panic!("{:?}\n{}", messages(&reading), shown()));
    let mut network = reading.network.take().expect("it was lowered");
    let answers = explore(&network, limits);
    if !answers.complete {
        return None;
    }
    network.queries.clear();
    let expected = explore(&network, limits);
    let found = search(&lowered.model);
    let expected_found = Found {
        states: if expected.states == 0 { 0 } else { expected.states },
        transitions: expected.transitions,
        deadlocks: expected.deadlocks,
        nearest_deadlock: expected.nearest_deadlock,
        errors: expected.errors,
        nearest_error: expected.nearest_error.as_ref().map(|(length, _)| *length),
        nearest_violation: None,
    };
    assert_eq!(found, expected_found, "{:?}\n{}", expected.nearest_error, shown());
    for (query, answer) in lowered.queries.iter().zip(&answers.queries) {
        let mut model = lowered.model.clone();
        model.add_invariant(query.invariant.clone());
        assert_eq!(search(&model).nearest_violation, answer.length, "{}\n{}", query.text, shown());
    }
    assert_eq!(lowered.queries.len(), answers.queries.len());
    Some(answers)
}
