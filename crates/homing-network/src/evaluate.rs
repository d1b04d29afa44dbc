//! The meaning of expressions and functions, by a walk over their trees. Constants are evaluated by it, and the
//! [`explorer`](crate::explorer).

use std::fmt;

use crate::network::{
    Argument, Base, BinaryOp, Binding, BindingTarget, Call, ConstantId, Expr, ExprKind, Index, Network, Operand,
    Passing, Place, ProcessId, ProcessRef, Quantifier, RemoteBase, Statement, StepValue, Type, UnaryOp, ValueId,
};
use crate::source::Span;

/// Why an evaluation stopped, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct RuntimeError {
    /// The reason, with the values.
    pub kind: RuntimeErrorKind,
    /// The text that was evaluated.
    pub span: Span,
}

/// The reasons for which an evaluation stops.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RuntimeErrorKind {
    /// A value that a variable, parameter or result cannot have.
    OutOfRange {
        /// The value.
        value: i32,
        /// The smallest possible one.
        low: i32,
        /// The largest possible one.
        high: i32,
    },
    /// An index that an array does not have.
    Index {
        /// The index.
        value: i32,
        /// The first index.
        low: i32,
        /// The number of elements.
        length: u32,
    },
    /// A division by zero, or a remainder.
    DivisionByZero {
        /// What was to be divided.
        dividend: i32,
    },
    /// A division of the least integer by -1.
    DivisionOverflow,
    /// A shift by less than 0 or more than 31 bits.
    Shift {
        /// The number of bits.
        bits: i32,
    },
    /// A function with a result that ended without one.
    NoResult,
    /// A loop that went on for [`MOST_ROUNDS`] rounds.
    Endless,
    /// An invariant that does not hold at the beginning.
    InitialInvariant,
    /// A variable where a constant is needed.
    NotConstant,
}

impl fmt::Display for RuntimeErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RuntimeErrorKind::OutOfRange { value, low, high } => {
                write!(f, "the value {value} is out of the range {low} to {high}")
            }
            RuntimeErrorKind::Index { value, length: 0, .. } => write!(f, "the index {value} is into an empty array"),
            RuntimeErrorKind::Index { value, low, length } => {
                let last = i64::from(*low) + i64::from(*length) - 1;
                write!(f, "the index {value} is out of the range {low} to {last}")
            }
            RuntimeErrorKind::DivisionByZero { dividend } => write!(f, "{dividend} is divided by zero"),
            RuntimeErrorKind::DivisionOverflow => write!(f, "{} is divided by -1", i32::MIN),
            RuntimeErrorKind::Shift { bits } => write!(f, "a shift by {bits} bits; 0 to 31 are possible"),
            RuntimeErrorKind::NoResult => f.write_str("the function ends without `return`"),
            RuntimeErrorKind::Endless => write!(f, "the evaluation does not end within {MOST_ROUNDS} rounds"),
            RuntimeErrorKind::InitialInvariant => f.write_str("the invariant does not hold in the initial state"),
            RuntimeErrorKind::NotConstant => f.write_str("the value is not constant"),
        }
    }
}

/// The number of rounds of loops, calls and quantified values in one evaluation, after which it counts as endless.
pub const MOST_ROUNDS: u32 = 10_000_000;

type Evaluated<T> = Result<T, RuntimeError>;

fn fail<T>(kind: RuntimeErrorKind, span: Span) -> Evaluated<T> {
    Err(RuntimeError { kind, span })
}

/// Where the cells of variables are in a state.
#[derive(Debug, Default)]
pub struct Layout {
    /// The first cell of each global.
    pub globals: Vec<usize>,
    /// By process, the first cell of each of its variables.
    pub locals: Vec<Vec<usize>>,
}

impl Layout {
    /// The globals first, then the processes.
    pub fn of(network: &Network) -> Layout {
        let mut cells = 0;
        let mut place = |type_: &Type| {
            let at = cells;
            cells += type_.cells() as usize;
            at
        };
        let globals = network.globals.iter().map(|global| place(&global.type_)).collect();
        let of_process = |process: &crate::network::Process, place: &mut dyn FnMut(&Type) -> usize| {
            let template = &network.templates[process.template.index()];
            template.locals.iter().map(|local| place(&local.type_)).collect()
        };
        let locals = network.processes.iter().map(|process| of_process(process, &mut place)).collect();
        Layout { globals, locals }
    }
}

