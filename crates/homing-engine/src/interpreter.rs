//! The interpreter.

use homing_core::{State, Step, TransitionSystem, Violation};
use homing_ir::Model;

/// A step is named by its place among the steps of its state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepIndex(pub u32);

pub struct Interpreter<'m> {
    model: &'m Model,
}

impl<'m> Interpreter<'m> {
    /// Fails if the initial state cannot be computed.
    pub fn new(model: &'m Model) -> Result<Self, Violation> {
        Ok(Interpreter { model })
    }

    /// How many statements were executed that left their process alone in charge (SPIN's "atomic steps").
    pub fn atomic_steps(&self) -> u64 {
        0
    }

    pub fn model(&self) -> &'m Model {
        self.model
    }
}

impl TransitionSystem for Interpreter<'_> {
    type Action = StepIndex;

    fn initial(&self) -> Box<State> {
        Box::new([])
    }

    fn for_each_step(&self, _state: &State, _visit: impl FnMut(Step<'_, StepIndex>)) {}
}
