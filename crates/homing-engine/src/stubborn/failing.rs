//! Which statements can fail: assertions, and statements that can have a run-time error. What is not proved may fail.

use homing_core::Condition;
use homing_ir::{Action, ArgPattern, AtLocation, Expr, Frame, Guard, Model, ProctypeId, Ranges, Update};

/// The locations of a model from which a process can come to a statement that fails.
pub struct Failing<'a> {
    ranges: Ranges<'a>,
    model: &'a Model,
    /// A receive can fail to compare a message: then a send over a rendezvous channel fails.
    by_receivers: bool,
}

impl<'a> Failing<'a> {
    pub fn of(model: &'a Model) -> Self {
        let mut failing = Failing { ranges: Ranges::of(model), model, by_receivers: false };
        failing.by_receivers = model.proctypes.iter().enumerate().any(|(at, proctype)| {
            let id = ProctypeId(at as u32);
            let locations = proctype.automaton.locations.iter().enumerate();
            locations.into_iter().any(|(number, location)| {
                let mut actions = location.transitions.iter().map(|one| proctype.automaton.statement(one.statement));
                actions.any(|statement| failing.can_compare_wrongly(id, number as u32, &statement.action))
            })
        });
        failing
    }

    /// Whether a receive that the action is, or that is inside it, can fail to compare a message.
    fn can_compare_wrongly(&self, id: ProctypeId, location: u32, action: &Action) -> bool {
        let Some(frame) = self.ranges.frame(id, location) else { return false };
        let is_block = action.block().is_some();
        let mut fails = false;
        action.for_each_inside(&mut |inner| {
            if let Action::Receive { args, .. } = inner {
                let at = self.at(id, &frame);
                // inside a block the values are not those at the location
                fails |= args.iter().any(|arg| match arg {
                    ArgPattern::Match { value, .. } => {
                        (is_block && value.as_constant().is_none()) || at.can_fail(value)
                    }
                    ArgPattern::Bind(_) | ArgPattern::Ignore => false,
                });
            }
        });
        fails
    }

    /// Whether computing a `provided` clause can fail, asks for `timeout`, or has another value during a rendezvous: whether its process can
    /// move is then decided by more than what the clause reads.
    pub fn can_be_provided_wrongly(&self) -> bool {
        self.model.proctypes.iter().enumerate().any(|(at, proctype)| {
            let (id, locations) = (ProctypeId(at as u32), proctype.automaton.locations.len() as u32);
            proctype.provided.as_ref().is_some_and(|clause| {
                let fails = |frame: &Frame| self.at(id, frame).can_fail(clause);
                mentions_timeout(clause)
                    || self.model.provided_sees_offers(proctype)
                    || (0..locations).any(|at| self.ranges.frame(id, at).is_some_and(|frame| fails(&frame)))
            })
        })
    }

    /// Whether an action can fail at a location.
    pub fn action(&self, id: ProctypeId, location: u32, action: &Action) -> bool {
        if Condition::StubbornSeeds.is_off() {
            return false;
        }
        let Some(frame) = self.ranges.frame(id, location) else { return false }; // no process comes there
        let proctype = self.model.proctype(id);
        // two transitions of a deterministic process may be executable at once
        let is_choice = proctype.automaton.location(location).transitions.len() > 1;
        let is_ambiguous = proctype.deterministic && is_choice && !Condition::StubbornDeterministic.is_off();
        is_ambiguous || self.update_or_guard(self.at(id, &frame), action)
    }

    fn at<'f>(&'f self, id: ProctypeId, frame: &'f Frame) -> AtLocation<'f, 'a> {
        AtLocation { ranges: &self.ranges, id, frame }
    }

    fn update_or_guard(&self, at: AtLocation<'_, '_>, action: &Action) -> bool {
        match action.guard() {
            Guard::Condition(condition) if at.can_fail(condition) => return true,
            Guard::AnyOf(_) => return true,
            _ => {}
        }
        match action.update() {
            Update::Nothing | Update::End => false,
            Update::Assign { target, value } => at.can_fail(value) || at.target_can_fail(target),
            Update::Drop(values) | Update::Print(values) => values.iter().any(|value| at.can_fail(value)),
            // a message that the trace of the model does not expect
            Update::Enqueue { .. } | Update::Dequeue { .. } if self.model.monitor.is_some() => true,
            Update::Enqueue { channel, args, .. } => {
                self.by_receivers
                    || args.iter().any(|arg| at.can_fail(arg))
                    || at.channel_can_fail(channel, |shape| shape.fields.len() == args.len())
            }
            Update::Dequeue { channel, args, from } => {
                let arg_fails = |arg: &ArgPattern| match arg {
                    ArgPattern::Match { value, .. } => at.can_fail(value),
                    // an index may be the value of a field before: only a constant one is known
                    ArgPattern::Bind(target) => {
                        target.indices.iter().any(|index| index.as_constant().is_none()) || at.target_can_fail(target)
                    }
                    ArgPattern::Ignore => false,
                };
                args.iter().any(arg_fails)
                    || at.channel_can_fail(channel, |shape| {
                        shape.fields.len() == args.len() && (shape.capacity > 0 || !from.keep)
                    })
            }
            Update::Assert(_)
            | Update::SetPriority { .. }
            | Update::Create { .. }
            | Update::Block(_)
            | Update::Follow { .. } => true,
        }
    }
}

