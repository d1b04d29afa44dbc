//! What is asked for by name runs, or is refused with the reason: every search with every kind of property, and options with what they
//! have no effect on.

mod program;

use program::{Folder, Ran};
use serde_json::Value;

const SEARCHES: [&str; 16] = [
    "auto",
    "dfs",
    "bfs",
    "best-first",
    "astar",
    "ida",
    "stateless",
    "random-walk",
    "random-dfs",
    "highway",
    "highway-exact",
    "beam",
    "ndfs",
    "indfs",
    "astar-indfs",
    "scc",
];

/// Searches for errors of finite runs, in the order of [`SEARCHES`].
const FINITE: &[&str] = SEARCHES.split_at(12).0;

const CYCLES: [&str; 6] = ["auto", "random-dfs", "ndfs", "indfs", "astar-indfs", "scc"];

const MODEL: &str = "byte x; active proctype P() { do :: x < 3 -> progress: x++ :: x > 0 -> accept: x = 0 od }\n\
                     ltl short { [] (x < 3) }\nltl lives { <> [] (x > 1) }\n";

const CLAIM: &str = "byte x; active proctype P() { do :: x < 3 -> x++ :: x > 0 -> x = 0 od }\n\
                     never { do :: x == 2 -> break :: else od }";

const CLAIM_OF_CYCLES: &str = "byte x; active proctype P() { do :: x < 3 -> x++ :: x > 0 -> x = 0 od }\n\
                               never { do :: x == 2 -> break :: true od; accept: do :: true od }";

const LTS: &str = "des (0, 3, 3)\n(0, \"a\", 1)\n(1, \"b\", 0)\n(1, \"c\", 2)\n";

const NETWORK: &str = "int[0,9] x; process P() { state a, b; init a; trans a -> a { guard x < 9; assign x := x + 1; },\
                       a -> b { guard x == 9; }; } p = P(); system p;";

/// A file with a property, and the searches that decide it.
const ASKED: [(&str, &str, &str, &[&str]); 15] = [
    ("m.pml", MODEL, "safety", FINITE),
    ("m.pml", MODEL, "assertions", FINITE),
    ("m.pml", MODEL, "deadlock", FINITE),
    ("m.pml", MODEL, "invariant: x < 3", FINITE),
    ("m.pml", MODEL, "short", &SEARCHES),
    ("m.pml", MODEL, "ltl: x < 2", &SEARCHES),
    ("m.pml", MODEL, "lives", &CYCLES),
    ("m.pml", MODEL, "acceptance", &CYCLES),
    ("m.pml", MODEL, "progress", &CYCLES),
    ("claim.pml", CLAIM, "acceptance", &SEARCHES),
    ("cycles.pml", CLAIM_OF_CYCLES, "acceptance", &CYCLES),
    (
        "m.aut",
        LTS,
        "deadlock",
        &["auto", "dfs", "bfs", "stateless", "random-walk", "random-dfs", "highway", "highway-exact"],
    ),
    (
        "m.aut",
        LTS,
        "action:c",
        &["auto", "dfs", "bfs", "stateless", "random-walk", "random-dfs", "highway", "highway-exact"],
    ),
    ("m.xta", NETWORK, "query:E<> p.b", FINITE),
    ("m.xta", NETWORK, "deadlock", FINITE),
];

fn folder(test: &str) -> Folder {
    let files =
        [("m.pml", MODEL), ("claim.pml", CLAIM), ("cycles.pml", CLAIM_OF_CYCLES), ("m.aut", LTS), ("m.xta", NETWORK)];
    let folder = Folder::new(test).file("m.q", "E<> p.b\n");
    files.into_iter().fold(folder, |folder, (name, text)| folder.file(name, text))
}

/// The members of the portfolio, and what is chosen for cycles.
fn is_member_of_auto(algorithm: &str) -> bool {
    ["auto", "bfs", "best-first", "astar", "dfs", "scc", "ndfs", "indfs", "astar-indfs"].contains(&algorithm)
}

fn algorithm(ran: &Ran) -> Option<String> {
    let [result] = &ran.results()[..] else { panic!("one result: {}", ran.stdout) };
    result["search"]["algorithm"].as_str().map(str::to_owned)
}