/// The process on whose behalf something is evaluated.
#[derive(Clone, Copy, Debug)]
pub struct Owner<'a> {
    pub values: &'a [Vec<i32>],
    pub references: &'a [Binding],
    /// `None` while it is instantiated: its variables have no values yet.
    pub process: Option<ProcessId>,
}

impl<'a> Owner<'a> {
    pub const NONE: Owner<'static> = Owner { values: &[], references: &[], process: None };

    pub fn of(network: &'a Network, process: ProcessId) -> Owner<'a> {
        let found = &network.processes[process.index()];
        Owner { values: &found.values, references: &found.references, process: Some(process) }
    }
}

/// A cell.
#[derive(Clone, Copy, Debug)]
enum Address {
    State(usize),
    Frame(usize),
    Constant(ConstantId, usize),
    Value(ValueId, usize),
    RemoteValue(ProcessId, ValueId, usize),
}

/// An evaluation. Without a layout there are no variables, only constants.
pub struct Machine<'a> {
    network: &'a Network,
    layout: Option<&'a Layout>,
    owner: Owner<'a>,
    /// By process.
    locations: &'a [u32],
    cells: &'a mut [i32],
    is_deadlock: bool,
    frames: Vec<i32>,
    frame: usize,
    references: Vec<Address>,
    first_reference: usize,
    rounds: u32,
}

impl<'a> Machine<'a> {
    /// An evaluation in a state.
    pub fn new(
        network: &'a Network,
        layout: &'a Layout,
        owner: Owner<'a>,
        locations: &'a [u32],
        cells: &'a mut [i32],
    ) -> Self {
        Machine { layout: Some(layout), locations, cells, ..Machine::constant(network, owner) }
    }

    /// An evaluation of constants.
    pub fn constant(network: &'a Network, owner: Owner<'a>) -> Self {
        Machine {
            network,
            layout: None,
            owner,
            locations: &[],
            cells: &mut [],
            is_deadlock: false,
            frames: Vec::new(),
            frame: 0,
            references: Vec::new(),
            first_reference: 0,
            rounds: 0,
        }
    }

    /// Sets what `deadlock` is.
    pub fn with_deadlock(mut self, is_deadlock: bool) -> Self {
        self.is_deadlock = is_deadlock;
        self
    }

    /// Sets the frame: the values chosen by `select`, then cells for bound variables.
    pub fn with_frame(mut self, chosen: &[i32], size: u32) -> Self {
        self.frames.extend(chosen);
        self.frames.resize(size as usize, 0);
        self
    }

    /// The value of an expression; its effects are on the cells.
    pub fn value(&mut self, expr: &Expr) -> Evaluated<i32> {
        let span = expr.span;
        Ok(match &expr.kind {
            ExprKind::Constant(value) => *value,
            ExprKind::Read(place) => {
                let address = self.address(place)?;
                self.load(address)
            }
            ExprKind::AtLocation { process, location } => {
                let process = self.process(process)?;
                i32::from(self.locations.get(process.index()) == Some(&location.0))
            }
            ExprKind::Deadlock => i32::from(self.is_deadlock),
            ExprKind::Unary(UnaryOp::Not, operand) => i32::from(self.value(operand)? == 0),
            ExprKind::Unary(UnaryOp::Minus, operand) => self.value(operand)?.wrapping_neg(),
            ExprKind::Binary(operator, left, right) => {
                let left = self.value(left)?;
                match operator {
                    BinaryOp::And if left == 0 => return Ok(0),
                    BinaryOp::Or if left != 0 => return Ok(1),
                    BinaryOp::Imply if left == 0 => return Ok(1),
                    _ => {}
                }
                let right = self.value(right)?;
                apply(*operator, left, right, span)?
            }
            ExprKind::Conditional(parts) => {
                let [condition, then, otherwise] = &**parts;
                if self.value(condition)? != 0 { self.value(then)? } else { self.value(otherwise)? }
            }
            ExprKind::Assign { target, operator, value, result } => {
                let value = self.value(value)?;
                let address = self.address(target)?;
                let old = self.load(address);
                let new = match operator {
                    Some(operator) => apply(*operator, old, value, span)?,
                    None => value,
                };
                let stored = in_range(&target.type_, new, span)?;
                self.store(address, stored);
                if *result == StepValue::Old { old } else { stored }
            }
            ExprKind::Copy { target, source } => {
                let values = self.operand(source)?;
                let address = self.address(target)?;
                let values = cells_in_range(&target.type_, values, span)?;
                for (at, value) in values.into_iter().enumerate() {
                    self.store(shifted(address, at), value);
                }
                0
            }
            ExprKind::Same { left, right } => i32::from(self.operand(left)? == self.operand(right)?),
            ExprKind::Call(call) => self.call(call)?.first().copied().unwrap_or(0),
            ExprKind::Quantified { quantifier, offset, range, body } => {
                let mut sum = 0i32;
                for value in range.low..=range.high {
                    self.charge(span)?;
                    let frame = self.frame;
                    self.frames[frame + *offset as usize] = value;
                    let value = self.value(body)?;
                    match quantifier {
                        Quantifier::Forall if value == 0 => return Ok(0),
                        Quantifier::Exists if value != 0 => return Ok(1),
                        Quantifier::Sum => sum = sum.wrapping_add(value),
                        _ => {}
                    }
                }
                match quantifier {
                    Quantifier::Forall => 1,
                    Quantifier::Exists => 0,
                    Quantifier::Sum => sum,
                }
            }
        })
    }

