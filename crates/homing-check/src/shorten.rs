//! Looks for a shorter path than one that is known, or proves that there is none.

use homing_core::{
    Blind, Cost, End, Estimate, Fork, Guarantee, Limit, Limits, Path, Progress, Stats, Stop, Violation, Watch,
};
use homing_search::{Objective, Reduction, Weight};

use crate::explore::{AnyEstimate, Exploration, Explored};
use crate::{PartialOrder, Search};

/// Transitions that a proof of minimality may take where none was asked for: about a fifth of a second of work.
const ENOUGH: u64 = 1 << 20;

/// Whether a path that is not known to be shortest is shortened, by a breadth-first search below its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shortening {
    /// It is reported as it was found.
    Never,
    /// The search is given up when it takes many more states than finding the path did.
    IfCheap,
    /// The search goes on until it has proved that no path is shorter, or reaches a limit.
    Always,
}

/// What came of shortening a path.
#[derive(Clone, Debug)]
pub enum Shortened<A> {
    /// A shorter path.
    Shorter(Path<A>),
    /// No path is shorter.
    Shortest,
    /// The search ended before it could say.
    Open {
        /// If it is known: no path has a smaller cost than this.
        at_least: Option<Cost>,
    },
}

/// The states that a proof of minimality may take if it is to be cheap, after a search with these figures: as many as the search
/// itself, or about a million transitions.
pub fn cheap(stats: &Stats) -> u64 {
    let successors = (stats.transitions() / stats.expanded.max(1)).max(1);
    stats.states.max(ENOUGH / successors)
}

impl<E: Fn(&Violation) -> bool + Sync> Exploration<'_, E> {
    /// Searches for a path shorter than `length`, without partial-order reduction: by A* if there is an estimate, which must be
    /// admissible, else breadth-first. With `most` states it gives up after so many; breadth-first search also as soon as it is not on
    /// track to finish within them. Returns what it took, too.
    pub fn shorten<T: Fork>(
        &self,
        system: &T,
        length: Cost,
        (most, estimate): (Option<u64>, Option<&mut AnyEstimate<'_>>),
        watch: &mut dyn Watch,
    ) -> (Shortened<T::Action>, Stats) {
        let Some(max_depth) = length.checked_sub(1) else { return (Shortened::Shortest, Stats::default()) };
        let Objective { is_error, on_error, limits, .. } = &self.objective;
        let max_states = [most, limits.max_states].into_iter().flatten().min();
        let limits = Limits { max_depth: Some(max_depth), max_states, ..**limits };
        let below = Exploration {
            search: if estimate.is_some() { Search::AStar { weight: Weight::ONE } } else { Search::Bfs },
            store: self.store.or_tree(),
            objective: Objective::new(is_error, *on_error, &limits),
            reduction: match self.reduction {
                // its paths need not be shortest, or the system is reduced itself
                Reduction::StubbornSets | Reduction::StubbornSetsWithErrors => Reduction::SleepSets,
                reduction => reduction,
            },
            partial_order: PartialOrder::Never,
            threads: self.threads,
            hidden_prefix: self.hidden_prefix,
            seed: self.seed,
        };
        let is_breadth_first = estimate.is_none();
        let budget = most.filter(|_| is_breadth_first).map(|states| ProofBudget { depth: max_depth, states });
        let blind: &mut AnyEstimate<'_> = &mut (Box::new(Blind) as _);
        let estimate = estimate.map_or(blind, |estimate| estimate);
        let is_admissible = estimate.guarantee() >= Guarantee::Admissible;
        let Explored { outcome, store_use, .. } = below.run(system, estimate, &mut Budgeted { watch, budget });
        let is_proof =
            store_use.lossless && self.hidden_prefix == 0 && is_admissible && outcome.stats.contradictions == 0;
        let shortened = match (outcome.path, outcome.end) {
            (Some(path), _) => Shortened::Shorter(path),
            (None, End::Exhausted | End::Stopped(Stop::Limit(Limit::Depth))) if is_proof => Shortened::Shortest,
            (None, _) => {
                Shortened::Open { at_least: (is_proof && is_breadth_first).then_some(outcome.stats.clear_below) }
            }
        };
        (shortened, outcome.stats)
    }
}

/// The budget of a proof: it must reach this depth within this many states.
#[derive(Clone, Copy, Debug)]
struct ProofBudget {
    depth: Cost,
    states: u64,
}

impl ProofBudget {
    /// The rate is judged after this share (one part in so many) of the states.
    const SHOWS: u64 = 64;

    /// By how much the search may still speed up, in levels per state. Most slow down, because levels grow with the
    /// depth.
    const FASTER: u64 = 4;

    fn is_on_track(self, progress: &Progress) -> bool {
        let expected = u64::from(progress.depth).saturating_mul(Self::FASTER).saturating_mul(self.states);
        progress.states < self.states / Self::SHOWS || expected >= u64::from(self.depth).saturating_mul(progress.states)
    }
}

/// The watch of a proof: gives up when it is not on track.
struct Budgeted<'w> {
    watch: &'w mut dyn Watch,
    budget: Option<ProofBudget>,
}

impl Watch for Budgeted<'_> {
    fn look(&mut self, progress: &Progress) -> Option<Stop> {
        self.watch.look(progress).or_else(|| {
            let given_up = self.budget.is_some_and(|budget| !budget.is_on_track(progress));
            given_up.then_some(Stop::GivenUp)
        })
    }

    fn after_cut_off(&mut self, progress: &Progress) -> Option<Stop> {
        self.watch.after_cut_off(progress)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_that_does_not_come_far_enough_is_given_up() {
        let budget = ProofBudget { depth: 1000, states: 64_000 };
        let at = |depth, states| Progress { states, transitions: 0, depth, frontier: 0, memory: 0, errors: 0 };
        assert!(budget.is_on_track(&at(1, 999)), "too early to tell");
        assert!(budget.is_on_track(&at(4, 1000)), "four times as fast it would come to 1024");
        assert!(!budget.is_on_track(&at(3, 1000)));
        assert!(budget.is_on_track(&at(300, 64_000)));
    }
}
