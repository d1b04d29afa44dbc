//! The flags of `homing check`.

use std::path::PathBuf;

use clap::Args;

use crate::console::When;

use super::{Heuristic, ModelArgs, Search, SearchArgs};

const CHECK_EXAMPLES: &str = "\
Examples:
  homing check dining.pml                          everything the model states
  homing check dining.pml --property deadlock      invalid end states alone
  homing check big.pml --search astar --heuristic formula --combine max
  homing check mutex.pml --property 'invariant: critical <= 1'
  homing check big.pml --memory 4G --timeout 10m   stop in time, with what is known then
  homing check big.pml --threads 8                 the same verdict, sooner
  homing check dining.pml --json | jq .results[0].verdict

Exit codes:
  0    every property holds
  1    a property is violated
  2    the command line or the model is wrong
  3    undecided: a limit was hit, or a property is beyond this version
  4    a bug in homing
  130  interrupted; what was found so far is printed";

/// Decides the properties of a model
///
/// Decides every property of the model, or those picked with --property. A violation is shown with a path to it, which
/// was executed a second time before it is reported.
#[derive(Debug, Args)]
#[command(after_help = CHECK_EXAMPLES)]
pub struct CheckArgs {
    #[command(flatten)]
    pub model: ModelArgs,

    /// A property to decide (repeatable): safety, assertions, deadlock, progress, acceptance, the name of an ltl block,
    /// 'ltl:FORMULA' or 'invariant:EXPR' [default: everything the model states]
    ///
    /// safety is assertions, invalid end states and run-time errors in one search; deadlock is invalid end states alone.
    /// An invariant is a condition that is to hold in every state, over what everybody sees: global variables, the macros
    /// of the model, P[pid]:local and P[pid]@label. Run-time errors count under every property. This version decides
    /// safety, assertions, deadlock and invariants; for the others the verdict is UNKNOWN.
    #[arg(long, value_name = "NAME")]
    pub property: Vec<String>,

    /// The order of the search: auto, dfs, bfs, best-first, astar, ida, stateless
    ///
    /// bfs brings home a shortest path to an error, dfs visits states in SPIN's order. The directed ones go by an estimate
    /// of how far an error is (--heuristic): best-first where it is least, astar where it and the path so far together are
    /// least; ida finds what astar does with less memory and more time, above all with --store bitstate. stateless stores
    /// nothing but the path under way. auto is a best-first search, astar and a breadth-first search taking turns: the
    /// first two are quick to find an error, the other to prove that there is none. With --all-errors, or a --store that may lose states,
    /// it is bfs.
    #[arg(long, value_name = "ORDER", default_value = "auto", value_parser = Search::parse)]
    pub search: Search,

    /// The estimate of a directed search: auto, none, formula, active, deadlock, fsm-max, fsm-sum, messages, hamming, trail
    ///
    /// formula makes one of what the error is (a failing assertion, an invariant, a deadlock); active counts the processes
    /// that can move; deadlock infers where processes can block, or takes the labels that begin with `danger`; fsm-max and
    /// fsm-sum measure distances in the graphs of processes; messages counts what is still to be sent and received;
    /// hamming and trail lead to the last state of a trail (--toward). auto is active for deadlocks
    /// and formula for all else, whichever sees an error nearer.
    #[arg(long, value_name = "KIND", default_value = "auto", value_parser = Heuristic::parse)]
    pub heuristic: Heuristic,

    #[command(flatten)]
    pub options: SearchArgs,

    /// Go on until the path to an error is proved to be a shortest one
    ///
    /// auto and bfs prove it anyway, if that does not take many more states than it took to find the error. With dfs each
    /// error has to be shorter than the one before, until there is none.
    #[arg(long)]
    pub shortest: bool,

    /// Prove a verdict `holds` a second time, without any reduction: auto, always, never
    ///
    /// A small model is explored statement by statement by a simple reference explorer, a larger one is searched
    /// breadth-first without reductions, within the limits given. auto does so when the first search took less than 20 ms,
    /// and stops after 50 ms. --confirm alone means always.
    #[arg(
        long,
        value_name = "WHEN",
        value_enum,
        default_value_t = When::Auto,
        default_missing_value = "always",
        num_args = 0..=1,
        require_equals = true,
        hide_possible_values = true
    )]
    pub confirm: When,

    /// Count every violation instead of stopping at the first
    #[arg(long)]
    pub all_errors: bool,

    /// Where the trail of a violation goes; our own format if it ends in .json, else SPIN's [default: MODEL.trail]
    ///
    /// If several properties fail, each has its own: MODEL.NAME.trail. A trail left by an earlier run is removed when the
    /// property holds.
    #[arg(long, value_name = "FILE")]
    pub trail: Option<PathBuf>,

    /// One JSON document on standard output, nothing else there
    #[arg(long)]
    pub json: bool,

    /// Verdicts only
    #[arg(long, short, conflicts_with = "verbose")]
    pub quiet: bool,

    /// Every step of a path, however long
    #[arg(long, short)]
    pub verbose: bool,
}
