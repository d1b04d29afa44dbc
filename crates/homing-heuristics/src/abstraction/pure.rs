//! Expressions that depend on one cell at most: all values of the cell with the same result can be followed together.

use homing_engine::Reader;
use homing_ir::{ArgPattern, BinaryOp, Expr, Scope, UnaryOp};

use super::space::CellId;
use super::trial::{OBSERVER, Trial};

/// The evaluation of an expression is a run-time error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Failed;

/// An expression over the content of one cell.
#[derive(Clone, Debug)]
pub enum Pure {
    Constant(i32),
    /// The number that the cell holds.
    Number,
    /// The number of messages of the channel, each with so many fields.
    Length(usize),
    /// Whether the channel has a message that matches: the first, or any.
    Holds {
        pattern: Vec<Option<i32>>,
        anywhere: bool,
    },
    Unary(UnaryOp, Box<Pure>),
    Binary(BinaryOp, Box<Pure>, Box<Pure>),
    Conditional(Box<Pure>, Box<Pure>, Box<Pure>),
    /// A value that has to be in a range.
    Checked {
        value: Box<Pure>,
        least: i32,
        greatest: i32,
    },
    /// An element of a constant array.
    Element {
        values: Vec<i32>,
        index: Box<Pure>,
    },
}

impl Pure {
    /// The value for a content of the cell.
    pub fn eval(&self, content: &[i32]) -> Result<i32, Failed> {
        Ok(match self {
            Pure::Constant(value) => *value,
            Pure::Number => content[0],
            Pure::Length(fields) => (content.len() / fields) as i32,
            Pure::Holds { pattern, anywhere } => i32::from(find(content, pattern.len(), pattern, *anywhere).is_some()),
            Pure::Unary(op, operand) => unary(*op, operand.eval(content)?),
            Pure::Binary(BinaryOp::And, left, right) => {
                i32::from(left.eval(content)? != 0 && right.eval(content)? != 0)
            }
            Pure::Binary(BinaryOp::Or, left, right) => i32::from(left.eval(content)? != 0 || right.eval(content)? != 0),
            Pure::Binary(op, left, right) => {
                Reader::combine(*op, left.eval(content)?, right.eval(content)?).ok_or(Failed)?
            }
            Pure::Conditional(condition, then, otherwise) => {
                let chosen = if condition.eval(content)? != 0 { then } else { otherwise };
                chosen.eval(content)?
            }
            Pure::Checked { value, least, greatest } => {
                let value = value.eval(content)?;
                (*least..=*greatest).contains(&value).then_some(value).ok_or(Failed)?
            }
            Pure::Element { values, index } => {
                let index = usize::try_from(index.eval(content)?).map_err(|_| Failed)?;
                *values.get(index).ok_or(Failed)?
            }
        })
    }
}

pub fn unary(op: UnaryOp, operand: i32) -> i32 {
    match op {
        UnaryOp::Not => i32::from(operand == 0),
        UnaryOp::Negate => operand.wrapping_neg(),
        UnaryOp::Complement => !operand,
    }
}

/// The slot of the first message that matches; without `anywhere` only the first message is compared. A field without a value
/// matches everything.
pub fn find(content: &[i32], fields: usize, pattern: &[Option<i32>], anywhere: bool) -> Option<usize> {
    let matches = |message: &[i32]| {
        message.iter().zip(pattern).all(|(field, wanted)| wanted.is_none_or(|wanted| wanted == *field))
    };
    let mut messages = content.chunks(fields).take(if anywhere { usize::MAX } else { 1 });
    messages.position(matches)
}

impl Trial<'_, '_> {
    /// The expression over the cell it depends on, if that is one or none.
    pub fn pure(&mut self, expr: &Expr) -> Option<(Pure, Option<CellId>)> {
        let mut cell = None;
        let pure = self.pure_over(expr, &mut cell)?;
        Some((pure, cell))
    }

    /// The value of an expression that is the same in all states, as far as is known.
    pub fn constant(&mut self, expr: &Expr) -> Option<i32> {
        match self.pure(expr)? {
            (pure, None) => pure.eval(&[]).ok(),
            (_, Some(_)) => None,
        }
    }

