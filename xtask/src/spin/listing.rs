//! The transition tables of a model, as `pan -d` lists them.

use std::fs;
use std::io;
use std::path::Path;

use super::{Extent, GENERATE, GENERATE_REDUCED, Session, Spin};

/// Whether SPIN merges statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merging {
    Off,
    On,
}

impl Spin {
    /// None if spin, gcc or pan refuses the model.
    pub fn list(&self, model: &Path, merging: Merging) -> io::Result<Option<String>> {
        let folder = tempfile::tempdir()?;
        let (folder, model) = (folder.path(), &fs::canonicalize(model)?);
        let generate = match merging {
            Merging::Off => &GENERATE[..],
            Merging::On => &GENERATE_REDUCED[..],
        };
        let session = Session { limits: &self.limits, folder, model, generate, extent: Extent::FullSearch };
        let name = model.to_string_lossy();
        let spin = session.run("spin", &[generate, &[&*name]].concat(), self.limits.prepare)?;
        let tables = folder.join("pan.t");
        if !spin.ending.is_success() || !tables.is_file() {
            return Ok(None);
        }
        // A step that ends an atomic sequence is listed as atomic if it was merged: show only whether control stays.
        let text = String::from_utf8_lossy(&fs::read(&tables)?).replace("z->atom&6?\"A\"", "z->atom&2?\"A\"");
        fs::write(&tables, text)?;
        let arguments = ["-w", "-O0", "-DVECTORSZ=8192", "-o", "pan", "pan.c"];
        if !session.run("gcc", &arguments, self.limits.prepare)?.ending.is_success() {
            return Ok(None);
        }
        let run = session.pan("pan", &["-d"])?;
        Ok(run.ending.is_success().then_some(run.stdout))
    }
}
