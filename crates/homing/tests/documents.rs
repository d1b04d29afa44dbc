//! The documents print what the program prints: the commands of every `console` block run, and print what is shown after them.
//!
//! `HOMING_DOCS=write cargo test -p homing --release --test documents` writes what they print now into the documents. A block that
//! cannot be run has the mark `not run:` and the reason after the word `console`.

mod program;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use program::{Folder, Ran};

/// At most so many blocks are not run.
const MOST_NOT_RUN: usize = 6;

/// A line that stands for any number of lines.
const ELISION: &str = "…";

/// A command and the lines that the page shows of its output.
#[derive(Debug, PartialEq, Eq)]
struct Example<'a> {
    command: &'a str,
    output: Vec<&'a str>,
}

/// A block of a page.
struct Block<'a> {
    /// What stands after the three backticks.
    kind: &'a str,
    lines: Vec<&'a str>,
    /// The number of its first line on the page, from 0.
    first: usize,
}

fn blocks(page: &str) -> Vec<Block<'_>> {
    let (mut blocks, mut is_open) = (Vec::new(), false);
    for (number, line) in page.lines().enumerate() {
        match line.strip_prefix("```") {
            Some(kind) if !is_open => blocks.push(Block { kind, lines: Vec::new(), first: number + 1 }),
            Some(_) => {}
            None if is_open => blocks.last_mut().expect("one is open").lines.push(line),
            None => continue,
        }
        is_open = is_open != line.starts_with("```");
    }
    blocks
}

/// The commands of a block, each with its output.
fn examples<'a>(block: &Block<'a>) -> Vec<Example<'a>> {
    let mut examples: Vec<Example<'_>> = Vec::new();
    for line in &block.lines {
        match (line.strip_prefix("$ "), examples.last_mut()) {
            (Some(command), _) => examples.push(Example { command, output: Vec::new() }),
            (None, Some(example)) => example.output.push(line),
            (None, None) => panic!("a block begins with a command: {line}"),
        }
    }
    examples
}

/// Runs a command as a shell does, with the program under test.
fn shell(folder: &Folder, command: &str) -> Ran {
    let program = Path::new(env!("CARGO_BIN_EXE_homing")).parent().expect("a folder");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let paths = [program.to_owned()].into_iter().chain(std::env::split_paths(&path));
    let path = std::env::join_paths(paths).expect("a path");
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(&folder.path).env("PATH", path).env_remove("NO_COLOR");
    Ran::of(shell.output().expect("a shell"))
}

/// The words of a line, without times, rates and sizes, which vary, and without what is printed only if a search took long.
fn words(line: &str) -> Vec<&str> {
    let line = line.split("; first error after").next().unwrap_or_default();
    let words: Vec<&str> = line.split_whitespace().collect();
    let varies = |at: usize| {
        let number = words[at].trim_start_matches('(');
        let is_rate = words.get(at + 1).is_some_and(|next| next.starts_with("states/s"));
        is_rate
            || (number.starts_with(|c: char| c.is_ascii_digit()) && number.contains('.') && !number.contains(".pml"))
    };
    (0..words.len()).filter(|&at| !varies(at) && !words[at].contains("iB")).map(|at| words[at]).collect()
}

fn is_same(shown: &str, printed: &str) -> bool {
    words(shown) == words(printed)
}

/// Whether the lines are what was printed, but for empty ones; an elision stands for any lines.
fn matches(shown: &[&str], printed: &[&str]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((line, rest)) if line.trim() == ELISION => (0..=printed.len()).any(|from| matches(rest, &printed[from..])),
        Some((line, rest)) => printed.first().is_some_and(|first| is_same(line, first)) && matches(rest, &printed[1..]),
    }
}

