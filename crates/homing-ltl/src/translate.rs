//! From formulas to automata.

use crate::automaton::Automaton;
use crate::formula::{Formula, Node};
use crate::letters::Letters;
use crate::merge::merged;
use crate::nnf::{Arena, Id, RuleSet};
use crate::recurrence;
use crate::tableau::{self, Effort};
use crate::trim::Acceptance;
use crate::wdba::minimal_wdba;

/// The largest number of operators and operands of a formula that is translated.
pub const MOST_NODES: usize = 1_000;

/// Why a formula has no automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TranslationError {
    /// The formula has more operators and operands than [`MOST_NODES`].
    #[error("the formula has {nodes} operators and operands; at most {MOST_NODES} are translated")]
    TooLong {
        /// How many it has.
        nodes: usize,
    },
    /// The formula has too many propositions.
    #[error("the formula has {propositions} propositions; at most {} are supported", Letters::MOST_PROPOSITIONS)]
    TooManyPropositions {
        /// How many it has.
        propositions: usize,
    },
    /// The automaton would have too many states, edges or acceptance sets.
    #[error("the automaton of the formula is too large; split the formula into several")]
    TooLarge,
}

/// The generalised Büchi automaton of a formula, with marks on its edges; its propositions are those of the formula.
pub fn translate(formula: &Formula) -> Result<Automaton, TranslationError> {
    translate_over(formula, formula.proposition_count())
}

/// The automaton of [`translate`] over more propositions than the formula has, for products with other automata.
///
/// # Panics
/// If the formula has more propositions than that.
pub fn translate_over(formula: &Formula, propositions: usize) -> Result<Automaton, TranslationError> {
    over(formula, propositions, Translation::generalised)
}

/// The Büchi automaton of a formula, with accepting states (see [`Automaton::degeneralised`]): the smallest that is
/// found, often smaller than the degeneralised result of [`translate`].
pub fn translate_to_buchi(formula: &Formula) -> Result<Automaton, TranslationError> {
    over(formula, formula.proposition_count(), Translation::buchi)
}

/// Translates over the propositions that occur in the formula, because labels of fewer propositions are faster.
fn over(
    formula: &Formula,
    propositions: usize,
    automaton: impl Fn(Translation) -> Automaton,
) -> Result<Automaton, TranslationError> {
    if propositions > Letters::MOST_PROPOSITIONS {
        return Err(TranslationError::TooManyPropositions { propositions });
    }
    let occurring = |node: &Node| if let Node::Proposition(index) = node { Some(*index as usize) } else { None };
    let mut used: Vec<usize> = formula.nodes().iter().filter_map(occurring).collect();
    used.sort_unstable();
    used.dedup();
    assert!(used.last().is_none_or(|&last| last < propositions), "a formula of more than {propositions} propositions");
    if used.len() == propositions {
        return Translation::new(formula, propositions).map(automaton);
    }
    let number = |index: u32| used.binary_search(&(index as usize)).expect("the proposition occurs") as u32;
    let narrow = Translation::new(&formula.clone().renumbered(number), used.len()).map(automaton)?;
    Ok(narrow.renumbered(propositions, &used))
}

/// Automata of a formula and of its negation.
struct Translation {
    /// Reduced automata of the formula, by different constructions.
    positive: Vec<Automaton>,
    /// `None` if it is too large.
    negative: Option<Automaton>,
    /// The minimal weak deterministic automaton, with accepting states.
    weak: Option<Automaton>,
}

impl Translation {
    fn new(formula: &Formula, propositions: usize) -> Result<Self, TranslationError> {
        let nodes = formula.nodes().len();
        if nodes > MOST_NODES {
            return Err(TranslationError::TooLong { nodes });
        }
        let mut arena = Arena::new(propositions, RuleSet::ALL);
        let (formula, negation) = arena.convert(formula);
        let positive = reduced_tableau(&mut arena, formula, Effort::Full).ok_or(TranslationError::TooLarge)?;
        let negative = reduced_tableau(&mut arena, negation, Effort::Modest);
        let weak = negative.as_ref().and_then(|negative| minimal_wdba(&positive, negative));
        let recurrence = recurrence::translate(&mut arena, formula);
        let positive = [Some(positive), recurrence].into_iter().flatten().collect();
        Ok(Translation { positive, negative, weak })
    }

