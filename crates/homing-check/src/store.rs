//! The stores that can be chosen.

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
    },
    /// No store: only the current path is kept.
    Nothing,
}

impl StoreChoice {
    /// This store, or the tree if it is none.
    pub fn or_tree(self) -> Self {
        if self == StoreChoice::Nothing { StoreChoice::Tree } else { self }
    }

    /// This store if the search can use it. [`Search::Stateless`] and [`Search::RandomWalk`] have none, every other search has one.
    /// Best-first search and A* number their states, which a bit field cannot, and searches with lanes are not made for one: they
    /// have the tree instead.
    ///
    /// ```
    /// use homing_check::{Search, StoreChoice};
    ///
    /// let field = StoreChoice::Bitstate { bits: 20, hashes: 3 };
    /// assert_eq!(field.suited_to(Search::Bfs), field);
    /// assert_eq!(field.suited_to(Search::BestFirst), StoreChoice::Tree);
    /// assert_eq!(field.suited_to(Search::Stateless), StoreChoice::Nothing);
    /// ```
    pub fn suited_to(self, search: Search) -> Self {
        match (self, search) {
            (_, Search::Stateless | Search::RandomWalk) => StoreChoice::Nothing,
            (StoreChoice::Bitstate { .. }, search) if search.width().is_some() => StoreChoice::Tree,
            (StoreChoice::Bitstate { .. }, Search::BestFirst | Search::AStar { .. }) => StoreChoice::Tree,
            (store, _) => store.or_tree(),
        }
    }
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
}

impl StoreUse {
    /// The use of a store when nothing was searched.
    pub fn none() -> Self {
        StoreUse { store: "exact", lossless: true, expected_coverage: None, state_bytes: 0, used: 0 }
    }

    /// The use of a store after a search.
    pub(crate) fn of<S: Store>(name: &'static str, store: &S) -> Self {
        StoreUse {
            store: name,
            lossless: S::LOSSLESS,
            expected_coverage: None,
            state_bytes: store.usage().longest_state,
            used: store.usage().bytes,
        }
    }
}
