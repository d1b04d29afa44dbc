//! `homing check`: decides the properties of one or several models.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use homing_check::model::{Confirmation, Interrupt, PropertyResult};
use homing_check::repeat::OnSuccess;
use homing_check::{OnError, PartialOrder, Reason, Verdict};
use homing_ir::Model;

use crate::cli::{CheckArgs, Format, ModelArgs};
use crate::console::Console;
use crate::decide::{self, Method, Session, Task};
use crate::error::Error;
use crate::exit::Exit;
use crate::formats::{self, ModelReport, Outcome};
use crate::lts;
use crate::problem::Problem;
use crate::property::Property;
use crate::shares::Shares;
use crate::text::Detail;
use crate::trail::Destination;
use crate::trails::{self, ModelTrails, TrailSource, Trails};
use crate::{bug, estimate_choice, input, interrupt, option_conflict, result, text};

pub fn run(args: &CheckArgs, console: &Console) -> Result<Exit, Error> {
    let interrupt = interrupt::listen();
    for (option, file) in [("--trail", &args.trail), ("--toward", &args.options.toward)] {
        if file.is_some() && args.models.len() > 1 {
            return Err(Error::OneFile { option, models: args.models.len() });
        }
    }
    let (mut reports, mut exit) = (Vec::new(), Exit::Holds);
    for path in &args.models {
        let checking = Checking::new(args, path, console, &interrupt);
        let report = checking.report()?;
        exit = exit.worst(report.exit);
        reports.push(report);
        if interrupt.happened() || (args.fail_fast && exit == Exit::Violated) {
            break;
        }
    }
    console.result(&formats::render(args.format(), &reports, exit))?;
    Ok(exit)
}

/// The check of one model.
pub struct Checking<'a> {
    pub args: &'a CheckArgs,
    pub model: ModelArgs,
    pub console: &'a Console,
    pub interrupt: &'a Interrupt,
}

impl<'a> Checking<'a> {
    fn new(args: &'a CheckArgs, path: &Path, console: &'a Console, interrupt: &'a Interrupt) -> Self {
        let model = ModelArgs { path: path.to_owned(), reading: args.reading.clone() };
        Checking { args, model, console, interrupt }
    }

    /// Checks the model. Fails only if the results cannot be printed: what is wrong with the model is in the report.
    fn report(&self) -> Result<ModelReport, Error> {
        let name = self.model.path.display().to_string();
        let options = trails::given_options(&self.args.reading);
        self.print_heading(&name)?;
        let error = match self.results() {
            Ok((Checked { model, warnings }, results)) => {
                let outcome = Outcome::Results { model, results };
                let exit = self.exit(&outcome);
                return Ok(ModelReport { name, options, outcome, warnings, exit });
            }
            Err(error @ Error::Output(_)) => return Err(error),
            Err(error) => error,
        };
        let exit = match &error {
            Error::Bug(what) => bug::report(what),
            error => {
                self.console.error(&error.to_string());
                Exit::Wrong
            }
        };
        let problem = Problem::of_error(&error, &self.model.path);
        let (errors, warnings) = match error {
            Error::Model { problems, .. } => problems.into_iter().partition(|problem| problem.severity == "error"),
            _ => (vec![problem], Vec::new()),
        };
        Ok(ModelReport { name, options, outcome: Outcome::Refused(errors), warnings, exit })
    }

    /// The name of the model, if there are several.
    fn print_heading(&self, name: &str) -> Result<(), Error> {
        if self.args.models.len() > 1 && self.is_text() {
            self.console.result(&format!("{}\n", self.console.paint.bold(&format!("== {name}"))))?;
        }
        Ok(())
    }

    fn is_text(&self) -> bool {
        self.args.format() == Format::Text
    }

    fn exit(&self, outcome: &Outcome) -> Exit {
        let Outcome::Results { results, .. } = outcome else { return Exit::Wrong };
        if results.iter().any(|result| result.confirmation == Some(Confirmation::Contradicted)) {
            return Exit::Bug;
        }
        result::exit(results.iter().map(|result| result.verdict), self.interrupt.happened())
    }

