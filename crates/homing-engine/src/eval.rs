//! Expressions, evaluated in a state.

use homing_ir::{
    ArgPattern, BinaryOp, Checked, CheckedRole, Expr, Model, ProctypeId, Scope, Table, UnaryOp, VarId, VarRef, Variable,
};

use crate::fault::Fault;
use crate::layout::Layout;
use crate::working_state::{ChannelFrame, WorkingState};

/// A state as one process sees it: what its expressions and statements are evaluated in.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub model: &'a Model,
    pub layout: &'a Layout,
    pub work: &'a WorkingState,
    pub pid: usize,
    /// The value of `timeout`: no process can move otherwise.
    pub timeout: bool,
    /// The message of a rendezvous whose receiver is looked for.
    pub offer: Option<&'a Offer>,
    /// How many `enabled()` are being evaluated, each to evaluate the one before.
    pub asked: usize,
}

/// A message that was sent over a rendezvous channel and waits for its receiver.
#[derive(Clone, Debug, Default)]
pub struct Offer {
    pub channel: i32,
    pub message: Vec<i32>,
}

/// The pid of an expression that no process evaluates, such as an invariant.
pub const OBSERVER: usize = u32::MAX as usize;

/// The pid of an expression that a claim evaluates.
pub const CLAIM: usize = u32::MAX as usize - 1;

type Value = Result<i32, Fault>;

impl<'a> View<'a> {
    pub fn proctype(self) -> ProctypeId {
        self.work.processes[self.pid].proctype
    }

    /// The value of an expression, or the run-time error of the model that evaluating it is.
    pub fn eval(self, expr: &Expr) -> Value {
        Ok(match expr {
            Expr::Const { value, .. } => *value,
            Expr::Var(var) if var.scope == Scope::Scratch => self.work.scratch[self.scratch_cell(var)?].get(),
            Expr::Var(var) => {
                let (offset, cell) = self.cell(var)?;
                self.work.read(offset, cell)
            }
            Expr::Pid => self.pid as i32,
            Expr::ProcessCount => self.work.processes.len() as i32,
            Expr::Last => self.layout.last_at.map_or(0, |at| i32::from(self.work.bytes[at as usize])),
            Expr::OwnPriority => i32::from(self.work.priority(self.layout, self.pid)),
            Expr::Unary(op, operand) => {
                let operand = self.eval(operand)?;
                match op {
                    UnaryOp::Not => i32::from(operand == 0),
                    UnaryOp::Negate => operand.wrapping_neg(),
                    UnaryOp::Complement => !operand,
                }
            }
            Expr::Binary(BinaryOp::And, left, right) => i32::from(self.eval(left)? != 0 && self.eval(right)? != 0),
            Expr::Binary(BinaryOp::Or, left, right) => i32::from(self.eval(left)? != 0 || self.eval(right)? != 0),
            Expr::Binary(op, left, right) => binary(*op, self.eval(left)?, self.eval(right)?)?,
            Expr::Conditional(condition, then, otherwise) => {
                self.eval(if self.eval(condition)? != 0 { then } else { otherwise })?
            }
            Expr::Length(channel) => self.length(channel)? as i32,
            Expr::Full(channel) => i32::from(self.is_full(channel)?),
            Expr::Empty(channel) => i32::from(self.length(channel)? == 0),
            Expr::NotFull(channel) => i32::from(!self.is_full(channel)?),
            Expr::NotEmpty(channel) => i32::from(self.length(channel)? > 0),
            Expr::Poll { channel, args, anywhere } => i32::from(self.poll(channel, args, *anywhere)?),
            Expr::Timeout => i32::from(self.timeout),
            Expr::NonProgress => i32::from(!self.at_progress()),
            Expr::Enabled(pid) => i32::from(self.is_enabled(pid)?),
            Expr::Location(pid) => match self.existing(self.eval(pid)?) {
                Some(pid) => self.work.location(self.layout, pid) as i32,
                None => 0,
            },
            Expr::PriorityOf(pid) => match self.existing(self.eval(pid)?) {
                Some(pid) => i32::from(self.work.priority(self.layout, pid)),
                None => 0,
            },
            Expr::RemoteLabel { proctype, pid, location, .. } => {
                let Some(pid) = self.remote(*proctype, pid.as_deref())? else { return Ok(0) };
                if self.pid == OBSERVER {
                    self.expect_type(pid, *proctype)?;
                }
                i32::from(self.work.location(self.layout, pid) == *location)
            }
            Expr::RemoteVar { proctype, pid, var, indices } => {
                let Some(pid) = self.remote(*proctype, pid.as_deref())? else { return Ok(0) };
                self.remote_variable(*proctype, pid, *var, indices)?
            }
            Expr::NewPid => self.work.processes.len() as i32 - 1,
            Expr::Computed { block, value, .. } => {
                self.compute(block)?;
                self.eval(value)?
            }
            Expr::Checked(checked) => self.checked(checked)?,
            Expr::Element { table, index } => self.element(&self.model.tables[*table as usize], self.eval(index)?)?,
        })
    }

