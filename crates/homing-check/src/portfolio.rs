//! [`Search::Auto`]: a portfolio of searches that take turns, each with its own store: greedy best-first search,
//! weighted A* and breadth-first search.
//!
//! No member alone is a good default. Greedy search finds an error first where the estimate is good, and explores much
//! in vain where it is not; weighted A* is more robust. Both evaluate the estimate on every state of a model without
//! errors, which breadth-first search proves at full speed; its paths are shortest, but it finds errors late in models
//! with many states per level. So the directed searches get a head start and then a small share of the expansions. The
//! shares are counted in expansions, not in time, so that every run is the same.
//!
//! If the breadth-first search takes long, an estimate is prepared that is too expensive for small models, and directs a second
//! greedy search.

use std::cell::{Cell, RefCell};

use homing_core::{
    Changed, Cost, End, Estimate, Estimated, Fork, Guarantee, Limits, Outcome, Progress, State, Stats, Stop, Unwatched,
    Violation, Watch,
};
use homing_search::best_first::BestFirst;
use homing_search::{Directed, Evaluation, Objective, OnError, Reduction, Weight, bfs};
use homing_store::{ExactStore, Store};

use crate::explore::{AnyEstimate, DynWatch, Exploration, Workers};
use crate::{Search, StoreUse};

/// States that the greedy search expands before another begins: most errors near the initial state are found by then.
const FIRST: u64 = 128;

/// States that each directed search expands in its next turn; each further turn has twice as many.
const SECOND: u64 = 32;

/// States that the directed searches expand before the breadth-first search begins: small models are decided by then.
const HEAD_START: u64 = 4096;

/// States that one directed search expands whenever the breadth-first search calls its watch, every few thousand
/// expansions.
const SHARE: u64 = 64;

/// The number of directed searches, with the one that begins late.
const MEMBERS: usize = 3;

/// The directed search that begins late.
const LATE_MEMBER: usize = MEMBERS - 1;

/// States that the breadth-first search has when a late estimate is prepared: some tenths of a second, about as much as that takes.
const LATE: u64 = 1 << 20;

/// How many turns a search may take in sequence as long as each turn increases its depth.
const DIVE: u32 = 32;

/// While the breadth-first search runs, the directed ones expand at most one state for so many of its states: where there is no error
/// the whole portfolio costs little more than breadth-first search alone.
const ONE_FOR: u64 = 16;

/// The share (one part in this many) of the limits on memory and states of each directed search. The breadth-first
/// search has the rest of the memory and the full limit on states, because its states are those that are reported.
const LIMIT_SHARE: u64 = 16;

/// A directed search that has seen so many dead ends and nothing else between them leaves the rest to the breadth-first search: the
/// estimate sees no error, so it directs nothing, and each of its states costs several of a breadth-first search.
const ONLY_DEAD_ENDS: u64 = 1024;

/// The weight of weighted A*: of 1, 2, 3 and 5 the one with the fewest expansions on random models.
const WEIGHT: f64 = 5.0;

