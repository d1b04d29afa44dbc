//! Fast paths: how transitions are taken once the coverage has recorded them.
//!
//! The coverage records which statements were tried and executed. To record it once is enough, so the first time a location is
//! explored or a transition is taken goes through the functions of [`Driver`] that record it; these then fill in the entries
//! here, and from then on the expansion calls compiled code directly.

use homing_core::Cost;
use homing_ir::ProctypeId;

use super::code::{ChainCode, Code, Compiled, Guards, LocationCode, TransitionCode};
use super::drive::Driver;
use super::translate::FAULT;
use crate::coverage::Trial;

/// What compiled code may execute without a record in the coverage, because there is one.
pub struct FastPaths {
    /// By location.
    locations: Vec<LocationEntry>,
    /// By location: it is recorded that its transitions were tried with a message on offer.
    offered: Vec<bool>,
    /// By transition: how to take it, if that is a whole step.
    effects: Vec<Option<WholeStep>>,
    /// By transition: how to execute the sender's side of a rendezvous.
    pub sends: Vec<Option<SendingSide>>,
    /// By transition: how to execute the receiver's side of a rendezvous, if the step ends after it.
    pub accepts: Vec<Option<WholeStep>>,
    /// By transition: it is recorded that it was taken.
    passed: Vec<bool>,
}

/// The sender's side of a rendezvous.
#[derive(Clone, Copy)]
pub struct SendingSide {
    pub offer: Compiled,
    pub depart: Compiled,
    pub cost: Cost,
}

/// A function that takes a whole step.
#[derive(Clone, Copy)]
pub struct WholeStep {
    pub code: Compiled,
    pub cost: Cost,
    pub atomic_steps: u32,
}

/// The entry of a location: its guards, and what else is needed to take its transitions. Its size is a power of two, since it is
/// looked up for each process of each state.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub struct LocationEntry {
    /// Computes the mask of the transitions that can be taken.
    pub guards: Option<Compiled>,
    /// The mask, if there is no function: constant, or [`FAULT`] until the location is recorded.
    pub mask: u64,
    /// The [special](LocationCode::special) transitions; a fault counts as one.
    pub special: u64,
    /// The index of its first transition in the code.
    pub first: u32,
    /// Each transition is a whole step.
    pub are_whole: bool,
    /// No statement of a transition ends inside an atomic sequence.
    pub are_plain: bool,
}

impl LocationEntry {
    /// A location whose transitions were not tried yet.
    const UNRECORDED: LocationEntry =
        LocationEntry { guards: None, mask: FAULT, special: FAULT, first: 0, are_whole: false, are_plain: false };

    fn of(location: &LocationCode, transitions: &[TransitionCode]) -> Self {
        let (guards, mask) = match location.guards {
            Guards::Always(mask) => (None, mask),
            Guards::Computed(guards) => (Some(guards), 0),
            Guards::Interpreted => (None, FAULT),
        };
        let from = location.first as usize;
        let chains = || transitions[from..from + location.count as usize].iter().map(|transition| transition.effect);
        LocationEntry {
            guards,
            mask,
            special: location.special() | FAULT,
            first: location.first,
            are_whole: chains().all(|chain| chain.is_some_and(|chain| chain.is_whole())),
            are_plain: chains().all(|chain| chain.is_some_and(|chain| chain.atomic_steps == 0)),
        }
    }
}

impl FastPaths {
    pub fn new(code: Option<&Code>) -> Self {
        let (locations, transitions) = code.map_or((0, 0), |code| (code.locations.len(), code.transitions.len()));
        FastPaths {
            locations: vec![LocationEntry::UNRECORDED; locations],
            offered: vec![false; locations],
            effects: vec![None; transitions],
            sends: vec![None; transitions],
            accepts: vec![None; transitions],
            passed: vec![false; transitions],
        }
    }

    #[inline(always)]
    pub fn location(&self, at: usize) -> LocationEntry {
        debug_assert!(at < self.locations.len());
        // SAFETY: there is an entry for each location of the code.
        unsafe { *self.locations.get_unchecked(at) }
    }

    #[inline(always)]
    pub fn effect(&self, transition: u32) -> Option<WholeStep> {
        debug_assert!((transition as usize) < self.effects.len());
        // SAFETY: a mask has bits of transitions of its location only, and each transition has an entry.
        unsafe { *self.effects.get_unchecked(transition as usize) }
    }
}

impl Driver<'_, '_> {
    /// Records that all transitions of a location were tried, and fills in its entry.
    pub fn record_tried(&mut self, at: usize) {
        self.cover_tried(at, Trial::Alone);
        let location = &self.code.locations[at];
        if location.provided.is_none() {
            self.machine.fast_paths.locations[at] = LocationEntry::of(location, &self.code.transitions);
        }
    }

    /// Records that the transitions of a location were tried with a message on offer.
    pub fn record_tried_with_offer(&mut self, at: usize) {
        if !self.machine.fast_paths.offered[at] {
            self.machine.fast_paths.offered[at] = true;
            self.cover_tried(at, Trial::WithOffer);
        }
    }

