//! Proves a verdict `holds` a second time, without any reduction.
//!
//! A small model is explored statement by statement by the [reference explorer](homing_engine::Reference), which shares
//! neither runs, nor reductions, nor stores with the search. A larger one is searched breadth-first without reductions
//! and sleep sets. A contradiction is a bug in homing: the violation is reported nevertheless.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use homing_core::{Blind, End};
use homing_engine::{Finding, Reference};
use homing_ir::Lengths;

use super::counterexample::Counterexample;
use super::decide::{DecideError, Decider, SearchRequest};
use super::options::Confirm;
use super::reduced_system::ReducedSystem;
use super::result::Run;
use super::search_task::SearchTask;
use crate::{AnyEstimate, Estimates, Explored, PartialOrder, Reduction, Search, StoreChoice};

/// How a second proof of `holds` ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Confirmation {
    /// The model was explored in full a second time, without an error.
    Agreed {
        /// What explored it: `reference` or `bfs`.
        by: &'static str,
        /// The number of states.
        states: u64,
        /// The time that it took.
        seconds: f64,
    },
    /// A limit was hit first.
    Unfinished,
    /// An error was found: the verdict is `violated`, and the first search has a bug.
    Contradicted,
}

/// What the second proof found.
pub(super) enum SecondProof {
    Confirmation(Confirmation),
    /// The first search missed an error.
    Refuted(Box<Counterexample>),
}

/// [`Confirm::IfQuick`] confirms a verdict only if the first search took less than this.
const QUICK: Duration = Duration::from_millis(20);

/// With [`Confirm::IfQuick`] the second proof may take this long.
const BRIEF: Duration = Duration::from_millis(20);

/// A search with at most this many states is confirmed by the reference explorer, which has more nodes, but not many
/// times more.
const SMALL: u64 = 4000;

/// The reference explorer gives up after this many nodes.
const MOST_NODES: u64 = 200_000;

impl Decider<'_> {
    /// Decides a property that holds a second time, if the option and the figures of the first search ask for it.
    pub(super) fn confirm(
        &self,
        request: &SearchRequest<'_>,
        task: &SearchTask,
        first: &Run,
        when: Confirm,
    ) -> Result<Option<SecondProof>, DecideError> {
        let is_quick = first.seconds < QUICK.as_secs_f64();
        if when == Confirm::Never || (when == Confirm::IfQuick && !is_quick) {
            return Ok(None);
        }
        let brief = (when == Confirm::IfQuick).then(|| Instant::now() + BRIEF);
        let deadline = [brief, request.deadline].into_iter().flatten().min();
        let alarm = self.interrupt.alarm(deadline);
        let request = SearchRequest { deadline, stop: alarm.stop(), ..*request };
        if first.stats.states <= SMALL
            && let Some(second) = self.ask_reference(&request, task)?
        {
            return Ok(Some(second));
        }
        Ok(match self.search_again(&request, task)? {
            SecondProof::Confirmation(Confirmation::Unfinished) if when == Confirm::IfQuick => None,
            second => Some(second),
        })
    }

    /// Explores the model statement by statement; `None` if it is too large, the time is over, or it is a network.
    fn ask_reference(
        &self,
        request: &SearchRequest<'_>,
        task: &SearchTask,
    ) -> Result<Option<SecondProof>, DecideError> {
        if task.model.features.network {
            return Ok(None); // it knows neither committed locations nor signals
        }
        let start = Instant::now();
        let Ok(reference) = Reference::new(&task.model) else { return Ok(None) };
        let reference = reference.stopped_by(request.stop.clone());
        let findings = reference.explore(MOST_NODES, || match request.stop.is_set() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        });
        if let Some(found) = findings.violations.iter().find(|found| request.safety.is_refuted_by(found.kind)) {
            return self.refuted(request, task, found).map(Some);
        }
        let (states, seconds) = (findings.states, start.elapsed().as_secs_f64());
        let agreed = Confirmation::Agreed { by: "reference", states, seconds };
        Ok(findings.complete.then_some(SecondProof::Confirmation(agreed)))
    }

    /// Finds a path to the error that the reference explorer found. Without a path only the bug itself can be reported.
    fn refuted(
        &self,
        request: &SearchRequest<'_>,
        task: &SearchTask,
        found: &Finding,
    ) -> Result<SecondProof, DecideError> {
        let alarm = self.interrupt.alarm(None);
        match self.search_again(&SearchRequest { deadline: None, stop: alarm.stop(), ..*request }, task)? {
            SecondProof::Confirmation(_) => Err(DecideError::Bug(format!(
                "{} is violated ({}, after {} statements), but no search finds it",
                request.name, found.message, found.length
            ))),
            refuted => Ok(refuted),
        }
    }

    /// Searches the model without reductions.
    fn search_again(&self, request: &SearchRequest<'_>, task: &SearchTask) -> Result<SecondProof, DecideError> {
        let start = Instant::now();
        let unfinished = SecondProof::Confirmation(Confirmation::Unfinished);
        let Ok(engine) = self.engine(&task.model, request.stop) else { return Ok(unfinished) };
        let system = ReducedSystem::whole(engine);
        let engine = system.engine();
        let store = if engine.hidden_prefix() > 0 { StoreChoice::Exact } else { StoreChoice::Tree };
        let (reduction, partial_order) = (Reduction::None, PartialOrder::Never);
        let request = SearchRequest { search: Search::Bfs, store, reduction, partial_order, ..*request };
        let blind: &mut AnyEstimate<'_> = &mut (Box::new(Blind) as _);
        let blind = Estimates { ready: std::slice::from_mut(blind), late: None };
        let Explored { outcome, .. } = self.search(&request, &system, blind, self.limits(), None);
        if let Some(path) = outcome.path {
            let interpreter = engine.interpreter();
            let found = Counterexample::confirmed(path, interpreter, interpreter, Lengths::Exact);
            let found = found.map_err(|what| DecideError::Bug(format!("confirming {}: {what}", request.name)))?;
            return Ok(SecondProof::Refuted(Box::new(found)));
        }
        let (states, seconds) = (outcome.stats.states, start.elapsed().as_secs_f64());
        let agreed = SecondProof::Confirmation(Confirmation::Agreed { by: "bfs", states, seconds });
        Ok(if outcome.end == End::Exhausted { agreed } else { unfinished })
    }
}
