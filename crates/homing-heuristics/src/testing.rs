//! Tiny models for tests.

use homing_core::{Estimate, State, TransitionSystem};
use homing_engine::Interpreter;
use homing_ir::Model;
use homing_promela::preprocess::Options;

pub fn model(text: &str) -> Model {
    let reading = homing_promela::read("test.pml", text.to_owned(), &Options::default());
    assert!(reading.model.is_some(), "{:?}", reading.diagnostics);
    reading.model.expect("a model")
}

pub fn initial(model: &Model) -> Box<State> {
    Interpreter::new(model).expect("an initial state").initial()
}

/// The estimated distance of the initial state.
pub fn at_start(model: &Model, mut estimate: impl Estimate) -> Option<u32> {
    estimate.distance(&initial(model)).map(|estimated| estimated.h)
}
