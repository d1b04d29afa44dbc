//! Saves a simulated run as a trail.

use std::path::Path;

use homing_check::model::{Ending, Simulator};

use crate::error::Error;
use crate::recorded::recorded;
use crate::trail::{Destination, ErrorEntry, Header};

/// What a saved trail states about its model.
pub struct Saved<'a> {
    pub model: &'a Path,
    pub hash: &'a str,
    /// The macros defined on the command line.
    pub defines: Vec<String>,
}

impl Saved<'_> {
    /// Writes the run so far as a trail.
    pub fn write(&self, run: &Simulator<'_, '_>, file: &Path) -> Result<(), Error> {
        let trail = run.trail();
        let destination = Destination::new(Some(file), self.model)?.expect("a file was named");
        let text = if destination.is_json() {
            let error = match run.ending() {
                Ending::Violations(all) => all.first().map(ErrorEntry::new),
                _ => None,
            };
            let model = self.model.display().to_string();
            let header = Header {
                error,
                defines: self.defines.clone(),
                ..Header::new(model, self.hash.to_owned(), trail.entries.len())
            };
            recorded(run.playback(), header, &trail, None).to_text()
        } else {
            trail.to_text()
        };
        destination.write(file, &text).map_err(|source| Error::Unwritable { path: file.to_owned(), source })
    }
}
