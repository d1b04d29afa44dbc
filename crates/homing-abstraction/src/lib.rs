//! Distance-preserving abstraction (Dräger, Finkbeiner & Podelski, SPIN 2006) of factored transition systems.
//!
//! Two components are composed, the product is abstracted to at most N classes that keep the distance to the error where the
//! bound allows it, and so on until one component is left ([`Abstraction::new`]). Its distances are a consistent estimate for the
//! states that the system can reach: every concrete step is a step of the abstract system, or none.
//!
//! The paper's process is a [`Factor`]; a shared action is a label that two factors list, a τ step one that a single factor lists.
//! Labels may be listed by any number of factors and have any cost, so that merge-and-shrink abstractions of planning (Helmert,
//! Haslum & Hoffmann 2007; Sievers, Wehrle & Helmert 2014) are the same construction.
//!
//! The crate does no I/O, and knows neither a modelling language nor a search.

#![warn(missing_docs)]

mod component;
mod compose;
mod construct;
mod export;
mod graph;
mod label_reduction;
mod options;
mod refine;
mod statistics;
mod strategy;
mod system;
mod tree;

pub use construct::Abstraction;
pub use export::{AbstractSystem, AbstractTransition};
pub use options::{BucketOrder, LabelReduction, LastProduct, Limits, Options, Strategy, TieRule};
pub use statistics::{Cut, Merge, Statistics};
pub use system::{
    Factor, FactorId, FactoredSystem, FactoredSystemBuilder, Label, LabelId, LocalTransitions, SystemError,
};
pub use tree::Evaluator;
