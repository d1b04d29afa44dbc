//! Automata that are written and read back have the same language.

mod formula_sets;
mod random;

use homing_ltl::{Automaton, Formula, read_hoa, read_never, translate, translate_to_buchi};

#[track_caller]
fn check(name: &str, formula: &Formula, names: &[String], rng: &mut fastrand::Rng) {
    let (generalised, buchi) = (translate(formula).expect("small"), translate_to_buchi(formula).expect("small"));
    let hoa = |automaton: &Automaton| {
        let text = automaton.to_hoa(names, name);
        let read = read_hoa(&text).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
        assert_eq!(read.names, names[..automaton.propositions]);
        assert_eq!(read.automaton.to_hoa(names, name), text, "{name}: what is read is written in the same way");
        read.automaton
    };
    let never = |automaton: &Automaton| {
        let text = automaton.to_never(names, name);
        let read = read_never(&text).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
        read.over(names).expect("the propositions of the formula")
    };
    let read = [hoa(&generalised), hoa(&buchi), never(&generalised), never(&buchi)];
    for _ in 0..30 {
        let word = random::word(rng, names.len().max(1) as u32);
        let expected = word.satisfies(formula);
        for (at, automaton) in read.iter().enumerate() {
            assert_eq!(automaton.accepts(&word), expected, "{name}, {at}, {word:?}");
        }
    }
}

#[test]
fn formulas_of_the_literature() {
    let mut rng = fastrand::Rng::with_seed(1);
    for row in formula_sets::rows() {
        check(&row.name, &row.formula, &row.names, &mut rng);
    }
}

#[test]
fn random_formulas_with_expressions_as_propositions() {
    let mut rng = fastrand::Rng::with_seed(2);
    let names = ["p", "x == 1", "a[i + 1].b > 3"].map(str::to_owned);
    for _ in 0..if cfg!(debug_assertions) { 100 } else { 1000 } {
        let size = rng.usize(2..14);
        // all three occur
        let all = (0..3).map(Formula::proposition).reduce(Formula::or).expect("three");
        let formula = random::formula(&mut rng, size, 3).or(all.next().always());
        check("random", &formula, &names, &mut rng);
    }
}

#[test]
fn dot_has_an_arrow_for_each_edge() {
    for row in formula_sets::rows() {
        let automaton = translate(&row.formula).expect("small");
        let text = automaton.to_dot(&row.names, &row.name);
        assert_eq!(text.matches(" -> ").count(), automaton.edge_count() + 1, "{text}");
        assert!(text.starts_with("digraph ") && text.ends_with("}\n"));
    }
}
