//! Builds a system edge by edge.

use crate::column::{LabelColumn, push};
use crate::labels::{LabelId, Labels};
use crate::lts::Lts;

/// States without edges between states with edges cost 4 bytes each. Up to this many are always accepted.
const SPARE_STATES: u64 = 1 << 24;

/// How many states there may be for each edge besides.
const STATES_PER_EDGE: u64 = 16;

/// Builds a [`Lts`] edge by edge.
///
/// Edges whose sources come in order go straight into rows. The first one out of order switches to a list of whole edges, which
/// is sorted by source in the end; edges of one source stay in order.
#[derive(Clone, Debug)]
pub struct Builder {
    labels: Labels,
    expected: Expected,
    edges: Edges,
}

/// What the header of a file promises. Memory is not reserved by it, only limited.
#[derive(Clone, Copy, Debug)]
struct Expected {
    states: u64,
    edges: u64,
}

#[derive(Clone, Debug)]
enum Edges {
    /// Rows so far: the last entry of `first` is that of the last source.
    Rows { first: Vec<u32>, labels: LabelColumn, targets: Vec<u32> },
    /// The edges as they came.
    List(Vec<[u32; 3]>),
}

/// Why a system cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TooLarge {
    /// Edges are numbered by 32 bits.
    #[error("there are more than 4294967294 transitions, which are not supported")]
    Edges,
    /// States are numbered by 32 bits.
    #[error("there are more than 4294967295 states, which are not supported")]
    States,
    /// The numbers of states are much larger than the number of edges.
    #[error("state {0} is too large a number for so few transitions; number the states without gaps")]
    Sparse(u32),
}

impl Builder {
    /// A builder for a system of at most so many states and edges.
    pub fn new(states: u64, edges: u64) -> Self {
        let rows = Edges::Rows { first: Vec::new(), labels: LabelColumn::default(), targets: Vec::new() };
        Builder { labels: Labels::default(), expected: Expected { states, edges }, edges: rows }
    }

    /// How many edges there are so far.
    pub fn edge_count(&self) -> u64 {
        match &self.edges {
            Edges::Rows { targets, .. } => targets.len() as u64,
            Edges::List(list) => list.len() as u64,
        }
    }

    /// Adds an edge.
    #[inline]
    pub fn add(&mut self, source: u32, label: &[u8], target: u32) -> Result<(), TooLarge> {
        let label = self.labels.intern(label);
        let Expected { states, edges: most } = self.expected;
        if let Edges::Rows { first, labels, targets } = &mut self.edges {
            let count = targets.len() as u64;
            if count >= u64::from(u32::MAX - 1) {
                return Err(TooLarge::Edges);
            }
            let is_in_order = u64::from(source) + 1 >= first.len() as u64 && !is_sparse(source, count);
            if is_in_order {
                while first.len() <= source as usize {
                    push(first, count as u32, states.saturating_add(1));
                }
                labels.push(label, most);
                push(targets, target, most);
                return Ok(());
            }
        }
        self.add_to_list([source, label.0, target])
    }

    fn add_to_list(&mut self, edge: [u32; 3]) -> Result<(), TooLarge> {
        let most = self.expected.edges;
        if let Edges::Rows { first, labels, targets } = &self.edges {
            let mut list = Vec::new();
            for source in 0..first.len() {
                let end = first.get(source + 1).map_or(targets.len(), |&end| end as usize);
                let start = first[source] as usize;
                for (at, &target) in (start..end).zip(&targets[start..end]) {
                    push(&mut list, [source as u32, labels.get(at).0, target], most);
                }
            }
            self.edges = Edges::List(list);
        }
        let Edges::List(list) = &mut self.edges else { unreachable!("it is a list now") };
        if list.len() as u64 >= u64::from(u32::MAX - 1) {
            return Err(TooLarge::Edges);
        }
        push(list, edge, most);
        Ok(())
    }

