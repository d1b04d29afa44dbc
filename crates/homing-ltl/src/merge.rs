//! Merging states by checking the language.
//!
//! Two states are replaced by one that has the edges of both. Every run of the automaton is a run of the result, with at
//! least the same marks, so that no word is lost; no word is added iff the result is disjoint from an automaton of the
//! complement. This finds more than simulation does, at the cost of a product for each pair of states.

use crate::automaton::Automaton;
use crate::product::{Joined, View};
use crate::trim::Acceptance;

/// What a product may cost in total, in pairs of edges.
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
    let cost = automaton.edge_count() * negation.edge_count();
    for kept in 0..automaton.states.len() {
        for removed in kept + 1..automaton.states.len() {
            *budget = budget.checked_sub(cost)?;
            let marks = match acceptance {
                Acceptance::Edges => 0,
                Acceptance::States => u32::from(automaton.is_accepting(kept) || automaton.is_accepting(removed)),
            };
            let joined = Joined { kept, removed, marks };
            if (View { automaton, joined: Some(joined) }).is_disjoint(negation) {
                let result = automaton.with_joined(joined).trimmed_by(acceptance);
                if result.strength() <= strength {
                    return Some(result.simulation_reduced(acceptance));
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
