//! `homing graph` on models: the output is a complete graph in the dot language.

mod dot;
mod program;

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Stdio;

use dot::Graph;
use program::{Folder, Ran};

/// A folder with the model `m.pml`.
fn model(test: &str, text: &str) -> Folder {
    Folder::new(&format!("graph_{test}")).file("m.pml", text)
}

/// The graph of `homing graph m.pml` with further arguments.
#[track_caller]
fn drawn(folder: &Folder, arguments: &[&str]) -> Graph {
    let ran = folder.homing(&[&["graph", "m.pml"], arguments].concat()).ends_with(0);
    dot::parse(&ran.stdout)
}

#[track_caller]
fn refused(folder: &Folder, code: i32, arguments: &[&str], parts: &[&str]) {
    let ran = folder.homing(&[&["graph"], arguments].concat()).ends_with(code);
    assert_eq!(ran.stdout, "", "nothing on standard output");
    for part in parts {
        assert!(ran.stderr.contains(part), "{part:?} is not in\n{}", ran.stderr);
    }
}

fn philosophers(test: &str) -> Folder {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/philosophers.pml");
    model(test, &fs::read_to_string(path).expect("the model"))
}

/// The labels of edges, without the blanks around lines.
fn edge_labels(graph: &Graph) -> Vec<String> {
    let label = |text: &String| text.lines().map(str::trim).collect::<Vec<_>>().join("\n");
    graph.edges.iter().filter_map(|(_, _, attributes)| attributes.get("label").map(label)).collect()
}

#[test]
fn the_automata_of_the_philosophers() {
    let folder = philosophers("philosophers");
    let graph = drawn(&folder, &[]);
    assert_eq!(graph.clusters, ["active [3] proctype Philosopher", "active [3] proctype Fork"]);
    let expected =
        ["fork[left]!take", "fork[right]!take", "fork[right]!put", "fork[left]!put", "fork[me]?put", "fork[me]?take"];
    assert_eq!(edge_labels(&graph), expected);
    assert_eq!(graph.nodes["a1_3"]["label"], "3\nline 28\nend");
    assert_eq!(graph.nodes["a1_3"]["peripheries"], "2");
    assert_eq!(graph.edges[1].2["tooltip"], "m.pml:17: fork[left]!take");
    assert_eq!(drawn(&folder, &["--process", "Fork"]).clusters, ["active [3] proctype Fork"]);
}

#[test]
fn the_states_of_the_philosophers() {
    let folder = philosophers("philosophers_states");
    let graph = drawn(&folder, &["--states"]);
    let states = graph.nodes.keys().filter(|name| name.as_str() != "start").count();
    assert_eq!((states, graph.edges.len()), (35, 76), "SPIN's figures; the arrow to the first counts");
    let stuck: Vec<&String> =
        graph.nodes.values().filter(|node| node.contains_key("fontcolor")).map(|node| &node["label"]).collect();
    assert_eq!(stuck.len(), 1, "one deadlock");
    assert!(
        stuck[0].contains("\ninvalid end state: no process can move\nPhilosopher(0) at 2 (line 18)\n"),
        "{stuck:?}"
    );
    let first = &graph.edges.iter().find(|(from, ..)| from == "s0").expect("a step").2["label"];
    assert_eq!(first, " Philosopher(2): fork[left]!take \n Fork(5): fork[me]?take \n");
}

#[test]
fn picked_processes() {
    let text = "proctype Ping() { skip }\nproctype Pong() { skip }\ninit { run Ping() }\nnever { do :: true od }\n";
    let folder = model("picked", text);
    assert_eq!(drawn(&folder, &["--process", "init", "--process", "Ping"]).clusters, ["proctype Ping", "init"]);
    assert_eq!(drawn(&folder, &["--process", ":init:"]).clusters, ["init"]);
    assert_eq!(drawn(&folder, &["--process", "never_0"]).clusters, ["never claim never_0"]);
    let parts = ["unknown process type `Pimg`", "did you mean `Ping`?", "Ping, Pong, init, never_0"];
    refused(&folder, 2, &["m.pml", "--process", "Ping", "--process", "Pimg"], &parts);
    refused(&folder, 2, &["m.pml", "--process", "Ping", "--states"], &["--process", "--states"]);
}

