//! The statements that can fail, and under which condition: false assertions and run-time errors.

use homing_core::ViolationKind;
use homing_ir::{Action, Model, ProctypeId};

use crate::distance::Deferred;
use crate::formula::{Formula, FormulaBuilder, Polarity};
use crate::runtime_errors::RuntimeErrors;

/// Knows the condition under which a statement fails.
pub struct Failures<'m> {
    builder: FormulaBuilder<'m>,
    assertions: bool,
    faults: Option<RuntimeErrors<'m>>,
}

impl<'m> Failures<'m> {
    /// Considers failures of these kinds.
    pub fn of(model: &'m Model, kinds: &[ViolationKind]) -> Self {
        let builder = FormulaBuilder::new(model, Deferred::Counted);
        let assertions = kinds.contains(&ViolationKind::Assertion);
        let faults = kinds.contains(&ViolationKind::RuntimeError).then(|| RuntimeErrors::of(&builder));
        Failures { builder, assertions, faults }
    }

    /// Whether some statement can fail.
    pub fn are_possible(&self) -> bool {
        let mut types = (0u32..).map(ProctypeId).zip(&self.builder.model.proctypes);
        types.any(|(id, proctype)| {
            let automaton = &proctype.automaton;
            (0..).zip(&automaton.locations).any(|(at, location)| {
                let mut transitions = location.transitions.iter();
                transitions.any(|to| self.fails(id, at, &automaton.statement(to.statement).action).is_some())
            })
        })
    }

    /// The condition under which an action fails at a location; `None` if it never does.
    pub fn fails(&self, id: ProctypeId, location: u32, action: &'m Action) -> Option<Formula<'m>> {
        let assertion = if self.assertions { self.assertion(id, action) } else { None };
        let fault = self.faults.as_ref().and_then(|faults| faults.of_action(&self.builder, (id, location), action));
        match (assertion, fault) {
            (Some(assertion), Some(fault)) => Some(Formula::Any(vec![assertion, fault])),
            (assertion, fault) => assertion.or(fault),
        }
    }

    /// The condition under which an action violates an assertion or a `trace`. Inside a `d_step` an assertion depends
    /// on the statements before it; a `trace` can be violated by every message.
    fn assertion(&self, id: ProctypeId, action: &'m Action) -> Option<Formula<'m>> {
        let traced = self.builder.model.monitor.is_some();
        match action {
            Action::Assert(condition) => Some(self.builder.formula(Some(id), condition, Polarity::Fails)),
            action if has_inside(action, |inner| matches!(inner, Action::Assert(_))) => Some(Formula::Anything),
            action if traced && has_inside(action, passes_message) => Some(Formula::Anything),
            _ => None,
        }
    }
}

/// Whether it is the action, or one inside it.
pub fn has_inside(action: &Action, is_it: impl Fn(&Action) -> bool) -> bool {
    let mut has = false;
    action.for_each_inside(&mut |inner| has |= is_it(inner));
    has
}

/// Whether an action sends or receives.
pub fn passes_message(action: &Action) -> bool {
    matches!(action, Action::Send { .. } | Action::Receive { .. })
}
