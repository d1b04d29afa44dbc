//! Compares homing with pan on one model with a property of infinite runs.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::answer::{LiveResult, Stats, Trail, understand};
use super::configurations::{Configuration, Fairness};
use super::execution;
use super::fair;
use super::judge::Graph;
use super::lasso::{Closing, Expected, Lasso};
use super::models::Kind;
use super::translation;
use crate::process::{self, Ending, Finished};
use crate::spin::{self, Cycles, ErrorKind, LiveFacts, LiveQuestion, PanReport, Spin};

/// A question on which homing and SPIN differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Question {
    /// homing says `holds`, there is an error.
    FalseHolds,
    /// homing reports an error, there is none.
    FalseAlarm,
    /// homing refuses the model.
    Acceptance,
    /// homing does not decide the model.
    Undecided,
    /// A crash, exit code 4, or a document that does not match `docs/json.md`.
    Contract,
    /// States stored, visited and matched.
    Counts,
    /// pan has another answer with the never claim that homing makes of a formula.
    Translation,
    /// A lasso is longer than pan's.
    Longer,
    /// A lasso is called shortest, and another one is shorter, or brute force finds another length.
    Shortest,
    /// SPIN's simulator does not play homing's trail, or its cycle does not close.
    SpinReplay,
    /// The interpreter does not execute homing's trail, or the run is no error of fair runs.
    Execution,
    /// homing does not play its own trail.
    OwnReplay,
    /// homing does not play pan's trail.
    PanReplay,
    /// pan and the other judge differ.
    Judges,
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
    /// Whether the property is violated by a weakly fair run; none if no judge can say.
    pub fairly_violated: Option<bool>,
    /// Whether it is violated by a strongly fair run.
    pub strongly_violated: Option<bool>,
    /// The counts were compared.
    pub counted: bool,
    /// pan's counts depend on the order of its search.
    pub uncountable: bool,
    /// Lengths of homing's default lasso and of pan's.
    pub lengths: Option<(u64, u64)>,
    /// By fairness: lassos that homing calls shortest, and that brute force was asked about.
    pub proved: BTreeMap<Fairness, u64>,
    /// By fairness: lassos that were to be shortest, and that homing does not call so.
    pub unproved: BTreeMap<Fairness, u64>,
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
        if facts.report.messages.iter().any(|message| message.kind == spin::ErrorKind::ArrayIndex) {
            // SPIN has split the condition: its claim evaluates the operand without the one that guards it
            comparison.skipped = Some("the claim is evaluated beyond its guards".to_owned());
            return Ok(comparison);
        }
        comparison.violated = facts.report.errors > 0;
        let asks_fair = configurations.iter().any(|configuration| configuration.fairness != Fairness::None);
        let (graph, runs) = (Graph::of_model(text, kind), Graph::of_runs(text, kind));
        comparison.fairly_violated = match comparison.violated {
            false => Some(false),
            true if asks_fair => fair::violated(&self.spin, text, kind)?,
            true => None,
        };
        let (facts, graph) = (&facts, graph.as_ref());
        let lassos = Vec::new();
        let mut judged = Judged { programs: self, kind, model: &model, facts, graph, runs, comparison, lassos };
        if asks_fair {
            judged.ask_graph();
        }
        for configuration in configurations {
            judged.decide(*configuration)?;
        }
        judged.compare_lassos();
        judged.compare_shortest();
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
pub(super) struct Judged<'a> {
    programs: &'a Programs,
    kind: Kind,
    model: &'a Path,
    pub(super) facts: &'a LiveFacts,
    /// The other judge; none for a model that it does not judge.
    pub(super) graph: Option<&'a Graph>,
    /// Graphs for the lengths of lassos of runs.
    pub(super) runs: Option<Vec<Graph>>,
    pub(super) comparison: Comparison,
    /// The lassos that homing reported.
    pub(super) lassos: Vec<(Configuration, Trail)>,
}