#[test]
fn texts_of_any_kind_are_drawn_as_they_are() {
    let printed = "active proctype P() { printf(\"\\\"quoted\\\" a\\\\b \\N &lt; {} -> é\\n\") }\n";
    let graph = drawn(&model("texts", printed), &[]);
    let as_written = r#"printf("\"quoted\" a\\b \N &amp;lt; {} -> é\n")"#;
    assert_eq!(edge_labels(&graph)[0], as_written);
    let states = drawn(&model("texts_states", printed), &["--states"]);
    assert_eq!(edge_labels(&states)[0], format!("P(0): {as_written}"));
}

#[test]
fn odd_models() {
    for (name, text, clusters, words) in [
        (
            "d_step",
            "byte x; active proctype P() { d_step { if :: x > 1 -> x = 1 :: else -> x = 2 fi; x = 3 } }",
            1,
            "d_step {\n1: first of 2, 5\n2: x > 1\n3: x = 1\n4: x = 3; done\n5: else\n6: x = 2; goto 4\n}",
        ),
        ("unless", "byte x; active proctype P() { { x = 1; x = 2 } unless { x == 1 -> x = 9 } }", 1, "x == 1"),
        ("claim", "byte x; init { x = 1 }\nnever { accept: do :: x == 1 od }", 2, "x == 1"),
        ("trace", "chan c = [1] of { byte }; init { c!1 }\ntrace { do :: c!1 od }", 2, "c!1"),
        ("run", "proctype P(byte n) { skip }\ninit { byte p; p = run P(3) }", 2, "p = run P(3)"),
        ("goto", "active proctype P() { a: skip; goto a }", 1, "skip"),
        ("blocked", "active proctype P() { false }", 1, "false"),
    ] {
        let folder = model(&format!("odd_{name}"), text);
        let graph = drawn(&folder, &[]);
        assert_eq!(graph.clusters.len(), clusters, "{name}");
        assert!(edge_labels(&graph).iter().any(|label| label == words), "{name}: {:?}", edge_labels(&graph));
        assert!(drawn(&folder, &["--states"]).nodes.contains_key("s0"), "{name}");
    }
}

#[test]
fn an_automaton_of_hundreds_of_locations() {
    let mut text = "byte x;\nactive proctype P() {\n".to_owned();
    for line in 0..300 {
        writeln!(text, "\tx = {};", line % 200).expect("a string takes all");
    }
    text += "}\n";
    let folder = model("long", &text);
    let graph = drawn(&folder, &[]);
    assert_eq!((graph.nodes.len(), graph.edges.len()), (301 + 2, 301 + 1));
    assert_eq!(drawn(&folder, &["--states", "--max-states", "302"]).nodes.len(), 302 + 1);
}

#[test]
fn errors_among_the_states() {
    let text = "byte x;\nactive proctype P() {\n\tbyte i = 3;\n\tx++;\n\tassert(x == 2);\n\tx = 1 / (i - 3)\n}\n";
    let graph = drawn(&model("errors", text), &["--states"]);
    assert_eq!(graph.nodes["error0"]["label"], "assertion violated: x == 2\nm.pml:5 in P(0)");
    assert_eq!(graph.nodes["error1"]["label"], "division by zero\nm.pml:6 in P(0)");
    let ends = |graph: &Graph| graph.nodes.values().filter(|node| node.contains_key("peripheries")).count();
    assert_eq!(ends(&graph), 0);
    let graph = drawn(&model("no_errors", "active [2] proctype P() { skip }\n"), &["--states"]);
    assert_eq!(ends(&graph), 1);
    assert!(graph.nodes.values().all(|node| !node.contains_key("fontcolor")));

    let graph = drawn(&model("no_start", "byte a[2], i = 2; byte x = a[i];\ninit { skip }\n"), &["--states"]);
    assert_eq!(graph.nodes.len(), 2);
    assert!(graph.nodes["error0"]["label"].contains("initial values"), "{graph:?}");
}

