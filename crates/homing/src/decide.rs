//! Decides one property: runs the search, executes the path to an error again, shortens it, and confirms a verdict
//! `holds`.

use std::time::Instant;

use homing_check::{
    AmpleSets, AnyEstimate, Exploration, Explored, Objective, OnError, Reason, Reduction, Search as Algorithm,
    Shortened, StoreChoice, StoreUse, Verdict, Weight, cheap,
};
use homing_core::{End, Fork, Limit, Limits, Path, Stats, Stop, StopToken, TransitionSystem, Violation};
use homing_engine::{CompiledEngine, Interpreter, StepIndex};
use homing_ir::{Lengths, Model};

use crate::cli::{Engine, Heuristic, Search, SearchArgs, Switch};
use crate::confirm::{Confirmation, SecondProof};
use crate::console::{Console, When};
use crate::counterexample::Counterexample;
use crate::distinct_violations::DistinctViolations;
use crate::error::Error;
use crate::estimate_choice::EstimateChoice;
use crate::fewest_switches::minimize_switches;
use crate::interrupt::Interrupt;
use crate::progress::{StatusLine, Watcher};
use crate::property::Safety;
use crate::result::{PropertyResult, Run, Unreached};
use crate::search_task::SearchTask;
use crate::{machine, option_conflict};

/// One search for a property.
#[derive(Clone, Copy)]
pub struct SearchRequest<'a> {
    pub name: &'a str,
    pub safety: Safety,
    pub search: Algorithm,
    pub errors: OnError,
    pub store: StoreChoice,
    /// What a breadth-first search may leave out.
    pub reduction: Reduction,
    pub deadline: Option<Instant>,
    /// Is set at the deadline and by an interrupt.
    pub stop: &'a StopToken,
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
    /// The search, with the weight of its estimate.
    fn algorithm(self, weight: Weight) -> Algorithm {
        match self.search {
            Search::Auto => Algorithm::Auto,
            Search::Bfs => Algorithm::Bfs,
            Search::Dfs if self.shortest && self.errors == OnError::Stop => Algorithm::ShorterDfs,
            Search::Dfs => Algorithm::Dfs,
            Search::BestFirst => Algorithm::BestFirst,
            Search::AStar => Algorithm::AStar { weight },
            Search::Ida => Algorithm::Ida { weight },
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
        let algorithm = method.algorithm(self.options.weight.unwrap_or(Weight::ONE));
        let start = Instant::now();
        let alarm = self.interrupt.alarm(deadline);
        let stop = alarm.stop();
        let compiled = match self.engine(task.searched(), stop) {
            Ok(compiled) => compiled,
            Err(violation) => return Ok(failed_at_the_start(name, algorithm, violation)),
        };
        let compile_seconds = compiled.has_code().then(|| start.elapsed().as_secs_f64());
        let store = option_conflict::store(self.options, algorithm, compiled.hidden_prefix(), self.memory)?;
        let mut choice = EstimateChoice::new(self.options, self.path, method.heuristic, algorithm, task)?;
        let estimate = choice.describe(&compiled.initial());
        let (safety, errors) = (task.safety, method.errors);
        let reduction = if self.options.sleep_sets == Switch::On { Reduction::SleepSets } else { Reduction::None };
        let request =
            SearchRequest { name: &name, safety, search: algorithm, errors, store, reduction, deadline, stop };
        let violations = DistinctViolations::default();
        let Explored { outcome, search: decided_by, store_use } =
            self.search(&request, &compiled, &mut choice.estimate, &self.limits(), Some(&violations));
        let interpreter = compiled.interpreter();
        let leaves_nothing = matches!(algorithm, Algorithm::Bfs | Algorithm::Dfs | Algorithm::Auto);
        let saw_all = outcome.end == End::Exhausted && store_use.lossless && leaves_nothing;
        let run = Run {
            algorithm: decided_by,
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
        if outcome.end == End::Found && outcome.path.is_none() {
            return Err(Error::Bug(format!("the search for {name} found an error and lost it")));
        }
        let verdict = match Verdict::of(&outcome, &run.store_use) {
            Verdict::Holds if !task.model.hidden_but_read().is_empty() => Verdict::Unknown(Reason::Hidden),
            verdict => verdict,
        };
        let proved = outcome.path.as_ref().is_some_and(|path| path.shortest);
        let wants_shortest = proved || method.shortest || algorithm == Algorithm::Auto;
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
        let most = (!method.shortest).then(|| cheap(&outcome.stats));
        if let Some(found) = &mut counterexample
            && wants_shortest
            && !found.shortest
        {
            self.shorten(&request, task, found, most).map_err(bug)?;
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
    /// or gives up when the proof takes more than `most` states, or is not on track to finish within them.
    fn shorten(
        &self,
        request: &SearchRequest<'_>,
        task: &SearchTask,
        found: &mut Counterexample,
        most: Option<u64>,
    ) -> Result<(), String> {
        let Ok(compiled) = self.engine(&task.model, request.stop) else { return Ok(()) };
        let (limits, safety) = (self.limits(), request.safety);
        let objective = Objective::new(|found: &Violation| safety.is_refuted_by(found.kind), request.errors, &limits);
        let exploration = self.exploration(request, &compiled, objective);
        match exploration.shorten(&compiled, found.length, most, &mut self.watcher(request)) {
            Shortened::Shorter(path) => {
                let patient = request.stop.patient();
                let interpreter = &compiled.interpreter().fork().stopped_by(patient.clone());
                match Counterexample::confirmed(path, interpreter, interpreter, Lengths::Exact) {
                    Ok(shorter) => *found = shorter,
                    Err(_) if patient.is_set() => {}
                    Err(what) => return Err(what),
                }
            }
            Shortened::Shortest => found.shortest = true,
            Shortened::Open => {}
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
    ) -> Explored<StepIndex> {
        let &SearchRequest { safety, errors, .. } = request;
        let is_error = |violation: &Violation| {
            let refutes = safety.is_refuted_by(violation.kind);
            if let (true, Some(violations)) = (refutes && errors == OnError::Count, violations) {
                violations.note(violation);
            }
            refutes
        };
        let exploration = self.exploration(request, compiled, Objective::new(is_error, errors, limits));
        exploration.run(compiled, estimate, &mut self.watcher(request))
    }

    /// The search of a request, ready to run.
    fn exploration<'l, E>(
        &self,
        request: &SearchRequest<'_>,
        compiled: &CompiledEngine<'_>,
        objective: Objective<'l, E>,
    ) -> Exploration<'l, E> {
        let options = self.options;
        let is_reduced = options.por == Switch::On && !options.plain && objective.limits.max_depth.is_none();
        Exploration {
            search: request.search,
            store: request.store,
            objective,
            reduction: request.reduction,
            ample_sets: if is_reduced { AmpleSets::IfCommon } else { AmpleSets::Never },
            threads: options.threads as usize,
            hidden_prefix: compiled.hidden_prefix(),
        }
    }

    fn watcher<'w>(&'w self, request: &SearchRequest<'w>) -> Watcher<'w> {
        let line = StatusLine::new(self.options.progress, self.console, request.name, self.memory);
        Watcher::new(self.interrupt, request.deadline, line)
    }
}

/// The message for a second proof that finds an error that the first search missed.
fn contradiction(name: &str) -> String {
    format!(
        "a bug in homing: the search for {name} missed an error that the search without reductions found; the error below \
         is real. Please report it with the model; --plain avoids the reductions"
    )
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
