//! Iterative-deepening A* (Korf 1985; Edelkamp, Leue & Lluch-Lafuente, "Directed explicit-state model checking in the
//! validation of communication protocols", §3.3 with Table 2): depth-first descents below a threshold `U` of
//! `f = g + W·h`, which grows to the least `f` left aside until there is none.
//!
//! The error brought home is a shortest one if the estimate is admissible and counts for no more than it is: all that is
//! shorter was within the threshold before. That is proved if no state is lost and states carry nothing.
//! With a transposition table, as the paper has it: a state is entered again in a descent by a shorter path only.
//! Differs from the paper: steps have costs, and an error is an event inside a step. The length of a path to a state is
//! kept from one descent to the next: a longer one is never worth following, since the shorter one is followed each time.
//! The paper goes on without storing when memory is used up; here that is a limit, and the search ends.

use homing_core::{
    Changed, Cost, End, Estimate, Limit, Limits, Outcome, State, Stop, TransitionSystem, Violation, Watch,
};
use homing_store::{BitStore, Interned, Store};

use crate::budget::Budget;
use crate::depths::Depths;
use crate::descent::{Bound, Descents, Entry, Met, Reach, Visited};
use crate::{Errors, Guide, Weight};

/// Explores `system` from its initial state below a growing threshold. `store` is empty at the start. Violations for
/// which `is_error` is false are passed over. A state from which no error can be reached, as the estimate has it, is
/// stored but not expanded.
///
/// # Panics
/// If the store does not number the states it knows; [`partial`] is for those.
pub fn search<T, S, H, W>(
    system: &T,
    is_error: impl Fn(&Violation) -> bool,
    errors: Errors,
    guide: Guide<'_, Weight, H>,
    store: &mut S,
    limits: &Limits,
    watch: &mut W,
) -> Outcome<T::Action>
where
    T: TransitionSystem,
    S: Store,
    H: Estimate,
    W: Watch,
{
    let proves = S::LOSSLESS && store.hidden_prefix() == 0 && guide.by.is_admissible(guide.estimate.guarantee());
    let mut descents = Descents::new(system, is_error, errors.into(), Budget::new(limits, watch));
    let mut visited = Depths::directed(store);
    let end = deepen(&mut descents, &mut visited, guide);
    let mut outcome = descents.outcome(end, &visited);
    outcome.path.iter_mut().for_each(|path| path.shortest = proves); // no error beyond a threshold is shorter than it
    outcome
}

/// A field of bits to search with, and the hash functions to do it with, one after the other, until there is an error.
#[derive(Debug)]
pub struct Fields<'s> {
    pub store: &'s mut BitStore,
    pub seeds: &'s [u64],
}

/// Partial IDA* (the same, §3.3): of the states it met a search knows a few bits each. Nothing is known of the path to a
/// known state, so none is entered twice in a descent, and nothing is proved. The search is run once for each seed of a
/// hash function, because each loses other states.
pub fn partial<T, H, W>(
    system: &T,
    is_error: impl Fn(&Violation) -> bool,
    errors: Errors,
    guide: Guide<'_, Weight, H>,
    fields: Fields<'_>,
    limits: &Limits,
    watch: &mut W,
) -> Outcome<T::Action>
where
    T: TransitionSystem,
    H: Estimate,
    W: Watch,
{
    let Guide { by, estimate } = guide;
    let mut descents = Descents::new(system, is_error, errors.into(), Budget::new(limits, watch));
    let mut visited = Bits { cursor: fields.store.cursor(), store: fields.store, seed: 0 };
    let mut end = End::Exhausted;
    for &seed in fields.seeds {
        visited.seed = seed;
        end = deepen(&mut descents, &mut visited, Guide { by, estimate });
        if descents.best.is_some()
            || matches!(end, End::Stopped(limit) if !matches!(limit, Stop::Limit(Limit::Depth | Limit::CutOff)))
        {
            break;
        }
    }
    descents.outcome(end, &visited)
}

/// Descends below a threshold that grows until nothing is left aside.
fn deepen<T, E, V, H, W>(
    descents: &mut Descents<'_, T, E, W, V::Key>,
    visited: &mut V,
    Guide { by: weight, estimate: h }: Guide<'_, Weight, H>,
) -> End
where
    T: TransitionSystem,
    E: Fn(&Violation) -> bool,
    V: Visited,
    H: Estimate,
    W: Watch,
{
    let is_admissible = weight.is_admissible(h.guarantee());
    let mut u = h.distance(&descents.system.initial()).map(|root| weight.times(root.h));
    while let Some(threshold) = u {
        if is_admissible && descents.budget.lengthen(0, threshold).is_none() {
            descents.budget.leave_aside(); // all errors that are left are too deep
            break;
        }
        let mut bound = Bound::new(weight, threshold);
        if let Err(halt) = descents.descend(visited, h, &mut bound) {
            return halt.into();
        }
        u = bound.beyond;
    }
    descents.budget.end()
}

/// States of which only bits are known. They are marked when they are entered, so that a state that was left aside can
/// still be entered by another path in the same descent.
struct Bits<'s> {
    store: &'s mut BitStore,
    cursor: <BitStore as Store>::Cursor,
    seed: u64,
}

impl Visited for Bits<'_> {
    type Key = u64;

    const NEEDS_BYTES: bool = true;

    fn begin(&mut self) {
        self.store.start_over(self.seed);
    }

    fn key<W: Watch>(
        &mut self,
        budget: &Budget<'_, W>,
        state: &State,
        changed: Changed<'_>,
        memory: u64,
    ) -> Result<u64, Stop> {
        budget.key(self.store, &mut self.cursor, state, changed, memory)
    }

    fn knows(&self, key: u64, state: &State) -> bool {
        self.store.find(key, state).is_some()
    }

    fn meet<W: Watch>(
        &mut self,
        _: &Budget<'_, W>,
        (key, state): (u64, &State),
        _: Cost,
        _: u64,
        estimate: impl FnOnce() -> Option<Cost>,
    ) -> Result<Met, Stop> {
        if self.knows(key, state) {
            return Ok(Met::Before);
        }
        Ok(estimate().map_or(Met::DeadEnd, |h| Met::Open { h }))
    }

    fn enter<W: Watch>(
        &mut self,
        budget: &Budget<'_, W>,
        (key, state): (u64, &State),
        _: Reach,
        memory: u64,
    ) -> Result<Entry, Stop> {
        Ok(match budget.admit(self.store, &mut self.cursor, (key, state), memory)? {
            Interned::New(_) => Entry::First,
            Interned::Known(_) | Interned::MaybeKnown => Entry::No,
        })
    }

    fn open(&mut self, key: u64, s: &mut Vec<u8>) {
        self.store.set_parent(&mut self.cursor, s, Some(key));
    }

    fn states(&self) -> u64 {
        self.store.len()
    }

    fn memory(&self) -> u64 {
        self.store.memory()
    }
}

#[cfg(test)]
mod tests;
