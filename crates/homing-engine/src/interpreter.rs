//! The interpreter: a model as a transition system, clear before clever; the reference for every other engine.
//!
//! A step is what happens between two states that SPIN stores: one statement, a rendezvous, or a run through an atomic
//! sequence up to where it ends or blocks. Runs are followed depth first, each choice on the way by itself.

use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;
use std::sync::Arc;

use homing_core::{
    Changed, Condition, Cost, Labels, Selected, Selection, SleepSet, SourcePlace, State, Step, StopToken, Target,
    TransitionSystem, Violation, ViolationKind,
};
use homing_ir::print::Printer;
use homing_ir::{InitValue, Location, Model, Place, ProctypeId, StatementId};

use crate::coverage::{Coverage, Unreached};
use crate::cut::{CutRun, Cuts, TooLong};
use crate::d_step::LONGEST_D_STEP;
use crate::eval::{OBSERVER, View};
use crate::execute::{Breach, Executor};
use crate::fault::Fault;
use crate::layout::Layout;
use crate::movers::StepMovers;
use crate::moves::{Choice, Move, Next};
use crate::points::{Choices, Entered, Watchdog};
use crate::tally::{Onward, Tally};
use crate::work::Work;

/// A step is named by its place among the steps of its state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StepIndex(pub u32);

/// A run through atomic sequences is cut off when it has this many statements and does not end there.
pub(crate) const LONGEST_RUN: usize = 1_000_000;

pub struct Interpreter<'m> {
    pub(crate) model: &'m Model,
    pub(crate) layout: Arc<Layout>,
    initial: Box<State>,
    pub(crate) coverage: Coverage,
    pub(crate) stop: StopToken,
    cuts: Cuts,
    atomic_steps: Cell<u64>,
    scratch: RefCell<Scratch>,
}

/// Buffers that are used again for every state.
#[derive(Default)]
struct Scratch {
    base: Work,
    work: Work,
    moves: Vec<Move>,
    breaches: Vec<Breach>,
    choices: Choices<Alternatives>,
    /// The state in front of the first absorbed statement of the run under way, and what the run had come to.
    unabsorbed: (Work, Tally),
}

/// What is kept with a choice: the moves that were possible.
struct Alternatives {
    /// They are `moves[first..end]`.
    first: usize,
    next: usize,
    end: usize,
    /// What the run had come to.
    tally: Tally,
    /// How many processes had moved.
    movers: usize,
}

/// A statement that a process executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Executed {
    pub pid: u8,
    pub proctype: ProctypeId,
    pub statement: StatementId,
}

/// What a step is made of, or nothing of it.
pub(crate) trait Recorder {
    const RECORDS: bool;
    /// An absorbed statement is one that a run can end without.
    fn record(&mut self, executed: Executed, absorbed: bool);
    /// Keeps the first statements only: the run goes back to a choice.
    fn rewind(&mut self, statements: usize);
}

struct Unrecorded;

impl Recorder for Unrecorded {
    const RECORDS: bool = false;
    fn record(&mut self, _: Executed, _: bool) {}
    fn rewind(&mut self, _: usize) {}
}

impl<'m> Interpreter<'m> {
    /// Fails if the initial state cannot be computed.
    pub fn new(model: &'m Model) -> Result<Self, Violation> {
        let mut interpreter = Interpreter {
            model,
            layout: Arc::new(Layout::new(model)),
            initial: Box::new([]),
            coverage: Coverage::new(model),
            stop: StopToken::default(),
            cuts: Cuts::default(),
            atomic_steps: Cell::new(0),
            scratch: RefCell::default(),
        };
        interpreter.initial = interpreter.compute_initial().map_err(|fault| Violation {
            kind: ViolationKind::RuntimeError,
            message: format!("{fault} (in the initial values)"),
            place: None,
            process: None,
        })?;
        Ok(interpreter)
    }

