//! A state in words.

use std::fmt;

use crate::SourcePlace;

/// A variable, or an element or field of one, with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Valued {
    pub name: String,
    pub value: String,
}

impl fmt::Display for Valued {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}", self.name, self.value)
    }
}

/// The values of a state, for showing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Description {
    pub globals: Vec<Valued>,
    /// By pid.
    pub processes: Vec<ProcessDescription>,
}

/// Where a process stands, and the values it has for itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessDescription {
    /// Such as `Phil(2)`.
    pub process: String,
    pub place: SourcePlace,
    /// The number of its control state.
    pub location: u32,
    pub locals: Vec<Valued>,
}
