//! Chooses the estimate that directs a search.

use std::num::NonZeroU32;
use std::time::{Duration, Instant};

use homing_core::{Blind, Cost, Estimate, Guarantee, State, StopToken, TransitionSystem, ViolationKind};
use homing_engine::Interpreter;
use homing_heuristics::{
    AbstractionOptions, Combine, Goal, Heuristic, HeuristicEstimate, ModelAbstraction, Preparation, Supervision, Unfit,
};
use homing_ir::Model;

use super::decide::{Decider, SearchRequest};
use super::interrupt::Watcher;
use super::options::Guidance;
use super::property::Safety;
use super::result::EstimateUse;
use super::search_task::SearchTask;
use crate::{AnyEstimate, Search, StoreChoice};

/// How long an estimate may take to be prepared: a tenth of the time that is left, and no longer than `most`.
pub(super) struct TimeLeft<'a, 'w> {
    pub most: Option<Duration>,
    pub stop: &'a StopToken,
    /// Is shown the progress, and knows the deadline.
    pub watcher: Watcher<'w>,
}

/// The estimate for a property, or a blind one for an undirected search.
pub(super) struct EstimateChoice<'m> {
    /// One for each thread of a search that estimates with several.
    pub estimates: Vec<AnyEstimate<'m>>,
    name: Option<&'static str>,
    abstraction: Option<Preparation>,
    /// Why it is not the one that was asked for.
    pub warning: Option<String>,
}

