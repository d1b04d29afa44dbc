//! Sleep sets of networks ([`homing_core::SleepSet`]).
//!
//! Two steps are independent if no process takes part in both and neither writes a variable that the other accesses. Then each is
//! enabled after the other as before it, with the same partner, and both orders lead to the same state. That is not so if a process
//! can be in a committed location, or in one with an invariant: there a step of any process decides which steps of others are
//! possible, and all steps are dependent. So is a broadcast on every other step, which may bring a process to where it listens.
//!
//! The order of steps that the proof needs is that of the processes that begin them: the sender of a signal. A bit of a sleep set
//! stands for an edge of a sender with one partner; where there are several now, the others are new.

use homing_core::{Condition, SleepSet};
use homing_ir::{Action, Expr, Model, Scope, VarRef};

use super::partners::Partners;

/// The bits of [`SleepSet`].
const BITS: u32 = u64::BITS;

/// What an edge, or a step, accesses: a bit for each process and each cell of a variable. Several can share a bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The processes that move.
    processes: u64,
    /// The cells of global variables that are read or written.
    cells: u64,
    /// Those that are written.
    written: u64,
}

impl Access {
    /// Dependent on every step.
    pub const EVERYTHING: Access = Access { processes: u64::MAX, cells: u64::MAX, written: u64::MAX };

    /// What the edge of an action accesses, apart from its process.
    pub fn of(model: &Model, action: &Action) -> Access {
        let mut access = Access { processes: 0, cells: 0, written: 0 };
        let mut is_known = true;
        action.for_each_expr(&mut |expr| {
            expr.walk(&mut |part| match part {
                Expr::Var(var) => access.cells |= cells(model, var),
                Expr::Const { .. }
                | Expr::Pid
                | Expr::Unary(..)
                | Expr::Binary(..)
                | Expr::Conditional(..)
                | Expr::Computed { .. }
                | Expr::Checked(_)
                | Expr::Element { .. } => {}
                _ => is_known = false, // it may read another process
            });
        });
        action.for_each_target(&mut |target| access.written |= cells(model, target));
        access.cells |= access.written;
        let is_broadcast = action.signal().is_some_and(|signal| signal.broadcast);
        if is_known && !is_broadcast { access } else { Access::EVERYTHING }
    }

    /// With a process that moves.
    #[inline(always)]
    pub fn by(self, pid: u8) -> Access {
        Access { processes: self.processes | 1 << (u32::from(pid) % BITS), ..self }
    }

    /// Both.
    #[inline(always)]
    pub fn and(self, other: Access) -> Access {
        Access {
            processes: self.processes | other.processes,
            cells: self.cells | other.cells,
            written: self.written | other.written,
        }
    }

    #[inline(always)]
    fn is_independent_of(self, other: Access) -> bool {
        let common = self.processes & other.processes | self.written & other.cells | self.cells & other.written;
        Condition::SleepDependent.is_met(common == 0)
    }
}

/// The bits of the cells of a global variable that a reference can mean; locals belong to a process that moves.
fn cells(model: &Model, var: &VarRef) -> u64 {
    if var.scope != Scope::Global {
        return 0;
    }
    let before = &model.globals[..var.var.index()];
    let first = before.iter().map(|variable| variable.cells() as u64).sum::<u64>();
    let variable = &model.globals[var.var.index()];
    let bit = |cell: u64| 1u64 << ((first + cell) % u64::from(BITS));
    if !var.fits(&variable.dims) {
        return (0..(variable.cells() as u64).min(BITS.into())).fold(0, |all, cell| all | bit(cell));
    }
    let indices = var.indices.iter().zip(&variable.dims);
    bit(indices.fold(0, |cell, (index, dim)| cell * u64::from(*dim) + index.as_constant().unwrap_or(0) as u64))
}

/// The steps of a state that were explored so far and have a bit, with what they access.
pub struct EnabledSteps {
    /// The bits of one process: the first edges of its location that begin a step.
    width: u32,
    /// Committed locations or invariants make all steps dependent.
    is_off: bool,
    count: usize,
    accesses: [Access; BITS as usize],
    bits: [u64; BITS as usize],
}

impl EnabledSteps {
    /// For the processes of a network, of which none has more than `most` edges at a location that begin a step.
    pub fn new(partners: Option<&Partners>, most: u32) -> Self {
        let active = partners.map_or(0, |partners| partners.active.len() as u32);
        EnabledSteps {
            width: most.clamp(1, (BITS / active.max(1)).max(1)),
            is_off: partners.is_none_or(|partners| !partners.committing.is_empty() || !partners.constrained.is_empty()),
            count: 0,
            accesses: [Access::EVERYTHING; BITS as usize],
            bits: [0; BITS as usize],
        }
    }

    /// Whether steps can be independent.
    pub fn is_on(&self) -> bool {
        !self.is_off
    }

    /// Forgets all steps: another state is expanded.
    #[inline(always)]
    pub fn forget(&mut self) {
        self.count = 0;
    }

    /// How many steps were added so far.
    #[inline(always)]
    pub fn mark(&self) -> usize {
        self.count
    }

    /// The bit of the nth edge of a location that begins a step, for a process by its place among the active ones; 0 if it has none.
    #[inline(always)]
    pub fn bit(&self, active: usize, nth: u32) -> u64 {
        let from = active as u32 * self.width;
        if nth < self.width && from + nth < BITS { 1 << (from + nth) } else { 0 }
    }

    /// Adds a step that is enabled.
    #[inline(always)]
    pub fn add(&mut self, bit: u64, access: Access) {
        if bit != 0 {
            let at = self.count % BITS as usize; // each has a bit of its own, so there are never more
            (self.accesses[at], self.bits[at]) = (access, bit);
            self.count += 1;
        }
    }

    /// The steps added up to a mark that are independent of one.
    #[inline(always)]
    pub fn independent_of(&self, access: Access, mark: usize) -> SleepSet {
        let those = self.accesses.iter().zip(&self.bits).take(mark);
        SleepSet(those.fold(0, |all, (other, bit)| if access.is_independent_of(*other) { all | bit } else { all }))
    }
}
