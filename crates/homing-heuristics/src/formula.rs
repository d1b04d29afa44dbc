//! How many statements it takes until a condition holds: H_f and its dual (paper 1, §4, Figs. 8 to 10), over the whole
//! language of expressions.
//!
//! The dual is not a second function: a negation is pushed inwards when the formula is built, so a formula is made of
//! conjunctions, disjunctions and leaves that are wished to hold or to fail.
//!
//! A leaf is never larger than the true number of statements and falls by at most 1 with each: a step costs at least 1, so
//! 0 for what is so and 1 for what is not is always right, and where more is said the file of the measure says why. Minimum
//! and maximum keep both properties, the sum of a conjunction does not: one statement can help two parts.
//!
//! Differs from the paper: comparisons by [`Linear`]; `q?[t]` counts the messages before `t` only if messages cannot
//! overtake; whatever could be changed by a `d_step`, which counts 1 however much it does, is 0 or 1.

use homing_core::Cost;
use homing_engine::ChannelView;
use homing_ir::{Action, ArgPattern, BinaryOp, Expr, Model, ProctypeId, UnaryOp};

use crate::distance::Charge;
use crate::executable::{Scene, guards, never_blocks};
use crate::fault::Meaningless;
use crate::linear::{Linear, Relation};
use crate::notes::{Notes, channel_of, note_args, value};
use crate::parts::nearer;
use crate::rate::{Rates, Speed};
use crate::standing::Standing;

/// How the parts of a conjunction, or of processes, are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combine {
    /// As if they had nothing to do with each other: tells more, but may be too large.
    Sum,
    /// Never too large.
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

/// What is wanted of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    Holds,
    Fails,
}

impl Wish {
    fn opposite(self) -> Wish {
        match self {
            Wish::Holds => Wish::Fails,
            Wish::Fails => Wish::Holds,
        }
    }

    fn is_met_by(self, truth: bool) -> bool {
        truth == (self == Wish::Holds)
    }
}

