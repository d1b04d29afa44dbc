//! Compares the default search with `--plain`: the same verdict with no more states, the same statements reached, and
//! an equally short path of the model itself. The models are those of the rules; random ones are compared in `spin.rs`.

mod program;

use std::fs;
use std::path::Path;

use program::Folder;
use serde_json::Value;

/// The result of a search for safety; none if the model is refused.
fn check(folder: &Folder, more: &[&str]) -> Option<Value> {
    let ran = folder.homing(&[&["check", "m.pml", "--json", "--property", "safety"], more].concat());
    match ran.code {
        Some(0 | 1 | 3) => Some(ran.results()[0].clone()),
        Some(2) => None,
        _ => panic!("{more:?}: {ran:?}"),
    }
}

fn states(result: &Value) -> u64 {
    result["stats"]["states"].as_u64().unwrap_or_default()
}

#[test]
fn the_models_of_the_rules() {
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rules");
    let (mut models, mut smaller, mut errors) = (0, 0, 0);
    for entry in fs::read_dir(rules).expect("the models of the rules") {
        let path = entry.expect("a file").path();
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let folder = Folder::new("reductions_rules").file("m.pml", fs::read(&path).expect("a text"));
        let Some(plain) = check(&folder, &["--plain", "--all-errors"]) else { continue };
        // a hidden variable that is read belongs to the state only without --plain
        if plain["verdict"] == "unknown" {
            continue;
        }
        let reduced = check(&folder, &["--all-errors"]).expect("the same model");
        assert_eq!(reduced["verdict"], plain["verdict"], "{name}");
        if models % 10 == 0 {
            let threads = check(&folder, &["--all-errors", "--threads", "2"]).expect("the same model");
            assert_eq!((states(&threads), &threads["unreached"]), (states(&reduced), &reduced["unreached"]), "{name}");
        }
        let is_runtime = plain["error"]["kind"] == "runtime-error"; // ends a run, and with it what would follow
        if !is_runtime && !name.contains("hidden") {
            assert!(states(&reduced) <= states(&plain), "{name}: {} of {}", states(&reduced), states(&plain));
            assert_eq!(reduced["unreached"], plain["unreached"], "{name}");
        }
        models += 1;
        smaller += usize::from(states(&reduced) < states(&plain));
        if plain["verdict"] == "violated" {
            let (plain, reduced) = (check(&folder, &["--plain"]), check(&folder, &["--shortest"]));
            let (plain, reduced) = (&plain.expect("an error")["trail"], &reduced.expect("an error")["trail"]);
            for field in ["length", "moves", "shortest"] {
                assert_eq!(reduced[field], plain[field], "{name}: {field}");
            }
            errors += 1;
        }
    }
    assert!(models > 200 && smaller > 50 && errors > 50, "{models}, {smaller} smaller, {errors} with an error");
}

/// A model with the states that SPIN has without and with its default optimisations, and those that homing has.
#[test]
fn no_more_states_than_spin() {
    for (name, text, plain, merged, reduced) in [
        (
            "merging",
            "byte g; active [2] proctype P() { byte x; g == 0; x = 1; assert(x == 1); g == 0; skip }",
            43,
            31,
            13,
        ),
        ("dead", "byte g; active proctype P() { byte x; do :: x = 3; g = x :: x = 4; g = x :: g == 9 od }", 9, 9, 3),
        ("unread", "byte g; active [2] proctype P() { do :: g++ od }", 256, 1, 1),
    ] {
        let folder = Folder::new(&format!("reductions_{name}")).file("m.pml", text);
        let of = |more: &[&str]| states(&check(&folder, more).expect("a model"));
        assert_eq!((of(&["--plain"]), of(&[])), (plain, reduced), "{name}");
        assert!(reduced <= merged, "{name}");
    }
}

/// `--max-states` also limits the search for a shorter path.
#[test]
fn shortest_is_claimed_when_it_is_proved() {
    let text = "byte g; active [2] proctype P() { byte x; do :: g < 40; x = 1; x = x + 2; assert(x == 3); g++ :: g == 40; x = 1; assert(0) od }";
    let folder = Folder::new("reductions_shortest").file("m.pml", text);
    let trail = |more: &[&str]| check(&folder, more).expect("a model")["trail"].clone();
    let plain = trail(&["--plain", "--search", "bfs"]);
    assert_eq!(plain["shortest"], true);
    for usual in [&["--search", "bfs"][..], &[], &["--plain"]] {
        let usual = trail(usual);
        assert_eq!((&usual["length"], &usual["shortest"]), (&plain["length"], &plain["shortest"]));
    }
    assert_eq!(trail(&["--search", "dfs"])["shortest"], false);
    assert_eq!(trail(&["--search", "dfs", "--shortest"])["length"], plain["length"]);
    assert_eq!(trail(&["--search", "bfs", "--max-states", "600"])["shortest"], false);
    let threads = trail(&["--threads", "2", "--shortest"]);
    assert_eq!((&threads["length"], &threads["shortest"]), (&plain["length"], &plain["shortest"]));
    for lossy in ["compact", "bitstate"] {
        assert_eq!(trail(&["--store", lossy, "--shortest"])["shortest"], false, "{lossy}");
    }
}

