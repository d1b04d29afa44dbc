//! Formulas of a model as formulas over numbered propositions.

use homing_ir::{Expr, Formula, Model, TemporalBinary, TemporalUnary};
use homing_ltl::{Binary, Unary};

/// The formula over the propositions of the model, which gets those of the formula.
pub(super) fn numbered(model: &mut Model, formula: &Formula) -> homing_ltl::Formula {
    enum Visit<'a> {
        Enter(&'a Formula),
        Leave(&'a Formula),
    }
    let (mut open, mut done) = (vec![Visit::Enter(formula)], Vec::new());
    while let Some(visit) = open.pop() {
        match visit {
            Visit::Enter(Formula::Proposition(Expr::Const { value, .. })) => {
                let is_true = *value != 0;
                done.push(if is_true { homing_ltl::Formula::truth() } else { homing_ltl::Formula::falsity() });
            }
            Visit::Enter(Formula::Proposition(expr)) => {
                done.push(homing_ltl::Formula::proposition(model.add_proposition(expr)));
            }
            Visit::Enter(node) => {
                open.push(Visit::Leave(node));
                match node {
                    Formula::Unary(_, operand) => open.push(Visit::Enter(operand)),
                    Formula::Binary(_, left, right) => open.extend([Visit::Enter(right), Visit::Enter(left)]),
                    Formula::Proposition(_) => {}
                }
            }
            Visit::Leave(node) => {
                let last = done.pop().expect("operands come before their operator");
                let joined = match node {
                    Formula::Unary(op, _) => homing_ltl::Formula::unary(unary(*op), last),
                    Formula::Binary(op, ..) => {
                        let left = done.pop().expect("operands come before their operator");
                        homing_ltl::Formula::binary(binary(*op), left, last)
                    }
                    Formula::Proposition(_) => last,
                };
                done.push(joined);
            }
        }
    }
    done.pop().expect("the formula itself")
}

fn unary(op: TemporalUnary) -> Unary {
    match op {
        TemporalUnary::Not => Unary::Not,
        TemporalUnary::Next => Unary::Next,
        TemporalUnary::Always => Unary::Always,
        TemporalUnary::Eventually => Unary::Eventually,
    }
}

fn binary(op: TemporalBinary) -> Binary {
    match op {
        TemporalBinary::And => Binary::And,
        TemporalBinary::Or => Binary::Or,
        TemporalBinary::Implies => Binary::Implies,
        TemporalBinary::Equivalent => Binary::Equivalent,
        TemporalBinary::Until => Binary::Until,
        TemporalBinary::WeakUntil => Binary::WeakUntil,
        TemporalBinary::Release => Binary::Release,
    }
}