    /// Records that a transition was taken, and fills in its entries.
    #[inline(always)]
    pub fn record_taken(&mut self, transition: u32) {
        let seen = &mut self.machine.fast_paths;
        if !seen.passed[transition as usize] {
            seen.passed[transition as usize] = true;
            let code = &self.code.transitions[transition as usize];
            let cost = code.pending + 1;
            let whole = |chain: Option<ChainCode>| {
                let ChainCode { code, rest_cost, atomic_steps, .. } = chain.filter(ChainCode::is_whole)?;
                Some(WholeStep { code, cost: cost + rest_cost, atomic_steps })
            };
            seen.effects[transition as usize] = whole(code.effect);
            seen.accepts[transition as usize] = whole(code.accept);
            if let (Some(offer), Some(depart)) = (code.offer, code.depart) {
                seen.sends[transition as usize] = Some(SendingSide { offer, depart, cost });
            }
            self.cover_taken(transition);
        }
    }

    /// Adds the statements of the chain of a transition to the coverage.
    #[cold]
    fn cover_taken(&self, transition: u32) {
        let at = self.code.locations.partition_point(|location| location.first <= transition) - 1;
        let (proctype, location) = self.source(at);
        let nth = (transition - self.code.locations[at].first) as usize;
        let automaton = &self.interpreter.model.proctype(proctype).automaton;
        let coverage = &self.interpreter.coverage;
        let code = &self.code.transitions[transition as usize];
        let statements = |chain: Option<ChainCode>| chain.map_or(1, |chain| chain.statements);
        let (mut from, mut taken) = (location, automaton.location(location).transitions[nth]);
        for left in (0..statements(code.effect).max(statements(code.accept))).rev() {
            coverage.record_executed(proctype, from, &taken, &automaton.statement(taken.statement).action);
            if left > 0 {
                (from, taken) = (taken.target, automaton.location(taken.target).transitions[0]);
                let action = &automaton.statement(taken.statement).action;
                coverage.record_tried(proctype, taken.statement, action, Trial::Alone);
            }
        }
    }

    /// Adds to the coverage that the transitions of a location were tried.
    #[cold]
    fn cover_tried(&self, at: usize, trial: Trial) {
        (0..self.code.locations[at].count).for_each(|nth| self.cover_tried_one(at, nth, trial));
    }

    /// Adds to the coverage that one transition of a location was tried.
    pub fn cover_tried_one(&self, at: usize, nth: u32, trial: Trial) {
        let (proctype, location) = self.source(at);
        let automaton = &self.interpreter.model.proctype(proctype).automaton;
        let transition = automaton.location(location).transitions[nth as usize];
        let action = &automaton.statement(transition.statement).action;
        self.interpreter.coverage.record_tried(proctype, transition.statement, action, trial);
    }

    /// The process type and the location of a location of the code.
    fn source(&self, at: usize) -> (ProctypeId, u32) {
        let proctype = self.code.starts.partition_point(|start| *start as usize <= at) - 1;
        (ProctypeId(proctype as u32), at as u32 - self.code.starts[proctype])
    }
}

#[cfg(test)]
mod tests {
    use homing_core::TransitionSystem;

    use super::*;
    use crate::CompiledEngine;
    use crate::compiled::testing::{model, steps};

    /// Whether the start location of `init` is recorded, and which of its transitions have a fast path.
    fn paths(engine: &CompiledEngine<'_>) -> (bool, Vec<bool>) {
        let machine = engine.machine.borrow();
        let code = engine.code.get().expect("it is compiled");
        let at = (code.starts[0] + engine.interpreter().model().proctypes[0].automaton.start) as usize;
        let LocationCode { first, count, .. } = code.locations[at];
        let effects = (first..first + count).map(|transition| machine.fast_paths.effect(transition).is_some());
        let LocationEntry { guards, mask, .. } = machine.fast_paths.location(at);
        (guards.is_some() || mask != FAULT, effects.collect())
    }

    #[test]
    fn entries_are_filled_in_by_the_first_expansion() {
        let model = model("byte a, b; init { if :: a = 1 :: a == 1 :: atomic { a = 2; if :: b = 1 :: b = 2 fi } fi }");
        let engine = CompiledEngine::new(&model).expect("an initial state");
        assert_eq!(paths(&engine), (false, vec![false; 3]));
        steps(&engine, &engine.initial());
        assert_eq!(paths(&engine), (true, vec![true, false, false]), "one is disabled, one is no whole step");
    }

    #[test]
    fn steps_are_the_same_by_the_fast_path() {
        let model = model(
            "byte a; chan s = [0] of { byte };
             init { do :: a < 3 -> a++ :: s!a :: else -> break od }
             active proctype R() { byte x; end: do :: s?x od }",
        );
        let engine = CompiledEngine::new(&model).expect("an initial state");
        let first = steps(&engine, &engine.initial());
        assert!(!first.is_empty());
        for _ in 0..2 {
            assert_eq!(steps(&engine, &engine.initial()), first);
        }
    }
}
