//! The distinct violations that a search finds.

use std::sync::{Mutex, PoisonError};

use homing_core::Violation;

use super::error_groups::is_same_group;

/// A list that the threads of a search share, with one violation for each kind and place.
#[derive(Debug, Default)]
pub struct DistinctViolations(Mutex<Vec<Violation>>);

impl DistinctViolations {
    pub fn note(&self, violation: &Violation) {
        let mut list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !list.iter().any(|known| is_same_group(known, violation)) {
            list.push(violation.clone());
        }
    }

    /// Whether one of the violations is of this sort.
    pub fn any(&self, is_of_this_sort: impl Fn(&Violation) -> bool) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().any(is_of_this_sort)
    }

    /// The violations sorted by place and message: the order in which they are found depends on the search.
    pub fn sorted(self) -> Vec<Violation> {
        let mut list = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        list.sort_by(|left, right| {
            let key = |violation: &Violation| (violation.place.clone(), violation.message.clone());
            key(left).cmp(&key(right))
        });
        list
    }
}

#[cfg(test)]
mod tests {
    use homing_core::{SourcePlace, ViolationKind};

    use super::*;

    #[test]
    fn a_violation_is_listed_once() {
        let violation = |line, process: &str| Violation {
            kind: ViolationKind::Assertion,
            message: "assertion violated: x".to_owned(),
            place: Some(SourcePlace { file: "m.pml".to_owned(), line }),
            process: Some(process.to_owned()),
        };
        let listed = DistinctViolations::default();
        for (line, process) in [(7, "P(0)"), (3, "P(1)"), (7, "P(2)"), (7, "Q(1)")] {
            listed.note(&violation(line, process));
        }
        assert_eq!(listed.sorted(), [violation(3, "P(1)"), violation(7, "P(0)"), violation(7, "Q(1)")]);
    }
}
