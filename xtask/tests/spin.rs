//! What the driver makes of SPIN's answers, on models whose answers are known. Needs `spin` and `gcc`.

use xtask::spin::{Answer, ErrorKind, Facts, Limits, Spin};

fn ask(model: &str) -> Answer {
    Spin { limits: Limits::small(), cache: None }.ask_text(model).expect("spin runs")
}

fn facts(model: &str) -> Facts {
    match ask(model) {
        Answer::Searched(facts) => *facts,
        other => panic!("{other:?}\n{model}"),
    }
}

/// A model, its stored states, transitions and errors in a full search.
fn check_counts(model: &str, states: u64, transitions: u64, errors: u64) {
    let report = facts(model).full;
    assert_eq!((report.stored, report.transitions, report.errors), (states, transitions, errors), "{model}");
}

#[test]
fn counts_are_those_without_optimisations() {
    check_counts("active [3] proctype A() { skip }", 15, 25, 0);
    check_counts("init { byte a, b, c; a = 1; b = 2; c = 3 }", 5, 5, 0); // one step if merged
    check_counts("byte unused; init { unused = 1; unused = 2 }", 4, 4, 0); // fewer if hidden
}

#[test]
fn claims_are_ignored() {
    let model = "byte x; init { x = 1; x = 2 }\nltl p { [] (x < 2) }";
    check_counts(model, 4, 4, 0);
}

#[test]
fn every_error_is_counted() {
    check_counts("byte x; active [2] proctype A() { x++; assert(x == 0) }", 13, 19, 7);
}

/// The kind of the first error, its length, the shortest length.
fn check_error(model: &str, kind: ErrorKind, first: u64, shortest: u64) {
    let facts = facts(model);
    let error = facts.first.unwrap_or_else(|| panic!("no error: {model}"));
    assert_eq!((error.message.kind, error.length, facts.shortest), (kind, first, Some(shortest)), "{model}");
}

#[test]
fn first_and_shortest_trail() {
    check_error("init { false }", ErrorKind::InvalidEndState, 0, 0);
    check_error("init { assert(false) }", ErrorKind::Assertion, 1, 1);
    let two_ways = "byte x; init { if :: x++; x++; x++ :: skip fi; assert(false) }";
    check_error(two_ways, ErrorKind::Assertion, 4, 2);
    let handshake = "chan c = [0] of { bit }; active proctype A() { c!1; assert(false) } active proctype B() { c?1 }";
    check_error(handshake, ErrorKind::Assertion, 4, 3); // two lines for the handshake; B ends first
    let mixed = "byte x; active proctype A() { x++; x++; if :: x > 2; assert(false) :: false fi }";
    check_error(mixed, ErrorKind::InvalidEndState, 2, 2);
    // `pan -i` alone says 3: it overlooks an invalid end state one step before the last one found.
    let one_less = "short g; active proctype A() { g = 2; g >= 2 } active proctype B() { g = 1; false }";
    check_error(one_less, ErrorKind::InvalidEndState, 3, 2);
}

#[test]
fn fatal_errors_void_the_counts() {
    let rows = [
        "init { d_step { skip; false } }",
        "chan c; chan d = [1] of { byte }; init { if :: false -> c = d :: c!1 fi }",
        "byte a[2]; byte i = 3; init { a[i] = 1 }",
        "chan c = [0] of { bit }; init { c?[1] }",
    ];
    for model in rows {
        assert!(facts(model).counts_are_void(), "{model}");
    }
    assert!(!facts("init { assert(false) }").counts_are_void());
}

#[test]
fn a_crash_is_not_a_refusal() {
    let answer = ask("byte z; init { z = 4 / z }");
    assert!(matches!(answer, Answer::Crashed(_)), "{answer:?}");
}

#[test]
fn refusals_come_from_spin_gcc_or_pan() {
    let rows = [
        ("init { x = 1 }", "spin: model.pml:1, Error: undeclared variable: x"),
        ("byte x; init { skip }\nltl p { X (x == 1) }", "spin: tl_spin: expected predicate, saw 'X'"),
        ("init { do :: skip od }", "pan: error: proctype ':init:' line 1, state 2: has unconditional self-loop"),
        ("chan c = [0] of { bit }; active proctype P() priority 2 { c!1 }", "gcc: "),
    ];
    for (model, message) in rows {
        match ask(model) {
            Answer::Refused(words) => assert!(words.starts_with(message), "{words}"),
            other => panic!("{other:?}\n{model}"),
        }
    }
}

#[test]
fn complaints_are_not_refusals() {
    check_counts("chan c = [1] of { byte }; init { byte x; if :: c?x :: else fi }", 3, 3, 0);
}

#[test]
fn limits_are_noticed() {
    let model = "int x; init { do :: x++ od }";
    let answer = ask(model);
    assert!(matches!(answer, Answer::TooBig(_)), "{answer:?}");
}
