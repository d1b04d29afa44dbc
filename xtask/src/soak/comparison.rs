//! Compares homing's result for a model with the judge's.

use std::collections::BTreeSet;
use std::fmt;

use homing_core::ViolationKind;
use homing_engine::{Finding, Findings};
use homing_ir::Model;
use serde::Deserialize;

use super::configurations::{Configuration, Property};
use crate::process::{Ending, Finished};

/// A question on which homing and the judge differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Question {
    /// homing says `holds`, there is an error.
    FalseHolds,
    /// homing reports an error, there is none.
    FalseAlarm,
    /// A crash, exit code 4, or an exit code or document that does not match `docs/json.md`.
    Contract,
    /// homing had to be killed long after its time limit.
    Timeout,
    /// The error is none of those of the model.
    Violation,
    /// A path is shorter than the shortest there is.
    TooShort,
    /// A path is called shortest, or has to be, and is not.
    Shortest,
    /// The number of states without reductions.
    States,
    /// The set of distinct violations.
    Violations,
    /// The statements that are not reached.
    Unreached,
    /// The judges differ.
    Judges,
}

/// A difference, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub question: Question,
    pub judge: String,
    pub homing: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: judge {}, homing {}", self.question, self.judge, self.homing)
    }
}

#[derive(Clone, Debug, Deserialize)]
struct Document {
    results: Vec<CheckResult>,
}

