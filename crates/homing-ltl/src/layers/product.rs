//! The product of a system and a claim: a layer over any system.
//!
//! A state of the product is a state of the system with the state of the claim after it, in the last bytes. The claim
//! reads the letter of a state and moves, then the system moves: a step leads from `(s, q)` to `(t, r)` if the claim
//! moves from `q` to `r` by the letter of `s`, and the system from `s` to `t`. Where the system cannot move, the claim
//! moves alone and reads the same letter for ever: a run that ends is extended by its last state (*stutter*).
//!
//! Violations of the system are passed over, except run-time errors: a property of infinite runs says nothing about
//! them. A proposition without a value is a run-time error where a move of the claim depends on it, and nowhere else. The
//! moves of the claim cost nothing.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::sync::Arc;

use homing_core::{
    Changed, Condition, Cost, Fork, Labels, PartialLetter, Selected, Selection, SleepSet, State, Step, Target,
    TransitionSystem, Violation, ViolationKind, Written,
};

use super::claim::{Claim, ClaimTarget};

/// The name of a step of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProductAction<A> {
    /// The step of the system; `None` if the claim moves alone.
    pub step: Option<A>,
    /// The state of the claim afterwards.
    pub claim: u16,
}

/// Which states where the system cannot move are states of the product.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stutter {
    /// The state after each move of the claim.
    #[default]
    All,
    /// As SPIN's verifier stores them: not the state after the first move of the claim, unless that is accepting; and
    /// without a claim only those with an acceptance label. Whether a state was reached by a move of the claim alone is
    /// its first byte, which is hidden: it does not distinguish states.
    Spin,
}

/// The product of a system and a claim.
#[derive(Debug)]
pub struct Product<T> {
    system: T,
    claim: Arc<Claim>,
    /// The violations of a claim that ended, and of its assertions.
    violations: Arc<ClaimViolations>,
    stutter: Stutter,
    scratch: RefCell<Scratch>,
}

/// What is reported when a claim ends or fails.
#[derive(Clone, Debug)]
pub struct ClaimViolations {
    /// The claim has ended.
    pub end: Violation,
    /// By number: an assertion of the claim failed.
    pub failures: Vec<Violation>,
}

#[derive(Debug, Default)]
struct Scratch {
    /// The target of a step.
    target: Vec<u8>,
    written: Vec<Written>,
    /// The moves of the claim: where to, and the acceptance sets.
    moves: Vec<(u16, u32)>,
}

/// What a claim reads: a letter, perhaps one in which some propositions have no value.
struct Reading(Result<u64, PartialLetter>);

impl Reading {
    /// A letter with which the moves out of a state of the claim are those of this one, or the run-time error of a proposition that
    /// one of them depends on.
    #[inline]
    fn letter(&self, claim: &Claim, at: u16) -> Result<u64, &Violation> {
        match &self.0 {
            Ok(letter) => Ok(*letter),
            Err(partial) => claim.fault(at, partial).map_or(Ok(partial.holds), Err),
        }
    }
}

/// The bytes of a claim's state, which are the last of a state of a product.
pub const CLAIM_WIDTH: usize = 2;

impl<T: TransitionSystem> Product<T> {
    /// The product of a system and a claim.
    pub fn new(system: T, claim: Claim, violations: ClaimViolations, stutter: Stutter) -> Self {
        let (claim, violations) = (Arc::new(claim), Arc::new(violations));
        Product { system, claim, violations, stutter, scratch: RefCell::default() }
    }

    /// The system.
    pub fn system(&self) -> &T {
        &self.system
    }

    /// The claim.
    pub fn claim(&self) -> &Claim {
        &self.claim
    }

    /// How many bytes of a state come before that of the system. They are hidden: they do not distinguish states.
    pub fn prefix(&self) -> usize {
        match self.stutter {
            Stutter::All => 0,
            Stutter::Spin => 1,
        }
    }

