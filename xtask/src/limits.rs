//! Peak memory and time of homing under limits, on models that are hard to prepare or have wide states.

use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use crate::bench::{Interrupt, measure};
use crate::process::Ending;

/// Bundled models, and those of `bench/limits`.
const FILES: [(&str, &str); 8] = [
    ("bench/limits/wide-processes.pml", "auto"),
    ("bench/limits/wide-processes.pml", "astar"),
    ("bench/limits/wide-messages.pml", "auto"),
    ("bench/limits/wide-messages.pml", "beam"),
    ("bench/limits/million-cells.pml", "auto"),
    ("bench/limits/million-cells.pml", "dfs"),
    ("models/dining.pml -DN=14", "auto"),
    ("models/leader.pml -DN=7", "bfs"),
];

/// Models of so many options in a loop of two processes, and of so many statements in each of them.
const GENERATED: [(&str, usize, &str); 4] =
    [("options", 1000, "bfs"), ("options", 4000, "bfs"), ("statements", 2000, "bfs"), ("statements", 10_000, "astar")];

const MEMORY: [(&str, u64); 3] = [("50M", 50 << 20), ("200M", 200 << 20), ("1G", 1 << 30)];
const SECONDS: [u32; 2] = [1, 5];

/// What runs longer than this ignores its limit.
const HANGS: Duration = Duration::from_secs(60);

fn generated(kind: &str, count: usize) -> String {
    let option = |k: usize| format!(":: x == {} -> y = {}\n", k % 256, k % 7);
    let statement = |k: usize| format!("x = {}; y = x;\n", k % 7);
    let (opening, body): (&str, String) = match kind {
        "options" => ("", (0..count).map(option).collect()),
        _ => (":: ", (0..count).map(statement).collect()),
    };
    format!("byte x, y;\nactive [2] proctype P() {{\ndo\n{opening}{body}od }}\n")
}

/// Prints the table; true if every limit was kept.
pub fn report(homing: &Path) -> io::Result<bool> {
    let folder = tempfile::tempdir()?;
    let here = std::env::current_dir()?;
    let mut models: Vec<(String, Vec<String>, &str)> = Vec::new();
    for (file, search) in FILES {
        let mut words = file.split(' ');
        let path = here.join(words.next().unwrap_or_default()).display().to_string();
        models.push((file.to_owned(), std::iter::once(path).chain(words.map(str::to_owned)).collect(), search));
    }
    for (kind, count, search) in GENERATED {
        let path = folder.path().join(format!("{kind}-{count}.pml"));
        fs::write(&path, generated(kind, count))?;
        models.push((format!("{count} {kind}"), vec![path.display().to_string()], search));
    }
    println!("| model | search | --memory | --timeout | peak MB | of at most | seconds | exit |");
    println!("|---|---|--:|--:|--:|--:|--:|--:|");
    let mut are_kept = true;
    for (name, arguments, search) in &models {
        for (memory, bytes) in MEMORY {
            for seconds in SECONDS {
                let (time, most) = (format!("{seconds}s"), bytes + bytes / 5 + 20_000_000);
                let options =
                    ["--search", search, "--memory", memory, "--timeout", &time, "--trail", "limits.trail", "--quiet"];
                let all: Vec<&str> =
                    std::iter::once("check").chain(arguments.iter().map(String::as_str)).chain(options).collect();
                let run = measure::measure(homing, &all, folder.path(), HANGS, &Interrupt::never())?;
                let is_kept = run.peak_bytes <= most && run.finished.seconds <= f64::from(seconds) + 1.0;
                are_kept &= is_kept;
                let exit = match run.finished.ending {
                    Ending::Exit(code) => code.to_string(),
                    other => format!("{other:?}"),
                };
                println!(
                    "| {name} | {search} | {memory} | {time} | {} | {} | {:.2} | {exit}{} |",
                    run.peak_bytes / 1_000_000,
                    most / 1_000_000,
                    run.finished.seconds,
                    if is_kept { "" } else { " **not kept**" }
                );
            }
        }
    }
    Ok(are_kept)
}
