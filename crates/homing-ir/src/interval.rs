//! The interval domain (Cousot & Cousot 1977): the least and the greatest value of an expression, whatever the state.

use crate::{BinaryOp, Cell, Expr, Model, UnaryOp};

/// The least and the greatest value.
pub type Interval = (i64, i64);

/// The smallest interval that contains both.
pub fn hull(one: Interval, other: Interval) -> Interval {
    (one.0.min(other.0), one.1.max(other.1))
}

impl Cell {
    /// The least and the greatest value of a cell.
    pub fn range(self) -> Interval {
        match self {
            Cell::Bits(width) if width < 32 => (0, (1 << width) - 1),
            Cell::Byte => (0, 255),
            Cell::SignedByte => (i64::from(i8::MIN), i64::from(i8::MAX)),
            Cell::Short => (i64::from(i16::MIN), i64::from(i16::MAX)),
            Cell::Bits(_) | Cell::Int => (i64::from(i32::MIN), i64::from(i32::MAX)),
        }
    }
}

impl Model {
    /// The least and the greatest value that an expression can have, if `leaf` has those of its variables and of `_pid`. None if it may
    /// exceed 32 bits, or is not analysed.
    pub fn interval(&self, expr: &Expr, leaf: &dyn Fn(&Expr) -> Option<Interval>) -> Option<Interval> {
        let of = |expr: &Expr| self.interval(expr, leaf);
        let found = match expr {
            Expr::Const { value, .. } => (i64::from(*value), i64::from(*value)),
            Expr::Var(_) | Expr::Pid => leaf(expr)?,
            Expr::Checked(checked) => (checked.least.into(), checked.greatest.into()),
            Expr::Computed { value, .. } => of(value)?,
            Expr::Element { table, .. } => {
                let values = &self.tables[*table as usize].values;
                (i64::from(*values.iter().min()?), i64::from(*values.iter().max()?))
            }
            Expr::ProcessCount | Expr::NewPid => (0, 255),
            Expr::Conditional(_, then, otherwise) => hull(of(then)?, of(otherwise)?),
            Expr::Binary(BinaryOp::Add, left, right) => {
                let (left, right) = (of(left)?, of(right)?);
                (left.0 + right.0, left.1 + right.1)
            }
            Expr::Binary(BinaryOp::Subtract, left, right) => {
                let (left, right) = (of(left)?, of(right)?);
                (left.0 - right.1, left.1 - right.0)
            }
            Expr::Binary(BinaryOp::Multiply, left, right) => {
                let (left, right) = (of(left)?, of(right)?);
                let products = [left.0 * right.0, left.0 * right.1, left.1 * right.0, left.1 * right.1];
                (*products.iter().min()?, *products.iter().max()?)
            }
            Expr::Binary(BinaryOp::Remainder, left, right) => match (of(left)?, right.as_constant()?) {
                ((0.., greatest), divisor) if divisor > 0 => (0, greatest.min(i64::from(divisor) - 1)),
                (_, divisor) if divisor > 0 => (1 - i64::from(divisor), i64::from(divisor) - 1),
                _ => return None,
            },
            Expr::Binary(BinaryOp::Divide, left, right) => match (of(left)?, right.as_constant()?) {
                ((least @ 0.., greatest), divisor) if divisor > 0 => {
                    (least / i64::from(divisor), greatest / i64::from(divisor))
                }
                _ => return None,
            },
            Expr::Binary(op, ..) if op.is_test() => (0, 1),
            Expr::Unary(UnaryOp::Not, _) => (0, 1),
            _ => return None,
        };
        (i32::try_from(found.0).is_ok() && i32::try_from(found.1).is_ok()).then_some(found)
    }
}