    /// The state of the system and that of the claim.
    pub fn split<'s>(&self, state: &'s State) -> (&'s State, u16) {
        let (system, claim) = state.split_at(state.len() - CLAIM_WIDTH);
        (&system[self.prefix()..], u16::from_le_bytes([claim[0], claim[1]]))
    }

    /// Whether the claim has moved alone to this state; known only for SPIN's numbers.
    fn is_stuttering(&self, state: &State) -> bool {
        self.stutter == Stutter::Spin && state[0] != 0
    }

    /// What the claim reads in a state of the system; `still`: nothing moves there.
    fn read(&self, state: &State, still: bool) -> Reading {
        let mut letter = self.system.letter(state);
        if still && let Some(bit) = self.claim.non_progress {
            match &mut letter {
                Ok(holds) | Err(PartialLetter { holds, .. }) => *holds &= !(1 << bit),
            }
        }
        Reading(letter)
    }

    /// The labels of the system, if they count.
    fn is_labelled(&self, state: &State) -> bool {
        self.claim.counts_labels && self.system.labels(state).accepting
    }

    /// Collects the moves of the claim, and shows a violation if one leads to its end or fails, or depends on a proposition without
    /// a value.
    fn claim_moves<A>(&self, claim: u16, read: &Reading, moves: &mut Vec<(u16, u32)>, shown: &mut Shown<'_, A>) {
        moves.clear();
        self.add_moves(claim, read, moves, shown);
    }

    fn add_moves<A>(&self, claim: u16, read: &Reading, moves: &mut Vec<(u16, u32)>, shown: &mut Shown<'_, A>) {
        let letter = match read.letter(&self.claim, claim) {
            Ok(letter) => letter,
            Err(violation) => {
                return shown.violation(ProductAction { step: None, claim }, 0, violation.clone());
            }
        };
        self.claim.for_each_move(claim, letter, |target, acceptance| {
            let violation = match target {
                ClaimTarget::State(target) => return moves.push((target, acceptance)),
                ClaimTarget::End => &self.violations.end,
                ClaimTarget::Failure(number) => &self.violations.failures[usize::from(number)],
            };
            shown.violation(ProductAction { step: None, claim }, 0, violation.clone());
        });
    }

    /// Shows the steps out of a state.
    fn expand(&self, state: &State, visit: &mut Visit<'_, T::Action>) {
        let is_stuttering = self.is_stuttering(state);
        let (state, claim) = self.split(state);
        let mut shown = Shown { visit, ordinal: 0, going: ControlFlow::Continue(()) };
        let scratch = &mut *self.scratch.borrow_mut();
        self.claim_moves(claim, &self.read(state, is_stuttering), &mut scratch.moves, &mut shown);
        if scratch.moves.is_empty() {
            return;
        }
        let (labelled, prefix) = (u32::from(self.is_labelled(state)), self.prefix());
        let mut is_blocked = true;
        let Scratch { target, written, moves } = scratch;
        // a step in a sleep set may be the one that closes a cycle
        let selected = self.system.for_each_step(state, Selection::All, |step| {
            let Step { action, movers, cost, changed, .. } = step;
            match step.target {
                Target::State(to) => {
                    is_blocked = false;
                    for &(claim_to, acceptance) in &*moves {
                        replace(target, (prefix, 0), to, claim_to);
                        let changed = extend(changed, written, (prefix, prefix + to.len()), (claim, claim_to));
                        let action = ProductAction { step: Some(action), claim: claim_to };
                        let acceptance = (acceptance | labelled, self.claim.is_transient(claim, claim_to));
                        shown.step(action, (movers, cost), target, changed, acceptance);
                    }
                }
                Target::Violation(violation) => {
                    is_blocked &= violation.kind == ViolationKind::InvalidEndState;
                    if violation.kind == ViolationKind::RuntimeError {
                        shown.violation(ProductAction { step: Some(action), claim }, cost, violation);
                    }
                }
                Target::CutOff => {
                    is_blocked = false;
                    let cut = Step::stopped(ProductAction { step: Some(action), claim }, shown.ordinal);
                    shown.going = (shown.visit)(Step { cost, ..cut });
                }
            }
            shown.going
        });
        if selected == Selected::Diverges {
            // the claim reads no letter inside an atomic sequence: whether the run is accepted is not decided
            let _ =
                (shown.visit)(Step { cost: 1, ..Step::stopped(ProductAction { step: None, claim }, shown.ordinal) });
        } else if is_blocked && shown.going.is_continue() && !Condition::CycleStutter.is_off() {
            self.stutter((state, claim), is_stuttering, scratch, &mut shown);
        }
    }

    /// Shows the steps in which the claim moves alone.
    fn stutter<A>(
        &self,
        (state, claim): (&State, u16),
        is_stuttering: bool,
        scratch: &mut Scratch,
        shown: &mut Shown<'_, A>,
    ) {
        let Scratch { target, written, moves } = scratch;
        if self.stutter == Stutter::Spin && self.claim.is_trivial() && !self.is_labelled(state) {
            return;
        }
        if self.stutter == Stutter::Spin && !is_stuttering {
            // the state after the first move is passed through, unless it is accepting
            let read = self.read(state, true);
            for (first, _) in std::mem::take(moves) {
                let can_move = |letter| self.claim.can_move(first, letter);
                if self.claim.accepting[usize::from(first)] && read.letter(&self.claim, first).is_ok_and(can_move) {
                    moves.push((first, 0));
                } else {
                    self.add_moves(first, &read, moves, shown);
                }
            }
        } else if self.claim.non_progress.is_some() {
            self.claim_moves(claim, &self.read(state, true), moves, shown);
        }
        for &(to, acceptance) in &*moves {
            replace(target, (self.prefix(), 1), state, to);
            written.clear();
            mark(written, self.prefix() + state.len(), (claim, to));
            let action = ProductAction { step: None, claim: to };
            let acceptance = (acceptance | u32::from(self.is_labelled(state)), self.claim.is_transient(claim, to));
            shown.step(action, (&[], 0), target, Changed::At(written), acceptance);
        }
    }
}

