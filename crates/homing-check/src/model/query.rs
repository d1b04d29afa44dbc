//! Queries of networks: a state that decides a query comes before a run-time error.
//!
//! A witness is a witness, whatever else can happen in the network, so the answer must not depend on which of the two a search meets
//! first. When it is a run-time error, another search passes over run-time errors, until it finds a state that decides the
//! query or has seen everything. Only then is the run-time error the result.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use homing_core::{End, Progress, Stop, Violation, ViolationKind, Watch};

use super::counterexample::Counterexample;
use super::decide::{DecideError, Decider};
use super::error_groups::GroupKey;
use super::focus::Focus;
use super::interrupt::Watcher;
use super::options::{Confirm, Options};
use super::result::{PropertyResult, Run, RuntimeErrorBeside};
use super::search_task::SearchTask;
use crate::{OnError, Verdict};

/// What a search that passes over run-time errors says about a query.
pub(super) enum StateSearch {
    /// No state decides it.
    None,
    /// A path to a state that decides it; the figures of the search were added to those of the first one.
    Decides(Box<Counterexample>),
    /// The whole result: found by that search, or undecided.
    Result(Box<PropertyResult>),
}

/// The first run-time error that a search passed over.
#[derive(Debug, Default)]
pub(super) struct PassedOver(Mutex<Option<Violation>>);

impl PassedOver {
    pub fn note(&self, violation: &Violation) {
        let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert_with(|| violation.clone());
    }

    pub fn first(&self) -> Option<Violation> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The watch of a search that is given up after so many states.
pub(super) struct Budgeted<'a> {
    pub watch: Watcher<'a>,
    pub states: Option<u64>,
}

impl Watch for Budgeted<'_> {
    fn look(&mut self, progress: &Progress) -> Option<Stop> {
        let is_spent = self.states.is_some_and(|states| progress.states >= states);
        self.watch.look(progress).or(is_spent.then_some(Stop::GivenUp))
    }

    fn after_cut_off(&mut self, progress: &Progress) -> Option<Stop> {
        self.watch.after_cut_off(progress)
    }
}

impl Decider<'_> {
    /// Whether the error of a path may give way to a state that decides the query.
    pub(super) fn may_give_way(&self, task: &SearchTask, found: &Counterexample) -> bool {
        self.puts_states_first(task) && found.violation.kind == ViolationKind::RuntimeError
    }

    /// The errors that a path to this one may be replaced by: a path to a state that decides the query is not by a shorter one to a run-time
    /// error.
    pub(super) fn focus_after(&self, task: &SearchTask, found: &Counterexample) -> Focus {
        match found.violation.kind {
            ViolationKind::Invariant if self.puts_states_first(task) => Focus::States,
            _ => self.focus,
        }
    }

    /// Whether run-time errors are passed over as long as a state may decide the property.
    pub(super) fn puts_states_first(&self, task: &SearchTask) -> bool {
        self.focus == Focus::Everything && task.is_query()
    }

    /// Searches for a state that decides the query, after a search with these figures found a run-time error.
    pub(super) fn look_for_a_state(
        &self,
        name: &str,
        task: &SearchTask,
        deadline: Option<Instant>,
        first: &mut Run,
        (end, decides): (End, bool),
    ) -> Result<StateSearch, DecideError> {
        let counts = self.options.on_error == OnError::Count;
        if counts && end == End::Exhausted && !decides && first.store_use.lossless {
            return Ok(StateSearch::None); // it has seen all errors
        }
        let confirm = if counts { Confirm::Never } else { self.options.confirm };
        let options = Options { on_error: OnError::Stop, confirm, ..self.options };
        let decider = Decider { options, focus: Focus::States, ..*self };
        let mut result = decider.decide(name, task, deadline)?;
        match (result.verdict, &mut result.run) {
            (Verdict::Holds, Some(run)) => {
                first.add(run.stats, self.options.on_error);
                Ok(StateSearch::None)
            }
            (Verdict::Violated, Some(run)) if counts => {
                first.add(run.stats, OnError::Count);
                let found = result.counterexample.expect("a violated property has a path");
                Ok(StateSearch::Decides(Box::new(found)))
            }
            (_, run) => {
                run.iter_mut().for_each(|run| run.comes_after(first));
                Ok(StateSearch::Result(Box::new(result)))
            }
        }
    }

    /// The result of a query whose repeated search passed over a run-time error. Where a run has seen everything the error is searched
    /// for: no state decides the query.
    pub(super) fn after_passing_over(
        &self,
        result: PropertyResult,
        error: Violation,
        (task, deadline): (&SearchTask, Option<Instant>),
    ) -> Result<PropertyResult, DecideError> {
        if result.verdict != Verdict::Holds {
            let runtime_error = Some(RuntimeErrorBeside { violation: error, counterexample: None });
            return Ok(PropertyResult { runtime_error, ..result });
        }
        let options = Options { repeats: None, ..self.options };
        let focus = Focus::Group(GroupKey::of(&error));
        let decider = Decider { options, focus, ..*self };
        let mut found = decider.decide(&result.property, task, deadline)?;
        if let (Some(run), Some(repeated)) = (&mut found.run, result.run.and_then(|run| run.repeated)) {
            run.repeated = Some(repeated);
        }
        Ok(found)
    }
}
