//! Breadth-first search (Holzmann, The SPIN Model Checker, ch. 8, "Breadth-First Search" and Fig. 8.6), in uniform-cost
//! order: a step stands for several statements, and it is statements that a path is measured in.
//!
//! The error brought home is a shortest one. That is proved if states carry nothing: what a state carries may decide what
//! it leads to, and of the runs to a state only the first one is followed.
//! Invariant: a state that was not expanded waits in the bucket of the least length known of a path to it.
//! Differs from the book: the queue `D` is a row of buckets by length. The states of one bucket are expanded by all
//! threads together, because whatever they lead to waits in a later one: for any number of threads the same states are
//! expanded at the same length. A shorter path to a waiting state makes a second entry, and the superseded one is skipped
//! when it comes up. An error is not reported where it is generated but waits as an event, because a shorter one may
//! still be found before its turn. Where the book marks the links back as an extension (`Find_Path`), a state has its
//! parent here, and the steps between are found by expanding again.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use homing_core::{Changed, Selected, Selection, SleepSet, StateId, Stop, Unwatched};
use homing_core::{Cost, End, Limit, Limits, Outcome, Path, State, Stats, Target, TransitionSystem, Violation, Watch};
use homing_store::{Interned, Key, NeedsGrowth, Recall, Store};

use crate::buckets::{Event, Found, Part};
use crate::common::{Access, Common};
use crate::crew::with_crew;
use crate::lately::Lately;
use crate::{Errors, Reduction};

use expanding::Expanding;
use reduced::Reduced;

mod expanding;
mod reduced;

/// Explores from the initial state, shortest paths first, with a thread for each of `systems`, which are one and the same
/// system. `store` is empty at the start. Violations for which `is_error` is false are passed over. A reduction is used if the
/// store allows it: sleep sets if states have no hidden bytes, ample sets if the store gives states back besides.
///
/// A step beyond `limits.max_depth` to a state not reached yet makes the search incomplete, even if the state turns out
/// to have a shorter path later.
///
/// # Panics
/// If there is no system.
pub fn search<T, S, W>(
    systems: &mut [T],
    is_error: impl Fn(&Violation) -> bool + Sync,
    errors: Errors,
    reduction: Reduction,
    store: &mut S,
    limits: &Limits,
    watch: &mut W,
) -> Outcome<T::Action>
where
    T: TransitionSystem + Send,
    T::Action: Send,
    S: Store,
    W: Watch,
{
    let (first_system, others) = systems.split_first_mut().expect("a system to search");
    let carries = store.hidden_prefix() > 0;
    let reduces = reduction == Reduction::AmpleSets && !carries && S::RECALL != Recall::Nothing;
    let (initial, proves) = (first_system.initial(), S::LOSSLESS && !carries && !reduces);
    let mut common = Common::new(store, 1 + others.len(), limits, errors, is_error);
    common.reduces = reduces;
    common.sleep_sets = AtomicBool::new(!carries && reduction == Reduction::SleepSets);
    let mut leader = Worker::new(first_system, &common);
    let mut helpers: Vec<_> = others.iter_mut().map(|system| Worker::new(system, &common)).collect();
    let (mut first, mut count, mut max_depth) = (None, 0, 0);

    leader.begin(&common, &initial);
    let help = |worker: &mut Worker<'_, T, S>| worker.expand(&common, &mut Unwatched);
    let end = with_crew(&mut helpers, help, |all| {
        loop {
            if let Some(limit) = common.stopped() {
                break End::Stopped(limit);
            }
            let Some((now, bucket)) = common.waiting().pop() else {
                // A helper has no watch: if its step was cut off because the search is over, that is seen here.
                let over = match common.end() {
                    End::Stopped(Stop::Limit(Limit::CutOff)) => watch.after_cut_off(&common.progress(&common.access())),
                    _ => None,
                };
                break over.map_or(common.end(), End::Stopped);
            };
            for event in bucket.events {
                max_depth = max_depth.max(now);
                count += 1;
                if first.is_none() {
                    // here and not on generation: only now is the length minimal
                    first = leader.path(&common, &initial, now, event, proves);
                }
                if first.is_none() {
                    common.stop(Stop::Limit(Limit::CutOff)); // there was no time to find its path again
                    break;
                }
                if errors == Errors::StopAtFirst {
                    break;
                }
            }
            if first.is_some() && errors == Errors::StopAtFirst {
                break End::Found;
            }
            if common.stopped().is_some() {
                continue;
            }
            let before = common.expanded();
            let is_long = bucket.parts.len() > 2; // otherwise waking the others takes longer than the work
            common.begin_level(now, bucket.parts, count);
            if is_long {
                all(&mut || leader.expand(&common, watch));
            } else {
                leader.expand(&common, watch);
            }
            if common.expanded() > before {
                max_depth = max_depth.max(now);
            }
        }
    });
    if first.is_none()
        && let Some((g, event)) = common.waiting().pop_event()
    {
        // a limit was hit before its turn came: perhaps not the shortest, but an error it is
        first = leader.path(&common, &initial, g, event, false);
        count = u64::from(first.is_some());
    }
    let progress = common.progress(&common.access());
    let stats = Stats {
        states: progress.states,
        expanded: common.expanded(),
        matched: progress.transitions - progress.states,
        reopened: 0,
        peak_states: progress.states,
        reduced: common.reduced(),
        max_depth,
        memory: common.peak_memory(),
    };
    Outcome { end, path: first, errors: count, stats }
}

