//! Systems that are given by a rule: states are computed, not listed.

use std::collections::HashMap;
use std::ops::ControlFlow;

use homing_core::{Selected, Selection, State, Step, TransitionSystem, Violation, ViolationKind};

use crate::builder::{Builder, TooLarge};
use crate::lts::Lts;

/// A system given by a rule. A state is an array of bytes.
pub trait Rule {
    /// The initial state.
    fn initial(&self) -> Box<State>;

    /// Shows each step of a state: the number of its action, and the state that it leads to; always in the same order. When `visit`
    /// breaks off, no further step is shown.
    fn for_each(&self, state: &State, visit: &mut dyn FnMut(u32, &State) -> ControlFlow<()>);

    /// The label of an action.
    fn label(&self, action: u32) -> String;

    /// What is wrong with a state, if it is an error.
    fn error(&self, state: &State) -> Option<String>;
}

/// How a step of an [`Implicit`] system is named: the number of its action, or the error of its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleAction {
    /// An action of the rule.
    Step(u32),
    /// The state is an error.
    Error,
}

/// A [`Rule`] as a system that searches explore on the fly.
#[derive(Clone, Copy, Debug)]
pub struct Implicit<R>(pub R);

impl<R: Rule> TransitionSystem for Implicit<R> {
    type Action = RuleAction;

    fn initial(&self) -> Box<State> {
        self.0.initial()
    }

    fn for_each_step(
        &self,
        state: &State,
        selection: Selection,
        mut visit: impl FnMut(Step<'_, RuleAction>) -> ControlFlow<()>,
    ) -> Selected {
        if selection.is_stubborn() {
            return Selected::NotReduced;
        }
        let mut ordinal = 0;
        if let Some(message) = self.0.error(state) {
            let violation = Violation { kind: ViolationKind::Assertion, message, place: None, process: None };
            ordinal += 1;
            if visit(Step::violating(RuleAction::Error, 0, 0, violation)).is_break() {
                return Selected::ALL;
            }
        }
        self.0.for_each(state, &mut |action, target| {
            let step = Step::to(RuleAction::Step(action), ordinal, target);
            ordinal += 1;
            visit(step)
        });
        Selected::ALL
    }
}

/// All states of a rule, numbered breadth-first, with all steps.
pub fn explicit(rule: &impl Rule) -> Result<Lts, TooLarge> {
    let mut builder = Builder::new(u64::MAX, u64::MAX);
    let mut states = vec![rule.initial()];
    let mut numbers = HashMap::from([(rule.initial(), 0u32)]);
    let mut labels: HashMap<u32, String> = HashMap::new();
    let mut next = 0;
    while let Some(state) = states.get(next).cloned() {
        let mut done = Ok(());
        rule.for_each(&state, &mut |action, target| {
            let number = numbers.get(target).copied().unwrap_or_else(|| {
                let number = states.len() as u32;
                numbers.insert(target.into(), number);
                states.push(target.into());
                number
            });
            let label = labels.entry(action).or_insert_with(|| rule.label(action));
            done = builder.add(next as u32, label.as_bytes(), number);
            if done.is_ok() && states.len() < u32::MAX as usize {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        done?;
        next += 1;
    }
    let states = u32::try_from(states.len()).map_err(|_| TooLarge::States)?;
    builder.finish(0, states)
}
