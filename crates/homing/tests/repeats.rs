//! `--repeat`: swarms of random searches in `check`, statistics over them in `compare`.

mod program;

use program::Folder;
use serde_json::Value;

/// Philosophers who take the left fork first: one deadlock.
const PHILOSOPHERS: &str = "byte fork[N]
active [N] proctype P() {
  do
  :: d_step { fork[_pid] == 0 -> fork[_pid] = 1 };
     d_step { fork[(_pid + 1) % N] == 0 -> fork[(_pid + 1) % N] = 1 };
     fork[_pid] = 0;
     fork[(_pid + 1) % N] = 0
  od
}
";

/// The result of a check of nine philosophers.
fn checked(folder: &Folder, flags: &[&str]) -> Value {
    let command = [&["check", "m.pml", "-DN=9", "--plain", "--json", "--property", "deadlock"], flags].concat();
    folder.homing(&command).results().remove(0)
}

#[test]
fn the_first_run_that_finds_an_error_is_reported_with_any_number_of_threads() {
    let folder = Folder::new("repeats-threads").file("m.pml", PHILOSOPHERS);
    for search in ["random-walk", "random-dfs", "highway", "highway-exact", "beam"] {
        let run = |threads: &str| {
            let mut flags = vec!["--search", search, "--repeat", "500", "--threads", threads];
            match search {
                "random-walk" | "random-dfs" => flags.extend(["--max-states", "30"]), // most runs fail
                _ => flags.extend(["--width", "1", "--max-states", "60"]),
            }
            let result = checked(&folder, &flags);
            assert_eq!(result["verdict"], "violated", "{search}");
            let repeats = &result["search"]["repeats"];
            (repeats["reported_run"].clone(), repeats["runs"].clone(), result["trail"]["length"].clone())
        };
        let one = run("1");
        assert_eq!(one.0.as_u64().map(|run| run + 1), one.1.as_u64(), "{search}: no run after the successful one");
        assert_eq!(run("3"), one, "{search}");
    }
}

#[test]
fn a_swarm_without_success_is_unknown_and_one_that_saw_everything_holds() {
    let correct = "byte x; active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }";
    let folder = Folder::new("repeats-verdicts").file("m.pml", correct);
    let unknown = checked(&folder, &["--search", "random-walk", "--repeat", "5", "--max-states", "100"]);
    assert_eq!((&unknown["verdict"], &unknown["search"]["repeats"]["runs"]), (&"unknown".into(), &5.into()));
    let proved = checked(&folder, &["--search", "highway", "--repeat", "5"]);
    assert_eq!((&proved["verdict"], &proved["search"]["repeats"]["runs"]), (&"holds".into(), &1.into()));
    let lossy = checked(&folder, &["--search", "random-dfs", "--store", "bitstate", "--bits", "1K", "--repeat", "4"]);
    assert_eq!((&lossy["verdict"], &lossy["search"]["repeats"]["runs"]), (&"unknown".into(), &4.into()));
    let timed = checked(&folder, &["--search", "random-walk", "--repeat", "max", "--timeout", "200ms"]);
    assert_eq!((&timed["verdict"], &timed["reason"]), (&"unknown".into(), &"timeout".into()));
}

#[test]
fn compare_prints_statistics_and_a_plot() {
    let folder = Folder::new("repeats-compare").file("m.pml", PHILOSOPHERS);
    let searches = "random-walk,highway,beam";
    let flags = ["compare", "m.pml", "-DN=5", "--search", searches, "--repeat", "50", "--max-states", "20"];
    let table = folder.homing(&[&flags[..], &["--plot", "p.svg"]].concat()).ends_with(1).stdout;
    let methods: Vec<&str> = table.lines().skip(1).filter_map(|line| line.split("  ").next()).collect();
    assert_eq!(methods, ["random-walk", "highway 16", "beam 16 nearest"], "{table}");
    assert!(table.lines().skip(1).all(|line| line.contains(" 50 ")), "{table}");
    let plot = std::fs::read_to_string(folder.path.join("p.svg")).expect("a plot");
    assert!(plot.starts_with("<svg ") && plot.contains(">highway 16</text>"), "{plot}");
    let json = folder.homing(&[&flags[..], &["--json"]].concat()).stdout;
    let document: Value = serde_json::from_str(&json).expect("a document");
    let walk = &document["runs"][0]["repeats"];
    let (found, rate) = (walk["found"].as_f64().expect("a number"), walk["success_rate"].as_f64().expect("a number"));
    assert!((found / 50.0 - rate).abs() < 1e-9, "{walk}");
    assert_eq!(walk["states_quantiles"].as_array().map(Vec::len), Some(4), "{walk}");
}

