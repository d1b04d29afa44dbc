//! A path executed again, statement by statement.

use std::ops::ControlFlow;

use homing_core::{Arrival, State, Step, Violation};

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

/// Keeps the statements of the run under way.
#[derive(Default)]
struct Listing(Vec<Executed>);

impl Recorder for Listing {
    const RECORDS: bool = true;

    fn record(&mut self, executed: Executed) {
        self.0.push(executed);
    }

    fn rewind(&mut self, statements: usize) {
        self.0.truncate(statements);
    }
}

struct Picked {
    statements: Vec<Executed>,
    arrival: Result<Box<State>, Violation>,
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
        let mut picked = None;
        self.for_each_step_with(state, |step, statements| {
            if step.action != wanted {
                return ControlFlow::Continue(());
            }
            let arrival = match step.arrival {
                Arrival::State(target) => Ok(target.into()),
                Arrival::Violation(violation) => Err(violation),
                Arrival::CutOff => return ControlFlow::Break(()),
            };
            picked = Some(Picked { statements: statements.to_vec(), arrival });
            ControlFlow::Break(())
        });
        picked
    }

    /// Shows `visit` each step out of a state, in the order of [`homing_core::TransitionSystem::for_each_step`], with
    /// the statements it is made of.
    pub fn for_each_step_with(
        &self,
        state: &State,
        mut visit: impl FnMut(Step<'_, StepIndex>, &[Executed]) -> ControlFlow<()>,
    ) {
        self.expand(state, &mut Listing::default(), |step, Listing(run)| {
            let statements = &run[..run.len().min(step.cost as usize)];
            visit(step, statements)
        });
    }
}
