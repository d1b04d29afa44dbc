//! `cargo xtask`: the command line of the comparison with SPIN.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, Subcommand};
use xtask::compare::{Comparison, Oracle, Scope};
use xtask::examples::{self, Cost};
use xtask::exchange;
use xtask::homing::Homing;
use xtask::place;
use xtask::random::{self, Plan};
use xtask::spin::{Cache, Limits, Merging, Spin};
use xtask::tables;

/// Compares homing with live SPIN.
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Arguments {
    /// The homing binary [default: $HOMING_BIN, else the one built beside this program]
    #[arg(long, global = true)]
    homing: Option<PathBuf>,
    /// Ask SPIN again, even if it was asked before
    #[arg(long, global = true)]
    no_cache: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
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
        #[arg(long, num_args = 0..=1, default_missing_value = "/usr/share/doc/spin/examples")]
        examples: Option<PathBuf>,
    },
    /// Prints the model of a seed
    Generate { seed: u64 },
    /// The examples SPIN comes with, as a Markdown table
    Examples {
        #[arg(long, default_value = "/usr/share/doc/spin/examples")]
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
    /// Single models
    Compare {
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
}

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::from(2)
        }
    }
}

/// True if there is no disagreement.
fn run(arguments: Arguments) -> io::Result<bool> {
    let cache = (!arguments.no_cache).then(|| Cache::new(place::target_dir().join("oracle-cache")));
    let spin = |limits| Spin { limits, cache: cache.clone() };
    let homing = |timeout, memory| -> io::Result<Homing> {
        let found = arguments.homing.clone().or_else(place::homing_binary);
        let binary = found.ok_or_else(|| io::Error::other("no homing binary: build it, or set HOMING_BIN"))?;
        let homing = Homing { binary: binary.canonicalize()?, timeout, memory };
        homing.probe()?;
        Ok(homing)
    };
    match arguments.command {
        Command::Random { count, seed, jobs, spin_only, shrink } => {
            let plan = Plan { count, seed, jobs: usize::from(jobs), shrink_budget: shrink };
            let spin = spin(Limits::small());
            if spin_only {
                random::survey(&plan, &spin)?;
                return Ok(true);
            }
            let oracle = Oracle { spin, homing: homing(Duration::from_secs(60), None)? };
            random::compare(&plan, &oracle, &place::target_dir().join("oracle-failures"))
        }
        Command::Trails { count, seed, examples } => {
            let homing = homing(Duration::from_secs(60), None)?;
            let tally = match examples {
                Some(dir) => exchange::of_examples(&dir, &homing)?,
                None => {
                    let plan = Plan { count, seed, jobs: 2, shrink_budget: 0 };
                    exchange::of_random(&plan, &homing, &place::target_dir().join("oracle-failures"))?
                }
            };
            Ok(tally.wrong == 0)
        }
        Command::Generate { seed } => {
            print!("{}", xtask::generate::generate(seed).model);
            Ok(true)
        }
        Command::Examples { dir, memory, timeout, spin_only } => {
            let timeout = Duration::from_secs(timeout);
            let cost = Cost { memory, timeout };
            let homing = if spin_only { None } else { Some(homing(timeout, Some(memory))?) };
            examples::report(&dir, &spin(Limits::large(memory, timeout)), homing.as_ref(), &cost)
        }
        Command::Tables { files, count, seed } => {
            let spin = spin(Limits::small());
            let mut models = Vec::new();
            for file in files {
                models.extend(if file.is_dir() { examples::models(&file)? } else { vec![file] });
            }
            let mut agree = true;
            for merging in [Merging::Off, Merging::On] {
                println!("merging {merging:?}");
                let examples = models
                    .iter()
                    .map(|file| Ok((file.display().to_string(), tables::compare_example(file, merging, &spin)?)));
                let random = (seed..seed + count)
                    .map(|seed| Ok((format!("seed {seed}"), tables::compare_random(seed, merging, &spin)?)));
                agree &= tables::report(examples.chain(random))?;
            }
            Ok(agree)
        }
        Command::Test => xtask::testing::run(),
        Command::Compare { files } => {
            let limits = Limits::large(4000, Duration::from_secs(120));
            let oracle = Oracle { spin: spin(limits), homing: homing(Duration::from_secs(300), None)? };
            let mut agree = true;
            for file in files {
                let comparison = oracle.compare_file(&file, Scope::Full)?;
                agree &= !matches!(comparison, Comparison::Disagree(_));
                println!("{}: {comparison}", file.display());
            }
            Ok(agree)
        }
    }
}
