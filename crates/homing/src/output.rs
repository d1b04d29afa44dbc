//! The destination of a result that is written in pieces: standard output, or a file.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::error::Error;

pub struct Output {
    to: BufWriter<Box<dyn Write>>,
    /// None for standard output.
    path: Option<PathBuf>,
}

impl Output {
    /// Opens the file, or standard output for `-` or `None`. An existing file is replaced unless it is `model`.
    pub fn open(path: Option<&Path>, model: &Path) -> Result<Self, Error> {
        let path = path.filter(|path| *path != Path::new("-")).map(Path::to_owned);
        let to: Box<dyn Write> = match &path {
            None => Box::new(io::stdout().lock()),
            Some(path) if is_same_file(path, model) => return Err(Error::Overwrite { path: path.clone() }),
            Some(path) => {
                Box::new(File::create(path).map_err(|source| Error::Unwritable { path: path.clone(), source })?)
            }
        };
        Ok(Output { to: BufWriter::new(to), path })
    }

    /// Writes the next piece. Breaks off if the reader has closed the pipe, which is no error.
    pub fn write(&mut self, text: &str) -> Result<ControlFlow<()>, Error> {
        let done = self.to.write_all(text.as_bytes());
        self.outcome(done)
    }

    /// Writes what is still buffered.
    pub fn finish(mut self) -> Result<(), Error> {
        let done = self.to.flush();
        self.outcome(done).map(drop)
    }

    fn outcome(&self, done: io::Result<()>) -> Result<ControlFlow<()>, Error> {
        match (done, &self.path) {
            (Ok(()), _) => Ok(ControlFlow::Continue(())),
            (Err(error), None) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ControlFlow::Break(())),
            (Err(error), None) => Err(Error::Output(error)),
            (Err(source), Some(path)) => Err(Error::Unwritable { path: path.clone(), source }),
        }
    }
}

pub fn is_same_file(path: &Path, other: &Path) -> bool {
    matches!((fs::canonicalize(path), fs::canonicalize(other)), (Ok(path), Ok(other)) if path == other)
}
