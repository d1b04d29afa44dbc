//! Decides a property of the command line: turns the options into those of the library.

use std::path::Path;
use std::time::Instant;

use homing_check::model::{Confirm, DecideError, Decider, Engine, Interrupt, Liveness, LivenessTask, ModelReduction};
use homing_check::model::{Confirmation, PropertyResult, QueryTask, Report, Shown};
use homing_check::model::{Options, SearchTask, Unsuited};
use homing_check::repeat::{OnSuccess, Repeats, Swarm, Variety};
use homing_check::{
    OnError, PartialOrder, Reason, Reduction, Search as Algorithm, Shortening, Sought, StoreChoice, Weight,
};
use homing_core::{Limits, State};
use homing_ir::Invariant;
use homing_network::Refusal;
use homing_network::network::PathQuantifier;
use homing_promela::{read_condition, read_formula};

use crate::cli::{self, Heuristic, ReadingArgs, Search, SearchArgs, Switch};
use crate::console::{Console, When};
use crate::error::Error;
use crate::input::Loaded;
use crate::option_conflict::OptionConflict;
use crate::progress::StatusLine;
use crate::property::{Infinite, Property};
use crate::{estimate_choice, machine, network, option_conflict};

/// The most states of a level that a search keeps, unless --width says otherwise.
const WIDTH: u32 = 16;

/// How a property is decided.
#[derive(Clone, Copy, Debug)]
pub struct Method {
    pub search: Search,
    pub heuristic: Heuristic,
    pub errors: OnError,
    /// Continues until a path is proved shortest.
    pub shortest: bool,
    /// Looks for a path with fewer process switches that is as short.
    pub fewest_switches: bool,
    /// Whether a verdict `holds` is proved a second time, without reductions.
    pub confirm: When,
    /// What a repeated search does after its first success.
    pub on_success: OnSuccess,
    /// Whether partial-order reduction is used, unless the command line says so.
    pub partial_order: PartialOrder,
}

impl Method {
    /// The search, with its options. By default a store that keeps states at random has a depth-first search.
    pub fn algorithm(self, args: &SearchArgs, sought: Sought) -> Algorithm {
        let weight = args.weight.unwrap_or(Weight::ONE);
        let width = args.width.unwrap_or(WIDTH) as usize;
        match self.search {
            Search::Auto if args.store.is_random() && sought == Sought::Error => Algorithm::Dfs,
            Search::Auto if args.store.is_random() => Algorithm::Ndfs,
            Search::Auto => Algorithm::Auto,
            Search::Bfs => Algorithm::Bfs,
            Search::Dfs => Algorithm::Dfs,
            Search::BestFirst => Algorithm::BestFirst,
            Search::AStar => Algorithm::AStar { weight },
            Search::Ida => Algorithm::Ida { weight },
            Search::Stateless => Algorithm::Stateless,
            Search::RandomWalk => Algorithm::RandomWalk,
            Search::Highway => Algorithm::Highway { width },
            Search::HighwayExact => Algorithm::HighwayExact { width },
            Search::Beam => Algorithm::Beam { width },
            Search::Ndfs => Algorithm::Ndfs,
            Search::Indfs => Algorithm::Indfs,
            Search::AStarIndfs => Algorithm::AStarIndfs,
            Search::Scc => Algorithm::Scc,
            Search::RandomDfs => Algorithm::RandomDfs,
        }
    }
}

impl Method {
    /// How often the search is repeated.
    pub fn repeats(self, args: &SearchArgs) -> Option<Repeats> {
        let variety = match self.on_success {
            OnSuccess::Stop => Variety::SeedsAndWidths,
            OnSuccess::Continue => Variety::Seeds,
        };
        let swarm = |times| Swarm { times, on_success: self.on_success };
        args.repeat.map(|times| Repeats { swarm: swarm(times), seed: args.seed, variety })
    }
}

/// What the searches of a model share.
pub struct Session<'a> {
    pub options: &'a SearchArgs,
    /// The file of the model.
    pub path: &'a Path,
    pub console: &'a Console,
    pub interrupt: &'a Interrupt,
    pub memory: Option<u64>,
}

impl<'a> Session<'a> {
    pub fn new(options: &'a SearchArgs, path: &'a Path, console: &'a Console, interrupt: &'a Interrupt) -> Self {
        let memory = options.memory.or_else(machine::default_memory);
        Session { options, path, console, interrupt, memory }
    }

