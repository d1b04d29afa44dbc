//! Limits and interrupts of `homing check`: the verdict is unknown, with the reason, and errors found in time are reported.

mod program;

use std::io::Read;
use std::process::Stdio;
use std::time::{Duration, Instant};

use program::{Folder, Ran};
use serde_json::{Value, json};

/// 2^24 states and more: no test waits for the end.
const ENDLESS: &str = "\
int x, y;
active proctype P() { do :: x++ :: y++ :: x < 0 && y < 0 -> break od }
";

const DETOUR: &str = "\
byte x;
active proctype P() {
	do
	:: x < 9 -> x++
	:: x == 2 -> assert(false)
	:: x == 9 -> assert(x == 0); x = 0
	od
}
";

fn model(test: &str, text: &str) -> Folder {
    Folder::new(test).file("m.pml", text)
}

/// The one result of `homing check m.pml --json` with further arguments.
#[track_caller]
fn check(folder: &Folder, code: i32, arguments: &[&str]) -> Value {
    let all = [&["check", "m.pml", "--json"], arguments].concat();
    let ran = folder.homing(&all).ends_with(code);
    let results = ran.results();
    assert_eq!(results.len(), 1, "{}", ran.stdout);
    results[0].clone()
}

#[track_caller]
fn text(folder: &Folder, code: i32, arguments: &[&str]) -> String {
    folder.homing(&[&["check", "m.pml"], arguments].concat()).ends_with(code).stdout
}

#[test]
fn a_limit_leaves_the_verdict_open() {
    let folder = model("a_limit_leaves_the_verdict_open", ENDLESS);
    for search in ["bfs", "dfs"] {
        for (limit, value, reason) in [
            ("--max-states", "1000", "states"),
            ("--max-depth", "10", "depth"),
            ("--memory", "1M", "memory"),
            ("--timeout", "0s", "timeout"),
            ("--timeout", "100ms", "timeout"),
        ] {
            let result = check(&folder, 3, &["--search", search, limit, value]);
            assert_eq!(result["verdict"], "unknown", "{search} {limit}");
            assert_eq!(result["reason"], reason, "{search} {limit}");
            assert_eq!(result["unreached"], Value::Null, "{search} {limit}");
            assert_eq!(result["trail"], Value::Null, "{search} {limit}");
        }
    }
    assert_eq!(check(&folder, 3, &["--max-states", "1000"])["stats"]["states"], 1000);
    for (search, slack) in [("bfs", 1000), ("dfs", 1000), ("auto", 4000)] {
        let result = check(&folder, 3, &["--search", search, "--memory", "1M"]);
        let memory = result["stats"]["memory_bytes"].as_u64().expect("a number");
        assert!(memory > 100_000 && memory < (1 << 20) + slack, "{search}: {memory}");
    }
    assert!(text(&folder, 3, &["--memory", "1M", "--quiet"]).contains("try a larger --memory"));
}

#[test]
fn an_error_within_the_limits_is_still_an_error() {
    let folder = model("an_error_within_the_limits", DETOUR);
    assert_eq!(check(&folder, 1, &["--max-depth", "6"])["trail"]["length"], 6);
    assert_eq!(check(&folder, 3, &["--max-depth", "5"])["reason"], "depth");
    assert_eq!(check(&folder, 1, &["--search", "dfs", "--max-depth", "6"])["trail"]["length"], 6);
}

#[cfg(unix)]
#[test]
fn the_interrupt_key_ends_in_a_partial_result() {
    let folder = model("the_interrupt_key", ENDLESS);
    let mut child = folder
        .command(&["check", "m.pml", "--json", "--progress", "always"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("homing starts");
    let mut first = [0; 1]; // a line of progress shows that the search is running
    child.stderr.as_mut().expect("a pipe").read_exact(&mut first).expect("progress");
    let status = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(status.success());
    let asked = Instant::now();
    let ran = Ran::of(child.wait_with_output().expect("homing ends")).ends_with(130);
    assert!(asked.elapsed() < Duration::from_secs(20));
    let result = &ran.results()[0];
    assert_eq!((&result["verdict"], &result["reason"]), (&json!("unknown"), &json!("interrupted")));
    assert!(result["stats"]["states"].as_u64().expect("a number") > 0);
    assert!(ran.stderr.contains("states, "), "{}", ran.stderr);
}

/// A proof of shortness that takes far longer than its time: the path is reported, and why it is not proved.
#[test]
fn a_proof_of_shortness_that_ends_early_says_so() {
    let dining = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/dining.pml");
    let folder = Folder::new("limits-proof");
    let flags = ["--property", "deadlock", "-DN=20", "--shortest", "--timeout", "500ms", "--json", "--trail", "t"];
    let result = folder.homing(&[&["check", dining], &flags[..]].concat()).ends_with(1).results().remove(0);
    assert_eq!((&result["verdict"], &result["trail"]["shortest"]), (&json!("violated"), &json!(false)), "{result}");
    let expected = json!(["the time limit was reached before the path was proved shortest"]);
    assert_eq!(result["warnings"], expected, "{result}");
}
