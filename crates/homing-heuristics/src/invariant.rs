//! An invariant that is to be violated ([ELL-04] §4, "Violation of Invariants"): the formula of its negation.
//!
//! Consistent with [`Combine::Max`], also in a reduced model: absorbed statements whose cost is deferred count nothing
//! here.

use homing_core::{Cost, Estimated, Guarantee};
use homing_ir::{Expr, Model};

use crate::distance::Deferred;
use crate::executable::StateView;
use crate::formula::{Combine, Formula, FormulaBuilder, Measure, Polarity};
use crate::incremental::Decomposed;
use crate::read_set::ReadSet;

pub struct Invariant<'m> {
    fails: Formula<'m>,
    combine: Combine,
}

impl<'m> Invariant<'m> {
    /// `expr` may refer to what a never claim can: globals and remote references.
    pub fn of(model: &'m Model, expr: &'m Expr, combine: Combine) -> Self {
        let fails = FormulaBuilder::new(model, Deferred::Free).formula(None, expr, Polarity::Fails);
        Invariant { fails, combine }
    }
}

impl Decomposed for Invariant<'_> {
    type Part = Option<Cost>;

    fn part_count(&self, _: &StateView<'_>) -> usize {
        1
    }

    fn part<R: ReadSet>(&self, view: &StateView<'_>, _: usize, reads: &mut R) -> Option<Cost> {
        let measure = Measure { view, combine: self.combine, pid: 0 };
        measure.statements(&self.fails, reads)
    }

    fn estimate(
        &self,
        _: &StateView<'_>,
        mut parts: impl Iterator<Item = Option<Cost>> + Clone,
        _: Cost,
    ) -> Option<Estimated> {
        parts.next().flatten().map(Estimated::from)
    }

    fn guarantee(&self) -> Guarantee {
        match self.combine {
            Combine::Sum => Guarantee::Guess,
            Combine::Max => Guarantee::Consistent,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::incremental::Incremental;
    use crate::testing::{at_start, model};

    fn estimate(declarations: &str, condition: &str, combine: Combine) -> Option<Cost> {
        let model = model(&format!("{declarations} never {{ do :: ({condition}) od }}"));
        let statements = &model.claims[0].automaton.statements;
        let mut conditions = statements.iter().filter_map(|statement| match &statement.action {
            homing_ir::Action::Condition(expr) => Some(expr),
            _ => None,
        });
        let expr = conditions.next_back().expect("a condition");
        at_start(&model, Incremental::new(&model, Invariant::of(&model, expr, combine)))
    }

    const COUNTER: &str = "byte x = 60, y; bool b; chan q = [4] of {byte};
        active proctype P() { do :: x = x + 2 :: x-- :: y++ :: q!3 :: q?_ :: b = !b :: y == 9; L: b = 1; break od }";

    #[test]
    fn figures_8_to_10() {
        let max = |condition: &str| estimate(COUNTER, condition, Combine::Max);
        let sum = |condition: &str| estimate(COUNTER, condition, Combine::Sum);
        assert_eq!(max("!b"), Some(1));
        assert_eq!((max("!(b && x > 69)"), sum("!(b && x > 69)")), (Some(5), Some(6)));
        assert_eq!(max("!(b || x > 69)"), Some(1));
        assert_eq!(max("nfull(q)"), Some(4));
        assert_eq!(max("nempty(q)"), Some(0));
        assert_eq!(max("empty(q)"), Some(1));
        assert_eq!(max("q?[3]"), Some(0));
        assert_eq!(max("len(q) != 3"), Some(3));
        assert_eq!(max("!P@L"), Some(1));
    }

    #[test]
    fn gaps_close_as_fast_as_statements_can() {
        let max = |condition: &str| estimate(COUNTER, condition, Combine::Max);
        assert_eq!(max("x < 100"), Some(20));
        assert_eq!(max("x + y < 100"), Some(20));
        assert_eq!(max("y != 7"), Some(7));
        assert_eq!(max("x - y >= 0"), Some(61));
        assert_eq!(max("3 * y <= 20"), Some(7));
        assert_eq!(max("!(x * y > 7)"), Some(1));
        let constant = "byte c = 3, d[2]; active proctype P() { d[0] = 1 }";
        assert_eq!(estimate(constant, "c == 3", Combine::Max), None);
        assert_eq!(estimate(constant, "d[1] == 0", Combine::Max), Some(1));
    }

    #[test]
    fn values_wrap() {
        let down = "byte x = 3; active proctype P() { do :: x = x - 1 od }";
        assert_eq!(estimate(down, "x < 200", Combine::Max), Some(4));
    }
}