/// Whether an expression asks for `timeout`.
fn mentions_timeout(expr: &Expr) -> bool {
    let mut mentions = false;
    expr.walk(&mut |part| mentions |= matches!(part, Expr::Timeout));
    mentions
}

impl Failing<'_> {
    /// By location of a process type: whether a process that is there can fail.
    pub fn locations(&self, id: ProctypeId) -> Vec<bool> {
        let automaton = &self.model.proctype(id).automaton;
        let locations = automaton.locations.iter().enumerate();
        let fails = locations.map(|(at, location)| {
            let mut actions = location.transitions.iter().map(|one| automaton.statement(one.statement));
            actions.any(|statement| self.action(id, at as u32, &statement.action))
        });
        fails.collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The lines with a statement that can fail.
    fn lines(text: &str) -> Vec<u32> {
        let read = homing_promela::read("m.pml", text.to_owned(), &Default::default());
        let model = read.model.expect("a model");
        let failing = Failing::of(&model);
        let mut lines = BTreeSet::new();
        for (at, proctype) in model.proctypes.iter().enumerate() {
            for (number, location) in proctype.automaton.locations.iter().enumerate() {
                for transition in &location.transitions {
                    let statement = proctype.automaton.statement(transition.statement);
                    if failing.action(ProctypeId(at as u32), number as u32, &statement.action) {
                        lines.insert(statement.place.line);
                    }
                }
            }
        }
        lines.into_iter().collect()
    }

    #[test]
    fn assertions_and_what_is_created_may_fail() {
        assert_eq!(
            lines("byte x;\nactive proctype P() {\nx = 1;\nassert(x == 1);\nrun P();\nd_step { x = 2; x = 3 }\n}"),
            [4, 5, 6]
        );
    }

    #[test]
    fn an_index_is_bounded_by_conditions_and_remainders() {
        let text = "byte a[3], g;
            active [3] proctype P() { byte i, j = (_pid + 1) % 3;
            a[_pid] = 1;
            a[j] = 1;
            do
            :: i < 3 ->
            a[i] = 1;
            i++
            :: i >= 3 -> break
            od;
            a[i] = 1;
            a[g] = 1;
            (i < 3 && a[i] == 1);
            g = g + 1
            }";
        assert_eq!(lines(text), [11, 12]);
    }

    #[test]
    fn a_loop_counter_that_is_not_bounded_leaves_the_array() {
        assert_eq!(lines("byte a[3];\nactive proctype P() { byte i;\ndo ::\na[i] = 1; i++ od }"), [4]);
        // a byte has no more values than the array has cells
        assert_eq!(lines("byte a[256];\nactive proctype P() { byte i;\ndo ::\na[i] = 1; i++ od }"), [0u32; 0]);
    }

    #[test]
    fn a_divisor_may_be_zero() {
        assert_eq!(
            lines("int x, y = 1, z = 2;\nactive proctype P() {\nx = 4 / z;\nx = 4 / y;\ny = 0;\nx = z % 2 }"),
            [4]
        );
    }

    #[test]
    fn a_channel_that_was_declared_is_there() {
        let text = "chan c[2] = [1] of { byte }; chan d; chan r = [0] of { byte };
            proctype P(chan k) {
            k!1;
            c[1]?_;
            r!1;
            r?_;
            d!1;
            c[0]?[1];
            k = d;
            k!2;
            len(c[1]) > 0
            }
            init {
            run P(c[0]); run P(c[1]) }";
        assert_eq!(lines(text), [7, 10, 14]);
    }
}
