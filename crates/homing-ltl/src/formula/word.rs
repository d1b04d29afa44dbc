//! Formulas on lasso words.

use super::{Binary, Formula, Node, Unary};

/// An infinite word that ends in a cycle: the letters of `stem`, then those of `cycle` for ever. Bit i of a letter is
/// the value of proposition i.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso {
    /// The letters before the cycle.
    pub stem: Vec<u64>,
    /// The letters that are repeated; not empty.
    pub cycle: Vec<u64>,
}

impl Lasso {
    /// Whether the word satisfies a formula.
    pub fn satisfies(&self, formula: &Formula) -> bool {
        holds(formula, &self.stem, &self.cycle)
    }
}

/// Whether a formula holds at the beginning of the word `stem` `cycle` `cycle` ...; bit i of a letter is the value of
/// proposition i. Each subformula is evaluated at each position of the lasso.
///
/// # Panics
/// If the cycle is empty, or if the formula has a proposition that a letter has no bit for.
pub fn holds(formula: &Formula, stem: &[u64], cycle: &[u64]) -> bool {
    assert!(!cycle.is_empty(), "an infinite word has a cycle");
    let word = Word { letters: [stem, cycle].concat(), entry: stem.len() };
    let mut values: Vec<Vec<bool>> = Vec::new();
    for &node in formula.nodes() {
        let value = match node {
            Node::True => vec![true; word.letters.len()],
            Node::False => vec![false; word.letters.len()],
            Node::Proposition(index) => word.letters.iter().map(|letter| letter >> index & 1 == 1).collect(),
            Node::Unary(operator) => {
                let operand = values.pop().expect("an operand for each operator");
                word.unary(operator, operand)
            }
            Node::Binary(operator) => {
                let right = values.pop().expect("an operand for each operator");
                let left = values.pop().expect("an operand for each operator");
                word.binary(operator, &left, right)
            }
        };
        values.push(value);
    }
    values.pop().expect("the value of the formula")[0]
}

struct Word {
    letters: Vec<u64>,
    /// The position after the last one.
    entry: usize,
}

impl Word {
    fn unary(&self, operator: Unary, mut operand: Vec<bool>) -> Vec<bool> {
        match operator {
            Unary::Not => operand.iter_mut().for_each(|value| *value = !*value),
            Unary::Next => {
                let last = operand[self.entry];
                operand.remove(0);
                operand.push(last);
            }
            Unary::Always => self.fixpoint(&mut operand, true, |_, now, later| now & later),
            Unary::Eventually => self.fixpoint(&mut operand, false, |_, now, later| now | later),
        }
        operand
    }

    fn binary(&self, operator: Binary, left: &[bool], mut right: Vec<bool>) -> Vec<bool> {
        let mut each = |operation: fn(bool, bool) -> bool| {
            right.iter_mut().zip(left).for_each(|(right, &left)| *right = operation(left, *right));
        };
        match operator {
            Binary::And => each(|a, b| a & b),
            Binary::Or => each(|a, b| a | b),
            Binary::Implies => each(|a, b| !a | b),
            Binary::Equivalent => each(|a, b| a == b),
            Binary::Until => self.fixpoint(&mut right, false, |at, now, later| now | left[at] & later),
            Binary::WeakUntil => self.fixpoint(&mut right, true, |at, now, later| now | left[at] & later),
            Binary::Release => self.fixpoint(&mut right, true, |at, now, later| now & (left[at] | later)),
        }
        right
    }

    /// Replaces the value at each position by that of `step`, given the old value there and the new one at the next
    /// position. `start` is the value assumed at the end of the cycle: false for the least fixpoint, true for the
    /// greatest. The second pass over the cycle corrects what the assumption got wrong.
    fn fixpoint(&self, values: &mut [bool], start: bool, step: impl Fn(usize, bool, bool) -> bool) {
        let mut later = start;
        for at in (self.entry..values.len()).rev() {
            later = step(at, values[at], later);
        }
        for at in (0..values.len()).rev() {
            later = step(at, values[at], later);
            values[at] = later;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_on_small_words() {
        let (p, q) = (Formula::proposition(0), Formula::proposition(1));
        let rows: [(Formula, &[u64], &[u64], bool); 14] = [
            (p.clone(), &[], &[1], true),
            (p.clone().next(), &[1], &[0], false),
            (p.clone().next(), &[0], &[1, 0], true),
            (p.clone().next().next(), &[0], &[1, 0], false),
            (p.clone().next().next().next(), &[0], &[1, 0], true),
            (p.clone().always().eventually(), &[0, 0], &[1], true),
            (p.clone().always().eventually(), &[], &[1, 0], false),
            (p.clone().eventually().always(), &[], &[1, 0], true),
            (p.clone().until(q.clone()), &[1, 1], &[1], false),
            (p.clone().weak_until(q.clone()), &[1, 1], &[1], true),
            (p.clone().until(q.clone()), &[1, 1, 2], &[0], true),
            (p.clone().release(q.clone()), &[2, 3], &[0], true),
            (p.clone().release(q.clone()), &[2, 1], &[0], false),
            (p.release(q), &[], &[2], true),
        ];
        for (formula, stem, cycle, expected) in rows {
            assert_eq!(holds(&formula, stem, cycle), expected, "{formula} on {stem:?} {cycle:?}");
        }
    }

    #[test]
    fn a_lasso_is_judged_as_its_unrolling() {
        let (p, q) = (Formula::proposition(0), Formula::proposition(1));
        let formula = p.clone().until(q.clone().next()).release(!p.clone()).or(q.eventually().always().and(p.next()));
        let mut rng = fastrand::Rng::with_seed(4);
        for _ in 0..500 {
            let letters = |rng: &mut fastrand::Rng, n| (0..n).map(|_| rng.u64(..4)).collect::<Vec<_>>();
            let (stem, cycle) = (rng.usize(..4), rng.usize(1..4));
            let (stem, cycle) = (letters(&mut rng, stem), letters(&mut rng, cycle));
            let unrolled = [&stem[..], &cycle[..]].concat();
            let expected = holds(&formula, &stem, &cycle);
            assert_eq!(holds(&formula, &unrolled, &cycle), expected);
            assert_eq!(holds(&formula, &stem, &cycle.repeat(3)), expected);
        }
    }
}
