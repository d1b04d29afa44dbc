//! What people meet in their first hour with homing.

mod program;

use std::fs;

use program::Folder;
use serde_json::Value;

/// Process 0 is `init`, not a `W`.
const CREATED: &str = "proctype W() { byte t; t = 1; crit: t = 0 }\ninit { run W(); run W() }\n";

#[test]
fn a_label_of_a_process_of_another_type_is_an_error_of_the_model() {
    let folder = Folder::new("label-of-another-type").file("m.pml", CREATED);
    let asked = ["check", "m.pml", "--json", "--property", "invariant: !(W[0]@crit && W[1]@crit)"];
    let result = folder.homing(&asked).ends_with(1).results()[0].clone();
    assert_eq!(result["error"]["kind"], "runtime-error");
    let message = result["error"]["message"].as_str().expect("a text");
    assert!(message.contains("`W[0]` refers to process 0, which is of type `:init:`"), "{message}");
    let asked = ["check", "m.pml", "--property", "invariant: !(W[1]@crit && W[2]@crit)"];
    folder.homing(&asked).ends_with(1);
}

#[test]
fn an_invariant_about_a_process_that_never_exists_is_vacuous() {
    let folder = Folder::new("vacuous").file("m.pml", CREATED);
    let warnings = |invariant: &str| {
        let asked = format!("invariant: {invariant}");
        let result =
            folder.homing(&["check", "m.pml", "--json", "--property", &asked]).ends_with(0).results()[0].clone();
        result["warnings"].as_array().expect("a list").len()
    };
    for (invariant, count) in [("!W[9]@crit", 1), ("W[9]:t <= 1", 1), ("W[2]:t <= 1", 0), ("W[9]:t <= W[8]:t", 2)] {
        assert_eq!(warnings(invariant), count, "{invariant}");
    }
    let shown = folder.homing(&["check", "m.pml", "--property", "invariant: !W[9]@crit"]).ends_with(0).stdout;
    assert!(shown.contains("warning: W[9] never exists: the invariant says nothing about it"), "{shown}");
}

#[test]
fn figures_are_those_of_all_that_was_done() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/dining.pml");
    let folder = Folder::new("all-figures").file("m.pml", fs::read_to_string(path).expect("a model"));
    let result = |flags: &[&str]| {
        folder.homing(&[&["check", "m.pml", "-DN=8", "--json"], flags].concat()).ends_with(1).results()[0].clone()
    };
    let (proved, number) = (result(&["--shortest"]), |value: &Value| value.as_u64().expect("a number"));
    let (all, first) = (&proved["stats"], &proved["stats"]["first_error"]);
    // the proof searches all states within the length of the path, of which there are thousands
    assert!(number(&first["expanded"]) < 500 && number(&all["expanded"]) > 2000, "{all}");
    assert!(number(&all["states"]) > number(&first["states"]) && all["seconds"].as_f64() >= first["seconds"].as_f64());
    assert_eq!((&proved["trail"]["shortest"], &proved["trail"]["lower_bound"]), (&Value::Bool(true), &Value::Null));
    assert!(all["stored_bytes_per_state"].as_f64() > Some(1.0), "of the search that found the error: {all}");
    let holds =
        folder.homing(&["check", "m.pml", "-DN=2", "--json", "--property", "assertions"]).ends_with(0).results();
    assert_eq!(holds[0]["stats"]["first_error"], Value::Null);
}

#[test]
fn a_path_that_is_not_proved_shortest_says_so() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/dining.pml");
    let folder = Folder::new("not-proved").file("m.pml", fs::read_to_string(path).expect("a model"));
    let asked = ["check", "m.pml", "-DN=16", "--shortest", "--max-states", "20000"];
    let shown = folder.homing(&asked).ends_with(1).stdout;
    assert!(shown.contains("; not proved shortest; at least "), "{shown}");
    let result = folder.homing(&[&asked[..], &["--json"]].concat()).ends_with(1).results()[0].clone();
    let (least, length) = (result["trail"]["lower_bound"].as_u64(), result["trail"]["length"].as_u64());
    // the shortest path has five statements for each philosopher, and three more
    assert!(least.is_some_and(|least| 16 < least && least <= 83) && length >= Some(83), "{result}");
    let shown = folder.homing(&["check", "m.pml", "-DN=3", "--search", "dfs"]).ends_with(1).stdout;
    assert!(shown.contains("; not proved shortest\n"), "{shown}");
}

