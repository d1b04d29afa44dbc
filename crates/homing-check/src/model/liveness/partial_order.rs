//! Partial-order reduction of a search for cycles: the product is made with a system of which some steps are left out.
//!
//! A state that has a stubborn set has only the steps of that, unless the [cycle proviso](homing_search::cycle_proviso) says that it is
//! expanded in full. Which steps those are depends on the state of the system alone. Conditions and argument are in
//! `docs/soundness.md`.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use homing_core::{End, Fork, Limit, Limits, TransitionSystem};
use homing_ltl::{Product, Stutter};
use homing_search::cycle_proviso::{self, CycleProviso};
use homing_store::TreeStore;

use super::super::decide::Decider;
use super::super::options::Options;
use super::super::reduced_system::{Ends, ReducedSystem, Steps};
use super::decide::{Action, HEAD_START, ProductSearch};
use super::task::LivenessTask;
use crate::explore::{DynWatch, Explored};
use crate::{Fairness, PartialOrder, Search, StoreChoice, StoreUse};

/// Why a search for cycles takes all steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotReduced {
    /// It was not asked for.
    NotAsked,
    /// A cycle of the reduced copy of the model was not one of the model, which was searched instead.
    Original,
    /// Some runs count and others do not.
    Fairness,
    /// The formula is not stutter-invariant.
    Next,
    /// A proposition can have a run-time error, which matters only in some states of the automaton.
    Fails,
    /// A never claim may read every state.
    NeverClaim,
    /// The property mentions `timeout`.
    Timeout,
    /// The depth is limited.
    Depth,
    /// The first states decided.
    Small,
    /// Fewer than half of the states that were tried have a stubborn set.
    Rare,
    /// No state has a stubborn set.
    NoStubbornSets,
    /// A limit was reached before the cycles of the reduced graph were known.
    Limit,
}

impl fmt::Display for NotReduced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NotReduced::NotAsked => "it was not asked for",
            NotReduced::Original => {
                "a cycle of the reduced copy does not close in the model, which was searched as it is"
            }
            NotReduced::Fairness => "the reduction does not keep which runs are fair",
            NotReduced::Next => "the formula is not stutter-invariant, so that it can count steps",
            NotReduced::Fails => "a proposition of the formula can have a run-time error",
            NotReduced::NeverClaim => "a never claim can count steps; a formula without X cannot",
            NotReduced::Timeout => "the property mentions timeout",
            NotReduced::Depth => "the depth is limited",
            NotReduced::Small => "the state space is small, or has an error near the initial state",
            NotReduced::Rare => "few states have steps that can be left out",
            NotReduced::NoStubbornSets => "no state has steps that can be left out",
            NotReduced::Limit => "a limit was reached while the reduced graph was explored",
        })
    }
}

impl ReducedSystem<'_> {
    /// Replaces indices among the steps of stubborn sets by those among all steps. None if a step is not found: the stop token is set.
    fn number_among_all(&self, actions: &mut [Action]) -> Option<()> {
        let mut state = self.engine().initial();
        for action in actions {
            let Some(index) = &mut action.step else { continue };
            match self.among_all(&state, *index, Ends::InState)? {
                (found, Some(next)) => (*index, state) = (found, next),
                (found, None) => *index = found, // it is the last one, and fails
            }
        }
        Some(())
    }
}

/// The states that are tried before the whole reduced graph is explored.
const PROBE: u64 = 2048;

/// The reduction pays if at least one state in this many has a stubborn set.
const ONE_OF: u64 = 2;

