//! The flags of `homing graph`.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::ModelArgs;
use crate::quantity;

const GRAPH_EXAMPLES: &str = "\
Examples:
  homing graph dining.pml | dot -Tsvg > dining.svg     the automata of all process types
  homing graph dining.pml --process Phil -o phil.dot   one of them, to a file
  homing graph dining.pml --states | dot -Tsvg > states.svg

Exit codes:
  0    the graph was drawn, whether or not the model has errors
  2    the command line or the model is wrong, or the output cannot be written
  3    nothing was drawn: more states than --max-states, or --memory or --timeout was reached
  4    a bug in homing
  130  interrupted";

/// Draws process automata, or the states of a small model, in Graphviz's dot language
///
/// A node shows SPIN's number of the control state, its line and the meaning of its labels; an edge shows the statement.
/// A double frame marks a valid end state of the process. Texts too long for a label are in the tooltips of an SVG.
#[derive(Debug, Args)]
#[command(after_help = GRAPH_EXAMPLES)]
pub struct GraphArgs {
    /// Draw this process type only (repeatable): its name, init, the name of a never claim, or trace
    #[arg(long, value_name = "NAME", conflicts_with = "states")]
    pub process: Vec<String>,

    /// Draw the reachable states and the steps between them; claims are ignored
    ///
    /// States are numbered in breadth-first order. The initial state is shown in full, the others by their differences from
    /// it. A double frame marks a state without successors; errors are red.
    #[arg(long, group = "counted")]
    pub states: bool,

    /// Draw the abstract system of --heuristic abstraction: classes with their distances to the error
    ///
    /// Of a network it is that of its first query. A double frame marks a class with an error.
    #[arg(long, group = "counted", conflicts_with_all = ["process", "trail"])]
    pub abstraction: bool,

    /// The most classes of each product of --abstraction [default: 100]
    #[arg(long, value_name = "N", requires = "abstraction")]
    pub bound: Option<NonZeroU32>,

    /// Highlight the run of this trail
    #[arg(long, value_name = "FILE")]
    pub trail: Option<PathBuf>,

    /// Draw nothing if there are more than N states, or classes
    #[arg(long, value_name = "N", default_value_t = 200, requires = "counted")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub max_states: u64,

    /// Draw nothing if that takes more memory, such as 500M or 4G [default: three quarters of the free memory; 2G
    /// where the system does not report it]
    #[arg(long, value_name = "SIZE", value_parser = quantity::memory)]
    pub memory: Option<u64>,

    /// Draw nothing if that takes longer, such as 500ms, 30s, 5m or 1h
    #[arg(long, value_name = "TIME", value_parser = quantity::time)]
    pub timeout: Option<Duration>,

    /// Write to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,

    // last: its heading applies to what follows
    #[command(flatten)]
    pub model: ModelArgs,
}
