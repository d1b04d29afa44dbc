//! Sizes of automata on the formula sets of the literature, against those that Spot publishes.
//!
//! `data/formulas.json` has the sets of Dwyer, Avrunin & Corbett 1998 (dac), Etessami & Holzmann 2000 (eh), Somenzi & Bloem
//! 2000 (sb), Holeček et al. 2004 (hkrss) and Pelánek 2007 (p). `data/spot-sizes.json` has the states and transitions of
//! Spot's automata from its test suite (tests/core/ltl2tgba2.test); column 4 is the Büchi automaton with accepting states.

use std::collections::BTreeMap;
use std::time::Instant;

use homing_ltl::{Formula, parse, translate_to_buchi};

type Sizes = BTreeMap<String, Vec<(usize, u128)>>;

fn formulas() -> Vec<(String, Formula)> {
    let sets: BTreeMap<String, Vec<String>> =
        serde_json::from_str(include_str!("data/formulas.json")).expect("formulas");
    let named = |(set, texts): (String, Vec<String>)| {
        texts.into_iter().enumerate().map(move |(at, text)| (format!("{set}{}", at + 1), text)).collect::<Vec<_>>()
    };
    let read = |(name, text): (String, String)| {
        let parsed = parse(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        (name, parsed.formula)
    };
    sets.into_iter().flat_map(named).map(read).collect()
}

#[test]
fn sums_are_close_to_those_of_spot() {
    let spot: Sizes = serde_json::from_str(include_str!("data/spot-sizes.json")).expect("sizes");
    let mut table = String::new();
    let mut strengths = BTreeMap::new();
    let (mut sums, mut slowest) = ([[0; 2]; 2], (0.0, String::new()));
    for (name, formula) in formulas() {
        for (name, formula, negated) in [(name.clone(), formula.clone(), 0), (format!("!{name}"), !formula, 1)] {
            let start = Instant::now();
            let automaton = translate_to_buchi(&formula).unwrap_or_else(|error| panic!("{name}: {error}"));
            let seconds = start.elapsed().as_secs_f64();
            if seconds > slowest.0 {
                slowest = (seconds, name.clone());
            }
            let Some(row) = spot.get(&name) else { continue };
            let own = (automaton.states.len(), automaton.letter_transitions());
            *strengths.entry((negated, automaton.strength())).or_insert(0) += 1;
            sums[negated][0] += own.0;
            sums[negated][1] += row[4].0;
            if own != row[4] {
                table += &format!(
                    "{name:9} {own:?} Spot {:?} {:.1} ms {} {formula}\n",
                    row[4],
                    seconds * 1e3,
                    automaton.strength()
                );
            }
        }
    }
    println!("{table}\nslowest {slowest:?}\n{sums:?} {strengths:?}");
}