    fn pure_over(&mut self, expr: &Expr, cell: &mut Option<CellId>) -> Option<Pure> {
        Some(match expr {
            Expr::Const { value, .. } => Pure::Constant(*value),
            Expr::Pid if self.pid != OBSERVER => Pure::Constant(self.pid as i32),
            Expr::Var(var) => {
                let variable = self.variable(var)?;
                let element = self.constant_index(variable, &var.indices)?;
                if var.scope == Scope::Scratch {
                    return self.scratch.get(&(var.var, element)).copied().flatten().map(Pure::Constant);
                }
                self.content(self.space.element(self.pid, var.scope, var.var, element), Pure::Number, cell)?
            }
            Expr::Unary(op, operand) => Pure::Unary(*op, Box::new(self.pure_over(operand, cell)?)),
            Expr::Binary(op, left, right) => {
                Pure::Binary(*op, Box::new(self.pure_over(left, cell)?), Box::new(self.pure_over(right, cell)?))
            }
            Expr::Conditional(condition, then, otherwise) => {
                let parts = [condition, then, otherwise].map(|part| Some(Box::new(self.pure_over(part, cell)?)));
                let [condition, then, otherwise] = parts;
                Pure::Conditional(condition?, then?, otherwise?)
            }
            Expr::Length(channel) => self.pure_length(channel, cell)?.0,
            Expr::Empty(channel) => Pure::Unary(UnaryOp::Not, Box::new(self.pure_length(channel, cell)?.0)),
            Expr::NotEmpty(channel) => {
                let (length, _) = self.pure_length(channel, cell)?;
                Pure::Binary(BinaryOp::Greater, Box::new(length), Box::new(Pure::Constant(0)))
            }
            Expr::Full(channel) => self.pure_full(channel, cell)?,
            Expr::NotFull(channel) => Pure::Unary(UnaryOp::Not, Box::new(self.pure_full(channel, cell)?)),
            Expr::Poll { channel, args, anywhere } => {
                let number = self.constant(channel)?;
                let (index, fields) = self.open_channel(number)?;
                let id = self.space.channels[index].cell?;
                let mut pattern = vec![None; fields];
                for (at, arg) in args.iter().enumerate() {
                    if let ArgPattern::Match { value, .. } = arg {
                        *pattern.get_mut(at)? = Some(self.constant(value)?);
                    }
                }
                self.content(id, Pure::Holds { pattern, anywhere: *anywhere }, cell)?
            }
            Expr::RemoteLabel { proctype, pid, location, .. } => {
                let pid = match pid {
                    Some(pid) => usize::try_from(self.constant(pid)?).ok()?,
                    None => self.only_process(*proctype)?,
                };
                if pid >= self.space.processes.len() || self.space.proctype(pid) != *proctype {
                    return None;
                }
                let at = Pure::Constant(*location as i32);
                let number = self.content(self.space.location(pid), Pure::Number, cell)?;
                Pure::Binary(BinaryOp::Equal, Box::new(number), Box::new(at))
            }
            Expr::Checked(checked) => {
                let value = Box::new(self.pure_over(&checked.value, cell)?);
                Pure::Checked { value, least: checked.least, greatest: checked.greatest }
            }
            Expr::Element { table, index } => {
                let index = Box::new(self.pure_over(index, cell)?);
                Pure::Element { values: self.space.model.tables[*table as usize].values.clone(), index }
            }
            _ => return None,
        })
    }

    /// What `pure` says of a cell, which is a constant if the cell has one value only.
    fn content(&mut self, id: CellId, pure: Pure, cell: &mut Option<CellId>) -> Option<Pure> {
        if !self.space.cell(id).is_tracked {
            return None;
        }
        self.depends_on(id);
        if let Some(only) = self.only_value(id) {
            return pure.eval(only).ok().map(Pure::Constant);
        }
        if *cell.get_or_insert(id) == id { Some(pure) } else { None }
    }

    /// The length of a channel that is known, and its capacity.
    fn pure_length(&mut self, channel: &Expr, cell: &mut Option<CellId>) -> Option<(Pure, u32)> {
        let number = self.constant(channel)?;
        let (index, fields) = self.open_channel(number)?;
        let capacity = self.space.model.shape(self.space.channels[index].shape).capacity;
        let length = match self.space.channels[index].cell {
            Some(id) => self.content(id, Pure::Length(fields), cell)?,
            None => Pure::Constant(0),
        };
        Some((length, capacity))
    }

    fn pure_full(&mut self, channel: &Expr, cell: &mut Option<CellId>) -> Option<Pure> {
        let (length, capacity) = self.pure_length(channel, cell)?;
        if capacity == 0 {
            return Some(Pure::Constant(0));
        }
        let capacity = Pure::Constant(capacity as i32);
        Some(Pure::Binary(BinaryOp::Equal, Box::new(length), Box::new(capacity)))
    }

    /// A channel that exists as long as the evaluating process does, with the number of fields of its messages. None while a
    /// message is on offer: it counts as held.
    fn open_channel(&self, number: i32) -> Option<(usize, usize)> {
        let index = usize::try_from(number - 1).ok().filter(|&index| index < self.space.channels.len())?;
        let channel = &self.space.channels[index];
        let is_open = channel.owner.is_none() || channel.owner == Some(self.pid);
        let fields = self.space.model.shape(channel.shape).fields.len();
        (is_open && self.offer.is_none() && fields > 0).then_some((index, fields))
    }

    /// The only process of a type, if there is one.
    pub fn only_process(&self, proctype: homing_ir::ProctypeId) -> Option<usize> {
        let mut processes = (0..self.space.processes.len()).filter(|&pid| self.space.proctype(pid) == proctype);
        processes.next().filter(|_| processes.next().is_none())
    }
}
