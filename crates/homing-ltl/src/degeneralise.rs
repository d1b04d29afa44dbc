//! Degeneralisation: from marks of several sets on edges to one set of accepting states.
//!
//! A state is copied for each level: the number of sets that were met, in a fixed order, since the last accepting
//! state. Sets that are on every edge out of a state within its component count on arrival already. A run may enter a
//! component at any level, because what happened before does not matter: it does so as if it had come by an edge with
//! the sets that are on every edge into the state (Babiak, Badie, Duret-Lutz,
//! Křetínský & Strejček 2013, §4).

use std::collections::HashMap;

use rapidhash::fast::RandomState;

use crate::automaton::{Automaton, Edge};
use crate::trim::Acceptance;
use homing_core::Components;

/// For more sets only rotations of their order are tried.
const MOST_PERMUTED: u32 = 3;

impl Automaton {
    /// A Büchi automaton of the same language with accepting states: there is one set, and all edges out of a state are
    /// in it ([`Automaton::is_accepting`]) or none is. The smallest result over several orders of the sets.
    pub fn degeneralised(&self) -> Automaton {
        let reduced = self.trimmed();
        let candidates = orders(reduced.sets).into_iter().map(|order| {
            reduced.with_levels(&order).trimmed_by(Acceptance::States).simulation_reduced(Acceptance::States)
        });
        candidates.min_by_key(Automaton::size).expect("there is at least one order")
    }

    fn with_levels(&self, order: &[u32]) -> Automaton {
        let components = self.components();
        let levels = Levels {
            automaton: self,
            order,
            accepting: self.accepting_components(&components),
            leaving: self.common_sets(&components, |source, _| source),
            entering: self.common_sets(&components, |_, target| target),
            components,
        };
        levels.automaton()
    }

    /// For each state the sets that are on all edges within its component for which the state is the chosen end.
    fn common_sets(&self, components: &Components, end: impl Fn(usize, usize) -> usize) -> Vec<u32> {
        let mut common = vec![self.all_marks(); self.states.len()];
        for (state, edges) in self.states.iter().enumerate() {
            for edge in edges.iter().filter(|edge| components.of[edge.target] == components.of[state]) {
                common[end(state, edge.target)] &= edge.marks;
            }
        }
        common
    }
}

/// Orders in which the sets can be met.
fn orders(sets: u32) -> Vec<Vec<u32>> {
    let rotation = |by: u32| (0..sets).map(|set| (set + by) % sets).collect::<Vec<u32>>();
    let rotations = (0..sets.max(1)).map(rotation);
    if sets > MOST_PERMUTED {
        return rotations.collect();
    }
    let reversed = |order: Vec<u32>| [order.clone(), order.into_iter().rev().collect()];
    let mut all: Vec<Vec<u32>> = rotations.flat_map(reversed).collect();
    all.sort();
    all.dedup();
    all
}

struct Levels<'a> {
    automaton: &'a Automaton,
    order: &'a [u32],
    components: Components,
    accepting: Vec<bool>,
    /// The sets on all edges out of a state, and into it, within its component.
    leaving: Vec<u32>,
    entering: Vec<u32>,
}

impl Levels<'_> {
    fn automaton(&self) -> Automaton {
        let start = (self.automaton.initial, self.entry_level(self.automaton.initial));
        let mut numbers: HashMap<(usize, usize), usize, RandomState> = HashMap::from_iter([(start, 0)]);
        let mut copies = vec![start];
        let mut states: Vec<Vec<Edge>> = Vec::new();
        while let Some(&(state, level)) = copies.get(states.len()) {
            let is_accepting = level == self.order.len() && self.accepting[self.components.of[state]];
            let mut edges = Vec::new();
            for edge in &self.automaton.states[state] {
                let copy = (edge.target, self.next_level(state, level, edge));
                let target = *numbers.entry(copy).or_insert_with(|| {
                    copies.push(copy);
                    copies.len() - 1
                });
                edges.push(Edge { letters: edge.letters.clone(), marks: u32::from(is_accepting), target });
            }
            states.push(edges);
        }
        Automaton { propositions: self.automaton.propositions, sets: 1, initial: 0, states }
    }

    fn next_level(&self, state: usize, level: usize, edge: &Edge) -> usize {
        if self.components.of[edge.target] != self.components.of[state] {
            return self.entry_level(edge.target);
        }
        if !self.accepting[self.components.of[state]] {
            return 0;
        }
        let from = if level == self.order.len() { 0 } else { level };
        self.advanced(from, edge.marks | self.leaving[edge.target])
    }

    /// The level on entering a component.
    fn entry_level(&self, state: usize) -> usize {
        let marks = self.leaving[state] | self.entering[state];
        if self.accepting[self.components.of[state]] { self.advanced(0, marks) } else { 0 }
    }

    /// The level after sets were met.
    fn advanced(&self, level: usize, marks: u32) -> usize {
        let met = self.order[level..].iter().take_while(|set| marks >> **set & 1 == 1);
        level + met.count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{parse, random, translate};

    #[test]
    fn sizes_and_words() {
        let mut rng = fastrand::Rng::with_seed(16);
        for (text, states) in [
            ("[] <> p", 2),
            ("[] <> p && [] <> q", 3),
            ("[] <> p && [] <> q && [] <> r", 4),
            ("<> [] p", 2),
            ("[] (p -> <> q)", 2),
            ("[] p", 1),
            ("false", 1),
        ] {
            let formula = parse(text).expect("a formula").formula;
            let automaton = translate(&formula).expect("small").degeneralised();
            assert_eq!((automaton.states.len(), automaton.sets), (states, 1), "{text}");
            let is_uniform = |edges: &Vec<Edge>| edges.iter().all(|edge| edge.marks == edges[0].marks);
            assert!(automaton.states.iter().all(is_uniform), "{text}");
            for _ in 0..100 {
                let word = random::word(&mut rng, formula.proposition_count().max(1) as u32);
                assert_eq!(automaton.accepts(&word), word.satisfies(&formula), "{text} on {word:?}");
            }
        }
    }

    #[test]
    fn orders_of_sets() {
        assert_eq!(orders(0), [Vec::<u32>::new()]);
        assert_eq!((orders(1).len(), orders(2).len(), orders(3).len(), orders(4).len()), (1, 2, 6, 4));
    }
}
