//! Reduction by direct simulation, forwards and backwards (Somenzi & Bloem 2000, §5; Etessami & Holzmann 2000, §3), on
//! edges: a state simulates another if it can read each letter with at least the same marks and goes to a state that
//! simulates the other's target. Direct simulation is preserved by quotients also with generalised acceptance.

use crate::automaton::{Automaton, Edge};
use crate::letters::Letters;
use crate::trim::Acceptance;

/// Automata with more edges than this are not reduced: each pass compares all pairs of edges.
const MOST_EDGES: usize = 1500;

/// Entry (p, q): q simulates p.
struct Relation {
    states: usize,
    holds: Vec<bool>,
}

impl Relation {
    fn new(states: usize, initially: impl Fn(usize, usize) -> bool) -> Self {
        let holds = (0..states * states).map(|at| initially(at / states, at % states)).collect();
        Relation { states, holds }
    }

    fn has(&self, p: usize, q: usize) -> bool {
        self.holds[p * self.states + q]
    }

    /// Removes pairs until each pair left satisfies `is_kept`: the greatest fixpoint.
    fn refine(&mut self, is_kept: impl Fn(&Relation, usize, usize) -> bool) {
        let mut changed = true;
        // what is removed spreads along edges: passes in both directions find it sooner
        let mut is_forwards = false;
        while std::mem::take(&mut changed) {
            is_forwards = !is_forwards;
            for at in 0..self.states {
                let p = if is_forwards { at } else { self.states - 1 - at };
                for q in 0..self.states {
                    if p != q && self.has(p, q) && !is_kept(self, p, q) {
                        self.holds[p * self.states + q] = false;
                        changed = true;
                    }
                }
            }
        }
    }

    /// The least state that is equivalent to each state.
    fn representatives(&self) -> Vec<usize> {
        let equivalent = |p: usize, q: &usize| self.has(p, *q) && self.has(*q, p);
        (0..self.states).map(|p| (0..p).find(|q| equivalent(p, q)).unwrap_or(p)).collect()
    }
}

impl Automaton {
    /// The automaton reduced by simulation in both directions until nothing changes. It should be trimmed.
    pub fn simulation_reduced(mut self, acceptance: Acceptance) -> Automaton {
        if self.edge_count() > MOST_EDGES {
            return self;
        }
        loop {
            let size = self.size();
            self = self.forward_reduced().trimmed_by(acceptance);
            self = self.backward_reduced(acceptance).trimmed_by(acceptance);
            if self.size() == size {
                return self;
            }
        }
    }

    /// States, edges and letters.
    pub(crate) fn size(&self) -> (usize, usize, u128) {
        (self.states.len(), self.edge_count(), self.letter_transitions())
    }

    /// Whether edges read all of `letters` with at least `marks`, from or to states that `simulates` accepts.
    fn covers<'a>(
        edges: impl Iterator<Item = &'a Edge>,
        letters: &Letters,
        marks: u32,
        simulates: impl Fn(&Edge) -> bool,
    ) -> bool {
        let mut missing = letters.clone();
        for edge in edges.filter(|edge| edge.marks & marks == marks) {
            if simulates(edge) {
                missing = missing.and_not(&edge.letters);
                if missing.is_empty() {
                    return true;
                }
            }
        }
        false
    }

    fn forward_reduced(self) -> Automaton {
        let read =
            |edges: &Vec<Edge>| edges.iter().fold(Letters::empty(self.propositions), |all, edge| all.or(&edge.letters));
        let enabled: Vec<Letters> = self.states.iter().map(read).collect();
        let mut relation = Relation::new(self.states.len(), |p, q| enabled[p].implies(&enabled[q]));
        relation.refine(|relation, p, q| {
            self.states[p].iter().all(|edge| {
                let simulates = |other: &Edge| relation.has(edge.target, other.target);
                Self::covers(self.states[q].iter(), &edge.letters, edge.marks, simulates)
            })
        });
        let representatives = relation.representatives();
        let mut reduced = self.clone();
        for edges in &mut reduced.states {
            edges.iter_mut().for_each(|edge| edge.target = representatives[edge.target]);
        }
        reduced.initial = representatives[self.initial];
        let mut reduced = reduced.with_merged_edges();
        for edges in &mut reduced.states {
            drop_dominated(edges, |edge, other| relation.has(edge.target, other.target));
        }
        reduced
    }

    fn backward_reduced(self, acceptance: Acceptance) -> Automaton {
        let mut sources: Vec<Vec<Edge>> = vec![Vec::new(); self.states.len()]; // edges turned round
        for (state, edges) in self.states.iter().enumerate() {
            for edge in edges {
                sources[edge.target].push(Edge { target: state, ..edge.clone() });
            }
        }
        let may_simulate = |p: usize, q: usize| {
            let keeps_acceptance = match acceptance {
                Acceptance::Edges => true,
                Acceptance::States => self.is_accepting(p) == self.is_accepting(q),
            };
            keeps_acceptance && (p != self.initial || q == self.initial)
        };
        let mut relation = Relation::new(self.states.len(), may_simulate);
        relation.refine(|relation, p, q| {
            sources[p].iter().all(|edge| {
                let simulates = |other: &Edge| relation.has(edge.target, other.target);
                Self::covers(sources[q].iter(), &edge.letters, edge.marks, simulates)
            })
        });
        let representatives = relation.representatives();
        let mut merged: Vec<Vec<Edge>> = vec![Vec::new(); self.states.len()];
        for (state, edges) in sources.into_iter().enumerate().filter(|(state, _)| representatives[*state] == *state) {
            let mut edges: Vec<Edge> =
                edges.into_iter().map(|edge| Edge { target: representatives[edge.target], ..edge }).collect();
            merge_parallel(&mut edges);
            drop_dominated(&mut edges, |edge, other| relation.has(edge.target, other.target));
            for edge in edges {
                merged[edge.target].push(Edge { target: state, ..edge });
            }
        }
        Automaton { states: merged, ..self }
    }
}

