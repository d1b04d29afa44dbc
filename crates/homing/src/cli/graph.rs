//! The flags of `homing graph`.

use std::path::PathBuf;

use clap::Args;

use super::ModelArgs;

const GRAPH_EXAMPLES: &str = "\
Examples:
  homing graph dining.pml | dot -Tsvg > dining.svg     the automata of all process types
  homing graph dining.pml --process Phil -o phil.dot   one of them, into a file
  homing graph dining.pml --states | dot -Tsvg > states.svg

Exit codes:
  0    drawn, whatever the model does
  2    the command line or the model is wrong, or the output cannot be written
  3    nothing drawn: there are more states than --max-states, or than there is memory for
  4    a bug in homing";

/// Draws process automata, or the states of a small model, in Graphviz's dot language
///
/// A location shows SPIN's number of the control state, the line, and what its labels mean; an edge shows the
/// statement. A double frame is where a process may end. What is too long for a label is in the tooltips of an SVG.
#[derive(Debug, Args)]
#[command(after_help = GRAPH_EXAMPLES)]
pub struct GraphArgs {
    #[command(flatten)]
    pub model: ModelArgs,

    /// Draw this process type only (repeatable): its name, init, the name of a never claim, or trace
    #[arg(long, value_name = "NAME", conflicts_with = "states")]
    pub process: Vec<String>,

    /// Draw the reachable states and the steps between them, as a search for errors sees them: claims are ignored
    ///
    /// States are numbered by their distance from the initial one, which is shown in full; the others show what differs
    /// from it. A double frame is a state that no step leads out of; what is red is an error.
    #[arg(long)]
    pub states: bool,

    /// Highlight the run of this trail
    #[arg(long, value_name = "FILE")]
    pub trail: Option<PathBuf>,

    /// Draw nothing if there are more than N states
    #[arg(long, value_name = "N", default_value_t = 200, requires = "states")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub max_states: u64,

    /// Write to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}
