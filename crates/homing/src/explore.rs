//! One search, with the store that was asked for: the place where types are picked.

use homing_core::{Limits, Outcome, TransitionSystem, Violation, Watch};
use homing_engine::{CompiledEngine, StepIndex};
use homing_search::{Errors, bfs, dfs};
use homing_store::{BitStore, CompactStore, ExactStore, Store as Visited, TreeStore};

use crate::cli::{CheckArgs, Store};
use crate::result::{Algorithm, Kept};

/// Options that do not go together.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    #[error("--threads {0} is for --search bfs; a depth-first search is of one thread")]
    Threads(u32),
    #[error("{0} has nothing to say here; it is for --store bitstate")]
    Bits(&'static str),
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
}

/// What a search is to do, whatever it runs with.
pub struct Task<'a, E> {
    pub algorithm: Algorithm,
    pub is_error: E,
    pub errors: Errors,
    pub limits: &'a Limits,
}

/// SPIN's number of hash functions.
const HASHES: u32 = 3;

/// The bits of a field if nobody says: 128 MiB, or half of the memory.
const MOST_BITS: u32 = 30;

impl Chosen {
    /// What the options and the model, which carries so many bytes, allow.
    pub fn new(args: &CheckArgs, algorithm: Algorithm, carried: usize, memory: Option<u64>) -> Result<Self, Unfit> {
        if args.threads > 1 && algorithm == Algorithm::Dfs {
            return Err(Unfit::Threads(args.threads));
        }
        if carried > 0 && (args.threads > 1 || args.store == Store::Tree) {
            return Err(Unfit::Hidden);
        }
        if args.store != Store::Bitstate {
            let given = [(args.bits.is_some(), "--bits"), (args.hashes.is_some(), "--hashes")];
            if let Some((_, option)) = given.into_iter().find(|(given, _)| *given) {
                return Err(Unfit::Bits(option));
            }
        }
        Ok(match args.store {
            Store::Auto if carried > 0 => Chosen::Exact,
            Store::Auto | Store::Tree => Chosen::Tree,
            Store::Exact => Chosen::Exact,
            Store::Compact => Chosen::Compact,
            Store::Bitstate => {
                let half = memory.map_or(MOST_BITS, |bytes| (bytes * 4).max(64).ilog2());
                let bits = args.bits.map_or(half.min(MOST_BITS), |bits| bits.max(64).ilog2());
                Chosen::Bitstate { bits, hashes: args.hashes.unwrap_or(HASHES) }
            }
        })
    }

    /// Searches with a thread for each engine.
    pub fn search<E, W>(
        self,
        engines: &mut [CompiledEngine<'_>],
        task: &Task<'_, E>,
        watch: &mut W,
    ) -> (Outcome<StepIndex>, Kept)
    where
        E: Fn(&Violation) -> bool + Sync,
        W: Watch,
    {
        let carried = engines[0].carried();
        match self {
            Chosen::Exact => task.run("exact", engines, ExactStore::new(carried), |_| None, watch),
            Chosen::Tree => task.run("tree", engines, TreeStore::new(), |_| None, watch),
            Chosen::Compact => task.run("compact", engines, CompactStore::new(carried), |_| None, watch),
            Chosen::Bitstate { bits, hashes } => {
                let store = BitStore::new(carried, bits, hashes);
                task.run("bitstate", engines, store, |store| Some(store.expected_coverage()), watch)
            }
        }
    }
}

impl<E: Fn(&Violation) -> bool + Sync> Task<'_, E> {
    fn run<S: Visited, W: Watch>(
        &self,
        name: &'static str,
        engines: &mut [CompiledEngine<'_>],
        mut store: S,
        coverage: impl FnOnce(&S) -> Option<f64>,
        watch: &mut W,
    ) -> (Outcome<StepIndex>, Kept) {
        let Task { algorithm, is_error, errors, limits } = self;
        let outcome = match algorithm {
            Algorithm::Bfs => bfs::search(engines, is_error, *errors, &mut store, limits, watch),
            Algorithm::Dfs => dfs::search(&engines[0], is_error, *errors, &mut store, limits, watch),
        };
        let kept = Kept {
            store: name,
            lossless: S::LOSSLESS,
            expected_coverage: coverage(&store),
            state_bytes: store.longest(),
            used: store.used(),
        };
        (outcome, kept)
    }
}
