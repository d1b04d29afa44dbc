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

/// The first line of the cause, and the steps that matter, by number.
fn summary(name: &str, text: &str, arguments: &[&str]) -> (String, Vec<usize>) {
    let folder = Folder::new(&format!("story-summary-{name}")).file("m.pml", text);
    let options = ["check", "m.pml", "--shortest"];
    let shown = folder.homing(&[&options, arguments].concat()).ends_with(1).stdout;
    let (_, why) = shown.split_once("\n  why:\n").unwrap_or_else(|| panic!("no cause in\n{shown}"));
    let replayed: Value =
        serde_json::from_str(&folder.homing(&["replay", "m.pml", "--json"]).ends_with(1).stdout).expect("JSON");
    let first = why.lines().next().unwrap_or_default().trim().to_owned();
    assert_eq!(replayed["why"]["summary"], *first, "{shown}");
    let json = folder.homing(&[&options, arguments, &["--json"]].concat()).ends_with(1);
    assert_eq!(json.results()[0]["error"]["summary"], *first);
    let steps = replayed["steps"].as_array().expect("steps").iter();
    let needed =
        steps.filter(|step| step["needed"] == true).map(|step| step["step"].as_u64().expect("a number") as usize);
    (first, needed.collect())
}

#[test]
fn a_stale_check_is_named_and_its_test_matters() {
    let text = "bool present = true;\nactive proctype Q() { end: present; assert(present) }\nactive proctype R() { present = false }\n";
    let (first, needed) = summary("stale", text, &["--property", "assertions"]);
    let sentence =
        "Q(0) tested present at step 1, R(1) set present = 0 at step 2, and Q(0) did not test again before step 3.";
    assert_eq!((first.as_str(), &needed[..]), (sentence, &[1, 2, 3][..]));
    let folder = Folder::new("story-summary-stale").file("m.pml", text);
    folder.homing(&["check", "m.pml", "--property", "assertions", "--quiet"]).ends_with(1);
    let replayed: Value =
        serde_json::from_str(&folder.homing(&["replay", "m.pml", "--json"]).ends_with(1).stdout).expect("JSON");
    let stale = &replayed["why"]["stale"];
    let expected = serde_json::json!({
        "process": "Q(0)", "conditions": ["present"], "held": true, "tested_at": 1, "changed_at": 2,
        "changed_by": "R(1)", "statement": "present = false", "wrote": ["present = 0"], "relied_on_at": 3
    });
    assert_eq!(*stale, expected);
}

#[test]
fn an_else_is_a_test_too() {
    let text = "byte n;\nactive proctype P() {\n  if\n  :: n > 0\n  :: else -> assert(n == 0)\n  fi\n}\nactive proctype Q() { n = 1 }\n";
    let (first, needed) = summary("else", text, &["--property", "assertions"]);
    let sentence =
        "P(0) found n > 0 false at step 1, Q(1) set n = 1 at step 2, and P(0) did not test again before step 3.";
    assert_eq!((first.as_str(), &needed[..]), (sentence, &[1, 2, 3][..]));
}

#[test]
fn a_test_that_is_repeated_is_not_stale() {
    // the assertion is wrong whatever was tested
    let text =
        "byte n = 3;\nactive proctype P() { n > 1; n > 2; n--; assert(n == 3) }\nactive proctype Q() { n == 9 }\n";
    let (first, _) = summary("repeated", text, &["--property", "assertions"]);
    assert_eq!(first, "P(0) executed assert(n == 3) at step 4, but n = 2 since step 3 (P(0): n--).");
}

