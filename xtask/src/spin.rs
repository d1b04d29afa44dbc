//! Asks SPIN about a model: `spin -a -o1 -o2 -o3` (or plain `spin -a`), gcc, and up to three runs of `pan`.
//!
//! The full search (`-c0`) gives the counts. If it finds an error, the first error (`-c1`) and the shortest trail are
//! determined too. Cycles are looked for by another verifier, compiled without -DSAFETY (`liveness.rs`).

mod cache;
mod listing;
mod liveness;
mod output;
mod shortest;
pub mod source;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::process::{self, Ending, Finished};
pub use cache::Cache;
pub use listing::Merging;
pub use liveness::{Cycles, LiveFacts, LiveQuestion};
pub use output::{ErrorKind, ErrorMessage, PanReport, Unreached, UnreachedState};

/// SPIN without the optimisations that change the counts: dead locals, write-only globals, statement merging.
const GENERATE: [&str; 4] = ["-a", "-o1", "-o2", "-o3"];

/// SPIN with its default optimisations.
const GENERATE_REDUCED: [&str; 1] = ["-a"];

/// -fwrapv: Promela's integers wrap, C's do not.
const COMPILE: [&str; 5] = ["-w", "-fwrapv", "-DSAFETY", "-DNOREDUCE", "-DNOCLAIM"];

/// The limits of a question. A question that exceeds them is answered by [`Answer::TooBig`].
#[derive(Clone, Debug)]
pub struct Limits {
    pub prepare: Duration,
    pub pan: Duration,
    /// Of pan, in megabytes.
    pub memory: u32,
    /// Depth limits to try one after the other until one is not hit.
    pub depths: Vec<u64>,
    /// Log2 of the number of slots in pan's hash table.
    pub hash_bits: u32,
    /// gcc's optimisation: compiling takes longer than searching a small model.
    pub optimise: &'static str,
}

impl Limits {
    /// For models of some thousand states.
    pub fn small() -> Limits {
        Limits {
            prepare: Duration::from_secs(60),
            pan: Duration::from_secs(10),
            memory: 40,
            depths: vec![100_000],
            hash_bits: 16,
            optimise: "-O0",
        }
    }

    /// For models of some million states.
    pub fn large(memory: u32, pan: Duration) -> Limits {
        Limits {
            prepare: Duration::from_secs(120),
            pan,
            memory,
            depths: vec![1_000_000, 30_000_000],
            hash_bits: 24,
            optimise: "-O2",
        }
    }
}

/// Everything the programs printed, unparsed. The cache keeps this, so that a change of the parser needs no new run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Transcript {
    spin: Finished,
    gcc: Option<Finished>,
    full: Option<Finished>,
    first: Option<Finished>,
    first_trail: Option<String>,
    shortest: Option<u64>,
}

/// The first error of a depth-first search in SPIN's order.
#[derive(Clone, Debug, PartialEq)]
pub struct FirstError {
    pub message: ErrorMessage,
    /// Lines of the trail.
    pub length: u64,
}

/// SPIN's results for a model that it could search.
#[derive(Clone, Debug)]
pub struct Facts {
    pub full: PanReport,
    /// Absent when there is no error.
    pub first: Option<FirstError>,
    /// The length of a shortest trail; absent when there is none or it took too long.
    pub shortest: Option<u64>,
    /// Of the full search, wall clock.
    pub seconds: f64,
}

impl Facts {
    /// An error ended the search, or made the rest of it arbitrary: only the verdict can be compared.
    pub fn counts_are_void(&self) -> bool {
        let poisons = |kind| matches!(kind, ErrorKind::Fatal | ErrorKind::ArrayIndex);
        !self.full.completed || self.full.messages.iter().any(|message| poisons(message.kind))
    }

    pub fn has_error(&self, kind: ErrorKind) -> bool {
        self.full.messages.iter().any(|message| message.kind == kind)
    }
}

/// SPIN's answer, with what is known of a model that was searched.
#[derive(Clone, Debug)]
pub enum Answer<F = Facts> {
    /// By spin, or by gcc, or by pan at its start; in their words.
    Refused(String),
    /// Beyond the limits, with which one.
    TooBig(String),
    /// pan died: division by zero and other undefined behaviour.
    Crashed(String),
    Searched(Box<F>),
}

/// SPIN, with limits and a cache.
#[derive(Clone, Debug)]
pub struct Spin {
    pub limits: Limits,
    pub cache: Option<Cache>,
}

impl Spin {
    pub fn ask_text(&self, model: &str) -> io::Result<Answer> {
        self.ask(model, model, Path::new("model.pml"))
    }

    pub fn ask_file(&self, path: &Path) -> io::Result<Answer> {
        let texts: Vec<String> = source::with_includes(path)?.into_iter().map(|(_, text)| text).collect();
        self.ask(&texts.join("\0"), "", &fs::canonicalize(path)?)
    }

