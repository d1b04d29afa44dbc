//! Development tools of homing: comparison with live SPIN (6.5.2) on random models, examples and single files,
//! benchmarks, mutation checks and metrics.

pub mod bench;
pub mod compare;
mod directed;
pub mod dist;
pub mod examples;
pub mod generate;
pub mod homing;
pub mod live;
pub mod metrics;
pub mod mutants;
pub mod network;
pub mod papers;
pub mod paths;
pub mod portfolio;
pub mod process;
pub mod random;
mod reduced;
pub mod reduction;
pub mod sanitizers;
pub mod soak;
pub mod spin;
pub mod structure;
pub mod tables;
pub mod testing;
pub mod trails;
pub mod vocabulary;