#[test]
fn every_kind_of_error_opens_with_a_sentence() {
    let ring = "bool a, b;\nactive proctype P() { atomic { !a -> a = true }; atomic { !b -> b = true }; a = false; b = false }\n\
                active proctype Q() { atomic { !b -> b = true }; atomic { !a -> a = true }; a = false; b = false }\n";
    let division = "byte x = 4, y;\nactive proctype P() { x = 3; x = x / y }\n";
    let off = "active proctype P() {\n  do\n  :: false\n  od\n}\n";
    let server = "chan c = [1] of { byte };\nactive proctype S() {\n  byte m;\n  c?m\n}\n";
    let counter = "byte x, y = 7;\nactive proctype P() { x = 1; x = 2; x = 3 }\nltl low { [] (x < 2 && y == 7) }\nltl one { [] (x == 1 -> <> (y == 8)) }\n";
    let spin = "byte x = 1, y;\nactive proctype P() { do :: x = 1 - x od }\nactive proctype Q() { y = 1 }\nltl up { <> (y == 1) }\n";
    for (name, text, arguments, sentence) in [
        ("ring", ring, &[][..], "All processes wait: P(0) for Q(1), Q(1) for P(0), in a circle."),
        (
            "division",
            division,
            &[],
            "P(0) executed x = x / y at step 2: division by zero, where x = 3 since step 1 (P(0): x = 3) and y = 0 from the start.",
        ),
        ("off", off, &[], "No process can move: P(0) waits at m.pml:2, where every guard is constant and never true."),
        (
            "server",
            server,
            &[],
            "No process can move: S(0) waits at m.pml:4 for c?m (no process will ever send this on c).",
        ),
        (
            "invariant",
            counter,
            &["--property", "invariant: x < 2 && y == 7"],
            "x < 2 && y == 7 is false after step 2, P(0): x = 2, where x = 2 since step 2 (P(0): x = 2).",
        ),
        (
            "always",
            counter,
            &["--property", "low"],
            "After step 2, P(0): x = 2, no continuation satisfies the formula, because x = 2 since step 2 (P(0): x = 2).",
        ),
        (
            "ends",
            counter,
            &["--property", "one"],
            "After step 4 nothing moves any more: all processes have terminated.",
        ),
        (
            "cycle",
            spin,
            &["--property", "up"],
            "Steps 1 to 2 repeat forever, and y == 1, which the formula waits for, never comes; Q(1) could move and never does.",
        ),
    ] {
        let (first, _) = summary(name, text, arguments);
        assert_eq!(first, sentence, "{name}");
    }
}

#[test]
fn planted_races_are_named_in_the_first_line() {
    for (name, sentence) in [
        (
            "buffer",
            "Consumer(4) tested count > 0 at step 19, Consumer(3) set count = 0 at step 26, and Consumer(4) did not test again before step 30.",
        ),
        (
            "bank",
            "Transfer(1) set account[0] = 90 at step 5, and Transfer(2) overwrote that at step 8 without having read it.",
        ),
    ] {
        let path = format!("{}/tests/first_models/{name}.pml", env!("CARGO_MANIFEST_DIR"));
        let (first, _) = summary(name, &std::fs::read_to_string(path).expect("a model"), &[]);
        assert_eq!(first, sentence, "{name}");
    }
}

#[test]
fn a_formula_has_the_cause_that_an_invariant_has() {
    let text = "mtype = { I, M };\nmtype st[2];\nactive proctype P() { st[0] = I; st[0] = M }\n\
                ltl coherent { [] !(st[0] == M && st[1] != I) }\n";
    let shown = story("formula", text, &["--property", "coherent"]);
    has(why(&shown), &["st[0] = M (step 2, P(0): st[0] = M)", "st[1] = 0 (initial value)"]);
    let folder = Folder::new("story-formula").file("m.pml", text);
    folder.homing(&["check", "m.pml", "--property", "coherent", "--quiet"]).ends_with(1);
    let replayed = folder.homing(&["replay", "m.pml"]).ends_with(1).stdout;
    has(&replayed, &["st[0] = M  (step 2, P(0): st[0] = M)", "st[1] = 0  (initial value)"]);
}

#[test]
fn where_nothing_moves_any_more_each_process_says_what_it_waits_for() {
    let text = "byte x, y;\nactive proctype P() { x = 1; end: y == 1 }\nltl up { <> (x == 2) }\n";
    let shown = story("nothing-moves", text, &["--property", "up"]);
    has(&shown, &["-- from here on nothing moves --"]);
    has(
        why(&shown),
        &["After step 1 nothing moves any more: P(0) waits at m.pml:2 for y == 1", "blocked: needs y == 1, but y = 0"],
    );
}