/// A condition that is wished for.
#[derive(Debug)]
pub enum Formula<'m> {
    /// Nothing is asked, or nothing is known.
    Anything,
    Never,
    /// 0 or 1.
    Truth(&'m Expr, Wish),
    All(Vec<Formula<'m>>),
    Any(Vec<Formula<'m>>),
    Compare(Linear<'m>, Relation),
    /// A channel that is to be filled.
    Full(&'m Expr),
    /// A channel that is to be emptied.
    Empty(&'m Expr),
    /// `channel?[args]`: the first message is to match, or not to.
    Head(&'m Expr, &'m [ArgPattern], Wish),
    /// A process is to stand somewhere.
    At(Box<Standing<'m>>),
    /// An action is not to be executable: 0 or 1.
    Blocked(&'m Action),
    /// The same of a message to or from one channel, which has to be filled or emptied if it has room for messages.
    Jammed(&'m Action),
    /// A value is to be one that has no meaning.
    Meaningless(Meaningless<'m>),
}

impl Formula<'_> {
    /// The conjunction of formulas.
    pub fn all(parts: impl Iterator<Item = Self>) -> Self {
        let mut parts: Vec<Self> = parts.collect();
        if parts.len() == 1 { parts.remove(0) } else { Formula::All(parts) }
    }

    /// What it is a disjunction of, in the end.
    pub fn ways(self) -> Vec<Self> {
        match self {
            Formula::Any(parts) => parts.into_iter().flat_map(Formula::ways).collect(),
            formula => vec![formula],
        }
    }

    /// Whether it is true for ever or never, as long as processes do not come and go.
    pub fn is_settled(&self) -> bool {
        match self {
            Formula::Never => true,
            Formula::Meaningless(value) => !matches!(value, Meaningless::Index(..)),
            _ => false,
        }
    }

    /// Whether it is written like another one. Of what is rarely written twice that is not found out.
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Formula::Anything, Formula::Anything) | (Formula::Never, Formula::Never) => true,
            (Formula::Truth(expr, wish), Formula::Truth(other, wished)) => expr == other && wish == wished,
            (Formula::Compare(sum, relation), Formula::Compare(other, related)) => sum == other && relation == related,
            (Formula::Meaningless(value), Formula::Meaningless(other)) => value == other,
            _ => false,
        }
    }
}

/// Builds formulas for a model.
pub struct Builder<'m> {
    pub model: &'m Model,
    pub rates: Rates,
    charge: Charge,
}

impl<'m> Builder<'m> {
    pub fn new(model: &'m Model, charge: Charge) -> Self {
        Builder { model, rates: Rates::of(model, charge), charge }
    }

    /// A condition as seen by processes of a type, or by nobody.
    pub fn formula(&self, proctype: Option<ProctypeId>, expr: &'m Expr, wish: Wish) -> Formula<'m> {
        let part = |expr, wish| self.formula(proctype, expr, wish);
        let both = |left: Formula<'m>, right: Formula<'m>| Formula::All(vec![left, right]);
        let either = |left: Formula<'m>, right: Formula<'m>| Formula::Any(vec![left, right]);
        match expr {
            Expr::Const { value, .. } => {
                if wish.is_met_by(*value != 0) {
                    Formula::Anything
                } else {
                    Formula::Never
                }
            }
            expr if asks_for_timeout(expr) => Formula::Anything,
            Expr::Unary(UnaryOp::Not, operand) => part(operand, wish.opposite()),
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                let is_all = (*op == BinaryOp::And) == (wish == Wish::Holds);
                let (left, right) = (part(left, wish), part(right, wish));
                if is_all { both(left, right) } else { either(left, right) }
            }
            Expr::Conditional(condition, then, otherwise) => either(
                both(part(condition, Wish::Holds), part(then, wish)),
                both(part(condition, Wish::Fails), part(otherwise, wish)),
            ),
            Expr::Full(channel) => self.fill(proctype, expr, channel, wish, Formula::Full),
            Expr::NotFull(channel) => self.unfill(proctype, expr, channel, wish, Formula::Full),
            Expr::Empty(channel) => self.fill(proctype, expr, channel, wish, Formula::Empty),
            Expr::NotEmpty(channel) => self.unfill(proctype, expr, channel, wish, Formula::Empty),
            Expr::Poll { channel, args, anywhere: false } if self.is_steady(proctype, channel, args) => {
                Formula::Head(channel, args, wish)
            }
            Expr::RemoteLabel { .. } if wish == Wish::Holds => {
                let standing = Standing::of(self.model, self.charge, expr, |pid| self.rates.is_fixed(proctype, pid));
                standing.map_or(Formula::Truth(expr, wish), |standing| Formula::At(Box::new(standing)))
            }
            _ => self.comparison(proctype, expr, wish).unwrap_or(Formula::Truth(expr, wish)),
        }
    }

    /// A comparison of sums; anything else that is one is compared with 0.
    fn comparison(&self, proctype: Option<ProctypeId>, expr: &'m Expr, wish: Wish) -> Option<Formula<'m>> {
        let sum = |expr| Linear::of(self.model, &self.rates, proctype, expr);
        let holds = wish == Wish::Holds;
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

    /// A test of a channel that takes many statements to come true.
    fn fill(
        &self,
        proctype: Option<ProctypeId>,
        expr: &'m Expr,
        channel: &'m Expr,
        wish: Wish,
        formula: impl Fn(&'m Expr) -> Formula<'m>,
    ) -> Formula<'m> {
        if wish == Wish::Holds && self.has_slow_length(proctype, channel) {
            formula(channel)
        } else {
            Formula::Truth(expr, wish)
        }
    }

    /// The opposite test.
    fn unfill(
        &self,
        proctype: Option<ProctypeId>,
        expr: &'m Expr,
        channel: &'m Expr,
        wish: Wish,
        formula: impl Fn(&'m Expr) -> Formula<'m>,
    ) -> Formula<'m> {
        match self.fill(proctype, expr, channel, wish.opposite(), formula) {
            Formula::Truth(..) => Formula::Truth(expr, wish),
            formula => formula,
        }
    }

    /// Whether the expression always means the same channel, and one message at a time comes and goes.
    fn has_slow_length(&self, proctype: Option<ProctypeId>, channel: &Expr) -> bool {
        let slow = Speed::By(1);
        self.rates.length.up == slow && self.rates.length.down == slow && self.rates.is_fixed(proctype, channel)
    }

    /// Whether a message has to wait for those before it, and matches always or never.
    fn is_steady(&self, proctype: Option<ProctypeId>, channel: &Expr, args: &[ArgPattern]) -> bool {
        self.has_slow_length(proctype, channel) && !self.rates.overtakes && self.rates.are_fixed(proctype, args)
    }

    /// An action of a process of the type that is not to be executable (paper 1, §4, Fig. 11).
    pub fn blocked(&self, proctype: ProctypeId, action: &'m Action) -> Formula<'m> {
        match action {
            action if never_blocks(action) => Formula::Never,
            Action::Condition(guard) => self.formula(Some(proctype), guard, Wish::Fails),
            Action::Send { channel, .. } if self.has_slow_length(Some(proctype), channel) => Formula::Jammed(action),
            Action::Receive { channel, args, from }
                if !from.anywhere && self.is_steady(Some(proctype), channel, args) =>
            {
                Formula::Jammed(action)
            }
            Action::DStep(_) => Formula::all(guards(action).map(|guard| self.blocked(proctype, guard))),
            action => Formula::Blocked(action),
        }
    }
}

/// `timeout` is not told by the state alone.
fn asks_for_timeout(expr: &Expr) -> bool {
    let mut asks = false;
    expr.walk(&mut |inner| asks |= matches!(inner, Expr::Timeout));
    asks
}

/// Reads formulas in a state.
pub struct Measure<'a, 'm> {
    pub scene: &'a Scene<'m>,
    pub combine: Combine,
    /// Whose locals are meant.
    pub pid: usize,
}

impl Measure<'_, '_> {
    /// The number of statements until the formula is true; none if it never will be. What has no value is 0.
    pub fn statements<N: Notes>(&self, formula: &Formula<'_>, notes: &mut N) -> Option<Cost> {
        let (scene, pid) = (self.scene, self.pid);
        match formula {
            Formula::Anything => Some(0),
            Formula::Never => None,
            Formula::Truth(expr, wish) => {
                let is_met = value(scene, pid, expr, notes).is_none_or(|value| wish.is_met_by(value != 0));
                Some(Cost::from(!is_met))
            }
            Formula::All(parts) => {
                let mut all = 0;
                for part in parts {
                    all = self.combine.of(all, self.statements(part, notes)?);
                }
                Some(all)
            }
            Formula::Any(parts) => {
                let mut least = None;
                for part in parts {
                    let statements = self.statements(part, notes);
                    if statements == Some(0) {
                        return statements;
                    }
                    least = nearer(least, statements);
                }
                least
            }
            Formula::Compare(sum, relation) => sum.statements(scene, pid, *relation, notes),
            Formula::Full(channel) => self.fill(channel, |length, capacity| capacity - length, notes),
            Formula::Empty(channel) => self.fill(channel, |length, _| length, notes),
            Formula::Head(channel, args, wish) => Some(self.head(channel, args, *wish, notes)),
            Formula::At(standing) => standing.statements(scene, pid, notes),
            Formula::Blocked(action) => Some(self.blocked(action, notes)),
            Formula::Jammed(action) => Some(self.jammed(action, notes)),
            Formula::Meaningless(value) => value.statements(scene, pid, notes),
        }
    }

    fn blocked<N: Notes>(&self, action: &Action, notes: &mut N) -> Cost {
        Cost::from(self.scene.can(self.pid, action, notes))
    }

    fn jammed<N: Notes>(&self, action: &Action, notes: &mut N) -> Cost {
        let (Action::Send { channel, .. } | Action::Receive { channel, .. }) = action else { return 0 };
        let Some((id, found)) = channel_of(self.scene, self.pid, channel, notes) else { return 0 };
        match action {
            _ if found.capacity == 0 => Cost::from(self.scene.can_pass(self.pid, action, (id, &found), notes)),
            Action::Receive { args, .. } => self.first_message((id, &found), args, Wish::Fails, notes),
            _ => found.capacity - found.length,
        }
    }

    /// A rendezvous channel is empty and never full.
    fn fill<N: Notes>(&self, channel: &Expr, missing: impl Fn(u32, u32) -> Cost, notes: &mut N) -> Option<Cost> {
        let Some((_, found)) = channel_of(self.scene, self.pid, channel, notes) else { return Some(0) };
        Some(missing(found.length, found.capacity))
    }

    fn head<N: Notes>(&self, channel: &Expr, args: &[ArgPattern], wish: Wish, notes: &mut N) -> Cost {
        let Some((id, found)) = channel_of(self.scene, self.pid, channel, notes) else { return 0 };
        self.first_message((id, &found), args, wish, notes)
    }

    /// Each message before the one that is wanted has to leave; if there is none, it has to come besides. For another one
    /// to be the first, all that match have to leave.
    fn first_message<N: Notes>(
        &self,
        (id, found): (i32, &ChannelView),
        args: &[ArgPattern],
        wish: Wish,
        notes: &mut N,
    ) -> Cost {
        if found.capacity == 0 {
            return 0;
        }
        note_args(self.scene, self.pid, args, notes);
        for slot in 0..found.length {
            match self.scene.matches(self.pid, id, slot, args) {
                None => return 0,
                Some(matches) if wish.is_met_by(matches) => return slot,
                Some(_) => {}
            }
        }
        found.length + Cost::from(wish == Wish::Holds)
    }
}
