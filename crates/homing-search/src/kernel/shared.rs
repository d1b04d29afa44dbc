//! What the workers of a search share: limits, figures, the store and the node table.

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard};

use homing_core::{Cost, End, Limit, Limits, Outcome, Path, Progress, Selection, State, Stats, Stop};
use homing_store::{Interned, NeedsGrowth, Recall, Store};

use super::nodes::{Marks, NodeTable};
use crate::{Objective, OnError, Reduction};

/// Why a state could not be stored.
pub(crate) enum NotStored {
    /// The store, or the node table, has to grow first.
    NeedsGrowth,
    /// A limit was reached.
    Limit(Limit),
}

impl From<NeedsGrowth> for NotStored {
    fn from(_: NeedsGrowth) -> Self {
        NotStored::NeedsGrowth
    }
}

/// All that grows with the number of states.
pub(crate) struct Growing<'a, S, M> {
    pub store: &'a mut S,
    pub nodes: NodeTable<M>,
    /// How often it has grown.
    generation: u64,
    /// How many threads wait while it grows, and can help.
    threads: usize,
}

pub(crate) struct SharedSearch<'a, S: Store, M, E> {
    growing: RwLock<Growing<'a, S, M>>,
    pub limits: &'a Limits,
    pub on_error: OnError,
    pub is_error: &'a E,
    /// Steps in the sleep sets of states are left out.
    sleep_sets: AtomicBool,
    /// The steps that are taken of a state that has a stubborn set; none if all are.
    pub stubborn: Option<Selection>,
    /// Such sets are looked for at present.
    selects: AtomicBool,
    /// The length of the paths to the states that are being expanded.
    now: AtomicU32,
    errors: AtomicU64,
    is_stopped: AtomicBool,
    stop: Mutex<Option<Stop>>,
    is_too_deep: AtomicBool,
    /// The length of the shortest path to a place where a step was cut off; `Cost::MAX` if none was.
    least_cut_off: AtomicU32,
    figures: Figures,
}

/// What every thread adds to, away from what they all read.
#[derive(Default)]
#[repr(align(128))]
struct Figures {
    expanded: AtomicU64,
    matched: AtomicU64,
    reopened: AtomicU64,
    reduced: AtomicU64,
    left_out: AtomicU64,
    /// States that wait, and their bytes.
    frontier: AtomicU64,
    frontier_bytes: AtomicU64,
    peak_memory: AtomicU64,
}

impl<'a, S: Store, M: Marks, E> SharedSearch<'a, S, M, E> {
    /// A search by so many threads. A reduction is used if the store allows it.
    pub fn new(
        store: &'a mut S,
        marks: M,
        threads: usize,
        reduction: Reduction,
        Objective { is_error, on_error, limits, .. }: &'a Objective<'a, E>,
    ) -> Self {
        let has_hidden = store.hidden_prefix() > 0;
        // Without states to be loaded, paths are found by ordinals, and those of selected steps are counted apart.
        let stubborn = reduction.stubborn().filter(|_| !has_hidden && !S::Recall::KEEPS_STORED);
        let nodes = NodeTable::new(marks, store.capacity(), S::Recall::KEEPS_STORED);
        SharedSearch {
            growing: RwLock::new(Growing { store, nodes, generation: 0, threads }),
            limits,
            on_error: *on_error,
            is_error,
            sleep_sets: AtomicBool::new(!has_hidden && reduction == Reduction::SleepSets),
            stubborn,
            selects: AtomicBool::new(stubborn.is_some()),
            now: AtomicU32::new(0),
            errors: AtomicU64::new(0),
            is_stopped: AtomicBool::new(false),
            stop: Mutex::new(None),
            is_too_deep: AtomicBool::new(false),
            least_cut_off: AtomicU32::new(Cost::MAX),
            figures: Figures::default(),
        }
    }

    /// Access to the store and the node table, for one thread. To ask for it twice is a deadlock if another thread wants to grow
    /// the store in between.
    pub fn guarded(&self) -> Guarded<'_, 'a, S, M> {
        Guarded {
            growing: &self.growing,
            limits: self.limits,
            figures: &self.figures,
            guard: Some(read(&self.growing)),
        }
    }

    /// States with paths of length `now` are expanded next.
    #[inline]
    pub fn set_now(&self, now: Cost) {
        self.now.store(now, Relaxed);
    }

    pub fn now(&self) -> Cost {
        self.now.load(Relaxed)
    }

    /// An error had its turn.
    pub fn count_error(&self) {
        self.errors.fetch_add(1, Relaxed);
    }

    /// Whether steps in the sleep set of a state are left out.
    #[inline]
    pub fn uses_sleep_sets(&self) -> bool {
        self.sleep_sets.load(Relaxed)
    }

    /// A step has failed: from now on no step is left out ([`homing_core::Selection::Outside`]).
    #[cold]
    pub fn stop_using_sleep_sets(&self) {
        self.sleep_sets.store(false, Relaxed);
    }

