//! The flags of `homing compare`.

use clap::Args;

use super::{Heuristic, ModelArgs, Search, SearchArgs};

const COMPARE_EXAMPLES: &str = "\
Examples:
  homing compare dining.pml                        depth-first, breadth-first, best-first, A* and IDA*
  homing compare dining.pml -DN=8 --search bfs,astar --heuristic active,formula,deadlock
  homing compare pots.pml --property invariant:consistent --timeout 1m --markdown
  homing compare dining.pml --json | jq '.runs[] | [.search, .heuristic, .expanded]'

Each run has the limits for itself: one that hits a limit leaves its row without a verdict.";

/// Runs several searches on one model, side by side
///
/// A row for each search, and for a directed one with each of the estimates: states stored and expanded, transitions,
/// the length of the path to an error in statements (and in steps, as SPIN counts them when it merges statements), time
/// and memory.
#[derive(Debug, Args)]
#[command(after_help = COMPARE_EXAMPLES)]
pub struct CompareArgs {
    #[command(flatten)]
    pub model: ModelArgs,

    /// The property to decide, as for check
    #[arg(long, value_name = "NAME", default_value = "safety")]
    pub property: String,

    /// The searches, as for check, separated by commas
    #[arg(
        long,
        value_name = "ORDER,…",
        value_delimiter = ',',
        default_value = "dfs,bfs,best-first,astar,ida",
        value_parser = Search::parse
    )]
    pub search: Vec<Search>,

    /// The estimates of directed searches, as for check, separated by commas
    #[arg(long, value_name = "KIND,…", value_delimiter = ',', default_value = "auto", value_parser = Heuristic::parse)]
    pub heuristic: Vec<Heuristic>,

    #[command(flatten)]
    pub options: SearchArgs,

    /// One JSON document on standard output, nothing else there
    #[arg(long, conflicts_with = "markdown")]
    pub json: bool,

    /// The table in Markdown
    #[arg(long)]
    pub markdown: bool,

    /// No warnings about the model
    #[arg(long, short)]
    pub quiet: bool,
}
