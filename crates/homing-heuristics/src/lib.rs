//! Estimates of the distance from a state to an error: the number of statements that it takes at least, or probably.
//!
//! An estimate reads the model before the search (graphs of processes, rates of variables, conditions) and a state by the
//! engine's [`Reader`]. Most are made of a part for each process (`parts.rs`), and compute again only what a step changed.

mod active;
mod bounds;
mod deadlock;
mod distance;
mod executable;
mod failure;
mod fault;
mod formula;
mod hamming;
mod invariant;
mod linear;
mod messages;
mod notes;
mod parts;
mod rate;
mod sites;
mod standing;
#[cfg(test)]
mod testing;

use homing_core::{Changed, Estimate, Estimated, Guarantee, State, ViolationKind};
use homing_ir::{Expr, Model};

use active::Active;
use deadlock::{Deadlock, Late};
use failure::Failures;
pub use formula::Combine;
use formula::Formula;
use hamming::{Hamming, Trail};
use invariant::Invariant;
use messages::Messages;
use parts::{ByParts, Nearer, Parts, nearer_estimate};
use sites::Sites;

/// Which estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heuristic<'a> {
    /// What the error is, as a formula: H_f.
    Formula(Combine),
    /// The number of processes that can move: H_ap.
    Active,
    /// The nearer of a failing assertion, as a formula, and a deadlock, by the number of processes that can move: each has
    /// the estimate that leads to it soonest, as a rule. (Run-time errors seem near everywhere, and lead astray.)
    Nearest(Combine),
    /// The inferred deadlock formula.
    Deadlock(Combine),
    /// The greatest distance of a process in its graph.
    FsmMax,
    /// The sum of the distances of processes in their graphs.
    FsmSum,
    /// Messages that are on the way or have to be sent.
    Messages,
    /// The components in which a state differs from this one.
    Hamming(&'a State),
    /// How far processes are from where they stand in this one, the last of a trail, and what else differs.
    Trail(&'a State),
}

/// What is looked for.
#[derive(Clone, Copy, Debug)]
pub enum Goal<'m> {
    /// Errors of these kinds, and no others. Whoever stops at run-time errors as well has to name them: the estimate knows
    /// where a model can have one.
    Errors(&'m [ViolationKind]),
    /// A state in which the expression is 0, or a run-time error.
    Invariant(&'m Expr),
}

/// An estimate that has nothing to say about what is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    #[error("an estimate for deadlocks, but invalid end states are not looked for")]
    NoDeadlock,
    #[error("an estimate for errors of processes, but an invariant is looked for")]
    NoProcess,
}

/// An estimate that was chosen.
pub struct Guide<'m>(Box<dyn Estimate + Send + 'm>);

impl<'m> Guide<'m> {
    /// Reads the model. The states are those of an engine of the same model; of a reduced copy, if that is what is searched.
    pub fn new(model: &'m Model, heuristic: Heuristic<'_>, target: Goal<'m>) -> Result<Self, Unfit> {
        Ok(match (heuristic, target) {
            (Heuristic::Active, _) => by_parts(model, Active::of(model)),
            (Heuristic::Nearest(combine), Goal::Errors(_)) => {
                let failures = Failures::of(model, &[ViolationKind::Assertion]);
                if !failures.are_possible() {
                    return Ok(by_parts(model, Active::of(model)));
                }
                let sites = Sites::of(model, combine, |id, action| failures.fails(id, action));
                by_parts(model, Nearer(sites, Active::of(model)))
            }
            (Heuristic::Messages, _) => Guide(Box::new(Messages::new(model))),
            (Heuristic::Hamming(goal), _) => Guide(Box::new(Hamming::new(model, goal))),
            (Heuristic::Trail(goal), _) => Guide(Box::new(Trail::new(model, goal))),
            (Heuristic::Formula(combine) | Heuristic::Nearest(combine), Goal::Invariant(expr)) => {
                let broken = by_parts(model, Invariant::of(model, expr, combine));
                match faults(model, combine) {
                    Some(faults) => Guide(Box::new(Either(broken, faults))),
                    None => broken,
                }
            }
            (_, Goal::Invariant(_)) => return Err(Unfit::NoProcess),
            (Heuristic::Deadlock(_), Goal::Errors(kinds)) if !kinds.contains(&ViolationKind::InvalidEndState) => {
                return Err(Unfit::NoDeadlock);
            }
            (Heuristic::Formula(combine) | Heuristic::Deadlock(combine), Goal::Errors(kinds)) => {
                let failures = Failures::of(model, kinds);
                let sites = || Sites::of(model, combine, |id, action| failures.fails(id, action));
                by_kinds(model, kinds, sites, || Deadlock::by_formula(model, combine))
            }
            (Heuristic::FsmMax, Goal::Errors(kinds)) => by_distance(model, kinds, Combine::Max),
            (Heuristic::FsmSum, Goal::Errors(kinds)) => by_distance(model, kinds, Combine::Sum),
        })
    }
}

/// The way to a run-time error, if the model can have one.
fn faults<'m>(model: &'m Model, combine: Combine) -> Option<Guide<'m>> {
    let failures = Failures::of(model, &[ViolationKind::RuntimeError]);
    let sites = || Sites::of(model, combine, |id, action| failures.fails(id, action));
    failures.are_possible().then(|| by_parts(model, sites()))
}

/// The nearer of two errors, each with an estimate of its own.
struct Either<'m>(Guide<'m>, Guide<'m>);

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

/// The paper's automata have an error each, and all have to come to it. Here a failing statement is the error of one
/// process and those of all others are trivial, so the nearest counts.
fn by_distance<'m>(model: &'m Model, kinds: &[ViolationKind], combine: Combine) -> Guide<'m> {
    let failures = Failures::of(model, kinds);
    let fails = |id, action| failures.fails(id, action).map(|_| Formula::Anything);
    by_kinds(model, kinds, || Sites::of(model, combine, fails), || Deadlock::by_distance(model, combine))
}

/// The nearer of what is looked for.
fn by_kinds<'m>(
    model: &'m Model,
    kinds: &[ViolationKind],
    sites: impl Fn() -> Sites<'m>,
    deadlock: impl Fn() -> Deadlock<'m>,
) -> Guide<'m> {
    let deadlocks = kinds.contains(&ViolationKind::InvalidEndState);
    let failures = kinds.iter().any(|kind| *kind != ViolationKind::InvalidEndState);
    match (deadlocks, failures) {
        (true, true) => by_parts(model, Nearer(Late(deadlock()), sites())),
        (true, false) => by_parts(model, deadlock()),
        (false, _) => by_parts(model, sites()),
    }
}

fn by_parts<'m, P: Parts<Value: Send> + Send + 'm>(model: &'m Model, parts: P) -> Guide<'m> {
    Guide(Box::new(ByParts::new(model, parts)))
}

impl Estimate for Guide<'_> {
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
