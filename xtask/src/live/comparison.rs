//! Compares homing with pan on one model with a property of infinite runs.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use super::configurations::{Configuration, Fairness};
use super::fair;
use super::lasso::{Closing, Expected, Lasso};
use super::models::Kind;
use crate::process::{self, Ending, Finished};
use crate::spin::{self, Cycles, LiveFacts, LiveQuestion, Spin};

/// A question on which homing and SPIN differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Question {
    /// homing says `holds`, there is an error.
    FalseHolds,
    /// homing reports an error, there is none.
    FalseAlarm,
    /// homing holds more runs for fair under strong fairness than under weak.
    StrongerFairness,
    /// homing refuses the model.
    Acceptance,
    /// homing does not decide the model.
    Undecided,
    /// A crash, exit code 4, or a document that does not match `docs/json.md`.
    Contract,
    /// States stored, visited and matched.
    Counts,
    /// A lasso is longer than pan's.
    Longer,
    /// A lasso is called shortest, and another one is shorter.
    Shortest,
    /// SPIN's simulator does not play homing's trail, or its cycle does not close.
    SpinReplay,
    /// homing does not play its own trail.
    OwnReplay,
    /// homing does not play pan's trail.
    PanReplay,
}

/// A difference under one configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub configuration: Configuration,
    pub question: Question,
    pub spin: String,
    pub homing: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { configuration, question, spin, homing } = self;
        write!(f, "{configuration}: {question:?}: SPIN {spin}, homing {homing}")
    }
}

/// The outcome of comparing one model.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// Why SPIN did not decide the model.
    pub skipped: Option<String>,
    pub violated: bool,
    /// Whether the property is violated by a weakly fair run; none if SPIN cannot say.
    pub fairly_violated: Option<bool>,
    /// The counts were compared.
    pub counted: bool,
    /// Lengths of homing's default lasso and of pan's.
    pub lengths: Option<(u64, u64)>,
    /// Answers of homing that were compared.
    pub answers: u64,
    /// Answers `unknown` under fairness, by reason.
    pub undecided: BTreeMap<String, u64>,
    pub differences: Vec<Difference>,
}

/// The programs that are compared.
#[derive(Clone, Debug)]
pub struct Programs {
    pub spin: Spin,
    pub homing: PathBuf,
}

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

impl Programs {
    /// Compares the two on a model, homing in the given configurations.
    pub fn compare(&self, text: &str, kind: Kind, configurations: &[Configuration]) -> io::Result<Comparison> {
        let folder = tempfile::tempdir()?;
        let model = folder.path().join("model.pml");
        fs::write(&model, text)?;
        let mut comparison = Comparison::default();
        let facts = match self.spin.ask_cycles_text(text, question_of(text, kind))? {
            spin::Answer::Searched(facts) => facts,
            spin::Answer::Refused(why) | spin::Answer::TooBig(why) | spin::Answer::Crashed(why) => {
                comparison.skipped = Some(why);
                return Ok(comparison);
            }
        };
        comparison.violated = facts.report.errors > 0;
        let asks_fair = configurations.iter().any(|configuration| configuration.fairness != Fairness::None);
        comparison.fairly_violated = match comparison.violated {
            false => Some(false),
            true if asks_fair => fair::violated(&self.spin, text, kind)?,
            true => None,
        };
        let mut judged = Judged { programs: self, kind, model: &model, facts: &facts, comparison, lassos: Vec::new() };
        for configuration in configurations {
            judged.decide(*configuration)?;
        }
        judged.compare_lassos();
        judged.play_pan()?;
        judged.comparison.differences.sort_by_key(|difference| difference.question);
        Ok(judged.comparison)
    }

    /// Runs homing in the folder of the model.
    fn run(&self, model: &Path, arguments: &[&str]) -> io::Result<Finished> {
        let folder = model.parent().unwrap_or(Path::new("."));
        process::run(&self.homing, arguments, folder, Duration::from_secs(60))
    }
}

/// What pan is asked about a model. A failing assertion of a process is no violation of a property of infinite runs.
pub fn question_of(text: &str, kind: Kind) -> LiveQuestion<'static> {
    let labels_only = matches!(kind, Kind::Accept | Kind::Progress);
    LiveQuestion {
        cycles: if kind == Kind::Progress { Cycles::NonProgress } else { Cycles::Acceptance },
        fair: false,
        ignores_assertions: labels_only && text.contains("assert("),
        claim: None,
    }
}

/// A model with pan's answer.
struct Judged<'a> {
    programs: &'a Programs,
    kind: Kind,
    model: &'a Path,
    facts: &'a LiveFacts,
    comparison: Comparison,
    /// The lassos that homing reported.
    lassos: Vec<(Configuration, Trail)>,
}