    /// The number of the channel of a synchronisation, from that of the first.
    pub fn index_sum(&mut self, indices: &[Index]) -> Evaluated<u32> {
        let mut sum = 0;
        for index in indices {
            let value = self.value(&index.expr)?;
            let number = i64::from(value) - i64::from(index.low);
            if !(0..i64::from(index.length)).contains(&number) {
                let kind = RuntimeErrorKind::Index { value, low: index.low, length: index.length };
                return fail(kind, index.expr.span);
            }
            sum += number as u32 * index.stride;
        }
        Ok(sum)
    }

    /// The cells that a place with constant indices refers to, and its base.
    pub fn offset(&mut self, place: &Place) -> Evaluated<u32> {
        Ok(place.offset + self.index_sum(&place.index)?)
    }

    fn process(&mut self, process: &ProcessRef) -> Evaluated<ProcessId> {
        Ok(ProcessId(process.first.0 + self.index_sum(&process.index)?))
    }

    fn address(&mut self, place: &Place) -> Evaluated<Address> {
        let at = self.offset(place)? as usize;
        let state = |machine: &Self, first: Option<usize>| match (machine.layout, first) {
            (Some(_), Some(first)) => Ok(Address::State(first + at)),
            _ => fail(RuntimeErrorKind::NotConstant, place.span),
        };
        let layout = self.layout;
        match &place.base {
            Base::Global(id) => state(self, layout.map(|layout| layout.globals[id.index()])),
            Base::Constant(id) => Ok(Address::Constant(*id, at)),
            Base::Local(id) => {
                let first = layout.zip(self.owner.process);
                state(self, first.map(|(layout, process)| layout.locals[process.index()][id.index()]))
            }
            Base::Value(id) if id.index() < self.owner.values.len() => Ok(Address::Value(*id, at)),
            Base::Value(_) => fail(RuntimeErrorKind::NotConstant, place.span),
            Base::Reference(id) => match self.owner.references.get(id.index()) {
                Some(binding) => self.bound(*binding, at, place.span),
                None => fail(RuntimeErrorKind::NotConstant, place.span),
            },
            Base::Frame(first) => Ok(Address::Frame(self.frame + *first as usize + at)),
            Base::FrameReference(number) => Ok(shifted(self.references[self.first_reference + *number as usize], at)),
            Base::Remote(remote) => {
                let (process, base) = &**remote;
                let process = self.process(process)?;
                match *base {
                    RemoteBase::Local(id) => {
                        state(self, layout.map(|layout| layout.locals[process.index()][id.index()]))
                    }
                    RemoteBase::Value(id) => Ok(Address::RemoteValue(process, id, at)),
                    RemoteBase::Reference(id) => {
                        let binding = self.network.processes[process.index()].references[id.index()];
                        self.bound(binding, at, place.span)
                    }
                }
            }
        }
    }

