//! Sizes of automata on formulas of the literature, against those that Spot publishes.
//!
//! The file `data/spot-sizes.json` has the states and transitions of Spot's automata from its test suite
//! (tests/core/ltl2tgba2.test); column 4 is the Büchi automaton with accepting states. Sizes are deterministic, so that
//! the sums are asserted as they are; `cargo test --test sizes -- --nocapture` prints the rows that differ.

mod formula_sets;

use std::collections::BTreeMap;
use std::time::Instant;

use homing_ltl::{Automaton, Strength, translate_to_buchi};

/// For each formula six pairs of states and transitions.
type Sizes = BTreeMap<String, Vec<(usize, u128)>>;

/// The number of transitions over the propositions that occur.
fn transitions(automaton: &Automaton) -> u128 {
    let occurs = |index: &usize| automaton.states.iter().flatten().any(|edge| edge.letters.depends_on(*index));
    let unused = automaton.propositions - (0..automaton.propositions).filter(occurs).count();
    automaton.letter_transitions() >> unused
}

#[test]
fn sums_against_spot() {
    let spot: Sizes = serde_json::from_str(include_str!("data/spot-sizes.json")).expect("sizes");
    let mut sums = [[0_u128; 4]; 2]; // for formulas and negations: states and transitions, here and there
    let mut strengths: BTreeMap<(bool, Strength), usize> = BTreeMap::new();
    let mut slowest = (0.0, String::new());
    let mut larger = Vec::new();
    for row in formula_sets::rows() {
        let start = Instant::now();
        let automaton = translate_to_buchi(&row.formula).unwrap_or_else(|error| panic!("{}: {error}", row.name));
        let seconds = start.elapsed().as_secs_f64();
        if seconds > slowest.0 {
            slowest = (seconds, row.name.clone());
        }
        let is_negated = row.name.starts_with('!');
        *strengths.entry((is_negated, automaton.strength())).or_default() += 1;
        let Some(sizes) = spot.get(&row.name) else { continue };
        let (own, theirs) = ((automaton.states.len(), transitions(&automaton)), sizes[4]);
        let all = [own.0 as u128, own.1, theirs.0 as u128, theirs.1];
        sums[usize::from(is_negated)].iter_mut().zip(all).for_each(|(sum, value)| *sum += value);
        if own != theirs {
            let formula = row.formula.display(&row.names).to_string();
            println!("{:9} {own:?} Spot {theirs:?} {} {formula}", row.name, automaton.strength());
        }
        if own.0 > theirs.0 {
            larger.push(row.name);
        }
    }
    println!("states and transitions, Spot's: {sums:?}\n{strengths:?}\nslowest: {slowest:?}");
    assert_eq!([sums[0][0], sums[0][2]], [601, 612], "states of formulas");
    assert_eq!([sums[1][0], sums[1][2]], [587, 594], "states of negations");
    assert!(sums[0][1] * 100 <= sums[0][3] * 102 && sums[1][1] * 100 <= sums[1][3] * 102, "transitions: {sums:?}");
    assert_eq!(larger, ["hkrss30"], "rows with more states than Spot has");
}
