//! What one thread of a search does: it expands states, and looks up what they lead to.

use std::ops::ControlFlow;

use homing_core::{
    Changed, Condition, Cost, Estimated, Limit, Path, Selected, Selection, SleepSet, State, StateId, Step, Stop,
    Target, TransitionSystem, Violation, Watch,
};
use homing_store::{Interned, Recall, Store};

use super::batch::{Batch, Pending, Position};
use super::nodes::{Link, Marks, Relaxed};
use super::path::find_steps;
use super::shared::NotStored;
use super::stubborn::Reduced;
use super::{Event, Guarded, Order, Recorder, SharedSearch, Waiting};
use crate::limits::{LOOK_EVERY, is_time_to_look};

/// A worker of a search in the order `O`.
pub(crate) struct Worker<T: TransitionSystem, S: Store, O> {
    pub(super) system: T,
    pub(super) cursor: S::Cursor,
    /// The state being expanded, if it comes from the store.
    buffer: Vec<u8>,
    pub(super) batch: Batch<S::Key>,
    pub(super) reduced: Reduced,
    pub order: O,
    pub expansions: u64,
}

/// The state that is expanded.
#[derive(Clone, Copy)]
pub(crate) struct Source<'s> {
    pub u: StateId,
    pub s: &'s State,
    /// The length of the path to it.
    pub g: Cost,
}

/// States are looked up when so many are pending.
const BATCH: usize = 96;

/// They are also looked up when so many bytes of them are kept: a few wide states take as much memory as many narrow ones.
const BATCH_BYTES: usize = 1 << 18;

/// So many states may be added before memory is checked.
const WITHIN_MEMORY: usize = 32;

/// How far ahead of a look-up the row it leads to is fetched.
const AHEAD: usize = 8;

