//! `homing check`: decides the properties of a model.

use std::time::Instant;

use homing_core::{Blind, End, Limit, Limits, Path, Stats, TransitionSystem, Violation};
use homing_engine::{CompiledEngine, Interpreter, StepIndex};
use homing_ir::{Lengths, Model};
use homing_search::Errors;

use crate::cli::{CheckArgs, Engine, Search};
use crate::console::Console;
use crate::counterexample::Counterexample;
use crate::error::Error;
use crate::exit::Exit;
use crate::explore::{AnyEstimate, Chosen, Explored, Task};
use crate::input::Loaded;
use crate::interrupt::Interrupt;
use crate::progress::{StatusLine, Watcher};
use crate::property::{self, Property, Safety};
use crate::result::{self, Algorithm, Kept, PropertyResult, Reason, Run, Unreached, Verdict};
use crate::subject::Subject;
use crate::text::Detail;
use crate::trail::Destination;
use crate::trails::Trails;
use crate::{guide, input, json, machine, text};

pub fn run(args: &CheckArgs, console: &Console) -> Result<Exit, Error> {
    let deadline = args.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    let interrupt = Interrupt::listen();
    let destination = Destination::new(args.trail.as_deref(), &args.model.path)?;
    let loaded = input::load(&args.model, args.quiet, console)?;
    let memory = args.memory.or_else(machine::default_memory);
    let check = Check { args, console, interrupt: &interrupt, deadline, memory };
    let mut asked = Vec::new();
    for property in property::chosen(&args.property, &loaded.model)? {
        let subject = Subject::new(&loaded, &args.model, args.plain, &property)?;
        asked.push((property, subject));
    }

    let mut results = Vec::new();
    for (property, subject) in &asked {
        let result = check.decide(property, subject.as_ref())?;
        if !args.json {
            console.result(&text::result(&result, &loaded.model, detail(args), console.paint))?;
        }
        results.push(result);
    }
    let Loaded { model, hash, .. } = loaded;
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

/// A search that is to be run for a property.
#[derive(Clone, Copy)]
struct Asked<'a> {
    name: &'a str,
    safety: Safety,
    algorithm: Algorithm,
    store: Chosen,
}

/// All that the properties of a model have in common.
struct Check<'a> {
    args: &'a CheckArgs,
    console: &'a Console,
    interrupt: &'a Interrupt,
    deadline: Option<Instant>,
    memory: Option<u64>,
}

