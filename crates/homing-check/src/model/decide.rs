//! Decides one property: runs the search, executes the path to an error again, shortens it, and confirms a verdict
//! `holds`.

use std::fmt;
use std::time::Instant;

use homing_core::{
    Blind, End, Fork, Limit, Limits, Path, Seed, Selection, Stats, Stop, StopToken, TransitionSystem, Violation,
    ViolationKind,
};
use homing_engine::{CompiledEngine, Interpreter, StepIndex};
use homing_heuristics::Unfit;
use homing_ir::{Lengths, Model};

use super::confirm::{Confirmation, SecondProof};
use super::counterexample::Counterexample;
use super::distinct_violations::DistinctViolations;
use super::estimate::{EstimateChoice, TimeLeft};
use super::focus::Focus;
use super::interrupt::{Interrupt, Shown, Watcher};
use super::liveness::NotReduced;
use super::options::{Engine, Options};
use super::property::Safety;
use super::query::{Budgeted, PassedOver, StateSearch};
use super::query_pass::BRIEF;
use super::reduced_system::{ReducedSystem, Steps};
use super::result::{FirstError, PropertyResult, Run, RuntimeErrorBeside, Unreached};
use super::search_task::SearchTask;
use crate::repeat::{Repeated, Repeats};
use crate::{
    AnyEstimate, Estimates, Exploration, Explored, Fairness, Objective, OnError, PartialOrder, Reason, Reduction,
    Search, Shortening, Sought, StoreChoice, StoreUse, Verdict,
};

/// Why a property could not be decided.
#[derive(Debug, thiserror::Error)]
pub enum DecideError {
    /// The heuristic cannot be used for the property.
    #[error("the heuristic cannot be used: {0}")]
    Heuristic(#[from] Unfit),
    /// States have hidden bytes, which only the exact store and lossy ones can leave out, with one thread.
    #[error("hidden variables are left out of the state, which the tree and several threads cannot do")]
    Hidden,
    /// A property of infinite runs is decided with the tree or the exact store only.
    #[error("cycles are not searched with a store that may lose states")]
    LossyStore,
    /// The search does not find what is sought for the property.
    #[error("{0}")]
    Search(#[from] Unsuited),
    /// A contradiction inside homing, which is a bug.
    #[error("{0}")]
    Bug(String),
}

/// A search that does not find what is sought for a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsuited {
    /// The search.
    pub search: Search,
    /// What is sought.
    pub sought: Sought,
    /// Which infinite runs count.
    pub fairness: Fairness,
}

impl Unsuited {
    /// Whether the search is one that does not find what is sought.
    pub fn check(search: Search, sought: Sought, fairness: Fairness) -> Result<(), Self> {
        let is_suited = sought.is_found_by(search, fairness);
        if is_suited { Ok(()) } else { Err(Unsuited { search, sought, fairness }) }
    }
}

impl std::error::Error for Unsuited {}

impl fmt::Display for Unsuited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Unsuited { search, sought, fairness } = *self;
        let why = match sought {
            _ if sought.is_found_by(search, Fairness::None) => match fairness {
                Fairness::Strong => "it does not know strong fairness",
                _ => "it does not know fairness",
            },
            Sought::Error => "it searches for cycles, and finite runs violate the property",
            Sought::Prefix | Sought::Cycle => "it finds no cycles, and infinite runs violate the property",
        };
        write!(f, "{why}; use {}", sought.searches_like(search, fairness).join(", "))
    }
}

/// One search for a property.
#[derive(Clone, Copy)]
pub(super) struct SearchRequest<'a> {
    pub name: &'a str,
    pub safety: Safety,
    pub search: Search,
    pub store: StoreChoice,
    pub reduction: Reduction,
    pub partial_order: PartialOrder,
    pub deadline: Option<Instant>,
    /// Is set at the deadline and by an interrupt.
    pub stop: &'a StopToken,
}

