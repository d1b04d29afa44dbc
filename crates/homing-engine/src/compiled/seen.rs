//! What the coverage was told, so that it need not be told again.

use homing_core::Cost;
use homing_ir::ProctypeId;

use super::code::{ChainCode, Code, Compiled, Guards, LocationCode, TransitionCode};
use super::drive::Driver;
use super::translate::FAULT;

/// What compiled code may do without telling the coverage: short ways, which open when it was told.
pub struct Seen {
    /// By location.
    gates: Vec<Gate>,
    offered: Vec<bool>,
    /// By transition: how to take it, if it is a whole step.
    effects: Vec<Option<Whole>>,
    /// The same for a transition that is the sender's part of a rendezvous.
    pub sends: Vec<Option<Sending>>,
    /// The same for the receiver's part.
    pub accepts: Vec<Option<Whole>>,
    passed: Vec<bool>,
}

/// The sender's part of a rendezvous.
#[derive(Clone, Copy)]
pub struct Sending {
    pub offer: Compiled,
    pub depart: Compiled,
    pub cost: Cost,
}

/// A function that takes a whole step.
#[derive(Clone, Copy)]
pub struct Whole {
    pub code: Compiled,
    pub cost: Cost,
    pub atomic_steps: u32,
}

/// The tests of a location, and all else that is asked when one of its transitions is taken. As large as a power of two,
/// as gates are looked up all the time.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub struct Gate {
    pub guards: Option<Compiled>,
    /// What they answer, if there are none: [`FAULT`] before the gate is open.
    pub mask: u64,
    /// The transitions that are not just taken, each for itself; a fault counts as one.
    pub apart: u64,
    /// Where its transitions begin in those of the code.
    pub first: u32,
    /// Each is a whole step, and whether none has a statement that leaves its process alone in charge.
    pub are_whole: bool,
    pub are_plain: bool,
}

impl Gate {
    const CLOSED: Gate = Gate { guards: None, mask: FAULT, apart: FAULT, first: 0, are_whole: false, are_plain: false };

    fn of(location: &LocationCode, transitions: &[TransitionCode]) -> Self {
        let (guards, mask) = match location.guards {
            Guards::Always(mask) => (None, mask),
            Guards::Computed(guards) => (Some(guards), 0),
            Guards::Interpreted => (None, FAULT),
        };
        let from = location.first as usize;
        let chains = || transitions[from..from + location.count as usize].iter().map(|transition| transition.effect);
        Gate {
            guards,
            mask,
            apart: location.apart() | FAULT,
            first: location.first,
            are_whole: chains().all(|chain| chain.is_some_and(|chain| chain.is_whole())),
            are_plain: chains().all(|chain| chain.is_some_and(|chain| chain.atomic_steps == 0)),
        }
    }
}

impl Seen {
    pub fn new(code: Option<&Code>) -> Self {
        let (locations, transitions) = code.map_or((0, 0), |code| (code.locations.len(), code.transitions.len()));
        Seen {
            gates: vec![Gate::CLOSED; locations],
            offered: vec![false; locations],
            effects: vec![None; transitions],
            sends: vec![None; transitions],
            accepts: vec![None; transitions],
            passed: vec![false; transitions],
        }
    }

    #[inline(always)]
    pub fn gate(&self, at: usize) -> Gate {
        debug_assert!(at < self.gates.len());
        // SAFETY: there is a gate for each location of the code.
        unsafe { *self.gates.get_unchecked(at) }
    }

    #[inline(always)]
    pub fn effect(&self, transition: u32) -> Option<Whole> {
        debug_assert!((transition as usize) < self.effects.len());
        // SAFETY: a test answers by bits of the transitions its location has, and each has an entry.
        unsafe { *self.effects.get_unchecked(transition as usize) }
    }
}

impl Driver<'_, '_> {
    /// Tells the coverage that all transitions of a location were tried, and opens its gate.
    pub fn tried(&mut self, at: usize) {
        self.tell_tried(at, false);
        let location = &self.code.locations[at];
        if location.provided.is_none() {
            self.machine.seen.gates[at] = Gate::of(location, &self.code.transitions);
        }
    }

    /// Tells the coverage, the first time, that the transitions of a location were tried with a message on offer.
    pub fn tried_with_offer(&mut self, at: usize) {
        if !self.machine.seen.offered[at] {
            self.machine.seen.offered[at] = true;
            self.tell_tried(at, true);
        }
    }

    /// Tells the coverage, the first time, that a transition was taken.
    #[inline(always)]
    pub fn passed(&mut self, transition: u32) {
        let seen = &mut self.machine.seen;
        if !seen.passed[transition as usize] {
            seen.passed[transition as usize] = true;
            let code = &self.code.transitions[transition as usize];
            let cost = code.pending + 1;
            let whole = |chain: Option<ChainCode>| {
                let ChainCode { code, rest_cost, atomic_steps, .. } = chain.filter(ChainCode::is_whole)?;
                Some(Whole { code, cost: cost + rest_cost, atomic_steps })
            };
            seen.effects[transition as usize] = whole(code.effect);
            seen.accepts[transition as usize] = whole(code.accept);
            if let (Some(offer), Some(depart)) = (code.offer, code.depart) {
                seen.sends[transition as usize] = Some(Sending { offer, depart, cost });
            }
            self.tell_passed(transition);
        }
    }

    #[cold]
    fn tell_passed(&self, transition: u32) {
        let at = self.code.locations.partition_point(|location| location.first <= transition) - 1;
        let (proctype, location) = self.source(at);
        let nth = (transition - self.code.locations[at].first) as usize;
        let automaton = &self.interpreter.model.proctype(proctype).automaton;
        let coverage = &self.interpreter.coverage;
        let code = &self.code.transitions[transition as usize];
        let statements = |chain: Option<ChainCode>| chain.map_or(1, |chain| chain.statements);
        let (mut from, mut taken) = (location, automaton.location(location).transitions[nth]);
        for left in (0..statements(code.effect).max(statements(code.accept))).rev() {
            let statement = automaton.statement(taken.statement);
            coverage.passed(proctype, from, taken.target, statement);
            if left > 0 {
                (from, taken) = (taken.target, automaton.location(taken.target).transitions[0]);
                coverage.tried(proctype, automaton.statement(taken.statement), false);
            }
        }
    }

    #[cold]
    fn tell_tried(&self, at: usize, offered: bool) {
        (0..self.code.locations[at].count).for_each(|nth| self.tell_tried_one(at, nth, offered));
    }

    /// Tells the coverage that one transition of a location was tried.
    pub fn tell_tried_one(&self, at: usize, nth: u32, offered: bool) {
        let (proctype, location) = self.source(at);
        let automaton = &self.interpreter.model.proctype(proctype).automaton;
        let transition = automaton.location(location).transitions[nth as usize];
        self.interpreter.coverage.tried(proctype, automaton.statement(transition.statement), offered);
    }

    /// The process type and the location that a number of the code means.
    fn source(&self, at: usize) -> (ProctypeId, u32) {
        let proctype = self.code.starts.partition_point(|start| *start as usize <= at) - 1;
        (ProctypeId(proctype as u32), at as u32 - self.code.starts[proctype])
    }
}
