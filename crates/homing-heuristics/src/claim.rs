//! The distance to where a claim accepts: how far the conditions on its way are from holding.
//!
//! A claim moves by a condition on the state that it reads. To come from a claim state to its goal (the end of the
//! claim, or a component with accepting cycles) the conditions of all edges of some way have to hold, one after the
//! other. Each is at least H_f ([ELL-04] §4) statements away, so a way is at least as far as the farthest of its
//! conditions, and the goal as the nearest way:
//!
//! h(s, q) = min over the ways from q of the max over their edges of H_f(condition of the edge)(s).
//!
//! By duality that is the max over the cuts between q and the goal of the min over the edges of the cut: one of these
//! edges has to be taken. Moves of the claim alone cost nothing, so the number of edges is no lower bound; it breaks
//! ties.
//!
//! Consistent with [`Combine::Max`]: the condition of an edge that is taken holds, so the edge adds nothing to the ways
//! from its target, and H_f of each condition falls by no more than a step costs. With [`Combine::Sum`] the conditions
//! of a way are added up, which is a guess.

use std::cell::{Cell, RefCell};

use homing_core::{Changed, Cost, Estimate, Estimated, Guarantee, State};
use homing_ir::{Expr, Model, Observer};

use crate::distance::Deferred;
use crate::executable::StateView;
use crate::formula::{Combine, Formula, FormulaBuilder, Measure, Polarity};
use crate::incremental::{Decomposed, Incremental, nearer_estimate};
use crate::read_set::ReadSet;
use crate::{HeuristicEstimate, faults};

/// A claim as an estimate sees it: its states, and the ways between them.
#[derive(Clone, Debug, Default)]
pub struct ClaimGraph {
    /// The conditions of the edges, each once.
    pub conditions: Vec<Condition>,
    /// By state: its edges, or `None` if it is a goal.
    pub states: Vec<Option<Vec<ClaimEdge>>>,
}

/// A condition over the propositions of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// One of these conjunctions of propositions, each with the value that it is to have.
    Any(Vec<Vec<(usize, bool)>>),
    /// Nothing is known of it.
    Unknown,
}

/// A move of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClaimEdge {
    /// The number of its condition.
    pub condition: usize,
    /// The state that it leads to; `None` if that is its end.
    pub target: Option<usize>,
}

/// The estimate of the distance to where a claim accepts.
pub struct ClaimEstimate<'m> {
    ways: Incremental<'m, Routes<'m>>,
    /// Run-time errors of the model are errors too.
    faults: Option<HeuristicEstimate<'m>>,
}

impl<'m> ClaimEstimate<'m> {
    /// Analyses the conditions, which are over the propositions of the model. The states are those of an engine for the
    /// same model.
    pub fn new(model: &'m Model, claim: &ClaimGraph, combine: Combine) -> Self {
        let ways = Routes::of(model, claim, combine);
        ClaimEstimate { ways: Incremental::new(model, ways), faults: faults(model, combine) }
    }

    /// The estimate for a state of the model and a state of the claim.
    pub fn distance(&mut self, state: &State, claim: u16) -> Option<Estimated> {
        self.ways.decomposed().at.set(usize::from(claim));
        let here = self.ways.distance(state);
        self.or_fault(here, |faults| faults.distance(state))
    }

    /// The states to come are reached by one step from this one.
    pub fn expand(&mut self, state: &State) {
        self.ways.expand(state);
        self.faults.iter_mut().for_each(|faults| faults.expand(state));
    }

    /// As [`ClaimEstimate::distance`], for a state that a step out of the one being expanded leads to.
    pub fn distance_after(&mut self, state: &State, claim: u16, changed: Changed<'_>) -> Option<Estimated> {
        self.ways.decomposed().at.set(usize::from(claim));
        let here = self.ways.distance_after(state, changed);
        self.or_fault(here, |faults| faults.distance_after(state, changed))
    }

