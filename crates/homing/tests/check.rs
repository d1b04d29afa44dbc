//! `homing check` on models: verdicts, paths, figures. The figures are those of SPIN 6.5.2 (`spin -a -o1 -o2 -o3`,
//! `pan -DNOREDUCE`, with -c0 where all errors are counted; lengths of shortest paths from `pan -i -DREACH`).

mod program;

use std::process::Stdio;

use program::{Folder, Ran};
use serde_json::{Value, json};

const THREE: &str = "active [3] proctype A() { skip }\n";

const COUNTER: &str = "\
byte x;
active proctype Up() {
	do
	:: x < 5 -> x = x + 1
	:: x == 5 -> break
	od;
	assert(x != 5)
}
active proctype Down() {
	end: do
	:: x > 2 -> x = x - 1
	od
}
";

const FORKS: &str = "\
bool fork[2];
proctype Phil(byte left; byte right) {
	do
	:: atomic { !fork[left] -> fork[left] = true };
	   atomic { !fork[right] -> fork[right] = true };
	   fork[right] = false;
	   fork[left] = false
	od
}
init { atomic { run Phil(0, 1); run Phil(1, 0) } }
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

const INDEX: &str = "\
byte a[2];
byte i;
active proctype P() { i = 2; a[i] = 1 }
";

const UNREACHED: &str = "\
byte x;
active proctype P() {
	if
	:: x == 0 -> x = 1
	:: x == 7 -> x = 2
	fi
}
init { (x == 9); skip; end: false }
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
fn full_searches_count_as_spin_does() {
    for (name, text, code, states, matched, errors) in [
        ("three", THREE, 0, 15, 10, 0),
        ("counter", COUNTER, 1, 30, 16, 2),
        ("forks", FORKS, 1, 11, 5, 1),
        ("detour", DETOUR, 1, 22, 2, 2),
    ] {
        let folder = model(&format!("full_{name}"), text);
        for search in ["dfs", "bfs"] {
            let result = check(&folder, code, &["--plain", "--search", search, "--all-errors"]);
            let stats = &result["stats"];
            assert_eq!(stats["states"], states, "{name}, {search}");
            assert_eq!(stats["matched"], matched, "{name}, {search}");
            assert_eq!(stats["transitions"], states + matched, "{name}, {search}");
            assert_eq!(stats["expanded"], states, "{name}, {search}");
            assert_eq!(result["errors"], errors, "{name}, {search}");
            assert_eq!(result["search"]["algorithm"], search);
        }
    }
}

#[test]
fn depth_first_finds_spins_first_error_and_breadth_first_a_shortest() {
    for (name, text, kind, first, shortest) in [
        ("counter", COUNTER, "assertion", 17, 12),
        ("forks", FORKS, "invalid-end-state", 12, 6),
        ("detour", DETOUR, "assertion", 20, 6),
        ("index", INDEX, "runtime-error", 2, 2),
        ("unreached", UNREACHED, "invalid-end-state", 2, 2),
    ] {
        let folder = model(&format!("first_{name}"), text);
        for (search, length, proved) in [("dfs", first, false), ("bfs", shortest, true), ("auto", shortest, true)] {
            let result = check(&folder, 1, &["--search", search]);
            assert_eq!(result["verdict"], "violated", "{name}, {search}");
            assert_eq!(result["reason"], Value::Null);
            assert_eq!(result["error"]["kind"], kind, "{name}, {search}");
            assert_eq!(result["trail"]["length"], length, "{name}, {search}");
            assert_eq!(result["trail"]["shortest"], proved, "{name}, {search}");
            assert_eq!(result["errors"], 1, "{name}, {search}");
            assert_eq!(result["unreached"], Value::Null, "{name}, {search}");
        }
    }
}

#[test]
fn an_assertion_is_reported_with_place_and_path() {
    let folder = model("an_assertion_is_reported", DETOUR);
    let shown = text(&folder, 1, &[]);
    assert!(shown.starts_with("safety: VIOLATED  assertion violated"), "{shown}");
    for part in [
        "at m.pml:5 in P(0)",
        "6 statements (6 moves); shortest possible",
        "best-first with heuristic nearest (initial estimate 1): ",
    ] {
        assert!(shown.contains(part), "{part:?} is not in\n{shown}");
    }
    let steps: Vec<&str> = shown.lines().filter(|line| line.contains("  P(0)  m.pml:")).collect();
    assert_eq!(steps.len(), 6, "{shown}");
    assert!(steps[5].trim().starts_with("6  P(0)  m.pml:5"), "{shown}");
    assert!(shown.contains("x = 2"), "the final state is described\n{shown}");
    assert!(!shown.contains("unreached"), "{shown}");
    assert!(!shown.contains('\x1b'), "no colours where no terminal is\n{shown}");
}

