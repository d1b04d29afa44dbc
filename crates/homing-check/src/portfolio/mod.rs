//! [`Search::Auto`]: a portfolio of searches that take turns, each with its own store: greedy best-first search, weighted A*,
//! depth-first search and breadth-first search.
//!
//! No member alone is a good default. Greedy search finds an error first where the estimate is good, and explores much
//! in vain where it is not; weighted A* is more robust; depth-first search finds what is common and deep. The directed searches evaluate
//! the estimate on every state of a model without errors, which breadth-first search proves at full speed; its paths are shortest, but
//! it finds errors late in models with many states per level. So the others get a head start and then a share of the work, which is
//! greater as long as a directed search comes nearer to an error by its estimate ([`schedule`]). Work is counted and not timed,
//! so that every run is the same.
//!
//! If the breadth-first search takes long, an estimate is prepared that is too expensive for small models, and directs a second
//! greedy search.

mod estimate;
mod member;
pub(crate) mod schedule;

use std::cell::RefCell;

use homing_core::{End, Fork, Limits, Outcome, Stats, Stop, Unwatched, Violation};
use homing_search::best_first::BestFirst;
use homing_search::{Directed, Evaluation, Objective, OnError, Reduction, StepOrder, Weight, bfs, dfs};
use homing_store::{ExactStore, Store, TreeStore};

use crate::explore::{DynWatch, Exploration, Workers};
use crate::{Search, StoreChoice, StoreUse};
use estimate::{SafeEstimate, Seen, Source};
pub(crate) use member::{Finished, Member, Start};
use schedule::{Late, Schedule, Turn};

/// The number of directed searches, with the one that begins late.
const DIRECTED: usize = 3;

/// The directed search that begins late.
const LATE_MEMBER: usize = DIRECTED - 1;

/// The depth-first search.
const DEPTH_FIRST: usize = DIRECTED;

/// The number of members beside the breadth-first search.
const MEMBERS: usize = DIRECTED + 1;

/// The work of a transition of a directed search, which knows the estimate of each state and keeps states as they are.
const DIRECTED_WORK: u64 = 5;

/// The work of a transition of a depth-first search.
const DEPTH_FIRST_WORK: u64 = 3;

/// The first turn of the greedy search: most errors near the initial state are found by then.
const FIRST: u64 = 1 << 11;

/// The next turn of each directed search; each further turn is twice as long.
const SECOND: u64 = 1 << 9;

/// The work of the directed searches before the breadth-first search begins: small models are decided by then.
const HEAD_START: u64 = 1 << 15;

/// How many turns of its head start a directed search may take in sequence as long as each leads to a lower estimate.
const DIVE: u32 = 32;

/// The work of the breadth-first search when a late estimate is prepared: some tenths of a second, about as much as that takes.
const LATE: u64 = 1 << 22;

/// The share (one part in this many) of the limits on memory and states of each other member. The breadth-first
/// search has the rest of the memory and the full limit on states, because its states are those that are reported.
const LIMIT_SHARE: u64 = 16;

/// A directed search that has seen so many dead ends and nothing else between them leaves the rest to the others: the
/// estimate sees no error, so it directs nothing, and each of its states costs several of a breadth-first search.
const ONLY_DEAD_ENDS: u64 = 1024;

/// States between two looks at the work that a directed search has done.
const EXPANSIONS: u64 = 16;

/// The weight of weighted A*: of 1, 2, 3 and 5 the one with the fewest expansions on random models.
const WEIGHT: f64 = 5.0;

/// Runs the portfolio and returns the outcome of the member that decides first. Its figures include the cost of the
/// others.
pub(crate) fn search<T, E, S>(
    workers: &mut Workers<'_, '_, T>,
    exploration: &Exploration<'_, E>,
    store: &mut S,
) -> (Outcome<T::Action>, Winner)
where
    T: Fork,
    E: Fn(&Violation) -> bool + Sync,
    S: Store,
{
    let limits = exploration.objective.limits;
    let part = |limit: Option<u64>| limit.map(|all| all / LIMIT_SHARE);
    let share = Limits { memory: part(limits.memory), max_states: part(limits.max_states), ..*limits };
    std::thread::scope(|scope| {
        let start = depth_first(workers.systems[0].fork(), exploration, &share);
        search_beside(Member::new(scope, start), workers, exploration, store, &share)
    })
}

