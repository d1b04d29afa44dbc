//! Retired words: names and phrases that the project no longer uses, because the literature has another word or because
//! they are not plain. A test keeps them out of the sources (`crates/homing/tests/vocabulary.rs`).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// How a retired word is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Whole words in any case, also as parts of identifiers (`sleep_sets` and `SleepSets` are `sleep sets`).
    Words(&'static str),
    /// An identifier in code, spelled exactly. For names whose word has a plain meaning in prose.
    Name(&'static str),
}

/// A retired word and what is written instead.
#[derive(Clone, Copy, Debug)]
pub struct Retired {
    pub pattern: Pattern,
    pub instead: &'static str,
}

const fn words(words: &'static str, instead: &'static str) -> Retired {
    Retired { pattern: Pattern::Words(words), instead }
}

const fn name(name: &'static str, instead: &'static str) -> Retired {
    Retired { pattern: Pattern::Name(name), instead }
}

pub const RETIRED: &[Retired] = &[
    words("no path to an error is shorter", "shortest possible"),
    words("the trail is in", "trail written to"),
    words("homing replay plays it", "replay it with"),
    words("tells no", "is not known"),
    words("time was up", "the time limit was reached"),
    words("before the search was done", "before the search finished"),
    words("come to its end", "terminated"),
    words("and may end here", "valid end state"),
    words("nobody receives", "no process is ready to receive"),
    words("since the start", "initial value"),
    words("which became", "stored as"),
    words("changes of the process", "context switches"),
    words("the state at the end", "final state"),
    words("come about together", "conjuncts"),
    words("bits of the field of", "size of the bitstate array"),
    words("one of two orders only", "skips equivalent orders"),
    words("let us see", "replaying anyway"),
    words("come to hold", "the condition never held"),
    words("moves are known", "the run has only … moves"),
    words("behind the colon", "after the colon"),
    words("repeated for ever", "repeat forever"),
    words("tells the rest", "lists all options"),
    words("there is no property", "unknown property"),
    words("formula cannot be read", "cannot parse the formula"),
    words("thousand million", "billion"),
    words("at your choice", "at your option"),
    words("hopeless", "would take too long"),
    words("asleep", "in a sleep set"),
    words("awake", "outside a sleep set"),
    words("nobody", "no process, no thread, or a passive"),
    words("somebody", "a process, a thread, or a passive"),
    words("anyone", "a process, a thread, or a passive"),
    words("someone", "a process, a thread, or a passive"),
    words("everyone", "all processes"),
    words("anybody", "a process, a thread, or a passive"),
    words("whoever", "a process that, or a passive"),
    words("everybody", "all processes"),
    words("lately", "recently"),
    words("told", "shown, reported"),
    words("mended", "fixed"),
    words("peopled", "Step.movers"),
    words("hopeful", "SafeEstimate"),
    words("brought home", "found, returned"),
    words("brings home", "finds, returns"),
    words("bring home", "find, return"),
    words("by chance", "at random"),
    words("nothing to say", "no effect"),
    words("calm", "fewest switches"),
    words("calmest", "fewest switches"),
    words("desk", "cursor"),
    words("crew", "workers"),
    words("merit", "evaluation"),
    words("footprint", "access set"),
    words("outlook", "future access"),
    words("notebook", "read set"),
    words("touch", "access"),
    words("touches", "accesses"),
    words("touched", "accessed"),
    words("seat", "process frame"),
    words("wish", "polarity"),
    words("beat", "played step"),
    words("sitting", "session"),
    words("contestant", "variant"),
    name("Things", "SharedObjects"),
    name("Gate", "LocationEntry"),
    name("Hearing", "Listening"),
    name("Scene", "StateView"),
    name("Standing", "AtLabel"),
    name("Ways", "NodeTable"),
    name("Gain", "Relaxed"),
    name("Descents", "BoundedDfs"),
    name("Pended", "Target"),
    name("Pendant", "PendingError"),
    name("turn_over", "seal"),
    name("are_apart", "are_independent"),
    name("Hands", "Step.movers"),
    name("Board", "PackedParent"),
    name("Outgrown", "Overflow"),
    name("Arranged", "Reordered"),
    name("Subject", "SearchTask"),
];

/// Files and folders, relative to the project, that keep their words.
const EXEMPT: &[(&str, &str)] = &[
    ("xtask/src/vocabulary.rs", "lists the words"),
    ("CHANGELOG.md", "quotes former wordings"),
    ("target", "is generated"),
    (".git", "is not source"),
];

/// Dated folders below `bench` are records of past measurements.
fn is_record(path: &Path) -> bool {
    let mut parts = path.components().map(|part| part.as_os_str().to_string_lossy());
    parts.next().as_deref() == Some("bench") && parts.next().is_some_and(|name| name.starts_with("20"))
}

/// A place where a retired word is used.
#[derive(Clone, Debug)]
pub struct Hit {
    /// Relative to the project.
    pub file: PathBuf,
    pub line: usize,
    pub retired: Retired,
}

/// All uses of retired words in the sources, pages and manifests of a project.
pub fn hits(project: &Path) -> io::Result<Vec<Hit>> {
    let mut hits = Vec::new();
    for file in files(project)? {
        let text = fs::read_to_string(project.join(&file))?;
        for (index, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            let (parts, identifiers) = (parts(line), identifiers(code));
            let is_used = |retired: &&Retired| match retired.pattern {
                Pattern::Words(words) => {
                    let words: Vec<&str> = words.split(' ').collect();
                    parts.windows(words.len()).any(|window| window == words)
                }
                Pattern::Name(name) => identifiers.contains(&name),
            };
            let used = RETIRED.iter().filter(is_used);
            hits.extend(used.map(|&retired| Hit { file: file.clone(), line: index + 1, retired }));
        }
    }
    Ok(hits)
}

/// The `.rs`, `.md` and `.toml` files that are not exempt, in order.
fn files(project: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(project.join(&folder))? {
            let entry = entry?;
            let path = folder.join(entry.file_name());
            if EXEMPT.iter().any(|(exempt, _)| path == Path::new(exempt)) || is_record(&path) {
                continue;
            }
            if entry.file_type()?.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs" || end == "md" || end == "toml") {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

fn identifiers(line: &str) -> Vec<&str> {
    line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty()).collect()
}

/// The words of a line in lower case; identifiers are split into their words.
fn parts(line: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut was_lower = false;
    for c in line.chars() {
        let starts_word = c.is_ascii_uppercase() && was_lower;
        if !c.is_alphanumeric() || starts_word {
            parts.push(String::new());
        }
        if let (true, Some(part)) = (c.is_alphanumeric(), parts.last_mut()) {
            part.extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase();
    }
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_split_into_words() {
        assert_eq!(
            parts("for_each_step_awake(SleepSet::Asleep)"),
            ["for", "each", "step", "awake", "sleep", "set", "asleep"]
        );
        assert_eq!(parts("is brought home."), ["is", "brought", "home"]);
        assert_eq!(identifiers("a Gain, again_Gain"), ["a", "Gain", "again_Gain"]);
    }

    #[test]
    fn words_are_found_in_files() {
        let project = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| fs::write(project.path().join(name), text).expect("a file");
        write("a.rs", "// It is\n// brought home by chance.\nlet x = still_awake;\n");
        write("b.rs", "let gain = Gain::Again; // Ways\n");
        write("c.pml", "/* nobody */\n");
        fs::create_dir_all(project.path().join("bench/2026-01-01")).expect("a folder");
        write("bench/2026-01-01/table.md", "nobody");
        let found: Vec<(String, usize, &str)> = hits(project.path())
            .expect("files")
            .iter()
            .map(|hit| (hit.file.display().to_string(), hit.line, hit.retired.instead))
            .collect();
        let row = |file: &str, line, instead| (file.to_owned(), line, instead);
        let expected = [
            row("a.rs", 2, "found, returned"),
            row("a.rs", 2, "at random"),
            row("a.rs", 3, "outside a sleep set"),
            row("b.rs", 1, "Relaxed"),
        ];
        assert_eq!(found.len(), expected.len(), "{found:?}");
        assert!(expected.iter().all(|row| found.contains(row)), "{found:?}");
    }
}
