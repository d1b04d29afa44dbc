//! The processes that move in a step.

use homing_core::Pid;

/// The processes that moved in the present step, in order; one that makes several moves in a row is listed once.
#[derive(Default)]
pub(crate) struct StepMovers {
    /// The first ones: nearly all steps have no more.
    few: [Pid; 2],
    count: usize,
    /// All of them, if they are more.
    many: Vec<Pid>,
}

impl StepMovers {
    /// Begins a step by the move of a process.
    #[inline(always)]
    pub fn begin(&mut self, pid: usize) {
        (self.few[0], self.count) = (pid as Pid, 1);
    }

    /// Adds a process that moves in the step.
    #[inline]
    pub fn add(&mut self, pid: usize) {
        let pid = pid as Pid;
        if self.pids().last() == Some(&pid) {
            return;
        }
        match self.few.get_mut(self.count) {
            Some(next) => *next = pid,
            None => {
                if self.count == self.few.len() {
                    self.many.clear();
                    self.many.extend(self.few);
                }
                self.many.push(pid);
            }
        }
        self.count += 1;
    }

    #[inline(always)]
    pub fn pids(&self) -> &[Pid] {
        self.few.get(..self.count).unwrap_or(&self.many)
    }

    pub fn len(&self) -> usize {
        self.count
    }

    /// Keeps the first `count` processes: the run goes back to a choice.
    pub fn truncate(&mut self, count: usize) {
        self.count = self.count.min(count);
        self.many.truncate(count);
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
