//! Distances in the control-flow graphs of processes ([ELL-04] §4, Fig. 10): the least number of statements that a
//! process has to execute itself, whatever the others do.
//!
//! Computed backwards from a set of targets [Dijkstra-59], once for each set; the paper computes all pairs. A statement
//! belongs to one process; a `d_step`, and each half of a rendezvous, is one statement. All statements count for the
//! length of a path on which the process goes on to another statement, so a distance never exceeds the cost of the
//! process. Absorbed statements of a reduced model are paid for when the process moves on: for a path that may end
//! before, [`Deferred::Free`] leaves them out.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use homing_core::Cost;
use homing_ir::{Action, Automaton, Location, Model, ProctypeId, Transition};

/// The cost of a statement that can be absorbed, so that it is paid for later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deferred {
    /// One: the process executes another statement after it, or the path ends where everything is paid for.
    Counted,
    /// Nothing: the path may end before it is paid for.
    Free,
}

impl Deferred {
    fn cost_at(self, location: &Location) -> Cost {
        match self {
            Deferred::Free if location.deferred => 0,
            _ => 1,
        }
    }
}

/// By location: the distance to the nearest target; `None` if no target is reachable.
pub type Distances = Vec<Option<Cost>>;

/// An edge of a control-flow graph.
#[derive(Clone, Copy, Debug)]
struct Edge {
    from: usize,
    to: usize,
    cost: Cost,
}

/// The distance of each node to the nearest seed, plus the cost of the seed.
fn to_seeds(nodes: usize, edges: &[Edge], seeds: impl IntoIterator<Item = (usize, Cost)>) -> Distances {
    let mut into: Vec<Vec<Edge>> = vec![Vec::new(); nodes];
    edges.iter().for_each(|edge| into[edge.to].push(*edge));
    let mut distances: Distances = vec![None; nodes];
    let mut open: BinaryHeap<Reverse<(Cost, usize)>> =
        seeds.into_iter().map(|(node, cost)| Reverse((cost, node))).collect();
    while let Some(Reverse((distance, node))) = open.pop() {
        if distances[node].is_some() {
            continue;
        }
        distances[node] = Some(distance);
        open.extend(into[node].iter().map(|edge| Reverse((distance + edge.cost, edge.from))));
    }
    distances
}

/// All transitions, each with the location it leaves.
fn transitions(automaton: &Automaton) -> impl Iterator<Item = (u32, &Location, &Transition)> {
    let locations = automaton.locations.iter().enumerate();
    locations.flat_map(|(at, location)| location.transitions.iter().map(move |to| (at as u32, location, to)))
}

fn edges(automaton: &Automaton, first: usize, deferred: Deferred) -> impl Iterator<Item = Edge> {
    transitions(automaton).filter(|(_, _, transition)| transition.target > 0).map(move |(at, location, transition)| {
        Edge { from: first + at as usize, to: first + transition.target as usize, cost: deferred.cost_at(location) }
    })
}

/// The distances until a process stands at one of the targets.
pub fn to_locations(automaton: &Automaton, deferred: Deferred, targets: impl IntoIterator<Item = u32>) -> Distances {
    let edges: Vec<Edge> = edges(automaton, 0, deferred).collect();
    let seeds = targets.into_iter().map(|target| (target as usize, 0));
    to_seeds(automaton.locations.len(), &edges, seeds)
}

/// The distances until a process stands at one of the targets, if `cost` says what a statement counts.
pub fn to_locations_by(
    automaton: &Automaton,
    targets: impl IntoIterator<Item = u32>,
    cost: impl Fn(&Action) -> Cost,
) -> Distances {
    let ways = transitions(automaton).filter(|(_, _, transition)| transition.target > 0);
    let edges: Vec<Edge> = ways
        .map(|(at, _, transition)| Edge {
            from: at as usize,
            to: transition.target as usize,
            cost: cost(&automaton.statement(transition.statement).action),
        })
        .collect();
    let seeds = targets.into_iter().map(|target| (target as usize, 0));
    to_seeds(automaton.locations.len(), &edges, seeds)
}

/// The distances until a process has executed a statement for which `cost` returns what it counts.
pub fn to_statements(automaton: &Automaton, cost: impl Fn(u32, &Action) -> Option<Cost>) -> Distances {
    let edges: Vec<Edge> = edges(automaton, 0, Deferred::Counted).collect();
    let seed = |(at, _, transition): (u32, &Location, &Transition)| {
        let action = &automaton.statement(transition.statement).action;
        Some((at as usize, cost(at, action)?))
    };
    to_seeds(automaton.locations.len(), &edges, transitions(automaton).filter_map(seed))
}

