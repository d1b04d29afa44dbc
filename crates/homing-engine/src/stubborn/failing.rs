//! Which statements can fail: assertions, and statements that can have a run-time error. What is not proved may fail.

use homing_core::Condition;
use homing_ir::{Action, ArgPattern, BinaryOp, Expr, Guard, Interval, ProctypeId, Update, VarRef};

use super::known::Knowledge;
use super::ranges::Ranges;
use crate::layout::ShapeLayout;

/// The locations of a model from which a process can come to a statement that fails.
pub struct Failing<'a> {
    ranges: Ranges<'a>,
    knowledge: Knowledge<'a>,
    /// A receive can fail to compare a message: then a send over a rendezvous channel fails.
    by_receivers: bool,
}

impl<'a> Failing<'a> {
    pub fn of(knowledge: Knowledge<'a>) -> Self {
        let mut failing = Failing { ranges: Ranges::of(knowledge), knowledge, by_receivers: false };
        failing.by_receivers = knowledge.model.proctypes.iter().enumerate().any(|(at, proctype)| {
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
                let at = At { failing: self, id, frame: &frame };
                // inside a block the values are not those at the location
                fails |= args.iter().any(|arg| match arg {
                    ArgPattern::Match { value, .. } => (is_block && value.as_constant().is_none()) || at.fails(value),
                    ArgPattern::Bind(_) | ArgPattern::Ignore => false,
                });
            }
        });
        fails
    }

    /// Whether computing a `provided` clause can fail, asks for `timeout`, or has another value during a rendezvous: whether its process can
    /// move is then decided by more than what the clause reads.
    pub fn can_be_provided_wrongly(&self) -> bool {
        self.knowledge.model.proctypes.iter().enumerate().any(|(at, proctype)| {
            let (id, locations) = (ProctypeId(at as u32), proctype.automaton.locations.len() as u32);
            proctype.provided.as_ref().is_some_and(|clause| {
                let fails = |frame: &Vec<Interval>| At { failing: self, id, frame }.fails(clause);
                mentions_timeout(clause)
                    || self.knowledge.model.provided_sees_offers(proctype)
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
        let proctype = self.knowledge.model.proctype(id);
        // two transitions of a deterministic process may be executable at once
        let is_choice = proctype.automaton.location(location).transitions.len() > 1;
        let is_ambiguous = proctype.deterministic && is_choice && !Condition::StubbornDeterministic.is_off();
        is_ambiguous || At { failing: self, id, frame: &frame }.action(action)
    }
}

/// Whether an expression asks for `timeout`.
fn mentions_timeout(expr: &Expr) -> bool {
    let mut mentions = false;
    expr.walk(&mut |part| mentions |= matches!(part, Expr::Timeout));
    mentions
}

/// A process at a location.
#[derive(Clone, Copy)]
struct At<'f, 'a> {
    failing: &'f Failing<'a>,
    id: ProctypeId,
    /// The values of its locals.
    frame: &'f Vec<Interval>,
}

impl At<'_, '_> {
    fn action(self, action: &Action) -> bool {
        match action.guard() {
            Guard::Condition(condition) if self.fails(condition) => return true,
            Guard::AnyOf(_) => return true,
            _ => {}
        }
        match action.update() {
            Update::Nothing | Update::End => false,
            Update::Assign { target, value } => self.fails(value) || self.target_fails(target),
            Update::Drop(values) | Update::Print(values) => values.iter().any(|value| self.fails(value)),
            // a message that the trace of the model does not expect
            Update::Enqueue { .. } | Update::Dequeue { .. } if self.failing.knowledge.model.monitor.is_some() => true,
            Update::Enqueue { channel, args, .. } => {
                self.failing.by_receivers
                    || args.iter().any(|arg| self.fails(arg))
                    || self.channel_fails(channel, |shape| shape.fields.len() == args.len())
            }
            Update::Dequeue { channel, args, from } => {
                let arg_fails = |arg: &ArgPattern| match arg {
                    ArgPattern::Match { value, .. } => self.fails(value),
                    // an index may be the value of a field before: only a constant one is known
                    ArgPattern::Bind(target) => {
                        target.indices.iter().any(|index| index.as_constant().is_none()) || self.target_fails(target)
                    }
                    ArgPattern::Ignore => false,
                };
                args.iter().any(arg_fails)
                    || self.channel_fails(channel, |shape| {
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

    fn target_fails(self, target: &VarRef) -> bool {
        let At { failing, id, frame } = self;
        !failing.ranges.fits(id, frame, target) || target.indices.iter().any(|index| self.fails(index))
    }

    fn channel_fails(self, channel: &Expr, is_fit: impl Fn(&ShapeLayout) -> bool) -> bool {
        self.fails(channel) || !self.failing.ranges.are_channels(self.id, self.frame, channel, is_fit)
    }

    /// Whether computing an expression can fail.
    fn fails(self, expr: &Expr) -> bool {
        let At { failing, id, frame } = self;
        let by_itself = match expr {
            Expr::Const { .. }
            | Expr::Pid
            | Expr::ProcessCount
            | Expr::NewPid
            | Expr::Timeout
            | Expr::Unary(..)
            | Expr::Conditional(..) => false,
            Expr::Binary(BinaryOp::And, left, right) => {
                // the right side is computed only if the left one holds
                let given = failing.ranges.given(id, frame.clone(), left);
                return self.fails(left) || At { frame: &given, ..self }.fails(right);
            }
            Expr::Binary(BinaryOp::Divide | BinaryOp::Remainder, left, right) => {
                let least = i64::from(i32::MIN);
                let can_be_least = || failing.ranges.interval(id, frame, left).is_none_or(|values| values.0 == least);
                match failing.ranges.interval(id, frame, right) {
                    Some((1.., _)) => false,
                    Some((..=-1, ..=-1)) => can_be_least(),
                    _ => true,
                }
            }
            Expr::Binary(..) => false,
            Expr::Var(var) => !failing.ranges.fits(id, frame, var),
            Expr::Length(channel)
            | Expr::Full(channel)
            | Expr::Empty(channel)
            | Expr::NotFull(channel)
            | Expr::NotEmpty(channel) => self.channel_fails(channel, |_| true),
            Expr::Poll { channel, args, .. } => {
                self.channel_fails(channel, |shape| shape.capacity > 0 && shape.fields.len() == args.len())
            }
            _ => true,
        };
        let mut fails = by_itself;
        expr.for_each_part(&mut |part| fails |= self.fails(part));
        fails
    }
}

impl Failing<'_> {
    /// By location of a process type: whether a process that is there, or comes from there to anywhere, can fail.
    pub fn reachable(&self, id: ProctypeId, reached: impl Fn(usize) -> Vec<usize>) -> Vec<bool> {
        let automaton = &self.knowledge.model.proctype(id).automaton;
        let here: Vec<bool> = automaton
            .locations
            .iter()
            .enumerate()
            .map(|(at, location)| {
                let mut actions = location.transitions.iter().map(|one| automaton.statement(one.statement));
                actions.any(|statement| self.action(id, at as u32, &statement.action))
            })
            .collect();
        (0..here.len()).map(|from| reached(from).into_iter().any(|at| here[at])).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use homing_core::TransitionSystem;
    use homing_ir::AccessSets;

    use super::*;
    use crate::Interpreter;
    use crate::working_state::WorkingState;

    /// The lines with a statement that can fail.
    fn lines(text: &str) -> Vec<u32> {
        let read = homing_promela::read("m.pml", text.to_owned(), &Default::default());
        let model = read.model.expect("a model");
        let interpreter = Interpreter::new(&model).expect("an initial state");
        let mut initial = WorkingState::default();
        initial.load(&interpreter.layout, &interpreter.initial());
        let is_written = AccessSets::of(&model).written_globals();
        let knowledge =
            Knowledge { model: &model, layout: &interpreter.layout, is_written: &is_written, initial: &initial };
        let failing = Failing::of(knowledge);
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
