//! Networks of automata on the command line: which files they are, how they are read, and what their queries decide.

mod diagnostics;
mod encoding;
mod load;
mod property;
mod verdict;

pub use encoding::in_utf8;
pub use load::{format, load, query};
pub use property::{NetworkProperty, QUERY, chosen};
pub use verdict::judged;