    /// Decides the properties, prints the results as text, and writes the trails.
    fn results(&self) -> Result<(Checked, Vec<PropertyResult>), Error> {
        let Checking { args, model, console, interrupt } = self;
        Destination::new(args.trail.as_deref(), &model.path)?; // a wrong file name is reported before the search
        if lts::is_lts(&model.path, model.reading.input) {
            let results = lts::results(self)?;
            return Ok((Checked::default(), results));
        }
        let deadline = args.options.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let loaded = input::load(model, args.quiet, &args.property, console)?;
        let session = Session::new(&args.options, &model.path, console, interrupt);
        estimate_choice::refuse_idle(&args.options, args.search, args.heuristic)?;
        if args.all_errors {
            option_conflict::refuse_counting(args.search)?;
        }
        option_conflict::refuse_idle_seed(&args.options, &[args.search])?;
        let errors = if args.all_errors { OnError::Count } else { OnError::Stop };
        let (shortest, confirm, on_success) = (args.shortest, args.confirm, OnSuccess::Stop);
        let method = Method {
            search: args.search,
            heuristic: args.heuristic,
            errors,
            shortest,
            fewest_switches: true,
            confirm,
            on_success,
            partial_order: PartialOrder::IfItPays,
        };
        let mut asked = Vec::new();
        for property in input::properties(&args.property, &loaded)? {
            let task = decide::task(&loaded, &model.reading, &args.options, &property)?;
            asked.push((property, task));
        }
        let unsuited = self.unsuited(&session, &asked, method)?;
        let is_searched = |task: &Task| !matches!(task, Task::Refused(..));
        let mut shares = Shares::new(deadline, asked.iter().filter(|(_, task)| is_searched(task)).count());
        let (together, mut alone) = self.decide_queries(&session, &asked, method, &mut shares)?;
        let is_over = args.fail_fast && together.iter().any(|(_, result)| result.verdict == Verdict::Violated);
        alone.truncate(if is_over { 0 } else { alone.len() });
        let decided = self.decide_all(&alone, |&nth| {
            let (property, task) = &asked[nth];
            if let Some(why) = unsuited.get(&property.name()) {
                let unknown = PropertyResult::unknown(property.name(), Reason::UnsuitedSearch);
                return Ok(PropertyResult { warnings: vec![why.clone()], ..unknown });
            }
            let mut result =
                session.decide(&property.name(), task, method, shares.next(usize::from(is_searched(task))))?;
            result.warnings.extend(loaded.default_property(&args.property));
            Ok(result)
        })?;
        let mut numbered: Vec<_> = together.into_iter().chain(alone.into_iter().zip(decided)).collect();
        numbered.sort_by_key(|(nth, _)| *nth);
        let mut results: Vec<_> = numbered.into_iter().map(|(_, result)| result).collect();
        let source = ModelTrails {
            model: &loaded.model,
            path: &model.path,
            hash: loaded.hash.clone(),
            defines: model.reading.defines(),
        };
        self.write_trails(&source, &mut results)?;
        Ok((Checked { model: Box::new(loaded.model), warnings: loaded.warnings }, results))
    }

    /// The properties that the search cannot decide, with the reasons. That is an error if they were asked for by name, or if there are
    /// no others.
    fn unsuited(
        &self,
        session: &Session<'_>,
        asked: &[(Property, Task)],
        method: Method,
    ) -> Result<BTreeMap<String, String>, Error> {
        let is_infinite = |(_, task): &(Property, Task)| matches!(task, Task::Liveness(_));
        if !asked.iter().any(is_infinite) {
            let names: Vec<String> = asked.iter().map(|(property, _)| property.name()).collect();
            option_conflict::refuse_idle_fairness(self.args.options.fairness, &names)?;
        }
        let suits = |(property, task): &(Property, Task)| session.suits(&property.name(), task, method).err();
        let mut unsuited: Vec<_> = asked.iter().map(suits).collect();
        if !self.args.property.is_empty() || unsuited.iter().all(Option::is_some) {
            let first = unsuited.iter_mut().find_map(Option::take);
            first.map_or(Ok(()), Err)?;
        }
        let reasons = asked.iter().zip(unsuited);
        Ok(reasons.filter_map(|((property, _), why)| Some((property.name(), why?.to_string()))).collect())
    }

