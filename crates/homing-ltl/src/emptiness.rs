//! Emptiness on the fly (Couvreur 1999, §4): one depth-first search that keeps the marks of the components on its path,
//! and stops at the first component that has them all.

/// A graph whose edges have marks, explored from node 0 or another first node.
pub trait Graph {
    /// The number of nodes, an upper bound.
    fn nodes(&self) -> usize;
    /// Appends the targets and marks of the edges out of a node.
    fn successors(&self, node: usize, out: &mut Vec<(usize, u64)>);
}

/// A node that is not visited yet.
const UNSEEN: u32 = 0;

/// A node whose component was left.
const DEAD: u32 = u32::MAX;

/// A component on the path, or a part of one.
struct Root {
    index: u32,
    /// The marks of the edge that leads to it.
    entry_marks: u64,
    /// The marks of the edges within it.
    marks: u64,
}

/// Whether a cycle that is reachable from `first` has all the marks `all` on its edges.
pub fn has_accepting_cycle(graph: &impl Graph, first: usize, all: u64) -> bool {
    let mut search = Search { index: vec![UNSEEN; graph.nodes()], live: Vec::new(), roots: Vec::new(), last: 0 };
    let mut edges: Vec<(usize, u64)> = Vec::new(); // those still to be followed, of all nodes on the path
    let mut path: Vec<(usize, usize)> = Vec::new(); // with where the edges of each node begin
    search.enter(first, 0);
    path.push((first, 0));
    graph.successors(first, &mut edges);
    while let Some(&(node, start)) = path.last() {
        if edges.len() == start {
            path.pop();
            search.leave(node);
            continue;
        }
        let (target, marks) = edges.pop().expect("an edge is left");
        let known = search.index[target];
        match known {
            UNSEEN => {
                search.enter(target, marks);
                path.push((target, edges.len()));
                graph.successors(target, &mut edges);
            }
            DEAD => {}
            _ if search.close(known, marks) == all => return true,
            _ => {}
        }
    }
    false
}

struct Search {
    index: Vec<u32>,
    /// Nodes whose component is not complete.
    live: Vec<usize>,
    roots: Vec<Root>,
    last: u32,
}

impl Search {
    fn enter(&mut self, node: usize, entry_marks: u64) {
        self.last += 1;
        self.index[node] = self.last;
        self.live.push(node);
        self.roots.push(Root { index: self.last, entry_marks, marks: 0 });
    }

    /// Joins the components on the path from a node to the current one, between which an edge closes a cycle; returns
    /// the marks of all their edges.
    fn close(&mut self, index: u32, mut marks: u64) -> u64 {
        while let Some(root) = self.roots.pop_if(|root| root.index > index) {
            marks |= root.entry_marks | root.marks;
        }
        let root = self.roots.last_mut().expect("a live node has a root");
        root.marks |= marks;
        root.marks
    }

    fn leave(&mut self, node: usize) {
        let index = self.index[node];
        if self.roots.pop_if(|root| root.index == index).is_none() {
            return;
        }
        while let Some(member) = self.live.pop() {
            self.index[member] = DEAD;
            if member == node {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use homing_core::Components;

    struct Lists(Vec<Vec<(usize, u64)>>);

    impl Graph for Lists {
        fn nodes(&self) -> usize {
            self.0.len()
        }

        fn successors(&self, node: usize, out: &mut Vec<(usize, u64)>) {
            out.extend(&self.0[node]);
        }
    }

    #[test]
    fn agrees_with_components() {
        let mut rng = fastrand::Rng::with_seed(11);
        let mut found = 0;
        for _ in 0..2000 {
            let nodes = rng.usize(1..12);
            let mut edge = |_| (rng.usize(..nodes), rng.u64(..8) & rng.u64(..8));
            let lists: Vec<Vec<_>> = (0..nodes).map(|node| (0..node % 3 + 1).map(&mut edge).collect()).collect();
            let mut reachable = vec![false; nodes];
            let mut pending = vec![0];
            while let Some(node) = pending.pop() {
                if !std::mem::replace(&mut reachable[node], true) {
                    pending.extend(lists[node].iter().map(|&(target, _)| target));
                }
            }
            let components = Components::new(nodes, |node, at| lists[node].get(at).map(|&(target, _)| target));
            let mut marks = vec![None; components.count];
            for node in (0..nodes).filter(|&node| reachable[node]) {
                for &(target, edge_marks) in &lists[node] {
                    if components.of[target] == components.of[node] {
                        *marks[components.of[node]].get_or_insert(0) |= edge_marks;
                    }
                }
            }
            let graph = Lists(lists);
            for all in [0, 3, 7] {
                let expected = marks.iter().flatten().any(|marks| marks & all == all);
                let graph =
                    Lists(graph.0.iter().map(|list| list.iter().map(|&(t, m)| (t, m & all)).collect()).collect());
                assert_eq!(has_accepting_cycle(&graph, 0, all), expected);
                found += usize::from(expected);
            }
        }
        assert!(found > 100);
    }
}
