//! A path becomes a story: the steps of a counterexample as lines of text, or as a sequence chart.

pub mod chart;
mod story;

pub use story::{StoryStep, tell};
