//! The level loop of searches that keep a bounded number of states of each level: highway searches and beam search (Engels,
//! Groote, van Weerdenburg & Willemse 2009, Def. 5 and Algorithm 1). Names `Q`, `V` as there.
//!
//! `Q` is the level that is expanded. Its successors that are in no level yet are [candidates](Candidates) for the next one, and a
//! [draw rule](Draw) decides which of them stay. Only those become part of `V`: a state that was dropped may come again, in this
//! level and in later ones. So candidates are looked up and not stored, and only the survivors of a level are stored.
//!
//! If nothing was ever dropped the search is a breadth-first search by steps, and proves what that proves. Otherwise nothing is
//! proved by finding no error. An error is found when the state it happens in is expanded. No path is claimed to be shortest.
//! Of each state that was in a level, eight bytes are kept besides its place in `V` ([`Witness`]).

mod candidates;
mod shared_store;
#[cfg(test)]
pub(crate) mod structures;
mod witness;
mod worker;

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

use homing_core::{
    Changed, Cost, End, Estimate, Limit, Outcome, Path, Progress, Purpose, Seed, Stats, Stop, Stream, TransitionSystem,
    Unwatched, Violation, Watch,
};
use homing_store::Store;

use candidates::Link;
pub(crate) use candidates::{Candidates, Draw, Priority, Slot};
use shared_store::SharedStore;
use witness::Witness;
use worker::{Findings, Worker};

use crate::kernel::workers::with_workers;
use crate::{Objective, OnError};

/// How many states of a level are kept, and what the draw depends on.
#[derive(Clone, Copy, Debug)]
pub struct Lanes {
    /// The most states of a level; at least 1.
    pub width: usize,
    /// One seed gives one run, for any number of threads.
    pub seed: Seed,
}

/// An estimate for each thread.
pub(crate) type Estimates<'e> = Vec<&'e mut (dyn Estimate + Send)>;

/// A level with fewer states is expanded by one thread: waking the others takes longer.
const SHARED: usize = if cfg!(test) { 2 } else { 16 };

/// What the threads of a search share.
struct Shared<'a, S, D, A, E> {
    visited: SharedStore<'a, S>,
    objective: &'a Objective<'a, E>,
    /// `Q`, the level that is expanded, and its number.
    level: RwLock<Vec<Slot>>,
    number: AtomicU64,
    /// The first slot that no thread has begun to expand.
    next: AtomicUsize,
    /// The first slot with an error. What comes after it is not expanded, and is not counted if it was.
    first_error: AtomicU32,
    /// What all threads but the first have found in this level.
    helped: Mutex<Findings<D, A>>,
    /// The hash of candidates.
    hash: Stream,
    hidden_prefix: usize,
    stop: Mutex<Option<Stop>>,
    is_stopped: AtomicBool,
    is_too_deep: AtomicBool,
    is_cut_off: AtomicBool,
    /// Steps of the levels before, and errors.
    steps: AtomicU64,
    errors: AtomicU64,
    /// The bytes of all but the store.
    memory: AtomicU64,
}

impl<'a, S: Store, D, A, E> Shared<'a, S, D, A, E> {
    fn new(
        store: &'a mut S,
        objective: &'a Objective<'a, E>,
        seed: Seed,
        (threads, helped): (usize, Findings<D, A>),
    ) -> Self {
        Shared {
            hidden_prefix: store.hidden_prefix(),
            visited: SharedStore::new(store, objective.limits, threads),
            objective,
            level: RwLock::default(),
            number: AtomicU64::new(0),
            next: AtomicUsize::new(0),
            first_error: AtomicU32::new(u32::MAX),
            helped: Mutex::new(helped),
            hash: seed.stream(Purpose::Drop),
            stop: Mutex::default(),
            is_stopped: AtomicBool::new(false),
            is_too_deep: AtomicBool::new(false),
            is_cut_off: AtomicBool::new(false),
            steps: AtomicU64::new(0),
            errors: AtomicU64::new(0),
            memory: AtomicU64::new(0),
        }
    }

    fn level(&self) -> RwLockReadGuard<'_, Vec<Slot>> {
        self.level.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the search. The first reason counts.
    fn stop(&self, reason: Stop) {
        lock(&self.stop).get_or_insert(reason);
        self.is_stopped.store(true, Relaxed);
    }

    /// The length of a path made longer, or none if such a path may not be followed. One too long to be counted may not.
    fn lengthen(&self, g: Cost, cost: Cost) -> Option<Cost> {
        g.checked_add(cost).filter(|&g| self.objective.limits.max_depth.is_none_or(|most| g <= most))
    }

