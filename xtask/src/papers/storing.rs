//! The tables on randomised storing and random nested depth-first search (Brim, Černá & Nečesal 2001).

use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::Plan;
use crate::process;

/// A model of tables 1 to 3: states stored at random.
#[derive(Debug, Deserialize)]
pub struct Storing {
    table: u32,
    name: String,
    model: Option<PathBuf>,
    example: Option<PathBuf>,
    /// Texts of the example that are replaced.
    #[serde(default)]
    replace: Vec<[String; 2]>,
    #[serde(default)]
    define: Vec<String>,
    property: String,
    /// Of the search that stores all states: states and transitions.
    paper: [u64; 2],
    row: Vec<Kept>,
}

/// A probability of storing, by the names of the command line.
#[derive(Debug, Deserialize)]
struct Kept {
    store: String,
    keep: String,
    runs: u64,
    /// Most states known at a time, and transitions, if the paper has the row.
    paper: Option<[u64; 2]>,
}

/// A model of tables 4 and 5: successors in random order.
#[derive(Debug, Deserialize)]
pub struct RandomOrder {
    table: u32,
    name: String,
    model: PathBuf,
    #[serde(default)]
    define: Vec<String>,
    property: String,
    #[serde(default)]
    flags: Vec<String>,
    runs: u64,
    /// States and transitions in random order, and of SPIN, which the paper has not for all.
    paper: Option<[u64; 2]>,
    spin: Option<[u64; 2]>,
    /// In how many of how many runs the error was found.
    success: Option<[u64; 2]>,
}

#[derive(Deserialize)]
struct Checked {
    results: Vec<CheckedProperty>,
}

#[derive(Deserialize)]
struct CheckedProperty {
    verdict: String,
    stats: Option<Figures>,
}

/// The compared part of `stats`.
#[derive(Clone, Copy, Deserialize)]
struct Figures {
    states: u64,
    peak_states: u64,
    transitions: u64,
    expanded: u64,
}

/// Means over runs.
struct Means {
    states: f64,
    peak: f64,
    transitions: f64,
    expanded: f64,
    /// The standard error of the mean of the states.
    states_error: f64,
    range: [u64; 2],
}

impl Means {
    /// None without runs.
    fn of(runs: &[Figures]) -> Option<Means> {
        let count = runs.len() as f64;
        let mean = |figure: fn(&Figures) -> u64| runs.iter().map(|run| figure(run) as f64).sum::<f64>() / count;
        let states = mean(|run| run.states);
        let squares: f64 = runs.iter().map(|run| (run.states as f64 - states).powi(2)).sum();
        Some(Means {
            states,
            peak: mean(|run| run.peak_states),
            transitions: mean(|run| run.transitions),
            expanded: mean(|run| run.expanded),
            states_error: (squares / (count - 1.0).max(1.0) / count).sqrt(),
            range: [runs.iter().map(|run| run.states).min()?, runs.iter().map(|run| run.states).max()?],
        })
    }
}

impl Plan {
    /// A model of tables 1 to 3.
    pub(super) fn storing(&self, entry: &Storing) -> io::Result<String> {
        let scratch = tempfile::tempdir()?;
        let model = match (&entry.model, &entry.example) {
            (Some(model), _) => self.project.join(model),
            (None, Some(example)) => self.replaced(example, &entry.replace, scratch.path())?,
            (None, None) => return Err(io::Error::other(format!("{} has no model", entry.name))),
        };
        let mut text = format!(
            "\n**Table {}: {}**\n\n| | runs | states | peak | saving | transitions | overhead | expansions |\n\
             |---|--:|--:|--:|--:|--:|--:|--:|\n",
            entry.table, entry.name
        );
        let all = self
            .random_run(
                &model,
                &entry.define,
                &entry.property,
                &["--search", "ndfs", "--store", "tree", "--por", "off"],
            )?
            .1;
        let Some(all) = all else { return Ok(format!("\n**Table {}: {}**: not decided\n", entry.table, entry.name)) };
        let [states, transitions] = entry.paper;
        writeln!(
            text,
            "| all states | 1 | {states} / {} | | | {transitions} / {} | 1 | {} |",
            all.states, all.transitions, all.expanded
        )
        .expect("text");
        for kept in &entry.row {
            text.push_str(&self.kept(entry, &model, &all, kept)?);
        }
        Ok(text)
    }

