//! The compiled engine: the same steps in the same order as the interpreter, by machine code that is generated when the model is
//! read.
//!
//! Common statements are compiled: conditions, assignments, messages, rendezvous, `d_step`, runs through atomic sequences. All
//! others, and all that is a run-time error of the model, are left to the interpreter, which executes the same process or move:
//! errors are defined in one place.
//!
//! # How a process is explored
//!
//! [`Expansion::explore`] goes through the processes of a state. Each is explored in the fastest of these ways that applies:
//!
//! ```text
//! explore_process: the LocationEntry of its location (FastPaths::location)
//!   │  enabled_mask: the constant mask, or the guards are called; FAULT if they give up or the location is not recorded yet
//!   │
//!   ├─ mask = 0 ─────────────────────────────► no step
//!   │
//!   ├─ no special transition in the mask ────► explore_plain (explore_outside with a sleep set)
//!   │                                            each transition: explore_step
//!   │                                              ├─ a whole step with a fast path ─► invoke, show, undo
//!   │                                              └─ otherwise ─► explore_move (below)
//!   │
//!   ├─ one transition, a send that may be a ─► explore_send: Driver::rendezvous
//!   │  rendezvous                                ├─ NoPartner ─► no step
//!   │                                            ├─ Done: one receiver, one receive ─► show, undo
//!   │                                            └─ Unclear ─► undo, explore_special
//!   │
//!   └─ several, or FAULT ────────────────────► explore_special
//!                                                │  evaluate_guards, if the mask is FAULT; records the location
//!                                                ├─ they give up ─► interpret_process
//!                                                ├─ no special transition ─► explore_plain
//!                                                └─ collect_moves (with partners, `else`, escapes)
//!                                                     ├─ it gives up ─► interpret_process
//!                                                     └─ each move: explore_move
//!
//! explore_move ─► follow: perform the move, then continue_run while one process has control; backtrack at choices
//!   ├─ arrived: show          ├─ cut: the run came to a choice again          └─ gives up ─► undo, interpret the move
//! ```
//!
//! [Special](code::LocationCode::special) transitions need more than their guard to be taken: sends that may be a rendezvous, an
//! `else` beside them, and all transitions beside an escape. The fast paths are filled in when the coverage has recorded a
//! location or transition, so that the first exploration of each goes by `explore_special` or `explore_move`.
//!
//! # The files
//!
//! - The model is compiled by [`generate`] (which functions there are), [`functions`] (the JIT module) and [`translate`], on
//!   which [`expression`], [`statement`], [`block`] (`d_step`), [`message`], [`rendezvous`] and [`memory`] build; [`chain`] and
//!   [`channels`] analyse the model for them. The result is [`code`].
//! - Code runs in a [`context`] with an undo [`log`], and calls the functions of [`runtime`].
//! - A state is expanded by [`expand`], which calls code by [`drive`], [`partners`] and [`fast_paths`].
//! - The code of an automata network and the expansion of its states are in [`network`].
//! - Reductions: `access`, `sleep`, `stubborn`.

mod access;
mod block;
mod chain;
mod channels;
mod code;
mod code_source;
mod context;
mod drive;
mod expand;
mod expression;
mod fast_paths;
mod functions;
mod generate;
mod log;
mod memory;
mod message;
mod network;
mod partners;
mod rendezvous;
mod runtime;
mod sleep;
mod statement;
mod stubborn;
#[cfg(test)]
mod testing;
mod translate;

use std::cell::{Cell, OnceCell, RefCell};
use std::ops::ControlFlow;
use std::sync::Arc;

use homing_core::{
    Fork, Labels, PartialLetter, Selected, Selection, SleepSet, State, Step, StopToken, TransitionSystem, Violation,
};
use homing_ir::Model;

use crate::cut::CutRun;
use crate::eval::{CLAIM, OBSERVER};
use crate::interpreter::{Interpreter, StepIndex};
use crate::stubborn::Seeds;
use code::Code;
use code_source::CodeSource;
use context::Context;
use drive::{Driver, Machine};
use expand::Expansion;
use network::{NetworkCode, NetworkExpansion};
use translate::FAULT;

/// A model with its code, as a transition system.
pub struct CompiledEngine<'m> {
    interpreter: Interpreter<'m>,
    /// Where the code comes from; forks share it.
    source: Arc<CodeSource>,
    /// The code, once there is one. Until then, and if the model or this machine is not supported, the interpreter does everything.
    code: OnceCell<Arc<Code>>,
    /// States that are still expanded by the interpreter before code is generated.
    patience: Cell<u64>,
    machine: RefCell<Machine<'m>>,
    atomic_steps: Cell<u64>,
}

