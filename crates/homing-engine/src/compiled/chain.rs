//! Chains: what follows a statement without a test or a choice, in an atomic sequence or because it was absorbed, is executed
//! by the same function, which writes the location once.

use homing_core::Cost;
use homing_ir::{Expr, InitValue, Model, ProctypeId, Transition};

use super::statement::is_always_executable;

/// A longer chain is cut.
const LONGEST: usize = 32;

/// A transition and what is executed behind it at once.
pub struct Chain {
    pub first: Transition,
    pub rest: Vec<Transition>,
    /// What the rest counts for the length of a path.
    pub rest_cost: Cost,
}

impl Chain {
    /// Nothing is executed behind the transition.
    pub fn none(first: Transition) -> Self {
        Chain { first, rest: Vec::new(), rest_cost: 0 }
    }

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

    /// How many of its statements leave their process alone in charge.
    pub fn atomic_steps(&self) -> u32 {
        std::iter::once(&self.first).chain(&self.rest).map(|transition| u32::from(transition.atomic)).sum()
    }
}

/// Whether somebody can see where a process stands, or who moved last, in the middle of a chain.
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
