//! Models of the kind that people write first, each with a planted bug: the cause that `check` prints has to name the line.

mod program;

use std::fs;

use program::Folder;
use serde_json::Value;

/// The models in `first_models`, with the options that the bug needs.
const MODELS: &[(&str, &[&str])] = &[
    ("alternating-bit", &[]),
    ("bank", &[]),
    ("buffer", &[]),
    ("connection", &[]),
    ("election", &[]),
    ("elevator", &["--property", "invariant: !(moving && door_open)"]),
    ("peterson", &[]),
    ("producer-consumer", &[]),
    ("readers-writers", &[]),
    ("records", &[]),
    ("stale-check", &["--property", "assertions"]),
    ("token-ring", &[]),
    ("traffic-lights", &["--property", "invariant: safe"]),
    ("workers", &[]),
];

/// The lines of the cause, and of the model, that it names.
fn named_lines(folder: &Folder, options: &[&str]) -> (String, Vec<u64>) {
    let shown = folder.homing(&[&["check", "m.pml"], options].concat()).ends_with(1).stdout;
    let (_, why) = shown.split_once("\n  why:\n").unwrap_or_else(|| panic!("no cause in\n{shown}"));
    let why = why.split("\n\n").next().unwrap_or_default();
    let replayed: Value =
        serde_json::from_str(&folder.homing(&["replay", "m.pml", "--json"]).ends_with(1).stdout).expect("JSON");
    let line_of = |step: u64| replayed["steps"][step as usize - 1]["line"].as_u64().expect("a line");
    let numbers = |after: &str| -> Vec<u64> {
        let rest = why.split(after).skip(1);
        rest.filter_map(|rest| rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()).collect()
    };
    let mut lines: Vec<u64> = numbers("step ").into_iter().map(line_of).collect();
    lines.extend(numbers("waits at m.pml:"));
    (why.to_owned(), lines)
}

#[test]
fn the_cause_names_the_planted_line() {
    for (name, options) in MODELS {
        let path = format!("{}/tests/first_models/{name}.pml", env!("CARGO_MANIFEST_DIR"));
        let text = fs::read_to_string(path).expect("a model");
        let planted = 1 + text.lines().position(|line| line.contains("planted")).expect("a planted bug") as u64;
        let folder = Folder::new(&format!("first-{name}")).file("m.pml", &text);
        let (why, lines) = named_lines(&folder, options);
        assert!(lines.contains(&planted), "{name}: line {planted} is not among {lines:?} of\n{why}");
        assert!(why.lines().count() <= 24, "{name}: more than a screen with the steps\n{why}");
    }
}

/// Each cause in turn, with what is said about it.
#[test]
fn a_cause_is_followed_to_its_origin() {
    for (name, parts) in [
        // a chain of messages is followed to the first send
        ("election", &["step 8, Node(2): link[(me + 1) % N]!number"][..]),
        // the writes of a counter are listed, or the last one is named
        ("producer-consumer", &["step 16, Producer(0): count <= SIZE"]),
        // how a process of a deadlock came there, and what the others hold
        ("readers-writers", &["waits at m.pml:15>7", "wrt = 0  (step 6, Reader(1): wrt--)", "Reader(1): readers--"]),
        // who terminated without the message that is waited for
        ("workers", &["Worker(2) could have, but terminated without it  (after step ", "Worker(2): n == 2)"]),
    ] {
        let path = format!("{}/tests/first_models/{name}.pml", env!("CARGO_MANIFEST_DIR"));
        let folder = Folder::new(&format!("origin-{name}")).file("m.pml", fs::read_to_string(path).expect("a model"));
        let (why, _) = named_lines(&folder, &[]);
        assert!(name != "workers" || !why.contains("hint:"), "it does not wait like a server\n{why}");
        parts.iter().for_each(|part| assert!(why.contains(part), "{part:?} is not in\n{why}"));
        assert!(why.lines().zip(why.lines().skip(1)).all(|(line, next)| {
            let indent = |line: &str| line.len() - line.trim_start().len();
            !line.ends_with("written by") || indent(next) > indent(line)
        }));
    }
}

/// The steps of a loop `for` are conditions on its variable, not the variable alone; one line is never left out alone.
#[test]
fn steps_are_readable() {
    for (name, options) in MODELS {
        let path = format!("{}/tests/first_models/{name}.pml", env!("CARGO_MANIFEST_DIR"));
        let folder = Folder::new(&format!("readable-{name}")).file("m.pml", fs::read_to_string(path).expect("a model"));
        let shown = folder.homing(&[&["check", "m.pml"], *options].concat()).ends_with(1).stdout;
        assert!(!shown.contains("(1 step left out)"), "{shown}");
        assert!(shown.lines().all(|line| line.split_whitespace().next_back() != Some("i")), "{shown}");
    }
}
