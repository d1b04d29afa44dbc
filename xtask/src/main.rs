//! `cargo xtask`: the command line of the development tools.

mod arguments;

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use arguments::{Arguments, BenchArguments, Command, LiveArguments, SoakArguments};
use clap::Parser;
use xtask::bench::{self, Interrupt, Runner};
use xtask::compare::{Comparison, Oracle, Scope};
use xtask::examples::{self, Cost};
use xtask::homing::Homing;
use xtask::live;
use xtask::metrics::Metrics;
use xtask::papers;
use xtask::paths;
use xtask::portfolio;
use xtask::random::{self, Plan};
use xtask::reduction;
use xtask::sanitizers;
use xtask::soak;
use xtask::spin::{Cache, Limits, Merging, Spin};
use xtask::tables;
use xtask::trails;

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
fn run(Arguments { homing, no_cache, command }: Arguments) -> io::Result<bool> {
    let tools = Tools { homing, cache: (!no_cache).then(|| Cache::new(paths::target_dir().join("oracle-cache"))) };
    let minute = Duration::from_secs(60);
    match command {
        Command::Random { count, seed, jobs, spin_only, shrink } => {
            let plan = Plan { count, seed, jobs: usize::from(jobs), shrink_budget: shrink };
            let spin = tools.spin(Limits::small());
            if spin_only {
                random::survey(&plan, &spin)?;
                return Ok(true);
            }
            let oracle = Oracle { spin, homing: tools.homing(minute, None)? };
            random::compare(&plan, &oracle, &paths::target_dir().join("oracle-failures"))
        }
        Command::Trails { count, seed, examples } => {
            let homing = tools.homing(minute, None)?;
            let tally = match examples {
                Some(dir) => trails::of_examples(&dir, &homing)?,
                None => {
                    let plan = Plan { count, seed, jobs: 2, shrink_budget: 0 };
                    trails::of_random(&plan, &homing, &paths::target_dir().join("oracle-failures"))?
                }
            };
            Ok(tally.wrong == 0)
        }
        Command::Soak(soak) => run_soak(&soak, &tools),
        Command::Live(live) => run_live(live, &tools),
        Command::Generate { seed, aimed, live } => {
            let model = match (aimed, live) {
                (true, _) => soak::aimed(seed).model,
                (_, true) => live::live(seed, &live::Kind::ALL).model,
                _ => xtask::generate::generate(seed).model,
            };
            print!("{model}");
            Ok(true)
        }
        Command::Structure { structure } => {
            xtask::structure::print(structure, io::stdout().lock())?;
            Ok(true)
        }
        Command::Network(network) => {
            xtask::network::print(&network, io::stdout().lock())?;
            Ok(true)
        }
        Command::Examples { dir, memory, timeout, spin_only } => {
            let timeout = Duration::from_secs(timeout);
            let cost = Cost { memory, timeout };
            let homing = if spin_only { None } else { Some(tools.homing(timeout, Some(memory))?) };
            examples::report(&dir, &tools.spin(Limits::large(memory, timeout)), homing.as_ref(), &cost)
        }
        Command::Tables { files, count, seed } => compare_tables(&files, count, seed, &tools.spin(Limits::small())),
        Command::Test => xtask::testing::run(),
        Command::Dist => xtask::dist::run(),
        Command::Bench(bench) => run_bench(bench, tools.built_homing()?),
        Command::Reduction { examples, timeout } => {
            let timeout = Duration::from_secs(timeout);
            let plan = reduction::Plan { homing: tools.built_homing()?, examples, timeout };
            print!("{}", plan.report()?);
            Ok(true)
        }
        Command::Portfolio { before, examples, models, timeout, memory } => {
            let (homing, timeout) = (tools.built_homing()?, Duration::from_secs(timeout));
            print!("{}", portfolio::Plan { homing, before, examples, models, timeout, memory }.report()?);
            Ok(true)
        }
        Command::Papers { papers, figures, set, examples, timeout, memory } => {
            let (project, timeout) = (PathBuf::from("."), Duration::from_secs(timeout));
            let plan = papers::Plan {
                papers,
                figures,
                set,
                project,
                examples,
                homing: tools.built_homing()?,
                timeout,
                memory,
            };
            print!("{}", plan.report()?);
            Ok(true)
        }
        Command::Mutants { conditions } => xtask::mutants::run(&conditions),
        Command::Miri { tests } => sanitizers::miri(&tests),
        Command::Asan { tests } => sanitizers::asan(&tests),
        Command::Metrics { root } => {
            print!("{}", Metrics::of(&root)?);
            Ok(true)
        }
        Command::Compare { files } => compare_files(&files, &tools),
    }
}

/// SPIN and homing, as the arguments that all commands share choose them.
struct Tools {
    /// The binary that was named.
    homing: Option<PathBuf>,
    /// Earlier answers of SPIN; none if SPIN is to be asked again.
    cache: Option<Cache>,
}