/// What a thread has for itself.
struct Worker<'t, T: TransitionSystem, S: Store> {
    system: &'t mut T,
    cursor: S::Cursor,
    /// The state being expanded, if it comes from the store.
    s: Vec<u8>,
    batch: Batch<S::Key>,
    reduced: Reduced,
    found: Found<T::Action, S::Key>,
    expansions: u64,
}

/// How many pending states were looked up, and what came of it.
#[derive(Default)]
struct Looked {
    at: usize,
    /// Where the bytes of the next one begin.
    from: usize,
    matched: u64,
    waiting: u64,
    /// Of those that wait.
    bytes: u64,
}

/// Why a state could not be looked up.
pub(crate) enum Lacking {
    Room,
    Limit(Limit),
}

impl From<NeedsGrowth> for Lacking {
    fn from(_: NeedsGrowth) -> Self {
        Lacking::Room
    }
}

/// Steps to states that are still to be looked up, so that the memory they lie in can be on its way meanwhile.
struct Batch<K> {
    /// Those met lately among them, if keys are all that is kept of a state.
    pending: Vec<Pending<K>>,
    bytes: Vec<u8>,
    /// How many led to a state that was met lately, and need not be looked up.
    again: u64,
    lately: Lately<K>,
}

struct Pending<K> {
    key: K,
    u: StateId,
    /// Which step of `u` it is.
    ordinal: u32,
    /// The length of the path to it, if one so long may be followed.
    g: Option<Cost>,
    /// The bytes of the state, if they are needed.
    length: u32,
    /// Who may sleep there.
    asleep: SleepSet,
}

impl<K: Key> Batch<K> {
    /// Drops all that is pending: the search is over.
    fn forget(&mut self) {
        self.pending.clear();
        self.bytes.clear();
        self.again = 0;
    }

    /// Drops the states that were met lately, and asks for the memory of the others.
    fn sift<S: Store<Key = K>>(&mut self, store: &S) {
        let Batch { pending, lately, again, .. } = self;
        let before = pending.len();
        pending.retain(|&Pending { key, g, .. }| {
            let is_met = is_met::<S>(lately, key, g);
            if !is_met {
                store.prefetch(key);
            }
            !is_met
        });
        *again += (before - pending.len()) as u64;
    }
}

/// States are looked up when so many are pending.
const BATCH: usize = 96;

/// So many states may be added before memory is looked at.
const WITHIN_MEMORY: usize = 32;

/// How far ahead of a look-up the second memory it leads to is asked for.
const AHEAD: usize = 8;

/// Expansions between two looks of the watch: far less than a second of work, far more than a look costs.
const LOOK_EVERY: u64 = 4096;

impl<'t, T: TransitionSystem, S: Store> Worker<'t, T, S> {
    fn new<E>(system: &'t mut T, common: &Common<'_, T::Action, S, E>) -> Self {
        Worker {
            system,
            cursor: common.access().store.cursor(),
            s: Vec::new(),
            batch: Batch { pending: Vec::new(), bytes: Vec::new(), again: 0, lately: Lately::new() },
            reduced: Reduced::default(),
            found: Found::new(),
            expansions: 0,
        }
    }

    /// The initial state waits.
    fn begin<E>(&mut self, common: &Common<'_, T::Action, S, E>, initial: &State) {
        let mut access = common.access();
        let root = StateId(0);
        let entered = access.until_room(|memory| {
            let key = memory.store.key(&mut self.cursor, initial, Changed::Anywhere)?;
            memory.store.intern(&mut self.cursor, key, initial).map(|_| key)
        });
        match entered {
            Err(limit) => common.stop(limit),
            Ok(_) if common.limits.max_states == Some(0) => common.stop(Stop::Limit(Limit::States)),
            Ok(key) => {
                access.links.begin(root, root, 0, 0, 0);
                let kept = (S::RECALL == Recall::Nothing).then_some((initial, key));
                self.found.push_state(0, root, SleepSet::EMPTY, kept);
                common.tally_look_up(0, 1, Part::memory_of(kept));
                self.found.hand_over(&mut common.waiting());
            }
        }
    }

