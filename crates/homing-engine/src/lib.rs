//! State layout and the interpreter: a model of the intermediate form as a system that can be explored.

mod compiled;
mod coverage;
mod dependence;
mod describe;
mod effect;
mod eval;
mod execute;
mod explain;
mod fault;
mod follow;
mod interpreter;
mod layout;
mod monitor;
mod moves;
mod player;
mod printf;
mod reader;
mod reference;
mod replay;
mod tally;
mod tell;
mod test;
mod watchdog;
mod work;

pub use compiled::CompiledEngine;
pub use coverage::Unreached;
pub use dependence::{Footprint, dependencies};
pub use effect::{CellRef, Effect};
pub use explain::{Blocked, Part, Waiting};
pub use follow::{Misfit, Numbered};
pub use interpreter::{Executed, Interpreter, StepIndex};
pub use player::{Enabled, Happened, Mark, Player};
pub use reader::{ChannelView, Reader};
pub use reference::{Finding, Findings, Reference};
pub use replay::{Replay, ReplayError};
pub use tell::{Change, Moved, Told, Transfer, TransferKind};
