//! `homing simulate` on a labelled transition system: a random walk.

use std::fmt::Write;

use homing_core::{Purpose, Seed};
use homing_lts::Lts;

use super::load;
use super::refuse;
use super::run::RunStep;
use super::trail::LtsTrail;
use crate::cli::SimulateArgs;
use crate::console::Console;
use crate::error::Error;
use crate::exit::Exit;
use crate::interrupt;
use crate::text::counted;
use crate::trail::Destination;

/// Takes random steps until a state has none, or the limit on steps. All steps of a state have the same probability.
pub fn simulate(args: &SimulateArgs, console: &Console) -> Result<Exit, Error> {
    refuse::reading(&args.model.reading)?;
    refuse::first(&[(args.interactive, "--interactive")])?;
    let lts = load::load(&args.model)?;
    let destination = args.trail.as_deref().map(|file| Destination::new(Some(file), &args.model.path)).transpose()?;
    let interrupt = interrupt::listen();
    let mut random = Seed::of_run(args.seed, 0).stream(Purpose::Order);
    let (mut state, mut steps) = (lts.initial(), Vec::new());
    while steps.len() < args.steps && !interrupt.happened() {
        let count = lts.edges(state).len() as u64;
        if count == 0 {
            break;
        }
        let chosen = random.below(count) as usize;
        let edge = lts.edges(state).nth(chosen).expect("a number below their count");
        steps.push(RunStep { from: state, edge });
        if !args.quiet {
            let number = steps.len();
            let label = lts.labels().show(edge.label);
            console.result(&format!("{number:>5}  {state} -> {}  {label}\n", edge.target))?;
        }
        state = edge.target;
    }
    let is_stuck = lts.edges(state).len() == 0;
    console.result(&ending(args, state, steps.len(), is_stuck))?;
    if let (Some(file), Some(Some(destination))) = (&args.trail, destination) {
        let text = saved(args, &lts, &steps, is_stuck, destination.is_json());
        destination.write(file, &text).map_err(|source| Error::Unwritable { path: file.clone(), source })?;
        console.message(&format!("trail written to {}\n", file.display()));
    }
    Ok(match (is_stuck, interrupt.happened()) {
        (_, true) => Exit::Interrupted,
        (true, false) => Exit::Violated,
        (false, false) => Exit::Holds,
    })
}

fn ending(args: &SimulateArgs, state: u32, length: usize, is_stuck: bool) -> String {
    let mut text = String::new();
    if !args.quiet {
        let end = if is_stuck {
            format!("deadlock: state {state} has no transitions")
        } else {
            "the run ends without an error".to_owned()
        };
        let open = if is_stuck { "" } else { "; the run can continue" };
        let _ = writeln!(text, "\n{end}\n  after {}, seed {}{open}", counted(length as u64, "transition"), args.seed);
    }
    text
}

fn saved(args: &SimulateArgs, lts: &Lts, steps: &[RunStep], is_stuck: bool, is_json: bool) -> Vec<u8> {
    let trail = LtsTrail { lts, model: &args.model.path };
    match (is_json, is_stuck) {
        (true, _) => trail.document(steps, None, is_stuck.then(deadlock)),
        (false, true) => trail.text(steps, None),
        (false, false) => trail.unfinished_text(steps),
    }
}

fn deadlock() -> crate::trail::ErrorEntry {
    crate::trail::ErrorEntry {
        kind: homing_core::ViolationKind::InvalidEndState.name().to_owned(),
        message: "deadlock".to_owned(),
        file: None,
        line: None,
        process: None,
    }
}
