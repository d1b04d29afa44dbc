//! Strongly connected components (Tarjan 1972), without recursion.

/// The strongly connected components of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    /// The component of each node. An edge between components leads to one of a smaller number.
    pub of: Vec<usize>,
    /// The number of components.
    pub count: usize,
}

/// A node that is not visited yet.
const UNSEEN: usize = usize::MAX;

struct Search {
    index: Vec<usize>,
    /// The least index known to be reachable in the component.
    low: Vec<usize>,
    /// Nodes whose component is not complete.
    open: Vec<usize>,
    next_index: usize,
    components: Components,
}

impl Components {
    /// The components of a graph of `nodes` nodes. `successor` gives the i-th successor of a node, `None` after the
    /// last.
    pub fn new(nodes: usize, successor: impl Fn(usize, usize) -> Option<usize>) -> Self {
        let mut search = Search {
            index: vec![UNSEEN; nodes],
            low: vec![0; nodes],
            open: Vec::new(),
            next_index: 0,
            components: Components { of: vec![UNSEEN; nodes], count: 0 },
        };
        for root in 0..nodes {
            if search.index[root] == UNSEEN {
                search.explore(root, &successor);
            }
        }
        search.components
    }
}

impl Search {
    fn explore(&mut self, root: usize, successor: &impl Fn(usize, usize) -> Option<usize>) {
        let mut path = vec![(root, 0)];
        self.enter(root);
        while let Some((node, position)) = path.last_mut() {
            let node = *node;
            let Some(target) = successor(node, *position) else {
                path.pop();
                self.leave(node);
                if let Some(&(parent, _)) = path.last() {
                    self.low[parent] = self.low[parent].min(self.low[node]);
                }
                continue;
            };
            *position += 1;
            if self.index[target] == UNSEEN {
                self.enter(target);
                path.push((target, 0));
            } else if self.components.of[target] == UNSEEN {
                self.low[node] = self.low[node].min(self.index[target]);
            }
        }
    }

    fn enter(&mut self, node: usize) {
        self.index[node] = self.next_index;
        self.low[node] = self.next_index;
        self.next_index += 1;
        self.open.push(node);
    }

    fn leave(&mut self, node: usize) {
        if self.low[node] < self.index[node] {
            return;
        }
        while let Some(member) = self.open.pop() {
            self.components.of[member] = self.components.count;
            if member == node {
                break;
            }
        }
        self.components.count += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_mutual_reachability() {
        let mut rng = fastrand::Rng::with_seed(9);
        for _ in 0..300 {
            let nodes = rng.usize(1..12);
            let edges: Vec<Vec<usize>> =
                (0..nodes).map(|_| (0..rng.usize(..3)).map(|_| rng.usize(..nodes)).collect()).collect();
            let components = Components::new(nodes, |node, at| edges[node].get(at).copied());
            let mut reachable = vec![vec![false; nodes]; nodes];
            for (from, row) in reachable.iter_mut().enumerate() {
                let mut pending = vec![from];
                while let Some(node) = pending.pop() {
                    if !std::mem::replace(&mut row[node], true) {
                        pending.extend(&edges[node]);
                    }
                }
            }
            for (a, b) in (0..nodes).flat_map(|a| (0..nodes).map(move |b| (a, b))) {
                let mutual = reachable[a][b] && reachable[b][a];
                assert_eq!(components.of[a] == components.of[b], mutual);
                assert!(!reachable[a][b] || components.of[a] >= components.of[b]);
            }
        }
    }
}
