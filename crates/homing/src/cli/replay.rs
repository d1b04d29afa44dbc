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
  0    the trail was played; it ends in no error and says so
  1    the trail was played and ends in an error
  2    the command line, the model or the trail is wrong, or they do not fit
  4    a bug in homing";

/// Plays a trail, ours or one written by SPIN's pan
///
/// Shows each step with its process, place, statement and what it changed; then why it went wrong, and the last state in
/// full. Neighbouring steps that do not depend on each other are told process by process.
#[derive(Debug, Args)]
#[command(after_help = REPLAY_EXAMPLES)]
pub struct ReplayArgs {
    #[command(flatten)]
    pub model: ModelArgs,

    /// The trail [default: MODEL.trail]
    #[arg(value_name = "TRAIL")]
    pub trail: Option<PathBuf>,

    /// Only the steps that change a value, and what they change
    #[arg(long)]
    pub diff: bool,

    /// Follow this variable only (repeatable): x, a[2], r.field, or Proc(1):x for a local of one process
    #[arg(long, value_name = "NAME")]
    pub values: Vec<String>,

    /// Show steps from this one on
    #[arg(long, value_name = "N")]
    pub from: Option<usize>,

    /// Show steps up to this one
    #[arg(long, value_name = "N")]
    pub to: Option<usize>,

    /// Draw a sequence chart: as text, or as a picture into FILE.svg
    ///
    /// Processes are lanes. A rendezvous is an arrow across, a buffered message one from its send to its receive, with
    /// what the channel holds. The middle of a long run is left out unless --from or --to pick steps.
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-", conflicts_with_all = ["json", "diff", "values"])]
    pub chart: Option<PathBuf>,

    /// Keep the order of the trail
    #[arg(long)]
    pub as_found: bool,

    /// One JSON document on standard output, nothing else there
    #[arg(long, conflicts_with_all = ["diff", "values"])]
    pub json: bool,

    /// The steps only
    #[arg(long, short)]
    pub quiet: bool,
}
