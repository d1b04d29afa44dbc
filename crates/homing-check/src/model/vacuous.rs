//! Processes that an invariant names though they never exist: for these it says nothing.

use std::collections::BTreeSet;
use std::time::Instant;

use homing_ir::{Access, AccessSets, BinaryOp, Expr, Invariant, Model, Object, ProctypeId};

use super::decide::{DecideError, Decider};
use super::focus::Focus;
use super::options::{Confirm, Guidance, Options};
use super::search_task::{ModelReduction, SearchTask};
use crate::{OnError, Search, Shortening, Verdict};

/// A process that an expression refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Named {
    proctype: ProctypeId,
    /// Without a number: any process of the type.
    pid: Option<i32>,
}

impl Decider<'_> {
    /// Warnings about processes that the invariant of a task refers to, and that no reachable state has. The invariant holds.
    pub(super) fn vacuous(&self, task: &SearchTask, deadline: Option<Instant>) -> Result<Vec<String>, DecideError> {
        let named = task.model.invariants.iter().flat_map(|invariant| named(&invariant.expr));
        let mut warnings = Vec::new();
        for Named { proctype, pid } in named.collect::<BTreeSet<_>>() {
            let exists = match pid {
                None => can_be_created(&task.model, proctype),
                Some(pid) => self.exists(task, pid, deadline)?,
            };
            if !exists {
                let name = &task.model.proctype(proctype).name;
                let name = pid.map_or(name.clone(), |pid| format!("{name}[{pid}]"));
                warnings.push(format!("{name} never exists: the invariant says nothing about it"));
            }
        }
        Ok(warnings)
    }

    /// Whether there is a reachable state with a process of this number; true if a limit was reached before that was known.
    fn exists(&self, task: &SearchTask, pid: i32, deadline: Option<Instant>) -> Result<bool, DecideError> {
        if usize::try_from(pid).is_ok_and(|pid| pid < task.model.start.len()) {
            return Ok(true);
        }
        let mut model = task.model.clone();
        model.invariants.clear();
        // processes end in the reverse order of their creation, so their numbers have no gaps
        let (left, right) = (Box::new(Expr::ProcessCount), Box::new(Expr::constant(pid)));
        let (text, expr) = (format!("_nr_pr <= {pid}"), Expr::Binary(BinaryOp::LessEqual, left, right));
        let options = Options {
            search: Search::Auto,
            guidance: Guidance::None,
            on_error: OnError::Stop,
            shortening: Shortening::Never,
            fewest_switches: false,
            confirm: Confirm::Never,
            ..self.options
        };
        let task = SearchTask::of_invariant(model, Invariant { text, expr }, ModelReduction::Reduced);
        let decider = Decider { options, focus: Focus::Everything, ..*self };
        let verdict = decider.decide("the processes of the invariant", &task, deadline)?.verdict;
        Ok(verdict != Verdict::Holds)
    }
}

/// The processes that an expression refers to by a constant number, or by their type alone.
fn named(expr: &Expr) -> BTreeSet<Named> {
    let mut found = BTreeSet::new();
    expr.walk(&mut |part| {
        if let Expr::RemoteLabel { proctype, pid, .. } | Expr::RemoteVar { proctype, pid, .. } = part {
            match pid.as_deref().map(Expr::as_constant) {
                None => drop(found.insert(Named { proctype: *proctype, pid: None })),
                Some(Some(pid)) => drop(found.insert(Named { proctype: *proctype, pid: Some(pid) })),
                Some(None) => {}
            }
        }
    });
    found
}

/// Whether a process of the type exists at the start, or some statement creates one.
fn can_be_created(model: &Model, proctype: ProctypeId) -> bool {
    let creates = |access: &Access| matches!(access.object, Object::Creation(new) if new == proctype);
    model.start.iter().any(|start| start.proctype == proctype) || AccessSets::of(model).iter().any(creates)
}
