//! Estimates by distance-preserving abstraction, from the command line.

mod program;

use std::path::Path;

use program::Folder;
use serde_json::Value;

/// Nothing that `Noise` does matters for the assertion, but a search below its depth sees very many states.
const NOISE: &str = "active [8] proctype Noise() { byte i; do :: i = (i + 1) % 20 :: i == 25 -> break od }
active proctype Counter() { byte n; do :: n < 15 -> n++ :: n == 15 -> break od; assert(false) }
";

fn model(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name);
    path.to_str().expect("a path of the project").to_owned()
}

fn check(folder: &Folder, model: &str, options: &[&str]) -> Value {
    let run = folder.homing(&[&["check", model, "--json", "--trail", "found.trail"], options].concat());
    run.results().first().expect("a result").clone()
}

#[test]
fn a_star_with_an_abstraction_finds_a_shortest_path() {
    let folder = Folder::new("abstraction-shortest");
    for (name, property) in
        [("relay.pml", "assertions"), ("mutex.pml", "assertions"), ("dining.pml", "deadlock"), ("giop.pml", "deadlock")]
    {
        let name = model(name);
        let by_breadth = check(&folder, &name, &["--search", "bfs", "--property", property]);
        for bound in ["1", "20", "100"] {
            let flags = ["--search", "astar", "--heuristic", "abstraction", "--bound", bound, "--property", property];
            let found = check(&folder, &name, &flags);
            assert_eq!(found["trail"]["length"], by_breadth["trail"]["length"], "{name} {bound}: {found:#}");
            assert_eq!(found["trail"]["shortest"], true, "{name} {bound}: {found:#}");
            assert_eq!(found["search"]["abstraction"]["bound"].to_string(), bound);
        }
    }
}

/// Breadth-first search alone takes very long here, and so does a proof by it that the path is shortest.
#[test]
fn auto_prepares_an_abstraction_where_a_search_takes_long() {
    let folder = Folder::new("abstraction-auto").file("noise.pml", NOISE);
    for options in [&[][..], &["--shortest"]] {
        let found = check(&folder, "noise.pml", options);
        assert_eq!(found["verdict"], "violated", "{found:#}");
        assert_eq!((&found["trail"]["length"], &found["trail"]["shortest"]), (&32.into(), &true.into()), "{found:#}");
        assert_eq!(found["search"]["heuristic"], "abstraction", "{found:#}");
        assert_eq!(found["search"]["algorithm"], "best-first", "{found:#}");
    }
}

#[test]
fn a_model_without_a_factored_form_is_searched_by_its_formula() {
    let text = "byte n; proctype P() { n++ } active proctype Q() { do :: _nr_pr < 9 -> run P() od }";
    let folder = Folder::new("abstraction-refused").file("m.pml", text);
    let run =
        folder.homing(&["check", "m.pml", "--search", "astar", "--heuristic", "abstraction", "--max-states", "50"]);
    assert!(run.stdout.contains("has no factored form, because"), "{run:?}");
    assert!(run.stdout.contains("formula --combine max"), "{run:?}");
}

#[test]
fn the_abstract_system_is_drawn_with_at_most_so_many_classes() {
    let folder = Folder::new("abstraction-graph");
    for (name, bound) in [("dining.pml", "100"), ("mutex.pml", "12"), ("train-gate.xta", "30")] {
        let run = folder.homing(&["graph", &model(name), "--abstraction", "--bound", bound]).ends_with(0);
        let classes = |cluster: usize| run.stdout.matches(&format!("    s{cluster}_")).count();
        let drawn = run.stdout.lines().filter(|line| line.contains("[label=")).count();
        let most = bound.parse::<usize>().expect("a number") * run.stdout.matches("subgraph").count();
        assert!((1..=most).contains(&drawn) && classes(0) > 0, "{name}: {drawn} classes\n{}", run.stdout);
    }
}
