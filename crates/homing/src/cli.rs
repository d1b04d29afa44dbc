//! The command line: commands, flags and their values.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use homing_promela::preprocess::Options;

use crate::console::When;
use crate::quantity;

/// A directed explicit-state model checker for Promela.
#[derive(Debug, Parser)]
#[command(name = "homing", version, arg_required_else_help = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,

    /// Colours
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t = When::Auto)]
    pub color: When,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Check(Box<CheckArgs>),
    Replay(ReplayArgs),
    Simulate(SimulateArgs),
    Graph(GraphArgs),
}

const CHECK_EXAMPLES: &str = "\
Examples:
  homing check dining.pml                          everything the model states
  homing check dining.pml --property deadlock      invalid end states alone
  homing check big.pml --memory 4G --timeout 10m   stop in time, with what is known then
  homing check dining.pml --json | jq .results[0].verdict

Exit codes:
  0    every property holds
  1    a property is violated
  2    the command line or the model is wrong
  3    undecided: a limit was hit, or a property is beyond this version
  4    a bug in homing
  130  interrupted; what was found so far is printed";

const REPLAY_EXAMPLES: &str = "\
Examples:
  homing replay dining.pml                   the trail that check wrote, dining.pml.trail
  homing replay dining.pml pan.trail --diff  only the steps that change a value
  homing replay dining.pml --values forks --from 100 --to 200
  homing replay dining.pml --chart           a sequence chart in the terminal
  homing replay dining.pml --chart dining.svg
  homing replay dining.pml --json | jq .why

Exit codes:
  0    the trail was played; it ends in no error and says so
  1    the trail was played and ends in an error
  2    the command line, the model or the trail is wrong, or they do not fit
  4    a bug in homing";

/// Plays a trail, ours or one written by SPIN's pan
///
/// Shows each step with its process, place, statement and what it changed; then why it went wrong, and the last state in
/// full. Neighbouring steps that do not depend on each other are told process by process.
#[derive(Debug, Args)]
#[command(after_help = REPLAY_EXAMPLES)]
pub struct ReplayArgs {
    #[command(flatten)]
    pub model: ModelArgs,

    /// The trail [default: MODEL.trail]
    #[arg(value_name = "TRAIL")]
    pub trail: Option<PathBuf>,

    /// Only the steps that change a value, and what they change
    #[arg(long)]
    pub diff: bool,

    /// Follow this variable only (repeatable): x, a[2], r.field, or Proc(1):x for a local of one process
    #[arg(long, value_name = "NAME")]
    pub values: Vec<String>,

    /// Show steps from this one on
    #[arg(long, value_name = "N")]
    pub from: Option<usize>,

    /// Show steps up to this one
    #[arg(long, value_name = "N")]
    pub to: Option<usize>,

    /// Draw a sequence chart: as text, or as a picture into FILE.svg
    ///
    /// Processes are lanes. A rendezvous is an arrow across, a buffered message one from its send to its receive, with
    /// what the channel holds. The middle of a long run is left out unless --from or --to pick steps.
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-", conflicts_with_all = ["json", "diff", "values"])]
    pub chart: Option<PathBuf>,

    /// Keep the order of the trail
    #[arg(long)]
    pub as_found: bool,

    /// One JSON document on standard output, nothing else there
    #[arg(long, conflicts_with_all = ["diff", "values"])]
    pub json: bool,

    /// The steps only
    #[arg(long, short)]
    pub quiet: bool,
}

const SIMULATE_EXAMPLES: &str = "\
Examples:
  homing simulate dining.pml                     a run by chance, each step with what it changes
  homing simulate dining.pml --seed 7 --quiet    only what the model prints
  homing simulate dining.pml -i                  choose each move by hand, step back, watch expressions
  homing simulate dining.pml --trail run.trail   keep the run, for homing replay or spin -t

Exit codes:
  0    the run met no error, which proves nothing
  1    the run ended in an error
  2    the command line or the model is wrong
  4    a bug in homing
  130  interrupted";

/// Runs a model by chance, or by hand
///
/// The same seed gives the same run. With -i the enabled moves are shown at each point, and commands are read from
/// standard input: h lists them.
#[derive(Debug, Args)]
#[command(after_help = SIMULATE_EXAMPLES)]
pub struct SimulateArgs {
    #[command(flatten)]
    pub model: ModelArgs,

    /// Choose each move by hand
    #[arg(long, short)]
    pub interactive: bool,

    /// Of the choices made by chance
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,