impl Decider<'_> {
    /// Searches the product, without the steps that a partial-order reduction leaves out where that is sound and pays; why it does
    /// not, if so.
    pub(super) fn search_reduced(
        &self,
        request: &mut ProductSearch<'_, '_>,
        store: StoreChoice,
        hidden_prefix: usize,
    ) -> (Explored<Action>, Option<NotReduced>) {
        let mut takes_all = self.takes_all_steps(request.task);
        if self.options.search != Search::Auto && takes_all.is_none() && !self.pays(request) {
            takes_all = Some(NotReduced::Rare); // all is searched at once: the portfolio alone does more than that in its head start
        }
        let is_sure = takes_all.is_none() && self.options.partial_order == PartialOrder::Always;
        if !is_sure && let Some(decided) = self.head_start((request, takes_all), store, hidden_prefix) {
            return (decided, takes_all.or(Some(NotReduced::Small)));
        }
        let not_reduced = match takes_all {
            Some(why) => why,
            None => match self.reduced_system(request) {
                Ok((system, CycleProviso { stats, .. })) => {
                    let (claim, violations) = (request.product.claim().clone(), request.task.violations.clone());
                    let reduced = &Product::new(system, claim, violations, Stutter::All);
                    let ProductSearch { task, search, seed, estimate, watch, .. } = request;
                    let (task, search, seed) = (*task, *search, *seed);
                    let (product, watch) = (reduced, &mut **watch);
                    let mut request = ProductSearch { product, task, search, seed, estimate, watch };
                    let mut explored = self.search_with(&mut request, store, hidden_prefix);
                    let outcome = &mut explored.outcome;
                    outcome.stats = stats.and_then(outcome.stats);
                    let system = reduced.system();
                    if let Some(path) = &mut outcome.path {
                        path.shortest = false; // a shorter one may have been left out
                        if system.patiently(|| system.number_among_all(&mut path.actions)).is_none() {
                            (outcome.path, outcome.end) = (None, End::limit(Limit::CutOff));
                        }
                    }
                    return (explored, None);
                }
                Err(why) => why,
            },
        };
        (self.search_with(request, store, hidden_prefix), Some(not_reduced))
    }

    /// Why all steps are to be taken, if that is known before the search.
    fn takes_all_steps(&self, task: &LivenessTask) -> Option<NotReduced> {
        let Options { search, partial_order, fairness, limits, .. } = &self.options;
        let is_asked = match (partial_order, search) {
            (PartialOrder::Always, _) | (PartialOrder::IfItPays, Search::Auto) => true,
            (PartialOrder::IfItPays, Search::Scc | Search::Ndfs | Search::Indfs) => {
                matches!(self.options.store, None | Some(StoreChoice::Tree)) && self.options.repeats.is_none()
            }
            (PartialOrder::IfItPays | PartialOrder::Never, _) => false,
        };
        match task.reads_every_state {
            _ if !is_asked => Some(NotReduced::NotAsked),
            _ if task.reduced.is_none() => Some(NotReduced::Original),
            _ if *fairness != Fairness::None => Some(NotReduced::Fairness),
            Some(why) => Some(why),
            None if limits.max_depth.is_some() => Some(NotReduced::Depth),
            None => None,
        }
    }

    /// Whether the reduction is worth it: that was asked for, or enough of the first states have stubborn sets.
    fn pays(&self, request: &mut ProductSearch<'_, '_>) -> bool {
        if self.options.partial_order == PartialOrder::Always {
            return true;
        }
        let limits = Limits { max_states: Some(PROBE), ..self.options.limits };
        let watch = &mut DynWatch(&mut *request.watch);
        let engine = &request.product.system().engine().fork(); // the statements that it reaches do not count
        let tried = cycle_proviso::search(engine, &limits, &mut TreeStore::new(), watch).stats;
        tried.reduced * ONE_OF >= tried.expanded
    }

    /// The model without the steps that are left out.
    fn reduced_system<'m>(
        &self,
        request: &mut ProductSearch<'_, 'm>,
    ) -> Result<(ReducedSystem<'m>, CycleProviso), NotReduced> {
        if self.options.search == Search::Auto && !self.pays(request) {
            return Err(NotReduced::Rare);
        }
        let whole = request.product.system();
        let watch = &mut DynWatch(&mut *request.watch);
        let limits = &self.options.limits;
        let mut found = cycle_proviso::search(&whole.engine().fork(), limits, &mut TreeStore::new(), watch);
        if found.stats.reduced == 0 {
            return Err(NotReduced::NoStubbornSets);
        }
        let in_full = std::mem::replace(&mut found.expanded_in_full, Ok(HashSet::new()));
        let in_full = in_full.map_err(|_| NotReduced::Limit)?;
        Ok((ReducedSystem::new(whole.engine().fork(), Steps::StubbornExcept(Arc::new(in_full))), found))
    }

    /// Searches the first states: where there is an error near the initial state its run is short, and a small product is searched to
    /// the end. None if that decides nothing, or if a search that was asked for by name takes all steps.
    fn head_start(
        &self,
        (request, takes_all): (&mut ProductSearch<'_, '_>, Option<NotReduced>),
        store: StoreChoice,
        hidden_prefix: usize,
    ) -> Option<Explored<Action>> {
        let most = self.options.limits.max_states;
        let is_auto = self.options.search == Search::Auto;
        let may_reduce = takes_all.is_none();
        let is_tree = store == StoreChoice::Tree;
        if !is_tree || !is_auto && !may_reduce || most.is_some_and(|most| most <= HEAD_START) {
            return None;
        }
        let limits = Limits { max_states: Some(HEAD_START), ..self.options.limits };
        let explored = if is_auto && request.search == Search::Scc && self.options.threads <= 1 {
            let (ProductSearch { product, task, watch, .. }, mut store) = (request, TreeStore::new());
            let outcome = self.search_recording(product, task, (&limits, 1), &mut store, *watch);
            Explored::new(outcome, Search::Scc, StoreUse::of("tree", &store))
        } else if may_reduce && (request.search == Search::Auto || !is_auto) {
            let first = Decider { options: Options { limits, ..self.options }, ..*self };
            first.search_with(request, store, hidden_prefix)
        } else {
            return None;
        };
        (explored.outcome.end != End::limit(Limit::States)).then_some(explored)
    }
}
