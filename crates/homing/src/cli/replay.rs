//! The flags of `homing replay`.

use std::path::PathBuf;

use clap::Args;

use super::ModelArgs;

const REPLAY_EXAMPLES: &str = "\
Examples:
  homing replay dining.pml                   the trail that check wrote, dining.pml.trail
  homing replay dining.pml pan.trail --diff  only the steps that change a value
  homing replay dining.pml --values forks --from 100 --to 200
  homing replay dining.pml --chart           a sequence chart in the terminal
  homing replay dining.pml --chart dining.svg
  homing replay dining.pml --json | jq .why

Exit codes:
  0    the trail was replayed; it ends without an error, as it states
  1    the trail was replayed and ends in an error
  2    the command line, the model or the trail is wrong, or they do not match
  4    a bug in homing";

/// Replays a trail written by homing or by SPIN's pan
///
/// Prints each step with its process, place, statement and changed values, then the cause of the error and the last state.
/// Adjacent independent steps are reordered so that the process changes less often.
#[derive(Debug, Args)]
#[command(after_help = REPLAY_EXAMPLES)]
pub struct ReplayArgs {
    /// The trail [default: MODEL.trail]
    #[arg(value_name = "TRAIL", index = 2)]
    pub trail: Option<PathBuf>,

    /// Print only the steps that change a value
    #[arg(long)]
    pub diff: bool,

    /// Print only the changes of this variable (repeatable): x, a[2], r.field, Proc:x for a local of a process type, Proc[1]:x
    /// or Proc(1):x for that of one process
    #[arg(long, value_name = "NAME")]
    pub values: Vec<String>,

    /// Print the steps from N on
    #[arg(long, value_name = "N")]
    pub from: Option<usize>,

    /// Print the steps up to N
    #[arg(long, value_name = "N")]
    pub to: Option<usize>,

    /// Draw a sequence chart as text in the terminal or FILE.txt, or as a picture in FILE.svg
    ///
    /// Each process has a lane. A rendezvous is an arrow between two lanes, a buffered message an arrow from its send to its
    /// receive, with the contents of the channel. The middle of a long run is left out unless --from or --to selects steps.
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-", conflicts_with_all = ["json", "diff", "values"])]
    pub chart: Option<PathBuf>,

    /// Keep the order of the trail instead of reordering independent steps
    #[arg(long)]
    pub as_found: bool,

    /// Print one JSON document on standard output and nothing else
    #[arg(long, conflicts_with_all = ["diff", "values"])]
    pub json: bool,

    /// Print the steps only
    #[arg(long, short)]
    pub quiet: bool,

    // last: its heading applies to what follows
    #[command(flatten)]
    pub model: ModelArgs,
}