/// Decides properties of models.
///
/// ```
/// use homing_check::Verdict;
/// use homing_check::model::{Decider, Interrupt, ModelReduction, Options, Safety, SearchTask};
///
/// let text = "byte x; active [2] proctype P() { byte r = x; r++; x = r } init { (_nr_pr == 1) -> assert(x == 2) }";
/// let model = homing_promela::read("m.pml", text.to_owned(), &Default::default()).model.expect("a model");
/// let task = SearchTask::new(model, Safety::All, ModelReduction::Reduced);
/// let result = Decider::new(Options::default(), &Interrupt::default()).decide("safety", &task, None)?;
/// assert_eq!(result.verdict, Verdict::Violated);
/// let found = result.counterexample.expect("a path to the error");
/// assert!(found.shortest);
/// # Ok::<(), homing_check::model::DecideError>(())
/// ```
pub struct Decider<'a> {
    pub(super) options: Options<'a>,
    pub(super) interrupt: &'a Interrupt,
    pub(super) observer: Option<&'a Observer<'a>>,
    /// The errors of the property that count.
    pub(super) focus: Focus,
    /// Searches are given up after so many states.
    pub(super) budget: Option<u64>,
    /// The budget of the searches for single queries before they are decided together.
    pub(super) brief: u64,
}

/// Is called with the name of the property at the beginning of each search, and returns what is to be shown its progress.
pub type Observer<'a> = dyn Fn(&str) -> Option<Shown<'a>> + 'a;

impl<'a> Decider<'a> {
    /// Decides by these options, until it is interrupted.
    pub fn new(options: Options<'a>, interrupt: &'a Interrupt) -> Self {
        Decider { options, interrupt, observer: None, focus: Focus::Everything, budget: None, brief: BRIEF }
    }

    /// Shows the progress of its searches.
    pub fn observed_by(self, observer: &'a Observer<'a>) -> Self {
        Decider { observer: Some(observer), ..self }
    }

