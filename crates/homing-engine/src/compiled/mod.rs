//! The compiled engine: the same steps in the same order as the interpreter, by machine code made when the model is read.
//!
//! What is common is compiled: conditions, assignments, messages, handshakes, `d_step`, runs through atomic sequences. For
//! everything else, and for everything that goes wrong, the interpreter is asked about the same process or the same move,
//! so there is one place that says what an error is.

mod ample;
mod block;
mod chain;
mod channels;
mod code;
mod context;
mod drive;
mod expand;
mod expression;
mod functions;
mod futures;
mod generate;

mod log;
mod memory;
mod message;
mod partners;
mod rendezvous;
mod runtime;
mod seen;
mod sleep;
mod statement;
#[cfg(test)]
mod testing;

mod touches;
mod translate;

use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;
use std::sync::Arc;

use homing_core::{Labels, Selected, Selection, SleepSet, State, Step, StopToken, TransitionSystem, Violation};
use homing_ir::Model;

use crate::cut::CutRun;
use crate::interpreter::{Interpreter, StepIndex};
use code::Code;
use context::Context;
use drive::{Driver, Machine};
use expand::Expansion;

/// A model with its code.
pub struct CompiledEngine<'m> {
    interpreter: Interpreter<'m>,
    /// None if the model, or the machine, is beyond it.
    code: Option<Arc<Code>>,
    machine: RefCell<Machine<'m>>,
    atomic_steps: Cell<u64>,
}

impl<'m> CompiledEngine<'m> {
    /// Fails if the initial state cannot be computed.
    pub fn new(model: &'m Model) -> Result<Self, Violation> {
        Self::new_until(model, StopToken::default())
    }

    /// The same, which stops when the token is set. If that is while it compiles, there is no code.
    pub fn new_until(model: &'m Model, stop: StopToken) -> Result<Self, Violation> {
        let interpreter = Interpreter::new(model)?.stopped_by(stop);
        let is_plain = !model.features.priorities && model.monitor.is_none();
        let code = if is_plain { Code::generate(model, &interpreter.layout, &interpreter.stop) } else { None };
        Ok(Self::with(interpreter, code.map(Arc::new)))
    }

    /// The same by the interpreter alone.
    pub fn without_code(model: &'m Model) -> Result<Self, Violation> {
        Self::without_code_until(model, StopToken::default())
    }

    /// The same, which stops when the token is set.
    pub fn without_code_until(model: &'m Model, stop: StopToken) -> Result<Self, Violation> {
        Ok(Self::with(Interpreter::new(model)?.stopped_by(stop), None))
    }

    fn with(interpreter: Interpreter<'m>, code: Option<Arc<Code>>) -> Self {
        let starts = code.as_ref().map_or(Vec::new(), |code| code.starts.clone());
        let context = Context::new(interpreter.model, interpreter.layout.clone(), starts);
        let machine = RefCell::new(Machine::new(context, code.as_deref()));
        CompiledEngine { interpreter, code, machine, atomic_steps: Cell::new(0) }
    }

    /// Another engine of the same model, for another thread: the code is shared, the buffers are not, and nothing is
    /// covered yet.
    pub fn fork(&self) -> CompiledEngine<'m> {
        Self::with(self.interpreter.fork(), self.code.clone())
    }

    /// Adds what a fork covered and counted.
    pub fn absorb(&self, other: &CompiledEngine<'_>) {
        self.interpreter.coverage.absorb(&other.interpreter.coverage);
        self.atomic_steps.set(self.atomic_steps.get() + other.atomic_steps());
    }

    /// Whether anything is compiled.
    pub fn has_code(&self) -> bool {
        self.code.is_some()
    }

    /// The reference, for whatever is not exploration.
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
        visit: impl FnMut(Step<'_, StepIndex>) -> ControlFlow<()>,
    ) -> Selected {
        match (&self.code, selection) {
            (None, _) => self.interpreter.for_each_step(state, selection, visit),
            (Some(code), Selection::All) => self.expand(code, state, None, visit),
            (Some(code), Selection::Outside(sleep)) => self.expand(code, state, Some(sleep), visit),
            (Some(code), Selection::Ample) => self.expand_ample(code, state, visit),
        }
    }

    fn labels(&self, state: &State) -> Labels {
        self.interpreter.labels(state)
    }

    fn patiently<R>(&self, work: impl FnOnce() -> R) -> R {
        self.interpreter.patiently(work)
    }
}

impl CompiledEngine<'_> {
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
            && let Some(violation) = self.interpreter.broken_invariant(&machine.context.work)
        {
            if visit(Step::violating(StepIndex(0), 0, 0, violation)).is_break() {
                return Selected::ALL;
            }
            next = 1;
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
        if let ControlFlow::Continue(false) = explored
            && !expansion.driver.all_may_end()
            && let Some(violation) = self.interpreter.invalid_end(&machine.context.work)
        {
            let cost = self.interpreter.pending(&machine.context.work);
            // Nothing follows, so it does not matter whether more is wanted.
            let _ = visit(Step::violating(StepIndex(next), next, cost, violation));
        }
        Selected::Shown { left_out }
    }

    /// Shows the steps of an ample set, if there is one.
    fn expand_ample(
        &self,
        code: &Code,
        state: &State,
        visit: impl FnMut(Step<'_, StepIndex>) -> ControlFlow<()>,
    ) -> Selected {
        let Interpreter { model, layout, stop, .. } = &self.interpreter;
        if stop.is_set() {
            return Selected::NoAmpleSet;
        }
        let Some(futures) = code.futures(model, layout) else { return Selected::NoAmpleSet };
        let machine = &mut *self.machine.borrow_mut();
        machine.context.load(state);
        let driver = Driver { interpreter: &self.interpreter, code, machine, timeout: false, atomic_steps: 0 };
        let mut expansion = Expansion::new(driver, 0, None, visit);
        let is_ample = expansion.explore_ample(futures);
        self.atomic_steps.set(self.atomic_steps.get() + expansion.driver.atomic_steps);
        if is_ample { Selected::ALL } else { Selected::NoAmpleSet }
    }
}
