//! Labelled transition systems: `.aut` files through every command.

mod program;

use std::fs;

use homing_lts::structures::{Counters, Philosophers, back_loop, diamond, explicit};
use homing_lts::{Lts, write};
use program::Folder;
use serde_json::Value;

const VENDING: &str = "\
des (0,5,4)
(0,\"coin\",1)
(1,\"tau\",2)
(1,\"coffee(1, true)\",0)
(2,\"OUT !COKE\",3)
(2,\"i\",0)
";

fn text(lts: &Lts) -> Vec<u8> {
    let mut text = Vec::new();
    write(lts, &mut text).expect("memory");
    text
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn a_deadlock_is_found_replayed_and_removed() {
    let folder = Folder::new("aut_deadlock").file("v.aut", VENDING);
    let found = folder.homing(&["check", "v.aut"]).ends_with(1);
    let expected = "deadlock: VIOLATED  deadlock: state 3 has no transitions\n  3 transitions; shortest possible\n\n    \
                    1  0 -> 1  \"coin\"\n    2  1 -> 2  \"tau\"\n    3  2 -> 3  \"OUT !COKE\"\n";
    assert!(found.stdout.starts_with(expected), "{}", found.stdout);
    let trail = folder.path.join("v.aut.trail");
    assert_eq!(fs::read_to_string(&trail).expect("a trail"), "\"coin\"\n\"tau\"\n\"OUT !COKE\"\n");
    let replayed = folder.homing(&["replay", "v.aut"]).ends_with(1);
    assert!(replayed.stdout.ends_with("\ndeadlock: state 3 has no transitions\n  after 3 transitions\n"));
    folder.homing(&["check", "v.aut", "--property", "action:x"]).ends_with(0);
    assert!(!trail.exists(), "the property holds");
}

#[test]
fn an_action_is_an_error_inside_a_step() {
    let folder = Folder::new("aut_action").file("v.aut", VENDING);
    let check = |property: &str, code| {
        let ran = folder.homing(&["check", "v.aut", "--json", "--property", property]).ends_with(code);
        json(&ran.stdout)["results"][0].clone()
    };
    let found = check("action:OUT*", 1);
    assert_eq!(found["error"]["kind"], "action");
    assert_eq!((&found["trail"]["length"], &found["trail"]["shortest"]), (&3.into(), &true.into()));
    assert_eq!(check("action:tau", 1)["trail"]["length"], 2, "tau and i are the internal action");
    assert_eq!(check("action:/^coin$/", 1)["trail"]["length"], 1);
    let holds = check("action:OUT", 0);
    assert_eq!(holds["warnings"][0], "no label of the file matches the pattern OUT");
    folder.homing(&["check", "v.aut", "--property", "action:/COKE/", "--trail", "t.json"]).ends_with(1);
    let replayed = json(&folder.homing(&["replay", "v.aut", "t.json", "--json"]).ends_with(1).stdout);
    assert_eq!((&replayed["ending"], &replayed["steps"][2]["to"]), (&"violation".into(), &3.into()));
}

#[test]
fn all_errors_have_a_path_each() {
    let folder = Folder::new("aut_all_errors").file("v.aut", VENDING);
    let ran = folder.homing(&["check", "v.aut", "--json", "--all-errors", "--property", "action:/^[ci]/"]).ends_with(1);
    let result = json(&ran.stdout)["results"][0].clone();
    let lengths: Vec<&Value> =
        result["violations"].as_array().expect("groups").iter().map(|group| &group["trail"]["length"]).collect();
    assert_eq!((lengths, &result["errors"]), (vec![&Value::from(2), &1.into(), &3.into()], &3.into()));
}

#[test]
fn every_search_agrees_on_a_larger_system() {
    let lts = explicit(&Philosophers(6)).expect("small");
    let folder = Folder::new("aut_searches")
        .file("p.aut", text(&lts))
        .file("p.pml", Philosophers(6).promela())
        .file("diamond.aut", text(&diamond(30)))
        .file("loop.aut", text(&back_loop(20)));
    for flags in [&["--search", "bfs"][..], &["--search", "bfs", "--threads", "2"], &["--search", "dfs", "--shortest"]]
    {
        let ran = folder.homing(&[&["check", "p.aut", "--json"], flags].concat()).ends_with(1);
        let trail = json(&ran.stdout)["results"][0]["trail"].clone();
        assert_eq!((&trail["length"], &trail["shortest"]), (&6.into(), &true.into()), "{flags:?}");
    }
    // the same system in Promela, without reductions
    let figures = |model: &str| {
        let flags = ["--json", "--all-errors", "--search", "bfs", "--plain", "--property", "deadlock"];
        let ran = folder.homing(&[&["check", model][..], &flags].concat()).ends_with(1);
        let result = json(&ran.stdout)["results"][0].clone();
        [&result["stats"]["states"], &result["stats"]["transitions"], &result["errors"]].map(Value::clone)
    };
    assert_eq!(figures("p.aut"), figures("p.pml"));
    for (file, length) in [("diamond.aut", 58), ("loop.aut", 21)] {
        let found = json(&folder.homing(&["check", file, "--json"]).ends_with(1).stdout);
        assert_eq!(found["results"][0]["trail"]["length"], length, "{file}");
    }
    let late = json(&folder.homing(&["check", "diamond.aut", "--timeout", "0s", "--json"]).ends_with(3).stdout);
    assert_eq!(late["results"][0]["reason"], "timeout", "also while the file is read");
    let unknown = folder.homing(&["check", "diamond.aut", "--max-states", "100", "-q"]).ends_with(3);
    assert!(unknown.stdout.contains("UNKNOWN"), "{}", unknown.stdout);
    let table = folder.homing(&["compare", "p.aut"]).ends_with(1);
    assert!(table.stdout.contains("dfs") && table.stdout.contains("6*") && !table.stdout.contains("astar"));
}

#[test]
fn counters_in_promela_are_those_of_the_rule() {
    let folder = Folder::new("aut_counters").file("c.pml", Counters { count: 3, values: 4 }.promela());
    let ran = folder.homing(&["check", "c.pml", "--json", "--plain", "--property", "invariant:!goal"]).ends_with(1);
    assert_eq!(json(&ran.stdout)["results"][0]["trail"]["length"], 9);
}

#[test]
fn files_are_refused_with_their_line_and_options_by_name() {
    let folder = Folder::new("aut_refused").file("v.aut", VENDING).file("cut.aut", "des (0,2,2)\n(0,\"a\",1)\n");
    let refused = |arguments: &[&str], message: &str| {
        let ran = folder.homing(arguments).ends_with(2);
        assert!(ran.stderr.contains(message), "{arguments:?}: {}", ran.stderr);
        ran.stdout
    };
    refused(&["check", "cut.aut"], "cut.aut, line 2: the file ends after 1 of 2 transitions");
    let document = json(&refused(&["check", "cut.aut", "--json"], "line 2"));
    assert_eq!(
        (&document["diagnostics"][0]["line"], &document["diagnostics"][0]["code"]),
        (&2.into(), &"syntax".into())
    );
    for (flags, message) in [
        (&["--search", "astar"][..], "--search astar needs an estimate"),
        (&["--fairness", "weak"], "--fairness does not apply"),
        (&["-DN=3"], "-D does not apply"),
        (&["--heuristic", "active"], "--heuristic active does not apply"),
        (&["--confirm"], "--confirm does not apply"),
        (&["--property", "progress"], "`progress` does not apply"),
        (&["--property", "action:/(/"], "cannot be read"),
    ] {
        refused(&[&["check", "v.aut"], flags].concat(), message);
    }
    refused(&["replay", "v.aut", "--chart"], "--chart");
    refused(&["simulate", "v.aut", "-i"], "--interactive does not apply");
    refused(&["graph", "v.aut", "--process", "P"], "--process does not apply");
    fs::write(folder.path.join("other.trail"), "\"coin\"\n\"coin\"\n").expect("a file");
    refused(
        &["replay", "v.aut", "other.trail"],
        "does not match the system at step 2: \"coin\" is not possible in state 1",
    );
}

#[test]
fn systems_are_read_from_standard_input_simulated_and_drawn() {
    let folder = Folder::new("aut_others").file("v.aut", VENDING);
    let ran = folder.homing_with_input(&["check", "-", "--input", "aut", "-q"], VENDING).ends_with(1);
    assert_eq!(ran.stdout, "deadlock: VIOLATED  deadlock: state 3 has no transitions\n");
    let run = |seed| folder.homing(&["simulate", "v.aut", "--seed", seed, "--trail", "s.trail"]);
    assert_eq!(run("3").stdout, run("3").ends_with(1).stdout, "one seed, one run");
    folder.homing(&["replay", "v.aut", "s.trail"]).ends_with(1);
    let drawn = folder.homing(&["graph", "v.aut", "--trail", "s.trail"]).ends_with(0);
    assert!(drawn.stdout.contains("2 -> 3 [label=\"OUT !COKE\" color=red penwidth=2];"), "{}", drawn.stdout);
    folder.homing(&["simulate", "v.aut", "--steps", "2", "--trail", "s.trail"]).ends_with(0);
    folder.homing(&["replay", "v.aut", "s.trail"]).ends_with(0);
}
