//! A path executed again, statement by statement.

use std::ops::ControlFlow;

use homing_core::{Arrival, State, Violation};

use crate::interpreter::{Executed, Recorder};
use crate::{Interpreter, StepIndex};

/// A path that was executed again.
#[derive(Clone, Debug)]
pub struct Replay {
    /// One entry for each statement that counts for the path's length.
    pub statements: Vec<Executed>,
    pub violation: Violation,
    /// The state from which the last step, the failing one, was taken.
    pub last: Box<State>,
}

/// Why a path could not be executed again: a bug in homing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayError {
    /// The step that has no counterpart, counted from 0.
    pub step: usize,
    pub reason: String,
}

/// Keeps the statements of the run under way, and those of the step that was asked for.
struct Picking {
    wanted: StepIndex,
    run: Vec<Executed>,
    picked: Option<Picked>,
}

struct Picked {
    statements: Vec<Executed>,
    arrival: Result<Box<State>, Violation>,
}

impl Recorder for Picking {
    const RECORDS: bool = true;

    fn record(&mut self, executed: Executed) {
        self.run.push(executed);
    }

    fn rewind(&mut self, statements: usize) {
        self.run.truncate(statements);
    }
}

impl Interpreter<'_> {
    /// Executes the path again from the initial state. The last action must show a violation, the others must not.
    pub fn replay(&self, actions: &[StepIndex]) -> Result<Replay, ReplayError> {
        let mut state = homing_core::TransitionSystem::initial(self);
        let mut statements = Vec::new();
        for (step, &wanted) in actions.iter().enumerate() {
            let error = |reason: &str| ReplayError { step, reason: reason.to_owned() };
            let picked = self.pick(&state, wanted).ok_or_else(|| error("there is no such step"))?;
            statements.extend(picked.statements);
            match (picked.arrival, step + 1 == actions.len()) {
                (Ok(target), false) => state = target,
                (Err(violation), true) => return Ok(Replay { statements, violation, last: state }),
                (Ok(_), true) => return Err(error("the last step shows no violation")),
                (Err(_), false) => return Err(error("a step in the middle shows a violation")),
            }
        }
        Err(ReplayError { step: 0, reason: "the path is empty".to_owned() })
    }

    fn pick(&self, state: &State, wanted: StepIndex) -> Option<Picked> {
        let mut picking = Picking { wanted, run: Vec::new(), picked: None };
        self.expand(state, &mut picking, |step, picking| {
            if step.action == picking.wanted {
                let arrival = match step.arrival {
                    Arrival::State(target) => Ok(target.into()),
                    Arrival::Violation(violation) => Err(violation),
                    Arrival::CutOff => return ControlFlow::Break(()),
                };
                let mut statements = std::mem::take(&mut picking.run);
                statements.truncate(step.cost as usize);
                picking.picked = Some(Picked { statements, arrival });
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        picking.picked
    }
}