    /// The line of progress of a search, if one is to be shown.
    pub fn status_line(&self, property: &str) -> Option<Shown<'a>> {
        let mut line = StatusLine::new(self.options.progress, self.console, property, self.memory)?;
        Some(Box::new(move |work| line.update(Instant::now(), work)))
    }

    /// Whether the search finds what violates a property, if it was asked for by name.
    pub fn suits(&self, name: &str, task: &Task, method: Method) -> Result<(), OptionConflict> {
        if method.search == Search::Auto {
            return Ok(());
        }
        let (sought, fairness) = (task.sought(), self.options.fairness);
        let unsuited = Unsuited::check(method.algorithm(self.options, sought), sought, fairness);
        unsuited.map_err(|why| OptionConflict::Unsuited { search: why.search.name(), property: name.to_owned(), why })
    }

    /// Decides the property of a task, until the deadline if there is one.
    pub fn decide(
        &self,
        name: &str,
        task: &Task,
        method: Method,
        deadline: Option<Instant>,
    ) -> Result<PropertyResult, Error> {
        let args = self.options;
        let search = method.algorithm(args, task.sought());
        self.suits(name, task, method)?;
        let store = option_conflict::store(args, search, self.memory)?;
        if let Task::Refused(reason, why) = task {
            let unknown = PropertyResult::unknown(name.to_owned(), *reason);
            return Ok(PropertyResult { warnings: vec![why.clone()], ..unknown });
        }
        let goal = match task {
            Task::Safety(task) | Task::Query(task, _) => {
                estimate_choice::goal(args, self.path, method.heuristic, search, task)?
            }
            Task::Liveness(_) | Task::Refused(..) => None,
        };
        let options = self.search_options(method, search, (store, goal.as_deref()))?;
        let show = |property: &str| self.status_line(property);
        let decider = Decider::new(options, self.interrupt).observed_by(&show);
        let result = match task {
            Task::Safety(task) => decider.decide(name, task, deadline),
            Task::Query(task, quantifier) => {
                decider.decide(name, task, deadline).map(|result| network::judged(result, *quantifier))
            }
            Task::Liveness(task) => decider.decide_liveness(name, task, deadline),
            Task::Refused(..) => unreachable!("its result was returned"),
        };
        Ok(self.reported(result.map_err(|error| explained(error, name, method))?))
    }

    /// Decides queries of a network together, if the options allow it. `report` is given the result of each as soon as it is decided;
    /// it ends everything when it breaks off. Returns whether the options allow it.
    pub fn decide_together(
        &self,
        queries: &[(&str, &SearchTask, PathQuantifier)],
        method: Method,
        deadline: Option<Instant>,
        report: &mut Report<'_>,
    ) -> Result<bool, Error> {
        let args = self.options;
        let search = method.algorithm(args, Sought::Error);
        let store = option_conflict::store(args, search, self.memory)?;
        let goal = estimate_choice::goal(args, self.path, method.heuristic, search, queries[0].1)?;
        let options = self.search_options(method, search, (store, goal.as_deref()))?;
        let show = |property: &str| self.status_line(property);
        let decider = Decider::new(options, self.interrupt).observed_by(&show);
        if !decider.can_decide_together() {
            return Ok(false);
        }
        let tasks: Vec<_> = queries.iter().map(|&(name, task, _)| QueryTask { name, task }).collect();
        let mut judge = |nth: usize, result| report(nth, self.reported(network::judged(result, queries[nth].2)));
        decider
            .decide_together(&tasks, deadline, &mut judge)
            .map_err(|error| explained(error, queries[0].0, method))?;
        Ok(true)
    }

    /// The options of the library.
    fn search_options<'o>(
        &'o self,
        method: Method,
        search: Algorithm,
        (store, goal): (Option<StoreChoice>, Option<&'o State>),
    ) -> Result<Options<'o>, Error> {
        let args = self.options;
        Ok(Options {
            search,
            guidance: estimate_choice::guidance(args, method.heuristic, search, goal)?,
            store,
            on_error: method.errors,
            shortening: if method.shortest { Shortening::Always } else { Shortening::IfCheap },
            fewest_switches: method.fewest_switches,
            confirm: match method.confirm {
                When::Auto => Confirm::IfQuick,
                When::Always => Confirm::Always,
                When::Never => Confirm::Never,
            },
            reduction: if args.sleep_sets != Some(Switch::Off) { Reduction::SleepSets } else { Reduction::None },
            partial_order: match args.por {
                _ if args.plain => PartialOrder::Never,
                None => method.partial_order,
                Some(Switch::On) => PartialOrder::Always,
                Some(Switch::Off) => PartialOrder::Never,
            },
            limits: Limits { max_depth: args.max_depth, max_states: args.max_states, memory: self.memory },
            threads: args.threads as usize,
            fairness: args.fairness,
            counts_as_spin: args.plain,
            engine: match args.engine {
                cli::Engine::Compiled => Engine::Compiled,
                cli::Engine::Interpreted => Engine::Interpreted,
            },
            seed: args.seed,
            repeats: method.repeats(args),
        })
    }

    /// A result with what is said of its options and of its confirmation.
    fn reported(&self, mut result: PropertyResult) -> PropertyResult {
        let name = result.property.clone();
        if self.options.por == Some(Switch::On)
            && let Some(why) = result.run.as_ref().and_then(|run| run.not_reduced)
        {
            result.warnings.push(format!("--por on has no effect on {name}: {why}"));
        }
        if result.confirmation == Some(Confirmation::Contradicted) {
            self.console.error(&contradiction(&name));
        }
        result
    }
}

