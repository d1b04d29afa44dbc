//! The stores that can be chosen.

use homing_core::{Seed, Stats};
use homing_search::randomised_storing::{Probability, Storing, Strategy};
use homing_store::Store;

use crate::Search;

/// How visited states are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StoreChoice {
    /// Every state in full.
    Exact,
    /// States compressed in a tree, without loss.
    #[default]
    Tree,
    /// A fingerprint of 64 bits for each state: states may be lost.
    Compact,
    /// A bit field of 2^`bits` bits, of which each state sets `hashes`: states may be lost.
    Bitstate {
        /// The binary logarithm of the size of the field.
        bits: u32,
        /// The number of bits that a state sets.
        hashes: u32,
        /// The choice of the hash functions; 0 by default.
        seed: u64,
    },
    /// The tree, with each state that a depth-first search leaves only with a probability: others are explored again. No state is
    /// lost.
    Random {
        /// When it is decided.
        strategy: Strategy,
        /// The probability.
        keep: Probability,
    },
    /// No store: only the current path is kept.
    Nothing,
}

impl StoreChoice {
    /// This store, or the tree if it is none, or one that keeps some states only.
    pub fn or_tree(self) -> Self {
        match self {
            StoreChoice::Nothing | StoreChoice::Random { .. } => StoreChoice::Tree,
            store => store,
        }
    }

    /// Whether states are stored at random.
    pub fn is_random(self) -> bool {
        matches!(self, StoreChoice::Random { .. })
    }

    /// The name on the command line and in the JSON output.
    pub(crate) fn name(self) -> &'static str {
        match self {
            StoreChoice::Exact => "exact",
            StoreChoice::Tree => "tree",
            StoreChoice::Compact => "compact",
            StoreChoice::Bitstate { .. } => "bitstate",
            StoreChoice::Random { strategy: Strategy::Dynamic, .. } => "random-dynamic",
            StoreChoice::Random { strategy: Strategy::Static, .. } => "random-static",
            StoreChoice::Nothing => "none",
        }
    }

    /// A warning about a store that keeps a fixed share of the states, if that is so small that states are explored along very many
    /// paths: less than `1 - 1/b`, where `b` is the number of steps of a state.
    pub(crate) fn warning(self, stats: &Stats) -> Option<String> {
        let StoreChoice::Random { strategy: Strategy::Static, keep, .. } = self else { return None };
        let b = stats.transitions() as f64 / stats.expanded.max(1) as f64;
        let least = 1.0 - 1.0 / b;
        (stats.expanded >= ENOUGH && keep.get() < least).then(|| {
            format!(
                "--keep {} is less than {least:.2}, which is 1 - 1/b with b = {b:.1} transitions a state: states that are not \
                 stored are explored along very many paths; keep more of them, or use --store random-dynamic",
                keep.get()
            )
        })
    }

    /// This store if the search can use it. [`Search::Stateless`] and [`Search::RandomWalk`] have none, every other search has one.
    /// Best-first search and A* number their states, which a bit field cannot, and searches with lanes are not made for one: they
    /// have the tree instead. States are stored at random by [`Search::Dfs`], [`Search::Ndfs`] and [`Search::RandomDfs`] only.
    ///
    /// ```
    /// use homing_check::{Search, StoreChoice};
    ///
    /// let field = StoreChoice::Bitstate { bits: 20, hashes: 3, seed: 0 };
    /// assert_eq!(field.suited_to(Search::Bfs), field);
    /// assert_eq!(field.suited_to(Search::BestFirst), StoreChoice::Tree);
    /// assert_eq!(field.suited_to(Search::Stateless), StoreChoice::Nothing);
    /// ```
    pub fn suited_to(self, search: Search) -> Self {
        match (self, search) {
            (_, Search::Stateless | Search::RandomWalk) => StoreChoice::Nothing,
            (StoreChoice::Bitstate { .. }, search) if search.width().is_some() => StoreChoice::Tree,
            (StoreChoice::Bitstate { .. }, Search::BestFirst | Search::AStar { .. }) => StoreChoice::Tree,
            (StoreChoice::Random { .. }, Search::Dfs | Search::Ndfs | Search::RandomDfs) => self,
            (store, _) => store.or_tree(),
        }
    }
}

/// The expansions after which the number of transitions of a state is known well enough.
const ENOUGH: u64 = 1000;

/// The rule of a [`StoreChoice::Random`].
pub(crate) fn storing(strategy: Strategy, keep: Probability, seed: Seed) -> Storing {
    Storing { strategy, keep, seed }
}

/// The use of a store.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StoreUse {
    /// The name of the store in the JSON output.
    pub store: &'static str,
    /// No state was lost.
    pub lossless: bool,
    /// The expected share of the reachable states that were visited, if the store can tell.
    pub expected_coverage: Option<f64>,
    /// The length of the longest state.
    pub state_bytes: usize,
    /// The bytes of all states in the store.
    pub used: u64,
    /// States are stored at random, and others are explored again.
    pub is_random: bool,
}

impl StoreUse {
    /// The use of a store when nothing was searched.
    pub fn none() -> Self {
        StoreUse { store: "exact", lossless: true, expected_coverage: None, state_bytes: 0, used: 0, is_random: false }
    }

    /// The use of a store after a search.
    pub(crate) fn of<S: Store>(name: &'static str, store: &S) -> Self {
        StoreUse {
            store: name,
            lossless: S::LOSSLESS,
            expected_coverage: None,
            state_bytes: store.usage().longest_state,
            used: store.usage().bytes,
            is_random: false,
        }
    }
}
