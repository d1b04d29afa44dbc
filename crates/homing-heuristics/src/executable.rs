//! Whether a statement is executable in a state ([ELL-04] §4, Fig. 11), with a partner for a rendezvous.

use std::ops::{Deref, Range};

use homing_core::State;
use homing_engine::{ChannelView, Reader};
use homing_ir::{Action, ArgPattern, Automaton, Edge, Expr, Model, ProctypeId};

use crate::distance::Deferred;
use crate::rate::Rates;
use crate::read_set::{ReadSet, channel_of, read_args, read_message, value};

/// The statements that can be one half of a rendezvous.
struct RendezvousHalves<'m> {
    /// By process type and location.
    statements: Vec<Vec<Vec<&'m Action>>>,
    /// By process type: the expressions for their channels; `None` if the value of one may change.
    channels: Vec<Option<Vec<&'m Expr>>>,
    /// By process: a bit for each channel that they may use. Channels may share a bit.
    channels_used: Vec<u64>,
}

impl<'m> RendezvousHalves<'m> {
    fn of(model: &'m Model, rates: &Rates, is_half: impl Fn(&Action) -> bool) -> Self {
        let halves_of = |automaton: &'m Automaton| {
            let statements = automaton.locations.iter().map(|location| {
                let actions = location.transitions.iter().map(|to| &automaton.statement(to.statement).action);
                actions.filter(|action| is_half(action)).collect()
            });
            statements.collect::<Vec<Vec<&'m Action>>>()
        };
        let statements: Vec<_> = model.proctypes.iter().map(|proctype| halves_of(&proctype.automaton)).collect();
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
        RendezvousHalves { statements, channels, channels_used: Vec::new() }
    }

    /// Computes which channels each process of the state may use.
    fn find_channels<R: ReadSet>(&mut self, reader: &Reader<'m>, reads: &mut R) {
        self.channels_used.clear();
        self.channels_used.extend((0..reader.processes()).map(|pid| {
            let Some(channels) = &self.channels[reader.proctype(pid).index()] else { return u64::MAX };
            let bits = channels.iter().map(|channel| value(reader, pid, channel, reads).map_or(u64::MAX, bit));
            bits.fold(0, |all, bit| all | bit)
        }));
    }

    /// The halves at the location of a process.
    fn at_location_of(&self, reader: &Reader<'m>, pid: usize) -> &[&'m Action] {
        &self.statements[reader.proctype(pid).index()][reader.location(pid) as usize]
    }
}

/// The bit of a channel in [`RendezvousHalves::channels_used`].
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

/// A state, and which processes can be partners in a rendezvous in it.
pub struct StateView<'m> {
    reader: Reader<'m>,
    sends: RendezvousHalves<'m>,
    receives: RendezvousHalves<'m>,
}

impl<'m> Deref for StateView<'m> {
    type Target = Reader<'m>;

    fn deref(&self) -> &Reader<'m> {
        &self.reader
    }
}

impl<'m> StateView<'m> {
    pub fn of(model: &'m Model) -> Self {
        let any = model.shapes.iter().any(|shape| shape.capacity == 0);
        let rates = Rates::of(model, Deferred::Counted);
        let sends = RendezvousHalves::of(model, &rates, |action| any && matches!(action, Action::Send { .. }));
        let receives = RendezvousHalves::of(model, &rates, |action| any && may_receive(action));
        StateView { reader: Reader::new(model), sends, receives }
    }

    /// Loads a state that may have other processes. Reads their number, their types and the channels they use.
    pub fn enter<R: ReadSet>(&mut self, state: &State, reads: &mut R) {
        self.reader.load(state);
        reads.read(self.reader.count_bytes());
        (0..self.reader.processes()).for_each(|pid| reads.read(self.reader.type_bytes(pid)));
        self.sends.find_channels(&self.reader, reads);
        self.receives.find_channels(&self.reader, reads);
    }

    /// Loads a state with the same processes.
    pub fn load(&mut self, state: &State) {
        self.reader.load(state);
    }

    /// Overwrites some bytes, as [`Reader::patch`] does.
    #[inline]
    pub fn patch(&mut self, bytes: Range<usize>, state: &State) {
        self.reader.patch(bytes, state);
    }

