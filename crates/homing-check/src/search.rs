//! The searches that can be chosen, and the portfolio's use of ample sets.

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
    RandomDfs {
        /// The number of the run.
        seed: u64,
    },
}

impl Search {
    /// Whether an estimate directs the search.
    pub fn is_directed(self) -> bool {
        let is_for_cycles = self == Search::AStarIndfs;
        is_for_cycles || matches!(self, Search::BestFirst | Search::AStar { .. } | Search::Ida { .. } | Search::Auto)
    }

    /// Whether several threads can take part.
    pub fn is_parallel(self) -> bool {
        matches!(self, Search::Bfs | Search::Auto | Search::Scc)
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
            Search::Ndfs | Search::Indfs | Search::AStarIndfs | Search::RandomDfs { .. } => self,
            _ => Search::Scc,
        }
    }

    /// The order in which a depth-first search follows the steps of a state.
    pub(crate) fn order(self) -> StepOrder {
        match self {
            Search::RandomDfs { seed } => StepOrder::Random(Seed::of_run(seed, 0)),
            _ => StepOrder::AsShown,
        }
    }

    /// The seed of a random search.
    pub fn seed(self) -> Option<u64> {
        match self {
            Search::RandomDfs { seed } => Some(seed),
            _ => None,
        }
    }

    /// The search for a finite run after which a claim accepts every continuation.
    pub(crate) fn for_prefixes(self) -> Self {
        match self {
            Search::Ida { weight } => Search::AStar { weight },
            Search::Auto | Search::BestFirst | Search::AStar { .. } => self,
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
            Search::Ndfs => "ndfs",
            Search::Indfs => "indfs",
            Search::AStarIndfs => "astar-indfs",
            Search::Scc => "scc",
            Search::RandomDfs { .. } => "random-dfs",
        }
    }
}

/// Whether the breadth-first search of the portfolio takes only the steps of [ample sets](homing_core::Selection::Ample).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AmpleSets {
    /// If at least half of some states that are tried first have one.
    #[default]
    IfCommon,
    /// Never.
    Never,
}
