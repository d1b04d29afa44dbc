//! State layout and the interpreter: a model of the intermediate form as a system that can be explored.

mod coverage;
mod interpreter;
mod replay;

pub use coverage::{Coverage, Unreached};
pub use interpreter::{Interpreter, StepIndex};
pub use replay::{Executed, Replay, ReplayError};