    /// A row of tables 1 to 3; `all` are the figures of the search that stores all states.
    fn kept(&self, entry: &Storing, model: &Path, all: &Figures, row: &Kept) -> io::Result<String> {
        let Kept { store, keep, runs, paper } = row;
        let mut decided = Vec::new();
        for seed in 0..*runs {
            let seed = seed.to_string();
            let flags = ["--search", "ndfs", "--store", store, "--keep", keep, "--seed", &seed];
            let (verdict, figures) = self.random_run(model, &entry.define, &entry.property, &flags)?;
            decided.extend(figures.filter(|_| verdict != "unknown"));
        }
        let none = || "–".to_owned();
        let saving = |peak: f64, states: u64| format!("{:.1} %", 100.0 * (1.0 - peak / states as f64));
        let [peak, saved, took, overhead] = match paper {
            Some([peak, took]) => {
                let overhead = *took as f64 / entry.paper[1] as f64;
                [peak.to_string(), saving(*peak as f64, entry.paper[0]), took.to_string(), format!("{overhead:.2}")]
            }
            None => [(); 4].map(|()| none()),
        };
        let [stored, own_peak, own_saved, own_took, own_overhead, expanded] = match Means::of(&decided) {
            Some(Means { states, peak, transitions, expanded, .. }) => {
                let overhead = format!("{:.2}", transitions / all.transitions as f64);
                let saved = saving(peak, all.states);
                let [states, peak, took, expanded] =
                    [states, peak, transitions, expanded].map(|mean| format!("{mean:.0}"));
                [states, peak, saved, took, overhead, expanded]
            }
            None => [(); 6].map(|()| none()),
        };
        Ok(format!(
            "| {store} {keep} | {} of {runs} | {stored} | {peak} / {own_peak} | {saved} / {own_saved} | {took} / {own_took} | \
             {overhead} / {own_overhead} | {expanded} |\n",
            decided.len()
        ))
    }

    /// A row of tables 4 and 5: the error in random order, and in that of the model.
    pub(super) fn random_order(&self, entry: &RandomOrder) -> io::Result<String> {
        let model = self.project.join(&entry.model);
        let flags = |more: &[&str]| {
            let own = entry.flags.iter().cloned();
            own.chain(more.iter().map(|&word| word.to_owned())).collect::<Vec<String>>()
        };
        let run = |more: &[&str]| {
            let flags = flags(more);
            let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
            self.random_run(&model, &entry.define, &entry.property, &flags)
        };
        let mut found = Vec::new();
        for seed in 0..entry.runs {
            let (verdict, figures) = run(&["--search", "random-dfs", "--seed", &seed.to_string()])?;
            found.extend(figures.filter(|_| verdict == "violated"));
        }
        let (verdict, fixed) = run(&["--search", "ndfs", "--por", "off"])?;
        let pair = |pair: Option<[u64; 2]>| {
            pair.map_or(("–".to_owned(), "–".to_owned()), |[s, t]| (s.to_string(), t.to_string()))
        };
        let (paper, spin) = (pair(entry.paper), pair(entry.spin));
        let success = entry.success.map_or("–".to_owned(), |[found, runs]| format!("{found} of {runs}"));
        let means = Means::of(&found);
        let states = means.as_ref().map_or("–".to_owned(), |means| {
            let Means { states, states_error, range: [least, most], .. } = means;
            format!("{states:.0} ± {states_error:.0} ({least} to {most})")
        });
        let transitions = means.map_or("–".to_owned(), |means| format!("{:.0}", means.transitions));
        let fixed = fixed.map_or("–".to_owned(), |fixed| format!("{} ({verdict})", fixed.states));
        Ok(format!(
            "| {}: {} | {success} / {} of {} | {} / {states} | {} / {transitions} | {} / {fixed} |\n",
            entry.table,
            entry.name,
            found.len(),
            entry.runs,
            paper.0,
            paper.1,
            spin.0,
        ))
    }

    /// The verdict and the figures of one run without reductions.
    fn random_run(
        &self,
        model: &Path,
        defines: &[String],
        property: &str,
        flags: &[&str],
    ) -> io::Result<(String, Option<Figures>)> {
        let folder = tempfile::tempdir()?;
        let (model, trail) = (model.to_string_lossy(), folder.path().join("trail"));
        let (trail, timeout) = (trail.to_string_lossy(), format!("{}s", self.timeout.as_secs()));
        let mut arguments = vec!["check", &*model, "--json", "--plain", "--property", property];
        arguments.extend(["--trail", &*trail, "--timeout", &timeout, "--memory", &self.memory]);
        let defines: Vec<String> = defines.iter().map(|define| format!("-D{define}")).collect();
        arguments.extend(defines.iter().map(String::as_str));
        arguments.extend(flags);
        let run = process::run(&self.homing, &arguments, &self.project, self.timeout * 2)?;
        let checked: Checked = serde_json::from_str(&run.stdout)
            .map_err(|error| io::Error::other(format!("{}: {error}: {}", arguments.join(" "), run.stderr)))?;
        let result = checked.results.into_iter().next();
        Ok(result.map_or(("unknown".to_owned(), None), |result| (result.verdict, result.stats)))
    }
}

/// The head of the table of [`Plan::random_order`].
pub(super) const RANDOM_ORDER: &str = "\n**Tables 4 and 5: successors in random order**\n\n\
     | table and model | found | states in random order: mean ± its standard error (range) | transitions | states in fixed order |\n\
     |---|--:|--:|--:|--:|\n";
