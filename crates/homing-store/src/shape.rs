//! The tree over the words that a state is packed in.
//!
//! Just below the root nodes have two children, which keeps them small, for most of the nodes are there: a state is new
//! because a combination of two halves is. Further down they have four, which keeps the tree flat.

/// Nodes have two children down to this depth, the root being at 0, as long as they have more than so many leaves.
const NARROW: [usize; 3] = [1, 1, 8];

/// An inner node: a pair, or a wide one with three or four children.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    /// As many as `count` says, the others the first again.
    pub children: [u32; 4],
    pub count: u32,
    /// [`TOP`] just below the root.
    pub parent: u32,
}

/// No parent: the node is just below the root.
pub(crate) const TOP: u32 = u32::MAX;

/// The tree over so many leaves, one for each word. Leaves are numbered first, then the inner nodes: every node has a
/// greater number than its children.
#[derive(Debug)]
pub(crate) struct Shape {
    /// Of each leaf its parent, [`TOP`] just below the root.
    pub leaves: Vec<u32>,
    /// By number, less that of leaves.
    pub inner: Vec<Node>,
    /// The nodes below the root; the second is the first again if there is a single leaf.
    pub top: [u32; 2],
}

impl Shape {
    /// With so many leaves in its first half, unless the other would have none.
    pub fn new(leaves: usize, half: usize) -> Self {
        let mut shape = Shape { leaves: vec![TOP; leaves], inner: Vec::new(), top: [0, 0] };
        if leaves > 1 {
            let half = half.clamp(1, leaves - 1);
            shape.top = [shape.subtree(0, half, 1), shape.subtree(half, leaves, 1)];
        }
        shape
    }

    /// How many nodes there are, leaves included.
    pub fn nodes(&self) -> usize {
        self.leaves.len() + self.inner.len()
    }

    /// The number of the node above some leaves, made with all that is below it.
    fn subtree(&mut self, from: usize, to: usize, depth: usize) -> u32 {
        let cuts = match to - from {
            1 => return from as u32,
            count if NARROW.get(depth).is_some_and(|&least| count > least) => 2,
            count => count.min(4),
        };
        let cut = |at: usize| from + (to - from) * at / cuts;
        let mut children = [self.subtree(cut(0), cut(1), depth + 1); 4];
        for (at, child) in children.iter_mut().enumerate().take(cuts).skip(1) {
            *child = self.subtree(cut(at), cut(at + 1), depth + 1);
        }
        let number = self.nodes() as u32;
        for child in children {
            match (child as usize).checked_sub(self.leaves.len()) {
                Some(inner) => self.inner[inner].parent = number,
                None => self.leaves[child as usize] = number,
            }
        }
        self.inner.push(Node { children, count: cuts as u32, parent: TOP });
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parent(shape: &Shape, node: u32) -> u32 {
        match (node as usize).checked_sub(shape.leaves.len()) {
            Some(inner) => shape.inner[inner].parent,
            None => shape.leaves[node as usize],
        }
    }

    #[test]
    fn every_leaf_is_below_the_root_once() {
        for leaves in (1..100).chain([1000, 1240, 5000]) {
            let shape = Shape::new(leaves, leaves * 2 / 3);
            let mut seen = vec![0; shape.nodes()];
            let mut stack = shape.top.to_vec();
            stack.dedup();
            while let Some(node) = stack.pop() {
                seen[node as usize] += 1;
                let Some(inner) = (node as usize).checked_sub(leaves) else { continue };
                let Node { children, count, .. } = shape.inner[inner];
                for &child in &children[..count as usize] {
                    assert!(child < node);
                    assert_eq!(parent(&shape, child), node);
                    stack.push(child);
                }
            }
            assert!(seen.iter().all(|&count| count == 1), "{leaves} leaves");
            assert!(shape.top.iter().all(|&node| parent(&shape, node) == TOP));
        }
    }

    #[test]
    fn trees_are_flat() {
        let height = |leaves| {
            let shape = Shape::new(leaves, leaves.div_ceil(2));
            let up = |&node: &u32| Some(parent(&shape, node)).filter(|&parent| parent != TOP);
            std::iter::successors(Some(0), up).count() - 1
        };
        assert_eq!([1, 2, 4, 8, 16, 32, 155].map(height), [0, 0, 1, 2, 2, 3, 4]);
    }
}
