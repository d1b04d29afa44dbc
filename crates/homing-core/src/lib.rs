//! The vocabulary of homing: what a system, a step, a violation, a path and a limit are.
//!
//! This crate knows nothing of Promela, of stores or of search orders; every other crate speaks its words.

#![warn(missing_docs)]

mod description;
mod estimate;
mod fork;
mod letter;
mod limits;
mod mutants;
mod outcome;
mod random;
mod stop_token;
mod system;
mod violation;

pub use description::{Description, ProcessDescription, Valued};
pub use estimate::{Blind, Estimate, Estimated, Guarantee};
pub use fork::Fork;
pub use letter::PartialLetter;
pub use limits::{Limit, Limits, Progress, Stop, Unwatched, Watch};
pub use mutants::Condition;
pub use outcome::{End, Outcome, Path, Stats};
pub use random::{Purpose, Seed, Stream, is_below};
pub use stop_token::StopToken;
pub use system::{
    Changed, Cost, Labels, Pid, Selected, Selection, SleepSet, State, StateId, Step, Target, TransitionSystem, Written,
};
pub use violation::{SourcePlace, Violation, ViolationKind};
