//! Runs one search with the chosen store: the place where the concrete types are chosen.

use homing_core::{Estimate, Outcome, Progress, Violation, Watch};
use homing_engine::{CompiledEngine, StepIndex};
use homing_search::ida::{self, BitFields};
use homing_search::{
    Directed, Evaluation, Objective, OnError, Reduction, Weight, best_first, bfs, bounded, dfs, stateless,
};
use homing_store::{BitStore, CompactStore, ExactStore, Numbered, Store as Visited, TreeStore};

use crate::cli::{SearchArgs, Store};
use crate::portfolio::{self, Winner};
use crate::result::{Algorithm, StoreUse};

/// Options that cannot be combined.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionConflict {
    #[error("--threads {0} is not supported by --search {1}; it applies to --search bfs and auto")]
    Threads(u32, &'static str),
    #[error("{0} has no effect with this store; it applies to --store bitstate")]
    Bits(&'static str),
    #[error("--store bitstate gives states no ids, which --search {0} needs for its paths; use ida, bfs or dfs")]
    Unnumbered(&'static str),
    #[error("--store has no effect with --search stateless, which stores no states; leave it out")]
    Stateless,
    #[error("--heuristic {0} has no effect with --search {1}; it applies to best-first, astar, ida and auto")]
    Undirected(&'static str, &'static str),
    #[error("{option} has no effect with {given}; it applies to {applies_to}")]
    Idle { option: &'static str, given: String, applies_to: &'static str },
    #[error("--heuristic {0} cannot be used: {1}")]
    Heuristic(&'static str, homing_heuristics::Unfit),
    #[error(
        "--plain leaves the hidden variables of the model out of the state, as SPIN does; that needs --store exact and one \
         thread"
    )]
    Hidden,
}

/// The store of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreChoice {
    Exact,
    Tree,
    Compact,
    /// A bit field of 2^`bits` bits, of which each state sets `hashes`.
    Bitstate {
        bits: u32,
        hashes: u32,
    },
    /// No store: only the current path is kept.
    Nothing,
}

/// The settings of a search that do not depend on its store.
pub struct SearchSettings<'a, E> {
    pub algorithm: Algorithm,
    pub weight: Weight,
    pub objective: Objective<'a, E>,
    /// What a breadth-first search may leave out.
    pub reduction: Reduction,
    /// Partial-order reduction may be used.
    pub reduces: bool,
}

/// Any estimate.
pub type AnyEstimate<'m> = Box<dyn Estimate + Send + 'm>;

/// A watch behind a pointer. It is called rarely, so that a copy of each search for each kind of watch is not worth its
/// code.
pub struct DynWatch<'w>(pub &'w mut dyn Watch);

impl Watch for DynWatch<'_> {
    fn look(&mut self, progress: &Progress) -> Option<homing_core::Stop> {
        self.0.look(progress)
    }

    fn after_cut_off(&mut self, progress: &Progress) -> Option<homing_core::Stop> {
        self.0.after_cut_off(progress)
    }
}

/// The outcome of a search, with what produced it.
pub struct Explored {
    pub outcome: Outcome<StepIndex>,
    /// The member of the portfolio that decided, or the algorithm that was asked for.
    pub algorithm: Algorithm,
    pub store_use: StoreUse,
}

/// SPIN's number of hash functions.
const HASHES: u32 = 3;

/// The default size of a bit field is 2^30 bits (128 MiB), or half of the memory if that is less.
const MOST_BITS: u32 = 30;

/// The seeds of the hash functions that partial IDA* tries one after the other.
const SEEDS: [u64; 3] = [0, 1, 2];

impl StoreChoice {
    /// Chooses the store by the options. `hidden_prefix` is the number of hidden bytes in front of each state.
    pub fn new(
        args: &SearchArgs,
        algorithm: Algorithm,
        hidden_prefix: usize,
        memory: Option<u64>,
    ) -> Result<Self, OptionConflict> {
        if args.threads > 1 && !matches!(algorithm, Algorithm::Bfs | Algorithm::Auto) {
            return Err(OptionConflict::Threads(args.threads, algorithm.name()));
        }
        if hidden_prefix > 0 && (args.threads > 1 || args.store == Store::Tree) {
            return Err(OptionConflict::Hidden);
        }
        if args.store != Store::Bitstate {
            let given = [(args.bits.is_some(), "--bits"), (args.hashes.is_some(), "--hashes")];
            if let Some((_, option)) = given.into_iter().find(|(given, _)| *given) {
                return Err(OptionConflict::Bits(option));
            }
        }
        if algorithm == Algorithm::Stateless {
            return if args.store == Store::Auto { Ok(StoreChoice::Nothing) } else { Err(OptionConflict::Stateless) };
        }
        Ok(match args.store {
            Store::Auto if hidden_prefix > 0 => StoreChoice::Exact,
            Store::Auto | Store::Tree => StoreChoice::Tree,
            Store::Exact => StoreChoice::Exact,
            Store::Compact => StoreChoice::Compact,
            Store::Bitstate if matches!(algorithm, Algorithm::BestFirst | Algorithm::AStar) => {
                return Err(OptionConflict::Unnumbered(algorithm.name()));
            }
            Store::Bitstate => {
                let half = memory.map_or(MOST_BITS, |bytes| (bytes * 4).max(64).ilog2());
                let bits = args.bits.map_or(half.min(MOST_BITS), |bits| bits.max(64).ilog2());
                StoreChoice::Bitstate { bits, hashes: args.hashes.unwrap_or(HASHES) }
            }
        })
    }

