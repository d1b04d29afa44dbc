//! Statements are translated into machine code: their guards and their effects.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use homing_ir::{Action, Expr, Guard, Location, ProctypeId, Transition, Update, VarRef};

use super::context::{Context, MOST_FIELDS};
use super::runtime::RuntimeFunction;
use super::translate::{Address, Base, Translated, Translator, Unsupported};

/// Whether an action changes nothing but the location of its process.
pub fn only_moves(action: &Action) -> bool {
    matches!(action.update(), Update::Nothing)
}

/// Whether an action is executable in every state; an `else` counts as such.
pub fn is_always_executable(action: &Action) -> bool {
    matches!(action.guard(), Guard::Always | Guard::Else)
}

impl Translator<'_, '_> {
    /// A bit for each transition that can be taken: those in `open` in any case, and those in `elses` only if none before
    /// them can.
    pub fn guards(&mut self, location: &Location, open: u64, elses: u64) -> Translated<Value> {
        let model = self.model;
        let automaton = &model.proctype(self.proctype).automaton;
        let mut found = None;
        for (at, transition) in location.transitions.iter().enumerate() {
            if open & (1 << at) == 0
                && let Some(holds) = self.guard(&automaton.statement(transition.statement).action)?
            {
                let mut bit = self.builder.ins().uextend(types::I64, holds);
                if at > 0 {
                    bit = self.builder.ins().ishl_imm_u(bit, at as i64);
                }
                found = Some(found.map_or(bit, |mask| self.builder.ins().bor(mask, bit)));
            }
        }
        let mut mask = match found {
            Some(mask) if open == 0 => mask,
            Some(mask) => self.builder.ins().bor_imm_s(mask, open as i64),
            None => self.builder.ins().iconst(types::I64, open as i64),
        };
        if elses != 0 {
            let negated = self.builder.ins().ineg(mask);
            let first = self.builder.ins().band(mask, negated);
            let allowed = self.builder.ins().bor_imm_s(first, !elses as i64);
            mask = self.builder.ins().band(mask, allowed);
        }
        Ok(mask)
    }

    /// The guard of an action, as a condition; `None` for one that is always executable.
    pub fn guard(&mut self, action: &Action) -> Translated<Option<Value>> {
        Ok(match action.guard() {
            Guard::Always | Guard::Else => None,
            Guard::Condition(condition) => Some(self.condition(condition)?),
            Guard::Room(channel) => Some(self.can_send(channel)?),
            Guard::Message { channel, args, from } => Some(self.can_receive(channel, args, from)?),
            Guard::Youngest => {
                let processes = self.shared(offset_of!(Context<'_>, processes));
                let pid = self.shared(offset_of!(Context<'_>, pid));
                let next = self.builder.ins().iadd_imm_s(pid, 1);
                Some(self.builder.ins().icmp(IntCC::Equal, next, processes))
            }
            Guard::AnyOf(actions) => Some(self.any_guard(actions)?),
            Guard::Never => return Err(Unsupported),
        })
    }

    /// Whether one of the actions is executable, as a condition. They are evaluated in order, up to the first that is.
    fn any_guard(&mut self, actions: &[Action]) -> Translated<Value> {
        let done = self.builder.create_block();
        self.builder.append_block_param(done, types::I8);
        for action in actions {
            let holds = match self.guard(action)? {
                // an `else` in a nested choice does not make the `d_step` executable
                _ if action.is_else() => self.builder.ins().iconst(types::I8, 0),
                Some(holds) => holds,
                None => self.builder.ins().iconst(types::I8, 1),
            };
            let more = self.builder.create_block();
            self.builder.ins().brif(holds, done, &[holds.into()], more, &[]);
            self.enter(more);
        }
        let none = self.builder.ins().iconst(types::I8, 0);
        self.builder.ins().jump(done, &[none.into()]);
        self.enter(done);
        Ok(self.builder.block_params(done)[0])
    }

    /// Executes the action of the first transition of a function.
    pub fn effect(&mut self, action: &Action) -> Translated<()> {
        self.begin_log();
        self.execute(action)
    }

    /// Sets locals to zero that are dead after a transition.
    pub fn reset(&mut self, transition: Transition) {
        let model = self.model;
        for var in model.proctype(self.proctype).automaton.resets(&transition) {
            let slot = self.layout.processes[self.proctype.index()].locals[var.index()];
            let address = Address { base: Base::Process, fixed: slot.offset, computed: None };
            let bytes = model.proctype(self.proctype).locals[var.index()].cells() * slot.cell.width();
            self.clear(address, bytes as u32);
        }
    }

    /// Sets `timeout` to false: it is evaluated in the state that a run began in.
    pub fn end_timeout(&mut self) {
        if self.model.features.timeout {
            let no = self.int(0);
            self.set_shared(offset_of!(Context<'_>, timeout), no);
        }
    }

    /// Sets the location of the process to the target of its transition, unless it has ended. Returns the value of the
    /// function.
    pub fn arrive(&mut self, target: u32) -> Value {
        if target > 0 {
            self.set_location(target);
        }
        self.set_last();
        self.builder.ins().iconst(types::I64, 1)
    }

    /// Executes an action that is executable.
    pub fn execute(&mut self, action: &Action) -> Translated<()> {
        match action {
            Action::Skip(_) | Action::Condition(_) | Action::Else => {}
            Action::Assign { target, value } => self.assign(target, value)?,
            Action::Discard(value) | Action::PrintMtype(value) => {
                self.expr(value)?;
            }
            Action::Print { args, .. } => {
                for arg in args {
                    self.expr(arg)?;
                }
            }
            Action::Assert(condition) => {
                let holds = self.condition(condition)?;
                let fails = self.builder.ins().icmp_imm_s(IntCC::Equal, holds, 0);
                self.fault_if(fails);
            }
            Action::Send { channel, args, queueing } => self.send(channel, args, *queueing)?,
            Action::Receive { channel, args, from } => self.receive(channel, args, *from)?,
            Action::Run { proctype, args, priority, store } => {
                self.run(*proctype, args, priority.unwrap_or(1))?;
                if let Some((target, value)) = store {
                    self.assign(target, value)?;
                }
            }
            Action::DStep(block) => self.block(block)?,
            Action::End => {
                self.call(RuntimeFunction::End, &[]);
            }
            _ => return Err(Unsupported),
        }
        Ok(())
    }

    /// Stores a value. One that is out of the range of the variable is a fault.
    fn assign(&mut self, target: &VarRef, value: &Expr) -> Translated<()> {
        let stored = self.expr(value)?;
        let (address, cell) = self.cell_address(target)?;
        if let Some((least, greatest)) = self.model.variable(Some(self.proctype), target.scope, target.var).range
            && value.as_constant().is_none_or(|value| !(least..=greatest).contains(&value))
        {
            self.check_range(stored, least, greatest);
        }
        self.store(address, cell, stored);
        Ok(())
    }

    /// Creates a process.
    fn run(&mut self, proctype: ProctypeId, args: &[Expr], priority: u8) -> Translated<()> {
        let params = self.model.proctype(proctype).locals.len();
        if args.len() > MOST_FIELDS.min(params) {
            return Err(Unsupported);
        }
        let values = args.iter().map(|arg| self.expr(arg)).collect::<Translated<Vec<Value>>>()?;
        for (at, value) in values.into_iter().enumerate() {
            self.set_field(at, value);
        }
        let numbers = [proctype.0 as i32, args.len() as i32, i32::from(priority)];
        let numbers = numbers.map(|number| self.int(number));
        self.call(RuntimeFunction::Run, &numbers);
        Ok(())
    }
}
