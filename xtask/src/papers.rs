//! The tables of the papers, with their figures beside homing's.

mod abstraction;
mod accuracy;
mod liveness;
mod storing;

use std::fmt::Write;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::ValueEnum;
use serde::Deserialize;

use crate::process;
use crate::spin::verify_reduced;

/// The tables of `bench/papers.toml`.
#[derive(Debug, Deserialize)]
pub struct Tables {
    row: Vec<Entry>,
    estimates: Vec<Estimates>,
    memory: Vec<Limited>,
    pattern: Vec<liveness::Pattern>,
    cycles: Vec<liveness::Cycles>,
    fairness: Vec<liveness::Fair>,
    storing: Vec<storing::Storing>,
    random_order: Vec<storing::RandomOrder>,
    network: Vec<abstraction::NetworkRow>,
}

/// A model of a table of searches.
#[derive(Debug, Deserialize)]
struct Entry {
    table: u32,
    name: String,
    /// In the project, or among SPIN's examples.
    model: Option<PathBuf>,
    example: Option<PathBuf>,
    #[serde(default)]
    define: Vec<String>,
    property: String,
    heuristic: String,
    #[serde(default)]
    same: bool,
    #[serde(default)]
    spin_flags: Vec<String>,
    paper: Figures,
}

/// The figures of each search.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Figures {
    bfs: Option<Counts>,
    dfs: Option<Counts>,
    astar: Option<Counts>,
    best_first: Option<Counts>,
    spin: Option<Counts>,
}

/// Stored, expanded, transitions, length.
type Counts = [u64; 4];

const COLUMNS: [&str; 5] = ["BFS", "DFS", "A*", "BF", "SPIN"];

impl Figures {
    fn columns(&self) -> [Option<Counts>; 5] {
        [self.bfs, self.dfs, self.astar, self.best_first, self.spin]
    }
}

/// A model of the table of estimates: expansions of A*.
#[derive(Debug, Deserialize)]
struct Estimates {
    name: String,
    model: PathBuf,
    #[serde(default)]
    define: Vec<String>,
    paper: ByEstimate,
}

#[derive(Debug, Deserialize)]
struct ByEstimate {
    none: u64,
    active: u64,
    deadlock: u64,
    /// The figures with `danger` labels.
    danger: Option<u64>,
}

/// A model that is searched with little memory.
#[derive(Debug, Deserialize)]
struct Limited {
    name: String,
    model: PathBuf,
    #[serde(default)]
    define: Vec<String>,
    /// As `--memory` takes it.
    memory: String,
}

/// The searches of the table on memory, with their flags.
const LIMITED: [(&str, &[&str]); 3] = [
    ("A*", &["--search", "astar"]),
    ("IDA*", &["--search", "ida"]),
    ("IDA* + bitstate", &["--search", "ida", "--store", "bitstate"]),
];

/// The papers whose tables are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Paper {
    /// Edelkamp, Leue & Lluch-Lafuente 2004: directed search, and cycles
    Directed,
    /// Brim, Černá & Nečesal 2001
    Storing,
    /// Dräger, Finkbeiner & Podelski 2006
    Abstraction,
}

/// The tables to print, and the limits of a search.
#[derive(Debug)]
pub struct Plan {
    pub papers: Vec<Paper>,
    /// Where the figures of the paper on abstraction are written.
    pub figures: Option<PathBuf>,
    pub set: PathBuf,
    pub project: PathBuf,
    pub examples: PathBuf,
    pub homing: PathBuf,
    pub timeout: Duration,
    /// As `--memory` takes it.
    pub memory: String,
}

/// The JSON of `homing compare`.
#[derive(Deserialize)]
struct Comparison {
    runs: Vec<Run>,
}

#[derive(Deserialize)]
struct Run {
    search: String,
    verdict: String,
    reason: Option<String>,
    states: Option<u64>,
    expanded: Option<u64>,
    transitions: Option<u64>,
    merged_length: Option<u64>,
    seconds: Option<f64>,
}

impl Run {
    fn counts(&self) -> Option<Counts> {
        let found = self.verdict == "violated";
        found.then(|| [self.states, self.expanded, self.transitions, self.merged_length].map(Option::unwrap_or_default))
    }
}