    /// Searches for an error of the property, until the deadline if there is one.
    pub fn decide(
        &self,
        name: &str,
        task: &SearchTask,
        deadline: Option<Instant>,
    ) -> Result<PropertyResult, DecideError> {
        if self.interrupt.happened() {
            return Ok(PropertyResult::unknown(name.to_owned(), Reason::Stopped(Stop::Interrupted)));
        }
        let Options { on_error, shortening, threads, .. } = self.options;
        let is_random = self.options.store.is_some_and(StoreChoice::is_random);
        Unsuited::check(self.options.search, Sought::Error, Fairness::None)?;
        let search = match self.options.search {
            Search::Dfs if shortening == Shortening::Always && on_error == OnError::Stop && !is_random => {
                Search::ShorterDfs
            }
            search => search,
        };
        let start = Instant::now();
        let alarm = self.interrupt.alarm(deadline);
        let stop = alarm.stop();
        let compiled = match self.engine(task.searched(), stop) {
            Ok(compiled) => compiled,
            Err(violation) => return Ok(failed_at_the_start(name, search, violation)),
        };
        let system = self.system(search, compiled);
        let compiled = system.engine();
        let store = self.store(search, compiled.hidden_prefix())?;
        let time = TimeLeft { most: None, stop, watcher: self.watcher(name, deadline) };
        let mut choice = EstimateChoice::new(self.options.guidance, search, task, threads, time)?;
        let estimate = choice.describe(&compiled.initial());
        let Options { reduction, partial_order, .. } = self.options;
        let safety = task.safety;
        let request = SearchRequest { name, safety, search, store, reduction, partial_order, deadline, stop };
        let violations = DistinctViolations::default();
        let mut late = None;
        let passed_over = PassedOver::default();
        let (explored, repeated) = match &self.options.repeats {
            Some(repeats) => {
                let passed_over = self.puts_states_first(task).then_some(&passed_over);
                self.repeat(repeats, &request, &system, choice.estimates, passed_over)
            }
            None => {
                let at_start = estimate.as_ref().and_then(|estimate| estimate.at_start);
                let initial = compiled.initial();
                let mut prepare = || self.late_estimate(&request, &initial, task, at_start, &mut late);
                let estimates =
                    Estimates { ready: &mut choice.estimates, late: self.may_abstract(search).then_some(&mut prepare) };
                (self.search(&request, &system, estimates, &self.options.limits, Some(&violations)), None)
            }
        };
        let Explored { outcome, search: decided_by, store_use, by_late_estimate } = explored;
        let estimate = if by_late_estimate { late } else { estimate };
        let interpreter = compiled.interpreter();
        let leaves_nothing = matches!(search, Search::Bfs | Search::Dfs | Search::RandomDfs | Search::Auto)
            || matches!(search, Search::Highway { .. } | Search::HighwayExact { .. });
        let is_exhausted = outcome.end == End::Exhausted && store_use.lossless && leaves_nothing;
        // the proviso may have expanded in full what was reduced before
        let never_reduced = outcome.stats.reduced == 0 && outcome.stats.left_out == 0;
        // the directed searches of the portfolio take all steps
        let is_directed = search == Search::Auto && decided_by.is_directed();
        let not_reduced = if is_directed { NotReduced::Small } else { NotReduced::NoStubbornSets };
        let mut run = Run {
            algorithm: decided_by,
            estimate: estimate.filter(|_| decided_by.is_directed()),
            seed: (decided_by.is_random() || store_use.is_random).then_some(self.options.seed),
            repeated,
            reduced: task.reduced.is_some(),
            not_reduced: (partial_order == PartialOrder::Always && never_reduced).then_some(not_reduced),
            errors: outcome.errors,
            violations: None,
            stats: outcome.stats,
            first_error: FirstError::of(&outcome, start),
            atomic_steps: compiled.atomic_steps(),
            compile_seconds: compiled.compile_seconds(),
            threads,
            store_use,
            seconds: start.elapsed().as_secs_f64(),
            // a search without a proviso may ignore statements, but those that it reached are reached
            unreached: is_exhausted
                .then(|| unreached(interpreter, &task.model))
                .filter(|left| left.is_empty() || system.reduced() == 0),
            cut: compiled.cut_run(),
        };
        if outcome.end == End::Found && outcome.path.is_none() {
            return Err(DecideError::Bug(format!("the search for {name} found an error and lost it")));
        }
        let verdict = match Verdict::of(&outcome, &run.store_use) {
            Verdict::Holds if !task.model.hidden_but_read().is_empty() => Verdict::Unknown(Reason::Hidden),
            verdict => verdict,
        };
        let lengths = task.reduced.as_ref().map_or(Lengths::Exact, |reduced| reduced.lengths);
        let proved = outcome.path.as_ref().is_some_and(|path| path.shortest);
        let wants_shortest = match shortening {
            Shortening::Never => false,
            Shortening::IfCheap => proved || search == Search::Auto,
            Shortening::Always => true,
        };
        let bug = |what: String| DecideError::Bug(format!("checking {name}: {what}"));
        let mut counterexample =
            match outcome.path.map(|path| confirm(path, (interpreter, lengths), task, stop)).transpose() {
                Ok(counterexample) => counterexample,
                Err(Unconfirmed::Stopped) => {
                    let limit = Stop::Limit(Limit::Timeout);
                    let reason = if self.interrupt.happened() { Stop::Interrupted } else { limit };
                    let unknown = PropertyResult::unknown(name.to_owned(), Reason::Stopped(reason));
                    return Ok(PropertyResult { run: Some(run), ..unknown });
                }
                Err(Unconfirmed::CutOff) => {
                    return self.decide(name, &task.plain(), deadline);
                }
                Err(Unconfirmed::Differs(what)) => return Err(bug(what)),
            };
        let mut beside = None;
        if let Some(found) = counterexample.take_if(|found| self.may_give_way(task, found)) {
            let decides = violations.any(|violation| violation.kind == ViolationKind::Invariant);
            match self.look_for_a_state(name, task, deadline, &mut run, (outcome.end, decides))? {
                StateSearch::None => counterexample = Some(found),
                StateSearch::Decides(better) => (counterexample, beside) = (Some(*better), Some(found)),
                StateSearch::Result(result) => return Ok(result.beside(found)),
            }
        }
        if let Some(found) = &mut counterexample {
            self.improve(&request, task, found, &mut run, wants_shortest).map_err(bug)?;
        }
        if on_error == OnError::Count {
            let groups = self.error_groups(name, task, deadline, violations.sorted(), counterexample.as_ref())?;
            run.violations = Some(groups);
        }
        run.seconds = start.elapsed().as_secs_f64();
        let mut result =
            PropertyResult { run: Some(run), counterexample, ..PropertyResult::new(name.to_owned(), verdict) };
        result.runtime_error = beside.map(RuntimeErrorBeside::by_path);
        if verdict == Verdict::Holds && task.safety == Safety::Invariant {
            result.warnings = self.vacuous(task, deadline)?;
        }
        if let Some(error) = passed_over.first() {
            return self.after_passing_over(result, error, (task, deadline));
        }
        result.warnings.extend(choice.warning);
        result.warnings.extend(result.run.as_ref().and_then(|run| store.warning(&run.stats)));
        result.warnings.extend(self.proof_ended_early(result.counterexample.as_ref(), deadline));
        if verdict == Verdict::Holds
            && let Some(run) = &result.run
        {
            match self.confirm(&request, task, run, self.options.confirm)? {
                None => {}
                Some(SecondProof::Confirmation(confirmation)) => result.confirmation = Some(confirmation),
                Some(SecondProof::Refuted(found)) => {
                    (result.verdict, result.counterexample) = (Verdict::Violated, Some(*found));
                    result.confirmation = Some(Confirmation::Contradicted);
                }
            }
        }
        Ok(result)
    }

