//! Cycles: acceptance cycles (`pan -a`) and non-progress cycles (`pan -l`, compiled with -DNP), of all runs or of the
//! weakly fair ones (`-f`).
//!
//! -E: invalid end states are a question of safety. -f is wrong where the program can stop (Spin issue 38), so the caller
//! has to ask about a program that cannot.

use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Answer, Extent, GENERATE, PanReport, Session, Spin, cache, refusal, source};
use crate::process::{Ending, Finished};

/// -DNFAIR=3: `-f` for up to ten processes, the claim included.
const COMPILE: [&str; 4] = ["-w", "-fwrapv", "-DNOREDUCE", "-DNFAIR=3"];

/// Which cycles are errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cycles {
    /// Those through an accepting state of a process or of the claim.
    Acceptance,
    /// Those through no progress label.
    NonProgress,
}

/// What is asked about the cycles of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiveQuestion<'a> {
    pub cycles: Cycles,
    /// Whether only weakly fair cycles count.
    pub fair: bool,
    /// Whether failing assertions are passed over; those of claims too.
    pub ignores_assertions: bool,
    /// The claim, of a model with several.
    pub claim: Option<&'a str>,
}

/// SPIN's result for the cycles of a model.
#[derive(Clone, Debug)]
pub struct LiveFacts {
    /// The search ends at the first error.
    pub report: PanReport,
    /// The trail of the error.
    pub trail: Option<String>,
    /// Wall clock.
    pub seconds: f64,
}

/// Everything the programs printed, unparsed.
#[derive(Serialize, Deserialize)]
struct Transcript {
    spin: Finished,
    gcc: Option<Finished>,
    pan: Option<Finished>,
    trail: Option<String>,
}

impl Spin {
    pub fn ask_cycles_text(&self, model: &str, question: LiveQuestion<'_>) -> io::Result<Answer<LiveFacts>> {
        self.ask_cycles(model, model, Path::new("model.pml"), question)
    }

    pub fn ask_cycles_file(&self, path: &Path, question: LiveQuestion<'_>) -> io::Result<Answer<LiveFacts>> {
        let texts: Vec<String> = source::with_includes(path)?.into_iter().map(|(_, text)| text).collect();
        self.ask_cycles(&texts.join("\0"), "", &fs::canonicalize(path)?, question)
    }

    /// As `Spin::ask`.
    fn ask_cycles(
        &self,
        identity: &str,
        content: &str,
        model: &Path,
        question: LiveQuestion<'_>,
    ) -> io::Result<Answer<LiveFacts>> {
        let key = cache::key([
            identity,
            &format!("{:?}", self.limits),
            &format!("{GENERATE:?}{COMPILE:?}{question:?}"),
            "cycles 1",
        ]);
        if let Some(known) = self.cache.as_ref().and_then(|cache| cache.load(&key)) {
            return Ok(self.understand_cycles(known));
        }
        let folder = tempfile::tempdir()?;
        if !content.is_empty() {
            fs::write(folder.path().join(model), content)?;
        }
        let (limits, extent) = (&self.limits, Extent::FullSearch);
        let session = Session { limits, folder: folder.path(), model, generate: &GENERATE, extent };
        let transcript = session.record_cycles(question)?;
        let runs = [Some(&transcript.spin), transcript.gcc.as_ref(), transcript.pan.as_ref()];
        let timed_out = runs.into_iter().flatten().any(|run| run.ending == Ending::TimedOut);
        if let Some(cache) = self.cache.as_ref().filter(|_| !timed_out) {
            cache.save(&key, &transcript);
        }
        Ok(self.understand_cycles(transcript))
    }

    fn understand_cycles(&self, transcript: Transcript) -> Answer<LiveFacts> {
        if transcript.spin.ending == Ending::TimedOut {
            return Answer::TooBig("a long translation".to_owned());
        }
        let Some(gcc) = &transcript.gcc else {
            return Answer::Refused(refusal("spin", &transcript.spin));
        };
        let Some(pan) = &transcript.pan else {
            return Answer::Refused(refusal("gcc", gcc));
        };
        match self.report(pan) {
            Ok(report) => {
                Answer::Searched(Box::new(LiveFacts { report, trail: transcript.trail, seconds: pan.seconds }))
            }
            Err(answer) => answer,
        }
    }
}

impl Session<'_> {
    fn record_cycles(&self, question: LiveQuestion<'_>) -> io::Result<Transcript> {
        let (spin, generated) = self.generate()?;
        let mut transcript = Transcript { spin, gcc: None, pan: None, trail: None };
        if !generated {
            return Ok(transcript);
        }
        let (define, flag) = match question.cycles {
            Cycles::Acceptance => (&[][..], "-a"),
            Cycles::NonProgress => (&["-DNP"][..], "-l"),
        };
        let gcc = self.compile("pan", &[&COMPILE[..], define].concat())?;
        let compiled = gcc.ending.is_success();
        transcript.gcc = Some(gcc);
        if !compiled {
            return Ok(transcript);
        }
        let mut flags = vec![flag, "-E"];
        flags.extend(question.fair.then_some("-f"));
        flags.extend(question.ignores_assertions.then_some("-A"));
        flags.extend(question.claim.into_iter().flat_map(|name| ["-N", name]));
        transcript.pan = Some(self.deep_enough(&flags)?.0);
        transcript.trail = fs::read_to_string(self.trail()).ok();
        Ok(transcript)
    }
}
