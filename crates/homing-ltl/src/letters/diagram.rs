//! Reduced ordered binary decision diagrams (Bryant 1986), each with nodes of its own.
//!
//! Labels of automata are small, so that sharing nodes between diagrams would cost more than it saves. Nodes are numbered
//! in post-order, low branch first: equal functions have equal diagrams.

use std::collections::HashMap;

use rapidhash::fast::RandomState;

/// A Boolean function of up to 64 variables.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Diagram {
    root: Node,
    branches: Vec<Branch>,
}

/// 0 and 1 are the constants, 2 + i is branch i.
type Node = u32;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Branch {
    variable: u8,
    low: Node,
    high: Node,
}

impl Diagram {
    pub fn constant(value: bool) -> Self {
        Diagram { root: Node::from(value), branches: Vec::new() }
    }

    pub fn variable(variable: u8) -> Self {
        Diagram { root: 2, branches: vec![Branch { variable, low: 0, high: 1 }] }
    }

    pub fn contains(&self, letter: u64) -> bool {
        let mut node = self.root;
        while let Some(branch) = self.branch(node) {
            node = if letter >> branch.variable & 1 == 1 { branch.high } else { branch.low };
        }
        node == 1
    }

    /// The function that combines the values of two; `operation` works on constants, 0 and all ones.
    pub fn apply(&self, other: &Self, operation: impl Fn(u64, u64) -> u64) -> Self {
        let mut builder = Builder::default();
        let root = self.apply_at(self.root, other, other.root, &operation, &mut builder, &mut HashMap::default());
        Diagram { root, branches: builder.branches }
    }

    /// The function with a variable fixed.
    pub fn cofactor(&self, variable: u8, value: bool) -> Self {
        let mut builder = Builder::default();
        let mut known = HashMap::default();
        let root = self.cofactor_at(self.root, variable, value, &mut builder, &mut known);
        Diagram { root, branches: builder.branches }
    }

    /// The number of valuations of variables below `variables` for which the function is true.
    pub fn count(&self, variables: u8) -> u128 {
        let mut counts: Vec<u128> = Vec::with_capacity(self.branches.len()); // over the variables from that of the branch
        let level = |node| self.branch(node).map_or(variables, |branch| branch.variable);
        let count = |node: Node, counts: &[u128], from: u8| {
            let own = if node < 2 { u128::from(node) } else { counts[node as usize - 2] };
            own << (level(node) - from)
        };
        for branch in &self.branches {
            let below = branch.variable + 1;
            let sum = count(branch.low, &counts, below) + count(branch.high, &counts, below);
            counts.push(sum);
        }
        count(self.root, &counts, 0)
    }

    /// A valuation for which the function is true; variables that do not matter are 0.
    pub fn any(&self) -> Option<u64> {
        let (mut node, mut letter) = (self.root, 0);
        while let Some(branch) = self.branch(node) {
            // a branch other than the constant 0 leads to the constant 1: diagrams are reduced
            node = if branch.low != 0 { branch.low } else { branch.high };
            letter |= u64::from(branch.low == 0) << branch.variable;
        }
        (node == 1).then_some(letter)
    }

    fn branch(&self, node: Node) -> Option<Branch> {
        node.checked_sub(2).map(|index| self.branches[index as usize])
    }

    /// As deep as there are variables.
    fn apply_at<O: Fn(u64, u64) -> u64>(
        &self,
        node: Node,
        other: &Self,
        other_node: Node,
        operation: &O,
        builder: &mut Builder,
        known: &mut HashMap<(Node, Node), Node, RandomState>,
    ) -> Node {
        let (a, b) = (self.branch(node), other.branch(other_node));
        let variable = match (a, b) {
            (None, None) => return Node::from(operation(constant(node), constant(other_node)) & 1 == 1),
            (Some(a), None) => a.variable,
            (None, Some(b)) => b.variable,
            (Some(a), Some(b)) => a.variable.min(b.variable),
        };
        if let Some(&result) = known.get(&(node, other_node)) {
            return result;
        }
        let (a_low, a_high) = sides(node, a, variable);
        let (b_low, b_high) = sides(other_node, b, variable);
        let low = self.apply_at(a_low, other, b_low, operation, builder, known);
        let high = self.apply_at(a_high, other, b_high, operation, builder, known);
        let result = builder.branch(Branch { variable, low, high });
        known.insert((node, other_node), result);
        result
    }

    /// As deep as there are variables.
    fn cofactor_at(
        &self,
        node: Node,
        variable: u8,
        value: bool,
        builder: &mut Builder,
        known: &mut HashMap<Node, Node, RandomState>,
    ) -> Node {
        let Some(branch) = self.branch(node) else { return node };
        if let Some(&result) = known.get(&node) {
            return result;
        }
        let result = if branch.variable == variable {
            let side = if value { branch.high } else { branch.low };
            self.cofactor_at(side, variable, value, builder, known)
        } else {
            let low = self.cofactor_at(branch.low, variable, value, builder, known);
            let high = self.cofactor_at(branch.high, variable, value, builder, known);
            builder.branch(Branch { variable: branch.variable, low, high })
        };
        known.insert(node, result);
        result
    }
}

/// The value of a constant node in all bits.
fn constant(node: Node) -> u64 {
    if node == 1 { u64::MAX } else { 0 }
}

/// The nodes after `variable` is decided at a node that may decide a later one.
fn sides(node: Node, branch: Option<Branch>, variable: u8) -> (Node, Node) {
    branch.filter(|branch| branch.variable == variable).map_or((node, node), |branch| (branch.low, branch.high))
}

/// The branches of a diagram under construction. Each is made after the branches below it, so that the order is the
/// post-order of the finished diagram.
#[derive(Default)]
struct Builder {
    branches: Vec<Branch>,
    known: HashMap<Branch, Node, RandomState>,
}

impl Builder {
    fn branch(&mut self, branch: Branch) -> Node {
        if branch.low == branch.high {
            return branch.low;
        }
        *self.known.entry(branch).or_insert_with(|| {
            self.branches.push(branch);
            self.branches.len() as Node + 1
        })
    }
}
