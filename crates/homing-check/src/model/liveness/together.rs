//! [`Search::Auto`] for properties of infinite runs: a portfolio of searches of the product that take turns.
//!
//! The main search ends with a proof at the least cost: breadth-first search of the first states, then the reduced graph and its
//! components, or the components of the whole product. Before it reports an error it has seen many states. Beside it a depth-first
//! search by components reports an accepting cycle as soon as it is closed, and nested search directed by an estimate leads to a
//! near one; both search the whole product, and what they find is a cycle of the model.

use homing_core::{End, Estimate, Fork, Limits, Outcome, State, TransitionSystem};
use homing_ltl::{Product, Stutter};
use homing_search::ndfs::RegionOf;
use homing_search::{astar_indfs, scc};
use homing_store::TreeStore;

use super::super::decide::Decider;
use super::super::options::Options;
use super::super::reduced_system::ReducedSystem;
use super::super::result::EstimateUse;
use super::decide::{Action, ModelProduct, ProductSearch, is_error};
use super::partial_order::NotReduced;
use super::task::LivenessTask;
use crate::explore::{AnyEstimate, DynWatch, Explored};
use crate::portfolio::schedule::{Schedule, Turn};
use crate::portfolio::{Finished, Member, Start, together};
use crate::{Fairness, Objective, OnError, PartialOrder, Search, StoreChoice, StoreUse};

/// The depth-first search by components.
const COMPONENTS: usize = 0;

/// The work of a transition of the members: they keep states packed, and one of them knows the estimate of some.
const WORK: [u64; 2] = [3, 5];

/// The share (one part in this many) of the limits on memory and states of each member.
const LIMIT_SHARE: u64 = 16;

/// The product for a search that is directed, with its estimate.
struct Guided<'m> {
    product: ModelProduct<'m>,
    estimate: AnyEstimate<'m>,
    described: EstimateUse,
}

/// What came of a portfolio.
pub(super) struct Together<'m> {
    pub explored: Explored<Action>,
    pub not_reduced: Option<NotReduced>,
    /// If the directed search decided: the product that it searched, and its estimate.
    pub directed: Option<(ModelProduct<'m>, EstimateUse)>,
}

