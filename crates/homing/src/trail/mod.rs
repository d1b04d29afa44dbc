//! Trail files: their names, their formats, and when they are removed.

mod file;
mod json;

pub use file::{Destination, beside, no_trail, read};
pub use json::{CallEntry, Document, ErrorEntry, Header, StateEntry, StepEntry};
