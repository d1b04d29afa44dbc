//! Strong fairness, by splitting components (Emerson & Lei 1987; Duret-Lutz, Poitrenaud & Couvreur 2009).
//!
//! A fair cycle is one in which each process that can move in some of its states moves by some of its steps. If in a component a
//! process can move somewhere and never does, no fair cycle visits a state in which it can: those states are deleted, and what is
//! left is split into components again. It is the steps inside a component that count, not those that leave it.

use std::collections::HashMap;

use homing_core::{StateId, TransitionSystem};
use homing_store::LoadById;

use super::{Expander, Marks};

/// The states and inner edges of a component, numbered anew.
struct Graph<const N: usize> {
    states: Vec<StateId>,
    enabled: Vec<Marks<N>>,
    /// Where the edges of each state begin, and the end of the last.
    first_edge: Vec<usize>,
    edges: Vec<(u32, Marks<N>)>,
}

/// A set of states of `component` that are strongly connected, with steps in all acceptance sets `wanted`, in which each process
/// that can move does; with the marks that a fair cycle through them has to have. `None` if there is none, or the system was
/// stopped, which the expander says.
pub(crate) fn fair_part<T, S, const N: usize>(
    expander: &mut Expander<'_, T, S, N>,
    component: &[StateId],
    wanted: Marks<N>,
) -> Option<(Vec<StateId>, Marks<N>)>
where
    T: TransitionSystem,
    S: LoadById,
{
    let graph = Graph::of(expander, component);
    let mut open = vec![(0..graph.states.len() as u32).collect::<Vec<u32>>()];
    while let Some(part) = open.pop() {
        for component in graph.components(&part) {
            let (can, moves) = graph.inner(&component);
            let Some(inner) = moves.filter(|inner| inner.has_all(wanted)) else { continue };
            let bad = can.without(inner);
            if bad == Marks::NONE {
                let states = component.iter().map(|&v| graph.states[v as usize]).collect();
                return Some((states, wanted | can));
            }
            open.push(component.into_iter().filter(|&v| graph.enabled[v as usize].is_disjoint(bad)).collect());
        }
    }
    None
}

impl<const N: usize> Graph<N> {
    fn of<T: TransitionSystem, S: LoadById>(expander: &mut Expander<'_, T, S, N>, component: &[StateId]) -> Self {
        let numbers: HashMap<StateId, u32> = component.iter().copied().zip(0..).collect();
        let mut graph =
            Graph { states: component.to_vec(), enabled: Vec::new(), first_edge: Vec::new(), edges: Vec::new() };
        for &state in component {
            graph.first_edge.push(graph.edges.len());
            let inner = |edge: &super::OutEdge<T::Action, N>| Some((*numbers.get(&edge.target)?, edge.marks));
            graph.edges.extend(expander.expand(state).iter().filter_map(inner));
            graph.enabled.push(expander.enabled);
        }
        graph.first_edge.push(graph.edges.len());
        graph
    }

    fn edges(&self, v: u32) -> &[(u32, Marks<N>)] {
        &self.edges[self.first_edge[v as usize]..self.first_edge[v as usize + 1]]
    }

    /// The processes that can move in some of the states, and the marks of the edges between them; no marks without an edge.
    fn inner(&self, states: &[u32]) -> (Marks<N>, Option<Marks<N>>) {
        let mut is_inside = vec![false; self.states.len()];
        states.iter().for_each(|&v| is_inside[v as usize] = true);
        let can = states.iter().fold(Marks::NONE, |all, &v| all | self.enabled[v as usize]);
        let inner = states.iter().flat_map(|&v| self.edges(v)).filter(|(target, _)| is_inside[*target as usize]);
        let moves = inner.fold(None, |all: Option<Marks<N>>, (_, marks)| Some(all.unwrap_or_default() | *marks));
        (can, moves)
    }

    /// The strongly connected components of the graph restricted to some states (Gabow 2000).
    fn components(&self, states: &[u32]) -> Vec<Vec<u32>> {
        const OUTSIDE: u32 = u32::MAX;
        let mut index = vec![OUTSIDE; self.states.len()]; // 0 for a state that was not reached yet
        states.iter().for_each(|&v| index[v as usize] = 0);
        let (mut count, mut live, mut roots, mut path, mut found) = (0, Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for &start in states {
            if index[start as usize] != 0 {
                continue;
            }
            let mut next = Some(start);
            loop {
                if let Some(v) = next.take() {
                    count += 1;
                    index[v as usize] = count;
                    live.push(v);
                    roots.push(count);
                    path.push((v, self.first_edge[v as usize]));
                }
                let Some((v, edge)) = path.last_mut() else { break };
                if *edge == self.first_edge[*v as usize + 1] {
                    let (v, at) = (*v, index[*v as usize]);
                    path.pop();
                    if roots.last() == Some(&at) {
                        roots.pop();
                        let from = live.iter().rposition(|&u| u == v).expect("it is live until its root is left");
                        let component = live.split_off(from);
                        component.iter().for_each(|&u| index[u as usize] = OUTSIDE);
                        found.push(component);
                    }
                    continue;
                }
                let (target, _) = self.edges[*edge];
                *edge += 1;
                match index[target as usize] {
                    OUTSIDE => {}
                    0 => next = Some(target),
                    at => {
                        while roots.last().is_some_and(|&root| root > at) {
                            roots.pop();
                        }
                    }
                }
            }
        }
        found
    }
}
