//! The number of active processes, H_ap (paper 1, §4, "Active Processes"): in a deadlock all are blocked.
//!
//! A process counts if it can execute a statement; a half of a rendezvous can be executed when its partner is there, so
//! both halves count. A guess: one statement can block many processes. It is 0 where nobody can move, and where all wait for
//! a `timeout`.

use homing_core::{Cost, Guarantee};
use homing_engine::Reader;
use homing_ir::Model;

use crate::executable::Executable;
use crate::notes::{Notes, value};
use crate::parts::Parts;

pub struct Active {
    executable: Executable,
    priorities: bool,
}

impl Active {
    pub fn of(model: &Model) -> Self {
        Active { executable: Executable::of(model), priorities: model.features.priorities }
    }
}

impl Parts for Active {
    /// Whether the process can move.
    type Value = bool;

    fn value<N: Notes>(&self, reader: &Reader<'_>, pid: usize, notes: &mut N) -> bool {
        notes.read(reader.location_bytes(pid));
        let proctype = reader.model().proctype(reader.proctype(pid));
        if let Some(provided) = &proctype.provided {
            value(reader, pid, provided, notes);
        }
        if self.priorities {
            notes.everything();
        }
        if (self.priorities || proctype.provided.is_some()) && reader.may_run(pid) == Some(false) {
            return false;
        }
        let automaton = &proctype.automaton;
        let transitions = &automaton.location(reader.location(pid)).transitions;
        transitions.iter().any(|transition| {
            let action = &automaton.statement(transition.statement).action;
            self.executable.can(reader, pid, action, notes)
        })
    }

    fn total(&self, values: impl Iterator<Item = bool> + Clone) -> Option<Cost> {
        Some(values.map(Cost::from).sum())
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee::Guess
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::ByParts;
    use crate::testing::{at_start, model};

    fn active(text: &str) -> Option<Cost> {
        let model = model(text);
        at_start(&model, ByParts::new(Reader::new(&model), Active::of(&model)))
    }

    #[test]
    fn counts_who_can_move() {
        assert_eq!(active("bool b; active [3] proctype P() { b == (_pid == 1) -> skip }"), Some(2));
        assert_eq!(active("bool b; active [3] proctype P() { if :: b :: else fi }"), Some(3));
        assert_eq!(active("bool b; active [2] proctype P() { b }"), Some(0));
        assert_eq!(active("chan q = [1] of {byte}; active proctype P() { q!1 } active proctype R() { q?1 }"), Some(1));
        assert_eq!(active("bool b; active proctype P() provided (b) { skip } active proctype R() { skip }"), Some(1));
    }

    #[test]
    fn a_rendezvous_takes_two() {
        let with = |receive: &str| {
            active(&format!(
                "chan q = [0] of {{byte}}; chan r = [0] of {{byte}}; byte x;
                 active proctype P() {{ q!3 }} active proctype R() {{ {receive} }}"
            ))
        };
        assert_eq!(with("q?x"), Some(2));
        assert_eq!(with("q?3"), Some(2));
        assert_eq!(with("q?4"), Some(0));
        assert_eq!(with("r?x"), Some(0));
        assert_eq!(with("d_step { q?x; x = 0 }"), Some(2));
    }
}
