//! What executing statements did, written down for those who look on.

use homing_ir::VarId;

use crate::explain::Part;

/// One cell of a variable, named so that it stays the same while processes come and go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CellRef {
    /// The process whose local it is; none for globals.
    pub owner: Option<u8>,
    pub var: VarId,
    /// The element, all dimensions in one number.
    pub cell: u32,
}

/// One effect of a statement. Those of a `d_step` are all its statements' effects in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    Wrote {
        target: CellRef,
        before: i32,
        /// What was to be written.
        given: i32,
        /// What the variable's type has room for.
        kept: i32,
    },
    /// Into a buffered channel.
    Sent {
        channel: i32,
        slot: u32,
        given: Vec<i32>,
        kept: Vec<i32>,
    },
    /// From a buffered channel.
    Received {
        channel: i32,
        slot: u32,
        message: Vec<i32>,
        stays: bool,
    },
    /// Over a rendezvous channel.
    Handed {
        channel: i32,
        to: u8,
        message: Vec<i32>,
    },
    /// The initial values of its locals follow.
    Started(u8),
    Ended(u8),
    Printed(String),
    /// An assertion did not hold; the parts of its condition with their values then.
    Failed(Vec<Part>),
}