#[test]
fn a_deadlock_is_reported_with_the_location_of_each_process() {
    let folder = model("a_deadlock_is_reported", FORKS);
    let shown = text(&folder, 1, &[]);
    assert!(shown.starts_with("safety: VIOLATED  invalid end state"), "{shown}");
    let at_the_end = shown.split("final state:").nth(1).expect("the last state");
    for part in ["Phil(1)", "Phil(2)", "m.pml:5"] {
        assert!(at_the_end.contains(part), "{part:?} is not in\n{at_the_end}");
    }
    let result = check(&folder, 1, &[]);
    assert_eq!(result["trail"]["moves"], 3, "the runs in init are one move, each philosopher makes one");
}

#[test]
fn each_property_by_itself() {
    let deadlock = model("each_property_deadlock", FORKS);
    assert_eq!(check(&deadlock, 0, &["--property", "assertions"])["verdict"], "holds");
    assert_eq!(check(&deadlock, 1, &["--property", "deadlock"])["error"]["kind"], "invalid-end-state");
    let assertion = model("each_property_assertion", COUNTER);
    assert_eq!(check(&assertion, 0, &["--property", "deadlock"])["verdict"], "holds");
    assert_eq!(check(&assertion, 1, &["--property", "assertions"])["error"]["kind"], "assertion");
    let runtime = model("each_property_runtime", INDEX);
    for property in ["safety", "assertions", "deadlock"] {
        assert_eq!(check(&runtime, 1, &["--property", property])["error"]["kind"], "runtime-error");
    }
}

#[test]
fn everything_that_a_model_states_is_decided() {
    let stated = format!("{THREE}byte x;\nltl small {{ [] (x < 3) }}\nltl live {{ <> (x == 0) }}\n");
    let folder = model("properties_stated", &stated);
    let ran = folder.homing(&["check", "m.pml", "--json"]).ends_with(0);
    let verdicts: Vec<_> = ran.results().iter().map(|r| (r["property"].clone(), r["verdict"].clone())).collect();
    let expected = [("safety", "holds"), ("small", "holds"), ("live", "holds")];
    assert_eq!(verdicts, expected.map(|(property, verdict)| (json!(property), json!(verdict))));
    check(&folder, 0, &["--property", "ltl: [] (x < 3)"]);
    check(&folder, 1, &["--property", "ltl: [] (x > 3)"]);
    let ran = folder.homing(&["check", "m.pml", "--property", "ltl: [] (x <"]).ends_with(2);
    assert!(ran.stderr.contains("  [] (x <\n") && ran.stderr.contains('^'), "{}", ran.stderr);
    let ran = folder.homing(&["check", "m.pml", "--store", "compact", "--property", "live"]).ends_with(2);
    assert!(ran.stderr.contains("--store tree or exact"), "{}", ran.stderr);

    let ran = folder.homing(&["check", "m.pml", "--property", "smal"]).ends_with(2);
    assert!(ran.stderr.contains("did you mean `small`?") && ran.stderr.contains("deadlock"), "{}", ran.stderr);

    let violated = format!("{DETOUR}ltl small {{ [] (x < 3) }}\n");
    let folder = model("properties_stated_violated", &violated);
    let all = folder.homing(&["check", "m.pml", "--json"]).ends_with(1).results().len();
    let first = folder.homing(&["check", "m.pml", "--json", "--fail-fast"]).ends_with(1).results().len();
    assert_eq!((all, first), (2, 1));
}

