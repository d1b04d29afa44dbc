//! `homing replay` on the trails that `homing check` writes: steps, cause of the error, formats.

mod program;

use std::fs;

use program::{Folder, Ran};
use serde_json::{Value, json};

/// Two processes that add to a counter, each in two statements; a third says what it should be.
const LOST: &str = "\
byte n, done;
proctype Add(byte by) {
	byte seen;
	seen = n;
	n = seen + by;
	done++
}
init {
	atomic { run Add(1); run Add(2) };
	done == 2;
	assert(n == 3)
}
";

/// A folder with the model `m.pml` and the trail of its one error.
#[track_caller]
fn violated(test: &str, text: &str) -> Folder {
    let folder = Folder::new(&format!("replay_{test}")).file("m.pml", text);
    folder.homing(&["check", "m.pml", "--property", "safety", "--quiet"]).ends_with(1);
    assert!(folder.path.join("m.pml.trail").exists(), "{test}");
    folder
}

#[track_caller]
fn replay(folder: &Folder, code: i32, arguments: &[&str]) -> Ran {
    folder.homing(&[&["replay", "m.pml"], arguments].concat()).ends_with(code)
}

#[track_caller]
fn document(folder: &Folder, arguments: &[&str]) -> Value {
    serde_json::from_str(&replay(folder, 1, &[&["--json"], arguments].concat()).stdout).expect("JSON")
}

/// The text with single blanks: the width of columns varies.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn has(text: &str, parts: &[&str]) {
    let squeezed = squeezed(text);
    for part in parts {
        assert!(squeezed.contains(part), "{part:?} is not in\n{text}");
    }
}

