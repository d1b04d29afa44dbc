//! Why a file cannot be read.

use std::fmt;
use std::io;

use crate::builder::TooLarge;

/// Why a file cannot be read, and where.
#[derive(Debug)]
pub struct ReadError {
    /// The line, from 1 on.
    pub line: u64,
    /// What is wrong there.
    pub problem: Problem,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.problem)
    }
}

impl std::error::Error for ReadError {}

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// It cannot be read, or the compressed file is damaged.
    #[error("{}", unreadable(.0))]
    Unreadable(io::Error),
    /// It has no line.
    #[error("the file is empty; an .aut file begins with `des (INITIAL, TRANSITIONS, STATES)`")]
    Empty,
    /// The first line is no header.
    #[error("expected the header `des (INITIAL, TRANSITIONS, STATES)`, found `{0}`")]
    Header(String),
    /// The header says that there are no states, as after a tool that was interrupted.
    #[error(
        "the header says that there are no states; the tool that wrote the file was probably interrupted: write it again"
    )]
    NoStates,
    /// A line is no transition.
    #[error("expected a transition `(SOURCE, \"LABEL\", TARGET)`, found `{0}`")]
    Transition(String),
    /// A line begins like a transition, and ends early.
    #[error("the transition `{0}` ends early; the file is cut off or damaged")]
    CutOff(String),
    /// A quoted label has no end.
    #[error("the label `{0}` has an opening quote and no closing one")]
    Quote(String),
    /// A transition or initial state with probabilities.
    #[error("probabilistic transition systems are not supported, such as `{0}`")]
    Probabilistic(String),
    /// A number that does not fit.
    #[error("the number {0} is too large")]
    Number(String),
    /// A state that does not exist.
    #[error("there is no state {number}; the header says that there are {states} states, numbered from 0")]
    NoSuchState {
        /// The number.
        number: u64,
        /// How many states there are.
        states: u32,
    },
    /// There are fewer transitions than the header says.
    #[error("the file ends after {found} of {transitions} transitions; it is cut off, or its header is wrong")]
    Truncated {
        /// The transitions in the file.
        found: u64,
        /// Those that the header announces.
        transitions: u64,
    },
    /// There are more transitions than the header says.
    #[error("the header says that there are {transitions} transitions, and this is one more")]
    More {
        /// Those that the header announces.
        transitions: u64,
    },
    /// A line that is no text.
    #[error("the line has more than {0} bytes; this is no .aut file")]
    LongLine(usize),
    /// The system is too large.
    #[error("{0}")]
    TooLarge(TooLarge),
}

fn unreadable(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => "the compressed file ends early; it is cut off".to_owned(),
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => format!("the compressed file is damaged: {error}"),
        _ => format!("cannot be read: {error}"),
    }
}
