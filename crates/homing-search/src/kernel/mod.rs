//! The kernel of all searches over an open list: breadth-first, best-first, A*.
//!
//! A search is a [`SharedSearch`] (limits, figures, the store and the [node table](nodes)), an open list, and one [`Worker`] for
//! each thread; a search of one thread is one worker. A worker expands states: it generates their steps into a batch, looks the
//! targets up together, and pushes those that are new or have a shorter path now. What tells searches apart is their [`Order`]:
//! what is known of a node, whether it is estimated, and how it waits. Which state comes next is the business of the
//! algorithm's own file.

mod batch;
pub mod nodes;
mod path;
mod settle;
mod shared;
mod stubborn;
mod switch;
mod worker;
pub mod workers;

use homing_core::{Changed, Cost, Estimated, SleepSet, State, StateId, Step, Violation};

pub(crate) use path::find_steps;
pub(crate) use settle::Components;
pub(crate) use shared::{Guarded, SharedSearch};
pub(crate) use switch::SelectionSwitch;
pub(crate) use worker::Worker;

/// An error that a step out of `u` leads to. It waits in the open list as states do: a shorter path to an error may still be
/// found before its turn.
pub(crate) struct Event<A> {
    pub u: StateId,
    /// Which step of `u` it is.
    pub ordinal: u32,
    pub action: A,
    /// The length of the path to `u` when the error was found.
    pub g: Cost,
    /// The cost of the step.
    pub cost: Cost,
    pub violation: Violation,
}

/// A node that has a new or a shorter path, and waits for its expansion.
pub(crate) struct Waiting<'s, K> {
    pub v: StateId,
    pub g: Cost,
    pub estimated: Estimated,
    /// The sleep set of the state if it is reached by this path.
    pub sleep: SleepSet,
    /// The state and its key, if the store does not give states back.
    pub kept: Option<(&'s State, K)>,
}

/// What tells searches over an open list apart: the part of it that each worker has for itself.
pub(crate) trait Order<A, K> {
    /// What is known of a node.
    type Marks: nodes::Marks;

    /// New states are estimated, so that they are kept with what the step changed until they are looked up.
    const ESTIMATES: bool;

    /// What is kept of the steps.
    type Recorder: Recorder;

    /// A state is about to be expanded.
    fn expand(&mut self, s: &State);

    /// What keeps the steps.
    fn recorder(&mut self) -> &mut Self::Recorder;

    /// The estimate of a new state, which a step out of the one being expanded leads to; `None` if it cannot reach an error.
    fn estimate(&mut self, state: &State, changed: Changed<'_>) -> Option<Estimated>;

    /// The distance of an error from a node with this estimate, at least.
    fn least_distance(&self, h: Cost) -> Cost;

    /// Adds a node; returns the bytes it takes.
    fn push(&mut self, waiting: Waiting<'_, K>) -> u64;

    /// Adds an error.
    fn push_event(&mut self, event: Event<A>);
}

/// What a worker keeps of the steps that it takes, besides the states they lead to.
pub(crate) trait Recorder {
    /// What all workers have recorded.
    type Recorded: Default + Send;

    /// Steps are recorded: none is passed over because its target is known.
    const RECORDS: bool;

    /// A state is about to be expanded.
    fn expand(&mut self, u: StateId);

    /// A step to a state was generated.
    fn step<A>(&mut self, step: &Step<'_, A>);

    /// The step with this number, of those generated since the last look-up, leads to `v`.
    fn edge(&mut self, at: usize, v: StateId);

    /// All steps that were generated were looked up.
    fn looked_up(&mut self);

    /// Hands over what was recorded; returns the bytes it takes.
    fn hand_over(&mut self, to: &mut Self::Recorded) -> u64;
}

/// Steps are not recorded.
impl Recorder for () {
    type Recorded = ();

    const RECORDS: bool = false;

    #[inline(always)]
    fn expand(&mut self, _: StateId) {}

    #[inline(always)]
    fn step<A>(&mut self, _: &Step<'_, A>) {}

    #[inline(always)]
    fn edge(&mut self, _: usize, _: StateId) {}

    #[inline(always)]
    fn looked_up(&mut self) {}

    fn hand_over(&mut self, _: &mut ()) -> u64 {
        0
    }
}
