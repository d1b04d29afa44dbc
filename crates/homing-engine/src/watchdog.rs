//! A run through an atomic sequence that never ends.

use crate::work::Work;

/// Notices it. A state is kept for twice as long each time (Brent's way).
#[derive(Default)]
pub struct Watchdog {
    steps: u64,
    mark: Vec<u8>,
}

impl Watchdog {
    /// Runs shorter than this are not looked at.
    const PATIENCE: u64 = 64;

    /// Begins anew.
    pub fn restart(&mut self) {
        self.steps = 0;
        self.mark.clear();
    }

    pub fn circles(&mut self, work: &Work) -> bool {
        self.steps += 1;
        if self.steps < Self::PATIENCE {
            return false;
        }
        if self.mark == work.bytes {
            return true;
        }
        if self.steps.is_power_of_two() {
            self.mark.clear();
            self.mark.extend_from_slice(&work.bytes);
        }
        false
    }
}
