//! Compares homing with live SPIN (6.5.2): on random models, on the examples SPIN ships with, on single files; and measures
//! both side by side.

pub mod bench;
pub mod compare;
mod directed;
pub mod examples;
pub mod exchange;
pub mod generate;
pub mod homing;
pub mod mutants;
pub mod papers;
pub mod place;
pub mod process;
pub mod random;
mod reduced;
pub mod sanitizers;
pub mod soak;
pub mod spin;
pub mod tables;
pub mod testing;
pub mod trails;
