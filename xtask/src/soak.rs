//! Random models that aim at the reductions, decided by the homing binary in many configurations and by independent
//! judges: the reference explorer for every model, SPIN for a share of them and for every disagreement.

mod comparison;
mod configurations;
mod judge;
mod models;
mod observers;
mod owners;
mod passed;
mod records;
mod report;
mod roles;
mod statements;
mod themes;

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use crate::generate::rng::Rng;
use crate::generate::{Model, shrink};
use crate::process;
use crate::spin::Spin;
use comparison::{Answer, Truth};
pub use comparison::{Difference, Question};
use configurations::Configuration;
pub use configurations::Property;
pub use models::{Aimed, SpinJudges, aimed};
pub use observers::observers;
pub use owners::owners;
pub use report::Report;
pub use themes::Theme;

/// When a soak ends.
#[derive(Clone, Copy, Debug)]
pub enum Extent {
    Models(u64),
    Time(Duration),
}

/// The settings of a soak.
#[derive(Clone, Debug)]
pub struct Plan {
    pub extent: Extent,
    /// The seed of the first model; the others have the following seeds.
    pub seed: u64,
    /// The number of models decided at the same time.
    pub jobs: usize,
    /// The binary that is tested.
    pub homing: PathBuf,
    pub spin: Spin,
    /// The share of models that SPIN judges too, in percent.
    pub spin_share: usize,
    /// Runs that shrinking the model of a disagreement may take.
    pub shrink_budget: usize,
    /// The folder for the models of disagreements.
    pub failures: PathBuf,
}

/// The outcome of one model.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub seed: u64,
    pub theme: Theme,
    /// Not compared: refused, or too large.
    pub skipped: bool,
    pub violated: bool,
    /// Control was handed over inside an atomic sequence.
    pub handover: bool,
    /// Partial-order reduction was used.
    pub reduced: bool,
    pub judged_by_spin: bool,
    pub comparisons: u64,
    /// Configurations that did not decide the model in time, or do not apply to it.
    pub undecided: u64,
    pub disagreements: Vec<Disagreement>,
}

impl Outcome {
    fn new(seed: u64, theme: Theme) -> Outcome {
        Outcome {
            seed,
            theme,
            skipped: true,
            violated: false,
            handover: false,
            reduced: false,
            judged_by_spin: false,
            comparisons: 0,
            undecided: 0,
            disagreements: Vec::new(),
        }
    }
}

/// A configuration under which homing differs from the judge, or none if the judges differ.
#[derive(Clone, Debug)]
pub struct Disagreement {
    pub property: Property,
    pub configuration: Option<Configuration>,
    pub difference: Difference,
    /// The model, shrunk unless there were many like it before.
    pub text: String,
    /// SPIN's result for the shrunk model.
    pub spin: String,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flags = self.configuration.as_ref().map_or("the judges differ".to_owned(), ToString::to_string);
        write!(f, "--property {} {flags}: {}; SPIN: {}", self.property.name(), self.difference, self.spin)
    }
}

/// Runs a soak. `progress` is called after every model, with all that was found so far and that model's outcome.
pub fn run(plan: &Plan, mut progress: impl FnMut(&Report, &Outcome)) -> io::Result<Report> {
    let start = Instant::now();
    let (next, over) = (AtomicU64::new(0), AtomicBool::new(false));
    let goes_on = |number: u64| {
        !over.load(Ordering::Relaxed)
            && match plan.extent {
                Extent::Models(count) => number < count,
                Extent::Time(time) => start.elapsed() < time,
            }
    };
    let shrunk = Shrunk::default();
    let mut report = Report::new(start);
    thread::scope(|scope| {
        let (send, receive) = mpsc::channel();
        for _ in 0..plan.jobs {
            let (send, next, goes_on, shrunk) = (send.clone(), &next, &goes_on, &shrunk);
            scope.spawn(move || {
                let worker = Worker::new(plan, shrunk);
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if !goes_on(number) {
                        return;
                    }
                    let outcome = worker.as_ref().map_err(copy_of).and_then(|worker| worker.decide(plan.seed + number));
                    if send.send(outcome).is_err() {
                        return;
                    }
                }
            });
        }
        drop(send);
        for outcome in receive {
            let outcome = outcome.inspect_err(|_| over.store(true, Ordering::Relaxed))?;
            report.add(&outcome);
            progress(&report, &outcome);
        }
        Ok(report)
    })
}

