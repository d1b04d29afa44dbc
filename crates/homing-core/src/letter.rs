//! Letters of states in which some propositions have no value.

use crate::Violation;

/// A letter in which some propositions have no value: to evaluate them is a run-time error.
///
/// Whether that is an error of the run depends on the automaton that reads it: only where a move depends on such a proposition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartialLetter {
    /// Bit i: proposition i has a value and holds.
    pub holds: u64,
    /// The propositions without a value, in order, with the run-time error of each.
    pub faults: Vec<(u32, Violation)>,
}

impl PartialLetter {
    /// Bit i: proposition i has no value.
    pub fn undefined(&self) -> u64 {
        self.faults.iter().fold(0, |bits, (number, _)| bits | 1 << number)
    }

    /// The run-time error of a proposition.
    ///
    /// # Panics
    /// If the proposition has a value.
    pub fn fault(&self, proposition: u32) -> &Violation {
        let fault = self.faults.iter().find(|(number, _)| *number == proposition);
        fault.map(|(_, violation)| violation).expect("the proposition has no value")
    }
}
