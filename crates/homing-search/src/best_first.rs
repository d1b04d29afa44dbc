//! Best-first search: greedy, A* and weighted A* (Hart, Nilsson & Raphael 1968; Edelkamp, Leue & Lluch-Lafuente,
//! "Directed explicit-state model checking in the validation of communication protocols", §3.1 and §3.2 with Table 1).
//! Names `g`, `h`, `f` as there.
//!
//! The first error of A* is a shortest one if `h` is admissible; consistency is not needed, because closed states reopen.
//! That is proved if no state is lost and states carry nothing: of the runs to a state only one is followed.
//! Invariant: a state that is not closed, no dead end and not beyond the depth limit has an entry in `open` made with its
//! current `g`, which comes before all its other entries.
//! Differs from the paper: steps have costs. An error is an event inside a step and waits for its turn with the length of
//! its path as `f`. Superseded entries stay in `open` and are skipped; deleting costs more. A state that carries bytes is
//! not reopened: the states behind it were reached with what it carried before.

use std::collections::HashSet;
use std::ops::ControlFlow;

use homing_core::{
    Changed, Cost, End, Estimate, Guarantee, Limit, Limits, Outcome, Path, Progress, Selection, State, StateId, Stats,
    Stop, Target, TransitionSystem, Violation, Watch,
};
use homing_store::{Interned, Recall, Store};

use crate::budget::Budget;
use crate::open::{Event, Open, Turn};
use crate::retrace::retrace;
use crate::successors::Successors;
use crate::ways::{Gain, Ways};
use crate::{Errors, Guide, Merit};

/// Explores `system` from its initial state, what has the least merit first. `store` is empty at the start. Violations
/// for which `is_error` is false are passed over. A state from which no error can be reached, as the estimate has it, is
/// stored but not expanded.
///
/// With `limits.max_depth` and an admissible estimate, a state is not expanded if all errors behind it are too deep. A
/// step beyond that to a state not reached yet makes the search incomplete, even if a shorter path turns up later.
pub fn search<T, S, H, W>(
    system: &T,
    is_error: impl Fn(&Violation) -> bool,
    errors: Errors,
    guide: Guide<'_, Merit, H>,
    store: &mut S,
    limits: &Limits,
    watch: &mut W,
) -> Outcome<T::Action>
where
    T: TransitionSystem,
    S: Store,
    H: Estimate,
    W: Watch,
{
    let mut directed = Directed::new(system, is_error, errors, guide, store, limits, watch);
    let end = loop {
        if let Some(end) = directed.advance(u64::MAX) {
            break end;
        }
    };
    directed.outcome(end)
}

/// A best-first search that goes on for as long as it is told to.
pub struct Directed<'a, T: TransitionSystem, E, S: Store, H, W> {
    run: Run<'a, T, E, S, H, W>,
    errors: Errors,
    proves: bool,
    initial: Box<State>,
    /// The one buffer that holds the state being expanded.
    s: Vec<u8>,
    /// The errors that had their turn: a reopened state shows its own again.
    counted: HashSet<(StateId, u32)>,
    first: Option<Path<T::Action>>,
    max_depth: Cost,
    going: Result<(), Stop>,
}

