//! The tables on distance-preserving abstraction (Dräger, Finkbeiner & Podelski 2006): arbiter trees, towers of Hanoi and random
//! systems, by best-first search and by A*, directed by the distances of single processes and by abstractions with two bounds; and
//! the same for the bundled models.

use std::fmt::Write;
use std::fs;
use std::io;
use std::path::Path;

use homing_network::generate::{Arbiter, NetworkText, Variant, arbiter, hanoi, random_systems};
use serde::Deserialize;
use serde_json::Value;

use super::Plan;
use crate::process;

/// What is printed above the tables.
const HEADING: &str = "
# Distance-preserving abstraction (Dräger, Finkbeiner & Podelski 2006)

In each field the paper's explored states and length, then ours: expanded states, transitions, and seconds from the file to the
answer, preparation included. The paper's lengths are 2 n + 1 for n transitions, and it seems to count two states for each of ours.
H is variant b. rDF is `--search random-dfs`, the mean of three seeds; fsm is `--heuristic fsm-max`; N50 and N100 are `--heuristic
abstraction --bound N`. Rows of R are means of 15 systems. `–` was not decided within the limits.
";

const BEST_FIRST: &str = "
## Table 1: best-first search

| | rDF | fsm | N50 | N100 |
|---|--:|--:|--:|--:|
";

const ASTAR: &str = "
## Table 2: A*

| | fsm | N50 | N100 | length |
|---|--:|--:|--:|--:|
";

/// What directs a search, in the order of the columns.
const ESTIMATES: [&[&str]; 3] = [
    &["--heuristic", "fsm-max"],
    &["--heuristic", "abstraction", "--bound", "50"],
    &["--heuristic", "abstraction", "--bound", "100"],
];

/// The seeds of random depth-first search: the paper has three runs.
const SEEDS: [&str; 3] = ["0", "1", "2"];

/// A row of both tables, with the paper's figures.
#[derive(Debug, Deserialize)]
pub struct NetworkRow {
    name: String,
    best_first: [String; 4],
    astar: Option<[String; 3]>,
}

impl NetworkRow {
    /// The networks of the row: a letter, and a number.
    fn networks(&self) -> Vec<NetworkText> {
        let number: u32 = self.name[1..].parse().expect("a row is named by a letter and a number");
        match &self.name[..1] {
            "A" => vec![arbiter(Arbiter::new(number))],
            "H" => vec![hanoi(number, Variant::B)],
            _ => random_systems(number as usize),
        }
    }
}

/// What a search took, or the mean of several.
#[derive(Clone, Copy)]
struct Taken {
    expanded: f64,
    length: f64,
    seconds: f64,
}

impl Taken {
    /// The mean, if all were decided.
    fn mean(all: &[Option<Taken>]) -> Option<Taken> {
        let decided: Vec<Taken> = all.iter().copied().collect::<Option<_>>()?;
        let mean = |value: fn(&Taken) -> f64| decided.iter().map(value).sum::<f64>() / decided.len().max(1) as f64;
        Some(Taken {
            expanded: mean(|one| one.expanded),
            length: mean(|one| one.length),
            seconds: mean(|one| one.seconds),
        })
    }

    fn text(self) -> String {
        let digits = if self.length.fract() == 0.0 { 0 } else { 1 };
        format!("{:.0} / {:.digits$} / {:.2} s", self.expanded, self.length, self.seconds)
    }
}

/// What a search that has decided took, and the length of its path if there is one.
#[derive(Clone, Copy)]
struct Decided {
    expanded: f64,
    length: Option<f64>,
    seconds: f64,
}

impl Decided {
    fn text(self) -> String {
        let length = self.length.map(|length| format!("{length} / ")).unwrap_or_default();
        format!("{:.0} / {length}{:.2} s", self.expanded, self.seconds)
    }
}

/// The searches of a row, by column and then by network.
type Columns = Vec<Vec<Option<Taken>>>;

