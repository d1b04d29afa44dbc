//! The flags of `homing ltl`.

use std::path::PathBuf;

use clap::Args;

use super::values::{Names, OneOf};

const LTL_EXAMPLES: &str = "\
Examples:
  homing ltl '[] (p -> <> q)' --negate   a never claim that accepts the violations
  homing ltl '<> [] (x == 1)' --format dot | dot -Tsvg > claim.svg
  homing ltl 'p U q' --format json | jq .strength
  homing ltl '[]<>p && []<>q' --equivalent '[]<>(p && <>q)'
  homing ltl --hoa claim.hoa             an automaton of another tool as a never claim

Exit codes:
  0    the automaton was printed, or the formulas are equivalent
  1    the formulas are not equivalent
  2    the command line, the formula or the file is wrong
  4    a bug in homing";

/// Translates a formula of linear temporal logic to a Büchi automaton
///
/// The syntax is that of inline ltl blocks. From the operators that bind least: -> and <->; ||; &&; U, W and V; then
/// the operators of Promela's expressions; [], <>, X and ! bind most. Operators of two operands are left-associative.
/// The words always, eventually, until, weakuntil, release, next, implies and equivalent are operators too, as are G,
/// F, R, & and |. A proposition is a name or an expression, such as x == 1, P@label or len(q) > 0.
#[derive(Debug, Args)]
#[command(after_help = LTL_EXAMPLES)]
pub struct LtlArgs {
    /// The formula, or - for standard input
    #[arg(value_name = "FORMULA", required_unless_present_any = ["hoa", "never"], allow_hyphen_values = true)]
    pub formula: Option<String>,

    /// What to print: never, hoa, dot, json [default: never]
    ///
    /// never is a never claim of Promela, hoa the Hanoi Omega-Automata format that other tools read, dot a graph for
    /// Graphviz. json has the automaton with its numbers of states and transitions, its strength, the classes of its
    /// strongly connected components and whether the formula is stutter-invariant.
    #[arg(long, value_name = "FORMAT", default_value = "never", hide_default_value = true)]
    #[arg(value_parser = OneOf(AutomatonFormat::NAMES), hide_possible_values = true)]
    pub format: AutomatonFormat,

    /// Translate the negation of the formula
    #[arg(long, conflicts_with_all = ["hoa", "never"])]
    pub negate: bool,

    /// Compare with this formula instead of printing an automaton: print whether both are equivalent, or a word that
    /// satisfies one of them only
    #[arg(long, value_name = "FORMULA", allow_hyphen_values = true)]
    #[arg(conflicts_with_all = ["hoa", "never", "generalised"])]
    pub equivalent: Option<String>,

    /// Print a generalised automaton with acceptance sets of transitions, which is often smaller; for hoa, dot and json
    #[arg(long)]
    pub generalised: bool,

    /// Read an automaton in the HOA format from this file instead of a formula
    #[arg(long, value_name = "FILE", conflicts_with_all = ["formula", "never"])]
    pub hoa: Option<PathBuf>,

    /// Read a never claim, as spin -f writes it, from this file instead of a formula
    #[arg(long, value_name = "FILE", conflicts_with = "formula")]
    pub never: Option<PathBuf>,

    /// Write to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AutomatonFormat {
    Never,
    Hoa,
    Dot,
    Json,
}

impl AutomatonFormat {
    const NAMES: Names<AutomatonFormat> = &[
        ("never", AutomatonFormat::Never),
        ("hoa", AutomatonFormat::Hoa),
        ("dot", AutomatonFormat::Dot),
        ("json", AutomatonFormat::Json),
    ];
}
