//! State layout and the interpreter: a model of the intermediate form as a system that can be explored.

mod coverage;
mod eval;
mod execute;
mod fault;
mod interpreter;
mod layout;
mod monitor;
mod moves;
mod replay;
mod test;
mod work;

pub use coverage::Unreached;
pub use interpreter::{Interpreter, StepIndex};
pub use replay::{Executed, Replay, ReplayError};