impl Plan {
    /// All tables, in Markdown.
    pub fn report(&self) -> io::Result<String> {
        let text = fs::read_to_string(&self.set)?;
        let tables: Tables = toml::from_str(&text).map_err(|error| io::Error::other(format!("{error}")))?;
        let mut report = String::new();
        for paper in &self.papers {
            report.push_str(&match paper {
                Paper::Directed => self.directed(&tables)?,
                Paper::Storing => self.randomised(&tables)?,
                Paper::Abstraction => self.abstraction(&tables.network)?,
            });
        }
        if let Some(folder) = &self.figures {
            report.push_str(&self.figures(folder)?);
        }
        Ok(report)
    }

    /// The tables of the paper on directed search, and the fairness runs of SPIN's.
    fn directed(&self, tables: &Tables) -> io::Result<String> {
        let mut report = String::from(
            "s stored, e expanded, t transitions, l length of the trail as SPIN counts it with merged statements. In each \
             field the paper's figure, then ours. Ours are of `homing compare` with its reductions (and of \
             `spin -a; gcc -O2 -DSAFETY; pan`); where the model is not the paper's only the shape can be compared.\n",
        );
        let mut last = 0;
        for entry in &tables.row {
            if entry.table != last {
                last = entry.table;
                write!(report, "\n## Table {last}\n").expect("a string takes all");
            }
            report.push_str(&self.searches(entry)?);
        }
        report.push_str("\n## Table 6: expansions of A* by estimate\n\n");
        report.push_str("| | none | active | deadlock | with danger labels |\n|---|--:|--:|--:|--:|\n");
        for estimates in &tables.estimates {
            report.push_str(&self.estimates(estimates)?);
        }
        report.push_str("\n## Table 8: little memory\n\n");
        report.push_str("The paper: A* and IDA* exceed their limits, IDA* with bitstate hashing finds the error.\n\n");
        report.push_str("| | search | verdict | expanded | length | seconds |\n|---|---|---|--:|--:|--:|\n");
        for limited in &tables.memory {
            report.push_str(&self.within_memory(limited)?);
        }
        report.push_str(&self.patterns(&tables.pattern)?);
        let mut last = 0;
        for entry in &tables.cycles {
            if entry.table != last {
                last = entry.table;
                write!(report, "\n## Table {last}\n").expect("a string takes all");
            }
            report.push_str(&self.cycles(entry)?);
        }
        report.push_str(&self.fairness(&tables.fairness)?);
        Ok(report)
    }

    /// The tables of the paper on randomised storing.
    fn randomised(&self, tables: &Tables) -> io::Result<String> {
        let mut report = String::from(
            "\n# Randomised storing (Brim, Černá & Nečesal 2001)\n\nOur models are near the paper's, not the same; all runs are \
             without reductions. In each field the paper's figure, then ours; ours are means over runs with seeds 0, 1, ….\n",
        );
        for entry in &tables.storing {
            report.push_str(&self.storing(entry)?);
        }
        report.push_str(storing::RANDOM_ORDER);
        for entry in &tables.random_order {
            report.push_str(&self.random_order(entry)?);
        }
        Ok(report)
    }

    fn searches(&self, entry: &Entry) -> io::Result<String> {
        let scratch = tempfile::tempdir()?;
        let model = match (&entry.model, &entry.example) {
            (Some(model), _) => self.project.join(model),
            (None, Some(example)) => crate::examples::unpacked(&self.examples.join(example), scratch.path())?,
            (None, None) => return Err(io::Error::other(format!("{} has no model", entry.name))),
        };
        let defines: Vec<String> = entry.define.iter().map(|define| format!("-D{define}")).collect();
        let runs = self.compare(
            &model,
            &defines,
            &["--property", &entry.property, "--heuristic", &entry.heuristic, "--search", "bfs,dfs,astar,best-first"],
        )?;
        let of = |search: &str| runs.iter().find(|run| run.search == search).and_then(Run::counts);
        let spin = if entry.property.starts_with("invariant:") { None } else { self.pan(&model, &defines, entry)? };
        let ours = [of("bfs"), of("dfs"), of("astar"), of("best-first"), spin];
        let mut text = String::new();
        let same = if entry.same { "" } else { " (another model)" };
        let seconds: f64 = runs.iter().filter_map(|run| run.seconds).sum();
        writeln!(text, "\n**{}**{same}, {seconds:.2} s for the four searches of homing\n", entry.name).expect("text");
        writeln!(text, "| | {} |\n|---|{}", COLUMNS.join(" | "), "--:|".repeat(COLUMNS.len())).expect("text");
        for (at, name) in ["s", "e", "t", "l"].iter().enumerate() {
            let field = |(paper, ours): (Option<Counts>, Option<Counts>)| {
                let word = |counts: Option<Counts>| counts.map_or("–".to_owned(), |counts| counts[at].to_string());
                format!("{} / {}", word(paper), word(ours))
            };
            let fields: Vec<String> = entry.paper.columns().into_iter().zip(ours).map(field).collect();
            writeln!(text, "| {name} | {} |", fields.join(" | ")).expect("text");
        }
        Ok(text)
    }

