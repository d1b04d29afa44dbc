//! The tables on cycles: classes of never claims, nested searches, and fairness.

use std::fmt::Write;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::{Plan, Run};
use crate::process;

/// A pattern of properties, with the classes of its never claims by scope.
#[derive(Debug, Deserialize)]
pub struct Pattern {
    name: String,
    formulas: Vec<String>,
    paper: Vec<String>,
}

/// The scopes of the patterns.
const SCOPES: [&str; 5] = ["globally", "before", "after", "between", "until"];

/// A model and a property that searches for cycles decide.
#[derive(Debug, Deserialize)]
pub struct Cycles {
    pub table: u32,
    name: String,
    model: Option<PathBuf>,
    example: Option<PathBuf>,
    /// Texts of the example that are replaced.
    #[serde(default)]
    replace: Vec<[String; 2]>,
    #[serde(default)]
    define: Vec<String>,
    property: String,
    #[serde(default)]
    flags: Vec<String>,
    paper: ByCycleSearch,
}

/// The figures of each search: stored, expanded, transitions, length.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct ByCycleSearch {
    ndfs: Vec<u64>,
    indfs: Vec<u64>,
    astar_indfs: Option<Vec<u64>>,
}

/// A run of the model of fairness.
#[derive(Debug, Deserialize)]
pub struct Fair {
    name: String,
    flags: Vec<String>,
    /// The statements of the book's lasso.
    paper: u64,
}

/// The JSON of `homing ltl`.
#[derive(Deserialize)]
struct Automaton {
    classes: String,
}

/// The JSON of `homing check`.
#[derive(Deserialize)]
struct Checked {
    results: Vec<CheckedProperty>,
}

#[derive(Deserialize)]
struct CheckedProperty {
    verdict: String,
    trail: Option<CheckedTrail>,
}

#[derive(Deserialize)]
struct CheckedTrail {
    length: u64,
    shortest: bool,
}

/// Classes in the order of the paper's first row.
fn sorted(classes: &str) -> String {
    let letters = ["S", "N", "P", "F"].into_iter().filter(|letter| classes.contains(letter));
    letters.collect::<Vec<_>>().join(",")
}

impl Plan {
    /// Table 9.
    pub(super) fn patterns(&self, patterns: &[Pattern]) -> io::Result<String> {
        let mut text = String::from(
            "\n## Table 9: classes of the components of never claims\n\nIn each field those of the paper, of the claim that \
             `spin -f` makes here, and of homing's.\n\n",
        );
        writeln!(text, "| | {} |\n|---|{}", SCOPES.join(" | "), "---|".repeat(SCOPES.len())).expect("text");
        let (mut same, mut without_p) = (0, 0);
        for Pattern { name, formulas, paper } in patterns {
            let mut fields = Vec::new();
            for (formula, paper) in formulas.iter().zip(paper) {
                let (spin, ours) = (self.classes_of_spin(formula)?, self.classes(&[formula, "--negate"])?);
                same += u32::from(spin == sorted(paper));
                without_p += u32::from(!ours.contains('P'));
                fields.push(format!("{} / {spin} / {ours}", sorted(paper)));
            }
            writeln!(text, "| {name} | {} |", fields.join(" | ")).expect("text");
        }
        writeln!(text, "\n{same} fields of `spin -f` are the paper's; {without_p} claims of homing have no P.")
            .expect("text");
        Ok(text)
    }

    /// The classes of an automaton that `homing ltl` makes or reads.
    fn classes(&self, arguments: &[&str]) -> io::Result<String> {
        let arguments = [&["ltl"], arguments, &["--format", "json"]].concat();
        let run = process::run(&self.homing, &arguments, &self.project, self.timeout)?;
        let automaton: Automaton = serde_json::from_str(&run.stdout)
            .map_err(|error| io::Error::other(format!("{}: {error}: {}", arguments.join(" "), run.stderr)))?;
        Ok(sorted(&automaton.classes))
    }

    fn classes_of_spin(&self, formula: &str) -> io::Result<String> {
        let folder = tempfile::tempdir()?;
        let negation = format!("!({formula})");
        let run = process::run(Path::new("spin"), &["-f", &negation], folder.path(), self.timeout)?;
        if !run.ending.is_success() {
            return Ok("–".to_owned());
        }
        let claim = folder.path().join("claim");
        fs::write(&claim, run.stdout)?;
        self.classes(&["--never", &claim.to_string_lossy()])
    }

