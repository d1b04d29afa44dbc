//! Decides a property of infinite runs: searches the product of the model and the claim for an accepting cycle, and executes the
//! lasso again.

use std::time::Instant;

use homing_core::{
    End, Estimate, Fork, Limit, Limits, Outcome, Seed, State, Stats, Stop, StopToken, TransitionSystem, Violation,
    ViolationKind, Watch,
};
use homing_engine::StepIndex;
use homing_ir::{AccessSets, Object};
use homing_ltl::{Product, ProductAction, Stutter};
use homing_search::ndfs::{self, Colouring, Nested, RegionOf};
use homing_search::shortest_lasso::{self, Effort};
use homing_search::{Cycles, FairCopies, astar_indfs, recorded_scc, scc};
use homing_store::{ExactStore, LoadById, TreeStore};

use super::super::counterexample::Counterexample;
use super::super::decide::{DecideError, Decider, Unsuited, failed_at_the_start, unreached};
use super::super::interrupt::Watcher;
use super::super::options::Options;
use super::super::reduced_system::ReducedSystem;
use super::super::result::{EstimateUse, FirstError, PropertyResult, Run};
use super::lasso::{Unconfirmed, confirm};
use super::partial_order::NotReduced;
use super::task::LivenessTask;
use crate::explore::{AnyEstimate, DynWatch, Explored};
use crate::{Fairness, Objective, OnError, Reason, Search, Shortening, Sought, StoreChoice, StoreUse, Verdict};

/// The steps of a product with a model.
pub(super) type Action = ProductAction<StepIndex>;

/// The product of a model and a claim.
pub(super) type ModelProduct<'m> = Product<ReducedSystem<'m>>;

