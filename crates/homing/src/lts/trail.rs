//! Trails of labelled transition systems: one label a line, in quotes; or a JSON document with the states.

use std::path::Path;

use homing_lts::{Lts, Pattern};
use homing_report::TrailError;
use serde::{Deserialize, Serialize};

use super::run::RunStep;
use crate::trail::{ErrorEntry, Header};

/// Written after the last step of a run that ends with an action that must not occur.
const ACTION: &[u8] = b"# violates action:";

/// Written after the last step of a run that ends in no error.
const UNFINISHED: &[u8] = b"# no error at the end";

/// The system that trails are written for.
pub struct LtsTrail<'a> {
    pub lts: &'a Lts,
    pub model: &'a Path,
}

/// A trail that was read.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ReadTrail {
    /// The labels. Those of a JSON document have replacement characters for bytes that are not UTF-8.
    pub labels: Vec<Vec<u8>>,
    /// The states that the steps lead to, if they are known.
    pub states: Option<Vec<u32>>,
    /// The pattern of the action that must not occur, if the last step is one.
    pub action: Option<String>,
    /// It ends in no error.
    pub unfinished: bool,
}

#[derive(Serialize, Deserialize)]
pub struct StepEntry {
    step: usize,
    /// The label.
    action: String,
    from: u32,
    to: u32,
}

#[derive(Serialize, Deserialize)]
struct Document {
    #[serde(flatten)]
    header: Header,
    initial: u32,
    steps: Vec<StepEntry>,
}

impl LtsTrail<'_> {
    /// A run in text; with the pattern of the action that it ends with, if that is the error.
    pub fn text(&self, steps: &[RunStep], action: Option<&Pattern>) -> Vec<u8> {
        let mut text = Vec::new();
        for step in steps {
            text.push(b'"');
            text.extend_from_slice(self.lts.labels().text(step.edge.label));
            text.extend_from_slice(b"\"\n");
        }
        if let Some(pattern) = action {
            text.extend_from_slice(ACTION);
            text.extend_from_slice(format!("{pattern}\n").as_bytes());
        }
        text
    }

    /// A run in text that ends in no error.
    pub fn unfinished_text(&self, steps: &[RunStep]) -> Vec<u8> {
        let mut text = self.text(steps, None);
        text.extend_from_slice(UNFINISHED);
        text.push(b'\n');
        text
    }

    /// A run as a JSON document.
    pub fn document(&self, steps: &[RunStep], property: Option<&str>, error: Option<ErrorEntry>) -> Vec<u8> {
        let (model, hash) = (self.model.display().to_string(), format!("{:016x}", self.lts.hash()));
        let header = Header { property: property.map(str::to_owned), error, ..Header::new(model, hash, steps.len()) };
        let document = Document { header, initial: self.lts.initial(), steps: entries(self.lts, steps) };
        let mut text = serde_json::to_vec_pretty(&document).expect("the document has string keys and finite numbers");
        text.push(b'\n');
        text
    }
}

/// The steps of a run as entries of a JSON document.
pub fn entries(lts: &Lts, steps: &[RunStep]) -> Vec<StepEntry> {
    let entry = |(at, step): (usize, &RunStep)| StepEntry {
        step: at + 1,
        action: String::from_utf8_lossy(lts.labels().text(step.edge.label)).into_owned(),
        from: step.from,
        to: step.edge.target,
    };
    steps.iter().enumerate().map(entry).collect()
}

/// Whether a file has been written as the trail of a labelled transition system.
pub fn is_trail(bytes: &[u8]) -> bool {
    parse(bytes).is_ok()
}

/// Reads a trail, as text or as a JSON document.
pub fn parse(bytes: &[u8]) -> Result<ReadTrail, TrailError> {
    if bytes.trim_ascii_start().starts_with(b"{") {
        return parse_document(bytes);
    }
    let mut trail = ReadTrail::default();
    for (at, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        match line.trim_ascii() {
            [] => {}
            mark if mark == UNFINISHED => trail.unfinished = true,
            [b'"', label @ .., b'"'] => trail.labels.push(label.to_vec()),
            line => match line.strip_prefix(ACTION) {
                Some(pattern) => trail.action = Some(String::from_utf8_lossy(pattern).into_owned()),
                None => {
                    let found: String = String::from_utf8_lossy(line).chars().take(40).collect();
                    return Err(TrailError {
                        line: at + 1,
                        reason: format!("expected a label in quotes, found `{found}`"),
                    });
                }
            },
        }
    }
    Ok(trail)
}

fn parse_document(bytes: &[u8]) -> Result<ReadTrail, TrailError> {
    let wrong = |line, reason| TrailError { line, reason };
    let Document { header, steps, .. } = serde_json::from_slice(bytes)
        .map_err(|error| wrong(error.line(), format!("not a trail of a labelled transition system: {error}")))?;
    if header.length != steps.len() {
        return Err(wrong(1, format!("{} steps instead of {}", steps.len(), header.length)));
    }
    let is_action = header.error.as_ref().is_some_and(|error| error.kind == "action");
    let pattern = header.property.as_deref().and_then(|name| name.strip_prefix(super::property::ACTION));
    Ok(ReadTrail {
        states: Some(steps.iter().map(|step| step.to).collect()),
        labels: steps.into_iter().map(|step| step.action.into_bytes()).collect(),
        action: pattern.filter(|_| is_action).map(str::to_owned),
        unfinished: header.error.is_none(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_read_with_their_marks() {
        let read = parse(b"\"a\"\r\n\n\"say \"hi\"\"\n# violates action:say*\n").expect("a trail");
        assert_eq!(read.labels, [b"a".to_vec(), b"say \"hi\"".to_vec()]);
        assert_eq!((read.action.as_deref(), read.states, read.unfinished), (Some("say*"), None, false));
        assert!(parse(b"\"a\"\n# no error at the end\n").expect("a trail").unfinished);
        let error = parse(b"\"a\"\n1:0:7\n").expect_err("another trail");
        assert_eq!((error.line, error.reason.as_str()), (2, "expected a label in quotes, found `1:0:7`"));
        assert!(parse(b"{ \"homing_trail\": 1 }").is_err() && !is_trail(b"hello"));
    }
}
