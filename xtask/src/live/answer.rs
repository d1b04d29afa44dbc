//! homing's answer about a property of infinite runs, from its JSON document (`docs/json.md`).

use serde::Deserialize;

use super::Question;
use crate::process::{Ending, Finished};

#[derive(Deserialize)]
struct Document {
    results: Vec<LiveResult>,
}

/// The compared part of an entry of `results`.
#[derive(Clone, Debug, Deserialize)]
pub struct LiveResult {
    pub verdict: String,
    pub reason: Option<String>,
    pub error: Option<Violation>,
    pub trail: Option<Trail>,
    pub stats: Stats,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Violation {
    pub kind: String,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Trail {
    pub length: u64,
    pub shortest: bool,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Stats {
    pub states: u64,
    pub matched: u64,
    pub transitions: u64,
}

impl LiveResult {
    pub fn is_violated(&self) -> bool {
        self.verdict == "violated"
    }

    /// Whether the error is a cycle, and not the end of a run.
    pub fn is_cycle(&self) -> bool {
        self.error.as_ref().is_some_and(|error| error.kind.ends_with("-cycle"))
    }
}

/// homing's answer: a result, or the question on which it has none.
pub fn understand(run: &Finished) -> Result<LiveResult, (Question, String)> {
    let message = || run.stderr.lines().find(|line| !line.trim().is_empty()).unwrap_or("").trim().to_owned();
    match run.ending {
        Ending::Exit(2) => return Err((Question::Acceptance, message())),
        Ending::Exit(0 | 1 | 3) => {}
        ending => return Err((Question::Contract, format!("{ending:?}: {}", message()))),
    }
    let document: Document = serde_json::from_str(&run.stdout)
        .map_err(|error| (Question::Contract, format!("not the JSON of the contract: {error}")))?;
    let result = document.results.into_iter().next();
    result.ok_or_else(|| (Question::Contract, "no result".to_owned()))
}