    /// A value that has to be in a range.
    fn checked(self, checked: &Checked) -> Value {
        let Checked { least, greatest, role, .. } = *checked;
        let value = self.eval(&checked.value)?;
        if (least..=greatest).contains(&value) {
            return Ok(value);
        }
        let name = checked.name.to_string();
        Err(match role {
            CheckedRole::Index => Fault::IndexOutside { index: value, name, least, greatest },
            CheckedRole::Shift => Fault::ShiftOutOfRange(value),
            CheckedRole::Value => Fault::ValueOutOfRange { value, name, least, greatest },
        })
    }

    /// An element of a constant array.
    fn element(self, table: &Table, index: i32) -> Value {
        let found = usize::try_from(index).ok().and_then(|at| table.values.get(at)).copied();
        let length = table.values.len() as u32;
        found.ok_or_else(|| Fault::IndexOutOfRange { index, name: table.name.clone(), length })
    }

    /// The place of the scratch cell that a reference means.
    pub(crate) fn scratch_cell(self, var: &VarRef) -> Result<usize, Fault> {
        let at = self.linear_index(&self.model.scratch[var.var.index()], &var.indices)?;
        Ok((self.layout.scratch[var.var.index()] + at) as usize)
    }

    /// The value of a local variable of another process.
    fn remote_variable(self, proctype: ProctypeId, pid: usize, var: VarId, indices: &[Expr]) -> Value {
        self.expect_type(pid, proctype)?;
        let variable = &self.model.proctype(proctype).locals[var.index()];
        let cell = self.linear_index(variable, indices)?;
        let slot = self.layout.processes[proctype.index()].locals[var.index()];
        let offset = self.work.processes[pid].offset + slot.offset + cell * slot.cell.width() as u32;
        Ok(self.work.read(offset, slot.cell))
    }

    /// A remote reference to a process of another type is a run-time error, as in SPIN's simulator. For labels that is so in invariants
    /// alone: SPIN's verifier compares the numbers of locations whatever they belong to, and models rely on it in claims whose process
    /// does not exist yet.
    fn expect_type(self, pid: usize, proctype: ProctypeId) -> Result<(), Fault> {
        let actual = self.work.processes[pid].proctype;
        if actual == proctype {
            return Ok(());
        }
        let name = |proctype| self.model.proctype(proctype).name.clone();
        Err(Fault::WrongProcessType { pid: pid as i32, wanted: name(proctype), actual: name(actual) })
    }

    /// Whether a buffered channel holds a message that the arguments match.
    fn poll(self, channel: &Expr, args: &[ArgPattern], anywhere: bool) -> Result<bool, Fault> {
        let id = self.eval(channel)?;
        if self.work.channel(self.layout, id)?.1.capacity == 0 {
            return Err(Fault::PollOfRendezvous);
        }
        Ok(self.find_message(id, args, anywhere)?.is_some())
    }

    /// The value of `enabled(pid)`: false for a process that does not exist.
    fn is_enabled(self, pid: &Expr) -> Result<bool, Fault> {
        let pid = self.eval(pid)?;
        if usize::try_from(pid) == Ok(self.pid) {
            return Err(Fault::EnabledOfSelf);
        }
        match self.existing(pid) {
            // so many processes are not different any more: the same is asked for ever
            Some(_) if self.asked >= self.work.processes.len() => Err(Fault::EnabledOfItself),
            Some(pid) => View { asked: self.asked + 1, ..self.of(pid) }.can_move(),
            None => Ok(false),
        }
    }

