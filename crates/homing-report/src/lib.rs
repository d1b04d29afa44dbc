//! Reports: a counterexample as lines of text, as a sequence chart, as a trail file; automata and state spaces as
//! graphs.

mod automata;
mod block;
pub mod chart;
mod dot;
mod fit;
mod fold;
pub mod plot;
mod reorder;
mod slice;
mod state_space;
mod story;
mod story_text;
mod style;
mod trail;

pub use automata::{AutomatonId, automata};
pub use reorder::{TraceEvent, reorder};
pub use slice::{Definition, DefinitionId, DependenceGraph};
pub use state_space::{DrawnState, DrawnStep, EdgeTarget, Highlight, StateSpace, failed_start};
pub use story::{Story, StoryCall, StoryChange, StoryLine, StoryStep};
pub use story_text::{Mark, MarkKind, StepColumns, TextLine};
pub use trail::{Entry, Trail, TrailError};
