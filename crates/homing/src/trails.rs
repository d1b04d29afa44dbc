//! The trail files of a check: written where a property is violated, removed where it holds.

use std::io;
use std::path::{Path, PathBuf};

use homing_check::Verdict;
use homing_check::model::{Counterexample, Playback, PropertyResult};
use homing_ir::Model;

use crate::recorded::recorded;
use crate::trail::{Destination, Document, ErrorEntry, Header};

/// The trail files of a check.
pub struct Trails<'a> {
    pub model: &'a Model,
    pub path: &'a Path,
    /// The hash of the model.
    pub hash: String,
    pub destination: Option<Destination>,
}

/// A trail that could not be written or removed.
#[derive(Debug, thiserror::Error)]
#[error("cannot {what} the trail {}: {source}", path.display())]
pub struct Failure {
    what: &'static str,
    path: PathBuf,
    source: io::Error,
}

impl Trails<'_> {
    /// Writes the trails, enters their files into the results, and removes the trails of properties that hold.
    pub fn put(&self, results: &mut [PropertyResult]) -> Vec<Failure> {
        let Some(destination) = &self.destination else { return Vec::new() };
        let failing = results.iter().filter(|result| result.counterexample.is_some()).count();
        let mut failures = Vec::new();
        let mut clear = |path: PathBuf| {
            if let Err(source) = destination.clear(&path) {
                failures.push(Failure { what: "remove", path, source });
            }
        };
        let all_hold = results.iter().all(|result| result.verdict == Verdict::Holds);
        if failing > 1 || all_hold {
            clear(destination.file("", false));
        }
        for result in results.iter() {
            if result.verdict == Verdict::Holds || (result.counterexample.is_some() && failing == 1) {
                clear(destination.file(&result.property, true));
            }
        }
        for result in results {
            let Some(found) = &mut result.counterexample else { continue };
            let path = destination.file(&result.property, failing > 1);
            let text = if destination.is_json() {
                self.document(&result.property, found).to_text()
            } else {
                found.trail.to_text()
            };
            match destination.write(&path, &text) {
                Ok(()) => found.file = Some(path),
                Err(source) => failures.push(Failure { what: "write", path, source }),
            }
        }
        failures
    }

    fn document(&self, property: &str, found: &Counterexample) -> Document {
        let header = Header {
            property: Some(property.to_owned()),
            error: Some(ErrorEntry::new(&found.violation)),
            ..Header::new(self.path.display().to_string(), self.hash.clone(), found.trail.entries.len())
        };
        match Playback::new(self.model) {
            Ok(playback) => recorded(&playback, header, &found.trail),
            // the initial values fail: there is no state and no step
            Err(_) => Document::new(header, Default::default(), Vec::new()),
        }
    }
}