    /// Why a path is not proved shortest although that was asked for, if there was no time for it.
    pub(super) fn proof_ended_early(
        &self,
        found: Option<&Counterexample>,
        deadline: Option<Instant>,
    ) -> Option<String> {
        let is_open = found.is_some_and(|found| !found.shortest) && self.options.shortening == Shortening::Always;
        if !is_open {
            return None;
        }
        if self.interrupt.happened() {
            return Some("interrupted before the path was proved shortest".to_owned());
        }
        let is_late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
        is_late.then(|| "the time limit was reached before the path was proved shortest".to_owned())
    }

    /// The store, if states that have so many hidden bytes can be kept in it.
    pub(super) fn store(&self, search: Search, hidden_prefix: usize) -> Result<StoreChoice, DecideError> {
        let Options { store, threads, .. } = self.options;
        let is_tree = store.is_some_and(|store| store.or_tree() == StoreChoice::Tree && store != StoreChoice::Nothing);
        if hidden_prefix > 0 && (threads > 1 || is_tree) {
            return Err(DecideError::Hidden);
        }
        // The tree would keep parts of the states that a search with lanes drops, which are most of them.
        let is_exact = hidden_prefix > 0 || search.width().is_some();
        let automatic = if is_exact { StoreChoice::Exact } else { StoreChoice::Tree };
        Ok(store.unwrap_or(automatic).suited_to(search))
    }

