//! How far an error may be.

use crate::{Changed, Cost, State};

/// What is known of an estimate; each includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Guarantee {
    /// Nothing: it may be too large.
    Guess,
    /// It is never larger than the true distance.
    Admissible,
    /// Besides, a step makes it smaller by no more than the step costs.
    Consistent,
}

/// Estimates the number of statements from a state to an error, that of the error included. A state that is itself an
/// error has distance 0.
pub trait Estimate {
    /// Of any state. `None` asserts that no error can be reached from it, whatever the guarantee.
    fn distance(&mut self, state: &State) -> Option<Cost>;

    /// Takes note of a state that is about to be expanded.
    fn expand(&mut self, _: &State) {}

    /// The same as [`Estimate::distance`], for a state that a step leads to out of the one being expanded.
    fn distance_after(&mut self, state: &State, _: Changed<'_>) -> Option<Cost> {
        self.distance(state)
    }

    /// Tells states apart that seem equally far: of the state that was asked for last, less is better.
    fn tie(&mut self) -> Cost {
        0
    }

    fn guarantee(&self) -> Guarantee;
}

impl<E: Estimate + ?Sized> Estimate for Box<E> {
    fn distance(&mut self, state: &State) -> Option<Cost> {
        (**self).distance(state)
    }

    fn expand(&mut self, state: &State) {
        (**self).expand(state);
    }

    fn distance_after(&mut self, state: &State, changed: Changed<'_>) -> Option<Cost> {
        (**self).distance_after(state, changed)
    }

    fn tie(&mut self) -> Cost {
        (**self).tie()
    }

    fn guarantee(&self) -> Guarantee {
        (**self).guarantee()
    }
}

/// Knows nothing: every error may be here.
#[derive(Clone, Copy, Debug, Default)]
pub struct Blind;

impl Estimate for Blind {
    fn distance(&mut self, _: &State) -> Option<Cost> {
        Some(0)
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee::Consistent
    }
}
