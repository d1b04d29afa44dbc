//! Decides one property: runs the search, executes the path to an error again, shortens it, and confirms a verdict
//! `holds`.

use std::time::Instant;

use homing_core::{
    Blind, End, Fork, Limit, Limits, Path, Progress, Stats, Stop, StopToken, TransitionSystem, Violation, Watch,
};
use homing_engine::{CompiledEngine, Interpreter, StepIndex};
use homing_ir::{Lengths, Model};
use homing_search::{Objective, OnError, Reduction, Weight};

use crate::cli::{Engine, Heuristic, Search, SearchArgs, Switch};
use crate::confirm::{Confirmation, SecondProof};
use crate::console::{Console, When};
use crate::counterexample::Counterexample;
use crate::distinct_violations::DistinctViolations;
use crate::error::Error;
use crate::estimate_choice::EstimateChoice;
use crate::explore::{AnyEstimate, Explored, SearchSettings, StoreChoice};
use crate::fewest_switches::minimize_switches;
use crate::interrupt::Interrupt;
use crate::machine;
use crate::progress::{ProofBudget, StatusLine, Watcher};
use crate::property::Safety;
use crate::result::{Algorithm, PropertyResult, Reason, Run, StoreUse, Unreached, Verdict};
use crate::search_task::SearchTask;

/// Transitions that a proof of minimality may take without `--shortest`: about a second of work.
const ENOUGH: u64 = 2 << 20;

/// One search for a property.
#[derive(Clone, Copy)]
pub struct SearchRequest<'a> {
    pub name: &'a str,
    pub safety: Safety,
    pub algorithm: Algorithm,
    pub errors: OnError,
    pub store: StoreChoice,
    /// What a breadth-first search may leave out.
    pub reduction: Reduction,
    pub deadline: Option<Instant>,
    /// Is set at the deadline and by an interrupt.
    pub stop: &'a StopToken,
    pub budget: Option<ProofBudget>,
}

/// How a property is decided.
#[derive(Clone, Copy, Debug)]
pub struct Method {
    pub search: Search,
    pub heuristic: Heuristic,
    pub errors: OnError,
    /// Continues until a path is proved shortest.
    pub shortest: bool,
    /// Whether a verdict `holds` is proved a second time, without reductions.
    pub confirm: When,
}

impl Method {
    fn algorithm(self) -> Algorithm {
        match self.search {
            Search::Auto => Algorithm::Auto,
            Search::Bfs => Algorithm::Bfs,
            Search::Dfs if self.shortest && self.errors == OnError::Stop => Algorithm::ShorterDfs,
            Search::Dfs => Algorithm::Dfs,
            Search::BestFirst => Algorithm::BestFirst,
            Search::AStar => Algorithm::AStar,
            Search::Ida => Algorithm::Ida,
            Search::Stateless => Algorithm::Stateless,
        }
    }
}

/// What the searches of a model share.
pub struct Decider<'a> {
    options: &'a SearchArgs,
    path: &'a std::path::Path,
    console: &'a Console,
    pub interrupt: &'a Interrupt,
    memory: Option<u64>,
}

impl<'a> Decider<'a> {
    pub fn new(
        options: &'a SearchArgs,
        path: &'a std::path::Path,
        console: &'a Console,
        interrupt: &'a Interrupt,
    ) -> Self {
        let memory = options.memory.or_else(machine::default_memory);
        Decider { options, path, console, interrupt, memory }
    }

