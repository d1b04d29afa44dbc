//! What a search that finds shortest paths knows of each state: its `g` and how it was reached.

use homing_core::{Cost, StateId};
use homing_store::Segments;

/// `g` and the last step of the shortest path known to each state, in arrays by its number.
pub(crate) struct NodeTable<A> {
    g: Segments<Cost>,
    /// Of the states behind the root, which has number 0 and no step to it.
    last_step: Segments<LastStep<A>>,
}

#[derive(Clone, Copy)]
struct LastStep<A> {
    parent: StateId,
    action: A,
}

impl<A: Copy> NodeTable<A> {
    /// With the root, whose path has no step.
    pub fn with_root() -> Self {
        let mut g = Segments::new();
        g.push(0);
        NodeTable { g, last_step: Segments::new() }
    }

    pub fn g(&self, v: StateId) -> Cost {
        self.g.get(v.index())
    }

    /// Notes the path to `v` over `u` if it is the first or a shorter one, and tells whether it is.
    pub fn relax(&mut self, v: StateId, g: Cost, u: StateId, action: A) -> bool {
        let last_step = LastStep { parent: u, action };
        if v.index() == self.g.len() {
            self.g.push(g);
            self.last_step.push(last_step);
            return true;
        }
        if g >= self.g(v) {
            return false;
        }
        self.g.set(v.index(), g);
        self.last_step.set(v.index() - 1, last_step);
        true
    }

    /// The actions from the root to `u`.
    pub fn path_to(&self, u: StateId) -> Vec<A> {
        let mut actions = Vec::new();
        let mut at = u;
        while at.index() > 0 {
            let step = self.last_step.get(at.index() - 1);
            actions.push(step.action);
            at = step.parent;
        }
        actions.reverse();
        actions
    }

    pub fn memory(&self) -> u64 {
        self.g.memory() + self.last_step.memory()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shorter_path_replaces_a_longer_one() {
        let mut nodes = NodeTable::with_root();
        let [root, a, b] = [0, 1, 2].map(StateId);
        assert!(nodes.relax(a, 2, root, 'a'));
        assert!(nodes.relax(b, 9, root, 'b'));
        assert!(!nodes.relax(b, 9, a, 'x'));
        assert_eq!(nodes.path_to(b), ['b']);
        assert!(nodes.relax(b, 3, a, 'c'));
        assert_eq!((nodes.g(b), nodes.path_to(b)), (3, vec!['a', 'c']));
        assert!(!nodes.relax(root, 0, b, 'r'));
        assert_eq!(nodes.path_to(root), []);
    }
}