#[test]
fn the_search_that_runs_is_the_one_that_was_asked_for() {
    let folder = folder("searches-table");
    for (file, _, property, deciding) in ASKED {
        for search in SEARCHES {
            let what = format!("{search} for {property} of {file}");
            let arguments =
                ["check", "--json", file, "--property", property, "--search", search, "--max-states", "2000"];
            let ran = folder.homing(&arguments);
            if !deciding.contains(&search) {
                assert_eq!(ran.code, Some(2), "{what}: {}", ran.stdout);
                assert!(ran.stderr.contains(search) && ran.stderr.contains("; use "), "{what}: {}", ran.stderr);
                continue;
            }
            assert!(matches!(ran.code, Some(0 | 1 | 3)), "{what}: {}{}", ran.stdout, ran.stderr);
            let ran = algorithm(&ran).unwrap_or_else(|| panic!("{what}: {}", ran.stdout));
            let is_right = if search == "auto" { is_member_of_auto(&ran) } else { ran == search };
            assert!(is_right, "{what}: {ran} ran");
        }
    }
}

/// The verdicts on formulas that finite runs violate, or do not.
#[test]
fn searches_agree_on_prefixes() {
    let folder = folder("searches-prefixes");
    for (property, verdict) in [("short", "violated"), ("ltl: [] (x <= 3)", "holds"), ("ltl: X (x == 1)", "holds")] {
        for search in SEARCHES {
            let ran = folder.homing(&[
                "check",
                "--json",
                "m.pml",
                "--property",
                property,
                "--search",
                search,
                "--max-states",
                "2000",
            ]);
            let results = ran.results();
            let is_complete = !["stateless", "random-walk", "highway", "highway-exact", "beam"].contains(&search);
            let found = results[0]["verdict"].as_str().expect("a verdict");
            let is_right = found == verdict || (found == "unknown" && !is_complete && verdict == "holds");
            assert!(is_right, "{search}, {property}: {}", ran.stdout);
        }
    }
    let shortest = folder.homing(&["check", "--json", "m.pml", "--property", "short", "--search", "dfs", "--shortest"]);
    let trail = shortest.results()[0]["trail"].clone();
    assert_eq!((trail["shortest"].as_bool(), trail["length"].as_u64()), (Some(true), Some(6)), "{trail}");
}

/// With fairness nested searches do not apply, or not all.
#[test]
fn fairness_is_known_or_refused() {
    let folder = folder("searches-fairness");
    for (fairness, deciding) in [("weak", &["auto", "random-dfs", "ndfs", "scc"][..]), ("strong", &["auto", "scc"])] {
        for search in CYCLES {
            let arguments =
                ["check", "--json", "m.pml", "--property", "lives", "--search", search, "--fairness", fairness];
            let ran = folder.homing(&arguments);
            if deciding.contains(&search) {
                let ran = algorithm(&ran).expect("it ran");
                assert!(ran == search || search == "auto", "{search} {fairness}: {ran} ran");
            } else {
                assert_eq!(ran.code, Some(2), "{search} {fairness}: {}", ran.stdout);
                assert!(ran.stderr.contains("fairness") && ran.stderr.contains("; use "), "{}", ran.stderr);
            }
        }
    }
}

/// Properties that were not named and that the search does not decide are unknown; the others are decided.
#[test]
fn a_named_search_leaves_properties_undecided_that_it_does_not_apply_to() {
    let folder = folder("searches-several");
    let ran = folder.homing(&["check", "--json", "m.pml", "--search", "bfs"]).ends_with(1);
    let reasons: Vec<(String, Value)> = ran
        .results()
        .iter()
        .map(|result| (result["property"].as_str().expect("a name").to_owned(), result["reason"].clone()))
        .collect();
    let unsupported = |(name, reason): &(String, Value)| (reason == "unsupported-search").then(|| name.clone());
    let undecided: Vec<String> = reasons.iter().filter_map(unsupported).collect();
    assert_eq!(undecided, ["lives", "acceptance", "progress"], "{reasons:?}");
    let text = folder.homing(&["check", "m.pml", "--search", "bfs"]).stdout;
    assert!(text.contains("--search bfs does not apply to lives: it finds no cycles"), "{text}");
    // one that was named is refused, also beside one that could be decided
    let refused = folder.homing(&["check", "m.pml", "--search", "bfs", "--property", "safety", "--property", "lives"]);
    assert!(
        refused.code == Some(2) && refused.stderr.contains("use scc, auto"),
        "{}{}",
        refused.stdout,
        refused.stderr
    );
    let refused = folder.homing(&["check", "m.pml", "--search", "ndfs", "--property", "safety"]).ends_with(2);
    assert!(refused.stderr.contains("use dfs, auto"), "{}", refused.stderr);
}

