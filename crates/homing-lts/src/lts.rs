//! A labelled transition system in memory.

use rapidhash::v3::{DEFAULT_RAPID_SECRETS, rapidhash_v3_seeded};

use crate::column::LabelColumn;
use crate::labels::{LabelId, Labels};

/// The number of an edge: edges are numbered by their source, and those of one source in the order of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EdgeId(pub u32);

/// A labelled transition system: states 0, 1, …, and labelled edges between them.
///
/// The edges are in compressed rows: `first` has the number of the first edge of each state, and labels and targets are columns.
/// That is 6 bytes an edge (8 with more than 2^16 labels), and 4 a state.
#[derive(Clone, Debug)]
pub struct Lts {
    pub(crate) initial: u32,
    pub(crate) states: u32,
    pub(crate) labels: Labels,
    /// The first edge of each state that has edges or comes before one that has, and the number of all edges. Later states have no
    /// edges.
    pub(crate) first: Vec<u32>,
    pub(crate) edge_labels: LabelColumn,
    pub(crate) targets: Vec<u32>,
}

/// One edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Its number.
    pub id: EdgeId,
    /// Its label.
    pub label: LabelId,
    /// The state that it leads to.
    pub target: u32,
}

impl Lts {
    /// The state that every run begins in.
    pub fn initial(&self) -> u32 {
        self.initial
    }

    /// How many states there are.
    pub fn states(&self) -> u32 {
        self.states
    }

    /// How many edges there are; equal ones count each.
    pub fn edge_count(&self) -> u64 {
        self.targets.len() as u64
    }

    /// The labels.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// An edge.
    ///
    /// # Panics
    /// If there is no such edge.
    #[inline]
    pub fn edge(&self, id: EdgeId) -> Edge {
        let at = id.0 as usize;
        Edge { id, label: self.edge_labels.get(at), target: self.targets[at] }
    }

    /// The edges out of a state, in the order of the file.
    #[inline]
    pub fn edges(&self, state: u32) -> impl ExactSizeIterator<Item = Edge> + '_ {
        let at = state as usize;
        let (start, end) = match (self.first.get(at), self.first.get(at + 1)) {
            (Some(&start), Some(&end)) => (start, end),
            _ => (0, 0),
        };
        (start..end).map(|edge| self.edge(EdgeId(edge)))
    }

    /// The bytes that it holds.
    pub fn memory(&self) -> u64 {
        let rows = 4 * (self.first.capacity() + self.targets.capacity()) as u64;
        rows + self.edge_labels.memory() + self.labels.memory()
    }

    /// A hash of everything that distinguishes it from other systems.
    pub fn hash(&self) -> u64 {
        let mut hash = u64::from(self.initial) << 32 | u64::from(self.states);
        let mut mix = |bytes: &[u8]| {
            let secrets = DEFAULT_RAPID_SECRETS;
            hash = rapidhash_v3_seeded(bytes, &secrets)
                .wrapping_add(hash.rotate_left(23).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        };
        for (_, text) in self.labels.iter() {
            mix(text);
        }
        for state in 0..self.states.min(self.first.len() as u32) {
            for Edge { label, target, .. } in self.edges(state) {
                let mut edge = [0; 12];
                for (bytes, number) in edge.as_chunks_mut::<4>().0.iter_mut().zip([state, label.0, target]) {
                    *bytes = number.to_le_bytes();
                }
                mix(&edge);
            }
        }
        hash
    }
}

impl PartialEq for Lts {
    /// Whether they have the same states and the same edges in the same order. Numbers of labels do not matter.
    fn eq(&self, other: &Self) -> bool {
        let same_edge = |(one, two): (Edge, Edge)| {
            one.target == two.target && self.labels.text(one.label) == other.labels.text(two.label)
        };
        let last = self.first.len().max(other.first.len()) as u32;
        (self.initial, self.states, self.edge_count()) == (other.initial, other.states, other.edge_count())
            && (0..last).all(|state| {
                let (mine, theirs) = (self.edges(state), other.edges(state));
                mine.len() == theirs.len() && mine.zip(theirs).all(same_edge)
            })
    }
}

impl Eq for Lts {}
