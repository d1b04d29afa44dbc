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

/// The estimate of a state from which an error may be reachable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimated {
    /// The estimated distance.
    pub h: Cost,
    /// Breaks ties between states of equal `h`: the smaller is preferred. It says nothing about the distance.
    pub tie: Cost,
}

impl From<Cost> for Estimated {
    /// An estimate without a preference among states of equal `h`.
    fn from(h: Cost) -> Self {
        Estimated { h, tie: 0 }
    }
}

/// Estimates the number of statements from a state to an error, that of the error included. A state that is itself an
/// error has distance 0.
pub trait Estimate {
    /// Estimates the distance of any state. `None` asserts that no error is reachable from it, whatever the guarantee.
    fn distance(&mut self, state: &State) -> Option<Estimated>;

    /// Takes note of a state that is about to be expanded.
    fn expand(&mut self, _: &State) {}

    /// Estimates the distance of a successor of the state being expanded, as [`Estimate::distance`] would, from what the
    /// step changed.
    fn distance_after(&mut self, state: &State, _: Changed<'_>) -> Option<Estimated> {
        self.distance(state)
    }

    /// What is known of its values.
    fn guarantee(&self) -> Guarantee;
}

impl<E: Estimate + ?Sized> Estimate for Box<E> {
    fn distance(&mut self, state: &State) -> Option<Estimated> {
        (**self).distance(state)
    }

    fn expand(&mut self, state: &State) {
        (**self).expand(state);
    }

    fn distance_after(&mut self, state: &State, changed: Changed<'_>) -> Option<Estimated> {
        (**self).distance_after(state, changed)
    }

    fn guarantee(&self) -> Guarantee {
        (**self).guarantee()
    }
}

/// Knows nothing: every error may be here.
#[derive(Clone, Copy, Debug, Default)]
pub struct Blind;

impl Estimate for Blind {
    fn distance(&mut self, _: &State) -> Option<Estimated> {
        Some(Estimated::from(0))
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee::Consistent
    }
}
