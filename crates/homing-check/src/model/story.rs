//! The story of a run: its steps with the values that they changed, collected while it is played.

use std::collections::BTreeSet;

use homing_core::SourcePlace;
use homing_engine::{Change, Executed, Interpreter, Player};
use homing_ir::{Action, Model, Place, Written};
use homing_report::{Story, StoryCall, StoryChange, StoryLine, StoryStep};

use super::counterexample::{LengthUnit, short_names};
use super::play::PlayedStep;

/// Of a longer run only the steps at both ends are collected: the first tenth of this, and the last ones.
const MOST_STEPS: usize = 20_000;

/// Collects the story of a run while it is played.
pub(super) struct Narrator {
    /// The names of the source files.
    files: Vec<String>,
    story: Story,
    /// The last step left the run inside an atomic sequence.
    is_inside: bool,
    /// By line, the number that is shown.
    shown: Vec<usize>,
    /// These are the numbers of moves.
    counts_moves: bool,
}

impl Narrator {
    /// For a run of so many statements.
    pub fn new(model: &Model, length: usize, cycle_start: Option<usize>) -> Self {
        let story = Story { lines: Vec::new(), length, cycle_start };
        let counts_moves = LengthUnit::of(model) == LengthUnit::Transitions;
        Narrator { files: short_names(&model.sources), story, is_inside: false, shown: Vec::new(), counts_moves }
    }

    /// Takes note of a step; `player` is in the state after it.
    pub fn see(&mut self, player: &Player<'_, '_>, step: &PlayedStep<'_>) {
        let engine = player.engine();
        let continues = std::mem::replace(&mut self.is_inside, player.alone().is_some());
        let is_wanted = |number: usize| {
            let length = self.story.length;
            length <= MOST_STEPS || number <= MOST_STEPS / 10 || number + MOST_STEPS * 9 / 10 > length
        };
        let count = step.statements().len();
        for (at, executed) in step.statements().iter().enumerate() {
            let number = step.number + at;
            if !is_wanted(number) {
                continue;
            }
            let mut line = StoryLine {
                first: number,
                last: number,
                step: story_step(engine, *executed, &self.files),
                continues: continues || at > 0,
                key: key(*executed),
                runs: runs(engine, *executed),
                ..StoryLine::default()
            };
            if at + 1 == count {
                let described = player.describe_move(step.happened);
                line.changes = described.changes.iter().map(|one| change(one, &line.step.process)).collect();
                line.notes = described.truncations;
                let printed = described.printed.iter().flat_map(|printed| printed.lines());
                line.notes.extend(printed.map(|printed| format!("> {printed}")));
            }
            self.story.lines.push(line);
            self.shown.push(step.shown_number(at));
        }
    }

    /// The story; `needed` are the steps that the error depends on.
    pub fn finish(mut self, needed: &BTreeSet<usize>) -> Story {
        for (line, shown) in self.story.lines.iter_mut().zip(self.shown) {
            line.needed = needed.contains(&line.first);
            (line.first, line.last) = (shown, shown);
        }
        if let Some(last) = self.story.lines.last().filter(|_| self.counts_moves) {
            self.story.length = last.last;
        }
        self.story
    }
}

/// An executed statement as a step of a story; `files` are the names of the sources of the model.
pub(super) fn story_step(engine: &Interpreter<'_>, executed: Executed, files: &[String]) -> StoryStep {
    let place = |place: Place| SourcePlace { file: files[place.file as usize].clone(), line: place.line };
    let automaton = &engine.model().proctype(executed.proctype).automaton;
    let at = engine.statement(executed).place;
    let (call, call_place) = match automaton.written(executed.statement) {
        Some(Written { call: Some(call), .. }) => {
            (Some(StoryCall { text: call.text.to_string(), place: place(call.place) }), Some(call.place))
        }
        _ => (None, None),
    };
    StoryStep {
        process: engine.actor(executed),
        place: place(at),
        source: engine.model().sources[call_place.unwrap_or(at).file as usize].clone(),
        statement: engine.statement_text(executed),
        call,
    }
}

fn change(change: &Change, actor: &str) -> StoryChange {
    let Change { owner, name, before, after } = change;
    let owner = owner.as_deref().filter(|owner| *owner != actor);
    let name = owner.map_or_else(|| name.clone(), |owner| format!("{owner}:{name}"));
    StoryChange { name, before: before.clone(), after: after.clone() }
}

/// Equal for executions of the same statement by the same process.
fn key(executed: Executed) -> u64 {
    u64::from(executed.pid) << 56 | u64::from(executed.proctype.0) << 32 | u64::from(executed.statement.0)
}

/// The process type of which the statement starts a process.
fn runs(engine: &Interpreter<'_>, executed: Executed) -> Option<String> {
    match &engine.statement(executed).action {
        Action::Run { proctype, .. } => Some(engine.model().proctype(*proctype).name.clone()),
        _ => None,
    }
}