#[test]
fn the_heuristic_is_the_one_that_ran() {
    let folder = Folder::new("heuristic-that-ran").file("m.pml", CREATED).file("long.pml", "byte x, y;\nactive proctype P() { do :: x < 200 -> x++ od }\nactive proctype Q() { do :: y < 200 -> y++ :: x == 255 -> assert(false) od }\n");
    let heuristic =
        |flags: &[&str]| folder.homing(&[&["check", "--json"], flags].concat()).results()[0]["search"].clone();
    let search = heuristic(&["long.pml", "--property", "assertions"]);
    assert_eq!(
        (&search["algorithm"], &search["heuristic"]),
        (&"bfs".into(), &Value::Null),
        "decided without an estimate"
    );
    let search = heuristic(&["m.pml"]);
    let name = search["heuristic"].as_str().expect("a name").to_owned();
    assert_eq!(heuristic(&["m.pml", "--search", "best-first", "--heuristic", &name])["heuristic"], name[..]);
}

/// SPIN leaves hidden variables out of the state; one that is never read is no part of it anyhow.
#[test]
fn a_hidden_variable_that_is_never_read_switches_nothing_off() {
    let text = "hidden int log;\nbyte x;\nactive [2] proctype P() { byte t; log = 7; t = x; log++; x = t + 1; log = x }\n\
                init { _nr_pr == 1; assert(x == 2) }\n";
    let folder = Folder::new("hidden-unread").file("m.pml", text).file("without.pml", text.replace("hidden ", ""));
    for flags in [&[][..], &["--threads", "2", "--search", "bfs"], &["--store", "tree"], &["--shortest"]] {
        let result = |model: &str| {
            folder.homing(&[&["check", model, "--json"], flags].concat()).ends_with(1).results()[0].clone()
        };
        let (hidden, without) = (result("m.pml"), result("without.pml"));
        assert_eq!(hidden["trail"]["shortest"], Value::Bool(true), "{flags:?}");
        assert_eq!(hidden["trail"]["length"], without["trail"]["length"], "{flags:?}");
        assert_eq!(hidden["search"]["store"], without["search"]["store"], "{flags:?}");
    }
}

#[test]
fn every_violated_property_has_a_trail_of_its_own() {
    let text = "byte x; active proctype P() { x = 1; x = 2; x = 1; x = 0 }\n";
    for asked in [&[][..], &["--trail", "t.trail"], &["--trail", "t.json"]] {
        let folder = Folder::new(&format!("two-invariants-{}", asked.len())).file("m.pml", text);
        let both = ["check", "m.pml", "--json", "--property", "invariant: x<1", "--property", "invariant: x>1"];
        let results = folder.homing(&[&both[..], asked].concat()).ends_with(1).results();
        let lengths: Vec<usize> = results
            .iter()
            .map(|result| {
                let file = result["trail"]["file"].as_str().expect("a file");
                let shown = folder.homing(&["replay", "m.pml", file, "--json"]).stdout;
                let shown: Value = serde_json::from_str(&shown).expect("JSON");
                shown["steps"].as_array().expect("steps").len()
            })
            .collect();
        assert_eq!(lengths, [1, 0], "each replays its own run");
    }
}

#[test]
fn the_printed_command_replays_the_trail() {
    let text = "#include \"size.h\"\nbyte x;\nactive proctype P() { do :: x < N -> x++ :: else -> break od; assert(x != LIMIT) }\n";
    let folder = Folder::new("printed-command").file("a model.pml", text);
    fs::create_dir(folder.path.join("sub dir")).expect("a folder");
    let folder = folder.file("sub dir/size.h", "#define LIMIT 5\n");
    let ran = folder.homing(&["check", "a model.pml", "-DN=2 + 3", "-I", "sub dir"]).ends_with(1);
    let (_, command) = ran.stdout.split_once("replay it with: homing ").expect("a command");
    let words = words(command.lines().next().expect("a line"));
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    folder.homing(&words).ends_with(1);
    let json = ["check", "a model.pml", "-DN=2 + 3", "-I", "sub dir", "--trail", "t.json"];
    folder.homing(&json).ends_with(1);
    // the trail knows the macros
    let ran = folder.homing(&["replay", "a model.pml", "t.json", "-I", "sub dir"]).ends_with(1);
    assert_eq!(ran.stderr, "");
}