    /// A state or an error was skipped because it is too deep.
    pub fn skip_too_deep(&self) {
        self.is_too_deep.store(true, Relaxed);
    }

    /// A step was not followed to its end; the part that was leads to a path of length `g`, if one so long may be followed.
    /// What comes after a part that is too deep is too deep as well.
    pub fn cut_off(&self, g: Option<Cost>) {
        match g {
            Some(g) => _ = self.least_cut_off.fetch_min(g, Relaxed),
            None => self.skip_too_deep(),
        }
    }

    /// Whether no step was cut off on the way to an error of less than this length: none can be hidden after one.
    pub fn followed_all_below(&self, length: Cost) -> bool {
        length <= self.least_cut_off.load(Relaxed)
    }

    /// The length below which no path leads to an error, if states are expanded in the order of their lengths, up to now, and no
    /// error was found before.
    pub fn clear_below(&self, end: End) -> Cost {
        let searched = match end {
            End::Stopped(Stop::Limit(Limit::Depth)) => {
                self.limits.max_depth.map_or(self.now(), |most| most.saturating_add(1))
            }
            _ => self.now(),
        };
        searched.min(self.least_cut_off.load(Relaxed))
    }

    /// How a search ends whose open list is empty.
    pub fn end(&self) -> End {
        match (self.least_cut_off.load(Relaxed) < Cost::MAX, self.is_too_deep.load(Relaxed)) {
            (true, _) => End::limit(Limit::CutOff),
            (false, true) => End::limit(Limit::Depth),
            (false, false) => End::Exhausted,
        }
    }

    /// Ends the search. The first reason counts.
    pub fn stop(&self, reason: Stop) {
        self.stop.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(reason);
        self.is_stopped.store(true, Release);
    }

    #[inline]
    pub fn stopped(&self) -> Option<Stop> {
        if !self.is_stopped.load(Acquire) {
            return None;
        }
        *self.stop.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The length of a path made longer, or none if such a path may not be followed. One too long to be counted may not.
    #[inline]
    pub fn lengthen(&self, g: Cost, cost: Cost) -> Option<Cost> {
        g.checked_add(cost).filter(|&g| self.limits.max_depth.is_none_or(|most| g <= most))
    }

    /// Stores a state if there is room. A known state needs none: it is found even when there is none.
    #[inline]
    pub fn admit(&self, store: &S, cursor: &mut S::Cursor, key: S::Key, state: &State) -> Result<Interned, NotStored> {
        if let Some(most) = self.limits.max_states
            && store.len() >= most
        {
            return store.find(key, state).ok_or(NotStored::Limit(Limit::States));
        }
        Ok(store.intern(cursor, key, state)?)
    }

    /// States were looked up: so many were known, and so many wait now, with so many bytes.
    pub fn count_looked_up(&self, matched: u64, waiting: u64, bytes: u64) {
        self.figures.matched.fetch_add(matched, Relaxed);
        self.figures.frontier.fetch_add(waiting, Relaxed);
        self.figures.frontier_bytes.fetch_add(bytes, Relaxed);
    }

    pub fn count_reopened(&self, reopened: u64) {
        self.figures.reopened.fetch_add(reopened, Relaxed);
    }

    /// Of a state only the steps of a stubborn set were taken, and so many moves were not.
    pub fn count_reduced(&self, left_out: u64) {
        self.figures.reduced.fetch_add(1, Relaxed);
        self.figures.left_out.fetch_add(left_out, Relaxed);
    }

    /// A reduced state is expanded in full after all; so many of its steps are counted twice.
    pub fn count_settled(&self, twice: u64) {
        self.figures.reduced.fetch_sub(1, Relaxed);
        self.figures.matched.fetch_sub(twice, Relaxed);
    }

    /// Whether stubborn sets are looked for at present.
    #[inline]
    pub fn selects(&self) -> bool {
        self.selects.load(Relaxed)
    }

    /// Looks for stubborn sets from now on, or does not.
    pub fn set_selects(&self, selects: bool) {
        self.selects.store(selects, Relaxed);
    }

    /// How many states were expanded, how many steps were taken, and how many moves were left out of stubborn sets.
    pub fn selection_figures(&self, guarded: &Guarded<'_, '_, S, M>) -> [u64; 3] {
        let taken = guarded.store.len() + self.figures.matched.load(Relaxed);
        [self.expanded(), taken, self.figures.left_out.load(Relaxed)]
    }

    /// Whether the search holds more than it may. What was added since the last batch is not counted in full.
    #[inline]
    pub fn is_out_of_memory(&self, guarded: &Guarded<'_, '_, S, M>) -> bool {
        self.limits.memory.is_some_and(|most| guarded.memory() > most)
    }

    /// States were expanded, and so many entries of the open list with so many bytes are no longer needed.
    pub fn count_expanded(&self, expanded: u64, entries: u64, bytes: u64, guarded: &Guarded<'_, '_, S, M>) {
        self.figures.expanded.fetch_add(expanded, Relaxed);
        let memory = guarded.memory();
        if memory > self.figures.peak_memory.load(Relaxed) {
            self.figures.peak_memory.fetch_max(memory, Relaxed);
        }
        if self.is_out_of_memory(guarded) {
            self.stop(Stop::Limit(Limit::Memory));
        }
        self.figures.frontier.fetch_sub(entries, Relaxed);
        self.figures.frontier_bytes.fetch_sub(bytes, Relaxed);
    }

    pub fn expanded(&self) -> u64 {
        self.figures.expanded.load(Relaxed)
    }

    /// How far the search has come.
    pub fn progress(&self, guarded: &Guarded<'_, '_, S, M>) -> Progress {
        let states = guarded.store.len();
        Progress {
            states,
            transitions: states + self.figures.matched.load(Relaxed),
            depth: self.now(),
            frontier: self.figures.frontier.load(Relaxed),
            memory: guarded.memory(),
            errors: self.errors.load(Relaxed),
        }
    }

    /// The outcome of a search that ended so, with the path to an error and the length of the longest path that was followed.
    pub fn outcome<A>(&self, end: End, path: Option<Path<A>>, max_depth: Cost) -> Outcome<A> {
        Outcome { end, path, errors: self.errors.load(Relaxed), stats: self.stats(max_depth) }
    }

    /// The figures of the search so far, with the length of the longest path that was followed.
    pub fn stats(&self, max_depth: Cost) -> Stats {
        let guarded = self.guarded();
        let progress = self.progress(&guarded);
        Stats {
            states: progress.states,
            expanded: self.expanded(),
            matched: progress.transitions - progress.states,
            revisited: 0,
            reopened: self.figures.reopened.load(Relaxed),
            peak_states: progress.states,
            clear_below: 0,
            contradictions: 0,
            reduced: self.figures.reduced.load(Relaxed),
            left_out: self.figures.left_out.load(Relaxed),
            max_depth,
            memory: self.figures.peak_memory.load(Relaxed).max(progress.memory),
        }
    }
}

fn read<'m, 'a, S, M>(growing: &'m RwLock<Growing<'a, S, M>>) -> RwLockReadGuard<'m, Growing<'a, S, M>> {
    growing.read().unwrap_or_else(PoisonError::into_inner)
}

/// A thread's access to what grows: readable at any time, and given back for the moment in which it grows.
pub(crate) struct Guarded<'m, 'a, S, M> {
    growing: &'m RwLock<Growing<'a, S, M>>,
    limits: &'m Limits,
    figures: &'m Figures,
    /// None only while it grows.
    guard: Option<RwLockReadGuard<'m, Growing<'a, S, M>>>,
}

impl<'a, S, M> std::ops::Deref for Guarded<'_, 'a, S, M> {
    type Target = Growing<'a, S, M>;

