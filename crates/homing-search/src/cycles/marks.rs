//! Sets of marks that a cycle has to have.

use std::ops::BitOr;

use homing_core::{Condition, Step};

use super::{Cycles, Fairness};

/// A set of marks: acceptance sets, and under fairness processes. One word is enough for 32 processes, five for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Marks<const N: usize>([u64; N]);

/// Where the marks of processes begin.
const PROCESSES: usize = 32;

impl<const N: usize> Marks<N> {
    pub const NONE: Self = Marks([0; N]);

    /// How many processes can have marks.
    pub const MOST_PROCESSES: usize = N * 64 - PROCESSES;

    /// All marks that an accepting cycle has to have; under strong fairness those of the acceptance sets alone.
    pub fn wanted(cycles: &Cycles<'_>) -> Self {
        let mut all = Self::of_sets(((1u64 << cycles.sets) - 1) as u32);
        if cycles.fairness == Fairness::Weak {
            (0..cycles.processes).for_each(|pid| all = all | Self::of_process(pid));
        }
        all
    }

    /// The marks of acceptance sets.
    pub fn of_sets(sets: u32) -> Self {
        let mut marks = Self::NONE;
        marks.0[0] = u64::from(sets);
        marks
    }

    /// The mark of a process.
    pub fn of_process(pid: usize) -> Self {
        let mut marks = Self::NONE;
        marks.0[(PROCESSES + pid) / 64] = 1 << ((PROCESSES + pid) % 64);
        marks
    }

    /// The processes that move in a step.
    pub fn movers<A>(step: &Step<'_, A>) -> Self {
        let movers =
            if Condition::FairPartner.is_off() { &step.movers[..step.movers.len().min(1)] } else { step.movers };
        movers.iter().fold(Self::NONE, |all, &pid| all | Self::of_process(usize::from(pid)))
    }

    /// The process that can move, because the step begins with it.
    pub fn enabled<A>(step: &Step<'_, A>) -> Self {
        step.movers.first().map_or(Self::NONE, |&pid| Self::of_process(usize::from(pid)))
    }

    /// Each of the marks alone.
    pub fn singles(self) -> impl Iterator<Item = Self> {
        (0..N * 64).filter_map(move |bit| {
            let mut single = Self::NONE;
            single.0[bit / 64] = self.0[bit / 64] & (1 << (bit % 64));
            (single != Self::NONE).then_some(single)
        })
    }

    /// The marks of all processes that cannot move, if these can.
    #[inline]
    pub fn idle(enabled: Self) -> Self {
        let mut marks = Self::NONE;
        if Condition::FairIdle.is_off() {
            return marks;
        }
        marks.0.iter_mut().zip(enabled.0).for_each(|(word, enabled)| *word = !enabled);
        marks.0[0] &= !((1 << PROCESSES) - 1);
        marks
    }

    /// Those that are not in the other set.
    pub fn without(self, other: Self) -> Self {
        let mut marks = self;
        marks.0.iter_mut().zip(other.0).for_each(|(word, other)| *word &= !other);
        marks
    }

    pub fn has_all(self, other: Self) -> bool {
        other.without(self) == Self::NONE
    }

    pub fn is_disjoint(self, other: Self) -> bool {
        self.without(other) == self
    }
}

impl<const N: usize> Default for Marks<N> {
    fn default() -> Self {
        Self::NONE
    }
}

impl<const N: usize> BitOr for Marks<N> {
    type Output = Self;

    #[inline]
    fn bitor(mut self, other: Self) -> Self {
        self.0.iter_mut().zip(other.0).for_each(|(word, other)| *word |= other);
        self
    }
}
