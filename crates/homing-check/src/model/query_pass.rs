//! Decides several queries of a network together.
//!
//! Each query is searched for briefly by itself: most that a state decides are decided then. What is left is decided in one
//! breadth-first search that asks all of them in each state, so that the proof of several queries takes one search. While it runs, a
//! greedy search for each query is begun again and again, each time with a larger budget, for a small share of the states: as in the
//! portfolio, a state that is far from the initial one may be found long before the breadth-first search comes to it.
//!
//! The results are those of a search for one query, and so are their paths, which are executed in the network with that query
//! alone. Figures are those of the search that decided the query.

use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;
use std::time::Instant;

use homing_core::{End, Fork, Limit, Path, Selection, Stats, Stop, StopToken, Target, TransitionSystem, Violation};
use homing_engine::{Interpreter, StepIndex};
use homing_ir::Lengths;
use homing_search::bfs;
use homing_store::TreeStore;

use super::confirm::{Confirmation, SecondProof};
use super::decide::{DecideError, Decider, SearchRequest, Unconfirmed, confirm, failed_at_the_start, unreached};
use super::error_groups::GroupKey;
use super::fewest_switches::minimize_switches;
use super::focus::Focus;
use super::options::Options;
use super::query_layer::{Asked, MOST_QUERIES, QueryLayer};
use super::query_watch::PassWatch;
use super::result::{FirstError, PropertyResult, Run, RuntimeErrorBeside};
use super::search_task::SearchTask;
use crate::{Objective, OnError, PartialOrder, Reason, Search, StoreChoice, StoreUse, Verdict};

/// The states that the first search for a query alone may have besides the head start of its directed searches.
pub(super) const BRIEF: u64 = 4096;

/// The share (one part in this many) of the memory that greedy searches may use.
const MEMORY_SHARE: u64 = 16;

/// The name of the store.
const STORE: &str = "tree";

/// A query of a network, with the name of the property.
#[derive(Clone, Copy)]
pub struct QueryTask<'t> {
    /// The name of the property.
    pub name: &'t str,
    /// The network with the query.
    pub task: &'t SearchTask,
}

/// Is given the result of a query as soon as it is decided, with its number; ends everything when it breaks off.
pub type Report<'r> = dyn FnMut(usize, PropertyResult) -> ControlFlow<()> + 'r;

/// A query that is not decided yet.
struct Open<'t> {
    number: usize,
    query: QueryTask<'t>,
    /// A run-time error that was found.
    runtime_error: Option<RuntimeErrorBeside>,
}

impl Decider<'_> {
    /// Whether several queries can be decided together by these options: by the default search and store, until each is decided.
    pub fn can_decide_together(&self) -> bool {
        let Options { search, on_error, repeats, store, .. } = self.options;
        let has_tree = matches!(store, None | Some(StoreChoice::Tree));
        search == Search::Auto && on_error == OnError::Stop && repeats.is_none() && has_tree
    }

    /// The states that the first search for a query alone may have, before queries are decided together; with 0 there is no such search.
    pub fn with_brief_searches(self, states: u64) -> Self {
        Decider { brief: states, ..self }
    }

    /// Decides the queries of one network together. `report` is given each result once, in the order in which they are decided.
    pub fn decide_together(
        &self,
        queries: &[QueryTask<'_>],
        deadline: Option<Instant>,
        report: &mut Report<'_>,
    ) -> Result<(), DecideError> {
        let mut open = Vec::new();
        for (number, &query) in queries.iter().enumerate() {
            if self.brief == 0 {
                open.push(Open { number, query, runtime_error: None });
                continue;
            }
            let brief = Decider { budget: Some(self.brief), ..*self };
            let mut result = brief.decide(query.name, query.task, deadline)?;
            if result.verdict == Verdict::Unknown(Reason::Stopped(Stop::GivenUp)) {
                open.push(Open { number, query, runtime_error: result.runtime_error.take() });
            } else if report(number, result).is_break() {
                return Ok(());
            }
        }
        while !open.is_empty() {
            let later = open.split_off(open.len().min(MOST_QUERIES));
            let decided = match &mut open[..] {
                [one] => report(one.number, self.decide(one.query.name, one.query.task, deadline)?),
                several => self.pass(several, deadline, report)?,
            };
            if decided.is_break() {
                break;
            }
            open = later;
        }
        Ok(())
    }

    /// Decides queries in one breadth-first search.
    fn pass(
        &self,
        open: &mut [Open<'_>],
        deadline: Option<Instant>,
        report: &mut Report<'_>,
    ) -> Result<ControlFlow<()>, DecideError> {
        let start = Instant::now();
        let tasks: Vec<&SearchTask> = open.iter().map(|one| one.query.task).collect();
        let (model, asked) = Asked::new(&tasks);
        let alarm = self.interrupt.alarm(deadline);
        let engine = match self.engine(&model, alarm.stop()) {
            Ok(engine) => engine,
            Err(violation) => {
                let failed = |one: &Open<'_>| failed_at_the_start(one.query.name, Search::Bfs, violation.clone());
                let mut reports = open.iter().map(|one| report(one.number, failed(one)));
                return Ok(reports.find(ControlFlow::is_break).unwrap_or(ControlFlow::Continue(())));
            }
        };
        let layer = QueryLayer { engine, asked: &asked };
        let mut pass = Pass { decider: self, open, asked: &asked, start, deadline, stop: alarm.stop() };
        match pass.search(&layer, report)? {
            ControlFlow::Break(()) => Ok(ControlFlow::Break(())),
            ControlFlow::Continue(run) => pass.conclude(&layer, run, report),
        }
    }
}

/// One breadth-first search for several queries.
struct Pass<'p, 'd, 't> {
    decider: &'p Decider<'d>,
    open: &'p mut [Open<'t>],
    asked: &'p Asked,
    start: Instant,
    deadline: Option<Instant>,
    stop: &'p StopToken,
}

