//! The interpreter: a model as a transition system, simple rather than fast; the reference for every other engine.
//!
//! A step leads from one state that SPIN stores to the next: one statement, a rendezvous, or a run through an atomic sequence
//! up to where it ends or blocks. How the steps of a state are found is in `expansion.rs`.

use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

use homing_core::{
    Fork, Labels, PartialLetter, Selected, Selection, State, Step, StopToken, TransitionSystem, Violation,
    ViolationKind,
};
use homing_ir::{InitValue, Location, Model, ProctypeId, StatementId};

use crate::coverage::{Coverage, Unreached};
use crate::cut::{CutRun, Cuts, TooLong};
use crate::d_step::LONGEST_D_STEP;
use crate::execute::{Breach, Executor};
use crate::expansion::{Scratch, Unrecorded};
use crate::fault::Fault;
use crate::layout::Layout;
use crate::moves::{Choice, Move};
use crate::stubborn::{self, Seeds, StubbornSets};
use crate::working_state::WorkingState;

/// The name of a step: its ordinal among the steps of its state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StepIndex(pub u32);

/// A model as a transition system.
pub struct Interpreter<'m> {
    pub(crate) model: &'m Model,
    pub(crate) layout: Arc<Layout>,
    initial: Box<State>,
    pub(crate) coverage: Coverage,
    pub(crate) stop: StopToken,
    pub(crate) cuts: Cuts,
    pub(crate) atomic_steps: Cell<u64>,
    pub(crate) scratch: RefCell<Scratch>,
    /// An invariant, or a proposition of a network, asks whether no step is possible.
    pub(crate) asks_for_deadlock: bool,
    /// Derived when they are first asked for; forks share them.
    stubborn: Arc<OnceLock<Option<StubbornSets>>>,
    pub(crate) stubborn_scratch: RefCell<stubborn::Scratch>,
}

/// A statement that a process executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Executed {
    pub pid: u8,
    pub proctype: ProctypeId,
    pub statement: StatementId,
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
            asks_for_deadlock: model.asks_for_deadlock() || (model.features.network && model.observes_timeout()),
            stubborn: Arc::default(),
            stubborn_scratch: RefCell::default(),
        };
        interpreter.initial = interpreter.compute_initial().map_err(|fault| Violation {
            kind: ViolationKind::RuntimeError,
            message: format!("{fault} (in the initial values)"),
            place: None,
            process: None,
        })?;
        match interpreter.impossible_start(&interpreter.initial) {
            Some(violation) => Err(violation),
            None => Ok(interpreter),
        }
    }

    fn compute_initial(&self) -> Result<Box<State>, Fault> {
        let (model, layout) = (self.model, &self.layout);
        let mut work = WorkingState::without_processes(layout);
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
                let executor = self.executor(&mut work, &mut breaches, false);
                let value = executor.initial_value(&init.value, &mut channel)?;
                debug_assert!(matches!(init.value, InitValue::Value(_)) || value == channel);
                work.write(slot.offset + cell * slot.cell.width() as u32, slot.cell, value);
            }
        }
        for start in &model.start {
            let location = model.proctype(start.proctype).automaton.start;
            let pid = work.add_process(layout, start.proctype, location, start.priority)?;
            self.coverage.record_location(start.proctype, location);
            let mut executor = Executor { pid, ..self.executor(&mut work, &mut breaches, false) };
            executor.initialise(start.proctype, &[], &[])?;
        }
        Ok(work.bytes.into_boxed_slice())
    }

    /// An executor of statements on a state, which records no effects.
    pub(crate) fn executor<'a>(
        &'a self,
        work: &'a mut WorkingState,
        breaches: &'a mut Vec<Breach>,
        timeout: bool,
    ) -> Executor<'a> {
        let Interpreter { model, layout, stop, .. } = self;
        Executor { model, layout, work, pid: 0, timeout, offer: None, breaches, log: None, stop }
    }

    /// The interpreter with a token that stops long steps when it is set.
    pub fn stopped_by(mut self, stop: StopToken) -> Self {
        self.stop = stop;
        self
    }

    /// The number of bytes at the front of each state that hold `hidden` variables, which do not distinguish states. Their
    /// values are those of the run that reached the state first.
    pub fn hidden_prefix(&self) -> usize {
        self.layout.hidden_prefix as usize
    }

    /// A step that was cut off, here or in a fork, if there was one: the first by its place.
    pub fn cut_run(&self) -> Option<CutRun> {
        self.cuts.first()
    }

    /// Records that a `d_step` was cut off.
    pub(crate) fn cut_d_step(&self, proctype: ProctypeId, statement: StatementId) {
        let place = self.source_place(self.model.proctype(proctype).automaton.statement(statement).place);
        self.cuts.add(CutRun { place, cause: TooLong::DStep(LONGEST_D_STEP) });
    }

    /// The access sets by which states are reduced; none if the model has what no access set describes.
    pub(crate) fn stubborn_sets(&self) -> Option<&StubbornSets> {
        let sets = self.stubborn.get_or_init(|| StubbornSets::of(self.model, &self.layout, &self.initial));
        sets.as_ref()
    }

    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// The number of executed statements that ended inside an atomic sequence (SPIN's "atomic steps").
    pub fn atomic_steps(&self) -> u64 {
        self.atomic_steps.get()
    }

    /// The statements that were not reached by the steps shown so far, by process type and control state.
    pub fn unreached(&self) -> Vec<Unreached> {
        self.unreached_in(self.model)
    }

    /// The statements that were not reached, with their texts in the model that this one is a reduced copy of.
    pub fn unreached_in(&self, original: &Model) -> Vec<Unreached> {
        self.coverage.unreached(original)
    }

    /// The location of a process.
    pub(crate) fn location(&self, work: &WorkingState, pid: usize) -> &'m Location {
        let automaton = &self.model.proctype(work.processes[pid].proctype).automaton;
        automaton.location(work.location(&self.layout, pid))
    }

    /// The first and the last statement of a move: the send and the receive of a rendezvous, the same statement otherwise. To
    /// be called before the move, in which a process may end.
    pub(crate) fn executed_by(&self, work: &WorkingState, what: &Move) -> (Executed, Executed) {
        match what {
            Move::Step(choice) => {
                let by = self.executed(work, *choice);
                (by, by)
            }
            Move::Handshake(sender, receiver) => (self.executed(work, *sender), self.executed(work, *receiver)),
            Move::Signal(sender, receivers) => {
                let last = receivers.last().unwrap_or(sender);
                (self.executed(work, *sender), self.executed(work, *last))
            }
            Move::Fault(pid, statement, _) => {
                let proctype = work.processes[usize::from(*pid)].proctype;
                let by = Executed { pid: *pid, proctype, statement: *statement };
                (by, by)
            }
        }
    }

    /// The statement of a choice.
    pub(crate) fn executed(&self, work: &WorkingState, Choice { pid, transition }: Choice) -> Executed {
        let transitions = &self.location(work, usize::from(pid)).transitions;
        let proctype = work.processes[usize::from(pid)].proctype;
        Executed { pid, proctype, statement: transitions[transition as usize].statement }
    }
}

