//! Whether a statement can be executed (paper 1, §4, Fig. 11), with the partner of a rendezvous.

use std::ops::{Deref, Range};

use homing_core::State;
use homing_engine::{ChannelView, Reader};
use homing_ir::{Action, ArgPattern, Automaton, Expr, Model, ProctypeId};

use crate::distance::Charge;
use crate::notes::{Notes, channel_of, note_args, note_message, value};
use crate::rate::Rates;

/// Statements that can be one of the halves of a rendezvous.
struct Halves<'m> {
    /// By process type and location.
    statements: Vec<Vec<Vec<&'m Action>>>,
    /// By process type: what says which channels they are for; none if that may change.
    channels: Vec<Option<Vec<&'m Expr>>>,
    /// By process: a bit for each channel that they can be for. Some of many channels share one.
    reach: Vec<u64>,
}

impl<'m> Halves<'m> {
    fn of(model: &'m Model, rates: &Rates, is_half: impl Fn(&Action) -> bool) -> Self {
        let standing = |automaton: &'m Automaton| {
            let statements = automaton.locations.iter().map(|location| {
                let actions = location.transitions.iter().map(|to| &automaton.statement(to.statement).action);
                actions.filter(|action| is_half(action)).collect()
            });
            statements.collect::<Vec<Vec<&'m Action>>>()
        };
        let statements: Vec<_> = model.proctypes.iter().map(|proctype| standing(&proctype.automaton)).collect();
        let channels = (0..).map(ProctypeId).zip(&statements).map(|(id, halves)| {
            let mut known: Vec<&'m Expr> = Vec::new();
            let mut note = |channel| {
                if !known.contains(&channel) {
                    known.push(channel);
                }
            };
            halves.iter().flatten().for_each(|half| for_each_channel(half, &mut note));
            known.iter().all(|channel| rates.is_fixed(Some(id), channel)).then_some(known)
        });
        let channels = channels.collect();
        Halves { statements, channels, reach: Vec::new() }
    }

    /// Finds out which channels the processes can use that are there.
    fn meet<N: Notes>(&mut self, reader: &Reader<'m>, notes: &mut N) {
        self.reach.clear();
        self.reach.extend((0..reader.processes()).map(|pid| {
            let Some(channels) = &self.channels[reader.proctype(pid).index()] else { return u64::MAX };
            let bits = channels.iter().map(|channel| value(reader, pid, channel, notes).map_or(u64::MAX, bit));
            bits.fold(0, |all, bit| all | bit)
        }));
    }

    /// Those where the process stands.
    fn standing(&self, reader: &Reader<'m>, pid: usize) -> &[&'m Action] {
        &self.statements[reader.proctype(pid).index()][reader.location(pid) as usize]
    }
}

/// The bit of a channel.
fn bit(channel: i32) -> u64 {
    1 << (channel as u32 % u64::BITS)
}

fn for_each_channel<'m>(half: &'m Action, visit: &mut impl FnMut(&'m Expr)) {
    match half {
        Action::Send { channel, .. } | Action::Receive { channel, .. } => visit(channel),
        Action::DStep(_) => guards(half).for_each(|guard| for_each_channel(guard, visit)),
        _ => {}
    }
}

/// A state that is read, and who can meet whom in it.
pub struct Scene<'m> {
    reader: Reader<'m>,
    sends: Halves<'m>,
    receives: Halves<'m>,
}

impl<'m> Deref for Scene<'m> {
    type Target = Reader<'m>;

    fn deref(&self) -> &Reader<'m> {
        &self.reader
    }
}

impl<'m> Scene<'m> {
    pub fn of(model: &'m Model) -> Self {
        let any = model.shapes.iter().any(|shape| shape.capacity == 0);
        let rates = Rates::of(model, Charge::Full);
        let sends = Halves::of(model, &rates, |action| any && matches!(action, Action::Send { .. }));
        let receives = Halves::of(model, &rates, |action| any && may_receive(action));
        Scene { reader: Reader::new(model), sends, receives }
    }

