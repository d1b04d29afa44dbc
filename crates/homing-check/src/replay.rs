//! Executes a path again.

use std::fmt;
use std::ops::ControlFlow;

use homing_core::{Cost, Path, Selection, State, Target, TransitionSystem, Violation};

/// How the second execution of a path differs from the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// The step with this number, from 0 on, is not among the steps of its state, or does not lead there.
    Missing {
        /// The number of the step.
        step: usize,
    },
    /// The path has another length.
    Length {
        /// The length of the second execution.
        length: Cost,
    },
    /// The system shows that its [stop token](homing_core::StopToken) is set.
    Stopped,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mismatch::Missing { step } => write!(f, "step {} cannot be executed again", step + 1),
            Mismatch::Length { length } => write!(f, "it has length {length} when it is executed again"),
            Mismatch::Stopped => write!(f, "there is no time to execute it again"),
        }
    }
}

impl std::error::Error for Mismatch {}

/// Executes a finite path again: each action must be among the steps of its state, the last must show the violation, and the costs
/// must add up to the length.
///
/// ```
/// use homing_check::{Checker, Rules, replay};
/// use homing_core::Unwatched;
///
/// let counter = Rules::new([0], |&[x], steps| match x {
///     3 => steps.error("three", "x is 3"),
///     _ => steps.to("add", [x + 1]),
/// });
/// let mut path = Checker::new(counter.clone()).run(&mut Unwatched).path.expect("an error");
/// assert_eq!(replay(&counter, &path), Ok(()));
/// path.length += 1;
/// assert!(replay(&counter, &path).is_err());
/// ```
pub fn replay<T>(system: &T, path: &Path<T::Action>) -> Result<(), Mismatch>
where
    T: TransitionSystem<Action: PartialEq>,
{
    system.patiently(|| {
        let (mut state, mut length): (Box<State>, Cost) = (system.initial(), 0);
        for (step, action) in path.actions.iter().enumerate() {
            let expected = (step + 1 == path.actions.len()).then_some(&path.violation);
            let (cost, next) = find(system, &state, *action, expected)?.ok_or(Mismatch::Missing { step })?;
            length += cost;
            state = next;
        }
        if length == path.length { Ok(()) } else { Err(Mismatch::Length { length }) }
    })
}

/// The cost of the step with this action, and the state it leads to; with `expected`, of the one that shows this violation.
fn find<T>(
    system: &T,
    state: &State,
    action: T::Action,
    expected: Option<&Violation>,
) -> Result<Option<(Cost, Box<State>)>, Mismatch>
where
    T: TransitionSystem<Action: PartialEq>,
{
    let (mut found, mut is_stopped) = (None, false);
    system.for_each_step(state, Selection::All, |step| {
        is_stopped = step.is_stop();
        if step.action == action {
            match (step.target, expected) {
                (Target::State(target), None) => found = Some((step.cost, target.into())),
                (Target::Violation(violation), Some(expected)) if violation == *expected => {
                    found = Some((step.cost, Box::default()));
                }
                _ => {}
            }
        }
        if found.is_some() || is_stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    if is_stopped { Err(Mismatch::Stopped) } else { Ok(found) }
}