#[test]
fn the_process_that_failed_stands_at_the_statement_that_failed() {
    let text = "byte x;\nactive proctype P() {\n  x = 1;\n  assert(x == 0);\n  x = 2\n}\n";
    has(&story("failed-place", text, &[]), &["final state:\nx = 1\nP(0) at m.pml:4"]);
    has(&story("failed-place", text, &["-v"]), &["P(0) at m.pml:4"]);
}

#[test]
fn a_lasso_begins_at_the_head_of_the_loop() {
    let text =
        "byte x;\nactive proctype P() {\n  do\n  :: x < 100; x++; x > 0; x--\n  od\n}\nltl p { [] <> (x == 5) }\n";
    let shown = story("head", text, &["--property", "p"]);
    has(&shown, &["0 statements, then a cycle of 4 statements; shortest possible\n", "1 P(0) m.pml:4 x < 100\n"]);
    for theory in ["product", "claim", "lasso"] {
        assert!(!shown.contains(theory), "{theory:?} is in\n{shown}");
    }
    // the value of a dead local settles in the first round
    let dead = "byte x;\nactive proctype P() { byte v = 1; do :: v = 2; x = v; x = 0 od }\nltl p { []<>(x == 5) }\n";
    let shown = story("dead", dead, &["--property", "p"]);
    has(&shown, &["0 statements, then a cycle of 3 statements; shortest possible\n"]);
}

/// No line is longer than COLUMNS, and without it lines are as long as they are.
#[test]
fn lines_fit_the_width() {
    let text = std::fs::read_to_string(format!("{}/tests/first_models/buffer.pml", env!("CARGO_MANIFEST_DIR")));
    let folder = Folder::new("story-width").file("buffer.pml", text.expect("a model"));
    for columns in ["60", "80", "100"] {
        let width: usize = columns.parse().expect("a number");
        for arguments in [&["check", "buffer.pml"][..], &["check", "buffer.pml", "-v"], &["replay", "buffer.pml"]] {
            let ran = folder.command(arguments).env("COLUMNS", columns).output().expect("homing starts");
            let shown = String::from_utf8(ran.stdout).expect("UTF-8");
            let too_long: Vec<&str> = shown
                .lines()
                .filter(|line| line.chars().count() > width && !line.starts_with("safety: trail written"))
                .collect();
            assert!(too_long.is_empty(), "{columns}: {too_long:#?}");
        }
        let ran = folder.command(&["replay", "buffer.pml", "--chart", "-"]).env("COLUMNS", columns).output();
        let chart = String::from_utf8(ran.expect("homing starts").stdout).expect("UTF-8");
        assert!(chart.lines().all(|line| line.chars().count() <= width), "{columns}:\n{chart}");
    }
    let words = |shown: &str| shown.split_whitespace().collect::<Vec<_>>().join("");
    let steps = |ran: std::process::Output| {
        let shown = String::from_utf8(ran.stdout).expect("UTF-8");
        words(shown.split("\n\n").next().expect("steps"))
    };
    let narrow = folder.command(&["replay", "buffer.pml"]).env("COLUMNS", "60").output().expect("homing starts");
    let wide = folder.command(&["replay", "buffer.pml"]).output().expect("homing starts");
    assert_eq!(steps(narrow), steps(wide), "nothing is left out");
}

#[test]
fn changed_values_are_coloured_and_nothing_else_is_without_colours() {
    let text = "byte x;\nactive proctype P() { x = 1; assert(x == 0) }\n";
    let folder = Folder::new("story-colours").file("m.pml", text);
    let coloured = folder.homing(&["check", "m.pml", "--color", "always"]).ends_with(1).stdout;
    assert!(coloured.contains("\x1b[36mx: 0 -> 1\x1b[0m"), "{coloured:?}");
    assert!(!coloured.contains("\x1b]8"), "links are for terminals");
    assert!(!folder.homing(&["check", "m.pml"]).ends_with(1).stdout.contains('\x1b'));
}
