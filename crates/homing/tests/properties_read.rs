//! How properties are read: blocks that are wrong, names that are taken twice, conditions, encodings.

mod program;

use program::Folder;

/// The second block compares a formula with a number.
const ONE_BAD: &str = "\
byte x; chan c = [1] of { byte };
active proctype P() { x = 1 }
ltl good { <> (x == 1) }
ltl bad { <> len(c) > 0 }
";

#[test]
fn a_block_that_is_wrong_is_refused_alone() {
    let folder = Folder::new("properties-bad").file("m.pml", ONE_BAD);
    let ran = folder.homing(&["check", "m.pml", "--json"]).ends_with(3);
    let results = ran.results();
    let verdicts: Vec<_> = results.iter().map(|one| (one["property"].as_str(), one["verdict"].as_str())).collect();
    assert_eq!(
        verdicts,
        [(Some("safety"), Some("holds")), (Some("good"), Some("holds")), (Some("bad"), Some("unknown"))]
    );
    assert_eq!(results[2]["reason"], "invalid-query");
    for part in ["m.pml:4", "the ltl block `bad` cannot be decided", "write `<> (len(c) > 0)`"] {
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
    }
    let text = folder.homing(&["check", "m.pml", "--property", "ltl:bad", "--property", "safety"]).ends_with(3).stdout;
    assert!(text.contains("bad: UNKNOWN  a temporal operator inside a condition; write `<> (len(c) > 0)`"), "{text}");
    for others in [&["--property", "good"][..], &["--property", "safety"]] {
        folder.homing(&[&["check", "m.pml"], others].concat()).ends_with(0);
    }
}

#[test]
fn a_block_that_is_wrong_and_asked_for_alone_is_an_error() {
    let folder = Folder::new("properties-bad-alone").file("m.pml", ONE_BAD);
    for name in ["bad", "ltl:bad"] {
        let ran = folder.homing(&["check", "m.pml", "-q", "--property", name]).ends_with(2);
        assert!(ran.stderr.contains("Error: the ltl block `bad` cannot be decided"), "{}", ran.stderr);
        assert!(ran.stderr.contains("m.pml:4"), "{}", ran.stderr);
    }
    let given = folder.homing(&["check", "m.pml", "--property", "ltl:<> x == 1"]).ends_with(2).stderr;
    assert!(given.contains("write `<> (x == 1)`"), "{given}");
}

#[test]
fn a_block_may_be_called_safety() {
    let model = "byte x;\nactive proctype P() { x = 1 }\nltl safety { [] (x == 0) }\nltl p { <> (x == 1) }\n";
    let folder = Folder::new("properties-safety").file("m.pml", model);
    let verdicts = |arguments: &[&str], code| -> Vec<(String, String)> {
        let ran = folder.homing(&[&["check", "m.pml", "--json"], arguments].concat()).ends_with(code);
        let text = |value: &serde_json::Value| value.as_str().expect("a text").to_owned();
        ran.results().iter().map(|one| (text(&one["property"]), text(&one["verdict"]))).collect()
    };
    let pair = |property: &str, verdict: &str| (property.to_owned(), verdict.to_owned());
    assert_eq!(verdicts(&[], 1), [pair("safety", "holds"), pair("ltl:safety", "violated"), pair("p", "holds")]);
    folder.homing(&["replay", "m.pml"]).ends_with(1);
    assert_eq!(verdicts(&["--property", "ltl:safety"], 1), [pair("ltl:safety", "violated")]);
    assert_eq!(verdicts(&["--property", "builtin:safety"], 0), [pair("safety", "holds")]);
    assert_eq!(verdicts(&["--property", "ltl:p"], 0), [pair("p", "holds")]);
    let message = folder.homing(&["check", "m.pml", "--property", "safety"]).ends_with(2).stderr;
    assert!(message.contains("write ltl:safety for the block, builtin:safety for the other"), "{message}");
}

#[test]
fn constant_invariants_are_conditions() {
    let folder = Folder::new("properties-constant").file("m.pml", "byte x; active proctype P() { x = 1 }\n");
    for (invariant, code) in [("true", 0), ("1", 0), ("(1)", 0), ("1 == 1", 0), ("skip", 0), ("false", 1), ("0", 1)] {
        folder.homing(&["check", "m.pml", "--property", &format!("invariant: {invariant}")]).ends_with(code);
    }
}

#[test]
fn a_name_that_is_not_known_is_suggested() {
    let model = "byte critical;\nactive proctype Process() { critical: skip; crit: critical++ }\n";
    let folder = Folder::new("properties-near").file("m.pml", model.replace("critical: ", ""));
    for (property, part) in [
        ("invariant: critcal <= 1", "`critcal` is not declared (did you mean `critical`?)"),
        ("invariant: !Proces[0]@crit", "there is no process type `Proces` (did you mean `Process`?)"),
        ("invariant: Process[0]@crt", "`Process` has no label `crt` (did you mean `crit`?)"),
        ("ltl: [] (critical == 0 -> <> critical == 1)", "write `<> (critical == 1)`"),
        ("ltl: [] !Proces[0]@crit", "did you mean `Process`?"),
    ] {
        let message = folder.homing(&["check", "m.pml", "--property", property]).ends_with(2).stderr;
        assert!(message.contains(part), "{property}: {message}");
    }
}

#[test]
fn what_is_not_utf_8_is_latin_1() {
    let model = b"/* caf\xe9 */ byte x;\n#include \"\xe9.h\"\nactive proctype P() { printf(\"\xe9\\n\"); x = N; assert(x == 0) }\n";
    let folder = Folder::new("properties-latin-1").file("m.pml", model).file("\u{e9}.h", b"#define N 2 /* \xfc */\n");
    let ran = folder.homing(&["check", "m.pml", "--json"]).ends_with(1);
    assert_eq!(ran.results()[0]["error"]["line"], 3);
    folder.homing(&["replay", "m.pml"]).ends_with(1);
    let outside = folder.file("n.pml", b"byte x\xe9;\ninit { skip }\n").homing(&["check", "n.pml"]).ends_with(2).stderr;
    assert!(outside.contains("n.pml:1:7"), "{outside}");
}

/// SPIN counts the claim in `_nr_pr`, everywhere in the model: this formula holds there, as `_nr_pr == 1` is never true.
#[test]
fn that_a_claim_is_no_process_is_said() {
    let model = "\
byte x;
proctype P() { x++ }
init { run P(); run P(); _nr_pr == 1; x = 10 }
ltl small { [] (x < 9) }
";
    let folder = Folder::new("properties-nr-pr").file("m.pml", model);
    let results = folder.homing(&["check", "m.pml", "--json"]).ends_with(1).results();
    let warns = |at: usize| results[at]["warnings"].to_string().contains("`_nr_pr` is the number of processes");
    assert_eq!((results[1]["verdict"].as_str(), warns(0), warns(1)), (Some("violated"), false, true));
}