    fn progress(&self, store: &S, depth: Cost, frontier: usize) -> Progress {
        Progress {
            states: store.len(),
            transitions: self.steps.load(Relaxed) + 1,
            depth,
            frontier: frontier as u64,
            memory: store.memory() + self.memory.load(Relaxed),
            errors: self.errors.load(Relaxed),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Searches with a thread for each of `systems`, which are one and the same system and have an estimate each. `store` is empty at
/// the start. More than one thread needs a draw rule whose result does not depend on the order of generation.
pub(crate) fn search<T, S, D, E, W>(
    systems: &mut [T],
    objective: &Objective<'_, E>,
    (lanes, draw): (Lanes, impl Fn() -> D),
    mut estimates: Estimates<'_>,
    store: &mut S,
    watch: &mut W,
) -> Outcome<T::Action>
where
    T: TransitionSystem + Send,
    T::Action: Send,
    S: Store,
    D: Draw + Send,
    E: Fn(&Violation) -> bool + Sync,
    W: Watch,
{
    let hidden_prefix = store.hidden_prefix();
    let findings = || Findings::new(Candidates::new(lanes.width, hidden_prefix, draw()));
    let initial = systems[0].initial();
    let h = estimates[0].distance(&initial).map(|estimated| estimated.h);
    let shared = Shared::new(store, objective, lanes.seed, (systems.len(), findings()));
    let mut workers = systems.iter_mut().zip(estimates).map(|(system, estimate)| Worker {
        system,
        cursor: shared.visited.access().store().cursor(),
        estimate,
        expansions: 0,
        findings: findings(),
    });
    let leader = workers.next().expect("a system to search");
    let mut helpers: Vec<_> = workers.collect();
    let is_alone = helpers.is_empty();
    let mut search = LevelLoop::new(&shared, leader);
    search.begin(initial.into_vec(), h);
    let help = |helper: &mut Worker<_, S, D>| {
        helper.expand_level(&shared, &mut Unwatched);
        lock(&shared.helped).absorb(&mut helper.findings);
    };
    let end = with_workers(&mut helpers, help, |all| {
        loop {
            match shared.level().len() {
                0 => break search.end(),
                length if length < SHARED || is_alone => search.leader.expand_level(&shared, watch),
                _ => all(&mut || search.leader.expand_level(&shared, watch)),
            }
            if let Some(end) = search.finish_level(watch) {
                break end;
            }
        }
    });
    search.outcome(end)
}

/// The part of the search that one thread does between levels.
struct LevelLoop<'s, 'a, 'e, T: TransitionSystem, S: Store, D, E> {
    shared: &'s Shared<'a, S, D, T::Action, E>,
    leader: Worker<'e, T, S, D>,
    witness: Witness,
    /// A limit that keeps the search from storing more states: this level is the last.
    limit: Option<Stop>,
    path: Option<Path<T::Action>>,
    expanded: u64,
    max_depth: Cost,
    peak_memory: u64,
}

impl<'s, 'a, 'e, T, S, D, E> LevelLoop<'s, 'a, 'e, T, S, D, E>
where
    T: TransitionSystem,
    S: Store,
    D: Draw,
{
    fn new(shared: &'s Shared<'a, S, D, T::Action, E>, leader: Worker<'e, T, S, D>) -> Self {
        let witness = Witness::default();
        LevelLoop { shared, leader, witness, limit: None, path: None, expanded: 0, max_depth: 0, peak_memory: 0 }
    }

    /// Makes the initial state the first level. If it is a dead end, it is stored but not expanded.
    fn begin(&mut self, initial: Vec<u8>, h: Option<Cost>) {
        let (link, priority) = (Link { parent: 0, ordinal: 0 }, Priority { h: 0, hash: 0 });
        self.store_level(vec![Slot { state: initial, g: 0, link, priority }]);
        if h.is_none() {
            self.replace_level(Vec::new());
        }
    }

    /// Takes note of what was found in the level, and makes its survivors the next one. How the search ends, if it does.
    fn finish_level<W: Watch>(&mut self, watch: &mut W) -> Option<End> {
        self.leader.findings.absorb(&mut lock(&self.shared.helped));
        self.count();
        if let Some(event) = self.leader.findings.event.take()
            && self.path.is_none()
        {
            let Some((mut actions, g)) = self.witness.path(&self.leader.system, event.slot) else {
                return Some(End::limit(Limit::CutOff)); // there was no time to find its steps again
            };
            debug_assert_eq!(g, event.g);
            actions.push(event.action);
            self.max_depth = self.max_depth.max(g + event.cost);
            self.path = Some(Path::finite(actions, g + event.cost, event.violation));
        }
        if self.path.is_some() && self.shared.objective.on_error == OnError::Stop {
            return Some(End::Found);
        }
        let stop = self.stopped(watch).or(self.limit);
        if stop.is_some() {
            return stop.map(End::Stopped);
        }
        let mut level = self.replace_level(Vec::new());
        self.leader.findings.candidates.hand_over(&mut level);
        self.store_level(level);
        None
    }

    /// Adds up the figures of the level.
    fn count(&mut self) {
        let shared = self.shared;
        let last = shared.first_error.load(Relaxed);
        for expansion in self.leader.findings.expansions.drain(..).filter(|expansion| expansion.slot <= last) {
            self.expanded += 1;
            self.max_depth = self.max_depth.max(expansion.g);
            shared.steps.fetch_add(expansion.steps, Relaxed);
            shared.errors.fetch_add(expansion.errors, Relaxed);
        }
        let memory = self.leader.findings.candidates.memory() + self.witness.memory();
        shared.memory.store(memory, Relaxed);
        self.peak_memory = self.peak_memory.max(memory + shared.visited.access().store().memory());
    }

    /// The reason for which the search is to end. A helper has no watch: if its step was cut off because the search is to end, that
    /// is seen here.
    fn stopped<W: Watch>(&self, watch: &mut W) -> Option<Stop> {
        let stop = *lock(&self.shared.stop);
        if stop.is_some() || !self.shared.is_cut_off.load(Relaxed) {
            return stop;
        }
        watch.after_cut_off(&self.shared.progress(self.shared.visited.access().store(), 0, 0))
    }

    /// Stores the states of the next level. Those for which there is no room are left out.
    fn store_level(&mut self, mut level: Vec<Slot>) {
        let Shared { visited, objective, memory, .. } = self.shared;
        let (limits, memory) = (objective.limits, memory.load(Relaxed));
        let (mut access, cursor, limit) = (visited.access(), &mut self.leader.cursor, &mut self.limit);
        level.retain(|slot| {
            let store = access.store();
            if limits.max_states.is_some_and(|most| store.len() >= most) {
                limit.get_or_insert(Stop::Limit(Limit::States));
            } else if limits.memory.is_some_and(|most| store.memory() + memory >= most) {
                limit.get_or_insert(Stop::Limit(Limit::Memory));
            }
            if limit.is_some() {
                return false;
            }
            let stored = access.with_room(memory, |store| {
                let key = store.key(cursor, &slot.state, Changed::Anywhere)?;
                store.intern(cursor, key, &slot.state)
            });
            match stored {
                Ok(interned) => interned.is_new(), // if it is not, a lossy store has lost it
                Err(stop) => {
                    *limit = Some(stop);
                    false
                }
            }
        });
        drop(access);
        self.witness.add_level(&level);
        self.replace_level(level);
    }

    /// Makes this the level that is expanded next; returns the one before.
    fn replace_level(&mut self, level: Vec<Slot>) -> Vec<Slot> {
        self.shared.next.store(0, Relaxed);
        self.shared.first_error.store(u32::MAX, Relaxed);
        self.shared.number.store(self.witness.levels() as u64, Relaxed);
        std::mem::replace(&mut *self.shared.level.write().unwrap_or_else(PoisonError::into_inner), level)
    }

    /// How a search ends whose last level is empty.
    fn end(&self) -> End {
        let Shared { is_cut_off, is_too_deep, .. } = self.shared;
        match self.limit {
            Some(stop) => End::Stopped(stop),
            None if is_cut_off.load(Relaxed) => End::limit(Limit::CutOff),
            None if self.leader.findings.candidates.has_dropped() => End::Stopped(Stop::Dropped),
            None if is_too_deep.load(Relaxed) => End::limit(Limit::Depth),
            None => End::Exhausted,
        }
    }

    fn outcome(self, end: End) -> Outcome<T::Action> {
        let states = self.shared.visited.access().store().len();
        let stats = Stats {
            states,
            expanded: self.expanded,
            matched: (self.shared.steps.load(Relaxed) + 1).saturating_sub(states),
            peak_states: states,
            max_depth: self.max_depth,
            memory: self.peak_memory,
            ..Stats::default()
        };
        let errors = match self.shared.objective.on_error {
            OnError::Stop => u64::from(self.path.is_some()),
            OnError::Count => self.shared.errors.load(Relaxed),
        };
        Outcome { end, path: self.path, errors, stats }
    }
}
