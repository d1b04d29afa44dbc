//! Keeps the limits of a search and lets the watch look at it.

use homing_core::{Cost, Limit, Limits, Progress, State, StateId, Watch};
use homing_store::{Interned, Store};

/// What a search may still do.
pub(crate) struct Budget<'a, W> {
    limits: &'a Limits,
    watch: &'a mut W,
    expansions: u64,
    steps: u64,
}

/// Expansions between two looks of the watch: far less than a second of work, far more than a look costs.
const LOOK_EVERY: u64 = 4096;

/// The same for steps: one state can have very many.
const LOOK_EVERY_STEPS: u64 = 1 << 18;

/// What became of a state that a step led to.
pub(crate) enum Admission {
    New(StateId),
    Known(StateId),
    /// It is new, and this limit leaves no room for it.
    Refused(Limit),
}

impl<'a, W: Watch> Budget<'a, W> {
    pub fn new(limits: &'a Limits, watch: &'a mut W) -> Self {
        Budget { limits, watch, expansions: 0, steps: 0 }
    }

    /// To be asked before each expansion. The watch looks before the very first one too, so that a search whose time is
    /// already up does nothing.
    pub fn charge_expansion(&mut self, progress: impl FnOnce() -> Progress) -> Result<(), Limit> {
        if self.expansions.is_multiple_of(LOOK_EVERY)
            && let Some(limit) = self.watch.look(&progress())
        {
            return Err(limit);
        }
        self.expansions += 1;
        Ok(())
    }

    /// To be asked for each step.
    pub fn charge_step(&mut self, progress: impl FnOnce() -> Progress) -> Result<(), Limit> {
        self.steps += 1;
        if self.steps.is_multiple_of(LOOK_EVERY_STEPS)
            && let Some(limit) = self.watch.look(&progress())
        {
            return Err(limit);
        }
        Ok(())
    }

    pub fn expansions(&self) -> u64 {
        self.expansions
    }

    /// The length of a path made longer, or none if such a path may not be followed. One too long to be counted may not.
    pub fn lengthen(&self, g: Cost, cost: Cost) -> Option<Cost> {
        g.checked_add(cost).filter(|&g| self.limits.max_depth.is_none_or(|most| g <= most))
    }

    /// Brings a state into the store if there is room. `memory` is what the search holds besides the store. A known state
    /// needs no room: it is found even when there is none.
    pub fn admit<S: Store>(&self, store: &mut S, state: &State, memory: u64) -> Admission {
        match self.full(store, memory) {
            None => match store.intern(state) {
                Interned::New(id) => Admission::New(id),
                Interned::Known(id) => Admission::Known(id),
            },
            Some(limit) => store.find(state).map_or(Admission::Refused(limit), Admission::Known),
        }
    }

    fn full<S: Store>(&self, store: &S, memory: u64) -> Option<Limit> {
        if store.len() >= self.limits.max_states.unwrap_or(u64::MAX).min(S::MOST_STATES) {
            return Some(Limit::States);
        }
        match self.limits.memory {
            Some(most) if store.memory() + store.next_growth() + memory > most => Some(Limit::Memory),
            _ => None,
        }
    }
}
