//! Runs SPIN and homing on one model, each from the source to the verdict and alternately, so that disturbances of the
//! machine affect both.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::interrupt::Interrupt;
use super::measure::{Measured, measure};
use super::record::{Counts, Record, Searched};
use super::set::{HomingVariant, Set, SpinVariant, Work};
use crate::homing;
use crate::process::{Ending, Finished};
use crate::spin::{PanReport, source};

/// The options of every pan. -fwrapv: Promela's integers wrap, C's do not. -DVECTORSZ: the state vector of the ring
/// exceeds the default.
const COMPILE: [&str; 3] = ["-w", "-fwrapv", "-DVECTORSZ=2048"];

/// More options of a pan that decides safety.
const COMPILE_SAFETY: [&str; 2] = ["-DSAFETY", "-DNOCLAIM"];

#[derive(Clone, Debug)]
pub enum Variant {
    Spin(SpinVariant),
    Homing(HomingVariant),
}

impl Variant {
    pub fn name(&self) -> &str {
        match self {
            Variant::Spin(variant) => &variant.name,
            Variant::Homing(variant) => &variant.name,
        }
    }

    pub fn work(&self) -> Work {
        match self {
            Variant::Spin(variant) => variant.work,
            Variant::Homing(variant) => variant.work,
        }
    }
}

/// All variants of a set, SPIN and homing alternately.
pub fn variants(set: &Set) -> Vec<Variant> {
    let mut spin = set.spin.iter().cloned().map(Variant::Spin);
    let mut homing = set.homing.iter().cloned().map(Variant::Homing);
    let mut all = Vec::new();
    loop {
        let turn = [spin.next(), homing.next()];
        if turn.iter().all(Option::is_none) {
            return all;
        }
        all.extend(turn.into_iter().flatten());
    }
}

/// A model of a certain size.
#[derive(Clone, Debug)]
pub struct Entry {
    pub name: String,
    pub file: PathBuf,
    pub define: Vec<String>,
    pub depth: u64,
    pub hash_bits: u32,
}

impl Entry {
    pub fn size(&self) -> String {
        self.define.join(" ")
    }
}

/// Runs variants under the same limits.
#[derive(Clone, Debug)]
pub struct Runner {
    pub homing: PathBuf,
    pub timeout: Duration,
    /// In megabytes.
    pub memory: u32,
    /// The property of infinite runs that is decided, instead of safety.
    pub property: Option<String>,
    pub interrupt: Interrupt,
}

impl Runner {
    /// Whether this homing accepts the flags of a variant.
    pub fn knows(&self, variant: &HomingVariant) -> io::Result<bool> {
        let folder = tempfile::tempdir()?;
        let formula = self.property.as_ref().map_or_else(String::new, |name| format!("ltl {name} {{ true }}\n"));
        fs::write(folder.path().join("probe.pml"), format!("init {{ skip }}\n{formula}"))?;
        let run = self.homing_check(variant, "probe.pml", &[], folder.path())?;
        Ok(run.finished.ending != Ending::Exit(2))
    }

    /// Runs a variant from the source to the verdict.
    pub fn run(&self, variant: &Variant, entry: &Entry, run: u32) -> io::Result<Record> {
        let folder = tempfile::tempdir()?;
        let copy = source::copy(&entry.file, folder.path())?;
        let model = copy.file_name().unwrap_or_default().to_string_lossy();
        let mut record = Record {
            model: entry.name.clone(),
            size: entry.size(),
            variant: variant.name().to_string(),
            run,
            generate: 0.0,
            compile: 0.0,
            search: 0.0,
            user: 0.0,
            system: 0.0,
            peak_bytes: 0,
            outcome: Err("did not begin".to_string()),
        };
        match variant {
            Variant::Spin(variant) => self.run_spin(variant, entry, &model, folder.path(), &mut record)?,
            Variant::Homing(variant) => {
                let measured = self.homing_check(variant, &model, &entry.define, folder.path())?;
                record.note_search(&measured);
                record.outcome = self.of_homing(&measured.finished, variant.work);
            }
        }
        Ok(record)
    }