    /// Decides the queries of a network together, if there are several and the options allow it, and prints each result as text as soon as
    /// it is there. Returns the results with the numbers of their properties, and the numbers of the properties that are left.
    #[allow(clippy::type_complexity, reason = "two lists, with numbers")]
    fn decide_queries(
        &self,
        session: &Session<'_>,
        asked: &[(Property, Task)],
        method: Method,
        shares: &mut Shares,
    ) -> Result<(Vec<(usize, PropertyResult)>, Vec<usize>), Error> {
        let names: Vec<String> = asked.iter().map(|(property, _)| property.name()).collect();
        let (mut numbers, mut queries) = (Vec::new(), Vec::new());
        for (nth, (_, task)) in asked.iter().enumerate() {
            if let Task::Query(task, quantifier) = task {
                numbers.push(nth);
                queries.push((names[nth].as_str(), &**task, *quantifier));
            }
        }
        let all = (0..asked.len()).collect();
        if queries.len() < 2 {
            return Ok((Vec::new(), all));
        }
        let (mut results, mut failure) = (Vec::new(), None);
        let mut report = |nth: usize, result: PropertyResult| {
            failure = self.print(&result).err();
            let is_over = failure.is_some() || (self.args.fail_fast && result.verdict == Verdict::Violated);
            results.push((numbers[nth], result));
            if is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        if !session.decide_together(&queries, method, shares.of(queries.len()), &mut report)? {
            return Ok((Vec::new(), all));
        }
        if let Some(failure) = failure {
            return Err(failure);
        }
        shares.take(queries.len());
        Ok((results, (0..asked.len()).filter(|nth| !numbers.contains(nth)).collect()))
    }

    fn print(&self, result: &PropertyResult) -> Result<(), Error> {
        if self.is_text() {
            self.console.result(&text::result(result, detail(self.args), self.console.paint))?;
        }
        Ok(())
    }

    /// Decides the properties in turn, and prints each result as text.
    pub fn decide_all<P>(
        &self,
        asked: &[P],
        mut decide: impl FnMut(&P) -> Result<PropertyResult, Error>,
    ) -> Result<Vec<PropertyResult>, Error> {
        let args = self.args;
        let mut results = Vec::new();
        for property in asked {
            let result = decide(property)?;
            self.print(&result)?;
            let is_violated = result.verdict == Verdict::Violated;
            results.push(result);
            if is_violated && args.fail_fast {
                break;
            }
        }
        Ok(results)
    }

    /// Writes the trails of the results, and prints where they are.
    pub fn write_trails(&self, source: &dyn TrailSource, results: &mut [PropertyResult]) -> Result<(), Error> {
        let Checking { args, model, console, .. } = self;
        let destination = Destination::new(args.trail.as_deref(), &model.path)?;
        let written = Trails { source, destination: destination.as_ref() };
        for failure in written.put(results) {
            console.error(&failure.to_string());
        }
        if self.is_text() && !args.quiet {
            console.result(&trails::commands(results, &model.path, &model.reading))?;
        }
        Ok(())
    }
}

/// What is known of a model that was checked, besides its results. Of a labelled transition system that is nothing.
#[derive(Default)]
struct Checked {
    model: Box<Model>,
    warnings: Vec<Problem>,
}

fn detail(args: &CheckArgs) -> Detail {
    match (args.quiet, args.verbose) {
        (true, _) => Detail::Verdict,
        (false, false) => Detail::Usual,
        (false, true) => Detail::Everything,
    }
}
