//! What people meet in their first hour with homing.

mod program;

use std::fs;

use program::Folder;
use serde_json::Value;

/// Process 0 is `init`, not a `W`.
const CREATED: &str = "proctype W() { byte t; t = 1; crit: t = 0 }\ninit { run W(); run W() }\n";

#[test]
fn a_label_of_a_process_of_another_type_is_an_error_of_the_model() {
    let folder = Folder::new("label-of-another-type").file("m.pml", CREATED);
    let asked = ["check", "m.pml", "--json", "--property", "invariant: !(W[0]@crit && W[1]@crit)"];
    let result = folder.homing(&asked).ends_with(1).results()[0].clone();
    assert_eq!(result["error"]["kind"], "runtime-error");
    let message = result["error"]["message"].as_str().expect("a text");
    assert!(message.contains("`W[0]` refers to process 0, which is of type `:init:`"), "{message}");
    let asked = ["check", "m.pml", "--property", "invariant: !(W[1]@crit && W[2]@crit)"];
    folder.homing(&asked).ends_with(1);
}

#[test]
fn every_violated_property_has_a_trail_of_its_own() {
    let text = "byte x; active proctype P() { x = 1; x = 2; x = 1; x = 0 }\n";
    for asked in [&[][..], &["--trail", "t.trail"], &["--trail", "t.json"]] {
        let folder = Folder::new(&format!("two-invariants-{}", asked.len())).file("m.pml", text);
        let both = ["check", "m.pml", "--json", "--property", "invariant: x<1", "--property", "invariant: x>1"];
        let results = folder.homing(&[&both[..], asked].concat()).ends_with(1).results();
        let lengths: Vec<usize> = results
            .iter()
            .map(|result| {
                let file = result["trail"]["file"].as_str().expect("a file");
                let shown = folder.homing(&["replay", "m.pml", file, "--json"]).stdout;
                let shown: Value = serde_json::from_str(&shown).expect("JSON");
                shown["steps"].as_array().expect("steps").len()
            })
            .collect();
        assert_eq!(lengths, [1, 0], "each replays its own run");
    }
}

#[test]
fn the_printed_command_replays_the_trail() {
    let text = "#include \"size.h\"\nbyte x;\nactive proctype P() { do :: x < N -> x++ :: else -> break od; assert(x != LIMIT) }\n";
    let folder = Folder::new("printed-command").file("a model.pml", text);
    fs::create_dir(folder.path.join("sub dir")).expect("a folder");
    let folder = folder.file("sub dir/size.h", "#define LIMIT 5\n");
    let ran = folder.homing(&["check", "a model.pml", "-DN=2 + 3", "-I", "sub dir"]).ends_with(1);
    let (_, command) = ran.stdout.split_once("replay it with: homing ").expect("a command");
    let words = words(command.lines().next().expect("a line"));
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    folder.homing(&words).ends_with(1);
}

/// The words of a command, of which some are quoted.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut word, mut is_quoted) = (Vec::new(), String::new(), false);
    for c in command.chars() {
        match c {
            '\'' => is_quoted = !is_quoted,
            ' ' if !is_quoted => words.push(std::mem::take(&mut word)),
            c => word.push(c),
        }
    }
    words.push(word);
    words
}
