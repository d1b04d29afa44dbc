//! Properties that a finite run refutes.

use homing_core::ViolationKind;

/// Safety properties: a finite run refutes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Safety {
    /// Assertions, invalid end states and run-time errors.
    All,
    /// Assertions, and run-time errors.
    Assertions,
    /// Invalid end states, and run-time errors.
    Deadlock,
    /// The invariants of the model.
    Invariant,
}

impl Safety {
    /// Whether a violation of this kind refutes the property. A model has no meaning after a run-time error, which
    /// refutes every property.
    pub fn is_refuted_by(self, kind: ViolationKind) -> bool {
        match kind {
            ViolationKind::RuntimeError => true,
            ViolationKind::Assertion => matches!(self, Safety::All | Safety::Assertions),
            ViolationKind::InvalidEndState => matches!(self, Safety::All | Safety::Deadlock),
            ViolationKind::Invariant => self == Safety::Invariant,
            ViolationKind::ClaimEnd
            | ViolationKind::AcceptanceCycle
            | ViolationKind::NonProgressCycle
            | ViolationKind::Action => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_time_errors_refute_everything() {
        for (kind, refuted) in [
            (ViolationKind::RuntimeError, [true, true, true, true]),
            (ViolationKind::Assertion, [true, true, false, false]),
            (ViolationKind::InvalidEndState, [true, false, true, false]),
            (ViolationKind::Invariant, [false, false, false, true]),
        ] {
            let properties = [Safety::All, Safety::Assertions, Safety::Deadlock, Safety::Invariant];
            assert_eq!(properties.map(|property| property.is_refuted_by(kind)), refuted, "{kind:?}");
        }
    }
}