/// Joins edges with the same target and marks.
fn merge_parallel(edges: &mut Vec<Edge>) {
    let mut merged: Vec<Edge> = Vec::with_capacity(edges.len());
    for edge in edges.drain(..) {
        match merged.iter_mut().find(|known| known.target == edge.target && known.marks == edge.marks) {
            Some(known) => known.letters = known.letters.or(&edge.letters),
            None => merged.push(edge),
        }
    }
    *edges = merged;
}

/// Removes letters from an edge that another one reads with at least its marks and a better other end. Of two edges
/// that are as good the first stays.
fn drop_dominated(edges: &mut Vec<Edge>, is_simulated: impl Fn(&Edge, &Edge) -> bool) {
    for at in 0..edges.len() {
        let mut letters = edges[at].letters.clone();
        for (index, other) in edges.iter().enumerate() {
            let edge = &edges[at];
            let dominates =
                |edge: &Edge, other: &Edge| other.marks & edge.marks == edge.marks && is_simulated(edge, other);
            if index != at && dominates(edge, other) && (index < at || !dominates(other, edge)) {
                letters = letters.and_not(&other.letters);
            }
        }
        edges[at].letters = letters;
    }
    edges.retain(|edge| !edge.letters.is_empty());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(letters: &Letters, marks: u32, target: usize) -> Edge {
        Edge { letters: letters.clone(), marks, target }
    }

    #[test]
    fn states_that_differ_in_marks_stay_apart() {
        let (all, p) = (Letters::all(1), Letters::proposition(1, 0));
        // from 0 by p to a loop with a mark, otherwise to one without, which leads to 1 after another p
        let states = vec![
            vec![edge(&p, 0, 1), edge(&p.not(), 0, 2)],
            vec![edge(&all, 1, 1)],
            vec![edge(&p.not(), 0, 2), edge(&p, 0, 1)],
        ];
        let automaton = Automaton { propositions: 1, sets: 1, initial: 0, states };
        let reduced = automaton.simulation_reduced(Acceptance::Edges);
        assert_eq!(reduced.states.len(), 2, "0 and 2 are the same, 1 is not: {reduced:?}");
    }

    #[test]
    fn a_dominated_edge_is_dropped() {
        let (all, p) = (Letters::all(1), Letters::proposition(1, 0));
        // whatever is accepted from 1 is accepted from 2 as well
        let states = vec![vec![edge(&all, 0, 1), edge(&p, 0, 2)], vec![edge(&p, 1, 1)], vec![edge(&all, 1, 2)]];
        let automaton = Automaton { propositions: 1, sets: 1, initial: 0, states };
        let reduced = automaton.simulation_reduced(Acceptance::Edges);
        let to_weaker = reduced.states[0].iter().find(|edge| edge.target == 1).expect("for !p");
        assert_eq!(to_weaker.letters, p.not());
    }

    #[test]
    fn the_initial_state_is_merged_backwards_with_no_other() {
        let (all, p) = (Letters::all(1), Letters::proposition(1, 0));
        // 0 and 1 have no edges into them other than their loops, and 1 is not initial: p must hold first
        let states = vec![vec![edge(&p, 0, 1)], vec![edge(&all, 0, 1), edge(&p, 0, 2)], vec![edge(&p.not(), 1, 2)]];
        let automaton = Automaton { propositions: 1, sets: 1, initial: 0, states };
        let reduced = automaton.clone().backward_reduced(Acceptance::Edges);
        let word = crate::Lasso { stem: vec![0, 1], cycle: vec![0] };
        assert!(!automaton.accepts(&word) && !reduced.accepts(&word), "{reduced:?}");
    }
}
