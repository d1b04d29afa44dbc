//! A model with everything it includes.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// `path` and the files it includes with `#include "..."`, each once, with their texts. A file that does not exist is left
/// out: whether that matters is the preprocessor's business.
pub fn with_includes(path: &Path) -> io::Result<Vec<(PathBuf, String)>> {
    let text = read(path)?;
    let mut seen = BTreeSet::from([path.to_path_buf()]);
    let mut pending = included(path, &text);
    let mut found = vec![(path.to_path_buf(), text)];
    while let Some(next) = pending.pop() {
        if !seen.insert(next.clone()) {
            continue;
        }
        if let Ok(text) = read(&next) {
            pending.extend(included(&next, &text));
            found.push((next, text));
        }
    }
    Ok(found)
}

/// Copies `path` and what it includes into `folder`, and says where the model is then. Files included from outside its own
/// folder stay where they are.
pub fn copy(path: &Path, folder: &Path) -> io::Result<PathBuf> {
    let home = path.parent().unwrap_or(Path::new("."));
    for (file, _) in with_includes(path)? {
        let Ok(relative) = file.strip_prefix(home) else { continue };
        let target = folder.join(relative);
        fs::create_dir_all(target.parent().unwrap_or(folder))?;
        fs::copy(&file, target)?;
    }
    Ok(folder.join(path.file_name().unwrap_or_default()))
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
        let found = with_includes(&folder.path().join("a.pml"))?;
        let names: Vec<_> = found.iter().filter_map(|(path, _)| path.file_name()).collect();
        assert_eq!(names, ["a.pml", "b.h"]);
        Ok(())
    }

    #[test]
    fn copies_what_is_included() -> io::Result<()> {
        let (from, to) = (tempfile::tempdir()?, tempfile::tempdir()?);
        fs::create_dir(from.path().join("parts"))?;
        fs::write(from.path().join("a.pml"), "#include \"parts/b.h\"\n")?;
        fs::write(from.path().join("parts/b.h"), "B\n")?;
        let model = copy(&from.path().join("a.pml"), to.path())?;
        assert!(model.is_file() && to.path().join("parts/b.h").is_file());
        Ok(())
    }
}
