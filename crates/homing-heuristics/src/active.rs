//! The number of active processes, H_ap (paper 1, §4, "Active Processes"): in a deadlock all are blocked.
//!
//! A process counts if it can execute a statement; a half of a rendezvous can be executed when its partner is there, so
//! both halves count. A guess: one statement can block many processes. In a model that is not reduced it is 0 where nobody can
//! move, and where all wait for a `timeout`.
//!
//! Differs from the paper: an active process counts as many statements as the shortest step of its type that can be blocked,
//! not 1. In the paper a run through an atomic sequence is one transition; here paths are as long as their
//! statements, and philosophers who take a fork by two would seem to get away from the deadlock with each fork. (To count the
//! statements of its own next step was tried: it lures a greedy search to where steps are short.) What a process has absorbed
//! and not paid for counts as well, blocked or not: an invalid end state pays for it.
//!
//! Of states with as many active processes those are better in which fewer of the blocked ones wait for a message that an
//! active one is about to send, or for room that it is about to make: they will be woken.

use homing_core::{Cost, Guarantee};
use homing_engine::Reader;
use homing_ir::{Action, ArgPattern, Automaton, Model, Transition};

use crate::distance::of_steps;
use crate::executable::{Executable, never_blocks};
use crate::notes::{Notes, value};
use crate::parts::Parts;

pub struct Active {
    executable: Executable,
    /// What an active process counts, by type.
    steps: Vec<Cost>,
    priorities: bool,
    /// The model has channels.
    channels: bool,
}

/// What is known of a process.
#[derive(Clone, Copy)]
pub struct Seen {
    counts: Cost,
    active: bool,
    /// What it may send next and what it may receive next: a bit for a message in a channel, which others may share.
    sends: u64,
    receives: u64,
}

impl Active {
    pub fn of(model: &Model) -> Self {
        let steps = model.proctypes.iter().map(|proctype| least_step(&proctype.automaton)).collect();
        let (priorities, channels) = (model.features.priorities, !model.shapes.is_empty());
        Active { executable: Executable::of(model), steps, priorities, channels }
    }

    /// What the process may send and receive where it stands.
    fn exchanges<N: Notes>(reader: &Reader<'_>, pid: usize, notes: &mut N) -> (u64, u64) {
        let automaton = &reader.model().proctype(reader.proctype(pid)).automaton;
        let (mut sends, mut receives) = (0, 0);
        for transition in &automaton.location(reader.location(pid)).transitions {
            let (channel, first, bits) = match &automaton.statement(transition.statement).action {
                Action::Send { channel, args, .. } => (channel, args.first(), &mut sends),
                Action::Receive { channel, args, .. } => {
                    let matched = args.first().and_then(|arg| match arg {
                        ArgPattern::Match { value, .. } => Some(value),
                        _ => None,
                    });
                    (channel, matched, &mut receives)
                }
                _ => continue,
            };
            let Some(channel) = value(reader, pid, channel, notes) else { continue };
            let message = first.and_then(|first| first.as_constant()).unwrap_or(-1);
            *bits |= 1 << (channel.wrapping_mul(37).wrapping_add(message) & 63);
        }
        (sends, receives)
    }

    /// Whether the process can move.
    fn is_active<N: Notes>(&self, reader: &Reader<'_>, pid: usize, notes: &mut N) -> bool {
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
}

/// The least number of statements of a step that begins where a process can be blocked.
fn least_step(automaton: &Automaton) -> Cost {
    let action = |transition: &Transition| &automaton.statement(transition.statement).action;
    let waits = |action: &Action| !never_blocks(action) && !matches!(action, Action::End);
    let steps = automaton.locations.iter().zip(of_steps(automaton));
    let blocking = steps.filter(|(location, _)| location.transitions.iter().map(action).all(waits));
    blocking.filter_map(|(_, step)| step).min().unwrap_or(1)
}

impl Parts for Active {
    type Value = Seen;

    fn value<N: Notes>(&self, reader: &Reader<'_>, pid: usize, notes: &mut N) -> Seen {
        notes.read(reader.location_bytes(pid));
        let active = self.is_active(reader, pid, notes);
        let step = self.steps[reader.proctype(pid).index()];
        let counts = reader.standing(pid).pending + if active { step } else { 0 };
        let (sends, receives) = if self.channels { Self::exchanges(reader, pid, notes) } else { (0, 0) };
        Seen { counts, active, sends, receives }
    }

    fn total(&self, values: impl Iterator<Item = Seen> + Clone) -> Option<Cost> {
        Some(values.map(|seen| seen.counts).sum())
    }

    fn tie(&self, values: impl Iterator<Item = Seen> + Clone) -> Cost {
        if !self.channels {
            return 0;
        }
        let waking = |blocked: Seen| -> Cost {
            let wakes =
                |by: Seen| (blocked.receives & by.sends).count_ones() + (blocked.sends & by.receives).count_ones();
            values.clone().filter(|seen| seen.active).map(wakes).sum()
        };
        values.clone().filter(|seen| !seen.active).map(waking).sum()
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
    fn a_step_counts_its_statements() {
        let text = "bool b; active proctype P() { end: do :: atomic { !b -> b = 1; b = 1 } od }";
        assert_eq!(active(text), Some(3));
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
