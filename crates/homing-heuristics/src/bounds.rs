//! Bounds of the values of an expression.

use homing_ir::{Expr, Interval, Model, ProctypeId};

/// The least and the greatest value that the expression can have, whatever the state: variables have any value of their types. `None`
/// if it may exceed 32 bits.
pub fn bounds(model: &Model, proctype: ProctypeId, expr: &Expr) -> Option<Interval> {
    model.interval(expr, &|leaf| match leaf {
        Expr::Var(var) => {
            let variable = model.variable(Some(proctype), var.scope, var.var);
            Some(variable.range.map_or(variable.cell.range(), |(least, greatest)| (least.into(), greatest.into())))
        }
        _ => Some((0, 255)),
    })
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
