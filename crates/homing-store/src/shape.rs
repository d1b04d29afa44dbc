//! How the states of one length are cut into a tree.
//!
//! A leaf is 16 bytes. A subtree of up to 16 leaves is of wide nodes with four children, which keeps it flat; above that
//! nodes have two, which keeps them small, for most of the nodes are just below the roots: a state is new because a
//! combination of two halves is.

/// The bytes of a leaf.
pub(crate) const LEAF: usize = 16;

/// Of up to so many leaves a subtree has wide nodes.
const WIDE_UP_TO: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    Leaf,
    /// Its children.
    Pair([u32; 2]),
    /// So many children, the first of these.
    Wide(u32, [u32; 4]),
}

/// The tree of the states of one length. Nodes are numbered from the leaves up: every node has a greater number than its
/// children, and the number of a leaf is its place in the state.
#[derive(Debug)]
pub(crate) struct Shape {
    pub length: usize,
    pub leaves: usize,
    pub nodes: Vec<Node>,
    /// Of each node its parent; none below the root.
    pub parents: Vec<Option<u32>>,
    /// The nodes below the root; the second is the first again if the state is a single leaf.
    pub top: [u32; 2],
}

impl Shape {
    pub fn new(length: usize) -> Self {
        let leaves = length.div_ceil(LEAF).max(1);
        let mut levels = Levels { nodes: vec![(0, Node::Leaf); leaves] };
        let top = match leaves {
            1 => [0, 0],
            _ => {
                let half = leaves.div_ceil(2);
                [levels.subtree(0, half), levels.subtree(half, leaves)]
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
    fn subtree(&mut self, from: usize, to: usize) -> u32 {
        let cuts = match to - from {
            1 => return from as u32,
            2 => 2,
            count @ 3..=WIDE_UP_TO => count.min(4),
            _ => 2,
        };
        let cut = |at: usize| from + (to - from) * at / cuts;
        let mut children = [0; 4];
        for (at, child) in children.iter_mut().enumerate().take(cuts) {
            *child = self.subtree(cut(at), cut(at + 1));
        }
        let height = 1 + children[..cuts].iter().map(|&child| self.nodes[child as usize].0).max().expect("it has some");
        let node = match cuts {
            2 => Node::Pair([children[0], children[1]]),
            _ => Node::Wide(cuts as u32, children),
        };
        self.nodes.push((height, node));
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
        let mut parents = vec![None; order.len()];
        let mut nodes = Vec::with_capacity(order.len());
        for &old in &order {
            let at = nodes.len() as u32;
            let node = match self.nodes[old].1 {
                Node::Leaf => Node::Leaf,
                Node::Pair(children) => Node::Pair(children.map(new)),
                Node::Wide(count, children) => {
                    let held = |(at, child)| if at < count as usize { new(child) } else { 0 };
                    let mut at = 0..4;
                    Node::Wide(count, children.map(|child| held((at.next().expect("four"), child))))
                }
            };
            node.children().iter().for_each(|&child| parents[child as usize] = Some(at));
            nodes.push(node);
        }
        Shape { length, leaves, nodes, parents, top: top.map(new) }
    }
}

impl Node {
    #[inline]
    pub fn children(&self) -> &[u32] {
        match self {
            Node::Leaf => &[],
            Node::Pair(children) => children,
            Node::Wide(count, children) => &children[..*count as usize],
        }
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
                for &child in shape.nodes[node as usize].children() {
                    assert!(child < node);
                    assert_eq!(shape.parents[child as usize], Some(node));
                    stack.push(child);
                }
            }
            assert!(seen.iter().all(|&count| count == 1), "length {length}");
            assert!(shape.top.iter().all(|&node| shape.parents[node as usize].is_none()));
            let is_leaf = |node: usize| shape.nodes[node] == Node::Leaf;
            assert!((0..shape.nodes.len()).all(|node| is_leaf(node) == (node < shape.leaves)));
        }
    }

    #[test]
    fn trees_are_flat() {
        let height = |length| {
            let shape = Shape::new(length);
            let mut node = 0;
            std::iter::from_fn(|| {
                node = shape.parents[node as usize]?;
                Some(())
            })
            .count()
        };
        assert_eq!([16, 32, 100, 128, 256, 1240].map(height), [0, 0, 1, 1, 2, 4]);
    }
}