    fn compute_initial(&self) -> Result<Box<State>, Fault> {
        let (model, layout) = (self.model, &self.layout);
        let mut work = Work::default();
        work.load(layout, &vec![0; layout.processes_at as usize]);
        if work.channels.len() > 255 {
            return Err(Fault::TooManyChannels);
        }
        if let Some(monitor) = &model.monitor {
            work.set_monitor(layout, monitor.automaton.start);
        }
        let mut breaches = Vec::new();
        let mut channel = 0;
        for init in &model.inits {
            let slot = layout.globals[init.var.index()];
            for cell in init.cells.clone() {
                let executor = Executor {
                    model,
                    layout,
                    work: &mut work,
                    pid: 0,
                    timeout: false,
                    offer: None,
                    breaches: &mut breaches,
                    log: None,
                    stop: &self.stop,
                };
                let value = executor.initial_value(&init.value, &mut channel)?;
                debug_assert!(matches!(init.value, InitValue::Value(_)) || value == channel);
                work.write(slot.offset + cell * slot.cell.width() as u32, slot.cell, value);
            }
        }
        for start in &model.start {
            let location = model.proctype(start.proctype).automaton.start;
            let pid = work.add_process(layout, start.proctype, location, start.priority)?;
            self.coverage.stands(start.proctype, location);
            let mut executor = Executor {
                model,
                layout,
                work: &mut work,
                pid,
                timeout: false,
                offer: None,
                breaches: &mut breaches,
                log: None,
                stop: &self.stop,
            };
            executor.initialise(start.proctype, &[])?;
        }
        Ok(work.bytes.into_boxed_slice())
    }

    /// The same, which stops when the token is set.
    pub fn stopped_by(mut self, stop: StopToken) -> Self {
        self.stop = stop;
        self
    }

    /// How many bytes at the front of each state hold the values of `hidden` variables, which do not distinguish states. They
    /// are those of the run that reached the state first.
    pub fn hidden_prefix(&self) -> usize {
        self.layout.hidden_prefix as usize
    }

    /// A step that was too long to be followed, here or in a fork, if there was one: the first by its place.
    pub fn cut_run(&self) -> Option<CutRun> {
        self.cuts.first()
    }

    /// A `d_step` was too long to be followed.
    pub(crate) fn cut_d_step(&self, proctype: ProctypeId, statement: StatementId) {
        let place = self.source_place(self.model.proctype(proctype).automaton.statement(statement).place);
        self.cuts.add(CutRun { place, cause: TooLong::DStep(LONGEST_D_STEP) });
    }

    /// Another interpreter of the same model, for another thread. Nothing is covered yet.
    pub fn fork(&self) -> Self {
        Interpreter {
            model: self.model,
            layout: self.layout.clone(),
            initial: self.initial.clone(),
            coverage: Coverage::new(self.model),
            stop: self.stop.clone(),
            cuts: self.cuts.clone(),
            atomic_steps: Cell::new(0),
            scratch: RefCell::default(),
        }
    }

    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// How many statements were executed that left their process alone in charge (SPIN's "atomic steps").
    pub fn atomic_steps(&self) -> u64 {
        self.atomic_steps.get()
    }

    /// The statements that were not reached by the steps shown so far, by process type and control state.
    pub fn unreached(&self) -> Vec<Unreached> {
        self.unreached_in(self.model)
    }

    /// The same in the words of the model that this one is a reduced copy of.
    pub fn unreached_in(&self, original: &Model) -> Vec<Unreached> {
        self.coverage.unreached(original)
    }

