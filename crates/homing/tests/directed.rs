//! Directed searches and their comparison, as a user runs them.

mod program;

use std::path::Path;

use program::Folder;
use serde_json::Value;

/// Philosophers who take the right fork first: they can all starve.
const DINING: &str = "\
#ifndef N
#define N 5
#endif
bit forks[N];
active [N] proctype Phil() {
	do
	:: atomic { !forks[_pid] -> forks[_pid] = 1 };
	   atomic { !forks[(_pid + 1) % N] -> forks[(_pid + 1) % N] = 1 };
	   forks[_pid] = 0; forks[(_pid + 1) % N] = 0
	od
}
";

/// A counter that two processes increase, and an assertion that it is not 7.
const COUNTER: &str = "\
byte x;
active [2] proctype Up() { do :: x < 20 -> x++ :: x > 0 -> x-- od }
active proctype Watch() { x == 7 -> assert(x != 7) }
";

const RIGHT: &str = "byte x;\nactive [2] proctype P() { do :: x < 100 -> x++ :: x = 0 od }\n";

fn model(test: &str, text: &str) -> Folder {
    Folder::new(&format!("directed_{test}")).file("m.pml", text)
}

fn check(folder: &Folder, flags: &[&str], code: i32) -> Value {
    let command = [&["check", "m.pml", "--json"], flags].concat();
    folder.homing(&command).ends_with(code).results()[0].clone()
}

#[test]
fn every_search_finds_the_deadlock_and_its_trail_replays() {
    let folder = model("deadlock", DINING);
    let shortest = check(&folder, &["--search", "bfs"], 1)["trail"]["length"].clone();
    for flags in [
        &["--search", "best-first", "--heuristic", "active"][..],
        &["--search", "best-first", "--heuristic", "deadlock"],
        &["--search", "best-first", "--heuristic", "messages"],
        &["--search", "astar", "--heuristic", "active"],
        &["--search", "astar", "--heuristic", "fsm-sum", "--weight", "3"],
        &["--search", "astar", "--heuristic", "formula", "--combine", "max"],
        &["--search", "ida", "--heuristic", "formula", "--combine", "max"],
        &["--search", "ida", "--store", "bitstate", "--bits", "1M"],
        &["--search", "dfs", "--shortest"],
        &["--search", "stateless", "--max-depth", "40"],
        &["--search", "auto"],
    ] {
        let result = check(&folder, flags, 1);
        assert_eq!(result["error"]["kind"], "invalid-end-state", "{flags:?}");
        if result["trail"]["shortest"] == true {
            assert_eq!(result["trail"]["length"], shortest, "{flags:?}");
        }
        folder.homing(&["replay", "m.pml"]).ends_with(1);
    }
    for flags in
        [&["--search", "auto"][..], &["--search", "dfs", "--shortest"], &["--search", "astar", "--heuristic", "none"]]
    {
        assert_eq!(check(&folder, flags, 1)["trail"]["shortest"], true, "{flags:?}");
    }
}

#[test]
fn the_active_processes_lead_straight_to_a_deadlock() {
    let folder = model("straight", DINING);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/dining.pml");
    let expanded = |model: &str, size: &str| {
        let command =
            ["check", model, size, "--search", "astar", "--heuristic", "active", "--property", "deadlock", "--json"];
        let more = ["--por", "off", "--trail", "t.trail"];
        let result = folder.homing(&[&command[..], &more].concat()).ends_with(1).results()[0].clone();
        assert_eq!(result["search"]["heuristic"], "active");
        result["stats"]["first_error"]["expanded"].as_u64().expect("a number")
    };
    // the paper has 6, 7, 9, 17, 29 and 33 (HSF-SPIN, table 7)
    let dining = path.to_string_lossy();
    let sizes = ["-DN=2", "-DN=3", "-DN=4", "-DN=8", "-DN=14", "-DN=16", "-DN=100"];
    assert_eq!(sizes.map(|size| expanded(&dining, size)), [4, 7, 9, 17, 29, 33, 201]);
    assert!(expanded("m.pml", "-DN=10") < 100);
}

#[test]
fn a_formula_leads_to_a_failing_assertion() {
    let folder = model("formula", COUNTER);
    let blind = check(&folder, &["--search", "bfs", "--property", "assertions"], 1);
    let flags = ["--search", "astar", "--heuristic", "formula", "--combine", "max", "--property", "assertions"];
    let directed = check(&folder, &flags, 1);
    assert_eq!(blind["trail"]["length"], directed["trail"]["length"]);
    assert_eq!(directed["trail"]["shortest"], true);
    assert!(
        directed["stats"]["first_error"]["expanded"].as_u64() <= blind["stats"]["first_error"]["expanded"].as_u64()
    );
}

