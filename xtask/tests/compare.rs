//! The comparison, with a stand-in for homing that always gives the same answer. Needs `spin` and `gcc`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use xtask::compare::{Comparison, Oracle, Question, Scope};
use xtask::homing::Homing;
use xtask::spin::{Limits, Spin};

/// Compares `model` with a program that prints `answer` and exits with `code`.
fn compare(model: &str, answer: &str, code: i32) -> Comparison {
    let folder = tempfile::tempdir().expect("a folder");
    let binary = folder.path().join("homing");
    fs::write(&binary, format!("#!/bin/sh\ncat <<'END'\n{answer}\nEND\nexit {code}\n")).expect("a script");
    fs::set_permissions(&binary, fs::Permissions::from_mode(0o755)).expect("an executable");
    oracle(&binary).compare_text(model, Scope::Full).expect("both run")
}

fn oracle(binary: &Path) -> Oracle {
    let homing = Homing { binary: binary.to_path_buf(), timeout: Duration::from_secs(10), memory: None };
    Oracle { spin: Spin { limits: Limits::small(), cache: None }, homing }
}

fn answer(verdict: &str, states: u64, transitions: u64, errors: u64, trail: Option<u64>) -> String {
    let trail = trail.map_or("null".to_string(), |length| format!(r#"{{ "length": {length} }}"#));
    format!(
        r#"{{ "results": [ {{ "verdict": "{verdict}", "reason": null, "errors": {errors}, "trail": {trail},
            "error": {{ "kind": "assertion", "message": null, "line": 1 }},
            "stats": {{ "states": {states}, "transitions": {transitions} }} }} ] }}"#
    )
}

fn questions(comparison: Comparison) -> Vec<Question> {
    match comparison {
        Comparison::Disagree(differences) => differences.into_iter().map(|difference| difference.question).collect(),
        other => panic!("{other:?}"),
    }
}

const THREE_STATES: &str = "init { skip }";
const FAILS: &str = "init { assert(false) }";

#[test]
fn equal_answers_agree() {
    assert_eq!(compare(THREE_STATES, &answer("holds", 3, 3, 0, None), 0), Comparison::Agree);
    assert_eq!(compare(FAILS, &answer("violated", 3, 3, 1, Some(1)), 1), Comparison::Agree);
    assert_eq!(compare("init { x = 1 }", "", 2), Comparison::Agree);
}

#[test]
fn each_difference_is_named() {
    let found = questions(compare(THREE_STATES, &answer("holds", 4, 3, 0, None), 0));
    assert_eq!(found, [Question::DfsStates, Question::ReducedStates, Question::BfsStates]);
    let found = questions(compare(FAILS, &answer("violated", 3, 3, 1, Some(2)), 1));
    assert_eq!(found, [Question::FirstErrorLength, Question::ShortestLength]);
    let found = questions(compare("init { false }", &answer("violated", 1, 1, 1, Some(0)), 1));
    assert_eq!(found, [Question::FirstErrorKind]);
}

#[test]
fn acceptance_is_compared() {
    assert_eq!(questions(compare(THREE_STATES, "", 2)), [Question::Acceptance]);
    assert_eq!(questions(compare("init { x = 1 }", &answer("holds", 3, 3, 0, None), 0)), [Question::Acceptance]);
}

#[test]
fn a_crash_of_homing_is_a_difference() {
    assert_eq!(questions(compare(THREE_STATES, "", 101)), [Question::Contract]);
}

#[test]
fn after_a_fatal_error_only_the_verdict_counts() {
    let fatal = "init { d_step { skip; false } }";
    assert_eq!(compare(fatal, &answer("violated", 99, 99, 1, Some(7)), 1), Comparison::Agree);
    assert_eq!(questions(compare(fatal, &answer("holds", 1, 1, 0, None), 0)), [Question::DfsVerdict]);
}

#[test]
fn too_big_is_skipped() {
    let comparison = compare("int x; init { do :: x++ od }", "", 101);
    assert!(matches!(comparison, Comparison::Skipped(_)), "{comparison:?}");
}
