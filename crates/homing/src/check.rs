//! `homing check`: decides the properties of one or several models.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use homing_check::model::{Confirmation, Interrupt, PropertyResult};
use homing_check::repeat::OnSuccess;
use homing_check::{OnError, PartialOrder, Reason, Verdict};
use homing_core::Stop;
use homing_ir::Model;

use crate::cli::{CheckArgs, Format, ModelArgs};
use crate::console::Console;
use crate::decide::{self, Method, Session, Task};
use crate::error::Error;
use crate::exit::Exit;
use crate::formats::{self, ModelReport, Outcome};
use crate::input::Loaded;
use crate::ledger::{Current, Kept, Ledger};
use crate::lts;
use crate::network;
use crate::problem::Problem;
use crate::property::Property;
use crate::shares::Shares;
use crate::supervisor::Supervisor;
use crate::text::Detail;
use crate::trail::Destination;
use crate::trails::{self, ModelTrails, TrailSource, Trails};
use crate::undecided::Asked;
use crate::{bug, estimate_choice, input, interrupt, option_conflict, result, text};

pub fn run(args: &CheckArgs, console: &Console) -> Result<Exit, Error> {
    let interrupt = interrupt::listen();
    for (option, file) in [("--trail", &args.trail), ("--toward", &args.options.toward)] {
        if file.is_some() && args.models.len() > 1 {
            return Err(Error::OneFile { option, models: args.models.len() });
        }
    }
    let supervisor = Supervisor::new(&interrupt, Some(decide::memory(&args.options)));
    let ledger = Ledger::default();
    let ended = |stop| end(args, console, &ledger, stop);
    supervisor.watch(ended, || {
        let mut exit = Exit::Holds;
        for path in &args.models {
            let checking = Checking::new(args, path, console, &interrupt, (&supervisor, &ledger));
            let report = checking.report()?;
            exit = exit.worst(report.exit);
            ledger.lock().reports.push(report);
            if interrupt.happened() || (args.fail_fast && exit == Exit::Violated) {
                break;
            }
        }
        supervisor.prints();
        let known = ledger.lock();
        console.result(&formats::render(args, &known.reports, exit))?;
        console.result(&summary(args, &known.reports))?;
        Ok(exit)
    })
}

/// Prints what is known although the check is not done.
fn end(args: &CheckArgs, console: &Console, ledger: &Ledger, stop: Stop) -> Exit {
    let Some(mut known) = ledger.lock_soon() else { return Exit::of_stop(stop) };
    let interrupt = Interrupt::default();
    let supervisor = Supervisor::new(&interrupt, None);
    let done = known.reports.len();
    if let (Some(current), Some(path)) = (known.current.take(), args.models.get(done)) {
        let checking = Checking::new(args, path, console, &interrupt, (&supervisor, ledger));
        // an error here is that nothing can be printed
        known.reports.extend(checking.ended(current, stop).ok());
    }
    let exit = known.reports.iter().fold(Exit::Holds, |exit, report| exit.worst(report.exit));
    let exit = if stop == Stop::Interrupted { Exit::Interrupted } else { exit };
    for path in args.models.get(known.reports.len()..).unwrap_or_default().iter().filter(|_| exit != Exit::Interrupted)
    {
        console.error(&format!("{} was not checked: a limit ended the check of the model before it", path.display()));
    }
    let _ = console.result(&formats::render(args, &known.reports, exit));
    let _ = console.result(&summary(args, &known.reports));
    exit
}

/// A line that counts the verdicts, if there are several.
fn summary(args: &CheckArgs, reports: &[ModelReport]) -> String {
    let verdicts: Vec<Verdict> = reports.iter().flat_map(ModelReport::results).map(|result| result.verdict).collect();
    let refused = reports.iter().filter(|report| report.results().is_empty()).count();
    let is_shown = args.format() == Format::Text && !args.quiet && verdicts.len() + refused > 1;
    if is_shown { text::summary(&verdicts, refused) } else { String::new() }
}

/// The check of one model.
pub struct Checking<'a> {
    pub args: &'a CheckArgs,
    pub model: ModelArgs,
    pub console: &'a Console,
    pub interrupt: &'a Interrupt,
    pub supervisor: &'a Supervisor<'a>,
    ledger: &'a Ledger,
}

