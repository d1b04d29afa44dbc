//! What executing a statement does to a state.

use homing_core::StopToken;
use homing_ir::{
    Action, ArgPattern, Block, BlockNode, Cell, Expr, InitValue, Model, NodeId, ProctypeId, Queueing, VarId, VarRef,
};

use crate::effect::{CellRef, Effect};
use crate::eval::{Offer, View};
use crate::fault::Fault;
use crate::layout::Layout;
use crate::printf;
use crate::work::Work;

/// What went wrong without ending the run: execution goes on behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Breach {
    /// An assertion that does not hold.
    Assertion(Expr),
    /// A trace that cannot follow, or a notrace that was followed to its end.
    Trace {
        message: &'static str,
        /// It broke at the send of a rendezvous, before the receive.
        early: bool,
    },
}

impl Breach {
    /// Marks what broke at the send of a rendezvous.
    pub fn is_early(&mut self) {
        if let Breach::Trace { early, .. } = self {
            *early = true;
        }
    }
}

/// Executes statements of one process.
pub struct Executor<'a> {
    pub model: &'a Model,
    pub layout: &'a Layout,
    pub work: &'a mut Work,
    pub pid: usize,
    pub timeout: bool,
    /// The message of a rendezvous that this process receives.
    pub offer: Option<&'a Offer>,
    pub breaches: &'a mut Vec<Breach>,
    /// Where effects are written down, if somebody looks on.
    pub log: Option<&'a mut Vec<Effect>>,
    /// Ends a `d_step` before its end.
    pub stop: &'a StopToken,
}

/// A loop inside a d_step that comes back to the same state after this many statements is looked at for a circle.
const PATIENCE: u64 = 1024;

/// The effects of a d_step are not written down beyond this many statements before it is known whether it ends.
const MANY: u64 = 1 << 16;

/// A d_step is not followed beyond this many statements.
pub(crate) const LONGEST_D_STEP: u64 = 10_000_000;

