//! The number of statements until a condition holds: H_f and its dual ([ELL-04] §4, Figs. 8 to 10), for all expressions.
//!
//! The dual is not a second function: negations are pushed inwards when the formula is built, so a formula consists of
//! conjunctions, disjunctions and leaves, each leaf with the truth value it is to have.
//!
//! The value of a leaf never exceeds the true number of statements and falls by at most 1 with each. A step costs at
//! least 1, so 0 for a leaf that is satisfied and 1 for one that is not always has both properties; for larger values,
//! the file that computes them says why. Minimum and maximum preserve both properties. The sum over a conjunction does
//! not: one statement can bring several conjuncts nearer.
//!
//! Differs from the paper: comparisons are measured by [`Linear`]; `q?[t]` counts the messages before `t` only if
//! messages cannot overtake; what a `d_step` may change is 0 or 1, because a `d_step` counts 1 however much it does.

use homing_core::Cost;
use homing_engine::ChannelView;
use homing_ir::{Action, ArgPattern, BinaryOp, Expr, Model, ProctypeId, UnaryOp};

use crate::at_label::AtLabel;
use crate::distance::Deferred;
use crate::executable::{StateView, guards, needs_partner, never_blocks};
use crate::incremental::nearer;
use crate::linear::{Linear, Relation};
use crate::rate::{Rates, Speed};
use crate::read_set::{ReadSet, channel_of, read_args, value};
use crate::runtime_errors::Undefined;

/// How the values of conjuncts, or of processes, are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combine {
    /// As if they were independent: more informative, but not admissible.
    Sum,
    /// Admissible.
    Max,
}

impl Combine {
    pub fn of(self, one: Cost, other: Cost) -> Cost {
        match self {
            Combine::Sum => one.saturating_add(other),
            Combine::Max => one.max(other),
        }
    }
}

/// The truth value that a condition is to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Polarity {
    Holds,
    Fails,
}

impl Polarity {
    fn negated(self) -> Polarity {
        match self {
            Polarity::Holds => Polarity::Fails,
            Polarity::Fails => Polarity::Holds,
        }
    }

    fn is_met_by(self, truth: bool) -> bool {
        truth == (self == Polarity::Holds)
    }
}