#[test]
fn what_check_writes_is_played_to_the_same_error() {
    let rows: &[(&str, &str, &[&str])] = &[
        (
            "assertion",
            "byte x;\nactive proctype P() { x = 3; assert(x < 3) }\n",
            &[
                "1 P(0) m.pml:2 x = 3 x: 0 -> 3",
                "assertion violated: x < 3",
                "x < 3 is false",
                "x = 3 (step 1, P(0): x = 3)",
            ],
        ),
        (
            "rendezvous",
            "chan c = [0] of { byte };\nactive proctype P() { c!1; c!2 }\nactive proctype Q() { byte y; c?y; c?7 }\n",
            &[
                "1 P(0) m.pml:2 c!1 2 Q(1) m.pml:3 c?y y: 0 -> 1",
                "invalid end state",
                "P(0) waits at m.pml:2 c!2 blocked: no process is ready to receive on c",
                "Q(1) waits at m.pml:3 c?7 blocked: no process is ready to send on c",
            ],
        ),
        (
            "full",
            "chan c = [1] of { byte };\nactive proctype P() { c!1; c!2 }\n",
            &["c!1 c: empty -> [1]", "c!2 blocked: c is full", "c = channel 1 (1/1) [1]"],
        ),
        (
            "empty",
            "chan c = [1] of { byte };\nactive proctype P() { c?1 }\n",
            &["c?1 blocked: c is empty", "0 statements"],
        ),
        (
            "no_match",
            "chan c = [2] of { byte };\nactive proctype P() { c!1; c?2 }\n",
            &["c?2 blocked: no matching message: c holds [1]"],
        ),
        (
            "condition",
            "byte x = 2;\nactive proctype P() { x > 5 }\nactive proctype Q() { end: x == 9 }\n",
            &[
                "x > 5 blocked: needs x > 5, but x = 2",
                "no process will ever change x",
                "Q(1) waits at m.pml:3 (valid end state)",
            ],
        ),
        (
            "runtime",
            "byte a[2], i;\nactive proctype P() { i = 2; a[i] = 1 }\n",
            &[
                "2 P(0) m.pml:2 a[i] = 1",
                "index 2 is out of range: `a` has 2 elements",
                "2 statements",
                "i = 2 (step 1, P(0): i = 2)",
            ],
        ),
        (
            "trace",
            "chan c = [1] of { byte };\nactive proctype P() { c!1; c?_; c!2 }\ntrace { c!1; c!1 }\n",
            &["3 P(0) m.pml:2 c!2", "trace violated"],
        ),
        (
            "trace_rendezvous",
            "chan c = [0] of { byte };\nactive proctype P() { c!1; c!2 }\nactive proctype Q() { c?1; c?2 }\ntrace { c!1; c!1 }\n",
            &["3 P(0) m.pml:2 c!2", "trace violated", "at m.pml:2 in P(0)", "3 statements"],
        ),
        (
            "notrace_rendezvous",
            "chan c = [0] of { byte };\nactive proctype P() { c!1; c!2 }\nactive proctype Q() { c?1; c?2 }\nnotrace { c?1 }\n",
            &["2 Q(1) m.pml:3 c?1", "notrace violated", "at m.pml:3 in Q(1)", "2 statements"],
        ),
        (
            "atomic",
            "byte x;\nactive proctype P() { atomic { x = 1; x = 2; assert(x == 1) } }\nactive proctype Q() { x == 1 }\n",
            &["1 P(0) m.pml:2 x = 1", "2 P(0) m.pml:2 x = 2", "3 P(0) m.pml:2 assert"],
        ),
        (
            "d_step",
            "byte x, y;\nactive proctype P() { d_step { x = 1; y = 4; x = 2 }; assert(x == y) }\n",
            &[
                "d_step { x = 1; y = 4; x = 2 } x: 0 -> 2, y: 0 -> 4",
                "x = 2 (step 1, P(0): d_step { x = 1; y = 4; x = 2 })",
            ],
        ),
        (
            "unless",
            "byte x;\nactive proctype P() { { x = 1; x = 2; x = 3 } unless { x == 2 -> assert(false) } }\n",
            &["x == 2", "4 P(0) m.pml:2 assert(false)"],
        ),
        (
            "processes",
            "byte n;\nproctype W(byte k) { n = n + k }\ninit { run W(4); _nr_pr == 1; run W(5); _nr_pr == 1; assert(n == 0) }\n",
            &[
                "run W(4) W(1):k: 0 -> 4 W(1) starts",
                "-end- W(1) ends",
                "n = 9, written by step 2, W(1): n = n + k (n = 4)",
                "step 6, W(1): n = n + k (n = 9)",
            ],
        ),
        (
            "printf",
            "mtype = { ack };\nactive proctype P() { printf(\"%d and %e\\n\", 7, ack); assert(false) }\n",
            &["> 7 and ack"],
        ),
        (
            "truncation",
            "byte x; bit b; chan c = [1] of { byte };\nactive proctype P() { x = 300; b = 2; c!257; x--; assert(false) }\n",
            &[
                "x: 0 -> 44 300 overflows byte x: stored as 44",
                "2 overflows bit b: stored as 0",
                "257 overflows a field of c: sent as 1",
            ],
        ),
        (
            "start_value",
            "byte x = 5;\nactive proctype P() { assert(x == 1 || x > 8) }\n",
            &["x == 1 is false", "x > 8 is false", "x = 5 (initial value)"],
        ),
        (
            "claims",
            "byte x;\nactive proctype P() { x = 1; assert(x == 2) }\nnever { do :: x == 5 -> break :: else od }\nltl p { [] (x < 3) }\n",
            &["2 P(0) m.pml:2 assert(x == 2)"],
        ),
    ];
    for (name, text, parts) in rows {
        let folder = violated(name, text);
        let ran = replay(&folder, 1, &[]);
        has(&ran.stdout, parts);
        assert_eq!(ran.stderr, "", "{name}");
        let (shown, found) = (document(&folder, &[]), document(&folder, &["--as-found"]));
        for field in ["errors", "length", "ending", "last"] {
            assert_eq!(shown[field], found[field], "{name}: {field}");
        }
        assert!(shown["switches"].as_u64() <= found["switches"].as_u64(), "{name}");
    }
}

