//! Strong fairness, by splitting components (Emerson & Lei 1987; Duret-Lutz, Poitrenaud & Couvreur 2009).
//!
//! A fair cycle is one in which each process that can move in some of its states moves by some of its steps. If in a component a
//! process can move somewhere and never does, no fair cycle visits a state in which it can: those states are deleted, and what is
//! left is split into components again. It is the steps inside a component that count, not those that leave it.

use std::collections::HashMap;
use std::ops::ControlFlow;

use homing_core::{Condition, StateId, TransitionSystem};
use homing_store::LoadById;

use super::{Expander, Marks, Part};

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
        for (component, moves) in graph.components(&part) {
            let can = component.iter().fold(Marks::NONE, |all, &v| all | graph.enabled[v as usize]);
            let Some(inner) = moves.filter(|inner| inner.has_all(wanted)) else { continue };
            let bad = can.without(inner);
            if bad == Marks::NONE {
                let states = component.iter().map(|&v| graph.states[v as usize]).collect();
                return Some((states, wanted | can));
            }
            if Condition::FairSplit.is_off() {
                continue;
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

    /// The strongly connected components of the graph restricted to some states, each with the marks of its edges if it has one.
    fn components(&self, states: &[u32]) -> Vec<(Vec<u32>, Option<Marks<N>>)> {
        let mut is_inside = vec![false; self.states.len()];
        states.iter().for_each(|&v| is_inside[v as usize] = true);
        let part = Part {
            count: self.states.len(),
            is_inside: |v: u32| is_inside[v as usize],
            edge: |v: u32, at: u32| self.edges(v).get(at as usize).copied(),
        };
        let mut found = Vec::new();
        part.for_each_component(|component, marks| {
            found.push((component.to_vec(), marks));
            ControlFlow::Continue(())
        });
        found
    }
}
