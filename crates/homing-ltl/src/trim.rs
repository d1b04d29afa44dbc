//! Removes what does not change the language: states, marks and acceptance sets without use.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use rapidhash::fast::RandomState;

use crate::automaton::{Automaton, Edge};
use homing_core::Components;

/// Where an automaton has its marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acceptance {
    /// Each edge has marks of its own.
    Edges,
    /// There is one set, and all edges out of a state have the same marks: a Büchi automaton with accepting states.
    States,
}

impl Automaton {
    /// The automaton without states that cannot be reached or from which no run is accepting, and without marks outside
    /// of accepting components and sets that others imply.
    pub fn trimmed(&self) -> Automaton {
        self.trimmed_by(Acceptance::Edges)
    }

    /// As [`Automaton::trimmed`]; with accepting states only whole states lose their marks.
    pub(crate) fn trimmed_by(&self, acceptance: Acceptance) -> Automaton {
        let mut automaton = self.restricted(&self.reachable());
        let components = automaton.components();
        let accepting = automaton.accepting_components(&components);
        let useful = automaton.useful(&components, &accepting);
        if !useful[automaton.initial] {
            let sets = if acceptance == Acceptance::States { 1 } else { 0 };
            return Automaton { sets, ..Automaton::empty(self.propositions) };
        }
        automaton = automaton.restricted(&useful);
        let components = automaton.components();
        let accepting = automaton.accepting_components(&components);
        automaton.clear_marks(&components, &accepting, acceptance);
        if acceptance == Acceptance::Edges {
            automaton.reduce_sets(&components, &accepting);
        }
        automaton.with_merged_edges()
    }

    fn reachable(&self) -> Vec<bool> {
        let mut reached = vec![false; self.states.len()];
        let mut pending = vec![self.initial];
        while let Some(state) = pending.pop() {
            if !std::mem::replace(&mut reached[state], true) {
                pending.extend(self.states[state].iter().map(|edge| edge.target));
            }
        }
        reached
    }

    /// For each component whether it has an accepting cycle.
    pub(crate) fn accepting_components(&self, components: &Components) -> Vec<bool> {
        let mut marks: Vec<Option<u32>> = vec![None; components.count];
        for (state, edges) in self.states.iter().enumerate() {
            let component = components.of[state];
            for edge in edges.iter().filter(|edge| components.of[edge.target] == component) {
                *marks[component].get_or_insert(0) |= edge.marks;
            }
        }
        marks.into_iter().map(|marks| marks == Some(self.all_marks())).collect()
    }

    /// The states from which an accepting component can be reached.
    fn useful(&self, components: &Components, accepting: &[bool]) -> Vec<bool> {
        let mut is_useful = accepting.to_vec();
        let mut order: Vec<usize> = (0..self.states.len()).collect();
        order.sort_by_key(|&state| components.of[state]); // the components that a state leads to come first
        for state in order {
            if self.states[state].iter().any(|edge| is_useful[components.of[edge.target]]) {
                is_useful[components.of[state]] = true;
            }
        }
        components.of.iter().map(|&component| is_useful[component]).collect()
    }

    /// The automaton of the states that are kept, renumbered in order; the initial state must be one of them.
    pub(crate) fn restricted(&self, kept: &[bool]) -> Automaton {
        let mut numbers = vec![usize::MAX; self.states.len()];
        for (number, state) in (0..self.states.len()).filter(|&state| kept[state]).enumerate() {
            numbers[state] = number;
        }
        let edges = |edges: &[Edge]| -> Vec<Edge> {
            let kept = edges.iter().filter(|edge| kept[edge.target]);
            kept.map(|edge| Edge { target: numbers[edge.target], ..edge.clone() }).collect()
        };
        let states = self.states.iter().zip(kept).filter(|(_, kept)| **kept).map(|(list, _)| edges(list)).collect();
        Automaton { initial: numbers[self.initial], states, ..*self }
    }

    /// Removes the marks of edges that are on no accepting cycle.
    fn clear_marks(&mut self, components: &Components, accepting: &[bool], acceptance: Acceptance) {
        for (state, edges) in self.states.iter_mut().enumerate() {
            let component = components.of[state];
            for edge in edges {
                let leaves = acceptance == Acceptance::Edges && components.of[edge.target] != component;
                if !accepting[component] || leaves {
                    edge.marks = 0;
                }
            }
        }
    }

    /// Keeps in each component only the acceptance sets that no other set of the component implies, and numbers them
    /// anew: a run stays in one component for ever, so that the sets of different components need not correspond.
    fn reduce_sets(&mut self, components: &Components, accepting: &[bool]) {
        let mut kept: Vec<Vec<u32>> = vec![Vec::new(); components.count];
        for component in (0..components.count).filter(|&component| accepting[component]) {
            kept[component] = self.necessary_sets(components, component);
        }
        let is_cyclic = |(state, edges): (usize, &Vec<Edge>)| {
            let component = components.of[state];
            !accepting[component] && edges.iter().any(|edge| components.of[edge.target] == component)
        };
        let least = u32::from(self.states.iter().enumerate().any(is_cyclic)); // to tell accepting cycles from others
        let sets = kept.iter().map(|sets| sets.len() as u32).max().unwrap_or(0).max(least);
        for (state, edges) in self.states.iter_mut().enumerate() {
            let component = components.of[state];
            for edge in edges.iter_mut().filter(|edge| accepting[component] && components.of[edge.target] == component)
            {
                let own = kept[component].iter().enumerate();
                let marks = own.fold(0, |marks, (to, from)| marks | (edge.marks >> from & 1) << to);
                let spare = (kept[component].len() as u32..sets).fold(0, |marks, set| marks | 1 << set);
                edge.marks = marks | spare;
            }
        }
        self.sets = sets;
    }

