//! What the default search costs: beside the fastest of its members where there is an error, and beside another binary where there is
//! none.

use std::fmt::Write;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use crate::bench::statistics::geometric_mean;
use crate::examples;
use crate::process;

/// The folders of the project with models.
const FOLDERS: [&str; 5] =
    ["models", "crates/homing/tests/first_models", "bench/liveness", "bench/errors", "bench/networks"];

/// Other sizes of models.
const SIZES: [(&str, &[&str]); 30] = [
    ("models/dining.pml", &["N=8"]),
    ("models/dining.pml", &["N=12"]),
    ("models/dining.pml", &["N=16"]),
    ("models/philosophers.pml", &["N=8"]),
    ("models/philosophers.pml", &["N=16"]),
    ("models/optical.pml", &["N=8"]),
    ("models/optical.pml", &["N=12"]),
    ("models/giop.pml", &["CLIENTS=2"]),
    ("models/giop.pml", &["CLIENTS=3"]),
    ("models/marriers.pml", &["N=4"]),
    ("models/bakery.pml", &["N=3", "MAX=9"]),
    ("models/bakery.pml", &["N=3", "MAX=12"]),
    ("models/peterson-n.pml", &["N=4"]),
    ("models/window.pml", &["W=3", "SLOTS=3"]),
    ("models/leader.pml", &["N=5"]),
    ("models/elevator.pml", &["N=4", "PASSENGERS=2"]),
    ("models/elevator.pml", &["N=5", "PASSENGERS=2"]),
    ("models/ring.pml", &["N=30", "TOKENS=3", "LAPS=2"]),
    ("models/philosophers-ordered.pml", &["N=11"]),
    ("models/philosophers-shared.pml", &["N=8"]),
    ("models/philosophers-shared.pml", &["N=10"]),
    ("bench/errors/solitaire.pml", &["BLIND"]),
    ("bench/errors/solitaire.pml", &["W=4", "H=5", "CORNER=0"]),
    ("bench/errors/solitaire.pml", &["BLIND", "W=4", "H=5", "CORNER=0"]),
    ("bench/errors/solitaire.pml", &["BLIND", "W=5", "H=5", "CORNER=1"]),
    ("bench/errors/arbiter.pml", &["CLIENTS=4"]),
    ("bench/errors/arbiter.pml", &["CLIENTS=4", "FAULTY=5"]),
    ("bench/errors/arbiter.pml", &["CLIENTS=8", "FAULTY=11"]),
    ("bench/errors/bakery.pml", &["MAX=5"]),
    ("bench/errors/bakery.pml", &["N=2", "MAX=12"]),
];

/// The members of the portfolio for errors, each as a search by name.
const FOR_ERRORS: [&str; 4] = ["best-first", "astar", "dfs", "bfs"];

/// The same for cycles.
const FOR_CYCLES: [&str; 4] = ["scc", "ndfs", "indfs", "astar-indfs"];

/// The time, in seconds, below which searches are alike.
const FLOOR: f64 = 0.01;

/// At most so many times the time of the best member are aimed at.
const AIM: f64 = 4.0;

/// How often a time is measured; the least counts.
const TIMES: usize = 3;

/// The programs, and the limits of one search.
#[derive(Debug)]
pub struct Plan {
    pub homing: PathBuf,
    /// An earlier program, with which times of models without errors are compared.
    pub before: Option<PathBuf>,
    /// The folder of SPIN's examples.
    pub examples: PathBuf,
    /// Only models with one of these in their names, unless there are none.
    pub models: Vec<String>,
    pub timeout: Duration,
    pub memory: String,
}

/// A model with definitions.
struct Case {
    name: String,
    model: PathBuf,
    defines: Vec<String>,
}

/// What a search said of a property.
struct Searched {
    property: String,
    verdict: String,
    algorithm: String,
    /// In all, and until the first error.
    seconds: f64,
    first_error: Option<f64>,
    states: u64,
    length: Option<u64>,
}

