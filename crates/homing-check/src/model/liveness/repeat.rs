//! Repeats a random search of the product of a model and a claim.

use homing_core::{Fork, Seed, Watch};

use super::super::decide::{DecideError, Decider};
use super::super::options::Options;
use super::decide::{Action, ModelProduct, ProductSearch};
use super::task::LivenessTask;
use crate::explore::{AnyEstimate, Explored};
use crate::repeat::{Repeated, Repeats};
use crate::{Search, StoreChoice};

impl Decider<'_> {
    /// Makes the runs of a random search, as many at a time as there are threads.
    pub(super) fn repeat_search<'m>(
        &self,
        repeats: &Repeats,
        (product, task): (&ModelProduct<'m>, &'m LivenessTask),
        search: Search,
        (store, hidden_prefix): (StoreChoice, usize),
        watch: &mut dyn Watch,
    ) -> Result<(Explored<Action>, Repeated), DecideError> {
        let worker = |_| {
            let (guide, _) = task.guide(self.options.guidance, search, product.claim())?;
            Ok((product.fork(), guide))
        };
        let workers: Vec<(ModelProduct<'m>, AnyEstimate<'m>)> =
            (0..self.options.threads.max(1)).map(worker).collect::<Result<_, DecideError>>()?;
        let (options, interrupt) = (Options { threads: 1, ..self.options }, self.interrupt);
        let run =
            |(product, estimate): &mut (ModelProduct<'m>, AnyEstimate<'m>), number: u64, watch: &mut dyn Watch| {
                let (search, seed) = (repeats.search(search, number), Seed::of_run(repeats.seed, number));
                let mut request = ProductSearch { product, task, search, seed, estimate, watch };
                Decider::new(options, interrupt).search_with(&mut request, store, hidden_prefix)
            };
        let (swarmed, workers) = repeats.swarm.run(workers, run, watch);
        workers.iter().for_each(|(fork, _)| product.join(fork));
        Ok(swarmed.conclude(search, None))
    }
}
