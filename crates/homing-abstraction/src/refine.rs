//! The partition of a product into classes (Fig. 3 of the paper): states of equal distance, split as far as the bound allows by
//! what they can do.
//!
//! Readings of what the paper leaves open: a kept split counts at once, for later buckets of the same sweep. The split of a bucket
//! is kept whole or dropped; as classes only become more, a bucket whose split was dropped need not be tried again. A bucket is a
//! distance that occurs; those from the N-th on are one. A local step inside a class does not count: it changes no distance, and
//! nothing synchronises with it. With labels of cost 0, states at distance 0 need not be goal states: goal states are distinguished
//! like states with different steps.

use std::collections::HashMap;

use homing_core::Cost;

use crate::BucketOrder;
use crate::component::{Labels, Mixing, mix};
use crate::compose::Budget;
use crate::graph::{Graph, INFINITE};

/// The class of a state that was pruned: ⊥.
pub(crate) const PRUNED: u32 = u32::MAX;

/// A partition of the states that are reachable and from which a goal state is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Partition {
    pub class: Vec<u32>,
    pub classes: u32,
    /// Whether time was over before nothing changed any more.
    pub is_unfinished: bool,
}

impl Partition {
    /// Every state that is not pruned in a class of its own.
    pub fn discrete(distance: &[Cost]) -> Self {
        let mut classes = 0;
        let number = |&d: &Cost| {
            if d == INFINITE {
                return PRUNED;
            }
            classes += 1;
            classes - 1
        };
        let class = distance.iter().map(number).collect();
        Partition { class, classes, is_unfinished: false }
    }
}

/// Partitions the states into at most `bound` classes. A state with infinite `distance` is pruned.
pub(crate) fn refine(
    graph: &Graph,
    distance: &[Cost],
    labels: &Labels,
    bound: u32,
    order: BucketOrder,
    budget: Budget<'_>,
) -> Partition {
    let bound = bound.min(graph.size().max(1) as u32);
    let mut buckets = buckets(distance, bound);
    let mut refinement = Refinement::new(graph, labels, &buckets);
    if order == BucketOrder::FarthestFirst {
        buckets.reverse();
    }
    let mut is_unfinished = false;
    loop {
        let before = refinement.classes;
        buckets.retain(|bucket| refinement.split(bucket, bound));
        if refinement.classes == before || refinement.classes == bound {
            break;
        }
        is_unfinished = budget.is_over();
        if is_unfinished {
            break;
        }
    }
    Partition { class: refinement.class, classes: refinement.classes, is_unfinished }
}

/// The states by distance, nearest first; all distances from the `bound`-th on in one bucket.
fn buckets(distance: &[Cost], bound: u32) -> Vec<Vec<u32>> {
    let mut distinct: Vec<Cost> = distance.iter().copied().filter(|&d| d != INFINITE).collect();
    distinct.sort_unstable();
    distinct.dedup();
    let mut buckets = vec![Vec::new(); distinct.len().min(bound as usize)];
    for (state, &d) in (0..).zip(distance) {
        if d != INFINITE {
            let rank = distinct.partition_point(|&other| other < d);
            buckets[rank.min(bound as usize - 1)].push(state);
        }
    }
    buckets
}

struct Refinement<'a> {
    graph: &'a Graph,
    labels: &'a Labels,
    class: Vec<u32>,
    classes: u32,
    /// Scratch: the part of a class that states with the same signature are in.
    parts: HashMap<(u32, u64), u32, Mixing>,
    /// Scratch: the new classes of the bucket's states.
    split: Vec<u32>,
    /// Scratch: the signature of a state.
    signature: Vec<u64>,
    /// Scratch: for each class, the number of the bucket in which a part kept the class's number.
    kept_for: Vec<u32>,
    attempts: u32,
}

impl<'a> Refinement<'a> {
    fn new(graph: &'a Graph, labels: &'a Labels, buckets: &[Vec<u32>]) -> Self {
        let mut class = vec![PRUNED; graph.size()];
        for (number, bucket) in (0..).zip(buckets) {
            bucket.iter().for_each(|&state| class[state as usize] = number);
        }
        let classes = buckets.len() as u32;
        let (parts, split, signature) = (HashMap::default(), Vec::new(), Vec::new());
        Refinement { graph, labels, class, classes, parts, split, signature, kept_for: Vec::new(), attempts: 0 }
    }