/// Whether some receive of the model has a computed index, and some channel is a rendezvous channel, says nothing of the others.
#[test]
fn a_channel_beside_does_not_make_every_estimate_one() {
    let text = "chan z = [0] of { byte };
        chan c[2] = [1] of { byte };
        active [2] proctype R() { byte me = _pid; do :: c[me]?_ od }
        active proctype P() { c[0]!1; c[0]!2; c[1]!1; c[1]!2; goal: skip }";
    let folder = model("beside", text);
    for (search, combine) in [("astar", "max"), ("astar", "sum"), ("best-first", "sum")] {
        let flags = ["check", "m.pml", "--search", search, "--heuristic", "formula", "--combine", combine];
        let said = folder.homing(&[&flags[..], &["--property", "invariant: !P[2]@goal"]].concat()).ends_with(1).stdout;
        assert!(said.contains("(initial estimate 4)"), "{search}, {combine}: {said}");
    }
}

/// A run-time error violates every property. A search that promises nothing does not look for it where another error is reachable.
#[test]
fn run_time_errors_do_not_mislead_a_search_that_promises_nothing() {
    let text = "byte a[2], x; active proctype P() { byte i; do :: i < 250 -> i++ :: a[i % 200] = 1 od }
        active proctype Q() { do :: atomic { x < 90 -> x++ } od }";
    let folder = model("mislead", text);
    let expanded = |search: &str, property: &str| {
        let flags = ["--search", search, "--heuristic", "formula", "--por", "off", "--property", property];
        let result = check(&folder, &flags, 1);
        let kind = result["error"]["kind"].as_str().expect("a kind").to_owned();
        (kind, result["stats"]["first_error"]["expanded"].as_u64().expect("a number"))
    };
    let (kind, expanded_by_it) = expanded("best-first", "invariant: x < 80");
    assert!(kind == "invariant" && expanded_by_it < 100, "{kind} {expanded_by_it}");
    // it is found where there is nothing else
    assert_eq!(expanded("best-first", "invariant: x < 91").0, "runtime-error");
    assert_eq!(expanded("auto", "invariant: x < 91").0, "runtime-error");
}

/// What is done for a readable path is shown apart, and is no more than a share of the search.
#[test]
fn the_search_for_the_fewest_switches_has_a_budget() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/pots.pml");
    let folder = model("budget", &std::fs::read_to_string(path).expect("a model"));
    let flags = ["--search", "astar", "--heuristic", "formula", "--combine", "max", "--por", "off"];
    let result = check(&folder, &[&flags[..], &["--property", "invariant: consistent"]].concat(), 1);
    let stats = &result["stats"];
    let number = |value: &Value| value.as_u64().expect("a number");
    let (all, first) = (number(&stats["expanded"]), number(&stats["first_error"]["expanded"]));
    let switches = number(&stats["fewest_switches"]["expanded"]);
    assert!(first > 4096 && switches > 0 && switches <= first / 2, "{stats}");
    // the proof that the path is shortest, where lengths are exact, is directed by the same estimate
    assert!(all - first - switches < 3 * first, "{stats}");
}

#[test]
fn a_trail_leads_to_where_another_one_ended() {
    let folder = model("toward", COUNTER);
    let first = check(&folder, &["--search", "dfs"], 1);
    for heuristic in ["trail", "hamming"] {
        folder.homing(&["check", "m.pml", "--search", "dfs"]).ends_with(1);
        let result = check(&folder, &["--search", "best-first", "--heuristic", heuristic, "--trail", "new.trail"], 1);
        assert!(result["trail"]["length"].as_u64() <= first["trail"]["length"].as_u64(), "{result}");
    }
    let ran = folder.homing(&["check", "m.pml", "--search", "astar", "--heuristic", "trail", "--toward", "no.trail"]);
    assert!(ran.ends_with(2).stderr.contains("no.trail"));
}

#[test]
fn every_complete_search_proves_that_there_is_no_error() {
    let folder = model("holds", RIGHT);
    let states = check(&folder, &["--search", "bfs"], 0)["stats"]["states"].clone();
    for flags in [
        &["--search", "auto"][..],
        &["--search", "astar", "--heuristic", "none"],
        &["--search", "ida", "--heuristic", "none"],
    ] {
        assert_eq!(check(&folder, flags, 0)["stats"]["states"], states, "{flags:?}");
    }
    let unknown = check(&folder, &["--search", "ida", "--store", "bitstate", "--bits", "1M"], 3);
    assert_eq!(unknown["reason"], "lossy-store");
    let cut = check(&folder, &["--search", "stateless", "--max-depth", "5"], 3);
    assert_eq!(cut["reason"], "depth");
}

