//! Conversion from and to formulas.

use super::{Arena, Id, Nnf, Side};
use crate::formula::{Binary, Formula, Node, Unary};
use crate::letters::Letters;

impl Arena {
    /// The simplified negation normal forms of a formula and of its negation. Both are built from the operands upwards:
    /// equivalences need both forms of their operands, and sharing keeps the result small.
    pub fn convert(&mut self, formula: &Formula) -> (Id, Id) {
        let mut values: Vec<(Id, Id)> = Vec::new();
        for &node in formula.nodes() {
            let value = match node {
                Node::True => (self.truth(Side::Plain), self.falsity()),
                Node::False => (self.falsity(), self.truth(Side::Plain)),
                Node::Proposition(index) => {
                    let letters = Letters::proposition(self.propositions(), index as usize);
                    (self.letters(letters.clone()), self.letters(letters.not()))
                }
                Node::Unary(operator) => {
                    let operand = values.pop().expect("an operand for each operator");
                    self.convert_unary(operator, operand)
                }
                Node::Binary(operator) => {
                    let right = values.pop().expect("an operand for each operator");
                    let left = values.pop().expect("an operand for each operator");
                    self.convert_binary(operator, left, right)
                }
            };
            values.push(value);
        }
        values.pop().expect("the value of the formula")
    }

    fn convert_unary(&mut self, operator: Unary, (a, not_a): (Id, Id)) -> (Id, Id) {
        let (node, negation) = match operator {
            Unary::Not => return (not_a, a),
            Unary::Next => (Nnf::Next(a), Nnf::Next(not_a)),
            Unary::Always => (Nnf::Always(a), Nnf::Eventually(not_a)),
            Unary::Eventually => (Nnf::Eventually(a), Nnf::Always(not_a)),
        };
        (self.make(Side::Plain, node), self.make(Side::Plain, negation))
    }

    fn convert_binary(&mut self, operator: Binary, (a, not_a): (Id, Id), (b, not_b): (Id, Id)) -> (Id, Id) {
        let and = |a: Id, b: Id| Nnf::And([a, b].into());
        let or = |a: Id, b: Id| Nnf::Or([a, b].into());
        let (node, negation) = match operator {
            Binary::And => (and(a, b), or(not_a, not_b)),
            Binary::Or => (or(a, b), and(not_a, not_b)),
            Binary::Implies => (or(not_a, b), and(a, not_b)),
            Binary::Equivalent => {
                let both = self.make(Side::Plain, and(a, b));
                let neither = self.make(Side::Plain, and(not_a, not_b));
                let left = self.make(Side::Plain, and(a, not_b));
                let right = self.make(Side::Plain, and(not_a, b));
                (or(both, neither), or(left, right))
            }
            Binary::Until => (Nnf::Until(a, b), Nnf::Release(not_a, not_b)),
            Binary::Release => (Nnf::Release(a, b), Nnf::Until(not_a, not_b)),
            Binary::WeakUntil => (Nnf::WeakUntil(a, b), Nnf::StrongRelease(not_a, not_b)),
        };
        (self.make(Side::Plain, node), self.make(Side::Plain, negation))
    }

    /// The formula of a node. Its size can be exponential in the number of nodes below, which are shared.
    #[cfg(test)]
    pub fn formula(&self, id: Id) -> Formula {
        let formulas = |ids: &[Id]| ids.iter().map(|&id| self.formula(id)).collect::<Vec<_>>();
        match self.node(id) {
            Nnf::Letters(letters) => boolean(letters),
            Nnf::And(parts) => formulas(parts).into_iter().reduce(Formula::and).expect("two or more"),
            Nnf::Or(parts) => formulas(parts).into_iter().reduce(Formula::or).expect("two or more"),
            Nnf::Next(a) => self.formula(*a).next(),
            Nnf::Eventually(a) => self.formula(*a).eventually(),
            Nnf::Always(a) => self.formula(*a).always(),
            Nnf::Until(a, b) => self.formula(*a).until(self.formula(*b)),
            Nnf::Release(a, b) => self.formula(*a).release(self.formula(*b)),
            Nnf::WeakUntil(a, b) => self.formula(*a).weak_until(self.formula(*b)),
            Nnf::StrongRelease(a, b) => self.formula(*b).until(self.formula(*a).and(self.formula(*b))),
        }
    }
}

/// A set of letters as a formula.
#[cfg(test)]
fn boolean(letters: &Letters) -> Formula {
    let cube = |cube: crate::letters::Cube| {
        let literal = |(index, value): (usize, bool)| {
            let proposition = Formula::proposition(index as u32);
            if value { proposition } else { !proposition }
        };
        cube.literals().map(literal).reduce(Formula::and).unwrap_or_else(Formula::truth)
    };
    letters.prime_implicants().into_iter().map(cube).reduce(Formula::or).unwrap_or_else(Formula::falsity)
}
