//! When a search ends before it is done, and what it reports about itself meanwhile.

use crate::Cost;

/// A bound that was reached. The verdict is then unknown, never "holds".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// A path is longer than [`Limits::max_depth`].
    Depth,
    /// There are more states than [`Limits::max_states`], or than a store can number.
    States,
    /// The search needs more memory than [`Limits::memory`].
    Memory,
    /// The time is up.
    Timeout,
    /// A step was not followed to its end ([`crate::Target::CutOff`]): what comes after it was not seen.
    CutOff,
}

/// Why a search ended before it had seen everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// A limit was reached.
    Limit(Limit),
    /// The user, or the system, asked for it.
    Interrupted,
    /// Another member of a portfolio has decided.
    Superseded,
    /// The search was optional, and is not worth its cost.
    GivenUp,
    /// The search dropped states, as highway and beam searches do: what comes after them was not seen.
    Dropped,
}

impl From<Limit> for Stop {
    fn from(limit: Limit) -> Self {
        Stop::Limit(limit)
    }
}

impl Stop {
    /// The name in the JSON output.
    pub fn reason(self) -> &'static str {
        match self {
            Stop::Limit(Limit::Depth) => "depth",
            Stop::Limit(Limit::States) => "states",
            Stop::Limit(Limit::Memory) => "memory",
            Stop::Limit(Limit::Timeout) => "timeout",
            Stop::Limit(Limit::CutOff) => "incomplete-search",
            Stop::Interrupted => "interrupted",
            Stop::Superseded => "superseded",
            Stop::GivenUp => "given-up",
            Stop::Dropped => "incomplete-search",
        }
    }
}

/// Bounds that a search keeps by itself, because they follow from its own figures.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Paths are not followed beyond this length; a search that had to cut one off is incomplete.
    pub max_depth: Option<Cost>,
    /// The most states that are stored.
    pub max_states: Option<u64>,
    /// The most bytes of everything the search stores.
    pub memory: Option<u64>,
}

/// How far a search has come.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// States that were stored.
    pub states: u64,
    /// Steps to states that were taken.
    pub transitions: u64,
    /// The length of the path under way.
    pub depth: Cost,
    /// States reached but not expanded yet.
    pub frontier: u64,
    /// Bytes of everything the search stores.
    pub memory: u64,
    /// Violations that were found.
    pub errors: u64,
}

/// An observer of a search: shows progress, keeps the clock, notices the interrupt key. A search itself knows no time.
pub trait Watch {
    /// Called every few thousand expansions. A reason returned here ends the search.
    fn look(&mut self, progress: &Progress) -> Option<Stop>;

    /// Called after a step that was [cut off](crate::Target::CutOff): if that is because a [stop token](crate::StopToken) is
    /// set, the reason for it ends the search.
    fn after_cut_off(&mut self, progress: &Progress) -> Option<Stop> {
        self.look(progress)
    }

    /// Called when a search of several threads has decided and is about to end. A portfolio lets its other members do first what they
    /// would have done by then: when they are looked after in between depends on the threads. A reason returned here ends the
    /// search instead.
    fn before_end(&mut self, progress: &Progress) -> Option<Stop> {
        let _ = progress;
        None
    }
}

/// The watch of a search that no one observes.
pub struct Unwatched;

impl Watch for Unwatched {
    fn look(&mut self, _: &Progress) -> Option<Stop> {
        None
    }
}