    /// The system, with this many states.
    ///
    /// # Panics
    /// If a state that was named does not exist.
    pub fn finish(self, initial: u32, states: u32) -> Result<Lts, TooLarge> {
        assert!(initial < states, "the initial state is a state");
        let Builder { labels, edges, .. } = self;
        let (mut first, edge_labels, targets) = match edges {
            Edges::Rows { first, labels, targets } => (first, labels, targets),
            Edges::List(list) => sorted(&list, labels.len())?,
        };
        if first.len() as u64 <= u64::from(states) {
            first.push(targets.len() as u32);
        }
        assert!(first.len() as u64 <= u64::from(states) + 1, "every source is a state");
        Ok(Lts { initial, states, labels, first, edge_labels, targets })
    }
}

/// Whether the number of a state is too large for a table of states, after so many edges.
fn is_sparse(state: u32, edges: u64) -> bool {
    u64::from(state) > SPARE_STATES + STATES_PER_EDGE * edges
}

/// Rows, without the final entry, of edges in any order: a counting sort by source.
fn sorted(list: &[[u32; 3]], labels: usize) -> Result<(Vec<u32>, LabelColumn, Vec<u32>), TooLarge> {
    let last = list.iter().map(|&[source, ..]| source).max().unwrap_or(0);
    if is_sparse(last, list.len() as u64) {
        return Err(TooLarge::Sparse(last));
    }
    let mut next = Vec::with_capacity(last as usize + 2);
    next.resize(last as usize + 1, 0u32);
    list.iter().for_each(|&[source, ..]| next[source as usize] += 1);
    let mut sum = 0;
    for place in &mut next {
        (*place, sum) = (sum, sum + *place);
    }
    let (mut edge_labels, mut targets) = (LabelColumn::of_length(list.len(), labels), vec![0; list.len()]);
    for &[source, label, target] in list {
        let place = &mut next[source as usize];
        edge_labels.set(*place as usize, LabelId(label));
        targets[*place as usize] = target;
        *place += 1;
    }
    // each entry has become the end of its row, which is the beginning of the next
    next.rotate_right(1);
    next[0] = 0;
    Ok((next, edge_labels, targets))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built(edges: &[(u32, &str, u32)], states: u32) -> Lts {
        let mut builder = Builder::new(u64::from(states), edges.len() as u64);
        for &(source, label, target) in edges {
            builder.add(source, label.as_bytes(), target).expect("small");
        }
        builder.finish(0, states).expect("small")
    }

    fn listed(lts: &Lts) -> Vec<(u32, String, u32)> {
        let text = |label| String::from_utf8_lossy(lts.labels().text(label)).into_owned();
        let of = |state| lts.edges(state).map(move |edge| (state, text(edge.label), edge.target));
        (0..lts.states()).flat_map(of).collect()
    }

    #[test]
    fn edges_in_order_and_out_of_order_give_the_same_rows() {
        let in_order = [(0, "a", 1), (0, "b", 0), (2, "a", 3), (2, "a", 3), (5, "c", 0)];
        let shuffled = [(2, "a", 3), (5, "c", 0), (0, "a", 1), (2, "a", 3), (0, "b", 0)];
        let (one, two) = (built(&in_order, 7), built(&shuffled, 7));
        assert_eq!(one, two);
        assert_eq!(listed(&one), in_order.map(|(from, label, to)| (from, label.to_owned(), to)));
        assert_eq!(one.edges(6).len() + one.edges(1).len() + one.edges(99).len(), 0);
        assert_ne!(one, built(&in_order[..4], 7));
    }

    #[test]
    fn a_system_without_edges_has_states() {
        let lts = built(&[], 3);
        assert_eq!((lts.states(), lts.edge_count(), lts.edges(2).len()), (3, 0, 0));
    }

    #[test]
    fn one_edge_of_a_very_large_state_reserves_nothing() {
        let mut builder = Builder::new(u64::from(u32::MAX), 2);
        builder.add(4_000_000_000, b"a", 0).expect("a list is short");
        assert_eq!(builder.finish(0, u32::MAX).err(), Some(TooLarge::Sparse(4_000_000_000)));
    }
}