/// Runs the portfolio and returns the outcome of the member that decides first. Its figures include the cost of the
/// others.
pub(crate) fn search<T, E, S>(
    Workers { systems, estimate, late_estimate, watch, .. }: &mut Workers<'_, '_, T>,
    exploration: &Exploration<'_, E>,
    store: &mut S,
) -> (Outcome<T::Action>, Winner)
where
    T: Fork,
    E: Fn(&Violation) -> bool + Sync,
    S: Store,
{
    let Objective { is_error, on_error, limits, .. } = &exploration.objective;
    let system = systems[0].fork();
    let part = |limit: Option<u64>| limit.map(|all| all / LIMIT_SHARE);
    let share = Limits { memory: part(limits.memory), max_states: part(limits.max_states), ..**limits };
    let rest = limits.memory.map(|all| all - MEMBERS as u64 * (all / LIMIT_SHARE));
    let limits = &Limits { memory: rest, ..**limits };
    let own_objective = Objective::new(is_error, OnError::Stop, &share);
    let objective = Objective::new(is_error, *on_error, limits);
    let (early, late) = (RefCell::new(&mut **estimate), RefCell::new(None));
    let mut stores = [(); MEMBERS].map(|()| ExactStore::new(exploration.hidden_prefix));
    let dead_ends = [(); MEMBERS].map(|()| Cell::new(0));
    let sources = [Source::Early(&early), Source::Early(&early), Source::Late(&late)];
    let mut nth = 0..;
    let mut safe = sources.map(|source| SafeEstimate { source, dead_ends: &dead_ends[nth.next().expect("a number")] });
    let mut unwatched = [(); MEMBERS].map(|()| Unwatched);
    let weight = Weight::new(WEIGHT).expect("it is a weight");
    let evaluations = [Evaluation::Greedy, Evaluation::Weighted(weight), Evaluation::Greedy];
    let parts = stores.iter_mut().zip(&mut safe).zip(&mut unwatched).zip(evaluations);
    let mut directed: Vec<_> = parts
        .map(|(((own, estimate), alone), by)| {
            BestFirst::new(&system, &own_objective, Directed { by, estimate }, own, alone)
        })
        .collect();
    let mut advance = |nth: usize, expansions| {
        let end = directed[nth].advance(expansions);
        let is_lost = dead_ends[nth].get() >= ONLY_DEAD_ENDS;
        (end.or(is_lost.then_some(End::Stopped(Stop::GivenUp))), directed[nth].max_depth())
    };
    let mut prepare = late_estimate.as_mut().map(|prepare| {
        || {
            *late.borrow_mut() = prepare();
            late.borrow().is_some()
        }
    });
    let mut portfolio = Portfolio {
        watch,
        directed: &mut advance,
        prepare: prepare.as_mut().map(|prepare| prepare as _),
        members: MEMBERS - 1,
        ended: [None; MEMBERS],
        depths: [0; MEMBERS],
        last: 0,
        expanded: 0,
    };
    portfolio.head_start();
    let blind = portfolio.winner().is_none().then(|| {
        let reduction = exploration.reduction_where_it_pays(&system, Reduction::StubbornSets);
        bfs::search(systems, &objective, reduction, store, &mut DynWatch(&mut portfolio))
    });
    let (ended, winner) = (portfolio.ended, portfolio.winner());
    systems[0].join(&system);
    let given_up = End::Stopped(Stop::Superseded);
    let mut outcomes: Vec<Outcome<T::Action>> =
        directed.into_iter().zip(ended).map(|(one, end)| one.outcome(end.unwrap_or(given_up))).collect();
    // an error found by a member that was not the next to move when a limit was hit still counts
    let winner = winner.or_else(|| match &blind {
        Some(Outcome { path: None, end: End::Stopped(_), .. }) => outcomes.iter().position(|one| one.path.is_some()),
        _ => None,
    });
    let (outcome, winner) = match (winner, blind) {
        (None, Some(blind)) => (blind, Winner::Blind),
        (winner, blind) => {
            let nth = winner.expect("a search has decided");
            let search = if nth == 1 { Search::AStar { weight } } else { Search::BestFirst };
            let (store_use, by_late_estimate) = (StoreUse::of("exact", &stores[nth]), nth == LATE_MEMBER);
            let outcome = outcomes.swap_remove(nth);
            outcomes.extend(blind);
            (outcome, Winner::Directed { search, store_use, by_late_estimate })
        }
    };
    let stats = outcomes.iter().fold(outcome.stats, |sum, other| together(sum, other.stats));
    (Outcome { stats, ..outcome }, winner)
}

/// The member of the portfolio that decided.
pub(crate) enum Winner {
    /// The breadth-first search.
    Blind,
    /// A directed search.
    Directed {
        search: Search,
        store_use: StoreUse,
        /// It was directed by the estimate that was prepared late.
        by_late_estimate: bool,
    },
}

/// Whether a search that ended like this has decided.
fn has_decided(end: End) -> bool {
    matches!(end, End::Found | End::Exhausted)
}

/// An estimate that prunes nothing: states that the inner estimate takes for dead ends are expanded last instead of
/// never. So the proof that there is no error does not depend on the estimate, and every reachable statement is
/// reached.
struct SafeEstimate<'a, 'm> {
    source: Source<'a, 'm>,
    /// How many dead ends were estimated since the last state that is none.
    dead_ends: &'a Cell<u64>,
}

