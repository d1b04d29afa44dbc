//! A path becomes a story: the steps of a counterexample as lines of text. Automata and states become graphs.

mod automata;
mod block;
mod dot;
mod state_space;
mod story;
mod style;

pub use automata::{Part, automata};
pub use state_space::{DrawnState, DrawnStep, Highlight, StateSpace, Target, failed_start};
pub use story::{StoryStep, tell};