fn copy_of(error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), error.to_string())
}

/// How often models of each question and theme were shrunk.
#[derive(Default)]
struct Shrunk(Mutex<BTreeMap<(Question, Theme), u32>>);

impl Shrunk {
    /// Shrinking takes seconds: a few of each sort are enough.
    const ENOUGH: u32 = 4;

    fn wants(&self, question: Question, theme: Theme) -> bool {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry((question, theme)).or_default();
        *count += 1;
        *count <= Self::ENOUGH
    }
}

/// Decides models one by one, in a folder of its own.
struct Worker<'a> {
    plan: &'a Plan,
    /// Flags of every run that depend on the version of the binary.
    flags: &'static [&'static str],
    folder: tempfile::TempDir,
    shrunk: &'a Shrunk,
}

impl<'a> Worker<'a> {
    fn new(plan: &'a Plan, shrunk: &'a Shrunk) -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        let help = process::run(&plan.homing, &["check", "--help"], folder.path(), Duration::from_secs(25))?;
        // the second proof would hide what the first one misses
        let flags: &[&str] = if help.stdout.contains("--confirm") { &["--confirm=never"] } else { &[] };
        Ok(Worker { plan, flags, folder, shrunk })
    }

    fn decide(&self, seed: u64) -> io::Result<Outcome> {
        let aimed = aimed(seed);
        let theme = aimed.theme;
        let text = aimed.model.to_string();
        let mut outcome = Outcome::new(seed, theme);
        let Some(model) = judge::read(&text) else { return Ok(outcome) };
        let Some(findings) = judge::explore(&model, theme) else { return Ok(outcome) };
        let mut rng = Rng::new(seed);
        let property = Property::of_model(&mut rng);
        let truth = Truth::new(&model, &findings, property);
        outcome.skipped = false;
        outcome.violated = !truth.violations.is_empty();
        outcome.handover = findings.handovers > 0;
        self.write(&text)?;
        let configurations = Configuration::of_model(theme, &mut rng);
        let found = self.first_difference(configurations, property, &truth, &mut outcome)?;
        let in_share = rng.chance(self.plan.spin_share);
        let asks_spin = match aimed.spin {
            SpinJudges::All => true,
            SpinJudges::Some => in_share,
            SpinJudges::None => false,
        };
        if found.is_some() || asks_spin {
            let asked = judge::ask_spin(&self.plan.spin, &text, &model, &findings)?;
            outcome.judged_by_spin = asked.is_some();
            if let Some(difference) = asked.unwrap_or_default().into_iter().next() {
                let (configuration, spin) = (None, difference.judge.clone());
                let small = self.cut_down(&aimed, |text| self.judges_differ(text, theme));
                outcome.disagreements.push(Disagreement { property, configuration, difference, text: small, spin });
            }
        }
        if let Some((configuration, difference)) = found {
            outcome.disagreements.push(self.disagreement(&aimed, text, property, configuration, difference)?);
        }
        for disagreement in &outcome.disagreements {
            self.save(&aimed, disagreement)?;
        }
        Ok(outcome)
    }

    /// Decides the model that was written in each configuration; returns the first one that differs from the truth.
    fn first_difference(
        &self,
        configurations: Vec<Configuration>,
        property: Property,
        truth: &Truth<'_>,
        outcome: &mut Outcome,
    ) -> io::Result<Option<(Configuration, Difference)>> {
        let mut found = None;
        for configuration in configurations {
            let difference = match self.ask(&configuration, property)? {
                Answer::Refused | Answer::Undecided => {
                    outcome.undecided += 1;
                    continue;
                }
                Answer::Broken(question, homing) => {
                    Some(Difference { question, judge: "an answer".to_owned(), homing })
                }
                Answer::Decided(result) => {
                    outcome.reduced |= result.search.as_ref().is_some_and(|search| search.por);
                    truth.differences(&configuration, &result).into_iter().next()
                }
            };
            outcome.comparisons += 1;
            if let Some(difference) = difference {
                found.get_or_insert((configuration, difference));
            }
        }
        Ok(found)
    }

    /// A difference between homing and the truth, with its shrunk model.
    fn disagreement(
        &self,
        aimed: &Aimed,
        mut text: String,
        property: Property,
        configuration: Configuration,
        difference: Difference,
    ) -> io::Result<Disagreement> {
        let question = difference.question;
        if self.shrunk.wants(question, aimed.theme) {
            text =
                self.cut_down(aimed, |text| self.still_differs(text, aimed.theme, property, &configuration, question));
        }
        let spin = self.spin_on(&text)?;
        Ok(Disagreement { property, configuration: Some(configuration), difference, text, spin })
    }

    fn write(&self, text: &str) -> io::Result<()> {
        fs::write(self.folder.path().join("model.pml"), text)
    }

    fn ask(&self, configuration: &Configuration, property: Property) -> io::Result<Answer> {
        let mut arguments = vec!["check", "model.pml", "--property", property.name(), "--json", "--memory", "500M"];
        let timeout = format!("{}s", configuration.timeout().as_secs());
        arguments.extend(["--timeout", &timeout]);
        arguments.extend(self.flags);
        arguments.extend(&configuration.flags);
        let limit = Duration::from_secs(25);
        Ok(Answer::of(&process::run(&self.plan.homing, &arguments, self.folder.path(), limit)?))
    }

    /// Whether a smaller model still shows the difference.
    fn still_differs(
        &self,
        text: &str,
        theme: Theme,
        property: Property,
        configuration: &Configuration,
        question: Question,
    ) -> io::Result<bool> {
        let Some(model) = judge::read(text) else { return Ok(false) };
        let Some(findings) = judge::explore(&model, theme) else { return Ok(false) };
        self.write(text)?;
        Ok(match self.ask(configuration, property)? {
            Answer::Refused | Answer::Undecided => false,
            Answer::Broken(now, _) => now == question,
            Answer::Decided(result) => {
                let truth = Truth::new(&model, &findings, property);
                truth.differences(configuration, &result).iter().any(|difference| difference.question == question)
            }
        })
    }

    fn judges_differ(&self, text: &str, theme: Theme) -> io::Result<bool> {
        let Some(model) = judge::read(text) else { return Ok(false) };
        let Some(findings) = judge::explore(&model, theme) else { return Ok(false) };
        let asked = judge::ask_spin(&self.plan.spin, text, &model, &findings)?;
        Ok(asked.is_some_and(|differences| !differences.is_empty()))
    }

    fn cut_down(&self, aimed: &Aimed, interesting: impl Fn(&str) -> io::Result<bool>) -> String {
        let is_interesting = |model: &Model| {
            let text = model.to_string();
            !has_self_loop(&text) && interesting(&text).unwrap_or(false)
        };
        shrink(&aimed.model, self.plan.shrink_budget, is_interesting).to_string()
    }

    /// SPIN's result for a model, in one line.
    fn spin_on(&self, text: &str) -> io::Result<String> {
        use crate::spin::Answer;
        Ok(match self.plan.spin.ask_text(text)? {
            Answer::Refused(why) => format!("refused: {why}"),
            Answer::TooBig(why) | Answer::Crashed(why) => why,
            Answer::Searched(facts) => {
                let shortest = facts.shortest.map_or(String::new(), |length| format!(", shortest {length}"));
                format!("{} states, {} errors{shortest}", facts.full.stored, facts.full.errors)
            }
        })
    }

    fn save(&self, aimed: &Aimed, disagreement: &Disagreement) -> io::Result<()> {
        let folder: &Path = &self.plan.failures;
        fs::create_dir_all(folder)?;
        let head = disagreement.to_string().replace("*/", "* /").replace('\n', " ");
        let name = format!("{:?}-{:?}-{}.pml", disagreement.difference.question, aimed.theme, aimed.seed);
        fs::write(folder.join(name), format!("/* {head} */\n{}", disagreement.text))
    }
}

/// Whether a loop has an option that is nothing but `skip`, which SPIN's back end refuses.
fn has_self_loop(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).peekable();
    while let Some(line) = lines.next() {
        let next = lines.peek().copied().unwrap_or_default();
        if line == ":: skip" && (next.starts_with("::") || next.starts_with("od")) {
            return true;
        }
    }
    false
}