    /// The full search of SPIN with the optimisations it makes by default.
    pub fn ask_reduced_text(&self, model: &str) -> io::Result<Answer> {
        self.ask_as(model, model, Path::new("model.pml"), &GENERATE_REDUCED, Extent::FullSearch)
    }

    /// The full search of a file with SPIN's default optimisations.
    pub fn ask_reduced_file(&self, path: &Path) -> io::Result<Answer> {
        let texts: Vec<String> = source::with_includes(path)?.into_iter().map(|(_, text)| text).collect();
        self.ask_as(&texts.join("\0"), "", &fs::canonicalize(path)?, &GENERATE_REDUCED, Extent::FullSearch)
    }

    /// `identity` decides about equality of models; `content`, if any, is written to `model` in the work folder.
    fn ask(&self, identity: &str, content: &str, model: &Path) -> io::Result<Answer> {
        self.ask_as(identity, content, model, &GENERATE, Extent::Errors)
    }

    fn ask_as(
        &self,
        identity: &str,
        content: &str,
        model: &Path,
        generate: &[&str],
        extent: Extent,
    ) -> io::Result<Answer> {
        let key = cache::key([identity, &format!("{:?}", self.limits), &format!("{generate:?}{COMPILE:?}"), "3"]);
        if let Some(known) = self.cache.as_ref().and_then(|cache| cache.load(&key)) {
            return Ok(self.understand(&known));
        }
        let folder = tempfile::tempdir()?;
        if !content.is_empty() {
            fs::write(folder.path().join(model), content)?;
        }
        let session = Session { limits: &self.limits, folder: folder.path(), model, generate, extent };
        let transcript = session.record()?;
        let answer = self.understand(&transcript);
        // A time limit depends on the machine, so that its answer is not cached.
        let timed_out = [&transcript.gcc, &transcript.full, &transcript.first]
            .into_iter()
            .flatten()
            .any(|run| run.ending == Ending::TimedOut);
        if let Some(cache) = self.cache.as_ref().filter(|_| !timed_out) {
            cache.save(&key, &transcript);
        }
        Ok(answer)
    }

    fn understand(&self, transcript: &Transcript) -> Answer {
        let Some(gcc) = &transcript.gcc else {
            return Answer::Refused(refusal("spin", &transcript.spin));
        };
        let Some(full) = &transcript.full else {
            return Answer::Refused(refusal("gcc", gcc));
        };
        let report = match self.report(full) {
            Ok(report) => report,
            Err(answer) => return answer,
        };
        let first = transcript.first.as_ref().zip(transcript.first_trail.as_ref()).and_then(|(run, trail)| {
            let message = PanReport::parse(&run.stdout)?.messages.first()?.clone();
            Some(FirstError { message, length: output::trail_length(trail) })
        });
        Answer::Searched(Box::new(Facts { full: report, first, shortest: transcript.shortest, seconds: full.seconds }))
    }

    /// What a run of pan printed, or the answer if it did not search the whole model.
    fn report<F>(&self, run: &Finished) -> Result<PanReport, Answer<F>> {
        if run.ending == Ending::TimedOut {
            return Err(Answer::TooBig(format!("more than {} s", self.limits.pan.as_secs())));
        }
        let Some(report) = PanReport::parse(&run.stdout) else {
            return Err(match run.ending {
                Ending::Signal(signal) => Answer::Crashed(format!("pan died of signal {signal}")),
                _ => Answer::Refused(refusal("pan", run)),
            });
        };
        if report.out_of_memory {
            return Err(Answer::TooBig(format!("more than {} MB", self.limits.memory)));
        }
        if report.depth_limit_hit {
            let depth = self.limits.depths.iter().max().copied().unwrap_or(0);
            return Err(Answer::TooBig(format!("deeper than {depth} steps")));
        }
        if !report.completed && report.errors == 0 {
            return Err(Answer::TooBig("a search that pan did not complete".to_owned()));
        }
        Ok(report)
    }
}

/// How much of a model is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    FullSearch,
    /// The first error and the shortest trail too.
    Errors,
}

/// One model in one work folder.
struct Session<'a> {
    limits: &'a Limits,
    folder: &'a Path,
    model: &'a Path,
    generate: &'a [&'a str],
    extent: Extent,
}

