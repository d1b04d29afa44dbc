//! Estimates of the distance from a state to an error, in statements: lower bounds, and guesses.
//!
//! An estimate analyses the model before the search (control-flow graphs, rates of variables, conditions) and reads a
//! state through the engine's [`Reader`](homing_engine::Reader). Most are decomposed into a part for each process
//! (`incremental.rs`), of which only those are computed again that a step may have changed.

mod abstraction;
mod active;
mod at_label;
mod bounds;
mod claim;
mod deadlock;
mod distance;
mod executable;
mod failure;
mod failure_sites;
mod formula;
mod hamming;
mod incremental;
mod invariant;
mod linear;
mod messages;
mod network_errors;
mod rate;
mod read_set;
mod runtime_errors;
#[cfg(test)]
mod testing;

use std::collections::HashSet;

use homing_core::{Changed, Cost, Estimate, Estimated, Guarantee, State, ViolationKind};
use homing_ir::{Expr, Model, Start};

pub use abstraction::{AbstractionEstimate, Drawing, ModelAbstraction, Preparation, Stage, Supervision};
use active::Active;
pub use claim::{ClaimEdge, ClaimEstimate, ClaimGraph, Condition};
use deadlock::{Deadlock, LazyDeadlock};
use executable::never_blocks;
use failure::Failures;
use failure_sites::FailureSites;
pub use formula::Combine;
use formula::Formula;
use hamming::{Hamming, Trail};
pub use homing_abstraction::{BucketOrder, LastProduct, Options as AbstractionOptions, Strategy, TieRule};
use incremental::{Decomposed, Incremental, Nearer, nearer_estimate};
use invariant::Invariant;
use messages::Messages;

/// A choice of an estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heuristic<'a> {
    /// The error as a formula: H_f.
    Formula(Combine),
    /// The number of active processes: H_ap.
    Active,
    /// The nearer of a failing assertion, estimated by a formula, and a deadlock, estimated by the number of active
    /// processes: each by the estimate that usually leads to it soonest. Run-time errors are left out: they seem near
    /// everywhere, and mislead the search.
    Nearest(Combine),
    /// The formula of an inferred deadlock.
    Deadlock(Combine),
    /// The FSM heuristic: the maximum over the processes of the distances in their graphs.
    FsmMax,
    /// The FSM heuristic with the sum of the distances.
    FsmSum,
    /// The messages that are in channels or have to be sent.
    Messages,
    /// The Hamming distance to this state: the number of components that differ.
    Hamming(&'a State),
    /// The distances of the processes to their locations in this state, the last of a trail, and what else differs.
    Trail(&'a State),
}

/// What is searched for.
#[derive(Clone, Copy, Debug)]
pub enum Goal<'m> {
    /// Errors of these kinds, and no others. A search that also stops at run-time errors has to name them: the estimate
    /// knows where a model can have one.
    Errors(&'m [ViolationKind]),
    /// A state in which the expression is 0, or a run-time error.
    Invariant(&'m Expr),
    /// A state in which the expression is 0, and no other error.
    Condition(&'m Expr),
}

impl<'m> Goal<'m> {
    /// What is left without run-time errors, if they are not all that is asked for and are not asked for by name.
    fn without_faults(self) -> Option<Goal<'m>> {
        let has = |kinds: &[ViolationKind], kind| kinds.contains(&kind);
        match self {
            Goal::Invariant(expr) => Some(Goal::Condition(expr)),
            Goal::Condition(_) => None,
            Goal::Errors(kinds) if !has(kinds, ViolationKind::RuntimeError) => None,
            Goal::Errors(kinds) => {
                match (has(kinds, ViolationKind::Assertion), has(kinds, ViolationKind::InvalidEndState)) {
                    (true, false) => Some(Goal::Errors(&[ViolationKind::Assertion])),
                    (false, true) => Some(Goal::Errors(&[ViolationKind::InvalidEndState])),
                    _ => None,
                }
            }
        }
    }
}

/// An estimate that does not apply to the goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    #[error("an estimate for deadlocks, but invalid end states are not looked for")]
    NoDeadlock,
    #[error("an estimate for errors of processes, but an invariant is looked for")]
    NoProcess,
    #[error("an estimate for errors of processes, but a run that a claim accepts is looked for")]
    NoClaim,
}

/// The estimate that a [`Heuristic`] stands for.
pub struct HeuristicEstimate<'m>(Box<dyn Estimate + Send + 'm>);

