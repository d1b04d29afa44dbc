//! How the states of one length are cut into a tree.
//!
//! A leaf is 8 bytes. Just below the root nodes have two children, which keeps them small, for most of the nodes are
//! there: a state is new because a combination of two halves is. Further down they have four, which keeps the tree flat.

/// The bytes of a leaf.
pub(crate) const LEAF: usize = 8;

/// Nodes have two children down to this depth, the root being at 0, as long as they have more than so many leaves.
const NARROW: [usize; 3] = [1, 1, 16];

/// A node: a leaf, a pair, or a wide one with three or four children.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    /// As many as `count` says, the others 0.
    pub children: [u32; 4],
    pub count: u32,
    /// [`Node::TOP`] just below the root.
    pub parent: u32,
}

impl Node {
    pub const TOP: u32 = u32::MAX;

    const LEAF: Node = Node { children: [0; 4], count: 0, parent: Node::TOP };
}

/// The tree of the states of one length. Nodes are numbered from the leaves up: every node has a greater number than its
/// children, and the number of a leaf is its place in the state.
#[derive(Debug)]
pub(crate) struct Shape {
    pub length: usize,
    pub leaves: usize,
    pub nodes: Vec<Node>,
    /// The nodes below the root; the second is the first again if the state is a single leaf.
    pub top: [u32; 2],
}

impl Shape {
    pub fn new(length: usize) -> Self {
        let leaves = length.div_ceil(LEAF).max(1);
        let mut levels = Levels { nodes: vec![(0, Node::LEAF); leaves] };
        let top = match leaves {
            1 => [0, 0],
            _ => {
                let half = leaves.div_ceil(2);
                [levels.subtree(0, half, 1), levels.subtree(half, leaves, 1)]
            }
        };
        levels.numbered(length, leaves, top)
    }
}

/// Nodes with their height, while the tree is being made.
struct Levels {
    nodes: Vec<(u32, Node)>,
}

impl Levels {
    fn subtree(&mut self, from: usize, to: usize, depth: usize) -> u32 {
        let cuts = match to - from {
            1 => return from as u32,
            count if NARROW.get(depth).is_some_and(|&least| count > least) => 2,
            count => count.min(4),
        };
        let cut = |at: usize| from + (to - from) * at / cuts;
        let mut children = [0; 4];
        for (at, child) in children.iter_mut().enumerate().take(cuts) {
            *child = self.subtree(cut(at), cut(at + 1), depth + 1);
        }
        let height = 1 + children[..cuts].iter().map(|&child| self.nodes[child as usize].0).max().expect("it has some");
        self.nodes.push((height, Node { children, count: cuts as u32, parent: Node::TOP }));
        self.nodes.len() as u32 - 1
    }

    /// Numbers the nodes by height.
    fn numbered(self, length: usize, leaves: usize, top: [u32; 2]) -> Shape {
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        order.sort_by_key(|&node| self.nodes[node].0);
        let mut number = vec![0; order.len()];
        for (new, &old) in order.iter().enumerate() {
            number[old] = new as u32;
        }
        let new = |old: u32| number[old as usize];
        let mut nodes: Vec<Node> = order.iter().map(|&old| self.nodes[old].1).collect();
        for at in 0..nodes.len() {
            for child in 0..nodes[at].count as usize {
                let number = new(nodes[at].children[child]);
                nodes[at].children[child] = number;
                nodes[number as usize].parent = at as u32;
            }
        }
        Shape { length, leaves, nodes, top: top.map(new) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_leaf_is_below_the_root_once() {
        for length in (0..400).chain([1000, 1240, 5000, 100_000]) {
            let shape = Shape::new(length);
            assert!(shape.leaves * LEAF >= length && shape.leaves * LEAF < length + LEAF + usize::from(length == 0));
            let mut seen = vec![0; shape.nodes.len()];
            let mut stack = shape.top.to_vec();
            stack.dedup();
            while let Some(node) = stack.pop() {
                seen[node as usize] += 1;
                let Node { children, count, .. } = shape.nodes[node as usize];
                for &child in &children[..count as usize] {
                    assert!(child < node);
                    assert_eq!(shape.nodes[child as usize].parent, node);
                    stack.push(child);
                }
            }
            assert!(seen.iter().all(|&count| count == 1), "length {length}");
            assert!(shape.top.iter().all(|&node| shape.nodes[node as usize].parent == Node::TOP));
            let is_leaf = |node: usize| shape.nodes[node].count == 0;
            assert!((0..shape.nodes.len()).all(|node| is_leaf(node) == (node < shape.leaves)));
        }
    }

    #[test]
    fn trees_are_flat() {
        let height = |length| {
            let shape = Shape::new(length);
            let up = |&node: &u32| Some(shape.nodes[node as usize].parent).filter(|&parent| parent != Node::TOP);
            std::iter::successors(Some(0), up).count() - 1
        };
        assert_eq!([8, 16, 32, 64, 128, 256, 1240].map(height), [0, 0, 1, 2, 2, 3, 4]);
    }
}
