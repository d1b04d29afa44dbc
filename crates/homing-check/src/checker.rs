//! Decides whether a system has errors: search, second execution, shortening.

use homing_core::{Blind, Estimate, Fork, Limit, Limits, Path, Progress, Seed, Stats, Stop, Violation, Watch};
use homing_search::{Objective, OnError, Reduction};

use crate::explore::{AnyEstimate, Exploration, Explored};
use crate::repeat::{Repeated, Repeats};
use crate::replay::{Mismatch, replay};
use crate::shorten::{Shortened, Shortening, cheap};
use crate::{PartialOrder, Reason, Search, StoreChoice, StoreUse, Verdict};

/// Decides whether a system has errors.
///
/// By default every violation is an error, and the portfolio searches with one thread, a lossless store and no limits.
///
/// ```
/// use homing_check::{Checker, Rules, Search, Verdict};
/// use homing_core::{Limits, Unwatched};
///
/// let counter = Rules::new([0], |&[x], steps| match x {
///     200 => steps.error("end", "x is 200"),
///     _ => steps.to("add", [x + 1]),
/// });
/// let report = Checker::new(counter.clone()).search(Search::Bfs).threads(2).run(&mut Unwatched);
/// assert_eq!(report.verdict, Verdict::Violated);
/// assert!(report.path.is_some_and(|path| path.shortest && path.length == 200));
///
/// let limits = Limits { max_depth: Some(100), ..Limits::default() };
/// let report = Checker::new(counter).limits(limits).run(&mut Unwatched);
/// assert!(matches!(report.verdict, Verdict::Unknown(_)), "never holds, if a limit was reached");
/// ```
pub struct Checker<'a, T> {
    system: T,
    search: Search,
    store: StoreChoice,
    estimate: AnyEstimate<'a>,
    is_error: Box<dyn Fn(&Violation) -> bool + Sync + 'a>,
    on_error: OnError,
    limits: Limits,
    threads: usize,
    reduction: Reduction,
    partial_order: PartialOrder,
    shortening: Option<Shortening>,
    seed: u64,
    repeats: Option<Repeats>,
}

/// What was found out about a system.
#[derive(Clone, Debug)]
pub struct Report<A> {
    /// Whether the system has an error.
    pub verdict: Verdict,
    /// A path to an error, which was executed again. It is marked shortest only if that is proved.
    pub path: Option<Path<A>>,
    /// How many violations the search found; more than one only with [`OnError::Count`].
    pub errors: u64,
    /// The search that decided: a member of the portfolio, or the one that was asked for.
    pub search: Search,
    /// The figures of the search, without those of shortening.
    pub stats: Stats,
    /// The store of the search that decided.
    pub store_use: StoreUse,
    /// The runs of a random search that was repeated.
    pub repeated: Option<Repeated>,
}

