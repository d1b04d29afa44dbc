//! Networks of automata: `.xta` and `.xml` files through every command, compared with the explorer of `homing-network`.

mod program;

use std::fs;

use homing_network::explorer::{Answer, Limits, Verdict, explore};
use homing_network::generate::{Arbiter, NetworkText, Variant, arbiter, hanoi};
use homing_network::random_networks::random_network;
use homing_network::{Format, read};
use program::{Folder, Ran};
use serde_json::Value;

const GATE: &str = include_str!("../../../models/train-gate.xta");
const QUERIES: &str = include_str!("../../../models/train-gate.q");

fn gate(test: &str) -> Folder {
    Folder::new(test).file("gate.xta", GATE).file("gate.q", QUERIES)
}

/// The result of one property.
#[track_caller]
fn result(folder: &Folder, arguments: &[&str], code: i32) -> Value {
    let all: Vec<&str> = ["check", "--json"].iter().chain(arguments).copied().collect();
    folder.homing(&all).ends_with(code).results().remove(0)
}

fn in_format(test: &str, text: &NetworkText, format: Format) -> (Folder, &'static str) {
    match format {
        Format::Xta => (Folder::new(test).file("m.xta", text.to_xta()).file("m.q", text.to_queries()), "m.xta"),
        Format::Xml => (Folder::new(test).file("m.xml", text.to_xml()), "m.xml"),
    }
}

#[test]
fn the_benchmarks_have_their_states_and_lengths() {
    for (name, text, states, length) in [
        ("arbiter2", arbiter(Arbiter::new(2)), 771, 12),
        ("arbiter3", arbiter(Arbiter::new(3)), 224_955, 17),
        ("hanoi4", hanoi(4, Variant::B), 3423, 52),
        ("hanoi5", hanoi(5, Variant::B), 26_409, 114),
    ] {
        for format in [Format::Xta, Format::Xml] {
            let (folder, file) = in_format(&format!("networks_{name}"), &text, format);
            let found = result(&folder, &[file, "--search", "bfs"], 0);
            assert_eq!((&found["verdict"], &found["error"]), (&"holds".into(), &Value::Null), "{name}");
            assert_eq!(
                (&found["trail"]["length"], &found["trail"]["shortest"]),
                (&length.into(), &true.into()),
                "{name}"
            );
            folder.homing(&["replay", file]).ends_with(0);
            if format == Format::Xta {
                let all = result(&folder, &[file, "--property", "query:A[] true"], 0);
                assert_eq!(all["stats"]["states"], states, "{name}");
            }
        }
    }
}

/// What a breadth-first search has to find of a query: a nearest state that decides it; without one, a nearest step that fails.
fn expected_of_query(answer: Answer, failing: Option<u32>) -> (&'static str, Option<u32>) {
    match (answer.length, failing) {
        (Some(decided), _) => ("decided", Some(decided)),
        (None, Some(failing)) => ("runtime-error", Some(failing + 1)),
        (None, None) => ("exhausted", None),
    }
}

/// What a breadth-first search has to find: the nearer of a state that decides and of a step that fails. `None` if both are equally
/// near.
fn expected(decided: Option<u32>, failing: Option<u32>) -> Option<(&'static str, Option<u32>)> {
    match (decided, failing.map(|length| length + 1)) {
        (Some(decided), Some(failing)) if decided == failing => None,
        (Some(decided), failing) if failing.is_none_or(|failing| decided < failing) => Some(("decided", Some(decided))),
        (_, Some(failing)) => Some(("runtime-error", Some(failing))),
        (_, None) => Some(("exhausted", None)),
    }
}

