//! A path becomes a story: the steps of a counterexample as lines of text, as a sequence chart, as a trail file. Automata
//! and states become graphs.

mod arrange;
mod automata;
mod block;
pub mod chart;
mod dot;
mod state_space;
mod story;
mod style;
mod trail;

pub use arrange::{Move, arrange, switches};
pub use automata::{Part, automata};
pub use state_space::{DrawnState, DrawnStep, EdgeTarget, Highlight, StateSpace, failed_start};
pub use story::{Columns, StoryStep, tell};
pub use trail::{Entry, Trail, TrailError};
