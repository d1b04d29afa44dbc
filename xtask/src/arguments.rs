//! The arguments of `cargo xtask`.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// Compares homing with live SPIN.
#[derive(Parser)]
#[command(name = "cargo xtask")]
pub struct Arguments {
    /// The homing binary [default: $HOMING_BIN, else the one built beside this program]
    #[arg(long, global = true)]
    pub homing: Option<PathBuf>,
    /// Ask SPIN again, even if it was asked before
    #[arg(long, global = true)]
    pub no_cache: bool,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Random models: both must accept the same ones, and find the same states, transitions, errors and trail lengths
    Random {
        #[arg(long, default_value_t = 100)]
        count: u64,
        /// Of the first model; the following ones have the following seeds
        #[arg(long, default_value_t = 1)]
        seed: u64,
        #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=2))]
        jobs: u8,
        /// Do not ask homing: report what the generator makes
        #[arg(long)]
        spin_only: bool,
        /// How many smaller models to try for each disagreement
        #[arg(long, default_value_t = 400)]
        shrink: usize,
    },
    /// Random models with an error: SPIN plays homing's trails, homing plays pan's
    Trails {
        /// Models with an error
        #[arg(long, default_value_t = 100)]
        count: u64,
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// The models of a folder instead
        #[arg(long, num_args = 0..=1, default_missing_value = EXAMPLES)]
        examples: Option<PathBuf>,
    },
    /// Random models that aim at the reductions, decided in many configurations; the judges are a statement-level explorer
    /// and SPIN
    Soak(SoakArguments),
    /// Prints the model of a seed
    Generate {
        seed: u64,
        /// One of those that aim at the reductions
        #[arg(long)]
        aimed: bool,
    },
    /// The examples SPIN comes with, as a Markdown table
    Examples {
        #[arg(long, default_value = EXAMPLES)]
        dir: PathBuf,
        /// Megabytes for one search
        #[arg(long, default_value_t = 8000)]
        memory: u32,
        /// Seconds for one search
        #[arg(long, default_value_t = 60)]
        timeout: u64,
        /// Do not ask homing
        #[arg(long)]
        spin_only: bool,
    },
    /// The transition tables, plain and merged, beside those of `pan -d`: of random models and of files or folders
    Tables {
        files: Vec<PathBuf>,
        /// Random models
        #[arg(long, default_value_t = 0)]
        count: u64,
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Everything that has to pass: formatting, lints, all tests; installs SPIN if it is missing and you are root
    Test,
    /// Measures homing and SPIN side by side; writes the machine, every run and a table with ratios into a folder
    Bench(BenchArguments),
    /// The tables of the paper on directed search, its figures beside ours, in Markdown
    Papers {
        #[arg(long, default_value = "bench/papers.toml")]
        set: PathBuf,
        #[arg(long, default_value = EXAMPLES)]
        examples: PathBuf,
        /// Seconds for one search
        #[arg(long, default_value_t = 60)]
        timeout: u64,
        /// For one search
        #[arg(long, default_value = "2G")]
        memory: String,
    },
    /// Turns off each soundness condition of a reduction and shows which test fails then
    Mutants {
        /// Only these conditions, by name [default: all]
        conditions: Vec<String>,
    },
    /// Single models
    Compare {
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
}

#[derive(Args)]
pub struct SoakArguments {
    #[arg(long, default_value_t = 10.0)]
    pub minutes: f64,
    /// A number of models instead of minutes
    #[arg(long, conflicts_with = "minutes")]
    pub models: Option<u64>,
    /// Of the first model; the following ones have the following seeds
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    #[arg(long, default_value_t = 2)]
    pub jobs: usize,
    /// The share of models that SPIN judges too, in percent
    #[arg(long, default_value_t = 5)]
    pub spin_share: usize,
    /// How many smaller models to try for a disagreement
    #[arg(long, default_value_t = 600)]
    pub shrink: usize,
}

#[derive(Args)]
pub struct BenchArguments {
    /// What is measured: models, sizes, ways to run homing and SPIN
    #[arg(long, default_value = "bench/models.toml")]
    pub set: PathBuf,
    /// Only these, by name; `small` are SPIN's small examples, `start` is the start on ten lines
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub models: Option<Vec<String>>,
    /// Only these and the baseline, by name
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub variants: Option<Vec<String>>,
    /// How often everybody runs [default: 5, quick: 1]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    pub runs: Option<u32>,
    /// Small sizes, to see whether everything works
    #[arg(long)]
    pub quick: bool,
    /// Where the results go [default: bench/<date>]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    #[arg(long, default_value = EXAMPLES)]
    pub examples: PathBuf,
    /// Megabytes for one search
    #[arg(long, default_value_t = 8000)]
    pub memory: u32,
    /// Seconds for one search
    #[arg(long, default_value_t = 300)]
    pub timeout: u64,
}

/// Where Debian puts SPIN's examples.
const EXAMPLES: &str = "/usr/share/doc/spin/examples";
