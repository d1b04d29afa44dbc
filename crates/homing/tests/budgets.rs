//! Limits are kept in every phase, preparation included: memory as the system counts it, time, endless input, signals.
#![cfg(target_os = "linux")]

mod program;

use std::fs::{self, File};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use program::{Folder, Ran};
use serde_json::Value;

/// A search that has not ended by then hangs.
const HANGS: Duration = Duration::from_secs(120);

/// Wide states of which some thousand are in the trial of the partial-order reduction.
const WIDE: &str = "\
byte a[8]; byte b[60000]; int d[60000]; byte x;
active [8] proctype P() {
	byte l;
	do
	:: a[_pid] = (a[_pid] + 1) % 200; d[a[_pid] * 8 + _pid] = 1
	:: d[x] = d[x] + 1
	:: b[x] = x; x++
	od
}
";

const MILLION: &str = "\
int d[1000000]; byte x;
active proctype P() { do :: d[x] = d[x] + 1 :: x++ od }
";

/// 2^24 states and more: no test waits for the end.
const ENDLESS: &str = "\
int x, y;
active proctype P() { do :: x++ :: y++ :: x < 0 && y < 0 -> break od }
";

/// So many options in a loop of two processes.
fn many_options(count: usize) -> String {
    let options: String = (0..count).map(|k| format!(":: x == {} -> y = {}\n", k % 256, k % 7)).collect();
    format!("byte x, y;\nactive [2] proctype P() {{\ndo\n{options}od }}\n")
}

/// So many statements one after the other, in each of two processes.
fn many_statements(count: usize) -> String {
    let statements: String = (0..count).map(|k| format!("x = {}; y = x;\n", k % 7)).collect();
    format!("byte x, y;\nactive [2] proctype P() {{\nend: do :: {statements} od }}\n")
}

/// The end of a run, and the most memory that the process had.
fn measured(folder: &Folder, mut command: Command) -> (Ran, u64) {
    // a pipe would not be read meanwhile
    let [stdout, stderr] = ["stdout", "stderr"].map(|name| folder.path.join(name));
    let file = |path| File::create(path).expect("a file");
    let mut child = command.stdout(file(&stdout)).stderr(file(&stderr)).spawn().expect("homing starts");
    let (start, mut peak) = (Instant::now(), 0);
    while child.try_wait().expect("a child").is_none() {
        peak = peak.max(high_water(&child).unwrap_or(0));
        if start.elapsed() > HANGS {
            child.kill().expect("it runs");
        }
        sleep(Duration::from_millis(1));
    }
    let [stdout, stderr] = [stdout, stderr].map(|path| fs::read(path).expect("a file"));
    let status = child.wait().expect("a child");
    (Ran::of(Output { status, stdout, stderr }), peak)
}

fn high_water(child: &Child) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? << 10)
}

#[track_caller]
fn first_result(ran: &Ran) -> Value {
    ran.results().into_iter().next().expect("a result")
}

#[test]
fn the_memory_of_the_process_is_bounded_whatever_takes_it() {
    let folder = Folder::new("budgets-memory").file("wide.pml", WIDE).file("million.pml", MILLION);
    let searches: [&[&str]; 8] = [
        &[],
        &["--search", "bfs", "--store", "exact"],
        &["--search", "bfs", "--threads", "3"],
        &["--search", "dfs"],
        &["--search", "astar"],
        &["--search", "beam"],
        &["--search", "highway-exact", "--width", "1000"],
        &["--search", "random-walk", "--repeat", "max"],
    ];
    for model in ["wide.pml", "million.pml"] {
        for search in searches {
            let all = [&["check", model, "--json", "--memory", "50M", "--timeout", "5s"], search].concat();
            let (ran, peak) = measured(&folder, folder.command(&all));
            let result = first_result(&ran.ends_with(3));
            assert_eq!(result["verdict"], "unknown", "{all:?}");
            assert!(["memory", "timeout", "incomplete-search"].contains(&result["reason"].as_str().expect("a reason")));
            assert!(peak <= (50 << 20) / 5 * 6 + 20_000_000, "{all:?}: {} MB", peak / 1_000_000);
        }
    }
}

