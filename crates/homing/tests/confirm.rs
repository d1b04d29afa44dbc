//! `check --confirm`: a verdict `holds` is proved a second time, without reductions, and a length that is called shortest because of a
//! heuristic is verified.

mod program;

use program::Folder;
use serde_json::{Value, json};

const HOLDS: &str = "byte x;\nactive [2] proctype P() { byte l; x = 1; l = x; assert(l == 1) }\n";
const VIOLATED: &str = "byte x;\nactive [2] proctype P() { byte l; x++; l = x; assert(l == 1) }\n";
/// Too many states for the reference explorer to be asked.
const WIDE: &str = "active [3] proctype P() { byte i; do :: i < 16 -> i++ :: i > 0 -> i-- od }\n";

fn confirmed(model: &str, flags: &[&str], code: i32) -> Value {
    let name = format!("confirm_{}_{}", model.len(), flags.concat().replace(['-', '='], "_"));
    let folder = Folder::new(&name).file("m.pml", model);
    let results = folder.homing(&[&["check", "m.pml", "--json"], flags].concat()).ends_with(code).results();
    results[0]["confirmed"].clone()
}

#[test]
fn a_small_model_is_proved_twice_when_asked() {
    for flags in [&["--confirm"][..], &["--confirm=always", "--plain"], &["--confirm", "--engine", "interpreted"]] {
        assert_eq!(confirmed(HOLDS, flags, 0), json!(true), "{flags:?}");
    }
    assert_eq!(confirmed(HOLDS, &["--confirm=never"], 0), json!(false));
}

#[test]
fn a_violation_needs_no_confirmation() {
    assert_eq!(confirmed(VIOLATED, &["--confirm"], 1), Value::Null);
}

#[test]
fn a_shortest_length_is_verified_without_heuristics() {
    let (formula, abstraction) = (["--heuristic", "formula", "--combine", "max"], ["--heuristic", "abstraction"]);
    for (search, heuristic) in [("astar", &formula[..]), ("ida", &formula), ("astar", &abstraction)] {
        let flags = [&["--search", search], heuristic].concat();
        assert_eq!(confirmed(VIOLATED, &[&flags[..], &["--confirm"]].concat(), 1), json!(true), "{flags:?}");
        assert_eq!(confirmed(VIOLATED, &[&flags[..], &["--confirm=never"]].concat(), 1), Value::Null, "{flags:?}");
    }
    for search in ["bfs", "best-first"] {
        let flags = ["--search", search, "--confirm"];
        assert_eq!(confirmed(VIOLATED, &flags, 1), Value::Null, "{search} claims nothing because of a heuristic");
    }
    let folder = Folder::new("confirm_length").file("m.pml", VIOLATED);
    let flags = ["check", "m.pml", "--confirm", "--search", "astar", "--heuristic", "abstraction"];
    let said = folder.homing(&flags).ends_with(1).stdout;
    assert!(said.contains("length confirmed without estimates by a breadth-first search: "), "{said}");
}

#[test]
fn a_large_model_is_searched_again() {
    let folder = Folder::new("confirm_large").file("m.pml", WIDE);
    let said = folder.homing(&["check", "m.pml", "--confirm", "--search", "bfs", "--por", "off"]).ends_with(0).stdout;
    assert!(said.contains("confirmed without reductions by a breadth-first search: 117649 states"), "{said}");
}

#[test]
fn the_limits_hold_for_the_second_proof_too() {
    let folder = Folder::new("confirm_limits").file("m.pml", WIDE);
    let flags = ["check", "m.pml", "--confirm", "--search", "bfs", "--por", "off", "--max-states", "50000"];
    let said = folder.homing(&flags).ends_with(0).stdout;
    assert!(said.contains("not confirmed: the search without reductions hit a limit"), "{said}");
}

#[test]
fn a_small_model_is_proved_by_the_reference() {
    let folder = Folder::new("confirm_small").file("m.pml", HOLDS);
    let said = folder.homing(&["check", "m.pml", "--confirm"]).ends_with(0).stdout;
    assert!(said.contains("confirmed without reductions by the reference explorer: 21 states"), "{said}");
}

/// With a condition of the reductions turned off, the second proof finds the error that the first one misses.
#[cfg(feature = "mutants")]
#[test]
fn a_contradiction_reports_the_violation() {
    let model = include_str!("soundness/absorb-reaching.pml");
    let folder = Folder::new("confirm_contradiction").file("m.pml", model);
    let run = |confirm: &str| {
        let mut command = folder.command(&["check", "m.pml", confirm]);
        program::Ran::of(command.env("HOMING_MUTANT", "absorb-reaching").output().expect("homing starts"))
    };
    run("--confirm=never").ends_with(0);
    let ran = run("--confirm").ends_with(4);
    assert!(ran.stdout.contains("VIOLATED  assertion violated"), "{}", ran.stdout);
    assert!(ran.stderr.contains("a bug in homing"), "{}", ran.stderr);
}