    /// Stop after N statements
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub steps: usize,

    /// Save the run as a trail: our own format if the name ends in .json, else SPIN's
    #[arg(long, value_name = "FILE", conflicts_with = "interactive")]
    pub trail: Option<PathBuf>,

    /// Only what the model prints
    #[arg(long, short)]
    pub quiet: bool,
}

const GRAPH_EXAMPLES: &str = "\
Examples:
  homing graph dining.pml | dot -Tsvg > dining.svg     the automata of all process types
  homing graph dining.pml --process Phil -o phil.dot   one of them, into a file
  homing graph dining.pml --states | dot -Tsvg > states.svg

Exit codes:
  0    drawn, whatever the model does
  2    the command line or the model is wrong, or the output cannot be written
  3    nothing drawn: there are more states than --max-states, or than there is memory for
  4    a bug in homing";

/// The model of a command, and how it is read.
#[derive(Debug, Args)]
pub struct ModelArgs {
    /// The model (.pml .prom .promela .spin), or - for standard input
    #[arg(value_name = "MODEL")]
    pub path: PathBuf,

    /// Define a macro, as in cpp
    #[arg(short = 'D', value_name = "NAME[=VALUE]", value_parser = definition)]
    pub define: Vec<(String, Option<String>)>,

    /// Look here for included files, as in cpp
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,

    /// Read the model as this language, whatever its ending: promela
    #[arg(long, value_name = "LANGUAGE", value_parser = Language::parse)]
    pub input: Option<Language>,
}

impl ModelArgs {
    pub fn options(&self) -> Options {
        Options { defines: self.define.clone(), include_dirs: self.include.clone() }
    }
}

/// Decides the properties of a model
///
/// Decides every property of the model, or those picked with --property. A violation is shown with a path to it, which
/// was executed a second time before it is reported.
#[derive(Debug, Args)]
#[command(after_help = CHECK_EXAMPLES)]
pub struct CheckArgs {
    #[command(flatten)]
    pub model: ModelArgs,

    /// A property to decide (repeatable): safety, assertions, deadlock, progress, acceptance, the name of an ltl block,
    /// 'ltl:FORMULA' or 'invariant:EXPR' [default: everything the model states]
    ///
    /// safety is assertions, invalid end states and run-time errors in one search; deadlock is invalid end states alone.
    /// Run-time errors count under every property. This version decides safety, assertions and deadlock; for the others
    /// the verdict is UNKNOWN.
    #[arg(long, value_name = "NAME")]
    pub property: Vec<String>,

    /// The order of the search: auto, dfs, bfs
    ///
    /// bfs brings home a shortest path to an error; dfs visits states in SPIN's order; auto is bfs.
    #[arg(long, value_name = "ORDER", default_value = "auto", value_parser = Search::parse)]
    pub search: Search,

    /// How visited states are kept: auto, exact
    #[arg(long, value_name = "KIND", default_value = "auto", value_parser = Store::parse)]
    pub store: Store,

    /// How steps are computed: compiled, interpreted
    ///
    /// Both compute the same steps. Code is made when the model is read; what is not compiled is interpreted.
    #[arg(long, value_name = "KIND", default_value = "compiled", value_parser = Engine::parse)]
    pub engine: Engine,

    /// No reduction of any kind: states and transitions are those of spin -a -o1 -o2 -o3 and pan -DNOREDUCE
    ///
    /// Like SPIN, it then leaves all hidden variables out of the state. Otherwise those that are read belong to it.
    #[arg(long)]
    pub plain: bool,

    /// Follow no path beyond N statements
    #[arg(long, value_name = "N")]
    pub max_depth: Option<u32>,

    /// Store no more than N states
    #[arg(long, value_name = "N")]
    pub max_states: Option<u64>,

    /// Store no more than this, such as 500M or 4G [default: three quarters of the free memory]
    #[arg(long, value_name = "SIZE", value_parser = quantity::memory)]
    pub memory: Option<u64>,

    /// Search no longer than this in all, such as 500ms, 30s, 5m or 1h
    #[arg(long, value_name = "TIME", value_parser = quantity::time)]
    pub timeout: Option<Duration>,

    /// Count every violation instead of stopping at the first
    #[arg(long)]
    pub all_errors: bool,

    /// Where the trail of a violation goes; our own format if it ends in .json, else SPIN's [default: MODEL.trail]
    ///
    /// If several properties fail, each has its own: MODEL.NAME.trail. A trail left by an earlier run is removed when the
    /// property holds.
    #[arg(long, value_name = "FILE")]
    pub trail: Option<PathBuf>,

