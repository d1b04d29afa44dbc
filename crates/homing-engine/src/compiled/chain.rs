//! Chains: what follows a statement in an atomic sequence without a test or a choice is executed by the same function, which
//! writes the location once.

use homing_ir::{Action, Expr, InitValue, Model, ProctypeId, Transition};

use super::statement::is_always_executable;

/// A longer chain is cut.
const LONGEST: usize = 32;

/// What is executed behind a transition at once.
pub struct Chain<'m> {
    pub rest: Vec<&'m Action>,
    /// Where it leads.
    pub target: u32,
    /// As in [`Transition::atomic`], of the last.
    pub atomic: bool,
}

impl<'m> Chain<'m> {
    /// Nothing is executed behind the transition.
    pub fn none(transition: Transition) -> Self {
        Chain { rest: Vec::new(), target: transition.target, atomic: transition.atomic }
    }

    pub fn behind(model: &'m Model, proctype: ProctypeId, transition: Transition) -> Self {
        let automaton = &model.proctype(proctype).automaton;
        let mut chain = Chain::none(transition);
        while chain.atomic && chain.target > 0 && chain.rest.len() + 1 < LONGEST {
            let [next] = automaton.location(chain.target).transitions[..] else { break };
            let action = &automaton.statement(next.statement).action;
            if next.escape > 0 || next.target == 0 || !is_always_executable(action) {
                break;
            }
            chain.rest.push(action);
            (chain.target, chain.atomic) = (next.target, next.atomic);
        }
        chain
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
