//! The flags of `homing simulate`.

use std::path::PathBuf;

use clap::Args;

use super::ModelArgs;

const SIMULATE_EXAMPLES: &str = "\
Examples:
  homing simulate dining.pml                     a random run, each step with the values it changes
  homing simulate dining.pml --seed 7 --quiet    only the output of the model
  homing simulate dining.pml -i                  choose each move, step back, watch expressions
  homing simulate dining.pml -i dining.pml.trail --from 30   go on from a counterexample
  homing simulate dining.pml --trail run.trail   save the run for homing replay or spin -t

Exit codes:
  0    the run ended without an error, which proves nothing
  1    the run ended in an error
  2    the command line or the model is wrong
  4    a bug in homing
  130  interrupted";

/// Simulates one run, at random or interactively
///
/// The same seed gives the same run. With -i the enabled moves are listed in each state, and commands are read from
/// standard input; h lists the commands.
#[derive(Debug, Args)]
#[command(after_help = SIMULATE_EXAMPLES)]
pub struct SimulateArgs {
    /// The trail to begin with, as for replay; its moves can be undone and left
    #[arg(value_name = "TRAIL", index = 2, requires = "interactive")]
    pub start: Option<PathBuf>,

    /// Begin before statement N of the trail [default: 1]
    #[arg(long, value_name = "N", requires = "start")]
    pub from: Option<usize>,

    /// Choose each move interactively
    #[arg(long, short)]
    pub interactive: bool,

    /// The seed of the random choices
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,

    /// Stop after N statements
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub steps: usize,

    /// Save the run as a trail: homing's JSON format if the name ends in .json, else SPIN's format
    #[arg(long, value_name = "FILE", conflicts_with = "interactive")]
    pub trail: Option<PathBuf>,

    /// Print only the output of the model
    #[arg(long, short)]
    pub quiet: bool,

    // last: its heading applies to what follows
    #[command(flatten)]
    pub model: ModelArgs,
}
