//! Options of a search that cannot be combined, and the store that they choose.

use homing_check::model::Unsuited;
use homing_check::{Fairness, Probability, Search as Algorithm, StoreChoice, Strategy};

use crate::cli::{Search, SearchArgs, Store};

/// Options that cannot be combined.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionConflict {
    #[error(
        "--threads {0} is not supported by --search {1}; it applies to --search bfs, scc, highway-exact, beam and auto"
    )]
    Threads(u32, &'static str),
    #[error("{0} has no effect with this store; it applies to --store bitstate")]
    Bits(&'static str),
    #[error("--store bitstate gives states no ids, which --search {0} needs for its paths; use ida, bfs or dfs")]
    Unnumbered(&'static str),
    #[error("--store bitstate is not supported by --search {0}; use tree, exact or compact")]
    BitstateLanes(&'static str),
    #[error("--store has no effect with --search {0}, which stores no states; leave it out")]
    Stateless(&'static str),
    #[error("--all-errors is not supported by --search {0}, which does not visit all states; use bfs or dfs")]
    Counting(&'static str),
    #[error(
        "a property of infinite runs needs --store tree or exact: cycles are not searched with a store that may lose states"
    )]
    LossyCycles,
    #[error("{0} is not supported by --search {1}; it applies to --search dfs, ndfs and random-dfs")]
    RandomStore(&'static str, &'static str),
    #[error("{0} is not supported with --fairness strong, which needs all states of a component; use --store tree")]
    RandomStoreFairness(&'static str),
    #[error("--heuristic {0} has no effect with --search {1}; it applies to best-first, astar, ida, beam and auto")]
    Undirected(&'static str, &'static str),
    #[error("{option} has no effect with {given}; it applies to {applies_to}")]
    Idle { option: &'static str, given: String, applies_to: &'static str },
    #[error("--search {search} does not apply to {property}: {why}")]
    Unsuited { search: &'static str, property: String, why: Unsuited },
    #[error("--heuristic {0} cannot be used: {1}")]
    Heuristic(&'static str, homing_heuristics::Unfit),
    #[error(
        "hidden variables of the model are left out of the state (those that are never read; with --plain all, as SPIN does): \
         that needs --store exact and one thread"
    )]
    Hidden,
}

/// SPIN's number of hash functions.
const HASHES: u32 = 3;

/// The default size of a bit field is 2^30 bits (128 MiB), or half of the memory if that is less.
const MOST_BITS: u32 = 30;

/// Refuses to count errors by a search that does not visit all states.
pub fn refuse_counting(search: Search) -> Result<(), OptionConflict> {
    match search {
        Search::RandomWalk | Search::Highway | Search::HighwayExact | Search::Beam => {
            Err(OptionConflict::Counting(search.name()))
        }
        _ => Ok(()),
    }
}

/// Chooses the store by the options; none if it is to be chosen by the model.
pub fn store(
    args: &SearchArgs,
    algorithm: Algorithm,
    memory: Option<u64>,
) -> Result<Option<StoreChoice>, OptionConflict> {
    refuse_idle_repeat(args, algorithm)?;
    if args.threads > 1 && !algorithm.is_parallel() && args.repeat.is_none() {
        return Err(OptionConflict::Threads(args.threads, algorithm.name()));
    }
    if args.store != Store::Bitstate {
        let given = [(args.bits.is_some(), "--bits"), (args.hashes.is_some(), "--hashes")];
        if let Some((_, option)) = given.into_iter().find(|(given, _)| *given) {
            return Err(OptionConflict::Bits(option));
        }
    }
    if args.keep.is_some() && !args.store.is_random() {
        let (given, applies_to) = ("this store".to_owned(), "--store random-dynamic and random-static");
        return Err(OptionConflict::Idle { option: "--keep", given, applies_to });
    }
    if matches!(algorithm, Algorithm::Stateless | Algorithm::RandomWalk) {
        let nothing = Some(StoreChoice::Nothing);
        return if args.store == Store::Auto { Ok(nothing) } else { Err(OptionConflict::Stateless(algorithm.name())) };
    }
    Ok(Some(match args.store {
        Store::Auto => return Ok(None),
        Store::Tree => StoreChoice::Tree,
        Store::Exact => StoreChoice::Exact,
        Store::Compact => StoreChoice::Compact,
        Store::RandomDynamic => random(args, algorithm, Strategy::Dynamic)?,
        Store::RandomStatic => random(args, algorithm, Strategy::Static)?,
        Store::Bitstate if matches!(algorithm, Algorithm::BestFirst | Algorithm::AStar { .. }) => {
            return Err(OptionConflict::Unnumbered(algorithm.name()));
        }
        Store::Bitstate if algorithm.width().is_some() => return Err(OptionConflict::BitstateLanes(algorithm.name())),
        Store::Bitstate => {
            let half = memory.map_or(MOST_BITS, |bytes| (bytes * 4).max(64).ilog2());
            let bits = args.bits.map_or(half.min(MOST_BITS), |bits| bits.max(64).ilog2());
            StoreChoice::Bitstate { bits, hashes: args.hashes.unwrap_or(HASHES), seed: 0 }
        }
    }))
}

/// Refuses fairness where no property is one of infinite runs.
pub fn refuse_idle_fairness(fairness: Fairness, properties: &[String]) -> Result<(), OptionConflict> {
    let option = match fairness {
        Fairness::None => return Ok(()),
        Fairness::Weak => "--fairness weak",
        Fairness::Strong => "--fairness strong",
    };
    let applies_to = "properties of infinite runs: formulas, acceptance and progress";
    Err(OptionConflict::Idle { option, given: properties.join(", "), applies_to })
}

/// Refuses a seed where neither the store nor one of the searches is random.
pub fn refuse_idle_seed(args: &SearchArgs, searches: &[Search]) -> Result<(), OptionConflict> {
    let is_random = args.store.is_random() || args.repeat.is_some() || searches.iter().any(|search| search.is_random());
    if args.seed == 0 || is_random {
        return Ok(());
    }
    let names: Vec<&str> = searches.iter().map(|search| search.name()).collect();
    let given = format!("--search {}", names.join(","));
    let applies_to = "random searches, and to --store random-dynamic and random-static";
    Err(OptionConflict::Idle { option: "--seed", given, applies_to })
}

/// Refuses to repeat a search that does the same each time.
fn refuse_idle_repeat(args: &SearchArgs, algorithm: Algorithm) -> Result<(), OptionConflict> {
    if args.repeat.is_none() || algorithm.is_random() || args.store.is_random() || args.store == Store::Bitstate {
        return Ok(());
    }
    let given = format!("--search {}, which does the same each time", algorithm.name());
    let applies_to = "random searches, and to stores that are random or bit fields";
    Err(OptionConflict::Idle { option: "--repeat", given, applies_to })
}

/// A store that keeps states at random, by default with the probability that saves memory at little cost.
fn random(args: &SearchArgs, algorithm: Algorithm, strategy: Strategy) -> Result<StoreChoice, OptionConflict> {
    let (name, keep) = match strategy {
        Strategy::Dynamic => ("--store random-dynamic", 0.5),
        Strategy::Static => ("--store random-static", 0.75),
    };
    if !matches!(algorithm, Algorithm::Dfs | Algorithm::Ndfs | Algorithm::RandomDfs) {
        return Err(OptionConflict::RandomStore(name, algorithm.name()));
    }
    if args.fairness == Fairness::Strong {
        return Err(OptionConflict::RandomStoreFairness(name));
    }
    let keep = args.keep.or(Probability::new(keep)).expect("it is a probability");
    Ok(StoreChoice::Random { strategy, keep })
}
