//! The flags of `homing simulate`.

use std::path::PathBuf;

use clap::Args;

use super::ModelArgs;

const SIMULATE_EXAMPLES: &str = "\
Examples:
  homing simulate dining.pml                     a run by chance, each step with what it changes
  homing simulate dining.pml --seed 7 --quiet    only what the model prints
  homing simulate dining.pml -i                  choose each move by hand, step back, watch expressions
  homing simulate dining.pml --trail run.trail   keep the run, for homing replay or spin -t

Exit codes:
  0    the run met no error, which proves nothing
  1    the run ended in an error
  2    the command line or the model is wrong
  4    a bug in homing
  130  interrupted";

/// Runs a model by chance, or by hand
///
/// The same seed gives the same run. With -i the enabled moves are shown at each point, and commands are read from
/// standard input: h lists them.
#[derive(Debug, Args)]
#[command(after_help = SIMULATE_EXAMPLES)]
pub struct SimulateArgs {
    #[command(flatten)]
    pub model: ModelArgs,

    /// Choose each move by hand
    #[arg(long, short)]
    pub interactive: bool,

    /// Of the choices made by chance
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,

    /// Stop after N statements
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub steps: usize,

    /// Save the run as a trail: our own format if the name ends in .json, else SPIN's
    #[arg(long, value_name = "FILE", conflicts_with = "interactive")]
    pub trail: Option<PathBuf>,

    /// Only what the model prints
    #[arg(long, short)]
    pub quiet: bool,
}