/// A run in which `Client` processes start, with a local array and a local variable.
const CLIENTS: &str = "byte total;\nproctype Client(byte n) { byte tries; byte a[2]; tries = n; a[1] = n; total = total + tries }\n\
                       init { run Client(3); run Client(4); (total == 7); assert(false) }\n";

#[test]
fn values_are_named_in_one_way_everywhere() {
    let folder = Folder::new("values").file("m.pml", CLIENTS);
    folder.homing(&["check", "m.pml"]).ends_with(1);
    let lines = |name: &str| folder.homing(&["replay", "m.pml", "--values", name]).ends_with(1).stdout.lines().count();
    assert_eq!(lines("tries"), 2);
    assert_eq!(lines("Client:tries"), 2);
    for name in ["Client[1]:tries", "Client(1):tries", "Client[2] : tries", "Client[1]:a[1]", "Client[1]:a"] {
        assert_eq!(lines(name), 1, "{name}");
    }
    assert_eq!(lines("a[1]"), 2);
    for (name, parts) in [
        ("Client[7]:tries", &["the run has no such process", "Client(1), Client(2)"][..]),
        ("Client:total", &["Client has no local variable `total`"]),
        ("Clint:tries", &["unknown process type `Clint`", "did you mean `Client`"]),
        ("a[2]", &["the model has no such element", "a[0..1]"]),
        ("tries[3]", &["the model has no such element; it has tries"]),
        ("trise", &["no variable `trise`", "did you mean `tries`"]),
    ] {
        let ran = folder.homing(&["replay", "m.pml", "--values", name]).ends_with(2);
        parts.iter().for_each(|part| assert!(ran.stderr.contains(part), "{part:?} is not in\n{}", ran.stderr));
    }
}

#[test]
fn a_chart_overwrites_nothing() {
    let folder = Folder::new("chart-files").file("m.pml", CLIENTS).file("other.pml", "init { skip }");
    folder.homing(&["check", "m.pml"]).ends_with(1);
    for arguments in [
        &["replay", "--chart", "m.pml"][..],
        &["replay", "--chart", "other.pml", "m.pml"],
        &["replay", "m.pml", "--chart", "x.png"],
        &["replay", "m.pml", "--chart", "out"],
    ] {
        let ran = folder.homing(arguments).ends_with(2);
        assert!(ran.stderr.contains(".svg") && ran.stderr.contains("homing replay MODEL --chart"), "{}", ran.stderr);
    }
    assert_eq!(fs::read_to_string(folder.path.join("other.pml")).expect("the model"), "init { skip }");
    assert!(!folder.path.join("x.png").exists() && !folder.path.join("out").exists());
    folder.homing(&["replay", "m.pml", "--chart", "x.txt"]).ends_with(1);
    folder.homing(&["replay", "m.pml", "--chart", "x.SVG"]).ends_with(1);
    folder.homing(&["replay", "m.pml", "--chart"]).ends_with(1);
}

#[test]
fn reductions_that_a_search_does_not_use_are_refused() {
    let folder = Folder::new("idle-reductions").file("m.pml", "init { skip }");
    for (flags, part) in [
        (&["--search", "highway", "--por", "on"][..], "--por on has no effect with --search highway"),
        (&["--search", "astar", "--sleep-sets", "on"], "--sleep-sets on has no effect with --search astar"),
        (&["--por", "on", "--plain"], "--por on has no effect with --plain"),
        (&["--por", "on", "--max-depth", "9"], "--por on has no effect with --max-depth"),
    ] {
        let ran = folder.homing(&[&["check", "m.pml"], flags].concat()).ends_with(2);
        assert!(ran.stderr.contains(part), "{part:?} is not in\n{}", ran.stderr);
    }
    for flags in [
        &["--por", "on", "--sleep-sets", "on"][..],
        &["--search", "dfs", "--por", "on"],
        &["--search", "ida", "--por", "on", "--max-depth", "9"],
        &["--search", "dfs", "--por", "off", "--sleep-sets", "off"],
    ] {
        folder.homing(&[&["check", "m.pml"], flags].concat()).ends_with(0);
    }
}