    pub(super) fn engine<'m>(&self, model: &'m Model, stop: &StopToken) -> Result<CompiledEngine<'m>, Violation> {
        match self.options.engine {
            Engine::Interpreted => CompiledEngine::without_code_until(model, stop.clone()),
            Engine::Compiled => CompiledEngine::lazy_until(model, stop.clone()),
        }
    }

    /// The seed of a run that is not repeated.
    pub(super) fn seed(&self) -> Seed {
        Seed::of_run(self.options.seed, 0)
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.options.limits
    }

    pub(super) fn search(
        &self,
        request: &SearchRequest<'_>,
        system: &ReducedSystem<'_>,
        estimates: Estimates<'_, '_>,
        limits: &Limits,
        violations: Option<&DistinctViolations>,
    ) -> Explored<StepIndex> {
        let (safety, errors, focus) = (request.safety, self.options.on_error, self.focus);
        let judge = |violation: &Violation| {
            let refutes = is_error(safety, focus, violation);
            if let (true, Some(violations)) = (refutes && errors == OnError::Count, violations) {
                violations.note(violation);
            }
            refutes
        };
        let exploration = self.exploration(request, system.engine(), Objective::new(judge, errors, limits));
        let watch = &mut Budgeted { watch: self.watcher(request.name, request.deadline), states: self.budget };
        let mut explored = exploration.run_estimated(system, estimates, watch);
        let outcome = &mut explored.outcome;
        outcome.stats.reduced += system.reduced();
        if let Some(path) = outcome.path.take() {
            outcome.path = system.among_all_steps(path);
            if outcome.path.is_none() {
                outcome.end = End::limit(Limit::CutOff); // there was no time to number its steps
            }
        }
        explored
    }

    /// The model as a search explores it: where the path has to be shortest, without the steps that a stubborn set with all that can
    /// fail leaves out. Breadth-first search and the portfolio choose stubborn sets by themselves, with a proviso: they report the
    /// statements that are never reached.
    fn system<'m>(&self, search: Search, compiled: CompiledEngine<'m>) -> ReducedSystem<'m> {
        let is_complete = matches!(search, Search::Dfs | Search::ShorterDfs | Search::Stateless)
            || matches!(search, Search::BestFirst | Search::AStar { .. } | Search::Ida { .. });
        // a store that loses states finds paths by the numbers of their steps, which must not depend on how far code was generated
        let is_lossless = matches!(self.options.store, None | Some(StoreChoice::Exact | StoreChoice::Tree));
        let may_reduce = self.options.on_error == OnError::Stop && self.options.repeats.is_none() && is_lossless;
        self.reduced(compiled, may_reduce && is_complete)
    }

    /// The model without the steps that a stubborn set with all that can fail leaves out, if that may be and pays.
    pub(super) fn reduced<'m>(&self, compiled: CompiledEngine<'m>, may_reduce: bool) -> ReducedSystem<'m> {
        let order = self.options.partial_order;
        if !may_reduce || order == PartialOrder::Never {
            return ReducedSystem::whole(compiled);
        }
        let pays = || ReducedSystem::pays(&compiled.fork(), Selection::StubbornWithErrors);
        let steps = if order == PartialOrder::Always || pays() { Steps::StubbornWithErrors } else { Steps::All };
        ReducedSystem::new(compiled, steps)
    }

    /// Repeats the search of a request, with so many runs at a time as there are threads. Run-time errors are noted in `passed_over`
    /// instead of ending a run, if there is such a note.
    fn repeat(
        &self,
        repeats: &Repeats,
        request: &SearchRequest<'_>,
        system: &ReducedSystem<'_>,
        mut estimates: Vec<AnyEstimate<'_>>,
        passed_over: Option<&PassedOver>,
    ) -> (Explored<StepIndex>, Option<Repeated>) {
        let (safety, focus) = (request.safety, self.focus);
        let judge = |violation: &Violation| match passed_over {
            Some(passed_over) if violation.kind == ViolationKind::RuntimeError => {
                passed_over.note(violation);
                false
            }
            _ => is_error(safety, focus, violation),
        };
        let objective = Objective::new(judge, OnError::Stop, &self.options.limits);
        while estimates.len() < self.options.threads {
            estimates.push(Box::new(Blind)); // searches that estimate have one for each thread
        }
        let exploration = self.exploration(request, system.engine(), objective);
        let watch = &mut self.watcher(request.name, request.deadline);
        let (explored, repeated) = exploration.repeat(repeats, system, estimates, watch);
        (explored, Some(repeated))
    }

    /// The search of a request, ready to run.
    pub(super) fn exploration<'l, E>(
        &self,
        request: &SearchRequest<'_>,
        compiled: &CompiledEngine<'_>,
        objective: Objective<'l, E>,
    ) -> Exploration<'l, E> {
        let is_bounded = objective.limits.max_depth.is_some();
        Exploration {
            search: request.search,
            store: request.store,
            objective,
            reduction: request.reduction,
            partial_order: if is_bounded { PartialOrder::Never } else { request.partial_order },
            threads: self.options.threads,
            hidden_prefix: compiled.hidden_prefix(),
            seed: self.seed(),
        }
    }

    pub(super) fn watcher(&self, name: &str, deadline: Option<Instant>) -> Watcher<'a> {
        let shown = self.observer.and_then(|observer| observer(name));
        Watcher { interrupt: self.interrupt, deadline, shown }
    }
}

