//! `homing check`: decides the properties of a model.

use std::time::Instant;

use homing_core::{End, Limit, Limits, Outcome, Stats, TransitionSystem};
use homing_engine::{CompiledEngine, Interpreter, StepIndex};
use homing_ir::Model;
use homing_search::Errors;

use crate::cli::{CheckArgs, Engine, Search};
use crate::console::Console;
use crate::counterexample::Counterexample;
use crate::error::Error;
use crate::exit::Exit;
use crate::explore::{Chosen, Task};
use crate::input::Loaded;
use crate::interrupt::Interrupt;
use crate::progress::{StatusLine, Watcher};
use crate::property::{self, Property, Safety};
use crate::result::{self, Algorithm, Kept, PropertyResult, Reason, Run, Unreached, Verdict};
use crate::text::Detail;
use crate::trail::Destination;
use crate::trails::Trails;
use crate::{input, json, machine, text};

pub fn run(args: &CheckArgs, console: &Console) -> Result<Exit, Error> {
    let deadline = args.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    let interrupt = Interrupt::listen();
    let destination = Destination::new(args.trail.as_deref(), &args.model.path)?;
    let Loaded { mut model, hash, .. } = input::load(&args.model, args.quiet, console)?;
    if !args.plain {
        input::reveal(&mut model);
    }
    let memory = args.memory.or_else(machine::default_memory);
    let check = Check { args, console, model: &model, interrupt: &interrupt, deadline, memory };

    let mut results = Vec::new();
    for property in property::chosen(&args.property, &model)? {
        let result = check.decide(&property)?;
        if !args.json {
            console.result(&text::result(&result, &model, detail(args), console.paint))?;
        }
        results.push(result);
    }
    let trails = Trails { model: &model, path: &args.model.path, hash, destination };
    for failure in trails.put(&mut results) {
        console.error(&failure.to_string());
    }
    if !args.json && !args.quiet {
        console.result(&text::trails(&results, &args.model.path))?;
    }
    if args.json {
        console.result(&json::document(&args.model.path.display().to_string(), &results))?;
    }
    Ok(result::exit(results.iter().map(|result| result.verdict), interrupt.happened()))
}

fn detail(args: &CheckArgs) -> Detail {
    match (args.quiet, args.verbose) {
        (true, _) => Detail::Verdict,
        (false, false) => Detail::Usual,
        (false, true) => Detail::Everything,
    }
}

/// All that the properties of one model have in common.
struct Check<'a> {
    args: &'a CheckArgs,
    console: &'a Console,
    model: &'a Model,
    interrupt: &'a Interrupt,
    deadline: Option<Instant>,
    memory: Option<u64>,
}

impl Check<'_> {
    fn decide(&self, property: &Property) -> Result<PropertyResult, Error> {
        let name = property.name();
        match property {
            Property::Beyond(beyond) => Ok(PropertyResult::unknown(name, Reason::Beyond(beyond.kind()))),
            Property::Safety(_) if self.interrupt.happened() => {
                Ok(PropertyResult::unknown(name, Reason::Limit(Limit::Interrupted)))
            }
            Property::Safety(safety) => self.decide_safety(name, *safety),
        }
    }

    fn decide_safety(&self, name: String, safety: Safety) -> Result<PropertyResult, Error> {
        let algorithm = match self.args.search {
            Search::Auto | Search::Bfs => Algorithm::Bfs,
            Search::Dfs => Algorithm::Dfs,
        };
        let start = Instant::now();
        let compiled = match self.args.engine {
            Engine::Interpreted => CompiledEngine::without_code(self.model),
            Engine::Compiled => CompiledEngine::new(self.model),
        };
        let compiled = match compiled {
            Ok(compiled) => compiled,
            Err(violation) => return Ok(failed_at_the_start(name, algorithm, violation)),
        };
        let compile_seconds = compiled.has_code().then(|| start.elapsed().as_secs_f64());
        let store = Chosen::new(self.args, algorithm, compiled.carried(), self.memory)?;
        let (outcome, kept) = self.search(&name, safety, algorithm, &compiled, store);
        let interpreter = compiled.interpreter();
        let run = Run {
            algorithm,
            errors: outcome.errors,
            stats: outcome.stats,
            atomic_steps: compiled.atomic_steps(),
            compile_seconds,
            threads: self.args.threads as usize,
            kept,
            seconds: start.elapsed().as_secs_f64(),
            unreached: (outcome.end == End::Exhausted).then(|| self.unreached(interpreter)),
        };
        let verdict = match (&outcome.path, outcome.end) {
            (Some(_), _) => Verdict::Violated,
            (None, End::Exhausted) if !run.kept.lossless => Verdict::Unknown(Reason::Lossy),
            (None, End::Exhausted) if !self.model.hidden_but_read().is_empty() => Verdict::Unknown(Reason::Hidden),
            (None, End::Exhausted) => Verdict::Holds,
            (None, End::Stopped(limit)) => Verdict::Unknown(Reason::Limit(limit)),
            (None, End::Found) => return Err(Error::Bug(format!("the search for {name} found an error and lost it"))),
        };
        let counterexample = outcome
            .path
            .map(|path| Counterexample::confirmed(path, interpreter))
            .transpose()
            .map_err(|what| Error::Bug(format!("checking {name}: {what}")))?;
        Ok(PropertyResult { property: name, verdict, counterexample, run: Some(run) })
    }

    fn search(
        &self,
        name: &str,
        safety: Safety,
        algorithm: Algorithm,
        compiled: &CompiledEngine<'_>,
        store: Chosen,
    ) -> (Outcome<StepIndex>, Kept) {
        let args = self.args;
        let limits = Limits { max_depth: args.max_depth, max_states: args.max_states, memory: self.memory };
        let errors = if args.all_errors { Errors::CountAll } else { Errors::StopAtFirst };
        let is_error = |violation: &_| safety.is_refuted_by(violation);
        let line = StatusLine::new(args.progress, self.console, name, self.memory);
        let mut watcher = Watcher::new(self.interrupt, self.deadline, line);
        let mut engines: Vec<CompiledEngine<'_>> = (0..self.args.threads).map(|_| compiled.fork()).collect();
        let task = Task { algorithm, is_error, errors, limits: &limits };
        let found = store.search(&mut engines, &task, &mut watcher);
        engines.iter().for_each(|engine| compiled.absorb(engine));
        found
    }

    fn unreached(&self, interpreter: &Interpreter<'_>) -> Vec<Unreached> {
        let named = |statement: homing_engine::Unreached| Unreached {
            proctype: self.model.proctype(statement.proctype).name.clone(),
            file: self.model.sources[statement.place.file as usize].clone(),
            line: statement.place.line,
            state: statement.state,
            text: statement.text,
        };
        interpreter.unreached().into_iter().map(named).collect()
    }
}

/// The initial values already fail: an error under every property, and nothing to search.
fn failed_at_the_start(name: String, algorithm: Algorithm, violation: homing_core::Violation) -> PropertyResult {
    let run = Run {
        algorithm,
        errors: 1,
        stats: Stats::default(),
        atomic_steps: 0,
        compile_seconds: None,
        threads: 1,
        kept: Kept::nothing(),
        seconds: 0.0,
        unreached: None,
    };
    PropertyResult {
        property: name,
        verdict: Verdict::Violated,
        counterexample: Some(Counterexample::at_the_start(violation)),
        run: Some(run),
    }
}