    /// Searches for an error of the property, until the deadline if there is one.
    pub fn decide(
        &self,
        name: String,
        task: &SearchTask,
        method: Method,
        deadline: Option<Instant>,
    ) -> Result<PropertyResult, Error> {
        if self.interrupt.happened() {
            return Ok(PropertyResult::unknown(name, Reason::Stopped(Stop::Interrupted)));
        }
        let algorithm = method.algorithm();
        let start = Instant::now();
        let alarm = self.interrupt.alarm(deadline);
        let stop = alarm.stop();
        let compiled = match self.engine(task.searched(), stop) {
            Ok(compiled) => compiled,
            Err(violation) => return Ok(failed_at_the_start(name, algorithm, violation)),
        };
        let compile_seconds = compiled.has_code().then(|| start.elapsed().as_secs_f64());
        let store = StoreChoice::new(self.options, algorithm, compiled.hidden_prefix(), self.memory)?;
        let mut choice = EstimateChoice::new(self.options, self.path, method.heuristic, algorithm, task)?;
        let estimate = choice.describe(&compiled.initial());
        let (safety, errors) = (task.safety, method.errors);
        let reduction = if self.options.sleep_sets == Switch::On { Reduction::SleepSets } else { Reduction::None };
        let request =
            SearchRequest { name: &name, safety, algorithm, errors, store, reduction, deadline, stop, budget: None };
        let violations = DistinctViolations::default();
        let Explored { outcome, algorithm, store_use } =
            self.search(&request, &compiled, &mut choice.estimate, &self.limits(), Some(&violations));
        let interpreter = compiled.interpreter();
        let leaves_nothing = matches!(request.algorithm, Algorithm::Bfs | Algorithm::Dfs | Algorithm::Auto);
        let saw_all = outcome.end == End::Exhausted && store_use.lossless && leaves_nothing;
        let run = Run {
            algorithm,
            estimate,
            reduced: task.reduced.is_some(),
            errors: outcome.errors,
            violations: (errors == OnError::Count).then(|| violations.sorted()),
            stats: outcome.stats,
            atomic_steps: compiled.atomic_steps(),
            compile_seconds,
            threads: self.options.threads as usize,
            store_use,
            seconds: start.elapsed().as_secs_f64(),
            unreached: saw_all.then(|| unreached(interpreter, &task.model)),
            cut: compiled.cut_run(),
        };
        let verdict = match (&outcome.path, outcome.end) {
            (Some(_), _) => Verdict::Violated,
            (None, End::Exhausted) if !run.store_use.lossless => Verdict::Unknown(Reason::Lossy),
            (None, End::Exhausted) if !task.model.hidden_but_read().is_empty() => Verdict::Unknown(Reason::Hidden),
            (None, End::Exhausted) => Verdict::Holds,
            (None, End::Stopped(stop)) => Verdict::Unknown(Reason::Stopped(stop)),
            (None, End::Found) => return Err(Error::Bug(format!("the search for {name} found an error and lost it"))),
        };
        let proved = outcome.path.as_ref().is_some_and(|path| path.shortest);
        let wants_shortest = proved || method.shortest || request.algorithm == Algorithm::Auto;
        let bug = |what: String| Error::Bug(format!("checking {name}: {what}"));
        let mut counterexample = match outcome.path.map(|path| confirm(path, interpreter, task, stop)).transpose() {
            Ok(counterexample) => counterexample,
            Err(Unconfirmed::Stopped) => {
                let limit = Stop::Limit(Limit::Timeout);
                let reason = if self.interrupt.happened() { Stop::Interrupted } else { limit };
                let verdict = Verdict::Unknown(Reason::Stopped(reason));
                let (counterexample, confirmation) = (None, None);
                return Ok(PropertyResult { property: name, verdict, counterexample, confirmation, run: Some(run) });
            }
            Err(Unconfirmed::CutOff) => {
                let SearchTask { model, safety, .. } = task;
                let task = SearchTask { model: model.clone(), reduced: None, safety: *safety };
                return self.decide(name, &task, method, deadline);
            }
            Err(Unconfirmed::Differs(what)) => return Err(bug(what)),
        };
        let enough = (!method.shortest).then(|| enough(&outcome.stats));
        if let Some(found) = &mut counterexample
            && wants_shortest
            && !found.shortest
        {
            self.shorten(&request, task, found, enough).map_err(bug)?;
        }
        if let Some(found) = &mut counterexample {
            minimize_switches(task, found, stop).map_err(bug)?;
        }
        let mut result =
            PropertyResult { property: name.clone(), verdict, counterexample, confirmation: None, run: Some(run) };
        if verdict == Verdict::Holds
            && let Some(run) = &result.run
        {
            match self.confirm(&request, task, run, method.confirm)? {
                None => {}
                Some(SecondProof::Confirmation(confirmation)) => result.confirmation = Some(confirmation),
                Some(SecondProof::Refuted(found)) => {
                    self.console.error(&contradiction(&name));
                    (result.verdict, result.counterexample) = (Verdict::Violated, Some(*found));
                    result.confirmation = Some(Confirmation::Contradicted);
                }
            }
        }
        Ok(result)
    }

