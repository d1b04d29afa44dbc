//! Plays a trail: executes the run that it describes, line by line.

use std::collections::HashSet;

use homing_core::{Description, SourcePlace, Violation, ViolationKind};
use homing_engine::{Checkpoint, Enabled, Executed, Interpreter, MoveResult, Player, TrailMismatch, TrailStatement};
use homing_ir::print::Printer;
use homing_ir::{Action, Claim, Model};
use homing_report::{Entry, Trail};

use super::counterexample::LengthUnit;

/// One executed step of a run: a statement, or both halves of a rendezvous.
pub struct PlayedStep<'a> {
    /// The number of its first statement in the run, from 1.
    pub number: usize,
    /// The move that was taken.
    pub taken: &'a Enabled,
    /// What it did.
    pub happened: &'a MoveResult,
    counted: usize,
    /// The number of the move, if moves are counted and not statements.
    ordinal: Option<usize>,
}

impl<'a> PlayedStep<'a> {
    /// A step with all its statements.
    pub fn whole(number: usize, taken: &'a Enabled, happened: &'a MoveResult) -> Self {
        PlayedStep { number, taken, happened, counted: happened.statements.len(), ordinal: None }
    }

    /// The same as the move with this number of a run whose length counts moves.
    pub fn counted_as(self, ordinal: usize, unit: LengthUnit) -> Self {
        PlayedStep { ordinal: (unit == LengthUnit::Transitions).then_some(ordinal), ..self }
    }

    /// The number by which a statement of it is shown: that of the statement, or of the move where moves are counted.
    pub fn shown_number(&self, at: usize) -> usize {
        self.ordinal.unwrap_or(self.number + at)
    }

    /// The statements that count: of a rendezvous that failed at its send, only the send.
    pub fn statements(&self) -> &[Executed] {
        &self.happened.statements[..self.counted]
    }
}

/// How a run ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Errors of the last statement, or of the state after it.
    Violations(Vec<Violation>),
    /// The statements from this number on repeat forever.
    Cycle {
        /// The number of the first of them, from 1.
        from: usize,
        /// The variables that have other values after each round. Nothing reads them.
        unread: Vec<String>,
    },
    /// The claim has reached its end, or no continuation fulfils the formula.
    Claim,
    /// No error.
    Open,
}

impl Ending {
    /// The error at the end of the run; the first of several.
    pub fn error(&self) -> Option<&Violation> {
        match self {
            Ending::Violations(all) => all.first(),
            Ending::Cycle { .. } | Ending::Claim | Ending::Open => None,
        }
    }
}

/// A run played to its end.
pub struct Played<'e, 'm> {
    /// The player, at the end of the run.
    pub player: Player<'e, 'm>,
    /// How it ends.
    pub ending: Ending,
    /// How many statements, or moves where these are counted, were executed.
    pub length: usize,
}

impl Played<'_, '_> {
    /// The values in the last state.
    pub fn last_values(&self) -> Description {
        self.player.engine().description(self.player.state())
    }

    /// The values in the last state, as lines of text.
    pub fn last_lines(&self) -> Vec<String> {
        self.player.engine().describe(self.player.state())
    }
}

/// A trail that does not match the model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("step {step}: {reason}")]
pub struct Broken {
    /// The number in the trail, from 1.
    pub step: usize,
    /// Why the run cannot be played on.
    pub reason: BreakReason,
}

/// Why a trail does not match the model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BreakReason {
    /// No enabled move is the next line of the trail.
    #[error("{0}")]
    Misfit(Box<TrailMismatch>),
    /// A statement failed before the end of the trail, with this message.
    #[error("the trail continues after the run failed with `{0}`")]
    Failed(String),
    /// The trail ends between the two halves of a rendezvous.
    #[error("the trail ends between the two halves of a rendezvous")]
    HalfRendezvous,
    /// The claim is in a state without such a transition.
    #[error("the claim has no transition {id} in its current state")]
    ClaimElsewhere {
        /// The number of the transition in the trail.
        id: u32,
    },
    /// The claim waits for a condition.
    #[error("the claim cannot move: `{text}` does not hold")]
    ClaimBlocked {
        /// The condition.
        text: String,
    },
    /// The cycle does not close.
    #[error("the cycle does not close: its last state differs from its first")]
    OpenCycle,
}

