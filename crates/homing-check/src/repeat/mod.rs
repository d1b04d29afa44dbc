//! Repeated runs of a randomised search: a swarm of them, what they found, and statistics over them.

mod coverage;
mod statistics;
mod swarm;

use std::sync::{Mutex, PoisonError};

use homing_core::{End, Fork, Purpose, Seed, State, Stats, Violation, Watch};

pub use coverage::{Coverage, Incidence, Sightings};
pub use statistics::{QUANTILES, RunFigures, Sample};
pub use swarm::{OnSuccess, Swarm, Swarmed, Times};

use crate::{AnyEstimate, Exploration, Explored, Search, StoreChoice};

/// How often a randomised search is repeated, and what differs from run to run.
#[derive(Clone, Copy, Debug)]
pub struct Repeats {
    /// How many runs there are, and when they end.
    pub swarm: Swarm,
    /// The user's seed: together with its number it gives the seed of a run.
    pub seed: u64,
    /// What differs besides the seed.
    pub variety: Variety,
}

/// What differs from run to run besides the seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variety {
    /// Nothing: the runs are a sample of one method.
    Seeds,
    /// The width of levels is doubled after every three runs: a highway that ends without an error was too narrow, or not lucky.
    SeedsAndWidths,
}

/// What is known of repeated runs besides the outcome that is reported.
#[derive(Clone, Debug)]
pub struct Repeated {
    /// The runs.
    pub sample: Sample,
    /// The number of the run whose outcome is reported, if there was a run.
    pub run: Option<u64>,
    /// That run saw all states: there is no error.
    pub proved: bool,
    /// How much the runs have seen, if none of them decided.
    pub coverage: Option<Coverage>,
}

/// A level is not made wider than this.
const WIDEST: usize = 1 << 24;

impl Repeats {
    /// The search of a run.
    pub(crate) fn search(&self, search: Search, run: u64) -> Search {
        let doublings = if self.variety == Variety::Seeds { 0 } else { (run / 3).min(24) };
        let widened = |width: usize| (width << doublings).min(WIDEST).max(width);
        match search {
            Search::Highway { width } => Search::Highway { width: widened(width) },
            Search::HighwayExact { width } => Search::HighwayExact { width: widened(width) },
            Search::Beam { width } => Search::Beam { width: widened(width) },
            search => search,
        }
    }

    /// The store of a run: a bit field has hash functions of its own in every run, so that other states are lost.
    fn store(&self, store: StoreChoice, run: Seed) -> StoreChoice {
        match store {
            StoreChoice::Bitstate { bits, hashes, .. } => {
                StoreChoice::Bitstate { bits, hashes, seed: run.stream(Purpose::Hash).draw() }
            }
            store => store,
        }
    }
}

impl<E: Fn(&Violation) -> bool + Sync> Exploration<'_, E> {
    /// Repeats the search, with a thread for each of `estimates`. The outcome is that of the first run that found an error, or
    /// proved that there is none, or else of the first run; its figures are those of all runs together.
    pub fn repeat<T: Fork>(
        &self,
        repeats: &Repeats,
        system: &T,
        estimates: Vec<AnyEstimate<'_>>,
        watch: &mut dyn Watch,
    ) -> (Explored<T::Action>, Repeated) {
        let workers: Vec<(T, AnyEstimate<'_>)> =
            estimates.into_iter().map(|estimate| (system.fork(), estimate)).collect();
        let incidence = Mutex::new(Incidence::default());
        let hashes = Seed::of_run(repeats.seed, 0).stream(Purpose::Diversity);
        let run = |(fork, estimate): &mut (T, AnyEstimate<'_>), number: u64, watch: &mut dyn Watch| {
            let (search, seed) = (repeats.search(self.search, number), Seed::of_run(repeats.seed, number));
            let sightings = Mutex::new(Sightings::default());
            let observe = |state: &State| {
                let hash = hashes.hash(0, &state[self.hidden_prefix..]);
                sightings.lock().unwrap_or_else(PoisonError::into_inner).see(hash);
            };
            let objective = self.objective.with_test(&self.objective.is_error).observed_by(&observe);
            let store = repeats.store(self.store, seed);
            let Exploration { reduction, partial_order, hidden_prefix, .. } = *self;
            let once =
                Exploration { search, store, objective, reduction, partial_order, threads: 1, hidden_prefix, seed };
            let explored = once.run(fork, estimate, watch);
            let sightings = sightings.into_inner().unwrap_or_else(PoisonError::into_inner);
            incidence.lock().unwrap_or_else(PoisonError::into_inner).add(&sightings);
            explored
        };
        let (swarmed, workers) = repeats.swarm.run(workers, run, watch);
        workers.iter().for_each(|(fork, _)| system.join(fork));
        let incidence = incidence.into_inner().unwrap_or_else(PoisonError::into_inner);
        swarmed.conclude(self.search, Some(&incidence))
    }
}

impl<A> Swarmed<A> {
    /// The outcome that is reported, with the figures of all runs together, and what is known of the runs besides.
    pub(crate) fn conclude(self, search: Search, incidence: Option<&Incidence>) -> (Explored<A>, Repeated) {
        let Swarmed { sample, reported, total, stopped } = self;
        let (run, mut explored) = match reported {
            Some((run, explored)) => (Some(run), explored),
            None => (None, Explored::nothing(search, stopped)),
        };
        let proved = explored.saw_everything();
        let decided = explored.outcome.path.is_some() || proved;
        if let (false, Some(stop)) = (decided, stopped) {
            explored.outcome.end = End::Stopped(stop);
        }
        explored.outcome.stats = Stats { clear_below: 0, ..total };
        let coverage = if decided { None } else { incidence.and_then(Incidence::coverage) };
        (explored, Repeated { sample, run, proved, coverage })
    }
}