    /// A state with other processes. Notes what tells how many there are, of which types, and which channels they use.
    pub fn enter<N: Notes>(&mut self, state: &State, notes: &mut N) {
        self.reader.load(state);
        notes.read(self.reader.count_bytes());
        (0..self.reader.processes()).for_each(|pid| notes.read(self.reader.type_bytes(pid)));
        self.sends.meet(&self.reader, notes);
        self.receives.meet(&self.reader, notes);
    }

    /// A state with the same processes.
    pub fn load(&mut self, state: &State) {
        self.reader.load(state);
    }

    /// As [`Reader::patch`].
    #[inline]
    pub fn patch(&mut self, bytes: Range<usize>, state: &State) {
        self.reader.patch(bytes, state);
    }

    /// Whether a process can execute an action now, wherever it stands; `else` always. So can what ends in an error.
    pub fn can<N: Notes>(&self, pid: usize, action: &Action, notes: &mut N) -> bool {
        let reader = &self.reader;
        match action {
            Action::Condition(guard) => value(reader, pid, guard, notes) != Some(0),
            Action::Send { channel, .. } | Action::Receive { channel, .. } => {
                let found = channel_of(reader, pid, channel, notes);
                found.is_none_or(|(id, found)| self.can_pass(pid, action, (id, &found), notes))
            }
            action @ Action::DStep(_) => {
                never_blocks(action) || guards(action).any(|guard| self.can(pid, guard, notes))
            }
            Action::End => pid + 1 == reader.processes(),
            Action::Event { .. } => false,
            _ => true,
        }
    }

    /// Whether something keeps the process from moving, whatever its statements.
    pub fn is_kept<N: Notes>(&self, pid: usize, notes: &mut N) -> bool {
        let (reader, model) = (&self.reader, self.reader.model());
        let provided = &model.proctype(reader.proctype(pid)).provided;
        if let Some(provided) = provided {
            value(reader, pid, provided, notes);
        }
        if model.features.priorities {
            notes.everything();
        }
        (model.features.priorities || provided.is_some()) && reader.may_run(pid) == Some(false)
    }

    /// Whether a process can send or receive a message by this channel.
    pub fn can_pass<N: Notes>(
        &self,
        pid: usize,
        action: &Action,
        (id, found): (i32, &ChannelView),
        notes: &mut N,
    ) -> bool {
        let reader = &self.reader;
        match action {
            Action::Send { .. } if found.capacity > 0 => found.length < found.capacity,
            Action::Receive { .. } if found.capacity > 0 && found.length == 0 => false,
            Action::Send { args, .. } => {
                note_message(reader, pid, args, notes);
                self.is_received(pid, action, id, notes)
            }
            Action::Receive { args, .. } => {
                note_args(reader, pid, args, notes);
                if found.capacity > 0 {
                    return reader.is_executable(pid, action) != Some(false);
                }
                self.is_sent(pid, action, id, notes)
            }
            _ => false,
        }
    }

    /// Whether some process waits for the message.
    fn is_received<N: Notes>(&self, pid: usize, send: &Action, id: i32, notes: &mut N) -> bool {
        let reader = &self.reader;
        self.meets(pid, &self.receives, id, notes, |other, receive, notes| {
            let shakes = || reader.can_rendezvous(id, (pid, send), (other, receive)) != Some(false);
            awaits(reader, other, receive, id, notes).is_none_or(|awaits| awaits && (takes_all(receive) || shakes()))
        })
    }

