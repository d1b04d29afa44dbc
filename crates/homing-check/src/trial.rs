//! Whether partial-order reduction pays: a trial looks at the first states of the reduced graph.

use std::collections::{HashSet, VecDeque};
use std::ops::ControlFlow;

use homing_core::{Fork, Selected, Selection, State, Step, Target, TransitionSystem, Violation};
use homing_search::Reduction;

use crate::PartialOrder;
use crate::explore::Exploration;

/// The trial goes on as long as, after so many states, one move is left out for every so many that are taken. The reduction is used if
/// that holds to the end, or if the whole reduced graph was searched. Where less is left out, choosing sets takes more time than it saves.
const STAGES: [(usize, u64); 3] = [(256, 16), (1024, 4), (2048, 3)];

/// The most bytes that the states of a trial take, and which part of the memory of the search.
const MOST_BYTES: u64 = 256 << 20;
const SHARE: u64 = 8;

/// The bytes that a state takes besides its own: it is kept twice, each time with a pointer and its length.
const OVERHEAD: u64 = 96;

/// A breadth-first exploration of the first states of a reduced graph, and what it has seen.
pub(crate) struct Trial<'s, T> {
    system: &'s T,
    stubborn: Selection,
    reached: HashSet<Box<State>>,
    open: VecDeque<Box<State>>,
    /// States that were expanded, and those of them of which steps were left out.
    pub expanded: u64,
    pub reduced: u64,
    /// Bytes that the states of the trial may still take.
    room: u64,
    /// Steps that were taken, and moves that were left out.
    taken: u64,
    left_out: u64,
}

impl<'s, T: TransitionSystem> Trial<'s, T> {
    /// Of a state that has a stubborn set only the steps that `stubborn` selects are taken. The trial is a small part of a search, and of
    /// the memory that the search may have.
    pub fn new(system: &'s T, stubborn: Selection, memory: Option<u64>) -> Self {
        let initial = system.initial();
        let (reached, open) = (HashSet::from([initial.clone()]), VecDeque::from([initial]));
        let room = memory.map_or(MOST_BYTES, |memory| (memory / SHARE).min(MOST_BYTES));
        Trial { system, stubborn, reached, open, expanded: 0, reduced: 0, room, taken: 0, left_out: 0 }
    }

    /// Expands states until so many were expanded in all, or none is left.
    pub fn explore(&mut self, states: usize) {
        while self.expanded < states as u64
            && self.room > 0
            && let Some(state) = self.open.pop_front()
        {
            self.expanded += 1;
            match self.take(&state, self.stubborn) {
                Selected::NotReduced => _ = self.take(&state, Selection::All),
                Selected::Shown { left_out } => {
                    self.reduced += 1;
                    self.left_out += u64::from(left_out);
                }
                Selected::Diverges => {}
            }
        }
    }

    fn take(&mut self, state: &State, selection: Selection) -> Selected {
        let Trial { system, reached, open, taken, room, .. } = self;
        system.for_each_step(state, selection, |step: Step<'_, T::Action>| {
            *taken += 1;
            match step.target {
                Target::State(target) if !reached.contains(target) => {
                    *room = room.saturating_sub(2 * target.len() as u64 + OVERHEAD);
                    if *room == 0 {
                        return ControlFlow::Break(());
                    }
                    reached.insert(target.into());
                    open.push_back(target.into());
                }
                _ => {}
            }
            ControlFlow::Continue(())
        })
    }

    /// Whether searching the reduced graph is worth what choosing sets costs.
    fn pays(&mut self) -> bool {
        STAGES.iter().all(|&(states, one_for)| {
            self.explore(states);
            self.open.is_empty() || self.left_out * one_for >= self.taken
        })
    }
}

impl<E: Fn(&Violation) -> bool + Sync> Exploration<'_, E> {
    /// What a breadth-first search of the system leaves out: the `stubborn` reduction if that was asked for, or if it is allowed and a trial
    /// shows that it pays.
    pub(crate) fn reduction_where_it_pays<T: Fork>(&self, system: &T, stubborn: Reduction) -> Reduction {
        let pays = || {
            let fork = system.fork(); // its figures do not count
            Trial::new(&fork, stubborn.stubborn()?, self.objective.limits.memory).pays().then_some(stubborn)
        };
        match self.partial_order {
            PartialOrder::Always => stubborn,
            PartialOrder::IfItPays => pays().unwrap_or(self.reduction),
            PartialOrder::Never => self.reduction,
        }
    }
}
