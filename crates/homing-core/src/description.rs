//! A state in words.

use crate::SourcePlace;

/// The values of a state, for showing. A value is a line such as `x = 3`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Description {
    pub globals: Vec<String>,
    /// By pid.
    pub processes: Vec<Standing>,
}

/// Where a process stands, and the values it has for itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Such as `Phil(2)`.
    pub process: String,
    pub place: SourcePlace,
    /// The number of its control state.
    pub location: u32,
    pub locals: Vec<String>,
}
