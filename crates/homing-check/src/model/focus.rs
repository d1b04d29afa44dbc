//! Which errors of a property a search looks for.

use homing_core::{Violation, ViolationKind};

use super::error_groups::GroupKey;

/// The errors of a property that count in a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Focus {
    /// All.
    Everything,
    /// Those of a kind and place.
    Group(GroupKey),
    /// Those of states: run-time errors are passed over.
    States,
}

impl Focus {
    /// Whether an error counts.
    pub fn admits(self, violation: &Violation) -> bool {
        match self {
            Focus::Everything => true,
            Focus::Group(group) => group == GroupKey::of(violation),
            Focus::States => violation.kind == ViolationKind::Invariant,
        }
    }
}
