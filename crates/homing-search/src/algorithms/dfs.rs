//! Depth-first search (Holzmann 2004, ch. 8, Fig. 8.1, with the check of Fig. 8.2), in the order in which SPIN visits states.
//!
//! Differs from the book: no recursion. The steps of a state are generated once, when it is entered. Those that lead to a known
//! state are matched then; the others wait and are looked up again when their turn comes, because a state is marked as visited
//! when it is entered, not when it is generated. Safety is checked step by step. When the search ends early, `matched` may
//! therefore be ahead of SPIN's; of a full search it is the same.
//!
//! In random order the steps of a state that lead to new states are shuffled when the state is entered, and its errors come first.
//! As states are marked when they are entered, this is a depth-first search: a stack of states that are marked when they are
//! generated is another search, which finds far fewer errors.

use homing_core::{Blind, Changed, Cost, Outcome, State, Step, Stop, TransitionSystem, Violation, Watch};
use homing_store::{Interned, Recall, Store};

use crate::depth_first::{Bound, DepthFirst, Entry, Visited, quick_key};
use crate::limits::Budget;
use crate::{Objective, StepOrder};

/// Explores `system` from its initial state, deepest states first. `store` is empty at the start.
///
/// With `limits.max_depth` a state may first be reached by a long path and its successors be cut off, though a shorter path to
/// it exists: then the search is incomplete, and says so.
pub fn search<T, S, E, W>(
    system: &T,
    objective: &Objective<'_, E>,
    order: StepOrder,
    store: &mut S,
    watch: &mut W,
) -> Outcome<T::Action>
where
    T: TransitionSystem,
    S: Store,
    E: Fn(&Violation) -> bool,
    W: Watch,
{
    let Objective { is_error, on_error, limits, observer } = objective;
    let budget = Budget::new(limits, watch).observed_by(*observer);
    let mut search = DepthFirst::new(system, is_error, (*on_error).into(), budget).ordered(order);
    let mut visited = EnteredOnce { cursor: store.cursor(), store, matched: 0 };
    let end = match search.search(&mut visited, &mut Blind, &mut { Bound::NONE }) {
        Ok(()) => search.budget.end(),
        Err(ended) => ended.into(),
    };
    search.outcome(end, &visited)
}

/// The visited set: a state is stored when it is entered, and entered once.
struct EnteredOnce<'s, S: Store> {
    store: &'s mut S,
    cursor: S::Cursor,
    matched: u64,
}

impl<S: Store> Visited for EnteredOnce<'_, S> {
    type Key = S::Key;
    type Edge = ();

    const KEEPS_GENERATED: bool = S::Recall::KEEPS_GENERATED;
    const ENTERS_AGAIN: bool = false;
    const DECIDES_AT_TURN: bool = true;

    #[inline]
    fn key<W: Watch>(
        &mut self,
        budget: &Budget<'_, W>,
        state: &State,
        changed: Changed<'_>,
        memory: u64,
    ) -> Result<S::Key, Stop> {
        let key = budget.key(self.store, &mut self.cursor, state, changed, memory)?;
        self.store.prefetch(key);
        Ok(key)
    }

    #[inline(always)]
    fn quick_key(&mut self, state: &State, changed: Changed<'_>) -> Option<S::Key> {
        quick_key(self.store, &mut self.cursor, state, changed)
    }

    #[inline]
    fn prefetch_row(&self, key: S::Key) {
        self.store.prefetch_row(key);
    }

    #[inline]
    fn edge<A>(&mut self, _: &Step<'_, A>) {}

    #[inline]
    fn was_entered(&mut self, key: S::Key, state: &State, (): ()) -> bool {
        let was_entered = self.store.find(key, state).is_some();
        self.matched += u64::from(was_entered);
        was_entered
    }

    #[inline]
    fn enter<W: Watch>(
        &mut self,
        budget: &mut Budget<'_, W>,
        (key, state, ()): (S::Key, &State, ()),
        g: Option<Cost>,
        memory: u64,
    ) -> Result<Entry, Stop> {
        if g.is_none() {
            if !self.was_entered(key, state, ()) {
                budget.skip_too_deep();
            }
            return Ok(Entry::No);
        }
        match budget.admit(self.store, &mut self.cursor, (key, state), memory)? {
            Interned::New(_) => Ok(Entry::First),
            Interned::Known(_) | Interned::MaybeKnown => {
                self.matched += 1;
                Ok(Entry::No)
            }
        }
    }

    #[inline]
    fn load(&mut self, key: S::Key, s: &mut Vec<u8>) {
        S::Recall::load_generated(self.store, &mut self.cursor, key, s);
    }

    fn states(&self) -> u64 {
        self.store.len()
    }

    fn matched(&self) -> Option<u64> {
        Some(self.matched)
    }

    fn memory(&self) -> u64 {
        self.store.memory()
    }
}

#[cfg(test)]
mod tests;
