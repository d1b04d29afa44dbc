//! `homing simulate`: a run of the model, random or interactive.

mod command;
mod interactive;
mod saved;

use homing_check::model::{Ending, Playback, PlayedStep, Simulator, Witness};

use crate::cli::{ModelArgs, SimulateArgs};
use crate::console::Console;
use crate::ending::ending;
use crate::error::{Error, MissingMacros};
use crate::exit::Exit;
use crate::input::{self, Loaded};
use crate::interrupt;
use crate::lines::Lines;
use crate::lts;
use crate::text::counted;
use crate::trail::{self, Destination};
use saved::Saved;

pub fn run(args: &SimulateArgs, console: &Console) -> Result<Exit, Error> {
    if lts::is_lts(&args.model.path, args.model.reading.input) {
        return lts::simulate(args, console);
    }
    let recorded = args.start.as_ref().map(|path| trail::read(path)).transpose()?;
    let header = recorded.as_ref().and_then(|file| file.header.as_ref());
    let reading = args.model.reading.clone().or_defines(header.map(|header| &header.defines[..]).unwrap_or_default());
    let named = ModelArgs { path: args.model.path.clone(), reading };
    let loaded = input::load(&named, args.quiet, &[], console)?;
    let playback = Playback::new(&loaded.model).map_err(|violation| Error::NoStart { message: violation.message })?;
    let mut session = playback.simulate(args.seed);
    if let (Some(file), Some(path)) = (&recorded, &args.start) {
        let is_given = !named.reading.define.is_empty();
        let macros = if is_given { MissingMacros::default() } else { MissingMacros::of(&loaded.source.text) };
        let stale = file.header.as_ref().is_some_and(|header| header.model_hash != loaded.hash);
        session.follow(&file.trail, args.from.unwrap_or(1)).map_err(|broken| {
            let (path, broken) = (path.clone(), Box::new(broken));
            Error::TrailMismatch { path, broken, stale, macros }
        })?;
    }
    if args.interactive {
        return interactive::run(session, args, &loaded, console);
    }
    random_run(session, args, &loaded, console)
}

/// Takes random steps until an error, a state without successors, or the limit on steps.
fn random_run(
    mut session: Simulator<'_, '_>,
    args: &SimulateArgs,
    loaded: &Loaded,
    console: &Console,
) -> Result<Exit, Error> {
    if args.trail.is_some() {
        Destination::new(args.trail.as_deref(), &args.model.path)?; // a wrong file name is reported before the run
    }
    let interrupt = interrupt::listen();
    let lines = Lines::of_any_run(session.playback(), args.steps, console.look);
    let mut witness = Witness::default();
    while session.length() < args.steps && !interrupt.happened() {
        let number = session.executed() + 1;
        let Some((taken, happened)) = session.random_step() else { break };
        let described = session.player().describe_move(&happened);
        let step = PlayedStep::whole(number, &taken, &happened).counted_as(session.moves(), session.unit());
        witness.see(session.player(), &step);
        let mut text = String::new();
        if args.quiet {
            described.printed.iter().for_each(|printed| text.push_str(printed));
        } else {
            let changes: Vec<_> = described.changes.iter().collect();
            lines.put(&mut text, &step, &changes, |_| true);
            lines.put_notes(&mut text, &step, &described);
        }
        console.result(&text)?;
        if !happened.violations.is_empty() {
            break;
        }
    }
    let end = session.ending();
    if !args.quiet {
        let why = witness.why(session.player(), &end);
        let length = counted(session.length() as u64, session.unit().word());
        let after = format!("after {length}, seed {}", args.seed);
        let open = if session.player().enabled().is_empty() { "" } else { "; the run can continue" };
        console.text(&ending(session.values(), &end, &format!("{after}{open}"), &why, console.paint))?;
    }
    if let Some(file) = &args.trail {
        Saved { model: &args.model.path, hash: &loaded.hash, defines: args.model.reading.defines() }
            .write(&session, file)?;
        console.message(&format!("trail written to {}\n", file.display()));
    }
    Ok(match (&end, interrupt.happened()) {
        (_, true) => Exit::Interrupted,
        (Ending::Open, false) => Exit::Holds,
        _ => Exit::Violated,
    })
}