impl Judged<'_> {
    fn differ(&mut self, configuration: Configuration, question: Question, spin: impl ToString, homing: impl ToString) {
        let (spin, homing) = (spin.to_string(), homing.to_string());
        self.comparison.differences.push(Difference { configuration, question, spin, homing });
    }

    fn decide(&mut self, configuration: Configuration) -> io::Result<()> {
        let arguments = ["check", "model.pml", "--property", self.kind.property(), "--json", "--timeout", "20s"];
        let run = self.programs.run(self.model, &[&arguments[..], configuration.flags].concat())?;
        self.comparison.answers += 1;
        let result = match understand(&run) {
            Ok(result) => result,
            Err((question, what)) => {
                self.differ(configuration, question, "an answer", what);
                return Ok(());
            }
        };
        if result.verdict == "unknown" {
            let reason = result.reason.unwrap_or_default();
            if configuration.fairness == Fairness::None {
                self.differ(configuration, Question::Undecided, verdict(self.comparison.violated), reason);
            } else {
                *self.comparison.undecided.entry(format!("{configuration}: {reason}")).or_default() += 1;
            }
            return Ok(());
        }
        self.compare_verdict(configuration, &result);
        if configuration.counts_as_pan() && !result.is_violated() && !self.comparison.violated {
            self.compare_counts(configuration, &result);
        }
        if result.is_violated() {
            self.play(configuration, &result)?;
        }
        Ok(())
    }

    fn compare_verdict(&mut self, configuration: Configuration, result: &LiveResult) {
        let violated = match configuration.fairness {
            Fairness::None => Some(self.comparison.violated),
            Fairness::Weak => self.comparison.fairly_violated,
            // a strongly fair run is weakly fair
            Fairness::Strong => self.comparison.fairly_violated.filter(|violated| !violated),
        };
        let question = match (violated, result.is_violated()) {
            (Some(true), false) => Question::FalseHolds,
            (Some(false), true) => Question::FalseAlarm,
            _ => return,
        };
        let error = self.facts.report.messages.first().map_or_else(|| "holds".to_owned(), |error| error.text.clone());
        self.differ(configuration, question, error, &result.verdict);
    }

    fn compare_counts(&mut self, configuration: Configuration, result: &LiveResult) {
        self.comparison.counted = self.kind != Kind::Ltl; // SPIN's translation is another claim
        let Stats { states, matched, transitions, .. } = result.stats;
        let (own, report) = ((states, transitions - matched, matched), &self.facts.report);
        let pan = (report.stored, report.visited, report.matched);
        if self.comparison.counted && own != pan {
            self.differ(configuration, Question::Counts, format!("{pan:?}"), format!("{own:?}"));
        }
    }

    /// Plays the trail of a violation in SPIN and in homing.
    fn play(&mut self, configuration: Configuration, result: &LiveResult) -> io::Result<()> {
        let text = fs::read_to_string(self.model.with_extension("pml.trail")).unwrap_or_default();
        let lasso = Lasso::parse(&text);
        let closing = if configuration.is_plain() { Closing::Exact } else { Closing::UpToDeadVariables };
        let expected = match result.error.as_ref().map_or("", |error| error.kind.as_str()) {
            kind if kind.ends_with("-cycle") => Expected::Cycle(closing),
            // the trail of a formula has no steps of a claim
            "assertion" if self.kind == Kind::Never => Expected::Assertion,
            "claim-end" if self.kind == Kind::Never => Expected::ClaimEnd,
            _ => Expected::Run,
        };
        if let Some(complaint) = lasso.complaint(self.model, expected)? {
            self.differ(configuration, Question::SpinReplay, complaint, text.replace('\n', " "));
        }
        let Some(trail) = &result.trail else {
            self.differ(configuration, Question::Contract, "a trail", "none");
            return Ok(());
        };
        if trail.length != lasso.length() {
            self.differ(configuration, Question::Contract, lasso.length(), format!("length {}", trail.length));
        }
        if let Some(complaint) = self.replayed("model.pml.trail", result.is_cycle())? {
            self.differ(configuration, Question::OwnReplay, "plays it", complaint);
        }
        self.lassos.push((configuration, trail.clone()));
        Ok(())
    }

    /// What is wrong when homing plays a trail.
    fn replayed(&self, trail: &str, expects_cycle: bool) -> io::Result<Option<String>> {
        let run = self.programs.run(self.model, &["replay", "model.pml", trail, "--json"])?;
        if run.ending != Ending::Exit(1) {
            return Ok(Some(format!("{:?} {}", run.ending, run.stderr.trim())));
        }
        let document: serde_json::Value = serde_json::from_str(&run.stdout).unwrap_or_default();
        let ending = document["ending"].as_str().unwrap_or("no ending");
        Ok((expects_cycle && ending != "cycle").then(|| format!("ends in {ending}, not in a cycle")))
    }

    /// Compares the lengths of lassos with each other and with pan's.
    fn compare_lassos(&mut self) {
        let lassos = self.lassos.clone();
        let unfair = |configuration: &Configuration| configuration.fairness == Fairness::None;
        let all = lassos.iter().filter(|(configuration, _)| unfair(configuration));
        let least = all.clone().map(|(_, trail)| trail.length).min();
        let pan = self.facts.trail.as_ref().map(|trail| Lasso::parse(trail).length());
        for (configuration, trail) in all {
            if trail.shortest && Some(trail.length) > least {
                self.differ(*configuration, Question::Shortest, format!("another has {least:?}"), trail.length);
            }
            let Some(pan) = pan else { continue };
            if configuration.shortens() && trail.length > pan {
                self.differ(*configuration, Question::Longer, pan, trail.length);
            }
            if configuration.flags.is_empty() {
                self.comparison.lengths = Some((trail.length, pan));
            }
        }
    }

    /// homing plays the trail of pan.
    fn play_pan(&mut self) -> io::Result<()> {
        let (Some(trail), Some(error)) = (&self.facts.trail, self.facts.report.messages.first()) else { return Ok(()) };
        fs::write(self.model.with_file_name("pan.trail"), trail)?;
        let is_cycle = error.text.contains(" cycle");
        if let Some(complaint) = self.replayed("pan.trail", is_cycle)? {
            let default = Configuration { fairness: Fairness::None, flags: &["(pan's trail)"] };
            self.differ(default, Question::PanReplay, error.text.clone(), complaint);
        }
        Ok(())
    }
}

fn verdict(violated: bool) -> &'static str {
    if violated { "violated" } else { "holds" }
}