/// Whether a violation is an error of the property, and one of those in focus.
pub(super) fn is_error(safety: Safety, focus: Focus, violation: &Violation) -> bool {
    safety.is_refuted_by(violation.kind) && focus.admits(violation)
}

/// Why a path to an error could not be confirmed.
pub(super) enum Unconfirmed {
    /// The time was over before the path was executed again.
    Stopped,
    /// The path is too long to be followed in the original model: a `d_step` that never ends in the reduced copy, where
    /// a counter that is never read is not written, may need billions of statements in the original until a state
    /// repeats. The original is searched then.
    CutOff,
    /// The second execution differs: a bug in homing.
    Differs(String),
}

/// Executes the path again, in the original model. Paths of the model that was searched have these lengths.
pub(super) fn confirm(
    path: Path<StepIndex>,
    (searched, lengths): (&Interpreter<'_>, Lengths),
    task: &SearchTask,
    stop: &StopToken,
) -> Result<Counterexample, Unconfirmed> {
    let patient = stop.patient();
    let searched = searched.fork().stopped_by(patient.clone());
    let confirmed = match &task.reduced {
        None => Counterexample::confirmed(path, &searched, &searched, Lengths::Exact),
        Some(_) => {
            let original = Interpreter::new(&task.model)
                .map_err(|violation| Unconfirmed::Differs(format!("it has no start: {violation}")))?
                .stopped_by(patient.clone());
            let confirmed = Counterexample::confirmed(path, &searched, &original, lengths);
            if confirmed.is_err() && original.cut_run().is_some() {
                return Err(Unconfirmed::CutOff);
            }
            confirmed
        }
    };
    confirmed.map_err(|what| if patient.is_set() { Unconfirmed::Stopped } else { Unconfirmed::Differs(what) })
}

pub(super) fn unreached(interpreter: &Interpreter<'_>, model: &Model) -> Vec<Unreached> {
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
pub(super) fn failed_at_the_start(name: &str, algorithm: Search, violation: Violation) -> PropertyResult {
    let run = Run {
        algorithm,
        estimate: None,
        seed: None,
        repeated: None,
        reduced: false,
        not_reduced: None,
        errors: 1,
        violations: None,
        stats: Stats::default(),
        first_error: Some(FirstError { stats: Stats::default(), seconds: 0.0 }),
        atomic_steps: 0,
        compile_seconds: None,
        threads: 1,
        store_use: StoreUse::none(),
        seconds: 0.0,
        unreached: None,
        cut: None,
    };
    let (counterexample, run) = (Some(Counterexample::at_the_start(violation)), Some(run));
    PropertyResult { counterexample, run, ..PropertyResult::new(name.to_owned(), Verdict::Violated) }
}