#[test]
fn the_reason_is_given_where_a_property_is_not_reduced() {
    let loops =
        "byte x, z; active proctype P() { do :: x = 1 - x od } active proctype Q() { do :: z = 1; z = 2; z = 3 od }";
    let text = format!("{loops} ltl p {{ [] (x < 2) }} ltl n {{ [] X (x < 2) }} ltl t {{ [] !timeout }}");
    let never = format!("{loops} never {{ do :: x < 2 od }}");
    let folder = Folder::new("not-reduced").file("m.pml", &text).file("never.pml", &never);
    for (arguments, part) in [
        (&["m.pml", "--property", "p"][..], None),
        (&["m.pml", "--property", "p", "--search", "ndfs"], None),
        (&["m.pml", "--property", "n"], Some("no effect on n: the formula is not stutter-invariant")),
        (&["m.pml", "--property", "t"], Some("no effect on t: the property mentions timeout")),
        (
            &["m.pml", "--property", "p", "--fairness", "weak"],
            Some("no effect on p: the reduction does not keep which"),
        ),
        (&["never.pml", "--property", "acceptance"], Some("no effect on acceptance: a never claim can count steps")),
    ] {
        let ran = folder.homing(&[&["check", "--por", "on", "--json"], arguments].concat());
        let results = ran.results();
        let warnings: Vec<&str> = results[0]["warnings"]
            .as_array()
            .expect("warnings")
            .iter()
            .filter_map(|warning| warning.as_str())
            .collect();
        match part {
            Some(part) => assert!(warnings.iter().any(|warning| warning.contains(part)), "{arguments:?}: {warnings:?}"),
            None => {
                assert!(!warnings.iter().any(|warning| warning.contains("--por")), "{arguments:?}: {warnings:?}");
                assert_eq!(results[0]["search"]["por"], true, "{arguments:?}");
            }
        }
    }
}

#[test]
fn conditions_that_mean_something_else_are_refused() {
    let folder = Folder::new("odd-conditions")
        .file("m.pml", "byte x;\nactive proctype P() { x = 1; printf(\"%d of %d\\n\", x) }\n");
    for (condition, part) in [
        ("x == 0) || (x <= 2", "`)` has no matching `(`"),
        ("(x == 0", "`(` has no matching `)`"),
        ("np_", "never claim"),
        ("_pid == 0", "_pid"),
    ] {
        let ran = folder.homing(&["check", "m.pml", "--property", &format!("invariant: {condition}")]).ends_with(2);
        assert!(ran.stderr.contains(part), "{part:?} is not in\n{}", ran.stderr);
    }
    let ran = folder.homing(&["check", "m.pml", "-DSZIE=3"]).ends_with(0);
    assert!(ran.stderr.contains("this `printf` has too few arguments"), "{}", ran.stderr);
    assert!(ran.stderr.contains("the model never uses the macro `SZIE`, which -D defines"), "{}", ran.stderr);
    let ran = folder.homing(&["check", "m.pml", "-DMOST=3", "--property", "invariant: x < MOST"]).ends_with(0);
    assert!(!ran.stderr.contains("MOST"), "{}", ran.stderr);
}

/// The words of a command, of which some are quoted.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut word, mut is_quoted) = (Vec::new(), String::new(), false);
    for c in command.chars() {
        match c {
            '\'' => is_quoted = !is_quoted,
            ' ' if !is_quoted => words.push(std::mem::take(&mut word)),
            c => word.push(c),
        }
    }
    words.push(word);
    words
}

/// No search proves this path shortest in time, but most of its steps are not needed.
#[test]
fn steps_that_an_error_does_not_need_are_left_out() {
    let text = "proctype Q() { skip }\nactive proctype P() { do :: run Q() od }\n";
    let folder = Folder::new("left-out").file("m.pml", text);
    let result = folder.homing(&["check", "m.pml", "--json"]).ends_with(1).results()[0].clone();
    assert_eq!(result["trail"]["length"], 255);
    folder.homing(&["replay", "m.pml"]).ends_with(1);
    // A* is directed by the number of processes that are missing; without it, it searches all orders of their steps
    let result = folder.homing(&["check", "m.pml", "--json", "--search", "astar"]).ends_with(1).results()[0].clone();
    assert_eq!(result["trail"]["length"], 255);
    assert!(result["stats"]["expanded"].as_u64() < Some(1000), "{result}");
}

