//! Proves a verdict `holds` a second time, without any reduction, and that a path is shortest if an estimate has shown it.
//!
//! A small model is explored statement by statement by the [reference explorer](homing_engine::Reference), which shares
//! neither runs, nor reductions, nor stores with the search. A larger one is searched breadth-first without reductions
//! and sleep sets. So is a model in which an error was found, below the length that was claimed. A contradiction is a bug in homing: the
//! violation, or the shorter path, is reported nevertheless.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use homing_core::{Blind, Cost, End, Limit, Limits, Stop};
use homing_engine::{Finding, Reference};
use homing_ir::Lengths;

use super::counterexample::Counterexample;
use super::decide::{DecideError, Decider, SearchRequest};
use super::options::Confirm;
use super::reduced_system::ReducedSystem;
use super::result::Run;
use super::search_task::SearchTask;
use crate::{AnyEstimate, Estimates, Explored, OnError, PartialOrder, Reduction, Search, StoreChoice};

/// How a second proof of `holds`, or of a shortest length, ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Confirmation {
    /// The model was explored a second time, in full or below the length that was claimed, without an error.
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
    /// A shorter path was found than the one that was called shortest: the estimate has a bug.
    Shorter,
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
        let Some(deadline) = until(when, Duration::from_secs_f64(first.seconds), request.deadline) else {
            return Ok(None);
        };
        let alarm = self.interrupt.alarm(deadline);
        let request = SearchRequest { deadline, stop: alarm.stop(), ..*request };
        if first.stats.states <= SMALL
            && let Some(second) = self.ask_reference(&request, task)?
        {
            return Ok(Some(second));
        }
        Ok(match self.search_again(&request, task, None)? {
            SecondProof::Confirmation(Confirmation::Unfinished) if when == Confirm::IfQuick => None,
            second => Some(second),
        })
    }

    /// Searches for an error nearer than one that a search with an estimate has proved nearest, if the option and the time that
    /// was taken ask for it. Replaces it by a shorter one, if there is one.
    pub(super) fn confirm_length(
        &self,
        request: &SearchRequest<'_>,
        task: &SearchTask,
        spent: Duration,
        found: &mut Counterexample,
    ) -> Result<Option<Confirmation>, DecideError> {
        let when = self.options.confirm;
        let deadline = until(when, spent, request.deadline).filter(|_| self.options.on_error == OnError::Stop);
        let (Some(deadline), Some(below)) = (deadline, found.length.checked_sub(1)) else { return Ok(None) };
        let alarm = self.interrupt.alarm(deadline);
        let request = SearchRequest { deadline, stop: alarm.stop(), ..*request };
        Ok(match self.search_again(&request, task, Some(below))? {
            SecondProof::Confirmation(Confirmation::Unfinished) if when == Confirm::IfQuick => None,
            SecondProof::Confirmation(confirmation) => Some(confirmation),
            SecondProof::Refuted(shorter) => {
                *found = *shorter;
                Some(Confirmation::Shorter)
            }
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
        let reference = reference
            .stopped_by(request.stop.clone())
            .within(self.options.limits.memory.map_or(u64::MAX, |most| most / 2));
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
        match self.search_again(&SearchRequest { deadline: None, stop: alarm.stop(), ..*request }, task, None)? {
            SecondProof::Confirmation(_) => Err(DecideError::Bug(format!(
                "{} is violated ({}, after {} statements), but no search finds it",
                request.name, found.message, found.length
            ))),
            refuted => Ok(refuted),
        }
    }

    /// Searches the model without reductions, up to a depth if one is given.
    fn search_again(
        &self,
        request: &SearchRequest<'_>,
        task: &SearchTask,
        depth: Option<Cost>,
    ) -> Result<SecondProof, DecideError> {
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
        let max_depth = [depth, self.limits().max_depth].into_iter().flatten().min();
        let limits = Limits { max_depth, ..*self.limits() };
        let Explored { outcome, .. } = self.search(&request, &system, blind, &limits, None);
        if let Some(path) = outcome.path {
            let interpreter = engine.interpreter();
            let found = Counterexample::confirmed(path, interpreter, interpreter, Lengths::Exact);
            let found = found.map_err(|what| DecideError::Bug(format!("confirming {}: {what}", request.name)))?;
            return Ok(SecondProof::Refuted(Box::new(found)));
        }
        let (states, seconds) = (outcome.stats.states, start.elapsed().as_secs_f64());
        let agreed = SecondProof::Confirmation(Confirmation::Agreed { by: "bfs", states, seconds });
        let is_deep = depth.is_some() && outcome.end == End::Stopped(Stop::Limit(Limit::Depth));
        Ok(if outcome.end == End::Exhausted || is_deep { agreed } else { unfinished })
    }
}

/// Until when a second proof may go on after a first one that took so long; none if there is no second proof.
fn until(when: Confirm, first: Duration, deadline: Option<Instant>) -> Option<Option<Instant>> {
    let brief = match when {
        Confirm::Never => return None,
        Confirm::IfQuick if first >= QUICK => return None,
        Confirm::IfQuick => Some(Instant::now() + BRIEF),
        Confirm::Always => None,
    };
    Some([brief, deadline].into_iter().flatten().min())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use homing_core::StopToken;
    use homing_promela::preprocess;

    use super::*;
    use crate::Shortening;
    use crate::model::{Interrupt, ModelReduction, Options, Safety};

    /// As if an estimate had been too large: a path that is not shortest is called so.
    #[test]
    fn a_path_that_is_not_shortest_is_replaced() {
        let text =
            "byte x; active proctype P() { if :: x = 1; x = 2; x = 3; assert(x == 0) :: x = 1; assert(x == 0) fi }";
        let model = homing_promela::read("m.pml", text.to_owned(), &preprocess::Options::default()).model;
        let task = SearchTask::new(model.expect("a model"), Safety::All, ModelReduction::Reduced);
        let options = Options {
            search: Search::Dfs,
            shortening: Shortening::Never,
            confirm: Confirm::Always,
            ..Options::default()
        };
        let interrupt = Interrupt::default();
        let decider = Decider::new(options, &interrupt);
        let result = decider.decide("safety", &task, None).expect("a result");
        let mut found = result.counterexample.expect("an error");
        assert_eq!((found.length, found.shortest), (4, false));
        found.shortest = true;
        let request = SearchRequest {
            name: "safety",
            safety: Safety::All,
            search: Search::Dfs,
            store: StoreChoice::Tree,
            reduction: Reduction::None,
            partial_order: PartialOrder::Never,
            deadline: None,
            stop: &StopToken::default(),
        };
        let mut confirm = || decider.confirm_length(&request, &task, Duration::ZERO, &mut found).expect("a result");
        assert_eq!(confirm(), Some(Confirmation::Shorter));
        assert!(matches!(confirm(), Some(Confirmation::Agreed { by: "bfs", .. })));
        assert_eq!((found.length, found.shortest), (2, true));
    }
}
