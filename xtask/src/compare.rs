//! Compares homing with SPIN on one model.

use std::fmt;
use std::fs;
use std::io;
use std::path::Path;

use crate::homing::{self, CheckResult, Extent, Homing, Reductions, Search};
use crate::spin::{self, ErrorKind, Facts, Spin, source};

/// What can be compared on a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Everything.
    Full,
    /// Everything except breadth-first search: a variable outside the state is read, so that the order of the search
    /// matters.
    DepthFirstOnly,
    /// The verdict only.
    Verdict,
    /// Acceptance only.
    Acceptance,
}

/// A question on which the two differ. A shrunk model must still differ on one of the same questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Question {
    Acceptance,
    /// homing crashed, or its output does not match `docs/json.md`.
    Contract,
    DfsVerdict,
    DfsStates,
    DfsTransitions,
    DfsErrors,
    BfsVerdict,
    BfsStates,
    BfsTransitions,
    BfsErrors,
    FirstErrorKind,
    FirstErrorLength,
    ShortestLength,
    ReducedVerdict,
    ReducedStates,
    ReducedLength,
    ReducedUnreached,
    DirectedVerdict,
    DirectedLength,
}

impl Question {
    fn words(self) -> &'static str {
        match self {
            Question::Acceptance => "acceptance",
            Question::Contract => "contract",
            Question::DfsVerdict => "verdict (full dfs)",
            Question::DfsStates => "states (full dfs)",
            Question::DfsTransitions => "transitions (full dfs)",
            Question::DfsErrors => "errors (full dfs)",
            Question::BfsVerdict => "verdict (full bfs)",
            Question::BfsStates => "states (full bfs)",
            Question::BfsTransitions => "transitions (full bfs)",
            Question::BfsErrors => "errors (full bfs)",
            Question::FirstErrorKind => "kind of the first error (dfs)",
            Question::FirstErrorLength => "length of the first trail (dfs)",
            Question::ShortestLength => "length of the shortest trail (bfs)",
            Question::ReducedVerdict => "verdict (reduced)",
            Question::ReducedStates => "no more states (reduced)",
            Question::ReducedLength => "length of the shortest trail (reduced bfs)",
            Question::ReducedUnreached => "unreached statements (reduced)",
            Question::DirectedVerdict => "verdict (directed)",
            Question::DirectedLength => "length of the trail (directed)",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub question: Question,
    pub spin: String,
    pub homing: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: SPIN {}, homing {}", self.question.words(), self.spin, self.homing)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comparison {
    Agree,
    /// The reason.
    Skipped(String),
    Disagree(Vec<Difference>),
}

/// SPIN and homing, side by side.
#[derive(Clone, Debug)]
pub struct Oracle {
    pub spin: Spin,
    pub homing: Homing,
}

impl Oracle {
    pub fn compare_text(&self, model: &str, scope: Scope) -> io::Result<Comparison> {
        let scratch = tempfile::tempdir()?;
        let file = scratch.path().join("model.pml");
        fs::write(&file, model)?;
        let answer = self.spin.ask_text(model)?;
        self.compare(&answer, || self.spin.ask_reduced_text(model), &file, scope)
    }

    pub fn compare_file(&self, model: &Path, scope: Scope) -> io::Result<Comparison> {
        let scratch = tempfile::tempdir()?;
        let answer = self.spin.ask_file(model)?;
        self.compare(&answer, || self.spin.ask_reduced_file(model), &source::copy(model, scratch.path())?, scope)
    }