impl<'a, T, E, S, H, W> Directed<'a, T, E, S, H, W>
where
    T: TransitionSystem,
    E: Fn(&Violation) -> bool,
    S: Store,
    H: Estimate,
    W: Watch,
{
    /// The initial state waits. As for [`search`].
    pub fn new(
        system: &'a T,
        is_error: E,
        errors: Errors,
        guide: Guide<'a, Merit, H>,
        store: &'a mut S,
        limits: &'a Limits,
        watch: &'a mut W,
    ) -> Self {
        let (initial, carries) = (system.initial(), store.hidden_prefix() > 0);
        let proves = S::LOSSLESS && !carries && guide.by.proves(guide.estimate.guarantee());
        let mut run = Run::new(system, is_error, guide, store, Budget::new(limits, watch));
        let going = run.begin(&initial);
        let (s, counted) = (Vec::new(), HashSet::new());
        Directed { run, errors, proves, initial, s, counted, first: None, max_depth: 0, going }
    }

    /// Expands so many states, if it does not come to an end before.
    pub fn advance(&mut self, expansions: u64) -> Option<End> {
        let run = &mut self.run;
        let enough = run.budget.expansions().saturating_add(expansions);
        while run.budget.expansions() < enough {
            if let Err(limit) = self.going {
                return Some(End::Stopped(limit));
            }
            match run.open.pop(&mut self.s) {
                Some(Turn::State(u, key)) => {
                    if !run.ways.close(u) {
                        continue; // superseded entry
                    }
                    self.max_depth = self.max_depth.max(run.ways.g(u));
                    self.going = run.expand(u, &mut self.s, key);
                }
                Some(Turn::Event(event)) => {
                    self.max_depth = self.max_depth.max(event.g + event.cost);
                    let is_new = self.errors == Errors::StopAtFirst || self.counted.insert((event.u, event.ordinal));
                    run.errors += u64::from(is_new);
                    if self.first.is_none() {
                        // only now, not on generation, is it a shortest
                        self.first = run.path(&self.initial, event, self.proves);
                    }
                    if self.first.is_none() {
                        return Some(End::Stopped(Stop::Limit(Limit::CutOff))); // there was no time to find its path again
                    }
                    if self.errors == Errors::StopAtFirst {
                        return Some(End::Found);
                    }
                }
                None => return Some(run.budget.end()),
            }
        }
        None
    }

    /// The length of the longest path that was followed.
    pub fn max_depth(&self) -> Cost {
        self.max_depth
    }

    /// What the search has brought home when it ended so, or was given up.
    pub fn outcome(self, end: End) -> Outcome<T::Action> {
        let Directed { mut run, mut first, initial, max_depth, .. } = self;
        if first.is_none()
            && let Some(event) = run.open.pop_event()
        {
            // a limit was hit before its turn came: perhaps not the shortest, but an error it is
            first = run.path(&initial, event, false);
            run.errors = u64::from(first.is_some());
        }
        let states = run.store.len();
        let stats = Stats {
            states,
            expanded: run.budget.expansions(),
            matched: run.matched,
            reopened: run.reopened,
            peak_states: states,
            reduced: 0,
            max_depth,
            memory: run.store.memory() + run.ways.memory(states) + run.open.most_memory(),
        };
        Outcome { end, path: first, errors: run.errors, stats }
    }
}

/// A search under way.
struct Run<'a, T: TransitionSystem, E, S: Store, H, W> {
    system: &'a T,
    is_error: E,
    merit: Merit,
    h: &'a mut H,
    store: &'a mut S,
    cursor: S::Cursor,
    budget: Budget<'a, W>,
    open: Open<T::Action, S::Key>,
    ways: Ways,
    successors: Successors<S::Key>,
    /// Whether an expanded state with a shorter path now is expanded once more.
    reopens: bool,
    matched: u64,
    reopened: u64,
    errors: u64,
}