/// `timeout` signals the process and its group, so that each signal arrives twice.
#[cfg(unix)]
#[test]
fn a_signal_that_arrives_twice_is_one_request() {
    use rustix::process::{Pid, Signal, kill_process};

    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/dining.pml");
    let folder = Folder::new("signal-twice").file("m.pml", fs::read_to_string(path).expect("a model"));
    let mut command = folder.command(&["check", "m.pml", "-DN=20", "--property", "assertions", "--plain", "--json"]);
    let child = command.stdout(std::process::Stdio::piped()).spawn().expect("homing starts");
    std::thread::sleep(std::time::Duration::from_millis(500));
    for _ in 0..2 {
        kill_process(Pid::from_child(&child), Signal::TERM).expect("it runs");
        std::thread::sleep(std::time::Duration::from_millis(1)); // else the second may be merged with the first
    }
    let ran = program::Ran::of(child.wait_with_output().expect("homing ends")).ends_with(130);
    assert_eq!(ran.results()[0]["reason"], "interrupted");
}

/// A formula or a property that is wrong is an error of the command, in the user's own words.
#[test]
fn formulas_and_names_are_read_before_the_search() {
    let folder = Folder::new("wrong-formulas").file("m.pml", "bool req;\nactive proctype P() { req = 1 }\n");
    for (property, part) in [
        ("ltl:[](req -> ", "cannot parse the formula: expected `)`, found the end of the formula"),
        ("ltl:[] nosuch", "`nosuch` is not declared"),
        ("foo", "unknown property `foo`; available: safety, "),
        ("foo", "and 'invariant:EXPR'"),
    ] {
        let ran = folder.homing(&["check", "m.pml", "--property", property]).ends_with(2);
        assert!(ran.stderr.contains(part), "{part:?} is not in\n{}", ran.stderr);
    }
}

/// The statement that violates an invariant is its place, in all formats.
#[test]
fn an_invariant_is_violated_at_a_statement() {
    let folder =
        Folder::new("place-of-invariant").file("m.pml", "byte x;\nactive proctype P() {\n  x = 1;\n  x = 2\n}\n");
    let asked = |format: &str| {
        folder.homing(&["check", "m.pml", "--property", "invariant: x < 2", "--format", format]).ends_with(1).stdout
    };
    let document: Value = serde_json::from_str(&asked("json")).expect("JSON");
    let error = &document["results"][0]["error"];
    assert_eq!((&error["file"], &error["line"], &error["process"]), (&"m.pml".into(), &4.into(), &"P(0)".into()));
    assert!(asked("text").contains("  at m.pml:4 in P(0)\n"));
    assert!(asked("github").contains("::error file=m.pml,line=4,"));
    assert!(asked("sarif").contains("\"startLine\": 4"));
}

/// Where the estimate sees no error, the directed searches of the portfolio are not worth their share.
#[test]
fn without_an_error_the_portfolio_costs_little_more_than_breadth_first_search() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/dining.pml");
    let folder = Folder::new("portfolio-cost").file("m.pml", fs::read_to_string(path).expect("a model"));
    let expanded = |search: &str| {
        let asked = ["check", "m.pml", "-DN=10", "--property", "assertions", "--json", "--search", search];
        folder.homing(&asked).ends_with(0).results()[0]["stats"]["expanded"].as_u64().expect("a number")
    };
    let (auto, bfs) = (expanded("auto"), expanded("bfs"));
    assert!(auto * 10 < bfs * 13, "{auto} expansions, {bfs} by breadth-first search");
}

/// A line can have several assertions: each is an error of its own.
#[test]
fn assertions_on_one_line_are_different_errors() {
    let text = "byte x; active proctype P() { if :: x = 1; assert(x != 1) :: x = 2; assert(x != 2) fi }";
    let folder = Folder::new("two-assertions").file("m.pml", text);
    let result = folder.homing(&["check", "m.pml", "--all-errors", "--json"]).ends_with(1).results().remove(0);
    let messages: Vec<&str> =
        result["violations"].as_array().expect("a list").iter().filter_map(|one| one["message"].as_str()).collect();
    assert_eq!(messages, ["assertion violated: x != 1", "assertion violated: x != 2"], "{result}");
}
