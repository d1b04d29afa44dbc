//! Randomised storing and random order decide random models as the exact searches do.

mod program;

use std::collections::BTreeMap;
use std::env;
use std::time::{Duration, Instant};

use homing_check::model::{
    Confirm, Decider, Engine, Interrupt, Liveness, LivenessTask, ModelReduction, Options, PropertyResult, Safety,
    SearchTask,
};
use homing_check::{Fairness, Probability, Search, Shortening, StoreChoice, Strategy, Verdict};
use homing_ir::Model;
use homing_promela::preprocess;
use program::Folder;
use serde_json::Value;
use xtask::live::{Kind, live};
use xtask::soak::aimed;

/// How many models are decided; `HOMING_MODELS` chooses another number.
fn models() -> u64 {
    env::var("HOMING_MODELS").map_or(200, |text| text.parse().expect("HOMING_MODELS is a number"))
}

fn read(text: String) -> Option<Model> {
    homing_promela::read("model.pml", text, &preprocess::Options::default()).model
}

/// The searches and stores, by what is random about them; `search` follows paths in order. Some draws depend on the seed of the model.
fn settings(seed: u64, search: Search) -> Vec<(Search, Option<StoreChoice>)> {
    let store = |strategy, keep| {
        let keep = Probability::new(keep).expect("a probability");
        Some(StoreChoice::Random { strategy, keep })
    };
    let keep = [0.1, 0.3, 0.5, 0.75, 0.9, 1.0][seed as usize % 6];
    vec![
        (Search::RandomDfs, None),
        (search, store(Strategy::Dynamic, keep)),
        (search, store(Strategy::Static, 0.75)),
        (Search::RandomDfs, store(Strategy::Dynamic, 0.25)),
        (Search::RandomDfs, store(Strategy::Static, 0.9)),
    ]
}

#[derive(Default)]
struct Tally {
    verdicts: BTreeMap<&'static str, u64>,
    compared: u64,
    /// Runs that were not decided in time.
    undecided: u64,
}

impl Tally {
    fn compare(&mut self, expected: Verdict, result: &PropertyResult, what: &dyn Fn() -> String) {
        if matches!(result.verdict, Verdict::Unknown(_)) {
            self.undecided += 1;
            return;
        }
        assert_eq!(result.verdict, expected, "{}", what());
        self.compared += 1;
    }
}

