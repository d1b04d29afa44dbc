//! What a soak has found so far.

use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, Instant};

use super::{Outcome, Question};

#[derive(Clone, Debug)]
pub struct Report {
    start: Instant,
    pub models: u64,
    pub skipped: u64,
    pub violated: u64,
    pub comparisons: u64,
    /// Configurations that did not decide a model in time, or did not fit it.
    pub undecided: u64,
    /// Models in which control was handed over inside an atomic sequence.
    pub handovers: u64,
    /// Models whose search was reduced by partial order.
    pub reduced: u64,
    pub judged_by_spin: u64,
    pub disagreements: u64,
    /// Of each question: the first time, and how many.
    pub questions: BTreeMap<Question, (Duration, u64)>,
}

impl Report {
    pub(super) fn new(start: Instant) -> Report {
        Report {
            start,
            models: 0,
            skipped: 0,
            violated: 0,
            comparisons: 0,
            undecided: 0,
            handovers: 0,
            reduced: 0,
            judged_by_spin: 0,
            disagreements: 0,
            questions: BTreeMap::new(),
        }
    }

    pub(super) fn add(&mut self, outcome: &Outcome) {
        self.models += 1;
        self.skipped += u64::from(outcome.skipped);
        self.violated += u64::from(outcome.violated);
        self.comparisons += outcome.comparisons;
        self.undecided += outcome.undecided;
        self.handovers += u64::from(outcome.handover);
        self.reduced += u64::from(outcome.reduced);
        self.judged_by_spin += u64::from(outcome.judged_by_spin);
        self.disagreements += outcome.disagreements.len() as u64;
        for disagreement in &outcome.disagreements {
            let first = (self.elapsed(), 0);
            self.questions.entry(disagreement.difference.question).or_insert(first).1 += 1;
        }
    }

    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { models, skipped, violated, comparisons, undecided, handovers, reduced, .. } = self;
        write!(f, "{:.0} s: {models} models ({skipped} skipped, {violated} violated), ", self.elapsed().as_secs_f64())?;
        write!(f, "{comparisons} comparisons ({undecided} undecided), {handovers} with handover, {reduced} reduced, ")?;
        let share = self.judged_by_spin as f64 * 100.0 / (self.models.max(1) as f64);
        write!(f, "{} judged by SPIN ({share:.1} %), {} disagreements", self.judged_by_spin, self.disagreements)?;
        for (question, (first, count)) in &self.questions {
            write!(f, "\n  {question:?}: {count}, first after {:.0} s", first.as_secs_f64())?;
        }
        Ok(())
    }
}
