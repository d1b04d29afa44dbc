//! Chains: statements that follow a transition without a guard or a choice, in an atomic sequence or because they were
//! absorbed, are executed by the same function, which writes the location once.

use homing_core::Cost;
use homing_ir::{Access, AccessSets, Model, Object, ProctypeId, Transition};

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
pub fn is_seen_inside(model: &Model, sets: &AccessSets<'_>) -> bool {
    let sees = |access: &Access<'_>| {
        let object = access.object;
        matches!(
            object,
            Object::RemoteLocation { .. } | Object::Position(_) | Object::Enabledness(_) | Object::Progress
        )
    };
    let seen = model.features.last || sets.iter().any(sees);
    seen || model.proctypes.iter().any(|proctype| proctype.provided.is_some() || proctype.deterministic)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::model;

    #[test]
    fn a_chain_ends_at_a_guard_a_choice_or_the_end_of_an_atomic_sequence() {
        // The statements of the chain, the cost of those after the first, and those that end inside the sequence.
        for (body, expected) in [
            ("atomic { a = 1; a = 2; a = 3 } a = 4", (3, 2, 2)),
            ("atomic { a = 1; a > 0; a = 3 }", (1, 0, 1)),
            ("atomic { a = 1; a = 2; if :: a = 3 :: a = 4 fi }", (2, 1, 2)),
            ("a = 1; a = 2", (1, 0, 0)),
        ] {
            let model = model(&format!("byte a; init {{ {body} }}"));
            let automaton = &model.proctypes[0].automaton;
            let chain = Chain::behind(&model, ProctypeId(0), automaton.location(automaton.start).transitions[0]);
            assert_eq!((1 + chain.rest.len(), chain.rest_cost, chain.atomic_steps()), expected, "{body}");
        }
    }

    #[test]
    fn a_long_chain_is_cut() {
        let model = model(&format!("byte a; init {{ atomic {{ {} }} }}", "a++; ".repeat(2 * LONGEST)));
        let automaton = &model.proctypes[0].automaton;
        let chain = Chain::behind(&model, ProctypeId(0), automaton.location(automaton.start).transitions[0]);
        assert_eq!(1 + chain.rest.len(), LONGEST);
    }

    #[test]
    fn locations_are_observed_by_remote_references_last_and_provided() {
        for (text, expected) in [
            ("active proctype P() { L: skip }", false),
            ("active proctype P() { L: skip } init { P@L }", true),
            ("init { _last == 0 }", true),
            ("byte a; active proctype P() provided (a == 0) { skip }", true),
            ("init { enabled(0) }", true),
        ] {
            let model = model(text);
            assert_eq!(is_seen_inside(&model, &AccessSets::of(&model)), expected, "{text}");
        }
    }
}
