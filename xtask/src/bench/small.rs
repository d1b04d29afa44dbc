//! Small models: the time from the source to the verdict where the search itself is short. Measures those of SPIN's
//! examples that pan searches at once, and the start-up of homing on a model of ten lines.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::measure::{Measured, measure};
use super::record::{Counts, Record, Searched};
use super::runner::Runner;
use super::statistics::Spread;
use crate::examples;
use crate::homing;
use crate::spin::{PanReport, source};

/// A model is small if pan takes at most this long, in seconds.
const SMALL: f64 = 0.1;

/// The time limit of pan: some examples would take all memory.
const PATIENCE: Duration = Duration::from_secs(1);

const SPIN: &str = "spin, gcc -O2, pan";
const HOMING: &str = "homing check";

/// The options that users take: with reduction, to the first error.
const COMPILE: [&str; 8] = ["-w", "-O2", "-fwrapv", "-DSAFETY", "-DNOCLAIM", "-o", "pan", "pan.c"];
const SEARCH: [&str; 2] = ["-m100000", "-w18"];

const TEN_LINES: &str = "\
byte turns;
active [2] proctype Player() {
	do
	:: turns < 9 ->
		atomic { turns % 2 == _pid -> turns++ }
	:: else ->
		break
	od;
	assert(turns >= 9)
}
";

#[derive(Clone, Debug)]
pub struct SmallModel {
    pub name: String,
    pub spin: Spread,
    pub homing: Spread,
}

impl SmallModel {
    pub fn ratio(&self) -> f64 {
        self.spin.median / self.homing.median
    }
}

#[derive(Clone, Debug, Default)]
pub struct SmallModels {
    pub measured: Vec<SmallModel>,
    /// Models left out, with the reason.
    pub left_out: Vec<(String, String)>,
}

impl SmallModels {
    /// Adds the example `file`, or why it is left out, and hands every run to `keep`.
    pub fn add(
        &mut self,
        runner: &Runner,
        (name, file): (&str, &Path),
        runs: u32,
        keep: &mut dyn FnMut(&Record) -> io::Result<()>,
    ) -> io::Result<()> {
        let (mut spin, mut homing) = (Vec::new(), Vec::new());
        for run in 1..=runs {
            let (of_spin, of_homing) = match both(runner, name, file, run)? {
                Ok(both) => both,
                Err(_) if runner.interrupt.happened() => return Ok(()),
                Err(why) => {
                    self.left_out.push((name.to_string(), why));
                    return Ok(());
                }
            };
            keep(&of_spin)?;
            keep(&of_homing)?;
            spin.push(of_spin.to_verdict());
            homing.push(of_homing.to_verdict());
        }
        if let (Some(spin), Some(homing)) = (Spread::of(spin), Spread::of(homing)) {
            self.measured.push(SmallModel { name: name.to_string(), spin, homing });
        }
        Ok(())
    }
}

/// The models of a folder with their names; what is compressed is unpacked into `scratch`.
pub fn models(dir: &Path, scratch: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    let named = examples::models(dir)?.into_iter().enumerate().map(|(number, file)| {
        let name = file.strip_prefix(dir).unwrap_or(&file).display().to_string();
        let folder = scratch.join(number.to_string()); // two examples may have one name
        Ok((name, examples::unpacked(&file, &folder)?))
    });
    named.collect()
}

/// Runs SPIN and homing on `file`; the inner error says why they cannot be compared.
fn both(runner: &Runner, name: &str, file: &Path, run: u32) -> io::Result<Result<(Record, Record), String>> {
    let folder = tempfile::tempdir()?;
    let copy = source::copy(file, folder.path())?;
    let model = copy.file_name().unwrap_or_default().to_string_lossy();
    let spin = match of_spin(runner, &model, folder.path())? {
        Ok(spin) => Record { model: name.to_string(), run, ..spin },
        Err(why) => return Ok(Err(why)),
    };
    let homing = match of_homing(runner, &model, folder.path())? {
        Ok(homing) => Record { model: name.to_string(), run, ..homing },
        Err(why) => return Ok(Err(why)),
    };
    let fails = |record: &Record| record.outcome.as_ref().is_ok_and(|searched| searched.counts.errors > 0);
    if fails(&spin) != fails(&homing) {
        return Ok(Err("the verdicts differ".to_string()));
    }
    Ok(Ok((spin, homing)))
}

