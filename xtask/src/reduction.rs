//! What partial-order reduction leaves of the bundled models and of SPIN's examples: states of a proof beside those of SPIN's reduction,
//! expansions of searches for a shortest path, and the time of models that are not reduced.

use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use crate::bench::statistics::geometric_mean;
use crate::examples;
use crate::process;
use crate::spin::{PanReport, verify_reduced};

/// The bundled models that hold, with the states that LTSmin's reduction leaves of a similar model where that is known.
const HOLDING: [(&str, &[&str], &str); 8] = [
    ("philosophers-ordered", &["-DN=10"], "412"),
    ("leader", &["-DN=5"], "–"),
    ("window", &["-DW=3", "-DSLOTS=3"], "104,907 (larger)"),
    ("bakery", &["-DN=3", "-DMAX=7"], "211,906"),
    ("peterson-n", &["-DN=4"], "165,664"),
    ("elevator", &["-DN=4", "-DPASSENGERS=2"], "–"),
    ("philosophers-shared", &["-DN=8"], "–"),
    ("ring", &["-DN=12", "-DTOKENS=3"], "–"),
];

/// The bundled models with errors, and the property that has one.
const WITH_ERRORS: [(&str, &[&str], &str); 9] = [
    ("dining", &["-DN=4"], "deadlock"),
    ("dining", &["-DN=8"], "deadlock"),
    ("philosophers", &["-DN=8"], "deadlock"),
    ("mutex", &[], "safety"),
    ("relay", &[], "safety"),
    ("lynch", &[], "safety"),
    ("pots", &[], "safety"),
    ("giop", &[], "safety"),
    ("optical", &[], "safety"),
];

/// The searches that keep shortest paths.
const SEARCHES: [&str; 2] = ["astar", "ida"];

/// How often a time is measured; the least counts.
const TIMES: usize = 3;

/// The time of a search, in seconds, below which it is not compared.
const MEASURABLE: f64 = 0.02;

/// What a search took.
struct Searched {
    holds: bool,
    states: u64,
    expanded: u64,
    seconds: f64,
    length: Option<u64>,
    is_shortest: bool,
}

/// The program, and the time of one search.
#[derive(Debug)]
pub struct Plan {
    pub homing: PathBuf,
    /// The folder of SPIN's examples.
    pub examples: PathBuf,
    pub timeout: Duration,
}

impl Plan {
    /// The tables, in Markdown.
    pub fn report(&self) -> io::Result<String> {
        Ok(format!("{}\n{}\n{}", self.proofs()?, self.paths()?, self.defaults()?))
    }

    /// States and time with the defaults, of SPIN's examples that hold.
    fn defaults(&self) -> io::Result<String> {
        let mut report = String::from(
            "SPIN's examples that hold: states and seconds of `homing check` with `--por off` and with the defaults, where they differ or take long.\n\n\
             | model | --por off | default |\n|---|--:|--:|\n",
        );
        let (mut states, mut seconds, mut reduced) = (Vec::new(), Vec::new(), 0);
        for file in examples::models(&self.examples)? {
            let scratch = tempfile::tempdir()?;
            let model = examples::unpacked(&file, scratch.path())?;
            let run = |flags: &[&str]| self.searched(&model, &[], &[&["--property", "safety"], flags].concat());
            // a file that is not read has no figures
            let (Ok(Some(off)), Ok(Some(default))) = (run(&["--por", "off"]), run(&[])) else { continue };
            if !off.holds || !default.holds {
                continue;
            }
            states.push(off.states as f64 / default.states.max(1) as f64);
            reduced += usize::from(default.states < off.states);
            let is_measurable = off.seconds >= MEASURABLE;
            if is_measurable {
                seconds.push(default.seconds / off.seconds);
            }
            if is_measurable || default.states != off.states {
                let name = file.strip_prefix(&self.examples).unwrap_or(&file).display();
                let field = |one: &Searched| format!("{}, {:.3} s", one.states, one.seconds);
                writeln!(report, "| {name} | {} | {} |", field(&off), field(&default)).expect("text");
            }
        }
        let [fewer, time] = [&states, &seconds].map(|ratios| geometric_mean(ratios).unwrap_or(1.0));
        writeln!(
            report,
            "\n{} models hold with and without the reduction; {reduced} are reduced by default, and the states of all are {fewer:.2} times \
             fewer (geometric mean). The {} that take at least {MEASURABLE} s take {time:.2} of that time.",
            states.len(),
            seconds.len(),
        )
        .expect("text");
        Ok(report)
    }