    /// The state as another process sees it.
    pub fn of(self, pid: usize) -> View<'a> {
        View { pid, ..self }
    }

    fn existing(self, pid: i32) -> Option<usize> {
        usize::try_from(pid).ok().filter(|pid| *pid < self.work.processes.len())
    }

    /// The process that a remote reference names; without a pid, the first of its type.
    pub(crate) fn remote(self, proctype: ProctypeId, pid: Option<&Expr>) -> Result<Option<usize>, Fault> {
        match pid {
            Some(pid) => Ok(self.existing(self.eval(pid)?)),
            None => Ok(self.work.processes.iter().position(|process| process.proctype == proctype)),
        }
    }

    fn at_progress(self) -> bool {
        (0..self.work.processes.len()).any(|pid| {
            let automaton = &self.model.proctype(self.work.processes[pid].proctype).automaton;
            automaton.location(self.work.location(self.layout, pid)).labels.progress
        })
    }

    /// The offset of the cell of the state that a reference means, and how it is stored.
    pub fn cell(self, var: &VarRef) -> Result<(u32, homing_ir::Cell), Fault> {
        let (slot, start) = match var.scope {
            Scope::Global => (self.layout.globals[var.var.index()], 0),
            Scope::Local => {
                let process = self.work.processes[self.pid];
                (self.layout.processes[process.proctype.index()].locals[var.var.index()], process.offset)
            }
            Scope::Scratch => unreachable!("a scratch cell is no part of the state"),
        };
        if var.indices.is_empty() {
            return Ok((start + slot.offset, slot.cell));
        }
        let at = self.linear_index(self.variable(var.scope, var.var), &var.indices)?;
        Ok((start + slot.offset + at * slot.cell.width() as u32, slot.cell))
    }

    /// The offset of the first cell of a variable.
    pub fn cells_of(self, var: &VarRef) -> u32 {
        match var.scope {
            Scope::Global => self.layout.globals[var.var.index()].offset,
            Scope::Local => {
                let process = self.work.processes[self.pid];
                process.offset + self.layout.processes[process.proctype.index()].locals[var.var.index()].offset
            }
            Scope::Scratch => unreachable!("a scratch cell is no part of the state"),
        }
    }

    pub fn variable(self, scope: Scope, var: VarId) -> &'a Variable {
        match scope {
            Scope::Global => &self.model.globals[var.index()],
            Scope::Local => &self.model.proctype(self.proctype()).locals[var.index()],
            Scope::Scratch => &self.model.scratch[var.index()],
        }
    }

    pub(crate) fn linear_index(self, variable: &Variable, indices: &[Expr]) -> Result<u32, Fault> {
        let mut linear = 0;
        for (index, &length) in indices.iter().zip(&variable.dims) {
            let index = self.eval(index)?;
            if index < 0 || index as u32 >= length {
                return Err(Fault::IndexOutOfRange { index, name: variable.name.clone(), length });
            }
            linear = linear * length + index as u32;
        }
        Ok(linear)
    }

    /// The number of messages in a channel; a rendezvous channel holds one while it is on offer.
    fn length(self, channel: &Expr) -> Result<u32, Fault> {
        let id = self.eval(channel)?;
        let channel = self.work.channel(self.layout, id)?;
        Ok(if self.is_offered(id) { 1 } else { self.work.length(channel) })
    }

    fn is_full(self, channel: &Expr) -> Result<bool, Fault> {
        let id = self.eval(channel)?;
        let (frame, shape) = self.work.channel(self.layout, id)?;
        Ok(self.is_offered(id) || (shape.capacity > 0 && self.work.length((frame, shape)) == shape.capacity))
    }

    fn is_offered(self, channel: i32) -> bool {
        self.offer.is_some_and(|offer| offer.channel == channel)
    }

    /// The slot of the message that a receive from a buffered channel would take.
    pub fn find_message(self, id: i32, args: &[ArgPattern], anywhere: bool) -> Result<Option<u32>, Fault> {
        let (frame, shape) = self.work.channel(self.layout, id)?;
        let length = self.work.length((frame, shape));
        let last = if anywhere { length } else { length.min(1) };
        for slot in 0..last {
            let fields = shape.fields.len();
            let field = |at: usize| self.work.field((frame, shape), slot, at);
            if self.matches(args, fields, field)? {
                return Ok(Some(slot));
            }
        }
        Ok(None)
    }

    /// Whether the values among the arguments are equal to the fields at their places.
    pub fn matches(self, args: &[ArgPattern], fields: usize, field: impl Fn(usize) -> i32) -> Result<bool, Fault> {
        for (at, arg) in args.iter().enumerate() {
            if let ArgPattern::Match { value, .. } = arg {
                if at >= fields {
                    return Err(Fault::WrongFieldCount { given: args.len(), fields });
                }
                if self.eval(value)? != field(at) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    pub fn channel(self, id: i32) -> Result<(ChannelFrame, &'a crate::layout::ShapeLayout), Fault> {
        self.work.channel(self.layout, id)
    }
}

/// The value of a binary operator that evaluates both operands.
#[inline]
pub fn binary(op: BinaryOp, left: i32, right: i32) -> Value {
    Ok(match op {
        BinaryOp::Add => left.wrapping_add(right),
        BinaryOp::Subtract => left.wrapping_sub(right),
        BinaryOp::Multiply => left.wrapping_mul(right),
        BinaryOp::Divide | BinaryOp::Remainder if right == 0 => return Err(Fault::DivisionByZero),
        BinaryOp::Divide => left.checked_div(right).ok_or(Fault::DivisionOverflow)?,
        BinaryOp::Remainder => left.checked_rem(right).ok_or(Fault::DivisionOverflow)?,
        BinaryOp::BitAnd => left & right,
        BinaryOp::BitOr => left | right,
        BinaryOp::BitXor => left ^ right,
        BinaryOp::ShiftLeft => left.wrapping_shl(right as u32),
        BinaryOp::ShiftRight => left.wrapping_shr(right as u32),
        BinaryOp::Less => i32::from(left < right),
        BinaryOp::LessEqual => i32::from(left <= right),
        BinaryOp::Greater => i32::from(left > right),
        BinaryOp::GreaterEqual => i32::from(left >= right),
        BinaryOp::Equal => i32::from(left == right),
        BinaryOp::NotEqual => i32::from(left != right),
        BinaryOp::And => i32::from(left != 0 && right != 0),
        BinaryOp::Or => i32::from(left != 0 || right != 0),
    })
}
