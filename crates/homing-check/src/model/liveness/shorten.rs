//! Looks for a shorter lasso than the one that was found, or proves that no run has one.

use homing_core::{End, Stats, StopToken};
use homing_ir::Reduced;
use homing_ltl::{Claim, Product, Stutter};
use homing_search::shortest_lasso::{self, Effort};
use homing_store::TreeStore;

use super::super::counterexample::Counterexample;
use super::super::decide::Decider;
use super::super::interrupt::Watcher;
use super::super::reduced_system::ReducedSystem;
use super::super::result::Run;
use super::decide::is_error;
use super::lasso::{Unconfirmed, confirm};
use super::task::{Liveness, LivenessTask};
use crate::explore::DynWatch;
use crate::{Objective, OnError, Shortening};

/// The steps that such searches may follow where a proof was not asked for: about a second of work.
const CHEAP_STEPS: u64 = 8 << 20;

/// A search for a shorter lasso.
struct LassoSearch<'a, 'd, 'w> {
    decider: &'a Decider<'d>,
    /// The property, of the model without the values of dead locals.
    task: LivenessTask,
    /// How many steps each search may follow; `None` for as many as it takes.
    most_steps: Option<u64>,
    watcher: &'a mut Watcher<'w>,
    stop: &'a StopToken,
}

impl Decider<'_> {
    /// Searches where lengths are exact for a shorter lasso: finds one, proves that there is none, or gives up when that takes much more
    /// than finding the first.
    ///
    /// The claim that found the lasso is searched first, which also finds errors of finite runs; then those whose lassos are exactly
    /// those of the runs. Only these prove that a lasso is shortest.
    pub(super) fn shorten_lasso(
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
        let tight = task.tight_claims();
        let mut proved = tight.is_some();
        let claims: Vec<Claim> = std::iter::once(task.claim.clone()).chain(tight.into_iter().flatten()).collect();
        let cheap = CHEAP_STEPS.max(run.stats.transitions().saturating_mul(2)) / claims.len() as u64;
        let most_steps = (self.options.shortening != Shortening::Always).then_some(cheap);
        // of a never claim the lasso of the product counts, which has the values of all locals
        let is_claim = matches!(task.liveness, Liveness::Never(_));
        let reduced = (!is_claim).then(|| Reduced::without_dead_locals(&task.model));
        let task = LivenessTask { reduced, ..task.clone() };
        let mut search = LassoSearch { decider: self, task, most_steps, watcher, stop };
        let mut stats = Stats::default();
        for claim in claims {
            let Some((taken, is_exhausted)) = search.by(claim, found)? else { return Ok(stats) };
            stats = if stats == Stats::default() { taken } else { stats.and_then(taken) };
            proved &= is_exhausted;
        }
        found.shortest = proved;
        Ok(stats)
    }
}

impl LassoSearch<'_, '_, '_> {
    /// Searches the product with a claim. Returns the figures, and whether nothing shorter is left than what is then found; `None` if the
    /// model cannot be searched.
    fn by(&mut self, claim: Claim, found: &mut Counterexample) -> Result<Option<(Stats, bool)>, String> {
        let Ok(compiled) = self.decider.engine(self.task.searched(), self.stop) else { return Ok(None) };
        if compiled.hidden_prefix() > 0 {
            return Ok(None);
        }
        let (task, decider) = (&self.task, self.decider);
        let product = Product::new(ReducedSystem::whole(compiled), claim, task.violations.clone(), Stutter::All);
        let objective = Objective::new(is_error, OnError::Stop, decider.limits());
        let cycles = decider.cycles(&product, task);
        let effort = Effort { below: found.length, most_steps: self.most_steps };
        let mut watch = DynWatch(self.watcher);
        let outcome = shortest_lasso::search(&product, &objective, &cycles, effort, &mut TreeStore::new(), &mut watch);
        let mut is_exhausted = outcome.end == End::Exhausted;
        if let Some(path) = outcome.path {
            match confirm(path, &product, task, self.stop) {
                Ok(shorter) if shorter.length < found.length => *found = shorter,
                Ok(_) => is_exhausted = false,
                Err(Unconfirmed::Stopped | Unconfirmed::Open | Unconfirmed::Hidden) => is_exhausted = false,
                Err(Unconfirmed::Differs(what)) => return Err(what),
            }
        }
        Ok(Some((outcome.stats, is_exhausted)))
    }
}
