//! Runs homing on a model, through its command line and JSON document only (`docs/json.md`).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use crate::process::{self, Ending, Finished};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    DepthFirst,
    BreadthFirst,
}

/// How far a search goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    FirstError,
    AllErrors,
}

/// The reductions that homing uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reductions {
    /// None (`--plain`).
    Off,
    /// The default.
    On,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Error {
    pub kind: String,
    pub message: Option<String>,
    pub line: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Trail {
    pub length: u64,
    #[serde(default)]
    pub shortest: bool,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Stats {
    pub states: u64,
    pub transitions: u64,
    #[serde(default)]
    pub max_depth: u64,
    #[serde(default)]
    pub memory_bytes: Option<u64>,
    /// The bytes in use by the store.
    #[serde(default)]
    pub stored_bytes_per_state: Option<f64>,
    #[serde(default)]
    pub seconds: f64,
}

/// One entry of `results`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct CheckResult {
    pub verdict: String,
    pub reason: Option<String>,
    pub error: Option<Error>,
    pub errors: Option<u64>,
    pub trail: Option<Trail>,
    pub stats: Stats,
    /// The unreached statements of a full search.
    #[serde(default)]
    pub unreached: serde_json::Value,
}

#[derive(Deserialize)]
struct Document {
    results: Vec<CheckResult>,
}

#[derive(Clone, Debug)]
pub enum Answer {
    /// Exit code 2, with the message.
    Refused(String),
    Checked(Box<CheckResult>),
    /// homing crashed, hung, or printed a document that does not match `docs/json.md`.
    Broken(String),
}

#[derive(Clone, Debug)]
pub struct Homing {
    pub binary: PathBuf,
    pub timeout: Duration,
    /// In megabytes; `None` for homing's default.
    pub memory: Option<u32>,
}

impl Homing {
    /// Fails if homing does not accept the command line used here. Its exit code alone would not distinguish that from
    /// the refusal of a model.
    pub fn probe(&self) -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let model = folder.path().join("probe.pml");
        fs::write(&model, "init { skip }\n")?;
        match self.check(&model, Search::DepthFirst, Extent::AllErrors, Reductions::Off)? {
            Answer::Checked(_) => Ok(()),
            Answer::Refused(why) | Answer::Broken(why) => Err(io::Error::other(format!("homing does not work: {why}"))),
        }
    }

    /// Checks `model` for safety. Its folder is the work folder, where a trail may be left.
    pub fn check(&self, model: &Path, search: Search, extent: Extent, reductions: Reductions) -> io::Result<Answer> {
        let mut flags = vec!["--search"];
        flags.push(match search {
            Search::DepthFirst => "dfs",
            Search::BreadthFirst => "bfs",
        });
        if reductions == Reductions::Off {
            flags.push("--plain");
        }
        if extent == Extent::AllErrors {
            flags.push("--all-errors");
        }
        self.check_by(model, &flags)
    }

    /// Checks `model` for safety with the given flags.
    pub fn check_by(&self, model: &Path, flags: &[&str]) -> io::Result<Answer> {
        let folder = model.parent().unwrap_or(Path::new("."));
        let model = model.to_string_lossy();
        let mut arguments = [&["check", &*model, "--property", "safety", "--json"], flags].concat();
        let memory = self.memory.map(|megabytes| format!("{megabytes}M"));
        if let Some(memory) = &memory {
            arguments.extend(["--memory", memory]);
        }
        Ok(understand(&process::run(&self.binary, &arguments, folder, self.timeout)?))
    }
}

/// Reads the exit code and output of `homing check --json`.
pub(crate) fn understand(run: &Finished) -> Answer {
    match run.ending {
        Ending::Exit(2) => Answer::Refused(first_line(&run.stderr)),
        Ending::Exit(0 | 1 | 3) => match serde_json::from_str::<Document>(&run.stdout) {
            Ok(document) => match <[CheckResult; 1]>::try_from(document.results) {
                Ok([result]) => Answer::Checked(Box::new(result)),
                Err(results) => Answer::Broken(format!("{} results instead of one", results.len())),
            },
            Err(error) => Answer::Broken(format!("not the JSON of the contract: {error}")),
        },
        ending => Answer::Broken(format!("{ending:?}: {}", first_line(&run.stderr))),
    }
}

fn first_line(text: &str) -> String {
    text.lines().find(|line| !line.trim().is_empty()).unwrap_or("").trim().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished(code: i32, stdout: &str, stderr: &str) -> Finished {
        Finished { ending: Ending::Exit(code), stdout: stdout.into(), stderr: stderr.into(), seconds: 0.0 }
    }

    const VIOLATED: &str = r#"{ "homing": "0.1.0", "model": "m.pml", "results": [ { "property": "safety",
        "verdict": "violated", "reason": null, "error": { "kind": "assertion", "message": "x", "file": "m.pml",
        "line": 12, "process": "P(2)" }, "errors": 1, "trail": { "file": "t", "length": 34, "moves": 17,
        "cycle_start": null, "shortest": true }, "search": { "algorithm": "bfs" },
        "stats": { "states": 67, "expanded": 17, "transitions": 73, "max_depth": 34, "memory_bytes": null } } ] }"#;

    #[test]
    fn reads_the_document() {
        let Answer::Checked(result) = understand(&finished(1, VIOLATED, "")) else { panic!("not understood") };
        assert_eq!((result.verdict.as_str(), result.errors), ("violated", Some(1)));
        assert_eq!(result.trail, Some(Trail { length: 34, shortest: true }));
        assert_eq!(
            result.stats,
            Stats {
                states: 67,
                transitions: 73,
                max_depth: 34,
                memory_bytes: None,
                stored_bytes_per_state: None,
                seconds: 0.0
            }
        );
        assert_eq!(result.error.map(|error| (error.kind, error.line)), Some(("assertion".into(), Some(12))));
    }

    #[test]
    fn a_refusal_carries_the_message() {
        let Answer::Refused(message) = understand(&finished(2, "", "\nm.pml:3: no such name\n  more\n")) else {
            panic!("not understood")
        };
        assert_eq!(message, "m.pml:3: no such name");
    }

    #[test]
    fn a_broken_contract_is_noticed() {
        assert!(matches!(understand(&finished(0, "{}", "")), Answer::Broken(_)));
        assert!(matches!(understand(&finished(101, "", "panicked")), Answer::Broken(_)));
        assert!(matches!(understand(&finished(0, r#"{"results":[]}"#, "")), Answer::Broken(_)));
    }
}
