//! Results for programs: GitHub annotations, SARIF, JUnit, and the JSON document.

mod github;
mod junit;
mod sarif;

use homing_check::Verdict;
use homing_check::model::{Counterexample, PropertyResult};
use homing_ir::Model;

use crate::cli::Format;
use crate::exit::Exit;
use crate::json;
use crate::problem::Problem;
use crate::text::counted;

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

    /// The errors of a model that was refused.
    pub fn errors(&self) -> &[Problem] {
        match &self.outcome {
            Outcome::Results { .. } => &[],
            Outcome::Refused(problems) => problems,
        }
    }
}

/// The reports as one text, or nothing for [`Format::Text`], which is printed as the results come in.
pub fn render(format: Format, reports: &[ModelReport], exit: Exit) -> String {
    match format {
        Format::Text => String::new(),
        Format::Json => json::document(reports),
        Format::Github => github::annotations(reports),
        Format::Sarif => sarif::log(reports, exit),
        Format::Junit => junit::suites(reports),
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