/// The lines to show instead: those printed, with elisions where there were some, from and to lines like those that were shown there.
fn renewed(shown: &[&str], printed: &[&str]) -> Vec<String> {
    let (mut lines, mut from): (Vec<String>, usize) = (Vec::new(), 0);
    let parts: Vec<&[&str]> = shown.split(|line| line.trim() == ELISION).collect();
    let elisions: Vec<&&str> = shown.iter().filter(|line| line.trim() == ELISION).collect();
    for (nth, part) in parts.iter().enumerate() {
        let rest = &printed[from.min(printed.len())..];
        let common = |at: usize| part.iter().zip(&rest[at..]).filter(|(old, new)| likeness(old, new) > 0.5).count();
        let start = match nth {
            0 => 0,
            _ if nth + 1 == parts.len() => rest.len().saturating_sub(part.len()),
            _ => (0..rest.len()).rev().max_by_key(|&at| common(at)).unwrap_or(0),
        };
        let is_last = nth + 1 == parts.len();
        let end = if is_last && nth == 0 { rest.len() } else { (start + part.len()).min(rest.len()) };
        for (at, line) in rest[start..end].iter().enumerate() {
            let old = part.get(at).copied().filter(|old| is_same(old, line));
            lines.push(old.unwrap_or(line.trim_end()).to_owned());
        }
        from += end;
        lines.extend(elisions.get(nth).map(|elision| (**elision).to_owned()));
    }
    lines
}

/// The share of the words of one line that are in another.
fn likeness(one: &str, other: &str) -> f64 {
    let (one, other) = (words(one), words(other));
    if one.is_empty() && other.is_empty() {
        return 1.0;
    }
    one.iter().filter(|word| other.contains(word)).count() as f64 / one.len().max(other.len()) as f64
}

/// What came of the examples of a page.
#[derive(Default)]
struct Checked {
    commands: usize,
    not_run: usize,
    differences: Vec<String>,
    /// The page with what is printed now.
    page: String,
}

/// Runs the commands of a page in a folder, in their order. Those of other programs are not run, but all their lines are printed.
fn check(folder: &Folder, page: &str) -> Checked {
    let mut checked = Checked::default();
    let mut lines: Vec<Vec<String>> = page.lines().map(|line| vec![line.to_owned()]).collect();
    for block in blocks(page) {
        if let Some(name) = block.kind.split_once(' ').map(|(_, name)| name).filter(|name| !name.contains(' ')) {
            fs::write(folder.path.join(name), block.lines.join("\n") + "\n").expect("a file of the page");
        }
        if let Some(reason) = block.kind.strip_prefix("console not run:") {
            assert!(!reason.trim().is_empty(), "a block says why it is not run");
            checked.not_run += 1;
        }
        if block.kind != "console" {
            continue;
        }
        let mut at = block.first;
        for Example { command, output } in examples(&block) {
            at += 1;
            let (first, count) = (at, output.len());
            at += count;
            if !command.starts_with("homing ") {
                continue;
            }
            checked.commands += 1;
            let ran = shell(folder, command);
            assert!(matches!(ran.code, Some(0 | 1 | 3)), "{command}: {ran:?}");
            let is_there = |line: &&str| !line.trim().is_empty();
            let printed: Vec<&str> = ran.stdout.lines().filter(is_there).collect();
            let shown: Vec<&str> = output.iter().copied().filter(is_there).collect();
            if output.is_empty() || matches(&shown, &printed) {
                continue;
            }
            checked.differences.push(format!(
                "$ {command}\n--- shown\n{}\n--- printed\n{}",
                shown.join("\n"),
                ran.stdout
            ));
            let all: Vec<&str> = ran.stdout.trim_end().lines().collect();
            lines[first] = renewed(&output, &all);
            lines[first + 1..first + count].iter_mut().for_each(Vec::clear);
        }
    }
    checked.page = lines.concat().join("\n") + "\n";
    checked
}

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The pages, by their paths in the project.
fn pages() -> Vec<String> {
    let docs = fs::read_dir(project().join("docs")).expect("a folder");
    let names = docs.map(|entry| entry.expect("a file").file_name().into_string().expect("a name"));
    let mut pages: Vec<String> =
        names.filter(|name| name.ends_with(".md")).map(|name| format!("docs/{name}")).collect();
    pages.sort();
    pages.extend(["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"].map(str::to_owned));
    pages
}

/// A folder as a reader has it: with the models in `models`, and for pages that name them without it.
fn folder(name: &str) -> Folder {
    let folder = Folder::new(&format!("documents-{name}"));
    fs::create_dir(folder.path.join("models")).expect("a folder");
    for entry in fs::read_dir(project().join("models")).expect("the models") {
        let path = entry.expect("a model").path();
        let file = path.file_name().expect("a name");
        for to in [folder.path.join("models").join(file), folder.path.join(file)] {
            fs::copy(&path, to).expect("a copy");
        }
    }
    folder
}