impl Plan {
    /// The tables, in Markdown.
    pub(super) fn abstraction(&self, rows: &[NetworkRow]) -> io::Result<String> {
        let scratch = tempfile::tempdir()?;
        let (mut first, mut second, mut better) = (String::from(BEST_FIRST), String::from(ASTAR), String::new());
        for row in rows {
            let networks = row.networks();
            let mut random: Vec<Option<Taken>> = Vec::new();
            let mut greedy: Columns = vec![Vec::new(); ESTIMATES.len()];
            let mut astar = greedy.clone();
            for (number, network) in networks.iter().enumerate() {
                // The tables are printed when all rows are known.
                eprintln!("{}: {} of {}", row.name, number + 1, networks.len());
                let path = scratch.path().join("network.xml");
                fs::write(&path, network.to_xml())?;
                for seed in SEEDS {
                    // Its field is empty if one run did not decide: the others are spared.
                    if random.last().is_none_or(Option::is_some) {
                        random.push(self.taken(&path, "random-dfs", &["--seed", seed])?);
                    }
                }
                for (column, flags) in ESTIMATES.iter().enumerate() {
                    greedy[column].push(self.taken(&path, "best-first", flags)?);
                    if row.astar.is_some() {
                        astar[column].push(self.taken(&path, "astar", flags)?);
                    }
                }
            }
            let ours: Columns = [vec![random], greedy.clone()].concat();
            writeln!(first, "| {} | {} |", row.name, fields(&row.best_first, &ours)).expect("text");
            if let Some(paper) = &row.astar {
                let lengths = Taken::mean(&astar[2]).map_or("–".to_owned(), |taken| format!("{:.1}", taken.length));
                writeln!(second, "| {} | {} | {lengths} |", row.name, fields(paper, &astar)).expect("text");
            }
            let count = networks.len();
            let fewer = |columns: &Columns| {
                let expanded = |one: &Option<Taken>| one.map_or(f64::INFINITY, |taken| taken.expanded);
                columns[2].iter().zip(&columns[0]).filter(|(n100, fsm)| expanded(n100) < expanded(fsm)).count()
            };
            let of_astar = row.astar.as_ref().map(|_| format!(", by A* on {}", fewer(&astar))).unwrap_or_default();
            writeln!(better, "- {}: by best-first search on {} of {count}{of_astar}", row.name, fewer(&greedy))
                .expect("text");
        }
        Ok(format!("{HEADING}{first}{second}\nN100 expands fewer states than fsm\n\n{better}{}", self.bundled()?))
    }

    /// Expansions of A* on the bundled models, and seconds with the preparation.
    fn bundled(&self) -> io::Result<String> {
        let mut report = String::from(
            "\n## A* on the bundled models: `formula --combine max` and `abstraction`\n\nExpanded states, length in statements, \
             seconds from the file to the answer; no length where there is no error.\n\n\
             | model | property | formula | abstraction |\n|---|---|--:|--:|\n",
        );
        let mut models: Vec<_> = fs::read_dir(self.project.join("models"))?.collect::<io::Result<Vec<_>>>()?;
        models.sort_by_key(fs::DirEntry::file_name);
        for path in
            models.iter().map(fs::DirEntry::path).filter(|path| path.extension().is_some_and(|name| name == "pml"))
        {
            for property in ["assertions", "deadlock"] {
                let decided = |flags: &[&str]| {
                    let decided =
                        self.decided(&path, "astar", &[flags, &["--por", "off", "--property", property]].concat())?;
                    Ok::<String, io::Error>(decided.map_or("–".to_owned(), Decided::text))
                };
                let formula = decided(&["--heuristic", "formula", "--combine", "max"])?;
                let abstraction = decided(&["--heuristic", "abstraction"])?;
                let name = path.file_stem().unwrap_or_default().to_string_lossy();
                writeln!(report, "| {name} | {property} | {formula} | {abstraction} |").expect("text");
            }
        }
        Ok(report)
    }

    /// The figures of one search that finds an error or a witness; none if it does not.
    fn taken(&self, path: &Path, search: &str, flags: &[&str]) -> io::Result<Option<Taken>> {
        let decided = self.decided(path, search, flags)?;
        Ok(decided.and_then(|Decided { expanded, length, seconds }| Some(Taken { expanded, length: length?, seconds })))
    }

    /// The figures of one search, up to its first error or witness if there is one; none if it did not decide.
    fn decided(&self, path: &Path, search: &str, flags: &[&str]) -> io::Result<Option<Decided>> {
        let (path, timeout) = (path.to_string_lossy(), format!("{}s", self.timeout.as_secs()));
        let mut arguments = vec!["check", &*path, "--json", "--quiet", "--trail", "/dev/null", "--timeout", &timeout];
        arguments.extend(["--memory", &self.memory, "--search", search]);
        arguments.extend(flags);
        let run = process::run(&self.homing, &arguments, &self.project, self.timeout * 2)?;
        let Ok(document) = serde_json::from_str::<Value>(&run.stdout) else { return Ok(None) };
        let result = &document["results"][0];
        if result["verdict"] == "unknown" {
            return Ok(None);
        }
        let (stats, length) = (&result["stats"], result["trail"]["length"].as_f64());
        let expanded = stats["first_error"]["expanded"].as_f64().or(stats["expanded"].as_f64());
        Ok(expanded.map(|expanded| Decided { expanded, length, seconds: run.seconds }))
    }
}

/// The fields of a row: the paper's figures, then ours.
fn fields(paper: &[String], ours: &Columns) -> String {
    let field = |(paper, ours): (&String, &Vec<Option<Taken>>)| {
        let ours = Taken::mean(ours).map_or("–".to_owned(), Taken::text);
        let paper = if paper.is_empty() { "–" } else { paper };
        format!("{paper}; {ours}")
    };
    paper.iter().zip(ours).map(field).collect::<Vec<_>>().join(" | ")
}
