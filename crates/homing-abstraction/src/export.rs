//! The last abstract system as a graph, to be drawn or read.

use homing_core::Cost;

use crate::construct::Abstraction;
use crate::graph::INFINITE;
use crate::{FactorId, FactoredSystem, LabelId};

/// A transition between two classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AbstractTransition {
    /// The class it leaves.
    pub from: u32,
    /// The class it leads to, another one.
    pub to: u32,
    /// A label that leads there from some state of the class.
    pub label: LabelId,
}

/// An abstract system: what is left at the end of a construction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AbstractSystem {
    /// The factors that it stands for, in ascending order.
    pub factors: Vec<FactorId>,
    /// The distance of each class to a goal class, none where no goal class is reachable.
    pub distances: Vec<Option<Cost>>,
    /// Whether a state of the class is a goal state.
    pub goals: Vec<bool>,
    /// The classes of the initial states, in ascending order; none if no error is reachable.
    pub initial: Vec<u32>,
    /// The transitions between different classes, in ascending order.
    pub transitions: Vec<AbstractTransition>,
}

impl Abstraction {
    /// The abstract systems that are left: one, or several if the construction stopped early. The transitions are derived again from
    /// the system that was abstracted, label by label, as the construction forgets which labels became local. Labels that no state of
    /// the system can take are among them where this abstract system does not show it, but do not count for its distances.
    ///
    /// # Panics
    /// If `system` is not the system that was abstracted.
    pub fn systems(&self, system: &FactoredSystem) -> Vec<AbstractSystem> {
        let tree = self.tree();
        assert!(
            system.factors().iter().map(|factor| factor.size()).eq(tree.sizes[..tree.leaves as usize].iter().copied()),
            "another system than the one that was abstracted"
        );
        let below =
            |root: u32| -> Vec<bool> { (0..tree.sizes.len() as u32).map(|node| tree.is_below(node, root)).collect() };
        tree.roots
            .iter()
            .map(|root| {
                let is_below = below(root.node);
                let distances = root.distance[..root.goal.len()].iter();
                AbstractSystem {
                    factors: (0..tree.leaves).filter(|&leaf| is_below[leaf as usize]).map(FactorId).collect(),
                    distances: distances.map(|&distance| Some(distance).filter(|&d| d != INFINITE)).collect(),
                    goals: root.goal.clone(),
                    initial: self.initial_classes(system, &is_below, root.node),
                    transitions: self.transitions(system, &is_below, root.node),
                }
            })
            .collect()
    }

    fn initial_classes(&self, system: &FactoredSystem, is_below: &[bool], root: u32) -> Vec<u32> {
        let tree = self.tree();
        let mut initial: Vec<Vec<u32>> = system.factors().iter().map(|factor| factor.initial().to_vec()).collect();
        for (number, inner) in tree.inner.iter().enumerate() {
            let mut classes = Vec::new();
            if is_below[tree.leaves as usize + number] {
                for &left in &initial[inner.left as usize] {
                    for &right in &initial[inner.right as usize] {
                        classes.extend(tree.class(number, left, right));
                    }
                }
                classes.sort_unstable();
                classes.dedup();
            }
            initial.push(classes);
        }
        initial.swap_remove(root as usize)
    }

    fn transitions(&self, system: &FactoredSystem, is_below: &[bool], root: u32) -> Vec<AbstractTransition> {
        let tree = self.tree();
        let mut transitions = Vec::new();
        for label in (0..system.labels().len() as u32).map(LabelId) {
            // The transitions with the label in each node; none where it is irrelevant.
            let mut moves: Vec<Option<Vec<(u32, u32)>>> = system
                .factors()
                .iter()
                .zip(is_below)
                .map(|(factor, &is_below)| {
                    let at = factor.transitions().binary_search_by_key(&label, |local| local.label).ok();
                    at.filter(|_| is_below).map(|at| factor.transitions()[at].edges.clone())
                })
                .collect();
            for (number, inner) in tree.inner.iter().enumerate() {
                let step = |left: (u32, u32), right: (u32, u32)| {
                    Some((tree.class(number, left.0, right.0)?, tree.class(number, left.1, right.1)?))
                };
                let stay = |node: u32| (0..tree.sizes[node as usize]).map(|value| (value, value));
                let is_alone = inner.left == inner.right;
                let product: Option<Vec<(u32, u32)>> = match (&moves[inner.left as usize], &moves[inner.right as usize])
                {
                    _ if !is_below[tree.leaves as usize + number] => None,
                    (None, None) => None,
                    (Some(own), _) if is_alone => Some(own.iter().filter_map(|&own| step(own, own)).collect()),
                    (Some(left), None) => {
                        let pairs = left.iter().flat_map(|&left| stay(inner.right).map(move |right| (left, right)));
                        Some(pairs.filter_map(|(left, right)| step(left, right)).collect())
                    }
                    (None, Some(right)) => {
                        let pairs = right.iter().flat_map(|&right| stay(inner.left).map(move |left| (left, right)));
                        Some(pairs.filter_map(|(left, right)| step(left, right)).collect())
                    }
                    (Some(left), Some(right)) => {
                        let pairs = left.iter().flat_map(|&left| right.iter().map(move |&right| (left, right)));
                        Some(pairs.filter_map(|(left, right)| step(left, right)).collect())
                    }
                };
                moves.push(product.map(|mut product| {
                    product.sort_unstable();
                    product.dedup();
                    product
                }));
            }
            let found = moves.swap_remove(root as usize).into_iter().flatten().filter(|(from, to)| from != to);
            transitions.extend(found.map(|(from, to)| AbstractTransition { from, to, label }));
        }
        transitions.sort_unstable();
        transitions
    }
}
