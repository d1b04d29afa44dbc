//! A replay as a JSON document.

use std::path::Path;

use homing_check::model::{Ending, Why, WhyPart, Witness};
use homing_core::{Description, Violation};
use homing_engine::Waiting;
use serde::Serialize;

use super::Replay;
use crate::cli::ReplayArgs;
use crate::error::Error;
use crate::recorded;
use crate::trail::{ErrorEntry, StateEntry, StepEntry};

#[derive(Serialize)]
struct Document {
    homing: &'static str,
    model: String,
    trail: String,
    /// How the run ends: violation, cycle, claim or open.
    ending: &'static str,
    errors: Vec<ErrorEntry>,
    length: usize,
    cycle_start: Option<usize>,
    /// Process switches in the order shown here, and in the order of the trail.
    switches: usize,
    switches_as_found: usize,
    steps: Vec<StepEntry>,
    why: WhyEntry,
    last: StateEntry,
}

#[derive(Serialize)]
struct WhyEntry {
    condition: Vec<PartEntry>,
    waiting: Vec<WaitingEntry>,
}

#[derive(Serialize)]
struct PartEntry {
    text: String,
    value: String,
    written_at: Option<usize>,
    written_by: Option<String>,
}

#[derive(Serialize)]
struct WaitingEntry {
    process: String,
    file: String,
    line: u32,
    may_end: bool,
    statements: Vec<BlockedEntry>,
}

#[derive(Serialize)]
struct BlockedEntry {
    statement: String,
    line: u32,
    waits_for: String,
}

impl Replay<'_, '_> {
    /// Prints the document.
    pub(super) fn json(&self) -> Result<Ending, Error> {
        let mut steps = Vec::new();
        let mut witness = Witness::default();
        let played = self.playback.play(&self.shown.trail, |player, step| {
            witness.see(&step);
            if (0..step.statements().len()).any(|at| self.is_shown(step.number + at)) {
                let entries = recorded::entries(self.playback, player, &step);
                steps.extend(entries.into_iter().filter(|entry| self.is_shown(entry.step)));
            }
        });
        let played = played.map_err(|broken| Error::Bug(format!("a trail does not replay twice: {broken}")))?;
        let (ending, errors, cycle_start) = match &played.ending {
            Ending::Violations(all) => ("violation", all.iter().map(ErrorEntry::new).collect(), None),
            Ending::Cycle { from } => ("cycle", Vec::new(), Some(*from)),
            Ending::Claim => ("claim", Vec::new(), None),
            Ending::Open => ("open", Vec::new(), None),
        };
        let document = Document {
            homing: env!("CARGO_PKG_VERSION"),
            model: self.args.model.path.display().to_string(),
            trail: self.trail.display().to_string(),
            ending,
            errors,
            length: played.length,
            cycle_start,
            switches: self.shown.switches,
            switches_as_found: self.shown.switches_as_found,
            steps,
            last: StateEntry::new(played.last_values()),
            why: WhyEntry::new(witness.why(&played.player, played.ending.error())),
        };
        self.console.result(&document.to_text())?;
        Ok(played.ending)
    }
}

/// The document of a model whose initial values fail.
pub fn failed_start(args: &ReplayArgs, trail: &Path, violation: &Violation) -> String {
    let document = Document {
        homing: env!("CARGO_PKG_VERSION"),
        model: args.model.path.display().to_string(),
        trail: trail.display().to_string(),
        ending: "violation",
        errors: vec![ErrorEntry::new(violation)],
        length: 0,
        cycle_start: None,
        switches: 0,
        switches_as_found: 0,
        steps: Vec::new(),
        last: StateEntry::new(Description::default()),
        why: WhyEntry::new(Why::default()),
    };
    document.to_text()
}

impl Document {
    fn to_text(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("the document has string keys and finite numbers");
        text.push('\n');
        text
    }
}

impl WhyEntry {
    fn new(why: Why) -> Self {
        let part = |part: WhyPart| PartEntry {
            text: part.text,
            value: part.value,
            written_at: part.writer.as_ref().map(|writer| writer.step),
            written_by: part.writer.map(|writer| writer.process),
        };
        let waiting = |waiting: Waiting| WaitingEntry {
            process: waiting.process,
            file: waiting.place.file,
            line: waiting.place.line,
            may_end: waiting.may_end,
            statements: waiting
                .statements
                .into_iter()
                .map(|blocked| BlockedEntry {
                    statement: blocked.text,
                    line: blocked.place.line,
                    waits_for: blocked.reason,
                })
                .collect(),
        };
        WhyEntry {
            condition: why.parts.into_iter().map(part).collect(),
            waiting: why.waiting.into_iter().map(waiting).collect(),
        }
    }
}
