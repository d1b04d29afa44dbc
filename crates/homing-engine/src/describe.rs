//! Descriptions of states, cells, channels and processes as text.

use homing_core::{Description, ProcessDescription, State, Valued};
use homing_ir::print::{Printer, cell_name};
use homing_ir::{Field, InitValue, Proctype, ProctypeId, Scalar, Statement, Variable};

use crate::Interpreter;
use crate::effect::CellRef;
use crate::interpreter::Executed;
use crate::layout::VarSlot;
use crate::printf::name_in;
use crate::working_state::WorkingState;

impl Interpreter<'_> {
    /// The values of a state: globals, then processes with their locals. A channel variable is shown with the messages of the
    /// channel.
    pub fn description(&self, state: &State) -> Description {
        let mut work = WorkingState::default();
        work.load(&self.layout, state);
        let mut globals = Vec::new();
        for (variable, slot) in self.model.globals.iter().zip(&self.layout.globals) {
            self.put_variable(&work, 0, variable, *slot, &mut globals);
        }
        let process = |pid: usize| {
            let frame = work.processes[pid];
            let proctype = self.model.proctype(frame.proctype);
            let location = work.location(&self.layout, pid);
            let mut locals = Vec::new();
            let slots = &self.layout.processes[frame.proctype.index()].locals;
            for (variable, slot) in proctype.locals.iter().zip(slots) {
                self.put_variable(&work, frame.offset, variable, *slot, &mut locals);
            }
            let place = self.source_place(proctype.automaton.location(location).place);
            let name = proctype.automaton.location(location).name.as_deref().map(str::to_owned);
            ProcessDescription { process: self.process_name(&work, pid), place, location, name, locals }
        };
        let processes = (0..work.processes.len()).map(process).collect();
        Description { globals, processes }
    }

    /// A state without its hidden part, in which some globals are zero.
    pub fn without_globals(&self, state: &State, left_aside: &[bool]) -> Box<State> {
        let mut state: Box<State> = state.into();
        let globals = self.layout.globals.iter().zip(&self.model.globals).zip(left_aside);
        for ((slot, var), _) in globals.filter(|(_, left_aside)| **left_aside) {
            let bytes = var.cells() * slot.cell.width();
            state[slot.offset as usize..slot.offset as usize + bytes].fill(0);
        }
        state[self.hidden_prefix()..].into()
    }

    /// The values of a state as lines of text.
    pub fn describe(&self, state: &State) -> Vec<String> {
        let Description { globals, processes } = self.description(state);
        let mut lines: Vec<String> = globals.iter().map(Valued::to_string).collect();
        for ProcessDescription { process, place, location, name, locals } in processes {
            lines.push(match name {
                Some(name) => format!("{process} at {name} ({place})"),
                None => format!("{process} at {place} (state {location})"),
            });
            lines.extend(locals.iter().map(|local| format!("    {local}")));
        }
        lines
    }

    /// The statement that was executed.
    pub fn statement(&self, executed: Executed) -> &Statement {
        self.model.proctype(executed.proctype).automaton.statement(executed.statement)
    }

    /// The number by which a trail names the statement that was executed.
    pub fn trail_id(&self, executed: Executed) -> u32 {
        self.model.proctype(executed.proctype).automaton.trail_id(executed.statement)
    }

    /// The text of the statement that was executed, as the user wrote it.
    pub fn statement_text(&self, executed: Executed) -> String {
        Printer { model: self.model, proctype: Some(executed.proctype) }.statement(executed.statement)
    }

    /// The process that executed the statement, such as `Phil(2)`.
    pub fn actor(&self, executed: Executed) -> String {
        self.name_of(executed.proctype, executed.pid.into())
    }

    fn put_variable(
        &self,
        work: &WorkingState,
        start: u32,
        variable: &Variable,
        slot: VarSlot,
        list: &mut Vec<Valued>,
    ) {
        for cell in 0..variable.cells() {
            let value = work.read(start + slot.offset + (cell * slot.cell.width()) as u32, slot.cell);
            let value = self.value_text(work, variable.scalar, value);
            list.push(Valued { name: cell_name(variable, cell), value });
        }
    }

    /// The text of a value of this type; of a channel, its messages.
    pub(crate) fn value_text(&self, work: &WorkingState, scalar: Scalar, value: i32) -> String {
        match scalar {
            Scalar::Chan => self.channel_text(work, value),
            scalar => self.scalar_text(scalar, value),
        }
    }

    fn scalar_text(&self, scalar: Scalar, value: i32) -> String {
        let name = match scalar {
            Scalar::Mtype(set) => name_in(self.model, set, value),
            _ => None,
        };
        name.unwrap_or_else(|| value.to_string())
    }

    fn channel_text(&self, work: &WorkingState, id: i32) -> String {
        let Ok(channel) = work.channel(&self.layout, id) else { return format!("channel {id}") };
        let shape = &self.model.shapes[channel.0.shape as usize];
        if shape.capacity == 0 {
            return format!("channel {id} (rendezvous)");
        }
        format!("channel {id} ({}/{}) {}", work.length(channel), shape.capacity, self.contents(work, id))
            .trim_end()
            .to_owned()
    }

    /// The text of the messages in a channel: `[1,ack][2,nak]`.
    pub(crate) fn contents(&self, work: &WorkingState, id: i32) -> String {
        let Ok(channel) = work.channel(&self.layout, id) else { return String::new() };
        let fields = &self.model.shapes[channel.0.shape as usize].fields;
        let message = |slot: u32| {
            let values: Vec<i32> = (0..fields.len()).map(|at| work.field(channel, slot, at)).collect();
            format!("[{}]", self.message_text(fields, &values))
        };
        (0..work.length(channel)).map(message).collect()
    }

    fn message_text(&self, fields: &[Field], values: &[i32]) -> String {
        let texts: Vec<String> =
            fields.iter().zip(values).map(|(field, value)| self.scalar_text(field.scalar, *value)).collect();
        texts.join(",")
    }

    /// The text of a message of a channel: `1,ack`.
    pub(crate) fn message_of(&self, work: &WorkingState, id: i32, message: &[i32]) -> String {
        match work.channel(&self.layout, id) {
            Ok(channel) => self.message_text(&self.model.shapes[channel.0.shape as usize].fields, message),
            Err(_) => String::new(),
        }
    }

    /// The name of a channel: the variable that was initialised with it, such as `fork[2]` or `Phil(2):reply`.
    pub(crate) fn channel_name(&self, work: &WorkingState, id: i32) -> String {
        let Ok(wanted) = u32::try_from(id - 1) else { return format!("channel {id}") };
        let owner = (0..work.processes.len()).rev().find(|&pid| work.processes[pid].channels_before <= wanted);
        let global = self.layout.channels.len() as u32;
        let (inits, variables, first, prefix) = match owner {
            Some(pid) if wanted >= global => {
                let frame = work.processes[pid];
                let Proctype { inits, locals, .. } = self.model.proctype(frame.proctype);
                (inits, locals, frame.channels_before, format!("{}:", self.process_name(work, pid)))
            }
            _ => (&self.model.inits, &self.model.globals, 0, String::new()),
        };
        let mut at = first;
        for init in inits {
            if let InitValue::Channel(_) = init.value {
                let count = init.cells.len() as u32;
                if wanted < at + count {
                    let cell = init.cells.start + (wanted - at);
                    return format!("{prefix}{}", cell_name(&variables[init.var.index()], cell as usize));
                }
                at += count;
            }
        }
        format!("channel {id}")
    }

    /// The variable that a cell belongs to. `proctype` is the type of its owner.
    pub(crate) fn cell_variable(&self, cell: CellRef, proctype: Option<ProctypeId>) -> &Variable {
        match (cell.owner, proctype) {
            (Some(_), Some(proctype)) => &self.model.proctype(proctype).locals[cell.var.index()],
            _ => &self.model.globals[cell.var.index()],
        }
    }
}