    /// `reduced` runs SPIN with its default optimisations.
    fn compare(
        &self,
        spin: &spin::Answer,
        reduced: impl Fn() -> io::Result<spin::Answer>,
        file: &Path,
        scope: Scope,
    ) -> io::Result<Comparison> {
        if let spin::Answer::TooBig(reason) = spin {
            return Ok(Comparison::Skipped(reason.clone()));
        }
        let full_dfs = self.homing.check(file, Search::DepthFirst, Extent::AllErrors, Reductions::Off)?;
        let full_dfs = match both_accept(spin, full_dfs) {
            Ok(result) => result,
            Err(comparison) => return Ok(comparison),
        };
        let facts = match spin {
            spin::Answer::Searched(facts) => facts,
            // A division by zero is an error for homing and ends pan.
            _ => {
                return Ok(concluded([verdict_only(true, &full_dfs), self.reduced_verdict(&full_dfs, file)?].concat()));
            }
        };
        if scope == Scope::Acceptance {
            return Ok(Comparison::Agree);
        }
        if facts.counts_are_void() || scope == Scope::Verdict {
            let of_reduced = self.reduced_verdict(&full_dfs, file)?;
            return Ok(concluded([verdict_only(facts.full.errors > 0, &full_dfs), of_reduced].concat()));
        }
        let mut differences = full_search(facts, &full_dfs, Search::DepthFirst);
        differences.extend(self.reduced_full(facts, &full_dfs, reduced, file)?);
        self.compare_searches(facts, &full_dfs, file, scope, differences)
    }

    /// Compares further searches, given the differences of the full depth-first search.
    fn compare_searches(
        &self,
        facts: &Facts,
        full_dfs: &CheckResult,
        file: &Path,
        scope: Scope,
        mut differences: Vec<Difference>,
    ) -> io::Result<Comparison> {
        let check = |search, extent| self.homing.check(file, search, extent, Reductions::Off);
        if scope == Scope::Full {
            match check(Search::BreadthFirst, Extent::AllErrors)? {
                homing::Answer::Checked(result) => {
                    differences.extend(full_search(facts, &result, Search::BreadthFirst));
                }
                other => return Ok(broken(format!("bfs differs from dfs: {other:?}"))),
            }
        }
        if facts.full.errors > 0 {
            match check(Search::DepthFirst, Extent::FirstError)? {
                homing::Answer::Checked(result) => differences.extend(first_error(facts, &result)),
                other => return Ok(broken(format!("dfs to the first error: {other:?}"))),
            }
        }
        if facts.full.errors == 0 && scope == Scope::Full {
            differences.extend(self.directed(full_dfs, file)?);
        }
        // pan adds a step to the trail of a trace error.
        let shortest = facts.shortest.filter(|_| !facts.has_error(ErrorKind::Trace));
        if let (Some(length), Scope::Full) = (shortest, scope) {
            match check(Search::BreadthFirst, Extent::FirstError)? {
                homing::Answer::Checked(result) => {
                    note(&mut differences, Question::ShortestLength, length, trail_length(&result));
                    differences.extend(self.reduced_shortest(&result, file)?);
                    differences.extend(self.directed(&result, file)?);
                }
                other => return Ok(broken(format!("bfs to the first error: {other:?}"))),
            }
        }
        Ok(concluded(differences))
    }
}

/// The result of homing if both accept the model; otherwise the comparison ends there.
fn both_accept(spin: &spin::Answer, homing: homing::Answer) -> Result<Box<CheckResult>, Comparison> {
    let refuses = |why: &str| format!("refuses ({why})");
    match (spin, homing) {
        (_, homing::Answer::Broken(how)) => Err(broken(how)),
        (spin::Answer::Refused(_), homing::Answer::Refused(_)) => Err(Comparison::Agree),
        // What only SPIN's C back end cannot do (a self-loop, a name that C reserves) has a meaning in homing.
        (spin::Answer::Refused(why), homing::Answer::Checked(_)) if is_of_the_back_end(why) => {
            Err(Comparison::Skipped("SPIN's back end refuses".to_string()))
        }
        // Debian's SPIN is built without the operator for the next state.
        (spin::Answer::Refused(why), homing::Answer::Checked(_)) if why.contains("expected predicate, saw 'X'") => {
            Err(Comparison::Skipped("SPIN does not know X".to_string()))
        }
        (spin::Answer::Refused(why), homing::Answer::Checked(_)) => {
            Err(disagree(Question::Acceptance, refuses(why), "accepts".to_string()))
        }
        (_, homing::Answer::Refused(why)) => Err(disagree(Question::Acceptance, "accepts".to_string(), refuses(&why))),
        (_, homing::Answer::Checked(result)) => Ok(result),
    }
}

fn concluded(differences: Vec<Difference>) -> Comparison {
    if differences.is_empty() { Comparison::Agree } else { Comparison::Disagree(differences) }
}

/// Whether gcc or pan refused a model that spin itself had accepted.
fn is_of_the_back_end(refusal: &str) -> bool {
    refusal.starts_with("gcc: ") || refusal.starts_with("pan: ")
}

fn full_search(facts: &Facts, result: &CheckResult, search: Search) -> Vec<Difference> {
    let [verdict, states, transitions, errors] = match search {
        Search::DepthFirst => {
            [Question::DfsVerdict, Question::DfsStates, Question::DfsTransitions, Question::DfsErrors]
        }
        Search::BreadthFirst => {
            [Question::BfsVerdict, Question::BfsStates, Question::BfsTransitions, Question::BfsErrors]
        }
    };
    let mut differences = Vec::new();
    note(&mut differences, verdict, verdict_of(facts.full.errors > 0), &result.verdict);
    note(&mut differences, states, facts.full.stored, result.stats.states);
    note(&mut differences, transitions, facts.full.transitions, result.stats.transitions);
    note(&mut differences, errors, facts.full.errors, result.errors.unwrap_or(0));
    differences
}

fn first_error(facts: &Facts, result: &CheckResult) -> Vec<Difference> {
    let mut differences = Vec::new();
    let Some(first) = &facts.first else { return differences };
    let kind = result.error.as_ref().map_or("none", |error| error.kind.as_str());
    // homing's JSON has no kind of its own for the errors of a trace automaton, and pan adds a step to their trails.
    if first.message.kind != ErrorKind::Trace {
        note(&mut differences, Question::FirstErrorKind, kind_of(first.message.kind), kind);
        note(&mut differences, Question::FirstErrorLength, first.length, trail_length(result));
    }
    differences
}

/// The name of an error in homing's JSON.
fn kind_of(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Assertion => "assertion",
        ErrorKind::InvalidEndState => "invalid-end-state",
        ErrorKind::AcceptanceCycle => "acceptance-cycle",
        ErrorKind::NonProgressCycle => "non-progress-cycle",
        ErrorKind::ClaimEnd => "claim-end",
        ErrorKind::ArrayIndex | ErrorKind::Trace | ErrorKind::Fatal => "runtime-error",
    }
}

