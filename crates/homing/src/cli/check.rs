//! The flags of `homing check`.

use std::path::PathBuf;

use clap::Args;

use crate::console::When;

use super::{Heuristic, ReadingArgs, Search, SearchArgs, pick};

const CHECK_EXAMPLES: &str = "\
Examples:
  homing check dining.pml                          everything the model states
  homing check dining.pml --property deadlock      invalid end states alone
  homing check big.pml --search astar --heuristic formula --combine max
  homing check mutex.pml --property 'invariant: critical <= 1'
  homing check mutex.pml --property 'ltl: [] (wants -> <> enters)' --fairness weak
  homing check big.pml --memory 4G --timeout 10m   stop at a limit, with a partial result
  homing check big.pml --threads 8                 the same verdict in less time
  homing check dining.pml --json | jq .results[0].verdict
  homing check models/*.pml --format junit > report.xml
  homing check vending.aut.gz --property 'action:OUT !COKE'
  homing check gate.xml --property 'query:A[] not (P(0).cs and P(1).cs)'

Exit codes:
  0    every property holds
  1    a property is violated
  2    the command line or the model is wrong
  3    undecided: a limit was hit, or the search is incomplete
  4    a bug in homing
  130  interrupted; what was found so far is printed";

/// Decides the properties of a model
///
/// Decides every property of the model, or those selected with --property. A violation is reported with a path to it;
/// every path is executed again before it is reported.
#[derive(Debug, Args)]
#[command(after_help = CHECK_EXAMPLES)]
pub struct CheckArgs {
    /// The models in Promela; as FILE.xta or FILE.xml networks of automata, as FILE.aut or FILE.aut.gz labelled transition systems; - for
    /// standard input
    #[arg(value_name = "MODEL", required = true)]
    pub models: Vec<PathBuf>,

    #[command(flatten)]
    pub reading: ReadingArgs,

    /// The property to decide (repeatable): safety, assertions, deadlock, progress, acceptance, the name of an ltl block,
    /// 'ltl:FORMULA' or 'invariant:EXPR' [default: everything the model states]; for labelled transition systems deadlock (the
    /// default) and 'action:PATTERN', for networks deadlock and 'query:TEXT' [default: the queries of the model, else deadlock]
    ///
    /// safety checks assertions, invalid end states and run-time errors in one search; deadlock checks invalid end states
    /// only. An invariant is a condition that must hold in every state; it may use global variables, the macros of the
    /// model, P[pid]:local and P[pid]@label. progress searches for a cycle without a progress label; acceptance for one that
    /// the never claim of the model accepts or, without a claim, through an accept label. A formula of linear temporal logic
    /// has to hold for every run; a run that ends is continued by its last state. The counterexample is a lasso: steps to a
    /// cycle, and the cycle. A run-time error violates every property that is not decided before it.
    ///
    /// In a labelled transition system deadlock is a state without transitions, and action:PATTERN is violated by a transition
    /// whose label matches: PATTERN is a whole label, in which * stands for any text, or a regular expression between slashes,
    /// such as /^send/. action:tau matches the internal action, tau or i.
    ///
    /// In a network of automata a query is E<> p (some reachable state satisfies p: it holds with a witness, which is written as a trail)
    /// or A[] p (all reachable states do). p may use P.location, P(1).variable, forall, exists, sum, imply and deadlock.
    #[arg(long, help_heading = "Property", value_name = "NAME")]
    pub property: Vec<String>,

    /// Stop at the first violated property
    #[arg(long, help_heading = "Property")]
    pub fail_fast: bool,

    /// Report every error, grouped by kind and place, each with a shortest trail, instead of stopping at the first
    #[arg(long, help_heading = "Property", conflicts_with = "fail_fast")]
    pub all_errors: bool,

    /// The search algorithm: auto, dfs, bfs, best-first, astar, ida, stateless, random-walk, random-dfs, highway, highway-exact, beam,
    /// ndfs, indfs, astar-indfs, scc
    ///
    /// bfs returns a shortest path to an error; dfs visits states in SPIN's order. best-first, astar and ida are directed by
    /// an estimate h of the distance to an error (--heuristic): best-first expands the state with the least h, astar the
    /// state with the least g + h, where g is the length of the path so far; ida is astar by iterative deepening, with less
    /// memory and more time, above all with --store bitstate. stateless stores only the current path. random-dfs is dfs that
    /// follows the steps of each state in random order (--seed), and ndfs in random order for cycles. auto runs best-first,
    /// astar and bfs as a portfolio: the first two find errors quickly, bfs proves quickly that there is none. With
    /// --all-errors, or a --store that may lose states, auto is bfs.
    ///
    /// For models that no memory holds there are searches that keep --width states of each level and drop the others: highway and
    /// highway-exact keep states at random, beam those with the least h. They prove `holds` only if no state was dropped. A state
    /// that several steps of a level lead to is tried several times by highway, once by highway-exact, whose levels are uniform
    /// samples. random-walk stores nothing: it takes steps at random, each step of a state with the same probability, starts
    /// again after some thousand states, and ends only at an error or at a limit (--timeout, --max-states). With --seed a run can
    /// be repeated.
    ///
    /// Cycles are searched by auto, scc (strongly connected components), ndfs (nested depth-first search; with --plain its numbers are
    /// those of SPIN's verifier), random-dfs, indfs (nested search that knows the components of the claim), and astar-indfs (astar
    /// until a component with accepting cycles is reached, indfs inside). If each run that violates a formula does so after finitely
    /// many steps, all searches find it. A search that does not find what violates a property is refused, or, if the property was
    /// not named, the verdict on it is unknown (unsupported-search).
    #[arg(long, help_heading = "Search", value_name = "ALGORITHM", default_value = "auto", value_parser = Search::parse)]
    pub search: Search,

    /// The estimate that directs the search: auto, none, formula, active, nearest, deadlock, fsm-max, fsm-sum,
    /// abstraction, messages, hamming, trail
    ///
    /// formula is derived from the condition of the error (a failing assertion, a violated invariant, a deadlock); active
    /// counts the processes that can move; nearest is the smaller of the two; deadlock infers the locations where processes can block, or takes those with
    /// labels that begin with `danger`; fsm-max and fsm-sum are distances in the process automata; abstraction composes processes,
    /// variables and channels and keeps as many classes of states as --bound allows; messages counts the
    /// messages still to be sent and received; hamming and trail are distances to the last state of a trail (--toward).
    /// auto is active for deadlocks, formula for other errors, and nearest for both.
    #[arg(long, help_heading = "Heuristic", value_name = "KIND", default_value = "auto", value_parser = Heuristic::parse)]
    pub heuristic: Heuristic,

    #[command(flatten)]
    pub options: SearchArgs,

    /// Continue until the path to an error is proved shortest
    ///
    /// auto and bfs prove it without this option if the proof does not take many more states than finding the error did.
    /// dfs searches again for paths shorter than the last one until there is none.
    #[arg(long, help_heading = "Search")]
    pub shortest: bool,

    /// Prove a verdict `holds` a second time, without any reduction: auto, always, never
    ///
    /// A small model is explored statement by statement by a simple reference explorer; a larger one is searched
    /// breadth-first without reductions, within the given limits. auto does so if the first search took less than 20 ms,
    /// for at most 50 ms. --confirm without a value means always.
    #[arg(
        long,
        help_heading = "Search",
        value_name = "WHEN",
        value_enum,
        default_value_t = When::Auto,
        default_missing_value = "always",
        num_args = 0..=1,
        require_equals = true,
        hide_possible_values = true
    )]
    pub confirm: When,

    /// Write the trail of a violation to this file: homing's JSON format if the name ends in .json, else SPIN's format
    /// [default: MODEL.trail]
    ///
    /// If several properties are violated, each trail has its own file, MODEL.NAME.trail. A trail left by an earlier run is
    /// removed when the property holds.
    #[arg(long, help_heading = "Output", value_name = "FILE")]
    pub trail: Option<PathBuf>,

    /// What to print on standard output: text, json, github, sarif, junit [default: text]
    ///
    /// json is one document, or an array of documents for several models. github marks the lines of errors in GitHub Actions,
    /// sarif is SARIF 2.1.0 for code scanning and editors, junit is JUnit's XML for CI servers: a test suite for each model, a
    /// test case for each property.
    #[arg(long, help_heading = "Output", value_name = "FORMAT", value_parser = Format::parse, default_value = "text", hide_default_value = true)]
    pub format: Format,

    /// Print one JSON document on standard output and nothing else; short for --format json
    #[arg(long, help_heading = "Output", conflicts_with = "format")]
    pub json: bool,

    /// Print verdicts only
    #[arg(long, help_heading = "Output", short, conflicts_with = "verbose")]
    pub quiet: bool,

    /// Print every step of a path, however long
    #[arg(long, help_heading = "Output", short)]
    pub verbose: bool,
}

impl CheckArgs {
    pub fn format(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }
}

/// What is printed on standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Text,
    Json,
    Github,
    Sarif,
    Junit,
}

impl Format {
    fn parse(text: &str) -> Result<Self, String> {
        let present = [
            ("text", Format::Text),
            ("json", Format::Json),
            ("github", Format::Github),
            ("sarif", Format::Sarif),
            ("junit", Format::Junit),
        ];
        pick(text, &present)
    }
}