#[test]
fn what_is_said_of_the_store_is_of_the_search_that_decided() {
    for (text, code, algorithm) in [(RIGHT, 0, "astar"), (DINING, 1, "best-first")] {
        let result = check(&model("store", text), &[], code);
        let search = &result["search"];
        assert_eq!((&search["algorithm"], &search["store"]), (&algorithm.into(), &"exact".into()));
        assert!(result["stats"]["state_bytes"].as_u64() > Some(0), "{result}");
        assert!(result["stats"]["stored_bytes_per_state"].as_f64() > Some(1.0), "{result}");
    }
    // a lossy store proves nothing, also in a portfolio
    for store in ["compact", "bitstate"] {
        assert_eq!(check(&model("lossy", RIGHT), &["--store", store], 3)["reason"], "lossy-store");
    }
}

#[test]
fn a_small_model_reports_unreached_statements_by_default() {
    let folder = model("unreached", "active proctype P() { bool b; if :: b -> b = 0; skip :: !b fi }");
    let result = check(&folder, &[], 0);
    assert_eq!(result["unreached"][0]["line"], 1);
}

#[test]
fn what_does_not_go_together_is_refused() {
    let folder = model("refused", DINING);
    for (flags, reason) in [
        (
            &["--search", "bfs", "--heuristic", "active"][..],
            "--heuristic active has no effect with --search bfs; it applies to best-first, astar, ida, beam and auto",
        ),
        (&["--search", "astar", "--threads", "2"], "--threads 2 is not supported by --search astar"),
        (&["--search", "astar", "--store", "bitstate"], "--store bitstate gives states no ids"),
        (&["--search", "stateless", "--store", "tree"], "stores no states"),
        (&["--search", "astar", "--weight=-1"], "0 to 1000000"),
        (
            &["--search", "best-first", "--weight", "2"],
            "--weight has no effect with --search best-first; it applies to astar and ida",
        ),
        (
            &["--search", "astar", "--heuristic", "active", "--combine", "max"],
            "--combine has no effect with --heuristic active;",
        ),
        (&["--search", "bfs", "--combine", "max"], "--combine has no effect with --search bfs;"),
        (&["--toward", "m.trail"], "--toward has no effect with --heuristic auto;"),
        (&["--search", "astar", "--heuristic", "activ"], "active"),
        (
            &["--search", "astar", "--heuristic", "deadlock", "--property", "assertions"],
            "invalid end states are not looked for",
        ),
    ] {
        let command = [&["check", "m.pml"], flags].concat();
        let ran = folder.homing(&command).ends_with(2);
        assert!(ran.stderr.contains(reason), "{flags:?}: {}", ran.stderr);
    }
}

#[test]
fn compare_has_a_row_for_each_search_and_estimate() {
    let folder = model("compare", DINING);
    let table = folder.homing(&["compare", "m.pml", "--property", "deadlock"]).ends_with(1).stdout;
    let lines: Vec<&str> = table.lines().collect();
    assert!(lines[0].starts_with("search      heuristic  verdict"), "{table}");
    for (at, search) in [(1, "auto "), (2, "dfs "), (3, "bfs "), (5, "astar ")] {
        assert!(lines[at].starts_with(search), "{table}");
    }
    let command = ["compare", "m.pml", "--search", "bfs,astar", "--heuristic", "active,formula", "--json"];
    let document: Value = serde_json::from_str(&folder.homing(&command).ends_with(1).stdout).expect("JSON");
    let runs = document["runs"].as_array().expect("a list");
    let named = |run: &Value| (run["search"].clone(), run["heuristic"].clone());
    let expected = [("bfs", None), ("astar", Some("active")), ("astar", Some("formula"))];
    assert!(
        runs.iter().map(named).eq(expected.map(|(search, heuristic)| (search.into(), heuristic.into()))),
        "{document}"
    );
    let markdown = folder.homing(&["compare", "m.pml", "--markdown"]).ends_with(1).stdout;
    assert!(markdown.starts_with("| search "), "{markdown}");
    let limited = folder.homing(&["compare", "m.pml", "-DN=14", "--search", "dfs", "--max-states", "10"]).ends_with(3);
    assert!(limited.stdout.contains("unknown (states)"), "{}", limited.stdout);
    let cycles = ["compare", "m.pml", "--property", "progress", "--search", "scc,ndfs,indfs"];
    let cycles = folder.homing(&cycles).ends_with(1).stdout;
    assert!(cycles.contains("scc") && cycles.contains("indfs"), "{cycles}");
}
