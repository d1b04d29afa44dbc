//! Which expressions can fail to have a value: an index out of range, a division without a result, a channel that is none.

use crate::{BinaryOp, Expr, Model, ProctypeId};

/// Whether computing the value can be an error.
pub fn can_fail(expr: &Expr, model: &Model, proctype: Option<ProctypeId>) -> bool {
    let mut fails = false;
    expr.walk(&mut |part| fails |= fails_by_itself(part, model, proctype));
    fails
}

/// Whether computing the value can be an error although the values of its parts are known.
pub(crate) fn fails_by_itself(expr: &Expr, model: &Model, proctype: Option<ProctypeId>) -> bool {
    match expr {
        Expr::Var(var) => !var.fits(&model.variable(proctype, var.scope, var.var).dims),
        Expr::Binary(op, left, right) => can_divide_wrongly(*op, left, right, model, proctype),
        Expr::Const { .. }
        | Expr::Pid
        | Expr::ProcessCount
        | Expr::Last
        | Expr::OwnPriority
        | Expr::Unary(..)
        | Expr::Conditional(..)
        | Expr::NewPid => false,
        _ => true,
    }
}

/// Whether the operation itself, its operands being computed, can be a division without a result.
pub(crate) fn can_divide_wrongly(
    op: BinaryOp,
    left: &Expr,
    right: &Expr,
    model: &Model,
    proctype: Option<ProctypeId>,
) -> bool {
    let divides = matches!(op, BinaryOp::Divide | BinaryOp::Remainder);
    divides
        && match right.as_constant() {
            None | Some(0) => true,
            Some(-1) => can_be_least(left, model, proctype),
            Some(_) => false,
        }
}

/// Whether the value can be the least `int`, which has no quotient by -1. True unless that is plain to see.
pub fn can_be_least(expr: &Expr, model: &Model, proctype: Option<ProctypeId>) -> bool {
    match expr {
        Expr::Const { value, .. } => *value == i32::MIN,
        Expr::Var(var) => model.variable(proctype, var.scope, var.var).cell.truncate(i32::MIN) == i32::MIN,
        Expr::Pid | Expr::ProcessCount | Expr::Last | Expr::OwnPriority | Expr::Length(_) | Expr::NewPid => false,
        Expr::Binary(op, ..) => !op.is_test(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{P, binary, element, number, straight, value};

    #[test]
    fn what_can_have_no_value() {
        let model = straight(Vec::new());
        let index = |index| Expr::Var(element(index));
        let divided = |left, right| binary(BinaryOp::Divide, left, right);
        for (expr, fails) in [
            (number(1), false),
            (value("x"), false),
            (index(number(2)), false),
            (index(number(3)), true),
            (index(number(-1)), true),
            (index(value("l")), true),
            (binary(BinaryOp::Multiply, value("x"), value("y")), false),
            (divided(value("x"), number(2)), false),
            (divided(value("x"), value("y")), true),
            (binary(BinaryOp::Remainder, value("x"), number(0)), true),
            // a byte is never the least int
            (divided(value("x"), number(-1)), false),
            (divided(binary(BinaryOp::Add, value("x"), value("y")), number(-1)), true),
            (divided(binary(BinaryOp::Less, value("x"), value("y")), number(-1)), false),
            (divided(number(i32::MIN), number(-1)), true),
            (Expr::Length(Box::new(value("c"))), true),
            (Expr::Timeout, true),
        ] {
            assert_eq!(can_fail(&expr, &model, Some(P)), fails, "{expr:?}");
        }
    }
}
