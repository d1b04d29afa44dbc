//! The arguments of `cargo xtask`.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use xtask::live::Kind;
use xtask::network::NetworkArgs;
use xtask::papers::Paper;
use xtask::structure::Structure;

/// Development tools of homing: comparison with SPIN, benchmarks, checks
#[derive(Parser)]
#[command(name = "cargo xtask")]
pub struct Arguments {
    /// The homing binary [default: $HOMING_BIN, else the one built beside this program]
    #[arg(long, global = true)]
    pub homing: Option<PathBuf>,
    /// Run SPIN again, even if its answer is cached
    #[arg(long, global = true)]
    pub no_cache: bool,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Compares homing with SPIN on random models: acceptance, states, transitions, errors and lengths of trails
    Random {
        #[arg(long, default_value_t = 100)]
        count: u64,
        /// The seed of the first model; the others have the following seeds
        #[arg(long, default_value_t = 1)]
        seed: u64,
        #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=2))]
        jobs: u8,
        /// Do not run homing: print statistics of the generated models
        #[arg(long)]
        spin_only: bool,
        /// The number of smaller models to try for each disagreement
        #[arg(long, default_value_t = 400)]
        shrink: usize,
    },
    /// Exchanges trails of random models with errors: SPIN plays homing's, homing plays pan's
    Trails {
        /// The number of models with an error
        #[arg(long, default_value_t = 100)]
        count: u64,
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Take the models of a folder instead
        #[arg(long, num_args = 0..=1, default_missing_value = EXAMPLES)]
        examples: Option<PathBuf>,
    },
    /// Decides random models that aim at the reductions in many configurations, and compares with the reference
    /// explorer and SPIN
    Soak(SoakArguments),
    /// Compares homing with SPIN on random models with never claims, formulas, accept and progress labels: verdicts also
    /// with fairness, counts, lengths of lassos, replays
    Live(LiveArguments),
    /// Prints the model of a seed
    Generate {
        seed: u64,
        /// Print a model that aims at the reductions
        #[arg(long)]
        aimed: bool,
        /// Print a model with a property of infinite runs
        #[arg(long, conflicts_with = "aimed")]
        live: bool,
    },
    /// Prints a generated system, as an .aut file or in Promela: cargo xtask structure diamond 10 > diamond.aut
    Structure {
        #[command(subcommand)]
        structure: Structure,
    },
    /// Prints a generated network of automata: cargo xtask network arbiter 3 > arbiter.xta
    Network(NetworkArgs),
    /// Compares homing with SPIN on SPIN's examples, as a Markdown table
    Examples {
        #[arg(long, default_value = EXAMPLES)]
        dir: PathBuf,
        /// Megabytes for one search
        #[arg(long, default_value_t = 8000)]
        memory: u32,
        /// Seconds for one search
        #[arg(long, default_value_t = 60)]
        timeout: u64,
        /// Do not run homing
        #[arg(long)]
        spin_only: bool,
    },
    /// Compares transition tables, plain and merged, with those of `pan -d`, on random models and on files or folders
    Tables {
        files: Vec<PathBuf>,
        /// The number of random models
        #[arg(long, default_value_t = 0)]
        count: u64,
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Runs everything that has to pass: formatting, lints, all tests; installs SPIN if it is missing and you are root
    Test,
    /// Measures homing and SPIN; writes the machine, every run and a table of ratios to a folder
    Bench(BenchArguments),
    /// Prints what partial-order reduction leaves of the bundled models, beside SPIN's reduction, and of SPIN's examples, in Markdown
    Reduction {
        #[arg(long, default_value = EXAMPLES)]
        examples: PathBuf,
        /// Seconds for one search
        #[arg(long, default_value_t = 60)]
        timeout: u64,
    },
    /// Prints the time of the default search beside that of its fastest member, for all models with errors, and beside an earlier binary
    /// for the others, in Markdown
    Portfolio {
        /// An earlier binary
        #[arg(long, value_name = "FILE")]
        before: Option<PathBuf>,
        #[arg(long, default_value = EXAMPLES)]
        examples: PathBuf,
        /// Only models with one of these in their names
        #[arg(long, value_delimiter = ',', value_name = "NAMES")]
        models: Vec<String>,
        /// Seconds for one search
        #[arg(long, default_value_t = 20)]
        timeout: u64,
        /// Memory for one search
        #[arg(long, default_value = "2G")]
        memory: String,
    },
    /// Prints the tables of the papers with their figures beside homing's, in Markdown
    Papers {
        /// Only the tables of these papers
        #[arg(value_enum, default_values_t = [Paper::Directed, Paper::Storing, Paper::Abstraction])]
        papers: Vec<Paper>,
        /// Draw figures 4, 5 and 6 of the paper on abstraction in this folder
        #[arg(long, value_name = "DIR")]
        figures: Option<PathBuf>,
        #[arg(long, default_value = "bench/papers.toml")]
        set: PathBuf,
        #[arg(long, default_value = EXAMPLES)]
        examples: PathBuf,
        /// Seconds for one search
        #[arg(long, default_value_t = 60)]
        timeout: u64,
        /// Memory for one search
        #[arg(long, default_value = "2G")]
        memory: String,
    },
    /// Turns off each soundness condition of the reductions and prints the test that fails
    Mutants {
        /// Only these conditions, by name [default: all]
        conditions: Vec<String>,
    },
    /// Runs the store's tests in Miri, which finds undefined behaviour; needs a nightly toolchain with Miri, and many minutes
    Miri {
        /// Only tests with one of these in their names [default: all]
        tests: Vec<String>,
    },
    /// Runs the compiled engine's tests with the address sanitizer; needs a nightly toolchain
    Asan {
        /// Only tests with one of these in their names [default: all]
        tests: Vec<String>,
    },
    /// Builds what is given away: a stripped binary, static if the musl target is installed, with manual pages, completions and
    /// checksums
    Dist,
    /// Prints figures about the sources: sizes, undocumented items, retired words
    Metrics {
        /// The checkout
        #[arg(long, default_value = ".")]
        root: PathBuf,
    },
    /// Compares homing with SPIN on single models
    Compare {
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
}

#[derive(Args)]
pub struct SoakArguments {
    #[arg(long, default_value_t = 10.0)]
    pub minutes: f64,
    /// The number of models, instead of minutes
    #[arg(long, conflicts_with = "minutes")]
    pub models: Option<u64>,
    /// The seed of the first model; the others have the following seeds
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    #[arg(long, default_value_t = 2)]
    pub jobs: usize,
    /// The share of models that are also compared with SPIN, in percent
    #[arg(long, default_value_t = 5)]
    pub spin_share: usize,
    /// The number of smaller models to try for a disagreement
    #[arg(long, default_value_t = 600)]
    pub shrink: usize,
}

#[derive(Args)]
pub struct LiveArguments {
    #[arg(long, default_value_t = 200)]
    pub count: u64,
    /// The seed of the first model; the others have the following seeds
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    #[arg(long, default_value_t = 2)]
    pub jobs: usize,
    /// Compare on the models of a folder instead, and print a table in Markdown
    #[arg(long, num_args = 0..=1, default_missing_value = EXAMPLES, value_name = "DIR")]
    pub examples: Option<PathBuf>,
    /// Megabytes for one search of an example
    #[arg(long, default_value_t = 4000)]
    pub memory: u32,
    /// Seconds for one search of an example
    #[arg(long, default_value_t = 60)]
    pub timeout: u64,
    /// The kinds of properties: never, accept, progress, ltl
    #[arg(long, value_delimiter = ',', value_name = "KINDS", default_values_t = Kind::ALL)]
    pub kinds: Vec<Kind>,
    /// The number of smaller models to try for a disagreement
    #[arg(long, default_value_t = 150)]
    pub shrink: usize,
}

#[derive(Args)]
pub struct BenchArguments {
    /// The file with models, sizes, and variants of homing and SPIN
    #[arg(long, default_value = "bench/models.toml")]
    pub set: PathBuf,
    /// Only these models; `small` are SPIN's small examples, `start` is the start-up on ten lines
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub models: Option<Vec<String>>,
    /// Only these variants, and the baseline
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub variants: Option<Vec<String>>,
    /// The number of runs of each variant [default: 5, with --quick 1]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    pub runs: Option<u32>,
    /// Small sizes, to check that everything works
    #[arg(long)]
    pub quick: bool,
    /// The folder for the results [default: bench/<date>]
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

/// The folder of SPIN's examples in Debian's package.
const EXAMPLES: &str = "/usr/share/doc/spin/examples";
