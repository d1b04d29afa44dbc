//! The comparison of the compiled engine with the interpreter, for tests.

use std::collections::HashSet;
use std::ops::ControlFlow;

use homing_core::{Changed, Cost, Pid, Selection, State, StopToken, Target, TransitionSystem, Violation};
use homing_ir::Model;

use super::CompiledEngine;
use super::code::Code;
use crate::Interpreter;
use crate::layout::Layout;
pub use crate::testing::model;

/// The code of a model.
pub fn code(model: &Model) -> Code {
    Code::generate(model, &Layout::new(model), &StopToken::default()).expect("a code generator for this machine")
}

/// Where a step leads, to be compared.
#[derive(Debug, PartialEq)]
pub enum Arrived {
    State(Box<State>),
    Violation(Violation),
    CutOff,
}

/// The steps of a state, with their movers and costs. Checks that undoing what a step says it changed gives the state back.
pub fn steps(system: &impl TransitionSystem, state: &State) -> Vec<(Vec<Pid>, Cost, Arrived)> {
    let mut all = Vec::new();
    system.for_each_step(state, Selection::All, |step| {
        if let (Target::State(target), Changed::At(written)) = (&step.target, step.changed) {
            let mut bytes = target.to_vec();
            for record in written.iter().rev() {
                let (at, width) = (record.offset as usize, record.width as usize);
                bytes[at..at + width].copy_from_slice(&record.old.to_le_bytes()[..width]);
            }
            assert_eq!(bytes, state, "what a step says it changed");
        }
        let arrived = match step.target {
            Target::State(target) => Arrived::State(target.into()),
            Target::Violation(violation) => Arrived::Violation(violation),
            Target::CutOff => Arrived::CutOff,
        };
        all.push((step.movers.to_vec(), step.cost, arrived));
        ControlFlow::Continue(())
    });
    all
}

/// Explores a model by both engines and checks that they show the same steps of every state and reach the same statements.
/// Returns the number of states.
pub fn agree(text: &str) -> usize {
    agree_on(&model(text), text, usize::MAX)
}

/// As [`agree`], for a model and at most so many states of it.
pub fn agree_on(model: &Model, text: &str, most: usize) -> usize {
    let interpreter = Interpreter::new(model).expect("an initial state");
    let compiled = CompiledEngine::new(model).expect("an initial state");
    assert!(compiled.compile_seconds().is_some(), "{text}");
    let (mut states, mut visited) = (vec![interpreter.initial()], HashSet::from([interpreter.initial()]));
    let mut at = 0;
    while at < states.len().min(most) {
        let state = states[at].clone();
        at += 1;
        let expected = steps(&interpreter, &state);
        assert_eq!(steps(&compiled, &state), expected, "{text}: {:#?}", interpreter.describe(&state));
        for (_, _, arrived) in expected {
            if let Arrived::State(target) = arrived
                && visited.insert(target.clone())
            {
                states.push(target);
            }
        }
    }
    assert_eq!(compiled.interpreter().unreached(), interpreter.unreached(), "{text}");
    assert_eq!(compiled.atomic_steps(), interpreter.atomic_steps(), "{text}");
    at
}
