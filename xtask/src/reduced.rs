//! Compares homing's search with reductions with its search without, and with SPIN's default search.

use std::fs;
use std::io;
use std::path::Path;

use homing_ir::Reduced;
use homing_promela::preprocess::Options;

use crate::compare::{Difference, Oracle, Question, note};
use crate::homing::{Answer, CheckResult, Extent, Reductions, Search};
use crate::spin::{self, Facts};

/// Models whose search without reductions takes longer, in seconds, are not searched again: the few large ones would
/// take as long as all others together.
const PATIENCE: f64 = 2.0;

fn takes_long(plain: &CheckResult) -> bool {
    plain.stats.seconds > PATIENCE
}

impl Oracle {
    /// The verdict with reductions is that without.
    pub(crate) fn reduced_verdict(&self, plain: &CheckResult, file: &Path) -> io::Result<Vec<Difference>> {
        let mut differences = Vec::new();
        if takes_long(plain) {
            return Ok(differences);
        }
        match self.homing.check(file, Search::BreadthFirst, Extent::FirstError, Reductions::On)? {
            Answer::Checked(result) => {
                note(&mut differences, Question::ReducedVerdict, &plain.verdict, &result.verdict);
            }
            other => differences.push(broken(&other)),
        }
        Ok(differences)
    }

    /// A full search has no more states than without reductions, and without an error no more than SPIN has with its own;
    /// it reaches the same statements.
    pub(crate) fn reduced_full(
        &self,
        facts: &Facts,
        plain: &CheckResult,
        spin: impl Fn() -> io::Result<spin::Answer>,
        file: &Path,
    ) -> io::Result<Vec<Difference>> {
        let mut differences = Vec::new();
        if takes_long(plain) {
            return Ok(differences);
        }
        let result = match self.homing.check(file, Search::BreadthFirst, Extent::AllErrors, Reductions::On)? {
            Answer::Checked(result) => result,
            other => return Ok(vec![broken(&other)]),
        };
        note(&mut differences, Question::ReducedVerdict, &plain.verdict, &result.verdict);
        note(&mut differences, Question::ReducedUnreached, &plain.unreached, &result.unreached);
        let mut at_most = |most: u64, whose: &str| {
            if result.stats.states > most {
                let (spin, homing) = (format!("{most} {whose}"), result.stats.states.to_string());
                differences.push(Difference { question: Question::ReducedStates, spin, homing });
            }
        };
        at_most(plain.stats.states, "plain");
        if facts.full.errors == 0
            && !goes_its_own_way(file)?
            && let spin::Answer::Searched(reduced) = spin()?
        {
            at_most(reduced.full.stored, "merged");
        }
        Ok(differences)
    }

    /// What is called shortest is as long as the shortest without reductions; nothing is shorter.
    pub(crate) fn reduced_shortest(&self, plain: &CheckResult, file: &Path) -> io::Result<Vec<Difference>> {
        if takes_long(plain) {
            return Ok(Vec::new());
        }
        let result = match self.homing.check(file, Search::BreadthFirst, Extent::FirstError, Reductions::On)? {
            Answer::Checked(result) => result,
            other => return Ok(vec![broken(&other)]),
        };
        let length = |result: &CheckResult| result.trail.as_ref().map_or(0, |trail| trail.length);
        let claims = result.trail.as_ref().is_some_and(|trail| trail.shortest);
        let (least, found) = (length(plain), length(&result));
        if found < least || (claims && found > least) {
            let (spin, homing) = (format!("{least} plain"), found.to_string());
            return Ok(vec![Difference { question: Question::ReducedLength, spin, homing }]);
        }
        Ok(Vec::new())
    }
}

/// Whether SPIN can have fewer states because it identifies states that differ: it leaves out hidden variables that are
/// read, and merges statements that other processes can observe.
fn goes_its_own_way(file: &Path) -> io::Result<bool> {
    let name = file.to_string_lossy();
    let model = homing_promela::read(&name, fs::read_to_string(file)?, &Options::default()).model;
    Ok(model.is_none_or(|model| !model.hidden_but_read().is_empty() || Reduced::of(&model).withholds()))
}

pub(crate) fn broken(answer: &Answer) -> Difference {
    Difference { question: Question::Contract, spin: "has an answer".to_owned(), homing: format!("{answer:?}") }
}
