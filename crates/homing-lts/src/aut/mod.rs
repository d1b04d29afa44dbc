//! The `.aut` format of CADP and mCRL2: a header `des (INITIAL, TRANSITIONS, STATES)`, and a line `(SOURCE, LABEL, TARGET)` for each
//! transition.
//!
//! The tools that write the format differ, so the reader accepts blanks and tabs between all tokens, LF and CR LF, empty lines,
//! quoted and unquoted labels, transitions in any order and any initial state. What cannot be read as a whole is refused with
//! the number of the line: a file that was cut off must not be taken for a smaller system that has no error.

mod error;
mod line;
mod lines;
mod write;

use std::io::{self, BufReader, Read};

use flate2::bufread::MultiGzDecoder;

pub use error::{Problem, ReadError};
pub use write::write;

use crate::builder::{Builder, TooLarge};
use crate::lts::Lts;
use line::Header;
use lines::Lines;

/// The bytes that a file compressed by gzip begins with.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Reads a system in the `.aut` format, plain or compressed by gzip. Files are read in pieces: only the system itself is kept.
pub fn read(mut input: impl Read) -> Result<Lts, ReadError> {
    let mut magic = Vec::new();
    let unreadable = |error: io::Error| ReadError { line: 1, problem: Problem::Unreadable(error) };
    (&mut input).take(GZIP.len() as u64).read_to_end(&mut magic).map_err(unreadable)?;
    let is_compressed = magic == GZIP;
    let whole = io::Cursor::new(magic).chain(input);
    if is_compressed {
        let buffered = BufReader::with_capacity(lines::CHUNK, whole);
        return read_text(MultiGzDecoder::new(buffered));
    }
    read_text(whole)
}

fn read_text(input: impl Read) -> Result<Lts, ReadError> {
    let mut lines = Lines::new(input);
    let mut file: Option<File> = None;
    lines.for_each(|line| match &mut file {
        Some(file) => file.add(line),
        None => {
            file = Some(File::new(line::header(line)?)?);
            Ok(())
        }
    })?;
    let at_end = |problem| ReadError { line: lines.count().max(1), problem };
    file.ok_or(Problem::Empty).and_then(File::finish).map_err(at_end)
}

/// A file whose header has been read.
struct File {
    initial: u32,
    states: u32,
    transitions: u64,
    builder: Builder,
}

impl File {
    fn new(Header { initial, transitions, states }: Header) -> Result<Self, Problem> {
        if states == 0 {
            return Err(Problem::NoStates);
        }
        let states = u32::try_from(states).map_err(|_| Problem::TooLarge(TooLarge::States))?;
        let initial = state(initial, states)?;
        Ok(File { initial, states, transitions, builder: Builder::new(u64::from(states), transitions) })
    }

    #[inline]
    fn add(&mut self, line: &[u8]) -> Result<(), Problem> {
        let edge = line::edge(line)?;
        let (source, target) = (state(edge.source, self.states)?, state(edge.target, self.states)?);
        if self.builder.edge_count() == self.transitions {
            return Err(Problem::More { transitions: self.transitions });
        }
        self.builder.add(source, edge.label, target).map_err(Problem::TooLarge)
    }

    fn finish(self) -> Result<Lts, Problem> {
        let (found, transitions) = (self.builder.edge_count(), self.transitions);
        if found < transitions {
            return Err(Problem::Truncated { found, transitions });
        }
        self.builder.finish(self.initial, self.states).map_err(Problem::TooLarge)
    }
}

#[inline]
fn state(number: u64, states: u32) -> Result<u32, Problem> {
    match u32::try_from(number) {
        Ok(state) if state < states => Ok(state),
        _ => Err(Problem::NoSuchState { number, states }),
    }
}