impl<'m> CompiledEngine<'m> {
    /// Compiles a model. Fails if the initial state cannot be computed.
    pub fn new(model: &'m Model) -> Result<Self, Violation> {
        Self::new_until(model, StopToken::default())
    }

    /// Compiles a model for an engine that stops when the token is set. If that is while it compiles, there is no code. Fails if
    /// the initial state cannot be computed.
    pub fn new_until(model: &'m Model, stop: StopToken) -> Result<Self, Violation> {
        let engine = Self::lazy_until(model, stop)?;
        engine.generate();
        Ok(engine)
    }

    /// An engine that compiles its model after it has expanded as many states as make that worthwhile, and stops when the token is
    /// set. Fails if the initial state cannot be computed.
    pub fn lazy_until(model: &'m Model, stop: StopToken) -> Result<Self, Violation> {
        let is_plain = !model.features.priorities && model.monitor.is_none();
        let is_compiled = is_plain && (!model.features.network || network::is_compiled(model));
        let source = if is_compiled { CodeSource::default() } else { CodeSource::none() };
        Ok(Self::with(Interpreter::new(model)?.stopped_by(stop), Arc::new(source)))
    }

    /// An engine without code, which leaves everything to the interpreter. Fails if the initial state cannot be computed.
    pub fn without_code(model: &'m Model) -> Result<Self, Violation> {
        Self::without_code_until(model, StopToken::default())
    }

    /// An engine without code that stops when the token is set. Fails if the initial state cannot be computed.
    pub fn without_code_until(model: &'m Model, stop: StopToken) -> Result<Self, Violation> {
        Ok(Self::with(Interpreter::new(model)?.stopped_by(stop), Arc::new(CodeSource::none())))
    }

    fn with(interpreter: Interpreter<'m>, source: Arc<CodeSource>) -> Self {
        let machine = RefCell::new(machine(&interpreter, None));
        let patience = Cell::new(CodeSource::patience(interpreter.model));
        let engine = CompiledEngine {
            interpreter,
            source,
            code: OnceCell::new(),
            patience,
            machine,
            atomic_steps: Cell::new(0),
        };
        if engine.source.has_code() {
            engine.generate();
        }
        engine
    }

    /// Generates the code, or takes what another fork has generated.
    fn generate(&self) -> Option<&Arc<Code>> {
        if self.code.get().is_none() {
            let Interpreter { model, layout, stop, .. } = &self.interpreter;
            let code = self.source.code(model, layout, stop)?;
            *self.machine.borrow_mut() = machine(&self.interpreter, Some(&code));
            let _ = self.code.set(code);
        }
        self.code.get()
    }

    /// The code, if it is time for it.
    #[inline(always)]
    fn code(&self, selection: Selection) -> Option<&Arc<Code>> {
        self.code.get().or_else(|| self.code_if_due(selection))
    }

    #[cold]
    fn code_if_due(&self, selection: Selection) -> Option<&Arc<Code>> {
        let is_due = self.patience.get() == 0 || selection == Selection::Stubborn; // a search with a proviso is a long one
        self.patience.set(self.patience.get().saturating_sub(1));
        if is_due { self.generate() } else { None }
    }

    /// The time that it took to generate code; none if there is no code.
    pub fn compile_seconds(&self) -> Option<f64> {
        self.source.seconds()
    }

    /// The interpreter, for everything but exploration.
    pub fn interpreter(&self) -> &Interpreter<'m> {
        &self.interpreter
    }

    /// As [`Interpreter::hidden_prefix`].
    pub fn hidden_prefix(&self) -> usize {
        self.interpreter.hidden_prefix()
    }

    /// As [`Interpreter::cut_run`].
    pub fn cut_run(&self) -> Option<CutRun> {
        self.interpreter.cut_run()
    }

    /// As [`Interpreter::atomic_steps`].
    pub fn atomic_steps(&self) -> u64 {
        self.atomic_steps.get() + self.interpreter.atomic_steps()
    }
}

/// The buffers in which code runs.
fn machine<'m>(interpreter: &Interpreter<'m>, code: Option<&Arc<Code>>) -> Machine<'m> {
    let starts = code.map_or(Vec::new(), |code| code.starts.clone());
    let context = Context::new(interpreter.model, interpreter.layout.clone(), starts);
    Machine::new(context, code.map(Arc::as_ref))
}

