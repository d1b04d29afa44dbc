//! The tables on distance-preserving abstraction (Dräger, Finkbeiner & Podelski 2006): arbiter trees, towers of Hanoi and random
//! systems, by A* and by greedy search, directed by the distances of single processes and by abstractions with two bounds.

use std::fmt::Write;
use std::fs;
use std::io;
use std::path::Path;

use homing_network::generate::{Arbiter, NetworkText, Variant, arbiter, hanoi, random_systems};
use serde_json::Value;

use super::Plan;
use crate::process;

/// What is printed above the tables.
const HEADING: &str = "
# Distance-preserving abstraction (Dräger, Finkbeiner & Podelski 2006)

Expansions, then the length in transitions; the paper counts 2 n + 1 for n transitions, and about two states for each of ours. `fsm` is
`--heuristic formula --combine max`, which for a query about locations is the greatest distance in a process graph; N50 and N100 are
`--heuristic abstraction --bound N`. `–` was not decided within the limits.

| | A* fsm | A* N50 | A* N100 | greedy fsm | greedy N50 | greedy N100 | the paper's greedy N50; N100 |
|---|--:|--:|--:|--:|--:|--:|---|
";

/// The flags of each column.
const COLUMNS: [(&str, &[&str]); 6] = [
    ("astar", &["--heuristic", "formula", "--combine", "max"]),
    ("astar", &["--heuristic", "abstraction", "--bound", "50"]),
    ("astar", &["--heuristic", "abstraction", "--bound", "100"]),
    ("best-first", &["--heuristic", "formula", "--combine", "max"]),
    ("best-first", &["--heuristic", "abstraction", "--bound", "50"]),
    ("best-first", &["--heuristic", "abstraction", "--bound", "100"]),
];

/// The paper's expansions and lengths of greedy search with bound 50 and bound 100, for trees of height 2 to 6.
const TREES: [&str; 5] = [
    "53 / 37; 46 / 25",
    "174 / 79; 187 / 43",
    "1.5e5 / 509; 10,633 / 157",
    "7,619 / 3,869; 10,673 / 1,151",
    "4.3e5 / 2.0e5; 5.2e5 / 55,535",
];

/// The same for towers of 4 to 8 disks.
const TOWERS: [&str; 5] = [
    "1,283 / 181; 711 / 125",
    "6,497 / 381; 6,368 / 405",
    "1.1e5 / 1,445; 63,403 / 1,317",
    "7.4e5 / 3,377; 7.5e5 / 3,177",
    "8.6e6 / 12,073; 4.5e6 / 6,705",
];

/// What one search took.
struct Searched {
    expanded: u64,
    length: u64,
}

impl Plan {
    /// The tables, in Markdown.
    pub(super) fn abstraction(&self) -> io::Result<String> {
        let scratch = tempfile::tempdir()?;
        let mut report = String::from(HEADING);
        let trees =
            (2..).zip(TREES).map(|(height, paper)| (format!("A{height}"), arbiter(Arbiter::new(height)), paper));
        let towers = (4..).zip(TOWERS).map(|(disks, paper)| (format!("H{disks}b"), hanoi(disks, Variant::B), paper));
        for (name, network, paper) in trees.chain(towers) {
            let searched = self.columns(scratch.path(), &network)?;
            let field = |one: &Option<Searched>| {
                one.as_ref().map_or("–".to_owned(), |one| format!("{} / {}", one.expanded, one.length))
            };
            let fields: Vec<String> = searched.iter().map(field).collect();
            writeln!(report, "| {name} | {} | {paper} |", fields.join(" | ")).expect("text");
        }
        for processes in 5..=7 {
            let mut rows = Vec::new();
            for network in random_systems(processes) {
                rows.push(self.columns(scratch.path(), &network)?);
            }
            let mean = |column: usize, value: fn(&Searched) -> u64| {
                let values: Vec<u64> = rows.iter().filter_map(|row| row[column].as_ref()).map(value).collect();
                values.iter().sum::<u64>() as f64 / values.len().max(1) as f64
            };
            let field =
                |column| format!("{:.0} / {:.1}", mean(column, |one| one.expanded), mean(column, |one| one.length));
            let fields: Vec<String> = (0..COLUMNS.len()).map(field).collect();
            let expanded =
                |row: &[Option<Searched>], column: usize| row[column].as_ref().map_or(u64::MAX, |one| one.expanded);
            let better = rows.iter().filter(|row| expanded(row, 2) < expanded(row, 0)).count();
            let name = format!("R{processes}, means of {}; A* N100 expands fewer than fsm on {better}", rows.len());
            writeln!(report, "| {name} | {} | |", fields.join(" | ")).expect("text");
        }
        Ok(report)
    }

    fn columns(&self, folder: &Path, network: &NetworkText) -> io::Result<Vec<Option<Searched>>> {
        let path = folder.join("network.xml");
        fs::write(&path, network.to_xml())?;
        COLUMNS.iter().map(|(search, flags)| self.searched(&path, search, flags)).collect()
    }

    /// The figures of one search for the query of a network.
    fn searched(&self, path: &Path, search: &str, flags: &[&str]) -> io::Result<Option<Searched>> {
        let (path, timeout) = (path.to_string_lossy(), format!("{}s", self.timeout.as_secs()));
        let mut arguments = vec!["check", &*path, "--json", "--quiet", "--timeout", &timeout, "--memory", &self.memory];
        arguments.extend(["--search", search]);
        arguments.extend(flags);
        let run = process::run(&self.homing, &arguments, &self.project, self.timeout * 2)?;
        let Ok(document) = serde_json::from_str::<Value>(&run.stdout) else { return Ok(None) };
        let result = &document["results"][0];
        let figures = result["trail"]["length"].as_u64().zip(result["stats"]["first_error"]["expanded"].as_u64());
        Ok(figures.map(|(length, expanded)| Searched { expanded, length }))
    }
}