#[test]
fn unreached_statements_of_a_complete_search() {
    let folder = model("unreached_statements", UNREACHED);
    let result = check(&folder, 1, &["--all-errors"]);
    let listed: Vec<(String, u64, u64, String)> = result["unreached"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|entry| {
            let words = |field: &str| entry[field].as_str().expect("a string").to_owned();
            let number = |field: &str| entry[field].as_u64().expect("a number");
            (words("proctype"), number("line"), number("state"), words("text"))
        })
        .collect();
    let row = |proctype: &str, line, state, text: &str| (proctype.to_owned(), line, state, text.to_owned());
    assert_eq!(listed, [row("P", 5, 4, "x = 2"), row(":init:", 8, 3, "(0)"), row(":init:", 8, 4, "-end-")]);
    let shown = text(&folder, 1, &["--all-errors"]);
    assert!(
        shown.contains("unreached in proctype P\n    m.pml:5  x = 2\n  unreached in init\n    m.pml:8  "),
        "{shown}"
    );
    assert!(!shown.contains("-end-") && !shown.contains("state 4"), "{shown}");
    let expected =
        "unreached in proctype P\n    m.pml:5, state 4, \"x = 2\"\n  unreached in init\n    m.pml:8, state 3";
    for spin in ["--plain", "--verbose"] {
        let shown = text(&folder, 1, &["--all-errors", spin]);
        assert!(shown.contains(expected), "{shown}");
    }

    // what follows a statement that fails was not looked at
    let folder =
        model("unreached_statements_failed", "byte a, x = 1, y[1]; active proctype P() { y[x] = 1; a = 2; a = 3 }");
    assert_eq!(check(&folder, 1, &["--all-errors"])["unreached"], Value::Null);

    let folder = model("unreached_statements_none", THREE);
    assert_eq!(check(&folder, 0, &[])["unreached"], json!([]));
}

/// As in pan, a run goes on after the choice of a deterministic process.
#[test]
fn errors_after_a_choice_of_a_deterministic_process() {
    let text = "byte x; active D_proctype A() { byte l; if :: l = 1 :: l = 2 fi; x = l; l == 1 }\n\
                active proctype B() { x == 2; assert(false) }";
    let folder = model("after_a_choice", text);
    for flags in [&["--all-errors"][..], &["--all-errors", "--plain"], &["--all-errors", "--search", "dfs"]] {
        assert_eq!(check(&folder, 1, flags)["errors"], 4, "{flags:?}");
    }
    let folder = model("cycle_after_a_choice", "byte x; active D_proctype A() { do :: x = 1 :: x = 0 od }");
    for flags in [&["--por", "on"][..], &["--plain"], &["--search", "ndfs"]] {
        let flags = [&["--property", "ltl:<>[] (x == 0)"], flags].concat();
        assert_eq!(check(&folder, 1, &flags)["verdict"], "violated", "{flags:?}");
    }
}

#[test]
fn of_the_shortest_paths_one_with_few_switches_is_shown() {
    // breadth-first search reaches x == 2 by a step of B; A can take all steps alone
    let text = "byte x; active proctype A() { do :: x < 2 -> x++ :: x == 2 -> assert(false) od }\n\
                active proctype B() { do :: x < 2 -> x++ od }";
    let violated = check(&model("few_switches", text), 1, &["--search", "bfs", "--property", "assertions"]);
    let trail = &violated["trail"];
    assert_eq!((&trail["length"], &trail["shortest"]), (&json!(6), &json!(true)));
    assert_eq!((&trail["switches"], &trail["switches_as_found"]), (&json!(0), &json!(1)));
}

#[test]
fn every_field_of_the_contract_is_there() {
    let folder = model("every_field", FORKS);
    let keys = |value: &Value| -> Vec<String> {
        let mut keys: Vec<String> = value.as_object().expect("an object").keys().cloned().collect();
        keys.sort();
        keys
    };
    let violated = check(&folder, 1, &[]);
    assert_eq!(
        keys(&violated),
        [
            "confirmed",
            "error",
            "errors",
            "property",
            "reason",
            "runtime_error",
            "search",
            "stats",
            "trail",
            "unreached",
            "verdict",
            "violations",
            "warnings"
        ]
    );
    assert_eq!(keys(&violated["error"]), ["file", "kind", "line", "message", "process", "summary"]);
    assert_eq!(
        keys(&violated["trail"]),
        [
            "cycle_start",
            "file",
            "folded_length",
            "length",
            "lower_bound",
            "moves",
            "shortest",
            "switches",
            "switches_as_found"
        ]
    );
    assert_eq!(
        keys(&violated["search"]),
        [
            "abstraction",
            "algorithm",
            "engine",
            "heuristic",
            "lossless",
            "por",
            "por_off",
            "repeats",
            "seed",
            "store",
            "threads"
        ]
    );
    let stats = [
        "atomic_steps",
        "compile_seconds",
        "expanded",
        "expected_coverage",
        "fewest_switches",
        "first_error",
        "matched",
        "max_depth",
        "memory_bytes",
        "peak_states",
        "proved_within",
        "reopened",
        "seconds",
        "state_bytes",
        "states",
        "states_per_second",
        "stored_bytes_per_state",
        "transitions",
    ];
    assert_eq!(keys(&violated["stats"]), stats);
    let holds = check(&folder, 0, &["--property", "assertions"]);
    assert_eq!(keys(&holds), keys(&violated));
    assert_eq!((&holds["error"], &holds["trail"], &holds["errors"]), (&Value::Null, &Value::Null, &json!(0)));
}