impl Tools {
    fn spin(&self, limits: Limits) -> Spin {
        Spin { limits, cache: self.cache.clone() }
    }

    fn homing(&self, timeout: Duration, memory: Option<u32>) -> io::Result<Homing> {
        let found = self.homing.clone().or_else(paths::homing_binary);
        let binary = found.ok_or_else(|| io::Error::other("no homing binary: build it, or set HOMING_BIN"))?;
        let homing = Homing { binary: binary.canonicalize()?, timeout, memory };
        homing.probe()?;
        Ok(homing)
    }

    /// The binary that was named, or the one of the current sources, which is built first.
    fn built_homing(&self) -> io::Result<PathBuf> {
        if self.homing.is_none() {
            let arguments = ["build", "--quiet", "--release", "--package", "homing"];
            if !std::process::Command::new("cargo").args(arguments).status()?.success() {
                return Err(io::Error::other("homing does not build"));
            }
        }
        Ok(self.homing(Duration::from_secs(60), None)?.binary)
    }
}

/// Compares the transition tables of files, folders and random models, without and with statement merging.
fn compare_tables(files: &[PathBuf], count: u64, seed: u64, spin: &Spin) -> io::Result<bool> {
    let mut models = Vec::new();
    for file in files {
        models.extend(if file.is_dir() { examples::models(file)? } else { vec![file.clone()] });
    }
    let mut agree = true;
    for merging in [Merging::Off, Merging::On] {
        println!("merging {merging:?}");
        let examples =
            models.iter().map(|file| Ok((file.display().to_string(), tables::compare_example(file, merging, spin)?)));
        let random =
            (seed..seed + count).map(|seed| Ok((format!("seed {seed}"), tables::compare_random(seed, merging, spin)?)));
        agree &= tables::report(examples.chain(random))?;
    }
    Ok(agree)
}

fn compare_files(files: &[PathBuf], tools: &Tools) -> io::Result<bool> {
    let limits = Limits::large(4000, Duration::from_secs(120));
    let oracle = Oracle { spin: tools.spin(limits), homing: tools.homing(Duration::from_secs(300), None)? };
    let mut agree = true;
    for file in files {
        let comparison = oracle.compare_file(file, Scope::Full)?;
        agree &= !matches!(comparison, Comparison::Disagree(_));
        println!("{}: {comparison}", file.display());
    }
    Ok(agree)
}

/// Prints each disagreement when it is found, and a summary every minute and at the end.
fn run_soak(arguments: &SoakArguments, tools: &Tools) -> io::Result<bool> {
    let time = soak::Extent::Time(Duration::from_secs_f64(arguments.minutes * 60.0));
    let plan = soak::Plan {
        extent: arguments.models.map_or(time, soak::Extent::Models),
        seed: arguments.seed,
        jobs: arguments.jobs,
        homing: tools.built_homing()?,
        spin: tools.spin(Limits::small()),
        spin_share: arguments.spin_share,
        shrink_budget: arguments.shrink,
        failures: paths::target_dir().join("soak-failures"),
    };
    let mut minute = 0;
    let report = soak::run(&plan, |report, outcome| {
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

/// Prints each disagreement when it is found, a summary after every fifty models and at the end.
fn run_live(arguments: LiveArguments, tools: &Tools) -> io::Result<bool> {
    let homing = tools.homing(Duration::from_secs(60), None)?.binary;
    if let Some(dir) = &arguments.examples {
        let cost = Cost { memory: arguments.memory, timeout: Duration::from_secs(arguments.timeout) };
        let spin = tools.spin(Limits::large(cost.memory, cost.timeout));
        return live::examples::report(dir, live::examples::Extent::All, &spin, &homing, &cost);
    }
    let plan = live::Plan {
        count: arguments.count,
        seed: arguments.seed,
        jobs: arguments.jobs,
        kinds: arguments.kinds,
        programs: live::Programs { spin: tools.spin(Limits::small()), homing },
        shrink_budget: arguments.shrink,
        failures: paths::target_dir().join("live-failures"),
    };
    let report = live::run(&plan, |report, outcome| {
        if !outcome.comparison.differences.is_empty() {
            println!("seed {}, {}:", outcome.seed, outcome.kind);
            outcome.distinct().for_each(|difference| println!("  {difference}"));
            outcome.text.lines().for_each(|line| println!("    {line}"));
        }
        if report.total().is_multiple_of(50) {
            eprintln!("{report}");
        }
    })?;
    println!("{report}");
    Ok(report.disagreements == 0)
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
    let property = plan.set.property.clone();
    let runner = Runner { homing, timeout, memory: arguments.memory, property, interrupt: Interrupt::listen() };
    let sound = bench::run(&plan, &runner, &mut io::stdout().lock())?;
    eprintln!("written to {}", plan.out.display());
    Ok(sound)
}
