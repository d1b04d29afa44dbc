//! The result of a property, with the figures of the search that decided it.

use std::time::Instant;

use homing_core::{Cost, Outcome, Stats, Violation};
use homing_engine::CutRun;
use homing_heuristics::Preparation;

use super::confirm::Confirmation;
use super::counterexample::Counterexample;
use super::error_groups::ErrorGroup;
use super::liveness::NotReduced;
use crate::repeat::Repeated;
use crate::{OnError, Reason, Search, StoreUse, Verdict};

/// A statement that no run reaches, or the end of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreached {
    /// The process type that it belongs to.
    pub proctype: String,
    /// The file that it is in.
    pub file: String,
    /// Its line in the file.
    pub line: u32,
    /// SPIN's number of the control state before it.
    pub state: u32,
    /// Its text as SPIN prints it.
    pub text: String,
    /// Its text in the model; none for the end of a process.
    pub written: Option<String>,
}

/// An estimate that directed a search.
#[derive(Clone, Debug, PartialEq)]
pub struct EstimateUse {
    /// The name in the JSON output.
    pub name: &'static str,
    /// The estimate of the initial state; `None` if it claims that no error is reachable.
    pub at_start: Option<Cost>,
    /// What preparing an abstraction took.
    pub abstraction: Option<Preparation>,
}

/// What it took to find the first error; the search for a shorter path comes after it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FirstError {
    /// The figures of the search that found it.
    pub stats: Stats,
    /// The time that it took.
    pub seconds: f64,
}

impl FirstError {
    /// What it took up to now, if the search found an error.
    pub(super) fn of<A>(outcome: &Outcome<A>, start: Instant) -> Option<Self> {
        outcome.path.as_ref().map(|_| FirstError { stats: outcome.stats, seconds: start.elapsed().as_secs_f64() })
    }
}

/// The figures of all searches for one property, and what decided it.
#[derive(Debug)]
pub struct Run {
    /// The search that decided: a member of the portfolio, or the one that was asked for.
    pub algorithm: Search,
    /// The estimate that directed the search.
    pub estimate: Option<EstimateUse>,
    /// The seed of a random search.
    pub seed: Option<u64>,
    /// The runs of a random search that was repeated.
    pub repeated: Option<Repeated>,
    /// A reduced copy of the model was searched.
    pub reduced: bool,
    /// Why a search for cycles took all steps, if it did.
    pub not_reduced: Option<NotReduced>,
    /// How many violations were found.
    pub errors: u64,
    /// The errors by kind and place, if all were searched for.
    pub violations: Option<Vec<ErrorGroup>>,
    /// The figures of all that was searched: after an error, also for a shorter path and for one with fewer process switches.
    pub stats: Stats,
    /// The part of it up to the first error, if one was found.
    pub first_error: Option<FirstError>,
    /// The part of it for a path with fewer process switches, if one was searched for.
    pub fewest_switches: Option<Stats>,
    /// The number of executed statements that ended inside an atomic sequence.
    pub atomic_steps: u64,
    /// None if nothing was compiled.
    pub compile_seconds: Option<f64>,
    /// The number of threads.
    pub threads: usize,
    /// The store.
    pub store_use: StoreUse,
    /// The time that all searches took.
    pub seconds: f64,
    /// Known only when every step of every reachable state was taken, and none failed.
    pub unreached: Option<Vec<Unreached>>,
    /// A step that was too long to be followed.
    pub cut: Option<CutRun>,
}

impl Run {
    /// Adds the figures of a search for a better path. A search for all errors counts states, and keeps that number.
    pub(super) fn add(&mut self, next: Stats, on_error: OnError) {
        match on_error {
            OnError::Stop => self.stats = self.stats.and_then(next),
            OnError::Count => self.stats.memory = self.stats.memory.max(next.memory),
        }
    }

    /// Adds the figures of a search that came before.
    pub(super) fn comes_after(&mut self, first: &Run) {
        self.stats = first.stats.and_then(self.stats);
        self.seconds += first.seconds;
        if let Some(error) = &mut self.first_error {
            *error = FirstError { stats: first.stats.and_then(error.stats), seconds: first.seconds + error.seconds };
        }
    }

    /// No run of so many statements (or transitions, where those are counted) leads to an error, if none was found: what a
    /// breadth-first search has proved when a limit ends it.
    pub fn proved_within(&self) -> Option<Cost> {
        self.stats.clear_below.checked_sub(1).filter(|&length| length > 0)
    }

    /// None when the time was too short to be measured.
    pub fn states_per_second(&self) -> Option<f64> {
        (self.seconds > 0.0).then(|| self.stats.states as f64 / self.seconds)
    }
}

/// A run-time error that does not decide a query.
#[derive(Debug)]
pub struct RuntimeErrorBeside {
    /// The error.
    pub violation: Violation,
    /// A path to it, if the search that found it has one.
    pub counterexample: Option<Box<Counterexample>>,
}

impl RuntimeErrorBeside {
    pub(super) fn by_path(found: Counterexample) -> Self {
        RuntimeErrorBeside { violation: found.violation.clone(), counterexample: Some(Box::new(found)) }
    }
}

/// The result of one property.
#[derive(Debug)]
pub struct PropertyResult {
    /// The name of the property.
    pub property: String,
    /// The verdict.
    pub verdict: Verdict,
    /// A path to an error, if the property is violated.
    pub counterexample: Option<Counterexample>,
    /// Of a query of a network: a run-time error that is reachable, and that does not decide the query.
    pub runtime_error: Option<RuntimeErrorBeside>,
    /// What makes a verdict `holds` say less than it seems to.
    pub warnings: Vec<String>,
    /// How a second proof of `holds` ended; none if there was no second proof.
    pub confirmation: Option<Confirmation>,
    /// None when nothing was searched.
    pub run: Option<Run>,
}

impl PropertyResult {
    /// The result of a property that was not searched.
    pub fn unknown(property: String, reason: Reason) -> Self {
        Self::new(property, Verdict::Unknown(reason))
    }

    /// The same result, with a run-time error that does not decide the query.
    pub(super) fn beside(self, found: Counterexample) -> Self {
        PropertyResult { runtime_error: Some(RuntimeErrorBeside::by_path(found)), ..self }
    }

    /// A verdict without anything else.
    pub fn new(property: String, verdict: Verdict) -> Self {
        let (counterexample, runtime_error, confirmation, run) = (None, None, None, None);
        PropertyResult { property, verdict, counterexample, runtime_error, warnings: Vec::new(), confirmation, run }
    }
}
