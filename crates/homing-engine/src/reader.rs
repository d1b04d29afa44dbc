//! A read-only view of states for estimates: locations of processes, values of variables and channels, and the bytes of the
//! state that they are read from.

use std::cell::RefCell;
use std::ops::Range;

use homing_core::State;
use homing_ir::{
    Action, ArgPattern, BinaryOp, Cell, Expr, Location, Model, ProctypeId, Scope, ShapeId, VarId, Variable,
};

use crate::eval::{Offer, View, binary};
use crate::layout::Layout;
use crate::working_state::WorkingState;

/// A reader of one state at a time. A value whose evaluation is a run-time error is `None`; `timeout` is false.
pub struct Reader<'m> {
    model: &'m Model,
    layout: Layout,
    work: WorkingState,
    /// A state was loaded before.
    used: bool,
    offer: RefCell<Offer>,
}

/// A channel of the state that is loaded.
#[derive(Clone, Debug)]
pub struct ChannelView {
    /// The bytes of its length and its messages; empty for a rendezvous channel.
    pub bytes: Range<usize>,
    pub length: u32,
    /// 0 for a rendezvous channel.
    pub capacity: u32,
    /// How many fields its messages have.
    pub fields: usize,
}

impl ChannelView {
    pub fn is_full(&self) -> bool {
        self.capacity > 0 && self.length == self.capacity
    }
}

impl<'m> Reader<'m> {
    pub fn new(model: &'m Model) -> Self {
        let layout = Layout::new(model);
        Reader { model, layout, work: WorkingState::default(), used: false, offer: RefCell::default() }
    }

    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// Makes `state` the one that is read.
    pub fn load(&mut self, state: &State) {
        if self.used {
            self.work.reload(&self.layout, state);
        } else {
            self.work.load(&self.layout, state);
        }
        self.used = true;
    }

    /// The state that is read; empty before the first is loaded.
    pub fn state(&self) -> &State {
        &self.work.bytes
    }

    /// Replaces some bytes of the state by those of another state with the same processes.
    #[inline]
    pub fn patch(&mut self, bytes: Range<usize>, state: &State) {
        self.work.bytes[bytes.clone()].copy_from_slice(&state[bytes]);
    }

    /// The number of processes.
    #[inline]
    pub fn processes(&self) -> usize {
        self.work.processes.len()
    }

    #[inline]
    pub fn proctype(&self, pid: usize) -> ProctypeId {
        self.work.processes[pid].proctype
    }

    /// The number of the location of a process.
    #[inline]
    pub fn location(&self, pid: usize) -> u32 {
        self.work.location(&self.layout, pid)
    }

