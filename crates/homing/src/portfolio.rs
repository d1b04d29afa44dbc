//! Three searches that take turns, each with a store of its own: two that go by an estimate, and a breadth-first search.
//!
//! None alone is what a user wants who asks for nothing. A greedy search is the quickest to find an error where the estimate
//! is good, and gets lost where it is not; weighted A* looks around more, and seldom gets lost. Both pay for the estimate on
//! every state of a model that has no error: that there is none a breadth-first search proves at full speed, and an error it
//! finds ends a shortest path, but it drowns in wide models. So the first two are given a head start and then a small share
//! of the expansions, counted and not timed, so that every run is the same.

use std::cell::RefCell;

use homing_core::{
    Changed, Cost, End, Estimate, Estimated, Guarantee, Limits, Outcome, Progress, State, Stats, Stop, Unwatched,
    Violation, Watch,
};
use homing_engine::{CompiledEngine, StepIndex};
use homing_search::best_first::Directed;
use homing_search::{Errors, Guide, Merit, Reduction, Weight, bfs};
use homing_store::{ExactStore, Store};

use crate::explore::{AnyEstimate, DynWatch, SearchSettings, store_use};
use crate::result::{Algorithm, StoreUse};

/// States that the greedy search expands before another begins: most errors are found by then, if they are near.
const FIRST: u64 = 128;

/// States that each of the two expands in its next turn; twice as many in the one after it.
const SECOND: u64 = 32;

/// States that the two expand before the breadth-first search begins: small models are done by then.
const HEAD_START: u64 = 4096;

/// States that one of them expands whenever the breadth-first search is looked at, which is every few thousand.
const SHARE: u64 = 64;

/// How many turns one may take at once as long as it dives.
const DIVE: u32 = 32;

/// The part of what is limited that each of the two may have. The breadth-first search has the rest of the memory, and as
/// many states as are allowed: they are those that are reported.
const LIMIT_SHARE: u64 = 16;

/// How much the estimate counts in weighted A*: of 1, 2, 3 and 5 the one with which it expanded least on random models.
const WEIGHT: f64 = 5.0;

