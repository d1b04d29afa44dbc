//! Models that were decided wrongly or not at all, each with the right answer in its header.
//!
//! The models are in `tests/soundness`. The first lines of each are comments, two of which are read:
//!
//! ```text
//! // expect: holds
//! // expect: violated assertion
//! // expect: violated assertion length=6
//! // expect: holds states=4
//! // expect: unknown incomplete-search
//! // options: --timeout 300ms
//! // property: query:E<> P.D
//! ```
//!
//! After `violated` stands the kind of the error, after `unknown` the reason, as in the JSON output. `length` is that of a shortest
//! path to an error: where one is claimed to be shortest it has this length, and none is shorter. `states` is their number in the
//! run `--search bfs`, with reductions. `property` is that of a network of automata (`.xta`). `options` come after those of each run in [`RUNS`]; with `--timeout` among them every run has to end long before it would without.

mod program;

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use program::Folder;
use serde_json::Value;

/// The options that every model is checked with.
const RUNS: &[&[&str]] = &[
    &[],
    &["--plain"],
    &["--engine", "interpreted"],
    &["--plain", "--engine", "interpreted"],
    &["--threads", "2"],
    &["--search", "bfs"],
    &["--search", "bfs", "--plain", "--store", "exact"],
    &["--search", "dfs"],
    &["--search", "dfs", "--plain", "--shortest"],
    &["--search", "best-first", "--plain"],
    &["--search", "astar"],
    &["--search", "ida", "--plain"],
    &["--por", "on"],
    &["--por", "on", "--search", "bfs", "--shortest"], // the first error found need not be the nearest
    &["--por", "on", "--search", "astar"],
    &["--por", "on", "--search", "dfs", "--engine", "interpreted"],
];

/// More options for models without long steps, for errors of processes: an abstraction takes some time to be prepared, or proves at once
/// what a search takes long for.
const BY_ABSTRACTION: &[&[&str]] = &[
    &["--search", "astar", "--heuristic", "abstraction"],
    &["--search", "best-first", "--heuristic", "abstraction", "--plain"],
];

/// A run that is given a fraction of a second has to end within this time. Machines are busy; without the limit it would take
/// minutes.
const SOON: Duration = Duration::from_secs(10);

/// A model with the right answer.
struct Expected {
    name: String,
    text: String,
    verdict: String,
    /// The kind of the error, or the reason why there is no verdict.
    what: Option<String>,
    length: Option<u64>,
    states: Option<u64>,
    options: Vec<String>,
    property: Option<String>,
    /// The name that the model is given, for its extension.
    file: &'static str,
}

impl Expected {
    fn read(path: &std::path::Path) -> Self {
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        let text = fs::read_to_string(path).expect("a model");
        let line = |key: &str| text.lines().find_map(|line| line.strip_prefix(&format!("// {key}: ")));
        let words = |key: &str| line(key).unwrap_or_default().split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let mut expected = words("expect").into_iter();
        let verdict = expected.next().unwrap_or_else(|| panic!("{name} has no line `// expect: `"));
        let (mut what, mut length, mut states) = (None, None, None);
        for word in expected {
            match word.split_once('=') {
                Some(("length", number)) => length = Some(number.parse().expect("a number")),
                Some(("states", number)) => states = Some(number.parse().expect("a number")),
                _ => what = Some(word),
            }
        }
        let property = line("property").map(str::to_owned);
        let file = if path.extension().is_some_and(|extension| extension == "xta") { "m.xta" } else { "m.pml" };
        Expected { verdict, what, length, states, options: words("options"), property, file, name, text }
    }

