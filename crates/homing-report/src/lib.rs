//! A path becomes a story: the steps of a counterexample as lines of text, or as a sequence chart.

mod arrange;
pub mod chart;
mod story;
mod trail;

pub use arrange::{Move, arrange, switches};
pub use story::{Columns, StoryStep, tell};
pub use trail::{Entry, Trail, TrailError};
