//! What the threads of a breadth-first search have in common.

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

use homing_core::{Cost, End, Limit, Limits, Progress, State, Stop};
use homing_store::{Interned, NeedsGrowth, Recall, Store};

use crate::Errors;
use crate::bfs::Lacking;
use crate::buckets::{Buckets, Part};
use crate::links::Links;

/// All that grows with the number of states.
pub(crate) struct Memory<'a, S> {
    pub store: &'a mut S,
    pub links: Links,
    /// How often it has grown.
    generation: u64,
    /// How many wait while it grows, and can help.
    threads: usize,
}

pub(crate) struct Common<'a, A, S: Store, E> {
    memory: RwLock<Memory<'a, S>>,
    pub limits: &'a Limits,
    errors: Errors,
    pub is_error: E,
    /// Steps may be left out that lead to states which are reached otherwise. Not so if it matters by which steps they are.
    pub sleep_sets: AtomicBool,
    /// Of some states only the steps of one process are taken.
    pub reduces: bool,
    waiting: Mutex<Buckets<A, S::Key>>,
    /// The level under way: the length of its paths, and what is left of it.
    now: AtomicU32,
    level: Mutex<std::vec::IntoIter<Part<S::Key>>>,
    met: AtomicU64,
    /// Nothing more of the level is wanted: an error of its own length was met.
    level_over: AtomicBool,
    is_stopped: AtomicBool,
    stopped: Mutex<Option<Stop>>,
    is_too_deep: AtomicBool,
    was_cut_off: AtomicBool,
    figures: Figures,
}

/// What every thread adds to, away from what they all read.
#[derive(Default)]
#[repr(align(128))]
struct Figures {
    expanded: AtomicU64,
    matched: AtomicU64,
    reduced: AtomicU64,
    frontier: AtomicU64,
    queue: AtomicU64,
    most_memory: AtomicU64,
}

impl<'a, A, S: Store, E> Common<'a, A, S, E> {
    pub fn new(store: &'a mut S, threads: usize, limits: &'a Limits, errors: Errors, is_error: E) -> Self {
        let mut links = Links::new(S::RECALL == Recall::Nothing);
        links.reserve(store.capacity());
        Common {
            memory: RwLock::new(Memory { store, links, generation: 0, threads }),
            limits,
            errors,
            is_error,
            sleep_sets: AtomicBool::new(false),
            reduces: false,
            waiting: Mutex::new(Buckets::new()),
            now: AtomicU32::new(0),
            level: Mutex::new(Vec::new().into_iter()),
            met: AtomicU64::new(0),
            level_over: AtomicBool::new(false),
            is_stopped: AtomicBool::new(false),
            stopped: Mutex::new(None),
            is_too_deep: AtomicBool::new(false),
            was_cut_off: AtomicBool::new(false),
            figures: Figures::default(),
        }
    }

    pub fn access(&self) -> Access<'_, 'a, S> {
        Access { memory: &self.memory, limits: self.limits, figures: &self.figures, guard: Some(read(&self.memory)) }
    }

    pub fn waiting(&self) -> MutexGuard<'_, Buckets<A, S::Key>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The states of `parts` are expanded next. So many errors had their turn before.
    pub fn begin_level(&self, now: Cost, parts: Vec<Part<S::Key>>, errors: u64) {
        self.now.store(now, Relaxed);
        self.met.store(errors, Relaxed);
        *self.level.lock().unwrap_or_else(PoisonError::into_inner) = parts.into_iter();
    }

    pub fn now(&self) -> Cost {
        self.now.load(Relaxed)
    }

    pub fn next_part(&self) -> Option<Part<S::Key>> {
        self.level.lock().unwrap_or_else(PoisonError::into_inner).next()
    }

    /// An error was met that ends a path of length `g`.
    pub fn met_error(&self, g: Cost) {
        if g == self.now() && self.errors == Errors::StopAtFirst {
            self.level_over.store(true, Relaxed);
        }
    }

    /// Whether no other state of the level is to be expanded.
    #[inline]
    pub fn level_is_over(&self) -> bool {
        self.level_over.load(Relaxed) || self.is_stopped.load(Relaxed)
    }

    /// Whether steps in the sleep set of a state are left out.
    #[inline]
    pub fn skips_sleeping(&self) -> bool {
        self.sleep_sets.load(Relaxed)
    }

    /// A step has failed: from now on no step is left out ([`homing_core::Selection::Outside`]).
    #[cold]
    pub fn stop_skipping(&self) {
        self.sleep_sets.store(false, Relaxed);
    }

    /// A state or an error was left aside because it is too deep.
    pub fn leave_aside(&self) {
        self.is_too_deep.store(true, Relaxed);
    }

    /// A step was not followed to its end; the part that was leads to a path of length `g`, if one so long may be followed.
    /// What comes after a part that is too deep is too deep as well.
    pub fn cut_off(&self, g: Option<Cost>) {
        match g {
            Some(_) => self.was_cut_off.store(true, Relaxed),
            None => self.leave_aside(),
        }
    }

    /// How a search ends that has nothing left to do.
    pub fn end(&self) -> End {
        match (self.was_cut_off.load(Relaxed), self.is_too_deep.load(Relaxed)) {
            (true, _) => End::Stopped(Stop::Limit(Limit::CutOff)),
            (false, true) => End::Stopped(Stop::Limit(Limit::Depth)),
            (false, false) => End::Exhausted,
        }
    }

    /// Ends the search. The first reason counts.
    pub fn stop(&self, limit: Stop) {
        self.stopped.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(limit);
        self.is_stopped.store(true, Release);
    }