    /// What is wrong with the answers to a run.
    fn compare(&self, run: &[&str]) -> Option<String> {
        let folder = Folder::new(&format!("soundness-{}-{}", self.name, run.concat())).file(self.file, &self.text);
        let property = self.property.iter().flat_map(|property| ["--property", property.as_str()]);
        let options = self.options.iter().map(String::as_str).chain(property);
        let always = ["check", "--json", "--confirm=never"]; // the second proof would hide what the first one misses
        let arguments: Vec<&str> = always.into_iter().chain(run.iter().copied()).chain(options).collect();
        let start = Instant::now();
        let ran = folder.homing(&[&arguments[..], &[self.file]].concat());
        let took = start.elapsed();
        let wrong = |what: String| Some(format!("{} {run:?}: {what}\n{}{}", self.name, ran.stdout, ran.stderr));
        if self.options.iter().any(|option| option == "--timeout") && took > SOON {
            return wrong(format!("it took {took:?}"));
        }
        if ran.code.is_none_or(|code| code == 4 || code > 100) {
            return wrong(format!("it ended with {:?}", ran.code));
        }
        let results = ran.results();
        let [result] = &results[..] else { return wrong("one result was expected".to_owned()) };
        let what = match &self.verdict[..] {
            "violated" => &result["error"]["kind"],
            _ => &result["reason"],
        };
        let is_as_expected = result["verdict"] == self.verdict[..] && what.as_str() == self.what.as_deref();
        if !is_as_expected {
            return wrong(format!("expected {} {:?}", self.verdict, self.what));
        }
        let states = result["stats"]["states"].as_u64();
        if run == ["--search", "bfs"] && self.states.is_some_and(|right| states != Some(right)) {
            return wrong(format!("{states:?} states, {:?} were expected", self.states));
        }
        let length = result["trail"]["length"].as_u64();
        let is_shortest = result["trail"]["shortest"] == Value::Bool(true);
        match (self.length, length) {
            (Some(right), Some(length)) if length < right || is_shortest && length > right => {
                wrong(format!("{length} statements, shortest: {is_shortest}; {right} were expected"))
            }
            _ => None,
        }
    }
}

/// Models whose steps are long or whose limits are hit: each takes a while.
const LONG: [&str; 3] = ["endless-", "long-", "timeout-"];

/// The names of models with a formula begin with this.
const OF_FORMULAS: &str = "proposition-";

#[test]
fn every_run_gives_the_right_answer() {
    let is_long = |name: &str| LONG.iter().any(|prefix| name.starts_with(prefix));
    compare_models(RUNS, |name| !is_long(name));
    compare_models(BY_ABSTRACTION, |name| !is_long(name) && !name.starts_with(OF_FORMULAS));
}

#[test]
fn long_steps_are_cut_off_and_limits_are_kept() {
    compare_models(RUNS, |name| LONG.iter().any(|prefix| name.starts_with(prefix)));
}

fn compare_models(runs: &[&[&str]], is_asked: impl Fn(&str) -> bool) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/soundness");
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).expect("models").map(|entry| entry.expect("a file").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "pml" || extension == "xta"));
    paths.sort();
    let models = paths.iter().map(|path| Expected::read(path));
    let models: Vec<Expected> = models.filter(|model| is_asked(&model.name)).collect();
    assert!(!models.is_empty());
    let wrong: Vec<String> = models.iter().flat_map(|model| runs.iter().filter_map(|run| model.compare(run))).collect();
    assert!(wrong.is_empty(), "{} wrong answers:\n{}", wrong.len(), wrong.join("\n"));
}

/// The reason is reported in words, with the place.
#[test]
fn a_run_that_was_cut_off_is_named() {
    let model = "int x;\ninit {\n  d_step { do :: x < 6000000 -> x++ :: else -> break od }\n}\n";
    let folder = Folder::new("soundness-cut-off").file("m.pml", model);
    let ran = folder.homing(&["check", "--search", "dfs", "m.pml"]).ends_with(3);
    assert!(
        ran.stdout.contains("incomplete: a d_step runs for more than 10000000 statements (m.pml:3)"),
        "{}",
        ran.stdout
    );
    let model = "int x;\ninit {\n  atomic { do :: x < 600000 -> x++ :: else -> break od }\n}\n";
    let folder = Folder::new("soundness-cut-off-atomic").file("m.pml", model);
    let ran = folder.homing(&["check", "--plain", "--search", "bfs", "m.pml"]).ends_with(3);
    let words = "incomplete: an atomic sequence runs for more than 1000000 statements (m.pml:3)";
    assert!(ran.stdout.contains(words), "{}", ran.stdout);
}

/// SIGTERM and SIGHUP are honoured like Ctrl-C, in the middle of a step that takes minutes.
#[cfg(unix)]
#[test]
fn a_signal_ends_a_long_step() {
    use rustix::process::{Pid, Signal, kill_process};

    let model = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/soundness/timeout-many-runs.pml"));
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let folder = Folder::new(&format!("soundness-signal-{}", signal.as_raw()))
            .file("m.pml", model.as_ref().expect("a model"));
        let mut command = folder.command(&["check", "--json", "m.pml"]);
        let child = command.stdout(std::process::Stdio::piped()).spawn().expect("homing starts");
        std::thread::sleep(Duration::from_millis(500));
        kill_process(Pid::from_child(&child), signal).expect("it runs");
        let start = Instant::now();
        let ran = program::Ran::of(child.wait_with_output().expect("homing ends")).ends_with(130);
        assert_eq!(ran.results()[0]["reason"], "interrupted");
        assert!(start.elapsed() < SOON);
    }
}
