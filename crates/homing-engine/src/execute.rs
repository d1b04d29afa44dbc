//! What executing a statement does to a state.

use homing_core::StopToken;
use homing_ir::{Action, Cell, Expr, InitValue, Model, ProctypeId, Scope, VarId, VarRef};

use crate::data_flow::Source;
use crate::effect::{CellRef, Effect};
use crate::eval::{Offer, View};
use crate::fault::{Fault, check_range};
use crate::layout::Layout;
use crate::printf;
use crate::working_state::WorkingState;

/// A violation that does not end the run: execution continues after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Breach {
    /// The condition of an assertion that does not hold.
    Assertion(Expr),
    /// A trace that cannot follow, or a notrace that was followed to its end.
    Trace {
        message: &'static str,
        /// It was violated by the send of a rendezvous, before the receive.
        early: bool,
    },
}

impl Breach {
    /// Marks a violation of a trace as one by the send of a rendezvous.
    pub fn mark_early(&mut self) {
        if let Breach::Trace { early, .. } = self {
            *early = true;
        }
    }
}

/// Executes statements of one process.
pub struct Executor<'a> {
    pub model: &'a Model,
    pub layout: &'a Layout,
    pub work: &'a mut WorkingState,
    pub pid: usize,
    pub timeout: bool,
    /// The message of a rendezvous that this process receives.
    pub offer: Option<&'a Offer>,
    pub breaches: &'a mut Vec<Breach>,
    /// Where effects are recorded, if they are wanted.
    pub log: Option<&'a mut Vec<Effect>>,
    /// Interrupts a long `d_step`.
    pub stop: &'a StopToken,
}

/// Where a value that is stored comes from, for explanations.
#[derive(Clone, Copy)]
pub enum ValueOf<'a> {
    Expr(&'a Expr),
    /// A field of the message that is being received.
    Field(usize),
}

