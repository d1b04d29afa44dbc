//! The text of a model with everything it includes, to tell whether it has changed.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The text of `path`, followed by that of the files it includes with `#include "..."`, each once. A file that does not
/// exist is left out: whether that matters is the preprocessor's business.
pub fn with_includes(path: &Path) -> io::Result<String> {
    let mut text = read(path)?;
    let mut seen = BTreeSet::new();
    let mut pending = included(path, &text);
    while let Some(next) = pending.pop() {
        if !seen.insert(next.clone()) {
            continue;
        }
        if let Ok(more) = read(&next) {
            pending.extend(included(&next, &more));
            text.push('\0');
            text.push_str(&more);
        }
    }
    Ok(text)
}

fn read(path: &Path) -> io::Result<String> {
    Ok(String::from_utf8_lossy(&fs::read(path)?).into_owned())
}

fn included(path: &Path, text: &str) -> Vec<PathBuf> {
    let folder = path.parent().unwrap_or(Path::new("."));
    text.lines()
        .filter_map(|line| line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include"))
        .filter_map(|rest| rest.trim_start().strip_prefix('"')?.split('"').next())
        .map(|name| folder.join(name))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_includes_once() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        fs::write(folder.path().join("a.pml"), "#include \"b.h\"\n# include \"missing.h\"\nA\n")?;
        fs::write(folder.path().join("b.h"), "#include \"a.pml\"\n#include \"b.h\"\nB\n")?;
        let text = with_includes(&folder.path().join("a.pml"))?;
        assert!(text.contains("A\n") && text.matches("B\n").count() == 1);
        Ok(())
    }
}
