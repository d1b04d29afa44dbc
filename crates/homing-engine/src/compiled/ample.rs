//! Ample sets: one process whose steps stand for those of all ([`homing_core::Selection::Ample`]).

use std::ops::ControlFlow;

use homing_core::{Condition, Step};

use super::access::{EVERYTHING, are_independent};
use super::drive::{Driver, Machine};
use super::expand::Expansion;
use super::future_access::FutureAccess;
use crate::interpreter::StepIndex;

/// The process that moves alone, and the steps it can take.
struct Ample {
    pid: usize,
    frame: u32,
    /// The index of its first transition, and a bit for each from there on that it can take.
    first: u32,
    mask: u64,
}

/// The future access sets of the processes of a state.
#[derive(Default)]
pub struct FutureSets {
    by_pid: Vec<u64>,
    /// What at least one of them may access.
    some: u64,
    /// What at least two may access.
    several: u64,
}

impl FutureSets {
    /// Collects the sets of the state that the machine holds.
    fn collect(&mut self, futures: &FutureAccess, machine: &Machine<'_>) {
        let context = &machine.context;
        (self.some, self.several) = (0, 0);
        self.by_pid.clear();
        for &process in &context.process_table {
            let set = futures.of_process(context.location(process), &context.work.bytes, process.offset);
            self.several |= self.some & set;
            self.some |= set;
            self.by_pid.push(set);
        }
    }

    /// What processes other than one may access.
    fn others(&self, pid: usize) -> u64 {
        self.some & !self.by_pid[pid] | self.several
    }
}

impl<V: FnMut(Step<'_, StepIndex>) -> ControlFlow<()>> Expansion<'_, '_, V> {
    /// Shows the steps of an ample process; false if no process is one.
    pub fn explore_ample(&mut self, futures: &FutureAccess) -> bool {
        self.driver.begin();
        let Some(Ample { pid, frame, first, mask }) = self.driver.ample(futures) else { return false };
        let _ = self.explore_plain(pid, frame, first, mask);
        true
    }
}

impl Driver<'_, '_> {
    /// A process such that no other can access what decides which steps it has and where they lead, before it takes one
    /// itself, and whose steps are invisible to a property of infinite runs. Of several the one with the fewest steps. Which one it is
    /// depends on the state alone, and not on which statements were executed before.
    fn ample(&mut self, futures: &FutureAccess) -> Option<Ample> {
        if self.machine.context.process_table.len() < 2 {
            return None; // the steps of the only process stand for no others
        }
        let mut sets = std::mem::take(&mut self.machine.futures);
        sets.collect(futures, self.machine);
        let mut best: Option<Ample> = None;
        for pid in (0..sets.by_pid.len()).rev() {
            let process = self.machine.context.process(pid);
            let at = self.machine.context.location(process);
            let location = &self.code.locations[at];
            let Ok(mask) = self.enabled(pid, at) else { continue };
            if mask == 0 || mask & (location.special() | futures.visible(at)) != 0 {
                continue;
            }
            let is_better = best.as_ref().is_none_or(|best| mask.count_ones() < best.mask.count_ones());
            let others = sets.others(pid);
            let (first, count) = (location.first, location.count);
            // All transitions count, also disabled ones: no other process may enable them.
            let is_ample = is_better
                && (first..first + count).all(|transition| {
                    let is_enabled = mask >> (transition - first) & 1 != 0;
                    let accessed = self.machine.access_word(transition, pid, process.offset);
                    let is_independent = accessed != EVERYTHING && are_independent(accessed, others);
                    Condition::AmpleIndependent.is_met(is_independent)
                        || (Condition::AmpleDisabled.is_off() && !is_enabled)
                });
            if is_ample {
                best = Some(Ample { pid, frame: process.offset, first, mask });
                if mask.count_ones() == 1 {
                    break;
                }
            }
        }
        self.machine.futures = sets;
        best
    }
}
