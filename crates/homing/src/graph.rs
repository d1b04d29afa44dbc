//! `homing graph`: process automata, or the states of a small model, for Graphviz.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;

use homing_core::{
    End, Fork, Limit, Limits, SourcePlace, State, StateId, Stop, Target, TransitionSystem, Unwatched, Violation,
};
use homing_engine::{Executed, Interpreter};
use homing_ir::Model;
use homing_report::{AutomatonId, DrawnState, DrawnStep, EdgeTarget, Highlight, StateSpace, StoryStep};
use homing_search::{Objective, OnError, Reduction, bfs};
use homing_store::{ExactStore, LoadById, Store};

use crate::cli::GraphArgs;
use crate::console::Console;
use crate::counterexample::short_names;
use crate::error::Error;
use crate::exit::Exit;
use crate::output::Output;
use crate::play::{Ending, play};
use crate::text::counted;
use crate::{input, machine, spelling, trail};

/// The run that a drawing highlights.
#[derive(Debug, Default)]
struct Trail {
    /// The numbers of its statements ([`homing_ir::Statement::id`]).
    statements: BTreeSet<u32>,
    /// The states between its steps, from the initial one on.
    states: Vec<Box<State>>,
    /// The error at its end.
    error: Option<Violation>,
}

impl Trail {
    /// Reads the trail and plays it.
    fn read(path: &Path, model: &Model) -> Result<Self, Error> {
        let file = trail::read(path)?;
        let engine = Interpreter::new(model).map_err(|violation| Error::NoStart { message: violation.message })?;
        let mut drawn = Trail { states: vec![engine.initial()], ..Trail::default() };
        let played = play(&engine, &file.trail, |player, step| {
            drawn.statements.extend(step.statements().iter().map(|executed| engine.trail_id(*executed)));
            drawn.states.push(player.state().into());
        });
        let misfit = |broken| Error::TrailMismatch { path: path.to_owned(), broken: Box::new(broken), stale: false };
        if let Ending::Violations(all) = played.map_err(misfit)?.ending {
            drawn.error = all.into_iter().next();
        }
        Ok(drawn)
    }
}

pub fn run(args: &GraphArgs, console: &Console) -> Result<Exit, Error> {
    let mut model = input::load(&args.model, false, console)?.model;
    model.sources = short_names(&model.sources);
    if args.states {
        input::reveal(&mut model);
    }
    let trail = match &args.trail {
        Some(path) => Trail::read(path, &model)?,
        None => Trail::default(),
    };
    if args.states {
        return draw_states(args, &model, &trail, console);
    }
    let parts = chosen(&args.process, &model)?;
    write(args, &homing_report::automata(&model, &parts, &trail.statements))
}

