//! When a search has to stop before it is done, and what it tells about itself meanwhile.

use crate::Cost;

/// Why a search stopped early. The verdict is then unknown, never "holds".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    Depth,
    States,
    Memory,
    Timeout,
    Interrupted,
    /// A step was not followed to its end ([`crate::Target::CutOff`]): what comes after it was not seen.
    CutOff,
}

impl Limit {
    /// The name in the JSON output.
    pub fn reason(self) -> &'static str {
        match self {
            Limit::Depth => "depth",
            Limit::States => "states",
            Limit::Memory => "memory",
            Limit::Timeout => "timeout",
            Limit::Interrupted => "interrupted",
            Limit::CutOff => "incomplete-search",
        }
    }
}

/// Bounds that a search keeps by itself, because they can be told from its own figures.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Paths are not followed beyond this length; a search that had to cut one off is incomplete.
    pub max_depth: Option<Cost>,
    pub max_states: Option<u64>,
    /// In bytes, of everything the search stores.
    pub memory: Option<u64>,
}

/// How far a search has come.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    pub states: u64,
    pub transitions: u64,
    /// The length of the path under way.
    pub depth: Cost,
    /// States reached but not expanded yet.
    pub frontier: u64,
    pub memory: u64,
    pub errors: u64,
}

/// Looks on while a search runs: shows progress, keeps the clock, hears the interrupt key. A search itself knows no time.
pub trait Watch {
    /// Called every few thousand expansions. A limit returned here ends the search.
    fn look(&mut self, progress: &Progress) -> Option<Limit>;

    /// Called after a step that was [cut off](crate::Target::CutOff): perhaps the system was told to [stop](crate::StopToken), and
    /// then the limit that is the reason ends the search.
    fn is_over(&mut self, progress: &Progress) -> Option<Limit> {
        self.look(progress)
    }
}

/// Nobody looks on.
pub struct Unwatched;

impl Watch for Unwatched {
    fn look(&mut self, _: &Progress) -> Option<Limit> {
        None
    }
}