    /// Shows each step out of a state, and tells `recorder` the statements it is made of: `visit` is told how many.
    pub(crate) fn expand<R: Recorder>(
        &self,
        state: &State,
        recorder: &mut R,
        mut visit: impl FnMut(Step<'_, StepIndex>, &mut R, usize) -> ControlFlow<()>,
    ) {
        let mut scratch = self.scratch.borrow_mut();
        let scratch = &mut *scratch;
        scratch.base.load(&self.layout, state);
        let mut run = Run::new(self, recorder, &mut visit, 0, false);
        if self.stop.is_set() {
            return run.stop();
        }
        if let Some(violation) = self.broken_invariant(&scratch.base) {
            run.emit(Tally::default(), Target::Violation(violation));
            if run.stopped {
                return;
            }
        }
        scratch.moves.clear();
        run.collect_all(&scratch.base, &mut scratch.moves);
        if scratch.moves.is_empty() && self.model.features.timeout {
            run.timeout = true;
            run.collect_all(&scratch.base, &mut scratch.moves);
        }
        if scratch.moves.is_empty() {
            if let Some(violation) = self.invalid_end(&scratch.base) {
                let cost = self.pending(&scratch.base);
                run.emit(Tally { cost, ..Tally::default() }, Target::Violation(violation));
            }
            return;
        }
        run.explore(scratch);
    }

    /// Shows the steps of some moves of a state, the first of them with the number `next`. The number after the last, and
    /// whether whoever looks has seen enough.
    pub(crate) fn expand_moves(
        &self,
        base: &Work,
        moves: &[Move],
        next: u32,
        timeout: bool,
        mut visit: impl FnMut(Step<'_, StepIndex>) -> ControlFlow<()>,
    ) -> (u32, ControlFlow<()>) {
        let mut scratch = self.scratch.borrow_mut();
        let scratch = &mut *scratch;
        scratch.base.copy_from(base);
        scratch.moves.clear();
        scratch.moves.extend_from_slice(moves);
        let mut visit = |step: Step<'_, StepIndex>, _: &mut Unrecorded, _| visit(step);
        let recorder = &mut Unrecorded;
        let mut run = Run::new(self, recorder, &mut visit, next, timeout);
        run.explore(scratch);
        let going = if run.stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        (run.next, going)
    }

    /// The moves of a process.
    pub(crate) fn moves_of(&self, work: &Work, pid: usize, timeout: bool) -> Vec<Move> {
        let mut moves = Vec::new();
        let view = View { model: self.model, layout: &self.layout, work, pid, timeout, offer: None };
        view.collect_moves(&self.coverage, &mut moves);
        moves
    }

    /// Where the process stands.
    pub(crate) fn location(&self, work: &Work, pid: usize) -> &'m Location {
        let automaton = &self.model.proctype(work.processes[pid].proctype).automaton;
        automaton.location(work.location(&self.layout, pid))
    }

    /// What an invalid end state counts: to see that nothing can move, everything has to be executed.
    pub(crate) fn pending(&self, work: &Work) -> Cost {
        (0..work.processes.len()).map(|pid| self.location(work, pid).pending).sum()
    }

    /// The violation of a state in which nothing can move, unless all may end there.
    pub(crate) fn invalid_end(&self, work: &Work) -> Option<Violation> {
        let stuck = (0..work.processes.len()).find(|&pid| !self.location(work, pid).labels.end);
        if let Some(pid) = stuck {
            let place = self.location(work, pid).place;
            return Some(Violation {
                kind: ViolationKind::InvalidEndState,
                message: "invalid end state: no process can move".to_owned(),
                place: Some(self.source_place(place)),
                process: Some(self.process_name(work, pid)),
            });
        }
        let monitor = self.model.monitor.as_ref()?;
        let completed = work.processes.is_empty() || monitor.automaton.location(work.monitor(&self.layout)).labels.end;
        (!completed).then(|| Violation {
            kind: ViolationKind::InvalidEndState,
            message: "invalid end state: the trace is not completed".to_owned(),
            place: None,
            process: None,
        })
    }

    /// The violation of a state in which an invariant does not hold.
    pub(crate) fn broken_invariant(&self, work: &Work) -> Option<Violation> {
        let view = View { model: self.model, layout: &self.layout, work, pid: OBSERVER, timeout: false, offer: None };
        self.model.invariants.iter().find_map(|invariant| {
            let (kind, message) = match view.eval(&invariant.expr) {
                Ok(0) => (ViolationKind::Invariant, format!("invariant violated: {}", invariant.text)),
                Ok(_) => return None,
                Err(fault) => (ViolationKind::RuntimeError, format!("{fault} (in the invariant {})", invariant.text)),
            };
            Some(Violation { kind, message, place: None, process: None })
        })
    }

    pub(crate) fn source_place(&self, place: Place) -> SourcePlace {
        SourcePlace { file: self.model.sources[place.file as usize].clone(), line: place.line }
    }

    pub(crate) fn process_name(&self, work: &Work, pid: usize) -> String {
        format!("{}({pid})", self.model.proctype(work.processes[pid].proctype).name)
    }

    /// The violation that a breach by a statement is.
    pub(crate) fn breach(&self, breach: Breach, by: Executed) -> Violation {
        let message = match breach {
            Breach::Assertion(condition) => {
                let printer = Printer { model: self.model, proctype: Some(by.proctype) };
                format!("assertion violated: {}", printer.expr(&condition))
            }
            Breach::Trace { message, .. } => message.to_owned(),
        };
        self.violation(ViolationKind::Assertion, message, by)
    }

    /// The violation that a fault of a statement is.
    pub(crate) fn fault(&self, fault: &Fault, by: Executed) -> Violation {
        self.violation(ViolationKind::RuntimeError, fault.to_string(), by)
    }

    fn violation(&self, kind: ViolationKind, message: String, by: Executed) -> Violation {
        let proctype = self.model.proctype(by.proctype);
        Violation {
            kind,
            message,
            place: Some(self.source_place(proctype.automaton.statement(by.statement).place)),
            process: Some(format!("{}({})", proctype.name, by.pid)),
        }
    }
}

impl TransitionSystem for Interpreter<'_> {
    type Action = StepIndex;

