//! The steps of a run as aligned lines of text.

use std::cell::RefCell;
use std::collections::HashMap;

use homing_check::model::{Playback, PlayedStep, short_names};
use homing_engine::{Change, Executed, MoveDescription};
use homing_ir::{ProctypeId, StatementId};
use homing_report::{StepColumns, StoryStep};

use crate::console::Paint;

/// Turns steps into lines: number, process, place, statement and changed values.
pub struct Lines<'e, 'm> {
    playback: &'e Playback<'m>,
    paint: Paint,
    files: Vec<String>,
    columns: StepColumns,
    /// A cache: a run executes the same statements many times.
    steps: RefCell<HashMap<Executed, StoryStep>>,
}

impl<'e, 'm> Lines<'e, 'm> {
    /// For a run of these statements.
    pub fn new(playback: &'e Playback<'m>, statements: &[Executed], paint: Paint) -> Self {
        let mut lines = Lines {
            playback,
            paint,
            files: short_names(&playback.model().sources),
            columns: StepColumns::fit(statements.len(), std::iter::empty()),
            steps: RefCell::default(),
        };
        statements.iter().for_each(|executed| drop(lines.step(*executed)));
        lines.columns = StepColumns::fit(statements.len(), lines.steps.borrow().values());
        lines
    }

    /// For a run of at most `length` statements that is not known yet: the columns fit every statement of the model.
    pub fn of_any_run(playback: &'e Playback<'m>, length: usize, paint: Paint) -> Self {
        let mut all = Vec::new();
        for (at, proctype) in playback.model().proctypes.iter().enumerate() {
            let statements = (0..proctype.automaton.statements.len() as u32).map(StatementId);
            all.extend(statements.map(|statement| Executed { pid: 99, proctype: ProctypeId(at as u32), statement }));
        }
        let mut lines = Lines::new(playback, &all, paint);
        lines.columns = StepColumns::fit(length, lines.steps.borrow().values());
        lines
    }

    pub fn step(&self, executed: Executed) -> StoryStep {
        let new = || self.playback.story_step(executed, &self.files);
        self.steps.borrow_mut().entry(executed).or_insert_with(new).clone()
    }

    /// Appends the lines of a step whose numbers are shown. The changes of a rendezvous are in the line of its receive.
    pub fn put(
        &self,
        text: &mut String,
        played: &PlayedStep<'_>,
        changes: &[&Change],
        is_shown: impl Fn(usize) -> bool,
    ) {
        let count = played.statements().len();
        for (at, executed) in played.statements().iter().enumerate() {
            let number = played.shown_number(at);
            if is_shown(number) {
                let step = self.step(*executed);
                let beside = if at + 1 == count { beside(changes, &step.process) } else { String::new() };
                text.push_str(&self.columns.line(number, &step, &beside));
            }
        }
    }

    /// Appends notes: processes that start and end, truncated values, and printed text.
    pub fn put_notes(&self, text: &mut String, played: &PlayedStep<'_>, described: &MoveDescription) {
        let mut below = |line: &str| text.push_str(&self.columns.below(line));
        described.started.iter().for_each(|(_, name)| below(&format!("{name} starts")));
        if let (false, Some(executed)) = (described.ended.is_empty(), played.statements().last()) {
            below(&format!("{} ends", self.step(*executed).process));
        }
        described.truncations.iter().for_each(|truncation| below(&self.paint.yellow(truncation)));
        for line in described.printed.iter().flat_map(|printed| printed.lines()) {
            below(&format!("> {line}"));
        }
    }
}

fn beside(changes: &[&Change], actor: &str) -> String {
    let change = |change: &&Change| {
        let owner = change.owner.as_deref().filter(|owner| *owner != actor);
        let owner = owner.map(|owner| format!("{owner}:")).unwrap_or_default();
        format!("{owner}{}: {} -> {}", change.name, change.before, change.after)
    };
    changes.iter().map(change).collect::<Vec<_>>().join(", ")
}
