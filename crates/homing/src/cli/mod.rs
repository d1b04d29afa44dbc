//! The command line: commands, flags and their values. Each command has a file of its own.

mod arguments;
mod check;
mod compare;
mod graph;
mod ltl;
mod manual;
mod replay;
mod search;
mod simulate;
mod values;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use homing_promela::preprocess::Options;

use crate::console::When;

pub use arguments::parse;
pub use check::{CheckArgs, Format};
pub use compare::CompareArgs;
pub use graph::GraphArgs;
pub use ltl::{AutomatonFormat, LtlArgs};
pub use manual::{CompletionsArgs, ManArgs};
pub use replay::ReplayArgs;
pub use search::{Engine, Heuristic, Search, SearchArgs, Store, Switch};
pub use simulate::SimulateArgs;

use values::{Names, OneOf};

/// A directed explicit-state model checker for Promela.
#[derive(Debug, Parser)]
#[command(name = "homing", version, arg_required_else_help = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,

    /// When to colour the output
    ///
    /// With colours, places are links on a terminal that is not dumb. Lines are no longer than the terminal is wide, or than COLUMNS says
    /// where it is set; in files and pipes without COLUMNS they are as long as they are.
    #[arg(long, global = true, help_heading = "Output", value_name = "WHEN", value_enum, default_value_t = When::Auto)]
    pub color: When,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Check(Box<CheckArgs>),
    Replay(ReplayArgs),
    Simulate(SimulateArgs),
    Compare(Box<CompareArgs>),
    Ltl(LtlArgs),
    Graph(GraphArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

/// The model of a command, and how it is read.
#[derive(Clone, Debug, Args)]
pub struct ModelArgs {
    /// The model in Promela; as FILE.xta or FILE.xml a network of automata, as FILE.aut or FILE.aut.gz a labelled transition system; -
    /// for standard input
    #[arg(value_name = "MODEL", index = 1)]
    pub path: PathBuf,

    #[command(flatten)]
    pub reading: ReadingArgs,
}

/// How a model is read.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Model")]
pub struct ReadingArgs {
    /// Define a macro, as in cpp
    #[arg(short = 'D', value_name = "NAME[=VALUE]", value_parser = definition)]
    pub define: Vec<(String, Option<String>)>,

    /// Search this folder for included files, as in cpp
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,

    /// The language of the model, whatever its file extension: promela, aut, xta, xml
    #[arg(long, value_name = "LANGUAGE", value_parser = OneOf(Language::NAMES), hide_possible_values = true)]
    pub input: Option<Language>,

    /// Read the queries of a network from this file [default: those in the .xml file, else FILE.q beside FILE.xta]
    #[arg(long, value_name = "FILE.q")]
    pub queries: Option<PathBuf>,
}

impl ReadingArgs {
    pub fn options(&self) -> Options {
        let Self { define, include, .. } = self;
        Options { defines: define.clone(), include_dirs: include.clone(), other_texts: Vec::new() }
    }

    /// The macros as they are given with `-D`.
    pub fn defines(&self) -> Vec<String> {
        let text = |(name, value): &(String, Option<String>)| match value {
            Some(value) => format!("{name}={value}"),
            None => name.clone(),
        };
        self.define.iter().map(text).collect()
    }

    /// With the macros that a trail was written with, unless others are given.
    pub fn or_defines(self, defines: &[String]) -> Self {
        if !self.define.is_empty() {
            return self;
        }
        ReadingArgs { define: defines.iter().filter_map(|text| definition(text).ok()).collect(), ..self }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    Promela,
    /// Labelled transition systems.
    Aut,
    /// Networks of automata.
    Xta,
    /// Networks of automata in XML.
    Xml,
}

impl Language {
    const NAMES: Names<Language> =
        &[("promela", Language::Promela), ("aut", Language::Aut), ("xta", Language::Xta), ("xml", Language::Xml)];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        name_in(Self::NAMES, self)
    }
}

/// The name of a value.
fn name_in<T: PartialEq>(names: Names<T>, value: T) -> &'static str {
    let (name, _) = names.iter().find(|(_, named)| *named == value).expect("every value has a name");
    name
}

/// `NAME` or `NAME=VALUE`.
fn definition(text: &str) -> Result<(String, Option<String>), String> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (text, None),
    };
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if is_name { Ok((name.to_owned(), value)) } else { Err(format!("`{name}` is not the name of a macro")) }
}

/// The options of `homing check` with these arguments.
#[cfg(test)]
pub fn parsed(arguments: &[&str]) -> CheckArgs {
    match Cli::try_parse_from(["homing", "check"].iter().chain(arguments)).expect("correct arguments").command {
        Command::Check(args) => *args,
        other => panic!("{other:?}"),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn check(arguments: &[&str]) -> Result<CheckArgs, clap::Error> {
        let all = ["homing", "check", "m.pml"].iter().chain(arguments);
        Cli::try_parse_from(all).map(|cli| match cli.command {
            Command::Check(args) => *args,
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn macros_are_defined_as_in_cpp() {
        let args = check(&["-D", "N=3", "-DFLAG", "-DTEXT=a=b", "-DEMPTY=", "-I", "x", "-Iy"]).expect("accepted");
        let some = |text: &str| Some(text.to_owned());
        let expected = [("N", some("3")), ("FLAG", None), ("TEXT", some("a=b")), ("EMPTY", some(""))];
        assert_eq!(args.reading.define, expected.map(|(name, value)| (name.to_owned(), value)));
        assert_eq!(args.reading.include, [PathBuf::from("x"), PathBuf::from("y")]);
        assert!(check(&["-D", "3N"]).is_err());
        assert!(check(&["-D", "=3"]).is_err());
    }

    #[test]
    fn unknown_values_are_refused_with_the_known_ones() {
        let nonsense = check(&["--search", "fast"]).expect_err("nonsense").to_string();
        assert!(nonsense.contains("possible values: auto, dfs, bfs"), "{nonsense}");
        assert!(check(&["--heuristic", "abstraction", "--bound", "50"]).is_ok());
        assert!(check(&["--heuristic", "abstract"]).is_err());
        assert!(check(&["--engine", "quick"]).is_err());
        assert!(check(&["--store", "random"]).is_err() && check(&["--store", "random-static"]).is_ok());
        assert!(check(&["--keep", "1.5"]).is_err() && check(&["--keep", "0.5", "--seed", "3"]).is_ok());
        assert!(check(&["--quiet", "--verbose"]).is_err());
    }
}