impl Decider<'_> {
    /// Searches for a run that violates a property of infinite runs, until the deadline if there is one.
    pub fn decide_liveness(
        &self,
        name: &str,
        task: &LivenessTask,
        deadline: Option<Instant>,
    ) -> Result<PropertyResult, DecideError> {
        let unknown = |stop| PropertyResult::unknown(name.to_owned(), Reason::Stopped(stop));
        if self.interrupt.happened() {
            return Ok(unknown(Stop::Interrupted));
        }
        let start = Instant::now();
        let alarm = self.interrupt.alarm(deadline);
        let stop = alarm.stop();
        let search = self.search_for(task)?;
        let compiled = match self.engine(task.searched(), stop) {
            Ok(compiled) => compiled,
            Err(violation) => return Ok(failed_at_the_start(name, search, violation)),
        };
        if compiled.hidden_prefix() > 0 && self.options.threads > 1 && task.reduced.is_some() {
            // hidden bytes need one thread
            let options = Options { threads: 1, ..self.options };
            return Decider { options, ..*self }.decide_liveness(name, task, deadline);
        }
        let hidden_prefix = compiled.hidden_prefix();
        if task.reduced.is_some() && matches!(self.store(search, hidden_prefix), Err(DecideError::Hidden)) {
            // the store has no place for bytes that do not distinguish states: here they do
            return self.decide_liveness(name, &task.revealed(), deadline);
        }
        let is_random = self.options.store.is_some_and(StoreChoice::is_random);
        let counts_as_spin = self.options.counts_as_spin
            && search == Search::Ndfs
            && !is_random
            && self.options.fairness == Fairness::None;
        let stutter = if counts_as_spin { Stutter::Spin } else { Stutter::All };
        let product = Product::new(
            ReducedSystem::whole(compiled),
            task.claim_for(search).clone(),
            task.violations.clone(),
            stutter,
        );
        let mut watcher = self.watcher(name, deadline);
        let hidden_prefix = hidden_prefix + product.prefix();
        let store = if counts_as_spin { StoreChoice::Exact } else { self.store(search, hidden_prefix)? };
        if matches!(store, StoreChoice::Compact | StoreChoice::Bitstate { .. }) {
            return Err(DecideError::LossyStore);
        }
        let is_bad_prefix = task.sought() == Sought::Prefix && !search.is_for_cycles();
        let (mut guide, estimate) = task.guide(self.options.guidance, search, product.claim())?;
        let at_start = estimate.and_then(|_| guide.distance(&product.initial())).map(|estimated| estimated.h);
        let (asked, seed) = (search, self.seed());
        let leaves_nothing = asked == Search::Auto || !asked.is_directed() || asked == Search::AStarIndfs; // the estimate rules out some
        let (explored, repeated, not_reduced) = match &self.options.repeats {
            Some(repeats) if search.is_random() || is_random => {
                let (kept, watch) = ((store, hidden_prefix), &mut watcher);
                let (explored, repeated) = self.repeat_search(repeats, (&product, task), search, kept, watch)?;
                (explored, Some(repeated), Some(NotReduced::NotAsked))
            }
            _ => {
                let (product, estimate, watch) = (&product, &mut guide, &mut watcher);
                let mut request = ProductSearch { product, task, search, seed, estimate, watch };
                let (explored, not_reduced) = self.search_reduced(&mut request, store, hidden_prefix);
                (explored, None, not_reduced)
            }
        };
        let Explored { outcome, search, store_use, .. } = explored;
        if counts_as_spin && outcome.path.is_some() {
            // SPIN's numbers are those of a search without an error; its lassos leave states out
            let options = Options { counts_as_spin: false, ..self.options };
            return Decider { options, ..*self }.decide_liveness(name, task, deadline);
        }
        let compiled = product.system().engine();
        let saw_all = outcome.end == End::Exhausted && leaves_nothing;
        let mut run = Run {
            algorithm: search,
            estimate: estimate.map(|name| EstimateUse { name, at_start, abstraction: None }),
            seed: (search.is_random() || store_use.is_random).then_some(self.options.seed),
            repeated,
            reduced: task.reduced.is_some(),
            not_reduced,
            errors: outcome.errors,
            violations: None,
            stats: outcome.stats,
            first_error: FirstError::of(&outcome, start),
            atomic_steps: compiled.atomic_steps(),
            compile_seconds: compiled.compile_seconds(),
            threads: if asked.is_parallel() { self.options.threads.max(1) } else { 1 },
            store_use,
            seconds: start.elapsed().as_secs_f64(),
            // a product of which steps are left out need not reach what the whole product reaches
            unreached: (saw_all && not_reduced.is_some()).then(|| unreached(compiled.interpreter(), &task.model)),
            cut: compiled.cut_run(),
        };
        let verdict = match Verdict::of(&outcome, &run.store_use) {
            Verdict::Holds if !task.model.hidden_but_read().is_empty() => Verdict::Unknown(Reason::Hidden),
            Verdict::Holds if task.claim.counts_labels && task.model.has_acceptance_at_the_end_of_atomic() => {
                Verdict::Unknown(Reason::AtomicLabel)
            }
            verdict => verdict,
        };
        let mut counterexample = match outcome.path.map(|path| confirm(path, &product, task, stop)).transpose() {
            Ok(counterexample) => counterexample,
            Err(Unconfirmed::Stopped) => {
                let limit = Stop::Limit(Limit::Timeout);
                let reason = if self.interrupt.happened() { Stop::Interrupted } else { limit };
                return Ok(PropertyResult { run: Some(run), ..unknown(reason) });
            }
            Err(Unconfirmed::Open) => {
                let task = LivenessTask { reduced: None, ..task.clone() };
                return self.decide_liveness(name, &task, deadline);
            }
            Err(Unconfirmed::Hidden) => {
                let unknown = PropertyResult::unknown(name.to_owned(), Reason::Hidden);
                return Ok(PropertyResult { run: Some(run), ..unknown });
            }
            Err(Unconfirmed::Differs(what)) => return Err(DecideError::Bug(format!("checking {name}: {what}"))),
        };
        if let Some(found) = &mut counterexample
            && self.wants_shorter()
            && !found.shortest
            && !found.leaves_unread_aside()
        {
            let watcher = &mut self.watcher(name, deadline);
            let shortened = if is_bad_prefix {
                self.shorten_prefix(task, found, &run, watcher, stop)
            } else {
                self.shorten_lasso(task, found, &run, watcher, stop)
            };
            let stats = shortened.map_err(|what| DecideError::Bug(format!("checking {name}: {what}")))?;
            run.add(stats, OnError::Stop);
            run.seconds = start.elapsed().as_secs_f64();
        }
        let ended_early = self.proof_ended_early(counterexample.as_ref(), deadline);
        let caveats = counterexample.as_ref().map(|found| self.caveats(found)).unwrap_or_default();
        let warnings = store.warning(&run.stats).into_iter().chain(ended_early).chain(caveats).collect();
        Ok(PropertyResult { counterexample, run: Some(run), warnings, ..PropertyResult::new(name.to_owned(), verdict) })
    }

    /// What is to be known of a run that was found.
    fn caveats(&self, found: &Counterexample) -> Vec<String> {
        let Some(cycle) = &found.cycle else { return Vec::new() };
        let mut caveats = Vec::new();
        if found.leaves_unread_aside() {
            let names = cycle.unread.join(", ");
            caveats.push(format!(
                "the cycle repeats but for variables that nothing reads, which differ after each round: {names}"
            ));
        }
        if self.options.shortening == Shortening::Always && self.options.fairness == Fairness::Strong {
            let what = "--shortest proves nothing with --fairness strong: no lasso is searched for that is shorter";
            caveats.push(what.to_owned());
        }
        caveats
    }

    /// The search that was asked for, if it finds what is sought.
    fn search_for(&self, task: &LivenessTask) -> Result<Search, Unsuited> {
        let Options { search, fairness, .. } = self.options;
        Unsuited::check(search, task.sought(), fairness)?;
        Ok(match (search, task.sought()) {
            (Search::Auto, Sought::Cycle) => Search::Scc,
            (search, _) => search,
        })
    }

    /// Whether a shorter counterexample is searched for.
    fn wants_shorter(&self) -> bool {
        match self.options.shortening {
            Shortening::Never => false,
            Shortening::IfCheap => self.options.search == Search::Auto,
            Shortening::Always => true,
        }
    }

    /// Searches the product with a store.
    ///
    /// # Panics
    /// If the store is lossy.
    pub(super) fn search_with(
        &self,
        request: &mut ProductSearch<'_, '_>,
        store: StoreChoice,
        hidden_prefix: usize,
    ) -> Explored<Action> {
        match store {
            StoreChoice::Exact => self.search_product(request, "exact", ExactStore::new(hidden_prefix)),
            StoreChoice::Tree => self.search_product(request, "tree", TreeStore::new()),
            choice @ StoreChoice::Random { .. } => self.search_storing(request, choice),
            StoreChoice::Nothing => {
                self.search_for_prefix(request, hidden_prefix, |search, workers| search.storeless(workers))
            }
            lossy => panic!("{lossy:?} may lose the states of a cycle"),
        }
    }

    /// Searches the original model, where lengths are exact, for a shorter lasso: finds one, proves that there is none, or gives up
    /// when that takes much more than finding the first.
    fn shorten_lasso(
        &self,
        task: &LivenessTask,
        found: &mut Counterexample,
        run: &Run,
        watcher: &mut Watcher<'_>,
        stop: &StopToken,
    ) -> Result<Stats, String> {
        if found.length == 0 {
            found.shortest = true;
            return Ok(Stats::default());
        }
        let Ok(compiled) = self.engine(&task.model, stop) else { return Ok(Stats::default()) };
        if compiled.hidden_prefix() > 0 {
            return Ok(Stats::default());
        }
        let product =
            Product::new(ReducedSystem::whole(compiled), task.claim.clone(), task.violations.clone(), Stutter::All);
        let objective = Objective::new(is_error, OnError::Stop, &self.options.limits);
        let cycles = self.cycles(&product, task);
        let most_steps = (self.options.shortening != Shortening::Always)
            .then(|| CHEAP_STEPS.max(run.stats.transitions().saturating_mul(2)));
        let effort = Effort { below: found.length, most_steps };
        let mut watch = DynWatch(watcher);
        let outcome = shortest_lasso::search(&product, &objective, &cycles, effort, &mut TreeStore::new(), &mut watch);
        if let Some(path) = outcome.path {
            match confirm(path, &product, task, stop) {
                Ok(shorter) => *found = shorter,
                Err(Unconfirmed::Stopped | Unconfirmed::Open | Unconfirmed::Hidden) => return Ok(outcome.stats),
                Err(Unconfirmed::Differs(what)) => return Err(what),
            }
        }
        found.shortest = outcome.end == End::Exhausted;
        Ok(outcome.stats)
    }

    /// The cycles that are errors.
    pub(super) fn cycles<'t>(&self, product: &ModelProduct<'_>, task: &'t LivenessTask) -> Cycles<'t> {
        Cycles {
            sets: product.claim().sets,
            fairness: self.options.fairness,
            processes: most_processes(task),
            violation: &task.cycle,
        }
    }

    /// Searches the product breadth-first with recorded steps, by so many threads.
    pub(super) fn search_recording<S: LoadById>(
        &self,
        product: &ModelProduct<'_>,
        task: &LivenessTask,
        (limits, threads): (&Limits, usize),
        store: &mut S,
        watch: &mut dyn Watch,
    ) -> Outcome<Action> {
        let objective = Objective::new(is_error, OnError::Stop, limits);
        let mut systems: Vec<_> = (0..threads).map(|_| product.fork()).collect();
        let cycles = self.cycles(product, task);
        let outcome = recorded_scc::search(&mut systems, &objective, &cycles, store, &mut DynWatch(watch));
        systems.iter().for_each(|fork| product.join(fork));
        outcome
    }

    /// Searches the product for an accepting cycle or, if that is enough, for a finite run after which the claim accepts every
    /// continuation.
    fn search_product<S: LoadById>(
        &self,
        request: &mut ProductSearch<'_, '_>,
        name: &'static str,
        mut store: S,
    ) -> Explored<Action> {
        let ProductSearch { product, task, search, seed, estimate, watch } = request;
        let (product, search, order) = (*product, *search, search.order(*seed));
        let objective = Objective::new(is_error, OnError::Stop, &self.options.limits);
        let cycles = self.cycles(product, task);
        let regions = LivenessTask::regions(product.claim());
        let region = |state: &State| regions[usize::from(product.split(state).1)];
        let outcome = match search {
            search if task.sought() == Sought::Prefix && !search.is_for_cycles() => {
                let hidden_prefix = store.hidden_prefix();
                return self.search_for_prefix(request, hidden_prefix, |search, workers| {
                    search.numbered(name, workers, store)
                });
            }
            Search::Ndfs | Search::RandomDfs if self.options.fairness == Fairness::Weak => {
                let copies = FairCopies::new(product.fork(), cycles.processes);
                let how = Nested { colouring: Colouring::AllRed, region: None, order };
                let watch = &mut DynWatch(*watch);
                let found = ndfs::search(&copies, &objective, &cycles, how, &mut store, watch);
                product.join(copies.system());
                found
            }
            Search::Ndfs | Search::Indfs | Search::RandomDfs => {
                let colouring = if self.options.counts_as_spin { Colouring::Plain } else { Colouring::AllRed };
                let region: Option<RegionOf<'_>> = if search == Search::Indfs { Some(&region) } else { None };
                let watch = &mut DynWatch(*watch);
                let how = Nested { colouring, region, order };
                ndfs::search(product, &objective, &cycles, how, &mut store, watch)
            }
            Search::AStarIndfs => {
                let directed = (&region as RegionOf<'_>, &mut **estimate);
                astar_indfs::search(product, &objective, &cycles, directed, &mut store, &mut DynWatch(*watch))
            }
            Search::Scc if self.options.threads > 1 => {
                let limits = &self.options.limits;
                self.search_recording(product, task, (limits, self.options.threads), &mut store, *watch)
            }
            Search::Scc => scc::search(product, &objective, &cycles, &mut store, &mut DynWatch(*watch)),
            other => panic!("{} finds no cycles", other.name()),
        };
        Explored::new(outcome, search, StoreUse::of(name, &store))
    }
}

/// A search of the product of a model and a claim.
pub(super) struct ProductSearch<'a, 'm> {
    pub product: &'a ModelProduct<'m>,
    pub task: &'a LivenessTask,
    pub search: Search,
    pub seed: Seed,
    pub estimate: &'a mut AnyEstimate<'m>,
    pub watch: &'a mut dyn Watch,
}

/// The steps that a search for a shorter lasso may follow where none was asked for: about a second of work.
const CHEAP_STEPS: u64 = 8 << 20;

/// The states that are searched breadth-first before the search by components begins: about a tenth of a second of work.
pub(super) const HEAD_START: u64 = 1 << 16;

/// The violations of a product that are errors: those of the claim, and run-time errors.
pub(super) fn is_error(violation: &Violation) -> bool {
    matches!(violation.kind, ViolationKind::ClaimEnd | ViolationKind::Assertion | ViolationKind::RuntimeError)
}

/// A number that all pids are less than.
fn most_processes(task: &LivenessTask) -> usize {
    let accesses = AccessSets::of(&task.model);
    let creates = accesses.iter().any(|access| matches!(access.object, Object::Creation(_)));
    if creates { 256 } else { task.model.start.len().max(1) }
}
