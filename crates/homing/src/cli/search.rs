//! How a model is searched: what `check` and `compare` have in common.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use homing_heuristics::Combine;
use homing_search::Weight;

use super::pick;
use crate::console::When;
use crate::quantity;

/// How a search is run, whichever it is.
#[derive(Debug, Args)]
pub struct SearchArgs {
    /// How much the estimate counts for astar and ida: 0 not at all, 1 as it is, more to find an error sooner by a longer
    /// path [default: 1]
    #[arg(long, value_name = "W", value_parser = weight)]
    pub weight: Option<Weight>,

    /// How formula and deadlock join what has to come about together: sum, max [default: sum]
    ///
    /// With sum an estimate is larger and leads there sooner; with max it is never too large, so that astar proves its
    /// path to be a shortest one.
    #[arg(long, value_name = "HOW", value_parser = combine)]
    pub combine: Option<Combine>,

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

    /// Whether breadth-first search takes one of two orders only of steps that do not depend on each other
    ///
    /// All states are visited and all steps are counted either way: it is a matter of time alone.
    #[arg(long, value_name = "WHETHER", value_enum, default_value_t = Switch::On)]
    pub sleep_sets: Switch,

    /// Partial-order reduction, for --search auto
    ///
    /// Where the next steps of a process touch nothing that others still will, the others wait: of the many orders in which
    /// steps can be taken one is enough to know whether there is an error. An error that is found so is looked for again
    /// without it, to find a shortest path. Not with --plain, and not with --max-depth.
    #[arg(long, value_name = "WHETHER", value_enum, default_value_t = Switch::On)]
    pub por: Switch,

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

    /// A line of progress on standard error every second
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = When::Auto)]
    pub progress: When,
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
}

impl Search {
    const PRESENT: [(&str, Search); 7] = [
        ("auto", Search::Auto),
        ("dfs", Search::Dfs),
        ("bfs", Search::Bfs),
        ("best-first", Search::BestFirst),
        ("astar", Search::AStar),
        ("ida", Search::Ida),
        ("stateless", Search::Stateless),
    ];

    pub fn parse(text: &str) -> Result<Self, String> {
        let later = ["ndfs", "indfs", "astar-indfs", "random-walk", "random-dfs", "highway", "highway-exact"];
        pick(text, &Self::PRESENT, &later)
    }

    /// As on the command line.
    pub fn name(self) -> &'static str {
        let (name, _) = Self::PRESENT.iter().find(|(_, search)| *search == self).expect("all are there");
        name
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
