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
    assert_eq!(
        text(&folder, 3, &["--search", "dfs", "--memory", "1M", "--quiet"]),
        "safety: UNKNOWN  the memory limit was reached\n"
    );
}

/// What a search has proved when a limit ends it: as much as it says, and no more.
#[test]
fn what_is_proved_at_a_limit() {
    let far = "byte x, y;\n\
               active proctype P() { do :: x < 40 -> x++ :: x == 40 -> assert(false) od }\n\
               active proctype Q() { do :: y < 250 -> y++ :: y == 250 -> y = 0 od }\n";
    let folder = model("proved_at_a_limit", far);
    let shortest = check(&folder, 1, &["--shortest"])["trail"]["length"].as_u64().expect("a length");
    let proved = |more: &[&str]| check(&folder, 3, more)["stats"]["proved_within"].as_u64();
    for engine in ["compiled", "interpreted"] {
        for threads in ["1", "2"] {
            let within = |limit| {
                let flags = ["--search", "bfs", "--plain", "--engine", engine, "--threads", threads];
                proved(&[&flags[..], &["--max-states", limit]].concat()).expect("a length")
            };
            let [few, more] = ["200", "900"].map(within);
            assert!(0 < few && few < more && more < shortest, "{few}, {more}, {shortest}");
        }
    }
    assert_eq!(proved(&["--search", "bfs", "--max-depth", "50", "--plain"]), Some(50));
    let all_but_one = (shortest - 1).to_string();
    assert_eq!(proved(&["--search", "bfs", "--max-depth", &all_but_one, "--plain"]), Some(shortest - 1));
    for nothing in
        [&["--search", "dfs"][..], &["--search", "bfs", "--store", "compact"], &["--search", "bfs", "--por", "on"]]
    {
        assert_eq!(proved(&[nothing, &["--max-states", "30"]].concat()), None, "{nothing:?}");
    }
    let shown = text(&folder, 3, &["--search", "bfs", "--max-depth", "50", "--plain"]);
    assert!(shown.starts_with("safety: UNKNOWN  no error within 50 statements, but longer paths"), "{shown}");
    assert!(shown.contains("try: the same with --max-depth 100"), "{shown}");
    let found = check(&folder, 1, &["--search", "bfs"]);
    assert!(found["stats"]["proved_within"].is_null(), "{found}");
}

/// A step that was not followed to its end may hide an error: nothing is proved beyond it.
#[test]
fn nothing_is_proved_behind_a_step_that_was_cut_off() {
    let text = "int x; byte y; active proctype P() { do :: y < 3 -> y++ :: y == 3 -> d_step { do :: x < 90000000 -> x++ :: else -> break od }; assert(false) od }";
    let folder = model("proved_and_cut_off", text);
    let result = check(&folder, 3, &["--search", "bfs", "--engine", "interpreted"]);
    assert_eq!(result["reason"], "incomplete-search", "{result}");
    assert!(result["stats"]["proved_within"].as_u64().is_none_or(|within| within <= 7), "{result}");
}

/// What is advised at a limit is a command that is accepted.
#[test]
fn the_commands_to_try_are_accepted() {
    let folder = model("commands_to_try", ENDLESS)
        .file("l.pml", format!("{ENDLESS}ltl live {{ [] <> (x == 1 || y < 99999) }}\n"));
    let mut tried = std::collections::BTreeSet::new();
    for (limit, small) in [("--memory", "1M"), ("--max-states", "500"), ("--max-depth", "9"), ("--timeout", "50ms")] {
        for given in [
            &["m.pml"][..],
            &["m.pml", "--search", "bfs"],
            &["m.pml", "--search", "best-first"],
            &["m.pml", "--store", "bitstate"],
            &["m.pml", "--search", "dfs", "--store", "bitstate"],
            &["m.pml", "--store", "compact", "--property", "safety"],
            &["m.pml", "--search", "beam"],
            &["l.pml", "--property", "live"],
        ] {
            let ran = folder.homing(&[&["check"], given, &[limit, small]].concat());
            assert!(matches!(ran.code, Some(0 | 3)), "{given:?}: {ran:?}");
            for line in ran
                .stdout
                .lines()
                .filter_map(|line| line.trim_start().trim_start_matches("try: ").strip_prefix("homing "))
            {
                tried.insert(line.split("  ").next().expect("a command").to_owned());
            }
        }
    }
    assert!(tried.len() >= 6, "{tried:?}");
    for command in &tried {
        let arguments: Vec<&str> = command.split(' ').filter(|word| *word != "1m" && *word != "--timeout").collect();
        let limited = [&arguments[..], &["--timeout", "50ms"]].concat();
        assert!(matches!(folder.homing(&limited).code, Some(0 | 1 | 3)), "{command}");
    }
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
