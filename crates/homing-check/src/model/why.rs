//! The cause of an error: what the condition that failed was computed from, back to the statements that wrote it, or what
//! each process waits for.

use std::collections::BTreeSet;

use homing_core::ViolationKind;
use homing_engine::{Part, Player, Waiting};
use homing_ir::Formula;

use super::cause::{Cause, CauseKind};
use super::cycle::{Observation, observe};
use super::data_flow::{DataFlow, Object};
use super::deadlock::{Deadlock, deadlock};
use super::play::{Ending, PlayedStep};
use super::progression::Progression;
use super::stale::StaleTest;
use super::summary::{self, Failed};
use super::tracer::Tracer;

/// The cause of an error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Why {
    /// The cause in one sentence.
    pub summary: Option<String>,
    /// A test of a process that another process made obsolete before it was relied on.
    pub stale: Option<StaleTest>,
    /// What was observed of the cycle, if the run ends in one.
    pub cycle: Option<Observation>,
    /// The condition that failed, and where its values come from.
    pub causes: Vec<Cause>,
    /// What each process waits for, if no process can move.
    pub deadlock: Deadlock,
    /// The steps that the error depends on, by number.
    pub steps: BTreeSet<usize>,
}

/// Follows the data of a run while it is played.
#[derive(Default)]
pub struct Witness {
    flow: DataFlow,
    formula: Option<Progression>,
}

impl Witness {
    /// Follows a formula, too; `player` is at the start of the run.
    pub fn of_formula(formula: &Formula, player: &Player<'_, '_>) -> Self {
        Witness { formula: Some(Progression::new(formula, player)), ..Witness::default() }
    }

    /// Takes note of a step of the run; `player` is in the state after it.
    pub fn see(&mut self, player: &Player<'_, '_>, step: &PlayedStep<'_>) {
        self.flow.see(player, step);
        if let Some(formula) = &mut self.formula {
            formula.see(player);
        }
    }

    /// The cause of the error at the end of a run; `player` is there.
    pub fn why(mut self, player: &Player<'_, '_>, ending: &Ending) -> Why {
        let error = match ending {
            Ending::Violations(_) => ending.error(),
            Ending::Claim => return self.of_formula_violated(player),
            Ending::Cycle { from } => return self.of_cycle(player, *from),
            Ending::Open => None,
        };
        let Some(error) = error else { return Why::default() };
        let (parts, failed) = match (error.kind, self.flow.failed.take()) {
            (ViolationKind::InvalidEndState, _) => return Why::of_deadlock(self.flow, player, None),
            (ViolationKind::Assertion, part) => (part.into_iter().collect(), Failed::Assertion),
            (ViolationKind::RuntimeError, Some(part)) => (vec![part], Failed::Fault(error)),
            (ViolationKind::Invariant | ViolationKind::RuntimeError, _) => {
                let parts = player.broken_invariant_parts();
                let failed = parts.first().map_or(Failed::Fault(error), |part| Failed::Condition {
                    text: part.text.clone(),
                    value: part.value.clone().unwrap_or_else(|| "not defined".to_owned()),
                });
                (parts, failed)
            }
            (ViolationKind::ClaimEnd, _) => return self.of_formula_violated(player),
            _ => return Why::default(),
        };
        Why::of_parts(self.flow, player, &parts, &failed)
    }

    /// Why no continuation of the run satisfies the formula.
    fn of_formula_violated(self, player: &Player<'_, '_>) -> Why {
        let Some(formula) = &self.formula else { return Why::default() };
        let parts: Vec<Part> = formula.decisive().into_iter().map(|expr| player.part(expr)).collect();
        Why::of_parts(self.flow, player, &parts, &Failed::Formula)
    }

    /// What happens in the cycle that begins with this statement, or why nothing moves any more.
    fn of_cycle(self, player: &Player<'_, '_>, from: usize) -> Why {
        let cycle = &self.flow.statements[(from - 1).min(self.flow.statements.len())..];
        let observed = observe(player, cycle, self.formula.as_ref());
        if cycle.is_empty() {
            let last = self.flow.shown.last().copied().unwrap_or(0);
            return Why { cycle: Some(observed), ..Why::of_deadlock(self.flow, player, Some(last)) };
        }
        let steps = (self.flow.shown[from - 1], self.flow.shown[self.flow.shown.len() - 1]);
        let summary = Some(summary::of_cycle(&observed, steps));
        Why { summary, cycle: Some(observed), ..Why::default() }
    }
}

impl Why {
    /// The error depends on the values that the parts of a condition were computed from, and on the tests before.
    fn of_parts(flow: DataFlow, player: &Player<'_, '_>, parts: &[Part], failed: &Failed<'_>) -> Why {
        if parts.is_empty() {
            return Why::default();
        }
        let mut tracer = Tracer::new(flow, player);
        let mut causes: Vec<Cause> = tracer.deepest(|tracer| {
            tracer.steps.insert(tracer.flow.statements.len());
            parts.iter().map(|part| tracer.part(part)).collect()
        });
        // that a constant has its value explains nothing
        causes.retain(|cause| cause.kind != CauseKind::Expression || !cause.causes.is_empty());
        let stale = tracer.stale(parts);
        let summary = match &stale {
            Some(stale) => Some(stale.to_string()),
            None => summary::of_failure(&tracer.flow, player, failed, &causes),
        };
        Why { summary, stale, cycle: None, causes, deadlock: Deadlock::default(), steps: tracer.steps }
    }

    /// The error depends on the steps that wrote what the blocked statements read, and on those that led to them. Without an error
    /// `quiet_after` is the last step.
    fn of_deadlock(flow: DataFlow, player: &Player<'_, '_>, quiet_after: Option<usize>) -> Why {
        let mut deadlock = deadlock(&flow, player);
        let mut tracer = Tracer::new(flow, player);
        let causes = tracer.deepest(|tracer| {
            let mut causes = Vec::new();
            for wait in deadlock.waits.iter().filter(|wait| !wait.waiting.may_end) {
                let pid = wait.waiting.pid;
                let arrived = tracer.flow.graph.known(&Object::Location(pid));
                tracer.steps.extend(arrived.and_then(|id| tracer.flow.graph.get(id).step));
                causes.push((pid, tracer.guard(tracer.flow.last_guard(pid), 0, None)));
            }
            causes
        });
        for (pid, guard) in causes {
            deadlock.waits[usize::from(pid)].causes.extend(guard);
        }
        let mut steps = tracer.steps;
        let statements = deadlock.waits.iter().flat_map(|wait| &wait.statements);
        for waits_for in statements {
            steps.extend(waits_for.since.iter().map(|writer| writer.step));
            steps.extend(waits_for.missed.iter().filter_map(|missed| missed.after.as_ref()).map(|writer| writer.step));
        }
        let summary = summary::of_deadlock(&deadlock, quiet_after);
        Why { summary, deadlock, steps, ..Why::default() }
    }

    /// What each process waits for, if no process can move.
    pub fn waiting(&self) -> impl Iterator<Item = &Waiting> {
        self.deadlock.waits.iter().map(|wait| &wait.waiting)
    }
}
