//! Whether a statement can be executed (paper 1, §4, Fig. 11), with the partner of a rendezvous.

use homing_engine::Reader;
use homing_ir::{Action, ArgPattern, Automaton, Model, StatementId};

use crate::notes::{Notes, channel_of, note_args, note_message, value};

/// By process type and location: the statements that can be a half of a rendezvous.
struct Halves(Vec<Vec<Vec<StatementId>>>);

impl Halves {
    fn of(model: &Model, is_half: impl Fn(&Action) -> bool) -> Halves {
        let at = |automaton: &Automaton| {
            let locations = automaton.locations.iter();
            let statements = locations.map(|location| {
                let statements = location.transitions.iter().map(|transition| transition.statement);
                statements.filter(|id| is_half(&automaton.statement(*id).action)).collect()
            });
            statements.collect()
        };
        Halves(model.proctypes.iter().map(|proctype| at(&proctype.automaton)).collect())
    }

    /// Those where the process stands.
    fn standing<'m>(&self, reader: &Reader<'m>, pid: usize) -> impl Iterator<Item = &'m Action> {
        let id = reader.proctype(pid);
        let automaton = &reader.model().proctype(id).automaton;
        let statements = &self.0[id.index()][reader.location(pid) as usize];
        statements.iter().map(|statement| &automaton.statement(*statement).action)
    }
}

/// Knows who can meet whom.
pub struct Executable {
    sends: Halves,
    receives: Halves,
}

impl Executable {
    pub fn of(model: &Model) -> Self {
        let any = model.shapes.iter().any(|shape| shape.capacity == 0);
        let sends = Halves::of(model, |action| any && matches!(action, Action::Send { .. }));
        let receives = Halves::of(model, |action| any && may_receive(action));
        Executable { sends, receives }
    }

    /// Whether a process can execute an action now, wherever it stands; `else` always. So can what ends in an error.
    pub fn can<N: Notes>(&self, reader: &Reader<'_>, pid: usize, action: &Action, notes: &mut N) -> bool {
        match action {
            Action::Condition(guard) => value(reader, pid, guard, notes) != Some(0),
            Action::Send { channel, args, .. } => {
                let Some((id, found)) = channel_of(reader, pid, channel, notes) else { return true };
                if found.capacity > 0 {
                    return found.length < found.capacity;
                }
                note_message(reader, pid, args, notes);
                self.is_received(reader, pid, action, id, notes)
            }
            Action::Receive { channel, args, .. } => {
                let Some((id, found)) = channel_of(reader, pid, channel, notes) else { return true };
                if found.capacity > 0 && found.length == 0 {
                    return false;
                }
                note_args(reader, pid, args, notes);
                if found.capacity > 0 {
                    return reader.is_executable(pid, action) != Some(false);
                }
                self.is_sent(reader, pid, action, id, notes)
            }
            action @ Action::DStep(_) => {
                never_blocks(action) || guards(action).any(|guard| self.can(reader, pid, guard, notes))
            }
            Action::End => pid + 1 == reader.processes(),
            Action::Event { .. } => false,
            _ => true,
        }
    }

    /// Whether some process waits for the message.
    fn is_received<N: Notes>(&self, reader: &Reader<'_>, pid: usize, send: &Action, id: i32, notes: &mut N) -> bool {
        self.meets(reader, pid, &self.receives, notes, |other, receive, notes| {
            awaits(reader, other, receive, id, notes)
                && (takes_all(receive) || reader.shake_hands(pid, send, other, receive) != Some(false))
        })
    }

    /// Whether some process has a message to send.
    fn is_sent<N: Notes>(&self, reader: &Reader<'_>, pid: usize, receive: &Action, id: i32, notes: &mut N) -> bool {
        self.meets(reader, pid, &self.sends, notes, |other, send, notes| {
            let Action::Send { channel, args, .. } = send else { return false };
            if value(reader, other, channel, notes) != Some(id) {
                return false;
            }
            note_message(reader, other, args, notes);
            takes_all(receive) || reader.shake_hands(other, send, pid, receive) != Some(false)
        })
    }

    /// Whether another process stands where it has the other half.
    fn meets<N: Notes>(
        &self,
        reader: &Reader<'_>,
        pid: usize,
        halves: &Halves,
        notes: &mut N,
        fits: impl Fn(usize, &Action, &mut N) -> bool,
    ) -> bool {
        (0..reader.processes()).filter(|&other| other != pid).any(|other| {
            notes.read(reader.location_bytes(other));
            halves.standing(reader, other).any(|half| fits(other, half, notes)) && reader.may_run(other) != Some(false)
        })
    }
}

fn may_receive(action: &Action) -> bool {
    match action {
        Action::Receive { .. } => true,
        Action::DStep(block) => block.guards.iter().any(may_receive),
        _ => false,
    }
}

/// Whether the action receives every message of its channel.
fn takes_all(receive: &Action) -> bool {
    let Action::Receive { args, .. } = receive else { return false };
    !args.iter().any(|arg| matches!(arg, ArgPattern::Match { .. }))
}

/// Whether the action receives from the channel, whatever the message.
fn awaits<N: Notes>(reader: &Reader<'_>, pid: usize, receive: &Action, id: i32, notes: &mut N) -> bool {
    match receive {
        Action::Receive { channel, args, .. } => {
            let is_same = value(reader, pid, channel, notes).is_none_or(|channel| channel == id);
            if is_same {
                note_args(reader, pid, args, notes);
            }
            is_same
        }
        Action::DStep(_) => guards(receive).any(|guard| awaits(reader, pid, guard, id, notes)),
        _ => false,
    }
}

/// The tests that a `d_step` begins with. An `else` among others counts for nothing.
pub fn guards(action: &Action) -> impl Iterator<Item = &Action> {
    let guards = match action {
        Action::DStep(block) => &block.guards[..],
        _ => &[],
    };
    guards.iter().filter(|guard| !matches!(guard, Action::Else))
}

/// Whether the action can always be executed, as far as can be told from the model alone.
pub fn never_blocks(action: &Action) -> bool {
    match action {
        Action::Condition(guard) => guard.as_constant().is_some_and(|value| value != 0),
        Action::Send { .. } | Action::Receive { .. } | Action::End | Action::Event { .. } => false,
        Action::DStep(block) => matches!(block.guards[..], [] | [Action::Else]) || guards(action).any(never_blocks),
        _ => true,
    }
}