#[test]
fn switches_are_few_unless_the_order_is_kept() {
    let text = "byte a, b;\nactive proctype P() { a = 1; a = 2; a = 3; assert(b != 3) }\n\
                active proctype Q() { b = 1; b = 2; b = 3 }\n";
    let folder = violated("switches", text).file("m.pml.trail", "1:1:5\n2:0:0\n3:1:6\n4:0:1\n5:1:7\n6:0:2\n7:0:3\n");
    let found = document(&folder, &["--as-found"]);
    assert_eq!((&found["switches"], &found["switches_as_found"]), (&json!(5), &json!(5)));
    let shown = document(&folder, &[]);
    assert_eq!((&shown["switches"], &shown["switches_as_found"]), (&json!(1), &json!(5)));
    assert_eq!(shown["errors"], found["errors"]);
    has(&replay(&folder, 1, &[]).stdout, &["7 statements, 1 context switch (5 in the trail)"]);
}

#[test]
fn the_document_tells_all() {
    let folder = violated("document", LOST);
    let shown = document(&folder, &[]);
    assert_eq!((&shown["model"], &shown["trail"]), (&json!("m.pml"), &json!("m.pml.trail")));
    assert_eq!((&shown["ending"], &shown["cycle_start"]), (&json!("violation"), &Value::Null));
    assert_eq!(shown["errors"][0]["kind"], "assertion");
    assert_eq!((&shown["errors"][0]["line"], &shown["errors"][0]["process"]), (&json!(11), &json!(":init:(0)")));
    let steps = shown["steps"].as_array().expect("steps");
    assert_eq!(shown["length"], steps.len());
    assert!(steps.iter().enumerate().all(|(at, step)| step["step"] == at + 1));
    let run = &steps[0];
    assert_eq!((&run["process"], &run["line"], &run["pid"]), (&json!(":init:(0)"), &json!(9), &json!(0)));
    assert_eq!(run["changes"], json!([{ "name": "Add(1):by", "before": "0", "after": "1" }]));
    assert_eq!(run["notes"], json!(["Add(1) starts"]));
    let condition = &shown["why"]["condition"];
    assert_eq!(condition[0], json!({ "text": "n == 3", "value": "false", "written_at": null, "written_by": null }));
    let writer = condition[1]["written_at"].as_u64().expect("a step") as usize;
    assert_eq!(steps[writer - 1]["statement"], "n = seen + by");
    assert_eq!(steps[writer - 1]["process"], condition[1]["written_by"]);
    assert_eq!(condition[1]["value"], steps[writer - 1]["changes"][0]["after"]);
    assert_eq!(shown["last"]["globals"][1], json!({ "name": "done", "value": "2" }));
    assert_eq!(shown["why"]["waiting"], json!([]));

    let some = document(&folder, &["--from", "2", "--to", "3"]);
    let numbers: Vec<&Value> = some["steps"].as_array().expect("steps").iter().map(|step| &step["step"]).collect();
    assert_eq!(numbers, [2, 3]);
    assert_eq!(some["why"], shown["why"]);

    let text = "chan c = [1] of { byte };\nactive proctype P() { c!1;\n c!2 }\nactive proctype Q() { c!1 -> skip }\n";
    let waiting = document(&violated("document_waiting", text), &[])["why"]["waiting"].clone();
    let full = json!([{ "statement": "c!2", "line": 3, "waits_for": "c is full", "since": [], "never": "no process will ever receive from c", "missed": [] }]);
    assert_eq!(waiting[0]["process"], "P(0)");
    assert_eq!((&waiting[0]["line"], &waiting[0]["may_end"]), (&json!(3), &json!(false)));
    assert_eq!(waiting[0]["statements"], full);
    assert_eq!(waiting[1]["statements"][0]["line"], 4);
}

