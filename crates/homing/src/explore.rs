//! One search, with the store that was asked for: the place where types are picked.

use homing_core::{Estimate, Outcome, Progress, Violation, Watch};
use homing_engine::{CompiledEngine, StepIndex};
use homing_search::ida::{self, BitFields};
use homing_search::{
    Directed, Evaluation, Objective, OnError, Reduction, Weight, best_first, bfs, bounded, dfs, stateless,
};
use homing_store::{BitStore, CompactStore, ExactStore, Numbered, Store as Visited, TreeStore};

use crate::cli::{HowArgs, Store};
use crate::result::{Algorithm, Kept};
use crate::turns::{self, Winner};

/// Options that do not go together.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    #[error("--threads {0} is for --search bfs and auto; {1} is a search of one thread")]
    Threads(u32, &'static str),
    #[error("{0} has nothing to say here; it is for --store bitstate")]
    Bits(&'static str),
    #[error(
        "--store bitstate cannot tell how a state was reached, which --search {0} has to know: try ida, bfs or dfs"
    )]
    Unnumbered(&'static str),
    #[error("--search stateless stores no states: leave out --store")]
    Stateless,
    #[error("--heuristic {0} has nothing to say here; it is for --search best-first, astar, ida and auto")]
    Undirected(&'static str),
    #[error("{0} has nothing to say here; it is for {1}")]
    Idle(&'static str, &'static str),
    #[error("--heuristic {0} has nothing to say here: {1}")]
    Heuristic(&'static str, homing_heuristics::Unfit),
    #[error(
        "the model has hidden variables, which --plain leaves out of the state as SPIN does: only --store exact, with \
         one thread, can carry them along"
    )]
    Hidden,
}

/// The store that a search is run with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chosen {
    Exact,
    Tree,
    Compact,
    /// Of so many bits, as a power of two, and hash functions.
    Bitstate {
        bits: u32,
        hashes: u32,
    },
    /// None at all.
    Nothing,
}

/// What a search is to do, whatever it runs with.
pub struct Task<'a, E> {
    pub algorithm: Algorithm,
    pub weight: Weight,
    pub objective: Objective<'a, E>,
    /// What a breadth-first search may leave out.
    pub reduction: Reduction,
    /// Partial-order reduction may be used.
    pub reduces: bool,
}

/// An estimate, whichever it is.
pub type AnyEstimate<'m> = Box<dyn Estimate + Send + 'm>;

/// Whoever looks on: that is rare, and not worth a copy of each search.
pub struct Looking<'w>(pub &'w mut dyn Watch);

impl Watch for Looking<'_> {
    fn look(&mut self, progress: &Progress) -> Option<homing_core::Stop> {
        self.0.look(progress)
    }

    fn after_cut_off(&mut self, progress: &Progress) -> Option<homing_core::Stop> {
        self.0.after_cut_off(progress)
    }
}

/// What a search brought home, and by what.
pub struct Explored {
    pub outcome: Outcome<StepIndex>,
    /// Which of those that took turns it was.
    pub algorithm: Algorithm,
    pub kept: Kept,
}

/// SPIN's number of hash functions.
const HASHES: u32 = 3;

/// The bits of a field if nobody says: 128 MiB, or half of the memory.
const MOST_BITS: u32 = 30;

/// The hash functions that a search with bits tries, one after the other.
const SEEDS: [u64; 3] = [0, 1, 2];

impl Chosen {
    /// What the options and the model, which carries so many bytes, allow.
    pub fn new(args: &HowArgs, algorithm: Algorithm, hidden_prefix: usize, memory: Option<u64>) -> Result<Self, Unfit> {
        if args.threads > 1 && !matches!(algorithm, Algorithm::Bfs | Algorithm::Auto) {
            return Err(Unfit::Threads(args.threads, algorithm.name()));
        }
        if hidden_prefix > 0 && (args.threads > 1 || args.store == Store::Tree) {
            return Err(Unfit::Hidden);
        }
        if args.store != Store::Bitstate {
            let given = [(args.bits.is_some(), "--bits"), (args.hashes.is_some(), "--hashes")];
            if let Some((_, option)) = given.into_iter().find(|(given, _)| *given) {
                return Err(Unfit::Bits(option));
            }
        }
        if algorithm == Algorithm::Stateless {
            return if args.store == Store::Auto { Ok(Chosen::Nothing) } else { Err(Unfit::Stateless) };
        }
        Ok(match args.store {
            Store::Auto if hidden_prefix > 0 => Chosen::Exact,
            Store::Auto | Store::Tree => Chosen::Tree,
            Store::Exact => Chosen::Exact,
            Store::Compact => Chosen::Compact,
            Store::Bitstate if matches!(algorithm, Algorithm::BestFirst | Algorithm::AStar) => {
                return Err(Unfit::Unnumbered(algorithm.name()));
            }
            Store::Bitstate => {
                let half = memory.map_or(MOST_BITS, |bytes| (bytes * 4).max(64).ilog2());
                let bits = args.bits.map_or(half.min(MOST_BITS), |bits| bits.max(64).ilog2());
                Chosen::Bitstate { bits, hashes: args.hashes.unwrap_or(HASHES) }
            }
        })
    }

