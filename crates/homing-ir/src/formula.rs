//! Formulas of linear temporal logic over expressions.

use crate::{Expr, Place};

/// A formula with its name: an `ltl` block of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedFormula {
    /// Its name; `ltl_0`, `ltl_1`, … for those that were given none.
    pub name: String,
    /// What has to hold of every run.
    pub formula: Formula,
    /// Where it is written.
    pub place: Place,
}

/// A formula of linear temporal logic.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Formula {
    /// The expression is not zero now. Boolean connectives of formulas are not inside: they are formulas.
    Proposition(Expr),
    /// An operator before a formula.
    Unary(TemporalUnary, Box<Formula>),
    /// An operator between two formulas.
    Binary(TemporalBinary, Box<Formula>, Box<Formula>),
}

/// The operators that stand before a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TemporalUnary {
    /// `!`
    Not,
    /// `X`: in the next state.
    Next,
    /// `[]`: in this state and all later ones.
    Always,
    /// `<>`: in this state or some later one.
    Eventually,
}

/// The operators that stand between two formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TemporalBinary {
    /// `&&`
    And,
    /// `||`
    Or,
    /// `->`
    Implies,
    /// `<->`
    Equivalent,
    /// `U`: the right one holds at some time, and the left one until then.
    Until,
    /// `W`: as `U`, or the left one holds for ever.
    WeakUntil,
    /// `V`: the right one holds up to and including the time at which the left one does, or for ever.
    Release,
}

impl TemporalUnary {
    /// The operator as written.
    pub fn symbol(self) -> &'static str {
        match self {
            TemporalUnary::Not => "!",
            TemporalUnary::Next => "X ",
            TemporalUnary::Always => "[]",
            TemporalUnary::Eventually => "<>",
        }
    }
}

impl TemporalBinary {
    /// The operator as written.
    pub fn symbol(self) -> &'static str {
        match self {
            TemporalBinary::And => "&&",
            TemporalBinary::Or => "||",
            TemporalBinary::Implies => "->",
            TemporalBinary::Equivalent => "<->",
            TemporalBinary::Until => "U",
            TemporalBinary::WeakUntil => "W",
            TemporalBinary::Release => "V",
        }
    }
}

impl Formula {
    /// A formula with an operator before it.
    pub fn unary(op: TemporalUnary, operand: Formula) -> Self {
        Formula::Unary(op, Box::new(operand))
    }

    /// Two formulas with an operator between them.
    pub fn binary(op: TemporalBinary, left: Formula, right: Formula) -> Self {
        Formula::Binary(op, Box::new(left), Box::new(right))
    }

    /// The expressions of its propositions, from left to right.
    pub fn propositions(&self) -> Vec<&Expr> {
        let mut found = Vec::new();
        let mut open = vec![self];
        while let Some(formula) = open.pop() {
            match formula {
                Formula::Proposition(expr) => found.push(expr),
                Formula::Unary(_, operand) => open.push(operand),
                Formula::Binary(_, left, right) => open.extend([&**right, &**left]),
            }
        }
        found
    }

    /// Lets `change` change the expressions of its propositions.
    pub fn for_each_proposition_mut(&mut self, change: &mut dyn FnMut(&mut Expr)) {
        let mut open = vec![self];
        while let Some(formula) = open.pop() {
            match formula {
                Formula::Proposition(expr) => change(expr),
                Formula::Unary(_, operand) => open.push(operand),
                Formula::Binary(_, left, right) => open.extend([&mut **right, &mut **left]),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::print::Printer;
    use crate::testing::{number, straight, value};

    #[test]
    fn propositions_come_from_left_to_right() {
        let p = |name| Formula::Proposition(value(name));
        let until = Formula::binary(TemporalBinary::Until, p("x"), Formula::unary(TemporalUnary::Not, p("y")));
        let mut formula =
            Formula::binary(TemporalBinary::Implies, Formula::unary(TemporalUnary::Always, until), p("c"));
        assert_eq!(formula.propositions(), [&value("x"), &value("y"), &value("c")]);
        let model = straight(Vec::new());
        let printer = Printer { model: &model, proctype: None };
        assert_eq!(printer.formula(&formula), "([]((x U !(y))) -> c)");
        formula.for_each_proposition_mut(&mut |expr| *expr = number(1));
        assert_eq!(printer.formula(&formula), "([]((1 U !(1))) -> 1)");
    }
}
