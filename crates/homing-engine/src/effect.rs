//! The effects of executed statements, recorded for replay, simulation and explanations.

use homing_ir::VarId;

use crate::data_flow::{Part, Source};

/// One cell of a variable; the name stays valid while other processes start and end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CellRef {
    /// The process whose local it is; none for globals.
    pub owner: Option<u8>,
    pub var: VarId,
    /// The element of an array, all dimensions in one number.
    pub cell: u32,
}

/// One effect of a statement. Those of a `d_step` are all its statements' effects in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    Wrote {
        target: CellRef,
        before: i32,
        /// The value that was assigned.
        given: i32,
        /// The value that was stored: cut to the width of the variable.
        kept: i32,
        /// What the value, and which cell it is, was computed from.
        from: Vec<Source>,
    },
    /// A message was put into a buffered channel.
    Sent {
        channel: i32,
        slot: u32,
        given: Vec<i32>,
        kept: Vec<i32>,
        /// What each field was computed from.
        from: Vec<Vec<Source>>,
    },
    /// A message was received from a buffered channel.
    Received {
        channel: i32,
        slot: u32,
        message: Vec<i32>,
        stays: bool,
    },
    /// A message was passed on in a rendezvous.
    Handed {
        channel: i32,
        to: u8,
        message: Vec<i32>,
        /// What each field was computed from, by the sender.
        from: Vec<Vec<Source>>,
    },
    /// What follows is the effect of the edge with this number among those that are taken together.
    Taken(u32),
    /// Two edges of a network were taken together.
    Signalled {
        channel: i32,
        to: u8,
    },
    /// A process was created; the initial values of its locals follow.
    Started(u8),
    Ended(u8),
    Printed(String),
    /// An assertion did not hold, or an expression could not be evaluated.
    Failed(Part),
}