impl Executor<'_> {
    /// The state as the process sees it, without an offer.
    pub fn view(&self) -> View<'_> {
        View {
            model: self.model,
            layout: self.layout,
            work: self.work,
            pid: self.pid,
            timeout: self.timeout,
            offer: None,
            asked: 0,
        }
    }

    /// Executes an action that is executable. A rendezvous send does nothing here: its message goes to the receiver.
    pub fn execute(&mut self, action: &Action) -> Result<(), Fault> {
        let done = self.execute_action(action);
        if done.is_err() {
            self.note_fault(action);
        }
        done
    }

    fn execute_action(&mut self, action: &Action) -> Result<(), Fault> {
        match action {
            Action::Skip(_) | Action::Else | Action::Condition(_) | Action::Event { .. } => {}
            Action::Print { format, args } => {
                let values = self.values(args)?;
                self.note(|executor| {
                    let proctype = executor.view().proctype();
                    Effect::Printed(printf::formatted(executor.model, proctype, format, args, &values))
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
                let number = self.view().eval(value)?;
                self.store(target, number, ValueOf::Expr(value))?;
            }
            Action::SetOwnPriority(value) => {
                let value = self.view().eval(value)?;
                self.work.set_priority(self.layout, self.pid, value as u8);
            }
            Action::SetPriority { pid, priority } => self.set_priority(pid, priority)?,
            Action::Send { channel, args, queueing } => self.send(channel, args, *queueing)?,
            Action::Receive { channel, args, from } => self.receive(channel, args, *from)?,
            Action::Assert(condition) => {
                if self.view().eval(condition)? == 0 {
                    self.note(|executor| Effect::Failed(executor.view().part(condition)));
                    self.breaches.push(Breach::Assertion(condition.clone()));
                }
            }
            Action::Run { proctype, args, priority, store } => {
                self.run(*proctype, args, priority.unwrap_or(1))?;
                if let Some((target, value)) = store {
                    let number = self.view().eval(value)?;
                    self.store(target, number, ValueOf::Expr(value))?;
                }
            }
            Action::DStep(block) => self.d_step(block)?,
            Action::Edge(edge) => {
                if let Some(update) = &edge.update {
                    self.d_step(update)?;
                }
            }
            Action::End => {
                self.note(|executor| Effect::Ended(executor.pid as u8));
                self.work.remove_process(self.layout);
            }
        }
        Ok(())
    }

    /// The values of some expressions.
    pub(crate) fn values(&self, exprs: &[Expr]) -> Result<Vec<i32>, Fault> {
        let mut values = Vec::with_capacity(exprs.len());
        for expr in exprs {
            values.push(self.view().eval(expr)?);
        }
        Ok(values)
    }

    fn set_priority(&mut self, pid: &Expr, priority: &Expr) -> Result<(), Fault> {
        let (pid, priority) = (self.view().eval(pid)?, self.view().eval(priority)?);
        if pid < 0 || pid as usize >= self.work.processes.len() {
            return Ok(()); // SPIN ignores it
        }
        match u8::try_from(priority) {
            Ok(value @ 1..) => self.work.set_priority(self.layout, pid as usize, value),
            _ => return Err(Fault::PriorityOutOfRange(priority)),
        }
        Ok(())
    }

    /// Writes a value, cut to the width of the variable.
    pub(crate) fn store(&mut self, target: &VarRef, value: i32, from: ValueOf<'_>) -> Result<(), Fault> {
        if target.scope == Scope::Scratch {
            return self.view().store_scratch(target, value);
        }
        let (offset, cell) = self.view().cell(target)?;
        check_range(self.view().variable(target.scope, target.var), value)?;
        if self.log.is_some() {
            let view = self.view();
            let written = view.cell_ref(target).expect("the cell was found before");
            let mut sources = match from {
                ValueOf::Expr(expr) => view.sources(expr),
                ValueOf::Field(field) => vec![Source::Field(field as u32)],
            };
            sources.extend(view.index_sources(target));
            self.note_write(written, offset, cell, value, sources);
        }
        self.work.write(offset, cell, value);
        Ok(())
    }

    /// Records an effect, if effects are wanted.
    pub(crate) fn note(&mut self, effect: impl FnOnce(&Self) -> Effect) {
        if self.log.is_none() {
            return;
        }
        let effect = effect(self);
        if let Some(log) = &mut self.log {
            log.push(effect);
        }
    }

    /// Records a write, if effects are wanted; the cell is not written yet.
    fn note_write(&mut self, target: CellRef, offset: u32, cell: Cell, given: i32, from: Vec<Source>) {
        self.note(|executor| Effect::Wrote {
            target,
            before: executor.work.read(offset, cell),
            given,
            kept: cell.truncate(given),
            from,
        });
    }

    /// Records the part of a statement that cannot be evaluated, if effects are wanted and no inner statement was recorded.
    pub(crate) fn note_fault(&mut self, action: &Action) {
        if self.log.as_ref().is_none_or(|log| matches!(log.last(), Some(Effect::Failed(_)))) {
            return;
        }
        if let Some(part) = self.view().faulty_part_of(action) {
            self.note(|_| Effect::Failed(part));
        }
    }

    /// What each expression is computed from; nothing if effects are not wanted.
    pub(crate) fn sources_of(&self, exprs: &[Expr]) -> Vec<Vec<Source>> {
        let wanted = if self.log.is_some() { exprs } else { &[] };
        wanted.iter().map(|expr| self.view().sources(expr)).collect()
    }

    /// Creates a process and initialises it; `args` are evaluated by the creator.
    fn run(&mut self, proctype: ProctypeId, args: &[Expr], priority: u8) -> Result<(), Fault> {
        let (values, sources) = (self.values(args)?, self.sources_of(args));
        let start = self.model.proctype(proctype).automaton.start;
        let pid = self.work.add_process(self.layout, proctype, start, priority)?;
        self.note(|_| Effect::Started(pid as u8));
        let creator = std::mem::replace(&mut self.pid, pid);
        let done = self.initialise(proctype, &values, &sources);
        self.pid = creator;
        done
    }

    /// Sets the parameters and initial values of the process that was just added.
    /// `sources` are what the parameters were computed from, as far as that is known.
    pub fn initialise(&mut self, proctype: ProctypeId, params: &[i32], sources: &[Vec<Source>]) -> Result<(), Fault> {
        let layout = &self.layout.processes[proctype.index()];
        let offset = self.work.processes[self.pid].offset;
        for (var, (slot, value)) in layout.locals.iter().zip(params).enumerate() {
            let from = sources.get(var).cloned().unwrap_or_default();
            self.set_initially(VarId(var as u32), 0, offset + slot.offset, slot.cell, *value, from);
        }
        let mut channel = self.work.processes[self.pid].channels_before as i32;
        let model = self.model;
        for init in &model.proctype(proctype).inits {
            let slot = layout.locals[init.var.index()];
            for cell in init.cells.clone() {
                let value = self.initial_value(&init.value, &mut channel)?;
                let offset = offset + slot.offset + cell * slot.cell.width() as u32;
                let from = match &init.value {
                    InitValue::Value(expr) if self.log.is_some() => self.view().sources(expr),
                    _ => Vec::new(),
                };
                self.set_initially(init.var, cell, offset, slot.cell, value, from);
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
            let cells = self.model.proctype(process.proctype).locals[var.index()].cells();
            for at in 0..cells {
                self.work.write(process.offset + slot.offset + (at * slot.cell.width()) as u32, slot.cell, 0);
            }
        }
    }

    fn set_initially(&mut self, var: VarId, at: u32, offset: u32, cell: Cell, value: i32, from: Vec<Source>) {
        self.note_write(CellRef { owner: Some(self.pid as u8), var, cell: at }, offset, cell, value, from);
        self.work.write(offset, cell, value);
    }

    /// An initial value; that of a channel variable is the next number of `channel`.
    pub fn initial_value(&self, value: &InitValue, channel: &mut i32) -> Result<i32, Fault> {
        match value {
            InitValue::Value(value) => self.view().eval(value),
            InitValue::Channel(_) => {
                *channel += 1;
                Ok(*channel)
            }
        }
    }

    /// Whether one of the channels that a monitor lists has this number.
    pub(crate) fn among(&self, channels: &[Expr], id: i32) -> Result<bool, Fault> {
        for channel in channels {
            if self.view().eval(channel)? == id {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
