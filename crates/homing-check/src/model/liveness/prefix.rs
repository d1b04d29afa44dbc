//! Searches for a finite run after which a claim accepts every continuation, as for an error: directed, or by the portfolio.

use homing_core::{End, Fork, Limit, Limits, Stats, Stop, StopToken, Violation};
use homing_heuristics::Combine;
use homing_ltl::{Product, Stutter};
use homing_search::{Directed, Evaluation, best_first};
use homing_store::TreeStore;

use super::super::counterexample::Counterexample;
use super::super::decide::Decider;
use super::super::interrupt::Watcher;
use super::super::reduced_system::ReducedSystem;
use super::super::result::Run;
use super::decide::{Action, ModelProduct, ProductSearch, is_error};
use super::estimate::estimate;
use super::lasso::{Unconfirmed, confirm};
use super::task::LivenessTask;
use crate::explore::{DynWatch, Exploration, Explored, Workers, after_cut_off};
use crate::shorten::cheap;
use crate::{Objective, OnError, PartialOrder, Reduction, Shortening, StoreChoice};

impl Decider<'_> {
    /// Searches the product for a violation of the claim, as for an error; `run` is the search with its store.
    pub(super) fn search_for_prefix<'m>(
        &self,
        request: &mut ProductSearch<'_, 'm>,
        hidden_prefix: usize,
        run: impl FnOnce(
            &Exploration<'_, fn(&Violation) -> bool>,
            &mut Workers<'_, 'm, ModelProduct<'m>>,
        ) -> Explored<Action>,
    ) -> Explored<Action> {
        let ProductSearch { product, search, seed, estimate, watch, .. } = request;
        let is_violation: fn(&Violation) -> bool = is_error;
        let exploration = Exploration {
            search: *search,
            store: StoreChoice::Exact,
            objective: Objective::new(is_violation, OnError::Stop, &self.options.limits),
            reduction: Reduction::None,
            partial_order: PartialOrder::Never,
            threads: self.options.threads,
            hidden_prefix,
            seed: *seed,
        };
        let systems = (0..exploration.threads_with(1)).map(|_| product.fork()).collect();
        let mut workers =
            Workers { systems, estimate, other_estimates: &mut [], late_estimate: None, watch: DynWatch(*watch) };
        let mut explored = run(&exploration, &mut workers);
        workers.systems.iter().for_each(|fork| product.join(fork));
        after_cut_off(&mut explored.outcome.end, *watch);
        explored
    }

    /// Searches the original model, where lengths are exact, for a shorter run: finds a shortest one, proves that there is none, or
    /// gives up when that takes many more states than finding the first. The estimate is one that proves.
    pub(super) fn shorten_prefix(
        &self,
        task: &LivenessTask,
        found: &mut Counterexample,
        run: &Run,
        watcher: &mut Watcher<'_>,
        stop: &StopToken,
    ) -> Result<Stats, String> {
        let Some(max_depth) = found.length.checked_sub(1) else {
            found.shortest = true;
            return Ok(Stats::default());
        };
        let Ok(compiled) = self.engine(&task.model, stop) else { return Ok(Stats::default()) };
        if compiled.hidden_prefix() > 0 {
            return Ok(Stats::default());
        }
        let product =
            Product::new(ReducedSystem::whole(compiled), task.claim.clone(), task.violations.clone(), Stutter::All);
        let most = (self.options.shortening != Shortening::Always).then(|| cheap(&run.stats));
        let max_states = [most, self.options.limits.max_states].into_iter().flatten().min();
        let limits = Limits { max_depth: Some(max_depth), max_states, ..self.options.limits };
        let is_violation: fn(&Violation) -> bool = is_error;
        let objective = Objective::new(&is_violation, OnError::Stop, &limits);
        let mut estimate = estimate(&task.model, product.claim(), Combine::Max);
        let directed = Directed { by: Evaluation::A_STAR, estimate: &mut estimate };
        let mut watch = DynWatch(watcher);
        let outcome = best_first::search(&product, &objective, directed, &mut TreeStore::new(), &mut watch);
        match (outcome.path, outcome.end) {
            (Some(path), _) => {
                let shortest = path.shortest;
                match confirm(path, &product, task, stop) {
                    Ok(shorter) => *found = Counterexample { shortest, ..shorter },
                    Err(Unconfirmed::Stopped | Unconfirmed::Open | Unconfirmed::Hidden) => {}
                    Err(Unconfirmed::Differs(what)) => return Err(what),
                }
            }
            (None, End::Exhausted | End::Stopped(Stop::Limit(Limit::Depth))) => found.shortest = true,
            (None, _) => {}
        }
        Ok(outcome.stats)
    }
}
