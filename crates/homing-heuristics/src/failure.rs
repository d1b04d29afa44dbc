//! Which statements can fail, and when: assertions that are false, and whatever has no meaning.

use homing_core::ViolationKind;
use homing_ir::{Action, Model, ProctypeId};

use crate::distance::Charge;
use crate::fault::Faults;
use crate::formula::{Builder, Formula, Wish};

/// Knows when statements fail.
pub struct Failures<'m> {
    builder: Builder<'m>,
    assertions: bool,
    faults: Option<Faults>,
}

impl<'m> Failures<'m> {
    /// In one of these ways.
    pub fn of(model: &'m Model, kinds: &[ViolationKind]) -> Self {
        let builder = Builder::new(model, Charge::Full);
        let assertions = kinds.contains(&ViolationKind::Assertion);
        let faults = kinds.contains(&ViolationKind::RuntimeError).then(|| Faults::of(&builder));
        Failures { builder, assertions, faults }
    }

    /// Whether some statement can fail.
    pub fn are_possible(&self) -> bool {
        let mut types = (0u32..).map(ProctypeId).zip(&self.builder.model.proctypes);
        types.any(|(id, proctype)| {
            let mut statements = proctype.automaton.statements.iter();
            statements.any(|statement| self.fails(id, &statement.action).is_some())
        })
    }

    /// When an action fails; none if it never does.
    pub fn fails(&self, id: ProctypeId, action: &'m Action) -> Option<Formula<'m>> {
        let assertion = if self.assertions { self.assertion(id, action) } else { None };
        let fault = self.faults.as_ref().and_then(|faults| faults.of_action(&self.builder, id, action));
        match (assertion, fault) {
            (Some(assertion), Some(fault)) => Some(Formula::Any(vec![assertion, fault])),
            (assertion, fault) => assertion.or(fault),
        }
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
