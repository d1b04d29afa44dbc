//! Breadth-first search (Holzmann 2004, ch. 8, "Breadth-First Search" and Fig. 8.6), in uniform-cost order: a step stands for
//! several statements, and the length of a path is counted in statements.
//!
//! The error returned is a shortest one. That is proved if no state is lost and none has hidden bytes: they may decide what a
//! state leads to, and of the runs to a state only the first one is followed.
//! Invariant: an open state waits in the level of the least length known of a path to it.
//! Differs from the book: the queue `D` is a row of levels by length. The states of one level are expanded by all threads
//! together, because what they lead to waits in a later one: for any number of threads the same states are expanded at the same
//! length. A shorter path to an open state makes a second entry, and the superseded one is skipped. An error is not reported
//! when it is generated but waits as an event, because a shorter one may still be found before its turn. Where the book has
//! links back as an extension (`Find_Path`), a state has its parent here, and the steps between are found by expanding again.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, MutexGuard, PoisonError};

use homing_core::{
    Condition, End, Estimated, Limit, Outcome, Path, Selection, StateId, Stats, Stop, TransitionSystem, Unwatched,
    Violation, Watch,
};
use homing_store::{Recall, Store};

use crate::kernel::nodes::{LevelMarks, Marks};
use crate::kernel::workers::with_workers;
use crate::kernel::{Components, Event, Guarded, Recorder, SelectionSwitch, SharedSearch, Worker};
use crate::open::levels::{Chunk, LevelBuffer, Levels};
use crate::{Objective, OnError, Reduction};

/// Explores from the initial state, shortest paths first, with a thread for each of `systems`, which are one and the same
/// system. `store` is empty at the start. A reduction is used if the store allows it: sleep sets if states have no hidden
/// bytes, stubborn sets if the store also gives states back. With stubborn sets that need not have all that can fail the error returned
/// need not be a shortest one.
///
/// A step beyond `limits.max_depth` to a state not reached yet makes the search incomplete, even if the state turns out to have
/// a shorter path later.
///
/// # Panics
/// If there is no system.
pub fn search<T, S, E, W>(
    systems: &mut [T],
    objective: &Objective<'_, E>,
    reduction: Reduction,
    store: &mut S,
    watch: &mut W,
) -> Outcome<T::Action>
where
    T: TransitionSystem + Send,
    T::Action: Send,
    S: Store,
    E: Fn(&Violation) -> bool + Sync,
    W: Watch,
{
    let objective = (objective, None);
    search_recording(systems, objective, reduction, store, watch, |_| (), &mut |()| ControlFlow::Continue(())).0
}

/// The same search, which goes on after an error until `found` breaks off. `found` is called with the path to each error, in the order of
/// lengths, and with the figures so far. The outcome has no path.
///
/// # Panics
/// If there is no system.
pub fn search_each<T, S, E, W>(
    systems: &mut [T],
    objective: &Objective<'_, E>,
    reduction: Reduction,
    store: &mut S,
    watch: &mut W,
    found: &mut Found<'_, T::Action>,
) -> Outcome<T::Action>
where
    T: TransitionSystem + Send,
    T::Action: Send,
    S: Store,
    E: Fn(&Violation) -> bool + Sync,
    W: Watch,
{
    let objective = (objective, Some(found));
    search_recording(systems, objective, reduction, store, watch, |_| (), &mut |()| ControlFlow::Continue(())).0
}

/// What is called with the paths that a search finds.
pub type Found<'f, A> = dyn FnMut(Path<A>, Stats) -> ControlFlow<()> + 'f;

