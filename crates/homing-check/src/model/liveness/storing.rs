//! Searches the product with a store that keeps states at random.

use homing_core::Fork;
use homing_search::{FairCopies, randomised_storing};
use homing_store::TreeStore;

use super::super::decide::Decider;
use super::decide::{Action, ProductSearch, is_error};
use crate::explore::{DynWatch, Explored};
use crate::store::storing;
use crate::{Fairness, Objective, OnError, Search, StoreChoice, StoreUse};

impl Decider<'_> {
    /// Searches the product by nested depth-first search, which stores states at random.
    ///
    /// # Panics
    /// If the store does not do so.
    pub(super) fn search_storing(&self, request: &mut ProductSearch<'_, '_>, choice: StoreChoice) -> Explored<Action> {
        let StoreChoice::Random { strategy, keep } = choice else { panic!("{choice:?} keeps all states") };
        let ProductSearch { product, task, search, seed, watch, .. } = request;
        let (product, search, seed) = (*product, *search, *seed);
        let objective = Objective::new(is_error, OnError::Stop, &self.options.limits);
        let (of_product, mut store) = (self.cycles(product, task), TreeStore::new());
        // depth-first search finds the violations of the claim, and no cycles
        let cycles = (search != Search::Dfs).then_some(&of_product);
        let (how, watch) = ((storing(strategy, keep, seed), search.order(seed)), &mut DynWatch(*watch));
        let outcome = if self.options.fairness == Fairness::Weak {
            let copies = FairCopies::new(product.fork(), of_product.processes);
            let outcome = randomised_storing::search(&copies, &objective, cycles, how, &mut store, watch);
            product.join(copies.system());
            outcome
        } else {
            randomised_storing::search(product, &objective, cycles, how, &mut store, watch)
        };
        let store_use = StoreUse { is_random: true, ..StoreUse::of(choice.name(), &store) };
        Explored::new(outcome, search, store_use)
    }
}
