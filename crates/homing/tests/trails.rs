//! Trail files: when they are written and removed, and the message for one that does not match.

mod program;

use std::fs;

use program::Folder;
use serde_json::{Value, json};

const WRONG: &str = "byte x;\nactive proctype P() { x = 1; x = 2; assert(x == 0) }\n";
const RIGHT: &str = "byte x;\nactive proctype P() { x = 1; x = 2; assert(x == 2) }\n";

/// Two errors: an assertion, and a deadlock elsewhere.
const BOTH: &str = "\
byte x;
active proctype P() {
	if
	:: x = 1; assert(false)
	:: x = 2; x == 0
	fi
}
";

/// A rendezvous, a process that ends, one that is left.
const MEET: &str = "\
chan c = [0] of { byte };
byte got;
active proctype Sender() { c!3; c!4 }
active proctype Taker() { c?got; assert(got == 4) }
";

fn model(test: &str, text: &str) -> Folder {
    Folder::new(&format!("trails_{test}")).file("m.pml", text)
}

/// The names of the files there, sorted.
fn names(folder: &Folder) -> Vec<String> {
    let entries = fs::read_dir(&folder.path).expect("the folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("a file").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn text(folder: &Folder, name: &str) -> String {
    fs::read_to_string(folder.path.join(name)).expect("a text file")
}

/// `homing replay m.pml` refuses the trail, and says so in these words.
#[track_caller]
fn refused(folder: &Folder, trail: &str, parts: &[&str]) {
    let ran = folder.homing(&["replay", "m.pml", trail]).ends_with(2);
    for part in parts {
        assert!(ran.stderr.contains(part), "{part:?} is not in\n{}", ran.stderr);
    }
}

#[test]
fn replay_names_the_trails_of_single_properties() {
    const TWO: &str = "byte x;\nltl a { [] (x < 2) }\nltl b { [] (x < 3) }\nactive proctype P() { do :: x < 5 -> x++ :: else -> break od }\n";
    let folder = model("single", TWO);
    folder.homing(&["check", "m.pml"]).ends_with(1);
    let ran = folder.homing(&["replay", "m.pml"]).ends_with(2);
    assert!(ran.stderr.contains("there is no trail m.pml.trail; give one of"), "{}", ran.stderr);
    assert!(ran.stderr.contains("\n  m.pml.a.trail\n  m.pml.b.trail"), "{}", ran.stderr);
    folder.homing(&["replay", "m.pml", "m.pml.b.trail"]).ends_with(1);
}

#[test]
fn a_trail_is_there_only_while_a_property_fails() {
    let folder = model("there", WRONG);
    let ran = folder.homing(&["check", "m.pml"]).ends_with(1);
    assert!(ran.stdout.contains("trail written to m.pml.trail; replay it with: homing replay m.pml"), "{}", ran.stdout);
    assert_eq!(text(&folder, "m.pml.trail"), "1:0:0\n2:0:1\n3:0:2\n");
    let folder = folder.file("m.pml", RIGHT);
    folder.homing(&["check", "m.pml"]).ends_with(0);
    assert_eq!(names(&folder), ["m.pml"]);
    let ran = folder.homing(&["replay", "m.pml"]).ends_with(2);
    assert!(ran.stderr.contains("there is no trail m.pml.trail"), "{}", ran.stderr);

    // a file that is no trail is kept
    let folder = folder.file("m.pml.trail", "the trail to the hut\n");
    folder.homing(&["check", "m.pml"]).ends_with(0);
    assert_eq!(text(&folder, "m.pml.trail"), "the trail to the hut\n");
    fs::remove_file(folder.path.join("m.pml.trail")).expect("the file");
    fs::create_dir(folder.path.join("m.pml.trail")).expect("a folder");
    folder.homing(&["check", "m.pml"]).ends_with(0);
    assert_eq!(names(&folder), ["m.pml", "m.pml.trail"]);
}

#[test]
fn several_errors_have_a_trail_each() {
    let folder = model("several", BOTH);
    let both = ["check", "m.pml", "--property", "assertions", "--property", "deadlock"];
    let ran = folder.homing(&both).ends_with(1);
    assert_eq!(names(&folder), ["m.pml", "m.pml.assertions.trail", "m.pml.deadlock.trail"]);
    assert!(ran.stdout.contains("replay it with: homing replay m.pml m.pml.deadlock.trail"), "{}", ran.stdout);
    for (name, words) in [("assertions", "assertion violated"), ("deadlock", "invalid end state")] {
        let ran = folder.homing(&["replay", "m.pml", &format!("m.pml.{name}.trail")]).ends_with(1);
        assert!(ran.stdout.contains(words), "{}", ran.stdout);
    }
    // one property holds now: the other one's trail has the default name
    let folder = folder.file("m.pml", BOTH.replace("assert(false)", "skip"));
    folder.homing(&both).ends_with(1);
    assert_eq!(names(&folder), ["m.pml", "m.pml.trail"]);
    let folder = folder.file("m.pml", BOTH);
    folder.homing(&both).ends_with(1);
    assert_eq!(names(&folder), ["m.pml", "m.pml.assertions.trail", "m.pml.deadlock.trail"]);
    let folder = folder.file("m.pml", RIGHT);
    folder.homing(&both).ends_with(0);
    assert_eq!(names(&folder), ["m.pml"]);
    let folder = folder.file("m.pml", BOTH);
    folder.homing(&[&both[..], &["--trail", "t.json"]].concat()).ends_with(1);
    assert_eq!(names(&folder), ["m.pml", "t.assertions.json", "t.deadlock.json"]);
}

#[test]
fn our_own_format() {
    let folder = model("json", MEET);
    folder.homing(&["check", "m.pml", "--trail", "m.json"]).ends_with(1);
    folder.homing(&["check", "m.pml"]).ends_with(1);
    let document: Value = serde_json::from_str(&text(&folder, "m.json")).expect("JSON");
    assert_eq!((&document["homing_trail"], &document["model"]), (&json!(1), &json!("m.pml")));
    assert_eq!((&document["property"], &document["length"]), (&json!("safety"), &json!(3)));
    assert_eq!(document["error"]["kind"], "assertion");
    assert_eq!(document["initial"]["globals"][1], json!({ "name": "got", "value": "0" }));
    assert_eq!(document["steps"][1]["changes"], json!([{ "name": "got", "before": "0", "after": "3" }]));
    let played = |trail: &str| folder.homing(&["replay", "m.pml", trail]).ends_with(1).stdout;
    assert_eq!(played("m.json"), played("m.pml.trail"));

    let folder = folder.file("m.pml", MEET.replace("3", "4"));
    folder.homing(&["check", "m.pml", "--trail", "m.json"]).ends_with(1);
    let folder = folder.file("m.pml", "active proctype P() { skip }\n");
    folder.homing(&["check", "m.pml", "--trail", "m.json"]).ends_with(0);
    assert_eq!(names(&folder), ["m.pml", "m.pml.trail"]);
}

#[test]
fn a_trail_that_cannot_be_written_does_not_hide_the_error() {
    let folder = model("unwritable", WRONG);
    for arguments in [&["--trail", "missing/t.trail"][..], &["--trail", "."]] {
        let ran = folder.homing(&[&["check", "m.pml", "--json"], arguments].concat()).ends_with(1);
        assert!(ran.stderr.contains("cannot write the trail"), "{}", ran.stderr);
        assert_eq!(ran.results()[0]["verdict"], "violated");
        assert_eq!(ran.results()[0]["trail"]["file"], Value::Null);
    }
}

#[test]
fn the_model_is_not_overwritten() {
    let folder = model("overwrite", WRONG);
    for command in [&["check", "m.pml", "--trail", "./m.pml"][..], &["simulate", "m.pml", "--trail", "m.pml"]] {
        let ran = folder.homing(command).ends_with(2);
        assert!(ran.stderr.contains("m.pml is the model"), "{}", ran.stderr);
        assert_eq!(ran.stdout, "");
    }
    let ran = folder.homing_with_input(&["simulate", "m.pml", "-i"], "s m.pml\nq\n").ends_with(0);
    assert!(ran.stdout.contains("m.pml is the model"), "{}", ran.stdout);
    assert_eq!(text(&folder, "m.pml"), WRONG);
}

/// It reads like a trail without steps, and must not be removed where a property holds.
#[cfg(unix)]
#[test]
fn the_null_device_stays() {
    let folder = model("null", RIGHT);
    std::os::unix::fs::symlink("/dev/null", folder.path.join("null")).expect("a link");
    folder.homing(&["check", "m.pml", "--trail", "null"]).ends_with(0);
    assert_eq!(names(&folder), ["m.pml", "null"]);
}

#[test]
fn names_that_a_shell_would_split() {
    let folder = Folder::new("trails_names").file("it's a model.pml", WRONG);
    let ran = folder.homing(&["check", "it's a model.pml"]).ends_with(1);
    assert!(ran.stdout.contains(r"replay it with: homing replay 'it'\''s a model.pml'"), "{}", ran.stdout);
    folder.homing(&["replay", "it's a model.pml"]).ends_with(1);
}

#[test]
fn broken_trails_are_refused_with_the_step_and_the_reason() {
    let rows: &[(&str, &[u8], &[&str])] = &[
        ("empty", b"", &["after step 0", "without an error", "incomplete"]),
        ("cut_after_a_line", b"1:0:0\n2:1:3\n", &["after step 2", "without an error", "incomplete"]),
        ("cut_in_a_line", b"1:0:0\n2:1:3\n3:1", &["line 3", "`3:1`"]),
        ("cut_in_a_number", b"1:0:0\n2:1:3\n3:1:\n", &["line 3", "`3:1:`"]),
        ("half_a_rendezvous", b"1:0:0\n", &["step 1", "two halves of a rendezvous"]),
        ("wrong_pid", b"1:7:0\n2:1:3\n", &["step 1", "no process 7", "only 0 to 1"]),
        ("wrong_receiver", b"1:0:0\n2:0:1\n", &["step 1", "no process receives", "Sender(0)", "c!3"]),
        ("other_process", b"1:0:0\n2:1:3\n3:0:4\n", &["step 3", "transition 4", "Taker", "Sender(0)"]),
        ("not_yet", b"1:0:0\n2:1:3\n3:1:5\n", &["step 3", "Taker(1)", "cannot execute"]),
        ("blocked", b"1:0:0\n2:1:3\n3:0:1\n", &["step 3", "Sender(0)", "c!4", "no process is ready to receive on c"]),
        ("unknown_transition", b"1:0:0\n2:1:3\n3:1:999\n", &["step 3", "no transition 999"]),
        ("gap", b"1:0:0\n3:1:3\n", &["line 2", "step 3 follows step 1"]),
        ("no_start", b"2:0:0\n", &["line 1", "step 2 follows step 0"]),
        ("negative", b"1:-1:0\n", &["line 1", "-1 is neither"]),
        ("binary", b"\x7fELF\x02\x01\x01\x00\xff\xfe", &["not a text file"]),
        ("prose", b"it went wrong\n", &["line 1", "step:pid:transition", "it went wrong"]),
        ("json_cut_off", b"{ \"homing_trail\": 1, \"model\": ", &["not a trail of homing"]),
        ("json_other", b"{ \"name\": 1 }", &["not a trail of homing"]),
    ];
    let folder = model("broken", MEET);
    folder.homing(&["check", "m.pml", "--quiet"]).ends_with(1);
    assert_eq!(text(&folder, "m.pml.trail"), "1:0:0\n2:1:3\n3:1:4\n", "the rows are made from this");
    let folder = rows.iter().fold(folder, |folder, (name, bytes, _)| folder.file(name, bytes));
    for (name, _, parts) in rows {
        refused(&folder, name, &[&[*name], *parts].concat());
    }
    refused(&folder, "missing.trail", &["no trail missing.trail", "homing check"]);
    refused(&folder, ".", &["cannot read ."]);
}

#[test]
fn trails_of_another_model() {
    let other = "byte x;\nactive proctype P() { x == 1; x = 2; assert(x == 0) }\n";
    let folder = model("other", other).file("m.pml.trail", "1:0:0\n2:0:1\n3:0:2\n");
    refused(&folder, "m.pml.trail", &["step 1", "P(0) cannot execute `x == 1`", "needs x == 1, but x = 0"]);
    let folder = folder.file("m.pml", RIGHT);
    refused(&folder, "m.pml.trail", &["after step 3", "without an error", "another model"]);
    let failing = "byte x;\nactive proctype P() { x = 1; x = 2 / (x - 1); skip }\n";
    refused(
        &folder.file("m.pml", failing),
        "m.pml.trail",
        &["step 3", "continues after the run failed", "division by zero"],
    );
}

/// Written by SPIN 6.5.2 and what it generates: `pan`, `pan -a`, `pan` with -DBFS.
#[test]
fn trails_of_pan() {
    let jump = "byte x, t = 1;\nactive proctype P() {\n\tdo\n\t:: atomic { x = 1 -> if :: x != t :: x == t -> break fi }\n\t\
                :: x == 5 -> skip\n\tod;\n\tx = 2;\n\tassert(false)\n}\n";
    let lasso =
        "active proctype P() {\n\tbyte a, b;\n\tdo\n\t:: a = (a + 1) % 3; b = 2 * a; accept: skip; b--\n\tod\n}\n";
    let young = "chan c = [1] of { byte };\nbyte x;\nproctype W() { x = 1; c?1 }\ninit { run W(); x = 2 }\n";
    let claimed = "byte x;\nactive proctype P() { x = 1; x = 2; x = 3 }\nnever { do :: x == 2 -> break :: else od }\n";
    let rounds = "-1:-1:-1\n1:0:0\n2:0:1\n3:0:2\n4:0:3\n5:0:0\n6:0:1\n7:0:2\n8:0:3\n9:0:0\n10:0:1\n11:0:2\n12:0:3\n";
    for (name, text, trail, words) in [
        (
            "a jump that only merging makes",
            jump,
            "-4:-4:-4\n1:0:0\n2:0:2\n3:0:11\n4:0:12\n5:0:13\n",
            "assertion violated",
        ),
        ("a variable that is dead where the cycle closes", lasso, rounds, "steps from 1 on repeat forever"),
        ("the statement tried after a deadlock", young, "1:0:3\n2:1:0\n3:0:4\n4:0:5\n", "invalid end state"),
        ("a claim whose moves are left out", claimed, "-2:1:-2\n-4:-4:-4\n1:1:0\n2:1:1\n", "the claim reached its end"),
    ] {
        let folder = model("pan", text).file("m.pml.trail", trail);
        let ran = folder.homing(&["replay", "m.pml"]);
        assert_eq!(ran.code, Some(1), "{name}: {}", ran.stderr);
        assert!(ran.stdout.contains(words), "{name}: {}", ran.stdout);
    }
}

#[test]
fn a_graph_takes_any_run() {
    let folder = model("graph", RIGHT).file("m.pml.trail", "1:0:0\n2:0:1\n");
    let ran = folder.homing(&["graph", "m.pml", "--trail", "m.pml.trail"]).ends_with(0);
    assert!(ran.stdout.starts_with("digraph"), "{}", ran.stdout);
}

/// A lasso, a violated formula and a never claim replay from homing's format as from SPIN's.
#[test]
fn documents_of_claims_replay() {
    let claim = "byte x;\nactive proctype P() { do :: x = 1 - x od }\nnever { T0: do :: true :: x == 1 -> goto acc od; acc: do :: true; accept: x < 2 od }\n";
    let ends = "byte x;\nactive proctype P() { x = 1; x = 2; x = 3 }\nnever { do :: x == 2 -> break :: else od }\n";
    let formulas =
        "byte x;\nactive proctype P() { do :: x = 1 - x od }\nltl up { <> (x == 5) }\nltl low { [] (x == 0) }\n";
    for (name, text, property, ending) in [
        ("lasso", formulas, "up", "cycle"),
        ("prefix", formulas, "low", "claim"),
        ("typed", formulas, "ltl: [] (x == 0)", "claim"),
        ("never", claim, "acceptance", "cycle"),
        ("never-ends", ends, "acceptance", "claim"),
    ] {
        let folder = model(&format!("documents-{name}"), text);
        let checked = folder.homing(&["check", "m.pml", "--property", property, "--trail", "m.json", "--json"]);
        let result = checked.ends_with(1).results()[0].clone();
        let document: Value = serde_json::from_str(&self::text(&folder, "m.json")).expect("JSON");
        assert_eq!(document["cycle_start"].is_null(), ending != "cycle", "{name}");
        if name != "never" {
            assert_eq!(document["cycle_start"], result["trail"]["cycle_start"], "{name}");
        }
        let replayed = folder.homing(&["replay", "m.pml", "m.json", "--json"]).ends_with(1);
        let replayed: Value = serde_json::from_str(&replayed.stdout).expect("JSON");
        assert_eq!(replayed["ending"], ending, "{name}");
        assert_eq!(replayed["cycle_start"], document["cycle_start"], "{name}");
    }
}

#[test]
fn our_own_trails_know_their_model() {
    let folder = model("stale", WRONG);
    folder.homing(&["check", "m.pml", "--trail", "m.json"]).ends_with(1);
    let written = text(&folder, "m.json");
    // other text, same run: it is played
    let folder = folder.file("m.pml", format!("/* seen */ {WRONG}"));
    let ran = folder.homing(&["replay", "m.pml", "m.json"]).ends_with(1);
    assert!(ran.stderr.contains("a different version of the model; replaying anyway"), "{}", ran.stderr);
    let folder = folder.file("m.pml", WRONG.replace("x = 2", "x == 2"));
    refused(&folder, "m.json", &["step 2", "`x == 2`", "written for a different version of the model"]);

    let folder = folder.file("m.pml", WRONG);
    for (name, from, to, parts) in [
        ("version.json", "\"homing_trail\": 1", "\"homing_trail\": 9", &["version 9"][..]),
        ("length.json", "\"length\": 3", "\"length\": 4", &["3 steps", "instead of 4"]),
        ("gap.json", "\"step\": 2", "\"step\": 3", &["step 3 follows step 1"]),
        ("pid.json", "\"pid\": 0", "\"pid\": 5", &["step 1", "no process 5"]),
    ] {
        let changed = written.replace(from, to);
        assert_ne!(changed, written, "{name}");
        fs::write(folder.path.join(name), changed).expect("a file");
        refused(&folder, name, parts);
    }
    for end in [written.len() / 2, written.len() - 3] {
        fs::write(folder.path.join("cut.json"), &written[..end]).expect("a file");
        refused(&folder, "cut.json", &["not a trail of homing"]);
    }
}