    #[inline]
    fn deref(&self) -> &Growing<'a, S, M> {
        self.guard.as_ref().expect("it does not grow")
    }
}

impl<'a, S: Store, M: Marks> Guarded<'_, 'a, S, M> {
    /// Does what needs room, after growing if need be.
    #[inline]
    pub fn with_room<R>(
        &mut self,
        mut work: impl FnMut(&Growing<'a, S, M>) -> Result<R, NeedsGrowth>,
    ) -> Result<R, Stop> {
        loop {
            match work(self) {
                Ok(result) => return Ok(result),
                Err(NeedsGrowth) => self.grow()?,
            }
        }
    }

    /// Makes room, unless another thread has done so meanwhile.
    #[cold]
    pub fn grow(&mut self) -> Result<(), Stop> {
        let seen = self.generation;
        self.guard = None;
        let grown = {
            let mut growing = self.growing.write().unwrap_or_else(PoisonError::into_inner);
            if growing.generation == seen { growing.grow(self.limits, self.figures) } else { Ok(()) }
        };
        self.guard = Some(read(self.growing));
        grown.map_err(Stop::Limit)
    }

    /// Bytes held by the whole search.
    pub fn memory(&self) -> u64 {
        Growing::memory(self, self.figures)
    }
}

impl<S: Store, M: Marks> Growing<'_, S, M> {
    fn memory(&self, figures: &Figures) -> u64 {
        self.store.memory() + self.nodes.memory(self.store.len()) + figures.frontier_bytes.load(Relaxed)
    }

    fn grow(&mut self, limits: &Limits, figures: &Figures) -> Result<(), Limit> {
        if limits.memory.is_some_and(|most| self.memory(figures) + self.store.next_growth() > most) {
            return Err(Limit::Memory);
        }
        if !self.store.grow(self.threads) {
            return Err(Limit::States);
        }
        self.nodes.reserve(self.store.capacity());
        self.generation += 1;
        Ok(())
    }
}