    /// Whether some process has a message to send.
    fn is_sent<N: Notes>(&self, pid: usize, receive: &Action, id: i32, notes: &mut N) -> bool {
        let reader = &self.reader;
        self.meets(pid, &self.sends, id, notes, |other, send, notes| {
            let Action::Send { channel, args, .. } = send else { return false };
            if value(reader, other, channel, notes) != Some(id) {
                return false;
            }
            note_message(reader, other, args, notes);
            takes_all(receive) || reader.can_rendezvous(id, (other, send), (pid, receive)) != Some(false)
        })
    }

    /// Whether another process stands where it has the other half. Only those are looked at that can use the channel.
    fn meets<N: Notes>(
        &self,
        pid: usize,
        halves: &Halves<'_>,
        id: i32,
        notes: &mut N,
        fits: impl Fn(usize, &Action, &mut N) -> bool,
    ) -> bool {
        let (reader, bit) = (&self.reader, bit(id));
        let reach = halves.reach.iter().enumerate();
        let mut others = reach.filter(|&(other, reach)| other != pid && reach & bit != 0).map(|(other, _)| other);
        others.any(|other| {
            notes.read(reader.location_bytes(other));
            halves.standing(reader, other).iter().any(|half| fits(other, half, notes)) && !self.is_kept(other, notes)
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

/// Whether the action receives from the channel, whatever the message. None if there is no telling.
fn awaits<N: Notes>(reader: &Reader<'_>, pid: usize, receive: &Action, id: i32, notes: &mut N) -> Option<bool> {
    match receive {
        Action::Receive { channel, args, .. } => {
            let is_same = value(reader, pid, channel, notes).map(|channel| channel == id);
            if is_same != Some(false) {
                note_args(reader, pid, args, notes);
            }
            is_same
        }
        Action::DStep(_) => {
            let awaiting = guards(receive).filter(|guard| awaits(reader, pid, guard, id, notes) != Some(false));
            Some(awaiting.count() > 0) // all are looked at, since the message may be for any of them
        }
        _ => Some(false),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notes::Notebook;
    use crate::testing::{initial, model};
    use homing_ir::{Scope, VarId};

    #[test]
    fn who_may_not_run_is_no_partner() {
        let model = model(
            "chan c = [0] of {byte}; bool b; active proctype P() { c!1; b = 1 }
             active proctype Q() provided (b) { c?_ }",
        );
        let (state, mut scene, mut notebook) = (initial(&model), Scene::of(&model), Notebook::default());
        notebook.clear(state.len());
        scene.enter(&state, &mut notebook);
        notebook.begin(0);
        let send = &model.proctypes[0].automaton.statement(scene.current_location(0).transitions[0].statement).action;
        assert!(!scene.can(0, send, &mut notebook));
        let (offset, cell) = scene.slot(0, Scope::Global, VarId(1));
        assert_eq!(notebook.readers(offset..offset + cell.width()).parts(2).collect::<Vec<_>>(), [0]);
    }

    #[test]
    fn only_who_can_use_the_channel_is_looked_at() {
        let looked_at = |channel: &str| {
            let model = model(&format!(
                "chan c[2] = [0] of {{byte}}; byte x;
                 active [2] proctype P() {{ c[_pid]!1; x = 1 }} active [2] proctype Q() {{ c[{channel}]?_ }}"
            ));
            let (state, mut scene, mut notebook) = (initial(&model), Scene::of(&model), Notebook::default());
            notebook.clear(state.len());
            scene.enter(&state, &mut notebook);
            notebook.begin(0);
            let send = &scene.current_location(0).transitions[0];
            let send = &model.proctypes[0].automaton.statement(send.statement).action;
            let can = scene.can(0, send, &mut notebook);
            let is_read = |pid: usize| notebook.readers(scene.location_bytes(pid)).parts(4).next() == Some(0);
            (can, [1, 2, 3].map(is_read))
        };
        assert_eq!(looked_at("_pid - 2"), (true, [false, true, false]));
        assert_eq!(looked_at("3 - _pid"), (true, [false, false, true]));
        assert_eq!(looked_at("1 - x"), (false, [false, true, true]));
    }
}
