//! Components: what is left to be composed. At first each is a factor; later some are abstracted products.

use std::hash::{BuildHasherDefault, Hasher};

use homing_core::Cost;

use crate::FactoredSystem;
use crate::graph::{Edge, Graph, INFINITE};

/// The labels during construction: those of the system, then one local label for each cost. A label becomes local when one
/// component alone lists it: τ in the paper, with a cost.
#[derive(Clone, Debug)]
pub(crate) struct Labels {
    costs: Vec<Cost>,
    shared: usize,
    local: Vec<u32>,
}

impl Labels {
    pub fn of(system: &FactoredSystem) -> Self {
        let mut costs: Vec<Cost> = system.labels().iter().map(|label| label.cost).collect();
        let mut distinct = costs.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let shared = costs.len();
        let local_of = |cost: &Cost| (shared + distinct.partition_point(|other| other < cost)) as u32;
        let local = costs.iter().map(local_of).collect();
        costs.extend(distinct);
        Labels { costs, shared, local }
    }

    pub fn cost(&self, label: u32) -> Cost {
        self.costs[label as usize]
    }

    /// The number of all labels.
    pub fn count(&self) -> usize {
        self.costs.len()
    }

    /// The number of labels of the system: the local ones come after them.
    pub fn shared(&self) -> usize {
        self.shared
    }

    pub fn is_local(&self, label: u32) -> bool {
        label as usize >= self.shared
    }

    /// The local label of the same cost.
    pub fn localised(&self, label: u32) -> u32 {
        if self.is_local(label) { label } else { self.local[label as usize] }
    }
}

/// The transitions of a component for one label.
#[derive(Clone, Debug)]
pub(crate) struct Moves {
    pub label: u32,
    /// Sorted, without duplicates.
    pub edges: Vec<(u32, u32)>,
    /// The smallest distance of a target: r(P, a) in section 5 of the paper.
    pub rank: Cost,
    /// A hash of the edges.
    pub hash: u64,
}

/// A component: a factor, or an abstracted product of several.
#[derive(Clone, Debug)]
pub(crate) struct Component {
    /// Its node of the tree of tables.
    pub node: u32,
    pub initial: Vec<u32>,
    pub goal: Vec<bool>,
    /// By label, in ascending order.
    pub moves: Vec<Moves>,
    /// The distance of each state to a goal state of this component alone.
    pub distance: Vec<Cost>,
    /// Whether states were pruned, here or in a part, because no goal state is reachable from them.
    pub has_pruned: bool,
}

impl Component {
    /// A component with the transitions `(label, source, target)` for the labels that are `listed`, both in ascending order. A
    /// listed label without a transition is blocked: without the entry it would be irrelevant here, and free elsewhere.
    pub fn new(
        node: u32,
        initial: Vec<u32>,
        goal: Vec<bool>,
        listed: &[u32],
        mut transitions: &[(u32, u32, u32)],
        labels: &Labels,
    ) -> Self {
        let moves = listed.iter().map(|&label| {
            let (row, rest) = transitions.split_at(transitions.partition_point(|edge| edge.0 <= label));
            transitions = rest;
            Moves::new(label, row.iter().map(|&(_, from, to)| (from, to)).collect())
        });
        let mut component =
            Component { node, initial, goal, moves: moves.collect(), distance: Vec::new(), has_pruned: false };
        debug_assert!(transitions.is_empty(), "a transition with a label that is not listed");
        component.measure(labels);
        component
    }

    /// The components that a system has at first, one for each factor.
    pub fn all_of(system: &FactoredSystem, labels: &Labels) -> Vec<Component> {
        let components = system.factors().iter().zip(0..).map(|(factor, node)| {
            let moves =
                factor.transitions().iter().map(|local| Moves::new(local.label.0, local.edges.clone())).collect();
            let (initial, goal) = (factor.initial().to_vec(), factor.goal().to_vec());
            let mut component = Component { node, initial, goal, moves, distance: Vec::new(), has_pruned: false };
            component.measure(labels);
            component
        });
        components.collect()
    }

    pub fn size(&self) -> usize {
        self.goal.len()
    }

