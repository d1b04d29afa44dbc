//! A state in words.

use std::fmt;

use crate::SourcePlace;

/// A variable, or an element or field of one, with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Valued {
    /// As in the model, such as `a[2]` or `m.len`.
    pub name: String,
    /// As SPIN prints it.
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
    /// The global variables, in the order of their declarations.
    pub globals: Vec<Valued>,
    /// By pid.
    pub processes: Vec<ProcessDescription>,
}

/// Where a process stands, and the values it has for itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessDescription {
    /// Such as `Phil(2)`.
    pub process: String,
    /// The statement it stands at.
    pub place: SourcePlace,
    /// The number of its control state.
    pub location: u32,
    /// The name of its location, if the model names locations.
    pub name: Option<String>,
    /// Its parameters and local variables.
    pub locals: Vec<Valued>,
}
