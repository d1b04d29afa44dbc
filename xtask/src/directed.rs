//! Compares homing's directed searches with its breadth-first search, which was compared with SPIN.

use std::io;
use std::path::Path;

use crate::compare::{Difference, Oracle, Question};
use crate::homing::{Answer, CheckResult};
use crate::reduced::broken;

/// Models whose breadth-first or depth-first search takes longer, in seconds, are not searched by all others too: some
/// of those visit states many times.
const PATIENCE: f64 = 0.1;

/// The time limit of one search. A search without a verdict by then has none that could be wrong.
const TIMEOUT: [&str; 2] = ["--timeout", "3s"];

/// Searches and estimates, with reductions and without.
const METHODS: [&[&str]; 12] = [
    &["--search", "auto"],
    &["--search", "auto", "--plain", "--heuristic", "fsm-sum"],
    &["--search", "best-first", "--heuristic", "formula"],
    &["--search", "best-first", "--heuristic", "messages", "--store", "exact"],
    &["--search", "astar", "--heuristic", "none"],
    &["--search", "astar", "--heuristic", "formula", "--combine", "max"],
    &["--search", "astar", "--heuristic", "active", "--plain"],
    &["--search", "astar", "--heuristic", "deadlock", "--combine", "max", "--plain"],
    &["--search", "astar", "--heuristic", "fsm-max", "--weight", "2.5"],
    &["--search", "ida", "--heuristic", "formula", "--combine", "max"],
    &["--search", "ida", "--heuristic", "fsm-max", "--plain"],
    &["--search", "dfs", "--shortest"],
];

impl Oracle {
    /// Every search must have the verdict of the plain one; no path may be shorter than a shortest one, and no longer
    /// path may be called shortest.
    pub(crate) fn directed(&self, plain: &CheckResult, file: &Path) -> io::Result<Vec<Difference>> {
        let mut differences = Vec::new();
        if plain.stats.seconds > PATIENCE {
            return Ok(differences);
        }
        for method in METHODS {
            let result = match self.homing.check_by(file, &[method, &TIMEOUT].concat())? {
                Answer::Checked(result) if result.reason.as_deref() == Some("timeout") => continue,
                Answer::Checked(result) => result,
                other => {
                    differences.push(broken(&other));
                    continue;
                }
            };
            let mut differ = |question, plain: String, directed: String| {
                let homing = format!("{directed} ({})", method.join(" "));
                differences.push(Difference { question, spin: format!("{plain} by bfs"), homing });
            };
            if result.verdict != plain.verdict {
                differ(Question::DirectedVerdict, plain.verdict.clone(), result.verdict);
            } else if let (Some(least), Some(found)) = (&plain.trail, &result.trail)
                && (found.length < least.length || found.shortest && found.length > least.length)
            {
                differ(Question::DirectedLength, least.length.to_string(), found.length.to_string());
            }
        }
        Ok(differences)
    }
}
