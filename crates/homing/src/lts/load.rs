//! Reads a labelled transition system.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use homing_core::Stop;
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
    load_until(model, || None).map(|read| read.expect("nothing stops it"))
}

/// Reads the file unless `look`, which is called for each piece of it, gives a reason to stop: a large file takes its time.
pub fn load_until(model: &ModelArgs, look: impl FnMut() -> Option<Stop>) -> Result<Result<Lts, Stop>, Error> {
    let path = &model.path;
    let unreadable = |source| Error::Unreadable { path: path.clone(), source };
    let input: Box<dyn Read> = if path == Path::new("-") {
        Box::new(io::stdin().lock())
    } else {
        let file = File::open(path).map_err(unreadable)?;
        if file.metadata().map_err(unreadable)?.is_dir() {
            return Err(Error::Folder { path: path.clone() });
        }
        Box::new(file)
    };
    let mut watched = Watched { input, look, stop: None };
    match (homing_lts::read(&mut watched), watched.stop) {
        (_, Some(stop)) => Ok(Err(stop)),
        (Ok(lts), None) => Ok(Ok(lts)),
        (Err(error), None) => Err(Error::Lts { path: path.clone(), error }),
    }
}

/// An input that fails as soon as there is a reason to stop.
struct Watched<R, F> {
    input: R,
    look: F,
    stop: Option<Stop>,
}

impl<R: Read, F: FnMut() -> Option<Stop>> Read for Watched<R, F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stop = (self.look)();
        if self.stop.is_some() {
            return Err(io::Error::other("reading was stopped"));
        }
        self.input.read(buffer)
    }
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
