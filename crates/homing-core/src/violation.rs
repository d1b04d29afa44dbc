//! What can be wrong with a run.

use std::fmt;

/// The class of an error, as named in the JSON output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ViolationKind {
    /// An `assert` that evaluated to 0, or a `trace`/`notrace` assertion that was broken.
    Assertion,
    /// Nothing can move, and some process is not where it may end.
    InvalidEndState,
    /// A state in which an invariant that was asked for does not hold.
    Invariant,
    /// The model did something without meaning: an index out of range, a division by zero, a channel that was never
    /// initialised, a block inside `d_step`.
    RuntimeError,
    /// A finite run after which a never claim has ended, or a formula can no longer be fulfilled.
    ClaimEnd,
    /// A cycle that visits an accepting state: an infinite run that a property forbids.
    AcceptanceCycle,
    /// A cycle that visits no progress state.
    NonProgressCycle,
    /// A step with an action that a property forbids.
    Action,
}

impl ViolationKind {
    /// The name in the JSON output.
    pub fn name(self) -> &'static str {
        match self {
            ViolationKind::Assertion => "assertion",
            ViolationKind::InvalidEndState => "invalid-end-state",
            ViolationKind::Invariant => "invariant",
            ViolationKind::RuntimeError => "runtime-error",
            ViolationKind::ClaimEnd => "claim-end",
            ViolationKind::AcceptanceCycle => "acceptance-cycle",
            ViolationKind::NonProgressCycle => "non-progress-cycle",
            ViolationKind::Action => "action",
        }
    }
}

/// A line of the model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourcePlace {
    /// The file, as it was named by the user or by an `#include`.
    pub file: String,
    /// From 1 on.
    pub line: u32,
}

impl fmt::Display for SourcePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// An error, with the place it happened and who did it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Its class.
    pub kind: ViolationKind,
    /// What failed, in a sentence without the place.
    pub message: String,
    /// The line that failed, if there is one.
    pub place: Option<SourcePlace>,
    /// The process that failed, such as `Phil(2)`; none when the whole state is at fault.
    pub process: Option<String>,
}

impl Violation {
    /// Whether it is that of an invariant, which is not fulfilled in a state or has no value there: no statement fails.
    pub fn is_of_invariant(&self) -> bool {
        self.process.is_none() && matches!(self.kind, ViolationKind::Invariant | ViolationKind::RuntimeError)
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
