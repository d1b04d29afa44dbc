//! The search options that `check` and `compare` share.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use homing_check::repeat::Times;
use homing_check::{Fairness, Probability, Weight};
use homing_heuristics::Combine;

use super::name_in;
use super::values::{Names, OneOf};
use crate::console::When;
use crate::quantity;

/// Options of a search, whatever its algorithm.
#[derive(Debug, Args)]
pub struct SearchArgs {
    /// Which infinite runs count: none, weak, strong
    ///
    /// none counts all. Under weak fairness a process that can always move, from some state on, moves again and again; under
    /// strong fairness so does one that can move again and again. Fairness is by process. Applies to properties of infinite
    /// runs.
    #[arg(long, help_heading = "Property", value_name = "KIND", default_value = "none", value_parser = OneOf(FAIRNESS), hide_possible_values = true)]
    pub fairness: Fairness,

    /// Partial-order reduction by stubborn sets: on, off [default: where it pays]
    ///
    /// Where some steps of a state are independent of everything that can happen before they are taken, only those are
    /// explored. The verdict is the same, with fewer states. With bfs, best-first, astar, ida, dfs and stateless all that can fail is
    /// among these steps, so that paths to errors are as short as without the reduction; statements that are never reached are reported
    /// with bfs only. With auto fewer steps are needed; an error found this way is searched for again, for a shortest path. A search
    /// for cycles by auto, scc, ndfs or indfs explores the reduced graph first, if the product is not small. on reduces also where few
    /// states have such steps, and applies to astar-indfs, too; with it bfs takes as few steps as auto, and its path need not be
    /// shortest. Not used with --plain or --all-errors, by auto and bfs with --max-depth, nor under fairness or for a property that can
    /// count steps: a formula with X that is not stutter-invariant, a never claim, timeout.
    #[arg(long, help_heading = "Search", value_name = "SWITCH", value_enum, hide_possible_values = true)]
    pub por: Option<Switch>,

    /// Use no reduction: states and transitions are those of spin -a -o1 -o2 -o3 and pan -DNOREDUCE
    ///
    /// By default a statement that no other process can observe is executed in one step with the statement before it, local
    /// variables are set to zero where they are dead, and variables that are never read are not stored. This changes neither
    /// verdicts nor reported paths. Like SPIN, --plain also leaves hidden variables out of the state; by default those that
    /// are read are part of it.
    #[arg(long, help_heading = "Search")]
    pub plain: bool,

    /// The number of worker threads, for --search auto, bfs, scc, highway-exact and beam
    ///
    /// With a lossless store the verdict and the length of a shortest path do not depend on it. highway-exact and beam visit the
    /// same states and find the same path with any number of threads.
    #[arg(long, short = 'j', help_heading = "Search", value_name = "N", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=256))]
    pub threads: u32,

    /// The most states of each level that --search highway, highway-exact and beam keep [default: 16]
    #[arg(long, help_heading = "Search", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1 << 24))]
    pub width: Option<u32>,

    /// The seed of everything random: the same seed gives the same run
    #[arg(long, help_heading = "Search", value_name = "N", default_value_t = 0)]
    pub seed: u64,

    /// Repeat a random search R times with other seeds, or max times: until --timeout ends it
    ///
    /// Run i of --seed N has a seed that follows from N and i. With --threads several runs are made at a time; the first one that
    /// finds an error is reported, and it is the same for any number of threads. check stops there, and after every three runs
    /// doubles --width. compare makes all runs, and prints statistics. --store bitstate has other hash functions in each run.
    #[arg(long, help_heading = "Search", value_name = "R", value_parser = repeat)]
    pub repeat: Option<Times>,

    /// The weight W of the estimate in f = g + W*h, for astar and ida: 0 ignores the estimate, more than 1 finds an error
    /// sooner by a longer path [default: 1]
    #[arg(long, help_heading = "Heuristic", value_name = "W", value_parser = weight)]
    pub weight: Option<Weight>,

    /// How formula and deadlock combine the estimates of conjuncts: sum, max [default: sum]
    ///
    /// sum is larger and usually finds an error sooner; max never overestimates (it is admissible), so that astar proves its
    /// path shortest.
    #[arg(long, help_heading = "Heuristic", value_name = "HOW", value_parser = OneOf(COMBINE), hide_possible_values = true)]
    pub combine: Option<Combine>,