    fn run_spin(
        &self,
        variant: &SpinVariant,
        entry: &Entry,
        model: &str,
        folder: &Path,
        record: &mut Record,
    ) -> io::Result<()> {
        let mut generate = variant.generate.clone();
        generate.extend(entry.define.iter().map(|setting| format!("-D{setting}")));
        generate.push(model.to_string());
        let spin = self.measure(Path::new("spin"), &generate, folder)?;
        record.generate = spin.finished.seconds;
        if !folder.join("pan.c").is_file() {
            record.outcome = Err("spin refuses it".to_string());
            return Ok(());
        }
        let gcc = self.measure(Path::new("gcc"), &self.compile_arguments(variant), folder)?;
        record.compile = gcc.finished.seconds;
        if !gcc.finished.ending.is_success() {
            record.outcome = Err("gcc refuses it".to_string());
            return Ok(());
        }
        let bits = variant.bits.unwrap_or(entry.hash_bits);
        let mut arguments = vec![format!("-m{}", entry.depth), format!("-w{bits}")];
        match &self.property {
            None => arguments.push("-c0".to_string()),
            Some(name) => arguments.extend(["-a".to_string(), "-N".to_string(), name.clone()]),
        }
        arguments.extend(variant.run.iter().cloned());
        let pan = self.measure(&folder.join("pan"), &arguments, folder)?;
        record.note_search(&pan);
        record.outcome = self.of_pan(&pan.finished);
        Ok(())
    }

    fn compile_arguments(&self, variant: &SpinVariant) -> Vec<String> {
        let mut arguments: Vec<String> = COMPILE.map(str::to_string).to_vec();
        if self.property.is_none() {
            arguments.extend(COMPILE_SAFETY.map(str::to_string));
        }
        arguments.push(format!("-DMEMLIM={}", self.memory));
        if variant.work != Work::Other {
            arguments.push("-DNOREDUCE".to_string());
        }
        arguments.extend(variant.compile.iter().cloned());
        arguments.extend(["-o", "pan", "pan.c"].map(str::to_string));
        arguments
    }

    fn homing_check(
        &self,
        variant: &HomingVariant,
        model: &str,
        define: &[String],
        folder: &Path,
    ) -> io::Result<Measured> {
        let mut arguments: Vec<String> = ["check", model, "--json"].map(str::to_string).to_vec();
        match &self.property {
            None => arguments.extend(["--property", "safety"].map(str::to_string)),
            Some(name) => arguments.extend(["--property".to_string(), name.clone()]),
        }
        if variant.work != Work::Other {
            arguments.push("--plain".to_string());
            arguments.extend(self.property.is_none().then(|| "--all-errors".to_string()));
        }
        arguments.extend(["--memory".to_string(), format!("{}M", self.memory)]);
        arguments.extend(define.iter().map(|setting| format!("-D{setting}")));
        arguments.extend(variant.flags.iter().cloned());
        self.measure(&self.homing, &arguments, folder)
    }

    fn measure(&self, program: &Path, arguments: &[String], folder: &Path) -> io::Result<Measured> {
        measure(program, arguments, folder, self.timeout, &self.interrupt)
    }

    fn of_pan(&self, run: &Finished) -> Result<Searched, String> {
        if run.ending == Ending::TimedOut {
            return Err(format!("more than {} s", self.timeout.as_secs()));
        }
        let report = PanReport::parse(&run.stdout).ok_or_else(|| format!("pan died: {:?}", run.ending))?;
        if report.depth_limit_hit {
            return Err("depth limit".to_string());
        }
        if report.out_of_memory {
            return Err("memory limit".to_string());
        }
        if !report.completed {
            return Err("pan stopped at an error".to_string());
        }
        let counts = Counts { states: report.stored, transitions: report.transitions, errors: report.errors };
        Ok(Searched { counts, depth: report.depth_reached, store_bytes: report.store_bytes, used_per_state: None })
    }

