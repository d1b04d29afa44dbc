//! A replay as lines of text.

use std::collections::HashMap;
use std::fmt::Write;

use homing_core::{SourcePlace, TransitionSystem};
use homing_engine::{Change, Executed, Told};
use homing_report::{Columns, StoryStep};

use super::Replay;
use crate::counterexample::short_names;
use crate::error::Error;
use crate::play::{Beat, Ending, Played, play};
use crate::why::Witness;

/// Long replays are printed in pieces of about this many bytes.
const PIECE: usize = 1 << 20;

impl Replay<'_, '_> {
    /// Prints the steps, why it went wrong, and the last state in full.
    pub(super) fn text(&self) -> Result<Ending, Error> {
        let lines = Lines::new(self);
        let mut text = String::new();
        if !self.follow.all() && self.is_shown(1) {
            for valued in self.follow.among(&self.engine.description(&self.engine.initial())) {
                let _ = writeln!(text, "{valued}");
            }
        }
        let mut witness = Witness::default();
        let mut printed = Ok(());
        let played = play(self.engine, &self.told.trail, |player, beat| {
            witness.see(&beat);
            let last = beat.number + beat.statements().len() - 1;
            if (beat.number..=last).any(|number| self.is_shown(number)) {
                lines.put(&mut text, &beat, &player.tell(beat.happened));
            }
            if text.len() > PIECE && printed.is_ok() {
                printed = self.console.result(&std::mem::take(&mut text));
            }
        });
        printed?;
        let played = played.map_err(|broken| Error::Bug(format!("a trail does not replay twice: {broken}")))?;
        if !self.args.quiet && self.follow.all() {
            text.push_str(&self.end(&played, witness));
        }
        self.console.result(&text)?;
        Ok(played.ending)
    }

    fn end(&self, played: &Played<'_, '_>, witness: Witness) -> String {
        let mut text = String::from("\n");
        let paint = self.console.paint;
        let length = self.told.statements.len();
        match &played.ending {
            Ending::Violations(all) => {
                for violation in all {
                    let place = violation.place.as_ref().map(|place| format!("\n  at {place}")).unwrap_or_default();
                    let process = violation.process.as_ref().map(|name| format!(" in {name}")).unwrap_or_default();
                    let _ = writeln!(text, "{}{place}{process}", paint.red(&violation.message));
                }
            }
            Ending::Cycle { from } => {
                let _ = writeln!(text, "{}", paint.red(&format!("steps {from} to {length} are repeated for ever")));
            }
            Ending::Claim => {
                let _ = writeln!(text, "{}", paint.red("the claim was followed to its end: it is violated"));
            }
            Ending::Open => text.push_str("no error at the end\n"),
        }
        let _ = write!(text, "  after {length} statements, with {} changes of the process", self.told.switches);
        if self.told.switches < self.told.switches_as_found {
            let _ = write!(text, " ({} as found)", self.told.switches_as_found);
        }
        text.push('\n');
        let why = witness.why(played).lines();
        for (title, lines) in [("why", why), ("the state at the end", self.engine.describe(played.player.state()))] {
            if !lines.is_empty() {
                let _ = writeln!(text, "\n  {title}:");
                lines.iter().for_each(|line| {
                    let _ = writeln!(text, "    {line}");
                });
            }
        }
        text
    }
}

/// Turns what happens into lines.
struct Lines<'a, 'm> {
    replay: &'a Replay<'a, 'm>,
    columns: Columns,
    steps: HashMap<Executed, StoryStep>,
}

impl<'a, 'm> Lines<'a, 'm> {
    fn new(replay: &'a Replay<'a, 'm>) -> Self {
        let engine = replay.engine;
        let files = short_names(&engine.model().sources);
        let mut steps = HashMap::new();
        for executed in &replay.told.statements {
            steps.entry(*executed).or_insert_with(|| {
                let place = engine.statement(*executed).place;
                StoryStep {
                    process: engine.actor(*executed),
                    place: SourcePlace { file: files[place.file as usize].clone(), line: place.line },
                    statement: engine.statement_text(*executed),
                }
            });
        }
        let columns = Columns::fit(replay.told.statements.len(), steps.values());
        Lines { replay, columns, steps }
    }

    fn put(&self, text: &mut String, beat: &Beat<'_>, told: &Told) {
        let changes: Vec<&Change> = told.changes.iter().filter(|change| self.replay.follow.has(change)).collect();
        if (self.replay.args.diff || !self.replay.follow.all()) && changes.is_empty() {
            return;
        }
        let count = beat.statements().len();
        for (at, executed) in beat.statements().iter().enumerate() {
            let number = beat.number + at;
            if !self.replay.is_shown(number) {
                continue;
            }
            // what a rendezvous changes stands at its receive
            let is_last = at + 1 == count;
            let step = &self.steps[executed];
            let beside = if is_last { self.beside(&changes, &step.process) } else { String::new() };
            text.push_str(&self.columns.line(number, step, &beside));
            if is_last && self.replay.follow.all() && !self.replay.args.diff {
                self.put_notes(text, told, &step.process);
            }
        }
    }

    fn beside(&self, changes: &[&Change], actor: &str) -> String {
        let change = |change: &&Change| {
            let owner = change.owner.as_deref().filter(|owner| *owner != actor);
            let owner = owner.map(|owner| format!("{owner}:")).unwrap_or_default();
            format!("{owner}{}: {} -> {}", change.name, change.before, change.after)
        };
        changes.iter().map(change).collect::<Vec<_>>().join(", ")
    }

    fn put_notes(&self, text: &mut String, told: &Told, actor: &str) {
        let paint = self.replay.console.paint;
        for (_, name) in &told.started {
            text.push_str(&self.columns.below(&format!("{name} starts")));
        }
        if !told.ended.is_empty() {
            text.push_str(&self.columns.below(&format!("{actor} ends")));
        }
        for truncation in &told.truncations {
            text.push_str(&self.columns.below(&paint.yellow(truncation)));
        }
        for line in told.printed.iter().flat_map(|printed| printed.lines()) {
            text.push_str(&self.columns.below(&format!("> {line}")));
        }
    }
}