    /// Splits the classes of a bucket by the signatures of their states, if there are at most `bound` classes then. Returns whether
    /// the bucket is to be tried again.
    fn split(&mut self, bucket: &[u32], bound: u32) -> bool {
        let mut classes = self.classes;
        self.attempts += 1;
        self.parts.clear();
        self.split.clear();
        self.kept_for.resize(bound as usize, 0);
        for &state in bucket {
            let class = self.class[state as usize];
            let key = (class, self.signature_of(state));
            let part = *self.parts.entry(key).or_insert_with(|| {
                if std::mem::replace(&mut self.kept_for[class as usize], self.attempts) != self.attempts {
                    return class; // the first part keeps the number
                }
                classes += 1;
                classes - 1
            });
            if classes > bound {
                return false;
            }
            self.split.push(part);
        }
        bucket.iter().zip(&self.split).for_each(|(&state, &part)| self.class[state as usize] = part);
        self.classes = classes;
        true
    }

    /// A hash of whether the state is a goal and of the set of pairs of a label and a class to which it leads. Equal hashes of different sets would only make the
    /// partition coarser than intended, and every partition is admissible.
    fn signature_of(&mut self, state: u32) -> u64 {
        let own = self.class[state as usize];
        self.signature.clear();
        for edge in self.graph.out(state) {
            let class = self.class[edge.target as usize];
            if class != PRUNED && (class != own || !self.labels.is_local(edge.label)) {
                self.signature.push(u64::from(edge.label) << 32 | u64::from(class));
            }
        }
        self.signature.sort_unstable();
        self.signature.dedup();
        let is_goal = u64::from(self.graph.goal[state as usize]);
        self.signature.iter().fold(is_goal, |hash, &step| mix(hash ^ step))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FactoredSystem;
    use crate::graph::Edge;

    /// Labels 0 and 1 are shared, 2 is local.
    fn labels() -> Labels {
        let mut builder = FactoredSystem::builder();
        let factor = builder.factor("x", 1);
        builder.initial(factor, 0);
        builder.label(1);
        builder.label(1);
        Labels::of(&builder.build().unwrap())
    }

    /// Goal 0; states 1 and 2 at distance 1, 3 and 4 at distance 2. The labels of each pair differ.
    fn two_pairs() -> Graph {
        let edges = vec![
            Edge { label: 0, target: 0 },
            Edge { label: 1, target: 0 },
            Edge { label: 0, target: 1 },
            Edge { label: 1, target: 1 },
        ];
        Graph { initial: vec![3], goal: vec![true, false, false, false, false], rows: vec![0, 0, 1, 2, 3, 4], edges }
    }

    fn classes(graph: &Graph, bound: u32, order: BucketOrder) -> Vec<u32> {
        let budget = Budget { transitions: 0, deadline: None, stop: &homing_core::StopToken::default() };
        let distance = graph.distances(|_| 1);
        refine(graph, &distance, &labels(), bound, order, budget).class
    }

    #[test]
    fn the_bucket_that_comes_first_takes_the_room() {
        let graph = two_pairs();
        assert_eq!(classes(&graph, 3, BucketOrder::NearestFirst), [0, 1, 1, 2, 2]);
        assert_eq!(classes(&graph, 4, BucketOrder::NearestFirst), [0, 1, 3, 2, 2]);
        assert_eq!(classes(&graph, 4, BucketOrder::FarthestFirst), [0, 1, 1, 2, 3]);
        assert_eq!(classes(&graph, 5, BucketOrder::NearestFirst), [0, 1, 3, 2, 4]);
    }

    #[test]
    fn distances_beyond_the_bound_are_one_class() {
        assert_eq!(classes(&two_pairs(), 2, BucketOrder::NearestFirst), [0, 1, 1, 1, 1]);
        assert_eq!(classes(&two_pairs(), 1, BucketOrder::NearestFirst), [0, 0, 0, 0, 0]);
    }

    #[test]
    fn a_local_step_inside_a_class_does_not_count() {
        let local = Edge { label: 2, target: 2 };
        let step = Edge { label: 0, target: 0 };
        // States 1 and 2 can both step to the goal; 1 also to 2.
        let graph = Graph {
            initial: vec![1],
            goal: vec![true, false, false],
            rows: vec![0, 0, 2, 3],
            edges: vec![step, local, step],
        };
        assert_eq!(classes(&graph, 3, BucketOrder::NearestFirst), [0, 1, 1]);
    }

    #[test]
    fn dead_ends_are_in_no_class() {
        let graph = Graph { initial: vec![0], goal: vec![false, true], rows: vec![0, 0, 0], edges: Vec::new() };
        assert_eq!(classes(&graph, 9, BucketOrder::NearestFirst), [PRUNED, 0]);
    }
}