impl<'a, T> Checker<'a, T>
where
    T: Fork<Action: PartialEq>,
{
    /// Prepares to check a system.
    pub fn new(system: T) -> Self {
        Checker {
            system,
            search: Search::Auto,
            store: StoreChoice::Tree,
            estimate: Box::new(Blind),
            is_error: Box::new(|_| true),
            on_error: OnError::Stop,
            limits: Limits::default(),
            threads: 1,
            reduction: Reduction::SleepSets,
            partial_order: PartialOrder::IfItPays,
            shortening: None,
            seed: 0,
            repeats: None,
        }
    }

    /// Chooses the search.
    pub fn search(self, search: Search) -> Self {
        Checker { search, ..self }
    }

    /// Chooses the store; one that the search cannot use is [replaced](StoreChoice::suited_to).
    pub fn store(self, store: StoreChoice) -> Self {
        Checker { store, ..self }
    }

    /// Directs the search by an estimate, if the search is [directed](Search::is_directed). The portfolio uses it to order states
    /// alone: its verdict does not depend on the estimate.
    pub fn estimate(self, estimate: impl Estimate + Send + 'a) -> Self {
        Checker { estimate: Box::new(estimate), ..self }
    }

    /// Chooses the violations that are errors; others are skipped.
    pub fn errors(self, is_error: impl Fn(&Violation) -> bool + Sync + 'a) -> Self {
        Checker { is_error: Box::new(is_error), ..self }
    }

    /// Chooses what is done when an error is found.
    pub fn on_error(self, on_error: OnError) -> Self {
        Checker { on_error, ..self }
    }

    /// Sets limits.
    pub fn limits(self, limits: Limits) -> Self {
        Checker { limits, ..self }
    }

    /// Sets the number of threads, which [parallel](Search::is_parallel) searches use.
    pub fn threads(self, threads: usize) -> Self {
        Checker { threads, ..self }
    }

    /// Chooses what a breadth-first search may leave out; by default what is in sleep sets.
    pub fn reduction(self, reduction: Reduction) -> Self {
        Checker { reduction, ..self }
    }

    /// Chooses whether breadth-first search, alone or in the portfolio, may use partial-order reduction.
    pub fn partial_order(self, partial_order: PartialOrder) -> Self {
        Checker { partial_order, ..self }
    }

    /// Chooses whether a path is shortened: by default [`Shortening::IfCheap`] after [`Search::Auto`], and never after other searches.
    pub fn shortening(self, shortening: Shortening) -> Self {
        Checker { shortening: Some(shortening), ..self }
    }

    /// Chooses the seed of a [random](Search::is_random) search: one seed gives one run. It is 0 by default.
    ///
    /// ```
    /// use homing_check::{Checker, Rules, Search, Verdict};
    /// use homing_core::Unwatched;
    ///
    /// let bits = Rules::new([0; 20], |bits, steps| match bits.iter().position(|&bit| bit == 0) {
    ///     None => steps.error("end", "all are set"),
    ///     Some(_) => (0..20).filter(|&at| bits[at] == 0).for_each(|at| {
    ///         let mut next = *bits;
    ///         next[at] = 1;
    ///         steps.to("set", next);
    ///     }),
    /// });
    /// let report = Checker::new(bits).search(Search::Highway { width: 3 }).seed(7).run(&mut Unwatched);
    /// assert_eq!(report.verdict, Verdict::Violated);
    /// assert!(report.stats.states <= 3 * 20, "of a million");
    /// ```
    pub fn seed(self, seed: u64) -> Self {
        Checker { seed, ..self }
    }

    /// Repeats a [random](Search::is_random) search. Several threads make several runs at a time, except of a search with an estimate.
    pub fn repeats(self, repeats: Option<Repeats>) -> Self {
        Checker { repeats, ..self }
    }

    /// Searches the system, executes the path to an error again, and shortens it.
    ///
    /// # Panics
    /// If the search [finds no errors](crate::Sought::is_found_by) of finite runs.
    /// If the path does not lead to the same violation, after the same cost, when it is executed again: then the system does not
    /// show the same steps of the same state each time, and no conclusion is possible.
    pub fn run(mut self, watch: &mut dyn Watch) -> Report<T::Action> {
        let automatic = if self.search == Search::Auto { Shortening::IfCheap } else { Shortening::Never };
        let shortening = self.shortening.unwrap_or(automatic);
        let partial_order = match self.limits.max_depth {
            Some(_) => PartialOrder::Never, // states within the depth are lost where steps are left out
            None => self.partial_order,
        };
        let search = match self.search {
            Search::Dfs if shortening == Shortening::Always && self.on_error == OnError::Stop => {
                if self.store.is_random() { Search::Dfs } else { Search::ShorterDfs }
            }
            search => search,
        };
        let exploration = Exploration {
            search,
            store: self.store,
            objective: Objective::new(&self.is_error, self.on_error, &self.limits),
            reduction: self.reduction,
            partial_order,
            threads: self.threads,
            hidden_prefix: 0,
            seed: Seed::of_run(self.seed, 0),
        };
        let (explored, repeated) = match &self.repeats {
            None => (exploration.run(&self.system, &mut self.estimate, watch), None),
            Some(repeats) => {
                let others = if self.search.is_directed() { 0 } else { self.threads.max(1) - 1 };
                let mut estimates = vec![std::mem::replace(&mut self.estimate, Box::new(Blind))];
                estimates.extend((0..others).map(|_| Box::new(Blind) as AnyEstimate<'_>));
                let (explored, repeated) = exploration.repeat(repeats, &self.system, estimates, watch);
                (explored, Some(repeated))
            }
        };
        let Explored { outcome, search, store_use, .. } = explored;
        let mut report = Report {
            verdict: Verdict::of(&outcome, &store_use),
            path: outcome.path,
            errors: outcome.errors,
            search,
            stats: outcome.stats,
            store_use,
            repeated,
        };
        let Some(path) = &mut report.path else { return report };
        if !self.is_confirmed(path) {
            let stop = watch.after_cut_off(&Progress::default()).unwrap_or(Stop::Limit(Limit::CutOff));
            return Report { verdict: Verdict::Unknown(Reason::Stopped(stop)), path: None, ..report };
        }
        let most = match shortening {
            _ if path.shortest => return report,
            Shortening::Never => return report,
            Shortening::IfCheap => Some(cheap(&report.stats)),
            Shortening::Always => None,
        };
        let (shortened, stats) = exploration.shorten(&self.system, path.length, (most, None), watch);
        report.stats = report.stats.and_then(stats);
        match shortened {
            Shortened::Shorter(shorter) if self.is_confirmed(&shorter) => *path = shorter,
            Shortened::Shortest => path.shortest = true,
            Shortened::Shorter(_) | Shortened::Open { .. } => {}
        }
        report
    }

    /// Executes the path again; `false` if there is no time for that.
    fn is_confirmed(&self, path: &Path<T::Action>) -> bool {
        match replay(&self.system, path) {
            Ok(()) => true,
            Err(Mismatch::Stopped) => false,
            Err(mismatch) => panic!("the path to \"{}\" was found, but {mismatch}", path.violation),
        }
    }
}
