//! Errors that end a command.

use std::fmt::{self, Display, Formatter};
use std::io;
use std::path::PathBuf;

use crate::problem::Problem;

/// Why a command failed, as a message for its user.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot read {}: {source}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("{} is a folder; give the model file in it", path.display())]
    Folder { path: PathBuf },
    #[error("{name} is not a text file: it has a NUL byte at offset {offset}; give the source text of a model")]
    Binary { name: String, offset: usize },
    #[error("{name} is empty; give the text of a model: at least one proctype or init, or the processes of a network")]
    Empty { name: String },
    #[error(
        "{}: {what} ({extension}) are not implemented yet; --input promela reads the file as Promela", path.display()
    )]
    NotImplemented { path: PathBuf, what: &'static str, extension: String },
    #[error("{0} is a trail, not a model; to replay it: homing replay MODEL {0}", path.display())]
    NotAModel { path: PathBuf },
    #[error("{name} cannot be checked: {}", count(*.errors))]
    Model { name: String, errors: usize, problems: Vec<Problem> },
    #[error("{option} names one file, but there are {models} models; leave it out, or check them one by one")]
    OneFile { option: &'static str, models: usize },
    #[error("{}, {error}", path.display())]
    Lts { path: PathBuf, error: homing_lts::ReadError },
    #[error("{0}")]
    LtsProperty(#[from] crate::lts::PropertyProblem),
    #[error("{0}")]
    LtsOption(#[from] crate::lts::Unsuitable),
    #[error("the trail {} does not match the system at {misfit}", path.display())]
    LtsMisfit { path: PathBuf, misfit: crate::lts::Misfit },
    #[error("{0}")]
    NetworkProperty(#[from] crate::network::NetworkProperty),
    #[error("{option} does not apply to a network of automata, which has no preprocessor; leave it out")]
    NetworkOption { option: &'static str },
    #[error("--queries applies to networks of automata (.xta, .xml); leave it out")]
    QueriesOfAnother,
    #[error("{0}")]
    Property(#[from] crate::property::PropertyError),
    #[error("cannot parse the invariant `{text}`: {reason}")]
    Invariant { text: String, reason: String },
    #[error("cannot parse the formula: {}", caret(.text, .error))]
    Formula { text: String, error: homing_promela::FormulaError },
    #[error("{0}")]
    Claim(String),
    #[error("{0}")]
    OptionConflict(#[from] crate::option_conflict::OptionConflict),
    #[error("there is no trail {}; {}", path.display(), instead(.others))]
    NoTrail {
        path: PathBuf,
        /// The trails of single properties of the same model.
        others: Vec<PathBuf>,
    },
    #[error("{}, {error}", path.display())]
    Trail { path: PathBuf, error: homing_report::TrailError },
    #[error("the trail {} does not match the model at {broken}{}{macros}", path.display(), staleness(*.stale))]
    TrailMismatch { path: PathBuf, broken: Box<homing_check::model::Broken>, stale: bool, macros: MissingMacros },
    #[error(
        "the trail {} ends after step {step} without an error; it is incomplete or belongs to another model{macros}",
        path.display()
    )]
    Unfinished { path: PathBuf, step: usize, macros: MissingMacros },
    #[error("the model has no initial state: {message}")]
    NoStart { message: String },
    #[error("the model has no variable `{name}`{}", crate::spelling::hint(.near))]
    NoVariable { name: String, near: Option<String> },
    #[error("unknown command `{name}`{}; available: {}", crate::spelling::hint(.near), .known.join(", "))]
    NoCommand { name: String, near: Option<String>, known: Vec<String> },
    #[error("{name}: {reason}")]
    NoValues { name: String, reason: String },
    #[error("unknown process type `{name}`{}; the model has {}", crate::spelling::hint(.near), .known.join(", "))]
    Process { name: String, near: Option<String>, known: Vec<String> },
    #[error("cannot write to standard output: {0}")]
    Output(io::Error),
    #[error("cannot write {}: {source}", path.display())]
    Unwritable { path: PathBuf, source: io::Error },
    #[error("{} is the model and would be overwritten; name another file", path.display())]
    Overwrite { path: PathBuf },
    #[error(
        "{0} is a trail and would be overwritten by the chart; to draw it, name it first: homing replay MODEL {0} --chart",
        path.display()
    )]
    OverwriteTrail { path: PathBuf },
    #[error(
        "--chart writes a picture to a file that ends in .svg, or text to one that ends in .txt; {} does neither. For a chart in \
         the terminal put --chart last: homing replay MODEL --chart",
        path.display()
    )]
    ChartFile { path: PathBuf },
    /// A contradiction inside homing, which is a bug.
    #[error("{0}")]
    Bug(String),
}

/// The macros that a model has values for where -D gives none, if the trail was replayed without -D.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MissingMacros(Vec<String>);

impl MissingMacros {
    /// Those of this text: `#ifndef N`, then `#define N`.
    pub fn of(text: &str) -> Self {
        let words = |line: &str| -> Option<(String, String)> {
            let mut words = line.trim_start().strip_prefix('#')?.split_whitespace();
            Some((words.next()?.to_owned(), words.next()?.to_owned()))
        };
        let lines: Vec<(String, String)> = text.lines().filter_map(words).collect();
        let has_default = |pair: &[(String, String)]| {
            let [(first, name), (second, defined)] = pair else { return None };
            (first == "ifndef" && second == "define" && name == defined).then(|| name.clone())
        };
        let mut names: Vec<String> = lines.windows(2).filter_map(has_default).collect();
        names.dedup();
        MissingMacros(names)
    }
}

impl Display for MissingMacros {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Some(first) = self.0.first() else { return Ok(()) };
        let names = self.0.join(", ");
        write!(
            f,
            "; the model sets {names} unless -D does: if the trail was written with -D, repeat that, as in homing replay \
             -D {first}=VALUE MODEL"
        )
    }
}