/// The same search, in which each worker has a recorder of its steps. After each level `look` sees what was recorded; the search
/// ends as if it had found an error when that breaks off.
pub(crate) fn search_recording<T, S, E, W, R>(
    systems: &mut [T],
    (objective, mut each): (&Objective<'_, E>, Option<&mut Found<'_, T::Action>>),
    reduction: Reduction,
    store: &mut S,
    watch: &mut W,
    recorder: impl Fn(usize) -> R,
    look: &mut dyn FnMut(&mut R::Recorded) -> ControlFlow<()>,
) -> (Outcome<T::Action>, R::Recorded)
where
    T: TransitionSystem + Send,
    T::Action: Send,
    S: Store,
    E: Fn(&Violation) -> bool + Sync,
    W: Watch,
    R: Recorder + Send,
{
    let (first, others) = systems.split_first_mut().expect("a system to search");
    let (initial, threads) = (first.initial(), 1 + others.len());
    let has_hidden = store.hidden_prefix() > 0;
    let shared = SharedSearch::new(store, LevelMarks::default(), threads, reduction, objective);
    let proves = S::LOSSLESS && !has_hidden && shared.stubborn != Some(Selection::Stubborn);
    let mut leader = Worker::new(first, LevelBuffer::new(recorder(0)), &shared);
    let others = others.iter_mut().enumerate();
    let mut helpers: Vec<_> =
        others.map(|(at, system)| Worker::new(system, LevelBuffer::new(recorder(at + 1)), &shared)).collect();
    let d = Frontier {
        waiting: Mutex::new(Levels::new()),
        level: Mutex::default(),
        is_over: AtomicBool::new(false),
        recorded: Mutex::new(R::Recorded::default()),
        stuck: Mutex::default(),
    };
    let (mut path, mut max_depth) = (None, 0);
    let mut switch = SelectionSwitch::default();

    leader.begin(&shared, &initial, Some(Estimated { h: 0, tie: 0 }));
    leader.order.hand_over(&mut d.waiting());
    let help = |worker: &mut _| expand_level(worker, &shared, &d, &mut Unwatched);
    let end = with_workers(&mut helpers, help, |all| {
        loop {
            if let Some(stop) = shared.stopped() {
                break End::Stopped(stop);
            }
            let next = d.waiting().pop();
            let Some((now, level)) = next else {
                if settle(&mut leader, &shared, &d, watch) {
                    continue;
                }
                // A helper has no watch: if its step was cut off because the search is to end, that is seen here.
                let stop = match shared.end() {
                    End::Stopped(Stop::Limit(Limit::CutOff)) => {
                        watch.after_cut_off(&shared.progress(&shared.guarded()))
                    }
                    _ => watch.before_end(&shared.progress(&shared.guarded())),
                };
                break stop.map_or(shared.end(), End::Stopped);
            };
            let mut is_found = false;
            if !level.events.is_empty()
                && objective.on_error == OnError::Stop
                && let Some(stop) = watch.before_end(&shared.progress(&shared.guarded()))
            {
                break End::Stopped(stop);
            }
            for event in level.events {
                max_depth = max_depth.max(now);
                shared.count_error();
                if path.is_none() {
                    // here and not on generation: only now is the length minimal
                    path = leader.path(&shared, &initial, event);
                    let proves = proves && shared.followed_all_below(now);
                    path.iter_mut().for_each(|path| path.shortest = proves);
                }
                if path.is_none() {
                    shared.stop(Stop::Limit(Limit::CutOff)); // there was no time to find its steps again
                    break;
                }
                is_found = match &mut each {
                    Some(each) => path.take().is_some_and(|path| each(path, shared.stats(max_depth)).is_break()),
                    None => objective.on_error == OnError::Stop,
                };
                if is_found {
                    break;
                }
            }
            if is_found {
                break End::Found;
            }
            if shared.stopped().is_some() {
                continue;
            }
            let before = shared.expanded();
            let is_long = level.chunks.len() > 2; // otherwise waking the others takes longer than the work
            shared.set_now(now);
            *d.level.lock().unwrap_or_else(PoisonError::into_inner) = level.chunks.into_iter();
            if is_long {
                all(&mut || expand_level(&mut leader, &shared, &d, watch));
            } else {
                expand_level(&mut leader, &shared, &d, watch);
            }
            switch.after_level(&shared);
            if shared.expanded() > before {
                max_depth = max_depth.max(now);
            }
            if R::RECORDS && look(&mut d.recorded()).is_break() {
                let stop = watch.before_end(&shared.progress(&shared.guarded()));
                break stop.map_or(End::Found, End::Stopped);
            }
        }
    });
    // a limit was reached before their turn: perhaps not the shortest, but errors
    while path.is_none()
        && (each.is_none() || end != End::Found)
        && let Some(event) = d.pop_event()
        && let Some(found) = leader.path(&shared, &initial, event)
    {
        shared.count_error();
        match &mut each {
            None => path = Some(found),
            Some(each) => {
                if each(found, shared.stats(max_depth)).is_break() {
                    break;
                }
            }
        }
    }
    (shared.outcome(end, path, max_depth), d.recorded.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// The queue `D`: the level that is being expanded, and those that wait.
struct Frontier<A, K, G> {
    waiting: Mutex<Levels<A, K>>,
    level: Mutex<std::vec::IntoIter<Chunk<K>>>,
    /// No other state of the level is to be expanded: an error of its own length was found.
    is_over: AtomicBool,
    /// What the workers have recorded of the levels before.
    recorded: Mutex<G>,
    /// The reduced states from which no step leads to a later level.
    stuck: Mutex<Vec<StateId>>,
}

impl<A, K, G> Frontier<A, K, G> {
    fn recorded(&self) -> MutexGuard<'_, G> {
        self.recorded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stuck(&self) -> MutexGuard<'_, Vec<StateId>> {
        self.stuck.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn waiting(&self) -> MutexGuard<'_, Levels<A, K>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pop_event(&self) -> Option<Event<A>> {
        self.waiting().pop_event()
    }

    fn next_chunk(&self) -> Option<Chunk<K>> {
        self.level.lock().unwrap_or_else(PoisonError::into_inner).next()
    }
}

/// Expands in full one state of each terminal component of reduced states: whether something waits then.
fn settle<T, S, E, W, R>(
    worker: &mut Worker<T, S, LevelBuffer<T::Action, S::Key, R>>,
    shared: &SharedSearch<'_, S, LevelMarks, E>,
    d: &Frontier<T::Action, S::Key, R::Recorded>,
    watch: &mut W,
) -> bool
where
    R: Recorder,
    T: TransitionSystem,
    S: Store,
    E: Fn(&Violation) -> bool,
    W: Watch,
{
    let stuck = std::mem::take(&mut *d.stuck());
    let Some(stubborn) = shared.stubborn else { return false };
    if stuck.is_empty() || shared.stopped().is_some() || Condition::StubbornSettle.is_off() {
        return false;
    }
    let mut guarded = shared.guarded();
    let chosen = Components::new(worker.system(), stubborn, &guarded).terminal(&stuck, || {
        watch.look(&shared.progress(&guarded)).is_some_and(|stop| {
            shared.stop(stop);
            true
        })
    });
    worker.order.begin(shared.now());
    worker.expand_again(shared, &mut guarded, watch, &chosen, shared.now());
    worker.order.hand_over(&mut d.waiting());
    !chosen.is_empty()
}

/// Expands states of the level until none is left.
fn expand_level<T, S, E, W, R>(
    worker: &mut Worker<T, S, LevelBuffer<T::Action, S::Key, R>>,
    shared: &SharedSearch<'_, S, LevelMarks, E>,
    d: &Frontier<T::Action, S::Key, R::Recorded>,
    watch: &mut W,
) where
    R: Recorder,
    T: TransitionSystem,
    S: Store,
    E: Fn(&Violation) -> bool,
    W: Watch,
{
    let now = shared.now();
    worker.order.begin(now);
    let mut guarded = shared.guarded();
    while let Some(chunk) = d.next_chunk() {
        let before = worker.expansions;
        expand_chunk(worker, shared, &mut guarded, watch, &chunk, d);
        shared.count_expanded(worker.expansions - before, chunk.ids.len() as u64, chunk.memory(), &guarded);
        worker.order.recycle(chunk);
        if shared.stopped().is_some() {
            break;
        }
    }
    worker.finish(shared, &mut guarded, now);
    worker.order.hand_over(&mut d.waiting());
    if shared.stubborn.is_some() {
        worker.hand_over_stuck(&mut d.stuck());
    }
    if R::RECORDS {
        let bytes = worker.order.recorder.hand_over(&mut d.recorded());
        shared.count_looked_up(0, 0, bytes); // they are kept to the end
    }
}

fn expand_chunk<T, S, E, W, R>(
    worker: &mut Worker<T, S, LevelBuffer<T::Action, S::Key, R>>,
    shared: &SharedSearch<'_, S, LevelMarks, E>,
    guarded: &mut Guarded<'_, '_, S, LevelMarks>,
    watch: &mut W,
    chunk: &Chunk<S::Key>,
    d: &Frontier<T::Action, S::Key, R::Recorded>,
) where
    R: Recorder,
    T: TransitionSystem,
    S: Store,
    E: Fn(&Violation) -> bool,
    W: Watch,
{
    let now = shared.now();
    let mut states = chunk.states();
    for (at, &u) in chunk.ids.iter().enumerate() {
        let kept = if S::Recall::KEEPS_STORED { states.next() } else { None };
        if d.is_over.load(Relaxed) || shared.stopped().is_some() {
            break;
        }
        if !guarded.nodes.marks.close(u, now) {
            continue; // superseded entry
        }
        if let Some(&next) = chunk.ids.get(at + 1) {
            guarded.store.prefetch_state(next);
        }
        worker.expand(shared, guarded, watch, (u, now, chunk.sleep[at]), kept);
        if worker.order.has_error_now && shared.on_error == OnError::Stop {
            d.is_over.store(true, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests;