impl Check<'_> {
    fn decide(&self, property: &Property, subject: Option<&Subject>) -> Result<PropertyResult, Error> {
        let name = property.name();
        match (property, subject) {
            (Property::Beyond(beyond), _) => Ok(PropertyResult::unknown(name, Reason::Beyond(beyond.kind()))),
            (_, Some(subject)) if !self.interrupt.happened() => self.decide_safety(name, subject),
            _ => Ok(PropertyResult::unknown(name, Reason::Limit(Limit::Interrupted))),
        }
    }

    fn decide_safety(&self, name: String, subject: &Subject) -> Result<PropertyResult, Error> {
        let algorithm = self.algorithm();
        let start = Instant::now();
        let compiled = match self.engine(subject.searched()) {
            Ok(compiled) => compiled,
            Err(violation) => return Ok(failed_at_the_start(name, algorithm, violation)),
        };
        let compile_seconds = compiled.has_code().then(|| start.elapsed().as_secs_f64());
        let store = Chosen::new(self.args, algorithm, compiled.carried(), self.memory)?;
        let mut guide = guide::Chosen::new(self.args, algorithm, subject)?;
        let estimate = guide.told(&compiled.initial());
        let asked = Asked { name: &name, safety: subject.safety, algorithm, store };
        let Explored { outcome, algorithm, kept } = self.search(&asked, &compiled, &mut guide.estimate, &self.limits());
        let interpreter = compiled.interpreter();
        let leaves_nothing = matches!(asked.algorithm, Algorithm::Bfs | Algorithm::Dfs | Algorithm::Auto);
        let saw_all = outcome.end == End::Exhausted && kept.lossless && leaves_nothing;
        let run = Run {
            algorithm,
            estimate,
            reduced: subject.reduced.is_some(),
            errors: outcome.errors,
            stats: outcome.stats,
            atomic_steps: compiled.atomic_steps(),
            compile_seconds,
            threads: self.args.threads as usize,
            kept,
            seconds: start.elapsed().as_secs_f64(),
            unreached: saw_all.then(|| unreached(interpreter, &subject.model)),
        };
        let verdict = match (&outcome.path, outcome.end) {
            (Some(_), _) => Verdict::Violated,
            (None, End::Exhausted) if !run.kept.lossless => Verdict::Unknown(Reason::Lossy),
            (None, End::Exhausted) if !subject.model.hidden_but_read().is_empty() => Verdict::Unknown(Reason::Hidden),
            (None, End::Exhausted) => Verdict::Holds,
            (None, End::Stopped(limit)) => Verdict::Unknown(Reason::Limit(limit)),
            (None, End::Found) => return Err(Error::Bug(format!("the search for {name} found an error and lost it"))),
        };
        let proved = outcome.path.as_ref().is_some_and(|path| path.shortest);
        let wants_shortest = proved || self.args.shortest || asked.algorithm == Algorithm::Auto;
        let bug = |what: String| Error::Bug(format!("checking {name}: {what}"));
        let mut counterexample =
            outcome.path.map(|path| confirm(path, interpreter, subject)).transpose().map_err(bug)?;
        if let Some(found) = &mut counterexample
            && wants_shortest
            && !found.shortest
        {
            self.shorten(&asked, subject, found, outcome.stats.states).map_err(bug)?;
        }
        Ok(PropertyResult { property: name, verdict, counterexample, run: Some(run) })
    }

    /// Looks for a shorter path in the model itself, where lengths are what they are: there is one, or it is proved that
    /// there is none. Unless it was asked for, this may not take many more states than the search did.
    fn shorten(
        &self,
        asked: &Asked<'_>,
        subject: &Subject,
        found: &mut Counterexample,
        states: u64,
    ) -> Result<(), String> {
        let Some(max_depth) = found.length.checked_sub(1) else { return Ok(()) };
        let Ok(compiled) = self.engine(&subject.model) else { return Ok(()) };
        let enough = (!self.args.shortest).then(|| states.saturating_mul(4).max(100_000));
        let max_states = [enough, self.args.max_states].into_iter().flatten().min();
        let limits = Limits { max_depth: Some(max_depth), max_states, ..self.limits() };
        let asked = Asked { algorithm: Algorithm::Bfs, store: asked.store.or_tree(), ..*asked };
        let blind: &mut AnyEstimate<'_> = &mut (Box::new(Blind) as _);
        let Explored { outcome, kept, .. } = self.search(&asked, &compiled, blind, &limits);
        match (outcome.path, outcome.end) {
            (Some(path), _) => {
                let interpreter = compiled.interpreter();
                *found = Counterexample::confirmed(path, interpreter, interpreter, Lengths::Exact)?;
            }
            (None, End::Exhausted | End::Stopped(Limit::Depth)) => {
                found.shortest = kept.lossless && compiled.carried() == 0;
            }
            (None, _) => {}
        }
        Ok(())
    }

    fn algorithm(&self) -> Algorithm {
        match self.args.search {
            Search::Auto => Algorithm::Auto,
            Search::Bfs => Algorithm::Bfs,
            Search::Dfs if self.args.shortest && !self.args.all_errors => Algorithm::ShorterDfs,
            Search::Dfs => Algorithm::Dfs,
            Search::BestFirst => Algorithm::BestFirst,
            Search::AStar => Algorithm::AStar,
            Search::Ida => Algorithm::Ida,
            Search::Stateless => Algorithm::Stateless,
        }
    }

    fn engine<'m>(&self, model: &'m Model) -> Result<CompiledEngine<'m>, Violation> {
        match self.args.engine {
            Engine::Interpreted => CompiledEngine::without_code(model),
            Engine::Compiled => CompiledEngine::new(model),
        }
    }

    fn limits(&self) -> Limits {
        Limits { max_depth: self.args.max_depth, max_states: self.args.max_states, memory: self.memory }
    }

    fn search(
        &self,
        asked: &Asked<'_>,
        compiled: &CompiledEngine<'_>,
        estimate: &mut AnyEstimate<'_>,
        limits: &Limits,
    ) -> Explored {
        let (args, &Asked { name, safety, algorithm, store }) = (self.args, asked);
        let errors = if args.all_errors { Errors::CountAll } else { Errors::StopAtFirst };
        let is_error = |violation: &_| safety.is_refuted_by(violation);
        let line = StatusLine::new(args.progress, self.console, name, self.memory);
        let mut watcher = Watcher::new(self.interrupt, self.deadline, line);
        let mut engines: Vec<CompiledEngine<'_>> = (0..args.threads).map(|_| compiled.fork()).collect();
        let task = Task { algorithm, weight: args.weight, is_error, errors, limits };
        let found = store.search(&mut engines, &task, estimate, &mut watcher);
        engines.iter().for_each(|engine| compiled.absorb(engine));
        found
    }
}

/// The path as one of the model itself.
fn confirm(path: Path<StepIndex>, searched: &Interpreter<'_>, subject: &Subject) -> Result<Counterexample, String> {
    let Some(reduced) = &subject.reduced else {
        return Counterexample::confirmed(path, searched, searched, Lengths::Exact);
    };
    let original = Interpreter::new(&subject.model).map_err(|violation| format!("it has no start: {violation}"))?;
    Counterexample::confirmed(path, searched, &original, reduced.lengths)
}

fn unreached(interpreter: &Interpreter<'_>, model: &Model) -> Vec<Unreached> {
    let named = |statement: homing_engine::Unreached| Unreached {
        proctype: model.proctype(statement.proctype).name.clone(),
        file: model.sources[statement.place.file as usize].clone(),
        line: statement.place.line,
        state: statement.state,
        text: statement.text,
    };
    interpreter.unreached_in(model).into_iter().map(named).collect()
}

/// The initial values already fail: an error under every property, and nothing to search.
fn failed_at_the_start(name: String, algorithm: Algorithm, violation: Violation) -> PropertyResult {
    let run = Run {
        algorithm,
        estimate: None,
        reduced: false,
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
