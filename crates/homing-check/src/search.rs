//! The searches that can be chosen, and their use of partial-order reduction.

use homing_core::Seed;
use homing_search::{Fairness, StepOrder, Weight};

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

    /// Whether it searches a product for accepting cycles and for nothing else.
    pub fn is_for_cycles(self) -> bool {
        matches!(self, Search::Ndfs | Search::Indfs | Search::AStarIndfs | Search::Scc)
    }

    /// Each search that has a name, with usual options.
    fn all() -> [Search; 16] {
        let (weight, width) = (Weight::ONE, 1);
        [
            Search::Auto,
            Search::Dfs,
            Search::Bfs,
            Search::BestFirst,
            Search::AStar { weight },
            Search::Ida { weight },
            Search::Stateless,
            Search::RandomWalk,
            Search::RandomDfs,
            Search::Highway { width },
            Search::HighwayExact { width },
            Search::Beam { width },
            Search::Ndfs,
            Search::Indfs,
            Search::AStarIndfs,
            Search::Scc,
        ]
    }

    /// The order in which a depth-first search follows the steps of a state.
    pub(crate) fn order(self, seed: Seed) -> StepOrder {
        if self == Search::RandomDfs { StepOrder::Random(seed) } else { StepOrder::AsShown }
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

/// What is searched for a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sought {
    /// An error of a finite run.
    Error,
    /// A finite run after which a claim accepts every continuation.
    Prefix,
    /// A cycle that is accepting or, for some properties, a finite run.
    Cycle,
}

impl Sought {
    /// Whether a search finds what is sought, among the runs that are fair.
    ///
    /// ```
    /// use homing_check::{Fairness, Search, Sought};
    ///
    /// assert!(Sought::Error.is_found_by(Search::Dfs, Fairness::None));
    /// assert!(!Sought::Error.is_found_by(Search::Ndfs, Fairness::None), "there is nothing to nest");
    /// assert!(!Sought::Cycle.is_found_by(Search::Dfs, Fairness::None));
    /// assert!(Sought::Prefix.is_found_by(Search::Dfs, Fairness::None) && Sought::Prefix.is_found_by(Search::Ndfs, Fairness::None));
    /// ```
    pub fn is_found_by(self, search: Search, fairness: Fairness) -> bool {
        match (self, search) {
            (_, Search::Auto) => true,
            (Sought::Error, _) => !search.is_for_cycles(),
            (Sought::Prefix, _) if !search.is_for_cycles() => true,
            // nested searches know no marks; for weak fairness there are copies
            (_, Search::Scc) => true,
            (_, Search::Ndfs) => fairness != Fairness::Strong,
            (Sought::Cycle, Search::RandomDfs) => fairness != Fairness::Strong,
            (_, Search::Indfs | Search::AStarIndfs) => fairness == Fairness::None,
            _ => false,
        }
    }

    /// The searches that find it, that which is most like another one first.
    pub fn searches_like(self, search: Search, fairness: Fairness) -> Vec<&'static str> {
        let like = match (self, search) {
            (Sought::Error, Search::AStarIndfs) => "astar",
            (Sought::Error, _) => "dfs",
            (_, Search::Bfs | Search::Indfs) => "scc",
            (_, Search::Dfs | Search::Stateless) => "ndfs",
            (_, directed) if directed.is_directed() && !directed.is_random() => "astar-indfs",
            _ => "random-dfs",
        };
        let all = Search::all().into_iter().filter(|search| self.is_found_by(*search, fairness));
        let (mut names, others): (Vec<_>, Vec<_>) = all.map(Search::name).partition(|name| *name == like);
        names.extend(others);
        names
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_find_what_they_are_made_for() {
        let names = |sought: Sought, search, fairness| sought.searches_like(search, fairness).join(" ");
        let of_errors = "dfs auto bfs best-first astar ida stateless random-walk random-dfs highway highway-exact beam";
        assert_eq!(names(Sought::Error, Search::Ndfs, Fairness::None), of_errors);
        assert!(names(Sought::Error, Search::AStarIndfs, Fairness::None).starts_with("astar "));
        assert_eq!(names(Sought::Cycle, Search::Dfs, Fairness::None), "ndfs auto random-dfs indfs astar-indfs scc");
        assert_eq!(names(Sought::Cycle, Search::Indfs, Fairness::Weak), "scc auto random-dfs ndfs");
        assert_eq!(names(Sought::Cycle, Search::Ndfs, Fairness::Strong), "auto scc");
        assert_eq!(Sought::Prefix.searches_like(Search::Auto, Fairness::None).len(), 16);
    }
}
