//! How a property of a model is decided.

use std::num::NonZeroU32;

use homing_core::Limits;
use homing_heuristics::{Combine, Heuristic};

use crate::repeat::Repeats;
use crate::{Fairness, OnError, PartialOrder, Reduction, Search, Shortening, StoreChoice};

/// How a property of a model is decided. The default is the portfolio, directed by the estimate that usually suits the property,
/// with one thread and no limits.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// The search.
    pub search: Search,
    /// What directs the search.
    pub guidance: Guidance<'a>,
    /// The store; `None` is the tree where it can be used, and the exact store for searches with [lanes](Search::width).
    pub store: Option<StoreChoice>,
    /// What is done when an error is found.
    pub on_error: OnError,
    /// Whether a path is shortened. [`Shortening::IfCheap`] applies to paths of the portfolio, and to those that are proved shortest
    /// in the reduced model, but not yet in the model itself.
    pub shortening: Shortening,
    /// Whether one with fewer process switches is looked for among the paths that are as short as one that is proved shortest.
    pub fewest_switches: bool,
    /// Whether a verdict `holds` is proved a second time.
    pub confirm: Confirm,
    /// What a breadth-first search may leave out.
    pub reduction: Reduction,
    /// What the portfolio may leave out besides. Not used with a limit on the depth.
    pub partial_order: PartialOrder,
    /// Limits of each search.
    pub limits: Limits,
    /// The number of threads, for searches that are [parallel](Search::is_parallel).
    pub threads: usize,
    /// Which infinite runs count.
    pub fairness: Fairness,
    /// The numbers of states that a search for cycles visits and matches are those of SPIN's verifier.
    pub counts_as_spin: bool,
    /// How steps are computed.
    pub engine: Engine,
    /// What a [random](Search::is_random) search depends on: one seed gives one run.
    pub seed: u64,
    /// How often a random search is repeated.
    pub repeats: Option<Repeats>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            search: Search::Auto,
            guidance: Guidance::Auto(Combine::Sum),
            store: None,
            on_error: OnError::Stop,
            shortening: Shortening::IfCheap,
            fewest_switches: true,
            confirm: Confirm::IfQuick,
            reduction: Reduction::SleepSets,
            partial_order: PartialOrder::IfItPays,
            limits: Limits::default(),
            threads: 1,
            fairness: Fairness::None,
            counts_as_spin: false,
            engine: Engine::Compiled,
            seed: 0,
            repeats: None,
        }
    }
}

/// What directs a search.
#[derive(Clone, Copy, Debug)]
pub enum Guidance<'a> {
    /// The estimate that usually suits the property, or nothing if the search is not directed.
    Auto(Combine),
    /// Nothing: every state seems equally near to an error.
    None,
    /// This estimate.
    By(Heuristic<'a>),
    /// A distance-preserving abstraction; the formula that never overestimates if the model has none.
    Abstraction {
        /// The most classes of an abstracted product, if it is not the usual one.
        bound: Option<NonZeroU32>,
    },
}

/// Whether a verdict `holds` is proved a second time, without reductions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confirm {
    /// If the first proof was quick, and for a short time.
    IfQuick,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// How steps are computed; both engines compute the same steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// By machine code, which is generated when the model is checked.
    Compiled,
    /// By the interpreter.
    Interpreted,
}
