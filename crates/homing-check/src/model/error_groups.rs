//! All errors of a model, by kind and place, with a shortest path to each.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Instant;

use homing_core::{Violation, ViolationKind};

use super::counterexample::Counterexample;
use super::decide::{DecideError, Decider};
use super::focus::Focus;
use super::options::{Confirm, Guidance, Options};
use super::search_task::SearchTask;
use crate::{OnError, Search};

/// The errors of one kind at one place.
#[derive(Debug)]
pub struct ErrorGroup {
    /// One of them; the others may differ in their messages and in the number of the process.
    pub violation: Violation,
    /// Whether the counterexample of the property is one of them.
    pub is_reported: bool,
    /// A path to one of them, if it is not reported and one was found within the limits.
    pub counterexample: Option<Counterexample>,
}

/// Paths are searched for at most this many groups.
const MOST_PATHS: usize = 50;

impl Decider<'_> {
    /// Searches again for each violation that is not that of the reported path. The states were all visited before, so each search
    /// is at most as long, and most are much shorter.
    pub(super) fn error_groups(
        &self,
        name: &str,
        task: &SearchTask,
        deadline: Option<Instant>,
        violations: Vec<Violation>,
        reported: Option<&Counterexample>,
    ) -> Result<Vec<ErrorGroup>, DecideError> {
        let options = Options {
            search: Search::Bfs,
            guidance: Guidance::None,
            on_error: OnError::Stop,
            confirm: Confirm::Never,
            ..self.options
        };
        let mut groups = Vec::new();
        for (number, violation) in violations.into_iter().enumerate() {
            let is_reported = reported.is_some_and(|reported| is_same_group(&reported.violation, &violation));
            let mut group = ErrorGroup { violation, is_reported, counterexample: None };
            if !is_reported && number < MOST_PATHS {
                let focus = Focus::Group(GroupKey::of(&group.violation));
                let decider = Decider { options, focus, ..*self };
                let found = decider.decide(name, task, deadline)?.counterexample;
                group.counterexample = found.filter(|found| is_same_group(&found.violation, &group.violation));
            }
            groups.push(group);
        }
        Ok(groups)
    }
}

/// What the violations of a group have in common, as a hash: their kind, their place and the type of the process. Those without a
/// place differ by their messages, and so do assertions, of which a line can have several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GroupKey(u64);

impl GroupKey {
    pub fn of(violation: &Violation) -> Self {
        let mut hasher = DefaultHasher::new();
        violation.kind.name().hash(&mut hasher);
        if let Some(place) = &violation.place {
            (&place.file, place.line).hash(&mut hasher);
        }
        if violation.place.is_none() || violation.kind == ViolationKind::Assertion {
            violation.message.hash(&mut hasher);
        }
        violation.process.as_ref().map(|name| name.split('(').next()).hash(&mut hasher);
        GroupKey(hasher.finish())
    }
}

pub(super) fn is_same_group(left: &Violation, right: &Violation) -> bool {
    GroupKey::of(left) == GroupKey::of(right)
}