    /// The most classes of each product of --heuristic abstraction: more are more precise and take longer to prepare [default: 100]
    #[arg(long, help_heading = "Heuristic", value_name = "N")]
    pub bound: Option<NonZeroU32>,

    /// The trail whose last state is the goal of --heuristic hamming and trail [default: MODEL.trail]
    #[arg(long, help_heading = "Heuristic", value_name = "FILE")]
    pub toward: Option<PathBuf>,

    /// How visited states are stored: auto, exact, tree, compact, bitstate, random-dynamic, random-static
    ///
    /// exact stores every state in full; tree compresses states without loss; auto is tree where it can be used, and exact for
    /// highway, highway-exact and beam, because the tree would keep parts of the states that they drop. compact
    /// stores a 64-bit fingerprint of each state and bitstate a few bits: both may lose states, so a search with them that
    /// finds no error proves nothing. random-dynamic and random-static store a state that a depth-first search leaves with
    /// the probability --keep only, and explore others again: no state is lost, and the verdict is that of tree, with less
    /// memory and more time. random-dynamic decides each time a state is left, random-static once for each state. They
    /// apply to dfs, ndfs and random-dfs; auto is dfs then, and ndfs for properties of infinite runs.
    #[arg(long, help_heading = "Store", value_name = "KIND", default_value = "auto", value_parser = OneOf(Store::NAMES), hide_possible_values = true)]
    pub store: Store,

    /// The size of the bit field of --store bitstate in bits, such as 512M or 8G, rounded down to a power of two [default:
    /// 1G, or half of the memory]
    #[arg(long, help_heading = "Store", value_name = "M", value_parser = quantity::bits)]
    pub bits: Option<u64>,

    /// The number of bits that --store bitstate sets for each state [default: 3]
    #[arg(long, help_heading = "Store", value_name = "K", value_parser = clap::value_parser!(u32).range(1..=32))]
    pub hashes: Option<u32>,

    /// The probability that --store random-dynamic or random-static stores a state, from 0 to 1 [default: 0.5 for
    /// random-dynamic, 0.75 for random-static]
    ///
    /// With random-dynamic a state is expanded 1/P times at most, on average. With random-static there is no such bound:
    /// below 1 - 1/b, where b is the number of transitions of a state, the time explodes.
    #[arg(long, help_heading = "Store", value_name = "P", value_parser = probability)]
    pub keep: Option<Probability>,

    /// Follow paths of at most N statements
    #[arg(long, help_heading = "Limits", value_name = "N")]
    pub max_depth: Option<u32>,

    /// Store at most N states
    #[arg(long, help_heading = "Limits", value_name = "N")]
    pub max_states: Option<u64>,

    /// Use at most this much memory for the search, such as 500M or 4G [default: three quarters of the free memory; 2G where
    /// the system does not report it]
    ///
    /// What a search stores is counted. Whatever takes the memory, the process ends with the verdict unknown before it has a fifth and
    /// 20 megabytes more than this.
    #[arg(long, help_heading = "Limits", value_name = "SIZE", value_parser = quantity::memory)]
    pub memory: Option<u64>,

    /// Stop after this time in total, such as 500ms, 30s, 5m or 1h
    #[arg(long, help_heading = "Limits", value_name = "TIME", value_parser = quantity::time)]
    pub timeout: Option<Duration>,

    /// Print a line of progress on standard error every second
    #[arg(long, help_heading = "Output", value_name = "WHEN", value_enum, default_value_t = When::Auto)]
    pub progress: When,

    /// How steps are computed: compiled, interpreted
    ///
    /// Both compute the same steps. Machine code is generated after the model is read; constructs that are not compiled are
    /// interpreted.
    #[arg(long, help_heading = "Development", value_name = "KIND", default_value = "compiled", value_parser = OneOf(Engine::NAMES), hide_possible_values = true)]
    pub engine: Engine,

