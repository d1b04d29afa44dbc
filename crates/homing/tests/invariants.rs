//! Invariants: conditions that must hold in every state.

mod program;

use program::Folder;
use serde_json::json;

/// Two processes that test and set a flag in two steps.
const MUTEX: &str = "\
#define alone (critical <= 1)
byte critical, entries;
bool busy;
active [2] proctype P() {
	byte turns;
	do
	:: turns < 2 -> !busy; busy = true; critical++; turns++; entries = entries + 1;
in:	critical--; busy = false
	:: else -> break
	od
}
";

fn model(test: &str) -> Folder {
    Folder::new(&format!("invariants_{test}")).file("m.pml", MUTEX)
}

#[test]
fn a_state_that_breaks_one_is_an_error() {
    let folder = model("broken");
    let mut lengths = Vec::new();
    for flags in [&[][..], &["--plain"], &["--engine", "interpreted"], &["--plain", "--engine", "interpreted"]] {
        let command = [&["check", "m.pml", "--property", "invariant: alone", "--json"], flags].concat();
        let result = &folder.homing(&command).ends_with(1).results()[0];
        assert_eq!(result["property"], "invariant:alone");
        assert_eq!(result["error"]["kind"], "invariant");
        assert_eq!(result["error"]["message"], "invariant violated: alone");
        assert_eq!(result["trail"]["shortest"], true, "{flags:?}");
        lengths.push(result["trail"]["length"].clone());
        let replayed = folder.homing(&["replay", "m.pml"]).ends_with(1);
        assert!(replayed.stdout.contains("critical = 2"), "{}", replayed.stdout);
    }
    // each tests the flag, sets it and enters
    assert_eq!(lengths, vec![json!(8); 4]);
}

#[test]
fn the_reason_is_reported() {
    let folder = model("cause");
    let shown = folder.homing(&["check", "m.pml", "--property", "invariant:critical < 2"]).ends_with(1).stdout;
    assert!(shown.contains("invariant violated: critical < 2"), "{shown}");
    for part in [
        "critical = 2, written by",
        "step 8, P(0): critical++",
        "after step 2, P(0): !busy",
        "only later busy = 1  (step 5",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}

#[test]
fn our_own_trail_knows_its_invariant() {
    let folder = model("json");
    let check = ["check", "m.pml", "--property", "invariant:critical < 2", "--trail", "t.json"];
    folder.homing(&check).ends_with(1);
    let replayed = folder.homing(&["replay", "m.pml", "t.json"]).ends_with(1);
    assert!(replayed.stdout.contains("invariant violated: critical < 2"), "{}", replayed.stdout);
}

#[test]
fn invariants_may_read_otherwise_unread_variables() {
    let folder = model("unread");
    for flags in [&[][..], &["--plain"]] {
        let check = |property: &str, code: i32| {
            let command = [&["check", "m.pml", "--property", property, "--json"], flags].concat();
            folder.homing(&command).ends_with(code).results()[0].clone()
        };
        check("invariant:entries <= 4", 0);
        check("invariant:entries <= 3", 1);
        let result = check("invariant:!(P[0]@in && P[1]@in)", 1);
        assert_eq!(result["trail"]["shortest"], true);
        check("invariant:P[0]:turns < 3", 0);
        check("invariant:P[0]:turns < 2", 1);
    }
}

#[test]
fn one_that_cannot_be_read_is_refused() {
    let folder = model("refused");
    for (text, reason) in [("critical <", "cannot parse the invariant"), ("nothing > 1", "`nothing` is not declared")] {
        let ran = folder.homing(&["check", "m.pml", "--property", &format!("invariant:{text}")]).ends_with(2);
        assert!(ran.stderr.contains(reason), "{}", ran.stderr);
    }
}

#[test]
fn one_that_cannot_be_computed_is_an_error_too() {
    let folder = model("fault");
    let result = &folder
        .homing(&["check", "m.pml", "--property", "invariant:1 / (1 - entries)", "--json"])
        .ends_with(1)
        .results()[0];
    assert_eq!(result["error"]["kind"], "runtime-error");
}
