//! Chains: statements that follow a transition without a guard or a choice, in an atomic sequence or because they were
//! absorbed, are executed by the same function, which writes the location once.

use homing_core::Cost;
use homing_ir::{Expr, InitValue, Model, ProctypeId, Transition};

use super::statement::is_always_executable;

/// The most transitions of a chain; a longer one is cut.
const LONGEST: usize = 32;

/// A transition and those that the same function executes after it.
pub struct Chain {
    pub first: Transition,
    pub rest: Vec<Transition>,
    /// The cost of the rest.
    pub rest_cost: Cost,
}

impl Chain {
    /// The chain of one transition.
    pub fn none(first: Transition) -> Self {
        Chain { first, rest: Vec::new(), rest_cost: 0 }
    }

    /// The longest chain that begins with a transition.
    pub fn behind(model: &Model, proctype: ProctypeId, first: Transition) -> Self {
        let automaton = &model.proctype(proctype).automaton;
        let mut chain = Chain::none(first);
        while chain.rest.len() + 1 < LONGEST {
            let last = chain.last();
            if !(last.atomic || last.merged) || last.target == 0 {
                break;
            }
            let location = automaton.location(last.target);
            let [next] = location.transitions[..] else { break };
            let action = &automaton.statement(next.statement).action;
            if next.escape > 0 || next.target == 0 || !is_always_executable(action) {
                break;
            }
            chain.rest.push(next);
            chain.rest_cost += Cost::from(last.atomic || !location.deferred);
        }
        chain
    }

    pub fn last(&self) -> Transition {
        self.rest.last().copied().unwrap_or(self.first)
    }

    /// The number of its statements that end inside an atomic sequence.
    pub fn atomic_steps(&self) -> u32 {
        std::iter::once(&self.first).chain(&self.rest).map(|transition| u32::from(transition.atomic)).sum()
    }
}

/// Whether a statement of the model can observe the location of a process, or `_last`, in the middle of a chain.
pub fn is_seen_inside(model: &Model) -> bool {
    let mut seen = model.features.last;
    let mut look = |expr: &Expr| {
        expr.walk(&mut |part| {
            seen |= matches!(part, Expr::RemoteLabel { .. } | Expr::Location(_) | Expr::Enabled(_) | Expr::NonProgress);
        });
    };
    for proctype in &model.proctypes {
        proctype.automaton.statements.iter().for_each(|statement| statement.action.for_each_expr(&mut look));
        for init in &proctype.inits {
            if let InitValue::Value(value) = &init.value {
                look(value);
            }
        }
    }
    seen || model.proctypes.iter().any(|proctype| proctype.provided.is_some() || proctype.deterministic)
}