impl Session<'_> {
    fn record(&self) -> io::Result<Transcript> {
        let (spin, generated) = self.generate()?;
        let mut transcript = Transcript { spin, gcc: None, full: None, first: None, first_trail: None, shortest: None };
        if !generated {
            return Ok(transcript);
        }
        let gcc = self.compile("pan", &COMPILE)?;
        let compiled = gcc.ending.is_success();
        transcript.gcc = Some(gcc);
        if !compiled {
            return Ok(transcript);
        }
        let (full, depth) = self.full_search()?;
        let report = PanReport::parse(&full.stdout);
        transcript.full = Some(full);
        let is_all = |report: PanReport| report.errors == 0 || report.out_of_memory || report.depth_limit_hit;
        if report.is_none_or(is_all) || self.extent == Extent::FullSearch {
            return Ok(transcript);
        }
        transcript.first = Some(self.pan("pan", &["-c1", &format!("-m{depth}")])?);
        let trail = fs::read_to_string(self.trail()).unwrap_or_default();
        transcript.shortest = self.shortest_length(output::trail_length(&trail))?;
        transcript.first_trail = Some(trail);
        Ok(transcript)
    }

    /// Generates the verifier's source; with whether there is one.
    fn generate(&self) -> io::Result<(Finished, bool)> {
        let model = self.model.to_string_lossy();
        let run = self.run("spin", &[self.generate, &[&*model]].concat(), self.limits.prepare)?;
        // After some errors spin leaves a half-written pan.c, after others it crashes: both tests are needed.
        let generated = run.ending.is_success() && self.folder.join("pan.c").is_file();
        Ok((run, generated))
    }

    fn full_search(&self) -> io::Result<(Finished, u64)> {
        self.deep_enough(&["-c0"])
    }

    /// The report of the first depth limit that sufficed, else of the last.
    fn deep_enough(&self, flags: &[&str]) -> io::Result<(Finished, u64)> {
        let mut last = None;
        for &depth in &self.limits.depths {
            let run = self.pan("pan", &[flags, &[&*format!("-m{depth}")]].concat())?;
            let suffices = PanReport::parse(&run.stdout).is_none_or(|report| !report.depth_limit_hit);
            last = Some((run, depth));
            if suffices {
                break;
            }
        }
        last.ok_or_else(|| io::Error::other("no depth limit given"))
    }

    fn compile(&self, name: &str, flags: &[&str]) -> io::Result<Finished> {
        let memory = format!("-DMEMLIM={}", self.limits.memory);
        let mut arguments = vec![self.limits.optimise, "-DVECTORSZ=8192", &memory, "-o", name, "pan.c"];
        arguments.extend(flags);
        self.run("gcc", &arguments, self.limits.prepare)
    }

    fn pan(&self, name: &str, flags: &[&str]) -> io::Result<Finished> {
        let bits = format!("-w{}", self.limits.hash_bits);
        let mut arguments: Vec<&str> = flags.to_vec();
        arguments.push(&bits);
        process::run(&self.folder.join(name), &arguments, self.folder, self.limits.pan)
    }

    fn run(&self, program: &str, arguments: &[&str], limit: Duration) -> io::Result<Finished> {
        process::run(Path::new(program), arguments, self.folder, limit)
    }

    fn trail(&self) -> PathBuf {
        let name = self.model.file_name().unwrap_or_default().to_string_lossy();
        self.folder.join(format!("{name}.trail"))
    }
}

/// Why `program` refused, in one line of its own words.
fn refusal(program: &str, run: &Finished) -> String {
    let all = format!("{}\n{}", run.stdout, run.stderr);
    let lines = || all.lines().map(str::trim).filter(|line| !line.is_empty());
    // spin continues after errors: the last one ended it. Of gcc's errors the first is the relevant one.
    let telling = lines()
        .rfind(|line| line.contains("Error:"))
        .or_else(|| lines().find(|line| line.starts_with("tl_spin:")))
        .or_else(|| lines().find(|line| line.to_lowercase().contains("error")))
        .or_else(|| lines().next());
    match (telling, run.ending) {
        (Some(line), _) => format!("{program}: {}", line.strip_prefix("spin: ").unwrap_or(line)),
        (None, Ending::Exit(code)) => format!("{program}: exit code {code}"),
        (None, Ending::Signal(signal)) => format!("{program}: signal {signal}"),
        (None, Ending::TimedOut) => format!("{program}: timed out"),
    }
}

/// What SPIN's verifier prints that is made with its default optimisations and its partial-order reduction. The model is copied to the
/// folder, as `model.pml`.
pub fn verify_reduced(
    model: &Path,
    spin_flags: &[&str],
    pan_flags: &[&str],
    folder: &Path,
    timeout: Duration,
) -> io::Result<String> {
    let run = |program: &str, arguments: &[&str]| process::run(Path::new(program), arguments, folder, timeout);
    fs::copy(model, folder.join("model.pml"))?;
    let made = run("spin", &[spin_flags, &["-a", "model.pml"]].concat())?.ending.is_success()
        && run("gcc", &["-O2", "-w", "-DSAFETY", "-DNOCLAIM", "-o", "pan", "pan.c"])?.ending.is_success();
    if !made {
        return Err(io::Error::other(format!("SPIN does not make a verifier of {}", model.display())));
    }
    Ok(run("./pan", pan_flags)?.stdout)
}
