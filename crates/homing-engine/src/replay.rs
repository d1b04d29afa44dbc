//! A path executed again, statement by statement.

use homing_core::{State, Violation};
use homing_ir::{Place, ProctypeId};

use crate::{Interpreter, StepIndex};

/// One executed statement.
#[derive(Clone, Debug)]
pub struct Executed {
    pub pid: u8,
    pub proctype: ProctypeId,
    pub place: Place,
    /// The statement as SPIN would print it.
    pub text: String,
    /// SPIN's number of the transition.
    pub id: u32,
}

/// A path that was executed again.
#[derive(Clone, Debug)]
pub struct Replay {
    /// One entry for each statement that counts for the path's length.
    pub statements: Vec<Executed>,
    pub violation: Violation,
    /// The state in which the error showed (before the failing statement, for an error inside a step).
    pub last: Box<State>,
}

/// Why a path could not be executed again: a bug in homing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayError {
    /// The step that has no counterpart, counted from 0.
    pub step: usize,
    pub reason: String,
}

impl Interpreter<'_> {
    /// Executes the path again from the initial state. The last action must show a violation, the others must not.
    pub fn replay(&self, actions: &[StepIndex]) -> Result<Replay, ReplayError> {
        Err(ReplayError { step: actions.len(), reason: String::new() })
    }

    /// The values of a state, one line each: globals, channels with their contents, processes with their locals.
    pub fn describe(&self, _state: &State) -> Vec<String> {
        Vec::new()
    }
}
