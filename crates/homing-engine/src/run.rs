//! Runs through atomic sequences: which process has control, how a run continues, and what it costs.
//!
//! A run is what one step executes: its first move, and then the moves of the process that continues alone because it is inside
//! an atomic sequence or its next statement was absorbed.

use homing_core::Cost;

use crate::Interpreter;
use crate::moves::Move;
use crate::working_state::WorkingState;

/// The most statements of a run through atomic sequences; a longer one is cut off.
pub const LONGEST_RUN: usize = 1_000_000;

/// The process that continues a run alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Control {
    pub pid: usize,
    /// Its next statement was absorbed; otherwise it is inside an atomic sequence.
    pub absorbed: bool,
}

/// How a run continues.
pub enum RunStatus {
    /// One process continues alone.
    Continues(Control),
    /// The run ends in a state in which every process may move.
    Arrived,
    /// The run ends without a state: in an error, because it is too long, or at a point that it was at before.
    Cut,
}

/// What a run has cost so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunCost {
    /// Its part of the length of a path.
    pub cost: Cost,
    /// The cost of absorbed statements, which is charged when their process moves on.
    pub deferred: Cost,
    /// The number of its statements.
    pub statements: usize,
}

impl RunCost {
    /// The cost of an error in the last statement, or (`early`) in the send of a last rendezvous: that of all statements up to
    /// it.
    pub fn failing(self, early: bool) -> RunCost {
        let RunCost { cost, deferred, statements } = self;
        RunCost { cost: cost + deferred - Cost::from(early), deferred: 0, statements: statements - usize::from(early) }
    }

    /// Adds a move: its statements, and those that are pending at the locations of its processes. An absorbed statement that
    /// is itself pending at its target costs nothing yet.
    pub fn charge(&mut self, engine: &Interpreter<'_>, work: &WorkingState, what: &Move, control: Option<Control>) {
        if engine.model.features.network {
            self.statements += what.pids().count();
            self.cost += 1;
            return;
        }
        for pid in what.pids().map(usize::from) {
            let location = engine.location(work, pid);
            self.statements += 1;
            match control {
                Some(Control { absorbed: true, .. }) if location.deferred => self.deferred += 1,
                Some(Control { pid: continuing, .. }) if continuing == pid => self.cost += 1,
                _ => self.cost += 1 + location.pending,
            }
        }
    }
}