/// By location: the least number of statements of a step that begins there, up to the end of an atomic sequence.
pub fn of_steps(automaton: &Automaton) -> Distances {
    let (inside, last): (Vec<_>, Vec<_>) =
        transitions(automaton).partition(|(_, _, transition)| transition.atomic && transition.target > 0);
    let edges: Vec<Edge> = inside
        .into_iter()
        .map(|(at, _, transition)| Edge { from: at as usize, to: transition.target as usize, cost: 1 })
        .collect();
    to_seeds(automaton.locations.len(), &edges, last.into_iter().map(|(at, ..)| (at as usize, 1)))
}

/// Distances by process type and location.
pub type AllDistances = Vec<Distances>;

/// The distances until a process or one of its descendants has reached a seed: `seeds` lists for a process type
/// locations and what is added there.
pub fn with_descendants(
    model: &Model,
    deferred: Deferred,
    seeds: impl Fn(ProctypeId) -> Vec<(u32, Cost)>,
) -> AllDistances {
    let mut first = Vec::new();
    let mut nodes = 0;
    for proctype in &model.proctypes {
        first.push(nodes);
        nodes += proctype.automaton.locations.len();
    }
    let mut all_edges = Vec::new();
    let mut all_seeds = Vec::new();
    for (at, proctype) in model.proctypes.iter().enumerate() {
        let automaton = &proctype.automaton;
        all_edges.extend(edges(automaton, first[at], deferred));
        for (location, _, transition) in transitions(automaton) {
            for_each_created(automaton, transition, |child| {
                let start = model.proctype(child).automaton.start as usize;
                let (from, to) = (first[at] + location as usize, first[child.index()] + start);
                all_edges.push(Edge { from, to, cost: 1 });
            });
        }
        let seeds = seeds(ProctypeId(at as u32)).into_iter();
        all_seeds.extend(seeds.map(|(location, cost)| (first[at] + location as usize, cost)));
    }
    let distances = to_seeds(nodes, &all_edges, all_seeds);
    let of_type = |(at, proctype): (usize, &homing_ir::Proctype)| {
        distances[first[at]..first[at] + proctype.automaton.locations.len()].to_vec()
    };
    model.proctypes.iter().enumerate().map(of_type).collect()
}

/// The distances of a process of one type until one of its descendants has reached a seed; `all` is what
/// [`with_descendants`] returned.
pub fn by_descendants(model: &Model, id: ProctypeId, all: &AllDistances) -> Distances {
    let automaton = &model.proctype(id).automaton;
    to_statements(automaton, |_, action| {
        let mut least = None;
        for_each_run(action, |child| {
            let start = model.proctype(child).automaton.start as usize;
            if let Some(distance) = all[child.index()][start] {
                least = Some(least.map_or(1 + distance, |least: Cost| least.min(1 + distance)));
            }
        });
        least
    })
}

fn for_each_created(automaton: &Automaton, transition: &Transition, visit: impl FnMut(ProctypeId)) {
    for_each_run(&automaton.statement(transition.statement).action, visit);
}

fn for_each_run(action: &Action, mut visit: impl FnMut(ProctypeId)) {
    action.for_each_inside(&mut |inner| {
        if let Action::Run { proctype, .. } = inner {
            visit(*proctype);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::model;

    #[test]
    fn a_way_counts_its_statements() {
        let model = model("byte x; active proctype P() { do :: x = 1 :: x = 2; x = 3; break od; T: x = 4; x = 5 }");
        let automaton = &model.proctypes[0].automaton;
        let five = |_: u32, action: &Action| match action {
            Action::Assign { value, .. } => (value.as_constant() == Some(5)).then_some(1),
            _ => None,
        };
        let distances = to_statements(automaton, five);
        assert_eq!(distances[automaton.start as usize], Some(4));
        assert_eq!(distances[automaton.end as usize], None);
        assert_eq!(to_locations(automaton, Deferred::Counted, [automaton.end])[automaton.start as usize], Some(4));
    }

    #[test]
    fn children_go_on_from_their_start() {
        let model = model("active proctype P() { skip; run Q(); skip } proctype Q() { skip; assert(false) }");
        let seeds = |id: ProctypeId| {
            let automaton = &model.proctype(id).automaton;
            let is_assert = |action: &Action| matches!(action, Action::Assert(_));
            transitions(automaton)
                .filter(|(_, _, transition)| is_assert(&automaton.statement(transition.statement).action))
                .map(|(at, ..)| (at, 1))
                .collect()
        };
        let all = with_descendants(&model, Deferred::Counted, seeds);
        assert_eq!(all[0][model.proctypes[0].automaton.start as usize], Some(4));
        assert_eq!(all[1][model.proctypes[1].automaton.start as usize], Some(2));
        let created = by_descendants(&model, ProctypeId(0), &all);
        assert_eq!(created[model.proctypes[0].automaton.start as usize], Some(4));
        assert_eq!(by_descendants(&model, ProctypeId(1), &all), vec![None; all[1].len()]);
    }
}
