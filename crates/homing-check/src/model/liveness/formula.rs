//! Formulas of a model as formulas over numbered propositions.

use homing_ir::{BinaryOp, Expr, Formula, Model, Observer, TemporalBinary, TemporalUnary, UnaryOp};
use homing_ltl::{Binary, Unary};

/// The formula in which each largest part without temporal operators that can fail is one proposition, and whether there is one.
///
/// Such a part is evaluated as an expression is, from left to right and no further than needed: in `i > 0 && a[i - 1] == 0` the index
/// is not computed where `i` is 0. As propositions of their own its operands would be evaluated in every state.
pub(super) fn with_whole_conditions(formula: &Formula, observer: &Observer<'_>) -> (Formula, bool) {
    let part = Part::of(formula, observer);
    let fails = part.fails;
    (part.whole(), fails)
}

/// A part of a formula.
struct Part {
    formula: Formula,
    /// It has no temporal operators.
    is_condition: bool,
    /// To evaluate one of its propositions can be a run-time error.
    fails: bool,
}

impl Part {
    fn of(formula: &Formula, observer: &Observer<'_>) -> Self {
        match formula {
            Formula::Proposition(expr) => {
                Part { formula: formula.clone(), is_condition: true, fails: observer.can_fail(expr) }
            }
            Formula::Unary(op, operand) => {
                let operand = Part::of(operand, observer);
                let (is_condition, fails) = (operand.is_condition && *op == TemporalUnary::Not, operand.fails);
                let operand = if is_condition { operand.formula } else { operand.whole() };
                Part { formula: Formula::unary(*op, operand), is_condition, fails }
            }
            Formula::Binary(op, left, right) => {
                let (left, right) = (Part::of(left, observer), Part::of(right, observer));
                let is_temporal =
                    matches!(op, TemporalBinary::Until | TemporalBinary::WeakUntil | TemporalBinary::Release);
                let is_condition = left.is_condition && right.is_condition && !is_temporal;
                let fails = left.fails || right.fails;
                let operand = |part: Part| if is_condition { part.formula } else { part.whole() };
                Part { formula: Formula::binary(*op, operand(left), operand(right)), is_condition, fails }
            }
        }
    }

    /// As an operand of a temporal operator, or beside one.
    fn whole(self) -> Formula {
        if self.is_condition && self.fails { Formula::Proposition(condition(&self.formula)) } else { self.formula }
    }
}

/// A formula without temporal operators as an expression.
///
/// # Panics
/// If it has one.
fn condition(formula: &Formula) -> Expr {
    let not = |operand: &Formula| Expr::Unary(UnaryOp::Not, Box::new(condition(operand)));
    let both = |op, left, right| Expr::Binary(op, Box::new(left), Box::new(right));
    match formula {
        Formula::Proposition(expr) => expr.clone(),
        Formula::Unary(TemporalUnary::Not, operand) => not(operand),
        Formula::Binary(op, left, right) => match op {
            TemporalBinary::And => both(BinaryOp::And, condition(left), condition(right)),
            TemporalBinary::Or => both(BinaryOp::Or, condition(left), condition(right)),
            TemporalBinary::Implies => both(BinaryOp::Or, not(left), condition(right)),
            TemporalBinary::Equivalent => both(BinaryOp::Equal, not(left), not(right)),
            _ => unreachable!("a condition has no temporal operators"),
        },
        Formula::Unary(..) => unreachable!("a condition has no temporal operators"),
    }
}

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
