//! homing's trail format (`docs/json.md`): a JSON document with everything that is known of a run.
//!
//! A program that displays a run needs neither the model nor homing. `homing replay` reads the header and the numbers
//! of the steps, and recomputes the rest.

use homing_core::{Description, ProcessDescription, Valued, Violation};
use homing_engine::{Change, MoveDescription};
use homing_report::{Entry, Trail, TrailError};
use serde::{Deserialize, Serialize};

/// The prefix of properties that are invariants.
const INVARIANT: &str = "invariant:";

/// The prefix of properties that are queries of a network.
const QUERY: &str = "query:";

/// The prefix of properties that are formulas.
const FORMULA: &str = "ltl:";

/// The version of the format: readers refuse other versions.
const VERSION: u32 = 1;

/// The header of a trail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    pub homing_trail: u32,
    pub model: String,
    /// A hash of the model's text, its included files and the macros defined on the command line.
    pub model_hash: String,
    /// The macros defined on the command line, as `NAME` or `NAME=VALUE`.
    #[serde(default)]
    pub defines: Vec<String>,
    pub property: Option<String>,
    pub error: Option<ErrorEntry>,
    pub length: usize,
    pub cycle_start: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorEntry {
    pub kind: String,
    pub message: String,
    pub file: Option<String>,
    pub line: Option<u32>,
    pub process: Option<String>,
}

impl ErrorEntry {
    pub fn new(violation: &Violation) -> Self {
        ErrorEntry {
            kind: violation.kind.name().to_owned(),
            message: violation.message.clone(),
            file: violation.place.as_ref().map(|place| place.file.clone()),
            line: violation.place.as_ref().map(|place| place.line),
            process: violation.process.clone(),
        }
    }

    /// Whether a claim or a formula decides that the run is an error, or an assertion of a claim fails.
    fn is_of_a_claim(&self) -> bool {
        match self.kind.as_str() {
            "claim-end" | "acceptance-cycle" => true,
            "assertion" => self.process.is_none(),
            _ => false,
        }
    }
}

/// The whole document.
#[derive(Debug, Serialize)]
pub struct Document {
    #[serde(flatten)]
    header: Header,
    initial: StateEntry,
    steps: Vec<StepEntry>,
}

/// One statement and its effects.
#[derive(Clone, Debug, Default, Serialize)]
pub struct StepEntry {
    pub step: usize,
    pub pid: u8,
    /// SPIN's number of the transition.
    pub id: u32,
    pub process: String,
    pub file: String,
    pub line: u32,
    pub statement: String,
    /// The call of the inline that the statement is in.
    pub call: Option<CallEntry>,
    /// Whether the error depends on the step; none if that is not known.
    pub needed: Option<bool>,
    pub changes: Vec<ChangeEntry>,
    pub moved: Vec<MovedEntry>,
    pub printed: Vec<String>,
    pub notes: Vec<String>,
}

/// The call of an inline.
#[derive(Clone, Debug, Serialize)]
pub struct CallEntry {
    pub text: String,
    pub file: String,
    pub line: u32,
}

#[derive(Clone, Debug, Serialize)]
pub struct ChangeEntry {
    /// The name of a local begins with its process: `Phil(2):hungry`.
    name: String,
    before: String,
    after: String,
}

/// A change of the location of a process.
#[derive(Clone, Debug, Serialize)]
pub struct MovedEntry {
    pid: u8,
    from: u32,
    to: u32,
}

impl StepEntry {
    /// Adds the effects of the statement.
    pub fn with(mut self, described: &MoveDescription) -> Self {
        self.changes = described.changes.iter().map(ChangeEntry::new).collect();
        self.moved =
            described.moved.iter().map(|moved| MovedEntry { pid: moved.pid, from: moved.from, to: moved.to }).collect();
        self.printed.clone_from(&described.printed);
        let started = described.started.iter().map(|(_, name)| format!("{name} starts"));
        let ended = described.ended.iter().map(|_| format!("{} ends", self.process));
        self.notes = started.chain(ended).chain(described.truncations.iter().cloned()).collect();
        self
    }
}

impl ChangeEntry {
    fn new(change: &Change) -> Self {
        let Change { owner, name, before, after } = change;
        let name = owner.as_ref().map_or_else(|| name.clone(), |owner| format!("{owner}:{name}"));
        ChangeEntry { name, before: before.clone(), after: after.clone() }
    }
}

/// The values of a state.
#[derive(Clone, Debug, Serialize)]
pub struct StateEntry {
    globals: Vec<ValueEntry>,
    processes: Vec<ProcessEntry>,
}

#[derive(Clone, Debug, Serialize)]
struct ValueEntry {
    name: String,
    value: String,
}