/// The depth-first search of a portfolio.
fn depth_first<'a, T, E>(system: T, exploration: &'a Exploration<'_, E>, limits: &'a Limits) -> Start<'a, T>
where
    T: Fork + 'a,
    E: Fn(&Violation) -> bool + Sync,
{
    Box::new(move |watch| {
        let objective = Objective::new(&exploration.objective.is_error, OnError::Stop, limits);
        let watch = &mut DynWatch(watch);
        let (outcome, store_use) = if exploration.store == StoreChoice::Tree && exploration.hidden_prefix == 0 {
            let mut store = TreeStore::new();
            let outcome = dfs::search(&system, &objective, StepOrder::AsShown, &mut store, watch);
            (outcome, StoreUse::of("tree", &store))
        } else {
            let mut store = ExactStore::new(exploration.hidden_prefix);
            let outcome = dfs::search(&system, &objective, StepOrder::AsShown, &mut store, watch);
            (outcome, StoreUse::of("exact", &store))
        };
        Finished { outcome, system, store_use }
    })
}

/// Runs the directed searches and the breadth-first search, beside the depth-first one.
fn search_beside<'scope, 'env: 'scope, T, E, S>(
    mut depth_first: Member<'scope, 'env, T>,
    Workers { systems, estimate, late_estimate, watch, .. }: &mut Workers<'_, '_, T>,
    exploration: &Exploration<'_, E>,
    store: &mut S,
    share: &Limits,
) -> (Outcome<T::Action>, Winner)
where
    T: Fork + 'env,
    E: Fn(&Violation) -> bool + Sync,
    S: Store,
{
    let Objective { is_error, on_error, limits, .. } = &exploration.objective;
    let system = systems[0].fork();
    let rest = limits.memory.map(|all| all - MEMBERS as u64 * (all / LIMIT_SHARE));
    let limits = &Limits { memory: rest, ..**limits };
    let own_objective = Objective::new(is_error, OnError::Stop, share);
    let objective = Objective::new(is_error, *on_error, limits);
    let (early, late) = (RefCell::new(&mut **estimate), RefCell::new(None));
    let mut stores = [(); DIRECTED].map(|()| ExactStore::new(exploration.hidden_prefix));
    let seen = [(); DIRECTED].map(|()| Seen::new());
    let sources = [Source::Early(&early), Source::Early(&early), Source::Late(&late)];
    let mut nth = 0..;
    let mut safe = sources.map(|source| SafeEstimate { source, seen: &seen[nth.next().expect("a number")] });
    let mut unwatched = [(); DIRECTED].map(|()| Unwatched);
    let weight = Weight::new(WEIGHT).expect("it is a weight");
    let evaluations = [Evaluation::Greedy, Evaluation::Weighted(weight), Evaluation::Greedy];
    let parts = stores.iter_mut().zip(&mut safe).zip(&mut unwatched).zip(evaluations);
    let mut directed: Vec<_> = parts
        .map(|(((own, estimate), alone), by)| {
            BestFirst::new(&system, &own_objective, Directed { by, estimate }, own, alone)
        })
        .collect();
    let mut advance = |nth: usize, work: u64| {
        if nth == DEPTH_FIRST {
            let (end, transitions) = depth_first.advance(work.div_ceil(DEPTH_FIRST_WORK));
            return Turn { end, work: transitions * DEPTH_FIRST_WORK, gains: false };
        }
        let (search, seen) = (&mut directed[nth], &seen[nth]);
        let (before, nearest) = (search.transitions(), seen.nearest.get());
        let enough = before + work.div_ceil(DIRECTED_WORK);
        let mut end = None;
        while end.is_none() && search.transitions() < enough {
            end = search.advance(EXPANSIONS);
            if end.is_none() && seen.dead_ends.get() >= ONLY_DEAD_ENDS {
                end = Some(End::Stopped(Stop::GivenUp));
            }
        }
        let work = (search.transitions() - before) * DIRECTED_WORK;
        Turn { end, work, gains: seen.nearest.get() < nearest }
    };
    let mut prepare = late_estimate.as_mut().map(|prepare| {
        || {
            *late.borrow_mut() = prepare();
            late.borrow().is_some()
        }
    });
    let prepared =
        prepare.as_mut().map(|prepare| Late { after: LATE, prepare, member: LATE_MEMBER, head_start: HEAD_START });
    let mut schedule = Schedule::new(watch, MEMBERS, &mut advance, prepared);
    schedule.leave_out(LATE_MEMBER);
    head_start(&mut schedule);
    let blind = schedule.winner().is_none().then(|| {
        let reduction = exploration.reduction_where_it_pays(&system, Reduction::StubbornSets);
        bfs::search(systems, &objective, reduction, store, &mut DynWatch(&mut schedule))
    });
    let (ends, winner) = (schedule.ends(), schedule.winner());
    systems[0].join(&system);
    let given_up = End::Stopped(Stop::Superseded);
    let mut outcomes: Vec<(Outcome<T::Action>, StoreUse)> = Vec::new();
    for (one, end) in directed.into_iter().zip(&ends) {
        outcomes.push((one.outcome(end.unwrap_or(given_up)), StoreUse::none()));
    }
    for (own, (_, store_use)) in stores.iter().zip(&mut outcomes) {
        *store_use = StoreUse::of("exact", own);
    }
    if let Some(Finished { outcome, system: fork, store_use }) = depth_first.into_finished() {
        systems[0].join(&fork);
        outcomes.push((outcome, store_use));
    }
    // an error found by a member that was not the next to move when a limit was hit still counts
    let winner = winner.or_else(|| match &blind {
        Some(Outcome { path: None, end: End::Stopped(_), .. }) => {
            outcomes.iter().position(|(one, _)| one.path.is_some())
        }
        _ => None,
    });
    let (outcome, winner) = match (winner, blind) {
        (None, Some(blind)) => (blind, Winner::Blind),
        (winner, blind) => {
            let nth = winner.expect("a search has decided");
            let search = match nth {
                DEPTH_FIRST => Search::Dfs,
                1 => Search::AStar { weight },
                _ => Search::BestFirst,
            };
            let (outcome, store_use) = outcomes.swap_remove(nth);
            outcomes.extend(blind.map(|blind| (blind, StoreUse::none())));
            (outcome, Winner::Member { search, store_use, by_late_estimate: nth == LATE_MEMBER })
        }
    };
    let stats = outcomes.iter().fold(outcome.stats, |sum, (other, _)| together(sum, other.stats));
    (Outcome { stats, ..outcome }, winner)
}

/// Gives the directed searches their head start.
fn head_start(schedule: &mut Schedule<'_>) {
    let dive = |schedule: &mut Schedule<'_>, nth, work| _ = (0..DIVE).take_while(|_| schedule.give(nth, work)).count();
    dive(schedule, 0, FIRST);
    let (mut done, mut work) = (FIRST, SECOND);
    while done < HEAD_START {
        dive(schedule, 1, work);
        dive(schedule, 0, work);
        done += 2 * work;
        work *= 2;
    }
}

/// The member of the portfolio that decided.
pub(crate) enum Winner {
    /// The breadth-first search.
    Blind,
    /// Another.
    Member {
        search: Search,
        store_use: StoreUse,
        /// It was directed by the estimate that was prepared late.
        by_late_estimate: bool,
    },
}

/// Adds the cost of another member to the figures of the one that decided. States and depth stay those of the latter.
pub(crate) fn together(of: Stats, others: Stats) -> Stats {
    Stats {
        expanded: of.expanded + others.expanded,
        peak_states: of.peak_states + others.peak_states,
        memory: of.memory + others.memory,
        ..of
    }
}
