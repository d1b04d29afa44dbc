//! The shape of the tree over the leaves of a packed state.
//!
//! The root has four children, for the quarters of a state: most new states are new combinations of known quarters. The
//! root is not a node: its children are the references in the key. A large quarter has two children, which keeps nodes
//! small where most of them are; further down nodes have four, which keeps the tree flat.

/// How many top nodes, those just below the root, a tree has if there are as many leaves.
pub(crate) const TOP_NODES: usize = 4;

/// A top node has two children if it has more leaves than this.
const MAX_QUAD_AT_TOP: usize = 2;

/// An inner node: a pair, or a quad of three or four children.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inner {
    /// The first `count` are the children, the others the first child again.
    pub children: [u32; 4],
    pub count: u32,
    /// The node above, or [`NO_PARENT`] of a top node.
    pub parent: u32,
}

/// The parent of a top node.
pub(crate) const NO_PARENT: u32 = u32::MAX;

/// The shape of a tree. Leaves are numbered first, then the inner nodes: every node has a greater number than its
/// children.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    /// The parent of each leaf, or [`NO_PARENT`].
    pub leaf_parents: Vec<u32>,
    /// The inner nodes; the number of the first is that of leaves.
    pub inner: Vec<Inner>,
    /// The top nodes; where there are fewer than four, the first again.
    pub top: [u32; TOP_NODES],
}

impl Shape {
    /// The shape of a tree with so many leaves, at least one.
    pub fn new(leaves: usize) -> Self {
        let mut shape = Shape { leaf_parents: vec![NO_PARENT; leaves], inner: Vec::new(), top: [0; TOP_NODES] };
        let count = shape.top_count();
        for at in 0..count {
            shape.top[at] = shape.subtree(leaves * at / count, leaves * (at + 1) / count, true);
        }
        let first = shape.top[0];
        shape.top[count..].fill(first);
        shape
    }

    /// How many different top nodes there are.
    #[inline]
    pub fn top_count(&self) -> usize {
        self.leaf_parents.len().min(TOP_NODES)
    }

    /// How many pairs and how many quads there are.
    pub fn inner_counts(&self) -> [usize; 2] {
        let pairs = self.inner.iter().filter(|node| node.count == 2).count();
        [pairs, self.inner.len() - pairs]
    }

    /// How many nodes there are, leaves included.
    pub fn nodes(&self) -> usize {
        self.leaf_parents.len() + self.inner.len()
    }

    /// Makes the node above the leaves `from..to` with all nodes below it, and returns its number.
    fn subtree(&mut self, from: usize, to: usize, is_top: bool) -> u32 {
        let count = match to - from {
            1 => return from as u32,
            leaves if is_top && leaves > MAX_QUAD_AT_TOP => 2,
            leaves => leaves.min(4),
        };
        let cut = |at: usize| from + (to - from) * at / count;
        let mut children = [self.subtree(cut(0), cut(1), false); 4];
        for (at, child) in children.iter_mut().enumerate().take(count).skip(1) {
            *child = self.subtree(cut(at), cut(at + 1), false);
        }
        let number = self.nodes() as u32;
        for child in children {
            match (child as usize).checked_sub(self.leaf_parents.len()) {
                Some(inner) => self.inner[inner].parent = number,
                None => self.leaf_parents[child as usize] = number,
            }
        }
        self.inner.push(Inner { children, count: count as u32, parent: NO_PARENT });
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parent(shape: &Shape, node: u32) -> u32 {
        match (node as usize).checked_sub(shape.leaf_parents.len()) {
            Some(inner) => shape.inner[inner].parent,
            None => shape.leaf_parents[node as usize],
        }
    }

    #[test]
    fn every_leaf_is_below_the_root_once() {
        for leaves in (1..100).chain([1000, 1240, 5000]) {
            let shape = Shape::new(leaves);
            let mut seen = vec![0; shape.nodes()];
            let mut stack = shape.top.to_vec();
            stack.sort_unstable();
            stack.dedup();
            while let Some(node) = stack.pop() {
                seen[node as usize] += 1;
                let Some(inner) = (node as usize).checked_sub(leaves) else { continue };
                let Inner { children, count, .. } = shape.inner[inner];
                for &child in &children[..count as usize] {
                    assert!(child < node);
                    assert_eq!(parent(&shape, child), node);
                    stack.push(child);
                }
            }
            assert!(seen.iter().all(|&count| count == 1), "{leaves} leaves");
            assert!(shape.top.iter().all(|&node| parent(&shape, node) == NO_PARENT));
        }
    }

    #[test]
    fn trees_are_flat() {
        let height = |leaves: usize| {
            let shape = Shape::new(leaves);
            let up = |&node: &u32| Some(parent(&shape, node)).filter(|&parent| parent != NO_PARENT);
            std::iter::successors(Some(0), up).count() - 1
        };
        assert_eq!([1, 2, 4, 8, 16, 32, 155].map(height), [0, 0, 0, 1, 2, 2, 3]);
    }
}
