//! Automata as text: never claims, the Hanoi Omega-Automata format (HOA), and the dot language.

mod dot;
mod hoa;
mod hoa_read;
mod never;
mod never_read;

use crate::automaton::Automaton;
use crate::formula::is_operand;
use crate::letters::{Cube, Letters};

pub use hoa_read::read_hoa;
pub use never_read::read_never;

/// An automaton with the texts of its propositions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The automaton.
    pub automaton: Automaton,
    /// The text of each proposition.
    pub names: Vec<String>,
}

impl Named {
    /// The automaton over the propositions `names`, in their order; `None` if it has others.
    pub fn over<S: AsRef<str>>(&self, names: &[S]) -> Option<Automaton> {
        let number = |name: &String| names.iter().position(|other| other.as_ref() == name);
        let numbers: Vec<usize> = self.names.iter().map(number).collect::<Option<_>>()?;
        Some(self.automaton.renumbered(names.len(), &numbers))
    }
}

/// Why a text is not an automaton.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct ReadError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
}

/// A set of letters as a Promela expression: a disjunction of prime implicants.
pub fn guard<S: AsRef<str>>(letters: &Letters, names: &[S]) -> String {
    let literal = |(index, value): (usize, bool)| {
        let name = names[index].as_ref();
        let is_operand = is_operand(name);
        match (value, is_operand) {
            (true, true) => name.to_owned(),
            (true, false) => format!("({name})"),
            (false, true) => format!("!{name}"),
            (false, false) => format!("!({name})"),
        }
    };
    let cubes = letters.prime_implicants();
    match &cubes[..] {
        [] => "false".to_owned(),
        [cube] if *cube == Cube::default() => "true".to_owned(),
        _ => {
            let cube = |cube: &Cube| cube.literals().map(literal).collect::<Vec<_>>().join(" && ");
            cubes.iter().map(cube).collect::<Vec<_>>().join(" || ")
        }
    }
}

/// The accepting states if all edges out of each state have the same marks and there is one set; `None` if marks are on
/// single edges.
fn accepting_states(automaton: &Automaton) -> Option<Vec<bool>> {
    let is_uniform = |state: usize| {
        let edges = &automaton.states[state];
        edges.iter().all(|edge| edge.marks == edges[0].marks)
    };
    let has_states = automaton.sets == 1 && (0..automaton.states.len()).all(is_uniform);
    has_states.then(|| (0..automaton.states.len()).map(|state| automaton.is_accepting(state)).collect())
}