/// The compared part of an entry of `results`.
#[derive(Clone, Debug, Deserialize)]
pub struct CheckResult {
    pub verdict: String,
    pub error: Option<Violation>,
    pub trail: Option<Trail>,
    pub search: Option<Search>,
    pub stats: Option<Stats>,
    #[serde(default)]
    pub unreached: Option<Vec<Unreached>>,
    /// Absent in older versions.
    #[serde(default)]
    pub violations: Option<Vec<Violation>>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Violation {
    pub kind: String,
    pub message: String,
    pub line: Option<u32>,
    pub process: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Trail {
    pub length: u32,
    pub shortest: bool,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Search {
    pub por: bool,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Stats {
    pub states: u64,
    pub seconds: f64,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unreached {
    pub proctype: String,
    pub line: u32,
    pub state: u32,
    pub text: String,
}

/// How homing answered.
#[derive(Clone, Debug)]
pub enum Answer {
    /// Flags that do not apply to the model, or a model that this version does not read.
    Refused,
    /// A limit was hit.
    Undecided,
    Decided(Box<CheckResult>),
    Broken(Question, String),
}

impl Answer {
    pub fn of(run: &Finished) -> Answer {
        let code = match run.ending {
            Ending::TimedOut => return Answer::Broken(Question::Timeout, format!("killed after {:.0} s", run.seconds)),
            Ending::Exit(2) => return Answer::Refused,
            Ending::Exit(code @ (0 | 1 | 3)) => code,
            ending => return Answer::Broken(Question::Contract, format!("{ending:?}: {}", run.stderr.trim())),
        };
        let broken = |what: String| Answer::Broken(Question::Contract, what);
        let result = match serde_json::from_str::<Document>(&run.stdout) {
            Ok(document) => document.results.into_iter().next(),
            Err(error) => return broken(format!("no such document: {error}")),
        };
        let Some(result) = result else { return broken("no result".to_owned()) };
        match (code, result.verdict.as_str()) {
            (0, "holds") | (1, "violated") => Answer::Decided(Box::new(result)),
            (3, "unknown") => Answer::Undecided,
            (code, verdict) => broken(format!("exit code {code} with verdict {verdict}")),
        }
    }
}

/// What the judge found, with the model for names.
pub struct Truth<'a> {
    model: &'a Model,
    findings: &'a Findings,
    /// Those that refute the property.
    pub violations: Vec<&'a Finding>,
}

/// Notes a difference: the question, the answer of the judge, the answer of homing.
type Differ<'a> = dyn FnMut(Question, String, String) + 'a;

impl<'a> Truth<'a> {
    pub fn new(model: &'a Model, findings: &'a Findings, property: Property) -> Self {
        let violations = findings.violations.iter().filter(|finding| property.is_refuted_by(finding.kind)).collect();
        Truth { model, findings, violations }
    }

    /// Where homing differs under a configuration.
    pub fn differences(&self, configuration: &Configuration, result: &CheckResult) -> Vec<Difference> {
        let mut differences = Vec::new();
        let mut differ = |question, judge: String, homing: String| {
            differences.push(Difference { question, judge, homing });
        };
        self.compare_verdict(configuration, result, &mut differ);
        self.compare_path(configuration, result, &mut differ);
        // a violated result does not say whether a limit ended the search
        let enough = configuration.timeout().as_secs_f64() * 0.8;
        let in_time = result.stats.as_ref().is_none_or(|stats| stats.seconds < enough);
        let is_bounded = configuration.has("stateless");
        let is_violated = result.verdict == "violated";
        if !is_violated || (configuration.has("--all-errors") && in_time && !is_bounded) {
            self.compare_full_search(configuration, result, &mut differ);
        }
        differences
    }

    fn compare_verdict(&self, configuration: &Configuration, result: &CheckResult, differ: &mut Differ<'_>) {
        let is_violated = result.verdict == "violated";
        match self.violations.first() {
            Some(first) if !is_violated => differ(Question::FalseHolds, described(first), "holds".to_owned()),
            None if is_violated => {
                let what = result.error.as_ref().map_or("violated".to_owned(), |error| error.message.clone());
                differ(Question::FalseAlarm, "holds".to_owned(), what);
            }
            _ => {}
        }
        if !is_violated && !configuration.is_lossless() {
            differ(Question::FalseHolds, "a store that may lose states proves nothing".to_owned(), "holds".to_owned());
        }
    }

    fn compare_path(&self, configuration: &Configuration, result: &CheckResult, differ: &mut Differ<'_>) {
        let (Some(error), Some(trail), Some(shortest)) = (&result.error, &result.trail, self.violations.first()) else {
            return;
        };
        match self.violations.iter().find(|finding| is_same(finding, error)) {
            None => differ(Question::Violation, self.all(), format!("{error:?}")),
            Some(finding) if trail.length < finding.length => {
                differ(Question::TooShort, finding.length.to_string(), trail.length.to_string());
            }
            Some(_) => {}
        }
        let claims = trail.shortest || (configuration.promises_shortest() && !self.has_hidden());
        if claims && trail.length != shortest.length {
            differ(Question::Shortest, shortest.length.to_string(), trail.length.to_string());
        }
    }

    /// Compares the figures of a search that visited all states.
    fn compare_full_search(&self, configuration: &Configuration, result: &CheckResult, differ: &mut Differ<'_>) {
        if let (Some(stats), true) = (&result.stats, configuration.counts_states() && !self.has_hidden())
            && stats.states != self.findings.states
        {
            differ(Question::States, self.findings.states.to_string(), stats.states.to_string());
        }
        if let (Some(found), true) = (&result.violations, configuration.is_lossless()) {
            let lacks = self.violations.iter().find(|finding| !found.iter().any(|error| is_listed_as(finding, error)));
            let invents = found.iter().find(|error| !self.violations.iter().any(|finding| is_same(finding, error)));
            if let Some(finding) = lacks {
                differ(Question::Violations, described(finding), "not listed".to_owned());
            }
            if let Some(error) = invents {
                differ(Question::Violations, "no such violation".to_owned(), format!("{error:?}"));
            }
        }
        if let (Some(unreached), true) = (&result.unreached, !(self.has_hidden() && configuration.has("--plain"))) {
            let (own, found) = (self.unreached(), unreached.iter().cloned().collect::<BTreeSet<_>>());
            if own != found {
                let only = |left: &BTreeSet<Unreached>, right: &BTreeSet<Unreached>| {
                    let words: Vec<String> =
                        left.difference(right).map(|u| format!("{}:{} {}", u.proctype, u.line, u.text)).collect();
                    format!("also [{}]", words.join(", "))
                };
                differ(Question::Unreached, only(&own, &found), only(&found, &own));
            }
        }
    }

    /// Whether the model has hidden variables. With `--plain` homing leaves them out of the state, as SPIN does, and so finds
    /// less than the judge.
    fn has_hidden(&self) -> bool {
        self.model.globals.iter().any(|variable| variable.hidden)
    }

    fn unreached(&self) -> BTreeSet<Unreached> {
        let named = |statement: &homing_engine::Unreached| Unreached {
            proctype: self.model.proctype(statement.proctype).name.clone(),
            line: statement.place.line,
            state: statement.state,
            text: statement.text.clone(),
        };
        self.findings.unreached.iter().map(named).collect()
    }

    fn all(&self) -> String {
        self.violations.iter().map(|finding| described(finding)).collect::<Vec<_>>().join("; ")
    }
}

fn described(finding: &Finding) -> String {
    let line = finding.place.as_ref().map_or(0, |place| place.line);
    format!("{} (line {line}, after {})", finding.message, finding.length)
}

/// Whether a violation is one of those that a list shows as one: run-time errors of one place can differ by the number of a channel.
fn is_listed_as(finding: &Finding, error: &Violation) -> bool {
    is_in_one_place(finding, error) && (finding.kind == ViolationKind::RuntimeError || finding.message == error.message)
}

fn is_same(finding: &Finding, error: &Violation) -> bool {
    is_in_one_place(finding, error) && finding.message == error.message
}

fn is_in_one_place(finding: &Finding, error: &Violation) -> bool {
    let proctype = error.process.as_ref().map(|name| name.split('(').next().unwrap_or(name));
    finding.kind.name() == error.kind
        && finding.place.as_ref().map(|place| place.line) == error.line
        && finding.proctype.as_deref() == proctype
}