    fn generalised(self) -> Automaton {
        let Translation { positive, negative, weak } = self;
        let weak = weak.map(|weak| weak.trimmed());
        let merged = positive.into_iter().map(|automaton| match &negative {
            Some(negative) => merged(automaton, negative, Acceptance::Edges),
            None => automaton,
        });
        smallest(weak.into_iter().chain(merged))
    }

    fn buchi(self) -> Automaton {
        let Translation { positive, negative, weak } = self;
        let degeneralised = positive.iter().map(Automaton::degeneralised);
        let candidates: Vec<Automaton> = weak.into_iter().chain(degeneralised).collect();
        let merged = candidates.iter().filter_map(|automaton| {
            let negative = negative.as_ref()?;
            Some(merged(automaton.clone(), negative, Acceptance::States))
        });
        let merged: Vec<Automaton> = merged.collect();
        smallest(candidates.into_iter().chain(merged))
    }
}

/// The automaton with the fewest states; of several the one that is easiest to search, then a deterministic one, then
/// the one with fewer transitions.
fn smallest(automata: impl Iterator<Item = Automaton>) -> Automaton {
    let key = |automaton: &Automaton| {
        let is_ambiguous = !automaton.is_deterministic();
        (automaton.states.len(), automaton.strength(), is_ambiguous, automaton.letter_transitions())
    };
    automata.min_by_key(key).expect("a formula has at least one automaton")
}

/// The reduced automaton of a formula. `None` if it takes too much work.
pub(crate) fn reduced_tableau(arena: &mut Arena, formula: Id, effort: Effort) -> Option<Automaton> {
    if let Some(automaton) = recurrence::translate_many(arena, formula, effort) {
        return Some(automaton);
    }
    let automaton = tableau::translate(arena, formula, effort).ok()?;
    Some(automaton.trimmed().simulation_reduced(Acceptance::Edges))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random;

    /// Checks an automaton against the meaning of its formula on random words.
    #[track_caller]
    fn check(rng: &mut fastrand::Rng, stage: &str, formula: &Formula, automaton: &Automaton, words: usize) {
        let propositions = automaton.propositions.max(1) as u32;
        for _ in 0..words {
            let word = random::word(rng, propositions);
            let expected = word.satisfies(formula);
            assert_eq!(automaton.accepts(&word), expected, "{stage} of {formula} on {word:?}: {automaton:?}");
        }
    }

    #[test]
    fn each_stage_keeps_the_language() {
        let mut rng = fastrand::Rng::with_seed(10);
        for _ in 0..if cfg!(debug_assertions) { 500 } else { 5_000 } {
            let size = rng.usize(1..14);
            let formula = random::formula(&mut rng, size, 3);
            let propositions = formula.proposition_count();
            for rules in [RuleSet::NONE, RuleSet::ALL] {
                let mut arena = Arena::new(propositions, rules);
                let (positive, _) = arena.convert(&formula);
                let Ok(automaton) = tableau::translate(&mut arena, positive, Effort::Full) else { continue };
                check(&mut rng, "tableau", &formula, &automaton, 20);
                let automaton = automaton.trimmed();
                check(&mut rng, "trimmed", &formula, &automaton, 20);
                let automaton = automaton.simulation_reduced(Acceptance::Edges);
                check(&mut rng, "simulation", &formula, &automaton, 20);
                let automaton = automaton.degeneralised();
                check(&mut rng, "degeneralised", &formula, &automaton, 20);
            }
            let translation = Translation::new(&formula, propositions).expect("small");
            if let Some(weak) = &translation.weak {
                check(&mut rng, "weak", &formula, weak, 20);
            }
            check(&mut rng, "generalised", &formula, &translation.generalised(), 20);
            check(&mut rng, "Büchi", &formula, &translate_to_buchi(&formula).expect("small"), 20);
        }
    }
}