fn explained(error: DecideError, name: &str, method: Method) -> Error {
    match error {
        DecideError::Heuristic(unfit) => OptionConflict::Heuristic(method.heuristic.name(), unfit).into(),
        DecideError::Hidden => OptionConflict::Hidden.into(),
        DecideError::LossyStore => OptionConflict::LossyCycles.into(),
        DecideError::Search(why) => {
            OptionConflict::Unsuited { search: why.search.name(), property: name.to_owned(), why }.into()
        }
        DecideError::Bug(what) => Error::Bug(what),
    }
}

/// The message for a second proof that finds an error that the first search missed.
fn contradiction(name: &str) -> String {
    format!(
        "a bug in homing: the search for {name} missed an error that the search without reductions found; the error below \
         is real. Please report it with the model; --plain avoids the reductions"
    )
}

/// A model that is prepared for a property.
pub enum Task {
    /// Of finite runs.
    Safety(Box<SearchTask>),
    /// Of infinite runs.
    Liveness(Box<LivenessTask>),
    /// A query of a network.
    Query(Box<SearchTask>, PathQuantifier),
    /// A property that is not decided, and why.
    Refused(Reason, String),
}

impl Task {
    /// What violates the property.
    pub fn sought(&self) -> Sought {
        match self {
            Task::Liveness(task) => task.sought(),
            Task::Safety(_) | Task::Query(..) | Task::Refused(..) => Sought::Error,
        }
    }
}

/// Prepares the model for a property.
pub fn task(loaded: &Loaded, args: &ReadingArgs, options: &SearchArgs, property: &Property) -> Result<Task, Error> {
    let mut model = loaded.model.clone();
    let reduction = if options.plain { ModelReduction::None } else { ModelReduction::Reduced };
    let liveness = match property {
        Property::Safety(safety) => return Ok(Task::Safety(Box::new(SearchTask::new(model, *safety, reduction)))),
        Property::Invariant(text) => {
            let invariant = invariant(loaded, args, text)?;
            return Ok(Task::Safety(Box::new(SearchTask::of_invariant(model, invariant, reduction))));
        }
        Property::Refused { refusal: Refusal::Unsupported, reason, .. } => {
            return Ok(Task::Refused(Reason::Unsupported, reason.clone()));
        }
        Property::Refused { refusal: Refusal::Invalid, reason, .. } => {
            return Ok(Task::Refused(Reason::Invalid, reason.clone()));
        }
        Property::Query(text) => {
            let queries = loaded.queries.iter().flat_map(|queries| &queries.stated);
            let query = queries.into_iter().find(|query| query.text == *text).expect("it was chosen among them");
            let task = SearchTask::of_invariant(model, query.invariant.clone(), reduction);
            return Ok(Task::Query(Box::new(task), query.quantifier));
        }
        Property::Infinite(Infinite::Progress) => Liveness::Progress,
        Property::Infinite(Infinite::Acceptance) if model.claims.is_empty() => Liveness::Acceptance,
        Property::Infinite(Infinite::Acceptance) => Liveness::Never(0),
        Property::Infinite(Infinite::Named(name)) => {
            let named = model.formulas.iter().find(|formula| formula.name == *name).expect("its name was looked up");
            Liveness::Formula { text: name.clone(), formula: named.formula.clone() }
        }
        Property::Infinite(Infinite::Formula(text)) => {
            let (formula, read) = formula(loaded, args, text)?;
            model = read;
            Liveness::Formula { text: text.clone(), formula }
        }
    };
    let task = LivenessTask::new(model, liveness, reduction).map_err(|error| Error::Claim(error.to_string()))?;
    Ok(Task::Liveness(Box::new(task)))
}

/// Reads the text of a formula in the scope of the model.
fn formula(loaded: &Loaded, args: &ReadingArgs, text: &str) -> Result<(homing_ir::Formula, homing_ir::Model), Error> {
    let Loaded { model, source, .. } = loaded;
    read_formula(model, &source.name, &source.text, &args.options(), text)
        .map_err(|error| Error::Formula { text: text.replace(['\n', '\r'], " "), error })
}

/// Reads the text of an invariant in the scope of the model.
pub fn invariant(loaded: &Loaded, args: &ReadingArgs, text: &str) -> Result<Invariant, Error> {
    let Loaded { model, source, .. } = loaded;
    let expr = read_condition(model, &source.name, &source.text, &args.options(), text)
        .map_err(|error| Error::Invariant { text: text.to_owned(), reason: error.to_string() })?;
    Ok(Invariant { text: text.to_owned(), expr })
}