/// The message with the text of the formula, a caret under the error, and what can be done.
fn caret(text: &str, error: &homing_promela::FormulaError) -> String {
    let mut shown = error.message.clone();
    if let Some(at) = error.at {
        let column = text.get(..at).map_or(at, |before| before.chars().count());
        shown.push_str(&format!("\n  {text}\n  {:column$}^", ""));
    }
    if let Some(help) = &error.help {
        shown.push_str(&format!("\n  help: {help}"));
    }
    shown
}

impl Error {
    /// The code of the error in output for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Unreadable { .. } | Error::Folder { .. } => "unreadable",
            Error::Binary { .. } | Error::Empty { .. } | Error::NotAModel { .. } => "no-model",
            Error::NotImplemented { .. } => "not-implemented",
            Error::Model { .. } | Error::NoStart { .. } => "model",
            Error::Lts { .. } => "syntax",
            Error::Property(_) | Error::Claim(_) | Error::LtsProperty(_) | Error::NetworkProperty(_) => "property",
            Error::Invariant { .. } => "invariant-syntax",
            Error::Formula { .. } => "formula-syntax",
            Error::OptionConflict(_)
            | Error::OneFile { .. }
            | Error::LtsOption(_)
            | Error::NetworkOption { .. }
            | Error::QueriesOfAnother => "option",
            Error::NoCommand { .. } | Error::NoVariable { .. } | Error::NoValues { .. } | Error::Process { .. } => {
                "name"
            }
            Error::NoTrail { .. }
            | Error::Trail { .. }
            | Error::TrailMismatch { .. }
            | Error::LtsMisfit { .. }
            | Error::Unfinished { .. } => "trail",
            Error::Output(_)
            | Error::Unwritable { .. }
            | Error::Overwrite { .. }
            | Error::OverwriteTrail { .. }
            | Error::ChartFile { .. } => "output",
            Error::Bug(_) => "bug",
        }
    }
}

/// What to do without a trail.
fn instead(others: &[PathBuf]) -> String {
    if others.is_empty() {
        return "`homing check` writes one when a property is violated".to_owned();
    }
    let names: Vec<String> = others.iter().map(|other| format!("\n  {}", other.display())).collect();
    format!("give one of the trails of its properties after the model:{}", names.concat())
}

fn staleness(stale: bool) -> &'static str {
    if stale { " (it was written for a different version of the model)" } else { "" }
}

fn count(errors: usize) -> String {
    if errors == 1 { "1 error".to_owned() } else { format!("{errors} errors") }
}
