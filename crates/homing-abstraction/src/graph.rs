//! The transition graph of a component or a product, and distances in it.

use std::collections::BTreeMap;

use homing_core::Cost;

/// The distance of a state from which no goal state is reachable.
pub(crate) const INFINITE: Cost = Cost::MAX;

/// A transition, seen from its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    pub label: u32,
    pub target: u32,
}

/// A graph in compressed rows: the outgoing edges of each state, one row after the other.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    pub initial: Vec<u32>,
    pub goal: Vec<bool>,
    /// Where the row of a state begins; one more at the end.
    pub rows: Vec<u32>,
    pub edges: Vec<Edge>,
}

impl Graph {
    pub fn size(&self) -> usize {
        self.goal.len()
    }

    pub fn out(&self, state: u32) -> &[Edge] {
        &self.edges[self.rows[state as usize] as usize..self.rows[state as usize + 1] as usize]
    }

    /// For each state, whether an initial state leads to it.
    pub fn reachable(&self) -> Vec<bool> {
        let mut reached = vec![false; self.size()];
        let mut open = Vec::new();
        let mut reach = |state: u32, open: &mut Vec<u32>| {
            if !std::mem::replace(&mut reached[state as usize], true) {
                open.push(state);
            }
        };
        self.initial.iter().for_each(|&state| reach(state, &mut open));
        while let Some(state) = open.pop() {
            self.out(state).iter().for_each(|edge| reach(edge.target, &mut open));
        }
        reached
    }

    /// For each state the cost of a cheapest path to a goal state, all labels allowed: Dijkstra's algorithm, backwards, with one
    /// bucket for each distance that is pending.
    pub fn distances(&self, cost: impl Fn(u32) -> Cost) -> Vec<Cost> {
        let (rows, sources) = self.reversed(cost);
        let mut distance = vec![INFINITE; self.size()];
        let goals: Vec<u32> = (0..self.size() as u32).filter(|&state| self.goal[state as usize]).collect();
        goals.iter().for_each(|&state| distance[state as usize] = 0);
        let mut buckets = BTreeMap::from([(0, goals)]);
        while let Some((d, mut bucket)) = buckets.pop_first() {
            while let Some(state) = bucket.pop() {
                if distance[state as usize] != d {
                    continue; // superseded entry
                }
                let row = rows[state as usize] as usize..rows[state as usize + 1] as usize;
                for &(source, cost) in &sources[row] {
                    // A sum that does not fit is cut off: smaller distances are still lower bounds.
                    let through = d.saturating_add(cost).min(INFINITE - 1);
                    if through < distance[source as usize] {
                        distance[source as usize] = through;
                        if through == d {
                            bucket.push(source)
                        } else {
                            buckets.entry(through).or_default().push(source)
                        }
                    }
                }
            }
        }
        distance
    }

    /// The incoming edges of each state in compressed rows, with their sources and costs.
    fn reversed(&self, cost: impl Fn(u32) -> Cost) -> (Vec<u32>, Vec<(u32, Cost)>) {
        let mut rows = vec![0; self.size() + 1];
        self.edges.iter().for_each(|edge| rows[edge.target as usize + 1] += 1);
        for state in 0..self.size() {
            rows[state + 1] += rows[state];
        }
        let mut free = rows.clone();
        let mut sources = vec![(0, 0); self.edges.len()];
        for state in 0..self.size() as u32 {
            for edge in self.out(state) {
                let slot = &mut free[edge.target as usize];
                sources[*slot as usize] = (state, cost(edge.label));
                *slot += 1;
            }
        }
        (rows, sources)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(size: usize, goal: usize, edges: &[(u32, u32, u32)]) -> Graph {
        let mut rows = vec![0];
        let mut out = Vec::new();
        for state in 0..size as u32 {
            out.extend(edges.iter().filter(|edge| edge.0 == state).map(|&(_, label, target)| Edge { label, target }));
            rows.push(out.len() as u32);
        }
        Graph { initial: vec![0], goal: (0..size).map(|state| state == goal).collect(), rows, edges: out }
    }

    #[test]
    fn distances_add_the_costs_of_labels() {
        // The label is the cost. From 0 the detour by edges of cost 0 and 1 is cheaper than the edge of cost 5.
        let graph = graph(5, 3, &[(0, 5, 3), (0, 0, 1), (1, 1, 2), (2, 2, 3), (3, 0, 0), (1, 0, 4)]);
        assert_eq!(graph.distances(|label| label), [3, 3, 2, 0, INFINITE]);
        assert_eq!(graph.reachable(), [true; 5]);
    }

    #[test]
    fn distances_that_do_not_fit_are_cut_off() {
        let graph = graph(3, 2, &[(0, 1, 1), (1, 1, 2)]);
        assert_eq!(graph.distances(|_| Cost::MAX / 2 + 2), [INFINITE - 1, Cost::MAX / 2 + 2, 0]);
    }

    #[test]
    fn only_what_an_initial_state_leads_to_is_reachable() {
        let graph = graph(4, 0, &[(0, 1, 1), (2, 1, 1), (2, 1, 3)]);
        assert_eq!(graph.reachable(), [true, true, false, false]);
    }
}
