//! The steps of a run as aligned lines of text.

use std::cell::RefCell;
use std::collections::HashMap;

use homing_check::model::{Playback, PlayedStep, short_names};
use homing_engine::{Change, Executed, MoveDescription};
use homing_ir::{ProctypeId, StatementId};
use homing_report::{StepColumns, StoryStep};

use crate::console::Look;
use crate::counterexample_text::painted;

/// Turns steps into lines: number, process, place, statement and changed values.
pub struct Lines<'e, 'm> {
    playback: &'e Playback<'m>,
    look: Look,
    files: Vec<String>,
    columns: StepColumns,
    /// A cache: a run executes the same statements many times.
    steps: RefCell<HashMap<Executed, StoryStep>>,
}

impl<'e, 'm> Lines<'e, 'm> {
    /// For a run of these statements.
    pub fn new(playback: &'e Playback<'m>, statements: &[Executed], look: Look) -> Self {
        let mut lines = Lines {
            playback,
            look,
            files: short_names(&playback.model().sources),
            columns: StepColumns::fit(0, std::iter::empty(), None),
            steps: RefCell::default(),
        };
        statements.iter().for_each(|executed| drop(lines.step(*executed)));
        lines.columns = lines.fit(statements.len());
        lines
    }

    /// For a run of at most `length` statements that is not known yet: the columns fit every statement of the model.
    pub fn of_any_run(playback: &'e Playback<'m>, length: usize, look: Look) -> Self {
        let mut all = Vec::new();
        for (at, proctype) in playback.model().proctypes.iter().enumerate() {
            let statements = (0..proctype.automaton.statements.len() as u32).map(StatementId);
            all.extend(statements.map(|statement| Executed { pid: 99, proctype: ProctypeId(at as u32), statement }));
        }
        let mut lines = Lines::new(playback, &all, look);
        lines.columns = lines.fit(length);
        lines
    }

    /// The columns of these steps, numbered up to `length`.
    fn fit(&self, length: usize) -> StepColumns {
        StepColumns::fit(length.to_string().len(), self.steps.borrow().values(), self.look.width)
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
                let changed = if at + 1 == count { changed(changes, &step.process) } else { Vec::new() };
                for line in self.columns.lines(&number.to_string(), &step, &changed) {
                    text.push_str(&painted(&line, self.look));
                    text.push('\n');
                }
            }
        }
    }

    /// Appends notes: processes that start and end, truncated values, and printed text.
    pub fn put_notes(&self, text: &mut String, played: &PlayedStep<'_>, described: &MoveDescription) {
        let mut below = |line: &str, is_warning: bool| {
            for line in self.columns.below(line) {
                let line = if is_warning { self.look.paint.yellow(&line.text) } else { line.text };
                text.push_str(&line);
                text.push('\n');
            }
        };
        described.started.iter().for_each(|(_, name)| below(&format!("{name} starts"), false));
        if let (false, Some(executed)) = (described.ended.is_empty(), played.statements().last()) {
            below(&format!("{} ends", self.step(*executed).process), false);
        }
        described.truncations.iter().for_each(|truncation| below(truncation, true));
        for line in described.printed.iter().flat_map(|printed| printed.lines()) {
            below(&format!("> {line}"), false);
        }
    }
}

fn changed(changes: &[&Change], actor: &str) -> Vec<String> {
    let change = |change: &&Change| {
        let owner = change.owner.as_deref().filter(|owner| *owner != actor);
        let owner = owner.map(|owner| format!("{owner}:")).unwrap_or_default();
        format!("{owner}{}: {} -> {}", change.name, change.before, change.after)
    };
    changes.iter().map(change).collect()
}
