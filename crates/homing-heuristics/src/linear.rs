//! Comparisons of sums: the number of statements that close the gap between the sides ([ELL-04] §4 mentions the idea
//! after Fig. 9 and does not pursue it).
//!
//! A statement changes one variable, by at most its [rate](crate::rate). So closing a gap takes at least the gap
//! divided by the fastest rate of its variables, or as many statements as one of them needs to wrap around. Neither
//! number falls by more than 1 with a statement: the estimate is admissible and consistent.

use homing_core::Cost;
use homing_engine::Reader;
use homing_ir::{BinaryOp, Expr, Model, ProctypeId, UnaryOp, VarRef};

use crate::incremental::nearer;
use crate::rate::{Rate, Rates, Speed};
use crate::read_set::{self, ReadSet, Untracked};

/// The relation of a sum to 0 that is to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    Negative,
    NotPositive,
    Zero,
    NotZero,
}

/// A sum of multiples of variables and channel lengths, and a constant.
#[derive(Clone, Debug, PartialEq)]
pub struct Linear<'m> {
    terms: Vec<Term<'m>>,
    constant: i64,
}

#[derive(Clone, Debug, PartialEq)]
struct Term<'m> {
    factor: i64,
    atom: &'m Expr,
    rate: Rate,
    /// The least and the greatest value.
    range: (i64, i64),
    /// Whether the value wraps around at the ends of its range.
    wraps: bool,
}

impl<'m> Linear<'m> {
    /// Reads an expression as a sum; `None` if it is none, or if a part of it may exceed 32 bits.
    pub fn of(model: &'m Model, rates: &Rates, proctype: Option<ProctypeId>, expr: &'m Expr) -> Option<Self> {
        let sum = match expr {
            Expr::Const { value, .. } => Linear::constant(i64::from(*value)),
            Expr::Var(var) => {
                let variable = model.variable(proctype, var.scope, var.var);
                let (rate, range) = (rates.of_var(proctype, var), variable.cell.range());
                is_plain(var, &variable.dims).then(|| Linear::atom(expr, rate, range, true))?
            }
            Expr::Length(channel) if rates.is_fixed(proctype, channel) => {
                Linear::atom(expr, rates.length, (0, i64::from(i32::MAX)), false)
            }
            Expr::Unary(UnaryOp::Negate, operand) => Linear::of(model, rates, proctype, operand)?.times(-1),
            Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), left, right) => {
                let left = Linear::of(model, rates, proctype, left)?;
                let right = Linear::of(model, rates, proctype, right)?;
                left.plus(right.times(if *op == BinaryOp::Add { 1 } else { -1 }))
            }
            Expr::Binary(BinaryOp::Multiply, left, right) => match (left.as_constant(), right.as_constant()) {
                (Some(factor), _) => Linear::of(model, rates, proctype, right)?.times(i64::from(factor)),
                (_, Some(factor)) => Linear::of(model, rates, proctype, left)?.times(i64::from(factor)),
                _ => return None,
            },
            _ => return None,
        };
        sum.fits().then_some(sum)
    }

    pub fn constant(constant: i64) -> Self {
        Linear { terms: Vec::new(), constant }
    }

    fn atom(atom: &'m Expr, rate: Rate, range: (i64, i64), wraps: bool) -> Self {
        Linear { terms: vec![Term { factor: 1, atom, rate, range, wraps }], constant: 0 }
    }

    pub fn minus(self, other: Self) -> Self {
        self.plus(other.times(-1))
    }

    fn times(mut self, factor: i64) -> Self {
        self.terms.iter_mut().for_each(|term| term.factor *= factor);
        self.constant *= factor;
        self
    }

    fn plus(mut self, other: Self) -> Self {
        for term in other.terms {
            match self.terms.iter_mut().find(|known| known.atom == term.atom) {
                Some(known) => known.factor += term.factor,
                None => self.terms.push(term),
            }
        }
        self.terms.retain(|term| term.factor != 0);
        self.constant += other.constant;
        self
    }

    /// Whether the sum stays within 32 bits for all values of its variables.
    fn fits(&self) -> bool {
        let end = |greatest: bool| {
            let extreme = |term: &Term<'_>| {
                let (low, high) = (term.factor * term.range.0, term.factor * term.range.1);
                if greatest { low.max(high) } else { low.min(high) }
            };
            self.terms.iter().map(extreme).sum::<i64>() + self.constant
        };
        i32::try_from(end(false)).is_ok() && i32::try_from(end(true)).is_ok()
    }

    /// The least number of statements until the relation holds; `None` if it never will, `Some(0)` if there is no
    /// value.
    pub fn statements<R: ReadSet>(
        &self,
        reader: &Reader<'_>,
        pid: usize,
        relation: Relation,
        reads: &mut R,
    ) -> Option<Cost> {
        let mut value = self.constant;
        for term in &self.terms {
            let Some(now) = read_set::value(reader, pid, term.atom, reads) else { return Some(0) };
            value += term.factor * i64::from(now);
        }
        let gap = match relation {
            Relation::Negative => (value + 1).max(0),
            Relation::NotPositive => value.max(0),
            Relation::Zero => value,
            Relation::NotZero => i64::from(value == 0),
        };
        let moved = match gap {
            0 => return Some(0),
            gap if relation == Relation::NotZero => nearer(self.rise(gap), self.fall(gap)),
            gap if gap > 0 => self.fall(gap),
            gap => self.rise(-gap),
        };
        if moved == Some(1) {
            return moved; // no wrap takes less
        }
        let now = |term: &Term<'_>| read_set::value(reader, pid, term.atom, &mut Untracked).unwrap_or(0);
        self.terms.iter().map(|term| term.wrap(i64::from(now(term)))).fold(moved, nearer)
    }

    fn rise(&self, gap: i64) -> Option<Cost> {
        self.time(gap, |term| if term.factor > 0 { term.rate.up } else { term.rate.down })
    }

    fn fall(&self, gap: i64) -> Option<Cost> {
        self.time(gap, |term| if term.factor > 0 { term.rate.down } else { term.rate.up })
    }

    fn time(&self, gap: i64, speed: impl Fn(&Term<'m>) -> Speed) -> Option<Cost> {
        let mut fastest = 0;
        for term in &self.terms {
            match speed(term) {
                Speed::AtOnce => return Some(1),
                Speed::By(by) => fastest = fastest.max(i64::from(by) * term.factor.abs()),
            }
        }
        (fastest > 0).then(|| Cost::try_from(quotient(gap + fastest - 1, fastest)).unwrap_or(Cost::MAX))
    }
}

impl Term<'_> {
    /// The least number of statements until the value can have wrapped around.
    fn wrap(&self, now: i64) -> Option<Cost> {
        let time = |room: i64, speed: Speed| match speed {
            Speed::By(0) => None,
            Speed::By(by) => Some(Cost::try_from(quotient(room, i64::from(by))).unwrap_or(Cost::MAX - 1) + 1),
            Speed::AtOnce => Some(1),
        };
        if !self.wraps {
            return None;
        }
        nearer(time(self.range.1 - now, self.rate.up), time(now - self.range.0, self.rate.down))
    }
}

/// `a / b`, usually without a division: most variables change by one.
#[inline]
fn quotient(a: i64, b: i64) -> i64 {
    if b == 1 { a } else { a / b }
}

/// Whether it is a variable, or an array element with constant indices.
fn is_plain(var: &VarRef, dims: &[u32]) -> bool {
    var.indices.is_empty() || var.fits(dims)
}
