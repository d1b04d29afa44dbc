//! What can be chosen about the construction.

use std::num::NonZeroU32;
use std::time::Duration;

/// How an abstraction is constructed. Every choice gives a consistent estimate; they differ in precision and cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The largest number of classes of an abstracted product: N in the paper.
    pub bound: NonZeroU32,
    /// Which buckets are refined first while there is room.
    pub bucket_order: BucketOrder,
    /// Which components are composed next.
    pub strategy: Strategy,
    /// Whether the last product is abstracted.
    pub last_product: LastProduct,
    /// Whether labels are combined that differ in one component only.
    pub label_reduction: LabelReduction,
    /// When the construction stops early.
    pub limits: Limits,
}

impl Options {
    /// The defaults with this bound on the number of classes.
    pub fn with_bound(bound: NonZeroU32) -> Self {
        Options { bound, ..Options::default() }
    }
}

impl Default for Options {
    fn default() -> Self {
        Options {
            bound: const { NonZeroU32::new(100).expect("100 is not 0") },
            bucket_order: BucketOrder::NearestFirst,
            strategy: Strategy::Ranking(TieRule::SmallestProduct),
            last_product: LastProduct::Whole { most_states: 1 << 20 },
            label_reduction: LabelReduction::Exact,
            limits: Limits::default(),
        }
    }
}

/// Which buckets (states of equal distance) are refined first (section 4 of the paper).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BucketOrder {
    /// Those near the error, where an inaccuracy affects most states.
    NearestFirst,
    /// Those far from the error: the alternative that Fig. 4 compares with.
    FarthestFirst,
}

/// Which components are composed next (section 5 of the paper).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// The pair that can synchronise nearest to its goal states.
    Ranking(TieRule),
    /// The first with the second, the result with the third, and so on.
    Definition,
}

/// Which of several pairs with the same rank is taken; the paper does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TieRule {
    /// The pair with the fewest pairs of states; then the first.
    SmallestProduct,
    /// The first in the order of definition. A product is defined where its first part was.
    FirstPair,
}

/// Whether the last product is abstracted. It is composed with nothing, so that abstracting it only loses distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastProduct {
    /// As it is, if it has no more states than this; else as [`LastProduct::Abstracted`].
    Whole {
        /// The largest number of states.
        most_states: u32,
    },
    /// As every product: the letter of the paper.
    Abstracted,
}

/// Whether labels are combined that differ in one component only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelReduction {
    /// Labels that only one component lists become local there, as in the paper; no other change.
    Local,
    /// Besides, labels that some component blocks are removed, and labels of equal cost that differ in one component only become one
    /// (Sievers, Wehrle & Helmert 2014). Distances in the composed system stay the same.
    Exact,
    /// Besides, a label that is the identity in a component becomes irrelevant there. Distances in the composed system stay the same,
    /// and fewer components are composed, but in another order: on arbiter trees the construction takes a tenth of the time, and with
    /// a small bound guides a greedy search worse.
    Irrelevance,
}

/// Limits on the construction. When one is exceeded the estimate is the maximum over the components that are left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest number of pairs of states of a product. Components are abstracted further before a larger one is composed.
    pub pairs: u32,
    /// The largest number of transitions of a product.
    pub transitions: u32,
    /// The longest time. With a limit on time the result depends on the machine.
    pub time: Option<Duration>,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { pairs: 1 << 22, transitions: 10_000_000, time: None }
    }
}
