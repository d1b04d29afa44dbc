//! The flags of `homing check`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use homing_heuristics::Combine;
use homing_search::Weight;

use super::{ModelArgs, pick};
use crate::console::When;
use crate::quantity;

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
    /// nothing but the path under way. auto is a best-first search and a breadth-first search taking turns: the one is
    /// quick to find an error, the other to prove that there is none.
    #[arg(long, value_name = "ORDER", default_value = "auto", value_parser = Search::parse)]
    pub search: Search,

    /// The estimate of a directed search: auto, none, formula, active, deadlock, fsm-max, fsm-sum, messages, hamming, trail
    ///
    /// formula makes one of what the error is (a failing assertion, an invariant, a deadlock); active counts the processes
    /// that can move; deadlock infers where processes can block, or takes the labels that begin with `danger`; fsm-max and
    /// fsm-sum measure distances in the graphs of processes; messages counts what is still to be sent and received;
    /// hamming and trail lead to the last state of a trail (--toward). auto is active for deadlocks and formula otherwise.
    #[arg(long, value_name = "KIND", default_value = "auto", value_parser = Heuristic::parse)]
    pub heuristic: Heuristic,

    /// How much the estimate counts for astar and ida: 0 not at all, 1 as it is, more to find an error sooner by a longer
    /// path
    #[arg(long, value_name = "W", default_value = "1", value_parser = weight)]
    pub weight: Weight,

    /// How formula and deadlock join what has to come about together: sum, max
    ///
    /// With sum an estimate is larger and leads there sooner; with max it is never too large, so that astar proves its
    /// path to be a shortest one.
    #[arg(long, value_name = "HOW", default_value = "sum", value_parser = combine)]
    pub combine: Combine,

    /// The trail to the last state of which --heuristic hamming and trail lead [default: MODEL.trail]
    #[arg(long, value_name = "FILE")]
    pub toward: Option<PathBuf>,

    /// How visited states are kept: auto, exact, tree, compact, bitstate
    ///
    /// exact keeps every state in full; tree compresses them without loss; auto is tree where it
    /// can be. compact keeps a fingerprint of 64 bits of each state and bitstate some bits: both may lose states, so a
    /// search that finds no error with them proves nothing.
    #[arg(long, value_name = "KIND", default_value = "auto", value_parser = Store::parse)]
    pub store: Store,

    /// Bits of the field of --store bitstate, such as 512M or 8G, rounded down to a power of two [default: 1G, or half of
    /// the memory]
    #[arg(long, value_name = "M", value_parser = quantity::bits)]
    pub bits: Option<u64>,

    /// Bits that --store bitstate sets for each state [default: 3]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=32))]
    pub hashes: Option<u32>,

    /// Threads that search together, for --search bfs
    ///
    /// With a store that loses nothing the verdict, and the length of a shortest path, do not depend on their number.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=256))]
    pub threads: u32,

    /// How steps are computed: compiled, interpreted
    ///
    /// Both compute the same steps. Code is made when the model is read; what is not compiled is interpreted.
    #[arg(long, value_name = "KIND", default_value = "compiled", value_parser = Engine::parse)]
    pub engine: Engine,

    /// No reduction of any kind: states and transitions are those of spin -a -o1 -o2 -o3 and pan -DNOREDUCE
    ///
    /// Otherwise statements that no other process can see are executed together with the one before them, local variables
    /// are zero where nobody will read them, and what is never read is not stored. That changes neither verdicts nor the
    /// paths that are shown. Like SPIN, --plain also leaves all hidden variables out of the state; otherwise those that
    /// are read belong to it.
    #[arg(long)]
    pub plain: bool,

    /// Follow no path beyond N statements
    #[arg(long, value_name = "N")]
    pub max_depth: Option<u32>,

    /// Store no more than N states
    #[arg(long, value_name = "N")]
    pub max_states: Option<u64>,

    /// Store no more than this, such as 500M or 4G [default: three quarters of the free memory]
    #[arg(long, value_name = "SIZE", value_parser = quantity::memory)]
    pub memory: Option<u64>,

    /// Search no longer than this in all, such as 500ms, 30s, 5m or 1h
    #[arg(long, value_name = "TIME", value_parser = quantity::time)]
    pub timeout: Option<Duration>,

    /// Go on until the path to an error is proved to be a shortest one
    ///
    /// auto and bfs prove it anyway, if that does not take many more states than it took to find the error. With dfs each
    /// error has to be shorter than the one before, until there is none.
    #[arg(long)]
    pub shortest: bool,

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

    /// A line of progress on standard error every second
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = When::Auto)]
    pub progress: When,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    Auto,
    Dfs,
    Bfs,
    BestFirst,
    AStar,
    Ida,
    Stateless,
}

impl Search {
    pub fn parse(text: &str) -> Result<Self, String> {
        let present = [
            ("auto", Search::Auto),
            ("dfs", Search::Dfs),
            ("bfs", Search::Bfs),
            ("best-first", Search::BestFirst),
            ("astar", Search::AStar),
            ("ida", Search::Ida),
            ("stateless", Search::Stateless),
        ];
        let later = ["ndfs", "indfs", "astar-indfs", "random-walk", "random-dfs", "highway", "highway-exact"];
        pick(text, &present, &later)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heuristic {
    Auto,
    None,
    Formula,
    Active,
    Deadlock,
    FsmMax,
    FsmSum,
    Messages,
    Hamming,
    Trail,
}

impl Heuristic {
    const PRESENT: [(&str, Heuristic); 10] = [
        ("auto", Heuristic::Auto),
        ("none", Heuristic::None),
        ("formula", Heuristic::Formula),
        ("active", Heuristic::Active),
        ("deadlock", Heuristic::Deadlock),
        ("fsm-max", Heuristic::FsmMax),
        ("fsm-sum", Heuristic::FsmSum),
        ("messages", Heuristic::Messages),
        ("hamming", Heuristic::Hamming),
        ("trail", Heuristic::Trail),
    ];

    pub fn parse(text: &str) -> Result<Self, String> {
        pick(text, &Self::PRESENT, &["abstraction"])
    }

    /// As on the command line and in the JSON output.
    pub fn name(self) -> &'static str {
        let (name, _) = Self::PRESENT.iter().find(|(_, heuristic)| *heuristic == self).expect("all are there");
        name
    }
}

fn weight(text: &str) -> Result<Weight, String> {
    let number = text.parse().map_err(|_| format!("`{text}` is not a number"))?;
    Weight::new(number).ok_or_else(|| "a weight is a number from 0 to a million".to_owned())
}

fn combine(text: &str) -> Result<Combine, String> {
    pick(text, &[("sum", Combine::Sum), ("max", Combine::Max)], &[])
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Store {
    Auto,
    Exact,
    Tree,
    Compact,
    Bitstate,
}

impl Store {
    fn parse(text: &str) -> Result<Self, String> {
        let present = [
            ("auto", Store::Auto),
            ("exact", Store::Exact),
            ("tree", Store::Tree),
            ("compact", Store::Compact),
            ("bitstate", Store::Bitstate),
        ];
        pick(text, &present, &["random-dynamic", "random-static"])
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    Compiled,
    Interpreted,
}

impl Engine {
    fn parse(text: &str) -> Result<Self, String> {
        pick(text, &[("compiled", Engine::Compiled), ("interpreted", Engine::Interpreted)], &[])
    }
}