impl<'m> HeuristicEstimate<'m> {
    /// Analyses the model. The states are those of an engine for the same model: the reduced one if that is searched.
    pub fn new(model: &'m Model, heuristic: Heuristic<'_>, target: Goal<'m>) -> Result<Self, Unfit> {
        Ok(match (heuristic, target) {
            (Heuristic::Active, _) => incremental(model, Active::of(model)),
            (Heuristic::Nearest(combine), Goal::Errors(_)) => {
                let failures = Failures::of(model, &[ViolationKind::Assertion]);
                if !failures.are_possible() {
                    let fault = if never_deadlocks(model) { faults(model, combine) } else { None };
                    return Ok(match fault {
                        Some(fault) => HeuristicEstimate(Box::new(Unpruned(fault))),
                        None => incremental(model, Active::of(model)),
                    });
                }
                let sites = FailureSites::of(model, combine, |id, at, action| failures.fails(id, at, action));
                incremental(model, Nearer(sites, Active::of(model)))
            }
            (Heuristic::Messages, _) => HeuristicEstimate(Box::new(Messages::new(model))),
            (Heuristic::Hamming(goal), _) => HeuristicEstimate(Box::new(Hamming::new(model, goal))),
            (Heuristic::Trail(goal), _) => HeuristicEstimate(Box::new(Trail::new(model, goal))),
            (_, Goal::Invariant(expr) | Goal::Condition(expr)) => {
                let combine = match heuristic {
                    Heuristic::Formula(combine) | Heuristic::Nearest(combine) => combine,
                    // In a network a query names the error locations of processes, as [DFP-06] does.
                    Heuristic::FsmMax if model.features.network => Combine::Max,
                    Heuristic::FsmSum if model.features.network => Combine::Sum,
                    _ => return Err(Unfit::NoProcess),
                };
                by_invariant(model, target, expr, combine)
            }
            (Heuristic::Deadlock(_), Goal::Errors(kinds)) if !kinds.contains(&ViolationKind::InvalidEndState) => {
                return Err(Unfit::NoDeadlock);
            }
            (Heuristic::Formula(combine) | Heuristic::Deadlock(combine), Goal::Errors(kinds)) => {
                let failures = Failures::of(model, kinds);
                let sites = || FailureSites::of(model, combine, |id, at, action| failures.fails(id, at, action));
                by_kinds(model, kinds, sites, || Deadlock::by_formula(model, combine))
            }
            (Heuristic::FsmMax, Goal::Errors(kinds)) => by_distance(model, kinds, Combine::Max),
            (Heuristic::FsmSum, Goal::Errors(kinds)) => by_distance(model, kinds, Combine::Sum),
        })
    }

    /// The estimate for a search that promises nothing of the length of its paths, from an initial state. Run-time errors violate every
    /// property and seem near in many models, so that they mislead: where another error is reachable they are left aside.
    pub fn for_order(
        self,
        model: &'m Model,
        heuristic: Heuristic<'_>,
        target: Goal<'m>,
        initial: &State,
    ) -> Result<Self, Unfit> {
        let leads_to_errors =
            !matches!(heuristic, Heuristic::Active | Heuristic::Messages | Heuristic::Hamming(_) | Heuristic::Trail(_));
        let others = target.without_faults().filter(|_| leads_to_errors && can_fault(model));
        let Some(goal) = others else { return Ok(self) };
        let mut wanted = Self::new(model, heuristic, goal)?;
        let is_reachable = wanted.distance(initial).is_some();
        Ok(if is_reachable { HeuristicEstimate(Box::new(Preferred { wanted, any: self })) } else { self })
    }
}

/// Whether a statement of the model can have a run-time error.
fn can_fault(model: &Model) -> bool {
    Failures::of(model, &[ViolationKind::RuntimeError]).are_possible()
}

/// The estimate for a state in which an invariant does not hold, or a run-time error if these are asked for.
fn by_invariant<'m>(model: &'m Model, goal: Goal<'_>, expr: &'m Expr, combine: Combine) -> HeuristicEstimate<'m> {
    let broken = incremental(model, Invariant::of(model, expr, combine));
    let faults = if matches!(goal, Goal::Condition(_)) { None } else { faults(model, combine) };
    match faults {
        Some(faults) => HeuristicEstimate(Box::new(Either(broken, faults))),
        None => broken,
    }
}

/// The estimate for run-time errors, if the model can have one.
fn faults<'m>(model: &'m Model, combine: Combine) -> Option<HeuristicEstimate<'m>> {
    let failures = Failures::of(model, &[ViolationKind::RuntimeError]);
    let sites = || FailureSites::of(model, combine, |id, at, action| failures.fails(id, at, action));
    failures.are_possible().then(|| incremental(model, sites()))
}

/// Whether a process exists from the start that can always move: it neither waits nor ends. Then run-time errors are all that
/// is left to look for, and the number of active processes leads nowhere.
fn never_deadlocks(model: &Model) -> bool {
    let always_moves = |start: &Start| {
        let proctype = model.proctype(start.proctype);
        let automaton = &proctype.automaton;
        let moves = |location: u32| {
            let mut transitions = automaton.location(location).transitions.iter();
            transitions.any(|transition| never_blocks(&automaton.statement(transition.statement).action))
        };
        let (mut open, mut seen) = (vec![automaton.start], HashSet::new());
        while let Some(location) = open.pop() {
            if seen.insert(location) {
                if location == 0 || !moves(location) {
                    return false;
                }
                open.extend(automaton.location(location).transitions.iter().map(|transition| transition.target));
            }
        }
        proctype.provided.is_none()
    };
    !model.features.priorities && model.monitor.is_none() && model.start.iter().any(always_moves)
}

