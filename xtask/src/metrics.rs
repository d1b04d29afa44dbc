//! Figures about the sources, so that two checkouts can be compared: sizes, undocumented items, seams, retired words.
//!
//! Everything but the undocumented items is read from the text, which `cargo fmt` keeps regular: an item ends at the
//! closing brace with its own indentation.

mod source;

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::vocabulary;
use source::{Source, Trait};

/// Files with more lines are listed.
const LONG_FILE: usize = 400;

/// Functions with more lines are counted.
const LONG_FUNCTION: usize = 60;

/// Crates whose public items should all be documented.
const DOCUMENTED: [&str; 5] = ["homing-core", "homing-ir", "homing-store", "homing-search", "homing-check"];

/// Types of one engine that the command line should not depend on.
const ENGINES: [&str; 2] = ["CompiledEngine", "Interpreter"];

/// Traits whose required methods are counted: the crate, and the name.
const SEAMS: [(&str, &str); 2] = [("homing-store", "Store"), ("homing-core", "TransitionSystem")];

/// The figures of a checkout.
#[derive(Debug)]
pub struct Metrics {
    crates: Vec<CrateSize>,
    /// Files longer than [`LONG_FILE`], with their lines.
    long_files: Vec<(PathBuf, usize)>,
    /// Functions longer than [`LONG_FUNCTION`] in sources and in tests.
    long_functions: [usize; 2],
    /// By crate; none if it cannot be documented.
    undocumented: Vec<(&'static str, Option<usize>)>,
    /// Lines of the command line that name an engine.
    engine_mentions: usize,
    /// By trait; none if it does not exist.
    required_methods: Vec<(&'static str, Option<usize>)>,
    retired_words: usize,
}

/// The lines of a crate.
#[derive(Debug)]
struct CrateSize {
    name: String,
    sources: usize,
    /// Lines of `tests`, `examples` and `benches`, and of test modules in sources.
    tests: usize,
}

impl Metrics {
    /// Reads the figures of the project in `root`.
    pub fn of(root: &Path) -> io::Result<Metrics> {
        let mut metrics = Metrics {
            crates: Vec::new(),
            long_files: Vec::new(),
            long_functions: [0; 2],
            undocumented: DOCUMENTED.map(|name| (name, undocumented(root, name))).to_vec(),
            engine_mentions: 0,
            required_methods: Vec::new(),
            retired_words: vocabulary::hits(root)?.len(),
        };
        let mut folders = subfolders(&root.join("crates"))?;
        folders.push(root.join("xtask"));
        for folder in folders {
            metrics.add_crate(root, &folder)?;
        }
        for (package, name) in SEAMS {
            let sources = Source::read_all(&root.join("crates").join(package).join("src"))?;
            let found = sources.iter().find_map(|source| Trait::find(source, name));
            metrics.required_methods.push((name, found.map(|found| found.required)));
        }
        Ok(metrics)
    }

    fn add_crate(&mut self, root: &Path, folder: &Path) -> io::Result<()> {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut size = CrateSize { name, sources: 0, tests: 0 };
        for part in ["src", "tests", "examples", "benches"] {
            for source in Source::read_all(&folder.join(part))? {
                let is_source = part == "src";
                let own = if is_source { source.lines_before_tests() } else { 0 };
                size.sources += own;
                size.tests += source.lines.len() - own;
                self.long_functions[usize::from(!is_source)] += source.functions_over(LONG_FUNCTION);
                if source.lines.len() > LONG_FILE {
                    let path = source.path.strip_prefix(root).unwrap_or(&source.path).to_owned();
                    self.long_files.push((path, source.lines.len()));
                }
                if size.name == "homing" && is_source {
                    self.engine_mentions += source.lines_with(&ENGINES);
                }
            }
        }
        self.crates.push(size);
        Ok(())
    }
}

impl fmt::Display for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |count: &Option<usize>| count.map_or("-".to_owned(), |count| count.to_string());
        writeln!(f, "| lines | sources | tests |\n|---|--:|--:|")?;
        for CrateSize { name, sources, tests } in &self.crates {
            writeln!(f, "| {name} | {sources} | {tests} |")?;
        }
        let total = |lines: fn(&CrateSize) -> usize| self.crates.iter().map(lines).sum::<usize>();
        writeln!(f, "| total | {} | {} |\n", total(|size| size.sources), total(|size| size.tests))?;
        writeln!(f, "| metric | value |\n|---|--:|")?;
        writeln!(f, "| files over {LONG_FILE} lines | {} |", self.long_files.len())?;
        let [sources, tests] = self.long_functions;
        writeln!(f, "| functions over {LONG_FUNCTION} lines in sources | {sources} |")?;
        writeln!(f, "| functions over {LONG_FUNCTION} lines in tests | {tests} |")?;
        for (name, items) in &self.undocumented {
            writeln!(f, "| undocumented public items of {name} | {} |", count(items))?;
        }
        writeln!(f, "| lines of homing/src with {} | {} |", ENGINES.join(" or "), self.engine_mentions)?;
        for (name, methods) in &self.required_methods {
            writeln!(f, "| required methods of the trait {name} | {} |", count(methods))?;
        }
        writeln!(f, "| retired words | {} |", self.retired_words)?;
        for (path, lines) in &self.long_files {
            write!(f, "\n- {} has {lines} lines", path.display())?;
        }
        if self.long_files.is_empty() { Ok(()) } else { writeln!(f) }
    }
}

fn subfolders(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut folders = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            folders.push(entry.path());
        }
    }
    folders.sort();
    Ok(folders)
}

/// The public items of a library that rustdoc finds undocumented; none if it does not build.
fn undocumented(root: &Path, package: &str) -> Option<usize> {
    let mut command = Command::new("cargo");
    command.args(["rustdoc", "--package", package, "--lib", "--", "-W", "missing_docs"]).current_dir(root);
    let output = command.output().ok()?;
    let text = String::from_utf8_lossy(&output.stderr);
    output
        .status
        .success()
        .then(|| text.lines().filter(|line| line.starts_with("warning: missing documentation")).count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_is_a_table() {
        let metrics = Metrics {
            crates: vec![CrateSize { name: "a".into(), sources: 10, tests: 4 }],
            long_files: vec![("a/src/b.rs".into(), 500)],
            long_functions: [1, 2],
            undocumented: vec![("homing-core", None)],
            engine_mentions: 3,
            required_methods: vec![("Store", Some(17))],
            retired_words: 9,
        };
        let text = metrics.to_string();
        for line in [
            "| a | 10 | 4 |",
            "| total | 10 | 4 |",
            "| files over 400 lines | 1 |",
            "| functions over 60 lines in tests | 2 |",
            "| undocumented public items of homing-core | - |",
            "| required methods of the trait Store | 17 |",
            "| retired words | 9 |",
            "- a/src/b.rs has 500 lines",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
    }
}
