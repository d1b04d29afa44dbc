//! The expansion of one state by the interpreter: its moves, and the runs that begin with each of them.
//!
//! A run is followed depth first: where a process that continues alone has several moves, each is followed in turn.

use std::ops::ControlFlow;

use homing_core::{Changed, Condition, Selected, SleepSet, State, Step, Target};

use crate::Interpreter;
use crate::cut::{CutRun, TooLong};
use crate::eval::View;
use crate::execute::Breach;
use crate::fault::Fault;
use crate::interpreter::{Executed, StepIndex};
use crate::movers::StepMovers;
use crate::moves::{ControlAfter, Move};
use crate::points::{ChoiceStack, CycleDetector, Entered};
use crate::run::{Control, LONGEST_RUN, RunCost, RunStatus};
use crate::stubborn::{EnabledMove, Seeds};
use crate::working_state::WorkingState;

/// Buffers that are used again for every state.
#[derive(Default)]
pub(crate) struct Scratch {
    /// The state that is expanded.
    base: WorkingState,
    /// The state that the run has reached.
    work: WorkingState,
    /// The moves of the state, then those of the choices of the run.
    moves: Vec<Move>,
    breaches: Vec<Breach>,
    choices: ChoiceStack<Alternatives>,
    /// The state before the first absorbed statement of the run, and the cost of the run up to there.
    unabsorbed: (WorkingState, RunCost),
}

/// The moves of a choice of a run.
struct Alternatives {
    /// They are `moves[first..end]`.
    first: usize,
    /// The next that is to be followed.
    next: usize,
    end: usize,
    /// The cost of the run up to the choice.
    run_cost: RunCost,
    /// The number of processes that had moved.
    movers: usize,
}

/// Receives the statements of each step.
pub(crate) trait Recorder {
    const RECORDS: bool;
    /// Adds a statement; an absorbed one is a statement that a run can end without.
    fn record(&mut self, executed: Executed, absorbed: bool);
    /// Keeps the first statements only: the run goes back to a choice.
    fn rewind(&mut self, statements: usize);
}

/// A recorder that records nothing.
pub(crate) struct Unrecorded;

impl Recorder for Unrecorded {
    const RECORDS: bool = false;
    fn record(&mut self, _: Executed, _: bool) {}
    fn rewind(&mut self, _: usize) {}
}

/// What is shown the steps of a state, each with the number of its statements. It is called through a pointer: the interpreter takes
/// far longer for a step, and a copy of this file for each search takes minutes to compile.
pub(crate) type Visit<'v, R> = dyn FnMut(Step<'_, StepIndex>, &mut R, usize) -> ControlFlow<()> + 'v;

