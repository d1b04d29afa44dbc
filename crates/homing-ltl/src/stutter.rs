//! Stutter-invariance: whether a formula can tell words apart that differ only in how often letters are repeated.
//! Reductions that remove steps which change no proposition are sound only for formulas that cannot.

use crate::automaton::{Automaton, Edge};
use crate::formula::Formula;
use crate::translate::{TranslationError, translate};

/// Whether a formula is stutter-invariant. Without `X` it is (Lamport 1983). Otherwise the automata of the formula and
/// of its negation are closed under the removal of repetitions: they accept a common word then iff two words of the
/// same repetition-free form are separated by the formula (Michaud & Duret-Lutz 2015, §4).
pub fn is_stutter_invariant(formula: &Formula) -> Result<bool, TranslationError> {
    if !formula.has_next() {
        return Ok(true);
    }
    let (positive, negative) = (translate(formula)?, translate(&!formula.clone())?);
    Ok(positive.without_repetitions().is_disjoint(&negative.without_repetitions()))
}

impl Automaton {
    /// The automaton that also accepts the words of this one with repetitions removed: for two edges in a row that read
    /// the same letter there is one from the first source to the last target, with the marks of both.
    fn without_repetitions(mut self) -> Automaton {
        let mut pending: Vec<usize> = (0..self.states.len()).rev().collect();
        let mut sources: Vec<Vec<usize>> = vec![Vec::new(); self.states.len()];
        for (state, edges) in self.states.iter().enumerate() {
            for edge in edges {
                sources[edge.target].push(state);
            }
        }
        while let Some(state) = pending.pop() {
            let mut is_changed = false;
            for first in self.states[state].clone() {
                for second in self.states[first.target].clone() {
                    let letters = first.letters.and(&second.letters);
                    let joint = Edge { letters, marks: first.marks | second.marks, target: second.target };
                    if !joint.letters.is_empty() && self.add(state, &joint) {
                        sources[joint.target].push(state);
                        is_changed = true;
                    }
                }
            }
            if is_changed {
                pending.push(state);
                pending.extend(&sources[state]);
            }
        }
        self
    }

    /// Adds an edge unless others with at least its marks read all its letters already.
    fn add(&mut self, state: usize, edge: &Edge) -> bool {
        let same = self.states[state].iter().filter(|known| known.target == edge.target);
        let better = same.filter(|known| known.marks & edge.marks == edge.marks);
        let missing = better.fold(edge.letters.clone(), |missing, known| missing.and_not(&known.letters));
        if missing.is_empty() {
            return false;
        }
        let same = |known: &&mut Edge| known.target == edge.target && known.marks == edge.marks;
        match self.states[state].iter_mut().find(same) {
            Some(known) => known.letters = known.letters.or(&missing),
            None => self.states[state].push(Edge { letters: missing, ..edge.clone() }),
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::Lasso;
    use crate::{parse, random};

    #[test]
    fn formulas_with_next() {
        for (text, expected) in [
            ("X p", false),
            ("[] (p -> X q)", false),
            ("[] (p -> X <> q)", true),
            ("[] <> X p", true),
            ("<> X <> p", false),
            ("<> (p && X <> (!p && <> q))", true),
            ("X p || !X p", true),
            ("p && X (p U q)", false),
            ("p U (p && X (!p && q))", true),
            ("<> (p && X !p)", true),
            ("<> (p && X p)", false),
            ("p U q", true),
        ] {
            let formula = parse(text).expect("a formula").formula;
            assert_eq!(is_stutter_invariant(&formula), Ok(expected), "{text}");
        }
    }

    #[test]
    fn invariant_formulas_do_not_separate_words() {
        let mut rng = fastrand::Rng::with_seed(12);
        let (mut invariant, mut separated) = (0, 0);
        for _ in 0..600 {
            let size = rng.usize(3..9);
            let formula = random::formula(&mut rng, size, 2);
            let is_invariant = is_stutter_invariant(&formula).expect("small");
            invariant += usize::from(is_invariant && formula.has_next());
            for _ in 0..40 {
                let word = random::word(&mut rng, 2);
                let mut repeat = |letters: &[u64]| -> Vec<u64> {
                    letters.iter().flat_map(|&letter| vec![letter; rng.usize(1..3)]).collect()
                };
                let other = Lasso { stem: repeat(&word.stem), cycle: repeat(&word.cycle) };
                let differs = word.satisfies(&formula) != other.satisfies(&formula);
                assert!(!(is_invariant && differs), "{formula} on {word:?} and {other:?}");
                separated += usize::from(differs);
            }
        }
        assert!(invariant > 10 && separated > 10);
    }
}
