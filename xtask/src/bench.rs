//! Measures homing and SPIN side by side and writes a dated folder: the machine, every single run, a table with ratios.
//!
//! Both run on the same models in the same session, alternately. A ratio is given only where both did the same work.

mod interrupt;
mod machine;
pub(crate) mod measure;
mod record;
mod results;
mod runner;
mod set;
mod small;
pub(crate) mod statistics;
mod table;

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

pub use interrupt::Interrupt;
use record::{RawFile, Record};
use results::ModelResult;
pub use runner::Runner;
use runner::{Entry, Variant};
pub use set::Set;
use small::SmallModels;
use table::Report;

/// The names of the parts that are not models of the set.
const SMALL_MODELS: &str = "small";
const START_UP: &str = "start";

/// pan's depth limit and hash table for small sizes.
const QUICK_DEPTH: u64 = 100_000;
const QUICK_HASH_BITS: u32 = 14;

/// The number of examples with `--quick`.
const QUICK_EXAMPLES: usize = 3;

/// How often the start-up time is measured for each run of a model: it is short and varies.
const STARTS: u32 = 4;

/// What to measure, and how often.
#[derive(Clone, Debug)]
pub struct Plan {
    pub set: Set,
    /// Names of models and parts; `None` for everything.
    pub models: Option<Vec<String>>,
    pub runs: u32,
    /// Small sizes.
    pub quick: bool,
    /// The folder of the models of the set.
    pub project: PathBuf,
    pub examples: PathBuf,
    /// The folder for the results.
    pub out: PathBuf,
    /// The command line, for the record.
    pub command: String,
}

/// `bench/<date>` below the project; the second of a day is `<date>-2`.
pub fn default_folder(project: &Path) -> io::Result<PathBuf> {
    let date = machine::today().ok_or_else(|| io::Error::other("no `date`: give a folder with --out"))?;
    let names = (1..).map(|number| if number == 1 { date.clone() } else { format!("{date}-{number}") });
    let mut folders = names.map(|name| project.join("bench").join(name));
    folders.find(|folder| !folder.exists()).ok_or_else(|| io::Error::other("no free name"))
}

/// Measures, writes the folder, and prints the table. False if a variant that should do the same work did not.
pub fn run(plan: &Plan, runner: &Runner, print: &mut impl Write) -> io::Result<bool> {
    let entries = entries(plan)?;
    let mut session = Session::begin(plan, runner)?;
    let variants = session.present()?;
    for (position, entry) in entries.iter().enumerate() {
        if runner.interrupt.happened() {
            break;
        }
        session.progress(&format!("[{}/{}] {}", position + 1, entries.len(), entry.name));
        session.measure_model(entry, &variants)?;
    }
    if plan.wants(SMALL_MODELS) && !runner.interrupt.happened() {
        session.measure_small()?;
    }
    if plan.wants(START_UP) && !runner.interrupt.happened() {
        session.progress("start");
        let (raw, runs) = (&mut session.raw, STARTS * plan.runs);
        session.report.start_up = small::start_up(runner, runs, &mut |record| raw.add(record))?;
    }
    session.end(print)
}

/// The selected models in the selected size.
fn entries(plan: &Plan) -> io::Result<Vec<Entry>> {
    let known = |name: &String| {
        name == SMALL_MODELS || name == START_UP || plan.set.models.iter().any(|model| model.name == *name)
    };
    if let Some(unknown) = plan.models.iter().flatten().find(|name| !known(name)) {
        let names: Vec<&str> = plan.set.models.iter().map(|model| model.name.as_str()).collect();
        let there = format!("{}, {SMALL_MODELS}, {START_UP}", names.join(", "));
        return Err(io::Error::other(format!("no model `{unknown}`; known are {there}")));
    }
    let wanted = plan.set.models.iter().filter(|model| plan.wants(&model.name));
    let sized = wanted.filter_map(|model| Some((model, model.size(plan.quick)?)));
    let entries = sized.map(|(model, define)| Entry {
        name: model.name.clone(),
        file: model.path(&plan.project, &plan.examples),
        define: define.to_vec(),
        depth: if plan.quick { QUICK_DEPTH } else { model.depth },
        hash_bits: if plan.quick { QUICK_HASH_BITS } else { model.hash_bits },
    });
    let entries: Vec<Entry> = entries.collect();
    match entries.iter().find(|entry| !entry.file.is_file()) {
        Some(missing) => Err(io::Error::other(format!("{}: no such model", missing.file.display()))),
        None => Ok(entries),
    }
}