    fn initial(&self) -> Box<State> {
        self.initial.clone()
    }

    fn for_each_step(
        &self,
        state: &State,
        selection: Selection,
        mut visit: impl FnMut(Step<'_, StepIndex>) -> ControlFlow<()>,
    ) -> Selected {
        if selection == Selection::Ample {
            return Selected::NoAmpleSet;
        }
        self.expand(state, &mut Unrecorded, |step, _, _| visit(step));
        Selected::ALL
    }

    fn labels(&self, state: &State) -> Labels {
        let mut work = Work::default();
        work.load(&self.layout, state);
        let labels = (0..work.processes.len()).map(|pid| self.location(&work, pid).labels);
        labels.fold(Labels::default(), |all, labels| Labels {
            accepting: all.accepting || labels.accept,
            progress: all.progress || labels.progress,
        })
    }

    fn patiently<R>(&self, work: impl FnOnce() -> R) -> R {
        self.stop.patiently(work)
    }
}

/// One expansion of a state.
struct Run<'r, 'm, R, V> {
    engine: &'r Interpreter<'m>,
    recorder: &'r mut R,
    visit: &'r mut V,
    /// The index of the next step shown.
    next: u32,
    movers: StepMovers,
    timeout: bool,
    /// No more steps are to be shown: `visit` broke off, or the stop token is set.
    stopped: bool,
}

/// How a run through an atomic sequence goes on.
enum Going {
    /// One process goes on alone.
    On(Onward),
    /// The run reached a state that everybody sees.
    Arrived,
    /// It ended in an error, was cut off, or came to a point again that it had passed.
    Cut,
}

impl<'r, 'm, R, V> Run<'r, 'm, R, V>
where
    R: Recorder,
    V: FnMut(Step<'_, StepIndex>, &mut R, usize) -> ControlFlow<()>,
{
    fn new(engine: &'r Interpreter<'m>, recorder: &'r mut R, visit: &'r mut V, next: u32, timeout: bool) -> Self {
        Run { engine, recorder, visit, next, movers: StepMovers::default(), timeout, stopped: false }
    }

    fn view<'w>(&'w self, work: &'w Work, pid: usize) -> View<'w> {
        View { model: self.engine.model, layout: &self.engine.layout, work, pid, timeout: self.timeout, offer: None }
    }

    fn collect_all(&self, work: &Work, moves: &mut Vec<Move>) {
        for pid in (0..work.processes.len()).rev() {
            self.view(work, pid).collect_moves(&self.engine.coverage, moves);
        }
    }

    fn emit(&mut self, Tally { cost, statements, .. }: Tally, target: Target<'_>) {
        let ordinal = self.next;
        self.next += 1;
        let (movers, changed) = (self.movers.pids(), Changed::Anywhere);
        let step = Step { action: StepIndex(ordinal), ordinal, movers, cost, target, changed, sleep: SleepSet::EMPTY };
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

    /// Follows one move; where a run through an atomic sequence has a choice, each way by itself.
    fn explore_move(&mut self, scratch: &mut Scratch, at: usize) {
        scratch.work.copy_from(&scratch.base);
        scratch.choices.clear();
        self.recorder.rewind(0);
        let mut tally = Tally::default();
        let mut watch = Watchdog::default();
        let mut going = self.perform(scratch, at, None, &mut tally);
        while !self.stopped {
            going = match going {
                Going::On(_) if self.engine.stop.is_set() => return self.stop(),
                Going::On(onward) if tally.statements >= LONGEST_RUN => {
                    self.cut_off(&scratch.work, onward, tally, TooLong::Atomic(LONGEST_RUN))
                }
                Going::On(onward) if watch.circles(&scratch.work.bytes, onward) => Going::Cut,
                Going::On(onward) => self.go_on(scratch, onward, &mut tally),
                Going::Arrived | Going::Cut => {
                    if let Going::Arrived = going {
                        self.emit(tally, Target::State(&scratch.work.bytes));
                    }
                    let Some(going) = self.back(scratch, &mut tally) else { return };
                    watch.restart();
                    going
                }
            };
        }
    }

    /// Nothing more is shown: the stop token is set.
    fn stop(&mut self) {
        self.emit(Tally::default(), Target::CutOff);
        self.stopped = true;
    }

    /// The run is too long where `onward` has control.
    fn cut_off(&mut self, work: &Work, onward: Onward, tally: Tally, cause: TooLong) -> Going {
        let place = self.engine.source_place(self.engine.location(work, onward.pid).place);
        self.engine.cuts.add(CutRun { place, cause });
        if !Condition::RunCutOff.is_off() {
            self.emit(tally, Target::CutOff);
        }
        Going::Cut
    }

    /// Inside an atomic sequence: the process moves on alone, or control is lost where it cannot.
    fn go_on(&mut self, scratch: &mut Scratch, onward: Onward, tally: &mut Tally) -> Going {
        let first = scratch.moves.len();
        // `timeout` is a matter of the state the run began in.
        let view = View { timeout: false, ..self.view(&scratch.work, onward.pid) };
        view.collect_moves(&self.engine.coverage, &mut scratch.moves);
        let end = scratch.moves.len();
        let entered = match end - first {
            0 => return Going::Arrived,
            1 => {
                let going = self.perform(scratch, first, Some(onward), tally);
                scratch.moves.truncate(first);
                return going;
            }
            _ => {
                let movers = self.movers.len();
                let alternatives = Alternatives { first, next: first + 1, end, tally: *tally, movers };
                scratch.choices.enter(&scratch.work.bytes, onward, alternatives)
            }
        };
        if entered == Entered::New {
            return self.perform(scratch, first, Some(onward), tally);
        }
        scratch.moves.truncate(first);
        match entered {
            Entered::Full => self.cut_off(&scratch.work, onward, *tally, TooLong::Choices),
            Entered::New | Entered::Again => Going::Cut,
        }
    }

    /// Back to the last choice that has a way left.
    fn back(&mut self, scratch: &mut Scratch, tally: &mut Tally) -> Option<Going> {
        while let Some((bytes, onward, alternatives)) = scratch.choices.last() {
            if alternatives.next < alternatives.end {
                let at = alternatives.next;
                alternatives.next += 1;
                *tally = alternatives.tally;
                self.movers.truncate(alternatives.movers);
                scratch.moves.truncate(alternatives.end);
                scratch.work.load(&self.engine.layout, bytes);
                self.recorder.rewind(tally.statements);
                return Some(self.perform(scratch, at, Some(onward), tally));
            }
            scratch.moves.truncate(alternatives.first);
            scratch.choices.leave();
        }
        None
    }

    /// Executes a move: the first of a step, or one of the process that goes on.
    fn perform(&mut self, scratch: &mut Scratch, at: usize, onward: Option<Onward>, tally: &mut Tally) -> Going {
        let engine = self.engine;
        let absorbed = onward.is_some_and(|onward| onward.absorbed);
        if R::RECORDS {
            self.record(scratch, at, absorbed);
        }
        let (mover, partner) = match &scratch.moves[at] {
            Move::Step(choice) => (choice.pid, None),
            Move::Handshake(sender, receiver) => (sender.pid, Some(receiver.pid)),
            Move::Fault(pid, ..) => (*pid, None),
        };
        if onward.is_none() {
            self.movers.begin(mover.into());
        }
        self.movers.add(mover.into());
        partner.iter().for_each(|&pid| self.movers.add(pid.into()));
        tally.charge(engine, &scratch.work, &scratch.moves[at], onward);
        scratch.breaches.clear();
        let mut executor = Executor {
            model: engine.model,
            layout: &engine.layout,
            work: &mut scratch.work,
            pid: 0,
            timeout: self.timeout && onward.is_none(),
            offer: None,
            breaches: &mut scratch.breaches,
            log: None,
            stop: &engine.stop,
        };
        // Named before the move: afterwards the process may be gone.
        let named = |choice: Choice| {
            let view = View { pid: choice.pid as usize, ..executor.view() };
            let statement = view.transitions()[choice.transition as usize].statement;
            Executed { pid: choice.pid, proctype: view.proctype(), statement }
        };
        let (first, last) = match &scratch.moves[at] {
            Move::Step(choice) => (None, named(*choice)),
            Move::Handshake(sender, receiver) => (Some(named(*sender)), named(*receiver)),
            Move::Fault(pid, statement, _) => {
                let proctype = executor.work.processes[*pid as usize].proctype;
                (None, Executed { pid: *pid, proctype, statement: *statement })
            }
        };
        let result = executor.perform(&scratch.moves[at], &engine.coverage);
        let failed = executor.pid;
        let going = match &result {
            Ok(Next::Alone(pid)) => {
                engine.atomic_steps.set(engine.atomic_steps.get() + 1);
                Going::On(Onward { pid: *pid, absorbed: false })
            }
            Ok(Next::Absorbed(pid)) => {
                if !absorbed {
                    scratch.unabsorbed.0.copy_from(&scratch.work);
                    scratch.unabsorbed.1 = *tally;
                }
                Going::On(Onward { pid: *pid, absorbed: true })
            }
            Ok(Next::Anybody) => Going::Arrived,
            Err(_) => Going::Cut,
        };
        for breach in std::mem::take(&mut scratch.breaches) {
            let early = matches!(breach, Breach::Trace { early: true, .. });
            let by = first.filter(|_| early).unwrap_or(last);
            let violation = engine.breach(breach, by);
            self.emit(tally.failing(early), Target::Violation(violation));
        }
        if let Err((statement, fault)) = result {
            let proctype = scratch.work.processes[failed].proctype;
            if fault == Fault::Stopped {
                self.stop();
                return Going::Cut;
            }
            if fault == Fault::TooLong {
                engine.cut_d_step(proctype, statement);
                self.emit(*tally, Target::CutOff);
                return Going::Cut;
            }
            if absorbed && !Condition::AbsorbFault.is_off() {
                return self.retreat(scratch, tally);
            }
            let violation = engine.fault(&fault, Executed { pid: failed as u8, proctype, statement });
            self.emit(tally.failing(false), Target::Violation(violation));
        }
        going
    }

    /// An absorbed statement fails, which ends the run: the statement before it would never be seen by others. So the process
    /// stops in front of the first absorbed statement, and fails in a step of its own. It uses its own variables alone, so
    /// that it fails whatever others do in between.
    fn retreat(&mut self, scratch: &mut Scratch, tally: &mut Tally) -> Going {
        let (work, before) = &scratch.unabsorbed;
        scratch.work.copy_from(work);
        *tally = *before;
        self.recorder.rewind(tally.statements);
        Going::Arrived
    }

    fn record(&mut self, scratch: &Scratch, at: usize, absorbed: bool) {
        match &scratch.moves[at] {
            Move::Step(choice) => self.record_choice(scratch, *choice, absorbed),
            Move::Handshake(sender, receiver) => {
                self.record_choice(scratch, *sender, false);
                self.record_choice(scratch, *receiver, false);
            }
            Move::Fault(pid, statement, _) => {
                let proctype = scratch.work.processes[*pid as usize].proctype;
                self.recorder.record(Executed { pid: *pid, proctype, statement: *statement }, absorbed);
            }
        }
    }

    fn record_choice(&mut self, scratch: &Scratch, choice: Choice, absorbed: bool) {
        let view = self.view(&scratch.work, choice.pid as usize);
        let statement = view.transitions()[choice.transition as usize].statement;
        let executed = Executed { pid: choice.pid, proctype: view.proctype(), statement };
        self.recorder.record(executed, absorbed);
    }
}
