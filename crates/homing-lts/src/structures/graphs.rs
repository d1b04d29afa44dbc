//! Explicit structures.

use crate::builder::Builder;
use crate::lts::Lts;

/// Collects edges, and makes a system whose states are all that were named.
struct Graph {
    builder: Builder,
    states: u32,
}

impl Graph {
    fn new() -> Self {
        Graph { builder: Builder::new(u64::MAX, u64::MAX), states: 1 }
    }

    fn edge(&mut self, source: u32, label: &str, target: u32) {
        self.states = self.states.max(source + 1).max(target + 1);
        self.builder.add(source, label.as_bytes(), target).expect("structures are small enough for memory");
    }

    fn finish(self) -> Lts {
        self.builder.finish(0, self.states).expect("structures are small enough for memory")
    }
}

/// A diamond of this width: the states are the pairs `(i, j)` below it, and steps increase `i` or `j`. The states in the widest part
/// have a step `report(j)` to themselves. Width 10 has 100 states and 190 edges.
///
/// # Panics
/// If the width is 0 or more than 65535.
pub fn diamond(width: u32) -> Lts {
    assert!((1..1 << 16).contains(&width), "a diamond has a width from 1 to 65535");
    let mut graph = Graph::new();
    let state = |i: u32, j: u32| i * width + j;
    let last = width - 1;
    for i in 0..width {
        for j in 0..width {
            let here = state(i, j);
            if i + j < last {
                graph.edge(here, "tau", state(i + 1, j));
                graph.edge(here, "tau", state(i, j + 1));
                continue;
            }
            if i + j == last {
                graph.edge(here, &format!("report({j})"), here);
            }
            if j < last {
                graph.edge(here, "tau", state(i, j + 1));
            }
            if i < last {
                graph.edge(here, "tau", state(i + 1, j));
            }
        }
    }
    graph.finish()
}

/// A path of `n + 1` steps to a deadlock, with a way back to the initial state from each state on it, as long as the way there. With
/// n = 9 it has 47 states and 56 edges.
///
/// # Panics
/// If `n` is 0 or more than 65535.
pub fn back_loop(n: u32) -> Lts {
    assert!((1..1 << 16).contains(&n), "a back-loop has from 1 to 65535 states on its path");
    let mut graph = Graph::new();
    let deadlock = n + 1;
    // Q(k, m), on the way back from the state m + 1 of the path, for k < m
    let back = |k: u32, m: u32| n + 2 + m * (m - 1) / 2 + k;
    for state in 0..=n {
        graph.edge(state, "tau", if state < n { state + 1 } else { deadlock });
        match state {
            0 | 1 => graph.edge(state, "tau", 0),
            _ => graph.edge(state, "tau", back(state - 2, state - 1)),
        }
    }
    for m in 1..n {
        for k in 0..m {
            graph.edge(back(k, m), "tau", if k == 0 { 0 } else { back(k - 1, m) });
        }
    }
    graph.finish()
}

/// A choice between strongly connected components, each a complete graph of `size` states, of which one has an exit `report(id)` to
/// a deadlock. Five components of five states have 31 states and 110 edges.
///
/// # Panics
/// If one of the numbers is 0 or more than 65535.
pub fn components(count: u32, size: u32) -> Lts {
    assert!((1..1 << 16).contains(&count) && (1..1 << 16).contains(&size), "components: from 1 to 65535");
    let mut graph = Graph::new();
    let state = |id: u32, position: u32| 1 + id * (size + 1) + position;
    for id in 0..count {
        graph.edge(0, &format!("ini({})", id + 1), state(id, 0));
    }
    for id in 0..count {
        for position in 0..size {
            for other in (0..size).filter(|&other| other != position) {
                graph.edge(state(id, position), &format!("scc({})", id + 1), state(id, other));
            }
            if position + 1 == size {
                graph.edge(state(id, position), &format!("report({})", id + 1), state(id, size));
            }
        }
    }
    graph.finish()
}

/// Whether the state that a [`funnel`] leads to is generated before the others of its level, or after them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunnelOrder {
    /// The sources of the funnel come first.
    First,
    /// The sources of the funnel come last.
    Last,
}

/// A funnel: of `1 + sources` states, one leads to `others` states of its own, and each of the rest to the same state, which has a
/// step `report` to itself. A highway search with `1 + sources` lanes keeps all of them and then draws.
///
/// # Panics
/// If the numbers do not fit.
pub fn funnel(others: u32, sources: u32, order: FunnelOrder) -> Lts {
    let mut graph = Graph::new();
    let (private, shared) = (sources + 1, sources + 2);
    match order {
        FunnelOrder::First => (1..=private).for_each(|state| graph.edge(0, "tau", state)),
        FunnelOrder::Last => [private].into_iter().chain(1..private).for_each(|state| graph.edge(0, "tau", state)),
    }
    (1..private).for_each(|source| graph.edge(source, "funnel", shared));
    (1..=others).for_each(|other| graph.edge(private, "tau", shared + other));
    graph.edge(shared, "report", shared);
    graph.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(lts: &Lts) -> (u32, u64) {
        (lts.states(), lts.edge_count())
    }

    fn deadlocks(lts: &Lts) -> Vec<u32> {
        (0..lts.states()).filter(|&state| lts.edges(state).len() == 0).collect()
    }

    fn reports(lts: &Lts) -> usize {
        let is_report = |edge: &crate::Edge| lts.labels().text(edge.label).starts_with(b"report");
        (0..lts.states()).flat_map(|state| lts.edges(state)).filter(is_report).count()
    }

    #[test]
    fn the_sizes_are_those_of_the_paper() {
        assert_eq!((size(&diamond(10)), reports(&diamond(10)), deadlocks(&diamond(10))), ((100, 190), 10, vec![99]));
        assert_eq!((size(&back_loop(9)), deadlocks(&back_loop(9))), ((47, 56), vec![10]));
        let five = components(5, 5);
        assert_eq!((size(&five), reports(&five), deadlocks(&five).len()), ((31, 110), 5, 5));
        assert_eq!((size(&diamond(1)), size(&back_loop(1)), size(&components(1, 1))), ((1, 1), (3, 4), (3, 2)));
    }

    #[test]
    fn a_funnel_has_both_orders() {
        let targets = |lts: &Lts| lts.edges(0).map(|edge| edge.target).collect::<Vec<_>>();
        let (first, last) = (funnel(5, 2, FunnelOrder::First), funnel(5, 2, FunnelOrder::Last));
        assert_eq!((targets(&first), targets(&last)), (vec![1, 2, 3], vec![3, 1, 2]));
        assert_eq!((size(&first), size(&last)), ((10, 11), (10, 11)));
        assert!(first.edges(1).chain(first.edges(2)).all(|edge| edge.target == 4));
        assert_eq!(first.edges(3).len(), 5);
    }
}