#[test]
fn rows_of_compare_show_what_ran() {
    let folder = folder("searches-compare");
    let rows = |property: &str, more: &[&str]| {
        let arguments = [&["compare", "--json", "m.pml", "--property", property], more].concat();
        let ran = folder.homing(&arguments);
        let document: Value =
            serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {}", ran.stderr));
        let runs = document["runs"].as_array().expect("rows").clone();
        runs.iter().map(|run| run["search"].as_str().expect("a name").to_owned()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(rows("safety", &[]), "dfs bfs best-first astar ida");
    assert_eq!(rows("short", &[]), "dfs bfs best-first astar ida");
    assert_eq!(rows("lives", &[]), "ndfs indfs astar-indfs scc");
    assert_eq!(rows("lives", &["--fairness", "weak"]), "ndfs scc");
    assert_eq!(rows("short", &["--search", "stateless,ndfs"]), "stateless ndfs");
    for (property, search) in [("lives", "scc,bfs"), ("safety", "scc")] {
        let refused = folder.homing(&["compare", "m.pml", "--property", property, "--search", search]).ends_with(2);
        assert!(refused.stderr.contains("does not apply to"), "{}", refused.stderr);
    }
}

/// Options with something that they have no effect on.
#[test]
fn options_without_effect_are_refused() {
    let folder = folder("searches-options");
    let safety = &["m.pml", "--property", "safety"][..];
    for (given, options, why) in [
        (safety, &["--fairness", "weak"][..], "--fairness weak has no effect with safety"),
        (safety, &["--fairness", "strong"], "applies to properties of infinite runs"),
        (&["m.pml", "--property", "invariant: x < 9"], &["--fairness", "weak"], "has no effect"),
        (&["m.xta"], &["--fairness", "weak"], "has no effect"),
        (&["m.aut"], &["--fairness", "weak"], "--fairness does not apply"),
        (&["m.aut"], &["--por", "on"], "--por on does not apply"),
        (&["m.aut"], &["--confirm"], "--confirm does not apply"),
        (safety, &["--all-errors", "--fail-fast"], "cannot be used with"),
        (safety, &["--search", "bfs", "--weight", "2"], "--weight has no effect with --search bfs"),
        (safety, &["--search", "dfs", "--width", "2"], "--width has no effect with --search dfs"),
        (safety, &["--search", "bfs", "--combine", "max"], "--combine has no effect"),
        (safety, &["--search", "bfs", "--heuristic", "formula"], "--heuristic formula has no effect"),
        (safety, &["--heuristic", "formula", "--bound", "5"], "--bound has no effect"),
        (safety, &["--seed", "5"], "--seed has no effect"),
        (safety, &["--search", "dfs", "--repeat", "3"], "--repeat has no effect"),
        (safety, &["--bits", "1M"], "--bits has no effect"),
        (safety, &["--keep", "0.5"], "--keep has no effect"),
        (safety, &["--search", "dfs", "--threads", "2"], "is not supported by --search dfs"),
        (safety, &["--search", "random-walk", "--store", "tree"], "--store has no effect"),
        (safety, &["--search", "dfs", "--sleep-sets", "on"], "--sleep-sets on has no effect"),
        (safety, &["--plain", "--por", "on"], "--por on has no effect with --plain"),
        (safety, &["--search", "random-walk", "--all-errors"], "--all-errors is not supported"),
        (&["m.pml", "--property", "lives"], &["--store", "compact"], "needs --store tree or exact"),
    ] {
        let ran = folder.homing(&[&["check"], given, options].concat());
        assert!(ran.code == Some(2), "{given:?} {options:?}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains(why), "{given:?} {options:?}: {}", ran.stderr);
    }
    // under strong fairness nothing is claimed about lengths, and that is said
    let flags = ["check", "m.pml", "--property", "lives", "--fairness", "strong", "--shortest"];
    let strong = folder.homing(&flags).ends_with(1);
    assert!(strong.stdout.contains("--shortest proves nothing with --fairness strong"), "{}", strong.stdout);
}
