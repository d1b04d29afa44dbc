//! Reading, naming and removing trail files (`docs/json.md`).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use homing_report::{Trail, TrailError};

use super::json::{Document, Header};
use crate::bounded::{self, MOST_OF_TRAIL};
use crate::error::Error;
use crate::output::is_same_file;

/// A trail that was read, with its header.
#[derive(Debug)]
pub struct TrailFile {
    pub trail: Trail,
    /// `None` for SPIN's format.
    pub header: Option<Header>,
}

/// Reads a trail in SPIN's format or in homing's.
pub fn read(path: &Path) -> Result<TrailFile, Error> {
    let unreadable = |source: io::Error| match source {
        error if error.kind() == io::ErrorKind::NotFound => no_trail(path),
        source => Error::Unreadable { path: path.to_owned(), source },
    };
    let bytes = bounded::file(path, MOST_OF_TRAIL).map_err(unreadable)?;
    parse(&bytes).map_err(|error| Error::Trail { path: path.to_owned(), error })
}

/// There is no trail with this name. Where several properties were violated each has a trail of its own.
pub fn no_trail(path: &Path) -> Error {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let model = path.file_stem().unwrap_or_default().to_string_lossy().into_owned() + ".";
    let is_other = |other: &PathBuf| {
        let name = other.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(&model) && name.ends_with(".trail")
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let named = entries.map(|entry| path.with_file_name(entry.file_name()));
    let mut others: Vec<PathBuf> = named.filter(is_other).collect();
    others.sort();
    Error::NoTrail { path: path.to_owned(), others }
}

fn parse(bytes: &[u8]) -> Result<TrailFile, TrailError> {
    let no_text = |_| TrailError { line: 1, reason: "this is not a text file".to_owned() };
    let text = std::str::from_utf8(bytes).map_err(no_text)?;
    if text.trim_start().starts_with('{') {
        let (trail, header) = Document::parse(text)?;
        return Ok(TrailFile { trail, header: Some(header) });
    }
    Ok(TrailFile { trail: Trail::parse(text)?, header: None })
}

/// The destination of the trails of a model.
#[derive(Debug, PartialEq, Eq)]
pub struct Destination {
    /// The file if only one property is violated.
    path: PathBuf,
}

impl Destination {
    /// The file of `--trail`, or `MODEL.trail`; none for a model from standard input. Fails if it is the model itself.
    pub fn new(asked: Option<&Path>, model: &Path) -> Result<Option<Self>, Error> {
        let path = match asked {
            Some(path) if is_same_file(path, model) => return Err(Error::Overwrite { path: path.to_owned() }),
            Some(path) => path.to_owned(),
            None if model == Path::new("-") => return Ok(None),
            None => beside(model),
        };
        Ok(Some(Destination { path }))
    }

    /// Whether trails are written in homing's JSON format.
    pub fn is_json(&self) -> bool {
        self.path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"))
    }

    /// The file for a property: the only violated one, or one of several.
    pub fn file(&self, property: &str, one_of_several: bool) -> PathBuf {
        if !one_of_several {
            return self.path.clone();
        }
        let name = word(property);
        let ending = self.path.extension().map_or(String::new(), |ending| format!(".{}", ending.display()));
        self.path.with_extension(format!("{name}{ending}"))
    }

    /// Writes a trail: beside its file first, which then replaces it, so that no half of one is left when the disk is full.
    pub fn write(&self, path: &Path, text: impl AsRef<[u8]>) -> io::Result<()> {
        if fs::symlink_metadata(path).is_ok_and(|found| !found.is_file()) {
            return fs::write(path, text); // a device, or a link that is to stay
        }
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{}.tmp", std::process::id()));
        let beside = PathBuf::from(name);
        let written = fs::write(&beside, text).and_then(|()| fs::rename(&beside, path));
        if written.is_err() {
            let _ = fs::remove_file(&beside);
        }
        written
    }

    /// Removes the trail that an earlier run left for a property, so that the file exists only if the property is
    /// violated. Files that are no trails are kept, and so is /dev/null, which reads like a trail without steps.
    pub fn clear(&self, path: &Path) -> io::Result<()> {
        if !fs::metadata(path).is_ok_and(|found| found.is_file()) {
            return Ok(());
        }
        match bounded::file(path, MOST_OF_TRAIL) {
            Ok(bytes) if parse(&bytes).is_ok() || crate::lts::is_trail(&bytes) => fs::remove_file(path),
            _ => Ok(()),
        }
    }
}

/// The longest beginning of a name that is part of a file name.
const LONGEST: usize = 24;

/// The name of a property as a part of a file name. One that is long, or has other characters than file names should have, keeps the
/// words at its beginning and is distinguished from others by a hash.
fn word(property: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if property.chars().all(is_plain) && property.len() <= 2 * LONGEST {
        return property.to_owned();
    }
    let words: Vec<&str> = property.split(|c| !is_plain(c)).filter(|word| !word.is_empty()).collect();
    let mut name = words.join("-");
    name.truncate(LONGEST);
    format!("{}-{:06x}", name.trim_end_matches('-'), short_hash(property))
}

/// 24 bits of the hash of a text (Fowler, Noll & Vo).
fn short_hash(text: &str) -> u32 {
    let hash = text.bytes().fold(0x811c_9dc5u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    hash >> 8
}

/// `MODEL.trail`, which is also SPIN's default.
pub fn beside(model: &Path) -> PathBuf {
    let mut name = model.as_os_str().to_owned();
    name.push(".trail");
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_after_the_model_and_the_property() {
        let destination = |asked: Option<&str>, model| Destination::new(asked.map(Path::new), Path::new(model));
        let default = destination(None, "a/m.pml").expect("no model").expect("a file");
        assert_eq!(default.file("safety", false), Path::new("a/m.pml.trail"));
        assert_eq!(default.file("safety", true), Path::new("a/m.pml.safety.trail"));
        let name = |property| default.file(property, true).display().to_string();
        assert_eq!(name("ltl:[] p"), format!("a/m.pml.ltl-p-{:06x}.trail", short_hash("ltl:[] p")));
        let long = "query:A[] not (Client(0).cs and Client(1).cs)";
        assert_eq!(name(long), format!("a/m.pml.query-A-not-Client-0-cs-{:06x}.trail", short_hash(long)));
        assert_eq!(name("query1"), "a/m.pml.query1.trail");
        assert_ne!(name("invariant:x<1"), name("invariant:x>1"));
        assert!(!default.is_json());
        let asked = destination(Some("x.json"), "-").expect("no model").expect("a file");
        assert!(asked.is_json());
        assert_eq!(asked.file("p1", true), Path::new("x.p1.json"));
        assert_eq!(destination(None, "-").expect("no model"), None);
    }
}