impl Decider<'_> {
    /// Whether several searches for a cycle take turns: by default, if no state is lost.
    pub(super) fn takes_turns(&self, search: Search, store: StoreChoice) -> bool {
        let is_auto = self.options.search == Search::Auto && search == Search::Scc;
        is_auto && store == StoreChoice::Tree && self.options.partial_order != PartialOrder::Always
    }

    /// Searches the product for an accepting cycle by several searches that take turns.
    pub(super) fn search_together<'m>(
        &self,
        request: &mut ProductSearch<'_, 'm>,
        task: &'m LivenessTask,
        hidden_prefix: usize,
    ) -> Together<'m> {
        let Limits { memory, max_states, .. } = self.options.limits;
        let part = |limit: Option<u64>| limit.map(|all| all / LIMIT_SHARE);
        let share = Limits { memory: part(memory), max_states: part(max_states), ..self.options.limits };
        let ProductSearch { product, search, seed, estimate, watch, .. } = request;
        let (product, search, seed) = (*product, *search, *seed);
        let (guided, described) = match self.guided(product, task) {
            Some(Guided { product, estimate, described }) => (Some((product, estimate)), Some(described)),
            None => (None, None),
        };
        let others = WORK.len() as u64;
        let memory = memory.map(|all| all - others * (all / LIMIT_SHARE));
        let options = Options { limits: Limits { memory, ..self.options.limits }, ..self.options };
        let main = Decider { options, ..*self };
        let (decided, finished, winner) = std::thread::scope(|scope| {
            let mut members = vec![Member::new(scope, self.by_components(product, task, &share))];
            members.extend(guided.map(|guided| Member::new(scope, self.directed(guided, task, &share))));
            let count = members.len();
            let mut advance = |nth: usize, work: u64| {
                let (end, transitions) = members[nth].advance(work.div_ceil(WORK[nth]));
                Turn { end, work: transitions * WORK[nth], gains: false }
            };
            let mut schedule = Schedule::new(&mut **watch, count, &mut advance, None);
            let mut request = ProductSearch { product, task, search, seed, estimate, watch: &mut schedule };
            let decided = main.search_reduced(&mut request, StoreChoice::Tree, hidden_prefix);
            let winner = schedule.winner();
            let finished: Vec<_> = members.into_iter().map(Member::into_finished).collect();
            (decided, finished, winner)
        });
        finished.iter().flatten().for_each(|member| product.system().join(member.system.system()));
        // a cycle found by a member that was not the next to move when a limit was hit still counts
        let (main, main_not_reduced) = decided;
        let is_open = matches!(main.outcome.end, End::Stopped(_));
        let with_path = || finished.iter().position(|one| one.as_ref().is_some_and(|one| one.outcome.path.is_some()));
        let winner = winner.or_else(with_path).filter(|_| is_open);
        let not_reduced = match winner {
            None => main_not_reduced,
            Some(_) => self.takes_all_steps(task).or(Some(NotReduced::Small)),
        };
        let mut others: Vec<Outcome<Action>> = Vec::new();
        let (mut chosen, mut directed) = (None, None);
        for (nth, member) in finished.into_iter().enumerate() {
            let Some(Finished { outcome, system, store_use }) = member else { continue };
            if winner != Some(nth) {
                others.push(outcome);
                continue;
            }
            let search = if nth == COMPONENTS { Search::Scc } else { Search::AStarIndfs };
            directed = described.clone().filter(|_| nth != COMPONENTS).map(|described| (system, described));
            chosen = Some(Explored::new(outcome, search, store_use));
        }
        let mut explored = match chosen {
            Some(chosen) => {
                others.push(main.outcome);
                chosen
            }
            None => main,
        };
        explored.outcome.stats = others.iter().fold(explored.outcome.stats, |sum, other| together(sum, other.stats));
        Together { explored, not_reduced, directed }
    }

    /// The product for directed search, if that applies and there is an estimate.
    fn guided<'m>(&self, product: &ModelProduct<'m>, task: &'m LivenessTask) -> Option<Guided<'m>> {
        if self.options.fairness != Fairness::None {
            return None;
        }
        let search = Search::AStarIndfs;
        let claim = task.claim_for(search).clone();
        let (mut estimate, name) = task.guide(self.options.guidance, search, &claim).ok()?;
        let whole = ReducedSystem::whole(product.system().engine().fork());
        let product = Product::new(whole, claim, task.violations.clone(), Stutter::All);
        let at_start = estimate.distance(&product.initial()).map(|estimated| estimated.h);
        Some(Guided { product, estimate, described: EstimateUse { name: name?, at_start, abstraction: None } })
    }

    /// Depth-first search by components.
    fn by_components<'a, 'm: 'a>(
        &self,
        product: &ModelProduct<'m>,
        task: &'a LivenessTask,
        limits: &'a Limits,
    ) -> Start<'a, ModelProduct<'m>> {
        let (system, cycles) = (product.fork(), self.cycles(product, task));
        Box::new(move |watch| {
            let (objective, mut store) = (Objective::new(is_error, OnError::Stop, limits), TreeStore::new());
            let outcome = scc::search(&system, &objective, &cycles, &mut store, &mut DynWatch(watch));
            Finished { outcome, system, store_use: StoreUse::of("tree", &store) }
        })
    }

    /// A* to the components of the claim, and nested search in them.
    fn directed<'a, 'm: 'a>(
        &self,
        (system, mut estimate): (ModelProduct<'m>, AnyEstimate<'m>),
        task: &'a LivenessTask,
        limits: &'a Limits,
    ) -> Start<'a, ModelProduct<'m>> {
        let cycles = self.cycles(&system, task);
        Box::new(move |watch| {
            let (objective, mut store) = (Objective::new(is_error, OnError::Stop, limits), TreeStore::new());
            let regions = LivenessTask::regions(system.claim());
            let region = |state: &State| regions[usize::from(system.split(state).1)];
            let directed = (&region as RegionOf<'_>, &mut estimate);
            let outcome = astar_indfs::search(&system, &objective, &cycles, directed, &mut store, &mut DynWatch(watch));
            Finished { outcome, system, store_use: StoreUse::of("tree", &store) }
        })
    }
}
