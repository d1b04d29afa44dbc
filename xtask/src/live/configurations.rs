//! The configurations in which homing decides each model.

use std::fmt;

/// Which runs count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fairness {
    None,
    Weak,
    Strong,
}

/// Flags of `homing check`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Configuration {
    pub fairness: Fairness,
    pub flags: &'static [&'static str],
}

/// The configurations of every model. The first is homing's default.
pub const CONFIGURATIONS: [Configuration; 27] = [
    all_runs(&[]),
    all_runs(&["--search", "ndfs"]),
    all_runs(&["--search", "indfs"]),
    all_runs(&["--search", "scc"]),
    all_runs(&["--search", "astar-indfs"]),
    all_runs(&["--search", "astar-indfs", "--combine", "max", "--plain"]),
    all_runs(&["--engine", "interpreted"]),
    all_runs(&["--plain"]),
    all_runs(&["--plain", "--search", "ndfs"]),
    all_runs(&["--shortest"]),
    all_runs(&["--threads", "2"]),
    all_runs(&["--por", "on"]),
    all_runs(&["--por", "on", "--search", "ndfs"]),
    all_runs(&["--por", "on", "--search", "scc", "--threads", "2"]),
    all_runs(&["--search", "random-dfs", "--seed", "5"]),
    all_runs(&["--store", "random-dynamic", "--keep", "0.3"]),
    all_runs(&["--search", "random-dfs", "--store", "random-dynamic", "--plain", "--seed", "2"]),
    all_runs(&["--store", "random-static", "--keep", "0.95"]),
    weak(&["--fairness", "weak"]),
    weak(&["--fairness", "weak", "--plain", "--engine", "interpreted"]),
    weak(&["--fairness", "weak", "--shortest"]),
    weak(&["--fairness", "weak", "--search", "ndfs"]),
    weak(&["--fairness", "weak", "--store", "random-dynamic"]),
    weak(&["--fairness", "weak", "--threads", "2"]),
    strong(&["--fairness", "strong"]),
    strong(&["--fairness", "strong", "--plain"]),
    strong(&["--fairness", "strong", "--threads", "2"]),
];

const fn all_runs(flags: &'static [&'static str]) -> Configuration {
    Configuration { fairness: Fairness::None, flags }
}

const fn weak(flags: &'static [&'static str]) -> Configuration {
    Configuration { fairness: Fairness::Weak, flags }
}

const fn strong(flags: &'static [&'static str]) -> Configuration {
    Configuration { fairness: Fairness::Strong, flags }
}

impl Configuration {
    fn has(&self, word: &str) -> bool {
        self.flags.contains(&word)
    }

    /// Whether the search uses no reduction of the model.
    pub fn is_plain(&self) -> bool {
        self.has("--plain")
    }

    /// Whether the figures are those of `pan -a`: without reductions, by nested depth-first search.
    pub fn counts_as_pan(&self) -> bool {
        self.is_plain() && self.has("ndfs") && self.fairness == Fairness::None
    }

    /// Whether a shortest lasso is asked for.
    pub fn wants_shortest(&self) -> bool {
        self.has("--shortest")
    }

    /// Whether the model is searched together with the generalised automaton of a formula, which shortest lassos are about.
    pub fn is_generalised(&self) -> bool {
        let nested = ["ndfs", "indfs", "astar-indfs", "random-dfs", "random-dynamic", "random-static"];
        !nested.iter().any(|word| self.has(word))
    }

    /// Whether a reported lasso has to be no longer than pan's.
    pub fn shortens(&self) -> bool {
        self.fairness == Fairness::None && !self.has("--search") && !self.has("--store")
    }
}

impl fmt::Display for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.flags.is_empty() { f.write_str("(default)") } else { f.write_str(&self.flags.join(" ")) }
    }
}
