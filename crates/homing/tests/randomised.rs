//! Highway and beam searches and random walks: one seed is one run, and nothing is proved by a search that dropped a state.

mod model_sets;
mod program;

use homing_check::model::{Confirm, Decider, Engine, Guidance, Interrupt, ModelReduction, Options, Safety, SearchTask};
use homing_check::{OnError, Search, Verdict};
use homing_core::Limits;
use homing_heuristics::Combine;
use homing_ir::Model;
use model_sets::{random_models, random_rings};
use program::Folder;
use serde_json::Value;

/// The philosophers of Engels et al. 2009, §5.2.3: one deadlock, after as many steps as there are philosophers.
const PHILOSOPHERS: &str = "byte fork[N]
active [N] proctype P() {
  do
  :: d_step { fork[_pid] == 0 -> fork[_pid] = 1 };
     d_step { fork[(_pid + 1) % N] == 0 -> fork[(_pid + 1) % N] = 1 };
     skip;
     fork[_pid] = 0;
     fork[(_pid + 1) % N] = 0
  od
}
";

fn philosophers(test: &str) -> Folder {
    Folder::new(test).file("m.pml", PHILOSOPHERS)
}

/// What a run reports that must not depend on engine and threads: verdict, counts and the trail.
fn figures(folder: &Folder, flags: &[&str]) -> (Value, Value, Option<String>) {
    let command = [&["check", "m.pml", "--plain", "--json"], flags].concat();
    let result = folder.homing(&command).results().remove(0);
    let stats = &result["stats"];
    let counts = ["states", "expanded", "transitions", "max_depth", "peak_states"].map(|key| stats[key].clone());
    let trail = result["trail"]["file"].as_str().map(|_| folder.path.join("m.pml.trail"));
    let trail = trail.map(|file| std::fs::read_to_string(file).expect("a trail"));
    (result["verdict"].clone(), Value::Array(counts.to_vec()), trail)
}

#[test]
fn one_seed_is_one_run_on_both_engines_and_with_any_number_of_threads() {
    let folder = philosophers("randomised-seeds");
    for (search, threads) in [
        ("random-walk", &["1"][..]),
        ("highway", &["1"]),
        ("highway-exact", &["1", "2", "4"]),
        ("beam", &["1", "2", "4"]),
    ] {
        let mut runs = Vec::new();
        for seed in ["0", "1", "2"] {
            let run = |engine, threads| {
                let flags = ["--search", search, "--seed", seed, "--engine", engine, "--threads", threads];
                figures(&folder, &[&flags[..], &["-DN=12", "--max-states", "20000"]].concat())
            };
            let first = run("compiled", "1");
            for threads in threads {
                assert_eq!(run("compiled", threads), first, "{search} {seed}, {threads} threads");
                assert_eq!(run("interpreted", threads), first, "{search} {seed}, interpreted, {threads} threads");
            }
            runs.push(first);
        }
        assert!(runs[1..].iter().any(|run| *run != runs[0]), "{search}: the seed makes a difference");
    }
}

#[test]
fn what_is_found_is_reported_as_always() {
    let folder = philosophers("randomised-reports");
    let flags = ["check", "m.pml", "-DN=17", "--plain", "--search", "highway", "--width", "3", "--seed", "5", "--json"];
    let result = folder.homing(&flags).ends_with(1).results().remove(0);
    assert_eq!((&result["search"]["algorithm"], &result["search"]["seed"]), (&"highway".into(), &5.into()));
    assert_eq!((&result["trail"]["shortest"], &result["error"]["kind"]), (&false.into(), &"invalid-end-state".into()));
    assert!(result["trail"]["length"].as_u64().is_some_and(|length| length >= 17));
    assert!(folder.path.join("m.pml.trail").exists());
    let text = folder.homing(&["check", "m.pml", "-DN=17", "--search", "beam", "--seed", "5"]).ends_with(1).stdout;
    assert!(text.contains("beam of width 16 (seed 5) with heuristic"), "{text}");
    let shortest = ["check", "m.pml", "-DN=5", "--plain", "--search", "highway", "--shortest", "--json"];
    let result = folder.homing(&shortest).ends_with(1).results().remove(0);
    assert_eq!((&result["trail"]["shortest"], &result["trail"]["length"]), (&true.into(), &5.into()));
}

