//! Propositions with run-time errors: one matters where the formula depends on it, and nowhere else.

mod program;

use std::process::Command;

use program::Folder;
use serde_json::Value;

/// How each formula is decided: searches, engines and reductions.
const RUNS: [&[&str]; 12] = [
    &[],
    &["--plain"],
    &["--engine", "interpreted"],
    &["--search", "dfs"],
    &["--search", "bfs", "--engine", "interpreted"],
    &["--search", "astar", "--combine", "max"],
    &["--search", "scc"],
    &["--search", "ndfs"],
    &["--search", "ndfs", "--plain"],
    &["--search", "indfs"],
    &["--search", "astar-indfs"],
    &["--threads", "2"],
];

const INDEX: &str = "byte a[2], i; active proctype P() { i = 1; i = 0 }";
const CHANNEL: &str = "chan q; chan r = [1] of { byte }; byte i; proctype O() { byte y; y = 1 }\n\
                       active proctype Q() { byte x; i = 1; r!1; run O(); x = 1; i = 2 }";

/// A model, a formula, what homing decides, and whether SPIN does so too. Where it does not, the order in which its claim evaluates
/// literals is not the one in which they are written.
const FORMULAS: [(&str, &str, &str, bool); 30] = [
    (INDEX, "[] ((i > 0 && a[i - 1] == 0) || i == 0)", "holds", true),
    (INDEX, "[] (i > 0 -> a[i - 1] == 0)", "holds", true),
    (INDEX, "[] (i == 0 || a[i - 1] == 0)", "holds", true),
    (INDEX, "[] ((i > 0) <-> (i > 0 && a[i - 1] == 0))", "holds", true),
    (INDEX, "[] !(i > 0 && a[i - 1] == 1)", "holds", true),
    (INDEX, "[] (i > 0 -> <> (a[i - 1] == 0))", "holds", true),
    (INDEX, "[] (i == 0 || <> (a[i - 1] == 0))", "holds", false),
    (INDEX, "<> (i > 0 && a[i - 1] == 0)", "holds", true),
    (INDEX, "<> (i > 0 && a[i - 1] == 1)", "violated", true),
    (INDEX, "(i == 0) U (i > 0 && a[i - 1] == 0)", "holds", true),
    (INDEX, "<> [] (i == 0 || a[i - 1] == 0)", "holds", true),
    (INDEX, "[] <> (i > 0 -> a[i - 1] == 1)", "holds", true),
    (INDEX, "(i == 0 || a[i - 1] == 0) U (i == 1)", "holds", true),
    (INDEX, "(i == 0) W (a[i] == 1)", "violated", true),
    (INDEX, "[] (i == 0 || 6 / i == 6)", "holds", true),
    (INDEX, "[] (i > 0 -> 6 % i == 0)", "holds", true),
    (INDEX, "[] (6 / i == 6)", "runtime-error", false), // pan is killed by the signal
    (INDEX, "[] (a[i - 1] == 0 || i == 0)", "runtime-error", true),
    (INDEX, "[] ((a[i - 1] == 0 && i > 0) || i == 0)", "runtime-error", true),
    (INDEX, "<> (a[i + 1] == 1)", "runtime-error", true),
    (INDEX, "[] (i < 2 && a[i + 1] == 0)", "runtime-error", true),
    (CHANNEL, "[] (i > 2 -> len(q) == 0)", "holds", true),
    (CHANNEL, "[] (len(q) == 0 || true)", "runtime-error", true),
    (CHANNEL, "<> (i == 1 || q?[1])", "runtime-error", true),
    (CHANNEL, "[] (i < 3 || q?[1])", "holds", true),
    (CHANNEL, "[] (O[7]:y == 0)", "holds", true),
    (CHANNEL, "<> (Q[0]:x == 1)", "holds", true),
    (CHANNEL, "[] (i == 0 || r?[1] || len(r) == 0)", "holds", true),
    (CHANNEL, "<> (i == 2 && Q[0]:x == 0)", "violated", true),
    (CHANNEL, "[] (i < 2 || len(q) == 1)", "runtime-error", true),
];

/// What a run says: a verdict, or the kind of the error if that is a run-time error.
fn answer(result: &Value) -> String {
    match result["error"]["kind"].as_str() {
        Some("runtime-error") => "runtime-error".to_owned(),
        _ => result["verdict"].as_str().expect("a verdict").to_owned(),
    }
}

