//! What one thread of a level loop does: it expands states, and offers what they lead to.

use std::ops::ControlFlow;
use std::sync::atomic::Ordering::Relaxed;

use homing_core::{Changed, Cost, Estimate, Selection, State, Step, Stop, Target, TransitionSystem, Violation, Watch};
use homing_store::Store;

use super::Shared;
use super::candidates::{Candidates, Draw, Link, Offered, Slot};
use super::shared_store::Access;
use crate::OnError;
use crate::limits::{LOOK_EVERY, is_time_to_look};

/// A thread of a level loop.
pub(super) struct Worker<'e, T: TransitionSystem, S: Store, D> {
    pub system: T,
    pub cursor: S::Cursor,
    pub estimate: &'e mut (dyn Estimate + Send),
    pub expansions: u64,
    pub findings: Findings<D, T::Action>,
}

/// What was found in a level.
pub(super) struct Findings<D, A> {
    pub candidates: Candidates<D>,
    pub expansions: Vec<Expansion>,
    /// The error of the first slot that has one, and its first.
    pub event: Option<Event<A>>,
}

/// The figures of one expansion.
pub(super) struct Expansion {
    pub slot: u32,
    pub g: Cost,
    /// Steps to states.
    pub steps: u64,
    pub errors: u64,
}

/// An error that a step out of a slot leads to.
pub(super) struct Event<A> {
    pub slot: u32,
    pub action: A,
    /// The length of the path to the state.
    pub g: Cost,
    pub cost: Cost,
    pub violation: Violation,
}

impl<D: Draw, A> Findings<D, A> {
    pub fn new(candidates: Candidates<D>) -> Self {
        Findings { candidates, expansions: Vec::new(), event: None }
    }

    /// Adds what another thread has found, which is empty then.
    pub fn absorb(&mut self, other: &mut Self) {
        self.candidates.absorb(&mut other.candidates);
        self.expansions.append(&mut other.expansions);
        self.add_event(other.event.take());
    }

    fn add_event(&mut self, other: Option<Event<A>>) {
        let slot = |event: &Option<Event<A>>| event.as_ref().map_or(u32::MAX, |event| event.slot);
        if slot(&other) < slot(&self.event) {
            self.event = other;
        }
    }
}

impl<T, S, D> Worker<'_, T, S, D>
where
    T: TransitionSystem,
    S: Store,
    D: Draw,
{
    /// Expands states of the level until none is left.
    pub fn expand_level<E, W>(&mut self, shared: &Shared<'_, S, D, T::Action, E>, watch: &mut W)
    where
        E: Fn(&Violation) -> bool,
        W: Watch,
    {
        let level = shared.level();
        let mut access = shared.visited.access();
        loop {
            let at = shared.next.fetch_add(1, Relaxed);
            let Some(slot) = level.get(at) else { return };
            let is_after_error = at > shared.first_error.load(Relaxed) as usize;
            if is_after_error || shared.is_stopped.load(Relaxed) {
                return;
            }
            if self.expansions.is_multiple_of(LOOK_EVERY)
                && let Some(stop) = watch.look(&shared.progress(access.store(), slot.g, level.len()))
            {
                return shared.stop(stop);
            }
            self.expansions += 1;
            self.expand(shared, &mut access, watch, (at as u32, slot));
        }
    }

    /// Expands a state: looks for errors in its steps, and offers the states that they lead to.
    fn expand<'a, E, W>(
        &mut self,
        shared: &Shared<'a, S, D, T::Action, E>,
        access: &mut Access<'_, 'a, S>,
        watch: &mut W,
        (at, slot): (u32, &Slot),
    ) where
        E: Fn(&Violation) -> bool,
        W: Watch,
    {
        let Worker { system, cursor, estimate, findings, .. } = self;
        if let Some(observe) = shared.objective.observer {
            observe(&slot.state);
        }
        access.store().set_parent(cursor, &slot.state, None);
        estimate.expand(&slot.state);
        let expansion = Expansion { slot: at, g: slot.g, steps: 0, errors: 0 };
        let mut generation =
            Generation { shared, access, cursor, estimate: &mut **estimate, watch, findings, expansion };
        system.for_each_step(&slot.state, Selection::All, |step| generation.take(step));
        let expansion = generation.expansion;
        findings.expansions.push(expansion);
    }
}

