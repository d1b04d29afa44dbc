//! The limits of a search of one thread, and when its watch looks at it.

use homing_core::{Changed, Cost, End, Limit, Limits, Progress, State, StateId, Stop, Watch};
use homing_store::{Interned, NeedsGrowth, Numbered, Store};

use crate::Observer;

/// What a search may still do.
pub(crate) struct Budget<'a, W> {
    limits: &'a Limits,
    watch: &'a mut W,
    expansions: u64,
    /// A path was too long for the limit on the depth.
    is_too_deep: bool,
    /// The length of the shortest path to a place where a step was cut off.
    least_cut_off: Option<Cost>,
    observer: Option<Observer<'a>>,
}

/// Expansions between two looks of the watch: far less than a second of work, far more than a look costs.
pub(crate) const LOOK_EVERY: u64 = 4096;

/// Steps of one state between two looks of the watch: they can be very many.
const LOOK_EVERY_STEPS: u32 = 1 << 18;

/// Whether the watch is to look after the step with this ordinal.
#[inline(always)]
pub(crate) fn is_time_to_look(ordinal: u32) -> bool {
    (ordinal + 1).is_multiple_of(LOOK_EVERY_STEPS)
}

impl<'a, W: Watch> Budget<'a, W> {
    pub fn new(limits: &'a Limits, watch: &'a mut W) -> Self {
        Budget { limits, watch, expansions: 0, is_too_deep: false, least_cut_off: None, observer: None }
    }

    /// The same, with an observer of the states that are expanded.
    pub fn observed_by(self, observer: Option<Observer<'a>>) -> Self {
        Budget { observer, ..self }
    }

    /// Whether the watch is to look before the next expansion: before the very first one too, so that a search whose time is
    /// already up does nothing.
    #[inline]
    pub fn is_time_to_look(&self) -> bool {
        self.expansions.is_multiple_of(LOOK_EVERY)
    }

    /// Counts an expansion.
    #[inline]
    pub fn count_expansion(&mut self) {
        self.expansions += 1;
    }

    /// Shows a state that is expanded to the observer.
    #[inline]
    pub fn observe(&self, s: &State) {
        if let Some(observe) = self.observer {
            observe(s);
        }
    }

    /// Lets the watch look.
    #[cold]
    pub fn look(&mut self, progress: &Progress) -> Result<(), Stop> {
        self.watch.look(progress).map_or(Ok(()), Err)
    }

    pub fn expansions(&self) -> u64 {
        self.expansions
    }

    /// A state or an error was skipped because it is too deep.
    pub fn skip_too_deep(&mut self) {
        self.is_too_deep = true;
    }

    /// A step was cut off; the part that was followed leads to a path of length `g`, if one so long may be followed. The search is
    /// incomplete then, and perhaps it is to end. What comes after a part that is too deep is too deep as well.
    #[cold]
    pub fn cut_off(&mut self, g: Option<Cost>, progress: &Progress) -> Result<(), Stop> {
        match g {
            Some(g) => self.least_cut_off = Some(self.least_cut_off.map_or(g, |least| least.min(g))),
            None => self.is_too_deep = true,
        }
        self.watch.after_cut_off(progress).map_or(Ok(()), Err)
    }

    /// Whether no step was cut off on the way to an error of less than this length: none can be hidden after one.
    pub fn followed_all_below(&self, length: Cost) -> bool {
        self.least_cut_off.is_none_or(|least| length <= least)
    }

    /// How a search ends that has nothing left to do.
    pub fn end(&self) -> End {
        match (self.least_cut_off.is_some(), self.is_too_deep) {
            (true, _) => End::limit(Limit::CutOff),
            (false, true) => End::limit(Limit::Depth),
            (false, false) => End::Exhausted,
        }
    }

    /// The length of a path made longer, or none if such a path may not be followed. One too long to be counted may not.
    pub fn lengthen(&self, g: Cost, cost: Cost) -> Option<Cost> {
        g.checked_add(cost).filter(|&g| self.limits.max_depth.is_none_or(|most| g <= most))
    }

    /// The key of a state, after growing if need be. `memory` is what the search holds besides the store.
    #[inline]
    pub fn key<S: Store>(
        &self,
        store: &mut S,
        cursor: &mut S::Cursor,
        state: &State,
        changed: Changed<'_>,
        memory: u64,
    ) -> Result<S::Key, Stop> {
        loop {
            match store.key(cursor, state, changed) {
                Ok(key) => return Ok(key),
                Err(NeedsGrowth) => self.grow(store, memory)?,
            }
        }
    }

    /// Stores a state if there is room. A known state needs none: it is found even when there is none.
    #[inline]
    pub fn admit<S: Store>(
        &self,
        store: &mut S,
        cursor: &mut S::Cursor,
        (key, state): (S::Key, &State),
        memory: u64,
    ) -> Result<Interned, Stop> {
        if let Some(limit) = self.reached(store, memory) {
            return store.find(key, state).ok_or(Stop::Limit(limit));
        }
        loop {
            match store.intern(cursor, key, state) {
                Ok(interned) => return Ok(interned),
                Err(NeedsGrowth) => self.grow(store, memory)?,
            }
        }
    }

    /// Stores a state as [`Budget::admit`] does: its id, and whether it is new.
    #[inline]
    pub fn admit_numbered<S: Numbered>(
        &self,
        store: &mut S,
        cursor: &mut S::Cursor,
        (key, state): (S::Key, &State),
        memory: u64,
    ) -> Result<(StateId, bool), Stop> {
        if let Some(limit) = self.reached(store, memory) {
            return store.id(key, state).map(|id| (id, false)).ok_or(Stop::Limit(limit));
        }
        loop {
            match store.intern_id(cursor, key, state) {
                Ok(numbered) => return Ok(numbered),
                Err(NeedsGrowth) => self.grow(store, memory)?,
            }
        }
    }

    /// Whether there is room for a state that is not stored yet, beside so many others and so many bytes.
    pub fn admit_besides(&self, states: u64, bytes: u64) -> Result<(), Stop> {
        if self.limits.max_states.is_some_and(|most| states >= most) {
            return Err(Stop::Limit(Limit::States));
        }
        let is_full = self.limits.memory.is_some_and(|most| bytes >= most);
        if is_full { Err(Stop::Limit(Limit::Memory)) } else { Ok(()) }
    }

    /// The limit that another state would exceed.
    #[inline]
    fn reached<S: Store>(&self, store: &S, memory: u64) -> Option<Limit> {
        if self.limits.max_states.is_some_and(|most| store.len() >= most) {
            return Some(Limit::States);
        }
        let is_full = self.limits.memory.is_some_and(|most| store.memory() + memory >= most);
        is_full.then_some(Limit::Memory)
    }

    #[cold]
    fn grow<S: Store>(&self, store: &mut S, memory: u64) -> Result<(), Stop> {
        let after = store.memory() + store.next_growth() + memory;
        if self.limits.memory.is_some_and(|most| after > most) {
            return Err(Stop::Limit(Limit::Memory));
        }
        if store.grow(1) { Ok(()) } else { Err(Stop::Limit(Limit::States)) }
    }
}