    fn estimates(&self, row: &Estimates) -> io::Result<String> {
        let model = self.project.join(&row.model);
        let defines: Vec<String> = row.define.iter().map(|define| format!("-D{define}")).collect();
        let expansions = |defines: &[String], heuristic: &str| -> io::Result<String> {
            let flags = ["--property", "deadlock", "--search", "astar", "--heuristic", heuristic];
            let runs = self.compare(&model, defines, &flags)?;
            Ok(runs.first().and_then(Run::counts).map_or("–".to_owned(), |counts| counts[1].to_string()))
        };
        let ByEstimate { none, active, deadlock, danger } = row.paper;
        let labelled = match danger {
            Some(danger) => {
                let defines = [defines.clone(), vec!["-DDANGER".to_owned()]].concat();
                format!("{danger} / {}", expansions(&defines, "deadlock")?)
            }
            None => String::new(),
        };
        Ok(format!(
            "| {} | {none} / {} | {active} / {} | {deadlock} / {} | {labelled} |\n",
            row.name,
            expansions(&defines, "none")?,
            expansions(&defines, "active")?,
            expansions(&defines, "deadlock")?,
        ))
    }

    fn within_memory(&self, row: &Limited) -> io::Result<String> {
        let defines: Vec<String> = row.define.iter().map(|define| format!("-D{define}")).collect();
        let mut text = String::new();
        for (search, flags) in LIMITED {
            let flags = [flags, &["--property", "deadlock", "--memory", &row.memory]].concat();
            let runs = self.compare(&self.project.join(&row.model), &defines, &flags)?;
            let Some(run) = runs.first() else { continue };
            let number = |value: Option<u64>| value.map_or("–".to_owned(), |value| value.to_string());
            writeln!(
                text,
                "| {} in {} | {search} | {}{} | {} | {} | {:.1} |",
                row.name,
                row.memory,
                run.verdict,
                run.reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default(),
                number(run.expanded),
                number(run.merged_length),
                run.seconds.unwrap_or_default(),
            )
            .expect("text");
        }
        Ok(text)
    }

    fn compare(&self, model: &Path, defines: &[String], flags: &[&str]) -> io::Result<Vec<Run>> {
        let (model, timeout) = (model.to_string_lossy(), format!("{}s", self.timeout.as_secs()));
        let mut arguments = vec!["compare", &*model, "--json", "--quiet", "--timeout", &timeout];
        if !flags.contains(&"--memory") {
            arguments.extend(["--memory", &self.memory]);
        }
        arguments.extend(defines.iter().map(String::as_str));
        arguments.extend(flags);
        let limit = self.timeout * 10;
        let run = process::run(&self.homing, &arguments, &self.project, limit)?;
        let comparison: Comparison = serde_json::from_str(&run.stdout)
            .map_err(|error| io::Error::other(format!("{}: {error}: {}", arguments.join(" "), run.stderr)))?;
        Ok(comparison.runs)
    }

    /// The figures of SPIN's verifier at its first error, with partial-order reduction, as in the paper.
    fn pan(&self, model: &Path, defines: &[String], entry: &Entry) -> io::Result<Option<Counts>> {
        let folder = tempfile::tempdir()?;
        let only = if entry.property == "assertions" { "-E" } else { "-A" };
        let flags: Vec<&str> = entry.spin_flags.iter().chain(defines).map(String::as_str).collect();
        let said = verify_reduced(model, &flags, &[only, "-m100000"], folder.path(), self.timeout)?;
        let Ok(trail) = fs::read_to_string(folder.path().join("model.pml.trail")) else { return Ok(None) };
        let length = trail.lines().filter(|line| !line.starts_with('-')).count() as u64;
        let count = |words: &str| -> Option<u64> {
            let line = said.lines().find(|line| line.contains(words))?;
            line.split_whitespace().next()?.parse::<f64>().ok().map(|number| number as u64)
        };
        let stored = count("states, stored").unwrap_or_default();
        Ok(Some([stored, stored, count("transitions (=").unwrap_or_default(), length]))
    }
}
