//! Translations of random formulas, judged on random words and against the translation of the negation.

mod random;

use homing_ltl::{Formula, translate, translate_to_buchi};

/// How many formulas, and words for each.
const ROUNDS: (usize, usize) = if cfg!(debug_assertions) { (400, 50) } else { (5_000, 200) };

#[test]
fn automata_accept_the_words_of_their_formulas() {
    let mut rng = fastrand::Rng::with_seed(1);
    for round in 0..ROUNDS.0 {
        let (size, propositions) = (rng.usize(1..19), rng.u32(1..5));
        let formula = random::formula(&mut rng, size, propositions);
        let [positive, buchi] = both(&formula);
        for _ in 0..ROUNDS.1 {
            let word = random::word(&mut rng, propositions);
            let expected = word.satisfies(&formula);
            assert_eq!(positive.accepts(&word), expected, "round {round}, generalised: {formula} on {word:?}");
            assert_eq!(buchi.accepts(&word), expected, "round {round}, Büchi: {formula} on {word:?}");
        }
    }
}

#[test]
fn automata_of_negations_have_no_common_word() {
    let mut rng = fastrand::Rng::with_seed(2);
    for round in 0..ROUNDS.0 {
        let size = rng.usize(1..19);
        let formula = random::formula(&mut rng, size, 3);
        // both formulas need the same propositions
        let formula = Formula::proposition(2).or(!Formula::proposition(2)).and(formula);
        for positive in both(&formula) {
            for negative in both(&!formula.clone()) {
                assert_eq!(positive.common_word(&negative), None, "round {round}: {formula}");
            }
        }
    }
}

/// The automata with marks on edges and with accepting states.
#[track_caller]
fn both(formula: &Formula) -> [homing_ltl::Automaton; 2] {
    let automata = [translate(formula), translate_to_buchi(formula)];
    automata.map(|automaton| automaton.unwrap_or_else(|error| panic!("{formula}: {error}")))
}

#[test]
fn many_propositions() {
    let mut rng = fastrand::Rng::with_seed(3);
    for round in 0..ROUNDS.0 / 10 {
        let size = rng.usize(4..16);
        let propositions = [8, 14, 64][round % 3];
        let number = |rng: &mut fastrand::Rng| rng.u32(..propositions);
        let chosen: Vec<u32> = (0..4).map(|_| number(&mut rng)).collect();
        let formula = random::formula(&mut rng, size, 4).renumbered(|index| chosen[index as usize]);
        let automata = both(&formula);
        for _ in 0..ROUNDS.1 {
            let narrow = random::word(&mut rng, 4);
            let widen = |letter: &u64| {
                let bits = chosen.iter().enumerate().filter(|(index, _)| letter >> index & 1 == 1);
                bits.fold(0, |wide, (_, &number)| wide | 1 << number)
            };
            let word = homing_ltl::Lasso {
                stem: narrow.stem.iter().map(widen).collect(),
                cycle: narrow.cycle.iter().map(widen).collect(),
            };
            let expected = word.satisfies(&formula);
            assert!(automata.iter().all(|automaton| automaton.accepts(&word) == expected), "{formula} on {word:?}");
        }
    }
}