    /// Whether a process can execute an action now, wherever it is; `else` always can, and so can what ends in an
    /// error.
    pub fn can<R: ReadSet>(&self, pid: usize, action: &Action, reads: &mut R) -> bool {
        let reader = &self.reader;
        match action {
            Action::Condition(guard) => value(reader, pid, guard, reads) != Some(0),
            Action::Send { channel, .. } | Action::Receive { channel, .. } => {
                let found = channel_of(reader, pid, channel, reads);
                found.is_none_or(|(id, found)| self.can_pass(pid, action, (id, &found), reads))
            }
            action @ Action::DStep(_) => {
                never_blocks(action) || guards(action).any(|guard| self.can(pid, guard, reads))
            }
            // whether there is a partner is not asked
            Action::Edge(edge) => edge.guard.as_ref().is_none_or(|guard| value(reader, pid, guard, reads) != Some(0)),
            Action::End => pid + 1 == reader.processes(),
            Action::Event { .. } => false,
            _ => true,
        }
    }

    /// Whether its `provided` clause or its priority keeps the process from moving.
    pub fn is_held<R: ReadSet>(&self, pid: usize, reads: &mut R) -> bool {
        let (reader, model) = (&self.reader, self.reader.model());
        let provided = &model.proctype(reader.proctype(pid)).provided;
        if let Some(provided) = provided {
            value(reader, pid, provided, reads);
        }
        if model.features.priorities {
            reads.read_everything();
        }
        (model.features.priorities || provided.is_some()) && reader.may_run(pid) == Some(false)
    }

    /// Whether a process can send or receive a message by this channel.
    pub fn can_pass<R: ReadSet>(
        &self,
        pid: usize,
        action: &Action,
        (id, found): (i32, &ChannelView),
        reads: &mut R,
    ) -> bool {
        let reader = &self.reader;
        match action {
            Action::Send { .. } if found.capacity > 0 => found.length < found.capacity,
            Action::Receive { .. } if found.capacity > 0 && found.length == 0 => false,
            Action::Send { args, .. } => {
                read_message(reader, pid, args, reads);
                self.is_received(pid, action, id, reads)
            }
            Action::Receive { args, .. } => {
                read_args(reader, pid, args, reads);
                if found.capacity > 0 {
                    return reader.is_executable(pid, action) != Some(false);
                }
                self.is_sent(pid, action, id, reads)
            }
            _ => false,
        }
    }

    /// Whether another process is ready to receive the message.
    fn is_received<R: ReadSet>(&self, pid: usize, send: &Action, id: i32, reads: &mut R) -> bool {
        let reader = &self.reader;
        self.has_partner(pid, &self.receives, id, reads, |other, receive, reads| {
            let shakes = || reader.can_rendezvous(id, (pid, send), (other, receive)) != Some(false);
            awaits(reader, other, receive, id, reads).is_none_or(|awaits| awaits && (takes_all(receive) || shakes()))
        })
    }

    /// Whether another process is ready to send a message.
    fn is_sent<R: ReadSet>(&self, pid: usize, receive: &Action, id: i32, reads: &mut R) -> bool {
        let reader = &self.reader;
        self.has_partner(pid, &self.sends, id, reads, |other, send, reads| {
            let Action::Send { channel, args, .. } = send else { return false };
            if value(reader, other, channel, reads) != Some(id) {
                return false;
            }
            read_message(reader, other, args, reads);
            takes_all(receive) || reader.can_rendezvous(id, (other, send), (pid, receive)) != Some(false)
        })
    }