/// `HOMING_MODELS` chooses another number of networks.
#[test]
fn random_networks_are_decided_as_the_explorer_decides_them() {
    let count: u64 = std::env::var("HOMING_MODELS").map_or(100, |text| text.parse().expect("a number"));
    let (mut compared, mut failing) = (0, 0);
    for seed in 0..count {
        let text = random_network(seed);
        let format = if seed % 2 == 0 { Format::Xta } else { Format::Xml };
        let mut network = read(&text.to_input(format)).network.expect("a network");
        let limits = Limits { states: 2_000 };
        let asked = explore(&network, limits);
        let queries = std::mem::take(&mut network.queries);
        let plain = explore(&network, limits);
        if !plain.complete || asked.errors != plain.errors {
            continue;
        }
        let error = plain.nearest_error.as_ref().map(|(length, _)| *length);
        failing += usize::from(error.is_some());
        let (folder, file) = in_format("networks_random", &text, format);
        let shown = || format!("seed {seed}\n{}", text.to_xta());
        let check = |property: &str| {
            let arguments = ["check", "--json", file, "--plain", "--search", "bfs", "--property", property];
            let ran: Ran = folder.homing(&arguments);
            assert!(matches!(ran.code, Some(0 | 1)), "{}\n{}", ran.stderr, shown());
            let result = ran.results().remove(0);
            let kind = match (&result["error"]["kind"], &result["trail"]) {
                (Value::String(kind), _) if kind == "runtime-error" => "runtime-error",
                (_, Value::Null) => "exhausted",
                _ => "decided",
            };
            (kind, result["trail"]["length"].as_u64().map(|length| length as u32), result)
        };
        for (query, answer) in queries.iter().zip(&asked.queries) {
            let (kind, length) = expected_of_query(*answer, error);
            let found = check(&format!("query:{}", query.text));
            assert_eq!((found.0, found.1), (kind, length), "{}\n{}", query.text, shown());
            assert_eq!(found.2["verdict"], verdict_name(answer.verdict), "{}\n{}", query.text, shown());
            compared += 1;
        }
        if let Some((kind, length)) = expected(plain.nearest_deadlock, error) {
            let found = check("deadlock");
            assert_eq!((found.0, found.1), (kind, length), "deadlock\n{}", shown());
            if kind == "exhausted" {
                let figures = (&found.2["stats"]["states"], &found.2["stats"]["transitions"]);
                // the way to the initial state counts as one, as in SPIN's figures
                assert_eq!(figures, (&plain.states.into(), &(plain.transitions + 1).into()), "{}", shown());
            }
        }
    }
    println!("{compared} queries of {count} networks, {failing} with run-time errors");
    assert!(compared as u64 > count / 2 && failing > 0, "{compared} queries, {failing} networks with run-time errors");
}

fn verdict_name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Satisfied => "holds",
        Verdict::NotSatisfied => "violated",
        Verdict::Undecided => "unknown",
    }
}

/// Estimates only order the states of a network: they change no verdict.
#[test]
fn every_search_gives_the_same_verdict() {
    for seed in 0..12 {
        let text = random_network(seed);
        let (folder, file) = in_format("networks_searches", &text, Format::Xta);
        let verdict = |arguments: &[&str]| {
            let all: Vec<&str> =
                ["check", "--json", file, "--max-states", "3000"].iter().chain(arguments).copied().collect();
            let ran = folder.homing(&all);
            assert!(matches!(ran.code, Some(0 | 1 | 3)), "{}\n{}", ran.stderr, text.to_xta());
            ran.results()[0]["verdict"].clone()
        };
        let found = [
            verdict(&["--search", "bfs"]),
            verdict(&[]),
            verdict(&["--search", "dfs"]),
            verdict(&["--search", "astar", "--heuristic", "formula"]),
            verdict(&["--search", "best-first"]),
            verdict(&["--search", "bfs", "--engine", "interpreted", "--store", "exact"]),
            verdict(&["--search", "bfs", "--threads", "2"]),
        ];
        let decided: Vec<&Value> = found.iter().filter(|verdict| *verdict != "unknown").collect();
        // a witness and a run-time error can both be reachable: which one is found first depends on the search
        let both = read(&text.to_input(Format::Xta)).network.map(|network| explore(&network, Limits { states: 3000 }));
        if both.is_some_and(|both| both.errors == 0) {
            assert!(decided.windows(2).all(|pair| pair[0] == pair[1]), "seed {seed}: {found:?}\n{}", text.to_xta());
        }
    }
}