#[test]
fn commands_run_as_printed() {
    let is_writing = std::env::var_os("HOMING_DOCS").is_some_and(|what| what == "write");
    let (mut commands, mut not_run, mut differences) = (0, 0, Vec::new());
    for name in pages() {
        let path = project().join(&name);
        let page = fs::read_to_string(&path).expect("a page");
        let checked = check(&folder(&name.replace('/', "-")), &page);
        commands += checked.commands;
        not_run += checked.not_run;
        let is_changed = !checked.differences.is_empty();
        differences.extend(checked.differences.iter().map(|difference| format!("=== {name}\n{difference}")));
        if is_writing && is_changed {
            fs::write(&path, checked.page).expect("the page is written");
        }
    }
    assert!(commands >= 20, "only {commands} commands are run");
    assert!(not_run <= MOST_NOT_RUN, "{not_run} blocks are not run");
    assert!(
        is_writing || differences.is_empty(),
        "{}\n\nHOMING_DOCS=write writes what is printed",
        differences.join("\n\n")
    );
}

#[test]
fn the_readme_is_a_front_page() {
    let page = fs::read_to_string(project().join("README.md")).expect("the README");
    assert!(page.lines().count() < 150);
}

/// The document that json.md shows has the figures of the command beside it, and all fields.
#[test]
fn the_document_is_the_one_that_is_printed() {
    let page = fs::read_to_string(project().join("docs/json.md")).expect("a page");
    let block = blocks(&page).into_iter().find(|block| block.kind == "json").expect("a document");
    let shown: serde_json::Value = serde_json::from_str(&block.lines.join("\n")).expect("JSON");
    let command = page.split('`').find(|text| text.starts_with("homing check philosophers.pml")).expect("the command");
    let printed: serde_json::Value =
        serde_json::from_str(&shell(&folder("json"), command).ends_with(1).stdout).expect("JSON");
    let fixed = |mut document: serde_json::Value| {
        let stats = &mut document["results"][0]["stats"];
        for field in ["seconds", "compile_seconds", "memory_bytes", "states_per_second", "stored_bytes_per_state"] {
            stats[field] = (!stats[field].is_null()).into();
            stats["first_error"][field] = (!stats["first_error"][field].is_null()).into();
        }
        document
    };
    assert_eq!(fixed(shown), fixed(printed));
}

#[test]
fn an_elision_stands_for_any_lines() {
    let printed = ["a 1", "b 2", "c 0.003 s", "d"];
    assert!(matches(&["a 1", "…", "d"], &printed) && matches(&["…"], &printed));
    assert!(matches(&["a 1", "b 2", "  …", "c 7.5 s", "d"], &printed), "times vary");
    for differs in [&["a 1", "…", "c 0.1 s"][..], &["a 2", "…"], &["…", "b 2", "d"], &[], &["a 1", "b 2", "c 1.0 s"]]
    {
        assert!(!matches(differs, &printed), "{differs:?}");
    }
}

#[test]
fn what_is_printed_now_replaces_what_was() {
    let printed = ["verdict: new", "  at m.pml:3", "x", "y", "  step 7 of P", "z", "end"];
    assert_eq!(renewed(&["verdict: old"], &printed[..1]), ["verdict: new"]);
    assert_eq!(renewed(&["verdict: old", "  …"], &printed), ["verdict: new", "  …"]);
    assert_eq!(
        renewed(&["verdict: old", "…", "  step 6 of P", "…", "end"], &printed),
        ["verdict: new", "…", "  step 7 of P", "…", "end"]
    );
}

#[test]
fn links_lead_to_files() {
    for page in pages() {
        let text = fs::read_to_string(project().join(&page)).expect("a page");
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let target = link.split('#').next().unwrap_or_default();
            let is_local = !target.is_empty() && !target.contains("://");
            let folder = project().join(&page).parent().expect("a folder").to_owned();
            assert!(!is_local || folder.join(target).exists(), "{page}: {link}");
        }
    }
}
