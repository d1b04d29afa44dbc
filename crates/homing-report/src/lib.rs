//! Reports: a counterexample as lines of text, as a sequence chart, as a trail file; automata and state spaces as
//! graphs.

mod automata;
mod block;
pub mod chart;
mod dot;
mod reorder;
mod state_space;
mod story;
mod style;
mod trail;

pub use automata::{AutomatonId, automata};
pub use reorder::{TraceEvent, reorder};
pub use state_space::{DrawnState, DrawnStep, EdgeTarget, Highlight, StateSpace, failed_start};
pub use story::{StepColumns, StoryStep, list_steps};
pub use trail::{Entry, Trail, TrailError};
