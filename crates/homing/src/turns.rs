//! A best-first search and a breadth-first search that take turns, each with a store of its own.
//!
//! Neither alone is what a user wants who asks for nothing: the one is quick to find an error, but pays for its estimate on
//! every state of a model that has none; the other proves that there is none at full speed, and an error it finds ends a
//! shortest path, but it drowns in wide models. So the first is given a head start and then a small share of the
//! expansions, counted and not timed, so that every run is the same.

use homing_core::{
    Changed, Cost, End, Estimate, Guarantee, Limit, Limits, Outcome, Progress, State, Stats, TransitionSystem,
    Unwatched, Violation, Watch,
};
use homing_engine::{CompiledEngine, StepIndex};
use homing_search::best_first::Directed;
use homing_search::{Errors, Guide, Merit, bfs};
use homing_store::{ExactStore, Store};

use crate::explore::{AnyEstimate, Looking, Task, kept};
use crate::result::Kept;

/// States that the directed search expands before the other begins: small models are done by then.
const HEAD_START: u64 = 4096;

/// States that it expands whenever the other is looked at, which is every few thousand.
const SHARE: u64 = 64;

/// The part of what is limited that the directed search may have; the other has the rest.
const LIMIT_SHARE: u64 = 8;

/// What comes first is brought home, with the figures of both.
pub fn search<E, S>(
    engines: &mut [CompiledEngine<'_>],
    task: &Task<'_, E>,
    store: &mut S,
    estimate: &mut AnyEstimate<'_>,
    watch: &mut Looking<'_>,
) -> (Outcome<StepIndex>, Winner)
where
    E: Fn(&Violation) -> bool + Sync,
    S: Store,
{
    let Task { is_error, errors, limits, .. } = task;
    let engine = engines[0].fork();
    let part = |limit: Option<u64>| limit.map(|all| all / LIMIT_SHARE);
    let rest = |limit: Option<u64>| limit.map(|all| all - all / LIMIT_SHARE);
    let share = Limits { memory: part(limits.memory), max_states: part(limits.max_states), ..**limits };
    let limits = &Limits { memory: rest(limits.memory), max_states: rest(limits.max_states), ..**limits };
    let mut hopeful = Hopeful(estimate);
    let guide = Guide { by: Merit::Greedy, estimate: &mut hopeful };
    let mut own = ExactStore::new(engine.carried());
    let mut alone = Unwatched;
    let mut directed = Directed::new(&engine, is_error, Errors::StopAtFirst, guide, &mut own, &share, &mut alone);
    let mut turns = Turns { watch, directed: &mut |expansions| directed.advance(expansions), ended: None };
    turns.advance(HEAD_START);
    let blind = (!turns.is_over()).then(|| bfs::search(engines, is_error, *errors, store, limits, &mut turns));
    let ended = turns.ended;
    let directed = directed.outcome(ended.unwrap_or(End::Stopped(Limit::Interrupted)));
    engines[0].absorb(&engine);
    match blind {
        Some(blind) if !ended.is_some_and(has_decided) => {
            let outcome = Outcome { stats: sum(blind.stats, directed.stats), ..blind };
            (outcome, Winner::Blind)
        }
        blind => {
            let others = blind.map_or(Stats::default(), |blind| blind.stats);
            let outcome = Outcome { stats: sum(directed.stats, others), ..directed };
            (outcome, Winner::Directed(kept("exact", &own)))
        }
    }
}

/// Whose result it is.
pub enum Winner {
    Blind,
    /// With how it kept its states.
    Directed(Kept),
}

/// Whether a search that ended so has decided.
fn has_decided(end: End) -> bool {
    matches!(end, End::Found | End::Exhausted)
}

/// An estimate that gives up nothing: what it holds for a dead end comes last, but it comes. So the proof that there is no
/// error does not depend on it, and every statement that can be reached is.
struct Hopeful<'a, 'm>(&'a mut AnyEstimate<'m>);

/// Farther than anything else, as estimates go.
const LAST: Cost = 1 << 10;

impl Estimate for Hopeful<'_, '_> {
    fn distance(&mut self, state: &State) -> Option<Cost> {
        Some(self.0.distance(state).map_or(LAST, |distance| distance.min(LAST)))
    }

    fn expand(&mut self, state: &State) {
        self.0.expand(state);
    }

    fn distance_after(&mut self, state: &State, changed: Changed<'_>) -> Option<Cost> {
        Some(self.0.distance_after(state, changed).map_or(LAST, |distance| distance.min(LAST)))
    }

    fn tie(&mut self) -> Cost {
        self.0.tie()
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee::Guess
    }
}

/// Looks on at the breadth-first search for somebody else, and gives the directed one its turn.
struct Turns<'a> {
    watch: &'a mut dyn Watch,
    /// Lets it expand so many states, and says how it ended if it did.
    directed: &'a mut dyn FnMut(u64) -> Option<End>,
    ended: Option<End>,
}

impl Turns<'_> {
    fn advance(&mut self, expansions: u64) {
        if self.ended.is_none() {
            self.ended = (self.directed)(expansions);
        }
    }

    /// Whether the directed search has decided. One that was stopped by a limit of its own has not.
    fn is_over(&self) -> bool {
        self.ended.is_some_and(has_decided)
    }
}

impl Watch for Turns<'_> {
    fn look(&mut self, progress: &Progress) -> Option<Limit> {
        if let Some(limit) = self.watch.look(progress) {
            return Some(limit);
        }
        self.advance(SHARE);
        self.is_over().then_some(Limit::Interrupted)
    }
}

fn sum(of: Stats, others: Stats) -> Stats {
    Stats {
        states: of.states + others.states,
        expanded: of.expanded + others.expanded,
        matched: of.matched + others.matched,
        reopened: of.reopened + others.reopened,
        peak_states: of.peak_states + others.peak_states,
        max_depth: of.max_depth.max(others.max_depth),
        memory: of.memory + others.memory,
    }
}
