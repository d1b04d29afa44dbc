//! A replay as a JSON document.

use std::path::Path;

use homing_check::model::{Cause, CauseKind, Ending, Wait, WaitsFor, Why, Witness, Writer};
use homing_core::{Description, Violation};
use homing_engine::Blocked;
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
    /// The condition that failed and its parts, with their last writers.
    condition: Vec<PartEntry>,
    /// The same as a tree, back to where the values come from.
    causes: Vec<CauseEntry>,
    waiting: Vec<WaitingEntry>,
    /// Processes of which each waits for the next, and the last for the first.
    circle: Vec<String>,
}

#[derive(Serialize)]
struct PartEntry {
    text: String,
    value: Option<String>,
    written_at: Option<usize>,
    written_by: Option<String>,
}

#[derive(Serialize)]
struct CauseEntry {
    /// Such as variable, message or guard.
    kind: &'static str,
    text: String,
    value: Option<String>,
    step: Option<usize>,
    process: Option<String>,
    statement: Option<String>,
    causes: Vec<CauseEntry>,
}

#[derive(Serialize)]
struct WaitingEntry {
    process: String,
    file: String,
    line: u32,
    may_end: bool,
    statements: Vec<BlockedEntry>,
    /// How the process came here.
    causes: Vec<CauseEntry>,
    hint: Option<String>,
}

#[derive(Serialize)]
struct BlockedEntry {
    statement: String,
    line: u32,
    waits_for: String,
    /// The steps that made it wait.
    since: Vec<usize>,
    /// What no process will ever do.
    never: Option<String>,
    /// The processes that could have done that, and terminated without.
    missed: Vec<String>,
}

impl Replay<'_, '_> {
    /// Prints the document.
    pub(super) fn json(&self) -> Result<Ending, Error> {
        let mut steps = Vec::new();
        let mut witness = Witness::default();
        let played = self.playback.play(&self.shown.trail, |player, step| {
            witness.see(player, &step);
            let entries = recorded::entries(self.playback, player, &step).into_iter().enumerate();
            let shown = entries.filter(|(at, _)| self.is_shown(step.shown_number(*at)));
            steps.extend(shown.map(|(_, entry)| entry));
        });
        let played = played.map_err(|broken| Error::Bug(format!("a trail does not replay twice: {broken}")))?;
        let (ending, errors, cycle_start) = match &played.ending {
            Ending::Violations(all) => ("violation", all.iter().map(ErrorEntry::new).collect(), None),
            Ending::Cycle { from, .. } => ("cycle", Vec::new(), Some(*from)),
            Ending::Claim => ("claim", Vec::new(), None),
            Ending::Open => ("open", Vec::new(), None),
        };
        let why = witness.why(&played.player, played.ending.error());
        recorded::mark_needed(&mut steps, &why);
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
            why: WhyEntry::new(why),
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
        let blocked = |(blocked, waits_for): (Blocked, WaitsFor)| BlockedEntry {
            statement: blocked.text,
            line: blocked.place.line,
            waits_for: blocked.reason,
            since: waits_for.since.iter().map(|writer| writer.step).collect(),
            never: waits_for.never,
            missed: waits_for.missed.into_iter().map(|missed| missed.process).collect(),
        };
        let waiting = |Wait { waiting, statements, causes, hint, .. }: Wait| WaitingEntry {
            process: waiting.process,
            file: waiting.place.file,
            line: waiting.place.line,
            may_end: waiting.may_end,
            statements: waiting.statements.into_iter().zip(statements).map(blocked).collect(),
            causes: causes.into_iter().map(CauseEntry::new).collect(),
            hint,
        };
        WhyEntry {
            condition: PartEntry::all(&why.causes),
            causes: why.causes.into_iter().map(CauseEntry::new).collect(),
            waiting: why.deadlock.waits.into_iter().map(waiting).collect(),
            circle: why.deadlock.circle,
        }
    }
}

impl PartEntry {
    /// The expressions and their variables, each once.
    fn all(causes: &[Cause]) -> Vec<PartEntry> {
        let mut list: Vec<PartEntry> = Vec::new();
        let mut open: Vec<&Cause> = causes.iter().rev().collect();
        while let Some(cause) = open.pop() {
            if cause.kind == CauseKind::Expression {
                open.extend(cause.causes.iter().rev());
            }
            let is_part = matches!(cause.kind, CauseKind::Expression | CauseKind::Variable | CauseKind::Location);
            if is_part && list.iter().all(|part| part.text != cause.text) {
                list.push(PartEntry::new(cause));
            }
        }
        list
    }

    fn new(cause: &Cause) -> Self {
        let last_write = cause.causes.iter().rev().find(|cause| cause.kind == CauseKind::Write);
        let writer = cause.writer.as_ref().or(last_write.and_then(|write| write.writer.as_ref()));
        PartEntry {
            text: cause.text.clone(),
            value: cause.value.clone(),
            written_at: writer.map(|writer| writer.step),
            written_by: writer.map(|writer| writer.process.clone()),
        }
    }
}

impl CauseEntry {
    fn new(cause: Cause) -> Self {
        let Cause { kind, text, value, writer, causes } = cause;
        let (step, process, statement) = match writer {
            Some(Writer { step, process, statement }) => (Some(step), Some(process), Some(statement)),
            None => (None, None, None),
        };
        let causes = causes.into_iter().map(CauseEntry::new).collect();
        CauseEntry { kind: kind.name(), text, value, step, process, statement, causes }
    }
}
