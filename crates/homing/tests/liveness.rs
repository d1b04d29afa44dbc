//! Properties of infinite runs of small models, each with the right answer in its header.
//!
//! The models are in `tests/liveness`. Their first lines say what is expected of a property, perhaps with options:
//!
//! ```text
//! // expect live: violated acceptance-cycle length=14
//! // expect live --fairness weak: holds
//! ```
//!
//! `length` is that of a shortest run: where one is claimed to be shortest it has this length, and none is shorter. With
//! `--shortest` it is proved. Every lasso is replayed by homing and by SPIN.

mod program;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use program::Folder;
use serde_json::Value;

/// The options that every property is checked with.
const RUNS: &[&[&str]] = &[
    &[],
    &["--shortest"],
    &["--plain"],
    &["--engine", "interpreted"],
    &["--store", "exact"],
    &["--search", "scc"],
    &["--search", "ndfs"],
    &["--search", "indfs"],
    &["--search", "astar-indfs"],
    &["--search", "astar-indfs", "--heuristic", "none", "--plain"],
    &["--search", "astar", "--combine", "max"],
    &["--search", "best-first"],
    &["--search", "bfs"],
    &["--search", "ndfs", "--plain"],
    &["--threads", "2"],
    &["--store", "tree"],
    &["--por", "on", "--confirm=never"],
    &["--por", "on", "--confirm=never", "--search", "bfs"],
    &["--por", "on", "--confirm=never", "--search", "ndfs"],
    &["--por", "on", "--confirm=never", "--search", "scc", "--threads", "2"],
    &["--por", "off"],
];

struct Expected {
    property: String,
    options: Vec<String>,
    verdict: String,
    kind: Option<String>,
    length: Option<u64>,
}

impl Expected {
    fn read(line: &str) -> Option<Self> {
        let (asked, answer) = line.strip_prefix("// expect ")?.split_once(": ")?;
        let mut asked = asked.split_whitespace().map(str::to_owned);
        let mut answer = answer.split_whitespace();
        let (property, verdict) = (asked.next()?, answer.next()?.to_owned());
        let (mut kind, mut length) = (None, None);
        for word in answer {
            match word.strip_prefix("length=") {
                Some(number) => length = Some(number.parse().expect("a number")),
                None => kind = Some(word.to_owned()),
            }
        }
        Some(Expected { property, options: asked.collect(), verdict, kind, length })
    }

    /// What is wrong with the answer to a run.
    fn compare(&self, folder: &Folder, run: &[&str]) -> Result<(), String> {
        let options = self.options.iter().map(String::as_str);
        let always = ["check", "m.pml", "--json", "--property", &self.property];
        let arguments: Vec<&str> = always.into_iter().chain(run.iter().copied()).chain(options).collect();
        let ran = folder.homing(&arguments);
        let wrong = |what: String| Err(format!("{arguments:?}: {what}\n{}{}", ran.stdout, ran.stderr));
        if ran.code == Some(2) && ran.stderr.contains("does not apply to") {
            return Ok(()); // tests/searches.rs says which
        }
        if ran.code.is_none_or(|code| code == 4 || code > 100) {
            return wrong(format!("it ended with {:?}", ran.code));
        }
        let results = ran.results();
        let [result] = &results[..] else { return wrong("one result was expected".to_owned()) };
        if result["verdict"] != self.verdict[..] || result["error"]["kind"].as_str() != self.kind.as_deref() {
            return wrong(format!("expected {} {:?}", self.verdict, self.kind));
        }
        let (length, is_shortest) =
            (result["trail"]["length"].as_u64(), result["trail"]["shortest"] == Value::Bool(true));
        if let (Some(right), Some(length)) = (self.length, length) {
            let has_to_be = run == ["--shortest"] && !self.options.contains(&"strong".to_owned());
            if length < right || (is_shortest || has_to_be) && length > right {
                return wrong(format!("{length} statements, shortest: {is_shortest}; {right} were expected"));
            }
            if has_to_be && !is_shortest {
                return wrong("it is not proved shortest".to_owned());
            }
        }
        if self.verdict == "violated" && self.kind.as_deref() != Some("runtime-error") {
            let replayed = folder.homing(&["replay", "m.pml"]);
            if replayed.code != Some(1) {
                return wrong(format!("homing does not replay it: {}{}", replayed.stdout, replayed.stderr));
            }
            let played = Command::new("spin").args(["-t", "-p", "m.pml"]).current_dir(&folder.path).output();
            let played = played.expect("spin is installed");
            let played = String::from_utf8_lossy(&[played.stdout, played.stderr].concat()).into_owned();
            let has_cycle = !result["trail"]["cycle_start"].is_null();
            if has_cycle != played.contains("START OF CYCLE") || played.contains("couldn't find claim") {
                return wrong(format!("SPIN does not replay it:\n{played}"));
            }
        }
        Ok(())
    }
}

#[test]
fn every_run_gives_the_right_answer() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/liveness");
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).expect("models").map(|entry| entry.expect("a file").path()).collect();
    paths.sort();
    let (mut wrong, mut asked) = (Vec::new(), 0);
    for path in paths {
        let (name, text) =
            (path.file_stem().expect("a name").to_string_lossy(), fs::read_to_string(&path).expect("text"));
        for (number, expected) in text.lines().filter_map(Expected::read).enumerate() {
            for run in RUNS {
                asked += 1;
                let folder = Folder::new(&format!("liveness-{name}-{number}-{}", run.concat())).file("m.pml", &text);
                wrong.extend(expected.compare(&folder, run).err().map(|what| format!("{name}: {what}")));
            }
        }
    }
    assert!(asked > 200, "{asked}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
