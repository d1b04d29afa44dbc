//! Repeated runs of a randomised search: a swarm of them, what they found, and statistics over them.

mod coverage;
mod statistics;
mod swarm;

pub use coverage::{Coverage, Incidence};
pub use statistics::{QUANTILES, RunFigures, Sample};
pub use swarm::{OnSuccess, Swarm, Swarmed, Times};
