//! The story of a counterexample: the user's own text, values, folded loops, and a cause that names the bug.

mod program;

use program::Folder;
use serde_json::Value;

/// What `check` prints for a model that is violated, with single blanks.
fn story(name: &str, text: &str, arguments: &[&str]) -> String {
    let folder = Folder::new(&format!("story-{name}")).file("m.pml", text);
    let shown = folder.homing(&[&["check", "m.pml", "--shortest"], arguments].concat()).ends_with(1).stdout;
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    shown.lines().map(words).collect::<Vec<_>>().join("\n")
}

/// The lines of the cause.
fn why(story: &str) -> &str {
    let (_, why) = story.split_once("\nwhy:\n").unwrap_or_else(|| panic!("no cause in\n{story}"));
    why.split("\n\n").next().unwrap_or_default()
}

#[track_caller]
fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
}

/// Models with a planted bug, and the statement that the cause has to name.
const PLANTED: &[(&str, &str, &[&str], &[&str])] = &[
    (
        "peterson",
        "bool flag[2];\nbyte turn, critical;\nactive [2] proctype P() {\n  byte other = 1 - _pid;\n  do\n  :: turn = other;\n     flag[_pid] = true;\n     !(flag[other] && turn == other);\n     critical++;\n     assert(critical == 1);\n     critical--;\n     flag[_pid] = false\n  od\n}\n",
        &[],
        &["critical = 2, written by", "P(0): critical++", "P(1): critical++", "flag[_pid] = true"],
    ),
    (
        "index",
        "byte a[3], i;\nactive proctype P() {\n  i = 1;\n  do\n  :: i <= 3 -> a[i] = 1; i++\n  od\n}\n",
        &[],
        &["a[i] cannot be evaluated", "i = 3, written by", "P(0): i++"],
    ),
    (
        "copied-element",
        "byte buf[2], x;\nactive proctype P() {\n  buf[1] = 7;\n  buf[0] = 3;\n  x = buf[0];\n  assert(x == 7)\n}\n",
        &[],
        &["x = 3 (step 3, P(0): x = buf[0])", "buf[0] = 3 (step 2, P(0): buf[0] = 3)"],
    ),
    (
        "message",
        "chan c = [2] of { byte, byte };\nactive proctype P() { byte v = 1; v = v + 4; c!1,v }\nactive proctype Q() { byte i, w; c?i,w; assert(w == 1) }\n",
        &[],
        &["w = 5 (step 3, Q(1): c?i,w)", "5 was sent to c (step 2, P(0): c!1,v)", "v = 5 (step 1, P(0): v = v + 4)"],
    ),
    (
        "rendezvous",
        "chan c = [0] of { byte };\nactive proctype P() { byte v; v = 4; c!v }\nactive proctype Q() { byte w; c?w; assert(w == 1) }\n",
        &[],
        &["w = 4 (step 3, Q(1): c?w)", "4 was sent to c (step 2, P(0): c!v)", "v = 4 (step 1, P(0): v = 4)"],
    ),
    (
        "length",
        "chan c = [2] of { byte };\nactive proctype P() { c!1 }\nactive proctype Q() { len(c) > 0; assert(len(c) == 0) }\n",
        &[],
        &["len(c) is 1", "1 was sent to c (step 1, P(0): c!1)"],
    ),
    (
        "lost-update",
        "byte n, done;\nproctype Add(byte by) { byte t; t = n; n = t + by; done++ }\ninit { atomic { run Add(1); run Add(2) }; done == 2; assert(n == 3) }\n",
        &[],
        &["lost: n = ", "n = t + by), overwritten", "t = n"],
    ),
    (
        "label",
        "byte lock;\nactive [2] proctype P() { do :: lock == 0; lock = 1; cs: skip; lock = 0 od }\n",
        &["--property", "invariant: !(P[0]@cs && P[1]@cs)"],
        &["P[0]@cs is true (step", "P[1]@cs is true (step", "lock = 1"],
    ),
    (
        "remote-variable",
        "active proctype P() { byte t; t = 1; t = 2 }\n",
        &["--property", "invariant: P[0]:t < 2"],
        &["P[0]:t = 2 (step 2, P(0): t = 2)"],
    ),
    (
        "d-step-blocked",
        "byte x;\nactive proctype P() { x = 2; d_step { skip; x == 3; x = 0 } }\n",
        &[],
        &["x == 3 is false", "x = 2 (step 1, P(0): x = 2)"],
    ),
];

