//! Expressions whose value a process knows: they are made of constants, its own variables and globals that no statement
//! writes. No other process can change the value while this one does not move.

use homing_ir::{BinaryOp, Cell, Expr, Model, ProctypeId, Scope, UnaryOp, VarRef};

use crate::eval::binary;
use crate::layout::Layout;
use crate::working_state::WorkingState;

/// A set of local variables of a process type, by their numbers.
pub type Locals = u128;

/// The local variable with a number; none if there are too many variables.
pub fn local(var: usize) -> Option<Locals> {
    (var < Locals::BITS as usize).then(|| 1 << var)
}

/// An expression that a process knows.
#[derive(Clone, Debug, PartialEq)]
pub enum Known {
    Constant(i32),
    Pid,
    Scalar(Place),
    /// A cell of an array, with an index and its bound for each dimension.
    Element(Place, Indices),
    /// The number of a cell of an array.
    Linear(Indices),
    Unary(UnaryOp, Box<Known>),
    Binary(BinaryOp, Box<(Known, Known)>),
}

/// An index and its bound for each dimension of an array.
pub type Indices = Box<[(Known, u32)]>;

/// Where a variable begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    scope: Scope,
    offset: u32,
    cell: Cell,
}

/// A process in a state.
#[derive(Clone, Copy)]
pub struct ProcessView<'a> {
    pub work: &'a WorkingState,
    pub layout: &'a Layout,
    pub pid: usize,
}

impl Known {
    /// The value; none if computing it is an error.
    pub fn value(&self, at: ProcessView<'_>) -> Option<i32> {
        match self {
            Known::Constant(value) => Some(*value),
            Known::Pid => Some(at.pid as i32),
            Known::Scalar(place) => Some(place.read(at, 0)),
            Known::Element(place, indices) => Some(place.read(at, linear(indices, at)?)),
            Known::Linear(indices) => Some(linear(indices, at)? as i32),
            Known::Unary(op, operand) => {
                let operand = operand.value(at)?;
                Some(match op {
                    UnaryOp::Not => i32::from(operand == 0),
                    UnaryOp::Negate => operand.wrapping_neg(),
                    UnaryOp::Complement => !operand,
                })
            }
            Known::Binary(op, operands) => binary(*op, operands.0.value(at)?, operands.1.value(at)?).ok(),
        }
    }
}

impl Known {
    /// Shows `visit` the variables of the process that the value depends on; none stands for its pid.
    pub fn for_each_place(&self, visit: &mut dyn FnMut(Option<Place>)) {
        match self {
            Known::Constant(_) => {}
            Known::Pid => visit(None),
            Known::Scalar(place) => place.show(visit),
            Known::Element(place, indices) => {
                place.show(visit);
                indices.iter().for_each(|(index, _)| index.for_each_place(visit));
            }
            Known::Linear(indices) => indices.iter().for_each(|(index, _)| index.for_each_place(visit)),
            Known::Unary(_, operand) => operand.for_each_place(visit),
            Known::Binary(_, operands) => {
                operands.0.for_each_place(visit);
                operands.1.for_each_place(visit);
            }
        }
    }

    /// Whether an array is read, of which any cell may be meant.
    pub fn reads_array(&self) -> bool {
        match self {
            Known::Constant(_) | Known::Pid | Known::Scalar(_) => false,
            Known::Element(place, _) if place.scope == Scope::Local => true,
            Known::Element(_, indices) | Known::Linear(indices) => indices.iter().any(|(index, _)| index.reads_array()),
            Known::Unary(_, operand) => operand.reads_array(),
            Known::Binary(_, operands) => operands.0.reads_array() || operands.1.reads_array(),
        }
    }
}

/// The number of a cell; none if an index is out of range.
fn linear(indices: &[(Known, u32)], at: ProcessView<'_>) -> Option<u32> {
    indices.iter().try_fold(0, |linear, (index, dim)| {
        let index = u32::try_from(index.value(at)?).ok().filter(|index| index < dim)?;
        Some(linear * dim + index)
    })
}

