//! The abstraction map as a binary tree of tables (α in Fig. 2 of the paper): a leaf for each factor, an inner node for each merge.
//!
//! A node's value is the class of the state in that component. The value after the last class stands for ⊥ (pruned), and each table
//! has a row and a column for it, so that ⊥ needs no test on the way up.

use std::sync::Arc;

use homing_core::Cost;

use crate::graph::INFINITE;

/// A merge: the class for each pair of values of its children.
#[derive(Clone, Debug)]
pub(crate) struct Inner {
    pub left: u32,
    /// The same as `left` if a single component was abstracted.
    pub right: u32,
    at: usize,
    left_stride: u32,
    right_stride: u32,
}

/// A component that is left at the end.
#[derive(Clone, Debug)]
pub(crate) struct Root {
    pub node: u32,
    pub goal: Vec<bool>,
    /// The distance of each class, and an infinite one for ⊥.
    pub distance: Vec<Cost>,
}

/// The tables of a construction: grows with each merge, then is packed.
#[derive(Clone, Debug)]
pub(crate) struct Tree<C = Cells> {
    pub leaves: u32,
    /// The number of values of each node, without ⊥.
    pub sizes: Vec<u32>,
    /// The inner nodes, children before parents. They are numbered after the leaves.
    pub inner: Vec<Inner>,
    /// The parent of each node; [`NONE`] for roots, and for nodes that were left out.
    parent: Vec<u32>,
    cells: C,
    pub roots: Vec<Root>,
}

/// No node.
const NONE: u32 = u32::MAX;

/// The entries of all tables, as narrow as they can be: what a search reads should stay in the cache.
#[derive(Clone, Debug)]
pub(crate) enum Cells {
    Narrow(Vec<u16>),
    Wide(Vec<u32>),
}

impl Tree<Vec<u32>> {
    pub fn new(leaves: Vec<u32>) -> Self {
        let parent = vec![NONE; leaves.len()];
        Tree {
            leaves: leaves.len() as u32,
            sizes: leaves,
            inner: Vec::new(),
            parent,
            cells: Vec::new(),
            roots: Vec::new(),
        }
    }

    /// Adds a merge with this class for each pair of values of its children, none for ⊥. Returns its node.
    pub fn merge(&mut self, left: u32, right: u32, classes: u32, class: impl Fn(u32, u32) -> Option<u32>) -> u32 {
        let (rows, columns) = (self.sizes[left as usize] + 1, self.sizes[right as usize] + 1);
        let inner = Inner { left, right, at: self.cells.len(), left_stride: columns, right_stride: 1 };
        self.cells.reserve(rows as usize * columns as usize);
        for row in 0..rows {
            for column in 0..columns {
                let is_pruned = row + 1 == rows || column + 1 == columns;
                let class = if is_pruned { None } else { class(row, column) };
                self.cells.push(class.unwrap_or(classes));
            }
        }
        self.push(inner, classes)
    }

    /// Adds the abstraction of a single component.
    pub fn shrink(&mut self, child: u32, classes: u32, class: impl Fn(u32) -> Option<u32>) -> u32 {
        let inner = Inner { left: child, right: child, at: self.cells.len(), left_stride: 1, right_stride: 0 };
        let size = self.sizes[child as usize];
        self.cells.extend((0..size).map(|value| class(value).unwrap_or(classes)));
        self.cells.push(classes);
        self.push(inner, classes)
    }

    fn push(&mut self, inner: Inner, classes: u32) -> u32 {
        let node = self.sizes.len() as u32;
        self.parent[inner.left as usize] = node;
        self.parent[inner.right as usize] = node;
        self.parent.push(NONE);
        self.sizes.push(classes);
        self.inner.push(inner);
        node
    }

    /// The finished tree. Nodes that are below no root are never evaluated.
    pub fn pack(mut self, roots: Vec<Root>) -> Tree {
        let mut is_used = vec![false; self.sizes.len()];
        roots.iter().for_each(|root| is_used[root.node as usize] = true);
        for node in (0..self.parent.len()).rev() {
            let parent = self.parent[node];
            is_used[node] |= parent != NONE && is_used[parent as usize];
            if !is_used[node] {
                self.parent[node] = NONE;
            }
        }
        let is_narrow = self.sizes[self.leaves as usize..].iter().all(|&size| size <= u32::from(u16::MAX));
        let cells = if is_narrow {
            Cells::Narrow(self.cells.iter().map(|&cell| cell as u16).collect())
        } else {
            Cells::Wide(self.cells)
        };
        Tree { leaves: self.leaves, sizes: self.sizes, inner: self.inner, parent: self.parent, cells, roots }
    }
}

impl Tree {
    /// The values of all nodes for these values of the leaves.
    ///
    /// # Panics
    /// If there are not as many as leaves, or one is not a state of its factor.
    pub fn evaluate(&self, leaves: &[u32], values: &mut Vec<u32>) {
        assert_eq!(leaves.len(), self.leaves as usize, "one value for each factor");
        values.clear();
        for (leaf, &value) in leaves.iter().enumerate() {
            self.check(leaf, value);
            values.push(value);
        }
        match &self.cells {
            Cells::Narrow(cells) => self.fill(cells, values),
            Cells::Wide(cells) => self.fill(cells, values),
        }
    }

    fn fill<W: Copy + Into<u32>>(&self, cells: &[W], values: &mut Vec<u32>) {
        self.inner.iter().for_each(|inner| values.push(inner.value(cells, values)));
    }

