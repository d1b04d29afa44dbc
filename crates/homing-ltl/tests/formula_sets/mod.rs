//! Formulas of the literature.
//!
//! The file `data/formulas.json` has the sets of Dwyer, Avrunin & Corbett 1998 (dac), Etessami & Holzmann 2000 (eh),
//! Somenzi & Bloem 2000 (sb), Holeček et al. 2004 (hkrss) and Pelánek 2007 (p), with parentheses where SPIN would read
//! them otherwise.

use std::collections::BTreeMap;

use homing_ltl::{Formula, parse};

/// A formula of a set.
#[derive(Clone)]
pub struct Row {
    /// The set and the number in it, after `!` for a negation.
    pub name: String,
    pub formula: Formula,
    /// The propositions.
    pub names: Vec<String>,
}

/// All formulas, each followed by its negation.
pub fn rows() -> Vec<Row> {
    let sets: BTreeMap<String, Vec<String>> =
        serde_json::from_str(include_str!("../data/formulas.json")).expect("formulas");
    let mut rows = Vec::new();
    for (set, texts) in sets {
        for (at, text) in texts.iter().enumerate() {
            let name = format!("{set}{}", at + 1);
            let parsed = parse(text).unwrap_or_else(|error| panic!("{name}: {error}"));
            let negation = Row { name: format!("!{name}"), formula: !parsed.formula.clone(), names: parsed.names };
            rows.push(Row { name, formula: parsed.formula, names: negation.names.clone() });
            rows.push(negation);
        }
    }
    rows
}
