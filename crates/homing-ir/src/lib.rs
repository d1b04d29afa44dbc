//! The one intermediate form: processes as guarded-command automata over typed variables and channels.
//!
//! Front-ends lower to it; the interpreter, reductions and heuristics read it. It has no scopes, no records and no
//! nested control: a record is a set of variables, a block is a set of locations.

#![warn(missing_docs)]

mod absorb;
mod access;
mod automaton;
mod channel_op;
mod dead_variables;
mod derivation;
mod edge;
mod expr;
mod failure;
mod formula;
mod interval;
mod model;
mod observed;
pub mod print;
mod reduce;
mod rendezvous;
mod source_style;
mod spin;
mod statement;
#[cfg(test)]
mod testing;
mod unread;
mod visible;
mod written;

pub use absorb::Lengths;
pub use access::{Access, AccessKind, AccessSet, AccessSets, Object, ProctypeAccess, Purpose, listened_channels};
pub use automaton::{Automaton, Labels, Location, Place, Resets, Transition};
pub use channel_op::{ChannelOp, EndAccess, Ends, When};
pub use edge::{Guard, Side, Synchronisation, Update};
pub use expr::{BinaryOp, Checked, CheckedRole, Expr, MtypeName, Scope, UnaryOp, VarId, VarRef};
pub use failure::{Observer, can_be_least};
pub use formula::{Formula, NamedFormula, TemporalBinary, TemporalUnary};
pub use interval::{Interval, hull};
pub use model::{
    Cell, ChannelShape, Claim, Features, Field, Init, InitValue, Invariant, Model, Monitor, MtypeSet, Proctype,
    ProctypeId, Scalar, ShapeId, Start, Table, Variable,
};
use observed::Observed;
pub use reduce::{Reduced, Steps};
use rendezvous::Rendezvous;
pub use spin::{Absorbed, ControlState, Merging, SpinNumbering, SpinStatement};
pub use statement::{
    Action, ArgPattern, Block, BlockNode, Edge, NodeId, Queueing, ReceiveFrom, Signal, Statement, StatementId,
};
pub use unread::unread_globals;
pub use visible::Visible;
pub use written::{Call, Written};