#[test]
fn a_model_that_is_too_large_is_not_drawn() {
    let folder = model("too_large", "int x;\nactive proctype P() { do :: x++ od }\n").file("out.dot", "as before");
    let advice = ["raise --max-states", "draw the process automata"];
    refused(&folder, 3, &["m.pml", "--states"], &[&["more than 200 states"], &advice[..]].concat());
    refused(&folder, 3, &["m.pml", "--states", "--max-states", "1", "-o", "out.dot"], &["more than 1 state;"]);
    assert_eq!(fs::read_to_string(folder.path.join("out.dot")).expect("the file"), "as before");
    refused(&folder, 3, &["m.pml", "--states", "--max-states", "100000"], &["more than 100000 states"]);
    refused(&folder, 2, &["m.pml", "--states", "--max-states", "0"], &["--max-states"]);
    refused(&folder, 2, &["m.pml", "--max-states", "9"], &["--states"]);
    assert_eq!(drawn(&folder, &[]).clusters.len(), 1);
}

#[test]
fn output_to_a_file() {
    let folder = philosophers("output");
    let ran = folder.homing(&["graph", "m.pml", "-o", "m.dot"]).ends_with(0);
    assert_eq!((ran.stdout, ran.stderr), (String::new(), String::new()));
    let written = fs::read_to_string(folder.path.join("m.dot")).expect("the file");
    assert_eq!(dot::parse(&written).clusters.len(), 2);
    assert_eq!(folder.homing(&["graph", "m.pml", "-o", "-"]).ends_with(0).stdout, written);
    folder.homing(&["graph", "m.pml", "--states", "--output", "m.dot"]).ends_with(0);
    assert!(fs::read_to_string(folder.path.join("m.dot")).expect("the file").starts_with("digraph states"));

    refused(&folder, 2, &["m.pml", "-o", "missing/m.dot"], &["cannot write missing/m.dot", "No such file"]);
    refused(&folder, 2, &["m.pml", "-o", "."], &["cannot write ."]);
    let before = fs::read(folder.path.join("m.pml")).expect("the model");
    refused(&folder, 2, &["m.pml", "-o", "./m.pml"], &["is the model"]);
    assert_eq!(fs::read(folder.path.join("m.pml")).expect("the model"), before);
}

#[test]
fn standard_input_and_wrong_models() {
    let folder = Folder::new("graph_standard_input").file("m.pml", "init { skip\n");
    let ran = folder.homing_with_input(&["graph", "-", "-DN=3"], "active [N] proctype P() { skip }\n").ends_with(0);
    assert_eq!(dot::parse(&ran.stdout).clusters, ["active [3] proctype P"]);
    refused(&folder, 2, &["m.pml"], &["m.pml"]);
    refused(&folder, 2, &["missing.pml"], &["missing.pml"]);
    let help = folder.homing(&["graph", "--help"]).ends_with(0).stdout;
    for part in ["Examples:", "dot -Tsvg", "Exit codes:", "--process", "--states", "--max-states", "[default: 200]"] {
        assert!(help.contains(part), "{part:?} is not in\n{help}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let text = "byte x, y;\nactive proctype P() { do :: x++ :: y++ od }\n";
    let folder = model("reader", text);
    for arguments in [&["graph", "m.pml"][..], &["graph", "m.pml", "--states", "--max-states", "70000"]] {
        let mut command = folder.command(arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("homing starts");
        drop(child.stdout.take());
        let ran = Ran::of(child.wait_with_output().expect("homing ends")).ends_with(0);
        assert_eq!(ran.stderr, "");
    }
}
