//! The engines: a model of the intermediate form as a transition system.
//!
//! - States: `layout` (where everything is), `working_state` (a state that is executed on), `reader` (for estimates).
//! - Statements: `eval` (expressions), `enabled` (what is executable), `moves` (what can be executed in a state), `execute`,
//!   `channel_operations`, `d_step`, `monitor` (what it does), `fault` (run-time errors).
//! - Steps: `interpreter` and `expansion`, with runs through atomic sequences in `run` and `points`; `compiled` does the same
//!   by machine code; `reference` explores by single statements, to check both.
//! - Paths: `replay` executes a path again; `player` executes single moves, and `effect`, `move_description`, `explain`,
//!   `describe`, `follow` and `tests_passed` serve what is shown of them.

mod channel_operations;
mod compiled;
mod coverage;
mod cut;
mod d_step;
mod data_flow;
mod describe;
mod effect;
mod enabled;
mod eval;
mod execute;
mod expansion;
mod explain;
mod fault;
mod follow;
mod independence;
mod interpreter;
mod layout;
mod monitor;
mod move_description;
mod movers;
mod moves;
mod network;
mod player;
mod points;
mod printf;
mod providers;
mod reader;
mod reference;
mod replay;
mod run;
mod stubborn;
#[cfg(test)]
mod testing;
mod tests_passed;
mod violations;
mod working_state;

pub use compiled::CompiledEngine;
pub use coverage::Unreached;
pub use cut::{CutRun, TooLong};
pub use data_flow::{Part, Source};
pub use effect::{CellRef, Effect};
pub use explain::{Blocked, Waiting};
pub use follow::{TrailMismatch, TrailStatement};
pub use independence::{MoveAccess, dependencies};
pub use interpreter::{Executed, Interpreter, StepIndex};
pub use move_description::{Change, MoveDescription, Moved, Transfer, TransferKind};
pub use player::{Checkpoint, Enabled, MoveResult, Player};
pub use providers::{Need, Provider};
pub use reader::{ChannelView, Reader};
pub use reference::{Finding, Findings, Reference};
pub use replay::{Replay, ReplayError, RunStep};
pub use stubborn::Allowance;
pub use tests_passed::Test;