/// The target of a step: so many bytes of the same value, a state of the system, and then that of the claim.
#[inline]
fn replace(target: &mut Vec<u8>, (prefix, value): (usize, u8), state: &State, claim: u16) {
    target.clear();
    target.resize(prefix, value);
    target.extend_from_slice(state);
    target.extend_from_slice(&claim.to_le_bytes());
}

/// What a step of the system and a move of the claim change; `prefix` bytes come before the state of the system, and that of the
/// claim is at `claim_at`.
#[inline]
fn extend<'w>(
    changed: Changed<'w>,
    written: &'w mut Vec<Written>,
    (prefix, claim_at): (usize, usize),
    (from, to): (u16, u16),
) -> Changed<'w> {
    match changed {
        Changed::At(places) if prefix > 0 || from != to => {
            written.clear();
            let shifted = |place: &Written| Written { offset: place.offset + prefix as u32, ..*place };
            written.extend(places.iter().map(shifted));
            mark(written, claim_at, (from, to));
            Changed::At(written)
        }
        unchanged => unchanged,
    }
}

/// Adds what a move of the claim writes.
#[inline]
fn mark(written: &mut Vec<Written>, offset: usize, (from, to): (u16, u16)) {
    if from != to {
        written.push(Written { offset: offset as u32, width: CLAIM_WIDTH as u32, old: u64::from(from) });
    }
}

/// What is shown the steps of a product. It is called through a pointer, which costs little beside a step of the product: otherwise
/// every search would have its own copy of this layer and of the expansion of the system below it.
type Visit<'v, A> = dyn FnMut(Step<'_, ProductAction<A>>) -> ControlFlow<()> + 'v;

/// Shows steps, numbered, until `visit` breaks off.
struct Shown<'v, A> {
    visit: &'v mut Visit<'v, A>,
    ordinal: u32,
    going: ControlFlow<()>,
}

impl<A> Shown<'_, A> {
    #[inline]
    fn step(
        &mut self,
        action: ProductAction<A>,
        (movers, cost): (&[u8], Cost),
        target: &State,
        changed: Changed<'_>,
        (acceptance, is_transient): (u32, bool),
    ) {
        if self.going.is_continue() {
            let (ordinal, target, sleep) = (self.ordinal, Target::State(target), SleepSet::EMPTY);
            let step = Step { action, ordinal, movers, cost, target, changed, sleep, acceptance, is_transient };
            self.going = (self.visit)(step);
            self.ordinal += 1;
        }
    }

    fn violation(&mut self, action: ProductAction<A>, cost: Cost, violation: Violation) {
        if self.going.is_continue() {
            self.going = (self.visit)(Step::violating(action, self.ordinal, cost, violation));
            self.ordinal += 1;
        }
    }
}

impl<T: TransitionSystem> TransitionSystem for Product<T> {
    type Action = ProductAction<T::Action>;

    fn initial(&self) -> Box<State> {
        let mut state = Vec::new();
        replace(&mut state, (self.prefix(), 0), &self.system.initial(), self.claim.initial);
        state.into()
    }

    /// All steps, whatever the selection: the sleep sets of the system lose steps, and so cycles.
    fn for_each_step(
        &self,
        state: &State,
        selection: Selection,
        mut visit: impl FnMut(Step<'_, Self::Action>) -> ControlFlow<()>,
    ) -> Selected {
        if selection.is_stubborn() {
            return Selected::NotReduced;
        }
        self.expand(state, &mut visit);
        Selected::ALL
    }

    /// A state in which the claim cannot move is not accepting: no run goes on from it.
    fn labels(&self, state: &State) -> Labels {
        let is_stuttering = self.is_stuttering(state);
        let (state, claim) = self.split(state);
        let is_accepting = self.claim.accepting[usize::from(claim)] || self.is_labelled(state);
        let can_move = || {
            let read = self.read(state, is_stuttering);
            read.letter(&self.claim, claim).is_ok_and(|letter| self.claim.can_move(claim, letter))
        };
        Labels { accepting: is_accepting && can_move(), progress: self.system.labels(state).progress }
    }

    fn patiently<R>(&self, work: impl FnOnce() -> R) -> R {
        self.system.patiently(work)
    }
}

impl<T: Fork> Fork for Product<T> {
    fn fork(&self) -> Self {
        let (claim, violations) = (self.claim.clone(), self.violations.clone());
        Product { system: self.system.fork(), claim, violations, stutter: self.stutter, scratch: RefCell::default() }
    }

    fn join(&self, fork: &Self) {
        self.system.join(&fork.system);
    }
}
