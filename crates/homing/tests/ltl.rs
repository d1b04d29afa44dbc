//! `homing ltl`: automata of formulas in all formats, equivalence, and automata of other tools.

mod dot;
mod program;

use std::process::{Command, Stdio};

use program::Folder;
use serde_json::Value;

#[track_caller]
fn printed(test: &str, arguments: &[&str]) -> String {
    let ran = Folder::new(&format!("ltl_{test}")).homing(&[&["ltl"], arguments].concat()).ends_with(0);
    assert_eq!(ran.stderr, "", "no message");
    ran.stdout
}

#[track_caller]
fn document(test: &str, arguments: &[&str]) -> Value {
    let text = printed(test, &[arguments, &["--format", "json"]].concat());
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Runs homing and expects a refusal whose message contains all the `parts`.
#[track_caller]
fn refused(folder: &Folder, arguments: &[&str], parts: &[&str]) {
    let ran = folder.homing(&[&["ltl"], arguments].concat()).ends_with(2);
    assert_eq!(ran.stdout, "", "nothing on standard output");
    for part in parts {
        assert!(ran.stderr.contains(part), "{part:?} is not in\n{}", ran.stderr);
    }
}

#[test]
fn a_never_claim() {
    let expected = "never {\t/* ![] (p -> <> (x == 1)) */\n\
                    T0_init:\n\tdo\n\t:: (true) -> goto T0_init\n\t:: (p && !(x == 1)) -> goto accept_S1\n\tod;\n\
                    accept_S1:\n\tdo\n\t:: (!(x == 1)) -> goto accept_S1\n\tod;\n}\n";
    assert_eq!(printed("never", &["[] (p -> <> (x==1))", "--negate"]), expected);
    assert_eq!(printed("never_words", &["always (p implies eventually (x == 1))", "--negate"]), expected);
    let folder = Folder::new("ltl_stdin");
    let ran = folder.homing_with_input(&["ltl", "-", "--negate"], "[] (p -> <> (x==1))\n").ends_with(0);
    assert_eq!(ran.stdout, expected);
}

#[test]
fn the_json_document() {
    let document = document("json", &["<> (p && X q)"]);
    assert_eq!(document["formula"], "<> (p && X q)");
    assert_eq!(document["propositions"], serde_json::json!(["p", "q"]));
    assert_eq!((&document["states"], &document["transitions"]), (&Value::from(3), &Value::from(12)));
    assert_eq!((&document["strength"], &document["classes"]), (&Value::from("terminal"), &Value::from("N,S")));
    assert_eq!((&document["stutter_invariant"], &document["deterministic"]), (&Value::from(false), &Value::from(true)));
    let states = document["automaton"].as_array().expect("states");
    assert_eq!(states.len(), 3);
    let last = states.iter().find(|state| state["class"] == "S").expect("a final state");
    assert_eq!(last["edges"], serde_json::json!([{"guard": "true", "target": 2, "acceptance_sets": [0]}]));
}

#[test]
fn generalised_automata() {
    let formula = "[]<>p && []<>q";
    assert_eq!(document("buchi", &[formula])["states"], 3);
    let generalised = document("generalised", &[formula, "--generalised"]);
    assert_eq!((&generalised["states"], &generalised["acceptance_sets"]), (&Value::from(1), &Value::from(2)));
    let folder = Folder::new("ltl_generalised_never");
    refused(&folder, &[formula, "--generalised"], &["--generalised has no effect with --format never"]);
}

#[test]
fn a_graph() {
    let graph = dot::parse(&printed("dot", &["p U q", "--format", "dot"]));
    assert_eq!((graph.nodes.len(), graph.edges.len()), (3, 4), "with the arrow to the initial state");
    assert_eq!(graph.nodes["s1"]["shape"], "doublecircle");
    let generalised = dot::parse(&printed("dot_marks", &["[]<>p", "--format", "dot", "--generalised"]));
    let labels: Vec<&String> = generalised.edges.iter().filter_map(|(_, _, edge)| edge.get("label")).collect();
    assert!(labels.iter().any(|label| label.ends_with("{0}")), "{labels:?}");
}

#[test]
fn equivalent_formulas() {
    let first = "[]<>p && []<>q";
    assert_eq!(printed("equivalent", &[first, "--equivalent", "[]<>(p && <>q)"]), "equivalent\n");
    let json = document("equivalent_json", &["!<>p", "--equivalent", "[]!p"]);
    assert_eq!((&json["equivalent"], &json["difference"]), (&Value::from(true), &Value::Null));
    assert_eq!(printed("negated", &["<>p", "--negate", "--equivalent", "[]!p"]), "equivalent\n");
}

#[test]
fn formulas_that_differ() {
    let folder = Folder::new("ltl_differ");
    let ran = folder.homing(&["ltl", "p W (x == 1)", "--equivalent", "p U (x == 1)"]).ends_with(1);
    let expected =
        "not equivalent: a word that satisfies `p W x == 1` but not `p U x == 1`\n  forever  p && !(x == 1)\n";
    assert_eq!(ran.stdout, expected);
    let ran = folder.homing(&["ltl", "[]<>p", "--equivalent", "p", "--format", "json"]).ends_with(1);
    let json: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let difference = &json["difference"];
    assert_eq!((&json["equivalent"], &difference["satisfies"]), (&Value::from(false), &Value::from("[] <> p")));
    assert!(difference["cycle"].as_array().is_some_and(|cycle| cycle.contains(&serde_json::json!(["p"]))));
}

#[test]
fn automata_of_other_tools() {
    let hoa = "HOA: v1\nStates: 2\nStart: 0\nAP: 1 \"p\"\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n--BODY--\n\
               State: 0\n[t] 0\n[0] 1\nState: 1 {0}\n[0] 1\n--END--\n";
    let never = "never {\nT0_init:\n\tdo\n\t:: (1) -> goto T0_init\n\t:: ((p)) -> goto accept_S1\n\tod;\n\
                 accept_S1:\n\tdo\n\t:: ((p)) -> goto accept_S1\n\tod;\n}\n";
    let folder = Folder::new("ltl_read").file("a.hoa", hoa).file("a.never", never);
    let from_hoa = folder.homing(&["ltl", "--hoa", "a.hoa"]).ends_with(0).stdout;
    let from_never = folder.homing(&["ltl", "--never", "a.never"]).ends_with(0).stdout;
    let without_title = |text: &str| text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(without_title(&from_hoa), without_title(&from_never));
    assert_eq!(without_title(&from_hoa), without_title(&printed("same", &["<>[]p"])));
    let json = folder.homing(&["ltl", "--hoa", "a.hoa", "--format", "json"]).ends_with(0).stdout;
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(
        (&json["formula"], &json["stutter_invariant"], &json["strength"]),
        (&Value::Null, &Value::Null, &Value::from("weak"))
    );
    let piped = folder.homing_with_input(&["ltl", "--hoa", "-", "--format", "hoa", "-o", "b.hoa"], hoa).ends_with(0);
    assert_eq!(piped.stdout, "");
    assert_eq!(folder.homing(&["ltl", "--hoa", "b.hoa"]).ends_with(0).stdout.replace("b.hoa", "a.hoa"), from_hoa);
    refused(&folder, &["--hoa", "a.hoa", "-o", "a.hoa"], &["a.hoa", "overwritten"]);
}

#[test]
fn what_is_wrong() {
    let folder = Folder::new("ltl_wrong")
        .file("rabin.hoa", "HOA: v1\nStart: 0\nAcceptance: 2 Fin(0)&Inf(1)\n--BODY--\nState: 0\n--END--\n")
        .file("model.pml", "init { skip }\n");
    refused(&folder, &["[] i == 2"], &["FORMULA:1:1", "`[]` is an operand of `==`", "`[] (x == 1)`"]);
    refused(&folder, &["p && (q U"], &["FORMULA:1:10", "expected an operand, found the end of the formula"]);
    refused(&folder, &["p", "--equivalent", "p q"], &["--equivalent:1:3", "expected an operator, found `q`"]);
    refused(&folder, &[], &["FORMULA"]);
    refused(&folder, &["p", "--hoa", "x"], &["--hoa"]);
    refused(&folder, &["--never", "x", "--negate"], &["--negate"]);
    refused(&folder, &["--hoa", "missing.hoa"], &["cannot read missing.hoa"]);
    refused(&folder, &["--hoa", "rabin.hoa"], &["rabin.hoa, line 3", "generalised Büchi"]);
    refused(&folder, &["--never", "model.pml"], &["model.pml, line 1", "expected `never`"]);
    let many = (0..20).map(|index| format!("<>p{index}")).collect::<Vec<_>>().join(" && ");
    refused(&folder, &[&many], &["too large", "split"]);
    let names = (0..65).map(|index| format!("p{index}")).collect::<Vec<_>>().join(" || ");
    refused(&folder, &[&names], &["more than 64 propositions"]);
}

#[test]
fn what_spin_reads_otherwise_is_a_warning() {
    let folder = Folder::new("ltl_warning");
    let ran = folder.homing(&["ltl", "a || b && c"]).ends_with(0);
    assert!(ran.stderr.contains("`spin -f` reads this formula as `(a || b) && c`"), "{}", ran.stderr);
    for same in ["p -> q || r", "a && b || c", "a || b && X c", "(x == 1) -> p"] {
        let ran = folder.homing(&["ltl", same]).ends_with(0);
        assert_eq!(ran.stderr, "", "{same}");
    }
}

/// SPIN, where it is installed, accepts the claims that homing prints.
#[test]
fn spin_accepts_the_claims() {
    let model = "bool p, q; byte x;\nactive proctype P() { do :: p = !p :: q = !q :: x = 1 - x od }\n";
    for (at, formula) in
        ["[] (p -> <> q)", "p U (q && x == 1)", "<> p", "true", "false", "[]<>p && []<>q"].iter().enumerate()
    {
        let folder = Folder::new(&format!("ltl_spin_{at}")).file("m.pml", model);
        folder.homing(&["ltl", formula, "-o", "claim.pml"]).ends_with(0);
        let mut spin = Command::new("spin");
        spin.args(["-a", "-N", "claim.pml", "m.pml"]).current_dir(&folder.path).stdin(Stdio::null());
        let Ok(output) = spin.output() else { return };
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && !text.contains("rror"), "{formula}\n{text}");
    }
}
