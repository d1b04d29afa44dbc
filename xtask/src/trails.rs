//! Exchange of trails: SPIN plays the trails of homing, and homing plays those of pan, to the same error.

mod tally;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use crate::homing::Homing;
use crate::process::{self, Ending, Finished};
use crate::spin::{ErrorKind, PanReport};

pub use tally::{Tally, of_examples, of_random};

/// The outcome of exchanging the trails of one model.
#[derive(Clone, Debug, PartialEq)]
pub enum Exchange {
    /// The model has no error, or none that both find within the limits.
    NoTrail(&'static str),
    /// All were played to the same error.
    Fine(Vec<Switches>),
    /// The differences, one sentence each.
    Wrong(Vec<String>),
}

/// The process switches of a trail of homing, in the order of the search and as shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switches {
    pub found: u64,
    pub shown: u64,
    /// Whether SPIN's simulator reached the same error; otherwise its verifier did.
    pub simulated: bool,
}

impl Switches {
    /// The ratio of switches as shown to those as found; none for a trail without switches, which cannot improve.
    pub fn ratio(self) -> Option<f64> {
        (self.found > 0).then(|| self.shown.max(1) as f64 / self.found as f64)
    }
}

const LIMIT: Duration = Duration::from_secs(60);

/// Exchanges the trails of the model between homing and SPIN, in the folder of the model.
pub fn exchange(homing: &Homing, model: &Path) -> io::Result<Exchange> {
    let work = Work { homing, folder: model.parent().unwrap_or(Path::new(".")), name: file_name(model) };
    let mut wrong = Vec::new();
    let mut switches = Vec::new();
    for search in ["bfs", "dfs"] {
        match work.give(search)? {
            Given::Nothing(reason) => return Ok(Exchange::NoTrail(reason)),
            Given::Played(of_trail) => switches.push(of_trail),
            Given::Wrong(reasons) => wrong.extend(reasons.into_iter().map(|reason| format!("{search}: {reason}"))),
        }
    }
    for (build, flags) in [("merged", &["-a"][..]), ("unmerged", &["-a", "-o3"][..])] {
        if let Some(reason) = work.take(flags)? {
            wrong.push(format!("pan's trail ({build}): {reason}"));
        }
    }
    Ok(if wrong.is_empty() { Exchange::Fine(switches) } else { Exchange::Wrong(wrong) })
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

enum Given {
    /// There is no trail to give.
    Nothing(&'static str),
    Played(Switches),
    Wrong(Vec<String>),
}

struct Work<'a> {
    homing: &'a Homing,
    folder: &'a Path,
    name: String,
}

impl Work<'_> {
    fn run(&self, program: &str, arguments: &[&str]) -> io::Result<Finished> {
        process::run(Path::new(program), arguments, self.folder, LIMIT)
    }

    fn homing(&self, arguments: &[&str]) -> io::Result<(Ending, Value, String)> {
        let run = process::run(&self.homing.binary, arguments, self.folder, LIMIT)?;
        Ok((run.ending, serde_json::from_str(&run.stdout).unwrap_or_default(), run.stderr))
    }

    fn trail(&self) -> String {
        format!("{}.trail", self.name)
    }

    /// SPIN plays a trail of homing.
    fn give(&self, search: &str) -> io::Result<Given> {
        let flags = ["check", &self.name, "--property", "safety", "--json", "--search", search, "--timeout", "20s"];
        let (ending, checked, message) = self.homing(&flags)?;
        match ending {
            Ending::Exit(0) => return Ok(Given::Nothing("no error")),
            Ending::Exit(1) => {}
            Ending::Exit(2) => return Ok(Given::Nothing("refused")),
            Ending::Exit(3) => return Ok(Given::Nothing("undecided")),
            _ => return Ok(Given::Wrong(vec![format!("homing check: {ending:?} {message}")])),
        }
        let result = &checked["results"][0];
        let (ending, replay, message) = self.homing(&["replay", &self.name, "--json"])?;
        if ending != Ending::Exit(1) {
            return Ok(Given::Wrong(vec![format!("homing replay: {ending:?} {message}")]));
        }
        let spin = Played::parse(&self.run("spin", &["-t", "-p", &self.name])?.stdout);
        let mut wrong = Vec::new();
        let length = result["trail"]["length"].as_u64().unwrap_or_default();
        let kind = result["error"]["kind"].as_str().unwrap_or_default();
        let died = kind == "runtime-error" && spin.steps.is_none();
        if spin.steps != Some(length) && length > 0 && !died {
            wrong.push(format!("{length} steps, SPIN played {:?}", spin.steps));
        }
        wrong.extend(spin.complaints.iter().cloned());
        let is_trace = result["error"]["message"].as_str().unwrap_or_default().contains("trace");
        let pan = self.pan_replay()?;
        // where SPIN's simulator differs from its verifier (it keeps one bit of an element of a bit array, for instance),
        // the verifier's own replay decides
        let confirmed = kind == "assertion" && pan.contains("assertion violated");
        if !confirmed && (kind == "assertion" && !is_trace) != spin.assertion {
            wrong.push(format!("ends in {kind}, in SPIN {} assertion fails", if spin.assertion { "an" } else { "no" }));
        }
        if kind == "invalid-end-state" && !is_trace && !spin.is_stuck {
            wrong.push("ends in an invalid end state, in SPIN all may end".to_owned());
        }
        // pan continues arbitrarily after a run-time error, ends a d_step at a failing assertion, and does not maintain
        // `_last` while it replays
        let text = fs::read_to_string(self.folder.join(&self.name))?;
        let last = replay["steps"].as_array().and_then(|steps| steps.last());
        let breaks_off = last.is_some_and(|step| step["statement"].as_str().unwrap_or_default().starts_with("D_STEP"));
        if kind != "runtime-error" && !breaks_off && !text.contains("_last") {
            wrong.extend(differing(&globals(&replay), &globals_of_pan(&pan)));
        }
        let count = |field: &str| result["trail"][field].as_u64().unwrap_or_default();
        let simulated = kind != "assertion" || is_trace || spin.assertion;
        let switches = Switches { found: count("switches_as_found"), shown: count("switches"), simulated };
        Ok(if wrong.is_empty() { Given::Played(switches) } else { Given::Wrong(wrong) })
    }

    /// The output of pan, the verifier itself, when it plays the trail; empty if SPIN generates no pan.
    fn pan_replay(&self) -> io::Result<String> {
        if !self.build(&["-a", "-o3"])? {
            return Ok(String::new());
        }
        Ok(process::run(&self.folder.join("pan"), &["-r"], self.folder, LIMIT)?.stdout)
    }

    /// Generates and compiles pan. False if SPIN or gcc refuses the model.
    fn build(&self, generate: &[&str]) -> io::Result<bool> {
        let mut arguments = generate.to_vec();
        arguments.push(&self.name);
        let spin = self.run("spin", &arguments)?;
        let gcc = self.run("gcc", &["-w", "-fwrapv", "-DSAFETY", "-DNOREDUCE", "-DNOCLAIM", "-o", "pan", "pan.c"])?;
        Ok(spin.ending.is_success() && gcc.ending.is_success())
    }

    /// homing plays a trail of pan. Returns what is wrong, if anything.
    fn take(&self, generate: &[&str]) -> io::Result<Option<String>> {
        let _ = fs::remove_file(self.folder.join(self.trail()));
        if !self.build(generate)? {
            return Ok(None); // SPIN refuses the model
        }
        let pan = process::run(&self.folder.join("pan"), &["-m1000000"], self.folder, LIMIT)?;
        let Some(report) = PanReport::parse(&pan.stdout) else { return Ok(None) };
        let Some(error) = report.messages.first() else { return Ok(None) };
        let Ok(text) = fs::read_to_string(self.folder.join(self.trail())) else { return Ok(None) };
        let (ending, replay, message) = self.homing(&["replay", &self.name, "--json"])?;
        if ending != Ending::Exit(1) {
            return Ok(Some(format!("{ending:?} {}", message.trim())));
        }
        let expected = match error.kind {
            ErrorKind::Assertion | ErrorKind::Trace => "assertion",
            ErrorKind::InvalidEndState => "invalid-end-state",
            ErrorKind::AcceptanceCycle => "acceptance-cycle",
            ErrorKind::NonProgressCycle => "non-progress-cycle",
            ErrorKind::ClaimEnd => "claim-end",
            ErrorKind::ArrayIndex | ErrorKind::Fatal => "runtime-error",
        };
        let kinds: Vec<&str> =
            replay["errors"].as_array().into_iter().flatten().filter_map(|error| error["kind"].as_str()).collect();
        if !kinds.contains(&expected) {
            return Ok(Some(format!("{expected} ({}), homing plays it to {kinds:?}", error.text)));
        }
        let lines = text.lines().filter(|line| !line.starts_with('-')).count() as u64;
        let length = replay["length"].as_u64().unwrap_or_default();
        if generate.contains(&"-o3") && length != lines && error.kind != ErrorKind::Trace {
            return Ok(Some(format!("{lines} lines, homing plays {length} statements")));
        }
        Ok(None)
    }
}

