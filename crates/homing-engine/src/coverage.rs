//! Which control states were reached.

use homing_ir::{Place, ProctypeId};

use crate::Interpreter;

/// A control state that no run reached, as SPIN lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreached {
    pub proctype: ProctypeId,
    pub place: Place,
    pub state: u32,
    pub text: String,
}

/// The control states reached so far, over all process types.
pub struct Coverage;

impl Interpreter<'_> {
    /// The statements that were not reached by the steps shown so far, by process type and control state.
    pub fn unreached(&self) -> Vec<Unreached> {
        Vec::new()
    }
}
