//! Reduced ordered binary decision diagrams (Bryant 1986), each with nodes of its own.
//!
//! Labels of automata are small, so that sharing nodes between diagrams would cost more than it saves. Nodes are
//! numbered in post-order, low branch first: equal functions have equal diagrams.

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

/// A result that is not computed yet.
const UNKNOWN: Node = Node::MAX;

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
        let width = other.branches.len() + 2;
        let known = vec![UNKNOWN; (self.branches.len() + 2) * width];
        let mut apply = Apply { left: self, right: other, operation, builder: Builder::default(), known, width };
        let root = apply.at(self.root, other.root);
        Diagram { root, branches: apply.builder.branches }
    }

    /// Whether for some letter the first function is true and the second has the value `value`.
    pub fn meets(&self, other: &Self, value: bool) -> bool {
        let width = other.branches.len() + 2;
        let mut seen = vec![false; (self.branches.len() + 2) * width];
        let mut pending = vec![(self.root, other.root)];
        while let Some((left, right)) = pending.pop() {
            let is_false = left == 0 || right == Node::from(!value);
            if is_false || std::mem::replace(&mut seen[left as usize * width + right as usize], true) {
                continue;
            }
            let (a, b) = (self.branch(left), other.branch(right));
            let variable = match (a, b) {
                (None, _) | (_, None) => return true, // a function that is not constant has both values
                (Some(a), Some(b)) => a.variable.min(b.variable),
            };
            let (a_low, a_high) = sides(left, a, variable);
            let (b_low, b_high) = sides(right, b, variable);
            pending.extend([(a_low, b_low), (a_high, b_high)]);
        }
        false
    }

    /// The function with a variable fixed.
    pub fn cofactor(&self, variable: u8, value: bool) -> Self {
        let mut builder = Builder::default();
        let mut known = vec![UNKNOWN; self.branches.len() + 2];
        let root = self.cofactor_at(self.root, variable, value, &mut builder, &mut known);
        Diagram { root, branches: builder.branches }
    }

    /// The number of valuations of variables below `variables` for which the function is true.
    pub fn count(&self, variables: u8) -> u128 {
        // the counts of branches, over the variables from that of the branch on
        let mut counts: Vec<u128> = Vec::with_capacity(self.branches.len());
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
    fn cofactor_at(&self, node: Node, variable: u8, value: bool, builder: &mut Builder, known: &mut [Node]) -> Node {
        let Some(branch) = self.branch(node) else { return node };
        if known[node as usize] != UNKNOWN {
            return known[node as usize];
        }
        let result = if branch.variable == variable {
            let side = if value { branch.high } else { branch.low };
            self.cofactor_at(side, variable, value, builder, known)
        } else {
            let low = self.cofactor_at(branch.low, variable, value, builder, known);
            let high = self.cofactor_at(branch.high, variable, value, builder, known);
            builder.branch(Branch { variable: branch.variable, low, high })
        };
        known[node as usize] = result;
        result
    }
}

/// The combination of two diagrams.
struct Apply<'a, O> {
    left: &'a Diagram,
    right: &'a Diagram,
    operation: O,
    builder: Builder,
    /// The result for each pair of nodes.
    known: Vec<Node>,
    width: usize,
}

impl<O: Fn(u64, u64) -> u64> Apply<'_, O> {
    /// As deep as there are variables.
    fn at(&mut self, left: Node, right: Node) -> Node {
        let (a, b) = (self.left.branch(left), self.right.branch(right));
        let variable = match (a, b) {
            (None, None) => return Node::from((self.operation)(constant(left), constant(right)) & 1 == 1),
            (Some(a), None) => a.variable,
            (None, Some(b)) => b.variable,
            (Some(a), Some(b)) => a.variable.min(b.variable),
        };
        let place = left as usize * self.width + right as usize;
        if self.known[place] != UNKNOWN {
            return self.known[place];
        }
        let (a_low, a_high) = sides(left, a, variable);
        let (b_low, b_high) = sides(right, b, variable);
        let (low, high) = (self.at(a_low, b_low), self.at(a_high, b_high));
        self.known[place] = self.builder.branch(Branch { variable, low, high });
        self.known[place]
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
    /// The numbers of branches, once there are more than [`MOST_SEARCHED`].
    known: HashMap<Branch, Node, RandomState>,
}

/// The largest number of branches that are searched one by one.
const MOST_SEARCHED: usize = 32;

impl Builder {
    fn branch(&mut self, branch: Branch) -> Node {
        if branch.low == branch.high {
            return branch.low;
        }
        if let Some(known) = self.find(&branch) {
            return known;
        }
        self.branches.push(branch);
        let number = |index: usize| index as Node + 2;
        match self.branches.len() {
            0..=MOST_SEARCHED => {}
            length if self.known.is_empty() => {
                self.known.extend((0..length).map(|index| (self.branches[index], number(index))));
            }
            length => drop(self.known.insert(branch, number(length - 1))),
        }
        number(self.branches.len() - 1)
    }

    fn find(&self, branch: &Branch) -> Option<Node> {
        if self.branches.len() > MOST_SEARCHED {
            return self.known.get(branch).copied();
        }
        self.branches.iter().position(|known| known == branch).map(|index| index as Node + 2)
    }
}