    /// One JSON document on standard output, nothing else there
    #[arg(long)]
    pub json: bool,

    /// Verdicts only
    #[arg(long, short, conflicts_with = "verbose")]
    pub quiet: bool,

    /// Every step of a path, however long
    #[arg(long, short)]
    pub verbose: bool,

    /// A line of progress on standard error every second
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = When::Auto)]
    pub progress: When,
}

/// Draws process automata, or the states of a small model, in Graphviz's dot language
///
/// A location shows SPIN's number of the control state, the line, and what its labels mean; an edge shows the
/// statement. A double frame is where a process may end. What is too long for a label is in the tooltips of an SVG.
#[derive(Debug, Args)]
#[command(after_help = GRAPH_EXAMPLES)]
pub struct GraphArgs {
    #[command(flatten)]
    pub model: ModelArgs,

    /// Draw this process type only (repeatable): its name, init, the name of a never claim, or trace
    #[arg(long, value_name = "NAME", conflicts_with = "states")]
    pub process: Vec<String>,

    /// Draw the reachable states and the steps between them, as a search for errors sees them: claims are ignored
    ///
    /// States are numbered by their distance from the initial one, which is shown in full; the others show what differs
    /// from it. A double frame is a state that no step leads out of; what is red is an error.
    #[arg(long)]
    pub states: bool,

    /// Highlight the run of this trail
    #[arg(long, value_name = "FILE")]
    pub trail: Option<PathBuf>,

    /// Draw nothing if there are more than N states
    #[arg(long, value_name = "N", default_value_t = 200, requires = "states")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub max_states: u64,

    /// Write to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    Auto,
    Dfs,
    Bfs,
}

impl Search {
    fn parse(text: &str) -> Result<Self, String> {
        let later = [
            "best-first",
            "astar",
            "ida",
            "ndfs",
            "indfs",
            "astar-indfs",
            "random-walk",
            "random-dfs",
            "highway",
            "highway-exact",
            "stateless",
        ];
        pick(text, &[("auto", Search::Auto), ("dfs", Search::Dfs), ("bfs", Search::Bfs)], &later)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Store {
    Auto,
    Exact,
}

impl Store {
    fn parse(text: &str) -> Result<Self, String> {
        let later = ["tree", "compact", "bitstate", "random-dynamic", "random-static"];
        pick(text, &[("auto", Store::Auto), ("exact", Store::Exact)], &later)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    Compiled,
    Interpreted,
}

impl Engine {
    fn parse(text: &str) -> Result<Self, String> {
        pick(text, &[("compiled", Engine::Compiled), ("interpreted", Engine::Interpreted)], &[])
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    Promela,
}

impl Language {
    fn parse(text: &str) -> Result<Self, String> {
        pick(text, &[("promela", Language::Promela)], &["network", "aut"])
    }
}

/// The value of a name; `later` are names the contract knows and this version does not.
fn pick<T: Copy>(text: &str, present: &[(&str, T)], later: &[&str]) -> Result<T, String> {
    if let Some((_, value)) = present.iter().find(|(name, _)| *name == text) {
        return Ok(*value);
    }
    let names: Vec<&str> = present.iter().map(|(name, _)| *name).collect();
    let absent = if later.contains(&text) { "not in this version; " } else { "" };
    Err(format!("{absent}there is {}", names.join(", ")))
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
        assert_eq!(args.model.define, expected.map(|(name, value)| (name.to_owned(), value)));
        assert_eq!(args.model.include, [PathBuf::from("x"), PathBuf::from("y")]);
        assert!(check(&["-D", "3N"]).is_err());
        assert!(check(&["-D", "=3"]).is_err());
    }

    #[test]
    fn names_of_later_versions_are_told_from_nonsense() {
        let later = check(&["--search", "astar"]).expect_err("not here yet").to_string();
        assert!(later.contains("not in this version; there is auto, dfs, bfs"), "{later}");
        let nonsense = check(&["--search", "fast"]).expect_err("nonsense").to_string();
        assert!(nonsense.contains("there is auto, dfs, bfs") && !nonsense.contains("version"), "{nonsense}");
        assert!(check(&["--engine", "quick"]).is_err());
        assert!(check(&["--store", "tree"]).is_err());
        assert!(check(&["--quiet", "--verbose"]).is_err());
    }
}