/// Plays `trail` from the initial state and calls `visit` for each step. A run that ends without an error is not
/// refused here.
pub(super) fn play<'e, 'm>(
    engine: &'e Interpreter<'m>,
    trail: &Trail,
    mut visit: impl FnMut(&Player<'e, 'm>, PlayedStep<'_>),
) -> Result<Played<'e, 'm>, Broken> {
    let claim = trail.claim.map(|_| ClaimRun::new(engine.model(), trail));
    let unit = LengthUnit::of(engine.model());
    let mut run = Run { player: Player::new(engine), trail, claim, last: None, length: 0, moves: 0, unit };
    let mut cycle = None;
    let mut at = 0;
    while at < trail.entries.len() {
        if cycle.is_none() && trail.cycle_start == Some(at) {
            cycle = Some((run.length + 1, at, run.player.checkpoint()));
        }
        at = run.advance(at, &mut visit)?;
    }
    if trail.cycle_start == Some(at) && run.player.enabled().is_empty() {
        cycle = Some((run.length + 1, at, run.player.checkpoint())); // nothing moves for ever
    }
    let failed = run.last.as_ref().is_some_and(|happened| happened.failed);
    let last = run.last.take();
    let mut violations: Vec<Violation> =
        last.into_iter().flat_map(|happened| happened.violations).map(|(_, violation)| violation).collect();
    if !failed && run.claim.is_none() {
        let decided = run.player.broken_invariant();
        let deadlock = run.player.invalid_end();
        // a state that decides a query may have no steps besides
        let (first, second) = if trail.query.is_some() { (decided, deadlock) } else { (deadlock, decided) };
        violations.extend(first.into_iter().chain(second));
    }
    violations.extend(run.claim.as_ref().and_then(|claim| claim.failed.clone()));
    let closed = cycle.as_ref().and_then(|(from, first, start)| Some((*from, run.closes(*first, start)?)));
    let ending = match cycle {
        _ if closed.is_some() => closed.map(|(from, unread)| Ending::Cycle { from, unread }).expect("it is one"),
        Some(_) if violations.is_empty() => return Err(Broken { step: at, reason: BreakReason::OpenCycle }),
        _ if !violations.is_empty() => Ending::Violations(violations),
        _ if trail.formula.is_some() => Ending::Claim,
        _ if run.claim.is_some_and(|claim| claim.may_be_violated()) => Ending::Claim,
        _ => Ending::Open,
    };
    let length = if unit == LengthUnit::Transitions { run.moves } else { run.length };
    Ok(Played { player: run.player, ending, length })
}

/// A trail that is being played.
struct Run<'t, 'e, 'm> {
    player: Player<'e, 'm>,
    trail: &'t Trail,
    claim: Option<ClaimRun<'m>>,
    last: Option<MoveResult>,
    /// How many statements were executed.
    length: usize,
    /// How many moves.
    moves: usize,
    unit: LengthUnit,
}

impl<'e, 'm> Run<'_, 'e, 'm> {
    /// Plays the entry, or the two entries of a rendezvous. Returns the index of the next one.
    fn advance(&mut self, at: usize, visit: &mut impl FnMut(&Player<'e, 'm>, PlayedStep<'_>)) -> Result<usize, Broken> {
        let entries = &self.trail.entries;
        let entry = entries[at];
        let broken = |reason| Broken { step: at + 1, reason };
        if let Some(MoveResult { failed: true, violations, .. }) = &self.last {
            let message = violations.last().map(|(_, violation)| violation.to_string()).unwrap_or_default();
            return Err(broken(BreakReason::Failed(message)));
        }
        if let Some(claim) = self.claim.as_mut().filter(|_| entry.pid == 0) {
            claim.step(&self.player, entry.id).map_err(broken)?;
            return Ok(at + 1);
        }
        let shift = u32::from(self.claim.is_some());
        let numbered = |entry: &Entry| TrailStatement { pid: entry.pid.wrapping_sub(shift), id: entry.id };
        let partners = if self.unit == LengthUnit::Transitions { self.player.processes().max(1) } else { 2 };
        let next: Vec<TrailStatement> = entries[at + 1..].iter().take(partners - 1).map(numbered).collect();
        let found = self.player.find(numbered(&entry), &next);
        if self.trail.merged && found.is_err() && self.player.has_passed(numbered(&entry)) {
            return Ok(at + 1);
        }
        let is_last = at + 1 == entries.len();
        if is_last && matches!(found, Err(TrailMismatch::Blocked { .. })) && self.player.invalid_end().is_some() {
            return Ok(at + 1); // after a deadlock pan's breadth-first search writes the statement it tried last
        }
        let enabled = found.map_err(|misfit| broken(BreakReason::Misfit(Box::new(misfit))))?;
        let happened = self.player.take(&enabled);
        let whole = happened.statements.len();
        let counted = whole.min(entries.len() - at);
        if counted < whole && happened.violations.iter().all(|(count, _)| *count > counted) {
            return Err(broken(BreakReason::HalfRendezvous));
        }
        self.moves += 1;
        let step = PlayedStep { number: self.length + 1, taken: &enabled, happened: &happened, counted, ordinal: None };
        visit(&self.player, step.counted_as(self.moves, self.unit));
        self.length += counted;
        let mut latest = happened;
        let absorbed = if self.trail.merged { chain(&self.player, &latest) } else { Vec::new() };
        for executed in absorbed {
            // the trail ends at the error, also in the middle of a merged chain
            let ends_here = at + counted == entries.len() && !latest.violations.is_empty();
            if ends_here || latest.failed {
                break;
            }
            let id = self.player.engine().trail_id(executed);
            // a jump that was passed already is not enabled
            let Ok(enabled) = self.player.find(TrailStatement { pid: executed.pid.into(), id }, &[]) else { continue };
            let happened = self.player.take(&enabled);
            visit(
                &self.player,
                PlayedStep { number: self.length + 1, taken: &enabled, happened: &happened, counted: 1, ordinal: None },
            );
            self.length += 1;
            latest = happened;
        }
        self.last = Some(latest);
        Ok(at + counted)
    }

    /// Closes the cycle that begins with entry `first` at `start`: the variables that have other values after each round, which nothing
    /// reads. `None` if it does not close. Pan drops the value of a dead variable, which may differ here after the first round; then
    /// the second round must return to the end of the first.
    fn closes(&mut self, first: usize, start: &Checkpoint) -> Option<Vec<String>> {
        if self.player.is_at(start) {
            return Some(Vec::new());
        }
        let (once, length) = (self.player.checkpoint(), self.length);
        let after_one = self.unread_alone(start);
        let mut at = first;
        while at < self.trail.entries.len() {
            match self.advance(at, &mut |_, _| ()) {
                Ok(next) => at = next,
                Err(_) => break,
            }
        }
        let can_repeat = at >= self.trail.entries.len();
        let closed = match can_repeat {
            true if self.player.is_at(&once) => Some(Vec::new()),
            true => after_one.or_else(|| self.unread_alone(&once)),
            false => None,
        };
        self.player.return_to(&once);
        self.length = length;
        closed
    }

    /// The names of the variables that differ from that point, if nothing reads them and nothing else differs.
    fn unread_alone(&self, checkpoint: &Checkpoint) -> Option<Vec<String>> {
        let differing = self.player.differing_globals(checkpoint)?;
        let model = self.player.engine().model();
        let unread = homing_ir::unread_globals(model);
        let all_unread = differing.iter().all(|var| unread[var.index()]);
        all_unread.then(|| differing.iter().map(|var| model.globals[var.index()].name.to_string()).collect())
    }
}