#[test]
fn values_that_are_followed() {
    let text = "byte x, a[3];\nproctype W(byte id) { byte mine; mine = id; a[id] = 7; x == id - 1; x = mine }\n\
                init { atomic { run W(1); run W(2) }; x == 2; _nr_pr == 1; assert(a[1] == 0) }\n";
    let folder = violated("values", text);
    for (name, changes) in [
        ("x", &["x: 0 -> 1", "x: 1 -> 2"][..]),
        ("a", &["a[1]: 0 -> 7", "a[2]: 0 -> 7"]),
        ("a[2]", &["a[2]: 0 -> 7"]),
        ("mine", &["mine: 0 -> 1", "mine: 0 -> 2"]),
        ("W(2):mine", &["mine: 0 -> 2"]),
    ] {
        let shown = replay(&folder, 1, &["--values", name]).stdout;
        let steps: Vec<&str> = shown.lines().filter(|line| line.contains(" -> ")).collect();
        assert_eq!(steps.len(), changes.len(), "{name}:\n{shown}");
        changes.iter().for_each(|change| has(&shown, &[change]));
    }
    let shown = replay(&folder, 1, &["--values", "a[0]", "--values", "x"]).stdout;
    assert!(shown.starts_with("x = 0\na[0] = 0\n"), "{shown}");
    for (name, parts) in
        [("X1", &["no variable `X1`", "did you mean `x`?"]), ("W(1):mime", &["no local variable `mime`", "`mine`?"])]
    {
        has(&replay(&folder, 2, &["--values", name]).stderr, parts);
    }
}

#[test]
fn parts_of_a_run() {
    let folder = violated("parts", LOST);
    let whole = replay(&folder, 1, &["--quiet"]).stdout;
    let numbered = |text: &str| -> Vec<String> {
        let number = |line: &str| line.split_whitespace().next().unwrap_or_default().to_owned();
        text.lines().map(number).filter(|word| word.parse::<usize>().is_ok()).collect()
    };
    let all = numbered(&whole);
    assert_eq!(all.last().map(String::as_str), Some(all.len().to_string().as_str()));
    assert_eq!(numbered(&replay(&folder, 1, &["--quiet", "--from", "3", "--to", "5"]).stdout), ["3", "4", "5"]);
    assert_eq!(numbered(&replay(&folder, 1, &["--quiet", "--to", "2"]).stdout), ["1", "2"]);
    assert_eq!(replay(&folder, 1, &["--quiet", "--from", "99"]).stdout, "");
    assert!(!whole.contains("why:"), "{whole}");

    let changes = replay(&folder, 1, &["--diff", "--quiet"]).stdout;
    assert!(changes.lines().all(|line| line.contains(" -> ")), "{changes}");
    let changing = whole.lines().filter(|line| line.contains(" -> ")).count();
    assert_eq!(changes.lines().count(), changing);
    assert!(changing < all.len(), "the condition and the assertion change nothing");
}

#[test]
fn charts() {
    let text = "mtype = { ack };\nchan b = [2] of { mtype, byte }; chan r = [0] of { byte };\n\
                active proctype P() { b!ack,1; b!ack,2; r!5; r!6 }\n\
                active proctype Q() { byte x; r?x; b?ack,x; b?_,x; b?<_,x> }\n";
    let folder = violated("charts", text);
    let shown = replay(&folder, 1, &["--chart"]).stdout;
    has(
        &shown,
        &[
            "P(0) Q(1)",
            "b!ack,1 #1",
            "b: [ack,1]",
            "#1 ──▶ b?ack,1",
            "b: [ack,1][ack,2]",
            "blocked: P(0) r!6",
            "invalid end",
        ],
    );
    let arrow = shown.lines().find(|line| line.contains("r!5")).expect("the rendezvous");
    assert!(arrow.contains("├") && arrow.contains("▶"), "{arrow}");
    let some = replay(&folder, 1, &["--from", "2", "--to", "2", "--chart"]).stdout;
    assert!(some.contains("b!ack,2") && !some.contains("r!5"), "{some}");

    assert_eq!(replay(&folder, 1, &["--chart", "m.svg"]).stdout, "");
    let picture = fs::read_to_string(folder.path.join("m.svg")).expect("the picture");
    assert!(picture.starts_with("<svg ") && picture.trim_end().ends_with("</svg>"), "{picture}");
    for part in ["P(0)", "Q(1)", "b!ack,1", "r!5", "invalid end state"] {
        assert!(picture.contains(part), "{part} is not in\n{picture}");
    }
    replay(&folder, 1, &["--chart", "m.txt"]);
    has(&fs::read_to_string(folder.path.join("m.txt")).expect("the chart"), &["P(0) Q(1)"]);
    has(&replay(&folder, 2, &["--chart", "m.pml"]).stderr, &["m.pml is the model"]);
    let trail = fs::read(folder.path.join("m.pml.trail")).expect("the trail");
    has(&replay(&folder, 2, &["--chart", "m.pml.trail"]).stderr, &["m.pml.trail is a trail"]);
    assert_eq!(fs::read(folder.path.join("m.pml.trail")).expect("the trail"), trail);
    has(&replay(&folder, 2, &["--chart", "missing/m.svg"]).stderr, &["cannot write missing/m.svg"]);
    assert_eq!(fs::read_to_string(folder.path.join("m.pml")).expect("the model"), text);
}