    /// Expands states of the level until none is left.
    fn expand<E, W>(&mut self, common: &Common<'_, T::Action, S, E>, watch: &mut W)
    where
        E: Fn(&Violation) -> bool,
        W: Watch,
    {
        let now = common.now();
        self.found.begin(now);
        let mut access = common.access();
        while let Some(part) = common.next_part() {
            let expansions = self.expansions;
            self.expand_part(common, &mut access, &part, now, watch);
            common.tally_part(self.expansions - expansions, &part, &access);
            self.found.recycle(part);
            if common.stopped().is_some() {
                break;
            }
        }
        self.settle(common, &mut access, now, watch);
        self.found.hand_over(&mut common.waiting());
    }

    fn expand_part<E, W>(
        &mut self,
        common: &Common<'_, T::Action, S, E>,
        access: &mut Access<'_, '_, S>,
        part: &Part<S::Key>,
        now: Cost,
        watch: &mut W,
    ) where
        E: Fn(&Violation) -> bool,
        W: Watch,
    {
        let mut states = part.states();
        for (at, &u) in part.ids.iter().enumerate() {
            let kept = if S::RECALL == Recall::Nothing { states.next() } else { None };
            if common.level_is_over() {
                break;
            }
            if !access.links.take_turn(u, now) {
                continue; // superseded entry
            }
            if self.expansions.is_multiple_of(LOOK_EVERY)
                && let Some(limit) = watch.look(&common.progress(access))
            {
                common.stop(limit);
                break;
            }
            self.expansions += 1;
            if let Some(&next) = part.ids.get(at + 1) {
                access.store.prefetch_state(next);
            }
            match kept {
                Some((state, key)) => {
                    access.store.set_parent(&mut self.cursor, state, Some(key));
                    self.expand_state(common, access, (u, state, part.asleep[at]), now, watch);
                }
                None => {
                    let mut s = std::mem::take(&mut self.s);
                    access.store.load(&mut self.cursor, u, &mut s);
                    self.expand_state(common, access, (u, &s, part.asleep[at]), now, watch);
                    self.s = s;
                }
            }
            if self.batch.pending.len() >= BATCH {
                self.settle(common, access, now, watch);
            }
        }
    }

    fn expand_state<E, W>(
        &mut self,
        common: &Common<'_, T::Action, S, E>,
        access: &mut Access<'_, '_, S>,
        (u, s, asleep): (StateId, &State, SleepSet),
        now: Cost,
        watch: &mut W,
    ) where
        E: Fn(&Violation) -> bool,
        W: Watch,
    {
        if !common.reduces || !self.expand_reduced(common, access, (u, s), now, watch) {
            self.expand_in_full(common, access, (u, s, asleep), now, watch);
        }
    }

    #[inline(always)]
    fn expand_in_full<E, W>(
        &mut self,
        common: &Common<'_, T::Action, S, E>,
        access: &mut Access<'_, '_, S>,
        (u, s, asleep): (StateId, &State, SleepSet),
        now: Cost,
        watch: &mut W,
    ) where
        E: Fn(&Violation) -> bool,
        W: Watch,
    {
        let Worker { system, cursor, batch, found, .. } = self;
        let mut expanding = Expanding { common, access, cursor, batch, found, watch, u, now };
        let selected = if common.skips_sleeping() {
            system.for_each_step(s, Selection::Outside(asleep), |step| expanding.take(step))
        } else {
            system.for_each_step(s, Selection::All, |step| expanding.take(step))
        };
        if let Selected::Shown { left_out } = selected {
            self.batch.again += u64::from(left_out);
        }
    }

    /// Looks up the states that are pending; new ones, and those with a shorter path now, wait for their turn.
    fn look_up<E>(&mut self, common: &Common<'_, T::Action, S, E>, access: &mut Access<'_, '_, S>, now: Cost) {
        if common.reduces {
            self.batch.pending.iter().for_each(|pending| access.store.prefetch(pending.key));
        } else if S::RECALL == Recall::ByKey {
            self.batch.sift::<S>(access.store);
        }
        let mut looked = Looked { matched: std::mem::take(&mut self.batch.again), ..Looked::default() };
        while let Err(lacking) = self.look_up_some(common, access, now, &mut looked) {
            let limit = match lacking {
                Lacking::Room => access.grow().err(),
                Lacking::Limit(limit) => Some(Stop::Limit(limit)),
            };
            if let Some(limit) = limit {
                common.stop(limit);
                break;
            }
        }
        common.tally_look_up(looked.matched, looked.waiting, looked.bytes);
        self.batch.pending.clear();
        self.batch.bytes.clear();
    }

    /// The same behind those that were looked up before.
    fn look_up_some<E>(
        &mut self,
        common: &Common<'_, T::Action, S, E>,
        access: &Access<'_, '_, S>,
        now: Cost,
        looked: &mut Looked,
    ) -> Result<(), Lacking> {
        let (store, links): (&S, _) = (access.store, &access.links);
        while let Some(&Pending { key, u, ordinal, g, length, asleep }) = self.batch.pending.get(looked.at) {
            if looked.at.is_multiple_of(WITHIN_MEMORY) && common.is_out_of_memory(access) {
                return Err(Lacking::Limit(Limit::Memory));
            }
            if let Some(coming) = self.batch.pending.get(looked.at + AHEAD) {
                store.prefetch_row(coming.key);
            }
            let to = looked.from + length as usize;
            let state = if S::RECALL == Recall::ByKey { &[] } else { &self.batch.bytes[looked.from..to] };
            let kept = (S::RECALL == Recall::Nothing).then_some((state, key));
            if let Some(g) = g {
                let is_waiting = match common.admit(store, &mut self.cursor, key, state)? {
                    Interned::New(v) => {
                        links.begin(v, u, ordinal, g, now);
                        self.reduced.leads_on(u);
                        Some(v)
                    }
                    Interned::Known(v) => {
                        looked.matched += 1;
                        let is_shorter = links.relax(v, u, ordinal, g, now);
                        if is_shorter && S::RECALL == Recall::ByNumber {
                            store.replace_hidden(v, state); // what v carries comes from the run that leads to it
                        }
                        if common.reduces && links.waits(v) {
                            self.reduced.leads_on(u);
                        }
                        is_shorter.then_some(v)
                    }
                    Interned::MaybeKnown => {
                        looked.matched += 1;
                        None
                    }
                };
                if let Some(v) = is_waiting {
                    self.found.push_state(g, v, asleep, kept);
                    looked.waiting += 1;
                    looked.bytes += Part::memory_of(kept);
                }
            } else {
                match store.find(key, state) {
                    Some(_) => looked.matched += 1,
                    None => common.leave_aside(),
                }
            }
            (looked.at, looked.from) = (looked.at + 1, to);
        }
        Ok(())
    }

    /// The path that ends in the event, of length `g`: from state to state by the steps that the links tell, or the
    /// cheapest ones that lead there. None if the system was told to stop.
    fn path<E>(
        &mut self,
        common: &Common<'_, T::Action, S, E>,
        initial: &State,
        g: Cost,
        event: Event<T::Action>,
        shortest: bool,
    ) -> Option<Path<T::Action>> {
        let access = common.access();
        let way = access.links.way_to(event.u);
        let mut actions = Vec::with_capacity(way.len());
        let (mut s, mut next) = (initial.to_vec(), Vec::new());
        for &v in &way[1..] {
            access.store.set_parent(&mut self.cursor, &s, None);
            let mut best: Option<(Cost, T::Action)> = None;
            let (mut ordinal, mut is_stopped) = (0, false);
            self.system.patiently(|| {
                self.system.for_each_step(&s, Selection::All, |step| {
                    is_stopped |= step.is_stop();
                    if let Target::State(target) = step.target
                        && best.is_none_or(|(cost, _)| step.cost < cost)
                    {
                        let leads_there = match access.links.ordinal(v) {
                            Some(told) => ordinal == told,
                            None => {
                                let key = access.store.key(&mut self.cursor, target, step.changed);
                                key.is_ok_and(|key| access.store.find(key, target) == Some(Interned::Known(v)))
                            }
                        };
                        if leads_there {
                            best = Some((step.cost, step.action));
                            next.clear();
                            next.extend_from_slice(target);
                        }
                    }
                    ordinal += 1;
                    ControlFlow::Continue(())
                })
            });
            if is_stopped {
                return None;
            }
            let (_, action) = best.expect("a state is reached by a step of its parent");
            actions.push(action);
            std::mem::swap(&mut s, &mut next);
        }
        actions.push(event.action);
        Some(Path { shortest, ..Path::finite(actions, g, event.violation) })
    }
}

/// Whether a state was met lately, if its key alone tells it from others, on a path as short as one of length `g` that may be
/// followed.
#[inline(always)]
fn is_met<S: Store>(lately: &mut Lately<S::Key>, key: S::Key, g: Option<Cost>) -> bool {
    S::RECALL != Recall::ByNumber && g.is_some_and(|g| lately.meet(key, g))
}

#[cfg(test)]
mod tests;
