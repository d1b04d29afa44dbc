//! The command line of homing: the only crate that prints, parses options or exits. What a command does is in the library,
//! [`homing_check`].

mod abstraction_graph;
mod bounded;
mod bug;
mod check;
mod cli;
mod compare;
mod console;
mod counterexample_text;
mod decide;
mod diagnostics;
mod ending;
mod error;
mod estimate_choice;
mod exit;
mod formats;
mod graph;
mod input;
mod interrupt;
mod json;
mod ledger;
mod lines;
mod link;
mod ltl;
mod lts;
mod machine;
mod manual;
mod network;
mod option_conflict;
mod output;
mod problem;
mod progress;
mod property;
mod quantity;
mod recorded;
mod repeats;
mod replay;
mod result;
mod shares;
mod simulate;
mod spelling;
mod supervisor;
mod text;
mod trail;
mod trails;
mod undecided;

use std::process::ExitCode;

use cli::{Cli, Command};
use console::Console;
use error::Error;
use exit::Exit;

fn main() -> ExitCode {
    let cli = cli::parse();
    let exit = bug::catch(move || run(&cli));
    exit.into()
}

fn run(cli: &Cli) -> Exit {
    let console = Console::new(cli.color);
    let done = match &cli.command {
        Command::Check(args) => check::run(args, &console),
        Command::Replay(args) => replay::run(args, &console),
        Command::Simulate(args) => simulate::run(args, &console),
        Command::Compare(args) => compare::run(args, &console),
        Command::Ltl(args) => ltl::run(args, &console),
        Command::Graph(args) => graph::run(args, &console),
        Command::Completions(args) => manual::completions(args, &console),
        Command::Man(args) => manual::man(args, &console),
    };
    match done {
        Ok(exit) => exit,
        Err(Error::Bug(what)) => bug::report(&what),
        Err(error) => {
            console.error(&error.to_string());
            Exit::Wrong
        }
    }
}