    /// Whether another process is ready for the other half. Only processes are read that may use the channel.
    fn has_partner<R: ReadSet>(
        &self,
        pid: usize,
        halves: &RendezvousHalves<'_>,
        id: i32,
        reads: &mut R,
        fits: impl Fn(usize, &Action, &mut R) -> bool,
    ) -> bool {
        let (reader, bit) = (&self.reader, bit(id));
        let channels_used = halves.channels_used.iter().enumerate();
        let mut others = channels_used
            .filter(|&(other, channels_used)| other != pid && channels_used & bit != 0)
            .map(|(other, _)| other);
        others.any(|other| {
            reads.read(reader.location_bytes(other));
            halves.at_location_of(reader, other).iter().any(|half| fits(other, half, reads))
                && !self.is_held(other, reads)
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

/// Whether the action receives from the channel, whatever the message; `None` if that cannot be evaluated.
fn awaits<R: ReadSet>(reader: &Reader<'_>, pid: usize, receive: &Action, id: i32, reads: &mut R) -> Option<bool> {
    match receive {
        Action::Receive { channel, args, .. } => {
            let is_same = value(reader, pid, channel, reads).map(|channel| channel == id);
            if is_same != Some(false) {
                read_args(reader, pid, args, reads);
            }
            is_same
        }
        Action::DStep(_) => {
            let awaiting = guards(receive).filter(|guard| awaits(reader, pid, guard, id, reads) != Some(false));
            Some(awaiting.count() > 0) // reads all of them, since any of them may take the message
        }
        _ => Some(false),
    }
}

/// The guards of a `d_step`. An `else` among others is left out.
pub fn guards(action: &Action) -> impl Iterator<Item = &Action> {
    let guards = match action {
        Action::DStep(block) => &block.guards[..],
        _ => &[],
    };
    guards.iter().filter(|guard| !matches!(guard, Action::Else))
}

/// Whether the action is executable in every state, as far as the model alone tells.
pub fn never_blocks(action: &Action) -> bool {
    match action {
        Action::Condition(guard) => guard.as_constant().is_some_and(|value| value != 0),
        Action::Send { .. } | Action::Receive { .. } | Action::End | Action::Event { .. } => false,
        Action::DStep(block) => matches!(block.guards[..], [] | [Action::Else]) || guards(action).any(never_blocks),
        Action::Edge(edge) => {
            let is_open = |guard: &Expr| guard.as_constant().is_some_and(|value| value != 0);
            edge.guard.as_ref().is_none_or(is_open) && !needs_partner(edge)
        }
        _ => true,
    }
}

/// Whether an edge of a network is taken only together with another: it receives, or sends to one receiver.
pub fn needs_partner(edge: &Edge) -> bool {
    edge.signal.as_ref().is_some_and(|signal| !signal.emits || !signal.broadcast)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_set::ReadSets;
    use crate::testing::{initial, model};
    use homing_ir::{Scope, VarId};

    #[test]
    fn who_may_not_run_is_no_partner() {
        let model = model(
            "chan c = [0] of {byte}; bool b; active proctype P() { c!1; b = 1 }
             active proctype Q() provided (b) { c?_ }",
        );
        let (state, mut view, mut reads) = (initial(&model), StateView::of(&model), ReadSets::default());
        reads.clear(state.len());
        view.enter(&state, &mut reads);
        reads.begin(0);
        let send = &model.proctypes[0].automaton.statement(view.current_location(0).transitions[0].statement).action;
        assert!(!view.can(0, send, &mut reads));
        let (offset, cell) = view.slot(0, Scope::Global, VarId(1));
        assert_eq!(reads.readers(offset..offset + cell.width()).parts(2).collect::<Vec<_>>(), [0]);
    }

    #[test]
    fn only_who_can_use_the_channel_is_looked_at() {
        let looked_at = |channel: &str| {
            let model = model(&format!(
                "chan c[2] = [0] of {{byte}}; byte x;
                 active [2] proctype P() {{ c[_pid]!1; x = 1 }} active [2] proctype Q() {{ c[{channel}]?_ }}"
            ));
            let (state, mut view, mut reads) = (initial(&model), StateView::of(&model), ReadSets::default());
            reads.clear(state.len());
            view.enter(&state, &mut reads);
            reads.begin(0);
            let send = &view.current_location(0).transitions[0];
            let send = &model.proctypes[0].automaton.statement(send.statement).action;
            let can = view.can(0, send, &mut reads);
            let is_read = |pid: usize| reads.readers(view.location_bytes(pid)).parts(4).next() == Some(0);
            (can, [1, 2, 3].map(is_read))
        };
        assert_eq!(looked_at("_pid - 2"), (true, [false, true, false]));
        assert_eq!(looked_at("3 - _pid"), (true, [false, false, true]));
        assert_eq!(looked_at("1 - x"), (false, [false, true, true]));
    }
}