    fn or_fault(
        &mut self,
        here: Option<Estimated>,
        fault: impl FnOnce(&mut HeuristicEstimate<'m>) -> Option<Estimated>,
    ) -> Option<Estimated> {
        match &mut self.faults {
            Some(faults) if here.is_none_or(|here| here.h > 0) => nearer_estimate(here, fault(faults)),
            _ => here,
        }
    }

    /// What is known of the estimate.
    pub fn guarantee(&self) -> Guarantee {
        let of_faults = self.faults.as_ref().map_or(Guarantee::Consistent, Estimate::guarantee);
        self.ways.guarantee().min(of_faults)
    }
}

/// The ways of a claim to its goal.
struct Routes<'m> {
    formulas: Vec<Formula<'m>>,
    states: Vec<Option<Vec<ClaimEdge>>>,
    /// The states that are no goal and have a way to one, those with few edges to it first.
    order: Vec<usize>,
    /// By state: the number of edges to a goal, at least.
    moves: Vec<Cost>,
    combine: Combine,
    /// Reading the propositions can be a run-time error.
    may_fail: bool,
    /// The state of the claim that is estimated.
    at: Cell<usize>,
    scratch: RefCell<Scratch>,
}

/// The statements to something; `None` if it is never reached.
type Statements = Vec<Option<Cost>>;

#[derive(Default)]
struct Scratch {
    /// By condition.
    conditions: Statements,
    /// By state of the claim, to its goal.
    reached: Statements,
}

impl<'m> Routes<'m> {
    fn of(model: &'m Model, claim: &ClaimGraph, combine: Combine) -> Self {
        let builder = FormulaBuilder::new(model, Deferred::Free);
        let observer = Observer::of(model);
        let literal = |&(number, holds): &(usize, bool)| {
            let polarity = if holds { Polarity::Holds } else { Polarity::Fails };
            match &model.propositions[number] {
                proposition if mentions_progress(proposition) => Formula::Anything,
                proposition => builder.formula(None, proposition, polarity),
            }
        };
        let formula = |condition: &Condition| match condition {
            Condition::Unknown => Formula::Anything,
            Condition::Any(ways) => {
                Formula::Any(ways.iter().map(|way| Formula::all(way.iter().map(literal))).collect())
            }
        };
        let formulas: Vec<Formula<'m>> = claim.conditions.iter().map(formula).collect();
        let moves = moves(&claim.states);
        let mut order: Vec<usize> = (0..moves.len()).filter(|&at| (1..Cost::MAX).contains(&moves[at])).collect();
        order.sort_by_key(|&at| moves[at]);
        Routes {
            formulas,
            states: claim.states.clone(),
            order,
            moves,
            combine,
            may_fail: model.propositions.iter().any(|proposition| observer.can_fail(proposition)),
            at: Cell::new(0),
            scratch: RefCell::default(),
        }
    }

    /// The statements until the goal is reached from a state of the claim; `None` if it never is.
    fn from(&self, at: usize, conditions: &[Option<Cost>], reached: &mut Statements) -> Option<Cost> {
        let Some(edges) = &self.states[at] else { return Some(0) };
        if edges.iter().all(|edge| edge.target.is_none_or(|target| target == at || self.states[target].is_none())) {
            // the usual claim: every edge that leaves the state leads to the goal
            let last =
                edges.iter().filter(|edge| edge.target != Some(at)).filter_map(|edge| conditions[edge.condition]);
            return last.min();
        }
        reached.clear();
        reached.extend(self.states.iter().map(|edges| edges.is_none().then_some(0)));
        loop {
            let mut is_stable = true;
            for &state in &self.order {
                for edge in self.states[state].iter().flatten() {
                    let after = edge.target.map_or(Some(0), |target| reached[target]);
                    let Some((after, condition)) = after.zip(conditions[edge.condition]) else { continue };
                    let here = self.combine.of(condition, after);
                    if reached[state].is_none_or(|known| here < known) {
                        reached[state] = Some(here);
                        is_stable = false;
                    }
                }
            }
            if is_stable {
                return reached[at];
            }
        }
    }
}

/// The value of `np_` where nothing moves is not that of the state.
fn mentions_progress(expr: &Expr) -> bool {
    let mut mentions = false;
    expr.walk(&mut |part| mentions |= matches!(part, Expr::NonProgress));
    mentions
}

/// By state: the number of edges to a goal, at least; [`Cost::MAX`] if there is no way.
fn moves(states: &[Option<Vec<ClaimEdge>>]) -> Vec<Cost> {
    let mut moves: Vec<Cost> = states.iter().map(|edges| if edges.is_none() { 0 } else { Cost::MAX }).collect();
    loop {
        let mut is_stable = true;
        for (at, edges) in states.iter().enumerate() {
            let after = edges.iter().flatten().map(|edge| edge.target.map_or(0, |target| moves[target]));
            let here = after.min().map_or(Cost::MAX, |least| least.saturating_add(1));
            if here < moves[at] {
                moves[at] = here;
                is_stable = false;
            }
        }
        if is_stable {
            return moves;
        }
    }
}