    /// Searches the original model, where lengths are exact, for a shorter path: finds one, proves that there is none,
    /// or gives up when the proof takes more than `enough` states, or is not on track to finish within them.
    fn shorten(
        &self,
        request: &SearchRequest<'_>,
        task: &SearchTask,
        found: &mut Counterexample,
        enough: Option<u64>,
    ) -> Result<(), String> {
        let Some(max_depth) = found.length.checked_sub(1) else { return Ok(()) };
        let Ok(compiled) = self.engine(&task.model, request.stop) else { return Ok(()) };
        let max_states = [enough, self.options.max_states].into_iter().flatten().min();
        let limits = Limits { max_depth: Some(max_depth), max_states, ..self.limits() };
        let budget = enough.map(|states| ProofBudget { depth: max_depth, states });
        let request = SearchRequest { algorithm: Algorithm::Bfs, store: request.store.or_tree(), budget, ..*request };
        let blind: &mut AnyEstimate<'_> = &mut (Box::new(Blind) as _);
        let Explored { outcome, store_use, .. } = self.search(&request, &compiled, blind, &limits, None);
        match (outcome.path, outcome.end) {
            (Some(path), _) => {
                let patient = request.stop.patient();
                let interpreter = &compiled.interpreter().fork().stopped_by(patient.clone());
                match Counterexample::confirmed(path, interpreter, interpreter, Lengths::Exact) {
                    Ok(shorter) => *found = shorter,
                    Err(_) if patient.is_set() => {}
                    Err(what) => return Err(what),
                }
            }
            (None, End::Exhausted | End::Stopped(Stop::Limit(Limit::Depth))) => {
                found.shortest = store_use.lossless && compiled.hidden_prefix() == 0;
            }
            (None, _) => {}
        }
        Ok(())
    }

    pub fn engine<'m>(&self, model: &'m Model, stop: &StopToken) -> Result<CompiledEngine<'m>, Violation> {
        match self.options.engine {
            Engine::Interpreted => CompiledEngine::without_code_until(model, stop.clone()),
            Engine::Compiled => CompiledEngine::new_until(model, stop.clone()),
        }
    }

    pub fn limits(&self) -> Limits {
        Limits { max_depth: self.options.max_depth, max_states: self.options.max_states, memory: self.memory }
    }

    pub fn search(
        &self,
        request: &SearchRequest<'_>,
        compiled: &CompiledEngine<'_>,
        estimate: &mut AnyEstimate<'_>,
        limits: &Limits,
        violations: Option<&DistinctViolations>,
    ) -> Explored {
        let (options, &SearchRequest { name, safety, algorithm, errors, store, reduction, deadline, stop: _, budget }) =
            (self.options, request);
        let is_error = |violation: &Violation| {
            let refutes = safety.is_refuted_by(violation.kind);
            if let (true, Some(violations)) = (refutes && errors == OnError::Count, violations) {
                violations.note(violation);
            }
            refutes
        };
        let line = StatusLine::new(options.progress, self.console, name, self.memory);
        let mut watcher = Watcher::new(self.interrupt, deadline, budget, line);
        let mut engines: Vec<CompiledEngine<'_>> = (0..options.threads).map(|_| compiled.fork()).collect();
        let settings = SearchSettings {
            algorithm,
            weight: options.weight.unwrap_or(Weight::ONE),
            objective: Objective::new(is_error, errors, limits),
            reduction,
            reduces: options.por == Switch::On && !options.plain && limits.max_depth.is_none(),
        };
        let mut found = store.search(&mut engines, &settings, estimate, &mut watcher);
        engines.iter().for_each(|engine| compiled.join(engine));
        // A step may have been cut off because the time was over while no watch was called, as in the head start.
        if found.outcome.end == End::Stopped(Stop::Limit(Limit::CutOff))
            && let Some(limit) = watcher.after_cut_off(&Progress::default())
        {
            found.outcome.end = End::Stopped(limit);
        }
        found
    }
}

