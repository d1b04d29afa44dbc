//! What a comparison of models with properties of infinite runs has found so far.

use std::collections::BTreeMap;
use std::fmt;

use super::lengths::Lengths;
use super::{Fairness, Kind, Outcome, Question};

#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Models by kind.
    pub models: BTreeMap<Kind, u64>,
    /// Models that SPIN did not decide, by reason.
    pub skipped: BTreeMap<String, u64>,
    pub violated: u64,
    /// Models with a judge of weak fairness, and how many a fair run violates.
    pub judged_weak: u64,
    pub weakly_violated: u64,
    /// The same for strong fairness.
    pub judged_strong: u64,
    pub strongly_violated: u64,
    /// Models on which states stored, visited and matched were compared.
    pub counted: u64,
    /// Models on which pan's counts depend on the order of its search.
    pub uncountable: u64,
    pub answers: u64,
    /// Answers `unknown` under fairness, by configuration and reason.
    pub undecided: BTreeMap<String, u64>,
    /// By fairness: lassos called shortest whose lengths were compared with those of brute force; and models with one.
    pub proved: BTreeMap<Fairness, (u64, u64)>,
    /// By fairness: models with a lasso that was to be shortest, and that homing does not call so.
    pub unproved: BTreeMap<Fairness, u64>,
    pub lengths: Lengths,
    pub disagreements: u64,
    pub questions: BTreeMap<Question, u64>,
}

impl Report {
    pub(super) fn add(&mut self, outcome: &Outcome) {
        let comparison = &outcome.comparison;
        *self.models.entry(outcome.kind).or_default() += 1;
        if let Some(why) = &comparison.skipped {
            *self.skipped.entry(reason(why)).or_default() += 1;
            return;
        }
        self.violated += u64::from(comparison.violated);
        self.judged_weak += u64::from(comparison.fairly_violated.is_some());
        self.weakly_violated += u64::from(comparison.fairly_violated == Some(true));
        self.judged_strong += u64::from(comparison.strongly_violated.is_some());
        self.strongly_violated += u64::from(comparison.strongly_violated == Some(true));
        self.counted += u64::from(comparison.counted);
        self.uncountable += u64::from(comparison.uncountable);
        self.answers += comparison.answers;
        for (why, count) in &comparison.undecided {
            *self.undecided.entry(why.clone()).or_default() += count;
        }
        if let Some((homing, pan)) = comparison.lengths {
            self.lengths.add(homing, pan);
        }
        for (fairness, &count) in comparison.proved.iter().filter(|(_, count)| **count > 0) {
            let (lassos, models) = self.proved.entry(*fairness).or_default();
            (*lassos, *models) = (*lassos + count, *models + 1);
        }
        for fairness in comparison.unproved.keys() {
            *self.unproved.entry(*fairness).or_default() += 1;
        }
        self.disagreements += u64::from(!comparison.differences.is_empty());
        for difference in &comparison.differences {
            *self.questions.entry(difference.question).or_default() += 1;
        }
    }

    /// All models, compared or not.
    pub fn total(&self) -> u64 {
        self.models.values().sum()
    }
}

/// The reason without the numbers of a single model.
fn reason(why: &str) -> String {
    let words: Vec<&str> = why.split_whitespace().filter(|word| !word.contains(|c: char| c.is_ascii_digit())).collect();
    words.into_iter().take(10).collect::<Vec<_>>().join(" ")
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds: Vec<String> = self.models.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
        let skips: u64 = self.skipped.values().sum();
        write!(f, "{} models ({}): {skips} skipped, {} violated; ", self.total(), kinds.join(", "), self.violated)?;
        write!(f, "{} judged with weak fairness ({} violated), ", self.judged_weak, self.weakly_violated)?;
        write!(f, "{} with strong ({} violated), ", self.judged_strong, self.strongly_violated)?;
        write!(f, "{} counted, {} not to be counted, ", self.counted, self.uncountable)?;
        write!(f, "{} answers of homing; ", self.answers)?;
        write!(f, "{}; ", self.lengths)?;
        for (fairness, (lassos, models)) in &self.proved {
            write!(
                f,
                "{lassos} shortest lassos of {models} models compared with brute force ({fairness:?} fairness), "
            )?;
        }
        for (fairness, models) in &self.unproved {
            write!(f, "{models} models without a proof ({fairness:?} fairness), ")?;
        }
        write!(f, "{} models disagree", self.disagreements)?;
        for (question, count) in &self.questions {
            write!(f, "\n  {question:?}: {count}")?;
        }
        for (why, count) in &self.skipped {
            write!(f, "\n  skipped: {why}: {count}")?;
        }
        for (why, count) in &self.undecided {
            write!(f, "\n  unknown: {why}: {count}")?;
        }
        Ok(())
    }
}
