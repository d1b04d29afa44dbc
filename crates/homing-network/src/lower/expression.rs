//! Single values: operators, assignments, quantifiers.

use homing_ir::{Action, BinaryOp, CheckedRole, Expr, ProctypeId};

use super::address::Address;
use super::arithmetic::{self, Range, binary, conditional, joined, not, truth};
use super::builder::{Builder, Res, Stop, scratch, temporary};
use crate::network::{self, Base, ExprKind, Operand, ProcessRef, Quantifier, StepValue, Type, UnaryOp};
use crate::source::Span;

/// A quantifier over more values than this is a loop.
const MOST_UNROLLED: u32 = 64;
/// A quantifier whose expansion has more parts than this is a loop.
const LARGEST_UNROLLED: usize = 2048;
/// An operand of `<?` and `>?` with more parts than this is computed once.
const LARGEST_REPEATED: usize = 8;

impl<'a> Builder<'_, 'a> {
    /// The value of an expression; its effects are statements of the block. The value is valid until the next statement is added.
    pub fn value(&mut self, expr: &'a network::Expr) -> Res<Expr> {
        if !self.is_plain()
            && let Some(value) = self.plainly(|builder| builder.value(expr))?
        {
            return Ok(value);
        }
        let span = expr.span;
        match &expr.kind {
            ExprKind::Constant(value) => Ok(Expr::constant(*value)),
            ExprKind::Read(place) => {
                if let Base::Remote(remote) = &place.base {
                    return self.remote_value(place, remote);
                }
                let address = self.address(place)?;
                self.read(&address, 0)
            }
            ExprKind::AtLocation { process, location } => self.at_location(process, location.0),
            ExprKind::Deadlock => Ok(Expr::Timeout),
            ExprKind::Unary(UnaryOp::Not, operand) => Ok(not(self.value(operand)?)),
            ExprKind::Unary(UnaryOp::Minus, operand) => Ok(arithmetic::minus(self.value(operand)?)),
            ExprKind::Binary(operator, left, right) => self.binary(*operator, left, right),
            ExprKind::Conditional(parts) => self.conditional(parts),
            ExprKind::Assign { target, operator, value, result } => {
                let (address, stored) = self.assignment(target, *operator, value)?;
                let cell = self.cell(&address, 0)?;
                let before = match result {
                    StepValue::Old => Some(self.keep(Expr::Var(cell.clone()))?),
                    StepValue::New => None,
                };
                let stored = self.keep(stored)?;
                self.assign(cell, stored.clone(), span)?;
                Ok(before.unwrap_or(stored))
            }
            ExprKind::Copy { .. } => {
                self.effect(expr)?;
                Ok(Expr::constant(0))
            }
            ExprKind::Same { left, right } => self.same(left, right),
            ExprKind::Call(call) => self.call_value(call),
            ExprKind::Quantified { quantifier, offset, range, body } => {
                self.quantified(*quantifier, *offset, *range, body, span)
            }
        }
    }

    /// Executes an expression for its effects.
    pub fn effect(&mut self, expr: &'a network::Expr) -> Res<()> {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Assign { target, operator, value, .. } => {
                let (address, stored) = self.assignment(target, *operator, value)?;
                let cell = self.cell(&address, 0)?;
                self.assign(cell, stored, span)
            }
            ExprKind::Copy { target, source } => self.copy(target, source, span),
            ExprKind::Call(call) => self.call(call).map(|_| ()),
            _ => match self.value(expr)? {
                Expr::Const { .. } => Ok(()),
                value => self.act(Action::Discard(value), span),
            },
        }
    }

    /// The cell and the value of an assignment. The value is evaluated before the indices of the target.
    fn assignment(
        &mut self,
        target: &'a network::Place,
        operator: Option<network::BinaryOp>,
        value: &'a network::Expr,
    ) -> Res<(Address<'a>, Expr)> {
        let mut value = self.value(value)?;
        let address = match self.plainly(|builder| builder.address(target))? {
            Some(address) => address,
            None => {
                value = self.keep(value)?;
                self.address(target)?
            }
        };
        let new = match operator {
            Some(operator) => {
                let old = self.read(&address, 0)?;
                self.apply(operator, old, value)?
            }
            None => value,
        };
        let name = self.lowering.text(target.span);
        let stored = self.stored(&target.type_, new, &address, &name);
        Ok((address, stored))
    }

    /// A value as a cell stores it. A variable of the network tests its range itself.
    pub fn stored(&self, type_: &Type, value: Expr, address: &Address<'a>, name: &str) -> Expr {
        match type_ {
            Type::Bool => truth(value),
            _ if address.tests_values() => value,
            _ => self.in_range(type_, value, name),
        }
    }

    /// A value as a cell of the type has it: tested, or converted to a truth value.
    pub fn in_range(&self, type_: &Type, value: Expr, name: &str) -> Expr {
        match (type_, type_.range()) {
            (Type::Bool, _) => truth(value),
            (_, Some((least, greatest))) => {
                self.checked(value, &Range { least, greatest, role: CheckedRole::Value, name })
            }
            (_, None) => value,
        }
    }

    fn at_location(&mut self, process: &'a ProcessRef, location: u32) -> Res<Expr> {
        let network = self.lowering.network;
        let mut cases = Vec::new();
        for (condition, process) in self.processes(process)? {
            let label = &network.template_of(process).locations[location as usize].name;
            let at = Expr::RemoteLabel {
                proctype: ProctypeId(process.0),
                pid: Some(Box::new(Expr::constant(process.0 as i32))),
                location: location + 1,
                label: (&**label).into(),
            };
            cases.push(binary(BinaryOp::And, condition, at));
        }
        Ok(joined(BinaryOp::Or, cases, 0))
    }

    fn binary(&mut self, operator: network::BinaryOp, left: &'a network::Expr, right: &'a network::Expr) -> Res<Expr> {
        use network::BinaryOp as Op;
        let mut first = self.value(left)?;
        let is_lazy = matches!(operator, Op::And | Op::Or | Op::Imply);
        if self.is_plain() {
            let decided = match (operator, first.as_constant()) {
                (Op::And, Some(0)) => Some(0),
                (Op::Or, Some(1..=i32::MAX | i32::MIN..=-1)) | (Op::Imply, Some(0)) => Some(1),
                _ => None,
            };
            if let Some(value) = decided {
                return Ok(Expr::constant(value));
            }
        }
        if let Some(second) = self.plainly(|builder| builder.value(right))? {
            return self.apply(operator, first, second);
        }
        if self.is_plain() {
            return Err(Stop::NotPlain);
        }
        if is_lazy {
            let (condition, otherwise) = match operator {
                Op::And => (first, 0),
                Op::Or => (not(first), 1),
                _ => (first, 1),
            };
            return self.either(condition, left.span, |builder| builder.value(right).map(truth), otherwise);
        }
        first = self.keep(first)?;
        let second = self.value(right)?;
        self.apply(operator, first, second)
    }

    /// A value that is computed if the condition holds, and a known one if it does not.
    fn either(
        &mut self,
        condition: Expr,
        span: Span,
        then: impl FnOnce(&mut Self) -> Res<Expr>,
        otherwise: i32,
    ) -> Res<Expr> {
        let result = self.temporaries(1);
        self.assign(temporary(result), Expr::constant(otherwise), span)?;
        let end = self.label();
        self.unless(condition, end, span)?;
        let value = then(self)?;
        self.assign(temporary(result), value, span)?;
        self.put(end);
        Ok(Expr::Var(temporary(result)))
    }

    fn conditional(&mut self, [condition, then, otherwise]: &'a [network::Expr; 3]) -> Res<Expr> {
        let holds = self.value(condition)?;
        match holds.as_constant() {
            Some(0) => return self.value(otherwise),
            Some(_) => return self.value(then),
            None => {}
        }
        if self.is_plain() {
            return Ok(conditional(holds, self.value(then)?, self.value(otherwise)?));
        }
        let result = self.temporaries(1);
        let (other, end) = (self.label(), self.label());
        self.unless(holds, other, condition.span)?;
        for (branch, jumps) in [(then, Some(end)), (otherwise, None)] {
            let value = self.value(branch)?;
            self.assign(temporary(result), value, branch.span)?;
            if let Some(end) = jumps {
                self.jump(end)?;
                self.put(other);
            }
        }
        self.put(end);
        Ok(Expr::Var(temporary(result)))
    }

    /// An operator applied to two values.
    pub fn apply(&mut self, operator: network::BinaryOp, left: Expr, right: Expr) -> Res<Expr> {
        use network::BinaryOp as Op;
        let op = match operator {
            Op::Or => BinaryOp::Or,
            Op::Imply => return Ok(binary(BinaryOp::Or, not(left), right)),
            Op::Xor => return Ok(binary(BinaryOp::NotEqual, truth(left), truth(right))),
            Op::And => BinaryOp::And,
            Op::BitOr => BinaryOp::BitOr,
            Op::BitXor => BinaryOp::BitXor,
            Op::BitAnd => BinaryOp::BitAnd,
            Op::Equal => BinaryOp::Equal,
            Op::NotEqual => BinaryOp::NotEqual,
            Op::Less => BinaryOp::Less,
            Op::LessEqual => BinaryOp::LessEqual,
            Op::GreaterEqual => BinaryOp::GreaterEqual,
            Op::Greater => BinaryOp::Greater,
            Op::Minimum => return self.extreme(BinaryOp::Less, left, right),
            Op::Maximum => return self.extreme(BinaryOp::Greater, left, right),
            Op::ShiftLeft | Op::ShiftRight => {
                let range = Range { least: 0, greatest: 31, role: CheckedRole::Shift, name: "" };
                let bits = self.checked(right, &range);
                let op = if operator == Op::ShiftLeft { BinaryOp::ShiftLeft } else { BinaryOp::ShiftRight };
                return Ok(binary(op, left, bits));
            }
            Op::Add => BinaryOp::Add,
            Op::Subtract => BinaryOp::Subtract,
            Op::Multiply => BinaryOp::Multiply,
            Op::Divide => BinaryOp::Divide,
            Op::Remainder => BinaryOp::Remainder,
        };
        Ok(binary(op, left, right))
    }

    /// The one of two values that comes first by the comparison.
    fn extreme(&mut self, comparison: BinaryOp, left: Expr, right: Expr) -> Res<Expr> {
        let is_large = arithmetic::size(&left) > LARGEST_REPEATED || arithmetic::size(&right) > LARGEST_REPEATED;
        let (left, right) = match (is_large, self.is_plain()) {
            (true, true) => return Err(Stop::NotPlain),
            (true, false) => (self.keep(left)?, self.keep(right)?),
            (false, _) => (left, right),
        };
        let comes_first = binary(comparison, left.clone(), right.clone());
        // both are evaluated: the second can fail
        Ok(conditional(comes_first, left, right))
    }

    fn quantified(
        &mut self,
        quantifier: Quantifier,
        offset: u32,
        range: network::Range,
        body: &'a network::Expr,
        span: Span,
    ) -> Res<Expr> {
        let (op, empty) = match quantifier {
            Quantifier::Forall => (BinaryOp::And, 1),
            Quantifier::Exists => (BinaryOp::Or, 0),
            Quantifier::Sum => (BinaryOp::Add, 0),
        };
        if self.is_plain() {
            return self.unrolled(op, empty, offset, range, body);
        }
        let result = temporary(self.temporaries(1));
        self.assign(result.clone(), Expr::constant(empty), span)?;
        let end = self.label();
        self.for_each_value(offset, range, span, |builder| {
            let value = builder.value(body)?;
            if let Quantifier::Sum = quantifier {
                let sum = binary(BinaryOp::Add, Expr::Var(result.clone()), value);
                return builder.assign(result.clone(), sum, span);
            }
            let next = builder.label();
            let decides = if quantifier == Quantifier::Forall { not(value) } else { value };
            builder.unless(decides, next, span)?;
            builder.assign(result.clone(), Expr::constant(1 - empty), span)?;
            builder.jump(end)?;
            builder.put(next);
            Ok(())
        })?;
        self.put(end);
        Ok(Expr::Var(result))
    }

    /// Joins the values of all elements of a small range.
    fn unrolled(
        &mut self,
        op: BinaryOp,
        empty: i32,
        offset: u32,
        range: network::Range,
        body: &'a network::Expr,
    ) -> Res<Expr> {
        if range.len() > MOST_UNROLLED {
            return Err(Stop::NotPlain);
        }
        let (mut values, mut parts) = (Vec::new(), 0);
        for value in range.low..=range.high {
            self.activation().known.push((offset, Expr::constant(value)));
            let value = self.value(body);
            self.activation().known.pop();
            let value = value?;
            parts += arithmetic::size(&value);
            if parts > LARGEST_UNROLLED {
                return Err(Stop::NotPlain);
            }
            self.charge(1)?;
            values.push(if op == BinaryOp::Add { value } else { truth(value) });
        }
        Ok(joined(op, values, empty))
    }

    /// Adds a loop in which a cell of the frame has each value of a range.
    pub fn for_each_value(
        &mut self,
        offset: u32,
        range: network::Range,
        span: Span,
        body: impl FnOnce(&mut Self) -> Res<()>,
    ) -> Res<()> {
        if range.is_empty() {
            return Ok(());
        }
        let cell = scratch(self.activation().frame, Expr::constant(offset as i32));
        self.assign(cell.clone(), Expr::constant(range.low), span)?;
        let (again, last, end) = (self.label(), self.label(), self.label());
        self.put(again);
        body(self)?;
        let value = Expr::Var(cell.clone());
        self.unless(binary(BinaryOp::Equal, value.clone(), Expr::constant(range.high)), last, span)?;
        self.jump(end)?;
        self.put(last);
        self.assign(cell, binary(BinaryOp::Add, value, Expr::constant(1)), span)?;
        self.jump(again)?;
        self.put(end);
        Ok(())
    }

    fn same(&mut self, left: &'a Operand, right: &'a Operand) -> Res<Expr> {
        let left = self.operand(left)?;
        let right = self.operand(right)?;
        let equal = left.into_iter().zip(right).map(|(left, right)| binary(BinaryOp::Equal, left, right)).collect();
        Ok(joined(BinaryOp::And, equal, 1))
    }
}
