//! Trail files: where they are, what is in them, and when they go.

mod file;
mod json;

pub use file::{Destination, beside, read};
pub use json::{Document, ErrorEntry, Header, StateEntry, StepEntry};