/// The message for a second proof that finds an error that the first search missed.
fn contradiction(name: &str) -> String {
    format!(
        "a bug in homing: the search for {name} missed an error that the search without reductions found; the error below \
         is real. Please report it with the model; --plain avoids the reductions"
    )
}

/// The states that the proof of minimality may take after a search with these figures: as many as the search itself, or
/// those of [`ENOUGH`] transitions.
fn enough(stats: &Stats) -> u64 {
    let successors = (stats.transitions() / stats.expanded.max(1)).max(1);
    stats.states.max(ENOUGH / successors)
}

/// Why a path to an error could not be confirmed.
enum Unconfirmed {
    /// The time was over before the path was executed again.
    Stopped,
    /// The path is too long to be followed in the original model: a `d_step` that never ends in the reduced copy, where
    /// a counter that is never read is not written, may need billions of statements in the original until a state
    /// repeats. The original is searched then.
    CutOff,
    /// The second execution differs: a bug in homing.
    Differs(String),
}

/// Executes the path again, in the original model.
fn confirm(
    path: Path<StepIndex>,
    searched: &Interpreter<'_>,
    task: &SearchTask,
    stop: &StopToken,
) -> Result<Counterexample, Unconfirmed> {
    let patient = stop.patient();
    let searched = searched.fork().stopped_by(patient.clone());
    let confirmed = match &task.reduced {
        None => Counterexample::confirmed(path, &searched, &searched, Lengths::Exact),
        Some(reduced) => {
            let original = Interpreter::new(&task.model)
                .map_err(|violation| Unconfirmed::Differs(format!("it has no start: {violation}")))?
                .stopped_by(patient.clone());
            let confirmed = Counterexample::confirmed(path, &searched, &original, reduced.lengths);
            if confirmed.is_err() && original.cut_run().is_some() {
                return Err(Unconfirmed::CutOff);
            }
            confirmed
        }
    };
    confirmed.map_err(|what| if patient.is_set() { Unconfirmed::Stopped } else { Unconfirmed::Differs(what) })
}

fn unreached(interpreter: &Interpreter<'_>, model: &Model) -> Vec<Unreached> {
    let named = |statement: homing_engine::Unreached| Unreached {
        proctype: model.proctype(statement.proctype).name.clone(),
        file: model.sources[statement.place.file as usize].clone(),
        line: statement.place.line,
        state: statement.state,
        text: statement.text,
    };
    interpreter.unreached_in(model).into_iter().map(named).collect()
}

/// The result when the initial values fail: every property is violated, and nothing is searched.
fn failed_at_the_start(name: String, algorithm: Algorithm, violation: Violation) -> PropertyResult {
    let run = Run {
        algorithm,
        estimate: None,
        reduced: false,
        errors: 1,
        violations: None,
        stats: Stats::default(),
        atomic_steps: 0,
        compile_seconds: None,
        threads: 1,
        store_use: StoreUse::none(),
        seconds: 0.0,
        unreached: None,
        cut: None,
    };
    PropertyResult {
        property: name,
        verdict: Verdict::Violated,
        counterexample: Some(Counterexample::at_the_start(violation)),
        confirmation: None,
        run: Some(run),
    }
}