#[test]
fn the_cause_names_the_bug() {
    for (name, text, arguments, parts) in PLANTED {
        has(why(&story(name, text, arguments)), parts);
    }
}

#[test]
fn a_deadlock_has_its_circle() {
    let text = "bool a, b;\nactive proctype P() { atomic { !a -> a = true }; atomic { !b -> b = true }; a = false; b = false }\n\
                active proctype Q() { atomic { !b -> b = true }; atomic { !a -> a = true }; a = false; b = false }\n";
    let story = story("circle", text, &[]);
    has(why(&story), &["circle of waiting: P(0) -> Q(1) -> P(0)", "!b blocked: needs !b, but b = 1 (step"]);
}

#[test]
fn a_server_that_waits_is_advised_an_end_label() {
    let text = "chan c = [1] of { byte };\nactive proctype Server() {\n  byte m;\n  do\n  :: c?m\n  od\n}\nactive proctype Client() { c!1 }\n";
    let story = story("server", text, &[]);
    let advice = "hint: if waiting here is fine, put an `end` label in front of line";
    has(why(&story), &["Server(0) waits at m.pml:5", "no process will ever send this on c", advice]);
    let circle = "chan c = [0] of { byte }; chan d = [0] of { byte };\nactive proctype P() { do :: c?1; d!1 od }\n\
                  active proctype Q() { do :: d?1; c!1 od }\n";
    let story = self::story("no-server", circle, &[]);
    assert!(!story.contains("`end` label"), "{story}");
    has(why(&story), &["circle of waiting: P(0) -> Q(1) -> P(0)"]);
}

#[test]
fn steps_have_the_text_of_the_user_and_values() {
    let text = "#define N 3\nbyte x, y;\ninline up(v, by) { v = v + by; v++ }\n\
                active proctype P() {\n  do\n  :: x < N -> x++ /* one more */\n  :: else -> break\n  od;\n  up(y, 2);\n  y = 300;\n  skip;\n  assert(x != N)\n}\n";
    let story = story("text", text, &["-v"]);
    has(
        &story,
        &[
            "m.pml:6 x < N\n",
            "m.pml:6 x++ x: 0 -> 1",
            "m.pml:7 else\n",
            "m.pml:9>3 up(y, 2): y = y + 2 y: 0 -> 2",
            "m.pml:9>3 up(y, 2): y++ y: 2 -> 3",
            "m.pml:10 y = 300 y: 3 -> 44\n300 overflows byte y: stored as 44",
            "m.pml:11 skip\n",
            "assert(x != N)",
            "assertion violated: x != 3",
        ],
    );
    for listing in ["(x<3)", "((", ":b", "(1)"] {
        assert!(!story.contains(listing), "{listing:?} is in\n{story}");
    }
}

#[test]
fn loops_and_atomic_runs_are_folded() {
    let text = "byte n;\nproctype W() { atomic { n < 5 -> n++ }; assert(n < 3) }\ninit { byte i; for (i : 1 .. 5) { run W() } }\n";
    let story = story("folded", text, &[]);
    has(&story, &["runs W x ", "n < 5; n++ n: 0 -> 1", "n < 3 is false"]);
    assert!(story.lines().count() < 40, "{story}");
    let all = self::story("unfolded", text, &["-v"]);
    has(&all, &["run W()\n", "n < 5\n"]);
}

#[test]
fn documents_mark_the_steps_that_the_error_depends_on() {
    let text = "byte x, y;\nactive proctype P() { y = 1; x = 2; y = 3; assert(x == 1) }\n";
    let folder = Folder::new("story-needed").file("m.pml", text);
    folder.homing(&["check", "m.pml", "--quiet"]).ends_with(1);
    let shown: Value =
        serde_json::from_str(&folder.homing(&["replay", "m.pml", "--json"]).ends_with(1).stdout).expect("JSON");
    let needed: Vec<&Value> = shown["steps"].as_array().expect("steps").iter().map(|step| &step["needed"]).collect();
    assert_eq!(needed, [false, true, false, true]);
    let cause = &shown["why"]["causes"][0];
    assert_eq!((&cause["kind"], &cause["text"]), (&Value::from("expression"), &Value::from("x == 1")));
    assert_eq!(
        (&cause["causes"][0]["step"], &cause["causes"][0]["statement"]),
        (&Value::from(2), &Value::from("x = 2"))
    );
}