/// The figures and the end of the search.
struct PassRun {
    end: End,
    stats: Stats,
    store_use: StoreUse,
}

impl Pass<'_, '_, '_> {
    /// Searches until all queries are decided or everything was seen, and reports those that a state decides.
    fn search(
        &self,
        layer: &QueryLayer<'_, '_>,
        report: &mut Report<'_>,
    ) -> Result<ControlFlow<(), PassRun>, DecideError> {
        let &Pass { decider, asked, deadline, .. } = self;
        let mut store = TreeStore::new();
        let Options { threads, reduction, mut limits, .. } = decider.options;
        let share = limits.memory.map(|all| all / MEMORY_SHARE);
        limits.memory = limits.memory.map(|all| all - all / MEMORY_SHARE);
        let objective = Objective::new(|violation: &Violation| asked.claims(violation), OnError::Count, &limits);
        let mut systems: Vec<_> = (0..threads.max(1)).map(|_| layer.fork()).collect();
        let (report, failure, is_over) = (RefCell::new(report), RefCell::new(None), Cell::new(false));
        let settle = |decided: Result<ControlFlow<()>, DecideError>| match decided {
            Ok(ControlFlow::Continue(())) if asked.is_any_open() => ControlFlow::Continue(()),
            Ok(flow) => {
                is_over.set(is_over.get() || flow.is_break());
                ControlFlow::Break(())
            }
            Err(error) => {
                *failure.borrow_mut() = Some(error);
                ControlFlow::Break(())
            }
        };
        let mut attempt = |budget| settle(self.attempt_greedily(budget, share, &mut **report.borrow_mut()));
        let watcher = decider.watcher(self.open[0].query.name, deadline);
        let mut watch = PassWatch::new((watcher, asked), (decider.brief.max(1), self.open.len()), &mut attempt);
        let mut found = |path: Path<StepIndex>, stats: Stats| {
            let store_use = StoreUse { store: STORE, ..StoreUse::none() };
            settle(self.report_path(path, PassRun { end: End::Found, stats, store_use }, &mut **report.borrow_mut()))
        };
        let outcome = bfs::search_each(&mut systems, &objective, reduction, &mut store, &mut watch, &mut found);
        systems.iter().for_each(|fork| layer.join(fork));
        if let Some(error) = failure.into_inner() {
            return Err(error);
        }
        if is_over.get() {
            return Ok(ControlFlow::Break(()));
        }
        let mut end = outcome.end;
        crate::explore::after_cut_off(&mut end, &mut decider.watcher(self.open[0].query.name, deadline));
        Ok(ControlFlow::Continue(PassRun { end, stats: outcome.stats, store_use: StoreUse::of(STORE, &store) }))
    }

    /// Searches greedily for each query that is undecided, with so many states, and reports those that are decided by it.
    fn attempt_greedily(
        &self,
        budget: u64,
        memory: Option<u64>,
        report: &mut Report<'_>,
    ) -> Result<ControlFlow<()>, DecideError> {
        let mut options = Options { search: Search::BestFirst, ..self.decider.options };
        options.limits.memory = memory;
        for (nth, one) in self.open.iter().enumerate() {
            if !self.asked.is_open(nth) {
                continue;
            }
            let greedy = Decider { options, budget: Some(budget), ..*self.decider };
            let result = greedy.decide(one.query.name, one.query.task, self.deadline)?;
            let is_decided = !matches!(result.verdict, Verdict::Unknown(_));
            if is_decided && self.asked.close(nth) && report(one.number, result).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Reports the query that a path decides, by the state that it leads to.
    fn report_path(
        &self,
        path: Path<StepIndex>,
        pass: PassRun,
        report: &mut Report<'_>,
    ) -> Result<ControlFlow<()>, DecideError> {
        let nth = self.asked.decided_by(&path.violation).expect("it was asked");
        let one = &self.open[nth];
        let QueryTask { name, task } = one.query;
        let mut run = self.run(&pass);
        run.first_error = Some(FirstError { stats: pass.stats, seconds: run.seconds });
        run.errors = 1;
        let bug = |what: String| DecideError::Bug(format!("checking {name}: {what}"));
        let searched = Interpreter::new(&task.model).map_err(|violation| bug(violation.to_string()))?;
        let path = self.with_errors_of_the_query(nth, path, &searched);
        let mut found = match confirm(path, (&searched, Lengths::Exact), task, self.stop) {
            Ok(found) => found,
            Err(Unconfirmed::Differs(what)) => return Err(bug(what)),
            Err(Unconfirmed::Stopped | Unconfirmed::CutOff) => {
                let unknown = PropertyResult::unknown(name.to_owned(), Reason::Stopped(self.out_of_time()));
                return Ok(report(one.number, PropertyResult { run: Some(run), ..unknown }));
            }
        };
        if self.decider.options.fewest_switches {
            run.fewest_switches = minimize_switches(task, &mut found, run.stats, self.stop).map_err(bug)?;
            run.add(run.fewest_switches.unwrap_or_default(), OnError::Stop);
        }
        let mut result = PropertyResult::new(name.to_owned(), Verdict::Violated);
        (result.counterexample, result.run) = (Some(found), Some(run));
        result.runtime_error = self.runtime_error(nth);
        Ok(report(one.number, result))
    }

    /// The path in the network with one query. There a state in which the condition of the query has no value shows that before its steps.
    fn with_errors_of_the_query(
        &self,
        nth: usize,
        mut path: Path<StepIndex>,
        searched: &Interpreter<'_>,
    ) -> Path<StepIndex> {
        if self.asked.error_of(nth).is_none() {
            return path;
        }
        let mut state = searched.initial();
        let last = path.actions.len() - 1;
        for action in &mut path.actions[..last] {
            let mut next = None;
            let is_shown = searched.breaches_of(&state, &self.open[nth].query.task.model.invariants)[0].is_some();
            action.0 += u32::from(is_shown);
            searched.for_each_step(&state, Selection::All, |step| match step.target {
                Target::State(target) if step.action == *action => {
                    next = Some(target.into());
                    ControlFlow::Break(())
                }
                _ => ControlFlow::Continue(()),
            });
            let Some(next) = next else { break }; // the second execution says what differs
            state = next;
        }
        path
    }

    /// Reports the queries that no state decided.
    fn conclude(
        &mut self,
        layer: &QueryLayer<'_, '_>,
        pass: PassRun,
        report: &mut Report<'_>,
    ) -> Result<ControlFlow<()>, DecideError> {
        for nth in 0..self.open.len() {
            if !self.asked.is_open(nth) {
                continue;
            }
            let result = self.conclusion(nth, layer, &pass)?;
            if report(self.open[nth].number, result).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn conclusion(
        &mut self,
        nth: usize,
        layer: &QueryLayer<'_, '_>,
        pass: &PassRun,
    ) -> Result<PropertyResult, DecideError> {
        let QueryTask { name, task } = self.open[nth].query;
        let mut run = self.run(pass);
        let runtime_error = self.open[nth].runtime_error.take().or_else(|| self.runtime_error(nth));
        let End::Exhausted = pass.end else {
            let stop = if let End::Stopped(stop) = pass.end { stop } else { Stop::GivenUp };
            let runtime_error = match runtime_error {
                Some(error) if stop != self.out_of_time() => Some(self.with_path(error, (name, task), &mut run)?),
                error => error,
            };
            let unknown = PropertyResult::unknown(name.to_owned(), Reason::Stopped(stop));
            return Ok(PropertyResult { run: Some(run), runtime_error, ..unknown });
        };
        if let Some(error) = runtime_error {
            return self.violated_by(error, (name, task), run);
        }
        run.unreached = Some(unreached(layer.engine.interpreter(), &task.model));
        let mut result = PropertyResult::new(name.to_owned(), Verdict::Holds);
        let request = SearchRequest {
            name,
            safety: task.safety,
            search: Search::Bfs,
            store: StoreChoice::Tree,
            reduction: self.decider.options.reduction,
            partial_order: PartialOrder::Never,
            deadline: self.deadline,
            stop: self.stop,
        };
        match self.decider.confirm(&request, task, &run, self.decider.options.confirm)? {
            None => {}
            Some(SecondProof::Confirmation(confirmation)) => result.confirmation = Some(confirmation),
            Some(SecondProof::Refuted(found)) => {
                (result.verdict, result.counterexample) = (Verdict::Violated, Some(*found));
                result.confirmation = Some(Confirmation::Contradicted);
            }
        }
        result.run = Some(run);
        Ok(result)
    }

    /// The result of a query that no state decides where a run-time error is reachable.
    fn violated_by(
        &self,
        error: RuntimeErrorBeside,
        (name, task): (&str, &SearchTask),
        mut run: Run,
    ) -> Result<PropertyResult, DecideError> {
        let mut error = self.with_path(error, (name, task), &mut run)?;
        let Some(found) = error.counterexample.take() else {
            let unknown = PropertyResult::unknown(name.to_owned(), Reason::Stopped(self.out_of_time()));
            return Ok(PropertyResult { run: Some(run), runtime_error: Some(error), ..unknown });
        };
        run.errors = 1;
        let violated = PropertyResult::new(name.to_owned(), Verdict::Violated);
        Ok(PropertyResult { run: Some(run), counterexample: Some(*found), ..violated })
    }

    /// A run-time error with the path to it, which is searched for if it is not known.
    fn with_path(
        &self,
        mut error: RuntimeErrorBeside,
        (name, task): (&str, &SearchTask),
        run: &mut Run,
    ) -> Result<RuntimeErrorBeside, DecideError> {
        if error.counterexample.is_none() {
            let focus = Focus::Group(GroupKey::of(&error.violation));
            let nearest = Decider { focus, ..*self.decider }.decide(name, task, self.deadline)?;
            if let Some(search) = &nearest.run {
                run.add(search.stats, OnError::Stop);
            }
            error.counterexample = nearest.counterexample.map(Box::new);
        }
        Ok(error)
    }

    /// A run-time error of the network, or of the condition of a query.
    fn runtime_error(&self, nth: usize) -> Option<RuntimeErrorBeside> {
        let violation = self.asked.passed_over.first().or_else(|| self.asked.error_of(nth))?;
        Some(RuntimeErrorBeside { violation, counterexample: None })
    }

    fn out_of_time(&self) -> Stop {
        if self.decider.interrupt.happened() { Stop::Interrupted } else { Stop::Limit(Limit::Timeout) }
    }

    /// The figures of the search for a query.
    fn run(&self, pass: &PassRun) -> Run {
        Run {
            algorithm: Search::Bfs,
            estimate: None,
            seed: None,
            repeated: None,
            reduced: false,
            not_reduced: None,
            errors: 0,
            violations: None,
            stats: pass.stats,
            first_error: None,
            fewest_switches: None,
            atomic_steps: 0,
            compile_seconds: None,
            threads: self.decider.options.threads,
            store_use: pass.store_use,
            seconds: self.start.elapsed().as_secs_f64(),
            unreached: None,
            cut: None,
        }
    }
}
