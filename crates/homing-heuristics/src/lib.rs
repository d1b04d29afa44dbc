//! Estimates of the distance from a state to an error.

mod active;
mod deadlock;
mod distance;
mod executable;
mod formula;
mod hamming;
mod linear;
mod messages;
mod notes;
mod parts;
mod rate;
mod sites;
mod standing;
#[cfg(test)]
mod testing;

pub use formula::Combine;