#[test]
fn what_is_the_same_each_time_is_not_repeated() {
    let folder = Folder::new("repeats-refused").file("m.pml", PHILOSOPHERS);
    for (flags, message) in [
        (&["--search", "bfs", "--repeat", "3"][..], "--repeat has no effect with --search bfs"),
        (&["--search", "highway", "--repeat", "0"], "at least 1, or max"),
        (&["--search", "dfs", "--threads", "2"], "--threads 2 is not supported by --search dfs"),
    ] {
        let ran = folder.homing(&[&["check", "m.pml", "-DN=3"], flags].concat()).ends_with(2);
        assert!(ran.stderr.contains(message), "{flags:?}: {}", ran.stderr);
    }
    let compare = |flags: &[&str]| folder.homing(&[&["compare", "m.pml", "-DN=3"], flags].concat()).ends_with(2).stderr;
    let stderr = compare(&["--plot", "p.svg", "--search", "bfs,random-walk"]);
    assert!(stderr.contains("--search random-walk") && stderr.contains("--repeat"), "{stderr}");
    let stderr = compare(&["--search", "bfs,dfs", "--repeat", "3"]);
    assert!(stderr.contains("--repeat has no effect with --search bfs,dfs"), "{stderr}");
}

/// Beside random searches, those that do the same each time are run once, and are steps of the plot.
#[test]
fn all_searches_are_in_one_plot() {
    let folder = Folder::new("repeats-mixed").file("m.pml", PHILOSOPHERS);
    let flags = ["compare", "m.pml", "-DN=5", "--search", "random-walk,astar,bfs", "--repeat", "20", "--threads", "2"];
    let table = folder.homing(&[&flags[..], &["--plot", "p.svg", "--title", ""]].concat()).ends_with(1).stdout;
    let rows: Vec<Vec<&str>> = table.lines().skip(1).map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0][..3], ["random-walk", "20", "20"], "{table}");
    assert_eq!((&rows[1][2..5], &rows[2][1..4]), (&["1", "1", "-"][..], &["1", "1", "-"][..]), "{table}");
    let plot = std::fs::read_to_string(folder.path.join("p.svg")).expect("a plot");
    assert_eq!((plot.matches("class=\"band\"").count(), plot.matches("class=\"title\"").count()), (1, 0), "{plot}");
    folder.homing(&["compare", "m.pml", "-DN=3", "--search", "bfs", "--plot", "q.svg"]).ends_with(1);
    let plot = std::fs::read_to_string(folder.path.join("q.svg")).expect("a plot");
    assert!(plot.contains("class=\"title\""), "{plot}");
}