    #[inline]
    pub fn stopped(&self) -> Option<Stop> {
        if !self.is_stopped.load(Acquire) {
            return None;
        }
        *self.stopped.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The length of a path made longer, or none if such a path may not be followed. One too long to be counted may not.
    #[inline]
    pub fn lengthen(&self, g: Cost, cost: Cost) -> Option<Cost> {
        g.checked_add(cost).filter(|&g| self.limits.max_depth.is_none_or(|most| g <= most))
    }

    /// Brings a state into the store if there is room. A known state needs none: it is found even when there is none.
    #[inline]
    pub fn admit(&self, store: &S, cursor: &mut S::Cursor, key: S::Key, state: &State) -> Result<Interned, Lacking> {
        if let Some(most) = self.limits.max_states
            && store.len() >= most
        {
            return store.find(key, state).ok_or(Lacking::Limit(Limit::States));
        }
        Ok(store.intern(cursor, key, state)?)
    }

    /// States were looked up: so many were known, and so many wait now, with so many bytes.
    pub fn tally_look_up(&self, matched: u64, waiting: u64, bytes: u64) {
        self.figures.matched.fetch_add(matched, Relaxed);
        self.figures.frontier.fetch_add(waiting, Relaxed);
        self.figures.queue.fetch_add(bytes, Relaxed);
    }

    /// So many states were content with the steps of one process. Of others all steps were taken then, and so many a second
    /// time.
    pub fn tally_reduced(&self, reduced: u64, twice: u64) {
        self.figures.reduced.fetch_add(reduced, Relaxed);
        self.figures.matched.fetch_sub(twice, Relaxed);
    }

    pub fn reduced(&self) -> u64 {
        self.figures.reduced.load(Relaxed)
    }

    /// Whether the search holds more than it may. What was added since the last batch is not counted in full.
    #[inline]
    pub fn is_out_of_memory(&self, access: &Access<'_, '_, S>) -> bool {
        self.limits.memory.is_some_and(|most| access.memory() > most)
    }

    /// A part of the level is done; so many states of it were expanded, and its memory is given back.
    pub fn tally_part(&self, expanded: u64, part: &Part<S::Key>, access: &Access<'_, '_, S>) {
        self.figures.expanded.fetch_add(expanded, Relaxed);
        let memory = access.memory();
        self.figures.most_memory.fetch_max(memory, Relaxed);
        if self.is_out_of_memory(access) {
            self.stop(Stop::Limit(Limit::Memory));
        }
        self.figures.frontier.fetch_sub(part.ids.len() as u64, Relaxed);
        self.figures.queue.fetch_sub(part.memory(), Relaxed);
    }

    pub fn expanded(&self) -> u64 {
        self.figures.expanded.load(Relaxed)
    }

    /// How far the search has come. A thread that has access shows it: asking for it twice, it could wait for one that
    /// waits for it to end.
    pub fn progress(&self, access: &Access<'_, '_, S>) -> Progress {
        let states = access.store.len();
        Progress {
            states,
            transitions: states + self.figures.matched.load(Relaxed),
            depth: self.now(),
            frontier: self.figures.frontier.load(Relaxed),
            memory: access.memory(),
            errors: self.met.load(Relaxed),
        }
    }

    /// Bytes held when they were most.
    pub fn peak_memory(&self) -> u64 {
        self.figures.most_memory.load(Relaxed).max(self.access().memory())
    }
}

fn read<'m, 'a, S>(memory: &'m RwLock<Memory<'a, S>>) -> RwLockReadGuard<'m, Memory<'a, S>> {
    memory.read().unwrap_or_else(PoisonError::into_inner)
}

/// A thread's access to what grows: to be read at any time, and to be given back for the moment in which it grows.
pub(crate) struct Access<'m, 'a, S> {
    memory: &'m RwLock<Memory<'a, S>>,
    limits: &'m Limits,
    figures: &'m Figures,
    /// None only while it grows.
    guard: Option<RwLockReadGuard<'m, Memory<'a, S>>>,
}

impl<'a, S> std::ops::Deref for Access<'_, 'a, S> {
    type Target = Memory<'a, S>;

    #[inline]
    fn deref(&self) -> &Memory<'a, S> {
        self.guard.as_ref().expect("it does not grow")
    }
}

impl<'a, S: Store> Access<'_, 'a, S> {
    /// Does what needs room, if need be after growing.
    #[inline]
    pub fn until_room<R>(&mut self, mut work: impl FnMut(&Memory<'a, S>) -> Result<R, NeedsGrowth>) -> Result<R, Stop> {
        loop {
            match work(self) {
                Ok(result) => return Ok(result),
                Err(NeedsGrowth) => self.grow()?,
            }
        }
    }

    #[cold]
    pub fn grow(&mut self) -> Result<(), Stop> {
        let seen = self.generation;
        self.guard = None;
        let grown = {
            let mut memory = self.memory.write().unwrap_or_else(PoisonError::into_inner);
            if memory.generation == seen { memory.grow(self.limits, self.figures) } else { Ok(()) } // or another did
        };
        self.guard = Some(read(self.memory));
        grown
    }

    /// Bytes held by the whole search.
    pub fn memory(&self) -> u64 {
        Memory::bytes(self, self.figures)
    }
}

impl<S: Store> Memory<'_, S> {
    fn bytes(&self, figures: &Figures) -> u64 {
        self.store.memory() + self.links.memory(self.store.len()) + figures.queue.load(Relaxed)
    }

    fn grow(&mut self, limits: &Limits, figures: &Figures) -> Result<(), Stop> {
        if limits.memory.is_some_and(|most| self.bytes(figures) + self.store.next_growth() > most) {
            return Err(Stop::Limit(Limit::Memory));
        }
        if !self.store.grow(self.threads) {
            return Err(Stop::Limit(Limit::States));
        }
        self.links.reserve(self.store.capacity());
        self.generation += 1;
        Ok(())
    }
}
