//! `cargo xtask`: the command line of the comparison with SPIN.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use xtask::bench::{self, Arena, Interrupt};
use xtask::compare::{Comparison, Oracle, Scope};
use xtask::examples::{self, Cost};
use xtask::exchange;
use xtask::homing::Homing;
use xtask::papers;
use xtask::place;
use xtask::random::{self, Plan};
use xtask::sanitizers;
use xtask::soak;
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
        #[arg(long, num_args = 0..=1, default_missing_value = EXAMPLES)]
        examples: Option<PathBuf>,
    },
    /// Random models that aim at the reductions, decided in many configurations; the judges are a statement-level explorer
    /// and SPIN
    Soak {
        #[arg(long, default_value_t = 10.0)]
        minutes: f64,
        /// A number of models instead of minutes
        #[arg(long, conflicts_with = "minutes")]
        models: Option<u64>,
        /// Of the first model; the following ones have the following seeds
        #[arg(long, default_value_t = 1)]
        seed: u64,
        #[arg(long, default_value_t = 2)]
        jobs: usize,
        /// The share of models that SPIN judges too, in percent
        #[arg(long, default_value_t = 5)]
        spin_share: usize,
        /// How many smaller models to try for a disagreement
        #[arg(long, default_value_t = 600)]
        shrink: usize,
    },
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
    /// Single models
    Compare {
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
}

#[derive(Args)]
struct BenchArguments {
    /// What is measured: models, sizes, ways to run homing and SPIN
    #[arg(long, default_value = "bench/models.toml")]
    set: PathBuf,
    /// Only these, by name; `small` are SPIN's small examples, `start` is the start on ten lines
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    models: Option<Vec<String>>,
    /// Only these and the baseline, by name
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    variants: Option<Vec<String>>,
    /// How often everybody runs [default: 5, quick: 1]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    runs: Option<u32>,
    /// Small sizes, to see whether everything works
    #[arg(long)]
    quick: bool,
    /// Where the results go [default: bench/<date>]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[arg(long, default_value = EXAMPLES)]
    examples: PathBuf,
    /// Megabytes for one search
    #[arg(long, default_value_t = 8000)]
    memory: u32,
    /// Seconds for one search
    #[arg(long, default_value_t = 300)]
    timeout: u64,
}

/// Where Debian puts SPIN's examples.
const EXAMPLES: &str = "/usr/share/doc/spin/examples";

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
        Command::Soak { minutes, models, seed, jobs, spin_share, shrink } => {
            if arguments.homing.is_none() {
                build_homing()?;
            }
            let time = soak::Extent::Time(Duration::from_secs_f64(minutes * 60.0));
            let plan = soak::Plan {
                extent: models.map_or(time, soak::Extent::Models),
                seed,
                jobs,
                homing: homing(Duration::from_secs(60), None)?.binary,
                spin: spin(Limits::small()),
                spin_share,
                shrink_budget: shrink,
                failures: place::target_dir().join("soak-failures"),
            };
            run_soak(&plan)
        }
        Command::Generate { seed, aimed } => {
            let model = if aimed { soak::aimed(seed).model } else { xtask::generate::generate(seed).model };
            print!("{model}");
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
        Command::Bench(bench) => {
            if arguments.homing.is_none() {
                build_homing()?;
            }
            let homing = homing(Duration::from_secs(60), None)?.binary;
            run_bench(bench, homing)
        }
        Command::Papers { set, examples, timeout, memory } => {
            if arguments.homing.is_none() {
                build_homing()?;
            }
            let homing = homing(Duration::from_secs(60), None)?.binary;
            let (project, timeout) = (PathBuf::from("."), Duration::from_secs(timeout));
            let plan = papers::Plan { set, project, examples, homing, timeout, memory };
            print!("{}", plan.report()?);
            Ok(true)
        }
        Command::Mutants { conditions } => xtask::mutants::run(&conditions),
        Command::Miri { tests } => sanitizers::miri(&tests),
        Command::Asan { tests } => sanitizers::asan(&tests),
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

/// Prints each disagreement when it is found, and a summary every minute and at the end.
fn run_soak(plan: &soak::Plan) -> io::Result<bool> {
    let mut minute = 0;
    let report = soak::run(plan, |report, outcome| {
        for found in &outcome.disagreements {
            let at = report.elapsed().as_secs();
            println!("{at} s, seed {}, {:?}: {found}", outcome.seed, outcome.theme);
            found.text.lines().for_each(|line| println!("    {line}"));
        }
        if report.elapsed().as_secs() / 60 > minute {
            minute = report.elapsed().as_secs() / 60;
            eprintln!("{report}");
        }
    })?;
    println!("{report}");
    Ok(report.disagreements == 0)
}

/// What is measured is what the sources say now.
fn build_homing() -> io::Result<()> {
    let arguments = ["build", "--quiet", "--release", "--package", "homing"];
    let built = std::process::Command::new("cargo").args(arguments).status()?;
    if built.success() { Ok(()) } else { Err(io::Error::other("homing does not build")) }
}

fn run_bench(arguments: BenchArguments, homing: PathBuf) -> io::Result<bool> {
    let mut set = bench::Set::read(&arguments.set)?;
    if let Some(names) = &arguments.variants {
        set.keep_variants(names).map_err(io::Error::other)?;
    }
    let project = PathBuf::from(".");
    let out = match arguments.out {
        Some(out) => out,
        None => bench::default_folder(&project)?,
    };
    let given: Vec<String> = std::env::args().skip(1).collect();
    let plan = bench::Plan {
        set,
        models: arguments.models,
        runs: arguments.runs.unwrap_or(if arguments.quick { 1 } else { 5 }),
        quick: arguments.quick,
        project,
        examples: arguments.examples,
        out,
        command: format!("cargo xtask {}", given.join(" ")),
    };
    let timeout = Duration::from_secs(arguments.timeout);
    let arena = Arena { homing, timeout, memory: arguments.memory, interrupt: Interrupt::listen() };
    let sound = bench::run(&plan, &arena, &mut io::stdout().lock())?;
    eprintln!("written to {}", plan.out.display());
    Ok(sound)
}
