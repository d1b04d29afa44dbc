//! The default search is a portfolio: it finds an error with little more work than the best of its members, it ends with a proof where
//! there is none, and one run is like any other, with any number of threads.
//!
//! Work is counted in expanded states until the first error: counts are the same on every machine.

mod program;

use std::path::Path;

use program::Folder;
use serde_json::Value;

/// The result of a check of a model of the repository.
fn check(folder: &Folder, model: &str, flags: &[&str]) -> Value {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(model);
    let model = model.to_str().expect("a path in Unicode");
    let common = ["check", model, "--json", "--confirm=never", "--trail", "t.trail", "--memory", "1G"];
    folder.homing(&[&common, flags].concat()).results()[0].clone()
}

fn expanded(result: &Value) -> u64 {
    result["stats"]["first_error"]["expanded"].as_u64().unwrap_or_else(|| panic!("an error: {result}"))
}

#[test]
fn an_error_costs_little_more_than_by_the_best_member() {
    let folder = Folder::new("portfolio_errors");
    for (model, flags, members, factor) in [
        // the estimate knows little, and breadth-first search does not come there in minutes
        ("bench/errors/solitaire.pml", &["-DBLIND", "--property", "assertions"][..], &["dfs", "best-first"][..], 12),
        ("bench/errors/solitaire.pml", &["--property", "assertions"], &["dfs", "best-first"], 8),
        ("bench/networks/R8-0.xta", &[], &["best-first"], 16),
        ("bench/networks/H5.xta", &[], &["dfs"], 8),
        ("bench/errors/bakery.pml", &["--property", "p"], &["scc"], 20),
    ] {
        let by = |search| expanded(&check(&folder, model, &[flags, &["--search", search]].concat()));
        let (best, auto) = (members.iter().map(|search| by(search)).min().expect("a member"), by("auto"));
        assert!(auto <= factor * best, "{model} {flags:?}: {auto} states, and {best} by a member");
    }
}

#[test]
fn one_run_is_like_any_other_with_any_number_of_threads() {
    let folder = Folder::new("portfolio_threads");
    for (model, flags) in [
        ("bench/errors/solitaire.pml", &["-DBLIND", "--property", "assertions"][..]),
        ("bench/networks/R8-0.xta", &[]),
        ("models/pots.pml", &["--property", "safety"]),
        ("models/window.pml", &["--property", "safety"]),
        ("bench/errors/bakery.pml", &["--property", "p"]),
    ] {
        let run = |threads| check(&folder, model, &[flags, &["--threads", threads]].concat());
        let figures = |of: &Value| {
            [&of["verdict"], &of["search"]["algorithm"], &of["trail"]["length"], &of["stats"]["states"]]
                .map(Value::clone)
        };
        let first = figures(&run("1"));
        for threads in ["1", "2", "4"] {
            assert_eq!(figures(&run(threads)), first, "{model} {flags:?} with {threads} threads");
        }
    }
}

#[test]
fn whichever_member_ends_with_a_proof_names_what_is_not_reached() {
    let text = "byte x; active proctype P() { do :: x < 200 -> x++ :: x == 200 -> x = 0 :: x > 200 -> break od }";
    let folder = Folder::new("portfolio_proof").file("m.pml", text);
    let result = folder.homing(&["check", "m.pml", "--json", "--property", "safety"]).ends_with(0).results()[0].clone();
    assert_eq!(result["verdict"], "holds");
    assert_eq!(result["unreached"].as_array().map(Vec::len), Some(2), "the third option, and the end: {result}");
}