impl Fork for CompiledEngine<'_> {
    /// Another engine of the same model: the code is shared, the buffers are not, and the coverage is empty.
    fn fork(&self) -> Self {
        Self::with(self.interpreter.fork(), self.source.clone())
    }

    /// Adds the coverage and the counts of a fork.
    fn join(&self, fork: &Self) {
        self.interpreter.join(&fork.interpreter);
        self.atomic_steps.set(self.atomic_steps.get() + fork.atomic_steps.get());
    }
}

impl TransitionSystem for CompiledEngine<'_> {
    type Action = StepIndex;

    fn initial(&self) -> Box<State> {
        self.interpreter.initial()
    }

    #[inline(always)]
    fn for_each_step(
        &self,
        state: &State,
        selection: Selection,
        mut visit: impl FnMut(Step<'_, StepIndex>) -> ControlFlow<()>,
    ) -> Selected {
        let Some(code) = self.code(selection) else {
            return self.interpreter.for_each_step(state, selection, visit);
        };
        let sleep = match selection {
            Selection::All => None,
            Selection::Outside(sleep) => Some(sleep),
            Selection::Stubborn => return self.expand_stubborn(code, state, Seeds::Any, &mut visit),
            Selection::StubbornWithErrors => return self.expand_stubborn(code, state, Seeds::Errors, &mut visit),
        };
        self.expand(code, state, sleep, visit)
    }

    fn labels(&self, state: &State) -> Labels {
        self.interpreter.labels(state)
    }

    fn letter(&self, state: &State) -> Result<u64, PartialLetter> {
        if self.interpreter.model.propositions.is_empty() {
            return Ok(0);
        }
        let machine = &mut *self.machine.borrow_mut();
        machine.context.load(state);
        if let Some(code) = self.code.get()
            && let Some(letter) = code.letter
            && let Some(timeout) = self.is_asked_deadlock(code, machine)
        {
            let context = &mut machine.context;
            (context.pid, context.timeout) = (CLAIM as u32, timeout.into());
            let bytes = context.work.bytes.as_mut_ptr();
            // SAFETY: the state was loaded, and the function reads it and writes nothing.
            let holds = unsafe { letter(context, bytes, 0) };
            if holds != FAULT {
                return Ok(holds);
            }
        }
        self.interpreter.letter_of(&machine.context.work)
    }

    fn patiently<R>(&self, work: impl FnOnce() -> R) -> R {
        self.interpreter.patiently(work)
    }
}

