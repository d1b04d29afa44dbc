//! What the coverage was told, so that it need not be told again.

use homing_ir::ProctypeId;

use super::code::Code;
use super::expand::Expansion;

pub struct Seen {
    /// By location.
    tried: Vec<bool>,
    offered: Vec<bool>,
    /// By transition.
    passed: Vec<bool>,
}

impl Seen {
    pub fn new(code: Option<&Code>) -> Self {
        let flags = |count: Option<usize>| vec![false; count.unwrap_or(0)];
        let locations = code.map(|code| code.locations.len());
        Seen {
            tried: flags(locations),
            offered: flags(locations),
            passed: flags(code.map(|code| code.transitions.len())),
        }
    }
}

impl Expansion<'_, '_> {
    /// Tells the coverage, the first time, that all transitions of a location were tried; `offered`: with a message.
    #[inline(always)]
    pub fn tried(&mut self, at: usize, offered: bool) {
        let seen = &mut self.machine.seen;
        let flags = if offered { &mut seen.offered } else { &mut seen.tried };
        if !flags[at] {
            flags[at] = true;
            self.tell_tried(at, offered);
        }
    }

    /// Tells the coverage, the first time, that a transition was taken.
    #[inline(always)]
    pub fn passed(&mut self, transition: u32) {
        if !self.machine.seen.passed[transition as usize] {
            self.machine.seen.passed[transition as usize] = true;
            self.tell_passed(transition);
        }
    }

    #[cold]
    fn tell_passed(&self, transition: u32) {
        let at = self.code.locations.partition_point(|location| location.first <= transition) - 1;
        let (proctype, location) = self.source(at);
        let nth = (transition - self.code.locations[at].first) as usize;
        let automaton = &self.engine.interpreter.model.proctype(proctype).automaton;
        let taken = automaton.location(location).transitions[nth];
        let statement = automaton.statement(taken.statement);
        self.engine.interpreter.coverage.passed(proctype, location, taken.target, statement);
    }

    #[cold]
    fn tell_tried(&self, at: usize, offered: bool) {
        (0..self.code.locations[at].count).for_each(|nth| self.tell_tried_one(at, nth, offered));
    }

    /// Tells the coverage that one transition of a location was tried.
    pub fn tell_tried_one(&self, at: usize, nth: u32, offered: bool) {
        let (proctype, location) = self.source(at);
        let automaton = &self.engine.interpreter.model.proctype(proctype).automaton;
        let transition = automaton.location(location).transitions[nth as usize];
        self.engine.interpreter.coverage.tried(proctype, automaton.statement(transition.statement), offered);
    }

    /// The process type and the location that a number of the code means.
    fn source(&self, at: usize) -> (ProctypeId, u32) {
        let proctype = self.code.starts.partition_point(|start| *start as usize <= at) - 1;
        (ProctypeId(proctype as u32), at as u32 - self.code.starts[proctype])
    }
}
