//! Expressions, evaluated on all values of the cells that they read.

use homing_engine::Reader;
use homing_ir::{ArgPattern, BinaryOp, Expr, ProctypeId, Scope, VarId, VarRef, Variable};

use super::pure::{Failed, find, unary};
use super::space::CellId;
use super::trial::{OBSERVER, Stopped, Trial, Value};

impl<'m> Trial<'_, 'm> {
    /// The value of an expression. Values of a cell with the same result are followed together, if it depends on no other cell.
    pub fn eval(&mut self, expr: &Expr) -> Result<Value, Stopped> {
        match self.pure(expr) {
            Some((pure, Some(cell))) => {
                let found = self.observe(cell, |content| pure.eval(content)).expect("the cell is tracked");
                found.map(Some).map_err(|Failed| Stopped::Fault)
            }
            Some((pure, None)) => pure.eval(&[]).map(Some).map_err(|Failed| Stopped::Fault),
            None => self.eval_parts(expr),
        }
    }

    fn eval_parts(&mut self, expr: &Expr) -> Result<Value, Stopped> {
        Ok(match expr {
            Expr::Const { value, .. } => Some(*value),
            Expr::Var(var) if var.scope == Scope::Scratch => {
                let place = self.scratch_place(var)?;
                self.scratch.get(&place).copied().flatten()
            }
            Expr::Var(var) => {
                let cell = self.cell(var)?;
                self.read(cell)
            }
            Expr::Computed { block, value, .. } => {
                self.block(block)?;
                self.eval(value)?
            }
            Expr::Checked(checked) => {
                let value = self.eval(&checked.value)?;
                let is_outside = |value| !(checked.least..=checked.greatest).contains(&value);
                if value.map_or_else(|| self.choose(2) == 0, is_outside) {
                    return Err(Stopped::Fault);
                }
                value
            }
            Expr::Element { table, index } => {
                let values = &self.space.model.tables[*table as usize].values;
                match self.eval(index)? {
                    Some(index) => {
                        let element = usize::try_from(index).ok().and_then(|index| values.get(index));
                        Some(*element.ok_or(Stopped::Fault)?)
                    }
                    None if self.choose(2) == 0 => return Err(Stopped::Fault),
                    None => None,
                }
            }
            Expr::Pid => (self.pid != OBSERVER).then_some(self.pid as i32),
            Expr::Unary(op, operand) => self.eval(operand)?.map(|operand| unary(*op, operand)),
            Expr::Binary(BinaryOp::And, left, right) => Some(i32::from(self.holds(left)? && self.holds(right)?)),
            Expr::Binary(BinaryOp::Or, left, right) => Some(i32::from(self.holds(left)? || self.holds(right)?)),
            Expr::Binary(op, left, right) => {
                let (left, right) = (self.eval(left)?, self.eval(right)?);
                self.binary(*op, left, right)?
            }
            Expr::Conditional(condition, then, otherwise) => {
                let chosen = if self.holds(condition)? { then } else { otherwise };
                self.eval(chosen)?
            }
            Expr::Length(channel) => self.length(channel)?.map(|(length, _)| length),
            Expr::Full(channel) => self.length(channel)?.map(|(length, most)| i32::from(most > 0 && length == most)),
            Expr::NotFull(channel) => self.length(channel)?.map(|(length, most)| i32::from(most == 0 || length < most)),
            Expr::Empty(channel) => self.length(channel)?.map(|(length, _)| i32::from(length == 0)),
            Expr::NotEmpty(channel) => self.length(channel)?.map(|(length, _)| i32::from(length > 0)),
            Expr::Poll { channel, args, anywhere } => {
                let index = self.channel(channel)?;
                if self.space.channels[index].cell.is_none() {
                    return Err(Stopped::Fault);
                }
                let pattern = self.pattern(index, args)?;
                Some(i32::from(self.has_message(index, &pattern, *anywhere)?))
            }
            Expr::Enabled(pid) => {
                self.eval(pid)?;
                // that process may be this one, or what it waits for may fail
                if self.choose(2) == 0 {
                    return Err(Stopped::Fault);
                }
                None
            }
            Expr::Location(pid) | Expr::PriorityOf(pid) => {
                self.eval(pid)?;
                None
            }
            Expr::RemoteLabel { proctype, pid, location, .. } => {
                let is_checked = self.pid == OBSERVER && pid.is_some();
                let Some(pid) = self.remote(*proctype, pid.as_deref())? else {
                    // the process may be of another type
                    return if is_checked && self.choose(2) == 0 { Err(Stopped::Fault) } else { Ok(None) };
                };
                let Some(pid) = self.existing(pid) else { return Ok(Some(0)) };
                if self.pid == OBSERVER && self.space.proctype(pid) != *proctype {
                    return Err(Stopped::Fault);
                }
                let (id, location) = (self.space.location(pid), *location as i32);
                self.observe(id, |at| i32::from(at[0] == location))
            }
            Expr::RemoteVar { proctype, pid, var, indices } => {
                let Some(pid) = self.remote(*proctype, pid.as_deref())? else {
                    // an index may be out of range, or the process of another type
                    return if self.choose(2) == 0 { Err(Stopped::Fault) } else { Ok(None) };
                };
                let Some(pid) = self.existing(pid) else { return Ok(Some(0)) };
                if self.space.proctype(pid) != *proctype {
                    return Err(Stopped::Fault);
                }
                let variable = &self.space.model.proctype(*proctype).locals[var.index()];
                let element = self.index(variable, indices)?;
                let cell = self.space.element(pid, Scope::Local, *var, element);
                self.read(cell)
            }
            // the number of processes, the last mover, `timeout`, `np_` and priorities are not tracked
            _ => None,
        })
    }

    /// Whether a condition is met. Both are possible if its value is not known.
    pub fn holds(&mut self, expr: &Expr) -> Result<bool, Stopped> {
        if let Some((pure, Some(cell))) = self.pure(expr) {
            let found = self.observe(cell, |content| pure.eval(content).map(|value| value != 0));
            return found.expect("the cell is tracked").map_err(|Failed| Stopped::Fault);
        }
        match self.eval(expr)? {
            Some(value) => Ok(value != 0),
            None => Ok(self.choose(2) == 0),
        }
    }

    fn binary(&mut self, op: BinaryOp, left: Value, right: Value) -> Result<Value, Stopped> {
        if let (Some(left), Some(right)) = (left, right) {
            return Reader::combine(op, left, right).map(Some).ok_or(Stopped::Fault);
        }
        let divides = matches!(op, BinaryOp::Divide | BinaryOp::Remainder);
        let may_fail = divides && right.is_none_or(|right| right == 0 || right == -1);
        if may_fail && (right == Some(0) || self.choose(2) == 0) {
            return Err(Stopped::Fault);
        }
        Ok(None)
    }

    /// The declaration of a variable; none of a local if no process evaluates.
    pub fn variable(&self, var: &VarRef) -> Option<&'m Variable> {
        let model = self.space.model;
        match var.scope {
            Scope::Global => Some(&model.globals[var.var.index()]),
            Scope::Scratch => Some(&model.scratch[var.var.index()]),
            Scope::Local if self.pid == OBSERVER => None,
            Scope::Local => Some(&self.space.type_of(self.pid).locals[var.var.index()]),
        }
    }

    /// The cell that a reference means.
    pub fn cell(&mut self, var: &VarRef) -> Result<CellId, Stopped> {
        let Some(variable) = self.variable(var) else {
            return Err(Stopped::Refused("a local variable is read outside of its process".to_owned()));
        };
        let element = self.index(variable, &var.indices)?;
        Ok(self.space.element(self.pid, var.scope, var.var, element))
    }

    /// The scratch cell that a reference means.
    pub fn scratch_place(&mut self, var: &VarRef) -> Result<(VarId, u32), Stopped> {
        let variable = &self.space.model.scratch[var.var.index()];
        Ok((var.var, self.index(variable, &var.indices)?))
    }

    /// The element with these indices: any, or a run-time error, if one is not known.
    fn index(&mut self, variable: &Variable, indices: &[Expr]) -> Result<u32, Stopped> {
        let mut element = 0;
        for (index, &length) in indices.iter().zip(&variable.dims) {
            let index = match self.eval(index)? {
                Some(index) => index,
                None => self.choose(length as usize + 1) as i32,
            };
            if index < 0 || index as u32 >= length {
                return Err(Stopped::Fault);
            }
            element = element * length + index as u32;
        }
        Ok(element)
    }

    /// The element with these indices if they are constants within their bounds.
    pub fn constant_index(&mut self, variable: &Variable, indices: &[Expr]) -> Option<u32> {
        let mut element = 0;
        for (index, &length) in indices.iter().zip(&variable.dims) {
            let index = u32::try_from(self.constant(index)?).ok().filter(|&index| index < length)?;
            element = element * length + index;
        }
        Some(element)
    }

    /// The pid that a remote reference names. None if it is not known.
    fn remote(&mut self, proctype: ProctypeId, pid: Option<&Expr>) -> Result<Value, Stopped> {
        match pid {
            Some(pid) => self.eval(pid),
            // without one, the first of the type that exists
            None => Ok(self.only_process(proctype).map(|pid| pid as i32)),
        }
    }

    fn existing(&mut self, pid: i32) -> Option<usize> {
        let pid = usize::try_from(pid).ok().filter(|&pid| pid < self.space.processes.len())?;
        self.is_alive(pid).then_some(pid)
    }

    /// The length and the capacity of a channel.
    fn length(&mut self, channel: &Expr) -> Result<Option<(i32, i32)>, Stopped> {
        let index = self.channel(channel)?;
        if self.offer.is_some() {
            return Ok(None); // a message on offer counts
        }
        let shape = self.space.model.shape(self.space.channels[index].shape);
        let (fields, capacity) = (shape.fields.len().max(1), shape.capacity as i32);
        let Some(cell) = self.space.channels[index].cell else { return Ok(Some((0, capacity))) };
        Ok(self.observe(cell, |content| (content.len() / fields) as i32).map(|length| (length, capacity)))
    }

    /// The channel that an expression means; any, or a run-time error, if it is not known.
    pub fn channel(&mut self, channel: &Expr) -> Result<usize, Stopped> {
        let number = match self.eval(channel)? {
            Some(number) => number,
            None => self.choose(self.space.channels.len() + 1) as i32,
        };
        let index = usize::try_from(number - 1).ok().filter(|&index| index < self.space.channels.len());
        let Some(index) = index else { return Err(Stopped::Fault) };
        let owner = self.space.channels[index].owner.filter(|&owner| owner != self.pid);
        if owner.is_some_and(|owner| !self.is_alive(owner)) { Err(Stopped::Fault) } else { Ok(index) }
    }

    /// What the fields of a message are compared with.
    pub fn pattern(&mut self, channel: usize, args: &[ArgPattern]) -> Result<Vec<Pattern>, Stopped> {
        let fields = self.space.model.shape(self.space.channels[channel].shape).fields.len();
        let mut pattern = vec![Pattern::Anything; fields];
        for (at, arg) in args.iter().enumerate() {
            if let ArgPattern::Match { value, .. } = arg {
                let value = self.eval(value)?;
                *pattern.get_mut(at).ok_or(Stopped::Fault)? = value.map_or(Pattern::Unknown, Pattern::Value);
            }
        }
        Ok(pattern)
    }

    /// Whether a buffered channel has a message that matches.
    pub fn has_message(&mut self, channel: usize, pattern: &[Pattern], anywhere: bool) -> Result<bool, Stopped> {
        let cell = self.space.channels[channel].cell.expect("a buffered channel");
        let wanted: Vec<Value> = pattern.iter().map(|field| field.value()).collect();
        match self.observe(cell, |content| find(content, wanted.len(), &wanted, anywhere).is_some()) {
            Some(true) if pattern.contains(&Pattern::Unknown) => Ok(self.choose(2) == 0),
            Some(found) => Ok(found),
            None => Ok(self.choose(2) == 0),
        }
    }
}

/// What a field of a message is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    Anything,
    Value(i32),
    /// A value that is not known.
    Unknown,
}

impl Pattern {
    /// The value, if it is known.
    pub fn value(self) -> Value {
        if let Pattern::Value(value) = self { Some(value) } else { None }
    }
}

/// Whether the evaluation of an expression can be a run-time error, as far as its form tells.
pub fn may_fail(expr: &Expr) -> bool {
    let mut found = false;
    expr.walk(&mut |part| {
        found |= match part {
            Expr::Var(var) => !var.indices.is_empty(),
            Expr::Binary(op, ..) => matches!(op, BinaryOp::Divide | BinaryOp::Remainder),
            Expr::Const { .. } | Expr::Pid | Expr::NewPid | Expr::Unary(..) | Expr::Conditional(..) => false,
            _ => true,
        };
    });
    found
}