#[test]
fn quiet_verbose_and_colours() {
    let folder = model("quiet_verbose_and_colours", THREE);
    assert_eq!(text(&folder, 0, &["--quiet"]), "safety: HOLDS\n");
    assert!(text(&folder, 0, &[]).contains("15 states, 25 transitions (10 matched)"));
    assert_eq!(text(&folder, 0, &["--quiet", "--color", "always"]), "safety: \x1b[1;32mHOLDS\x1b[0m\n");

    let long = "int x;\nactive proctype P() { do :: x < 5000 -> x++ :: x == 5000 -> break od; assert(false) }\n";
    let folder = model("a_long_path", long);
    let folded = text(&folder, 1, &[]);
    assert!(folded.lines().count() < 30 && folded.contains("1-10000  P(0)  m.pml:2  x < 5000; x++"), "{folded}");
    assert!(!folded.contains("why:"), "that 0 is 0 explains nothing: {folded}");
    let full = text(&folder, 1, &["--verbose"]);
    assert!(full.lines().count() > 10_000 && !full.contains("left out"));
}

#[test]
fn standard_input_macros_and_includes() {
    let folder = Folder::new("standard_input").file("limit.h", "#define LIMIT 3\n").file("m.txt", THREE);
    let text = "#include \"limit.h\"\nbyte x = N;\ninit { assert(x < LIMIT) }\n";
    let run = |define: &str| folder.homing_with_input(&["check", "-", "--quiet", define], text);
    run("-DN=2").ends_with(0);
    run("-DN=3").ends_with(1);
    folder.homing(&["check", "m.txt", "--input", "promela"]).ends_with(0);

    let inner = Folder::new("standard_input_include").file("m.pml", text);
    inner.homing(&["check", "m.pml", "-D", "N=2"]).ends_with(2);
    inner.homing(&["check", "m.pml", "-D", "N=2", "-I", "../standard_input"]).ends_with(0);
}

#[test]
fn a_wrong_model_is_refused_with_its_line() {
    let folder = model("a_wrong_model", "byte x;\ninit {\n\tx = = 1;\n\tskip\n}\n");
    let ran = folder.homing(&["check", "m.pml", "--json"]).ends_with(2);
    let document: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!((&document["diagnostics"][0]["line"], document.get("results")), (&json!(3), None));
    assert!(ran.stderr.contains("m.pml:3") && ran.stderr.contains("x = = 1"), "{}", ran.stderr);
}

#[test]
fn deep_nesting_is_fine() {
    let depth = 3000;
    let text = format!("byte x;\ninit {{ x = {}1{} }}\n", "(".repeat(depth), ")".repeat(depth));
    let folder = model("deep_nesting", &text);
    folder.homing(&["check", "m.pml"]).ends_with(0);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = model("a_reader_that_goes_away", DETOUR);
    let mut child = folder
        .command(&["check", "m.pml"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("homing starts");
    drop(child.stdout.take());
    let ran = Ran::of(child.wait_with_output().expect("homing ends")).ends_with(1);
    assert_eq!(ran.stderr, "");
}

#[cfg(target_os = "linux")]
#[test]
fn a_result_that_cannot_be_written_is_an_error() {
    let folder = model("a_result_that_cannot_be_written", THREE);
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
    let output = folder.command(&["check", "m.pml"]).stdout(full).output().expect("homing starts");
    let ran = Ran::of(output).ends_with(2);
    assert!(ran.stderr.contains("cannot write to standard output"), "{}", ran.stderr);
}
