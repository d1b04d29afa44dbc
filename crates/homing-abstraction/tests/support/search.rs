//! Small explicit searches. A* breaks ties of f by the smaller h, then takes the youngest; greedy search takes the youngest of the
//! nearest.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use homing_abstraction::{Evaluator, FactoredSystem};
use homing_core::Cost;

use super::network::Network;

/// An estimate that is asked for the successors of an expanded state.
pub trait Guide {
    fn expand(&mut self, state: &[u32]) -> Option<Cost>;
    fn after(&mut self, changed: &[(u32, u32)]) -> Option<Cost>;
}

impl Guide for Evaluator {
    fn expand(&mut self, state: &[u32]) -> Option<Cost> {
        Evaluator::expand(self, state)
    }

    fn after(&mut self, changed: &[(u32, u32)]) -> Option<Cost> {
        self.distance_after(changed)
    }
}

/// No estimate.
pub struct Unguided;

impl Guide for Unguided {
    fn expand(&mut self, _: &[u32]) -> Option<Cost> {
        Some(0)
    }

    fn after(&mut self, _: &[(u32, u32)]) -> Option<Cost> {
        Some(0)
    }
}

/// The FSM heuristic: the maximum over the processes of the distance in the process alone.
pub struct FsmMax {
    distances: Vec<Vec<Option<Cost>>>,
    state: Vec<u32>,
}

impl FsmMax {
    pub fn new(system: &FactoredSystem) -> Self {
        let distances = system.factors().iter().map(|factor| {
            let mut distance: Vec<Option<Cost>> = factor.goal().iter().map(|&goal| goal.then_some(0)).collect();
            loop {
                let before = distance.clone();
                for local in factor.transitions() {
                    for &(from, to) in &local.edges {
                        let through = distance[to as usize].map(|d| d + system.labels()[local.label.0 as usize].cost);
                        let known = distance[from as usize];
                        distance[from as usize] = known.into_iter().chain(through).min();
                    }
                }
                if distance == before {
                    return distance;
                }
            }
        });
        FsmMax { distances: distances.collect(), state: Vec::new() }
    }

    fn distance(&self, state: impl Iterator<Item = u32>) -> Option<Cost> {
        let distances = self.distances.iter().zip(state).map(|(distance, location)| distance[location as usize]);
        distances.collect::<Option<Vec<Cost>>>()?.into_iter().max()
    }
}

impl Guide for FsmMax {
    fn expand(&mut self, state: &[u32]) -> Option<Cost> {
        self.state = state.to_vec();
        self.distance(state.iter().copied())
    }

    fn after(&mut self, changed: &[(u32, u32)]) -> Option<Cost> {
        let mut state = self.state.clone();
        changed.iter().for_each(|&(process, location)| state[process as usize] = location);
        self.distance(state.into_iter())
    }
}

/// What a search did. An expansion is a state taken from the open list, the error included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    pub expanded: usize,
    /// None if there is no error within the limit on expansions.
    pub length: Option<Cost>,
}

/// States as rows of bytes, with a dense number for each.
pub struct Store {
    width: usize,
    bytes: Vec<u8>,
    slots: Vec<u32>,
}

impl Store {
    pub fn new(width: usize) -> Self {
        Store { width, bytes: Vec::new(), slots: vec![u32::MAX; 1 << 10] }
    }

    pub fn len(&self) -> usize {
        self.bytes.len() / self.width
    }

    pub fn load(&self, id: usize, state: &mut Vec<u32>) {
        state.clear();
        state.extend(self.row(id).iter().map(|&byte| u32::from(byte)));
    }

    fn row(&self, id: usize) -> &[u8] {
        &self.bytes[id * self.width..(id + 1) * self.width]
    }

    /// The number of a state, and whether it is new.
    pub fn intern(&mut self, state: &[u32]) -> (usize, bool) {
        let start = self.bytes.len();
        self.bytes.extend(state.iter().map(|&value| u8::try_from(value).expect("small factors")));
        let mut at = hash(&self.bytes[start..]) as usize & (self.slots.len() - 1);
        while self.slots[at] != u32::MAX {
            let id = self.slots[at] as usize;
            if self.row(id) == &self.bytes[start..] {
                self.bytes.truncate(start);
                return (id, false);
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
        let id = start / self.width;
        self.slots[at] = id as u32;
        if self.len() * 2 > self.slots.len() {
            self.grow();
        }
        (id, true)
    }

    fn grow(&mut self) {
        let mask = self.slots.len() * 2 - 1;
        self.slots = vec![u32::MAX; mask + 1];
        for id in 0..self.len() {
            let mut at = hash(self.row(id)) as usize & mask;
            while self.slots[at] != u32::MAX {
                at = (at + 1) & mask;
            }
            self.slots[at] = id as u32;
        }
    }
}

fn hash(bytes: &[u8]) -> u64 {
    let hash = bytes
        .iter()
        .fold(0u64, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23));
    (hash ^ hash >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 20
}

pub fn astar(network: &Network, guide: &mut dyn Guide, limit: usize) -> Run {
    search(network, guide, limit, |g, h| (g + h, h), Reopen::Nearer)
}

pub fn greedy(network: &Network, guide: &mut dyn Guide, limit: usize) -> Run {
    search(network, guide, limit, |_, h| (h, 0), Reopen::Never)
}

#[derive(PartialEq, Eq)]
enum Reopen {
    Nearer,
    Never,
}

fn search(
    network: &Network,
    guide: &mut dyn Guide,
    limit: usize,
    priority: impl Fn(Cost, Cost) -> (Cost, Cost),
    reopen: Reopen,
) -> Run {
    let mut store = Store::new(network.processes.len());
    let (mut g, mut h, mut is_closed) = (vec![0], Vec::new(), vec![false]);
    let mut open = BinaryHeap::new();
    let mut state = network.initial();
    store.intern(&state);
    let root = guide.expand(&state);
    h.push(root);
    let mut pushed = 0u32;
    if let Some(h) = root {
        open.push((Reverse(priority(0, h)), pushed, 0u32, 0));
    }
    let mut expanded = 0;
    while let Some((_, _, u, entered_g)) = open.pop() {
        let u = u as usize;
        if is_closed[u] || entered_g != g[u] {
            continue;
        }
        is_closed[u] = true;
        expanded += 1;
        store.load(u, &mut state);
        if network.is_error(&state) {
            return Run { expanded, length: Some(g[u]) };
        }
        if expanded >= limit {
            break;
        }
        guide.expand(&state);
        let mut target = state.clone();
        network.for_each_step(&state, |changed| {
            changed.iter().for_each(|&(process, location)| target[process as usize] = location);
            let (v, is_new) = store.intern(&target);
            changed.iter().for_each(|&(process, _)| target[process as usize] = state[process as usize]);
            let through = g[u] + 1;
            if is_new {
                g.push(through);
                h.push(guide.after(changed));
                is_closed.push(false);
            } else if reopen == Reopen::Nearer && through < g[v] {
                assert!(!is_closed[v], "a consistent estimate reopens nothing");
                g[v] = through;
            } else {
                return;
            }
            if let Some(h) = h[v] {
                pushed += 1;
                open.push((Reverse(priority(through, h)), pushed, v as u32, through));
            }
        });
    }
    Run { expanded, length: None }
}
