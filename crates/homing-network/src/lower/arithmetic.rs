//! Expressions of the intermediate form, folded where their operands are known.

use homing_ir::{BinaryOp, Checked, CheckedRole, Expr, Model, UnaryOp};

/// An operator with two operands. The lazy ones keep their meaning: what is not evaluated is left out.
pub fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    match (op, left.as_constant(), right.as_constant()) {
        (BinaryOp::And, Some(0), _) => Expr::constant(0),
        (BinaryOp::And, Some(_), _) | (BinaryOp::Or, Some(0), _) => truth(right),
        (BinaryOp::Or, Some(_), _) => Expr::constant(1),
        (BinaryOp::Add | BinaryOp::Subtract, _, Some(0)) => left,
        (BinaryOp::Add, Some(0), _) => right,
        (BinaryOp::Multiply, _, Some(1)) => left,
        (_, Some(one), Some(other)) => match value(op, one, other) {
            Some(value) => Expr::constant(value),
            None => Expr::Binary(op, Box::new(left), Box::new(right)),
        },
        _ => Expr::Binary(op, Box::new(left), Box::new(right)),
    }
}

/// The value of an operator, unless it is a run-time error.
fn value(op: BinaryOp, left: i32, right: i32) -> Option<i32> {
    Some(match op {
        BinaryOp::Add => left.wrapping_add(right),
        BinaryOp::Subtract => left.wrapping_sub(right),
        BinaryOp::Multiply => left.wrapping_mul(right),
        BinaryOp::Divide => left.checked_div(right)?,
        BinaryOp::Remainder => left.checked_rem(right)?,
        BinaryOp::BitAnd => left & right,
        BinaryOp::BitOr => left | right,
        BinaryOp::BitXor => left ^ right,
        BinaryOp::ShiftLeft => left.wrapping_shl(u32::try_from(right).ok().filter(|bits| *bits < 32)?),
        BinaryOp::ShiftRight => left.wrapping_shr(u32::try_from(right).ok().filter(|bits| *bits < 32)?),
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

/// Whether the expression is zero.
pub fn not(expr: Expr) -> Expr {
    match expr.as_constant() {
        Some(value) => Expr::constant(i32::from(value == 0)),
        None => Expr::Unary(UnaryOp::Not, Box::new(expr)),
    }
}

/// The expression with the sign changed.
pub fn minus(expr: Expr) -> Expr {
    match expr.as_constant() {
        Some(value) => Expr::constant(value.wrapping_neg()),
        None => Expr::Unary(UnaryOp::Negate, Box::new(expr)),
    }
}

/// 1 if the expression is not zero, else 0.
pub fn truth(expr: Expr) -> Expr {
    match &expr {
        Expr::Const { value, .. } => Expr::constant(i32::from(*value != 0)),
        Expr::Unary(UnaryOp::Not, _) | Expr::Timeout | Expr::RemoteLabel { .. } => expr,
        Expr::Binary(op, ..) if op.is_test() => expr,
        _ => Expr::Binary(BinaryOp::NotEqual, Box::new(expr), Box::new(Expr::constant(0))),
    }
}

/// One of two expressions.
pub fn conditional(condition: Expr, then: Expr, otherwise: Expr) -> Expr {
    match condition.as_constant() {
        Some(0) => otherwise,
        Some(_) => then,
        None => Expr::Conditional(Box::new(condition), Box::new(then), Box::new(otherwise)),
    }
}

/// Joins expressions by an associative operator, evaluated from left to right; the tree is as flat as possible.
pub fn joined(op: BinaryOp, mut exprs: Vec<Expr>, empty: i32) -> Expr {
    while exprs.len() > 1 {
        let mut rest = exprs.into_iter();
        let mut pairs = Vec::with_capacity(rest.len() / 2 + 1);
        while let Some(left) = rest.next() {
            pairs.push(match rest.next() {
                Some(right) => binary(op, left, right),
                None => left,
            });
        }
        exprs = pairs;
    }
    exprs.pop().unwrap_or(Expr::constant(empty))
}

/// The number of parts.
pub fn size(expr: &Expr) -> usize {
    let mut parts = 0;
    expr.walk(&mut |_| parts += 1);
    parts
}

/// The least and the greatest value that an expression can have, as far as that is plain to see.
fn bounds(expr: &Expr, model: &Model, locals: &[homing_ir::Variable]) -> Option<(i32, i32)> {
    match expr {
        Expr::Const { value, .. } => Some((*value, *value)),
        Expr::Var(var) => match var.scope {
            homing_ir::Scope::Global => model.globals[var.var.index()].range,
            homing_ir::Scope::Local => locals[var.var.index()].range,
            homing_ir::Scope::Scratch => model.scratch[var.var.index()].range,
        },
        Expr::Unary(UnaryOp::Not, _) | Expr::Timeout | Expr::RemoteLabel { .. } => Some((0, 1)),
        Expr::Binary(op, ..) if op.is_test() => Some((0, 1)),
        Expr::Checked(checked) => Some((checked.least, checked.greatest)),
        Expr::Conditional(_, then, otherwise) => {
            let (then, otherwise) = (bounds(then, model, locals)?, bounds(otherwise, model, locals)?);
            Some((then.0.min(otherwise.0), then.1.max(otherwise.1)))
        }
        _ => None,
    }
}

/// What a value is checked for.
pub struct Range<'n> {
    pub least: i32,
    pub greatest: i32,
    pub role: CheckedRole,
    pub name: &'n str,
}

/// A value that has to be in a range; without a test if it plainly is.
pub fn checked(value: Expr, range: &Range<'_>, model: &Model, locals: &[homing_ir::Variable]) -> Expr {
    let Range { least, greatest, role, name } = *range;
    match bounds(&value, model, locals) {
        Some((low, high)) if least <= low && high <= greatest => value,
        _ if (least, greatest) == (i32::MIN, i32::MAX) => value,
        _ => Expr::Checked(Box::new(Checked { value, least, greatest, role, name: name.into() })),
    }
}
