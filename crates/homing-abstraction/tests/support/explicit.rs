//! The explicit state graph of a factored system, with exact distances.

use std::collections::{HashMap, VecDeque};

use homing_abstraction::FactoredSystem;
use homing_core::Cost;

/// The reachable states of a system with their steps and exact distances.
pub struct Explicit {
    pub states: Vec<Vec<u32>>,
    /// Source, cost, target.
    pub steps: Vec<(usize, Cost, usize)>,
    /// None if no error is reachable.
    pub distances: Vec<Option<Cost>>,
    pub errors: Vec<bool>,
}

impl Explicit {
    /// Explores a system; none if it has more states than `limit`.
    pub fn of(system: &FactoredSystem, limit: usize) -> Option<Self> {
        let mut ids = HashMap::new();
        let (mut states, mut steps) = (Vec::new(), Vec::new());
        for state in initial(system) {
            ids.insert(state.clone(), states.len());
            states.push(state);
        }
        let mut next = 0;
        while next < states.len() {
            if states.len() > limit {
                return None;
            }
            for (cost, target) in successors(system, &states[next]) {
                let id = *ids.entry(target).or_insert_with_key(|target| {
                    states.push(target.clone());
                    states.len() - 1
                });
                steps.push((next, cost, id));
            }
            next += 1;
        }
        let is_error =
            |state: &Vec<u32>| system.factors().iter().zip(state).all(|(factor, &value)| factor.goal()[value as usize]);
        let errors: Vec<bool> = states.iter().map(is_error).collect();
        let distances = distances(&errors, &steps);
        Some(Explicit { states, steps, distances, errors })
    }
}

fn initial(system: &FactoredSystem) -> Vec<Vec<u32>> {
    let mut states = vec![Vec::new()];
    for factor in system.factors() {
        let extended = |state: &Vec<u32>| -> Vec<Vec<u32>> {
            factor.initial().iter().map(|&value| [&state[..], &[value]].concat()).collect()
        };
        states = states.iter().flat_map(extended).collect();
    }
    states
}

/// The steps of a state: for each label that a factor lists, all combinations of local transitions.
pub fn successors(system: &FactoredSystem, state: &[u32]) -> Vec<(Cost, Vec<u32>)> {
    let mut found = Vec::new();
    for (label, number) in system.labels().iter().zip(0..) {
        let mut targets = vec![state.to_vec()];
        let mut is_listed = false;
        for (at, factor) in system.factors().iter().enumerate() {
            let Some(local) = factor.transitions().iter().find(|local| local.label.0 == number) else { continue };
            is_listed = true;
            let moves = |target: &Vec<u32>| -> Vec<Vec<u32>> {
                let edges = local.edges.iter().filter(|edge| edge.0 == state[at]);
                let moved = |&(_, to): &(u32, u32)| {
                    let mut target = target.clone();
                    target[at] = to;
                    target
                };
                edges.map(moved).collect()
            };
            targets = targets.iter().flat_map(moves).collect();
        }
        if is_listed {
            found.extend(targets.into_iter().map(|target| (label.cost, target)));
        }
    }
    found
}

/// Bellman and Ford's algorithm with a queue, backwards: unlike what it is compared with.
fn distances(errors: &[bool], steps: &[(usize, Cost, usize)]) -> Vec<Option<Cost>> {
    let mut incoming = vec![Vec::new(); errors.len()];
    steps.iter().for_each(|&(from, cost, to)| incoming[to].push((from, cost)));
    let mut distances: Vec<Option<Cost>> = errors.iter().map(|&error| error.then_some(0)).collect();
    let mut queue: VecDeque<usize> = (0..errors.len()).filter(|&state| errors[state]).collect();
    while let Some(state) = queue.pop_front() {
        let distance = distances[state].expect("only states with a distance are in the queue");
        for &(from, cost) in &incoming[state] {
            if distances[from].is_none_or(|known| distance + cost < known) {
                distances[from] = Some(distance + cost);
                queue.push_back(from);
            }
        }
    }
    distances
}
