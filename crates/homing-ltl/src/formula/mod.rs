//! Formulas of linear temporal logic (LTL).

mod print;
mod word;

use std::ops::Not;

pub(crate) use print::is_operand;
pub use word::{Lasso, holds};

/// A formula of linear temporal logic over numbered propositions.
///
/// It is kept as the sequence of its operators in postfix order, so that no operation on it recurses: formulas of
/// generated models can be deep.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Formula {
    nodes: Vec<Node>,
}

/// An operator or operand of a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// Holds always.
    True,
    /// Never holds.
    False,
    /// Holds where the proposition of this number does.
    Proposition(u32),
    /// An operator of one operand.
    Unary(Unary),
    /// An operator of two operands.
    Binary(Binary),
}

/// The operators of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unary {
    /// `!`
    Not,
    /// `X`: in the next state.
    Next,
    /// `[]`: in this state and all later ones.
    Always,
    /// `<>`: in this state or a later one.
    Eventually,
}

/// The operators of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    /// `&&`
    And,
    /// `||`
    Or,
    /// `->`
    Implies,
    /// `<->`
    Equivalent,
    /// `U`: the right operand holds eventually, and until then the left one.
    Until,
    /// `V`: the right operand holds up to and including the first state in which the left one does, or for ever.
    Release,
    /// `W`: as `U`, or the left operand holds for ever.
    WeakUntil,
}

impl Formula {
    /// The formula that holds always.
    pub fn truth() -> Self {
        Formula { nodes: vec![Node::True] }
    }

    /// The formula that never holds.
    pub fn falsity() -> Self {
        Formula { nodes: vec![Node::False] }
    }

    /// The proposition of this number.
    pub fn proposition(index: u32) -> Self {
        Formula { nodes: vec![Node::Proposition(index)] }
    }

    /// An operator applied to one formula.
    pub fn unary(operator: Unary, mut operand: Formula) -> Self {
        operand.nodes.push(Node::Unary(operator));
        operand
    }

    /// An operator applied to two formulas.
    pub fn binary(operator: Binary, mut left: Formula, right: Formula) -> Self {
        left.nodes.extend(right.nodes);
        left.nodes.push(Node::Binary(operator));
        left
    }

    /// `self && other`
    pub fn and(self, other: Formula) -> Self {
        Self::binary(Binary::And, self, other)
    }

    /// `self || other`
    pub fn or(self, other: Formula) -> Self {
        Self::binary(Binary::Or, self, other)
    }

    /// `self -> other`
    pub fn implies(self, other: Formula) -> Self {
        Self::binary(Binary::Implies, self, other)
    }

    /// `self <-> other`
    pub fn equivalent(self, other: Formula) -> Self {
        Self::binary(Binary::Equivalent, self, other)
    }

    /// `X self`
    pub fn next(self) -> Self {
        Self::unary(Unary::Next, self)
    }

    /// `[] self`
    pub fn always(self) -> Self {
        Self::unary(Unary::Always, self)
    }

    /// `<> self`
    pub fn eventually(self) -> Self {
        Self::unary(Unary::Eventually, self)
    }

    /// `self U other`
    pub fn until(self, other: Formula) -> Self {
        Self::binary(Binary::Until, self, other)
    }

    /// `self V other`
    pub fn release(self, other: Formula) -> Self {
        Self::binary(Binary::Release, self, other)
    }

    /// `self W other`
    pub fn weak_until(self, other: Formula) -> Self {
        Self::binary(Binary::WeakUntil, self, other)
    }

    /// The operators and operands in postfix order: those of the operands of an operator come before it.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// One more than the largest number of a proposition; 0 if there is none.
    pub fn proposition_count(&self) -> usize {
        let number = |node: &Node| if let Node::Proposition(index) = node { *index as usize + 1 } else { 0 };
        self.nodes.iter().map(number).max().unwrap_or(0)
    }

    /// Whether the formula has the operator `X`. A formula without it cannot distinguish words that differ only in how
    /// often letters are repeated (Lamport 1983).
    pub fn has_next(&self) -> bool {
        self.nodes.contains(&Node::Unary(Unary::Next))
    }

    /// Whether the formula has no temporal operator.
    pub fn is_boolean(&self) -> bool {
        self.nodes.iter().all(|node| match node {
            Node::True | Node::False | Node::Proposition(_) => true,
            Node::Unary(operator) => *operator == Unary::Not,
            Node::Binary(operator) => {
                matches!(operator, Binary::And | Binary::Or | Binary::Implies | Binary::Equivalent)
            }
        })
    }

    /// The formula with other numbers for its propositions.
    pub fn renumbered(mut self, mut number: impl FnMut(u32) -> u32) -> Self {
        for node in &mut self.nodes {
            if let Node::Proposition(index) = node {
                *index = number(*index);
            }
        }
        self
    }
}

impl Not for Formula {
    type Output = Formula;

    /// `!self`
    fn not(self) -> Formula {
        Self::unary(Unary::Not, self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries() {
        let p = Formula::proposition;
        let formula = p(0).until(!p(4)).always();
        assert_eq!(formula.proposition_count(), 5);
        assert!(!formula.has_next() && !formula.is_boolean());
        assert!(p(0).implies(p(1)).and(Formula::truth()).is_boolean());
        assert!(p(0).next().has_next());
        assert_eq!(formula.renumbered(|index| index / 4), p(0).until(!p(1)).always());
        assert_eq!(Formula::falsity().proposition_count(), 0);
    }

    #[test]
    fn deep_formulas_do_not_overflow_the_stack() {
        let mut formula = Formula::proposition(0);
        for _ in 0..200_000 {
            formula = formula.eventually().next();
        }
        assert_eq!(formula.clone(), formula);
        assert!(!holds(&formula, &[1, 1], &[0]));
        assert!(formula.to_string().ends_with("X <> p0"));
    }
}
