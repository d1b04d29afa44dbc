//! How far a process is from a label: `P[pid]@label` (paper 1, §4, Fig. 10).
//!
//! The process goes there by itself; or it ends and another of its type begins in its place. Where no number of a process is
//! given, any process of the type will do, also one that is not created yet.

use homing_core::Cost;
use homing_engine::Reader;
use homing_ir::{Action, Expr, Model, ProctypeId};

use crate::distance::{AllDistances, Charge, Distances, to_locations, to_statements, with_descendants};
use crate::notes::{Notes, value};
use crate::parts::nearer;

#[derive(Debug)]
pub struct Standing<'m> {
    expr: &'m Expr,
    proctype: ProctypeId,
    who: Who<'m>,
}

#[derive(Debug)]
enum Who<'m> {
    /// The process with this number, which is always the same.
    Pid {
        pid: &'m Expr,
        /// To the label.
        there: Distances,
        /// To the end of the process, which is executed.
        end: Distances,
        start: usize,
    },
    Any(AllDistances),
}

impl<'m> Standing<'m> {
    /// None if the number of the process changes.
    pub fn of(model: &'m Model, charge: Charge, expr: &'m Expr, is_fixed: impl Fn(&Expr) -> bool) -> Option<Self> {
        let Expr::RemoteLabel { proctype, pid, location, .. } = expr else { return None };
        let automaton = &model.proctype(*proctype).automaton;
        let who = match pid.as_deref() {
            Some(pid) if is_fixed(pid) => Who::Pid {
                pid,
                there: to_locations(automaton, charge, [*location]),
                end: to_statements(automaton, |_, action| matches!(action, Action::End).then_some(1)),
                start: automaton.start as usize,
            },
            Some(_) => return None,
            None => Who::Any(with_descendants(model, charge, |id| {
                if id == *proctype { vec![(*location, 0)] } else { Vec::new() }
            })),
        };
        Some(Standing { expr, proctype: *proctype, who })
    }

    pub fn statements<N: Notes>(&self, reader: &Reader<'_>, viewer: usize, notes: &mut N) -> Option<Cost> {
        let distance = match &self.who {
            Who::Pid { pid, there, end, start } => {
                let pid = value(reader, viewer, pid, notes).and_then(|pid| usize::try_from(pid).ok());
                let existing = pid.filter(|pid| *pid < reader.processes());
                if let Some(pid) = existing {
                    notes.read(reader.location_bytes(pid));
                }
                // whoever comes in the place of nobody can be of any type, and so can one of another type
                let Some(pid) = existing.filter(|pid| reader.proctype(*pid) == self.proctype) else {
                    notes.everything();
                    return Some(Cost::from(reader.eval(viewer, self.expr) == Some(0)));
                };
                let at = reader.location(pid) as usize;
                let again = end[at].zip(there[*start]).map(|(end, there)| end + 1 + there);
                nearer(there[at], again)
            }
            Who::Any(distances) => {
                notes.everything();
                let processes = 0..reader.processes();
                let each = processes.map(|pid| distances[reader.proctype(pid).index()][reader.location(pid) as usize]);
                each.fold(None, nearer)
            }
        };
        let is_there = reader.eval(viewer, self.expr) != Some(0);
        distance.map(|distance| if is_there { 0 } else { distance.max(1) })
    }
}