/// Where no run decides, the runs tell how much they have seen; where one does, they do not.
#[test]
fn coverage_is_estimated_where_nothing_is_decided() {
    let text = "byte x, y; active proctype P() { do :: x < 60 -> x++ :: y < 60 -> y++ :: else -> break od }";
    let folder = Folder::new("repeats-coverage").file("m.pml", text);
    let check =
        |flags: &[&str]| folder.homing(&[&["check", "m.pml", "--plain", "--json"], flags].concat()).results().remove(0);
    for search in ["random-walk", "random-dfs", "highway", "highway-exact", "beam"] {
        let width: &[&str] = if matches!(search, "random-walk" | "random-dfs") { &[] } else { &["--width", "3"] };
        let result = check(&[&["--search", search, "--repeat", "20", "--max-states", "300"], width].concat());
        let coverage = &result["search"]["repeats"]["coverage"];
        let figure = |name: &str| coverage[name].as_f64().unwrap_or_else(|| panic!("{search}: no {name}: {result}"));
        assert!(
            figure("states_seen") > 100.0 && figure("states_seen") <= figure("states_at_least"),
            "{search}: {coverage}"
        );
        let share = figure("states_seen") / figure("states_at_least");
        assert!(
            (share - figure("seen_at_most")).abs() < 1e-9 && figure("next_visit_known") <= 1.0,
            "{search}: {coverage}"
        );
        // x and y have 61 values each, and the process at most five places
        assert!(figure("states_seen") < 20_000.0, "{search}: {coverage}");
    }
    let flags = ["check", "m.pml", "--plain", "--search", "random-walk", "--max-states", "300"];
    let text = folder.homing(&[&flags[..], &["--repeat", "20"]].concat()).stdout;
    assert!(text.contains("probably there are at least "), "{text}");
    let once = check(&["--search", "random-walk", "--max-states", "300", "--repeat", "1"]);
    assert!(once["search"]["repeats"]["coverage"].is_null(), "{once}");
    let decided = check(&["--search", "random-dfs", "--repeat", "3"]);
    assert_eq!(decided["verdict"], "holds");
    let repeats = &decided["search"]["repeats"];
    assert!(repeats["coverage"].is_null() && repeats["success_interval"].is_null(), "{decided}");
    // runs that were cancelled are not counted
    let states = |threads: &str| {
        check(&["--search", "random-dfs", "--repeat", "5", "--threads", threads])["stats"]["states"].clone()
    };
    assert_eq!((states("2"), states("4")), (states("1"), states("1")));
    let proved = folder.homing(&["check", "m.pml", "--plain", "--search", "random-dfs", "--repeat", "3"]).stdout;
    assert!(proved.contains("run 0, counted from 0, visited all states") && !proved.contains("probab"), "{proved}");
}

/// Runs of a random nested depth-first search differ; the first that finds a cycle is reported, for any number of threads.
#[test]
fn searches_for_cycles_are_repeated_too() {
    let folder = Folder::new("repeats-cycles").file("m.pml", PHILOSOPHERS);
    let check = |property: &str, flags: &[&str]| {
        let all = ["check", "m.pml", "-DN=3", "--property", property, "--search", "random-dfs", "--json"];
        folder.homing(&[&all[..], flags].concat()).results().remove(0)
    };
    let violated = "ltl:[]<> (fork[0] == 0)";
    for limit in ["30", "60", "100000"] {
        let runs = ["1", "2", "4"].map(|threads| {
            let result = check(violated, &["--repeat", "40", "--max-states", limit, "--threads", threads]);
            let repeats = &result["search"]["repeats"];
            assert!(repeats["runs"].as_u64().is_some_and(|runs| runs > 0), "{result}");
            assert_eq!(result["verdict"] == "violated", repeats["found"] == 1, "{result}");
            (result["verdict"].clone(), result["trail"]["length"].clone(), repeats["reported_run"].clone())
        });
        assert!(runs.iter().all(|run| *run == runs[0]), "{limit}: {runs:?}");
    }
    assert_eq!(check(violated, &["--repeat", "3"])["verdict"], "violated");
    let result = check("ltl:[] (fork[0] <= 1)", &["--repeat", "3"]);
    assert_eq!((&result["verdict"], &result["search"]["repeats"]["runs"]), (&"holds".into(), &1.into()), "{result}");
}

#[test]
fn systems_of_labelled_transitions_too() {
    let lts = "des (0,4,4)\n(0,\"a\",1)\n(0,\"b\",2)\n(1,\"c\",0)\n(2,\"d\",3)\n";
    let folder = Folder::new("repeats-lts").file("m.aut", lts);
    let flags = ["check", "m.aut", "--search", "random-walk", "--repeat", "20", "--max-states", "3", "--json"];
    let result = folder.homing(&flags).results().remove(0);
    assert_eq!((&result["verdict"], &result["trail"]["length"]), (&"violated".into(), &2.into()), "{result}");
    assert!(result["search"]["repeats"]["runs"].as_u64().is_some_and(|runs| runs <= 20), "{result}");
}