#[test]
fn preparing_the_reduction_is_a_small_part_of_a_search() {
    let folder = Folder::new("budgets-preparation")
        .file("options.pml", many_options(4000))
        .file("statements.pml", many_statements(2000));
    for (model, search) in [("options.pml", "bfs"), ("options.pml", "astar"), ("statements.pml", "scc")] {
        let property = if search == "scc" { "acceptance" } else { "safety" };
        let all = ["check", model, "--json", "--search", search, "--property", property, "--confirm=never"];
        let (ran, _) = measured(&folder, folder.command(&[&all[..], &["--timeout", "20s", "--memory", "1G"]].concat()));
        let result = first_result(&ran);
        assert_ne!(result["reason"], "timeout", "{model} {search}: {result}");
    }
    // an allowance that is too small
    let small = ["check", "statements.pml", "--json", "--search", "bfs", "--memory", "12M"];
    let result = first_result(&folder.homing(&small));
    assert_eq!(result["search"]["por"], false, "{result}");
    let why = result["search"]["por_off"].as_str().expect("a reason");
    assert_eq!(why, "deriving access sets would take more than its share of the time and the memory");
    let text = folder.homing(&["check", "statements.pml", "--search", "bfs", "--memory", "12M", "-v"]).stdout;
    assert!(text.contains("no partial-order reduction: deriving access sets"), "{text}");
}

/// Runs a command with an input that never ends.
fn with_endless_input(folder: &Folder, arguments: &[&str]) -> (Ran, u64) {
    let mut endless = Command::new("yes").stdout(Stdio::piped()).spawn().expect("yes(1)");
    let mut command = folder.command(arguments);
    command.stdin(endless.stdout.take().expect("a pipe"));
    let done = measured(folder, command);
    let _ = endless.kill();
    let _ = endless.wait();
    done
}

#[test]
fn what_never_ends_is_refused() {
    let folder = Folder::new("budgets-input").file("m.pml", ENDLESS);
    for arguments in [
        &["check", "-"][..],
        &["check", "-", "--input", "xta"],
        &["check", "-", "--input", "aut"],
        &["graph", "-"],
        &["simulate", "-"],
        &["ltl", "--hoa", "-"],
        &["replay", "m.pml", "/dev/stdin"],
    ] {
        let (ran, peak) = with_endless_input(&folder, arguments);
        assert_eq!(ran.code, Some(2), "{arguments:?}\n{}\n{}", ran.stdout, ran.stderr);
        assert!(!ran.stderr.is_empty() && peak < 900 << 20, "{arguments:?}: {peak} bytes\n{}", ran.stderr);
    }
    for arguments in [&["check", "/dev/zero"][..], &["replay", "m.pml", "/dev/zero"], &["ltl", "--hoa", "/dev/zero"]] {
        let (ran, peak) = measured(&folder, folder.command(arguments));
        assert_eq!(ran.code, Some(2), "{arguments:?}\n{}", ran.stderr);
        assert!(peak < 64 << 20, "{arguments:?}: {peak} bytes");
    }
    let refusal = with_endless_input(&folder, &["check", "-"]).0.stderr;
    assert!(refusal.contains("it is longer than 32 megabytes; give a smaller file"), "{refusal}");
}

/// Sends one SIGTERM as soon as `is_time`, and returns how the command ended.
#[track_caller]
fn terminated(folder: &Folder, arguments: &[&str], after: Duration) -> Ran {
    let mut command = folder.command(arguments);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("homing starts");
    sleep(after);
    let sent = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().expect("kill(1)");
    assert!(sent.success());
    let asked = Instant::now();
    let ran = Ran::of(child.wait_with_output().expect("homing ends"));
    assert!(asked.elapsed() < HANGS / 4, "{arguments:?}");
    ran
}

