//! A path becomes a story: the steps of a counterexample as lines of text.

mod story;

pub use story::{StoryStep, tell};
