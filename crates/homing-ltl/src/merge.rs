//! Merging states by checking the language.
//!
//! Two states are replaced by one that has the edges of both. Every run of the automaton is a run of the result, with
//! at least the same marks, so that no word is lost; no word is added iff the result is disjoint from an automaton of
//! the complement. This finds more than simulation does, at the cost of a product for each pair of states.

use crate::automaton::Automaton;
use crate::letters::Letters;
use crate::product::{Joined, View};
use crate::trim::Acceptance;

/// What all products may cost, in pairs of edges.
const BUDGET: usize = 3_000_000;

/// An automaton of the same language in which no two states can be merged, unless that takes too long to find out.
/// `negation` must accept the complement.
pub fn merged(mut automaton: Automaton, negation: &Automaton, acceptance: Acceptance) -> Automaton {
    let mut budget = BUDGET;
    while let Some(smaller) = smaller(&automaton, negation, acceptance, &mut budget) {
        automaton = smaller;
    }
    automaton
}

/// The automaton after one merger that does not make it harder to search.
fn smaller(
    automaton: &Automaton,
    negation: &Automaton,
    acceptance: Acceptance,
    budget: &mut usize,
) -> Option<Automaton> {
    let strength = automaton.strength();
    let label_cost = if Letters::is_tabulated(automaton.propositions) { 1 } else { 10 };
    let cost = automaton.edge_count() * negation.edge_count() * label_cost;
    for kept in 0..automaton.states.len() {
        for removed in kept + 1..automaton.states.len() {
            *budget = budget.checked_sub(cost)?;
            let marks = match acceptance {
                Acceptance::Edges => 0,
                Acceptance::States => u32::from(automaton.is_accepting(kept) || automaton.is_accepting(removed)),
            };
            let joined = Joined { kept, removed, marks };
            if (View { automaton, joined: Some(joined) }).is_disjoint(negation) {
                let result = automaton.with_joined(joined).trimmed_by(acceptance).simulation_reduced(acceptance);
                if result.strength() <= strength {
                    return Some(result);
                }
            }
        }
    }
    None
}

impl Automaton {
    /// The automaton with two states joined. The removed one stays, without edges.
    fn with_joined(&self, Joined { kept, removed, marks }: Joined) -> Automaton {
        let mut joined = self.clone();
        let edges = std::mem::take(&mut joined.states[removed]);
        joined.states[kept].extend(edges);
        joined.states[kept].iter_mut().for_each(|edge| edge.marks |= marks);
        for edge in joined.states.iter_mut().flatten().filter(|edge| edge.target == removed) {
            edge.target = kept;
        }
        if joined.initial == removed {
            joined.initial = kept;
        }
        joined
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{parse, translate_over};

    #[test]
    fn states_are_merged_that_do_not_simulate_each_other() {
        let formula = parse("<> [] p || [] <> q").expect("a formula").formula;
        let negation = translate_over(&!formula.clone(), 2).expect("small");
        let plain = translate_over(&formula, 2).expect("small").degeneralised();
        let smaller = merged(plain.clone(), &negation, Acceptance::States);
        assert!(smaller.states.len() <= 3 && smaller.is_disjoint(&negation), "{smaller:?}");
        let states = 0..smaller.states.len();
        assert!(states.into_iter().all(|state| {
            let edges = &smaller.states[state];
            edges.iter().all(|edge| edge.marks == edges[0].marks)
        }));
    }

    #[test]
    fn nothing_is_merged_that_adds_a_word() {
        for text in ["<> p", "[] <> p && [] <> q", "p U q", "X p"] {
            let formula = parse(text).expect("a formula").formula;
            let propositions = formula.proposition_count();
            let negation = translate_over(&!formula.clone(), propositions).expect("small");
            let automaton = translate_over(&formula, propositions).expect("small");
            assert_eq!(merged(automaton.clone(), &negation, Acceptance::Edges), automaton, "{text}");
        }
    }
}