    /// States of proofs.
    fn proofs(&self) -> io::Result<String> {
        let mut report = String::from(
            "States and seconds of `homing check --search auto` without and with the reduction, states of SPIN with its own (`spin -a`, `gcc -O2 \
             -DSAFETY`, `pan`), and of LTSmin's for a similar model.\n\n\
             | model | --por off | --por on | default | SPIN | LTSmin |\n|---|--:|--:|--:|--:|--:|\n",
        );
        for (name, defines, ltsmin) in HOLDING {
            let field = |flags: &[&str]| {
                let searched = self.searched(&path(name), defines, flags)?;
                Ok::<_, io::Error>(
                    searched.map_or("–".to_owned(), |one| format!("{}, {:.3} s", one.states, one.seconds)),
                )
            };
            let [off, on, default] = [&["--por", "off"][..], &["--por", "on"], &[]].map(field);
            let folder = tempfile::tempdir()?;
            let said = verify_reduced(&path(name), defines, &["-m1000000", "-w24"], folder.path(), self.timeout)?;
            let spin = PanReport::parse(&said).map_or("–".to_owned(), |report| report.stored.to_string());
            let name = [&[name], defines].concat().join(" ");
            writeln!(report, "| {name} | {} | {} | {} | {spin} | {ltsmin} |", off?, on?, default?).expect("text");
        }
        Ok(report)
    }

    /// Expansions of searches for a shortest path.
    fn paths(&self) -> io::Result<String> {
        let mut report = String::from(
            "Expanded states and length without and with the reduction, `--heuristic fsm-max` (admissible).\n\n\
             | model | property | search | --por off | --por on | lengths |\n|---|---|---|--:|--:|---|\n",
        );
        for (name, defines, property) in WITH_ERRORS {
            for search in SEARCHES {
                let common = ["--search", search, "--heuristic", "fsm-max", "--property", property];
                let run = |por| self.searched(&path(name), defines, &[&common[..], &["--por", por]].concat());
                let (off, on) = (run("off")?, run("on")?);
                let field = |one: &Option<Searched>| match one {
                    Some(one) => {
                        let length = one.length.map_or("no error".to_owned(), |length| length.to_string());
                        let claim = if one.is_shortest { ", shortest" } else { "" };
                        format!("{} / {length}{claim}", one.expanded)
                    }
                    None => "–".to_owned(),
                };
                let lengths = match (&off, &on) {
                    (Some(off), Some(on)) if off.length == on.length => "equal",
                    (Some(_), Some(_)) => "**differ**",
                    _ => "–",
                };
                let name = [&[name], defines].concat().join(" ");
                writeln!(report, "| {name} | {property} | {search} | {} | {} | {lengths} |", field(&off), field(&on))
                    .expect("text");
            }
        }
        Ok(report)
    }

    /// The figures of a search, with the least time of several; none if it did not decide.
    fn searched(&self, model: &Path, defines: &[&str], flags: &[&str]) -> io::Result<Option<Searched>> {
        let (model, timeout) = (model.to_string_lossy(), format!("{}s", self.timeout.as_secs()));
        let always =
            ["check", &model, "--json", "--quiet", "--confirm=never", "--trail", "/dev/null", "--timeout", &timeout];
        let mut best: Option<Searched> = None;
        for _ in 0..TIMES {
            let arguments = [&always[..], defines, flags].concat();
            let run = process::run(&self.homing, &arguments, Path::new("."), self.timeout * 2)?;
            let document: Value = serde_json::from_str(&run.stdout)
                .map_err(|error| io::Error::other(format!("{}: {error}: {}", arguments.join(" "), run.stderr)))?;
            let (result, stats) = (&document["results"][0], &document["results"][0]["stats"]);
            let number = |value: &Value| value.as_u64().unwrap_or_default();
            if result["verdict"] == "unknown" {
                return Ok(None);
            }
            let first = &stats["first_error"];
            let seconds = stats["seconds"].as_f64().unwrap_or_default();
            best = Some(Searched {
                holds: result["verdict"] == "holds",
                states: number(&stats["states"]),
                expanded: number(if first.is_null() { &stats["expanded"] } else { &first["expanded"] }),
                seconds: best.map_or(seconds, |best| best.seconds.min(seconds)),
                length: result["trail"]["length"].as_u64(),
                is_shortest: result["trail"]["shortest"] == true,
            });
        }
        Ok(best)
    }
}

/// The file of a bundled model.
fn path(name: &str) -> PathBuf {
    PathBuf::from(format!("models/{name}.pml"))
}