    /// The class for a pair of values of an inner node's children; none for ⊥.
    pub fn class(&self, inner: usize, left: u32, right: u32) -> Option<u32> {
        let class = match &self.cells {
            Cells::Narrow(cells) => u32::from(cells[self.inner[inner].cell(left, right)]),
            Cells::Wide(cells) => cells[self.inner[inner].cell(left, right)],
        };
        (class < self.sizes[self.leaves as usize + inner]).then_some(class)
    }

    /// Whether a root is above the node, or is the node.
    pub fn is_below(&self, mut node: u32, root: u32) -> bool {
        while node != root && self.parent[node as usize] != NONE {
            node = self.parent[node as usize];
        }
        node == root
    }

    /// The maximum over the roots of their distances; infinite if one is ⊥.
    pub fn distance(&self, values: &[u32]) -> Option<Cost> {
        let distances = self.roots.iter().map(|root| root.distance[values[root.node as usize] as usize]);
        Some(distances.max().unwrap_or(0)).filter(|&distance| distance != INFINITE)
    }

    /// Whether the distance depends on a leaf.
    pub fn uses(&self, leaf: u32) -> bool {
        self.parent[leaf as usize] != NONE || self.roots.iter().any(|root| root.node == leaf)
    }

    /// Sets the value of a node. Returns its parent, which is to be recomputed, if the value is another one.
    fn set(&self, values: &mut [u32], overwritten: &mut Vec<(u32, u32)>, node: u32, value: u32) -> Option<u32> {
        let old = std::mem::replace(&mut values[node as usize], value);
        if old == value {
            return None;
        }
        overwritten.push((node, old));
        Some(self.parent[node as usize]).filter(|&parent| parent != NONE)
    }

    fn check(&self, leaf: usize, value: u32) {
        let size = self.sizes[leaf];
        assert!(value < size, "{value} is not a state of factor {leaf}, which has {size}");
    }
}

impl Inner {
    fn cell(&self, left: u32, right: u32) -> usize {
        self.at + left as usize * self.left_stride as usize + right as usize * self.right_stride as usize
    }

    fn value<W: Copy + Into<u32>>(&self, cells: &[W], values: &[u32]) -> u32 {
        cells[self.cell(values[self.left as usize], values[self.right as usize])].into()
    }
}

/// Estimates successors of a state from what a step changed: keeps the values of all nodes for the state being expanded, and
/// recomputes only those between a changed leaf and the first node whose class stays the same.
#[derive(Clone, Debug)]
pub struct Evaluator {
    tree: Arc<Tree>,
    values: Vec<u32>,
    /// Scratch: nodes to be recomputed, parents before children.
    pending: Vec<u32>,
    /// Scratch: nodes with the values to be restored.
    overwritten: Vec<(u32, u32)>,
}

impl Evaluator {
    /// An evaluator that expands the state with value 0 in every factor.
    pub(crate) fn new(tree: Arc<Tree>) -> Self {
        let mut values = Vec::new();
        tree.evaluate(&vec![0; tree.leaves as usize], &mut values);
        Evaluator { tree, values, pending: Vec::new(), overwritten: Vec::new() }
    }

    /// Takes note of the state that is about to be expanded, and returns its distance.
    ///
    /// # Panics
    /// If there are not as many values as factors, or one is not a state of its factor.
    pub fn expand(&mut self, leaves: &[u32]) -> Option<Cost> {
        self.tree.evaluate(leaves, &mut self.values);
        self.tree.distance(&self.values)
    }

    /// The distance of a state that has these values in these factors, and the values of the expanded state in all others.
    ///
    /// # Panics
    /// If there is no such factor, or a value is not a state of its factor.
    pub fn distance_after(&mut self, changed: &[(u32, u32)]) -> Option<Cost> {
        for &(leaf, value) in changed {
            self.tree.check(leaf as usize, value);
            if let Some(parent) = self.tree.set(&mut self.values, &mut self.overwritten, leaf, value) {
                self.pending.push(parent);
            }
        }
        match &self.tree.cells {
            Cells::Narrow(cells) => {
                climb(&self.tree, cells, &mut self.values, &mut self.pending, &mut self.overwritten)
            }
            Cells::Wide(cells) => climb(&self.tree, cells, &mut self.values, &mut self.pending, &mut self.overwritten),
        }
        let distance = self.tree.distance(&self.values);
        while let Some((node, value)) = self.overwritten.pop() {
            self.values[node as usize] = value; // the last first: a leaf may have been named twice
        }
        distance
    }
}

/// Recomputes the pending nodes and their ancestors, children before parents. The paths from the leaves are followed one at a
/// time, each up to the next node of another: from there on they are one path.
fn climb<W: Copy + Into<u32>>(
    tree: &Tree,
    cells: &[W],
    values: &mut [u32],
    pending: &mut Vec<u32>,
    overwritten: &mut Vec<(u32, u32)>,
) {
    pending.sort_unstable_by_key(|&node| std::cmp::Reverse(node));
    while let Some(mut node) = pending.pop() {
        let limit = pending.last().copied().unwrap_or(NONE);
        while node < limit {
            let value = tree.inner[(node - tree.leaves) as usize].value(cells, values);
            match tree.set(values, overwritten, node, value) {
                Some(parent) => node = parent,
                None => break,
            }
        }
        if node > limit {
            let at = pending.partition_point(|&other| other > node);
            pending.insert(at, node);
        }
    }
}