#[test]
fn one_signal_ends_every_phase() {
    let dining = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/dining.pml");
    let folder = Folder::new("budgets-signal").file("m.pml", ENDLESS).file("wide.pml", many_options(60_000));
    assert!(Command::new("mkfifo").arg(folder.path.join("fifo")).status().expect("mkfifo(1)").success());
    let long = Duration::from_millis(700);
    for arguments in [
        // reading a pipe without a writer, a long search, a long preparation, a proof of shortness
        &["check", "fifo", "--json"][..],
        &["check", "m.pml", "--json"],
        &["check", "m.pml", "--json", "--search", "scc", "--threads", "8", "--property", "acceptance"],
        &["check", "wide.pml", "--json", "--search", "bfs"],
        &["check", dining, "-DN=22", "--property", "deadlock", "--shortest", "--trail", "t", "--json"],
    ] {
        let ran = terminated(&folder, arguments, long).ends_with(130);
        let result = first_result(&ran);
        let is_undecided = result["verdict"] == "unknown" && result["reason"] == "interrupted";
        assert!(is_undecided || result["verdict"] == "violated", "{arguments:?}: {result}");
    }
    for arguments in [
        &["graph", "m.pml", "--states", "--max-states", "1000000000"][..],
        &["replay", "m.pml", "fifo"],
        &["ltl", "--hoa", "fifo"],
        &["compare", "m.pml", "--search", "bfs"],
    ] {
        terminated(&folder, arguments, long).ends_with(130);
    }
}

#[test]
fn a_graph_has_limits() {
    let folder = Folder::new("budgets-graph").file("m.pml", ENDLESS);
    for kind in ["--states", "--abstraction"] {
        let huge = ["graph", "m.pml", kind, "--max-states", "1000000000"];
        let bound: &[&str] = if kind == "--states" { &[] } else { &["--bound", "1000000000"] };
        let limited = |limit: [&str; 2]| folder.homing(&[&huge[..], bound, &limit].concat());
        let late = limited(["--timeout", "300ms"]);
        if kind == "--states" {
            assert_eq!((late.code, late.stdout.as_str()), (Some(3), ""));
            assert!(
                late.stderr.contains("nothing drawn: the time limit was reached: try a longer --timeout"),
                "{}",
                late.stderr
            );
            let full = limited(["--memory", "20M"]);
            assert!(full.code == Some(3) && full.stderr.contains("memory"), "{}", full.stderr);
        } else {
            assert!([Some(0), Some(3)].contains(&late.code), "{}", late.stderr);
        }
    }
}

/// The initial state of a model with too many processes or channels is no error of the model that a run could show.
#[test]
fn too_many_processes_at_the_start_are_a_limit_of_the_tool() {
    let philosophers = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/philosophers.pml");
    let folder = Folder::new("budgets-processes")
        .file("types.pml", "byte x;\nactive [200] proctype P() { x++ }\nactive [100] proctype Q() { x++ }\n")
        .file(
            "channels.pml",
            "byte x;\nchan c[200] = [1] of { byte };\nchan d[100] = [1] of { byte };\ninit { c[0]!1; d[0]!1 }\n",
        )
        .file(
            "local.pml",
            "active [128] proctype P() { chan c = [1] of { byte }; chan d = [1] of { byte }; c!1; d!1 }\n",
        )
        .file("later.pml", "proctype P() { false }\ninit { byte i; do :: run P() od }\n");
    for (model, line, what) in [
        ("types.pml", "types.pml:3", "the initial state has 300 processes, and at most 255 can exist at a time"),
        ("channels.pml", "channels.pml:3", "the initial state has 300 channels, and at most 255 can exist at a time"),
        ("local.pml", "local.pml:1", "the initial state has 256 channels, and at most 255 can exist at a time"),
    ] {
        let ran = folder.homing(&["check", model]).ends_with(2);
        assert!(ran.stderr.contains(line) && ran.stderr.contains(what), "{}", ran.stderr);
    }
    let ran = folder.homing(&["check", philosophers, "-DN=200"]).ends_with(2);
    assert!(ran.stderr.contains("the initial state has 400 processes"), "{}", ran.stderr);
    // pan: "too many processes", an error with a trail
    let later = folder.homing(&["check", "later.pml", "--json"]).ends_with(1);
    assert_eq!(first_result(&later)["error"]["message"], "too many processes: at most 255 can exist at a time");
}