impl<'a> Checking<'a> {
    fn new(
        args: &'a CheckArgs,
        path: &Path,
        console: &'a Console,
        interrupt: &'a Interrupt,
        (supervisor, ledger): (&'a Supervisor<'a>, &'a Ledger),
    ) -> Self {
        let model = ModelArgs { path: path.to_owned(), reading: args.reading.clone() };
        Checking { args, model, console, interrupt, supervisor, ledger }
    }

    /// The report of a model whose check was ended, with the properties that were decided before.
    fn ended(&self, current: Current, stop: Stop) -> Result<ModelReport, Error> {
        let unknown = current.unknown(stop);
        let mut results = current.results;
        for result in unknown {
            self.print(&result)?;
            results.push(result);
        }
        let has_model = current.model.is_some();
        let Kept { model, hash, queries } = current.model.unwrap_or_default();
        if has_model && results.iter().any(|result| result.counterexample.is_some()) {
            let defines = self.model.reading.defines();
            let source = ModelTrails { model: &model, path: &self.model.path, hash, defines, queries };
            self.write_trails(&source, &mut results)?;
        }
        let outcome = Outcome::Results { model, results };
        let exit = self.exit(&outcome);
        let name = self.model.path.display().to_string();
        let options = trails::given_options(&self.args.reading);
        Ok(ModelReport { name, options, outcome, warnings: Vec::new(), exit })
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
        let Checking { args, model, console, interrupt, supervisor, ledger } = self;
        Destination::new(args.trail.as_deref(), &model.path)?; // a wrong file name is reported before the search
        let deadline = args.options.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        supervisor.set_deadline(deadline);
        let names = if args.property.is_empty() { vec!["safety".to_owned()] } else { args.property.clone() };
        ledger.begin(names);
        if lts::is_lts(&model.path, model.reading.input) {
            let results = lts::results(self, deadline)?;
            return Ok((Checked::default(), results));
        }
        let loaded = input::load(model, args.quiet, &args.property, console)?;
        let session = Session::new(&args.options, &model.path, console, interrupt);
        estimate_choice::refuse_idle(&args.options, args.search, args.heuristic)?;
        if args.all_errors {
            option_conflict::refuse_counting(args.search)?;
        }
        option_conflict::refuse_idle_seed(&args.options, &[args.search])?;
        option_conflict::refuse_idle_repeat(&args.options, &[args.search])?;
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
        let properties = input::properties(&args.property, &loaded)?;
        ledger.set_pending(properties.iter().map(Property::name).collect());
        for property in properties {
            let task = decide::task(&loaded, &model.reading, &args.options, &property)?;
            asked.push((property, task));
        }
        let unsuited = self.unsuited(&session, &asked, method)?;
        let queries = numbered_queries(&args.property, &loaded);
        if loaded.queries.is_some() {
            ledger.keep_model(&loaded, &queries);
        }
        let is_searched = |task: &Task| !matches!(task, Task::Refused(..));
        let mut shares = Shares::new(deadline, asked.iter().filter(|(_, task)| is_searched(task)).count());
        let Together { decided: together, is_over, left: mut alone } =
            self.decide_queries(&session, &asked, method, &mut shares)?;
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
            result.warnings.extend(loaded.claim_warning(property));
            if result.counterexample.is_some() {
                ledger.keep_model(&loaded, &queries);
            }
            Ok(result)
        })?;
        let mut numbered: Vec<_> = together.into_iter().chain(alone).zip(decided).collect();
        numbered.sort_by_key(|(nth, _)| *nth);
        let mut results: Vec<_> = numbered.into_iter().map(|(_, result)| result).collect();
        let source = ModelTrails {
            model: &loaded.model,
            path: &model.path,
            hash: loaded.hash.clone(),
            defines: model.reading.defines(),
            queries,
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
    /// it is there. The results are in the ledger then.
    fn decide_queries(
        &self,
        session: &Session<'_>,
        asked: &[(Property, Task)],
        method: Method,
        shares: &mut Shares,
    ) -> Result<Together, Error> {
        let names: Vec<String> = asked.iter().map(|(property, _)| property.name()).collect();
        let (mut numbers, mut queries) = (Vec::new(), Vec::new());
        for (nth, (_, task)) in asked.iter().enumerate() {
            if let Task::Query(task, quantifier) = task {
                numbers.push(nth);
                queries.push((names[nth].as_str(), &**task, *quantifier));
            }
        }
        let none = || Together { decided: Vec::new(), is_over: false, left: (0..asked.len()).collect() };
        if queries.len() < 2 {
            return Ok(none());
        }
        let (mut decided, mut is_violated, mut failure) = (Vec::new(), false, None);
        let mut report = |nth: usize, result: PropertyResult| {
            let mut known = self.ledger.lock(); // until the result is printed
            failure = self.print(&result).err();
            is_violated |= result.verdict == Verdict::Violated;
            decided.push(numbers[nth]);
            known.add(result);
            if failure.is_some() || (self.args.fail_fast && is_violated) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        if !session.decide_together(&queries, method, shares.of(queries.len()), &mut report)? {
            return Ok(none());
        }
        if let Some(failure) = failure {
            return Err(failure);
        }
        shares.take(queries.len());
        let left = (0..asked.len()).filter(|nth| !numbers.contains(nth)).collect();
        Ok(Together { decided, is_over: self.args.fail_fast && is_violated, left })
    }

    /// Prints a result as text, if that is wanted.
    fn print(&self, result: &PropertyResult) -> Result<(), Error> {
        if self.is_text() {
            let asked = Asked { args: self.args, model: &self.model.path };
            self.console.text(&text::result(result, asked, detail(self.args), self.console.look))?;
        }
        Ok(())
    }

    /// Decides the properties in turn, and prints each result as text. Returns all results of the model, in the order of their decision.
    pub fn decide_all<P>(
        &self,
        asked: &[P],
        mut decide: impl FnMut(&P) -> Result<PropertyResult, Error>,
    ) -> Result<Vec<PropertyResult>, Error> {
        for property in asked {
            self.interrupt.forget_memory();
            let result = decide(property)?;
            let is_violated = result.verdict == Verdict::Violated;
            let mut known = self.ledger.lock(); // until the result is printed
            self.print(&result)?;
            known.add(result);
            if is_violated && self.args.fail_fast {
                break;
            }
        }
        Ok(self.ledger.take_results())
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

/// What came of deciding queries together.
struct Together {
    /// The numbers of the properties that were decided, in the order of their decision.
    decided: Vec<usize>,
    /// Nothing else is to be decided.
    is_over: bool,
    /// The numbers of the others.
    left: Vec<usize>,
}

/// The queries that a network states, whose trails are named by their numbers; none if queries were given on the command line instead.
fn numbered_queries(asked: &[String], loaded: &Loaded) -> Vec<String> {
    let is_given = asked.iter().any(|property| property.starts_with(network::QUERY));
    let stated = loaded.queries.iter().filter(|_| !is_given).flat_map(|queries| &queries.stated);
    stated.map(|query| query.text.clone()).collect()
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
