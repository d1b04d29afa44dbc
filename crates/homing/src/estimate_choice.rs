//! Chooses the estimate that directs a search.

use std::path::Path;

use homing_check::{AnyEstimate, Search as Algorithm};
use homing_core::{Blind, Cost, Estimate, State, ViolationKind};
use homing_engine::Interpreter;
use homing_heuristics::{Combine, Goal, Heuristic as Kind, HeuristicEstimate};
use homing_ir::Model;

use crate::cli::{Heuristic, Search, SearchArgs};
use crate::error::Error;
use crate::option_conflict::OptionConflict;
use crate::play::play;
use crate::property::Safety;
use crate::result::EstimateUse;
use crate::search_task::SearchTask;
use crate::trail;

/// The estimate for a property, or a blind one for an undirected search.
pub struct EstimateChoice<'m> {
    pub estimate: AnyEstimate<'m>,
    name: Option<&'static str>,
}

impl<'m> EstimateChoice<'m> {
    /// Chooses by the options, the algorithm and the property. `path` is the file of the model, next to which the trail
    /// of `--toward` is expected.
    pub fn new(
        options: &SearchArgs,
        path: &Path,
        asked: Heuristic,
        algorithm: Algorithm,
        task: &'m SearchTask,
    ) -> Result<Self, Error> {
        let heuristic = match asked {
            Heuristic::Auto if !algorithm.is_directed() => Heuristic::None,
            Heuristic::Auto if task.safety == Safety::Deadlock => Heuristic::Active,
            Heuristic::Auto if task.safety != Safety::All => Heuristic::Formula,
            named if !algorithm.is_directed() => {
                return Err(OptionConflict::Undirected(named.name(), algorithm.name()).into());
            }
            named => named,
        };
        let (model, combine) = (task.searched(), options.combine.unwrap_or(Combine::Sum));
        let kind = match heuristic {
            Heuristic::None => return Ok(EstimateChoice { estimate: Box::new(Blind), name: None }),
            Heuristic::Auto => Kind::Nearest(combine),
            Heuristic::Formula => Kind::Formula(combine),
            Heuristic::Active => Kind::Active,
            Heuristic::Deadlock => Kind::Deadlock(combine),
            Heuristic::FsmMax => Kind::FsmMax,
            Heuristic::FsmSum => Kind::FsmSum,
            Heuristic::Messages => Kind::Messages,
            Heuristic::Hamming => Kind::Hamming(&goal(options, path, task)?),
            Heuristic::Trail => Kind::Trail(&goal(options, path, task)?),
        };
        let guide = HeuristicEstimate::new(model, kind, target(model, task.safety));
        let guide = guide.map_err(|unfit| OptionConflict::Heuristic(heuristic.name(), unfit))?;
        let name = if heuristic == Heuristic::Auto { NEAREST } else { heuristic.name() };
        Ok(EstimateChoice { estimate: Box::new(guide), name: Some(name) })
    }

    /// What the result reports about the estimate.
    pub fn describe(&mut self, initial: &State) -> Option<EstimateUse> {
        let at_start: Option<Cost> = self.estimate.distance(initial).map(|estimated| estimated.h);
        self.name.map(|name| EstimateUse { name, at_start })
    }
}

/// Refuses options of estimates that the search or the heuristic does not use.
pub fn refuse_idle(options: &SearchArgs, search: Search, heuristic: Heuristic) -> Result<(), OptionConflict> {
    let is_weighted = matches!(search, Search::AStar | Search::Ida);
    let is_directed = is_weighted || matches!(search, Search::Auto | Search::BestFirst);
    let combines = is_directed && matches!(heuristic, Heuristic::Auto | Heuristic::Formula | Heuristic::Deadlock);
    let has_goal = is_directed && matches!(heuristic, Heuristic::Hamming | Heuristic::Trail);
    let by_search = format!("--search {}", search.name());
    let by_heuristic = if is_directed { format!("--heuristic {}", heuristic.name()) } else { by_search.clone() };
    for (is_given, is_used, option, given, applies_to) in [
        (options.weight.is_some(), is_weighted, "--weight", by_search, "astar and ida"),
        (options.combine.is_some(), combines, "--combine", by_heuristic.clone(), "--heuristic formula and deadlock"),
        (options.toward.is_some(), has_goal, "--toward", by_heuristic, "--heuristic hamming and trail"),
    ] {
        if is_given && !is_used {
            return Err(OptionConflict::Idle { option, given, applies_to });
        }
    }
    Ok(())
}

/// The default for all kinds of errors: the smaller of the two estimates.
const NEAREST: &str = "formula or active";

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

/// The goal of `hamming` and `trail`: the last state of the trail given by `--toward`.
fn goal(options: &SearchArgs, model: &Path, task: &SearchTask) -> Result<Box<State>, Error> {
    let path = options.toward.clone().unwrap_or_else(|| trail::beside(model));
    let file = trail::read(&path)?;
    let engine = Interpreter::new(&task.model).map_err(|violation| Error::NoStart { message: violation.message })?;
    let played = play(&engine, &file.trail, |_, _| ());
    let played =
        played.map_err(|broken| Error::TrailMismatch { path: path.clone(), broken: Box::new(broken), stale: false })?;
    Ok(played.player.state().into())
}
