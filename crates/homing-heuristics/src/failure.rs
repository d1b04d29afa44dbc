//! Which statements can fail, and when: assertions that are false, and whatever has no meaning.

use homing_core::ViolationKind;
use homing_ir::{Action, Model, ProctypeId};

use crate::distance::Charge;
use crate::formula::{Builder, Formula, Wish};

/// Knows when statements fail.
pub struct Failures<'m> {
    builder: Builder<'m>,
    assertions: bool,
    faults: bool,
}

impl<'m> Failures<'m> {
    /// In one of these ways.
    pub fn of(model: &'m Model, kinds: &[ViolationKind]) -> Self {
        Failures {
            builder: Builder::new(model, Charge::Full),
            assertions: kinds.contains(&ViolationKind::Assertion),
            faults: kinds.contains(&ViolationKind::RuntimeError),
        }
    }

    /// When an action fails; none if it never does.
    pub fn fails(&self, id: ProctypeId, action: &'m Action) -> Option<Formula<'m>> {
        let assertion = if self.assertions { self.assertion(id, action) } else { None };
        let fault = if self.faults { self.fault(id, action) } else { None };
        match (assertion, fault) {
            (Some(assertion), Some(fault)) => Some(Formula::Any(vec![assertion, fault])),
            (assertion, fault) => assertion.or(fault),
        }
    }

    fn fault(&self, _: ProctypeId, _: &'m Action) -> Option<Formula<'m>> {
        Some(Formula::Anything)
    }

    /// Inside a `d_step` an assertion sees what was done before it. A `trace` can be broken by every message.
    fn assertion(&self, id: ProctypeId, action: &'m Action) -> Option<Formula<'m>> {
        let traced = self.builder.model.monitor.is_some();
        match action {
            Action::Assert(condition) => Some(self.builder.formula(Some(id), condition, Wish::Fails)),
            action if has_inside(action, |inner| matches!(inner, Action::Assert(_))) => Some(Formula::Anything),
            action if traced && has_inside(action, passes_message) => Some(Formula::Anything),
            _ => None,
        }
    }
}

fn has_inside(action: &Action, is_it: impl Fn(&Action) -> bool) -> bool {
    let mut has = false;
    action.for_each_inside(&mut |inner| has |= is_it(inner));
    has
}

fn passes_message(action: &Action) -> bool {
    matches!(action, Action::Send { .. } | Action::Receive { .. })
}
