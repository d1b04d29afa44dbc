//! The one intermediate form: processes as guarded-command automata over typed variables and channels.
//!
//! Front-ends lower to it; the interpreter, reductions and heuristics read it. It has no scopes, no records and no
//! nested control: a record is a set of variables, a block is a set of locations.

mod absorb;
mod automaton;
mod expr;
mod liveness;
mod merge;
mod model;
mod observed;
pub mod print;
mod reduce;
mod rendezvous;
mod statement;
mod unread;

pub use absorb::Lengths;
pub use automaton::{Automaton, ControlState, Labels, Location, Place, Resets, Transition};
pub use expr::{BinaryOp, Expr, MtypeName, Scope, UnaryOp, VarId, VarRef};
pub use merge::{Absorbed, Merging};
pub use model::{
    Cell, ChannelShape, Claim, Features, Field, Formula, Init, InitValue, Invariant, Model, Monitor, MtypeSet,
    Proctype, ProctypeId, Scalar, ShapeId, Start, Variable,
};
use observed::Observed;
pub use observed::can_be_least;
pub use reduce::Reduced;
use rendezvous::Rendezvous;
pub use statement::{Action, ArgPattern, Block, BlockNode, NodeId, Queueing, ReceiveFrom, Statement, StatementId};