    fn bound(&self, binding: Binding, at: usize, span: Span) -> Evaluated<Address> {
        let at = binding.offset as usize + at;
        match (binding.target, self.layout) {
            (BindingTarget::Global(id), Some(layout)) => Ok(Address::State(layout.globals[id.index()] + at)),
            (BindingTarget::Global(_), None) => fail(RuntimeErrorKind::NotConstant, span),
            (BindingTarget::Constant(id), _) => Ok(Address::Constant(id, at)),
        }
    }

    fn load(&self, address: Address) -> i32 {
        match address {
            Address::State(at) => self.cells[at],
            Address::Frame(at) => self.frames[at],
            Address::Constant(id, at) => self.network.constants[id.index()].values[at],
            Address::Value(id, at) => self.owner.values[id.index()][at],
            Address::RemoteValue(process, id, at) => self.network.processes[process.index()].values[id.index()][at],
        }
    }

    fn store(&mut self, address: Address, value: i32) {
        match address {
            Address::State(at) => self.cells[at] = value,
            Address::Frame(at) => self.frames[at] = value,
            Address::Constant(..) | Address::Value(..) | Address::RemoteValue(..) => {
                debug_assert!(false, "constants are no targets of assignments");
            }
        }
    }

    /// The cells of an operand.
    pub fn operand(&mut self, operand: &Operand) -> Evaluated<Vec<i32>> {
        match operand {
            Operand::Value(expr) => Ok(vec![self.value(expr)?]),
            Operand::Cells(place) => {
                let address = self.address(place)?;
                Ok((0..place.type_.cells() as usize).map(|at| self.load(shifted(address, at))).collect())
            }
            Operand::Call(call) => self.call(call),
        }
    }

    fn call(&mut self, call: &Call) -> Evaluated<Vec<i32>> {
        let span = call.span;
        self.charge(span)?;
        let function = &self.network.functions[call.function.index()];
        let mut values = vec![0; function.frame as usize];
        let mut references = Vec::new();
        for (argument, parameter) in call.arguments.iter().zip(&function.parameters) {
            match (argument, parameter.passing) {
                (Argument::Value(operand), Passing::Value { offset }) => {
                    let cells = self.operand(operand)?;
                    let place = match operand {
                        Operand::Value(expr) => expr.span,
                        _ => span,
                    };
                    let cells = cells_in_range(&parameter.type_, cells, place)?;
                    values[offset as usize..offset as usize + cells.len()].copy_from_slice(&cells);
                }
                (Argument::Reference(place), Passing::Reference { .. }) => references.push(self.address(place)?),
                _ => debug_assert!(false, "arguments are passed as the function declares it"),
            }
        }
        let frames = self.frames.len();
        let before = (self.frame, self.first_reference, self.references.len());
        self.frame = frames;
        self.first_reference = self.references.len();
        self.frames.extend(values);
        self.references.extend(references);
        let flow = self.block(&function.body);
        self.frames.truncate(frames);
        self.frame = before.0;
        self.first_reference = before.1;
        self.references.truncate(before.2);
        match (flow?, &function.result) {
            (Some(values), Some(type_)) => cells_in_range(type_, values, span),
            (None, Some(_)) => fail(RuntimeErrorKind::NoResult, function.span),
            (_, None) => Ok(Vec::new()),
        }
    }

    /// Executes statements; the result if one of them returns.
    fn block(&mut self, statements: &[Statement]) -> Evaluated<Option<Vec<i32>>> {
        for statement in statements {
            let flow = self.statement(statement)?;
            if flow.is_some() {
                return Ok(flow);
            }
        }
        Ok(None)
    }

    fn statement(&mut self, statement: &Statement) -> Evaluated<Option<Vec<i32>>> {
        match statement {
            Statement::Evaluate(expr) => {
                self.value(expr)?;
            }
            Statement::Reset { offset, values } => {
                let first = self.frame + *offset as usize;
                self.frames[first..first + values.len()].copy_from_slice(values);
            }
            Statement::Block(statements) => return self.block(statements),
            Statement::If { condition, then, otherwise } => {
                if self.value(condition)? != 0 {
                    return self.statement(then);
                }
                if let Some(otherwise) = otherwise {
                    return self.statement(otherwise);
                }
            }
            Statement::While { condition, body, next } => {
                while self.value(condition)? != 0 {
                    self.charge(condition.span)?;
                    let flow = self.statement(body)?;
                    if flow.is_some() {
                        return Ok(flow);
                    }
                    if let Some(next) = next {
                        self.value(next)?;
                    }
                }
            }
            Statement::DoWhile { body, condition } => loop {
                self.charge(condition.span)?;
                let flow = self.statement(body)?;
                if flow.is_some() {
                    return Ok(flow);
                }
                if self.value(condition)? == 0 {
                    break;
                }
            },
            Statement::Iterate { offset, range, body, span } => {
                for value in range.low..=range.high {
                    self.charge(*span)?;
                    let frame = self.frame;
                    self.frames[frame + *offset as usize] = value;
                    let flow = self.statement(body)?;
                    if flow.is_some() {
                        return Ok(flow);
                    }
                }
            }
            Statement::Return(None) => return Ok(Some(Vec::new())),
            Statement::Return(Some(operand)) => return self.operand(operand).map(Some),
        }
        Ok(None)
    }