impl Place {
    /// Shows the place if it is one of the process.
    fn show(self, visit: &mut dyn FnMut(Option<Place>)) {
        if self.scope == Scope::Local {
            visit(Some(self));
        }
    }

    /// The value of a scalar variable.
    #[inline(always)]
    pub fn value(self, at: ProcessView<'_>) -> i32 {
        self.read(at, 0)
    }

    #[inline(always)]
    fn read(self, at: ProcessView<'_>, index: u32) -> i32 {
        let start = match self.scope {
            Scope::Global | Scope::Scratch => 0, // no place is a scratch cell
            Scope::Local => at.work.processes[at.pid].offset,
        };
        at.work.read(start + self.offset + index * self.cell.width() as u32, self.cell)
    }
}

/// What tells which expressions a process knows.
#[derive(Clone, Copy)]
pub struct Knowledge<'a> {
    pub model: &'a Model,
    pub layout: &'a Layout,
    /// By global variable: whether some statement writes it.
    pub is_written: &'a [bool],
    /// The initial state: globals that are never written have their values there.
    pub initial: &'a WorkingState,
}

impl Knowledge<'_> {
    /// An expression of a process of the type as one that it knows, with the local variables that it reads.
    pub fn of(self, proctype: ProctypeId, expr: &Expr) -> Option<(Known, Locals)> {
        match expr {
            Expr::Const { value, .. } => Some((Known::Constant(*value), 0)),
            Expr::Pid => Some((Known::Pid, 0)),
            Expr::Var(var) => self.of_variable(proctype, var),
            Expr::Unary(op, operand) => {
                let (operand, locals) = self.of(proctype, operand)?;
                Some((Known::Unary(*op, Box::new(operand)), locals))
            }
            Expr::Binary(op, left, right) => {
                let ((left, one), (right, other)) = (self.of(proctype, left)?, self.of(proctype, right)?);
                Some((Known::Binary(*op, Box::new((left, right))), one | other))
            }
            _ => None,
        }
    }

    fn of_variable(self, proctype: ProctypeId, var: &VarRef) -> Option<(Known, Locals)> {
        let variable = self.model.variable(Some(proctype), var.scope, var.var);
        let (slot, mut locals) = match var.scope {
            Scope::Global if self.is_written[var.var.index()] || variable.hidden => return None,
            Scope::Scratch => return None,
            Scope::Global => (self.layout.globals[var.var.index()], 0),
            Scope::Local => (self.layout.processes[proctype.index()].locals[var.var.index()], local(var.var.index())?),
        };
        let place = Place { scope: var.scope, offset: slot.offset, cell: slot.cell };
        let (indices, more) = self.of_indices(proctype, var)?;
        locals |= more;
        let known = if indices.is_empty() { Known::Scalar(place) } else { Known::Element(place, indices) };
        if var.scope == Scope::Global && has_constant_indices(&known) {
            let at = ProcessView { work: self.initial, layout: self.layout, pid: 0 };
            return known.value(at).map(|value| (Known::Constant(value), 0));
        }
        Some((known, locals))
    }

    /// The indices of a reference, if the process knows them, with the local variables that they read.
    pub fn of_indices(self, proctype: ProctypeId, var: &VarRef) -> Option<(Indices, Locals)> {
        let dims = &self.model.variable(Some(proctype), var.scope, var.var).dims;
        let (mut indices, mut locals) = (Vec::with_capacity(dims.len()), 0);
        for (index, &dim) in var.indices.iter().zip(dims) {
            let (index, more) = self.of(proctype, index)?;
            locals |= more;
            indices.push((index, dim));
        }
        Some((indices.into(), locals))
    }
}

fn has_constant_indices(known: &Known) -> bool {
    match known {
        Known::Element(_, indices) => indices.iter().all(|(index, _)| matches!(index, Known::Constant(_))),
        _ => true,
    }
}
