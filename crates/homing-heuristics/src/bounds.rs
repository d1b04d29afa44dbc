//! Bounds of the values of an expression.

use homing_ir::{BinaryOp, Expr, Model, ProctypeId};

use crate::rate::range;

/// The least and the greatest value that the expression can have, whatever the state. `None` if it may exceed 32 bits.
pub fn bounds(model: &Model, proctype: ProctypeId, expr: &Expr) -> Option<(i64, i64)> {
    let of = |expr: &Expr| bounds(model, proctype, expr);
    let found = match expr {
        Expr::Const { value, .. } => (i64::from(*value), i64::from(*value)),
        Expr::Var(var) => {
            let variable = model.variable(Some(proctype), var.scope, var.var);
            variable.range.map_or(range(variable.cell), |(least, greatest)| (least.into(), greatest.into()))
        }
        Expr::Checked(checked) => (checked.least.into(), checked.greatest.into()),
        Expr::Computed { value, .. } => of(value)?,
        Expr::Element { table, .. } => {
            let values = &model.tables[*table as usize].values;
            (i64::from(*values.iter().min()?), i64::from(*values.iter().max()?))
        }
        Expr::Pid | Expr::ProcessCount => (0, 255),
        Expr::Conditional(_, then, otherwise) => {
            let (one, other) = (of(then)?, of(otherwise)?);
            (one.0.min(other.0), one.1.max(other.1))
        }
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
        Expr::Binary(op, ..) if op.is_test() => (0, 1),
        Expr::Unary(homing_ir::UnaryOp::Not, _) => (0, 1),
        _ => return None,
    };
    (i32::try_from(found.0).is_ok() && i32::try_from(found.1).is_ok()).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::model;
    use homing_ir::Action;

    #[test]
    fn an_index_by_remainder() {
        let model = model("byte x; short s; int y; active proctype P() { x = (x + 1) % 3; x = s % 5; x = y + 1 }");
        let of = |action: &Action| match action {
            Action::Assign { value, .. } => Some(bounds(&model, ProctypeId(0), value)),
            _ => None,
        };
        let found: Vec<_> =
            model.proctypes[0].automaton.statements.iter().filter_map(|statement| of(&statement.action)).collect();
        assert_eq!(found, [Some((0, 2)), Some((-4, 4)), None]);
    }
}
