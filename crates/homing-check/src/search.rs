//! The searches that can be chosen, and their use of partial-order reduction.

use homing_core::Seed;
use homing_search::{StepOrder, Weight};

/// A search algorithm, with its options.
///
/// ```
/// use homing_check::{Search, Weight};
///
/// assert_eq!(Search::default(), Search::Auto);
/// assert!(Search::AStar { weight: Weight::ONE }.is_directed());
/// assert!(!Search::Bfs.is_directed());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Search {
    /// The portfolio of greedy search, weighted A* and breadth-first search. It is breadth-first search if errors are counted or
    /// the store may lose states.
    #[default]
    Auto,
    /// Breadth-first search: its paths are shortest.
    Bfs,
    /// Depth-first search.
    Dfs,
    /// Depth-first search repeated below the length of the last path found, until there is none.
    ShorterDfs,
    /// Greedy best-first search: the state with the least estimate `h` is expanded first.
    BestFirst,
    /// A*: the state with the least `g + W·h` is expanded first.
    AStar {
        /// The weight `W` of the estimate.
        weight: Weight,
    },
    /// Iterative deepening by `g + W·h`.
    Ida {
        /// The weight `W` of the estimate.
        weight: Weight,
    },
    /// Depth-first search that stores only the states of its path.
    Stateless,
    /// Random walk with restarts, which stores nothing.
    RandomWalk,
    /// Highway search: some states of each level, drawn at random while the level is generated.
    Highway {
        /// The most states of a level; at least 1.
        width: usize,
    },
    /// Highway search whose levels are uniformly drawn.
    HighwayExact {
        /// The most states of a level; at least 1.
        width: usize,
    },
    /// Beam search: the states of each level that have the least estimates.
    Beam {
        /// The most states of a level; at least 1.
        width: usize,
    },
    /// Nested depth-first search, for properties of infinite runs.
    Ndfs,
    /// Nested depth-first search that knows the components of the claim, for properties of infinite runs.
    Indfs,
    /// A* to the components of the claim that have accepting cycles, and nested depth-first search inside them, for properties of
    /// infinite runs.
    AStarIndfs,
    /// Search by strongly connected components, for properties of infinite runs.
    Scc,
    /// Depth-first search in random order; for properties of infinite runs, nested depth-first search in random order.
    RandomDfs,
}

impl Search {
    /// Whether an estimate directs the search.
    pub fn is_directed(self) -> bool {
        let is_for_cycles = self == Search::AStarIndfs;
        let is_beam = matches!(self, Search::Beam { .. });
        is_for_cycles
            || is_beam
            || matches!(self, Search::BestFirst | Search::AStar { .. } | Search::Ida { .. } | Search::Auto)
    }

    /// Whether the search promises something of its paths if the estimate never is too large.
    pub(crate) fn is_admissible(self) -> bool {
        match self {
            Search::AStar { weight } | Search::Ida { weight } => weight <= Weight::ONE,
            _ => false,
        }
    }

    /// Whether several threads can take part.
    pub fn is_parallel(self) -> bool {
        let has_lanes = matches!(self, Search::HighwayExact { .. } | Search::Beam { .. });
        has_lanes || matches!(self, Search::Bfs | Search::Auto | Search::Scc)
    }

    /// Whether the search depends on a seed.
    pub fn is_random(self) -> bool {
        matches!(self, Search::RandomWalk | Search::RandomDfs) || self.width().is_some()
    }

    /// The most states of a level, if the search has such a bound.
    pub fn width(self) -> Option<usize> {
        match self {
            Search::Highway { width } | Search::HighwayExact { width } | Search::Beam { width } => Some(width),
            _ => None,
        }
    }

    /// The search for properties of finite runs: searches for cycles are depth-first, or directed.
    pub fn for_safety(self) -> Self {
        match self {
            Search::AStarIndfs => Search::AStar { weight: Weight::ONE },
            Search::Ndfs | Search::Indfs | Search::Scc => Search::Dfs,
            search => search,
        }
    }

    /// The search for properties of infinite runs: by components, unless another search for cycles was chosen.
    pub fn for_cycles(self) -> Self {
        match self {
            Search::Ndfs | Search::Indfs | Search::AStarIndfs | Search::RandomDfs => self,
            _ => Search::Scc,
        }
    }

    /// The order in which a depth-first search follows the steps of a state.
    pub(crate) fn order(self, seed: Seed) -> StepOrder {
        if self == Search::RandomDfs { StepOrder::Random(seed) } else { StepOrder::AsShown }
    }

    /// The search for a finite run after which a claim accepts every continuation.
    pub(crate) fn for_prefixes(self) -> Self {
        match self {
            Search::Ida { weight } => Search::AStar { weight },
            Search::Auto | Search::BestFirst | Search::AStar { .. } => self,
            random if random.is_random() && random != Search::RandomDfs => random,
            _ => Search::Bfs,
        }
    }

    /// The name on the command line and in the JSON output.
    pub fn name(self) -> &'static str {
        match self {
            Search::Auto => "auto",
            Search::Bfs => "bfs",
            Search::Dfs | Search::ShorterDfs => "dfs",
            Search::BestFirst => "best-first",
            Search::AStar { .. } => "astar",
            Search::Ida { .. } => "ida",
            Search::Stateless => "stateless",
            Search::RandomWalk => "random-walk",
            Search::Highway { .. } => "highway",
            Search::HighwayExact { .. } => "highway-exact",
            Search::Beam { .. } => "beam",
            Search::Ndfs => "ndfs",
            Search::Indfs => "indfs",
            Search::AStarIndfs => "astar-indfs",
            Search::Scc => "scc",
            Search::RandomDfs => "random-dfs",
        }
    }
}

/// Whether a search takes only the steps of [stubborn sets](homing_core::Selection::Stubborn).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PartialOrder {
    /// If enough of some states that are tried first have one. Not in a directed search for cycles: the whole reduced graph is explored
    /// before the product, which such a search need not see.
    #[default]
    IfItPays,
    /// Wherever the store and the model allow it. A path that is found need not be a shortest one.
    Always,
    /// Never.
    Never,
}