/// The values of global variables at the end of a replay.
fn globals(replay: &Value) -> BTreeMap<String, String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let list = replay["last"]["globals"].as_array().into_iter().flatten();
    list.map(|entry| (text(&entry["name"]), text(&entry["value"]))).collect()
}

/// The values of global variables that `pan -r` prints at the end: numbers, up to the first record.
fn globals_of_pan(output: &str) -> BTreeMap<String, String> {
    let lines = output.lines().skip_while(|line| !line.starts_with("global vars:")).skip(1);
    let lines = lines.take_while(|line| line.starts_with('\t') && !line.contains("(struct"));
    let valued = |line: &str| {
        let (kind, rest) = line.trim_start().split_once(' ')?;
        let (name, value) = rest.trim().split_once(":\t")?;
        (kind != "mtype" && kind != "chan").then(|| (name.trim().to_owned(), value.trim().to_owned()))
    };
    lines.filter_map(valued).collect()
}

/// A value that both print and on which they differ.
fn differing(homing: &BTreeMap<String, String>, spin: &BTreeMap<String, String>) -> Vec<String> {
    let both = spin.iter().filter_map(|(name, value)| Some((name, value, homing.get(name)?)));
    let differ = both.filter(|(_, spin, homing)| spin != homing);
    differ.map(|(name, spin, homing)| format!("{name} is {homing} at the end, in SPIN {spin}")).collect()
}

