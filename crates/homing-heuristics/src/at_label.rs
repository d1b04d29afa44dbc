//! The distance of a process to a label: `P[pid]@label` ([ELL-04] §4, Fig. 10).
//!
//! The process goes there itself; or it ends, and another of its type gets its number. If the condition names no
//! number, any process of the type will do, also one that is yet to be created.

use homing_core::Cost;
use homing_engine::Reader;
use homing_ir::{Action, Expr, Model, ProctypeId};

use crate::distance::{AllDistances, Deferred, Distances, to_locations, to_statements, with_descendants};
use crate::incremental::nearer;
use crate::read_set::{ReadSet, value};

/// The condition that a process stands at a label.
#[derive(Debug)]
pub struct AtLabel<'m> {
    expr: &'m Expr,
    proctype: ProctypeId,
    who: Who<'m>,
}

#[derive(Debug)]
enum Who<'m> {
    /// The process with the number that the expression always has.
    Pid {
        pid: &'m Expr,
        /// To the label.
        there: Distances,
        /// To the end of the process, the end statement included.
        end: Distances,
    },
    /// Any process of the type.
    Any(AllDistances),
}

impl<'m> AtLabel<'m> {
    /// Builds the condition; `None` if the number of the process may change.
    pub fn of(model: &'m Model, deferred: Deferred, expr: &'m Expr, is_fixed: impl Fn(&Expr) -> bool) -> Option<Self> {
        let Expr::RemoteLabel { proctype, pid, location, .. } = expr else { return None };
        let automaton = &model.proctype(*proctype).automaton;
        let who = match pid.as_deref() {
            Some(pid) if is_fixed(pid) => Who::Pid {
                pid,
                there: to_locations(automaton, deferred, [*location]),
                end: to_statements(automaton, |_, action| matches!(action, Action::End).then_some(1)),
            },
            Some(_) => return None,
            None => Who::Any(with_descendants(model, deferred, |id| {
                if id == *proctype { vec![(*location, 0)] } else { Vec::new() }
            })),
        };
        Some(AtLabel { expr, proctype: *proctype, who })
    }

    /// The least number of statements until the condition holds, as seen by the process `viewer`.
    pub fn statements<R: ReadSet>(&self, reader: &Reader<'_>, viewer: usize, reads: &mut R) -> Option<Cost> {
        let distance = match &self.who {
            Who::Pid { pid, there, end } => {
                let pid = value(reader, viewer, pid, reads).and_then(|pid| usize::try_from(pid).ok());
                let existing = pid.filter(|pid| *pid < reader.processes());
                if let Some(pid) = existing {
                    reads.read(reader.location_bytes(pid));
                }
                // the number is free, or that of a process of another type: a process of any type may get it
                let Some(pid) = existing.filter(|pid| reader.proctype(*pid) == self.proctype) else {
                    reads.read_everything();
                    return Some(Cost::from(reader.eval(viewer, self.expr) == Some(0)));
                };
                let at = reader.location(pid) as usize;
                // a process of any type may get the number then, and the numbers of locations are compared
                let again = end[at].map(|end| end + 1);
                nearer(there[at], again)
            }
            Who::Any(distances) => {
                reads.read_everything();
                let processes = 0..reader.processes();
                let each = processes.map(|pid| distances[reader.proctype(pid).index()][reader.location(pid) as usize]);
                each.fold(None, nearer)
            }
        };
        let is_there = reader.eval(viewer, self.expr) != Some(0);
        distance.map(|distance| if is_there { 0 } else { distance.max(1) })
    }
}

#[cfg(test)]
mod tests {
    use homing_ir::{Action, Model};

    use super::*;
    use crate::read_set::Untracked;
    use crate::testing::{initial, model};

    /// The number of statements until the condition of the model's claim holds, from the initial state.
    fn statements(model: &Model) -> Option<Cost> {
        let mut conditions =
            model.claims[0].automaton.statements.iter().filter_map(|statement| match &statement.action {
                Action::Condition(expr @ Expr::RemoteLabel { .. }) => Some(expr),
                _ => None,
            });
        let expr = conditions.next().expect("a condition");
        let at_label = AtLabel::of(model, Deferred::Counted, expr, |_| true).expect("a label");
        let mut reader = Reader::new(model);
        reader.load(&initial(model));
        at_label.statements(&reader, 0, &mut Untracked)
    }

    #[test]
    fn a_process_goes_to_the_label() {
        let at = |condition: &str| {
            statements(&model(&format!(
                "byte x; active proctype P() {{ x = 1; L: x = 2; x = 3; M: x = 4; if :: x == 9 -> N: skip :: else fi }}
                 never {{ do :: {condition} od }}"
            )))
        };
        assert_eq!([at("P@L"), at("P[0]@M"), at("P@N")], [Some(1), Some(3), Some(5)]);
    }

    #[test]
    fn a_process_that_is_not_created_yet_will_do() {
        let text = |condition: &str| {
            model(&format!(
                "byte x; active proctype Q() {{ x = 1; run P() }} proctype P() {{ x = 2; L: x = 3 }}
                 never {{ do :: {condition} od }}"
            ))
        };
        assert_eq!(statements(&text("P@L")), Some(3));
        assert_eq!(statements(&text("P[1]@L")), Some(1), "a process of any type may get the number");
    }
}