fn write(args: &GraphArgs, text: &str) -> Result<Exit, Error> {
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

/// Draws the state graph. All states are found first, so that nothing is drawn of a model that is too large.
fn draw_states(args: &GraphArgs, model: &Model, trail: &Trail, console: &Console) -> Result<Exit, Error> {
    let interpreter = match Interpreter::new(model) {
        Ok(interpreter) => interpreter,
        Err(violation) => return write(args, &homing_report::failed_start(&violation)),
    };
    let store = match explore(&interpreter, args.max_states) {
        Ok(store) => store,
        Err(message) => {
            console.error(&message);
            return Ok(Exit::Undecided);
        }
    };
    let mut output = Output::open(args.output.as_deref(), &args.model.path)?;
    draw(&interpreter, &store, trail, |piece| output.write(piece))?;
    output.finish()?;
    Ok(Exit::Holds)
}

/// All reachable states, or a message if there are too many.
fn explore(interpreter: &Interpreter<'_>, most: u64) -> Result<ExactStore, String> {
    let mut store = ExactStore::new(interpreter.hidden_prefix());
    let limits = Limits { max_depth: None, max_states: Some(most), memory: machine::default_memory() };
    let outcome = bfs::search(
        &mut [interpreter.fork()],
        &Objective::new(|_| false, OnError::Count, &limits),
        Reduction::None,
        &mut store,
        &mut Unwatched,
    );
    let seen = counted(store.len(), "state");
    let (cause, remedy) = match outcome.end {
        // A step that was cut off can be drawn.
        End::Exhausted | End::Found | End::Stopped(Stop::Limit(Limit::CutOff)) => return Ok(store),
        End::Stopped(Stop::Limit(Limit::Memory)) => (format!("the memory is full after {seen}"), "draw"),
        End::Stopped(_) => (format!("the model has more than {seen}"), "raise --max-states, or draw"),
    };
    Err(format!("nothing drawn: {cause}; {remedy} the process automata (without --states)"))
}

/// Draws state by state. Each piece goes to `write` at once, until that breaks off: the text takes more memory than the
/// states.
fn draw(
    interpreter: &Interpreter<'_>,
    store: &ExactStore,
    trail: &Trail,
    mut write: impl FnMut(&str) -> Result<ControlFlow<()>, Error>,
) -> Result<(), Error> {
    let known = |state: &State| store.id_of(state).map(|id| id.0);
    let states = trail.states.iter().filter_map(|state| known(state)).collect();
    let highlight = Highlight { states, error: trail.error.clone() };
    let mut drawing = StateSpace::begin(interpreter.description(&interpreter.initial()), highlight);
    let mut state = Vec::new();
    for number in 0..store.len() as u32 {
        LoadById::load(store, &mut (), StateId(number), &mut state);
        let mut steps = Vec::new();
        interpreter.for_each_step_with(&state, |step, statements| {
            let target = match step.target {
                Target::State(target) => EdgeTarget::State(known(target).expect("every state was found before")),
                Target::Violation(violation) => EdgeTarget::Error(violation),
                Target::CutOff => EdgeTarget::CutOff,
            };
            let length = statements.len();
            let statements = statements.iter().take(DrawnStep::MOST).map(|executed| story_step(interpreter, *executed));
            steps.push(DrawnStep { statements: statements.collect(), length, target });
            ControlFlow::Continue(())
        });
        drawing.draw(&DrawnState { number, description: interpreter.description(&state), steps });
        if write(&drawing.take())?.is_break() {
            return Ok(());
        }
    }
    let _ = write(&drawing.end())?;
    Ok(())
}

fn story_step(interpreter: &Interpreter<'_>, executed: Executed) -> StoryStep {
    let place = interpreter.statement(executed).place;
    StoryStep {
        process: interpreter.actor(executed),
        place: SourcePlace { file: interpreter.model().sources[place.file as usize].clone(), line: place.line },
        statement: interpreter.statement_text(executed),
    }
}

#[cfg(test)]
mod tests {
    use homing_core::{Selection, Step};

    use super::*;

    const DETOUR: &str = "\
byte x;
active proctype P() {
	do
	:: atomic { x < 4 -> x++ }
	:: x == 2 -> assert(false)
	od
}
";

    fn model(text: &str) -> Model {
        let options = homing_promela::preprocess::Options::default();
        homing_promela::read("m.pml", text.to_owned(), &options).model.expect("a model")
    }

    /// A shortest path to an error, as a trail.
    fn trail(interpreter: &Interpreter<'_>) -> Trail {
        let mut store = ExactStore::new(0);
        let limits = Limits::default();
        let outcome = bfs::search(
            &mut [interpreter.fork()],
            &Objective::new(|_| true, OnError::Stop, &limits),
            Reduction::None,
            &mut store,
            &mut Unwatched,
        );
        let path = outcome.path.expect("an error");
        let statements = interpreter.replay(&path.actions).expect("a path").statements;
        let mut states = vec![interpreter.initial()];
        for action in &path.actions {
            let mut next = None;
            interpreter.for_each_step(
                states.last().expect("the initial state"),
                Selection::All,
                |Step { action: a, target, .. }| {
                    if let (true, Target::State(target)) = (a == *action, target) {
                        next = Some(target.into());
                    }
                    ControlFlow::Continue(())
                },
            );
            states.extend(next);
        }
        let statements = statements.iter().map(|executed| interpreter.trail_id(*executed)).collect();
        Trail { statements, states, error: Some(path.violation) }
    }

    /// The nodes and edges that are drawn bold.
    fn highlighted(drawn: &str) -> Vec<&str> {
        let bold = drawn.lines().filter(|line| line.contains("penwidth=\"3\""));
        bold.filter_map(|line| line.trim().split(" [").next()).collect()
    }

    #[test]
    fn a_trail_is_highlighted_among_the_states() {
        let model = model(DETOUR);
        let interpreter = Interpreter::new(&model).expect("an initial state");
        let store = explore(&interpreter, 100).expect("few states");
        let mut trail = trail(&interpreter);
        trail.states.insert(1, Box::new([0xff; 7])); // inside an atomic sequence: no state of its own
        let mut drawn = String::new();
        let write = |piece: &str| {
            drawn += piece;
            Ok(ControlFlow::Continue(()))
        };
        draw(&interpreter, &store, &trail, write).expect("no error of a string");
        let path = ["s0", "s0 -> s1", "s1", "s1 -> s2", "s2", "s2 -> s4", "s4", "s4 -> error0"];
        assert_eq!(highlighted(&drawn), path, "{drawn}");
    }

    #[test]
    fn a_trail_is_highlighted_in_the_automata() {
        let model = model(DETOUR);
        let interpreter = Interpreter::new(&model).expect("an initial state");
        let trail = trail(&interpreter);
        let drawn = homing_report::automata(&model, &AutomatonId::all(&model), &trail.statements);
        let edges = highlighted(&drawn).into_iter().filter(|bold| bold.contains("->")).count();
        assert_eq!(edges, 4, "two ways into the loop, the statement behind each\n{drawn}");
    }

    #[test]
    fn a_drawing_ends_when_the_pipe_is_closed() {
        let model = model(DETOUR);
        let interpreter = Interpreter::new(&model).expect("an initial state");
        let store = explore(&interpreter, 100).expect("few states");
        let mut pieces = 0;
        let write = |_: &str| {
            pieces += 1;
            Ok(ControlFlow::Break(()))
        };
        draw(&interpreter, &store, &Trail::default(), write).expect("no error");
        assert_eq!(pieces, 1);
    }
}
