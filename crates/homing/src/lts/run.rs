//! A run of a labelled transition system.

use homing_core::{Path, ViolationKind};
use homing_lts::{Action, Edge, Lts};
use homing_report::{Story, StoryLine, StoryStep};

/// One step of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunStep {
    pub from: u32,
    pub edge: Edge,
}

/// The steps of a path.
pub fn steps(lts: &Lts, path: &Path<Action>) -> Vec<RunStep> {
    let mut state = lts.initial();
    let mut steps = Vec::with_capacity(path.actions.len());
    for action in &path.actions {
        if let Action::Edge(id) = *action {
            let edge = lts.edge(id);
            steps.push(RunStep { from: state, edge });
            state = edge.target;
        }
    }
    steps
}

/// The end of the run in one sentence.
pub fn summary(lts: &Lts, steps: &[RunStep], kind: ViolationKind) -> Option<String> {
    let Some(last) = steps.last() else {
        return (kind == ViolationKind::InvalidEndState)
            .then(|| format!("The initial state {} has no transitions.", lts.initial()));
    };
    let (at, to, label) = (steps.len(), last.edge.target, lts.labels().show(last.edge.label));
    Some(match kind {
        ViolationKind::InvalidEndState => format!("Step {at}, {label}, leads to state {to}, which has no transitions."),
        _ => format!("Step {at} is the action {label}, from state {} to state {to}.", last.from),
    })
}

/// The steps as text: the states before and after each, and its label.
pub fn story(lts: &Lts, steps: &[RunStep]) -> Story {
    let line = |(at, step): (usize, &RunStep)| StoryLine {
        first: at + 1,
        last: at + 1,
        step: StoryStep {
            process: format!("{} -> {}", step.from, step.edge.target),
            statement: lts.labels().show(step.edge.label).to_string(),
            ..StoryStep::default()
        },
        key: u64::from(step.edge.id.0),
        ..StoryLine::default()
    };
    Story { lines: steps.iter().enumerate().map(line).collect(), length: steps.len(), cycle_start: None }
}
