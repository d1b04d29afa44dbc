//! Whether a statement can be executed (paper 1, §4, Fig. 11), with the partner of a rendezvous.

use homing_engine::Reader;
use homing_ir::{Action, Automaton, Expr, Model, StatementId};

use crate::notes::{Notes, note_args, note_channel, note_expr};

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
            Action::Condition(guard) => {
                note_expr(reader, pid, guard, notes);
                reader.eval(pid, guard) != Some(0)
            }
            Action::Send { channel, args, .. } => {
                note_channel(reader, pid, channel, notes);
                let Some(found) = reader.eval(pid, channel).and_then(|id| reader.channel(id)) else { return true };
                if found.capacity > 0 {
                    return found.length < found.capacity;
                }
                args.iter().for_each(|arg| note_expr(reader, pid, arg, notes));
                self.is_received(reader, pid, action, notes)
            }
            Action::Receive { channel, args, .. } => {
                note_channel(reader, pid, channel, notes);
                note_args(reader, pid, args, notes);
                let Some(found) = reader.eval(pid, channel).and_then(|id| reader.channel(id)) else { return true };
                if found.capacity > 0 {
                    return reader.is_executable(pid, action) != Some(false);
                }
                self.is_sent(reader, pid, channel, action, notes)
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
    fn is_received<N: Notes>(&self, reader: &Reader<'_>, pid: usize, send: &Action, notes: &mut N) -> bool {
        let others = (0..reader.processes()).filter(|&other| other != pid);
        let mut waits = |other: usize| {
            notes.read(reader.location_bytes(other));
            self.receives.standing(reader, other).any(|receive| {
                note_receive(reader, other, receive, notes);
                reader.shake_hands(pid, send, other, receive) != Some(false) && reader.may_run(other) != Some(false)
            })
        };
        others.into_iter().any(&mut waits)
    }

    /// Whether some process has a message to send.
    fn is_sent<N: Notes>(
        &self,
        reader: &Reader<'_>,
        pid: usize,
        channel: &Expr,
        receive: &Action,
        notes: &mut N,
    ) -> bool {
        let wanted = reader.eval(pid, channel);
        let others = (0..reader.processes()).filter(|&other| other != pid);
        let mut offers = |other: usize| {
            notes.read(reader.location_bytes(other));
            self.sends.standing(reader, other).any(|send| {
                let Action::Send { channel, args, .. } = send else { return false };
                note_expr(reader, other, channel, notes);
                if reader.eval(other, channel) != wanted {
                    return false;
                }
                args.iter().for_each(|arg| note_expr(reader, other, arg, notes));
                reader.shake_hands(other, send, pid, receive) != Some(false) && reader.may_run(other) != Some(false)
            })
        };
        others.into_iter().any(&mut offers)
    }
}

fn may_receive(action: &Action) -> bool {
    match action {
        Action::Receive { .. } => true,
        Action::DStep(block) => block.guards.iter().any(may_receive),
        _ => false,
    }
}

fn note_receive<N: Notes>(reader: &Reader<'_>, pid: usize, receive: &Action, notes: &mut N) {
    match receive {
        Action::Receive { channel, args, .. } => {
            note_expr(reader, pid, channel, notes);
            note_args(reader, pid, args, notes);
        }
        Action::DStep(block) => block.guards.iter().for_each(|guard| note_receive(reader, pid, guard, notes)),
        _ => {}
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
