//! The configurations in which homing decides each model, and what each of them promises.

use std::time::Duration;

use homing_core::ViolationKind;

use super::themes::Theme;
use crate::generate::rng::Rng;

/// The property that is decided. Invalid end states are so frequent in random models that few would hold with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    Safety,
    Assertions,
    Deadlock,
}

impl Property {
    pub fn of_model(rng: &mut Rng) -> Property {
        rng.weighted(&[(35, Property::Safety), (50, Property::Assertions), (15, Property::Deadlock)])
    }

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Property::Safety => "safety",
            Property::Assertions => "assertions",
            Property::Deadlock => "deadlock",
        }
    }

    /// Whether a violation refutes it. Run-time errors refute everything.
    pub fn is_refuted_by(self, kind: ViolationKind) -> bool {
        match kind {
            ViolationKind::Assertion => self != Property::Deadlock,
            ViolationKind::InvalidEndState => self != Property::Assertions,
            ViolationKind::Invariant | ViolationKind::RuntimeError => true,
            ViolationKind::ClaimEnd
            | ViolationKind::AcceptanceCycle
            | ViolationKind::NonProgressCycle
            | ViolationKind::Action => false,
        }
    }
}

/// Flags of `homing check`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Configuration {
    pub flags: Vec<&'static str>,
}

/// The configurations of every model, without flags that older versions lack.
const CORE: [&[&str]; 9] = [
    &[],
    &["--search", "bfs"],
    &["--search", "dfs"],
    &["--plain"],
    &["--search", "bfs", "--plain", "--engine", "interpreted"],
    &["--search", "bfs", "--all-errors"],
    &["--search", "dfs", "--plain", "--all-errors"],
    &["--search", "astar", "--shortest"],
    &["--search", "bfs", "--threads", "2", "--store", "tree"],
];

/// The random configurations of every model.
const RANDOM: [&[&str]; 4] = [
    &["--search", "random-dfs", "--seed", "7"],
    &["--store", "random-dynamic", "--keep", "0.25", "--all-errors"],
    &["--search", "random-dfs", "--store", "random-dynamic", "--plain", "--seed", "2"],
    &["--search", "dfs", "--store", "random-static", "--keep", "0.9"],
];

/// The configurations of every model with partial-order reduction, also where few states are reduced.
const REDUCED: [&[&str]; 10] = [
    &["--por", "on"],
    &["--por", "on", "--search", "astar", "--shortest"],
    &["--por", "on", "--search", "astar", "--heuristic", "none", "--engine", "interpreted"],
    &["--por", "on", "--search", "ida", "--heuristic", "fsm-max"],
    &["--por", "on", "--search", "dfs"],
    &["--por", "on", "--search", "dfs", "--shortest"],
    &["--por", "on", "--search", "stateless"],
    &["--search", "bfs", "--por", "on"],
    &["--search", "bfs", "--por", "on", "--engine", "interpreted"],
    &["--search", "bfs", "--por", "on", "--threads", "2", "--store", "tree"],
];

/// The configurations of models in which processes end and their channels stay: directed by estimates that follow both.
const ESTIMATED: [&[&str]; 8] = [
    &["--search", "astar", "--heuristic", "abstraction"],
    &["--search", "best-first", "--heuristic", "abstraction"],
    &["--search", "ida", "--heuristic", "abstraction"],
    &["--search", "beam", "--width", "1000000", "--heuristic", "abstraction"],
    &["--search", "astar", "--heuristic", "fsm-max"],
    &["--search", "astar", "--heuristic", "formula", "--combine", "max"],
    &["--search", "astar", "--heuristic", "deadlock", "--combine", "max"],
    &["--search", "astar", "--heuristic", "abstraction", "--bound", "20", "--plain"],
];

/// The configurations of models with many states, for which the others would take long.
const OF_WIDE_MODELS: [&[&str]; 7] = [
    &[],
    &["--search", "bfs", "--por", "on"],
    &["--threads", "2"],
    &["--engine", "interpreted"],
    &["--search", "bfs", "--all-errors"],
    &["--search", "dfs", "--plain", "--all-errors"],
    &["--por", "off", "--sleep-sets", "off"],
];

const SEARCHES: [&str; 7] = ["auto", "bfs", "dfs", "best-first", "astar", "ida", "stateless"];

