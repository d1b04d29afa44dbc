//! Runs the searches that depend on a seed.
//!
//! The test for errors is called through a pointer here: each of these searches is made once for a system and a store, and not
//! again for each property.

use homing_core::{Fork, Outcome, Seed, Violation};
use homing_search::{Lanes, Objective, beam, highway, highway_exact, random_walk};
use homing_store::Store;

use crate::Search;
use crate::explore::Workers;

/// A test for errors that is called through a pointer.
type ErrorTest<'e> = &'e (dyn Fn(&Violation) -> bool + Sync);

/// Runs a random walk.
pub(crate) fn walk<T: Fork, E: Fn(&Violation) -> bool + Sync>(
    objective: &Objective<'_, E>,
    seed: Seed,
    workers: &mut Workers<'_, '_, T>,
) -> Outcome<T::Action> {
    let objective = objective.with_test(&objective.is_error as ErrorTest<'_>);
    let unit = Some(random_walk::RESTART_AFTER);
    random_walk::search(&workers.systems[0], &objective, seed, unit, &mut workers.watch)
}

/// Runs a search that keeps a bounded number of states of each level.
pub(crate) fn with_lanes<T: Fork, S: Store, E: Fn(&Violation) -> bool + Sync>(
    search: Search,
    objective: &Objective<'_, E>,
    seed: Seed,
    workers: &mut Workers<'_, '_, T>,
    store: &mut S,
) -> Outcome<T::Action> {
    let objective = objective.with_test(&objective.is_error as ErrorTest<'_>);
    lanes_of(search, &objective, seed, workers, store)
}

fn lanes_of<T: Fork, S: Store>(
    search: Search,
    objective: &Objective<'_, ErrorTest<'_>>,
    seed: Seed,
    Workers { systems, estimate, other_estimates, watch, .. }: &mut Workers<'_, '_, T>,
    store: &mut S,
) -> Outcome<T::Action> {
    let lanes = Lanes { width: search.width().unwrap_or(1), seed };
    match search {
        Search::Beam { .. } => {
            let mut estimates: Vec<&mut (dyn homing_core::Estimate + Send)> = vec![&mut ***estimate];
            estimates.extend(other_estimates.iter_mut().map(|other| &mut **other as _));
            beam::search(systems, objective, lanes, estimates, store, watch)
        }
        Search::HighwayExact { .. } => highway_exact::search(systems, objective, lanes, store, watch),
        _ => highway::search(&mut systems[0], objective, lanes, store, watch),
    }
}
