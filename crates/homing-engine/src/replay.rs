//! Replay: a path executed again by the interpreter, statement by statement.

use std::ops::ControlFlow;

use homing_core::{Cost, State, Step, Target, Violation, ViolationKind};

use crate::expansion::Recorder;
use crate::interpreter::Executed;
use crate::{Interpreter, StepIndex};

/// A path that was executed again.
#[derive(Clone, Debug)]
pub struct Replay {
    /// The statements that the violation needs. In a reduced model these are all statements of the path except those that a
    /// process absorbed last: a run of the original model does not need them.
    pub statements: Vec<Executed>,
    /// The sum of the costs of its steps.
    pub cost: Cost,
    pub violation: Violation,
    /// The state from which the last step, the failing one, was taken.
    pub last: Box<State>,
}

/// A step that was executed again.
#[derive(Clone, Debug)]
pub struct RunStep {
    /// Its statements, each with whether it was absorbed.
    pub statements: Vec<(Executed, bool)>,
    /// The state after it.
    pub state: Box<State>,
}

/// Why a path could not be executed again: a bug in homing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayError {
    /// The step that has no counterpart, counted from 0.
    pub step: usize,
    pub reason: String,
}

/// Keeps the statements of the present run, each with whether it was absorbed.
#[derive(Default)]
struct Listing(Vec<(Executed, bool)>);

impl Recorder for Listing {
    const RECORDS: bool = true;

    fn record(&mut self, executed: Executed, absorbed: bool) {
        self.0.push((executed, absorbed));
    }

    fn rewind(&mut self, statements: usize) {
        self.0.truncate(statements);
    }
}

struct Picked {
    cost: Cost,
    statements: Vec<(Executed, bool)>,
    /// The receiver of a rendezvous of which the send fails: its receive is no statement of the path, but it waits there.
    waiting: Option<u8>,
    target: Result<Box<State>, Violation>,
}

impl Interpreter<'_> {
    /// Executes the path again from the initial state. The last action must lead to a violation, the others must not.
    pub fn replay(&self, actions: &[StepIndex]) -> Result<Replay, ReplayError> {
        let mut state = homing_core::TransitionSystem::initial(self);
        let (mut statements, mut cost) = (Vec::new(), 0);
        for (step, &wanted) in actions.iter().enumerate() {
            let error = |reason: &str| ReplayError { step, reason: reason.to_owned() };
            let picked = self.pick(&state, wanted).ok_or_else(|| error("there is no such step"))?;
            statements.extend(picked.statements);
            cost += picked.cost;
            match (picked.target, step + 1 == actions.len()) {
                (Ok(target), false) => state = target,
                (Err(violation), true) => {
                    let ends_all = violation.kind == ViolationKind::InvalidEndState;
                    let statements = if ends_all || !self.model.features.defers() {
                        statements.into_iter().map(|(executed, _)| executed).collect()
                    } else {
                        let fails = !violation.is_of_invariant();
                        let failing = if fails { statements.len().checked_sub(1) } else { None };
                        needed(statements, failing, picked.waiting)
                    };
                    return Ok(Replay { statements, cost, violation, last: state });
                }
                (Ok(_), true) => return Err(error("the last step shows no violation")),
                (Err(_), false) => return Err(error("a step in the middle shows a violation")),
            }
        }
        Err(ReplayError { step: 0, reason: "the path is empty".to_owned() })
    }

    /// Executes a run again that shows no violation: the statements of each step, and the state after it.
    pub fn replay_run(&self, actions: &[StepIndex]) -> Result<Vec<RunStep>, ReplayError> {
        let mut state = homing_core::TransitionSystem::initial(self);
        let mut steps = Vec::with_capacity(actions.len());
        for (step, &wanted) in actions.iter().enumerate() {
            let error = |reason: &str| ReplayError { step, reason: reason.to_owned() };
            let picked = self.pick(&state, wanted).ok_or_else(|| error("there is no such step"))?;
            state = picked.target.map_err(|_| error("a step shows a violation"))?;
            steps.push(RunStep { statements: picked.statements, state: state.clone() });
        }
        Ok(steps)
    }

    /// The statements of a run of a reduced model that a run of the original needs to come to its last state, as far as others can
    /// observe it: all except those that a process absorbed last.
    pub fn needed(&self, steps: &[RunStep]) -> Vec<Executed> {
        let statements = steps.iter().flat_map(|step| step.statements.clone());
        if self.model.features.defers() {
            needed(statements.collect(), None, None)
        } else {
            statements.map(|(executed, _)| executed).collect()
        }
    }

    fn pick(&self, state: &State, wanted: StepIndex) -> Option<Picked> {
        let mut picked = None;
        self.expand(state, &mut Listing::default(), &mut |step, Listing(run), statements| {
            if step.action != wanted {
                return ControlFlow::Continue(());
            }
            let target = match step.target {
                Target::State(target) => Ok(target.into()),
                Target::Violation(violation) => Err(violation),
                Target::CutOff => return ControlFlow::Break(()),
            };
            let waiting = run.get(statements).map(|(receive, _)| receive.pid);
            picked = Some(Picked { cost: step.cost, statements: run[..statements].to_vec(), waiting, target });
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
        self.expand(state, &mut Listing::default(), &mut |step, Listing(run), statements| {
            let executed: Vec<Executed> = run[..statements].iter().map(|(executed, _)| *executed).collect();
            visit(step, &executed)
        });
    }
}

/// The statements without those that a process absorbed and after which it did not move, unless it is the failing one, or leads to where
/// a process waits.
fn needed(statements: Vec<(Executed, bool)>, failing: Option<usize>, waiting: Option<u8>) -> Vec<Executed> {
    let mut moves_on = [false; 256];
    waiting.iter().for_each(|&pid| moves_on[usize::from(pid)] = true);
    let mut needed = Vec::with_capacity(statements.len());
    for (at, (executed, absorbed)) in statements.iter().enumerate().rev() {
        let moves_on = &mut moves_on[usize::from(executed.pid)];
        *moves_on |= !absorbed || failing == Some(at);
        if *moves_on {
            needed.push(*executed);
        }
    }
    needed.reverse();
    needed
}