impl<T, S, O> Worker<T, S, O>
where
    T: TransitionSystem,
    S: Store,
    O: Order<T::Action, S::Key>,
{
    pub fn new<E>(system: T, order: O, shared: &SharedSearch<'_, S, O::Marks, E>) -> Self {
        let with_cache =
            S::Recall::KEY_IDENTIFIES && !O::ESTIMATES && shared.stubborn.is_none() && !O::Recorder::RECORDS;
        Worker {
            system,
            cursor: shared.guarded().store.cursor(),
            buffer: Vec::new(),
            batch: Batch::new(with_cache),
            reduced: Reduced::default(),
            order,
            expansions: 0,
        }
    }

    /// Stores the initial state, which waits then.
    pub fn begin<E>(
        &mut self,
        shared: &SharedSearch<'_, S, O::Marks, E>,
        initial: &State,
        estimated: Option<Estimated>,
    ) {
        let mut guarded = shared.guarded();
        let stored = guarded.with_room(|growing| {
            let key = growing.store.key(&mut self.cursor, initial, Changed::Anywhere)?;
            growing.store.intern(&mut self.cursor, key, initial).map(|_| key)
        });
        match stored {
            Err(stop) => shared.stop(stop),
            Ok(_) if shared.limits.max_states == Some(0) => shared.stop(Stop::Limit(Limit::States)),
            Ok(key) => {
                let root = StateId(0);
                let link = Link { parent: root, ordinal: 0 };
                guarded.nodes.open(root, link, 0, estimated.map(|estimated| estimated.h), 0);
                let kept = S::Recall::KEEPS_STORED.then_some((initial, key));
                let Some(estimated) = estimated else { return };
                let waiting = Waiting { v: root, g: 0, estimated, sleep: SleepSet::EMPTY, kept };
                if let Some(bytes) = Self::push(&mut self.order, shared, waiting) {
                    shared.count_looked_up(0, 1, bytes);
                }
            }
        }
    }

    /// A node waits, unless all errors that it can reach are too deep. The bytes it takes.
    #[inline(always)]
    fn push<E>(order: &mut O, shared: &SharedSearch<'_, S, O::Marks, E>, waiting: Waiting<'_, S::Key>) -> Option<u64> {
        let (g, h) = (waiting.g, waiting.estimated.h);
        if O::ESTIMATES && shared.lengthen(g, order.least_distance(h)).is_none() {
            shared.skip_too_deep();
            return None;
        }
        Some(order.push(waiting))
    }

    /// Expands a closed node with a path of length `g`; what it leads to is pending then. `kept`: the state and its key, if
    /// the store does not give states back.
    #[inline]
    pub fn expand<E, W>(
        &mut self,
        shared: &SharedSearch<'_, S, O::Marks, E>,
        guarded: &mut Guarded<'_, '_, S, O::Marks>,
        watch: &mut W,
        (u, g, sleep): (StateId, Cost, SleepSet),
        kept: Option<(&State, S::Key)>,
    ) where
        E: Fn(&Violation) -> bool,
        W: Watch,
    {
        if self.expansions.is_multiple_of(LOOK_EVERY)
            && let Some(stop) = watch.look(&shared.progress(guarded))
        {
            shared.stop(stop);
            return;
        }
        self.expansions += 1;
        let mut buffer = std::mem::take(&mut self.buffer);
        let s = S::Recall::load_stored(guarded.store, &mut self.cursor, u, kept, &mut buffer);
        self.order.expand(s);
        self.order.recorder().expand(u);
        let source = Source { u, s, g };
        let stubborn = shared.stubborn.filter(|_| shared.selects());
        if stubborn.is_none_or(|stubborn| !self.expand_reduced(shared, guarded, watch, source, stubborn)) {
            if shared.stubborn.is_some() {
                guarded.nodes.set_full(u);
            }
            self.expand_fully(shared, guarded, watch, source, sleep);
        }
        self.buffer = buffer;
        if O::ESTIMATES || self.batch.len() >= BATCH || self.batch.bytes() >= BATCH_BYTES {
            self.finish(shared, guarded, g);
        }
    }

    /// Generates all steps of a state, except those in its sleep set.
    #[inline(always)]
    pub(super) fn expand_fully<E, W>(
        &mut self,
        shared: &SharedSearch<'_, S, O::Marks, E>,
        guarded: &mut Guarded<'_, '_, S, O::Marks>,
        watch: &mut W,
        source: Source<'_>,
        sleep: SleepSet,
    ) where
        E: Fn(&Violation) -> bool,
        W: Watch,
    {
        let Worker { system, cursor, batch, order, .. } = self;
        let mut generation = Generation { shared, guarded, cursor, batch, order, watch, u: source.u, g: source.g };
        let selected = if !O::ESTIMATES && shared.uses_sleep_sets() {
            system.for_each_step(source.s, Selection::Outside(sleep), |step| generation.take(step))
        } else {
            system.for_each_step(source.s, Selection::All, |step| generation.take(step))
        };
        if let Selected::Shown { left_out } = selected {
            self.batch.matched += u64::from(left_out);
        }
    }

    /// Looks up the states that are pending; those that are new or have a shorter path now wait for their expansion.
    pub(super) fn look_up<E>(
        &mut self,
        shared: &SharedSearch<'_, S, O::Marks, E>,
        guarded: &mut Guarded<'_, '_, S, O::Marks>,
        now: Cost,
    ) {
        if !S::Recall::KEEPS_GENERATED {
            if O::ESTIMATES || shared.stubborn.is_some() || O::Recorder::RECORDS {
                self.batch.prefetch(&*guarded.store);
            } else {
                self.batch.drop_recent(&*guarded.store);
            }
        }
        let mut figures = LookedUp { matched: std::mem::take(&mut self.batch.matched), ..LookedUp::default() };
        while let Err(lacking) = self.look_up_some(shared, guarded, now, &mut figures) {
            let stop = match lacking {
                NotStored::NeedsGrowth => guarded.grow().err(),
                NotStored::Limit(limit) => Some(Stop::Limit(limit)),
            };
            if let Some(stop) = stop {
                shared.stop(stop);
                break;
            }
        }
        shared.count_looked_up(figures.matched, figures.waiting, figures.bytes);
        if O::ESTIMATES && figures.reopened > 0 {
            shared.count_reopened(figures.reopened);
        }
        self.batch.clear();
        self.order.recorder().looked_up();
    }

    /// Looks up pending states from where it was left.
    fn look_up_some<E>(
        &mut self,
        shared: &SharedSearch<'_, S, O::Marks, E>,
        guarded: &Guarded<'_, '_, S, O::Marks>,
        now: Cost,
        figures: &mut LookedUp,
    ) -> Result<(), NotStored> {
        let (store, nodes): (&S, _) = (guarded.store, &guarded.nodes);
        let Worker { cursor, batch, reduced, order, .. } = self;
        while let Some((pending, state, changed, next)) = batch.get(figures.position) {
            let at = figures.position.at;
            if at.is_multiple_of(WITHIN_MEMORY) && shared.is_out_of_memory(guarded) {
                return Err(NotStored::Limit(Limit::Memory));
            }
            if let Some(key) = batch.key(at + AHEAD) {
                store.prefetch_row(key);
            }
            let Pending { key, u, ordinal, g, sleep, .. } = pending;
            let Some(g) = g else {
                match store.find(key, state) {
                    Some(_) => figures.matched += 1,
                    None => shared.skip_too_deep(),
                }
                figures.position = next;
                continue;
            };
            let link = Link { parent: u, ordinal };
            let open = match shared.admit(store, cursor, key, state)? {
                Interned::New(v) => {
                    let estimated = order.estimate(state, changed);
                    nodes.open(v, link, g, estimated.map(|estimated| estimated.h), now);
                    reduced.leads_on(u);
                    order.recorder().edge(at, v);
                    Some((v, estimated))
                }
                Interned::Known(v) => {
                    figures.matched += 1;
                    order.recorder().edge(at, v);
                    let relaxed = nodes.relax(v, link, g, now);
                    if shared.stubborn.is_some() {
                        reduced.leads_to(v, u, nodes, now);
                    }
                    if relaxed == Relaxed::Worse {
                        None
                    } else {
                        figures.reopened += u64::from(relaxed == Relaxed::Reopened);
                        store.replace_hidden(v, state); // hidden bytes are those of the run that leads to v
                        Some((v, nodes.marks.h(v).map(|h| Estimated { h, tie: 0 })))
                    }
                }
                Interned::MaybeKnown => {
                    figures.matched += 1;
                    None
                }
            };
            if let Some((v, Some(estimated))) = open {
                let kept = S::Recall::KEEPS_STORED.then_some((state, key));
                if let Some(bytes) = Self::push(order, shared, Waiting { v, g, estimated, sleep, kept }) {
                    figures.waiting += 1;
                    figures.bytes += bytes;
                }
            }
            figures.position = next;
        }
        Ok(())
    }

    /// The path that ends in an error, found by expanding its states again. None if the stop token of the system is set.
    pub fn path<E>(
        &mut self,
        shared: &SharedSearch<'_, S, O::Marks, E>,
        initial: &State,
        event: Event<T::Action>,
    ) -> Option<Path<T::Action>> {
        let guarded = shared.guarded();
        let nodes = &guarded.nodes;
        let states = nodes.path_to(event.u);
        let found = find_steps(&self.system, &*guarded.store, initial, &states, |v| nodes.ordinal(v));
        let (mut actions, length) = found?;
        actions.push(event.action);
        Some(Path::finite(actions, length + event.cost, event.violation))
    }
}