/// A condition that is to become true.
#[derive(Debug)]
pub enum Formula<'m> {
    /// True, or nothing is known about it: 0.
    Anything,
    Never,
    /// An expression is to have a truth value: 0 or 1.
    Truth(&'m Expr, Polarity),
    All(Vec<Formula<'m>>),
    Any(Vec<Formula<'m>>),
    Compare(Linear<'m>, Relation),
    /// A channel is to be full.
    Full(&'m Expr),
    /// A channel is to be empty.
    Empty(&'m Expr),
    /// `channel?[args]`: whether the first message is to match.
    Head(&'m Expr, &'m [ArgPattern], Polarity),
    /// A process is to be at a label.
    At(Box<AtLabel<'m>>),
    /// An action is not to be executable: 0 or 1.
    Blocked(&'m Action),
    /// A send or receive is not to be executable, by a channel that is always the same: how far it is from being full
    /// or empty if it is buffered.
    ChannelBlocked(&'m Action),
    /// A value is to be undefined: a run-time error.
    Undefined(Undefined<'m>),
}

impl Formula<'_> {
    /// A conjunction.
    pub fn all(parts: impl Iterator<Item = Self>) -> Self {
        let mut parts: Vec<Self> = parts.collect();
        if parts.len() == 1 { parts.remove(0) } else { Formula::All(parts) }
    }

    /// The disjuncts of nested disjunctions.
    pub fn disjuncts(self) -> Vec<Self> {
        match self {
            Formula::Any(parts) => parts.into_iter().flat_map(Formula::disjuncts).collect(),
            formula => vec![formula],
        }
    }

    /// Whether its truth value stays the same as long as no process is created or ends.
    pub fn is_constant(&self) -> bool {
        match self {
            Formula::Never => true,
            Formula::Undefined(value) => !matches!(value, Undefined::Index(..) | Undefined::Process),
            _ => false,
        }
    }

    /// Whether both are syntactically equal. May miss that for formulas that rarely occur twice.
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Formula::Anything, Formula::Anything) | (Formula::Never, Formula::Never) => true,
            (Formula::Truth(expr, polarity), Formula::Truth(other, other_polarity)) => {
                expr == other && polarity == other_polarity
            }
            (Formula::Compare(sum, relation), Formula::Compare(other, related)) => sum == other && relation == related,
            (Formula::Undefined(value), Formula::Undefined(other)) => value == other,
            _ => false,
        }
    }
}

/// Builds the formulas of a model.
pub struct FormulaBuilder<'m> {
    pub model: &'m Model,
    pub rates: Rates,
    deferred: Deferred,
}

impl<'m> FormulaBuilder<'m> {
    pub fn new(model: &'m Model, deferred: Deferred) -> Self {
        FormulaBuilder { model, rates: Rates::of(model, deferred), deferred }
    }

    /// The formula for a condition as seen by a process of a type, or outside of all processes.
    pub fn formula(&self, proctype: Option<ProctypeId>, expr: &'m Expr, polarity: Polarity) -> Formula<'m> {
        let part = |expr, polarity| self.formula(proctype, expr, polarity);
        let both = |left: Formula<'m>, right: Formula<'m>| Formula::All(vec![left, right]);
        let either = |left: Formula<'m>, right: Formula<'m>| Formula::Any(vec![left, right]);
        match expr {
            Expr::Const { value, .. } => {
                if polarity.is_met_by(*value != 0) {
                    Formula::Anything
                } else {
                    Formula::Never
                }
            }
            expr if asks_for_timeout(expr) => Formula::Anything,
            Expr::Unary(UnaryOp::Not, operand) => part(operand, polarity.negated()),
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                let is_all = (*op == BinaryOp::And) == (polarity == Polarity::Holds);
                let (left, right) = (part(left, polarity), part(right, polarity));
                if is_all { both(left, right) } else { either(left, right) }
            }
            Expr::Conditional(condition, then, otherwise) => either(
                both(part(condition, Polarity::Holds), part(then, polarity)),
                both(part(condition, Polarity::Fails), part(otherwise, polarity)),
            ),
            Expr::Full(channel) => self.fill(proctype, expr, channel, polarity, Formula::Full),
            Expr::NotFull(channel) => self.unfill(proctype, expr, channel, polarity, Formula::Full),
            Expr::Empty(channel) => self.fill(proctype, expr, channel, polarity, Formula::Empty),
            Expr::NotEmpty(channel) => self.unfill(proctype, expr, channel, polarity, Formula::Empty),
            Expr::Poll { channel, args, anywhere: false } if self.is_steady(proctype, channel, args) => {
                Formula::Head(channel, args, polarity)
            }
            Expr::RemoteLabel { .. } if polarity == Polarity::Holds => {
                let standing = AtLabel::of(self.model, self.deferred, expr, |pid| self.rates.is_fixed(proctype, pid));
                standing.map_or(Formula::Truth(expr, polarity), |standing| Formula::At(Box::new(standing)))
            }
            _ => self.comparison(proctype, expr, polarity).unwrap_or(Formula::Truth(expr, polarity)),
        }
    }

    /// A comparison of two sums, or of one sum with 0.
    fn comparison(&self, proctype: Option<ProctypeId>, expr: &'m Expr, polarity: Polarity) -> Option<Formula<'m>> {
        let sum = |expr| Linear::of(self.model, &self.rates, proctype, expr);
        let holds = polarity == Polarity::Holds;
        let (left, right, relation) = match expr {
            Expr::Binary(BinaryOp::Less, left, right) if holds => (left, right, Relation::Negative),
            Expr::Binary(BinaryOp::Less, left, right) => (right, left, Relation::NotPositive),
            Expr::Binary(BinaryOp::LessEqual, left, right) if holds => (left, right, Relation::NotPositive),
            Expr::Binary(BinaryOp::LessEqual, left, right) => (right, left, Relation::Negative),
            Expr::Binary(BinaryOp::Greater, left, right) if holds => (right, left, Relation::Negative),
            Expr::Binary(BinaryOp::Greater, left, right) => (left, right, Relation::NotPositive),
            Expr::Binary(BinaryOp::GreaterEqual, left, right) if holds => (right, left, Relation::NotPositive),
            Expr::Binary(BinaryOp::GreaterEqual, left, right) => (left, right, Relation::Negative),
            Expr::Binary(op @ (BinaryOp::Equal | BinaryOp::NotEqual), left, right) => {
                let is_equal = (*op == BinaryOp::Equal) == holds;
                (left, right, if is_equal { Relation::Zero } else { Relation::NotZero })
            }
            _ => {
                let relation = if holds { Relation::NotZero } else { Relation::Zero };
                return Some(Formula::Compare(sum(expr)?, relation));
            }
        };
        Some(Formula::Compare(sum(left)?.minus(sum(right)?), relation))
    }

    /// A test of a channel, measured in messages if it is to hold and the channel's length changes by one at a time.
    fn fill(
        &self,
        proctype: Option<ProctypeId>,
        expr: &'m Expr,
        channel: &'m Expr,
        polarity: Polarity,
        formula: impl Fn(&'m Expr) -> Formula<'m>,
    ) -> Formula<'m> {
        if polarity == Polarity::Holds && self.has_slow_length(proctype, channel) {
            formula(channel)
        } else {
            Formula::Truth(expr, polarity)
        }
    }

    /// The negation of such a test.
    fn unfill(
        &self,
        proctype: Option<ProctypeId>,
        expr: &'m Expr,
        channel: &'m Expr,
        polarity: Polarity,
        formula: impl Fn(&'m Expr) -> Formula<'m>,
    ) -> Formula<'m> {
        match self.fill(proctype, expr, channel, polarity.negated(), formula) {
            Formula::Truth(..) => Formula::Truth(expr, polarity),
            formula => formula,
        }
    }

    /// Whether the expression always means the same channel, and each statement changes channel lengths by at most one.
    fn has_slow_length(&self, proctype: Option<ProctypeId>, channel: &Expr) -> bool {
        let slow = Speed::By(1);
        self.rates.length.up == slow && self.rates.length.down == slow && self.rates.is_fixed(proctype, channel)
    }

    /// Whether each message has to wait for those before it, and the same messages match at any time.
    fn is_steady(&self, proctype: Option<ProctypeId>, channel: &Expr, args: &[ArgPattern]) -> bool {
        self.has_slow_length(proctype, channel) && !self.rates.overtakes && self.rates.are_fixed(proctype, args)
    }

    /// The condition that an action of a process of the type is not executable ([ELL-04] §4, Fig. 11).
    pub fn blocked(&self, proctype: ProctypeId, action: &'m Action) -> Formula<'m> {
        match action {
            action if never_blocks(action) => Formula::Never,
            Action::Condition(guard) => self.formula(Some(proctype), guard, Polarity::Fails),
            Action::Send { channel, .. } if self.has_slow_length(Some(proctype), channel) => {
                Formula::ChannelBlocked(action)
            }
            Action::Receive { channel, args, from }
                if !from.anywhere && self.is_steady(Some(proctype), channel, args) =>
            {
                Formula::ChannelBlocked(action)
            }
            Action::DStep(_) => Formula::all(guards(action).map(|guard| self.blocked(proctype, guard))),
            Action::Edge(edge) => match &edge.guard {
                Some(guard) if !needs_partner(edge) => self.formula(Some(proctype), guard, Polarity::Fails),
                _ => Formula::Anything, // there may be no partner
            },
            action => Formula::Blocked(action),
        }
    }
}

/// Whether the value depends on `timeout`, which is not a function of the state alone.
fn asks_for_timeout(expr: &Expr) -> bool {
    let mut asks = false;
    expr.walk(&mut |inner| asks |= matches!(inner, Expr::Timeout));
    asks
}

/// Evaluates formulas in a state.
pub struct Measure<'a, 'm> {
    pub view: &'a StateView<'m>,
    pub combine: Combine,
    /// The process whose locals are meant.
    pub pid: usize,
}

impl Measure<'_, '_> {
    /// The number of statements until the formula is true; `None` if it never will be. An expression without a value is
    /// 0.
    pub fn statements<R: ReadSet>(&self, formula: &Formula<'_>, reads: &mut R) -> Option<Cost> {
        let (view, pid) = (self.view, self.pid);
        match formula {
            Formula::Anything => Some(0),
            Formula::Never => None,
            Formula::Truth(expr, polarity) => {
                let is_met = value(view, pid, expr, reads).is_none_or(|value| polarity.is_met_by(value != 0));
                Some(Cost::from(!is_met))
            }
            Formula::All(parts) => {
                let mut all = 0;
                for part in parts {
                    all = self.combine.of(all, self.statements(part, reads)?);
                }
                Some(all)
            }
            Formula::Any(parts) => {
                let mut least = None;
                for part in parts {
                    let statements = self.statements(part, reads);
                    if statements == Some(0) {
                        return statements;
                    }
                    least = nearer(least, statements);
                }
                least
            }
            Formula::Compare(sum, relation) => sum.statements(view, pid, *relation, reads),
            Formula::Full(channel) => self.fill(channel, |length, capacity| capacity - length, reads),
            Formula::Empty(channel) => self.fill(channel, |length, _| length, reads),
            Formula::Head(channel, args, polarity) => Some(self.head(channel, args, *polarity, reads)),
            Formula::At(standing) => standing.statements(view, pid, reads),
            Formula::Blocked(action) => Some(self.blocked(action, reads)),
            Formula::ChannelBlocked(action) => Some(self.channel_blocked(action, reads)),
            Formula::Undefined(value) => value.statements(view, pid, reads),
        }
    }

    fn blocked<R: ReadSet>(&self, action: &Action, reads: &mut R) -> Cost {
        Cost::from(self.view.can(self.pid, action, reads))
    }

    fn channel_blocked<R: ReadSet>(&self, action: &Action, reads: &mut R) -> Cost {
        let (Action::Send { channel, .. } | Action::Receive { channel, .. }) = action else { return 0 };
        let Some((id, found)) = channel_of(self.view, self.pid, channel, reads) else { return 0 };
        match action {
            _ if found.capacity == 0 => Cost::from(self.view.can_pass(self.pid, action, (id, &found), reads)),
            Action::Receive { args, .. } => self.first_message((id, &found), args, Polarity::Fails, reads),
            _ => found.capacity - found.length,
        }
    }

    /// The number of messages until a channel is full or empty. A rendezvous channel is empty, and never full.
    fn fill<R: ReadSet>(&self, channel: &Expr, missing: impl Fn(u32, u32) -> Cost, reads: &mut R) -> Option<Cost> {
        let Some((_, found)) = channel_of(self.view, self.pid, channel, reads) else { return Some(0) };
        Some(missing(found.length, found.capacity))
    }

    fn head<R: ReadSet>(&self, channel: &Expr, args: &[ArgPattern], polarity: Polarity, reads: &mut R) -> Cost {
        let Some((id, found)) = channel_of(self.view, self.pid, channel, reads) else { return 0 };
        self.first_message((id, &found), args, polarity, reads)
    }

    /// The number of statements until the first message matches, or does not. Each message before the wanted one has to
    /// be received; if there is none, it has to be sent as well. If the first message is not to match, all matching
    /// ones before another one have to be received.
    fn first_message<R: ReadSet>(
        &self,
        (id, found): (i32, &ChannelView),
        args: &[ArgPattern],
        polarity: Polarity,
        reads: &mut R,
    ) -> Cost {
        if found.capacity == 0 {
            return 0;
        }
        read_args(self.view, self.pid, args, reads);
        for slot in 0..found.length {
            match self.view.matches(self.pid, id, slot, args) {
                None => return 0,
                Some(matches) if polarity.is_met_by(matches) => return slot,
                Some(_) => {}
            }
        }
        found.length + Cost::from(polarity == Polarity::Holds)
    }
}
