//! Runs one search with the chosen store: the place where algorithm, store and watch become concrete types.

use homing_core::{End, Estimate, Fork, Limit, Outcome, Progress, Seed, Stats, Stop, Violation, Watch};
use homing_search::ida::{self, BitFields};
use homing_search::{
    Directed, Evaluation, Objective, OnError, Reduction, best_first, bfs, bounded, dfs, randomised_storing, stateless,
};
use homing_store::{BitStore, CompactStore, ExactStore, Numbered, Store, TreeStore};

use crate::portfolio::{self, Winner};
use crate::random;
use crate::store::storing;
use crate::{PartialOrder, Search, StoreChoice, StoreUse};

/// Any estimate.
pub type AnyEstimate<'m> = Box<dyn Estimate + Send + 'm>;

/// Prepares an estimate that takes long, if there is one that directs better.
pub type LateEstimate<'a, 'h> = dyn FnMut() -> Option<AnyEstimate<'h>> + 'a;

/// The estimates of a search.
pub struct Estimates<'a, 'h> {
    /// One, or one for each thread: beam search has no more threads than estimates.
    pub ready: &'a mut [AnyEstimate<'h>],
    /// One that the portfolio asks for when it has searched long without a decision.
    pub late: Option<&'a mut LateEstimate<'a, 'h>>,
}

/// A search that is ready to run: algorithm, store and objective. [`Checker`](crate::Checker) builds one, runs it, and draws the
/// conclusions; an `Exploration` alone returns what the search returns.
#[derive(Clone, Copy, Debug)]
pub struct Exploration<'a, E> {
    /// The algorithm.
    pub search: Search,
    /// The store, made [suitable](StoreChoice::suited_to) for the algorithm.
    pub store: StoreChoice,
    /// What is searched for, and within which limits.
    pub objective: Objective<'a, E>,
    /// What a breadth-first search may leave out.
    pub reduction: Reduction,
    /// What the portfolio may leave out besides.
    pub partial_order: PartialOrder,
    /// The number of threads, for searches that are [parallel](Search::is_parallel); at least one.
    pub threads: usize,
    /// How many bytes at the front of each state do not distinguish states. Their values are those of the run that reached the
    /// state first, so that nothing is proved about lengths; the tree cannot be used.
    pub hidden_prefix: usize,
    /// What a [random](Search::is_random) search depends on: one seed gives one run.
    pub seed: Seed,
}

/// The outcome of a search, with what produced it.
#[derive(Clone, Debug)]
pub struct Explored<A> {
    /// The outcome.
    pub outcome: Outcome<A>,
    /// The member of the portfolio that decided, or the algorithm that was asked for.
    pub search: Search,
    /// The store of that search.
    pub store_use: StoreUse,
    /// It was directed by the estimate that was prepared late.
    pub by_late_estimate: bool,
}

impl<A> Explored<A> {
    /// The outcome of a search with the estimates that it began with.
    pub(crate) fn new(outcome: Outcome<A>, search: Search, store_use: StoreUse) -> Self {
        Explored { outcome, search, store_use, by_late_estimate: false }
    }

    /// Nothing was searched.
    pub(crate) fn nothing(search: Search, stop: Option<Stop>) -> Self {
        let end = End::Stopped(stop.unwrap_or(Stop::GivenUp));
        let outcome = Outcome { end, path: None, errors: 0, stats: Stats::default() };
        Explored::new(outcome, search, StoreUse::none())
    }

    /// Whether every reachable state was seen, and none is an error.
    pub(crate) fn saw_everything(&self) -> bool {
        self.outcome.end == End::Exhausted && self.outcome.path.is_none() && self.store_use.lossless
    }
}

/// The forks of a system that a search runs on, one for each thread, and the watch. The watch is called rarely, so that a copy of
/// each search for each kind of watch is not worth its code.
pub(crate) struct Workers<'a, 'h, T> {
    pub systems: Vec<T>,
    pub estimate: &'a mut AnyEstimate<'h>,
    /// More of the same, for searches that estimate with several threads.
    pub other_estimates: &'a mut [AnyEstimate<'h>],
    /// One that takes long to be prepared, for the portfolio.
    pub late_estimate: Option<&'a mut LateEstimate<'a, 'h>>,
    pub watch: DynWatch<'a>,
}