impl Fork for Interpreter<'_> {
    /// Another interpreter of the same model, with empty coverage.
    fn fork(&self) -> Self {
        Interpreter {
            model: self.model,
            layout: self.layout.clone(),
            initial: self.initial.clone(),
            coverage: Coverage::new(self.model),
            stop: self.stop.clone(),
            cuts: self.cuts.clone(),
            atomic_steps: Cell::new(0),
            scratch: RefCell::default(),
            asks_for_deadlock: self.asks_for_deadlock,
            stubborn: self.stubborn.clone(),
            stubborn_scratch: RefCell::default(),
        }
    }

    /// Adds the coverage and the counts of a fork.
    fn join(&self, fork: &Self) {
        self.coverage.absorb(&fork.coverage);
        self.atomic_steps.set(self.atomic_steps.get() + fork.atomic_steps.get());
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
        match selection {
            Selection::Stubborn => self.expand_stubborn(state, Seeds::Any, &mut visit),
            Selection::StubbornWithErrors => self.expand_stubborn(state, Seeds::Errors, &mut visit),
            Selection::All | Selection::Outside(_) => {
                self.expand(state, &mut Unrecorded, &mut |step, _, _| visit(step))
            }
        }
    }

    fn labels(&self, state: &State) -> Labels {
        let mut work = WorkingState::default();
        work.load(&self.layout, state);
        let labels = (0..work.processes.len()).map(|pid| self.location(&work, pid).labels);
        labels.fold(Labels::default(), |all, labels| Labels {
            accepting: all.accepting || labels.accept,
            progress: all.progress || labels.progress,
        })
    }

    fn letter(&self, state: &State) -> Result<u64, PartialLetter> {
        let mut work = WorkingState::default();
        work.load(&self.layout, state);
        self.letter_of(&work)
    }

    fn patiently<R>(&self, work: impl FnOnce() -> R) -> R {
        self.stop.patiently(work)
    }
}