impl Plan {
    fn wants(&self, name: &str) -> bool {
        self.models.as_ref().is_none_or(|names| names.iter().any(|wanted| wanted == name))
    }
}

/// A benchmark that is being run.
struct Session<'a> {
    plan: &'a Plan,
    runner: &'a Runner,
    raw: RawFile,
    report: Report,
}

impl<'a> Session<'a> {
    fn begin(plan: &'a Plan, runner: &'a Runner) -> io::Result<Session<'a>> {
        fs::create_dir_all(&plan.out)?;
        // First the file that must not exist: an earlier measurement is not overwritten.
        let raw = RawFile::create(&plan.out.join("raw.csv"))
            .map_err(|error| io::Error::other(format!("{}: {error}", plan.out.join("raw.csv").display())))?;
        let machine = machine::describe(&plan.project, &runner.homing, &plan.command);
        fs::write(plan.out.join("machine.txt"), machine)?;
        Ok(Session { plan, runner, raw, report: Report::default() })
    }

    /// The variants that this homing supports.
    fn present(&mut self) -> io::Result<Vec<Variant>> {
        let mut present = Vec::new();
        for variant in runner::variants(&self.plan.set) {
            let absent = match &variant {
                Variant::Homing(variant) => !self.runner.knows(variant)?,
                Variant::Spin(_) => false,
            };
            if absent {
                self.report.absent.push(variant.name().to_string());
            } else {
                present.push(variant);
            }
        }
        Ok(present)
    }

    fn measure_model(&mut self, entry: &Entry, variants: &[Variant]) -> io::Result<()> {
        let mut records: Vec<Record> = Vec::new();
        for run in 1..=self.plan.runs {
            // Every other run is in reverse order, so that the same variant does not always follow the same one.
            let mut order: Vec<&Variant> = variants.iter().collect();
            if run % 2 == 0 {
                order.reverse();
            }
            for variant in order {
                let failed = |record: &Record| record.variant == variant.name() && record.outcome.is_err();
                if records.iter().any(failed) {
                    continue; // a variant that failed once is not run again
                }
                self.progress(&format!("{}: run {run} of {}, {}", entry.name, self.plan.runs, variant.name()));
                let record = self.runner.run(variant, entry, run)?;
                if self.runner.interrupt.happened() {
                    break;
                }
                self.raw.add(&record)?;
                records.push(record);
            }
            if self.runner.interrupt.happened() {
                break;
            }
        }
        if !records.is_empty() {
            let mut in_order = variants.to_vec(); // the order of the table, not of the runs
            in_order.sort_by_key(|variant| matches!(variant, Variant::Homing(_)));
            let result = ModelResult::of(entry, &in_order, &self.plan.set.baseline, &records);
            self.report.models.push(result);
            self.write_table()?;
        }
        Ok(())
    }

    fn measure_small(&mut self) -> io::Result<()> {
        let scratch = tempfile::tempdir()?;
        let mut models = small::models(&self.plan.examples, scratch.path())?;
        if self.plan.quick {
            models.truncate(QUICK_EXAMPLES);
        }
        let mut small = SmallModels::default();
        for (position, (name, file)) in models.iter().enumerate() {
            if self.runner.interrupt.happened() {
                break;
            }
            self.progress(&format!("small models [{}/{}] {name}", position + 1, models.len()));
            let raw = &mut self.raw;
            small.add(self.runner, (name, file), self.plan.runs, &mut |record| raw.add(record))?;
        }
        self.report.small = Some(small);
        self.write_table()
    }

    fn end(mut self, print: &mut impl Write) -> io::Result<bool> {
        self.report.interrupted = self.runner.interrupt.happened();
        self.progress("");
        self.write_table()?;
        write!(print, "{}", self.report)?;
        Ok(!self.report.interrupted && self.report.models.iter().all(ModelResult::is_sound))
    }

    fn write_table(&self) -> io::Result<()> {
        fs::write(self.plan.out.join("table.md"), self.report.to_string())
    }

    /// Overwrites the line of progress on a terminal.
    fn progress(&self, text: &str) {
        let mut terminal = io::stderr().lock();
        if terminal.is_terminal() {
            let _ = write!(terminal, "\r\x1b[K{text}");
            let _ = terminal.flush();
        }
    }
}
