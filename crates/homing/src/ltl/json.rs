//! The JSON documents of `homing ltl`. A field that does not apply is null, never absent.

use homing_ltl::{Automaton, Difference, Edge, Named, guard};
use serde::Serialize;

/// An automaton, of a formula or read from a file.
#[derive(Serialize)]
struct Document<'a> {
    homing: &'static str,
    /// As it is translated, after `--negate`.
    formula: Option<&'a str>,
    propositions: &'a [String],
    states: usize,
    /// Edges between states, each with a guard.
    edges: usize,
    /// One for each letter, that is for each valuation of the propositions; null if they are too many.
    transitions: Option<u64>,
    acceptance_sets: u32,
    deterministic: bool,
    complete: bool,
    strength: String,
    /// The letters of the classes that occur.
    classes: String,
    stutter_invariant: Option<bool>,
    initial: usize,
    automaton: Vec<State>,
}

#[derive(Serialize)]
struct State {
    accepting: bool,
    /// The strongly connected component; edges lead to components with smaller numbers.
    component: usize,
    /// N, F, P or S; null for a state on no cycle.
    class: Option<char>,
    edges: Vec<EdgeEntry>,
}

#[derive(Serialize)]
struct EdgeEntry {
    guard: String,
    target: usize,
    acceptance_sets: Vec<u32>,
}

/// The document of an automaton.
pub fn automaton(named: &Named, formula: Option<&str>, stutter_invariant: Option<bool>) -> String {
    let Named { automaton, names } = named;
    let classes = automaton.classes();
    let state = |state: usize| State {
        accepting: automaton.is_accepting(state),
        component: classes.component[state],
        class: Some(classes.of(state).letter()).filter(|letter| letter.is_ascii_alphabetic()),
        edges: automaton.states[state].iter().map(|edge| entry(edge, names)).collect(),
    };
    text(&Document {
        homing: env!("CARGO_PKG_VERSION"),
        formula,
        propositions: names,
        states: automaton.states.len(),
        edges: automaton.edge_count(),
        transitions: automaton.letter_transitions().try_into().ok(),
        acceptance_sets: automaton.sets,
        deterministic: automaton.is_deterministic(),
        complete: automaton.is_complete(),
        strength: classes.strength().to_string(),
        classes: classes.to_string(),
        stutter_invariant,
        initial: automaton.initial,
        automaton: (0..automaton.states.len()).map(state).collect(),
    })
}

fn entry(edge: &Edge, names: &[String]) -> EdgeEntry {
    let sets = (0..Automaton::MOST_SETS).filter(|set| edge.marks >> set & 1 == 1).collect();
    EdgeEntry { guard: guard(&edge.letters, names), target: edge.target, acceptance_sets: sets }
}

/// Whether two formulas are equivalent.
#[derive(Serialize)]
struct Comparison<'a> {
    homing: &'static str,
    formula: &'a str,
    other: &'a str,
    equivalent: bool,
    difference: Option<DifferenceEntry<'a>>,
}

/// A word that satisfies one of two formulas.
#[derive(Serialize)]
struct DifferenceEntry<'a> {
    satisfies: &'a str,
    violates: &'a str,
    /// For each letter the propositions that hold.
    stem: Vec<Vec<&'a str>>,
    cycle: Vec<Vec<&'a str>>,
}

/// The document of a comparison.
pub fn comparison(first: &str, second: &str, found: Option<&Difference>, names: &[String]) -> String {
    let letters = |letters: &[u64]| letters.iter().map(|&letter| holding(letter, names)).collect();
    let difference = found.map(|found| DifferenceEntry {
        satisfies: if found.satisfies_first { first } else { second },
        violates: if found.satisfies_first { second } else { first },
        stem: letters(&found.word.stem),
        cycle: letters(&found.word.cycle),
    });
    let homing = env!("CARGO_PKG_VERSION");
    text(&Comparison { homing, formula: first, other: second, equivalent: found.is_none(), difference })
}

fn holding(letter: u64, names: &[String]) -> Vec<&str> {
    let holds = |(index, _): &(usize, &String)| letter >> index & 1 == 1;
    names.iter().enumerate().filter(holds).map(|(_, name)| name.as_str()).collect()
}

fn text(document: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(document).expect("the document has string keys and finite numbers");
    text.push('\n');
    text
}
