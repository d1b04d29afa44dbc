//! Looks for a shorter path to an error than the one that was found, or proves that there is none.

use std::time::Duration;

use homing_core::{Estimate, Stats, TransitionSystem, Violation};
use homing_engine::CompiledEngine;
use homing_ir::Lengths;

use super::counterexample::Counterexample;
use super::decide::{Decider, SearchRequest, Unconfirmed, confirm, is_error};
use super::estimate::{TimeLeft, abstraction};
use super::fewest_switches::minimize_switches;
use super::options::Options;
use super::reduced_system::ReducedSystem;
use super::result::Run;
use super::search_task::SearchTask;
use super::trim::trim;
use crate::{AnyEstimate, Objective, Shortened, Shortening, cheap};

/// The least time of the preparation of an abstraction: many are ready by then.
const PREPARATION: Duration = Duration::from_millis(100);

impl Decider<'_> {
    /// Looks for a shorter path if one is wanted, and for one with fewer process switches. Returns whether a search that was directed
    /// by an estimate has proved it shortest.
    pub(super) fn improve(
        &self,
        request: &SearchRequest<'_>,
        task: &SearchTask,
        found: &mut Counterexample,
        run: &mut Run,
        wants_shortest: bool,
    ) -> Result<bool, String> {
        let Options { on_error, fewest_switches, .. } = self.options;
        let mut proved_by_estimate = found.shortest && run.estimate.is_some();
        if wants_shortest && !found.shortest {
            proved_by_estimate = self.shorten(request, task, found, run)?;
        }
        if wants_shortest && !found.shortest {
            trim(task, found, request.stop)?;
        }
        if fewest_switches {
            run.fewest_switches =
                minimize_switches(task, found, run.first_error.map_or(run.stats, |first| first.stats), request.stop)?;
            run.add(run.fewest_switches.unwrap_or_default(), on_error);
        }
        Ok(proved_by_estimate)
    }

    /// Searches where lengths are exact for a shorter path: by the estimate of a search that promises something with it, else
    /// breadth-first. If nothing else directs the search that is given up when it takes long, for A* directed by an abstraction where
    /// its distance of the initial state is more than the levels that were searched. Returns whether an estimate has proved the path
    /// shortest.
    fn shorten(
        &self,
        request: &SearchRequest<'_>,
        task: &SearchTask,
        found: &mut Counterexample,
        run: &mut Run,
    ) -> Result<bool, String> {
        let Ok(compiled) = self.engine(task.measured(), request.stop) else { return Ok(false) };
        let system = self.reduced(compiled, true);
        let Options { shortening, on_error, .. } = self.options;
        let (little, is_asked_for) = (cheap(&run.stats), shortening == Shortening::Always);
        let may_abstract = self.may_abstract(request.search);
        if let Some(mut estimate) = self.admissible_estimate(request, task) {
            let most = (!is_asked_for).then_some(little);
            let at_start = estimate.distance(&system.engine().initial()).map(|estimated| estimated.h);
            run.add(self.shorten_by(Some(&mut estimate), request, (&system, task), found, most)?, on_error);
            if !found.shortest {
                found.at_least = found.at_least.max(at_start);
            }
            return Ok(found.shortest);
        }
        let most = (may_abstract || !is_asked_for).then_some(little);
        run.add(self.shorten_by(None, request, (&system, task), found, most)?, on_error);
        if found.shortest || !may_abstract {
            return Ok(false);
        }
        let most = (!is_asked_for).then_some(little);
        let mut estimate = self.informative(request, (system.engine(), task), found, run);
        if estimate.is_some() || is_asked_for {
            run.add(self.shorten_by(estimate.as_mut(), request, (&system, task), found, most)?, on_error);
        }
        Ok(found.shortest && estimate.is_some())
    }

    /// An abstraction whose distance of the initial state is more than what is known of the length. It is a lower bound, too.
    fn informative(
        &self,
        request: &SearchRequest<'_>,
        (compiled, task): (&CompiledEngine<'_>, &SearchTask),
        found: &mut Counterexample,
        run: &Run,
    ) -> Option<AnyEstimate<'static>> {
        if compiled.hidden_prefix() > 0 {
            return None;
        }
        let most = (self.options.shortening != Shortening::Always)
            .then(|| Duration::from_secs_f64(run.seconds).max(PREPARATION));
        let time = TimeLeft { most, stop: request.stop, watcher: self.watcher(request.name, request.deadline) };
        let mut estimate = abstraction(None, task.measured(), request.safety, time).ok()?.estimate();
        let at_start = estimate.distance(&compiled.initial())?.h;
        if at_start <= found.at_least.unwrap_or(0) {
            return None;
        }
        found.at_least = Some(at_start);
        Some(Box::new(estimate))
    }

    /// Searches for a path below the length of the one that was found: finds one, proves that there is none, or gives up when the
    /// proof takes more than `most` states, or is not on track to finish within them. Returns what it took.
    fn shorten_by(
        &self,
        estimate: Option<&mut AnyEstimate<'_>>,
        request: &SearchRequest<'_>,
        (system, task): (&ReducedSystem<'_>, &SearchTask),
        found: &mut Counterexample,
        most: Option<u64>,
    ) -> Result<Stats, String> {
        let (limits, safety, focus) = (self.options.limits, request.safety, self.focus);
        let objective =
            Objective::new(|found: &Violation| is_error(safety, focus, found), self.options.on_error, &limits);
        let exploration = self.exploration(request, system.engine(), objective);
        let watch = &mut self.watcher(request.name, request.deadline);
        let (shortened, stats) = exploration.shorten(system, found.length, (most, estimate), watch);
        match shortened {
            Shortened::Shorter(path) => {
                let Some(path) = system.among_all_steps(path) else { return Ok(stats) };
                match confirm(path, (system.engine().interpreter(), Lengths::Exact), task, request.stop) {
                    Ok(shorter) => *found = shorter,
                    Err(Unconfirmed::Stopped | Unconfirmed::CutOff) => {}
                    Err(Unconfirmed::Differs(what)) => return Err(what),
                }
            }
            Shortened::Shortest => (found.shortest, found.at_least) = (true, None),
            Shortened::Open { at_least } => found.at_least = found.at_least.max(at_least),
        }
        Ok(stats)
    }
}