    /// Whether every state is a goal state. A component without states is not trivial: it proves that no error is reachable.
    pub fn is_trivial(&self) -> bool {
        self.size() > 0 && self.goal.iter().all(|&goal| goal)
    }

    /// Whether some states of its factors are known to lead to no error. They need not be reachable in a product: labels that lead
    /// only there may have been removed.
    pub fn has_dead_ends(&self) -> bool {
        self.has_pruned || self.distance.contains(&INFINITE)
    }

    pub fn moves_of(&self, label: u32) -> Option<&Moves> {
        self.moves.binary_search_by_key(&label, |moves| moves.label).ok().map(|at| &self.moves[at])
    }

    /// Whether the label leaves every state as it is: listed or not makes no difference.
    pub fn is_identity(&self, moves: &Moves) -> bool {
        moves.edges.len() == self.size() && moves.edges.iter().all(|&(from, to)| from == to)
    }

    /// Computes distances and ranks from the edges.
    pub fn measure(&mut self, labels: &Labels) {
        self.distance = self.graph().distances(|label| labels.cost(label));
        for moves in &mut self.moves {
            moves.rank = rank(&moves.edges, &self.distance);
        }
    }

    /// Turns the labels that `is_private` names into local ones. A local step that changes nothing is dropped: no path needs it.
    pub fn localise(&mut self, labels: &Labels, is_private: impl Fn(u32) -> bool) {
        let private = |label: u32| !labels.is_local(label) && is_private(label);
        if !self.moves.iter().any(|moves| private(moves.label)) {
            return;
        }
        let mut transitions: Vec<(u32, u32, u32)> = Vec::new();
        self.moves.retain(|moves| {
            let becomes_local = private(moves.label) || labels.is_local(moves.label);
            if becomes_local {
                let label = labels.localised(moves.label);
                let changing = moves.edges.iter().filter(|(from, to)| from != to);
                transitions.extend(changing.map(|&(from, to)| (label, from, to)));
            }
            !becomes_local
        });
        transitions.sort_unstable();
        transitions.dedup();
        for row in transitions.chunk_by(|one, other| one.0 == other.0) {
            let mut moves = Moves::new(row[0].0, row.iter().map(|&(_, from, to)| (from, to)).collect());
            moves.rank = rank(&moves.edges, &self.distance);
            self.moves.push(moves); // local labels come after the others
        }
    }

    /// The outgoing edges of each state, in ascending order of labels.
    pub fn graph(&self) -> Graph {
        let mut rows = vec![0; self.size() + 1];
        let edges =
            || self.moves.iter().flat_map(|moves| moves.edges.iter().map(|&(from, to)| (moves.label, from, to)));
        edges().for_each(|(_, from, _)| rows[from as usize + 1] += 1);
        for state in 0..self.size() {
            rows[state + 1] += rows[state];
        }
        let mut free = rows.clone();
        let mut out = vec![Edge { label: 0, target: 0 }; rows[self.size()] as usize];
        for (label, from, target) in edges() {
            let slot = &mut free[from as usize];
            out[*slot as usize] = Edge { label, target };
            *slot += 1;
        }
        Graph { initial: self.initial.clone(), goal: self.goal.clone(), rows, edges: out }
    }
}

impl Moves {
    /// The rank is computed with the distances, in [`Component::measure`].
    pub fn new(label: u32, edges: Vec<(u32, u32)>) -> Self {
        let hash = edges.iter().fold(0, |hash, &(from, to)| mix(hash ^ (u64::from(from) << 32 | u64::from(to))));
        Moves { label, edges, rank: INFINITE, hash }
    }
}

fn rank(edges: &[(u32, u32)], distance: &[Cost]) -> Cost {
    edges.iter().map(|&(_, to)| distance[to as usize]).min().unwrap_or(INFINITE)
}

/// A bijection that spreads its argument over all bits.
pub(crate) fn mix(number: u64) -> u64 {
    let z = (number ^ 0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 29)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 32)
}

/// A hasher for keys of a few numbers. The standard one guards against chosen keys, which costs more than the rest of a sweep.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mixer(u64);

pub(crate) type Mixing = BuildHasherDefault<Mixer>;

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(u64::from(byte)));
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = mix(self.0 ^ number);
    }
}