impl<'m> CompiledEngine<'m> {
    /// Shows the steps out of a state: all of them, or those outside a sleep set.
    #[inline(always)]
    fn expand(
        &self,
        code: &Code,
        state: &State,
        sleep: Option<SleepSet>,
        mut visit: impl FnMut(Step<'_, StepIndex>) -> ControlFlow<()>,
    ) -> Selected {
        if self.interpreter.stop.is_set() {
            let _ = visit(Step::stopped(StepIndex(0), 0));
            return Selected::ALL;
        }
        let machine = &mut *self.machine.borrow_mut();
        machine.context.load(state);
        let mut next = 0;
        if !self.interpreter.model.invariants.is_empty()
            && let Some(violation) = self.broken_invariant(code, machine)
        {
            if visit(Step::violating(StepIndex(0), 0, 0, violation)).is_break() {
                return Selected::ALL;
            }
            next = 1;
        }
        if let Some(network) = &code.network {
            return self.expand_network(network, machine, state, (next, sleep), &mut visit);
        }
        let driver = Driver { interpreter: &self.interpreter, code, machine, timeout: false, atomic_steps: 0 };
        let mut expansion = Expansion::new(driver, next, sleep, &mut visit);
        let explored = loop {
            let explored = expansion.explore();
            let is_stuck = matches!(explored, ControlFlow::Continue(false));
            if !is_stuck || expansion.driver.timeout || !self.interpreter.model.features.timeout {
                break explored;
            }
            expansion.driver.timeout = true;
            expansion.sleep = None;
        };
        self.atomic_steps.set(self.atomic_steps.get() + expansion.driver.atomic_steps);
        let left_out = expansion.left_out;
        if matches!(explored, ControlFlow::Continue(true)) && expansion.next == next {
            return Selected::Diverges;
        }
        if let ControlFlow::Continue(false) = explored
            && !expansion.driver.all_may_end()
            && let Some(violation) = self.interpreter.invalid_end(&machine.context.work)
        {
            let cost = self.interpreter.pending(&machine.context.work);
            // It is the last step, so it does not matter whether `visit` breaks off.
            let _ = visit(Step::violating(StepIndex(next), next, cost, violation));
        }
        Selected::Shown { left_out }
    }

    /// The violation of a state that is loaded, if an invariant of the model does not hold there.
    fn broken_invariant(&self, code: &Code, machine: &mut Machine<'m>) -> Option<Violation> {
        if let Some(invariants) = code.invariants
            && let Some(timeout) = self.is_asked_deadlock(code, machine)
        {
            let context = &mut machine.context;
            (context.pid, context.timeout) = (OBSERVER as u32, timeout.into());
            let bytes = context.work.bytes.as_mut_ptr();
            // SAFETY: the state was loaded, and the function reads it and writes nothing of it.
            if unsafe { invariants(context, bytes, 0) } == 1 {
                return None;
            }
        }
        self.interpreter.broken_invariant(&machine.context.work)
    }

    /// As [`Interpreter::is_asked_deadlock`], for the state that is loaded; `None` if the interpreter has to find out.
    fn is_asked_deadlock(&self, code: &Code, machine: &mut Machine<'m>) -> Option<bool> {
        match &code.network {
            Some(code) if self.interpreter.asks_for_deadlock => {
                let visit = &mut |_: Step<'_, StepIndex>| ControlFlow::Break(());
                let mut expansion = NetworkExpansion::new(&self.interpreter, code, machine, (0, None), visit);
                Some(expansion.explore().ok()?.is_continue())
            }
            _ => Some(false),
        }
    }

    /// Shows the steps out of a state of a network that is loaded, from the ordinal `next` on: all of them, or those outside a sleep
    /// set. `visit` is called through a pointer: a copy of this code for each search took a third of the time of a build.
    fn expand_network(
        &self,
        code: &NetworkCode,
        machine: &mut Machine<'m>,
        state: &State,
        (next, sleep): (u32, Option<SleepSet>),
        visit: &mut dyn FnMut(Step<'_, StepIndex>) -> ControlFlow<()>,
    ) -> Selected {
        let interpreter = &self.interpreter;
        let mut expansion = NetworkExpansion::new(interpreter, code, machine, (next, sleep), visit);
        let Ok(explored) = expansion.explore() else {
            return interpreter.for_each_step(state, Selection::All, |step| {
                if step.ordinal < next { ControlFlow::Continue(()) } else { visit(step) }
            });
        };
        let (is_blocked, left_out) = (explored.is_continue() && expansion.next == next, expansion.left_out);
        if is_blocked && let Some(violation) = interpreter.invalid_end(&machine.context.work) {
            // It is the last step, so it does not matter whether `visit` breaks off.
            let _ = visit(Step::violating(StepIndex(next), next, 0, violation));
        }
        Selected::Shown { left_out }
    }

    /// Shows the steps of a stubborn set, if the state is reduced. They are few, so that `visit` is called through a pointer.
    fn expand_stubborn(
        &self,
        code: &Code,
        state: &State,
        seeds: Seeds,
        visit: &mut dyn FnMut(Step<'_, StepIndex>) -> ControlFlow<()>,
    ) -> Selected {
        if self.interpreter.stop.is_set() || code.network.is_some() {
            return Selected::NotReduced;
        }
        let Some(sets) = self.interpreter.stubborn_sets() else { return Selected::NotReduced };
        let machine = &mut *self.machine.borrow_mut();
        machine.context.load(state);
        let has_invariants = !self.interpreter.model.invariants.is_empty();
        if has_invariants && self.broken_invariant(code, machine).is_some() {
            return Selected::NotReduced; // nothing follows an error, and all steps show it
        }
        let driver = Driver { interpreter: &self.interpreter, code, machine, timeout: false, atomic_steps: 0 };
        let mut expansion = Expansion::new(driver, 0, None, &mut *visit);
        let Ok(selected) = expansion.explore_stubborn(sets, seeds) else {
            // which states are reduced must not depend on what was compiled
            return self.interpreter.expand_stubborn(state, seeds, visit);
        };
        self.atomic_steps.set(self.atomic_steps.get() + expansion.driver.atomic_steps);
        // A run without end is no step, and stands for none.
        let has_steps = expansion.next > 0;
        selected.filter(|_| has_steps).map_or(Selected::NotReduced, |left_out| Selected::Shown { left_out })
    }
}