impl Judged<'_> {
    pub(super) fn differ(
        &mut self,
        configuration: Configuration,
        question: Question,
        spin: impl ToString,
        homing: impl ToString,
    ) {
        let (spin, homing) = (spin.to_string(), homing.to_string());
        self.comparison.differences.push(Difference { configuration, question, spin, homing });
    }

    /// Asks the other judge, which also knows strong fairness.
    fn ask_graph(&mut self) {
        let judged = |fairness| self.graph.map(|graph| graph.is_violated(fairness));
        let [all, weak, strong] = [Fairness::None, Fairness::Weak, Fairness::Strong].map(judged);
        let comparison = &mut self.comparison;
        let differs = |pan: Option<bool>, own: Option<bool>| pan.zip(own).is_some_and(|(pan, own)| pan != own);
        let differ = differs(Some(comparison.violated), all) || differs(comparison.fairly_violated, weak);
        // a strongly fair run is weakly fair
        let none_is_fair = comparison.fairly_violated.filter(|violated| !violated);
        comparison.strongly_violated = strong.or(none_is_fair);
        let pan = format!("{} {:?}", comparison.violated, comparison.fairly_violated);
        comparison.fairly_violated = comparison.fairly_violated.or(weak);
        if differ {
            let configuration = Configuration { fairness: Fairness::Weak, flags: &["(judges)"] };
            self.differ(configuration, Question::Judges, pan, format!("{all:?} {weak:?}"));
        }
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
            self.compare_counts(configuration, &result)?;
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
            Fairness::Strong => self.comparison.strongly_violated,
        };
        let question = match (violated, result.is_violated()) {
            (Some(true), false) => Question::FalseHolds,
            (Some(false), true) => Question::FalseAlarm,
            _ => return,
        };
        let error = self.facts.report.messages.first().map_or_else(|| "holds".to_owned(), |error| error.text.clone());
        self.differ(configuration, question, error, &result.verdict);
    }

    fn compare_counts(&mut self, configuration: Configuration, result: &LiveResult) -> io::Result<()> {
        let Stats { states, matched, transitions, .. } = result.stats;
        let own = (states, transitions - matched, matched);
        let Some(pan) = self.counts(configuration)? else { return Ok(()) };
        self.comparison.counted = true;
        if own != pan {
            self.differ(configuration, Question::Counts, format!("{pan:?}"), format!("{own:?}"));
        }
        Ok(())
    }

    /// Whether pan's counts for a claim do not depend on the order of its search.
    fn is_countable(&mut self, graph: Option<&Graph>) -> bool {
        let is_countable = graph.is_some_and(|graph| !graph.stops_accepting);
        self.comparison.uncountable = !is_countable;
        is_countable
    }

    /// pan's states stored, visited and matched; of a formula with the claim that homing makes of it.
    fn counts(&mut self, configuration: Configuration) -> io::Result<Option<(u64, u64, u64)>> {
        let counts = |report: &PanReport| Some((report.stored, report.visited, report.matched));
        let text = fs::read_to_string(self.model)?;
        if self.kind != Kind::Ltl {
            // where the program has stopped, pan does not store the states of an atomic sequence of the claim
            let claim = text.split_once("never {").map(|(_, claim)| claim);
            let is_counted = claim.is_none_or(|claim| !claim.contains("atomic") && self.is_countable(self.graph));
            return Ok(if is_counted { counts(&self.facts.report) } else { None });
        }
        let claimed = match translation::with_claim(&self.programs.homing, &text, self.kind.property())? {
            Ok(claimed) => claimed,
            Err(why) => {
                self.differ(configuration, Question::Contract, "a never claim", why);
                return Ok(None);
            }
        };
        if !self.is_countable(Graph::of_model(&claimed, Kind::Never).as_ref()) {
            return Ok(None);
        }
        let answer = self.programs.spin.ask_cycles_text(&claimed, question_of(&claimed, Kind::Never))?;
        match answer {
            spin::Answer::Searched(facts) if facts.report.errors == 0 => return Ok(counts(&facts.report)),
            spin::Answer::Searched(facts) => {
                let error = facts.report.messages.first().map_or_else(String::new, |error| error.text.clone());
                self.differ(configuration, Question::Translation, error, "holds");
            }
            spin::Answer::Refused(why) => self.differ(configuration, Question::Translation, why, "a never claim"),
            spin::Answer::TooBig(_) | spin::Answer::Crashed(_) => {}
        }
        Ok(None)
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
        let model = fs::read_to_string(self.model)?;
        if let Some(complaint) = execution::complaint(&model, self.kind, configuration.fairness, &lasso) {
            self.differ(configuration, Question::Execution, complaint, text.replace('\n', " "));
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

    /// homing plays the trail of pan.
    fn play_pan(&mut self) -> io::Result<()> {
        let (Some(lasso), Some(error)) = (lasso_of(self.facts), self.facts.report.messages.first()) else {
            return Ok(());
        };
        fs::write(self.model.with_file_name("pan.trail"), lasso.text())?;
        let is_cycle = error.text.contains(" cycle");
        // where a claim with an atomic sequence stutters, pan writes the stem only
        if is_cycle && !lasso.has_cycle() {
            return Ok(());
        }
        if let Some(complaint) = self.replayed("pan.trail", is_cycle)? {
            let default = Configuration { fairness: Fairness::None, flags: &["(pan's trail)"] };
            self.differ(default, Question::PanReplay, error.text.clone(), complaint);
        }
        Ok(())
    }
}

/// The trail of pan.
pub fn lasso_of(facts: &LiveFacts) -> Option<Lasso> {
    let lasso = facts.trail.as_ref().map(|trail| Lasso::parse(trail))?;
    let ends = facts.report.messages.first().is_some_and(|error| error.kind == ErrorKind::ClaimEnd);
    Some(if ends { lasso.until_claim() } else { lasso })
}

fn verdict(violated: bool) -> &'static str {
    if violated { "violated" } else { "holds" }
}