impl<'m> EstimateChoice<'m> {
    /// Chooses by the search and the property, for the model that is searched.
    pub fn new(
        guidance: Guidance<'_>,
        search: Search,
        (model, safety): (&'m Model, Safety),
        threads: usize,
        time: TimeLeft<'_, '_>,
    ) -> Result<Self, Unfit> {
        let threads = if matches!(search, Search::Beam { .. }) { threads.max(1) } else { 1 };
        let heuristic = match guidance {
            _ if !search.is_directed() => return Ok(Self::blind(threads)),
            Guidance::None => return Ok(Self::blind(threads)),
            Guidance::Auto(_) if safety == Safety::Deadlock => Heuristic::Active,
            Guidance::Auto(combine) if safety == Safety::All => Heuristic::Nearest(combine),
            Guidance::Auto(combine) => Heuristic::Formula(combine),
            Guidance::By(heuristic) => heuristic,
            Guidance::Abstraction { bound } => {
                return Self::by_abstraction(bound, search, (model, safety), threads, time);
            }
        };
        Self::by_heuristic(heuristic, search, (model, safety), threads)
    }

    fn by_heuristic(
        heuristic: Heuristic<'_>,
        search: Search,
        (model, safety): (&'m Model, Safety),
        threads: usize,
    ) -> Result<Self, Unfit> {
        let goal = target(model, safety);
        let initial = Interpreter::new(model).ok().map(|engine| engine.initial());
        let estimate = |_| {
            let estimate = HeuristicEstimate::new(model, heuristic, goal)?;
            let promises = search.is_admissible() && estimate.guarantee() >= Guarantee::Admissible;
            match &initial {
                Some(initial) if !promises => estimate.for_order(model, heuristic, goal, initial),
                _ => Ok(estimate),
            }
        };
        let estimates: Result<Vec<_>, Unfit> = (0..threads).map(estimate).collect();
        let estimates = estimates?.into_iter().map(|estimate| Box::new(estimate) as AnyEstimate<'m>).collect();
        Ok(EstimateChoice { estimates, name: Some(name(heuristic)), abstraction: None, warning: None })
    }

    /// An abstraction, or the formula that never overestimates if the model has none.
    fn by_abstraction(
        bound: Option<NonZeroU32>,
        search: Search,
        (model, safety): (&'m Model, Safety),
        threads: usize,
        time: TimeLeft<'_, '_>,
    ) -> Result<Self, Unfit> {
        match abstraction(bound, model, safety, time) {
            Ok(abstraction) => {
                let estimates = (0..threads).map(|_| Box::new(abstraction.estimate()) as AnyEstimate<'m>).collect();
                let preparation = Some(abstraction.preparation().clone());
                Ok(EstimateChoice { estimates, name: Some("abstraction"), abstraction: preparation, warning: None })
            }
            Err(reason) => {
                let formula = Self::by_heuristic(Heuristic::Formula(Combine::Max), search, (model, safety), threads)?;
                let warning = format!(
                    "--heuristic abstraction cannot be used: the model has no factored form, because {reason}; the search is \
                     directed by --heuristic formula --combine max"
                );
                Ok(EstimateChoice { warning: Some(warning), ..formula })
            }
        }
    }

    fn blind(threads: usize) -> Self {
        let estimates = (0..threads).map(|_| Box::new(Blind) as AnyEstimate<'m>).collect();
        EstimateChoice { estimates, name: None, abstraction: None, warning: None }
    }

    /// What the result reports about the estimate.
    pub fn describe(&mut self, initial: &State) -> Option<EstimateUse> {
        let at_start: Option<Cost> = self.estimates[0].distance(initial).map(|estimated| estimated.h);
        self.name.map(|name| EstimateUse { name, at_start, abstraction: self.abstraction.clone() })
    }
}

impl Decider<'_> {
    /// The estimate that directed a search which promises something of its paths, for the model in which lengths are measured; none if
    /// the search promises nothing with it.
    pub(super) fn admissible_estimate<'m>(
        &self,
        request: &SearchRequest<'_>,
        task: &'m SearchTask,
    ) -> Option<AnyEstimate<'m>> {
        let watcher = self.watcher(request.name, request.deadline);
        let time = TimeLeft { most: None, stop: request.stop, watcher };
        let (guidance, measured) = (self.options.guidance, (task.measured(), request.safety));
        if !request.search.is_admissible() || matches!(guidance, Guidance::None) {
            return None;
        }
        let choice = EstimateChoice::new(guidance, request.search, measured, 1, time).ok()?;
        choice.estimates.into_iter().next().filter(|estimate| estimate.guarantee() >= Guarantee::Admissible)
    }

    /// Whether a search may use an abstraction by its own choice. Not with a store that loses states: it is chosen to save memory, and
    /// the directed search would fill a lossless one.
    pub(super) fn may_abstract(&self, search: Search) -> bool {
        let is_lossless = matches!(self.options.store, None | Some(StoreChoice::Exact | StoreChoice::Tree));
        search == Search::Auto && is_lossless && matches!(self.options.guidance, Guidance::Auto(_))
    }

    /// An abstraction for a search that has taken long, if its distance of the initial state is more than that of the estimate that
    /// directs the search so far. What it is goes to `described`.
    pub(super) fn late_estimate<'m>(
        &self,
        request: &SearchRequest<'_>,
        initial: &State,
        task: &'m SearchTask,
        known: Option<Cost>,
        described: &mut Option<EstimateUse>,
    ) -> Option<AnyEstimate<'m>> {
        let time = TimeLeft { most: None, stop: request.stop, watcher: self.watcher(request.name, request.deadline) };
        let abstraction = abstraction(None, task.searched(), request.safety, time).ok()?;
        let mut estimate = abstraction.estimate();
        let at_start = Some(estimate.distance(initial)?.h);
        *described =
            Some(EstimateUse { name: "abstraction", at_start, abstraction: Some(abstraction.preparation().clone()) });
        (at_start > known).then(|| Box::new(estimate) as AnyEstimate<'m>)
    }
}

/// Abstracts a model with regard to a property; the reason if that is not possible.
pub(super) fn abstraction(
    bound: Option<NonZeroU32>,
    model: &Model,
    safety: Safety,
    TimeLeft { most, stop, mut watcher }: TimeLeft<'_, '_>,
) -> Result<ModelAbstraction, String> {
    let mut options = AbstractionOptions::default();
    options.bound = bound.unwrap_or(options.bound);
    let tenth = watcher.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()) / 10);
    options.limits.time = [most, tenth].into_iter().flatten().min();
    let supervision = Supervision { stop, show: &mut |stage| watcher.prepares(stage) };
    ModelAbstraction::new(model, target(model, safety), &options, supervision)
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
