//! The processes that move in a step.

use homing_core::Pid;

/// The processes that moved in the present step, in order; one that makes several moves in a row is listed once.
pub(crate) struct StepMovers {
    /// Those from `count` on are from earlier steps.
    pids: Vec<Pid>,
    count: usize,
}

impl Default for StepMovers {
    fn default() -> Self {
        StepMovers { pids: vec![0; 2], count: 0 }
    }
}

impl StepMovers {
    /// Begins a step by the move of a process.
    #[inline(always)]
    pub fn begin(&mut self, pid: usize) {
        (self.pids[0], self.count) = (pid as Pid, 1);
    }

    /// Adds a process that moves in the step.
    #[inline]
    pub fn add(&mut self, pid: usize) {
        let pid = pid as Pid;
        if self.pids().last() == Some(&pid) {
            return;
        }
        match self.pids.get_mut(self.count) {
            Some(next) => *next = pid,
            None => self.pids.push(pid),
        }
        self.count += 1;
    }

    #[inline(always)]
    pub fn pids(&self) -> &[Pid] {
        &self.pids[..self.count]
    }

    pub fn len(&self) -> usize {
        self.count
    }

    /// Keeps the first `count` processes: the run goes back to a choice.
    pub fn truncate(&mut self, count: usize) {
        self.count = self.count.min(count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_change_of_the_process_is_listed() {
        let mut movers = StepMovers::default();
        movers.begin(3);
        [3, 1, 1, 0, 3].into_iter().for_each(|pid| movers.add(pid));
        assert_eq!(movers.pids(), [3, 1, 0, 3]);
        movers.truncate(2);
        movers.add(255);
        assert_eq!(movers.pids(), [3, 1, 255]);
        movers.begin(7);
        assert_eq!(movers.pids(), [7]);
    }
}