    /// Searches with a thread for each engine.
    pub fn search<E>(
        self,
        engines: &mut [CompiledEngine<'_>],
        task: &Task<'_, E>,
        estimate: &mut AnyEstimate<'_>,
        watch: &mut dyn Watch,
    ) -> Explored
    where
        E: Fn(&Violation) -> bool + Sync,
    {
        let hidden_prefix = engines[0].hidden_prefix();
        let watch = &mut Looking(watch);
        match self {
            Chosen::Exact => task.numbered("exact", engines, ExactStore::new(hidden_prefix), estimate, watch),
            Chosen::Tree => task.numbered("tree", engines, TreeStore::new(), estimate, watch),
            Chosen::Compact => task.numbered("compact", engines, CompactStore::new(hidden_prefix), estimate, watch),
            Chosen::Bitstate { bits, hashes } => {
                let mut store = BitStore::new(hidden_prefix, bits, hashes);
                if task.algorithm != Algorithm::Ida {
                    let coverage = |store: &BitStore| Some(store.expected_coverage());
                    return task.undirected("bitstate", engines, store, coverage, estimate, watch);
                }
                let fields = BitFields { store: &mut store, seeds: &SEEDS };
                let directed = Directed { by: task.weight, estimate };
                let outcome = ida::partial(&engines[0], &task.objective, directed, fields, watch);
                let expected_coverage = Some(store.expected_coverage());
                let kept = Kept { expected_coverage, ..kept("bitstate", &store) };
                Explored { outcome, algorithm: Algorithm::Ida, kept }
            }
            Chosen::Nothing => {
                let outcome = stateless::search(&engines[0], &task.objective, hidden_prefix, watch);
                let kept = Kept { store: "none", ..Kept::nothing() };
                Explored { outcome, algorithm: Algorithm::Stateless, kept }
            }
        }
    }
}

impl Chosen {
    /// The same, or a tree if it keeps no states at all.
    pub fn or_tree(self) -> Self {
        if self == Chosen::Nothing { Chosen::Tree } else { self }
    }
}

/// How a store keeps states.
pub fn kept<S: Visited>(name: &'static str, store: &S) -> Kept {
    Kept {
        store: name,
        lossless: S::LOSSLESS,
        expected_coverage: None,
        state_bytes: store.usage().longest_state,
        used: store.usage().bytes,
    }
}

impl<E: Fn(&Violation) -> bool + Sync> Task<'_, E> {
    /// With a store that numbers the states it knows.
    fn numbered<S: Numbered>(
        &self,
        name: &'static str,
        engines: &mut [CompiledEngine<'_>],
        mut store: S,
        estimate: &mut AnyEstimate<'_>,
        watch: &mut Looking<'_>,
    ) -> Explored {
        let Task { algorithm, weight, objective, .. } = self;
        let (system, visited) = (&engines[0], &mut store);
        let mut best_first = |by| best_first::search(system, objective, Directed { by, estimate }, visited, watch);
        let outcome = match algorithm {
            Algorithm::BestFirst => best_first(Evaluation::Greedy),
            Algorithm::AStar => best_first(Evaluation::Weighted(*weight)),
            Algorithm::Ida => ida::search(system, objective, Directed { by: *weight, estimate }, visited, watch),
            Algorithm::ShorterDfs => bounded::shorten(system, objective, visited, watch),
            _ => return self.undirected(name, engines, store, |_| None, estimate, watch),
        };
        Explored { outcome, algorithm: *algorithm, kept: kept(name, &store) }
    }

    /// With any store, which may know what share of the states it saw.
    fn undirected<S: Visited>(
        &self,
        name: &'static str,
        engines: &mut [CompiledEngine<'_>],
        mut store: S,
        coverage: impl FnOnce(&S) -> Option<f64>,
        estimate: &mut AnyEstimate<'_>,
        watch: &mut Looking<'_>,
    ) -> Explored {
        let Task { algorithm, objective, reduction, .. } = self;
        let (outcome, algorithm) = match algorithm {
            Algorithm::Auto if objective.on_error == OnError::Stop && S::LOSSLESS => {
                match turns::search(engines, self, &mut store, estimate, watch) {
                    (outcome, Winner::Blind) => (outcome, Algorithm::Bfs),
                    (outcome, Winner::Directed(algorithm, kept)) => return Explored { outcome, algorithm, kept },
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
        let kept = Kept { expected_coverage: coverage(&store), ..kept(name, &store) };
        Explored { outcome, algorithm, kept }
    }
}
