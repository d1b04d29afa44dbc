//! Decides a property of a labelled transition system.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use homing_check::lts::{Options, check, check_noting};
use homing_check::model::{Counterexample, ErrorGroup, FirstError, LengthUnit, PropertyResult, Run, Watcher};
use homing_check::{OnError, Reason, Report, Search as Algorithm, Shortening, Sought};
use homing_core::{Limits, Path, Stop, Violation, ViolationKind};
use homing_lts::{Action, LabelId, Lts, LtsSystem, Property};

use super::property::{self, Named};
use super::run::{self, RunStep};
use super::{load, refuse};
use crate::cli::{CompareArgs, Search};
use crate::console::Console;
use crate::decide::{Method, Session};
use crate::error::Error;
use crate::option_conflict;

/// A system that is prepared for a property.
pub struct Task<'a> {
    pub lts: &'a Lts,
    pub named: &'a Named,
}

/// The result of a property, with the runs to its errors, by the messages of the errors.
pub struct Decided {
    pub result: PropertyResult,
    pub runs: Runs,
}

/// Runs to errors, by the messages of the errors.
pub type Runs = BTreeMap<String, Vec<RunStep>>;

/// Paths are searched for at most this many actions of `--all-errors`.
const MOST_PATHS: usize = 50;

impl Task<'_> {
    /// Decides the property, until the deadline if there is one. `name` is shown with the progress.
    pub fn decide(
        &self,
        session: &Session<'_>,
        name: &str,
        method: Method,
        deadline: Option<Instant>,
    ) -> Result<Decided, Error> {
        let options = options(session, method)?;
        if session.interrupt.happened() {
            let result = PropertyResult::unknown(name.to_owned(), Reason::Stopped(Stop::Interrupted));
            return Ok(Decided { result, runs: Runs::new() });
        }
        let start = Instant::now();
        let mut watch = Watcher { interrupt: session.interrupt, deadline, shown: session.status_line(name) };
        let violations = Violations::default();
        let note = |violation: &Violation| violations.note(violation, method.errors);
        let report = check_noting(self.system(), &options, &note, &mut watch);
        let mut runs = Runs::new();
        let counterexample = report.path.as_ref().map(|path| self.found(path, &mut runs));
        let mut run = figures(&report, &options, start.elapsed().as_secs_f64());
        if method.errors == OnError::Count {
            let mut groups = violations.groups(counterexample.as_ref());
            self.find_others(&mut groups, &options, &mut watch, &mut runs);
            run.violations = Some(groups);
            run.seconds = start.elapsed().as_secs_f64();
        }
        let warnings = self.named.warnings.clone();
        let fresh = PropertyResult::new(name.to_owned(), report.verdict);
        let result = PropertyResult { counterexample, run: Some(run), warnings, ..fresh };
        Ok(Decided { result, runs })
    }

    fn system(&self) -> LtsSystem<'_> {
        LtsSystem::new(self.lts, &self.named.property)
    }

    /// What is reported about a path, which is added to the runs.
    fn found(&self, path: &Path<Action>, runs: &mut Runs) -> Counterexample {
        let steps = run::steps(self.lts, path);
        let found = Counterexample {
            length: path.length,
            unit: LengthUnit::Transitions,
            merged_length: steps.len(),
            moves: steps.len(),
            shortest: path.shortest || path.length == 0,
            story: run::story(self.lts, &steps),
            ..Counterexample::at_the_start(path.violation.clone())
        };
        runs.insert(path.violation.message.clone(), steps);
        found
    }

    /// Searches for a shortest path to each action that occurs and is not the reported one.
    fn find_others(&self, groups: &mut [ErrorGroup], options: &Options, watch: &mut Watcher<'_>, runs: &mut Runs) {
        let Property::Action(forbidden) = &self.named.property else { return };
        let labels = self.lts.labels().iter().map(|(label, _)| label).filter(|&label| forbidden.contains(label));
        let by_message: BTreeMap<String, LabelId> =
            labels.map(|label| (self.system().forbidden(label).message, label)).collect();
        for group in groups.iter_mut().filter(|group| !group.is_reported).take(MOST_PATHS) {
            let property = Property::Action(forbidden.only(by_message[&group.violation.message]));
            let options = Options { search: Algorithm::Bfs, on_error: OnError::Stop, ..*options };
            let report = check(LtsSystem::new(self.lts, &property), &options, watch);
            group.counterexample = report.path.as_ref().map(|path| self.found(path, runs));
        }
    }
}