fn of_spin(runner: &Runner, model: &str, folder: &Path) -> io::Result<Result<Record, String>> {
    let prepare = |program: &Path, arguments: &[&str]| step(runner, program, arguments, folder);
    let spin = prepare(Path::new("spin"), &["-a", model])?;
    if !folder.join("pan.c").is_file() {
        return Ok(Err("spin refuses it".to_string()));
    }
    let gcc = prepare(Path::new("gcc"), &COMPILE)?;
    if !gcc.finished.ending.is_success() {
        return Ok(Err("gcc refuses it".to_string()));
    }
    let pan = measure(&folder.join("pan"), &SEARCH, folder, PATIENCE, &runner.interrupt)?;
    if pan.finished.seconds > SMALL {
        return Ok(Err("not small".to_string()));
    }
    let Some(report) = PanReport::parse(&pan.finished.stdout) else { return Ok(Err("pan died".to_string())) };
    if report.depth_limit_hit || report.out_of_memory {
        return Ok(Err("pan hit a limit".to_string()));
    }
    let counts = Counts { states: report.stored, transitions: report.transitions, errors: report.errors };
    let searched =
        Searched { counts, depth: report.depth_reached, store_bytes: report.store_bytes, used_per_state: None };
    let (generate, compile) = (spin.finished.seconds, gcc.finished.seconds);
    Ok(Ok(Record { generate, compile, ..record(SPIN, &pan, searched) }))
}

fn of_homing(runner: &Runner, model: &str, folder: &Path) -> io::Result<Result<Record, String>> {
    let arguments = ["check", model, "--property", "safety", "--json"];
    let measured = step(runner, &runner.homing, &arguments, folder)?;
    let result = match homing::understand(&measured.finished) {
        homing::Answer::Checked(result) if result.verdict == "unknown" => {
            return Ok(Err(format!("homing leaves it open: {}", result.reason.unwrap_or_default())));
        }
        homing::Answer::Checked(result) => result,
        homing::Answer::Refused(_) => return Ok(Err("homing refuses it".to_string())),
        homing::Answer::Broken(how) => return Ok(Err(format!("homing is broken: {how}"))),
    };
    let searched = Searched::by_homing(&result);
    Ok(Ok(record(HOMING, &measured, searched)))
}

/// The time from start to end of `homing check` on a model of ten lines.
pub fn start_up(
    runner: &Runner,
    runs: u32,
    keep: &mut dyn FnMut(&Record) -> io::Result<()>,
) -> io::Result<Option<Spread>> {
    let folder = tempfile::tempdir()?;
    fs::write(folder.path().join("ten.pml"), TEN_LINES)?;
    let mut seconds = Vec::new();
    for run in 1..=runs {
        match of_homing(runner, "ten.pml", folder.path())? {
            Ok(record) => {
                keep(&Record { model: "ten lines".to_string(), run, ..record.clone() })?;
                seconds.push(record.search);
            }
            Err(_) if runner.interrupt.happened() => break,
            Err(why) => return Err(io::Error::other(format!("the model of ten lines: {why}"))),
        }
    }
    Ok(Spread::of(seconds))
}

fn step(runner: &Runner, program: &Path, arguments: &[&str], folder: &Path) -> io::Result<Measured> {
    measure(program, arguments, folder, runner.timeout, &runner.interrupt)
}

fn record(variant: &str, search: &Measured, searched: Searched) -> Record {
    Record {
        model: String::new(),
        size: String::new(),
        variant: variant.to_string(),
        run: 0,
        generate: 0.0,
        compile: 0.0,
        search: search.finished.seconds,
        user: search.user,
        system: search.system,
        peak_bytes: search.peak_bytes,
        outcome: Ok(searched),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_lines_are_ten() {
        assert_eq!(TEN_LINES.lines().count(), 10);
    }
}
