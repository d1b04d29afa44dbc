//! State layout and the interpreter: a model of the intermediate form as a system that can be explored.

mod channel_operations;
mod compiled;
mod coverage;
mod cut;
mod d_step;
mod dependence;
mod describe;
mod effect;
mod enabled;
mod eval;
mod execute;
mod expansion;
mod explain;
mod fault;
mod follow;
mod interpreter;
mod layout;
mod monitor;
mod movers;
mod moves;
mod player;
mod points;
mod printf;
mod reader;
mod reference;
mod replay;
mod run;
mod tell;
#[cfg(test)]
mod testing;
mod violations;
mod working_state;

pub use compiled::CompiledEngine;
pub use coverage::Unreached;
pub use cut::{CutRun, TooLong};
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
