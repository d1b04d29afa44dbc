//! Reads a labelled transition system.

use std::fs::File;
use std::io;
use std::path::Path;

use homing_lts::Lts;

use crate::cli::{Language, ModelArgs};
use crate::error::Error;

/// Whether a model is a labelled transition system: by `--input`, or by its extension.
pub fn is_lts(path: &Path, language: Option<Language>) -> bool {
    let by_extension = || {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        name.strip_suffix(".gz").unwrap_or(&name).ends_with(".aut")
    };
    match language {
        Some(language) => language == Language::Aut,
        None => by_extension(),
    }
}

/// Reads the file, or standard input if it is `-`.
pub fn load(model: &ModelArgs) -> Result<Lts, Error> {
    let path = &model.path;
    let unreadable = |source| Error::Unreadable { path: path.clone(), source };
    let wrong = |error| Error::Lts { path: path.clone(), error };
    if path == Path::new("-") {
        return homing_lts::read(io::stdin().lock()).map_err(wrong);
    }
    let file = File::open(path).map_err(unreadable)?;
    if file.metadata().map_err(unreadable)?.is_dir() {
        return Err(Error::Folder { path: path.clone() });
    }
    homing_lts::read(file).map_err(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_decides_unless_a_language_is_given() {
        for (path, expected) in [("a.aut", true), ("x/A.AUT.gz", true), ("a.pml", false), ("aut", false), ("-", false)]
        {
            assert_eq!(is_lts(Path::new(path), None), expected, "{path}");
        }
        assert!(is_lts(Path::new("-"), Some(Language::Aut)) && !is_lts(Path::new("a.aut"), Some(Language::Promela)));
    }
}
