//! `--confirm`: a verdict `holds` is proved a second time, without any reduction.
//!
//! A small model is explored by the [reference](homing_engine::Reference), statement by statement, which shares neither
//! runs, nor reductions, nor stores with the search. A larger one is searched breadth-first as it is, with no reduction and
//! no sleep sets. A contradiction is a bug in homing: the violation is reported all the same.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use homing_core::{Blind, End};
use homing_engine::{Finding, Reference};
use homing_ir::Lengths;
use homing_search::Reduction;

use crate::console::When;
use crate::counterexample::Counterexample;
use crate::decide::{Asked, Decider};
use crate::error::Error;
use crate::explore::{AnyEstimate, Chosen, Explored};
use crate::result::{Algorithm, Run};
use crate::subject::Subject;

/// How a second proof of `holds` ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Confirmation {
    /// The model was explored in full once more, without an error.
    Agreed { by: &'static str, states: u64, seconds: f64 },
    /// A limit was hit first.
    Unfinished,
    /// An error was found after all: the verdict is `violated`, and the first search has a bug.
    Contradicted,
}

/// What the second proof found.
pub enum Second {
    Confirmation(Confirmation),
    /// There is an error after all.
    Refuted(Box<Counterexample>),
}

/// Without being asked, a verdict is confirmed only if the first search took less than this.
const QUICK: Duration = Duration::from_millis(20);

/// Without being asked, the second proof may take this long.
const BRIEF: Duration = Duration::from_millis(50);

/// A search with at most so many states is confirmed by the reference: it has more nodes than that, but not many times more.
const SMALL: u64 = 4000;

/// Nodes after which the reference gives up on a model that seemed small.
const MOST_NODES: u64 = 200_000;

impl Decider<'_> {
    /// Decides a property that holds once more, if that is wanted.
    pub fn confirm(
        &self,
        asked: &Asked<'_>,
        subject: &Subject,
        first: &Run,
        when: When,
    ) -> Result<Option<Second>, Error> {
        let is_quick = first.seconds < QUICK.as_secs_f64();
        if when == When::Never || (when == When::Auto && !is_quick) {
            return Ok(None);
        }
        let brief = (when == When::Auto).then(|| Instant::now() + BRIEF);
        let deadline = [brief, asked.deadline].into_iter().flatten().min();
        let alarm = self.interrupt.alarm(deadline);
        let asked = Asked { deadline, stop: alarm.stop(), ..*asked };
        if first.stats.states <= SMALL
            && let Some(second) = self.ask_reference(&asked, subject)?
        {
            return Ok(Some(second));
        }
        Ok(match self.search_again(&asked, subject)? {
            Second::Confirmation(Confirmation::Unfinished) if when == When::Auto => None,
            second => Some(second),
        })
    }

    /// Explores the model statement by statement; no answer if it is too large or there is no time.
    fn ask_reference(&self, asked: &Asked<'_>, subject: &Subject) -> Result<Option<Second>, Error> {
        let start = Instant::now();
        let Ok(reference) = Reference::new(&subject.model) else { return Ok(None) };
        let reference = reference.stopped_by(asked.stop.clone());
        let findings = reference.explore(MOST_NODES, || match asked.stop.is_set() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        });
        if let Some(found) = findings.violations.iter().find(|found| asked.safety.is_refuted_by(found.kind)) {
            return self.refuted(asked, subject, found).map(Some);
        }
        let (states, seconds) = (findings.states, start.elapsed().as_secs_f64());
        let agreed = Confirmation::Agreed { by: "reference", states, seconds };
        Ok(findings.complete.then_some(Second::Confirmation(agreed)))
    }

    /// The error that the reference found, with a path. Without a path nothing but the bug itself can be reported.
    fn refuted(&self, asked: &Asked<'_>, subject: &Subject, found: &Finding) -> Result<Second, Error> {
        let alarm = self.interrupt.alarm(None);
        match self.search_again(&Asked { deadline: None, stop: alarm.stop(), ..*asked }, subject)? {
            Second::Confirmation(_) => Err(Error::Bug(format!(
                "{} is violated ({}, after {} statements), but no search finds it",
                asked.name, found.message, found.length
            ))),
            refuted => Ok(refuted),
        }
    }

    /// Searches the model as it is.
    fn search_again(&self, asked: &Asked<'_>, subject: &Subject) -> Result<Second, Error> {
        let start = Instant::now();
        let unfinished = Second::Confirmation(Confirmation::Unfinished);
        let Ok(engine) = self.engine(&subject.model, asked.stop) else { return Ok(unfinished) };
        let store = if engine.hidden_prefix() > 0 { Chosen::Exact } else { Chosen::Tree };
        let asked = Asked { algorithm: Algorithm::Bfs, store, reduction: Reduction::None, ..*asked };
        let blind: &mut AnyEstimate<'_> = &mut (Box::new(Blind) as _);
        let Explored { outcome, .. } = self.search(&asked, &engine, blind, &self.limits(), None);
        if let Some(path) = outcome.path {
            let interpreter = engine.interpreter();
            let found = Counterexample::confirmed(path, interpreter, interpreter, Lengths::Exact);
            let found = found.map_err(|what| Error::Bug(format!("confirming {}: {what}", asked.name)))?;
            return Ok(Second::Refuted(Box::new(found)));
        }
        let (states, seconds) = (outcome.stats.states, start.elapsed().as_secs_f64());
        let agreed = Second::Confirmation(Confirmation::Agreed { by: "bfs", states, seconds });
        Ok(if outcome.end == End::Exhausted { agreed } else { unfinished })
    }
}