/// A watch that is called through a pointer.
pub(crate) struct DynWatch<'w>(pub &'w mut dyn Watch);

impl Watch for DynWatch<'_> {
    fn look(&mut self, progress: &Progress) -> Option<Stop> {
        self.0.look(progress)
    }

    fn after_cut_off(&mut self, progress: &Progress) -> Option<Stop> {
        self.0.after_cut_off(progress)
    }
}

/// Corrects the end of a search: a step may have been cut off because the time was over while no watch was called, as in the head
/// start.
pub(crate) fn after_cut_off(end: &mut End, watch: &mut dyn Watch) {
    if *end == End::limit(Limit::CutOff)
        && let Some(stop) = watch.after_cut_off(&Progress::default())
    {
        *end = End::Stopped(stop);
    }
}

/// The seeds of the hash functions that partial IDA* tries one after the other.
const SEEDS: [u64; 3] = [0, 1, 2];

impl<E: Fn(&Violation) -> bool + Sync> Exploration<'_, E> {
    /// Searches the system. What its forks have recorded is joined to it.
    ///
    /// # Panics
    /// If the search [finds no errors](crate::Sought::is_found_by) of finite runs.
    pub fn run<T: Fork>(
        &self,
        system: &T,
        estimate: &mut AnyEstimate<'_>,
        watch: &mut dyn Watch,
    ) -> Explored<T::Action> {
        self.run_estimated(system, Estimates { ready: std::slice::from_mut(estimate), late: None }, watch)
    }

    /// Searches as [`Exploration::run`] does, with several estimates.
    ///
    /// # Panics
    /// If there is no estimate, or if the search [finds no errors](crate::Sought::is_found_by) of finite runs.
    pub fn run_estimated<T: Fork>(
        &self,
        system: &T,
        Estimates { ready, late }: Estimates<'_, '_>,
        watch: &mut dyn Watch,
    ) -> Explored<T::Action> {
        let threads = self.threads_with(ready.len());
        let (estimate, other_estimates) = ready.split_first_mut().expect("an estimate");
        let systems = (0..threads).map(|_| system.fork()).collect();
        let mut workers = Workers {
            systems,
            estimate,
            other_estimates,
            late_estimate: late.map(|late| late as _),
            watch: DynWatch(watch),
        };
        let mut explored = self.with_store(&mut workers);
        workers.systems.iter().for_each(|fork| system.join(fork));
        after_cut_off(&mut explored.outcome.end, watch);
        explored
    }

    /// The number of threads with so many estimates.
    pub(crate) fn threads_with(&self, estimates: usize) -> usize {
        match self.search {
            Search::Beam { .. } => self.threads.clamp(1, estimates),
            search if search.is_parallel() => self.threads.max(1),
            _ => 1,
        }
    }

    /// Chooses the type of the store.
    fn with_store<T: Fork>(&self, workers: &mut Workers<'_, '_, T>) -> Explored<T::Action> {
        let hidden_prefix = self.hidden_prefix;
        match self.store.suited_to(self.search) {
            StoreChoice::Exact => self.numbered("exact", workers, ExactStore::new(hidden_prefix)),
            StoreChoice::Tree => self.numbered("tree", workers, TreeStore::new()),
            StoreChoice::Compact => self.numbered("compact", workers, CompactStore::new(hidden_prefix)),
            StoreChoice::Bitstate { bits, hashes, seed } => {
                let mut store = BitStore::new(hidden_prefix, bits, hashes);
                if seed != 0 {
                    store.start_over(seed);
                }
                let Search::Ida { weight: by } = self.search else {
                    return self.undirected("bitstate", workers, store, |store| Some(store.expected_coverage()));
                };
                let Workers { systems, estimate, watch, .. } = workers;
                let estimate = &mut **estimate;
                let fields = BitFields { store: &mut store, seeds: &SEEDS };
                let outcome = ida::partial(&systems[0], &self.objective, Directed { by, estimate }, fields, watch);
                let expected_coverage = Some(store.expected_coverage());
                let store_use = StoreUse { expected_coverage, ..StoreUse::of("bitstate", &store) };
                Explored::new(outcome, self.search, store_use)
            }
            choice @ StoreChoice::Random { strategy, keep } => {
                let how = (storing(strategy, keep, self.seed), self.search.order(self.seed));
                let mut store = TreeStore::new();
                let Workers { systems, watch, .. } = workers;
                let outcome = randomised_storing::search(&systems[0], &self.objective, None, how, &mut store, watch);
                let store_use = StoreUse { is_random: true, ..StoreUse::of(choice.name(), &store) };
                Explored::new(outcome, self.search, store_use)
            }
            StoreChoice::Nothing => self.storeless(workers),
        }
    }

    /// Searches without a store.
    pub(crate) fn storeless<T: Fork>(&self, workers: &mut Workers<'_, '_, T>) -> Explored<T::Action> {
        let outcome = match self.search {
            Search::RandomWalk => random::walk(&self.objective, self.seed, workers),
            _ => stateless::search(&workers.systems[0], &self.objective, self.hidden_prefix, &mut workers.watch),
        };
        Explored::new(outcome, self.search, StoreUse { store: "none", ..StoreUse::none() })
    }

    /// Searches with a store that gives states ids, which directed searches need.
    pub(crate) fn numbered<T: Fork, S: Numbered>(
        &self,
        name: &'static str,
        workers: &mut Workers<'_, '_, T>,
        mut store: S,
    ) -> Explored<T::Action> {
        if self.search.width().is_some() {
            let outcome = random::with_lanes(self.search, &self.objective, self.seed, workers, &mut store);
            return Explored::new(outcome, self.search, StoreUse::of(name, &store));
        }
        let Workers { systems, estimate, watch, .. } = workers;
        let estimate = &mut **estimate;
        let (system, objective, visited) = (&systems[0], &self.objective, &mut store);
        let mut best_first = |by| best_first::search(system, objective, Directed { by, estimate }, visited, watch);
        let outcome = match self.search {
            Search::BestFirst => best_first(Evaluation::Greedy),
            Search::AStar { weight } => best_first(Evaluation::Weighted(weight)),
            Search::Ida { weight: by } => ida::search(system, objective, Directed { by, estimate }, visited, watch),
            Search::ShorterDfs => bounded::shorten(system, objective, visited, watch),
            _ => return self.undirected(name, workers, store, |_| None),
        };
        Explored::new(outcome, self.search, StoreUse::of(name, &store))
    }

    /// Searches breadth-first, depth-first or with the portfolio; `coverage` is the expected coverage of a lossy store.
    fn undirected<T: Fork, S: Store>(
        &self,
        name: &'static str,
        workers: &mut Workers<'_, '_, T>,
        mut store: S,
        coverage: impl FnOnce(&S) -> Option<f64>,
    ) -> Explored<T::Action> {
        let objective = &self.objective;
        let (outcome, search) = match self.search {
            Search::Auto if objective.on_error == OnError::Stop && S::LOSSLESS => {
                match portfolio::search(workers, self, &mut store) {
                    (outcome, Winner::Blind) => (outcome, Search::Bfs),
                    (outcome, Winner::Directed { search, store_use, by_late_estimate }) => {
                        return Explored { by_late_estimate, ..Explored::new(outcome, search, store_use) };
                    }
                }
            }
            Search::Dfs | Search::ShorterDfs | Search::RandomDfs => {
                let Workers { systems, watch, .. } = workers;
                let search = if self.search == Search::ShorterDfs { Search::Dfs } else { self.search };
                (dfs::search(&systems[0], objective, search.order(self.seed), &mut store, watch), search)
            }
            Search::Auto | Search::Bfs => {
                let Workers { systems, watch, .. } = workers;
                let reduction = match self.partial_order {
                    // fewer steps, but an error need not be the nearest
                    PartialOrder::Always => Reduction::StubbornSets,
                    PartialOrder::IfItPays
                        if self.search == Search::Bfs && objective.on_error == OnError::Stop && S::LOSSLESS =>
                    {
                        self.reduction_where_it_pays(&systems[0], Reduction::StubbornSetsWithErrors)
                    }
                    PartialOrder::IfItPays | PartialOrder::Never => self.reduction,
                };
                (bfs::search(systems, objective, reduction, &mut store, watch), Search::Bfs)
            }
            other => panic!("{} finds no errors with this store", other.name()),
        };
        let store_use = StoreUse { expected_coverage: coverage(&store), ..StoreUse::of(name, &store) };
        Explored::new(outcome, search, store_use)
    }
}