impl Executor<'_> {
    pub fn view(&self) -> View<'_> {
        View {
            model: self.model,
            layout: self.layout,
            work: self.work,
            pid: self.pid,
            timeout: self.timeout,
            offer: None,
        }
    }

    /// Executes an action that is executable. A rendezvous send does nothing here: its message goes to the receiver.
    pub fn execute(&mut self, action: &Action) -> Result<(), Fault> {
        match action {
            Action::Skip(_) | Action::Else | Action::Condition(_) | Action::Event { .. } => {}
            Action::Print { format, args } => {
                let mut values = Vec::with_capacity(args.len());
                for arg in args {
                    values.push(self.view().eval(arg)?);
                }
                self.note(|executor| {
                    Effect::Printed(printf::formatted(
                        executor.model,
                        executor.view().proctype(),
                        format,
                        args,
                        &values,
                    ))
                });
            }
            Action::PrintMtype(value) => {
                let number = self.view().eval(value)?;
                self.note(|executor| {
                    Effect::Printed(printf::mtype(executor.model, executor.view().proctype(), value, number))
                });
            }
            Action::Discard(value) => {
                self.view().eval(value)?;
            }
            Action::Assign { target, value } => {
                let value = self.view().eval(value)?;
                self.store(target, value)?;
            }
            Action::SetOwnPriority(value) => {
                let value = self.view().eval(value)?;
                self.work.set_priority(self.layout, self.pid, value as u8);
            }
            Action::SetPriority { pid, priority } => {
                let (pid, priority) = (self.view().eval(pid)?, self.view().eval(priority)?);
                if pid < 0 || pid as usize >= self.work.processes.len() {
                    return Ok(()); // SPIN passes over it
                }
                match u8::try_from(priority) {
                    Ok(value @ 1..) => self.work.set_priority(self.layout, pid as usize, value),
                    _ => return Err(Fault::PriorityOutOfRange(priority)),
                }
            }
            Action::Send { channel, args, queueing } => self.send(channel, args, *queueing)?,
            Action::Receive { channel, args, from } => {
                let id = self.view().eval(channel)?;
                match self.offer.take() {
                    Some(offer) => self.accept(offer, args)?,
                    None => {
                        let Some(slot) = self.view().find_message(id, args, from.anywhere)? else {
                            return Err(Fault::BlockInDStep);
                        };
                        self.receive(id, slot, args, from.keep)?;
                    }
                }
            }
            Action::Assert(condition) => {
                if self.view().eval(condition)? == 0 {
                    self.note(|executor| Effect::Failed(executor.view().parts(condition)));
                    self.breaches.push(Breach::Assertion(condition.clone()));
                }
            }
            Action::Run { proctype, args, priority, store } => {
                self.run(*proctype, args, priority.unwrap_or(1))?;
                if let Some((target, value)) = store {
                    let value = self.view().eval(value)?;
                    self.store(target, value)?;
                }
            }
            Action::DStep(block) => self.d_step(block)?,
            Action::End => {
                self.note(|executor| Effect::Ended(executor.pid as u8));
                self.work.remove_process(self.layout);
            }
        }
        Ok(())
    }

    fn store(&mut self, target: &VarRef, value: i32) -> Result<(), Fault> {
        let (offset, cell) = self.view().cell(target)?;
        if self.log.is_some() {
            let written = self.view().cell_ref(target).expect("the cell was found before");
            self.note_write(written, offset, cell, value);
        }
        self.work.write(offset, cell, value);
        Ok(())
    }

    /// Writes an effect down if somebody looks on.
    pub(crate) fn note(&mut self, effect: impl FnOnce(&Self) -> Effect) {
        if self.log.is_none() {
            return;
        }
        let effect = effect(self);
        if let Some(log) = &mut self.log {
            log.push(effect);
        }
    }

    /// To be called before the cell is written.
    fn note_write(&mut self, target: CellRef, offset: u32, cell: Cell, given: i32) {
        self.note(|executor| Effect::Wrote {
            target,
            before: executor.work.read(offset, cell),
            given,
            kept: cell.truncate(given),
        });
    }

    /// The message that a send makes, as the channel will hold it.
    pub fn message(&self, channel: i32, args: &[Expr]) -> Result<Vec<i32>, Fault> {
        let view = self.view();
        let fields = &view.channel(channel)?.1.fields;
        let mut message = Vec::with_capacity(args.len());
        for arg in args {
            message.push(view.eval(arg)?);
        }
        if message.len() != fields.len() {
            return Err(Fault::WrongFieldCount { given: message.len(), fields: fields.len() });
        }
        Ok(message)
    }

    fn send(&mut self, channel: &Expr, args: &[Expr], queueing: Queueing) -> Result<(), Fault> {
        let id = self.view().eval(channel)?;
        let message = self.message(id, args)?;
        let channel = self.work.channel(self.layout, id)?;
        let length = self.work.length(channel);
        // Messages are compared before they are cut to the width of their fields, as SPIN does.
        let slot = match queueing {
            Queueing::Last => length,
            Queueing::Sorted => {
                let goes_before = |slot: u32| {
                    let held = (0..message.len()).map(|at| self.work.field(channel, slot, at));
                    message.iter().copied().lt(held)
                };
                (0..length).find(|&slot| goes_before(slot)).unwrap_or(length)
            }
        };
        self.work.insert(channel, slot, &message);
        let shape = channel.1;
        self.note(|executor| Effect::Sent {
            channel: id,
            slot,
            kept: (0..message.len()).map(|at| executor.work.field(channel, slot, at)).collect(),
            given: message.clone(),
        });
        let last: Vec<i32> = (0..shape.fields.len()).map(|at| self.work.field(channel, length, at)).collect();
        self.follow_send(id, &last)
    }

    fn receive(&mut self, id: i32, slot: u32, args: &[ArgPattern], keep: bool) -> Result<(), Fault> {
        let channel = self.work.channel(self.layout, id)?;
        let fields = channel.1.fields.len();
        if args.len() != fields {
            return Err(Fault::WrongFieldCount { given: args.len(), fields });
        }
        self.note(|executor| Effect::Received {
            channel: id,
            slot,
            message: (0..fields).map(|at| executor.work.field(channel, slot, at)).collect(),
            stays: keep,
        });
        for (at, arg) in args.iter().enumerate() {
            if at + 1 == fields && !keep {
                let first: Vec<i32> = (0..fields).map(|at| self.work.field(channel, 0, at)).collect();
                self.follow_receive(id, &first)?;
            }
            if let ArgPattern::Bind(var) = arg {
                let value = self.work.field(channel, slot, at);
                self.store(var, value)?;
            }
        }
        if !keep {
            self.work.remove(channel, slot);
        }
        Ok(())
    }

    /// Takes the message of a rendezvous.
    fn accept(&mut self, offer: &Offer, args: &[ArgPattern]) -> Result<(), Fault> {
        let fields = offer.message.len();
        if args.len() != fields {
            return Err(Fault::WrongFieldCount { given: args.len(), fields });
        }
        for (at, arg) in args.iter().enumerate() {
            if at + 1 == fields {
                self.follow_receive(offer.channel, &offer.message)?;
            }
            if let ArgPattern::Bind(var) = arg {
                self.store(var, offer.message[at])?;
            }
        }
        Ok(())
    }

    /// Creates a process and initialises it; `args` are evaluated by the creator.
    fn run(&mut self, proctype: ProctypeId, args: &[Expr], priority: u8) -> Result<(), Fault> {
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            values.push(self.view().eval(arg)?);
        }
        let start = self.model.proctype(proctype).automaton.start;
        let pid = self.work.add_process(self.layout, proctype, start, priority)?;
        self.note(|_| Effect::Started(pid as u8));
        let creator = std::mem::replace(&mut self.pid, pid);
        let done = self.initialise(proctype, &values);
        self.pid = creator;
        done
    }

    /// Sets the parameters and initial values of the process that was just added.
    pub fn initialise(&mut self, proctype: ProctypeId, params: &[i32]) -> Result<(), Fault> {
        let layout = &self.layout.processes[proctype.index()];
        let offset = self.work.processes[self.pid].offset;
        for (var, (slot, value)) in layout.locals.iter().zip(params).enumerate() {
            self.set_initially(VarId(var as u32), 0, offset + slot.offset, slot.cell, *value);
        }
        let mut channel = self.work.processes[self.pid].channels_before as i32;
        let model = self.model;
        for init in &model.proctype(proctype).inits {
            let slot = layout.locals[init.var.index()];
            for cell in init.cells.clone() {
                let value = self.initial_value(&init.value, &mut channel)?;
                let offset = offset + slot.offset + cell * slot.cell.width() as u32;
                self.set_initially(init.var, cell, offset, slot.cell, value);
            }
        }
        self.reset(&model.proctype(proctype).automaton.start_resets);
        Ok(())
    }

    /// Sets locals of the process to zero.
    pub fn reset(&mut self, vars: &[VarId]) {
        let process = self.work.processes[self.pid];
        for var in vars {
            let slot = self.layout.processes[process.proctype.index()].locals[var.index()];
            self.work.write(process.offset + slot.offset, slot.cell, 0);
        }
    }

    fn set_initially(&mut self, var: VarId, at: u32, offset: u32, cell: Cell, value: i32) {
        self.note_write(CellRef { owner: Some(self.pid as u8), var, cell: at }, offset, cell, value);
        self.work.write(offset, cell, value);
    }

    pub fn initial_value(&self, value: &InitValue, channel: &mut i32) -> Result<i32, Fault> {
        match value {
            InitValue::Value(value) => self.view().eval(value),
            InitValue::Channel(_) => {
                *channel += 1;
                Ok(*channel)
            }
        }
    }

    fn d_step(&mut self, block: &Block) -> Result<(), Fault> {
        self.d_step_from(block, block.entry, 0)
    }

    /// Executes a `d_step` from a node on that it has come to after so many steps.
    fn d_step_from(&mut self, block: &Block, entry: NodeId, before: u64) -> Result<(), Fault> {
        let (mut at, mut steps) = (entry, before);
        let mut mark = None;
        loop {
            match &block.nodes[at.0 as usize] {
                BlockNode::Exit => return Ok(()),
                BlockNode::Do { action, next, .. } => {
                    if !self.can_execute_inside(action)? {
                        return Err(Fault::BlockInDStep);
                    }
                    self.execute_inside(action)?;
                    at = *next;
                }
                BlockNode::Select { options, .. } => {
                    let mut taken = None;
                    for option in options {
                        let executable = match &block.nodes[option.0 as usize] {
                            BlockNode::Do { action, .. } => self.can_execute_inside(action)?,
                            BlockNode::Select { .. } | BlockNode::Exit => true,
                        };
                        if executable {
                            taken = Some(*option);
                            break;
                        }
                    }
                    at = taken.ok_or(Fault::BlockInDStep)?;
                }
            }
            steps += 1;
            if steps >= LONGEST_D_STEP {
                return Err(Fault::TooLong);
            }
            if self.stop.is_set() {
                return Err(Fault::Stopped);
            }
            if steps == MANY && self.log.is_some() {
                self.try_ahead(block, at, steps)?;
            }
            if steps >= PATIENCE {
                if mark.as_ref().is_some_and(|(node, bytes)| *node == at && *bytes == self.work.bytes) {
                    return Err(Fault::EndlessDStep);
                }
                if steps.is_power_of_two() {
                    mark = Some((at, self.work.bytes.clone()));
                }
            }
        }
    }

    /// Fails if a `d_step` does not end from here on. Otherwise its effects would be written down until they fill the memory.
    fn try_ahead(&self, block: &Block, at: NodeId, steps: u64) -> Result<(), Fault> {
        let (mut work, mut breaches) = (self.work.clone(), Vec::new());
        let mut ahead = Executor {
            work: &mut work,
            breaches: &mut breaches,
            log: None,
            model: self.model,
            layout: self.layout,
            pid: self.pid,
            timeout: self.timeout,
            offer: self.offer,
            stop: self.stop,
        };
        match ahead.d_step_from(block, at, steps) {
            Err(fault @ (Fault::EndlessDStep | Fault::TooLong | Fault::Stopped)) => Err(fault),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    fn can_execute_inside(&self, action: &Action) -> Result<bool, Fault> {
        match action {
            Action::Else => Ok(true),
            _ => View { offer: self.offer, ..self.view() }.is_executable_in_d_step(action),
        }
    }

    fn execute_inside(&mut self, action: &Action) -> Result<(), Fault> {
        if self.view().rendezvous(action)?.is_some() {
            return Err(Fault::RendezvousInDStep);
        }
        self.execute(action)
    }

    /// The scope of monitors: whether a list of channels has this one.
    pub(crate) fn among(&self, channels: &[Expr], id: i32) -> Result<bool, Fault> {
        for channel in channels {
            if self.view().eval(channel)? == id {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
