//! Chooses the estimate that directs a search.

use homing_core::{Blind, Cost, Estimate, State, ViolationKind};
use homing_heuristics::{Goal, Heuristic, HeuristicEstimate, Unfit};
use homing_ir::Model;

use super::options::Guidance;
use super::property::Safety;
use super::result::EstimateUse;
use super::search_task::SearchTask;
use crate::{AnyEstimate, Search};

/// The estimate for a property, or a blind one for an undirected search.
pub(super) struct EstimateChoice<'m> {
    /// One for each thread of a search that estimates with several.
    pub estimates: Vec<AnyEstimate<'m>>,
    name: Option<&'static str>,
}

impl<'m> EstimateChoice<'m> {
    /// Chooses by the search and the property.
    pub fn new(guidance: Guidance<'_>, search: Search, task: &'m SearchTask, threads: usize) -> Result<Self, Unfit> {
        let threads = if matches!(search, Search::Beam { .. }) { threads.max(1) } else { 1 };
        let heuristic = match guidance {
            _ if !search.is_directed() => return Ok(Self::blind(threads)),
            Guidance::None => return Ok(Self::blind(threads)),
            Guidance::Auto(_) if task.safety == Safety::Deadlock => Heuristic::Active,
            Guidance::Auto(combine) if task.safety == Safety::All => Heuristic::Nearest(combine),
            Guidance::Auto(combine) => Heuristic::Formula(combine),
            Guidance::By(heuristic) => heuristic,
        };
        let model = task.searched();
        let estimate = |_| HeuristicEstimate::new(model, heuristic, target(model, task.safety));
        let estimates: Result<Vec<_>, Unfit> = (0..threads).map(estimate).collect();
        let estimates = estimates?.into_iter().map(|estimate| Box::new(estimate) as AnyEstimate<'m>).collect();
        Ok(EstimateChoice { estimates, name: Some(name(heuristic)) })
    }

    fn blind(threads: usize) -> Self {
        EstimateChoice { estimates: (0..threads).map(|_| Box::new(Blind) as AnyEstimate<'m>).collect(), name: None }
    }

    /// What the result reports about the estimate.
    pub fn describe(&mut self, initial: &State) -> Option<EstimateUse> {
        let at_start: Option<Cost> = self.estimates[0].distance(initial).map(|estimated| estimated.h);
        self.name.map(|name| EstimateUse { name, at_start })
    }
}

/// The name in the JSON output.
fn name(heuristic: Heuristic<'_>) -> &'static str {
    match heuristic {
        Heuristic::Formula(_) => "formula",
        Heuristic::Active => "active",
        Heuristic::Nearest(_) => "nearest",
        Heuristic::Deadlock(_) => "deadlock",
        Heuristic::FsmMax => "fsm-max",
        Heuristic::FsmSum => "fsm-sum",
        Heuristic::Messages => "messages",
        Heuristic::Hamming(_) => "hamming",
        Heuristic::Trail(_) => "trail",
    }
}

/// The errors that violate a property. Run-time errors violate every property.
fn target(model: &Model, safety: Safety) -> Goal<'_> {
    const ALL: &[ViolationKind] =
        &[ViolationKind::Assertion, ViolationKind::InvalidEndState, ViolationKind::RuntimeError];
    const ASSERTIONS: &[ViolationKind] = &[ViolationKind::Assertion, ViolationKind::RuntimeError];
    const DEADLOCK: &[ViolationKind] = &[ViolationKind::InvalidEndState, ViolationKind::RuntimeError];
    match (safety, model.invariants.first()) {
        (Safety::Invariant, Some(invariant)) => Goal::Invariant(&invariant.expr),
        (Safety::Deadlock, _) => Goal::Errors(DEADLOCK),
        (Safety::Assertions, _) => Goal::Errors(ASSERTIONS),
        (Safety::All | Safety::Invariant, _) => Goal::Errors(ALL),
    }
}
