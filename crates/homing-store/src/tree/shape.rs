//! The tree over the words that a state is packed in.
//!
//! The root has four children, the quarters of a state: it is new because a combination of them is. Large quarters have two
//! halves, which keeps the nodes small where most of them are; further down nodes have four, which keeps the tree flat.

/// The nodes below the root, if there are as many leaves.
pub(crate) const QUARTERS: usize = 4;

/// A node just below the root has two children if it has more leaves than this.
const NARROW: usize = 2;

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
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    /// Of each leaf its parent, [`TOP`] just below the root.
    pub leaves: Vec<u32>,
    /// By number, less that of leaves.
    pub inner: Vec<Node>,
    /// The nodes below the root; where there are fewer, the first again.
    pub top: [u32; QUARTERS],
}

impl Shape {
    pub fn new(leaves: usize) -> Self {
        let mut shape = Shape { leaves: vec![TOP; leaves], inner: Vec::new(), top: [0; QUARTERS] };
        let quarters = shape.quarters();
        for at in 0..quarters {
            shape.top[at] = shape.subtree(leaves * at / quarters, leaves * (at + 1) / quarters, true);
        }
        let first = shape.top[0];
        shape.top[quarters..].fill(first);
        shape
    }

    /// How many nodes below the root are not there a second time.
    #[inline]
    pub fn quarters(&self) -> usize {
        self.leaves.len().min(QUARTERS)
    }

    /// How many inner nodes there are with two children, and with more.
    pub fn inner_counts(&self) -> [usize; 2] {
        let pairs = self.inner.iter().filter(|node| node.count == 2).count();
        [pairs, self.inner.len() - pairs]
    }

    /// How many nodes there are, leaves included.
    pub fn nodes(&self) -> usize {
        self.leaves.len() + self.inner.len()
    }

    /// The number of the node above some leaves, made with all that is below it.
    fn subtree(&mut self, from: usize, to: usize, is_top: bool) -> u32 {
        let cuts = match to - from {
            1 => return from as u32,
            count if is_top && count > NARROW => 2,
            count => count.min(4),
        };
        let cut = |at: usize| from + (to - from) * at / cuts;
        let mut children = [self.subtree(cut(0), cut(1), false); 4];
        for (at, child) in children.iter_mut().enumerate().take(cuts).skip(1) {
            *child = self.subtree(cut(at), cut(at + 1), false);
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
            let shape = Shape::new(leaves);
            let mut seen = vec![0; shape.nodes()];
            let mut stack = shape.top.to_vec();
            stack.sort_unstable();
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
        let height = |leaves: usize| {
            let shape = Shape::new(leaves);
            let up = |&node: &u32| Some(parent(&shape, node)).filter(|&parent| parent != TOP);
            std::iter::successors(Some(0), up).count() - 1
        };
        assert_eq!([1, 2, 4, 8, 16, 32, 155].map(height), [0, 0, 0, 1, 2, 2, 3]);
    }
}