/// Estimates fit every model but for `deadlock` and `messages`, which fit some properties only.
const HEURISTICS: [&str; 8] =
    ["none", "formula", "active", "deadlock", "fsm-max", "fsm-sum", "messages", "abstraction"];

/// The number of further configurations of a model.
const MORE: usize = 3;

impl Configuration {
    /// The configurations of one model.
    pub fn of_model(theme: Theme, rng: &mut Rng) -> Vec<Configuration> {
        if theme == Theme::Wide {
            return OF_WIDE_MODELS.iter().map(|flags| Configuration { flags: flags.to_vec() }).collect();
        }
        let core = CORE.iter().map(|flags| Configuration { flags: flags.to_vec() });
        let mut all: Vec<Configuration> = core.collect();
        let estimated: &[&[&str]] = if theme == Theme::Passed { &ESTIMATED } else { &[] };
        let others = RANDOM.iter().chain(&REDUCED).chain(estimated);
        all.extend(others.map(|flags| Configuration { flags: flags.to_vec() }));
        let fixed = all.len();
        while all.len() < fixed + MORE {
            let another = Configuration::random(rng);
            if !all.contains(&another) {
                all.push(another);
            }
        }
        all
    }

    fn random(rng: &mut Rng) -> Configuration {
        let search = *rng.pick(&SEARCHES);
        let mut flags = vec!["--search", search];
        let mut may = |percent: usize, more: &[&'static str]| {
            if rng.chance(percent) {
                flags.extend(more);
            }
        };
        may(25, &["--plain"]);
        may(25, &["--engine", "interpreted"]);
        if matches!(search, "bfs" | "auto") {
            may(20, &["--threads", "2"]);
            may(25, &["--sleep-sets", "off"]);
        }
        if search == "auto" {
            may(30, &["--por", "off"]);
        }
        if matches!(search, "dfs" | "bfs" | "astar" | "ida") {
            may(25, &["--shortest"]);
        }
        if matches!(search, "astar" | "best-first" | "ida") && rng.chance(60) {
            flags.extend(["--heuristic", *rng.pick(&HEURISTICS)]);
        }
        if search != "stateless" {
            let store: usize = rng.weighted(&[(50, 0), (18, 1), (14, 2), (9, 3), (9, 4)]);
            let is_numbered = matches!(search, "astar" | "best-first") || flags.contains(&"--shortest");
            match store {
                1 => flags.extend(["--store", "exact"]),
                2 => flags.extend(["--store", "tree"]),
                3 => flags.extend(["--store", "compact"]),
                4 if !is_numbered => flags.extend(["--store", "bitstate", "--bits", "64K"]),
                _ => {}
            }
        }
        if !flags.contains(&"--shortest") && search != "auto" && rng.chance(25) {
            flags.push("--all-errors");
        }
        Configuration { flags }
    }

    pub fn has(&self, flag: &str) -> bool {
        self.flags.contains(&flag)
    }

    /// Whether a search that finds no error with it proves that there is none.
    pub fn is_lossless(&self) -> bool {
        !self.has("compact") && !self.has("bitstate")
    }

    /// Whether states are stored at random.
    fn is_random_store(&self) -> bool {
        self.has("random-dynamic") || self.has("random-static")
    }

    /// Whether the number of states is that of the whole model. A directed search leaves out what its estimate calls a
    /// dead end, and the figures of a portfolio are sums.
    pub fn counts_states(&self) -> bool {
        let visits_all = (self.has("bfs") || self.has("dfs")) && !self.has("--shortest");
        self.has("--plain") && self.is_lossless() && visits_all && !self.is_random_store()
    }

    /// Whether the search was asked for partial-order reduction, by which paths need not be shortest.
    fn is_reduced(&self) -> bool {
        self.flags.windows(2).any(|pair| pair == ["--por", "on"])
    }

    /// Whether the path has to be shortest, claimed or not.
    pub fn promises_shortest(&self) -> bool {
        let proves = self.has("bfs") && !self.is_reduced() || self.has("--shortest");
        self.is_lossless() && !self.has("--all-errors") && proves
    }

    /// The time limit of a search; short for searches that visit states many times.
    pub fn timeout(&self) -> Duration {
        let short = self.has("stateless") || self.has("random-static") || self.has("ida") || self.has("--shortest");
        Duration::from_secs(if short { 1 } else { 10 })
    }
}

impl std::fmt::Display for Configuration {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.flags.is_empty() { f.write_str("(default)") } else { f.write_str(&self.flags.join(" ")) }
    }
}