/// An estimate that gives up no state: where it sees no error, one is far away.
struct Unpruned<'m>(HeuristicEstimate<'m>);

impl Unpruned<'_> {
    const FAR: Cost = 1 << 16;
}

impl Estimate for Unpruned<'_> {
    fn distance(&mut self, state: &State) -> Option<Estimated> {
        self.0.distance(state).or(Some(Self::FAR.into()))
    }

    fn expand(&mut self, state: &State) {
        self.0.expand(state);
    }

    fn distance_after(&mut self, state: &State, changed: Changed<'_>) -> Option<Estimated> {
        self.0.distance_after(state, changed).or(Some(Self::FAR.into()))
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee::Guess
    }
}

/// The estimate for the errors that are wanted; where none of them is reachable, for any.
struct Preferred<'m> {
    wanted: HeuristicEstimate<'m>,
    any: HeuristicEstimate<'m>,
}

impl Preferred<'_> {
    /// What is not wanted comes last.
    fn last(any: Option<Estimated>) -> Option<Estimated> {
        any.map(|Estimated { h, tie }| Estimated { h: h.saturating_add(Unpruned::FAR), tie })
    }
}

impl Estimate for Preferred<'_> {
    fn distance(&mut self, state: &State) -> Option<Estimated> {
        self.wanted.distance(state).or_else(|| Self::last(self.any.distance(state)))
    }

    fn expand(&mut self, state: &State) {
        self.wanted.expand(state);
        self.any.expand(state);
    }

    fn distance_after(&mut self, state: &State, changed: Changed<'_>) -> Option<Estimated> {
        let wanted = self.wanted.distance_after(state, changed);
        wanted.or_else(|| Self::last(self.any.distance_after(state, changed)))
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee::Guess
    }
}

/// The estimate for the nearer of two errors.
struct Either<'m>(HeuristicEstimate<'m>, HeuristicEstimate<'m>);

impl Estimate for Either<'_> {
    fn distance(&mut self, state: &State) -> Option<Estimated> {
        nearer_estimate(self.0.distance(state), self.1.distance(state))
    }

    fn expand(&mut self, state: &State) {
        self.0.expand(state);
        self.1.expand(state);
    }

    fn distance_after(&mut self, state: &State, changed: Changed<'_>) -> Option<Estimated> {
        nearer_estimate(self.0.distance_after(state, changed), self.1.distance_after(state, changed))
    }

    fn guarantee(&self) -> Guarantee {
        self.0.guarantee().min(self.1.guarantee())
    }
}

/// The FSM heuristic. In [DFP-06] §2.1 every automaton has error states and all have to be in one. Here a failing
/// statement is the error of one process, and the others have the trivial error condition, so the nearest failure
/// counts.
fn by_distance<'m>(model: &'m Model, kinds: &[ViolationKind], combine: Combine) -> HeuristicEstimate<'m> {
    let failures = Failures::of(model, kinds);
    let fails = |id, at, action| failures.fails(id, at, action).map(|_| Formula::Anything);
    by_kinds(model, kinds, || FailureSites::of(model, combine, fails), || Deadlock::by_distance(model, combine))
}

/// The estimate for the nearest of these kinds of errors.
fn by_kinds<'m>(
    model: &'m Model,
    kinds: &[ViolationKind],
    sites: impl Fn() -> FailureSites<'m>,
    deadlock: impl Fn() -> Deadlock<'m>,
) -> HeuristicEstimate<'m> {
    let deadlocks = kinds.contains(&ViolationKind::InvalidEndState);
    let failures = kinds.iter().any(|kind| *kind != ViolationKind::InvalidEndState);
    match (deadlocks, failures) {
        (true, true) => incremental(model, Nearer(LazyDeadlock(deadlock()), sites())),
        (true, false) => incremental(model, deadlock()),
        (false, _) => incremental(model, sites()),
    }
}

fn incremental<'m, P: Decomposed<Part: Send> + Send + 'm>(model: &'m Model, parts: P) -> HeuristicEstimate<'m> {
    HeuristicEstimate(Box::new(Incremental::new(model, parts)))
}

impl Estimate for HeuristicEstimate<'_> {
    fn distance(&mut self, state: &State) -> Option<Estimated> {
        self.0.distance(state)
    }

    fn expand(&mut self, state: &State) {
        self.0.expand(state);
    }

    fn distance_after(&mut self, state: &State, changed: Changed<'_>) -> Option<Estimated> {
        self.0.distance_after(state, changed)
    }

    fn guarantee(&self) -> Guarantee {
        self.0.guarantee()
    }
}
