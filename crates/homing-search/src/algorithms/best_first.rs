//! Best-first search: greedy, A* and weighted A* (Hart, Nilsson & Raphael 1968; Edelkamp, Leue & Lluch-Lafuente 2004, §3.1 and
//! §3.2 with Table 1). Names `g`, `h`, `f` as there.
//!
//! The first error of A* is a shortest one if `h` is admissible; consistency is not needed, because closed nodes are reopened.
//! That is proved if no state is lost and none has hidden bytes: of the runs to a state only one is followed.
//! Invariant: a node that is open, no dead end and not beyond the depth limit has an entry in `open` made with its current `g`,
//! which comes before all its other entries.
//! Differs from the paper: steps have costs. An error is an event inside a step and waits for its turn with the length of its
//! path as `f`. Superseded entries stay in `open` and are skipped; deleting costs more. A node with hidden bytes is not
//! reopened: the states after it were reached with what it had before.

use std::collections::HashSet;

use homing_core::{
    Changed, Cost, End, Estimate, Estimated, Guarantee, Limit, Outcome, Path, SleepSet, State, StateId,
    TransitionSystem, Violation, Watch,
};
use homing_store::{Key, Store};

use crate::kernel::nodes::{EvaluatedMarks, Marks};
use crate::kernel::{Event, Order, SharedSearch, Waiting, Worker};
use crate::open::buckets::{Buckets, Next};
use crate::{Directed, Evaluation, Objective, OnError, Reduction};

/// Explores `system` from its initial state, what has the least `f` first. `store` is empty at the start. A state from which no
/// error can be reached, by the estimate, is stored but not expanded.
///
/// With `limits.max_depth` and an admissible estimate, a state is not expanded if all errors after it are too deep. A step
/// beyond that to a state not reached yet makes the search incomplete, even if a shorter path turns up later.
pub fn search<T, S, E, H, W>(
    system: &T,
    objective: &Objective<'_, E>,
    directed: Directed<'_, Evaluation, H>,
    store: &mut S,
    watch: &mut W,
) -> Outcome<T::Action>
where
    T: TransitionSystem,
    S: Store,
    E: Fn(&Violation) -> bool,
    H: Estimate,
    W: Watch,
{
    let mut search = BestFirst::new(system, objective, directed, store, watch);
    let end = loop {
        if let Some(end) = search.advance(u64::MAX) {
            break end;
        }
    };
    search.outcome(end)
}

/// A best-first search that can be interrupted and continued, as a member of a portfolio.
pub struct BestFirst<'a, T: TransitionSystem, S: Store, E, H, W> {
    shared: SharedSearch<'a, S, EvaluatedMarks, E>,
    worker: Worker<&'a T, S, Open<'a, T::Action, S::Key, H>>,
    watch: &'a mut W,
    proves: bool,
    initial: Box<State>,
    /// The state being expanded, if the store does not give states back.
    s: Vec<u8>,
    /// The errors that had their turn: a reopened node has its own again.
    counted: HashSet<(StateId, u32)>,
    path: Option<Path<T::Action>>,
    max_depth: Cost,
}

