//! What is concluded about a property.

use homing_core::{End, Outcome, Stop};

use crate::StoreUse;

/// The verdict on a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No reachable state violates it.
    Holds,
    /// There is a path to an error.
    Violated,
    /// Neither is proved.
    Unknown(Reason),
}

/// Why there is no verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The search ended too early.
    Stopped(Stop),
    /// A hidden variable is read, and states that differ only in it were identified.
    Hidden,
    /// An acceptance label stands at the last statement of an atomic sequence: cycles through it are not seen.
    AtomicLabel,
    /// The store may have lost states.
    Lossy,
    /// The property is of a kind that is not supported.
    Unsupported,
    /// The property is faulty: it has a syntax error, or names what is not declared.
    Invalid,
    /// The search that was asked for does not find what violates the property.
    UnsuitedSearch,
}

impl Verdict {
    /// The verdict that follows from a search: a path is a violation, and an exhausted search without one is a proof if its store
    /// loses no state.
    ///
    /// # Panics
    /// If the search ended because it found an error, and has no path to it.
    pub fn of<A>(outcome: &Outcome<A>, store_use: &StoreUse) -> Self {
        match (&outcome.path, outcome.end) {
            (Some(_), _) => Verdict::Violated,
            (None, End::Exhausted) if !store_use.lossless => Verdict::Unknown(Reason::Lossy),
            (None, End::Exhausted) => Verdict::Holds,
            (None, End::Stopped(stop)) => Verdict::Unknown(Reason::Stopped(stop)),
            (None, End::Found) => panic!("the search found an error and lost its path"),
        }
    }

    /// The name in the JSON output.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Violated => "violated",
            Verdict::Unknown(_) => "unknown",
        }
    }
}

impl Reason {
    /// The name in the JSON output.
    pub fn name(self) -> &'static str {
        match self {
            Reason::Stopped(stop) => stop.reason(),
            Reason::Hidden | Reason::AtomicLabel => "incomplete-search",
            Reason::Lossy => "lossy-store",
            Reason::Unsupported => "unsupported-query",
            Reason::Invalid => "invalid-query",
            Reason::UnsuitedSearch => "unsupported-search",
        }
    }
}