    /// Skip equivalent orders of independent steps, by sleep sets: on, off [default: on]
    ///
    /// Applies to breadth-first search, so to --search auto and bfs. The same states are visited. Skipped steps are counted as transitions, so that only the time differs.
    #[arg(long, help_heading = "Development", value_name = "SWITCH", value_enum, hide_possible_values = true)]
    pub sleep_sets: Option<Switch>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Switch {
    On,
    Off,
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
    RandomWalk,
    Highway,
    HighwayExact,
    Beam,
    Ndfs,
    Indfs,
    AStarIndfs,
    Scc,
    RandomDfs,
}

impl Search {
    pub const NAMES: Names<Search> = &[
        ("auto", Search::Auto),
        ("dfs", Search::Dfs),
        ("bfs", Search::Bfs),
        ("best-first", Search::BestFirst),
        ("astar", Search::AStar),
        ("ida", Search::Ida),
        ("stateless", Search::Stateless),
        ("random-walk", Search::RandomWalk),
        ("highway", Search::Highway),
        ("highway-exact", Search::HighwayExact),
        ("beam", Search::Beam),
        ("ndfs", Search::Ndfs),
        ("indfs", Search::Indfs),
        ("astar-indfs", Search::AStarIndfs),
        ("scc", Search::Scc),
        ("random-dfs", Search::RandomDfs),
    ];

    /// Whether it depends on a seed.
    pub fn is_random(self) -> bool {
        matches!(self, Search::RandomWalk | Search::RandomDfs | Search::Highway | Search::HighwayExact | Search::Beam)
    }

    /// The value on the command line.
    pub fn name(self) -> &'static str {
        name_in(Self::NAMES, self)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heuristic {
    Auto,
    None,
    Formula,
    Active,
    Nearest,
    Deadlock,
    FsmMax,
    FsmSum,
    Abstraction,
    Messages,
    Hamming,
    Trail,
}

impl Heuristic {
    pub const NAMES: Names<Heuristic> = &[
        ("auto", Heuristic::Auto),
        ("none", Heuristic::None),
        ("formula", Heuristic::Formula),
        ("active", Heuristic::Active),
        ("nearest", Heuristic::Nearest),
        ("deadlock", Heuristic::Deadlock),
        ("fsm-max", Heuristic::FsmMax),
        ("fsm-sum", Heuristic::FsmSum),
        ("abstraction", Heuristic::Abstraction),
        ("messages", Heuristic::Messages),
        ("hamming", Heuristic::Hamming),
        ("trail", Heuristic::Trail),
    ];

    /// The value on the command line and in the JSON output.
    pub fn name(self) -> &'static str {
        name_in(Self::NAMES, self)
    }
}

/// A number of runs, or `max`.
fn repeat(text: &str) -> Result<Times, String> {
    if text == "max" {
        return Ok(Times::UntilStopped);
    }
    let times = text.parse().ok().filter(|&times| times > 0);
    times.map(Times::Exactly).ok_or_else(|| "give a number of runs, at least 1, or max".to_owned())
}

fn weight(text: &str) -> Result<Weight, String> {
    let number = text.parse().map_err(|_| format!("`{text}` is not a number"))?;
    Weight::new(number).ok_or_else(|| "give a number from 0 to 1000000".to_owned())
}

fn probability(text: &str) -> Result<Probability, String> {
    let number = text.parse().map_err(|_| format!("`{text}` is not a number"))?;
    Probability::new(number).ok_or_else(|| "give a number from 0 to 1".to_owned())
}

const FAIRNESS: Names<Fairness> = &[("none", Fairness::None), ("weak", Fairness::Weak), ("strong", Fairness::Strong)];

const COMBINE: Names<Combine> = &[("sum", Combine::Sum), ("max", Combine::Max)];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Store {
    Auto,
    Exact,
    Tree,
    Compact,
    Bitstate,
    RandomDynamic,
    RandomStatic,
}

impl Store {
    const NAMES: Names<Store> = &[
        ("auto", Store::Auto),
        ("exact", Store::Exact),
        ("tree", Store::Tree),
        ("compact", Store::Compact),
        ("bitstate", Store::Bitstate),
        ("random-dynamic", Store::RandomDynamic),
        ("random-static", Store::RandomStatic),
    ];

    /// Whether states are stored at random.
    pub fn is_random(self) -> bool {
        matches!(self, Store::RandomDynamic | Store::RandomStatic)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    Compiled,
    Interpreted,
}

impl Engine {
    const NAMES: Names<Engine> = &[("compiled", Engine::Compiled), ("interpreted", Engine::Interpreted)];
}
