//! `homing graph`: process automata, or the states of a small model, for Graphviz.

use std::path::Path;
use std::time::Instant;

use homing_check::model::{Highlighted, Playback, TooLarge, reveal, short_names};
use homing_core::Limits;
use homing_ir::Model;
use homing_report::AutomatonId;

use crate::cli::GraphArgs;
use crate::console::Console;
use crate::error::{Error, MissingMacros};
use crate::exit::Exit;
use crate::output::Output;
use crate::supervisor::Supervisor;
use crate::text::counted;
use crate::{abstraction_graph, input, interrupt, lts, machine, spelling, trail, undecided};

pub fn run(args: &GraphArgs, console: &Console) -> Result<Exit, Error> {
    let interrupt = interrupt::listen();
    let supervisor = Supervisor::new(&interrupt, Some(memory(args))).at_once();
    supervisor.set_deadline(args.timeout.and_then(|timeout| Instant::now().checked_add(timeout)));
    let ended = |stop| {
        console.error(&format!("nothing drawn: {}", undecided::cause(stop)));
        Exit::of_stop(stop)
    };
    supervisor.watch(ended, || draw(args, console, &supervisor))
}

fn memory(args: &GraphArgs) -> u64 {
    args.memory.unwrap_or_else(machine::default_memory)
}

fn draw(args: &GraphArgs, console: &Console, supervisor: &Supervisor<'_>) -> Result<Exit, Error> {
    if lts::is_lts(&args.model.path, args.model.reading.input) {
        return lts::draw(args, console, supervisor);
    }
    let loaded = input::load(&args.model, false, &[], console)?;
    let query = loaded.queries.as_ref().and_then(|queries| queries.stated.first()).map(|query| query.invariant.clone());
    let mut model = loaded.model;
    if args.abstraction {
        query.into_iter().for_each(|query| model.add_invariant(query));
        return match abstraction_graph::dot(args, &model) {
            Ok(text) => write(args, &text, supervisor),
            Err(reason) => {
                console.error(&reason);
                Ok(Exit::Undecided)
            }
        };
    }
    model.sources = short_names(&model.sources);
    if args.states {
        reveal(&mut model);
    }
    let trail = match &args.trail {
        Some(path) => highlighted(path, &model)?,
        None => Highlighted::default(),
    };
    if args.states {
        return draw_states(args, &model, &trail, (console, supervisor));
    }
    let parts = chosen(&args.process, &model)?;
    write(args, &homing_report::automata(&model, &parts, &trail.statements), supervisor)
}

fn write(args: &GraphArgs, text: &str, supervisor: &Supervisor<'_>) -> Result<Exit, Error> {
    supervisor.prints();
    let mut output = Output::open(args.output.as_deref(), &args.model.path)?;
    let _ = output.write(text)?;
    output.finish()?;
    Ok(Exit::Holds)
}

/// The parts of the model with these names, or all.
fn chosen(names: &[String], model: &Model) -> Result<Vec<AutomatonId>, Error> {
    let all = AutomatonId::all(model);
    if names.is_empty() {
        return Ok(all);
    }
    let is_named = |part: &AutomatonId, name: &str| part.name(model) == if name == ":init:" { "init" } else { name };
    if let Some(name) = names.iter().find(|name| !all.iter().any(|part| is_named(part, name))) {
        let known: Vec<String> = all.iter().map(|part| part.name(model).to_owned()).collect();
        return Err(Error::Process { name: name.clone(), near: spelling::nearest(name, &known), known });
    }
    Ok(all.into_iter().filter(|part| names.iter().any(|name| is_named(part, name))).collect())
}

/// Reads a trail and plays it.
fn highlighted(path: &Path, model: &Model) -> Result<Highlighted, Error> {
    let file = trail::read(path)?;
    let playback = Playback::new(model).map_err(|violation| Error::NoStart { message: violation.message })?;
    let misfit = |broken| Error::TrailMismatch {
        path: path.to_owned(),
        broken: Box::new(broken),
        stale: false,
        macros: MissingMacros::default(),
    };
    playback.highlight(&file.trail).map_err(misfit)
}

/// Draws the state graph. All states are found first, so that nothing is drawn of a model that is too large.
fn draw_states(
    args: &GraphArgs,
    model: &Model,
    highlighted: &Highlighted,
    (console, supervisor): (&Console, &Supervisor<'_>),
) -> Result<Exit, Error> {
    let playback = match Playback::new(model) {
        Ok(playback) => playback,
        Err(violation) => return write(args, &homing_report::failed_start(&violation), supervisor),
    };
    let limits = Limits { max_depth: None, max_states: Some(args.max_states), memory: Some(memory(args)) };
    let graph = match playback.state_graph(&limits) {
        Ok(graph) => graph,
        Err(too_large) => {
            console.error(&refusal(too_large));
            return Ok(Exit::Undecided);
        }
    };
    supervisor.prints();
    let mut output = Output::open(args.output.as_deref(), &args.model.path)?;
    graph.draw(highlighted, |piece| output.write(piece))?;
    output.finish()?;
    Ok(Exit::Holds)
}

/// The message for a model of which nothing is drawn.
fn refusal(too_large: TooLarge) -> String {
    let (cause, remedy) = match too_large {
        TooLarge::Memory { states } => (format!("the memory is full after {}", counted(states, "state")), "draw"),
        TooLarge::States { states } => {
            (format!("the model has more than {}", counted(states, "state")), "raise --max-states, or draw")
        }
    };
    format!("nothing drawn: {cause}; {remedy} the process automata (without --states)")
}
