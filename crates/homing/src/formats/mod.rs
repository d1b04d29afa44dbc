//! Results for programs: GitHub annotations, SARIF, JUnit, and the JSON document.

mod github;
mod junit;
mod sarif;

use std::path::Path;

use homing_check::model::{Counterexample, PropertyResult};
use homing_check::{Reason, Verdict};
use homing_core::SourcePlace;
use homing_ir::Model;

use crate::cli::{CheckArgs, Format};
use crate::exit::Exit;
use crate::json;
use crate::problem::Problem;
use crate::text::counted;
use crate::undecided::{self, Asked};

/// What was found out about one model.
pub struct ModelReport {
    /// The model as named on the command line.
    pub name: String,
    /// The options `-D` and `-I`, for commands that are printed.
    pub options: String,
    pub outcome: Outcome,
    pub warnings: Vec<Problem>,
    pub exit: Exit,
}

/// The results of a model, or why there are none.
pub enum Outcome {
    Results { model: Box<Model>, results: Vec<PropertyResult> },
    Refused(Vec<Problem>),
}

impl ModelReport {
    /// The results; empty for a model that was refused.
    pub fn results(&self) -> &[PropertyResult] {
        match &self.outcome {
            Outcome::Results { results, .. } => results,
            Outcome::Refused(_) => &[],
        }
    }

    /// Why a property is not decided, and what to try.
    fn undecided(&self, args: &CheckArgs, result: &PropertyResult, reason: Reason) -> String {
        undecided::message(result, reason, Asked { args, model: Path::new(&self.name) })
    }

    /// The line of a property that is violated or not decided: where the error is; of a formula of the model the line of its `ltl`
    /// block; of another property of infinite runs the first statement of the cycle, or the last one if nothing moves any more.
    fn place(&self, result: &PropertyResult) -> Option<SourcePlace> {
        let Outcome::Results { model, .. } = &self.outcome else { return None };
        let found = failing(result);
        let stated = || {
            let formula = model.formulas.iter().find(|formula| formula.name == result.property)?;
            let file = model.sources.get(formula.place.file as usize)?.clone();
            Some(SourcePlace { file, line: formula.place.line })
        };
        let in_the_cycle = || {
            let found = found?;
            let (start, lines) = (found.cycle.as_ref()?.start, &found.story.lines);
            let line = lines.iter().find(|line| line.last > start).or(lines.last())?;
            Some(line.step.place.clone())
        };
        let place = found.and_then(Counterexample::place).cloned();
        place.or_else(stated).or_else(in_the_cycle).filter(|place| place.line > 0)
    }

    /// The errors of a model that was refused.
    pub fn errors(&self) -> &[Problem] {
        match &self.outcome {
            Outcome::Results { .. } => &[],
            Outcome::Refused(problems) => problems,
        }
    }
}

/// The reports as one text, or nothing for [`Format::Text`], which is printed as the results come in.
pub fn render(args: &CheckArgs, reports: &[ModelReport], exit: Exit) -> String {
    match args.format() {
        Format::Text => String::new(),
        Format::Json => json::document(reports),
        Format::Github => github::annotations(args, reports),
        Format::Sarif => sarif::log(args, reports, exit),
        Format::Junit => junit::suites(args, reports),
    }
}

/// The path to the error of a result. A query of a network that holds has a path, too: its witness is no error.
fn failing(result: &PropertyResult) -> Option<&Counterexample> {
    result.counterexample.as_ref().filter(|_| result.verdict != Verdict::Holds)
}

/// The error of a violated property in one sentence, with the length of its path.
fn sentence(result: &PropertyResult, found: &Counterexample) -> String {
    let length = counted(u64::from(found.length), found.unit.word());
    format!("{}: {} after {length}", result.property, found.violation)
}

/// The command that replays a trail, if one was written.
fn replay_command(report: &ModelReport, found: &Counterexample) -> Option<String> {
    let file = found.file.as_ref()?.display().to_string();
    let quoted = crate::bug::quoted;
    Some(format!("replay it with: homing replay{} {} {}", report.options, quoted(&report.name), quoted(&file)))
}
