//! Formulas on which constructions are known to go wrong, each with words that show it.

use homing_ltl::{Lasso, parse, translate, translate_to_buchi};

/// Letters by the names of the propositions that hold: `"pq p -"`; the cycle comes after `|`.
fn word(text: &str, names: &[String]) -> Lasso {
    let letter = |letter: &str| {
        let bits = names.iter().enumerate().filter(|(_, name)| letter.contains(name.as_str()));
        bits.fold(0, |letter, (index, _)| letter | 1 << index)
    };
    let letters = |text: &str| text.split_whitespace().map(letter).collect();
    let (stem, cycle) = text.split_once('|').expect("a stem and a cycle");
    Lasso { stem: letters(stem), cycle: letters(cycle) }
}

#[track_caller]
fn check(formula: &str, accepted: &[&str], rejected: &[&str]) {
    let parsed = parse(formula).expect("a formula");
    let negation = !parsed.formula.clone();
    for construct in [translate, translate_to_buchi] {
        let (positive, negative) = (construct(&parsed.formula).expect("small"), construct(&negation).expect("small"));
        for (texts, expected) in [(accepted, true), (rejected, false)] {
            for text in texts {
                let word = word(text, &parsed.names);
                assert_eq!(word.satisfies(&parsed.formula), expected, "the meaning of {formula} on {text}");
                assert_eq!(positive.accepts(&word), expected, "{formula} on {text}");
                assert_eq!(negative.accepts(&word), !expected, "!({formula}) on {text}");
            }
        }
    }
}

/// What is promised may be implied by the formula that promises it: if `F r` were dropped from the next set for that
/// reason, its promise would be renewed and dropped for ever.
#[test]
fn an_implied_formula_with_a_promise_stays() {
    check("[] (p -> <> (q && X <> r))", &["|p q r", "| pqr", "p q r | -", "| -"], &["| p", "| p q", "| pr", "p | q"]);
    check("[] (p -> <> q) && [] (p -> <> (q || r))", &["| p q", "| pq"], &["| p r", "p | r"]);
}

/// A disjunction may choose another operand in the next state, so that `F` below it must be repeated.
#[test]
fn what_recurs_does_not_recur_below_a_disjunction() {
    check("[] (p || <> q)", &["| p", "| - q", "- - q | p"], &["| -", "- | p", "q p - | p"]);
    check("[] (p || q U r)", &["| p", "| q r", "p q r | p"], &["| q", "p q | p", "p - | r"]);
    check("[] (p || <> q && <> r)", &["| p", "- qr | p", "- p qr | p"], &["- q | p", "- r | p"]);
}

/// Two promises are kept independently of each other.
#[test]
fn marks_are_not_merged() {
    check("[] <> p && [] <> q", &["| p q", "| pq"], &["| p", "| q", "p q | -"]);
    check("<> [] p || <> [] q", &["- | p", "p | q", "| pq"], &["| p q", "| -"]);
    check("[] <> (p && <> q)", &["| p q"], &["| p", "| q"]);
}

/// The initial state is not merged with one that is reached by the same letters.
#[test]
fn the_first_letter_counts() {
    check("p && X [] <> p", &["p | - p", "| p"], &["- | p", "p | -"]);
    check("X p && [] (p -> X p)", &["- | p", "| p"], &["- p | -", "| -", "- - | p"]);
    check("!p && X p && X X [] !p", &["- p | -"], &["p p | -", "- - | -", "- p | p"]);
}

/// Neither the automaton of a liveness formula nor that of its negation is taken for a weak deterministic one.
#[test]
fn weak_automata_only_where_they_exist() {
    check("[] <> p -> [] <> q", &["| -", "| p q", "p | q"], &["| p", "q | p"]);
    check("<> [] (p -> X p)", &["- p | p", "| -", "p - p | -"], &["| p -"]);
}
