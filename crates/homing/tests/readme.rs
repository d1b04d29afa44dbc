//! The commands of the README and of the tutorial run as printed, and print what is printed there.

mod program;

use std::fs;
use std::path::Path;

use program::Folder;

/// A command and the lines that the page shows of its output.
struct Example<'a> {
    command: &'a str,
    output: Vec<&'a str>,
}

/// The commands of all `console` blocks.
fn examples(page: &str) -> Vec<Example<'_>> {
    let mut examples: Vec<Example<'_>> = Vec::new();
    for block in page.split("```console\n").skip(1) {
        for line in block.split("```").next().unwrap_or_default().lines() {
            match (line.strip_prefix("$ "), examples.last_mut()) {
                (Some(command), _) => examples.push(Example { command, output: Vec::new() }),
                (None, Some(example)) => example.output.push(line),
                (None, None) => panic!("a block begins with a command: {line}"),
            }
        }
    }
    examples
}

/// The arguments of a command, as a shell divides them; only single quotes are known.
fn arguments(command: &str) -> Vec<String> {
    let mut arguments = vec![String::new()];
    for (nth, part) in command.split('\'').enumerate() {
        let mut pieces = if nth % 2 == 1 { vec![part] } else { part.split(' ').collect() }.into_iter();
        let last = arguments.last_mut().expect("there is one");
        last.push_str(pieces.next().unwrap_or_default());
        arguments.extend(pieces.map(str::to_owned));
    }
    arguments.retain(|argument| !argument.is_empty());
    arguments
}

/// The files of a page: blocks of Promela with a name.
fn files(page: &str) -> impl Iterator<Item = (&str, &str)> {
    let blocks = page.split("```promela ").skip(1).filter_map(|block| block.split("```").next());
    blocks.filter_map(|block| block.split_once('\n'))
}

/// Runs the commands of a page in a folder, in their order. Returns how many there are.
fn run(folder: &Folder, page: &str) -> usize {
    let mut count = 0;
    for Example { command, output } in examples(page) {
        let Some(rest) = command.strip_prefix("homing ") else { continue };
        let arguments = arguments(rest);
        let ran = folder.homing(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(matches!(ran.code, Some(0 | 1)), "{command}: {ran:?}");
        let printed: Vec<Vec<&str>> = ran.stdout.lines().map(words).collect();
        for line in output.iter().filter(|line| line.trim() != "…") {
            assert!(printed.contains(&words(line)), "`{command}` does not print\n{line}\nbut\n{}", ran.stdout);
        }
        count += 1;
    }
    count
}

/// The words of a line, without times and sizes, which vary.
fn words(line: &str) -> Vec<&str> {
    let varies = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.');
    line.split_whitespace().filter(|word| !varies(word) && !word.ends_with("iB")).collect()
}

#[test]
fn commands_run_as_printed() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(project.join("README.md")).expect("the README");
    assert!(page.lines().count() < 150, "the README is a front page");
    let folder = Folder::new("readme");
    fs::create_dir(folder.path.join("models")).expect("a folder");
    for entry in fs::read_dir(project.join("models")).expect("the models") {
        let path = entry.expect("a model").path();
        fs::copy(&path, folder.path.join("models").join(path.file_name().expect("a name"))).expect("a copy");
    }
    let count = run(&folder, &page);
    assert!(count >= 4, "{count} commands");
}

#[test]
fn the_tutorial_runs_as_printed() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(project.join("docs/tutorial.md")).expect("the tutorial");
    let folder = files(&page).fold(Folder::new("tutorial"), |folder, (name, text)| folder.file(name, text));
    let count = run(&folder, &page);
    assert!(count >= 8, "{count} commands");
}

#[test]
fn links_lead_to_files() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for page in [
        "README.md",
        "CONTRIBUTING.md",
        "docs/tutorial.md",
        "docs/liveness.md",
        "docs/randomised.md",
        "docs/networks.md",
        "docs/json.md",
        "docs/benchmarks.md",
        "docs/glossary.md",
    ] {
        let text = fs::read_to_string(project.join(page)).expect("a page");
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let target = link.split('#').next().unwrap_or_default();
            let is_local = !target.is_empty() && !target.contains("://");
            let folder = project.join(page).parent().expect("a folder").to_owned();
            assert!(!is_local || folder.join(target).exists(), "{page}: {link}");
        }
    }
}
