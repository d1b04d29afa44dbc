//! Runs that were cut off because they are too long: the search is incomplete, and the place is reported.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use homing_core::SourcePlace;

/// A step that was cut off because it is too long.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CutRun {
    /// The place where it was cut off.
    pub place: SourcePlace,
    pub cause: TooLong,
}

/// Why a step is too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TooLong {
    /// A run through atomic sequences has more than this many statements.
    Atomic(usize),
    /// The choices of a run through atomic sequences take too much memory.
    Choices,
    /// A `d_step` has more than this many statements.
    DStep(u64),
}

impl fmt::Display for CutRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.cause {
            TooLong::Atomic(most) => write!(f, "an atomic sequence runs for more than {most} statements")?,
            TooLong::Choices => {
                f.write_str("an atomic sequence has too many choices in a row to keep them in memory")?
            }
            TooLong::DStep(most) => write!(f, "a d_step runs for more than {most} statements")?,
        }
        write!(f, " ({})", self.place)
    }
}

/// The first, by its place, of the runs that were cut off: one record for all engines and threads of a model.
#[derive(Clone, Default)]
pub struct Cuts(Arc<Mutex<Option<CutRun>>>);

impl Cuts {
    pub fn add(&self, run: CutRun) {
        let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if first.as_ref().is_none_or(|first| run < *first) {
            *first = Some(run);
        }
    }

    pub fn first(&self) -> Option<CutRun> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
