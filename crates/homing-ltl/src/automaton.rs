//! Generalised Büchi automata with marks on their transitions.

use crate::letters::Letters;

/// A generalised Büchi automaton with marks on its transitions (TGBA).
///
/// A run is accepting iff it takes edges of each acceptance set infinitely often; with no sets every infinite run is
/// accepting. The automaton need not be complete: a word may have no run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Automaton {
    /// The number of propositions of a letter, at most [`Letters::MOST_PROPOSITIONS`].
    pub propositions: usize,
    /// The number of acceptance sets, at most [`Automaton::MOST_SETS`].
    pub sets: u32,
    /// The initial state.
    pub initial: usize,
    /// The edges out of each state.
    pub states: Vec<Vec<Edge>>,
}

/// A transition of an automaton.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Edge {
    /// The letters that the edge reads; not empty.
    pub letters: Letters,
    /// Bit i: the edge is in acceptance set i.
    pub marks: u32,
    /// The state after the edge.
    pub target: usize,
}

impl Automaton {
    /// The largest number of acceptance sets.
    pub const MOST_SETS: u32 = 32;

    /// The automaton that accepts no word: one state without edges.
    pub fn empty(propositions: usize) -> Self {
        Automaton { propositions, sets: 0, initial: 0, states: vec![Vec::new()] }
    }

    /// The automaton that accepts every word: one state with a loop.
    pub fn universal(propositions: usize) -> Self {
        let edge = Edge { letters: Letters::all(propositions), marks: 0, target: 0 };
        Automaton { propositions, sets: 0, initial: 0, states: vec![vec![edge]] }
    }

    /// The automaton over other propositions: proposition i becomes `numbers[i]` of `propositions`.
    pub fn renumbered(&self, propositions: usize, numbers: &[usize]) -> Self {
        let edge = |edge: &Edge| Edge { letters: edge.letters.renumbered(propositions, numbers), ..*edge };
        let states = self.states.iter().map(|edges| edges.iter().map(edge).collect()).collect();
        Automaton { propositions, states, ..*self }
    }

    /// The marks of an edge that is in all acceptance sets.
    pub fn all_marks(&self) -> u32 {
        u32::MAX.checked_shr(Self::MOST_SETS - self.sets).unwrap_or(0)
    }

    /// Whether all edges out of a state are in all acceptance sets, and there is one. In a state-based Büchi automaton
    /// these are the accepting states.
    pub fn is_accepting(&self, state: usize) -> bool {
        let all = self.all_marks();
        !self.states[state].is_empty() && self.states[state].iter().all(|edge| edge.marks == all)
    }

    /// Whether each state has at most one edge for each letter.
    pub fn is_deterministic(&self) -> bool {
        let is_unambiguous = |edges: &Vec<Edge>| {
            let mut read = Letters::empty(self.propositions);
            edges.iter().all(|edge| {
                let is_new = !read.intersects(&edge.letters);
                read = read.or(&edge.letters);
                is_new
            })
        };
        self.states.iter().all(is_unambiguous)
    }

    /// The number of edges.
    pub fn edge_count(&self) -> usize {
        self.states.iter().map(Vec::len).sum()
    }

    /// The number of letters that edges read, summed over all edges: the number of transitions of the automaton if each
    /// of its edges is split into one transition for each letter.
    pub fn letter_transitions(&self) -> u128 {
        self.states.iter().flatten().map(|edge| edge.letters.count()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_all_sets() {
        let mut automaton = Automaton::universal(1);
        assert_eq!((automaton.all_marks(), automaton.is_accepting(0)), (0, true));
        automaton.sets = 2;
        assert_eq!((automaton.all_marks(), automaton.is_accepting(0)), (3, false));
        automaton.states[0][0].marks = 3;
        assert!(automaton.is_accepting(0));
        automaton.sets = 32;
        assert_eq!(automaton.all_marks(), u32::MAX);
        assert!(!Automaton::empty(1).is_accepting(0));
    }

    #[test]
    fn transitions_are_counted_by_letters() {
        let mut automaton = Automaton::universal(3);
        automaton.states[0].push(Edge { letters: Letters::proposition(3, 1), marks: 0, target: 0 });
        assert_eq!((automaton.edge_count(), automaton.letter_transitions()), (2, 12));
    }
}