/// Where an estimate comes from.
#[derive(Clone, Copy)]
enum Source<'a, 'm> {
    /// It was there at the beginning.
    Early(&'a RefCell<&'a mut AnyEstimate<'m>>),
    /// It is prepared before the search that it directs has its first turn. Only the initial state is estimated before that, as 0.
    Late(&'a RefCell<Option<AnyEstimate<'m>>>),
}

/// The estimate of a dead end: greater than other estimates in practice.
const LAST: Cost = 1 << 10;

impl<'m> SafeEstimate<'_, 'm> {
    /// What is asked of the estimate; none if there is no estimate yet.
    fn ask<R>(&self, question: impl FnOnce(&mut AnyEstimate<'m>) -> R) -> Option<R> {
        match self.source {
            Source::Early(estimate) => Some(question(&mut estimate.borrow_mut())),
            Source::Late(estimate) => estimate.borrow_mut().as_mut().map(question),
        }
    }

    /// The estimate, no greater than [`LAST`]; a dead end gets that.
    fn within_reach(&self, estimated: Option<Estimated>) -> Estimated {
        self.dead_ends.set(if estimated.is_some() { 0 } else { self.dead_ends.get() + 1 });
        let Estimated { h, tie } = estimated.unwrap_or(Estimated::from(LAST));
        Estimated { h: h.min(LAST), tie }
    }
}

impl Estimate for SafeEstimate<'_, '_> {
    fn distance(&mut self, state: &State) -> Option<Estimated> {
        let estimated = self.ask(|estimate| estimate.distance(state));
        Some(self.within_reach(estimated.unwrap_or(Some(Estimated::from(0)))))
    }

    fn expand(&mut self, state: &State) {
        self.ask(|estimate| estimate.expand(state));
    }

    fn distance_after(&mut self, state: &State, changed: Changed<'_>) -> Option<Estimated> {
        let estimated = self.ask(|estimate| estimate.distance_after(state, changed));
        Some(self.within_reach(estimated.unwrap_or(Some(Estimated::from(0)))))
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee::Guess
    }
}

/// The watch of the breadth-first search: forwards to the watch of the whole search, and gives the directed searches
/// their turns.
struct Portfolio<'a> {
    watch: &'a mut dyn Watch,
    /// Lets a directed search expand some states; returns its end, if it ended, and its depth.
    directed: &'a mut dyn FnMut(usize, u64) -> (Option<End>, Cost),
    /// Prepares the late estimate; whether there is one.
    prepare: Option<&'a mut dyn FnMut() -> bool>,
    /// The number of directed searches that take turns.
    members: usize,
    ended: [Option<End>; MEMBERS],
    depths: [Cost; MEMBERS],
    /// The directed search that had the last turn.
    last: usize,
    /// States that the directed searches have expanded.
    expanded: u64,
}

impl Portfolio<'_> {
    /// Gives the directed searches their head start.
    fn head_start(&mut self) {
        self.advance(0, FIRST, DIVE);
        let (mut expanded, mut expansions) = (FIRST, SECOND);
        while expanded < HEAD_START {
            self.advance(1, expansions, DIVE);
            self.advance(0, expansions, DIVE);
            expanded += 2 * expansions;
            expansions *= 2;
        }
        self.expanded = 0;
    }

    /// Prepares the late estimate, and gives the search that it directs its head start.
    fn late_start(&mut self) {
        let Some(prepare) = self.prepare.take() else { return };
        if prepare() {
            self.members = MEMBERS;
            let before = self.expanded;
            self.advance(LATE_MEMBER, HEAD_START, DIVE);
            self.expanded = before;
        }
    }

    /// Gives a directed search a turn, and further ones, `dive` in all, while most of its expansions increase its depth.
    fn advance(&mut self, nth: usize, expansions: u64, dive: u32) {
        for _ in 0..dive {
            if self.ended[nth].is_some() || self.winner().is_some() {
                break;
            }
            let before = self.depths[nth];
            self.expanded += expansions;
            (self.ended[nth], self.depths[nth]) = (self.directed)(nth, expansions);
            if u64::from(self.depths[nth] - before) < expansions / 2 {
                break;
            }
        }
        self.last = nth;
    }

    /// The directed search that has decided. One that hit its own limits has not.
    fn winner(&self) -> Option<usize> {
        self.ended.iter().position(|ended| ended.is_some_and(has_decided))
    }
}

impl Watch for Portfolio<'_> {
    fn look(&mut self, progress: &Progress) -> Option<Stop> {
        if let Some(limit) = self.watch.look(progress) {
            return Some(limit);
        }
        if progress.states >= LATE {
            self.late_start();
        }
        let allowed = (progress.states / ONE_FOR).saturating_sub(self.expanded);
        let turns = (allowed / SHARE).min(u64::from(DIVE)) as u32;
        if turns > 0 {
            self.advance((self.last + 1) % self.members, SHARE, turns);
        }
        self.winner().map(|_| Stop::Superseded)
    }

    fn after_cut_off(&mut self, progress: &Progress) -> Option<Stop> {
        self.watch.after_cut_off(progress)
    }
}

/// Adds the cost of another member to the figures of the one that decided. States and depth stay those of the latter.
fn together(of: Stats, others: Stats) -> Stats {
    Stats {
        expanded: of.expanded + others.expanded,
        peak_states: of.peak_states + others.peak_states,
        memory: of.memory + others.memory,
        ..of
    }
}