impl Decomposed for Routes<'_> {
    type Part = Option<Cost>;

    fn part_count(&self, _: &StateView<'_>) -> usize {
        self.formulas.len()
    }

    fn part<R: ReadSet>(&self, view: &StateView<'_>, part: usize, reads: &mut R) -> Option<Cost> {
        let measure = Measure { view, combine: self.combine, pid: 0 };
        measure.statements(&self.formulas[part], reads)
    }

    fn estimate(
        &self,
        _: &StateView<'_>,
        parts: impl Iterator<Item = Option<Cost>> + Clone,
        _: Cost,
    ) -> Option<Estimated> {
        let Scratch { conditions, reached } = &mut *self.scratch.borrow_mut();
        conditions.clear();
        conditions.extend(parts);
        let at = self.at.get();
        let h = match (self.from(at, conditions, reached), self.may_fail) {
            (None, false) => return None,
            (_, true) if self.combine == Combine::Max => 0,
            (h, _) => h.unwrap_or(0),
        };
        Some(Estimated { h, tie: self.moves[at] })
    }

    fn guarantee(&self) -> Guarantee {
        match self.combine {
            Combine::Sum => Guarantee::Guess,
            Combine::Max => Guarantee::Consistent,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{initial, model};

    /// A chain `0 -p0-> 1 -p1-> end` in which each state may wait, and `2`, which is a goal.
    fn chain() -> ClaimGraph {
        let is = |number| Condition::Any(vec![vec![(number, true)]]);
        let edge = |condition, target| ClaimEdge { condition, target };
        ClaimGraph {
            conditions: vec![is(0), is(1), Condition::Any(vec![Vec::new()])],
            states: vec![
                Some(vec![edge(0, Some(1)), edge(2, Some(0))]),
                Some(vec![edge(1, None), edge(2, Some(1))]),
                None,
            ],
        }
    }

    fn estimates(text: &str, conditions: [&str; 2], combine: Combine) -> Vec<Option<Cost>> {
        let claims = conditions.map(|condition| format!("do :: ({condition}) -> skip od"));
        let mut model = model(&format!("{text} never {{ {} }}", claims.join("; ")));
        let statements = model.claims[0].automaton.statements.clone();
        let read = statements.iter().filter_map(|statement| match &statement.action {
            homing_ir::Action::Condition(expr) if !matches!(expr, Expr::Const { .. }) => Some(expr.clone()),
            _ => None,
        });
        for expr in read.collect::<Vec<_>>() {
            model.add_proposition(&expr);
        }
        assert_eq!(model.propositions.len(), 2);
        let mut estimate = ClaimEstimate::new(&model, &chain(), combine);
        (0..3).map(|at| estimate.distance(&initial(&model), at).map(|found| found.h)).collect()
    }

    const COUNTER: &str = "byte x, y = 7; byte z = 1; active proctype P() { do :: x++ :: y-- od }";

    #[test]
    fn the_farthest_condition_of_the_nearest_way() {
        assert_eq!(estimates(COUNTER, ["x == 3", "y == 2"], Combine::Max), [Some(5), Some(5), Some(0)]);
        assert_eq!(estimates(COUNTER, ["x == 6", "y == 2"], Combine::Max), [Some(6), Some(5), Some(0)]);
        assert_eq!(estimates(COUNTER, ["x == 6", "y == 2"], Combine::Sum), [Some(11), Some(5), Some(0)]);
    }

    #[test]
    fn a_condition_that_never_holds_cuts_its_way_off() {
        assert_eq!(estimates(COUNTER, ["z == 2", "y == 2"], Combine::Max), [None, Some(5), Some(0)]);
        assert_eq!(estimates(COUNTER, ["x == 3", "z == 2"], Combine::Sum), [None, None, Some(0)]);
    }

    #[test]
    fn a_proposition_without_a_value_may_end_the_run_at_once() {
        assert_eq!(estimates(COUNTER, ["6 / x == 6", "y == 2"], Combine::Max), [Some(0), Some(0), Some(0)]);
        assert_eq!(estimates(COUNTER, ["6 / x == 6", "z == 2"], Combine::Sum), [Some(0), Some(0), Some(0)]);
    }
}
