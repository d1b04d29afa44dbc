//! A source file as lines: where its tests begin, how long its functions are, what its traits require.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The lines of a Rust file.
pub struct Source {
    pub path: PathBuf,
    pub lines: Vec<String>,
}

/// What a trait asks of its implementors.
#[derive(Debug, PartialEq, Eq)]
pub struct Trait {
    /// Methods without a body.
    pub required: usize,
}

impl Source {
    fn new(path: PathBuf, text: &str) -> Source {
        Source { path, lines: text.lines().map(str::to_owned).collect() }
    }

    /// All Rust files below a folder, in order; none if there is no folder.
    pub fn read_all(folder: &Path) -> io::Result<Vec<Source>> {
        let mut sources = Vec::new();
        let mut folders = vec![folder.to_owned()];
        while let Some(folder) = folders.pop().filter(|folder| folder.is_dir()) {
            for entry in fs::read_dir(&folder)? {
                let path = entry?.path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "rs") {
                    let text = fs::read_to_string(&path)?;
                    sources.push(Source::new(path, &text));
                }
            }
        }
        sources.sort_by(|left, right| left.path.cmp(&right.path));
        Ok(sources)
    }

    /// The lines before the test module at the foot of the file.
    pub fn lines_before_tests(&self) -> usize {
        let module = |pair: &[String]| pair[0] == "#[cfg(test)]" && pair[1].contains("mod ") && pair[1].ends_with('{');
        self.lines.windows(2).position(module).unwrap_or(self.lines.len())
    }

    /// The number of lines that contain one of the words.
    pub fn lines_with(&self, words: &[&str]) -> usize {
        self.lines.iter().filter(|line| words.iter().any(|word| line.contains(word))).count()
    }

    /// The number of functions with more than `most` lines.
    pub fn functions_over(&self, most: usize) -> usize {
        let starts = self.lines.iter().enumerate().filter(|(_, line)| is_function(line));
        starts.filter(|(at, line)| self.length(*at, line) > most).count()
    }

    /// The lines of the item that begins with `line`: up to a closing brace or semicolon with the same indentation.
    fn length(&self, at: usize, line: &str) -> usize {
        if line.ends_with(['}', ';']) {
            return 1;
        }
        let indentation = &line[..line.len() - line.trim_start().len()];
        let ends = |line: &String| {
            let rest = line.strip_prefix(indentation);
            rest.is_some_and(|rest| rest == "}" || (rest.starts_with(')') && rest.ends_with(';')))
        };
        let rest = self.lines[at..].iter().position(ends);
        rest.map_or(self.lines.len() - at, |rest| rest + 1)
    }
}

/// Whether a line begins a function.
fn is_function(line: &str) -> bool {
    let mut words = line.split_whitespace().peekable();
    while words.next_if(|word| MODIFIERS.contains(word) || word.starts_with("pub(")).is_some() {}
    words.next() == Some("fn")
}

const MODIFIERS: [&str; 6] = ["pub", "const", "unsafe", "async", "extern", "\"C\""];

impl Trait {
    /// The trait of this name, if the file defines it.
    pub fn find(source: &Source, name: &str) -> Option<Trait> {
        let is_name = |line: &String| {
            let after = line.strip_prefix("pub trait ").and_then(|rest| rest.strip_prefix(name));
            after.is_some_and(|after| after.starts_with([' ', ':', '<']))
        };
        let start = source.lines.iter().position(is_name)?;
        let length = source.length(start, &source.lines[start]);
        let body = &source.lines[start..start + length];
        let mut required = 0;
        for (at, line) in body.iter().enumerate().filter(|(_, line)| is_function(line)) {
            let ends = |line: &&String| line.ends_with(';') || line.ends_with('{') || line.ends_with('}');
            let last = body[at..].iter().find(ends);
            required += usize::from(line.starts_with("    ") && last.is_some_and(|last| last.ends_with(';')));
        }
        Some(Trait { required })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
pub trait Store: Send {
    type Key;

    /// Documented.
    fn len(&self) -> u64;

    fn find(
        &self,
        key: Self::Key,
    ) -> Option<u64>;

    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn name(&self) -> &str { \"\" }
}

pub(crate) unsafe fn long(
    x: u32,
) {
    if x > 0 {
        one();
    }
}

#[cfg(test)]
mod tests {
    fn short() {}
}
";

    #[test]
    fn required_methods_have_no_body() {
        let source = Source::new("a.rs".into(), TEXT);
        assert_eq!(Trait::find(&source, "Store"), Some(Trait { required: 2 }));
        assert_eq!(Trait::find(&source, "Sto"), None);
    }

    #[test]
    fn functions_are_measured_up_to_their_brace() {
        let source = Source::new("a.rs".into(), TEXT);
        assert_eq!([3, 6, 7].map(|most| source.functions_over(most)), [2, 1, 0]);
        assert_eq!(source.lines_before_tests(), source.lines.len() - 4);
        assert_eq!(source.lines_with(&["len", "x > 0"]), 3);
    }
}