fn verdict_of(violated: bool) -> &'static str {
    if violated { "violated" } else { "holds" }
}

fn verdict_only(violated: bool, result: &CheckResult) -> Vec<Difference> {
    let mut differences = Vec::new();
    note(&mut differences, Question::DfsVerdict, verdict_of(violated), &result.verdict);
    differences
}

fn trail_length(result: &CheckResult) -> String {
    result.trail.as_ref().map_or_else(|| "none".to_string(), |trail| trail.length.to_string())
}

pub(crate) fn note(to: &mut Vec<Difference>, question: Question, spin: impl ToString, homing: impl ToString) {
    let (spin, homing) = (spin.to_string(), homing.to_string());
    if spin != homing {
        to.push(Difference { question, spin, homing });
    }
}

fn disagree(question: Question, spin: String, homing: String) -> Comparison {
    Comparison::Disagree(vec![Difference { question, spin, homing }])
}

fn broken(how: String) -> Comparison {
    disagree(Question::Contract, "has an answer".to_string(), how)
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Comparison::Agree => f.write_str("agree"),
            Comparison::Skipped(reason) => write!(f, "skipped ({reason})"),
            Comparison::Disagree(differences) => {
                f.write_str("disagree")?;
                differences.iter().try_for_each(|difference| write!(f, "\n  {difference}"))
            }
        }
    }
}