    fn of_homing(&self, run: &Finished, work: Work) -> Result<Searched, String> {
        if run.ending == Ending::TimedOut {
            return Err(format!("more than {} s", self.timeout.as_secs()));
        }
        let result = match homing::understand(run) {
            homing::Answer::Checked(result) => result,
            homing::Answer::Refused(why) => return Err(format!("homing refuses it: {why}")),
            homing::Answer::Broken(how) => return Err(format!("homing is broken: {how}")),
        };
        let lost = work == Work::Lossy && result.reason.as_deref() == Some("lossy-store");
        if result.verdict == "unknown" && !lost {
            return Err(result.reason.unwrap_or_else(|| "unknown".to_string()));
        }
        Ok(Searched::by_homing(&result))
    }
}

impl Record {
    fn note_search(&mut self, measured: &Measured) {
        self.search = measured.finished.seconds;
        self.user = measured.user;
        self.system = measured.system;
        self.peak_bytes = measured.peak_bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runner() -> Runner {
        let timeout = Duration::from_secs(3);
        Runner { homing: PathBuf::new(), timeout, memory: 100, property: None, interrupt: Interrupt::never() }
    }

    fn finished(ending: Ending, stdout: &str) -> Finished {
        Finished { ending, stdout: stdout.into(), stderr: String::new(), seconds: 0.1 }
    }

    #[test]
    fn spin_and_homing_take_turns() {
        let set = Set::parse(
            "baseline = 'a'\nmodel = []\n\
             spin = [{ name = 'a', compile = [] }, { name = 'b', compile = [] }, { name = 'c', compile = [] }]\n\
             homing = [{ name = 'x', flags = [] }]",
        )
        .expect("a set");
        let names: Vec<String> = variants(&set).iter().map(|each| each.name().to_string()).collect();
        assert_eq!(names, ["a", "x", "b", "c"]);
    }

    #[test]
    fn a_search_that_was_cut_off_has_no_figures() {
        let report = |more: &str| {
            format!("{more}State-vector 28 byte, depth reached 9, errors: 0\n 5 states, stored\n 8 transitions (= x)\n")
        };
        let of = |text: &str| runner().of_pan(&finished(Ending::Exit(0), text));
        assert_eq!(of(&report("")).expect("figures").counts, Counts { states: 5, transitions: 8, errors: 0 });
        assert_eq!(of(&report("error: max search depth too small\n")), Err("depth limit".to_string()));
        assert_eq!(of(&report("pan: reached -DMEMLIM bound\n")), Err("memory limit".to_string()));
        assert_eq!(runner().of_pan(&finished(Ending::TimedOut, "")), Err("more than 3 s".to_string()));
        assert!(of("").is_err());
    }

    #[test]
    fn a_lossy_store_may_leave_it_open() {
        let answer = |reason: &str| {
            let text = format!(
                r#"{{ "results": [ {{ "verdict": "unknown", "reason": "{reason}", "errors": 0,
                    "stats": {{ "states": 5, "transitions": 8, "max_depth": 2, "memory_bytes": 64 }} }} ] }}"#
            );
            finished(Ending::Exit(3), &text)
        };
        let searched = runner().of_homing(&answer("lossy-store"), Work::Lossy).expect("figures");
        assert_eq!((searched.counts.states, searched.depth, searched.store_bytes), (5, 2, 64));
        assert_eq!(runner().of_homing(&answer("lossy-store"), Work::Same), Err("lossy-store".to_string()));
        assert_eq!(runner().of_homing(&answer("timeout"), Work::Lossy), Err("timeout".to_string()));
    }

    #[test]
    fn other_work_may_be_reduced() {
        let mut variant = SpinVariant { work: Work::Same, ..SpinVariant::default() };
        assert!(runner().compile_arguments(&variant).contains(&"-DNOREDUCE".to_string()));
        variant.work = Work::Other;
        assert!(!runner().compile_arguments(&variant).contains(&"-DNOREDUCE".to_string()));
    }
}