impl Interpreter<'_> {
    /// Shows `visit` each step out of a state, with the number of its statements, which `recorder` has received.
    pub(crate) fn expand<R: Recorder>(&self, state: &State, recorder: &mut R, visit: &mut Visit<'_, R>) -> Selected {
        let mut scratch = self.scratch.borrow_mut();
        let scratch = &mut *scratch;
        scratch.base.load(&self.layout, state);
        let mut expansion = InterpretedExpansion::new(self, recorder, visit, 0, false);
        if self.stop.is_set() {
            expansion.stop();
            return Selected::ALL;
        }
        if let Some(violation) = self.broken_invariant(&scratch.base) {
            expansion.emit(RunCost::default(), Target::Violation(violation));
            if expansion.stopped {
                return Selected::ALL;
            }
        }
        scratch.moves.clear();
        expansion.collect_all(&scratch.base, &mut scratch.moves);
        if scratch.moves.is_empty() && self.model.features.timeout {
            expansion.timeout = true;
            expansion.collect_all(&scratch.base, &mut scratch.moves);
        }
        let before = expansion.next;
        expansion.explore(scratch);
        let is_blocked = expansion.next == before;
        // the invariants of locations can rule out all moves of a network
        if scratch.moves.is_empty() || is_blocked && self.model.features.network {
            if let Some(violation) = self.invalid_end(&scratch.base) {
                expansion.movers.truncate(0); // those of a step that an invariant ruled out
                let cost = self.pending(&scratch.base);
                expansion.emit(RunCost { cost, ..RunCost::default() }, Target::Violation(violation));
            }
            return Selected::ALL;
        }
        if is_blocked { Selected::Diverges } else { Selected::ALL }
    }

    /// Shows the steps of some moves of a state, the first of them with the ordinal `next`. Returns the ordinal after the last,
    /// and whether `visit` broke off or the stop token is set.
    pub(crate) fn expand_moves(
        &self,
        base: &WorkingState,
        moves: &[Move],
        next: u32,
        timeout: bool,
        visit: &mut dyn FnMut(Step<'_, StepIndex>) -> ControlFlow<()>,
    ) -> (u32, ControlFlow<()>) {
        let mut scratch = self.scratch.borrow_mut();
        let scratch = &mut *scratch;
        scratch.base.copy_from(base);
        scratch.moves.clear();
        scratch.moves.extend_from_slice(moves);
        let mut visit = |step: Step<'_, StepIndex>, _: &mut Unrecorded, _| visit(step);
        let recorder = &mut Unrecorded;
        let mut expansion = InterpretedExpansion::new(self, recorder, &mut visit, next, timeout);
        expansion.explore(scratch);
        let flow = if expansion.stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        (expansion.next, flow)
    }

    /// Shows the steps of a stubborn set, if the state is reduced.
    pub(crate) fn expand_stubborn(
        &self,
        state: &State,
        seeds: Seeds,
        visit: &mut dyn FnMut(Step<'_, StepIndex>) -> ControlFlow<()>,
    ) -> Selected {
        let Some(sets) = self.stubborn_sets().filter(|_| !self.stop.is_set()) else { return Selected::NotReduced };
        let mut work = WorkingState::default();
        work.load(&self.layout, state);
        if self.broken_invariant(&work).is_some() {
            return Selected::NotReduced; // nothing follows an error, and all steps show it
        }
        let moves: Vec<Move> =
            (0..work.processes.len()).rev().flat_map(|pid| self.moves_of(&work, pid, false)).collect();
        let enabled: Option<Vec<EnabledMove>> = moves.iter().map(Move::as_enabled).collect();
        let view = View {
            model: self.model,
            layout: &self.layout,
            work: &work,
            pid: 0,
            timeout: false,
            offer: None,
            asked: 0,
        };
        let scratch = &mut *self.stubborn_scratch.borrow_mut();
        let chosen = enabled.and_then(|enabled| sets.select(scratch, seeds, view, &enabled));
        let Some(chosen) = chosen else { return Selected::NotReduced };
        let is_chosen = |(at, _): &(usize, Move)| chosen >> at & 1 != 0;
        let left_out = moves.len() as u32 - chosen.count_ones();
        let moves: Vec<Move> = moves.into_iter().enumerate().filter(is_chosen).map(|(_, one)| one).collect();
        // A run without end is no step, and stands for none.
        let (shown, _) = self.expand_moves(&work, &moves, 0, false, visit);
        if shown == 0 { Selected::NotReduced } else { Selected::Shown { left_out } }
    }

    /// The moves of a process.
    pub(crate) fn moves_of(&self, work: &WorkingState, pid: usize, timeout: bool) -> Vec<Move> {
        let mut moves = Vec::new();
        let view = View { model: self.model, layout: &self.layout, work, pid, timeout, offer: None, asked: 0 };
        view.collect_moves(&self.coverage, &mut moves);
        moves
    }
}

/// The expansion of one state.
struct InterpretedExpansion<'r, 'm, R> {
    engine: &'r Interpreter<'m>,
    recorder: &'r mut R,
    visit: &'r mut Visit<'r, R>,
    /// The ordinal of the next step.
    next: u32,
    movers: StepMovers,
    timeout: bool,
    /// No more steps are to be shown: `visit` broke off, or the stop token is set.
    stopped: bool,
}

impl<'r, 'm, R: Recorder> InterpretedExpansion<'r, 'm, R> {
    fn new(
        engine: &'r Interpreter<'m>,
        recorder: &'r mut R,
        visit: &'r mut Visit<'r, R>,
        next: u32,
        timeout: bool,
    ) -> Self {
        InterpretedExpansion { engine, recorder, visit, next, movers: StepMovers::default(), timeout, stopped: false }
    }

    fn view<'w>(&'w self, work: &'w WorkingState, pid: usize) -> View<'w> {
        View {
            model: self.engine.model,
            layout: &self.engine.layout,
            work,
            pid,
            timeout: self.timeout,
            offer: None,
            asked: 0,
        }
    }

    /// Adds the moves of all processes, the youngest first.
    fn collect_all(&self, work: &WorkingState, moves: &mut Vec<Move>) {
        for pid in (0..work.processes.len()).rev() {
            self.view(work, pid).collect_moves(&self.engine.coverage, moves);
        }
        if self.engine.model.features.network {
            self.engine.keep_committed(work, moves);
        }
    }

    /// Shows a step.
    fn emit(&mut self, RunCost { cost, statements, .. }: RunCost, target: Target<'_>) {
        let ordinal = self.next;
        self.next += 1;
        let (movers, changed) = (self.movers.pids(), Changed::Anywhere);
        let step = Step {
            action: StepIndex(ordinal),
            ordinal,
            movers,
            cost,
            target,
            changed,
            sleep: SleepSet::EMPTY,
            acceptance: 0,
            is_transient: false,
        };
        if (self.visit)(step, self.recorder, statements).is_break() {
            self.stopped = true;
        }
    }

    /// Follows every move of the state.
    fn explore(&mut self, scratch: &mut Scratch) {
        let all = scratch.moves.len();
        for at in 0..all {
            scratch.moves.truncate(all);
            self.explore_move(scratch, at);
            if self.stopped {
                return;
            }
        }
    }

    /// Follows the runs that begin with a move, one for each combination of the choices on the way.
    fn explore_move(&mut self, scratch: &mut Scratch, at: usize) {
        scratch.work.copy_from(&scratch.base);
        scratch.choices.clear();
        self.recorder.rewind(0);
        let mut run_cost = RunCost::default();
        let mut cycles = CycleDetector::default();
        let mut status = self.perform(scratch, at, None, &mut run_cost);
        while !self.stopped {
            status = match status {
                RunStatus::Continues(_) if self.engine.stop.is_set() => return self.stop(),
                RunStatus::Continues(control) if run_cost.statements >= LONGEST_RUN => {
                    self.cut_off(&scratch.work, control, run_cost, TooLong::Atomic(LONGEST_RUN))
                }
                RunStatus::Continues(control) if cycles.is_cycle(&scratch.work.bytes, control) => RunStatus::Cut,
                RunStatus::Continues(control) => self.continue_run(scratch, control, &mut run_cost),
                RunStatus::Arrived | RunStatus::Cut => {
                    if let RunStatus::Arrived = status {
                        self.emit(run_cost, Target::State(&scratch.work.bytes));
                    }
                    let Some(status) = self.backtrack(scratch, &mut run_cost) else { return };
                    cycles.restart();
                    status
                }
            };
        }
    }

    /// Shows that the stop token is set, and nothing after that.
    fn stop(&mut self) {
        self.emit(RunCost::default(), Target::CutOff);
        self.stopped = true;
    }

    /// Ends a run that is too long.
    fn cut_off(&mut self, work: &WorkingState, control: Control, run_cost: RunCost, cause: TooLong) -> RunStatus {
        let place = self.engine.source_place(self.engine.location(work, control.pid).place);
        self.engine.cuts.add(CutRun { place, cause });
        if !Condition::RunCutOff.is_off() {
            self.emit(run_cost, Target::CutOff);
        }
        RunStatus::Cut
    }

    /// Continues a run by a move of the process that has control; the run ends if it has none.
    fn continue_run(&mut self, scratch: &mut Scratch, control: Control, run_cost: &mut RunCost) -> RunStatus {
        let first = scratch.moves.len();
        // `timeout` can hold only in the state that the run began in.
        let view = View { timeout: false, ..self.view(&scratch.work, control.pid) };
        view.collect_moves(&self.engine.coverage, &mut scratch.moves);
        let end = scratch.moves.len();
        let entered = match end - first {
            0 => return RunStatus::Arrived,
            1 => {
                let status = self.perform(scratch, first, Some(control), run_cost);
                scratch.moves.truncate(first);
                return status;
            }
            _ => {
                let movers = self.movers.len();
                let alternatives = Alternatives { first, next: first + 1, end, run_cost: *run_cost, movers };
                scratch.choices.enter(&scratch.work.bytes, control, alternatives)
            }
        };
        if entered == Entered::New {
            return self.perform(scratch, first, Some(control), run_cost);
        }
        scratch.moves.truncate(first);
        match entered {
            Entered::Full => self.cut_off(&scratch.work, control, *run_cost, TooLong::Choices),
            Entered::New | Entered::Again => RunStatus::Cut,
        }
    }

    /// Goes back to the last choice with a move that was not followed, and follows it; `None` if there is none.
    fn backtrack(&mut self, scratch: &mut Scratch, run_cost: &mut RunCost) -> Option<RunStatus> {
        while let Some((bytes, control, alternatives)) = scratch.choices.last() {
            if alternatives.next < alternatives.end {
                let at = alternatives.next;
                alternatives.next += 1;
                *run_cost = alternatives.run_cost;
                self.movers.truncate(alternatives.movers);
                scratch.moves.truncate(alternatives.end);
                scratch.work.load(&self.engine.layout, bytes);
                self.recorder.rewind(run_cost.statements);
                return Some(self.perform(scratch, at, Some(control), run_cost));
            }
            scratch.moves.truncate(alternatives.first);
            scratch.choices.leave();
        }
        None
    }

    /// Executes a move: the first of a step, or one of the process that has control.
    fn perform(
        &mut self,
        scratch: &mut Scratch,
        at: usize,
        control: Option<Control>,
        run_cost: &mut RunCost,
    ) -> RunStatus {
        let engine = self.engine;
        let absorbed = control.is_some_and(|control| control.absorbed);
        // Named before the move, in which a process may end.
        let (first, last) = engine.executed_by(&scratch.work, &scratch.moves[at]);
        if R::RECORDS {
            self.record(&scratch.work, &scratch.moves[at], first, last, absorbed);
        }
        for (number, mover) in scratch.moves[at].pids().enumerate() {
            if number == 0 && control.is_none() {
                self.movers.begin(mover.into());
            }
            self.movers.add(mover.into());
        }
        run_cost.charge(engine, &scratch.work, &scratch.moves[at], control);
        scratch.breaches.clear();
        let mut executor = engine.executor(&mut scratch.work, &mut scratch.breaches, self.timeout && control.is_none());
        let result = executor.perform(&scratch.moves[at], &engine.coverage);
        let failed = executor.pid;
        for breach in std::mem::take(&mut scratch.breaches) {
            let early = matches!(breach, Breach::Trace { early: true, .. });
            let violation = engine.breach(breach, if early { first } else { last });
            self.emit(run_cost.failing(early), Target::Violation(violation));
        }
        match result {
            Ok(ControlAfter::Released) if engine.model.features.network => match engine.meets_invariants(&scratch.work)
            {
                Ok(true) => RunStatus::Arrived,
                Ok(false) => RunStatus::Cut,
                Err(fault) => self.fail(scratch, run_cost, &fault, last, false),
            },
            Ok(ControlAfter::Released) => RunStatus::Arrived,
            Ok(ControlAfter::Atomic(pid)) => {
                engine.atomic_steps.set(engine.atomic_steps.get() + 1);
                RunStatus::Continues(Control { pid, absorbed: false })
            }
            Ok(ControlAfter::Absorbed(pid)) => {
                if !absorbed {
                    scratch.unabsorbed.0.copy_from(&scratch.work);
                    scratch.unabsorbed.1 = *run_cost;
                }
                RunStatus::Continues(Control { pid, absorbed: true })
            }
            Err((statement, fault)) => {
                let proctype = scratch.work.processes[failed].proctype;
                let by = Executed { pid: failed as u8, proctype, statement };
                self.fail(scratch, run_cost, &fault, by, absorbed)
            }
        }
    }

    /// Ends a run whose last statement was not executed to its end.
    fn fail(
        &mut self,
        scratch: &mut Scratch,
        run_cost: &mut RunCost,
        fault: &Fault,
        by: Executed,
        absorbed: bool,
    ) -> RunStatus {
        match fault {
            Fault::Stopped => self.stop(),
            Fault::TooLong => {
                self.engine.cut_d_step(by.proctype, by.statement);
                self.emit(*run_cost, Target::CutOff);
            }
            _ if absorbed && !Condition::AbsorbFault.is_off() => return self.retreat(scratch, run_cost),
            fault => {
                let violation = self.engine.fault(fault, by);
                self.emit(run_cost.failing(false), Target::Violation(violation));
            }
        }
        RunStatus::Cut
    }

    /// Ends a run before its first absorbed statement, because one of them fails: otherwise other processes would never see
    /// the state after the statement before it. The process fails in a step of its own: absorbed statements use variables of
    /// their process alone, so that it fails whatever others do in between.
    fn retreat(&mut self, scratch: &mut Scratch, run_cost: &mut RunCost) -> RunStatus {
        let (work, before) = &scratch.unabsorbed;
        scratch.work.copy_from(work);
        *run_cost = *before;
        self.recorder.rewind(run_cost.statements);
        RunStatus::Arrived
    }

    /// Passes the statements of a move on to the recorder.
    fn record(&mut self, work: &WorkingState, what: &Move, first: Executed, last: Executed, absorbed: bool) {
        match what {
            Move::Handshake(..) => {
                self.recorder.record(first, false);
                self.recorder.record(last, false);
            }
            Move::Signal(_, receivers) => {
                self.recorder.record(first, false);
                for receiver in receivers {
                    self.recorder.record(self.engine.executed(work, *receiver), false);
                }
            }
            Move::Step(_) | Move::Fault(..) => self.recorder.record(first, absorbed),
        }
    }
}
