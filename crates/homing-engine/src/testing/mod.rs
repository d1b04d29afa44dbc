//! Tiny models for tests.

pub mod networks;

use homing_ir::Model;
use homing_promela::preprocess::Options;

/// The model of a Promela text.
pub fn model(text: &str) -> Model {
    let reading = homing_promela::read("test.pml", text.to_owned(), &Options::default());
    assert!(reading.model.is_some(), "{text}: {:?}", reading.diagnostics);
    reading.model.expect("a model")
}