impl Searched {
    fn new(result: &Value) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or("–").to_owned();
        let stats = &result["stats"];
        Searched {
            property: text(&result["property"]),
            verdict: text(&result["verdict"]),
            algorithm: text(&result["search"]["algorithm"]),
            seconds: stats["seconds"].as_f64().unwrap_or_default(),
            first_error: stats["first_error"]["seconds"].as_f64(),
            states: stats["states"].as_u64().unwrap_or_default(),
            length: result["trail"]["length"].as_u64(),
        }
    }
}

impl Plan {
    /// The tables, in Markdown.
    pub fn report(&self) -> io::Result<String> {
        let scratch = tempfile::tempdir()?;
        let (mut errors, mut proofs) = (Errors::default(), Proofs::default());
        for case in self.cases(scratch.path())? {
            let Some(results) = self.searched(&self.homing, &case, &[])? else { continue };
            let before = match &self.before {
                Some(before) if results.iter().any(|one| one.verdict == "holds" && one.first_error.is_none()) => {
                    self.searched(before, &case, &[])?
                }
                _ => None,
            };
            for auto in &results {
                let earlier = before.iter().flatten().find(|one| one.property == auto.property);
                match (auto.verdict.as_str(), earlier) {
                    ("holds", Some(before)) if auto.first_error.is_none() => proofs.add(&case.name, before, auto),
                    ("holds", None) if auto.first_error.is_none() => {}
                    _ => errors.add(&case.name, auto, &self.members(&case, auto)?),
                }
            }
        }
        Ok(format!("{}\n{}", errors.report(), proofs.report()))
    }

    /// The models: of the project, in several sizes, and SPIN's examples.
    fn cases(&self, scratch: &Path) -> io::Result<Vec<Case>> {
        let mut cases = Vec::new();
        for folder in FOLDERS {
            let mut files: Vec<PathBuf> = fs::read_dir(folder)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
            files.retain(|file| file.extension().is_some_and(|ending| ending == "pml" || ending == "xta"));
            files.sort();
            cases.extend(files.into_iter().map(|file| (file.display().to_string(), file, Vec::new())));
        }
        for (file, defines) in SIZES {
            let defines: Vec<String> = defines.iter().map(|define| format!("-D{define}")).collect();
            cases.push((format!("{file} {}", defines.join(" ")), PathBuf::from(file), defines));
        }
        for (number, file) in examples::models(&self.examples).unwrap_or_default().into_iter().enumerate() {
            let name = file.strip_prefix(&self.examples).unwrap_or(&file).display().to_string();
            let folder = scratch.join(number.to_string());
            cases.push((name, examples::unpacked(&file, &folder)?, Vec::new()));
        }
        let is_wanted =
            |name: &String| self.models.is_empty() || self.models.iter().any(|part| name.contains(part.as_str()));
        let cases = cases.into_iter().filter(|(name, ..)| is_wanted(name));
        Ok(cases.map(|(name, model, defines)| Case { name, model, defines }).collect())
    }

    /// What each member finds by itself.
    fn members(&self, case: &Case, auto: &Searched) -> io::Result<Vec<(&'static str, Searched)>> {
        let is_finite = ["safety", "assertions", "deadlock"].contains(&auto.property.as_str())
            || ["query:", "invariant"].iter().any(|kind| auto.property.starts_with(kind));
        let names = if is_finite { FOR_ERRORS.to_vec() } else { [&FOR_CYCLES[..], &FOR_ERRORS].concat() };
        let mut members = Vec::new();
        for name in names {
            let results = self.searched(&self.homing, case, &["--property", &auto.property, "--search", name])?;
            members.extend(results.into_iter().flatten().map(|one| (name, one)));
        }
        Ok(members)
    }