#[test]
fn a_model_from_standard_input() {
    let folder = Folder::new("replay_standard_input");
    let ran = folder.homing_with_input(&["check", "-", "--trail", "t.trail"], LOST).ends_with(1);
    has(&ran.stdout, &["trail written to t.trail"]);
    let ran = folder.homing_with_input(&["replay", "-", "t.trail"], LOST).ends_with(1);
    has(&ran.stdout, &["assertion violated: n == 3"]);
    let ran = folder.homing_with_input(&["check", "-", "--quiet"], LOST).ends_with(1);
    assert_eq!((ran.stderr.as_str(), fs::read_dir(&folder.path).expect("the folder").count()), ("", 1));
}

/// The bound is generous: it takes a tenth of it, unless something is quadratic.
#[test]
fn a_hundred_thousand_steps() {
    let text = "int x;\nactive proctype P() { do :: x < 25000 -> x++; x = x :: else -> break od; assert(x == 0) }\n\
                active proctype Q() { byte y; do :: x < 0 -> break :: y < 200 -> y++; y = y od }\n";
    let folder = Folder::new("replay_long").file("m.pml", text);
    folder.homing(&["check", "m.pml", "--search", "dfs", "--quiet"]).ends_with(1);
    let start = std::time::Instant::now();
    let shown = replay(&folder, 1, &[]).stdout;
    let length = document(&folder, &["--from", "1", "--to", "1"])["length"].as_u64().expect("a number");
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
    assert!(length > 75_000 && shown.lines().count() as u64 > length, "{length}");
}

#[test]
fn a_model_that_fails_before_its_first_step() {
    let folder = violated("failed_start", "byte i = 7, a[3], x = a[i];\ninit { skip }\n");
    has(&replay(&folder, 1, &[]).stdout, &["index 7 is out of range"]);
    let shown = document(&folder, &[]);
    assert_eq!((&shown["length"], &shown["errors"][0]["kind"]), (&json!(0), &json!("runtime-error")));
}

/// A trail in SPIN's format does not say with which -D it was written: the message names the macros.
#[test]
fn a_forgotten_macro_is_named() {
    let text = "#ifndef N\n#define N 2\n#endif\nbyte x;\nactive proctype P() { do :: x < N -> x++ :: x == N -> assert(false) od }\n";
    let folder = Folder::new("forgotten_macro").file("m.pml", text);
    folder.homing(&["check", "m.pml", "-DN=5", "--quiet"]).ends_with(1);
    let ran = folder.homing(&["replay", "m.pml"]).ends_with(2);
    let hint = "the model sets N unless -D does: if the trail was written with -D, repeat that, as in homing replay -D N=VALUE MODEL";
    assert!(ran.stderr.contains("does not match the model at step") && ran.stderr.contains(hint), "{}", ran.stderr);
    folder.homing(&["replay", "m.pml", "-DN=5"]).ends_with(1);
    let ran = folder.homing(&["replay", "m.pml", "-DN=4"]).ends_with(2);
    assert!(!ran.stderr.contains("unless -D does"), "{}", ran.stderr);
}