#[test]
fn an_error_matters_where_the_value_does() {
    for (number, (model, formula, expected, _)) in FORMULAS.iter().enumerate() {
        let text = format!("{model}\nltl p {{ {formula} }}\n");
        let folder = Folder::new(&format!("propositions-{number}")).file("m.pml", text);
        let asked = format!("ltl:{formula}");
        for (property, run) in RUNS.iter().map(|run| ("p", *run)).chain([(&*asked, &[][..])]) {
            let ran = folder.homing(&[&["check", "--json", "m.pml", "--property", property], run].concat());
            if ran.code == Some(2) && ran.stderr.contains("it finds no cycles") {
                continue;
            }
            let results = ran.results();
            assert_eq!(answer(&results[0]), *expected, "{formula} {run:?}: {}{}", ran.stdout, ran.stderr);
        }
        // a condition that always holds is an invariant
        if let Some(condition) = formula.strip_prefix("[] ").filter(|rest| !rest.contains("<>") && !rest.contains("->"))
        {
            let ran = folder.homing(&["check", "--json", "m.pml", "--property", &format!("invariant: {condition}")]);
            assert_eq!(answer(&ran.results()[0]), *expected, "invariant {condition}: {}", ran.stderr);
        }
    }
}

#[test]
fn spin_agrees() {
    for (number, (model, formula, expected, _)) in FORMULAS.iter().enumerate().filter(|(_, formula)| formula.3) {
        let text = format!("{model}\nltl p {{ {formula} }}\n");
        let folder = Folder::new(&format!("propositions-spin-{number}")).file("m.pml", text);
        let script = "spin -a m.pml && gcc -w -o pan pan.c && ./pan -a -n";
        let ran = Command::new("sh").args(["-c", script]).current_dir(&folder.path).output().expect("a shell");
        let out = String::from_utf8_lossy(&ran.stdout);
        let fails = out.contains("invalid array index") || out.contains("uninitialized chan");
        let pan = match out {
            _ if fails => "runtime-error",
            _ if out.contains("errors: 0") => "holds",
            _ if out.contains("errors: 1") => "violated",
            _ => panic!("{formula}: {out}{}", String::from_utf8_lossy(&ran.stderr)),
        };
        assert_eq!(pan, *expected, "{formula}: {out}");
    }
}

/// The guards of a claim are evaluated as written: those of an atomic sequence one after the other.
#[test]
fn guards_of_a_never_claim_are_evaluated_in_order() {
    for (number, (claim, expected)) in [
        ("do :: (i > 0 && a[i - 1] == 1) -> break :: else od", "holds"),
        ("do :: atomic { i > 0 -> a[i - 1] == 1 -> break } :: true od", "holds"),
        ("do :: atomic { a[i - 1] == 1 -> i > 0 -> break } :: true od", "runtime-error"),
        ("do :: atomic { a[i - 1] == 1 -> false -> break } :: true od", "runtime-error"),
        ("do :: atomic { i > 0 -> assert(a[i - 1] == 0) } :: true od", "holds"),
        ("do :: i > 0 -> goto L :: true od; L: a[i - 1] == 1", "runtime-error"),
        ("do :: a[i - 1] == 1 -> break :: i == 0 od", "runtime-error"),
    ]
    .into_iter()
    .enumerate()
    {
        let text = format!("{INDEX}\nnever {{ {claim} }}\n");
        let folder = Folder::new(&format!("propositions-claim-{number}")).file("m.pml", text);
        for run in [&[][..], &["--plain"], &["--engine", "interpreted"], &["--search", "dfs"], &["--search", "ndfs"]] {
            let ran = folder.homing(&[&["check", "--json", "m.pml", "--property", "acceptance"], run].concat());
            assert_eq!(answer(&ran.results()[0]), expected, "{claim} {run:?}: {}{}", ran.stdout, ran.stderr);
        }
        let script = "spin -a m.pml && gcc -w -o pan pan.c && ./pan -a -n";
        let ran = Command::new("sh").args(["-c", script]).current_dir(&folder.path).output().expect("a shell");
        let out = String::from_utf8_lossy(&ran.stdout);
        let fails = out.contains("invalid array index");
        assert!(fails == (expected == "runtime-error") && (fails || out.contains("errors: 0")), "{claim}: {out}");
    }
}