/// The statements that SPIN executes in one step with the last one when it merges statements.
fn chain(player: &Player<'_, '_>, happened: &MoveResult) -> Vec<Executed> {
    let Some(&first) = happened.statements.last() else { return Vec::new() };
    let automaton = &player.engine().model().proctype(first.proctype).automaton;
    let absorbed = automaton.absorbed(first.statement);
    absorbed.map(|absorbed| Executed { statement: absorbed.statement, ..first }).collect()
}

/// A never claim that moves with the run. The automata that SPIN derives from formulas are not known here: their moves,
/// which change nothing, are skipped.
struct ClaimRun<'m> {
    claim: Option<&'m Claim>,
    at: u32,
    /// The assertion of the claim that failed.
    failed: Option<Violation>,
}

impl<'m> ClaimRun<'m> {
    fn new(model: &'m Model, trail: &Trail) -> Self {
        let ids: HashSet<u32> = trail.entries.iter().filter(|entry| entry.pid == 0).map(|entry| entry.id).collect();
        let has_all = |claim: &&Claim| {
            let known: HashSet<u32> = claim.automaton.trail_ids().collect();
            ids.is_subset(&known)
        };
        // pan's breadth-first search omits the moves of the claim
        let is_silent = ids.is_empty() && !trail.entries.is_empty();
        let claim = model.claims.iter().find(has_all).filter(|_| !is_silent);
        ClaimRun { claim, at: claim.map_or(0, |claim| claim.automaton.start), failed: None }
    }

    fn step(&mut self, player: &Player<'_, '_>, id: u32) -> Result<(), BreakReason> {
        let Some(claim) = self.claim else { return Ok(()) };
        let transitions = &claim.automaton.location(self.at).transitions;
        let transition = transitions.iter().find(|transition| claim.automaton.trail_id(transition.statement) == id);
        let Some(transition) = transition else { return Err(BreakReason::ClaimElsewhere { id }) };
        let action = &claim.automaton.statement(transition.statement).action;
        let is_else = matches!(action, Action::Else);
        if !is_else && !player.claim_may(action) {
            let text = Printer { model: player.engine().model(), proctype: None }.action(action);
            return Err(BreakReason::ClaimBlocked { text });
        }
        if let Action::Assert(condition) = action
            && !player.holds(condition)
        {
            let model = player.engine().model();
            let message = format!("assertion violated: {}", Printer { model, proctype: None }.source(condition));
            let place = claim.automaton.statement(transition.statement).place;
            let place = SourcePlace { file: model.sources[place.file as usize].clone(), line: place.line };
            self.failed =
                Some(Violation { kind: ViolationKind::Assertion, message, place: Some(place), process: None });
        }
        self.at = transition.target;
        Ok(())
    }

    /// Whether the claim is at its end, or not known.
    fn may_be_violated(&self) -> bool {
        self.claim.is_none_or(|claim| {
            let automaton = &claim.automaton;
            self.at == 0 || self.at == automaton.end || automaton.location(self.at).labels.end
        })
    }
}
