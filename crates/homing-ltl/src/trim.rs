//! Removes what does not change the language: states, marks and acceptance sets without use.

use crate::automaton::{Automaton, Edge};
use crate::letters::Letters;
use crate::scc::Components;

/// Where an automaton has its marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acceptance {
    /// Each edge has marks of its own.
    Edges,
    /// There is one set, and all edges out of a state have the same marks: a Büchi automaton with accepting states.
    States,
}

impl Automaton {
    /// The automaton without states that cannot be reached or from which no run is accepting, and without marks outside of
    /// accepting components and sets that others imply.
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
        automaton.clear_marks(&components, &accepting, acceptance);
        if acceptance == Acceptance::Edges {
            automaton.reduce_sets(&components, &accepting);
        }
        automaton.restricted(&useful).with_merged_edges()
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

    /// Keeps in each component only the acceptance sets that no other set of the component implies, and numbers them anew:
    /// a run stays in one component for ever, so that the sets of different components need not correspond.
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

    /// The automaton with at most one edge for each source, target and marks, and without letters on an edge that another
    /// with more marks reads.
    pub fn with_merged_edges(mut self) -> Automaton {
        for edges in &mut self.states {
            let mut merged: Vec<Edge> = Vec::with_capacity(edges.len());
            for edge in edges.drain(..) {
                let same = merged.iter_mut().find(|known| known.target == edge.target && known.marks == edge.marks);
                match same {
                    Some(known) => known.letters = known.letters.or(&edge.letters),
                    None => merged.push(edge),
                }
            }
            for at in 0..merged.len() {
                let edge = &merged[at];
                let is_better = |other: &&Edge| {
                    other.target == edge.target && other.marks != edge.marks && other.marks & edge.marks == edge.marks
                };
                let better = merged.iter().filter(is_better);
                let letters: Letters = better.fold(edge.letters.clone(), |all, other| all.and_not(&other.letters));
                merged[at].letters = letters;
            }
            merged.retain(|edge| !edge.letters.is_empty());
            *edges = merged;
        }
        self
    }
}
