//! Whether there is a shorter path than one that was found: A* with the length of that one as its bound.
//!
//! A search that is quick to find an error (greedy, depth-first) finds a long path to it; how long it is, is worth much to
//! the search for a shorter one: whatever cannot end below it is left aside at once.

use homing_core::{Cost, Outcome};
use homing_core::{End, Estimate, Guarantee, Limit, Limits, Path, Stats, TransitionSystem, Violation, Watch};
use homing_store::Store;

use crate::best_first::explore;
use crate::{Errors, Guide, Merit, Weight};

/// What is known now of a path that was found.
#[derive(Clone, Debug)]
pub enum Finding<A> {
    /// There is a shorter one, this. It may be a shortest one.
    Shorter(Path<A>),
    /// There is none: it is proved.
    Shortest,
    /// A limit was hit before either, a step was not followed to its end, or states may have been lost.
    Unknown(End),
}

/// The answer, and what it took.
#[derive(Clone, Debug)]
pub struct Shortened<A> {
    pub finding: Finding<A>,
    pub stats: Stats,
}

/// Looks for an error by a path of less than `length` statements. `store` is empty at the start. Violations for which
/// `is_error` is false are passed over. An estimate that may be too large is asked for dead ends only.
pub fn shorten<T, S, H, W>(
    system: &T,
    is_error: impl Fn(&Violation) -> bool,
    length: Cost,
    estimate: &mut H,
    store: &mut S,
    limits: &Limits,
    watch: &mut W,
) -> Shortened<T::Action>
where
    T: TransitionSystem,
    S: Store,
    H: Estimate,
    W: Watch,
{
    let Some(below) = length.checked_sub(1) else {
        return Shortened { finding: Finding::Shortest, stats: Stats::default() };
    };
    let asked = limits.max_depth.unwrap_or(below);
    let limits = Limits { max_depth: Some(asked.min(below)), ..*limits };
    let weight = if estimate.guarantee() >= Guarantee::Admissible { Weight::ONE } else { Weight::ZERO };
    let guide = Guide { by: Merit::Weighted(weight), estimate };
    let explored = explore(system, is_error, Errors::StopAtFirst, guide, store, &limits, watch);
    let Outcome { end, path, stats, .. } = explored.outcome;
    let is_complete = match end {
        End::Exhausted => true,
        End::Stopped(Limit::Depth) => asked >= below && !explored.left_steps, // the rest is no shorter
        End::Found | End::Stopped(_) => false,
    };
    let finding = match path {
        Some(path) => Finding::Shorter(path),
        None if is_complete && S::LOSSLESS && system.carried() == 0 => Finding::Shortest,
        None => Finding::Unknown(end),
    };
    Shortened { finding, stats }
}

#[cfg(test)]
mod tests {
    use homing_core::{Blind, Unwatched};
    use homing_store::{CompactStore, ExactStore};

    use super::*;
    use crate::table::Row::{Bad, Endless, To};
    use crate::table::Table;

    fn ask<S: Store>(system: &Table, length: Cost, mut store: S, limits: Limits) -> Finding<usize> {
        shorten(system, |_| true, length, &mut Blind, &mut store, &limits, &mut Unwatched).finding
    }

    #[test]
    fn a_shorter_path_is_found_or_there_is_none() {
        let system = Table::new(&[
            ("a", &[To("b", 1), To("c", 2)]),
            ("b", &[To("d", 7)]),
            ("c", &[Bad("near", 2)]),
            ("d", &[Bad("far", 1)]),
        ]);
        let none = Limits::default();
        let Finding::Shorter(path) = ask(&system, 9, ExactStore::new(0), none) else { panic!("there is one") };
        assert_eq!((path.length, path.shortest), (4, true));
        assert!(matches!(ask(&system, 4, ExactStore::new(0), none), Finding::Shortest));
        assert!(matches!(ask(&system, 0, ExactStore::new(0), none), Finding::Shortest));
        let lossy = ask(&system, 4, CompactStore::new(0), none);
        assert!(matches!(lossy, Finding::Unknown(End::Stopped(Limit::Depth))));
        let limits = Limits { max_depth: Some(2), ..none };
        assert!(matches!(ask(&system, 9, ExactStore::new(0), limits), Finding::Unknown(_)), "asked for less");
        let limits = Limits { max_states: Some(2), ..none };
        let stopped = ask(&system, 4, ExactStore::new(0), limits);
        assert!(matches!(stopped, Finding::Unknown(End::Stopped(Limit::States))));
    }

    #[test]
    fn a_step_that_was_not_followed_hides_what_is_behind_it() {
        let system = Table::new(&[("a", &[Endless(1), Bad("known", 5)])]);
        assert!(matches!(ask(&system, 5, ExactStore::new(0), Limits::default()), Finding::Unknown(_)));
    }
}
