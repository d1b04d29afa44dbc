//! Options that do not apply to labelled transition systems.

use homing_check::{Fairness, Search as Algorithm};

use crate::cli::{Heuristic, ReadingArgs, SearchArgs, Switch};

/// What does not apply to a labelled transition system.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unsuitable {
    #[error(
        "{0} does not apply to a labelled transition system, which has neither processes nor statements; leave it out"
    )]
    Option(String),
    #[error(
        "--search {0} needs an estimate of the distance to an error, and none applies to a labelled transition system; use bfs or dfs"
    )]
    Directed(&'static str),
    #[error(
        "--search {0} does not apply to a labelled transition system: it searches for cycles, and finite runs violate its properties; \
         use dfs, bfs, stateless, random-walk, random-dfs, highway or highway-exact"
    )]
    Cycles(&'static str),
}

/// Refuses options about the text of a model.
pub fn reading(reading: &ReadingArgs) -> Result<(), Unsuitable> {
    first(&[(!reading.define.is_empty(), "-D"), (!reading.include.is_empty(), "-I")])
}

/// Refuses options that need processes, statements or variables.
pub fn options(options: &SearchArgs, heuristic: Heuristic) -> Result<(), Unsuitable> {
    if !matches!(heuristic, Heuristic::Auto | Heuristic::None) {
        return Err(Unsuitable::Option(format!("--heuristic {}", heuristic.name())));
    }
    first(&[
        (options.fairness != Fairness::None, "--fairness"),
        (options.por == Some(Switch::On), "--por on"),
        (options.sleep_sets == Some(Switch::On), "--sleep-sets on"),
        (options.weight.is_some(), "--weight"),
        (options.combine.is_some(), "--combine"),
        (options.toward.is_some(), "--toward"),
    ])
}

/// Refuses searches for cycles, and those that an estimate directs. The portfolio has one member that needs none.
pub fn search(algorithm: Algorithm) -> Result<(), Unsuitable> {
    match algorithm {
        Algorithm::Auto => Ok(()),
        cycles if cycles.is_for_cycles() => Err(Unsuitable::Cycles(algorithm.name())),
        directed if directed.is_directed() => Err(Unsuitable::Directed(algorithm.name())),
        _ => Ok(()),
    }
}

/// Refuses the first option that was given.
pub fn first(options: &[(bool, &str)]) -> Result<(), Unsuitable> {
    match options.iter().find(|(is_given, _)| *is_given) {
        Some((_, option)) => Err(Unsuitable::Option((*option).to_owned())),
        None => Ok(()),
    }
}