    /// A model of tables 10 and 11.
    pub(super) fn cycles(&self, entry: &Cycles) -> io::Result<String> {
        let scratch = tempfile::tempdir()?;
        let model = match (&entry.model, &entry.example) {
            (Some(model), _) => self.project.join(model),
            (None, Some(example)) => self.replaced(example, &entry.replace, scratch.path())?,
            (None, None) => return Err(io::Error::other(format!("{} has no model", entry.name))),
        };
        let defines: Vec<String> = entry.define.iter().map(|define| format!("-D{define}")).collect();
        let searches = ["ndfs", "indfs", "astar-indfs"];
        let mut flags = vec!["--property", &entry.property, "--search", "ndfs,indfs,astar-indfs"];
        flags.extend(entry.flags.iter().map(String::as_str));
        let runs = self.compare(&model, &defines, &flags)?;
        let paper = [Some(&entry.paper.ndfs), Some(&entry.paper.indfs), entry.paper.astar_indfs.as_ref()];
        let mut text = String::new();
        let verdict = runs.first().map_or("–", |run| &run.verdict);
        writeln!(text, "\n**{}**, {verdict}\n", entry.name).expect("text");
        writeln!(text, "| | {} |\n|---|{}", searches.join(" | "), "--:|".repeat(searches.len())).expect("text");
        for (at, name) in ["s", "e", "t", "l"].iter().enumerate() {
            let field = |(search, paper): (&str, Option<&Vec<u64>>)| {
                let paper = paper.and_then(|figures| figures.get(at)).map_or("–".to_owned(), u64::to_string);
                let ours = runs.iter().find(|run| run.search == search).and_then(|run| figure(run, at));
                format!("{paper} / {}", ours.map_or("–".to_owned(), |figure| figure.to_string()))
            };
            let fields: Vec<String> = searches.into_iter().zip(paper).map(field).collect();
            writeln!(text, "| {name} | {} |", fields.join(" | ")).expect("text");
        }
        Ok(text)
    }

    /// A copy of one of SPIN's examples, in which texts are replaced.
    pub(super) fn replaced(&self, example: &Path, replace: &[[String; 2]], scratch: &Path) -> io::Result<PathBuf> {
        let unpacked = crate::examples::unpacked(&self.examples.join(example), scratch)?;
        let text = fs::read_to_string(unpacked)?;
        let copy = scratch.join("replaced.pml");
        fs::write(&copy, replace.iter().fold(text, |text, [from, to]| text.replace(from, to)))?;
        Ok(copy)
    }

    /// The runs of the model of fairness.
    pub(super) fn fairness(&self, runs: &[Fair]) -> io::Result<String> {
        let mut text = String::from(
            "\n## Fairness: statements of the lasso\n\n| | the book | homing | proved shortest |\n|---|--:|--:|---|\n",
        );
        let model = self.project.join("bench/fairness.pml");
        let model = model.to_string_lossy();
        let folder = tempfile::tempdir()?;
        let trail = folder.path().join("trail");
        for Fair { name, flags, paper } in runs {
            let trail = trail.to_string_lossy();
            let mut arguments = vec!["check", &*model, "--json", "--property", "acceptance", "--trail", &*trail];
            arguments.extend(flags.iter().map(String::as_str));
            let run = process::run(&self.homing, &arguments, &self.project, self.timeout)?;
            let checked: Checked = serde_json::from_str(&run.stdout)
                .map_err(|error| io::Error::other(format!("{}: {error}: {}", arguments.join(" "), run.stderr)))?;
            let Some(CheckedProperty { verdict, trail }) = checked.results.into_iter().next() else { continue };
            let (length, shortest) = match trail {
                Some(CheckedTrail { length, shortest }) => (length.to_string(), if shortest { "yes" } else { "no" }),
                None => (verdict, "–"),
            };
            writeln!(text, "| {name} | {paper} | {length} | {shortest} |").expect("text");
        }
        Ok(text)
    }
}

/// A figure of a run, by its number: stored, expanded, transitions, length.
fn figure(run: &Run, at: usize) -> Option<u64> {
    [run.states, run.expanded, run.transitions, run.merged_length].get(at).copied().flatten()
}
