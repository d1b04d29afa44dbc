//! Iterative-deepening A* (Korf 1985; Edelkamp, Leue & Lluch-Lafuente 2004, §3.3 with Table 2): depth-first searches below a
//! threshold `U` of `f = g + W·h`, which grows to the least `f` beyond it until there is none.
//!
//! The error returned is a shortest one if the estimate is admissible and its weight is at most one: all that is shorter was
//! within the threshold before. That is proved if no state is lost and none has hidden bytes.
//! With a transposition table, as the paper has it: a state is entered again in an iteration by a shorter path only.
//! Differs from the paper: steps have costs, and an error is an event inside a step. The length of a path to a state is kept from
//! one iteration to the next: a longer one is never worth following, since the shorter one is followed each time. The paper goes
//! on without storing when memory is used up; here that is a limit, and the search ends.

use homing_core::{
    Changed, Cost, End, Estimate, Estimated, Limit, Outcome, State, Step, Stop, TransitionSystem, Violation, Watch,
};
use homing_store::{BitStore, Keys, Numbered, Store};

use crate::depth_first::depths::Depths;
use crate::depth_first::{Bound, DepthFirst, Entry, Generated, Visited};
use crate::limits::Budget;
use crate::{Directed, Objective, Weight};

/// Explores `system` from its initial state below a growing threshold. `store` is empty at the start. A state from which no error
/// can be reached, by the estimate, is stored but not expanded.
pub fn search<T, S, E, H, W>(
    system: &T,
    objective: &Objective<'_, E>,
    directed: Directed<'_, Weight, H>,
    store: &mut S,
    watch: &mut W,
) -> Outcome<T::Action>
where
    T: TransitionSystem,
    S: Numbered,
    E: Fn(&Violation) -> bool,
    H: Estimate,
    W: Watch,
{
    let proves = S::LOSSLESS && store.hidden_prefix() == 0 && directed.by.is_admissible(directed.estimate.guarantee());
    let Objective { is_error, on_error, limits, .. } = objective;
    let mut search = DepthFirst::new(system, is_error, (*on_error).into(), Budget::new(limits, watch));
    let mut visited = Depths::with_estimates(store);
    let end = deepen(system, &mut search, &mut visited, directed);
    if let Some(path) = &mut search.best {
        path.shortest = proves && search.budget.followed_all_below(path.length); // no error beyond a threshold is shorter
    }
    search.outcome(end, &visited)
}

/// A field of bits to search with, and the hash functions to use, one after the other, until there is an error.
#[derive(Debug)]
pub struct BitFields<'s> {
    /// The field, which is cleared for each hash function.
    pub store: &'s mut BitStore,
    /// The seeds of the hash functions.
    pub seeds: &'s [u64],
}

/// Partial IDA* (Edelkamp, Leue & Lluch-Lafuente 2004, §3.3): of each visited state a few bits are known. Nothing is known of the
/// path to a known state, so none is entered twice in an iteration, and nothing is proved. The search is run once for each seed
/// of a hash function, because each loses other states.
pub fn partial<T, E, H, W>(
    system: &T,
    objective: &Objective<'_, E>,
    Directed { by, estimate }: Directed<'_, Weight, H>,
    fields: BitFields<'_>,
    watch: &mut W,
) -> Outcome<T::Action>
where
    T: TransitionSystem,
    E: Fn(&Violation) -> bool,
    H: Estimate,
    W: Watch,
{
    let Objective { is_error, on_error, limits, .. } = objective;
    let mut search = DepthFirst::new(system, is_error, (*on_error).into(), Budget::new(limits, watch));
    let mut visited = Bits { cursor: fields.store.cursor(), store: fields.store, seed: 0 };
    let mut end = End::Exhausted;
    for &seed in fields.seeds {
        visited.seed = seed;
        end = deepen(system, &mut search, &mut visited, Directed { by, estimate });
        let is_incomplete = matches!(end, End::Stopped(Stop::Limit(Limit::Depth | Limit::CutOff)));
        if search.best.is_some() || matches!(end, End::Stopped(_)) && !is_incomplete {
            break;
        }
    }
    search.outcome(end, &visited)
}

/// Searches below a threshold that grows until nothing lies beyond it.
fn deepen<T, E, V, H, W>(
    system: &T,
    search: &mut DepthFirst<'_, T, E, W, V::Key>,
    visited: &mut V,
    Directed { by: weight, estimate: h }: Directed<'_, Weight, H>,
) -> End
where
    T: TransitionSystem,
    E: Fn(&Violation) -> bool,
    V: Visited,
    H: Estimate,
    W: Watch,
{
    let is_admissible = weight.is_admissible(h.guarantee());
    let mut u = h.distance(&system.initial()).map(|root| weight.times(root.h));
    while let Some(threshold) = u {
        if is_admissible && search.budget.lengthen(0, threshold).is_none() {
            search.budget.skip_too_deep(); // all errors that are left are too deep
            break;
        }
        let mut bound = Bound::new(weight, threshold);
        if let Err(ended) = search.search(visited, h, &mut bound) {
            return ended.into();
        }
        u = bound.next_threshold;
    }
    search.budget.end()
}

/// States of which only bits are known. They are marked when they are entered, so that a state that was beyond the threshold can
/// still be entered by another path in the same iteration.
struct Bits<'s> {
    store: &'s mut BitStore,
    cursor: <BitStore as Keys>::Cursor,
    seed: u64,
}

impl Visited for Bits<'_> {
    type Key = u64;
    type Edge = ();

    const KEEPS_GENERATED: bool = true;
    const ENTERS_AGAIN: bool = true; // in another iteration
    const DECIDES_AT_TURN: bool = false;

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

    fn generated<W: Watch>(
        &mut self,
        _: &Budget<'_, W>,
        (key, state): (u64, &State),
        g: Option<Cost>,
        _: u64,
        estimate: impl FnOnce() -> Option<Estimated>,
    ) -> Result<Generated, Stop> {
        if self.store.find(key, state).is_some() {
            return Ok(Generated::Skipped);
        }
        if g.is_none() {
            return Ok(Generated::TooDeep);
        }
        Ok(estimate().map_or(Generated::Skipped, |estimated| Generated::HasTurn { h: estimated.h }))
    }

    fn edge<A>(&mut self, _: &Step<'_, A>) {}

    fn enter<W: Watch>(
        &mut self,
        budget: &mut Budget<'_, W>,
        (key, state, ()): (u64, &State, ()),
        _: Option<Cost>,
        memory: u64,
    ) -> Result<Entry, Stop> {
        let interned = budget.admit(self.store, &mut self.cursor, (key, state), memory)?;
        Ok(if interned.is_new() { Entry::First } else { Entry::No })
    }

    fn load(&mut self, key: u64, s: &mut Vec<u8>) {
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