    /// The sets of an accepting component that no other set implies. Set i implies set j if every edge of i is in j.
    fn necessary_sets(&self, components: &Components, component: usize) -> Vec<u32> {
        let own = self.states.iter().enumerate().filter(|(state, _)| components.of[*state] == component);
        let inner = own.flat_map(|(_, edges)| edges).filter(|edge| components.of[edge.target] == component);
        let marks: Vec<u32> = inner.map(|edge| edge.marks).collect();
        let has = |marks: u32, set: u32| marks >> set & 1 == 1;
        let implies = |i: u32, j: u32| marks.iter().all(|&marks| !has(marks, i) || has(marks, j));
        let is_implied = |set: u32| {
            let mut others = (0..self.sets).filter(|&other| other != set);
            others.any(|other| implies(other, set) && (!implies(set, other) || other < set))
        };
        let is_on_all = |set: u32| marks.iter().all(|&marks| has(marks, set));
        (0..self.sets).filter(|&set| !is_on_all(set) && !is_implied(set)).collect()
    }

    /// The automaton with at most one edge for each source, target and marks, and without letters on an edge that
    /// another with more marks reads.
    pub fn with_merged_edges(mut self) -> Automaton {
        for edges in &mut self.states {
            // edges keep the order of their first occurrences
            let mut places: HashMap<(usize, u32), usize, RandomState> = HashMap::default();
            let mut by_target: HashMap<usize, Vec<usize>, RandomState> = HashMap::default();
            let mut merged: Vec<Edge> = Vec::with_capacity(edges.len());
            for edge in edges.drain(..) {
                match places.entry((edge.target, edge.marks)) {
                    Entry::Occupied(place) => {
                        let known = &mut merged[*place.get()];
                        known.letters = known.letters.or(&edge.letters);
                    }
                    Entry::Vacant(place) => {
                        place.insert(merged.len());
                        by_target.entry(edge.target).or_default().push(merged.len());
                        merged.push(edge);
                    }
                }
            }
            for parallel in by_target.values() {
                for &at in parallel {
                    let marks = merged[at].marks;
                    let has_more = |other: &&usize| merged[**other].marks & marks == marks && **other != at;
                    let letters = parallel
                        .iter()
                        .filter(has_more)
                        .fold(merged[at].letters.clone(), |all, &other| all.and_not(&merged[other].letters));
                    merged[at].letters = letters;
                }
            }
            merged.retain(|edge| !edge.letters.is_empty());
            *edges = merged;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::letters::Letters;

    fn edge(marks: u32, target: usize) -> Edge {
        Edge { letters: Letters::all(1), marks, target }
    }

    fn automaton(sets: u32, states: Vec<Vec<Edge>>) -> Automaton {
        Automaton { propositions: 1, sets, initial: 0, states }
    }

    #[test]
    fn useless_states_and_marks() {
        // 1 is a rejecting dead end, 3 is not reachable
        let states =
            vec![vec![edge(1, 0), edge(0, 1), edge(1, 2)], vec![edge(0, 1)], vec![edge(1, 2)], vec![edge(1, 0)]];
        let trimmed = automaton(1, states).trimmed();
        assert_eq!(trimmed.states, [vec![edge(0, 0), edge(0, 1)], vec![edge(0, 1)]], "all cycles are accepting");
        assert_eq!(trimmed.sets, 0);
    }

    #[test]
    fn a_set_is_kept_to_tell_accepting_cycles_from_others() {
        let states = vec![vec![edge(0, 0), edge(0, 1)], vec![edge(1, 1)]];
        let trimmed = automaton(1, states.clone()).trimmed();
        assert_eq!((trimmed.sets, trimmed.states), (1, states));
    }

    #[test]
    fn implied_sets_are_dropped_by_component() {
        let p = Letters::proposition(1, 0);
        let labelled = |letters: &Letters, marks: u32, target: usize| Edge { letters: letters.clone(), marks, target };
        // set 1 is implied by set 0 in state 0, and set 0 by set 1 in state 1
        let states = vec![
            vec![labelled(&p, 3, 0), labelled(&p.not(), 2, 0), labelled(&p, 0, 1)],
            vec![labelled(&p, 3, 1), labelled(&p.not(), 1, 1)],
        ];
        let trimmed = automaton(2, states).trimmed();
        assert_eq!(trimmed.sets, 1);
        let marks = |state: usize| trimmed.states[state].iter().map(|edge| edge.marks).collect::<Vec<_>>();
        assert_eq!((marks(0), marks(1)), (vec![1, 0, 0], vec![1, 0]));
    }

    #[test]
    fn parallel_edges_are_joined() {
        let p = Letters::proposition(1, 0);
        let labelled = |letters: &Letters, marks: u32| Edge { letters: letters.clone(), marks, target: 0 };
        let states = vec![vec![labelled(&p, 0), labelled(&p.not(), 0), labelled(&p, 1)]];
        let merged = automaton(1, states).with_merged_edges();
        assert_eq!(merged.states, [vec![labelled(&p.not(), 0), labelled(&p, 1)]]);
    }

    #[test]
    fn no_word_at_all() {
        let states = vec![vec![edge(1, 1)], vec![edge(2, 0), edge(0, 1)], vec![edge(4, 2)]];
        assert_eq!(automaton(3, states).trimmed(), Automaton::empty(1));
    }
}