    /// Searches with one thread for each engine.
    pub fn search<E>(
        self,
        engines: &mut [CompiledEngine<'_>],
        settings: &SearchSettings<'_, E>,
        estimate: &mut AnyEstimate<'_>,
        watch: &mut dyn Watch,
    ) -> Explored
    where
        E: Fn(&Violation) -> bool + Sync,
    {
        let hidden_prefix = engines[0].hidden_prefix();
        let watch = &mut DynWatch(watch);
        match self {
            StoreChoice::Exact => settings.numbered("exact", engines, ExactStore::new(hidden_prefix), estimate, watch),
            StoreChoice::Tree => settings.numbered("tree", engines, TreeStore::new(), estimate, watch),
            StoreChoice::Compact => {
                settings.numbered("compact", engines, CompactStore::new(hidden_prefix), estimate, watch)
            }
            StoreChoice::Bitstate { bits, hashes } => {
                let mut store = BitStore::new(hidden_prefix, bits, hashes);
                if settings.algorithm != Algorithm::Ida {
                    let coverage = |store: &BitStore| Some(store.expected_coverage());
                    return settings.undirected("bitstate", engines, store, coverage, estimate, watch);
                }
                let fields = BitFields { store: &mut store, seeds: &SEEDS };
                let directed = Directed { by: settings.weight, estimate };
                let outcome = ida::partial(&engines[0], &settings.objective, directed, fields, watch);
                let expected_coverage = Some(store.expected_coverage());
                let store_use = StoreUse { expected_coverage, ..store_use("bitstate", &store) };
                Explored { outcome, algorithm: Algorithm::Ida, store_use }
            }
            StoreChoice::Nothing => {
                let outcome = stateless::search(&engines[0], &settings.objective, hidden_prefix, watch);
                let store_use = StoreUse { store: "none", ..StoreUse::none() };
                Explored { outcome, algorithm: Algorithm::Stateless, store_use }
            }
        }
    }
}

impl StoreChoice {
    /// This store, or the tree if it is none.
    pub fn or_tree(self) -> Self {
        if self == StoreChoice::Nothing { StoreChoice::Tree } else { self }
    }
}

/// What the result reports about a store.
pub fn store_use<S: Visited>(name: &'static str, store: &S) -> StoreUse {
    StoreUse {
        store: name,
        lossless: S::LOSSLESS,
        expected_coverage: None,
        state_bytes: store.usage().longest_state,
        used: store.usage().bytes,
    }
}

impl<E: Fn(&Violation) -> bool + Sync> SearchSettings<'_, E> {
    /// Searches with a store that gives states ids, which directed searches need.
    fn numbered<S: Numbered>(
        &self,
        name: &'static str,
        engines: &mut [CompiledEngine<'_>],
        mut store: S,
        estimate: &mut AnyEstimate<'_>,
        watch: &mut DynWatch<'_>,
    ) -> Explored {
        let SearchSettings { algorithm, weight, objective, .. } = self;
        let (system, visited) = (&engines[0], &mut store);
        let mut best_first = |by| best_first::search(system, objective, Directed { by, estimate }, visited, watch);
        let outcome = match algorithm {
            Algorithm::BestFirst => best_first(Evaluation::Greedy),
            Algorithm::AStar => best_first(Evaluation::Weighted(*weight)),
            Algorithm::Ida => ida::search(system, objective, Directed { by: *weight, estimate }, visited, watch),
            Algorithm::ShorterDfs => bounded::shorten(system, objective, visited, watch),
            _ => return self.undirected(name, engines, store, |_| None, estimate, watch),
        };
        Explored { outcome, algorithm: *algorithm, store_use: store_use(name, &store) }
    }

    /// Searches breadth-first, depth-first or with the portfolio; `coverage` is the expected coverage of a lossy store.
    fn undirected<S: Visited>(
        &self,
        name: &'static str,
        engines: &mut [CompiledEngine<'_>],
        mut store: S,
        coverage: impl FnOnce(&S) -> Option<f64>,
        estimate: &mut AnyEstimate<'_>,
        watch: &mut DynWatch<'_>,
    ) -> Explored {
        let SearchSettings { algorithm, objective, reduction, .. } = self;
        let (outcome, algorithm) = match algorithm {
            Algorithm::Auto if objective.on_error == OnError::Stop && S::LOSSLESS => {
                match portfolio::search(engines, self, &mut store, estimate, watch) {
                    (outcome, Winner::Blind) => (outcome, Algorithm::Bfs),
                    (outcome, Winner::Directed(algorithm, store_use)) => {
                        return Explored { outcome, algorithm, store_use };
                    }
                }
            }
            Algorithm::Dfs | Algorithm::ShorterDfs => {
                (dfs::search(&engines[0], objective, &mut store, watch), Algorithm::Dfs)
            }
            _ => {
                let outcome = bfs::search(engines, objective, *reduction, &mut store, watch);
                (outcome, Algorithm::Bfs)
            }
        };
        let store_use = StoreUse { expected_coverage: coverage(&store), ..store_use(name, &store) };
        Explored { outcome, algorithm, store_use }
    }
}
