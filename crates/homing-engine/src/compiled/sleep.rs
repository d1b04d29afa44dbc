//! Who may sleep behind a step ([`homing_core::Asleep`]): processes are looked at from the youngest, and those before the
//! one that takes it may, if its steps and theirs are apart.

use homing_core::Asleep;

use super::drive::Machine;
use super::seen::Gate;
use super::touches::{ALL, are_apart};

/// So many processes can sleep, those with the least pids: there is a bit for each.
const MOST_SLEEPERS: usize = 64;

/// The processes that can move in the state that is expanded and have been looked at, with what their steps touch.
pub struct Movers {
    count: usize,
    sets: [u64; MOST_SLEEPERS],
    pids: [u8; MOST_SLEEPERS],
}

impl Movers {
    pub fn new() -> Self {
        Movers { count: 0, sets: [0; MOST_SLEEPERS], pids: [0; MOST_SLEEPERS] }
    }

    /// Another state is expanded.
    pub fn forget(&mut self) {
        self.count = 0;
    }

    /// Those whose steps and others, which touch a set, are apart.
    #[inline]
    pub fn apart_from(&self, set: u64) -> Asleep {
        if set == ALL {
            return Asleep::NOBODY;
        }
        let those = self.sets.iter().zip(&self.pids).take(self.count);
        Asleep(those.fold(0, |bits, (&other, &pid)| bits | u64::from(are_apart(set, other)) << pid))
    }

    /// Steps of a process touch a set.
    #[inline]
    pub fn add(&mut self, pid: usize, set: u64) {
        if pid < MOST_SLEEPERS && set != ALL {
            (self.sets[self.count], self.pids[self.count]) = (set, pid as u8);
            self.count += 1;
        }
    }
}

impl Machine<'_> {
    /// What the steps of a process touch at the location that a gate leads to.
    #[inline(always)]
    pub fn touched(&mut self, gate: &Gate, pid: usize, frame: u32) -> u64 {
        match gate.touches {
            Some(code) => self.answer(code, pid, frame),
            None => gate.touched,
        }
    }
}
