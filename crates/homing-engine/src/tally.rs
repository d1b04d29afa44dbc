//! What a run through a step counts for the length of a path.

use homing_core::Cost;

use crate::Interpreter;
use crate::moves::{Choice, Move};
use crate::work::Work;

/// A process that goes on alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Onward {
    pub pid: usize,
    /// Its next statement was absorbed; otherwise it is inside an atomic sequence.
    pub absorbed: bool,
}

/// What a run has come to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// What it counts for the length of a path.
    pub cost: Cost,
    /// What it does not count, as long as the process does not move on.
    pub deferred: Cost,
    pub statements: usize,
}

impl Tally {
    /// For an error in the last statement, or in the first half of a rendezvous: it takes all before it.
    pub fn failing(self, early: bool) -> Tally {
        let Tally { cost, deferred, statements } = self;
        Tally { cost: cost + deferred - Cost::from(early), deferred: 0, statements: statements - usize::from(early) }
    }

    /// A move counts its statements, and those that were pending where its processes stand; an absorbed one that is to be
    /// pending itself counts nothing.
    pub fn charge(&mut self, engine: &Interpreter<'_>, work: &Work, what: &Move, onward: Option<Onward>) {
        let (first, second) = match what {
            Move::Step(Choice { pid, .. }) | Move::Fault(pid, ..) => (*pid, None),
            Move::Handshake(sender, receiver) => (sender.pid, Some(receiver.pid)),
        };
        for pid in [Some(first), second].into_iter().flatten().map(usize::from) {
            let location = engine.location(work, pid);
            self.statements += 1;
            match onward {
                Some(Onward { absorbed: true, .. }) if location.deferred => self.deferred += 1,
                Some(Onward { pid: goes_on, .. }) if goes_on == pid => self.cost += 1,
                _ => self.cost += 1 + location.pending,
            }
        }
    }
}
