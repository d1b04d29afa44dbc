//! Comparing formulas by their languages.

use crate::formula::{Formula, Lasso};
use crate::translate::{TranslationError, translate_over};

/// A word that satisfies one of two formulas and not the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The word.
    pub word: Lasso,
    /// Whether it satisfies the first formula; if not, it satisfies the second.
    pub satisfies_first: bool,
}

/// A word that tells two formulas apart; `None` if they are equivalent.
pub fn difference(first: &Formula, second: &Formula) -> Result<Option<Difference>, TranslationError> {
    let propositions = first.proposition_count().max(second.proposition_count());
    let automaton = |formula: &Formula| translate_over(formula, propositions);
    for (yes, no, satisfies_first) in [(first, second, true), (second, first, false)] {
        if let Some(word) = automaton(yes)?.common_word(&automaton(&!no.clone())?) {
            debug_assert!(word.satisfies(yes) && !word.satisfies(no), "the automata agree with the formulas");
            return Ok(Some(Difference { word, satisfies_first }));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_with;

    #[test]
    fn laws_and_other_claims() {
        for (first, second, expected) in [
            ("!<>p", "[]!p", None),
            ("p U q", "q || p && X (p U q)", None),
            ("p W q", "[]p || p U q", None),
            ("p V q", "!(!p U !q)", None),
            ("[]<>p && []<>q", "[]<>(p && <>q)", None),
            ("[]<>(p && q)", "[]<>p && []<>q", Some(false)),
            ("p W q", "p U q", Some(true)),
            ("p", "q", Some(true)),
            ("false", "p", Some(false)),
            ("true", "p || !p", None),
        ] {
            let mut names = Vec::new();
            let [first, second] = [first, second].map(|text| parse_with(text, &mut names).expect("a formula").0);
            let found = difference(&first, &second).expect("small");
            assert_eq!(found.as_ref().map(|found| found.satisfies_first), expected, "{first} and {second}");
            if let Some(Difference { word, satisfies_first }) = found {
                assert_eq!((word.satisfies(&first), word.satisfies(&second)), (satisfies_first, !satisfies_first));
            }
        }
    }
}