/// What `spin -t -p` prints.
#[derive(Debug, Default, PartialEq)]
struct Played {
    steps: Option<u64>,
    assertion: bool,
    /// A process is not in a valid end state.
    is_stuck: bool,
    complaints: Vec<String>,
}

impl Played {
    fn parse(output: &str) -> Played {
        let mut played = Played::default();
        for line in output.lines() {
            if let Some(rest) = line.strip_prefix("spin: trail ends after ") {
                played.steps = rest.split(' ').next().and_then(|steps| steps.parse().ok());
            } else if line.contains("Error: assertion violated") {
                played.assertion = true;
            // "transition failed" is not conclusive: SPIN's simulator evaluates `nfull` of a rendezvous channel
            // differently, also on pan's own trails
            } else if ["no matching stmnt", "invalid statement", "stop error", "(?)"]
                .iter()
                .any(|complaint| line.contains(complaint))
            {
                played.complaints.push(format!("SPIN says: {}", line.trim()));
            } else if played.steps.is_some() {
                played.is_stuck |= line.contains("\tproc") && !line.contains("<valid end state>");
            }
        }
        played
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_spin_plays() {
        let output = "  1:\tproc  0 (P:1) m.pml:3 (state 1)\t[c!1]\nspin: m.pml:3, Error: assertion violated\n  \
                      2:\tproc  0 (P:1) m.pml:3 (state 4)\t[assert((x<2))]\nspin: trail ends after 2 steps\n#processes: \
                      2\n\t\tx = 2\n  2:\tproc  1 (Q:1) m.pml:4 (state 3)\n  2:\tproc  0 (P:1) m.pml:3 (state 5) <valid \
                      end state>\n2 processes created\n";
        let played = Played::parse(output);
        assert_eq!((played.steps, played.assertion), (Some(2), true));
        assert!(played.is_stuck);
        assert!(Played::parse("  3: proc 4, no matching stmnt 9\n").complaints.len() == 1);
    }

    #[test]
    fn reads_what_pan_ends_with() {
        let output = "#processes 1:\nglobal vars:\n\tmtype  ack:\t1\n\tbit    a[1]:\t2\n\tint    n:\t-3\n\t(struct \
                      r)\n\tint    f:\t7\nlocal vars proc 0 (P):\n\tbyte   x:\t1\n";
        let expected = [("a[1]", "2"), ("n", "-3")].map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(globals_of_pan(output), BTreeMap::from(expected));
    }

    #[test]
    fn a_trail_without_switches_does_not_count() {
        assert_eq!(Switches { found: 0, shown: 0, simulated: true }.ratio(), None);
        assert_eq!(Switches { found: 4, shown: 1, simulated: true }.ratio(), Some(0.25));
    }
}