/// The options of a search, if they apply to labelled transition systems.
fn options(session: &Session<'_>, method: Method) -> Result<Options, Error> {
    let args = session.options;
    refuse::options(args, method.heuristic)?;
    let search = method.algorithm(args, Sought::Error);
    refuse::search(search)?;
    Ok(Options {
        search,
        store: option_conflict::store(args, search, session.memory)?.unwrap_or_default(),
        on_error: method.errors,
        limits: Limits { max_depth: args.max_depth, max_states: args.max_states, memory: session.memory },
        threads: args.threads as usize,
        shortening: if method.shortest { Shortening::Always } else { Shortening::Never },
        seed: args.seed,
        repeats: method.repeats(args),
    })
}

fn figures(report: &Report<Action>, options: &Options, seconds: f64) -> Run {
    let is_first = report.path.is_some() && options.shortening == Shortening::Never;
    Run {
        algorithm: report.search,
        estimate: None,
        seed: report.search.is_random().then_some(options.seed),
        repeated: report.repeated.clone(),
        reduced: false,
        not_reduced: None,
        errors: report.errors,
        violations: None,
        stats: report.stats,
        first_error: is_first.then_some(FirstError { stats: report.stats, seconds }),
        atomic_steps: 0,
        compile_seconds: None,
        threads: options.threads,
        store_use: report.store_use,
        seconds,
        unreached: None,
        cut: None,
    }
}

/// The violations that a search for all errors found: all deadlocks are one, and each action is one.
#[derive(Default)]
struct Violations(Mutex<BTreeMap<String, Violation>>);

impl Violations {
    fn note(&self, violation: &Violation, errors: OnError) {
        if errors == OnError::Count {
            let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if !seen.contains_key(key(violation)) {
                seen.insert(key(violation).to_owned(), violation.clone());
            }
        }
    }

    fn groups(self, reported: Option<&Counterexample>) -> Vec<ErrorGroup> {
        let seen = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        let group = |violation: Violation| ErrorGroup {
            is_reported: reported.is_some_and(|found| key(&found.violation) == key(&violation)),
            violation,
            counterexample: None,
        };
        seen.into_values().map(group).collect()
    }
}

fn key(violation: &Violation) -> &str {
    if violation.kind == ViolationKind::Action { &violation.message } else { violation.kind.name() }
}

/// Runs the searches of `compare` on a system; `decided` is given the result of each, and says whether to go on.
pub fn compare(
    args: &CompareArgs,
    session: &Session<'_>,
    methods: Vec<Method>,
    console: &Console,
    mut decided: impl FnMut(Method, PropertyResult) -> bool,
) -> Result<String, Error> {
    refuse::reading(&args.model.reading)?;
    let lts = load::load(&args.model)?;
    let properties = property::chosen(std::slice::from_ref(&args.property), &lts)?;
    let [named] = &properties[..] else { unreachable!("one was picked") };
    let task = Task { lts: &lts, named };
    let is_directed = |method: &Method| refuse::search(method.algorithm(&args.options, Sought::Error)).is_err();
    let (left_out, methods): (Vec<Method>, Vec<Method>) = methods.into_iter().partition(is_directed);
    if !left_out.is_empty() && !args.quiet {
        let names: Vec<&str> = left_out.iter().map(|method| Search::name(method.search)).collect();
        console.message(&format!(
            "homing: {} left out: no estimate applies to a labelled transition system\n",
            names.join(", ")
        ));
    }
    for method in methods {
        let deadline = args.options.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let Decided { result, .. } = task.decide(session, method.search.name(), method, deadline)?;
        if !decided(method, result) {
            break;
        }
    }
    Ok(named.name.clone())
}