    /// What a search says, with the least times of several runs; none if the model is refused.
    fn searched(&self, homing: &Path, case: &Case, flags: &[&str]) -> io::Result<Option<Vec<Searched>>> {
        let (model, timeout) = (case.model.to_string_lossy(), format!("{}s", self.timeout.as_secs()));
        let always = [
            "check",
            &model,
            "--json",
            "--quiet",
            "--confirm=never",
            "--trail",
            "/dev/null",
            "--timeout",
            &timeout,
            "--memory",
            &self.memory,
        ];
        let defines: Vec<&str> = case.defines.iter().map(String::as_str).collect();
        let arguments = [&always[..], &defines, flags].concat();
        let mut best: Option<Vec<Searched>> = None;
        for _ in 0..TIMES {
            let run = process::run(homing, &arguments, Path::new("."), self.timeout * 20)?;
            let document: Value = serde_json::from_str(&run.stdout).unwrap_or_default();
            let Some(results) = document["results"].as_array() else { return Ok(None) };
            let mut now: Vec<Searched> = results.iter().map(Searched::new).collect();
            let is_long = now.iter().map(|one| one.seconds).sum::<f64>() > self.timeout.as_secs_f64() / 2.0;
            for (one, earlier) in now.iter_mut().zip(best.iter().flatten()) {
                one.seconds = one.seconds.min(earlier.seconds);
                one.first_error = one.first_error.zip(earlier.first_error).map(|(a, b)| a.min(b)).or(one.first_error);
            }
            best = Some(now);
            if is_long {
                break;
            }
        }
        Ok(best)
    }
}

/// Models with errors.
#[derive(Default)]
struct Errors {
    rows: String,
    ratios: Vec<f64>,
}

impl Errors {
    fn add(&mut self, name: &str, auto: &Searched, members: &[(&str, Searched)]) {
        let found = members.iter().filter_map(|(by, one)| Some((one.first_error?, *by, one)));
        let Some((least, by, best)) = found.min_by(|a, b| a.0.total_cmp(&b.0)) else { return };
        let property = &auto.property;
        let length = |one: &Searched| one.length.map_or("–".to_owned(), |length| length.to_string());
        let member = format!("{by}, {} states, {}", best.states, length(best));
        let Some(first) = auto.first_error else {
            self.ratios.push(auto.seconds.max(FLOOR) / least.max(FLOOR));
            writeln!(
                self.rows,
                "| {name} | {property} | **{}** | {:.3} | | {member} | {least:.3} | |",
                auto.verdict, auto.seconds
            )
            .expect("text");
            return;
        };
        let ratio = first.max(FLOOR) / least.max(FLOOR);
        self.ratios.push(ratio);
        let mark = if ratio > AIM { "**" } else { "" };
        writeln!(
            self.rows,
            "| {name} | {property} | {}, {} states, {} | {first:.3} | {:.3} | {member} | {least:.3} | {mark}{ratio:.1}{mark} |",
            auto.algorithm,
            auto.states,
            length(auto),
            auto.seconds,
        )
        .expect("text");
    }

    fn report(&self) -> String {
        let (mean, above) = (geometric_mean(&self.ratios), self.ratios.iter().filter(|ratio| **ratio > AIM).count());
        format!(
            "Models with errors: seconds until the default search has an error, in all with a shorter path to it, and of its fastest \
             member by itself; a time below {FLOOR} s counts as that.\n\n\
             | model | property | default | error | in all | fastest member | error | ratio |\n|---|---|---|--:|--:|---|--:|--:|\n{}\n\
             {} errors: {:.2} times the fastest member (geometric mean), {above} above {AIM}.\n",
            self.rows,
            self.ratios.len(),
            mean.unwrap_or(1.0),
        )
    }
}

/// Models without errors.
#[derive(Default)]
struct Proofs {
    rows: String,
    ratios: Vec<f64>,
}

impl Proofs {
    fn add(&mut self, name: &str, before: &Searched, now: &Searched) {
        let ratio = now.seconds.max(FLOOR) / before.seconds.max(FLOOR);
        self.ratios.push(ratio);
        writeln!(
            self.rows,
            "| {name} | {} | {}, {} | {:.3} | {}, {} | {:.3} | {ratio:.2} |",
            now.property, before.algorithm, before.states, before.seconds, now.algorithm, now.states, now.seconds
        )
        .expect("text");
    }

    fn report(&self) -> String {
        let worst = self.ratios.iter().copied().fold(1.0, f64::max);
        format!(
            "Models without errors: seconds of the default search, before and now.\n\n\
             | model | property | before | s | now | s | ratio |\n|---|---|---|--:|---|--:|--:|\n{}\n\
             {} proofs: {:.2} of the time (geometric mean), {worst:.2} at worst.\n",
            self.rows,
            self.ratios.len(),
            geometric_mean(&self.ratios).unwrap_or(1.0),
        )
    }
}
