//! The states that descents have met, in a store, each with the length of the shortest path followed to it and, where an
//! estimate directs the search, with that.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use homing_core::{Changed, Cost, State, StateId, Stop, Watch};
use homing_store::{Interned, Recall, Segments, Store};

use crate::budget::Budget;
use crate::descent::{Entry, Met, Reach, Visited};

pub(crate) struct Depths<'s, S: Store> {
    store: &'s mut S,
    cursor: S::Cursor,
    /// Of each state one more than the length of the shortest path it was entered by; 0 if it was not.
    lengths: Segments<AtomicU32>,
    directed: Option<Directed>,
}

/// What a directed search that descends again and again keeps besides.
#[derive(Default)]
struct Directed {
    /// Of each state one more than its estimate; 0 is a dead end.
    estimates: Segments<AtomicU32>,
    /// In which descent each state was entered last.
    entered: Segments<AtomicU32>,
    descent: u32,
}

impl<'s, S: Store> Depths<'s, S> {
    /// For one descent, without an estimate.
    pub fn new(store: &'s mut S) -> Self {
        Depths { cursor: store.cursor(), store, lengths: Segments::new(), directed: None }
    }

    /// For any number of descents, with an estimate.
    pub fn directed(store: &'s mut S) -> Self {
        Depths { directed: Some(Directed::default()), ..Depths::new(store) }
    }

    /// Whether a path of length `g` to the state is of no use: a shorter one is known, which is followed in each descent
    /// because bounds only get wider, or one as short was followed in this one.
    fn is_spent(&self, v: StateId, g: Cost) -> bool {
        let length = self.lengths[v.index()].load(Relaxed);
        length != 0 && (g >= length || g.saturating_add(1) == length && self.was_entered(v))
    }

    /// Whether a state that was entered was so in this descent.
    fn was_entered(&self, v: StateId) -> bool {
        self.directed.as_ref().is_none_or(|directed| directed.entered[v.index()].load(Relaxed) == directed.descent)
    }

    fn begin_state(&mut self, v: StateId, h: Option<Cost>) {
        self.lengths.reserve(v.index() + 1);
        if let Some(Directed { estimates, entered, .. }) = &mut self.directed {
            estimates.reserve(v.index() + 1);
            entered.reserve(v.index() + 1);
            estimates[v.index()].store(h.map_or(0, |h| h.min(Cost::MAX - 1) + 1), Relaxed);
        }
    }

    fn estimate(&self, v: StateId) -> Option<Cost> {
        match &self.directed {
            None => Some(0),
            Some(directed) => directed.estimates[v.index()].load(Relaxed).checked_sub(1),
        }
    }

    fn tables(&self) -> u64 {
        self.store.len() * if self.directed.is_some() { 12 } else { 4 }
    }
}

/// The number of a state in a store that was asked for it.
///
/// # Panics
/// If the store has no numbers for known states: then no length can be kept of one.
fn number(interned: Interned) -> StateId {
    match interned {
        Interned::New(v) | Interned::Known(v) => v,
        Interned::MaybeKnown => panic!("a store that numbers the states it knows"),
    }
}

impl<S: Store> Visited for Depths<'_, S> {
    type Key = S::Key;

    const NEEDS_BYTES: bool = !matches!(S::RECALL, Recall::ByKey);

    fn begin(&mut self) {
        if let Some(directed) = &mut self.directed {
            directed.descent += 1;
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

    fn knows(&self, key: S::Key, state: &State) -> bool {
        self.store.find(key, state).is_some()
    }

    #[inline]
    fn meet<W: Watch>(
        &mut self,
        budget: &Budget<'_, W>,
        (key, state): (S::Key, &State),
        g: Cost,
        memory: u64,
        estimate: impl FnOnce() -> Option<Cost>,
    ) -> Result<Met, Stop> {
        let memory = memory + self.tables();
        let interned = budget.admit(self.store, &mut self.cursor, (key, state), memory)?;
        let v = number(interned);
        if let Interned::New(_) = interned {
            self.begin_state(v, estimate());
        } else if self.is_spent(v, g) {
            return Ok(Met::Before);
        }
        Ok(self.estimate(v).map_or(Met::DeadEnd, |h| Met::Open { h }))
    }

    fn enter<W: Watch>(
        &mut self,
        _: &Budget<'_, W>,
        (key, state): (S::Key, &State),
        Reach { g, .. }: Reach,
        _: u64,
    ) -> Result<Entry, Stop> {
        let v = number(self.store.find(key, state).expect("it was met"));
        if self.is_spent(v, g) {
            return Ok(Entry::No);
        }
        let is_first = self.lengths[v.index()].load(Relaxed) == 0 || !self.was_entered(v);
        self.lengths[v.index()].store(g.saturating_add(1), Relaxed);
        if let Some(directed) = &self.directed {
            directed.entered[v.index()].store(directed.descent, Relaxed);
        }
        Ok(if is_first { Entry::First } else { Entry::Again })
    }

    fn open(&mut self, key: S::Key, s: &mut Vec<u8>) {
        match S::RECALL {
            Recall::ByKey => self.store.load_by_key(&mut self.cursor, key, s),
            Recall::ByNumber | Recall::Nothing => self.store.set_parent(&mut self.cursor, s, Some(key)),
        }
    }

    fn states(&self) -> u64 {
        self.store.len()
    }

    fn memory(&self) -> u64 {
        self.store.memory() + self.tables()
    }
}