    fn charge(&mut self, span: Span) -> Evaluated<()> {
        self.rounds += 1;
        if self.rounds > MOST_ROUNDS { fail(RuntimeErrorKind::Endless, span) } else { Ok(()) }
    }
}

fn shifted(address: Address, by: usize) -> Address {
    match address {
        Address::State(at) => Address::State(at + by),
        Address::Frame(at) => Address::Frame(at + by),
        Address::Constant(id, at) => Address::Constant(id, at + by),
        Address::Value(id, at) => Address::Value(id, at + by),
        Address::RemoteValue(process, id, at) => Address::RemoteValue(process, id, at + by),
    }
}

/// The values as the cells of the type store them.
fn cells_in_range(type_: &Type, mut values: Vec<i32>, span: Span) -> Evaluated<Vec<i32>> {
    for (value, cell) in values.iter_mut().zip(type_.cell_types()) {
        *value = in_range(cell, *value, span)?;
    }
    Ok(values)
}

/// The value as a cell of the type stores it.
pub fn in_range(type_: &Type, value: i32, span: Span) -> Evaluated<i32> {
    match type_.range() {
        _ if *type_ == Type::Bool => Ok(i32::from(value != 0)),
        Some((low, high)) if !(low..=high).contains(&value) => {
            fail(RuntimeErrorKind::OutOfRange { value, low, high }, span)
        }
        _ => Ok(value),
    }
}

/// An operator applied to values: 32 bits, wrapping; division truncates.
pub fn apply(operator: BinaryOp, left: i32, right: i32, span: Span) -> Evaluated<i32> {
    let shift = |bits: i32| match u32::try_from(bits) {
        Ok(bits) if bits < 32 => Ok(bits),
        _ => fail(RuntimeErrorKind::Shift { bits }, span),
    };
    Ok(match operator {
        BinaryOp::Or => i32::from(left != 0 || right != 0),
        BinaryOp::Imply => i32::from(left == 0 || right != 0),
        BinaryOp::Xor => i32::from((left != 0) != (right != 0)),
        BinaryOp::And => i32::from(left != 0 && right != 0),
        BinaryOp::BitOr => left | right,
        BinaryOp::BitXor => left ^ right,
        BinaryOp::BitAnd => left & right,
        BinaryOp::Equal => i32::from(left == right),
        BinaryOp::NotEqual => i32::from(left != right),
        BinaryOp::Less => i32::from(left < right),
        BinaryOp::LessEqual => i32::from(left <= right),
        BinaryOp::GreaterEqual => i32::from(left >= right),
        BinaryOp::Greater => i32::from(left > right),
        BinaryOp::Minimum => left.min(right),
        BinaryOp::Maximum => left.max(right),
        BinaryOp::ShiftLeft => left.wrapping_shl(shift(right)?),
        BinaryOp::ShiftRight => left >> shift(right)?,
        BinaryOp::Add => left.wrapping_add(right),
        BinaryOp::Subtract => left.wrapping_sub(right),
        BinaryOp::Multiply => left.wrapping_mul(right),
        BinaryOp::Divide | BinaryOp::Remainder if right == 0 => {
            return fail(RuntimeErrorKind::DivisionByZero { dividend: left }, span);
        }
        BinaryOp::Divide => {
            left.checked_div(right).map_or_else(|| fail(RuntimeErrorKind::DivisionOverflow, span), Ok)?
        }
        BinaryOp::Remainder => {
            left.checked_rem(right).map_or_else(|| fail(RuntimeErrorKind::DivisionOverflow, span), Ok)?
        }
    })
}