#[derive(Clone, Debug, Serialize)]
struct ProcessEntry {
    process: String,
    file: String,
    line: u32,
    state: u32,
    locals: Vec<ValueEntry>,
}

impl StateEntry {
    pub fn new(values: Description) -> Self {
        let entry = |Valued { name, value }| ValueEntry { name, value };
        let process = |process: ProcessDescription| ProcessEntry {
            process: process.process,
            file: process.place.file,
            line: process.place.line,
            state: process.location,
            locals: process.locals.into_iter().map(entry).collect(),
        };
        StateEntry {
            globals: values.globals.into_iter().map(entry).collect(),
            processes: values.processes.into_iter().map(process).collect(),
        }
    }
}

/// The part of a document that is read back.
#[derive(Deserialize)]
struct Read {
    #[serde(flatten)]
    header: Header,
    steps: Vec<ReadStep>,
}

#[derive(Deserialize)]
struct ReadStep {
    step: usize,
    pid: u32,
    id: u32,
}

impl Document {
    pub fn new(header: Header, initial: Description, steps: Vec<StepEntry>) -> Self {
        Document { header, initial: StateEntry::new(initial), steps }
    }

    pub fn to_text(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("the document has string keys and finite numbers");
        text.push('\n');
        text
    }

    pub fn parse(text: &str) -> Result<(Trail, Header), TrailError> {
        let wrong = |line, reason| TrailError { line, reason };
        let Read { header, steps } = serde_json::from_str(text)
            .map_err(|error| wrong(error.line(), format!("not a trail of homing: {error}")))?;
        if header.homing_trail != VERSION {
            return Err(wrong(
                1,
                format!("version {} of the format; this homing reads version {VERSION}", header.homing_trail),
            ));
        }
        if let Some((at, step)) = steps.iter().enumerate().find(|(at, step)| step.step != at + 1) {
            return Err(wrong(1, format!("step {} follows step {at}", step.step)));
        }
        if steps.len() != header.length {
            return Err(wrong(1, format!("{} steps instead of {}", steps.len(), header.length)));
        }
        let entries = steps.iter().map(|step| Entry { pid: step.pid, id: step.id }).collect();
        let cycle_start = header.cycle_start.map(|step| step.saturating_sub(1));
        let unfinished = header.error.is_none();
        let property = header.property.as_deref();
        let invariant = property.and_then(|property| property.strip_prefix(INVARIANT)).map(str::to_owned);
        let decides = header.error.as_ref().is_some_and(|error| error.kind == "invariant");
        let query = property.and_then(|property| property.strip_prefix(QUERY)).filter(|_| decides).map(str::to_owned);
        let violates = header.error.as_ref().is_some_and(ErrorEntry::is_of_a_claim);
        let formula = property.filter(|_| violates).map(|name| name.strip_prefix(FORMULA).unwrap_or(name).to_owned());
        Ok((Trail { entries, cycle_start, unfinished, invariant, query, formula, ..Trail::default() }, header))
    }
}

impl Header {
    pub fn new(model: String, model_hash: String, length: usize) -> Self {
        let (property, error, cycle_start) = (None, None, None);
        Header { homing_trail: VERSION, model, model_hash, defines: Vec::new(), property, error, length, cycle_start }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(length: usize) -> Header {
        Header::new("m.pml".to_owned(), "1234".to_owned(), length)
    }

    #[test]
    fn what_is_written_is_read() {
        let step = |step, pid, id| StepEntry { step, pid, id, process: "P(0)".to_owned(), ..StepEntry::default() };
        let document = Document::new(header(2), Description::default(), vec![step(1, 0, 7), step(2, 1, 3)]);
        let (trail, read) = Document::parse(&document.to_text()).expect("a trail");
        assert_eq!(trail.entries, [Entry { pid: 0, id: 7 }, Entry { pid: 1, id: 3 }]);
        assert_eq!(read, header(2));
    }

    #[test]
    fn documents_with_holes_are_refused() {
        let text =
            Document::new(header(2), Description::default(), vec![StepEntry { step: 2, ..StepEntry::default() }]);
        let error = Document::parse(&text.to_text()).expect_err("a gap");
        assert_eq!(error.reason, "step 2 follows step 0");
        let text =
            Document::new(header(2), Description::default(), vec![StepEntry { step: 1, ..StepEntry::default() }]);
        let error = Document::parse(&text.to_text()).expect_err("too short");
        assert_eq!(error.reason, "1 steps instead of 2");
        let error = Document::parse(&text.to_text()[..90]).expect_err("cut off");
        assert!(error.reason.contains("not a trail of homing"), "{error}");
    }
}