/// Decides by a search and a store, for at most a few seconds: a static choice may take very long.
fn decide(
    (search, store): (Search, Option<StoreChoice>),
    (fairness, engine, seed): (Fairness, Engine, u64),
    decide: impl FnOnce(&Decider<'_>, Option<Instant>) -> PropertyResult,
) -> PropertyResult {
    let (shortening, confirm) = (Shortening::Never, Confirm::Never);
    let options = Options { search, store, shortening, confirm, fairness, engine, seed, ..Options::default() };
    let interrupt = Interrupt::default();
    let deadline = Instant::now().checked_add(Duration::from_secs(3));
    decide(&Decider::new(options, &interrupt), deadline)
}

fn engine_of(seed: u64) -> Engine {
    if seed.is_multiple_of(2) { Engine::Compiled } else { Engine::Interpreted }
}

#[test]
fn safety_verdicts_are_those_of_breadth_first_search() {
    let (mut tally, mut seed) = (Tally::default(), 5000);
    while tally.verdicts.values().sum::<u64>() < models() {
        seed += 1;
        let Some(model) = read(aimed(seed).model.to_string()) else { continue };
        let safety = if seed % 3 == 0 { Safety::All } else { Safety::Assertions };
        let reduction = if seed % 4 == 0 { ModelReduction::None } else { ModelReduction::Reduced };
        let task = SearchTask::new(model, safety, reduction);
        if task.searched().globals.iter().any(|variable| variable.hidden) {
            continue; // the tree cannot leave hidden variables out
        }
        let run = |setting| {
            decide(setting, (Fairness::None, engine_of(seed), seed), |decider, deadline| {
                decider.decide("safety", &task, deadline).expect("it is decided")
            })
        };
        let expected = run((Search::Bfs, None)).verdict;
        if matches!(expected, Verdict::Unknown(_)) {
            continue;
        }
        *tally.verdicts.entry(expected.name()).or_default() += 1;
        for setting in settings(seed, Search::Dfs) {
            tally.compare(expected, &run(setting), &|| format!("seed {seed}, {setting:?}:\n{}", aimed(seed).model));
        }
    }
    report("safety", &tally);
}

#[test]
fn liveness_verdicts_are_those_of_the_components() {
    let (mut tally, mut seed) = (Tally::default(), 5000);
    while tally.verdicts.values().sum::<u64>() < models() {
        seed += 1;
        let made = live(seed, &Kind::ALL);
        let Some(model) = read(made.model.to_string()) else { continue };
        let liveness = match made.kind {
            Kind::Never => Liveness::Never(0),
            Kind::Accept => Liveness::Acceptance,
            Kind::Progress => Liveness::Progress,
            Kind::Ltl => {
                let named = model.formulas.first().expect("it has a formula");
                Liveness::Formula { text: named.name.clone(), formula: named.formula.clone() }
            }
        };
        let reduction = if seed % 4 == 0 { ModelReduction::None } else { ModelReduction::Reduced };
        let Ok(task) = LivenessTask::new(model, liveness, reduction) else { continue };
        if task.searched().globals.iter().any(|variable| variable.hidden) {
            continue;
        }
        let fairness = if seed % 5 == 0 { Fairness::Weak } else { Fairness::None };
        let run = |setting| {
            decide(setting, (fairness, engine_of(seed), seed), |decider, deadline| {
                decider.decide_liveness("p", &task, deadline).expect("it is decided")
            })
        };
        let expected = run((Search::Scc, None)).verdict;
        if matches!(expected, Verdict::Unknown(_)) {
            continue;
        }
        *tally.verdicts.entry(expected.name()).or_default() += 1;
        for setting in settings(seed, Search::Ndfs) {
            tally.compare(expected, &run(setting), &|| {
                format!("seed {seed}, {setting:?}, {fairness:?}:\n{}", live(seed, &Kind::ALL).model)
            });
        }
    }
    report("liveness", &tally);
}

fn report(what: &str, tally: &Tally) {
    let Tally { verdicts, compared, undecided } = tally;
    println!("{what}: {verdicts:?}, {compared} runs agree, {undecided} were not decided in time");
    let models: u64 = verdicts.values().sum();
    assert!(verdicts.len() == 2 && verdicts.values().all(|&count| count * 10 > models), "{verdicts:?}");
    assert!(undecided * 20 <= *compared, "{undecided} of {compared}");
}

const RING: &str =
    "byte x, y; active proctype P() { do :: x < 9 -> x++ :: y < 9 -> y++ :: x == 9 && y == 9 -> x = 0; y = 0 od }";

#[test]
fn what_was_stored_is_reported() {
    let folder = Folder::new("what_was_stored_is_reported").file("m.pml", RING);
    let run = |flags: &[&str]| {
        let ran = folder.homing(&[&["check", "m.pml", "--json", "--property", "safety"], flags].concat()).ends_with(0);
        serde_json::from_str::<Value>(&ran.stdout).expect("JSON")["results"][0].clone()
    };
    let all = run(&["--search", "dfs"]);
    let some = run(&["--store", "random-dynamic", "--keep", "0.3", "--seed", "4"]);
    assert_eq!((&some["verdict"], &some["search"]["algorithm"]), (&Value::from("holds"), &Value::from("dfs")));
    assert_eq!((&some["search"]["store"], &some["search"]["seed"]), (&Value::from("random-dynamic"), &Value::from(4)));
    assert_eq!(some["search"]["lossless"], true);
    let number = |result: &Value, name: &str| result["stats"][name].as_u64().expect("a number");
    assert!(number(&some, "states") < number(&all, "states"), "{some}");
    assert!(
        number(&some, "peak_states") <= number(&all, "states")
            && number(&some, "peak_states") > number(&some, "states")
    );
    assert!(number(&some, "expanded") > number(&all, "expanded"), "states are expanded again");
    assert_eq!(
        some,
        run(&["--search", "dfs", "--store", "random-dynamic", "--keep", "0.3", "--seed", "4"]).with(&some)
    );
    let random = run(&["--search", "random-dfs", "--seed", "9"]);
    assert_eq!((&random["search"]["seed"], number(&random, "states")), (&Value::from(9), number(&all, "states")));
    let text = folder.homing(&["check", "m.pml", "--store", "random-static", "--keep", "0.9"]).ends_with(0).stdout;
    assert!(text.contains("dfs with store random-static (seed 0): ") && text.contains(" at most, "), "{text}");
}

/// A result with the times of another: one seed gives one run, but not one time.
trait WithTimesOf {
    fn with(self, other: &Value) -> Value;
}

impl WithTimesOf for Value {
    fn with(mut self, other: &Value) -> Value {
        for time in ["seconds", "compile_seconds", "states_per_second"] {
            self["stats"][time] = other["stats"][time].clone();
        }
        self
    }
}

#[test]
fn both_engines_make_the_same_run() {
    let folder = Folder::new("both_engines_make_the_same_run").file("m.pml", RING);
    let run = |engine: &str| {
        let flags =
            ["check", "m.pml", "--json", "--search", "random-dfs", "--store", "random-dynamic", "--engine", engine];
        let ran = folder.homing(&flags).ends_with(0);
        serde_json::from_str::<Value>(&ran.stdout).expect("JSON")["results"][0].clone()
    };
    let (compiled, interpreted) = (run("compiled"), run("interpreted"));
    for figure in ["states", "expanded", "matched", "transitions", "peak_states", "max_depth"] {
        assert_eq!(compiled["stats"][figure], interpreted["stats"][figure], "{figure}");
    }
}

#[test]
fn a_small_static_share_is_warned_about() {
    let folder = Folder::new("a_small_static_share_is_warned_about").file("m.pml", WIDE);
    let flags = ["check", "m.pml", "--plain", "--store", "random-static", "--keep", "0.6"];
    let text = folder.homing(&flags).ends_with(0).stdout;
    assert!(
        text.contains("warning: --keep 0.6 is less than 0.67, which is 1 - 1/b with b = 3.0 transitions"),
        "{text}"
    );
}

const WIDE: &str = "byte a, b, c; active proctype P() { do :: a = (a+1) % 6 :: b = (b+1) % 6 :: c = (c+1) % 6 od }";

#[test]
fn options_that_have_no_effect_are_refused() {
    let folder = Folder::new("options_that_have_no_effect_are_refused").file("m.pml", RING);
    let refused = |flags: &[&str], message: &str| {
        let ran = folder.homing(&[&["check", "m.pml"], flags].concat()).ends_with(2);
        assert!(ran.stderr.contains(message), "{flags:?}: {}", ran.stderr);
    };
    refused(
        &["--store", "random-static", "--search", "bfs"],
        "--store random-static is not supported by --search bfs; it applies to --search dfs, ndfs and random-dfs",
    );
    refused(&["--keep", "0.5"], "--keep has no effect with this store; it applies to --store random-dynamic");
    refused(&["--seed", "3"], "--seed has no effect with --search auto; it applies to random searches");
    refused(&["--store", "random-dynamic", "--threads", "2"], "--threads 2 is not supported");
    refused(
        &["--store", "random-dynamic", "--property", "acceptance", "--fairness", "strong"],
        "--store random-dynamic is not supported with --fairness strong",
    );
}

/// States with hidden variables: where the store has no place for bytes that do not distinguish states, they do.
#[test]
fn hidden_variables_do_not_stop_a_random_store() {
    let text = "hidden byte h; byte x; active proctype P() { do :: h = x; x = 1 - x :: h = 3 od }";
    let folder = Folder::new("storing-hidden").file("m.pml", text);
    for (property, code) in [("ltl:[](x <= 1)", 0), ("ltl:[]<>(x == 1)", 1)] {
        for store in ["random-dynamic", "random-static", "tree", "exact"] {
            folder.homing(&["check", "m.pml", "--property", property, "--store", store]).ends_with(code);
        }
    }
}