#[test]
fn queries_are_decided_and_their_trails_replayed() {
    let folder = gate("networks_gate");
    let ran = folder.homing(&["check", "gate.xta"]).ends_with(0);
    assert!(ran.stdout.contains("query:A[] not deadlock: HOLDS\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("HOLDS  a witness of E<> Train(0).Cross and waiting == 2\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("4 transitions; shortest possible"), "{}", ran.stdout);
    assert!(ran.stdout.contains("step 4, Controller: Occ -> Occ"), "the gate wrote it: {}", ran.stdout);
    assert!(
        ran.stdout.contains("Train(0).Cross && waiting == 2 is true") && ran.stdout.contains("Safe -> Appr: appr[id]!"),
        "{}",
        ran.stdout
    );
    let trail = fs::read_to_string(folder.path.join("gate.xta.trail")).expect("a trail");
    assert!(trail.ends_with("# decides query:E<> Train(0).Cross and waiting == 2\n"), "{trail}");
    assert_eq!(trail.lines().count(), 9, "four synchronisations of two edges each");
    let replayed = folder.homing(&["replay", "gate.xta"]).ends_with(0);
    assert!(
        replayed.stdout.contains("waiting: 0 -> 1") && replayed.stdout.contains("4 transitions"),
        "{}",
        replayed.stdout
    );
    assert!(replayed.stdout.contains("Train(0) at Cross"), "{}", replayed.stdout);
    let chart = folder.homing(&["replay", "gate.xta", "--chart"]).ends_with(0);
    assert!(chart.stdout.contains("appr[0]") && chart.stdout.contains("Controller"), "{}", chart.stdout);
    let json = folder.homing(&["replay", "gate.xta", "--json"]).ends_with(0);
    let document: Value = serde_json::from_str(&json.stdout).expect("JSON");
    assert_eq!((&document["length"], document["steps"].as_array().map(Vec::len)), (&4.into(), Some(8)));
    folder.homing(&["check", "gate.xta", "--trail", "t.json"]).ends_with(0);
    folder.homing(&["replay", "gate.xta", "t.json"]).ends_with(0);
    let violated = folder.homing(&["check", "gate.xta", "--property", "query:A[] waiting < 3"]).ends_with(1);
    assert!(violated.stdout.contains("VIOLATED  a counterexample to A[] waiting < 3"), "{}", violated.stdout);
    folder.homing(&["replay", "gate.xta"]).ends_with(1);
    let none =
        folder.homing(&["check", "gate.xta", "--property", "query:E<> waiting == 3 and Train(1).Cross"]).ends_with(1);
    assert!(none.stdout.contains("VIOLATED  no reachable state satisfies it"), "{}", none.stdout);
    assert!(!folder.path.join("gate.xta.trail").exists(), "nothing decides it");
}

#[test]
fn a_query_that_is_not_supported_leaves_the_others_alone() {
    let folder =
        gate("networks_unsupported").file("mixed.q", "E<> waiting == 1\nA<> waiting == 1\nPr[<=9](<> waiting == 1)\n");
    let ran = folder.homing(&["check", "gate.xta", "--queries", "mixed.q", "--json"]).ends_with(3);
    let verdicts: Vec<(Value, Value)> =
        ran.results().iter().map(|result| (result["verdict"].clone(), result["reason"].clone())).collect();
    let unknown = || ("unknown".into(), "unsupported-query".into());
    assert_eq!(verdicts, [("holds".into(), Value::Null), unknown(), unknown()]);
    assert!(ran.stderr.contains("`A<>` queries are not supported"), "{}", ran.stderr);
    let alone = folder.homing(&["check", "gate.xta", "--property", "query:E[] waiting == 0"]).ends_with(3);
    assert!(alone.stdout.contains("UNKNOWN  `E[]` queries are not supported"), "{}", alone.stdout);
}

/// One bad query leaves the others alone; the message says which one it is.
#[test]
fn a_faulty_query_leaves_the_others_alone() {
    let queries = "A[] waiting < 9\nE<> nosuch == 1\nE<> waiting ==\nA[] waiting < 9 under s\nE<> waiting == 1\n";
    let folder = gate("networks_invalid").file("mixed.q", queries);
    let ran = folder.homing(&["check", "gate.xta", "--queries", "mixed.q", "--json"]).ends_with(3);
    let of = |result: &Value| [result["verdict"].clone(), result["reason"].clone()];
    let found: Vec<[Value; 2]> = ran.results().iter().map(of).collect();
    let unknown = |reason: &str| ["unknown".into(), reason.into()];
    let decided = |verdict: &str| [verdict.into(), Value::Null];
    let invalid = unknown("invalid-query");
    let expected = [decided("holds"), invalid.clone(), invalid, unknown("unsupported-query"), decided("holds")];
    assert_eq!(found, expected);
    let warning = ran.results()[1]["warnings"][0].as_str().expect("a warning").to_owned();
    assert!(warning.contains("`nosuch`") && warning.contains("(query 2, mixed.q:2)"), "{warning}");
    assert!(ran.stderr.contains("mixed.q:2"), "{}", ran.stderr);
    folder.homing(&["check", "gate.xta", "--property", "query:E<> nosuch == 1"]).ends_with(2);
}

/// A query that is decided by a state has the run-time error beside it.
#[test]
fn a_run_time_error_beside_a_witness_is_reported() {
    let text = "int[0,3] x; process P() { state A, B, C, D; init A;\n\
                trans A -> B { }, B -> C { assign x = x - 1; }, B -> D { }; } system P;";
    let folder = Folder::new("networks_beside").file("m.xta", text);
    let query = |text: &str, code| result(&folder, &["m.xta", "--search", "dfs", "--property", text], code);
    let witness = query("query:E<> P.D", 0);
    assert_eq!((&witness["verdict"], &witness["error"]), (&"holds".into(), &Value::Null));
    let beside = &witness["runtime_error"];
    assert_eq!(
        (&beside["kind"], &beside["line"], &beside["process"]),
        (&"runtime-error".into(), &2.into(), &"P".into())
    );
    let warning = witness["warnings"][0].as_str().expect("a warning");
    assert!(warning.contains("at m.xta:2 in P") && warning.contains("--property assertions"), "{warning}");
    let counterexample = query("query:A[] not P.D", 1);
    assert_eq!(counterexample["error"]["kind"], "invariant");
    assert_eq!(counterexample["runtime_error"]["kind"], "runtime-error");
    let none = query("query:E<> P.C", 1);
    assert_eq!((&none["error"]["kind"], &none["runtime_error"]), (&"runtime-error".into(), &Value::Null));
}

/// At a limit a run-time error leaves `E<>` open, and violates `A[]` in any case.
#[test]
fn a_run_time_error_at_a_limit() {
    let text = "int[0,9999] x; int[0,1] y; process P() { state A; init A;\n\
                trans A -> A { assign x = x + 1; }, A -> A { assign y = y - 1; }; } system P;";
    let folder = Folder::new("networks_error_at_a_limit").file("m.xta", text);
    for search in ["bfs", "best-first", "astar"] {
        let query = |text: &str, code| {
            result(&folder, &["m.xta", "--search", search, "--max-states", "500", "--property", text], code)
        };
        let open = query("query:E<> x == 9000", 3);
        assert_eq!((&open["verdict"], &open["reason"]), (&"unknown".into(), &"states".into()), "{search}");
        assert_eq!(open["runtime_error"]["line"], 2, "{search}");
        let violated = query("query:A[] x < 9000", 1);
        assert_eq!(violated["error"]["kind"], "runtime-error", "{search}");
        assert!(violated["warnings"][0].as_str().is_some_and(|text| text.contains("ended early")), "{search}");
    }
}

/// Several queries are decided in one search, each by a shortest path, and in the order of the file.
#[test]
fn queries_are_decided_together() {
    let text = "int[0,99] x; int[0,99] y; int[0,9] z; process P() { state A; init A; trans A -> A { guard x < 99; assign x++; },\n\
                A -> A { guard y < 99; assign y++; }, A -> A { guard z < 9; assign z++; }; } system P;";
    let queries = "A[] x + y < 199\nE<> x == 70 and y == 71 and z == 9\nE<> x > 200\nA[] x + y < 198 or z < 9\nE<> deadlock\n\
                   A[] not deadlock or x + y + z == 207\nA[] x < 80 or y < 40 or z < 5\n";
    let folder = Folder::new("networks_together").file("m.xta", text).file("m.q", queries);
    let ran = folder.homing(&["check", "m.xta", "--json", "--confirm=never"]).ends_with(1);
    let found: Vec<(Value, Value)> =
        ran.results().iter().map(|result| (result["verdict"].clone(), result["trail"]["length"].clone())).collect();
    let expected = [
        ("holds", Value::Null),
        ("holds", 150.into()),
        ("violated", Value::Null),
        ("violated", 207.into()),
        ("holds", 207.into()),
        ("holds", Value::Null),
        ("violated", 125.into()),
    ];
    let expected: Vec<(Value, Value)> =
        expected.into_iter().map(|(verdict, length)| (verdict.into(), length)).collect();
    assert_eq!(found, expected);
    for at in [0, 2, 5] {
        assert_eq!(ran.results()[at]["stats"]["states"], 100_000, "the proofs are one search of all states");
    }
}

#[test]
fn a_network_in_latin_1_is_read() {
    let text = b"<?xml version=\"1.0\" encoding=\"iso-8859-1\"?><nta><declaration>// \xe9\n</declaration><template><name>P</name>\
                 <location id=\"a\"><name>A</name></location><init ref=\"a\"/></template><system>system P;</system></nta>";
    let folder = Folder::new("networks_latin1");
    fs::write(folder.path.join("m.xml"), text).expect("it can be written");
    result(&folder, &["m.xml", "--property", "query:E<> P.A"], 0);
}

/// The why of a witness names the step that brought a process to its location, not later edges that lead back to it.
#[test]
fn why_names_the_step_that_changed_what_the_query_asks_for() {
    let text = "int[0,3] x; process P() { state A, B; init A; trans A -> B { }, B -> B { guard x < 3; assign x++; }; }\n\
                process Q() { state A, B; init A; trans A -> A { guard x == 3; }, A -> B { guard x == 3; }; } system P, Q;";
    let folder = Folder::new("networks_why").file("m.xta", text);
    let ran = folder.homing(&["check", "m.xta", "--property", "query:E<> P.B and Q.B"]).ends_with(0);
    assert!(ran.stdout.contains("P.B") && ran.stdout.contains("step 1, P: A -> B"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("step 4, P: B -> B"), "{}", ran.stdout);
}

#[test]
fn graphs_of_networks_have_labels_without_locations() {
    let folder = gate("networks_graph");
    let drawn = folder.homing(&["graph", "gate.xta"]).ends_with(0).stdout;
    let labels: Vec<&str> = drawn.lines().filter(|line| line.contains(" [label=\"")).collect();
    let of_edges = labels.iter().filter_map(|line| line.split("tooltip").next()).filter(|label| label.contains(" -> "));
    for label in of_edges {
        let (_, label) = label.split_once("label=").expect("it has one");
        assert!(!label.contains("->"), "{label}");
    }
    let loops = |line: &&str| {
        let ends = line.trim().split(" [").next().and_then(|ends| ends.split_once(" -> "));
        ends.is_some_and(|(from, to)| from == to)
    };
    let mut self_loops: Vec<&str> =
        drawn.lines().filter(loops).filter_map(|line| line.trim().split(" [").next()).collect();
    let count = self_loops.len();
    self_loops.dedup();
    assert!(count > 0 && self_loops.len() == count, "several edges from a location to itself are one arrow: {drawn}");
}

#[test]
fn without_a_query_deadlock_is_checked() {
    let stuck = "chan c; process P() { state A, B; init A; trans A -> B { sync c!; }; } process Q() { state A; init A; } system P, Q;";
    let folder = Folder::new("networks_deadlock").file("m.xta", stuck);
    let ran = folder.homing(&["check", "m.xta"]).ends_with(1);
    assert!(ran.stdout.contains("deadlock: VIOLATED  deadlock: no step is possible"), "{}", ran.stdout);
    assert!(ran.stdout.contains("the network has no query: deadlock is checked"), "{}", ran.stdout);
    assert!(ran.stdout.contains("no process is ready to receive on c"), "{}", ran.stdout);
    folder.homing(&["replay", "m.xta"]).ends_with(1);
}

#[test]
fn run_time_errors_have_a_place_and_values() {
    let text = "int[0,3] x; process P() { state A; init A;\ntrans A -> A { assign x = x + 1; }; } system P;";
    let folder = Folder::new("networks_errors").file("m.xta", text);
    let found = result(&folder, &["m.xta", "--property", "query:A[] x < 9"], 1);
    assert_eq!((&found["error"]["kind"], &found["error"]["line"]), (&"runtime-error".into(), &2.into()));
    assert_eq!(found["error"]["message"], "value 4 is out of range: `x` is between 0 and 3");
    assert_eq!((&found["trail"]["length"], &found["error"]["process"]), (&4.into(), &"P".into()));
    folder.homing(&["replay", "m.xta"]).ends_with(1);
}

#[test]
fn other_commands_take_networks() {
    let folder = gate("networks_commands");
    let run =
        folder.homing(&["simulate", "gate.xta", "--seed", "3", "--steps", "20", "--trail", "s.trail"]).ends_with(0);
    assert!(run.stdout.contains("after 20 transitions, seed 3"), "{}", run.stdout);
    folder.homing(&["replay", "gate.xta", "s.trail"]).ends_with(0);
    let interactive =
        folder.homing_with_input(&["simulate", "-i", "gate.xta"], "w waiting + 1\n1\nu waiting == 2\nq\n");
    assert!(interactive.stdout.contains("waiting + 1 = 1"), "{}\n{}", interactive.stdout, interactive.stderr);
    let automata = folder.homing(&["graph", "gate.xta", "--process", "Controller"]).ends_with(0);
    assert!(automata.stdout.contains("process Controller") && automata.stdout.contains("Occ"), "{}", automata.stdout);
    let states = folder.homing(&["graph", "gate.xta", "--states"]).ends_with(0);
    assert!(states.stdout.contains("Train(0) at Appr"), "{}", states.stdout);
    let query = "query:E<> Train(2).Cross";
    let table = folder.homing(&["compare", "gate.xta", "--property", query, "--search", "bfs,dfs,astar"]).ends_with(0);
    assert!(table.stdout.contains("astar"), "{}", table.stdout);
    let piped = folder.homing_with_input(&["check", "-", "--input", "xta", "--property", "deadlock"], GATE);
    assert_eq!(piped.code, Some(0), "{}", piped.stderr);
}

#[test]
fn refusals_name_the_place() {
    let xml = "<?xml version=\"1.0\"?>\n<nta><declaration>int x;</declaration><template><name>P</name><location id=\"a\"/>\n\
               <init ref=\"a\"/><transition><source ref=\"a\"/><target ref=\"a\"/>\n<label kind=\"guard\">x &gt; 1 &amp;&amp;\ny == 1</label>\
               </transition></template><system>system P;</system></nta>";
    let folder = gate("networks_refusals")
        .file("m.xml", xml)
        .file("clock.xta", "clock c; process P() { state A; init A; } system P;");
    let ran = folder.homing(&["check", "m.xml"]).ends_with(2);
    assert!(ran.stderr.contains("there is no `y`") && ran.stderr.contains("m.xml:5"), "{}", ran.stderr);
    assert!(ran.stderr.contains("template P, guard, line 2 of its text"), "{}", ran.stderr);
    let clocks = folder.homing(&["check", "clock.xta"]).ends_with(2);
    assert!(
        clocks.stderr.contains("clocks are not supported") && clocks.stderr.contains("clock.xta:1"),
        "{}",
        clocks.stderr
    );
    for (arguments, words) in [
        (&["check", "gate.xta", "-D", "N=3"][..], "-D does not apply to a network of automata"),
        (&["check", "gate.xta", "--property", "progress"], "the property `progress` does not apply to a network"),
        (&["check", "gate.xta", "--property", "query:"], "has no text after the colon"),
        (&["check", "gate.xta", "--property", "query:E<> waitin == 1"], "there is no `waitin`"),
    ] {
        let ran = folder.homing(arguments).ends_with(2);
        assert!(ran.stderr.contains(words), "{arguments:?}: {}", ran.stderr);
    }
}

/// A witness is no error, and its absence is one.
#[test]
fn other_formats_report_what_is_violated() {
    let folder = gate("networks_formats").file("two.q", "E<> waiting == 1\nE<> waiting == 3 and Train(1).Cross\n");
    for (format, violated, failures) in
        [("github", "::error", 1), ("junit", "<failure type=", 1), ("sarif", "\"ruleId\": \"invariant\"", 1)]
    {
        let ran = folder.homing(&["check", "gate.xta", "--queries", "two.q", "--format", format]).ends_with(1);
        assert_eq!(ran.stdout.matches(violated).count(), failures, "{format}: {}", ran.stdout);
        assert!(ran.stdout.contains("no reachable state satisfies it"), "{format}: {}", ran.stdout);
    }
}

/// An array whose first index is not 0 is shown as it is indexed in the text.
#[test]
fn elements_are_shown_by_the_indices_of_the_source() {
    let text =
        "typedef int[1,3] id; typedef int[-1,0] low; struct { int[0,9] a[low]; } r[id]; int[0,9] b[id] = { 4, 5, 6 };
                process P(const id i) { int[0,3] own[id]; state A, B; init A;
                trans A -> B { assign b[i] = i, r[i].a[-1] = i, own[4 - i] = i; }; } system P;";
    let folder = Folder::new("networks_indices").file("m.xta", text);
    let query = "query:E<> b[3] == 3 and r[3].a[-1] == 3 and exists (k : id) b[k] + P(3).own[1] == 6";
    let shown = folder.homing(&["check", "m.xta", "--property", query]).ends_with(0).stdout;
    for part in ["b[3]: 6 -> 3", "r[3].a[-1]: 0 -> 3", "own[1]: 0 -> 3", "b[3] == 3 is true", "r[3].a[-1] == 3 is true"]
    {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(!shown.contains("b[0]"), "{shown}");
    assert!(!shown.contains("is false"), "the condition of a witness holds: {shown}");
    folder.homing(&["replay", "m.xta", "--values", "b[3]", "--values", "r[1].a[-1]"]).ends_with(0);
    let refused = folder.homing(&["replay", "m.xta", "--values", "b[0]"]).ends_with(2).stderr;
    assert!(refused.contains("b[1..3]"), "{refused}");
}

#[test]
fn an_empty_file_is_no_model() {
    let folder = Folder::new("networks_empty").file("m.xta", "");
    let refused = folder.homing(&["check", "m.xta"]).ends_with(2).stderr;
    assert!(refused.contains("m.xta is empty") && !refused.contains("Promela"), "{refused}");
}

/// The trails of several queries are named by the numbers of the queries, those of queries on the command line by their texts.
#[test]
fn trails_have_the_numbers_of_their_queries() {
    let folder = Folder::new("query-trails").file("train-gate.xta", GATE).file("train-gate.q", QUERIES);
    let trails = |arguments: &[&str]| -> Vec<String> {
        let ran = folder.homing(&[&["check", "train-gate.xta", "--json"], arguments].concat());
        let file = |result: serde_json::Value| result["trail"]["file"].as_str().map(str::to_owned);
        ran.results().into_iter().filter_map(file).collect()
    };
    let both = "E<> Train(0).Cross\nA[] not deadlock\nE<> waiting == 1\n";
    std::fs::write(folder.path.join("both.q"), both).expect("a file");
    assert_eq!(trails(&["--queries", "both.q"]), ["train-gate.xta.query1.trail", "train-gate.xta.query3.trail"]);
    let given = ["--property", "query:E<> waiting == 1", "--property", "query:E<> waiting == 2"];
    let named = trails(&given);
    assert!(named.iter().all(|name| name.starts_with("train-gate.xta.query-E-waiting-")), "{named:?}");
    assert!(named.len() == 2 && named[0] != named[1], "{named:?}");
    for file in named.iter().chain(&trails(&["--queries", "both.q"])) {
        folder.homing(&["replay", "train-gate.xta", file, "--quiet"]).ends_with(0);
    }
    let ran = folder.homing(&["replay", "train-gate.xta"]).ends_with(2);
    assert!(ran.stderr.contains("train-gate.xta.query3.trail"), "{}", ran.stderr);
}
