//! Expands stored states again, to find the steps between them.

use std::ops::ControlFlow;

use homing_core::{Cost, Selection, StateId, Target, TransitionSystem};
use homing_store::LoadById;

use super::{Fairness, Marks};

/// A step from a stored state to a stored state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutEdge<A, const N: usize> {
    pub action: A,
    pub cost: Cost,
    pub target: StateId,
    /// Under weak fairness with those of the processes that cannot move; under strong fairness with those that move.
    pub marks: Marks<N>,
}

/// Finds the steps between stored states.
pub(crate) struct Expander<'a, T: TransitionSystem, S: LoadById, const N: usize> {
    system: &'a T,
    store: &'a S,
    cursor: S::Cursor,
    fairness: Fairness,
    state: Vec<u8>,
    edges: Vec<OutEdge<T::Action, N>>,
    /// The processes that can move in the state that was expanded last.
    pub enabled: Marks<N>,
    /// Steps are missing: the stop token of the system is set.
    pub is_stopped: bool,
}

impl<'a, T: TransitionSystem, S: LoadById, const N: usize> Expander<'a, T, S, N> {
    pub fn new(system: &'a T, store: &'a S, fairness: Fairness) -> Self {
        let (cursor, state, edges) = (store.cursor(), Vec::new(), Vec::new());
        Expander { system, store, cursor, fairness, state, edges, enabled: Marks::NONE, is_stopped: false }
    }

    /// The steps of a state, in order; those to states that are not stored are left out.
    pub fn expand(&mut self, from: StateId) -> &[OutEdge<T::Action, N>] {
        let Expander { system, store, cursor, fairness, state, edges, enabled, is_stopped } = self;
        edges.clear();
        *enabled = Marks::NONE;
        store.load(cursor, from, state);
        system.for_each_step(state, Selection::All, |step| {
            *is_stopped |= step.is_stop();
            if let Target::State(target) = step.target {
                let mut marks = Marks::of_sets(step.acceptance);
                if *fairness != Fairness::None {
                    marks = marks | Marks::movers(&step);
                    *enabled = *enabled | Marks::enabled(&step);
                }
                if let Ok(key) = store.key(cursor, target, step.changed)
                    && let Some(target) = store.id(key, target)
                {
                    edges.push(OutEdge { action: step.action, cost: step.cost, target, marks });
                }
            }
            ControlFlow::Continue(())
        });
        if *fairness == Fairness::Weak {
            let idle = Marks::<N>::idle(*enabled);
            edges.iter_mut().for_each(|edge| edge.marks = edge.marks | idle);
        }
        edges
    }
}