impl<'a, T, E, S, H, W> Run<'a, T, E, S, H, W>
where
    T: TransitionSystem,
    E: Fn(&Violation) -> bool,
    S: Store,
    H: Estimate,
    W: Watch,
{
    fn new(
        system: &'a T,
        is_error: E,
        Guide { by: merit, estimate: h }: Guide<'a, Merit, H>,
        store: &'a mut S,
        budget: Budget<'a, W>,
    ) -> Self {
        Run {
            system,
            is_error,
            merit,
            h,
            reopens: merit.reopens() && store.hidden_prefix() == 0,
            cursor: store.cursor(),
            store,
            budget,
            open: Open::new(),
            ways: Ways::new(S::RECALL == Recall::Nothing),
            successors: Successors::default(),
            matched: 0,
            reopened: 0,
            errors: 0,
        }
    }

    /// The initial state waits.
    fn begin(&mut self, initial: &State) -> Result<(), Stop> {
        let key = self.budget.key(self.store, &mut self.cursor, initial, Changed::Anywhere, 0)?;
        self.budget.admit(self.store, &mut self.cursor, (key, initial), 0)?;
        let (root, estimated) = (StateId(0), self.h.distance(initial));
        self.ways.begin(root, root, 0, 0, estimated.map(|estimated| estimated.h));
        self.wait(root, 0, 0, (initial, key));
        Ok(())
    }

    /// A state that has a new or a shorter path waits, unless no error can be reached from it, or none that is not too
    /// deep.
    #[inline]
    fn wait(&mut self, v: StateId, g: Cost, tie: Cost, (state, key): (&State, S::Key)) {
        let Some(h) = self.ways.h(v) else { return };
        let least = if self.h.guarantee() >= Guarantee::Admissible { h } else { 0 };
        if self.budget.lengthen(g, least).is_none() {
            self.budget.leave_aside();
            return;
        }
        let kept = (S::RECALL == Recall::Nothing).then_some((state, key));
        self.open.push_state(self.merit.f(g, h), (h, tie), v, kept);
    }

    /// Expands `u`, the bytes and key of which are given if the store does not recall them.
    fn expand(&mut self, u: StateId, s: &mut Vec<u8>, key: Option<S::Key>) -> Result<(), Stop> {
        match S::RECALL {
            Recall::Nothing => self.store.set_parent(&mut self.cursor, s, key),
            Recall::ByKey | Recall::ByNumber => self.store.load(&mut self.cursor, u, s),
        }
        let g = self.ways.g(u);
        let Run { system, is_error, merit, h, store, cursor, budget, open, ways, successors, .. } = self;
        let store = &mut **store;
        let (matched, errors) = (self.matched, self.errors);
        let progress = |store: &S, open: &Open<_, _>| Progress {
            states: store.len(),
            transitions: store.len() + matched,
            depth: g,
            frontier: open.len(),
            memory: store.memory() + ways.memory(store.len()) + open.memory(),
            errors,
        };
        budget.charge_expansion(|| progress(store, open))?;
        h.expand(s);
        successors.clear();
        let (mut ordinal, mut going) = (0, Ok(()));
        system.for_each_step(s, Selection::All, |step| {
            match step.target {
                Target::State(target) => {
                    let memory = ways.memory(store.len()) + open.memory();
                    match budget.key(store, cursor, target, step.changed, memory) {
                        Ok(key) => {
                            store.prefetch(key);
                            successors.push(key, ordinal, step.cost, target, step.changed);
                        }
                        Err(limit) => going = Err(limit),
                    }
                }
                Target::Violation(violation) if !is_error(&violation) => {}
                Target::Violation(violation) => match budget.lengthen(g, step.cost) {
                    Some(length) => {
                        let (action, cost) = (step.action, step.cost);
                        open.push_event(merit.f(length, 0), Event { u, ordinal, action, cost, g, violation });
                    }
                    None => budget.leave_aside(),
                },
                Target::CutOff => going = budget.cut_off(g, step.cost, || progress(store, open)),
            }
            ordinal += 1;
            if going.is_ok() {
                going = budget.charge_step(|| progress(store, open));
            }
            if going.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        going?;
        let going = self.look_up(g);
        self.relax(u, g);
        going
    }

    /// Looks up the states that were met.
    fn look_up(&mut self, g: Cost) -> Result<(), Stop> {
        self.successors.keys().for_each(|key| self.store.prefetch_row(key));
        let memory = self.ways.memory(self.store.len()) + self.open.memory();
        for (successor, state) in self.successors.iter_mut() {
            if self.budget.lengthen(g, successor.cost).is_none() {
                match self.store.find(successor.key, state) {
                    Some(_) => self.matched += 1,
                    None => self.budget.leave_aside(),
                }
                continue;
            }
            let interned = self.budget.admit(self.store, &mut self.cursor, (successor.key, state), memory)?;
            if let Interned::Known(v) = interned {
                self.ways.prefetch(v);
            }
            successor.interned = Some(interned);
        }
        Ok(())
    }

    /// New states, and those with a shorter path now, wait for their turn.
    fn relax(&mut self, u: StateId, g: Cost) {
        let successors = std::mem::take(&mut self.successors);
        for (successor, state, changed) in successors.iter() {
            let Some(interned) = successor.interned else { continue };
            let g = g + successor.cost;
            match interned {
                Interned::New(v) => {
                    let estimated = self.h.distance_after(state, changed);
                    self.ways.begin(v, u, successor.ordinal, g, estimated.map(|estimated| estimated.h));
                    let tie = estimated.map_or(0, |estimated| estimated.tie);
                    self.wait(v, g, tie, (state, successor.key));
                }
                Interned::Known(v) => {
                    self.matched += 1;
                    let gain = self.ways.relax(v, u, successor.ordinal, g, self.reopens);
                    if gain == Gain::None {
                        continue;
                    }
                    self.reopened += u64::from(gain == Gain::Reopened);
                    if S::RECALL == Recall::ByNumber {
                        self.store.replace_hidden(v, state); // what v carries comes from the run that leads to it
                    }
                    self.wait(v, g, 0, (state, successor.key)); // a path that has become shorter is worth a look
                }
                Interned::MaybeKnown => self.matched += 1,
            }
        }
        self.successors = successors;
    }

    /// The path that ends in the event. It may be shorter than it was when the event was met: a state on it has been
    /// reached by a shorter one meanwhile.
    fn path(&self, initial: &State, event: Event<T::Action>, shortest: bool) -> Option<Path<T::Action>> {
        let way = self.ways.way_to(event.u);
        let (mut actions, length) = retrace(self.system, self.store, initial, &way, |v| self.ways.ordinal(v))?;
        debug_assert!(length <= event.g, "links lead over shorter paths only");
        actions.push(event.action);
        Some(Path { shortest, ..Path::finite(actions, length + event.cost, event.violation) })
    }
}

#[cfg(test)]
mod tests;