    /// The location of a process.
    #[inline]
    pub fn current_location(&self, pid: usize) -> &'m Location {
        self.model.proctype(self.proctype(pid)).automaton.location(self.location(pid))
    }

    /// The bytes of the location of a process.
    #[inline]
    pub fn location_bytes(&self, pid: usize) -> Range<usize> {
        let start = self.work.processes[pid].offset + self.layout.type_width;
        start as usize..(start + self.layout.location_width) as usize
    }

    /// The bytes of a process and its channels.
    pub fn process_bytes(&self, pid: usize) -> Range<usize> {
        let frame = self.work.processes[pid];
        let process = &self.layout.processes[frame.proctype.index()];
        frame.offset as usize..(frame.offset + process.size + process.channels_size) as usize
    }

    /// The bytes of the globals that belong to the state, and of their channels.
    pub fn global_bytes(&self) -> Range<usize> {
        let first = self.layout.globals.iter().zip(&self.model.globals).find(|(_, variable)| !variable.hidden);
        let start = first.map_or(self.layout.channels_at, |(slot, _)| slot.offset);
        start as usize..self.layout.processes_at as usize
    }

    /// The sizes of the components of [`Self::global_bytes`], in order: a cell of a variable, or a channel.
    pub fn global_components(&self) -> Vec<usize> {
        let visible = self.model.globals.iter().filter(|variable| !variable.hidden);
        self.components(visible, &self.layout.channels)
    }

    /// The sizes of the components of a process: type, location, priority (if the model has priorities), locals, channels.
    pub fn process_components(&self, proctype: ProctypeId) -> Vec<usize> {
        let head = [self.layout.type_width, self.layout.location_width].map(|width| width as usize);
        let mut sizes = head.to_vec();
        sizes.extend(self.layout.priority_at.map(|_| 1));
        let channels = &self.layout.processes[proctype.index()].channels;
        sizes.extend(self.components(&self.model.proctype(proctype).locals, channels));
        sizes
    }

    fn components<'a>(&self, variables: impl IntoIterator<Item = &'a Variable>, channels: &[ShapeId]) -> Vec<usize> {
        let cells = variables.into_iter().flat_map(|variable| vec![variable.cell.width(); variable.cells()]);
        let channels = channels.iter().map(|shape| self.layout.shapes[shape.index()].size as usize);
        cells.chain(channels).collect()
    }

    /// The byte that holds the number of processes; an empty range if that never changes.
    pub fn count_bytes(&self) -> Range<usize> {
        self.layout.count_at.map_or(0..0, |at| at as usize..at as usize + 1)
    }

    /// The bytes that hold the type of a process.
    #[inline]
    pub fn type_bytes(&self, pid: usize) -> Range<usize> {
        let start = self.work.processes[pid].offset as usize;
        start..start + self.layout.type_width as usize
    }

    /// The value of an expression that a process evaluates.
    pub fn eval(&self, pid: usize, expr: &Expr) -> Option<i32> {
        self.view(pid).eval(expr).ok()
    }

    /// Whether an action is executable by itself for the process, whatever its location. A send over a rendezvous channel
    /// counts as executable, an `else` does not.
    pub fn is_executable(&self, pid: usize, action: &Action) -> Option<bool> {
        self.view(pid).is_executable(action).ok()
    }

    /// Whether the process may move at all: neither its `provided` clause nor a priority keeps it from moving.
    pub fn may_run(&self, pid: usize) -> Option<bool> {
        self.view(pid).may_run().ok()
    }

    /// The declaration of a variable that a process sees.
    #[inline]
    pub fn variable(&self, pid: usize, scope: Scope, var: VarId) -> &'m Variable {
        match scope {
            Scope::Global => &self.model.globals[var.index()],
            Scope::Local => &self.model.proctype(self.proctype(pid)).locals[var.index()],
            Scope::Scratch => &self.model.scratch[var.index()],
        }
    }

    /// The offset of the first cell of a variable of the state, and how it is stored.
    #[inline]
    pub fn slot(&self, pid: usize, scope: Scope, var: VarId) -> (usize, Cell) {
        let (start, slot) = match scope {
            Scope::Global => (0, self.layout.globals[var.index()]),
            Scope::Local => {
                let frame = self.work.processes[pid];
                (frame.offset, self.layout.processes[frame.proctype.index()].locals[var.index()])
            }
            Scope::Scratch => unreachable!("a scratch cell is no part of the state"),
        };
        ((start + slot.offset) as usize, slot.cell)
    }

    /// The value of a cell.
    #[inline]
    pub fn read(&self, offset: usize, cell: Cell) -> i32 {
        self.work.read(offset as u32, cell)
    }

    /// The channel with a number, which is the value of a channel variable.
    #[inline]
    pub fn channel(&self, id: i32) -> Option<ChannelView> {
        let channel = self.work.channel(&self.layout, id).ok()?;
        let (frame, shape) = channel;
        let bytes = frame.offset as usize..(frame.offset + shape.size) as usize;
        Some(ChannelView {
            bytes,
            length: self.work.length(channel),
            capacity: shape.capacity,
            fields: shape.fields.len(),
        })
    }

    /// The number of messages in all channels.
    pub fn messages(&self) -> u32 {
        let channels = self.work.channels.iter();
        channels.map(|frame| self.work.length((*frame, &self.layout.shapes[frame.shape as usize]))).sum()
    }

    /// Whether the message in a slot matches the values among the arguments of a receive.
    pub fn matches(&self, pid: usize, channel: i32, slot: u32, args: &[ArgPattern]) -> Option<bool> {
        let channel = self.work.channel(&self.layout, channel).ok()?;
        let field = |at: usize| self.work.field(channel, slot, at);
        self.view(pid).matches(args, channel.1.fields.len(), field).ok()
    }

    /// Whether the message that one process would send over this rendezvous channel is one that another would receive. Both
    /// actions use this channel, except for a receive inside a `d_step`.
    pub fn can_rendezvous(
        &self,
        channel: i32,
        (sender, send): (usize, &Action),
        (receiver, receive): (usize, &Action),
    ) -> Option<bool> {
        let mut offer = self.offer.borrow_mut();
        self.view(sender).put_offer(send, channel, &mut offer).ok()?;
        let view = self.view(receiver);
        let takes = match receive {
            Action::Receive { args, from, .. } if !from.keep => {
                view.matches(args, offer.message.len(), |at| offer.message[at])
            }
            receive => View { offer: Some(&offer), ..view }.is_executable(receive),
        };
        takes.ok()
    }

    /// The value of a binary operator.
    #[inline]
    pub fn combine(op: BinaryOp, left: i32, right: i32) -> Option<i32> {
        binary(op, left, right).ok()
    }

    fn view(&self, pid: usize) -> View<'_> {
        View { model: self.model, layout: &self.layout, work: &self.work, pid, timeout: false, offer: None, asked: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Interpreter;
    use homing_core::TransitionSystem;
    use homing_ir::Proctype;

    #[test]
    fn reads_what_the_interpreter_wrote() {
        let model = Model { proctypes: Vec::<Proctype>::new(), ..Model::default() };
        let state = Interpreter::new(&model).expect("an initial state").initial();
        let mut reader = Reader::new(&model);
        for _ in 0..2 {
            reader.load(&state);
            assert_eq!((reader.processes(), reader.messages()), (0, 0));
            assert_eq!(reader.eval(0, &Expr::ProcessCount), Some(0));
            assert_eq!(reader.count_bytes(), 0..1);
        }
    }
}