/// Numbers go through a pipe of processes, each of which keeps the greatest it has seen. The last one may expect too much.
fn pipe(expected: u8) -> String {
    format!(
        "#define N 6
         chan q[N] = [3] of {{ byte }};
         proctype Source(chan to) {{ byte n; do :: n < 4 -> n++; to!n :: n == 4 -> break od }}
         proctype Stage(chan from, to) {{
             byte n, kept, next;
             do :: n < 4 -> n++; from?next; if :: next > kept -> kept = next; to!kept :: else -> to!kept fi
             :: n == 4 -> break od
         }}
         proctype Last(chan from) {{ byte n, next; do :: n < 4 -> n++; from?next :: n == 4 -> break od; assert(next == {expected}) }}
         init {{ atomic {{ byte i; run Source(q[0]);
             for (i : 1 .. N - 1) {{ run Stage(q[i - 1], q[i]) }} run Last(q[N - 1]); i = 0 }} }}"
    )
}

#[test]
fn processes_of_a_pipe_need_not_wait_for_each_other() {
    let folder = Folder::new("reductions_pipe").file("m.pml", pipe(4));
    let check = |more: &[&str]| check(&folder, more).expect("a model");
    let [reduced, whole, bfs] = [check(&[]), check(&["--por", "off"]), check(&["--search", "bfs"])];
    for result in [&reduced, &whole, &bfs] {
        assert_eq!(result["verdict"], "holds");
        assert_eq!(result["unreached"], bfs["unreached"]);
    }
    for reduced in [&reduced, &bfs] {
        assert!(states(reduced) * 100 < states(&whole), "{} of {}", states(reduced), states(&whole));
    }
    assert_eq!(check(&["--threads", "2"])["verdict"], "holds", "with two threads");
    let uses = |result: &Value| result["search"]["por"] == true;
    assert!(uses(&reduced) && !uses(&whole) && uses(&bfs));
    for without in [&["--plain"][..], &["--all-errors"], &["--max-depth", "1000"]] {
        assert!(!uses(&check(without)), "{without:?}");
    }
    let invariant = check(&["--property", "invariant:len(q[0]) < 4"]);
    assert!(uses(&invariant) && invariant["verdict"] == "holds", "only steps of two processes may break it");
}

/// A leader is elected: a search for cycles by name leaves out orders of steps, too.
#[test]
fn cycles_after_reduction_by_name() {
    let bundled = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/leader.pml");
    let text = fs::read_to_string(bundled).expect("a bundled model") + "ltl p { <> (leaders == 1) }\n";
    let folder = Folder::new("reductions_cycles").file("m.pml", text);
    for search in ["scc", "ndfs", "indfs"] {
        let check = |more: &[&str]| {
            let common = ["check", "m.pml", "-DN=5", "--json", "--property", "p", "--search", search];
            folder.homing(&[&common[..], more].concat()).results()[0].clone()
        };
        let (reduced, whole) = (check(&[]), check(&["--por", "off"]));
        assert_eq!((&reduced["verdict"], &whole["verdict"]), (&"holds".into(), &"holds".into()), "{search}");
        assert!(states(&reduced) * 4 < states(&whole), "{search}: {} of {}", states(&reduced), states(&whole));
        assert!(reduced["search"]["por"] == true && whole["search"]["por"] == false, "{search}");
    }
}

/// Which statements are never reached is known of a product only if the claim stops no run: else they were not looked for.
#[test]
fn statements_that_a_property_leaves_unreached() {
    let text = "byte x; active proctype A() { byte i; do :: i < 3 -> i++ :: i == 3 -> break od; x = 1; x == 2; x = 3 }\n\
                active proctype B() { byte j; j = 1; j = 2; x == 1; j = 3 }";
    let folder = Folder::new("reductions_unreached").file("m.pml", text);
    let unreached_by = |property: &str, more: &[&str]| {
        let common = ["check", "m.pml", "--json", "--property", property];
        let ran = folder.homing(&[&common[..], more].concat()).ends_with(0);
        ran.results()[0]["unreached"].clone()
    };
    let unreached = |more: &[&str]| unreached_by("ltl:[] <> (x <= 1)", more);
    let whole = unreached_by("assertions", &["--por", "off"]);
    assert_eq!(whole[0]["written"], "x = 3", "{whole}");
    let stopped = |more: &[&str]| unreached_by("ltl:<> (x == 0)", more);
    assert_eq!(
        [stopped(&["--por", "off"]), stopped(&["--plain"]), stopped(&[])],
        [Value::Null, Value::Null, Value::Null]
    );
    for more in [&[][..], &["--plain"], &["--search", "scc"], &["--search", "ndfs"], &["--search", "indfs"]] {
        assert_eq!(unreached(more), whole, "{more:?}");
    }
    assert_eq!(unreached(&["--por", "on", "--search", "scc"]), Value::Null);
}

#[test]
fn an_error_after_a_pipe_is_found_by_a_shortest_path() {
    let folder = Folder::new("reductions_pipe_error").file("m.pml", pipe(5));
    let check = |more: &[&str]| check(&folder, more).expect("a model");
    let [reduced, bfs] = [check(&["--shortest"]), check(&["--search", "bfs"])];
    assert_eq!((&reduced["verdict"], &bfs["verdict"]), (&"violated".into(), &"violated".into()));
    for field in ["length", "shortest"] {
        assert_eq!(reduced["trail"][field], bfs["trail"][field], "{field}");
    }
}
