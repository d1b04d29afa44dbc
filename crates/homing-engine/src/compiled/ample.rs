//! One process whose steps stand for all ([`homing_core::Selection::Ample`]).

use std::ops::ControlFlow;

use homing_core::{Condition, Step};

use super::drive::{Driver, Machine};
use super::expand::Expansion;
use super::futures::Futures;
use super::touches::{ALL, are_apart};
use crate::interpreter::StepIndex;

/// The process that moves alone, and what it can do.
struct Ample {
    pid: usize,
    frame: u32,
    /// Its first transition, and which of those from there on it can take.
    first: u32,
    mask: u64,
}

/// What the processes of a state may touch in all that they still do.
#[derive(Default)]
pub struct Outlook {
    by_pid: Vec<u64>,
    /// What one of them may touch, and what more than one.
    some: u64,
    several: u64,
}

impl Outlook {
    fn look(&mut self, futures: &Futures, machine: &Machine<'_>) {
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

    /// What the others may touch.
    fn others(&self, pid: usize) -> u64 {
        self.some & !self.by_pid[pid] | self.several
    }
}

impl<V: FnMut(Step<'_, StepIndex>) -> ControlFlow<()>> Expansion<'_, '_, V> {
    /// Shows the steps of such a process, if there is one.
    pub fn explore_ample(&mut self, futures: &Futures) -> bool {
        self.driver.begin();
        let Some(Ample { pid, frame, first, mask }) = self.driver.ample(futures) else { return false };
        let _ = self.explore_plain(pid, frame, first, mask);
        true
    }
}

impl Driver<'_, '_> {
    /// A process such that nobody can touch what decides which steps it has and where they lead, before it takes one itself.
    /// Of several the one with the fewest steps.
    fn ample(&mut self, futures: &Futures) -> Option<Ample> {
        let machine = &mut *self.machine;
        let mut outlook = std::mem::take(&mut machine.outlook);
        outlook.look(futures, machine);
        let mut best: Option<Ample> = None;
        for pid in (0..outlook.by_pid.len()).rev() {
            let process = machine.context.process(pid);
            let at = machine.context.location(process);
            let entry = machine.fast_paths.location(at);
            let mask = machine.enabled_mask(&entry, pid, process.offset);
            if mask == 0 || mask & entry.special != 0 {
                continue;
            }
            let is_better = best.as_ref().is_none_or(|best| mask.count_ones() < best.mask.count_ones());
            let others = outlook.others(pid);
            let mut transitions = entry.first..entry.first + self.code.locations[at].count;
            // All count, also those that cannot be taken: nobody may open a way for them.
            let is_ample = is_better
                && transitions.all(|transition| {
                    let is_enabled = mask >> (transition - entry.first) & 1 != 0;
                    let touched = machine.touched(transition, pid, process.offset);
                    let is_independent = touched != ALL && are_apart(touched, others);
                    Condition::AmpleIndependent.is_met(is_independent)
                        || (Condition::AmpleDisabled.is_off() && !is_enabled)
                });
            if is_ample {
                best = Some(Ample { pid, frame: process.offset, first: entry.first, mask });
                if mask.count_ones() == 1 {
                    break;
                }
            }
        }
        machine.outlook = outlook;
        best
    }
}
