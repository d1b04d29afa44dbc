//! The states that depth-first searches below a bound have visited, each with the length of the shortest path by which it was
//! entered and, where an estimate directs the search, with that.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use homing_core::{Changed, Cost, Estimated, State, StateId, Step, Stop, Watch};
use homing_store::{Numbered, Recall, Segments};

use super::{Entry, Generated, Visited};
use crate::limits::Budget;

pub(crate) struct Depths<'s, S: Numbered> {
    store: &'s mut S,
    cursor: S::Cursor,
    /// Of each state one more than the length of the shortest path it was entered by; 0 if it was not.
    lengths: Segments<AtomicU32>,
    estimates: Option<Estimates>,
}

/// What iterative deepening keeps besides.
#[derive(Default)]
struct Estimates {
    /// Of each state one more than its estimate; 0 is a dead end.
    estimates: Segments<AtomicU32>,
    /// In which iteration each state was entered last.
    entered: Segments<AtomicU32>,
    iteration: u32,
}

impl<'s, S: Numbered> Depths<'s, S> {
    /// For one search, without an estimate.
    pub fn new(store: &'s mut S) -> Self {
        Depths { cursor: store.cursor(), store, lengths: Segments::new(), estimates: None }
    }

    /// For any number of iterations, with an estimate.
    pub fn with_estimates(store: &'s mut S) -> Self {
        Depths { estimates: Some(Estimates::default()), ..Depths::new(store) }
    }

    /// Whether a path of length `g` to the state is of no use: a shorter one is known, which is followed in each iteration
    /// because bounds only get wider, or one as short was followed in this one.
    fn is_spent(&self, v: StateId, g: Cost) -> bool {
        let length = self.lengths[v.index()].load(Relaxed);
        length != 0 && (g >= length || g.saturating_add(1) == length && self.was_entered_now(v))
    }

    /// Whether a state that was entered was so in this iteration.
    fn was_entered_now(&self, v: StateId) -> bool {
        self.estimates.as_ref().is_none_or(|all| all.entered[v.index()].load(Relaxed) == all.iteration)
    }

    fn begin_state(&mut self, v: StateId, h: Option<Cost>) {
        self.lengths.reserve(v.index() + 1);
        if let Some(Estimates { estimates, entered, .. }) = &mut self.estimates {
            estimates.reserve(v.index() + 1);
            entered.reserve(v.index() + 1);
            estimates[v.index()].store(h.map_or(0, |h| h.min(Cost::MAX - 1) + 1), Relaxed);
        }
    }

    fn estimate(&self, v: StateId) -> Option<Cost> {
        match &self.estimates {
            None => Some(0),
            Some(all) => all.estimates[v.index()].load(Relaxed).checked_sub(1),
        }
    }

    fn tables(&self) -> u64 {
        self.store.len() * if self.estimates.is_some() { 12 } else { 4 }
    }
}

impl<S: Numbered> Visited for Depths<'_, S> {
    type Key = S::Key;
    type Edge = ();

    const KEEPS_GENERATED: bool = S::Recall::KEEPS_GENERATED;
    const ENTERS_AGAIN: bool = true;
    const DECIDES_AT_TURN: bool = false;

    fn begin(&mut self) {
        if let Some(estimates) = &mut self.estimates {
            estimates.iteration += 1;
        }
    }

    #[inline]
    fn key<W: Watch>(
        &mut self,
        budget: &Budget<'_, W>,
        state: &State,
        changed: Changed<'_>,
        memory: u64,
    ) -> Result<S::Key, Stop> {
        let memory = memory + self.tables();
        budget.key(self.store, &mut self.cursor, state, changed, memory)
    }

    #[inline]
    fn generated<W: Watch>(
        &mut self,
        budget: &Budget<'_, W>,
        (key, state): (S::Key, &State),
        g: Option<Cost>,
        memory: u64,
        estimate: impl FnOnce() -> Option<Estimated>,
    ) -> Result<Generated, Stop> {
        let Some(g) = g else {
            let is_known = self.store.id(key, state).is_some();
            return Ok(if is_known { Generated::Skipped } else { Generated::TooDeep });
        };
        let memory = memory + self.tables();
        let (v, is_new) = budget.admit_numbered(self.store, &mut self.cursor, (key, state), memory)?;
        if is_new {
            self.begin_state(v, estimate().map(|estimated| estimated.h));
        } else if self.is_spent(v, g) {
            return Ok(Generated::Skipped);
        }
        Ok(self.estimate(v).map_or(Generated::Skipped, |h| Generated::HasTurn { h }))
    }

    fn edge<A>(&mut self, _: &Step<'_, A>) {}

    fn enter<W: Watch>(
        &mut self,
        _: &mut Budget<'_, W>,
        (key, state, ()): (S::Key, &State, ()),
        g: Option<Cost>,
        _: u64,
    ) -> Result<Entry, Stop> {
        let v = self.store.id(key, state).expect("it was stored when it was generated");
        let Some(g) = g else { return Ok(Entry::No) };
        if self.is_spent(v, g) {
            return Ok(Entry::No);
        }
        let is_first = self.lengths[v.index()].load(Relaxed) == 0 || !self.was_entered_now(v);
        self.lengths[v.index()].store(g.saturating_add(1), Relaxed);
        if let Some(estimates) = &self.estimates {
            estimates.entered[v.index()].store(estimates.iteration, Relaxed);
        }
        Ok(if is_first { Entry::First } else { Entry::Again })
    }

    fn load(&mut self, key: S::Key, s: &mut Vec<u8>) {
        S::Recall::load_generated(self.store, &mut self.cursor, key, s);
    }

    fn states(&self) -> u64 {
        self.store.len()
    }

    fn memory(&self) -> u64 {
        self.store.memory() + self.tables()
    }
}