#[test]
fn nothing_is_proved_if_a_state_was_dropped() {
    let text =
        "byte x, y; active proctype P() { do :: x < 20 -> x++ :: y < 20 -> y++ :: x == 20 && y == 20 -> break od }";
    let folder = Folder::new("randomised-holds").file("m.pml", text);
    for (search, wide) in [("highway", "64"), ("highway-exact", "64"), ("beam", "64")] {
        let check = |width: &str| folder.homing(&["check", "m.pml", "--search", search, "--width", width, "--json"]);
        let result = check("4").ends_with(3).results().remove(0);
        assert_eq!((&result["verdict"], &result["reason"]), (&"unknown".into(), &"incomplete-search".into()));
        assert_eq!(check(wide).ends_with(0).results()[0]["verdict"], "holds");
        let lossy = ["check", "m.pml", "--search", search, "--width", wide, "--store", "compact", "--json"];
        assert_eq!(folder.homing(&lossy).ends_with(3).results()[0]["reason"], "lossy-store");
    }
    let walk = ["check", "m.pml", "--search", "random-walk", "--max-states", "5000", "--json"];
    let result = folder.homing(&walk).ends_with(3).results().remove(0);
    assert_eq!((&result["reason"], &result["stats"]["expanded"]), (&"states".into(), &5000.into()));
    assert_eq!((&result["search"]["store"], &result["stats"]["peak_states"]), (&"none".into(), &1.into()));
    let timed = ["check", "m.pml", "--search", "random-walk", "--timeout", "100ms", "--json"];
    assert_eq!(folder.homing(&timed).ends_with(3).results()[0]["reason"], "timeout");
}

#[test]
fn what_does_not_go_together_is_refused() {
    let folder = philosophers("randomised-refused");
    for (flags, reason) in [
        (&["--search", "bfs", "--width", "3"][..], "--width has no effect with --search bfs; it applies to highway"),
        (&["--search", "highway", "--width", "0"], "--width"),
        (&["--search", "highway", "--threads", "2"], "--threads 2 is not supported by --search highway"),
        (&["--search", "highway", "--heuristic", "active"], "--heuristic active has no effect with --search highway"),
        (&["--search", "highway", "--store", "bitstate"], "--store bitstate is not supported by --search highway"),
        (&["--search", "random-walk", "--store", "tree"], "--search random-walk, which stores no states"),
        (&["--search", "beam", "--all-errors"], "--all-errors is not supported by --search beam"),
        (&["--search", "highway", "--seed=-1"], "--seed"),
    ] {
        let ran = folder.homing(&[&["check", "m.pml", "-DN=3"], flags].concat()).ends_with(2);
        assert!(ran.stderr.contains(reason), "{flags:?}: {}", ran.stderr);
    }
}

#[test]
fn compare_has_a_row_for_each() {
    let folder = philosophers("randomised-compare");
    let searches = "random-walk,highway,highway-exact,beam";
    let flags =
        ["compare", "m.pml", "-DN=8", "--search", searches, "--width", "3", "--seed", "1", "--max-states", "9999"];
    let table = folder.homing(&flags).ends_with(1).stdout;
    assert!(searches.split(',').all(|search| table.lines().any(|line| line.starts_with(search))), "{table}");
}

/// The verdict of a search on a model, without reductions in the search of `holds`.
fn verdict(model: &Model, search: Search, seed: u64) -> Verdict {
    let limits = Limits { max_states: Some(20_000), ..Limits::default() };
    let (confirm, engine, on_error) = (Confirm::Never, Engine::Interpreted, OnError::Stop);
    let guidance = Guidance::Auto(Combine::Sum);
    let options = Options {
        search,
        limits,
        confirm,
        engine,
        on_error,
        guidance,
        seed,
        fewest_switches: false,
        ..Options::default()
    };
    let task = SearchTask::new(model.clone(), Safety::All, ModelReduction::Reduced);
    let result = Decider::new(options, &Interrupt::default()).decide("safety", &task, None);
    result.expect("a result").verdict
}

/// On random models, whatever a search that may drop states says is what breadth-first search says, unless it says nothing.
#[test]
fn verdicts_are_those_of_an_exhaustive_search() {
    let models = random_models().0.chain(random_rings(200));
    let (mut holds, mut violated, mut unknown) = (0, 0, 0);
    for (at, (name, model)) in models.enumerate() {
        let expected = verdict(&model, Search::Bfs, 0);
        if matches!(expected, Verdict::Unknown(_)) {
            continue;
        }
        let (width, seed) = ([1, 2, 4, 16, 256][at % 5], at as u64);
        for search in
            [Search::Highway { width }, Search::HighwayExact { width }, Search::Beam { width }, Search::RandomWalk]
        {
            match verdict(&model, search, seed) {
                Verdict::Unknown(_) => unknown += 1,
                found => {
                    assert_eq!(found, expected, "{name}: {search:?}");
                    *(if found == Verdict::Holds { &mut holds } else { &mut violated }) += 1;
                }
            }
        }
    }
    assert!(holds > 50 && violated > 50 && unknown > 50, "{holds} hold, {violated} violated, {unknown} unknown");
}