/// What comes first is brought home. What the others cost is in its figures.
pub fn search<E, S>(
    engines: &mut [CompiledEngine<'_>],
    settings: &SearchSettings<'_, E>,
    store: &mut S,
    estimate: &mut AnyEstimate<'_>,
    watch: &mut DynWatch<'_>,
) -> (Outcome<StepIndex>, Winner)
where
    E: Fn(&Violation) -> bool + Sync,
    S: Store,
{
    let SearchSettings { is_error, errors, limits, .. } = settings;
    let engine = engines[0].fork();
    let part = |limit: Option<u64>| limit.map(|all| all / LIMIT_SHARE);
    let share = Limits { memory: part(limits.memory), max_states: part(limits.max_states), ..**limits };
    let rest = limits.memory.map(|all| all - 2 * (all / LIMIT_SHARE));
    let limits = &Limits { memory: rest, ..**limits };
    let estimate = RefCell::new(estimate);
    let mut stores = [(); 2].map(|()| ExactStore::new(engine.hidden_prefix()));
    let (mut hopeful, mut unwatched) = ([SafeEstimate(&estimate), SafeEstimate(&estimate)], [Unwatched, Unwatched]);
    let weighted = Merit::Weighted(Weight::new(WEIGHT).expect("it is a weight"));
    let parts = stores.iter_mut().zip(&mut hopeful).zip(&mut unwatched).zip([Merit::Greedy, weighted]);
    let mut directed: Vec<_> = parts
        .map(|(((own, estimate), alone), by)| {
            Directed::new(&engine, is_error, Errors::StopAtFirst, Guide { by, estimate }, own, &share, alone)
        })
        .collect();
    let mut advance = |nth: usize, expansions| (directed[nth].advance(expansions), directed[nth].max_depth());
    let mut portfolio = Portfolio { watch, directed: &mut advance, ended: [None; 2], depths: [0; 2], last: 0 };
    portfolio.begin();
    let blind = portfolio.winner().is_none().then(|| {
        if settings.reduces && pays(&engine, is_error, portfolio.watch) {
            bfs::search(engines, is_error, *errors, Reduction::AmpleSets, store, limits, &mut portfolio)
        } else {
            bfs::search(engines, is_error, *errors, settings.reduction, store, limits, &mut portfolio)
        }
    });
    let (ended, winner) = (portfolio.ended, portfolio.winner());
    engines[0].absorb(&engine);
    let given_up = End::Stopped(Stop::Superseded);
    let mut outcomes: Vec<Outcome<StepIndex>> =
        directed.into_iter().zip(ended).map(|(one, end)| one.outcome(end.unwrap_or(given_up))).collect();
    // an error whose turn had not come when a limit was hit is an error nevertheless
    let winner = winner.or_else(|| match &blind {
        Some(Outcome { path: None, end: End::Stopped(_), .. }) => outcomes.iter().position(|one| one.path.is_some()),
        _ => None,
    });
    let (outcome, winner) = match (winner, blind) {
        (None, Some(blind)) => (blind, Winner::Blind),
        (winner, blind) => {
            let nth = winner.expect("a search has decided");
            let (algorithm, own) = ([Algorithm::BestFirst, Algorithm::AStar][nth], &stores[nth]);
            let outcome = outcomes.swap_remove(nth);
            outcomes.extend(blind);
            (outcome, Winner::Directed(algorithm, store_use("exact", own)))
        }
    };
    let stats = outcomes.iter().fold(outcome.stats, |sum, other| together(sum, other.stats));
    (Outcome { stats, ..outcome }, winner)
}

/// States that are looked at to see whether partial-order reduction pays.
const PROBE: u64 = 2048;

/// It pays if of so many of them one at least is content with the steps of one process: where few are, a search that leaves
/// nothing out is faster, and ends in a shortest path.
const ONE_OF: u64 = 2;

/// Whether partial-order reduction pays. What is seen on the way does not count.
fn pays(engine: &CompiledEngine<'_>, is_error: impl Fn(&Violation) -> bool + Sync, watch: &mut dyn Watch) -> bool {
    let limits = Limits { max_states: Some(PROBE), ..Limits::default() };
    let (systems, store) = (&mut [engine.fork()], &mut ExactStore::new(engine.hidden_prefix()));
    let Stats { expanded, reduced, .. } =
        bfs::search(systems, is_error, Errors::StopAtFirst, Reduction::AmpleSets, store, &limits, &mut DynWatch(watch))
            .stats;
    reduced * ONE_OF >= expanded
}

/// Whose result it is.
pub enum Winner {
    Blind,
    /// With how it stored its states.
    Directed(Algorithm, StoreUse),
}

/// Whether a search that ended so has decided.
fn has_decided(end: End) -> bool {
    matches!(end, End::Found | End::Exhausted)
}

/// An estimate that gives up nothing: what it holds for a dead end comes last, but it comes. So the proof that there is no
/// error does not depend on it, and every statement that can be reached is.
struct SafeEstimate<'a, 'm>(&'a RefCell<&'a mut AnyEstimate<'m>>);

/// Farther than anything else, as estimates go.
const LAST: Cost = 1 << 10;

/// The estimate, no greater than [`LAST`]; a dead end gets that.
fn within_reach(estimated: Option<Estimated>) -> Estimated {
    let Estimated { h, tie } = estimated.unwrap_or(Estimated::from(LAST));
    Estimated { h: h.min(LAST), tie }
}

impl Estimate for SafeEstimate<'_, '_> {
    fn distance(&mut self, state: &State) -> Option<Estimated> {
        Some(within_reach(self.0.borrow_mut().distance(state)))
    }

    fn expand(&mut self, state: &State) {
        self.0.borrow_mut().expand(state);
    }

    fn distance_after(&mut self, state: &State, changed: Changed<'_>) -> Option<Estimated> {
        Some(within_reach(self.0.borrow_mut().distance_after(state, changed)))
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee::Guess
    }
}

/// Looks on at the breadth-first search for somebody else, and gives the directed ones their turns.
struct Portfolio<'a> {
    watch: &'a mut dyn Watch,
    /// Lets one of them expand so many states, and says how it ended if it did, and how deep it has come.
    directed: &'a mut dyn FnMut(usize, u64) -> (Option<End>, Cost),
    ended: [Option<End>; 2],
    depths: [Cost; 2],
    /// Whose turn it was.
    last: usize,
}

impl Portfolio<'_> {
    /// The turns that the two have before the breadth-first search begins.
    fn begin(&mut self) {
        self.advance(0, FIRST);
        let (mut expanded, mut expansions) = (FIRST, SECOND);
        while expanded < HEAD_START {
            self.advance(1, expansions);
            self.advance(0, expansions);
            expanded += 2 * expansions;
            expansions *= 2;
        }
    }

    /// One that comes deeper with nearly every state it expands is not lost yet, and goes on.
    fn advance(&mut self, nth: usize, expansions: u64) {
        for _ in 0..DIVE {
            if self.ended[nth].is_some() || self.winner().is_some() {
                break;
            }
            let before = self.depths[nth];
            (self.ended[nth], self.depths[nth]) = (self.directed)(nth, expansions);
            if u64::from(self.depths[nth] - before) < expansions / 2 {
                break;
            }
        }
        self.last = nth;
    }

    /// The one that has decided. One that was stopped by a limit of its own has not.
    fn winner(&self) -> Option<usize> {
        self.ended.iter().position(|ended| ended.is_some_and(has_decided))
    }
}

impl Watch for Portfolio<'_> {
    fn look(&mut self, progress: &Progress) -> Option<Stop> {
        if let Some(limit) = self.watch.look(progress) {
            return Some(limit);
        }
        self.advance(1 - self.last, SHARE);
        self.winner().map(|_| Stop::Superseded)
    }

    fn after_cut_off(&mut self, progress: &Progress) -> Option<Stop> {
        self.watch.after_cut_off(progress)
    }
}

/// The figures of a search, with what the others cost beside it. How many states there are, and how deep they lie, it knows
/// itself.
fn together(of: Stats, others: Stats) -> Stats {
    Stats {
        expanded: of.expanded + others.expanded,
        peak_states: of.peak_states + others.peak_states,
        memory: of.memory + others.memory,
        ..of
    }
}