/// What came of looking up a batch.
#[derive(Default)]
struct LookedUp {
    position: Position,
    matched: u64,
    reopened: u64,
    /// How many wait, and their bytes.
    waiting: u64,
    bytes: u64,
}

/// The steps of one state as they are generated. Nearly all of them take a short way.
pub(super) struct Generation<'x, 'c, 'm, 'a, S: Store, O, M, E, W> {
    pub shared: &'x SharedSearch<'c, S, M, E>,
    pub guarded: &'x mut Guarded<'m, 'a, S, M>,
    pub cursor: &'x mut S::Cursor,
    pub batch: &'x mut Batch<S::Key>,
    pub order: &'x mut O,
    pub watch: &'x mut W,
    pub u: StateId,
    pub g: Cost,
}

impl<S, O, M, E, W> Generation<'_, '_, '_, '_, S, O, M, E, W>
where
    S: Store,
    M: Marks,
    E: Fn(&Violation) -> bool,
    W: Watch,
{
    #[inline(always)]
    pub fn take<A>(&mut self, step: Step<'_, A>) -> ControlFlow<()>
    where
        O: Order<A, S::Key, Marks = M>,
    {
        if let Target::State(target) = step.target
            && let Some(g) = self.shared.lengthen(self.g, step.cost)
            && let Some(key) = self.key(target, step.changed)
        {
            self.order.recorder().step(&step);
            if S::Recall::KEEPS_GENERATED {
                if S::Recall::KEY_IDENTIFIES && self.batch.is_recent(key, Some(g)) {
                    self.batch.matched += 1;
                } else {
                    self.guarded.store.prefetch(key);
                    self.batch.push((key, self.u), Some(g), &step, Some(target), O::ESTIMATES);
                }
            } else {
                self.batch.prefetch_recent(key);
                self.batch.push((key, self.u), Some(g), &step, O::ESTIMATES.then_some(target), O::ESTIMATES);
            }
            return if is_time_to_look(step.ordinal) { self.look() } else { ControlFlow::Continue(()) };
        }
        self.take_otherwise(step)
    }

    /// The key of a target, if it is quickly made and there is room.
    #[inline(always)]
    fn key(&mut self, target: &State, changed: Changed<'_>) -> Option<S::Key> {
        let store = &*self.guarded.store;
        if S::Recall::KEEPS_GENERATED {
            store.key(self.cursor, target, changed).ok()
        } else {
            store.quick_key(self.cursor, target, changed)
        }
    }

    #[inline(never)]
    fn take_otherwise<A>(&mut self, step: Step<'_, A>) -> ControlFlow<()>
    where
        O: Order<A, S::Key, Marks = M>,
    {
        let (shared, u, ordinal) = (self.shared, self.u, step.ordinal);
        let g = shared.lengthen(self.g, step.cost);
        match step.target {
            Target::State(target) => {
                let cursor = &mut *self.cursor;
                let key = match self.guarded.with_room(|growing| growing.store.key(cursor, target, step.changed)) {
                    Ok(key) => key,
                    Err(stop) => {
                        shared.stop(stop);
                        return ControlFlow::Break(());
                    }
                };
                if S::Recall::KEEPS_GENERATED {
                    self.guarded.store.prefetch(key);
                }
                self.order.recorder().step(&step);
                let keeps_bytes = S::Recall::KEEPS_GENERATED || O::ESTIMATES;
                self.batch.push((key, u), g, &step, keeps_bytes.then_some(target), O::ESTIMATES);
            }
            Target::Violation(violation) => {
                if !step.movers.is_empty() && !Condition::SleepFailure.is_off() {
                    shared.stop_using_sleep_sets();
                }
                if (shared.is_error)(&violation) {
                    let (action, cost) = (step.action, step.cost);
                    match g {
                        Some(_) => self.order.push_event(Event { u, ordinal, action, g: self.g, cost, violation }),
                        None => shared.skip_too_deep(),
                    }
                }
            }
            Target::CutOff => {
                shared.cut_off(g);
                let stop = self.watch.after_cut_off(&shared.progress(self.guarded));
                return self.go_on_unless(stop);
            }
        }
        if is_time_to_look(ordinal) { self.look() } else { ControlFlow::Continue(()) }
    }

    /// Lets the watch look.
    #[cold]
    fn look(&mut self) -> ControlFlow<()> {
        let stop = self.watch.look(&self.shared.progress(self.guarded));
        self.go_on_unless(stop)
    }

    fn go_on_unless(&self, stop: Option<Stop>) -> ControlFlow<()> {
        if let Some(stop) = stop {
            self.shared.stop(stop);
        }
        if self.shared.stopped().is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