/// The steps of one state as they are generated.
struct Generation<'x, 'a, 'm, S: Store, D, A, E, W> {
    shared: &'x Shared<'a, S, D, A, E>,
    access: &'x mut Access<'m, 'a, S>,
    cursor: &'x mut S::Cursor,
    estimate: &'x mut (dyn Estimate + Send),
    watch: &'x mut W,
    findings: &'x mut Findings<D, A>,
    expansion: Expansion,
}

impl<S, D, A, E, W> Generation<'_, '_, '_, S, D, A, E, W>
where
    S: Store,
    D: Draw,
    E: Fn(&Violation) -> bool,
    W: Watch,
{
    fn take(&mut self, step: Step<'_, A>) -> ControlFlow<()> {
        let g = self.shared.lengthen(self.expansion.g, step.cost);
        let ordinal = step.ordinal;
        match step.target {
            Target::State(target) => {
                self.expansion.steps += 1;
                let link = Link { parent: self.expansion.slot, ordinal };
                if let Err(stop) = self.offer(target, step.changed, (g, link)) {
                    self.shared.stop(stop);
                    return ControlFlow::Break(());
                }
            }
            Target::Violation(violation) if (self.shared.objective.is_error)(&violation) => {
                return self.error(violation, step.action, (g, step.cost));
            }
            Target::Violation(_) => {}
            Target::CutOff => {
                let is_within = if g.is_some() { &self.shared.is_cut_off } else { &self.shared.is_too_deep };
                is_within.store(true, Relaxed);
                let progress = self.shared.progress(self.access.store(), self.expansion.g, 0);
                let stop = self.watch.after_cut_off(&progress);
                return self.go_on_unless(stop);
            }
        }
        if is_time_to_look(ordinal) {
            let stop = self.watch.look(&self.shared.progress(self.access.store(), self.expansion.g, 0));
            return self.go_on_unless(stop);
        }
        ControlFlow::Continue(())
    }

    /// Offers a state, unless it is in a level already.
    fn offer(&mut self, state: &State, changed: Changed<'_>, (g, link): (Option<Cost>, Link)) -> Result<(), Stop> {
        let Generation { shared, access, cursor, estimate, findings, .. } = self;
        let key = access.with_room(shared.memory.load(Relaxed), |store| store.key(cursor, state, changed))?;
        if access.store().find(key, state).is_some() {
            return Ok(());
        }
        let Some(g) = g else {
            shared.is_too_deep.store(true, Relaxed);
            return Ok(());
        };
        let hash = shared.hash.hash(shared.number.load(Relaxed), &state[shared.hidden_prefix..]);
        let h = || estimate.distance_after(state, changed).map(|estimated| estimated.h);
        let _: Offered = findings.candidates.offer(hash, state, (g, link), h);
        Ok(())
    }

    /// An error: the first one of the first slot that has one is reported.
    fn error(&mut self, violation: Violation, action: A, (g, cost): (Option<Cost>, Cost)) -> ControlFlow<()> {
        let Expansion { slot, g: path, .. } = self.expansion;
        if g.is_none() {
            self.shared.is_too_deep.store(true, Relaxed);
            return ControlFlow::Continue(());
        }
        self.expansion.errors += 1;
        self.findings.add_event(Some(Event { slot, action, g: path, cost, violation }));
        match self.shared.objective.on_error {
            OnError::Count => ControlFlow::Continue(()),
            OnError::Stop => {
                self.shared.first_error.fetch_min(slot, Relaxed);
                ControlFlow::Break(())
            }
        }
    }

    fn go_on_unless(&self, stop: Option<Stop>) -> ControlFlow<()> {
        let Some(stop) = stop else { return ControlFlow::Continue(()) };
        self.shared.stop(stop);
        ControlFlow::Break(())
    }
}