impl<'a, T, S, E, H, W> BestFirst<'a, T, S, E, H, W>
where
    T: TransitionSystem,
    S: Store,
    E: Fn(&Violation) -> bool,
    H: Estimate,
    W: Watch,
{
    /// A search as by [`search`] that has the initial state in its open list.
    pub fn new(
        system: &'a T,
        objective: &'a Objective<'a, E>,
        Directed { by: evaluation, estimate: h }: Directed<'a, Evaluation, H>,
        store: &'a mut S,
        watch: &'a mut W,
    ) -> Self {
        let has_hidden = store.hidden_prefix() > 0;
        let proves = S::LOSSLESS && !has_hidden && evaluation.proves(h.guarantee());
        let marks = EvaluatedMarks::new(evaluation.reopens() && !has_hidden);
        let shared = SharedSearch::new(store, marks, 1, Reduction::None, objective);
        let initial = system.initial();
        let estimated = h.distance(&initial);
        let order = Open { evaluation, h, open: Buckets::new(), recorder: () };
        let mut worker = Worker::new(system, order, &shared);
        worker.begin(&shared, &initial, estimated);
        let (s, counted) = (Vec::new(), HashSet::new());
        BestFirst { shared, worker, watch, proves, initial, s, counted, path: None, max_depth: 0 }
    }

    /// Expands so many states, if the search does not end before.
    pub fn advance(&mut self, expansions: u64) -> Option<End> {
        let enough = self.worker.expansions.saturating_add(expansions);
        let mut guarded = self.shared.guarded();
        while self.worker.expansions < enough {
            if let Some(stop) = self.shared.stopped() {
                return Some(End::Stopped(stop));
            }
            match self.worker.order.open.pop(&mut self.s) {
                Some(Next::State(u, key, bytes)) => {
                    let before = self.worker.expansions;
                    if guarded.nodes.marks.close(u, 0) {
                        let g = guarded.nodes.marks.g(u);
                        self.max_depth = self.max_depth.max(g);
                        self.shared.set_now(g);
                        let kept = key.map(|key| (&*self.s, key));
                        let source = (u, g, SleepSet::EMPTY);
                        self.worker.expand(&self.shared, &mut guarded, self.watch, source, kept);
                    } // otherwise a superseded entry
                    self.shared.count_expanded(self.worker.expansions - before, 1, bytes, &guarded);
                }
                Some(Next::Event(event)) => {
                    drop(guarded);
                    self.max_depth = self.max_depth.max(event.g + event.cost);
                    if self.shared.on_error == OnError::Stop || self.counted.insert((event.u, event.ordinal)) {
                        self.shared.count_error();
                    }
                    if self.path.is_none() {
                        // only now, not on generation, is it a shortest
                        self.path = self.worker.path(&self.shared, &self.initial, event);
                        if let Some(path) = &mut self.path {
                            path.shortest = self.proves && self.shared.followed_all_below(path.length);
                        }
                    }
                    if self.path.is_none() {
                        return Some(End::limit(Limit::CutOff)); // there was no time to find its steps again
                    }
                    if self.shared.on_error == OnError::Stop {
                        return Some(End::Found);
                    }
                    guarded = self.shared.guarded();
                }
                None => return Some(self.shared.end()),
            }
        }
        None
    }

    /// How many steps to states were taken.
    pub fn transitions(&self) -> u64 {
        self.shared.progress(&self.shared.guarded()).transitions
    }

    /// The outcome of the search if it ended so, or is ended now.
    pub fn outcome(mut self, end: End) -> Outcome<T::Action> {
        if self.path.is_none()
            && let Some(event) = self.worker.order.open.pop_event()
        {
            // a limit was reached before its turn: perhaps not the shortest, but an error
            self.path = self.worker.path(&self.shared, &self.initial, event);
            self.path.iter().for_each(|_| self.shared.count_error());
        }
        self.shared.outcome(end, self.path, self.max_depth)
    }
}

/// The open list, and what `f` is made of.
struct Open<'h, A, K, H> {
    evaluation: Evaluation,
    h: &'h mut H,
    open: Buckets<A, K>,
    recorder: (),
}

impl<A, K: Key, H: Estimate> Order<A, K> for Open<'_, A, K, H> {
    type Marks = EvaluatedMarks;
    type Recorder = ();

    const ESTIMATES: bool = true;

    #[inline(always)]
    fn recorder(&mut self) -> &mut () {
        &mut self.recorder
    }

    fn expand(&mut self, s: &State) {
        self.h.expand(s);
    }

    fn estimate(&mut self, state: &State, changed: Changed<'_>) -> Option<Estimated> {
        self.h.distance_after(state, changed)
    }

    fn least_distance(&self, h: Cost) -> Cost {
        if self.h.guarantee() >= Guarantee::Admissible { h } else { 0 }
    }

    #[inline]
    fn push(&mut self, Waiting { v, g, estimated, kept, .. }: Waiting<'_, K>) -> u64 {
        let Estimated { h, tie } = estimated;
        self.open.push_state(self.evaluation.f(g, h), (h, tie), v, kept)
    }

    fn push_event(&mut self, event: Event<A>) {
        self.open.push_event(self.evaluation.f(event.g + event.cost, 0), event);
    }
}

#[cfg(test)]
mod tests;
