//! The flags of `homing compare`.

use std::path::PathBuf;

use clap::Args;

use super::{Heuristic, ModelArgs, Search, SearchArgs};

const COMPARE_EXAMPLES: &str = "\
Examples:
  homing compare dining.pml                        depth-first, breadth-first, best-first, A* and IDA*
  homing compare dining.pml -DN=8 --search bfs,astar --heuristic active,formula,deadlock
  homing compare pots.pml --property invariant:consistent --timeout 1m --markdown
  homing compare dining.pml --search random-walk,highway,beam --repeat 1000 --max-states 5000 --plot dining.svg
  homing compare dining.pml --json | jq '.runs[] | [.search, .heuristic, .expanded]'

The limits apply to each run; the verdict of a run that hits a limit is unknown.";

/// Runs several searches on one model, side by side
///
/// One row for each search; a directed search has a row for each heuristic. The columns are states stored and expanded,
/// transitions, the length of the path to an error in statements (and with merged statements, as SPIN counts by default),
/// time and memory.
#[derive(Debug, Args)]
#[command(after_help = COMPARE_EXAMPLES)]
pub struct CompareArgs {
    /// The property to decide, as for check
    #[arg(long, value_name = "NAME", default_value = "safety")]
    pub property: String,

    /// The searches, as for check, separated by commas [default: dfs,bfs,best-first,astar,ida; for a property that only infinite runs
    /// violate ndfs,indfs,astar-indfs,scc]
    #[arg(long, value_name = "ALGORITHM,…", value_delimiter = ',', value_parser = Search::parse)]
    pub search: Vec<Search>,

    /// The heuristics of directed searches, as for check, separated by commas
    #[arg(long, value_name = "KIND,…", value_delimiter = ',', default_value = "auto", value_parser = Heuristic::parse)]
    pub heuristic: Vec<Heuristic>,

    /// Print one JSON document on standard output and nothing else
    #[arg(long, conflicts_with = "markdown")]
    pub json: bool,

    /// Print the table in Markdown
    #[arg(long)]
    pub markdown: bool,

    /// Write a plot to this SVG file: the share of runs that found an error against the states expanded; needs --repeat
    #[arg(long, value_name = "FILE.svg", requires = "repeat")]
    pub plot: Option<PathBuf>,

    /// Print no warnings about the model
    #[arg(long, short)]
    pub quiet: bool,

    // last: their headings apply to what follows
    #[command(flatten)]
    pub model: ModelArgs,

    #[command(flatten)]
    pub options: SearchArgs,
}
