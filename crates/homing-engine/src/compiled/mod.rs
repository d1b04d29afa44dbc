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
mod futures;
mod generate;
mod helpers;
mod log;
mod message;
mod partners;
mod rendezvous;
mod seen;
mod sleep;
mod statement;
mod store;
mod touches;
mod translate;

use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use homing_core::{Changed, Condition, Shown, SleepSet, State, Step, StopToken, Target, TransitionSystem, Violation};
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
    /// Nobody sleeps, here and in forks: that is not wanted, or a step was seen to fail. A failed assertion is shown beside its
    /// step, so that the steps of a process cannot be counted without taking them.
    all_awake: Arc<AtomicBool>,
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
        Ok(Self::with(interpreter, code.map(Arc::new), Arc::default()))
    }

    /// The same by the interpreter alone.
    pub fn without_code(model: &'m Model) -> Result<Self, Violation> {
        Self::without_code_until(model, StopToken::default())
    }

    /// The same, which stops when the token is set.
    pub fn without_code_until(model: &'m Model, stop: StopToken) -> Result<Self, Violation> {
        Ok(Self::with(Interpreter::new(model)?.stopped_by(stop), None, Arc::default()))
    }

    fn with(interpreter: Interpreter<'m>, code: Option<Arc<Code>>, all_awake: Arc<AtomicBool>) -> Self {
        let starts = code.as_ref().map_or(Vec::new(), |code| code.starts.clone());
        let context = Context::new(interpreter.model, interpreter.layout.clone(), starts);
        let machine = RefCell::new(Machine::new(context, code.as_deref()));
        CompiledEngine { interpreter, code, machine, atomic_steps: Cell::new(0), all_awake }
    }

    /// Another engine of the same model, for another thread: the code is shared, the buffers are not, and nothing is
    /// covered yet.
    pub fn fork(&self) -> CompiledEngine<'m> {
        Self::with(self.interpreter.fork(), self.code.clone(), self.all_awake.clone())
    }

    /// Adds what a fork covered and counted.
    pub fn absorb(&self, other: &CompiledEngine<'_>) {
        self.interpreter.coverage.absorb(&other.interpreter.coverage);
        self.atomic_steps.set(self.atomic_steps.get() + other.atomic_steps());
    }

    /// Lets nobody sleep from now on, here and in forks.
    pub fn stay_awake(&self) {
        self.all_awake.store(true, Relaxed);
    }

    /// Whether anything is compiled.
    pub fn has_code(&self) -> bool {
        self.code.is_some()
    }

    /// The reference, for whatever is not exploration.
    pub fn interpreter(&self) -> &Interpreter<'m> {
        &self.interpreter
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

    fn hidden_prefix(&self) -> usize {
        self.interpreter.hidden_prefix()
    }

    fn for_each_step(&self, state: &State, mut visit: impl FnMut(Step<'_, StepIndex>) -> ControlFlow<()>) {
        match &self.code {
            None => self.interpreter.for_each_step(state, visit),
            Some(code) => {
                self.expand(code, state, None, |shown| visit(shown.step));
            }
        }
    }

    fn for_each_step_again(&self, state: &State, visit: impl FnMut(Step<'_, StepIndex>) -> ControlFlow<()>) {
        self.interpreter.stop.patiently(|| self.for_each_step(state, visit));
    }

    fn for_each_ample_step(
        &self,
        state: &State,
        mut visit: impl FnMut(Step<'_, StepIndex>) -> ControlFlow<()>,
    ) -> bool {
        let Interpreter { model, layout, .. } = &self.interpreter;
        let Some(code) = &self.code else { return false };
        if self.interpreter.stop.is_set() {
            return false;
        }
        let Some(futures) = code.futures(model, layout) else { return false };
        let machine = &mut *self.machine.borrow_mut();
        machine.context.load(state);
        let driver = Driver { interpreter: &self.interpreter, code, machine, timeout: false, atomic_steps: 0 };
        let mut expansion = Expansion::new(driver, 0, None, |shown: Shown<'_, StepIndex>| visit(shown.step));
        let is_ample = expansion.explore_ample(futures);
        self.atomic_steps.set(self.atomic_steps.get() + expansion.driver.atomic_steps);
        is_ample
    }

    fn for_each_step_awake(
        &self,
        state: &State,
        asleep: SleepSet,
        visit: impl FnMut(Shown<'_, StepIndex>) -> ControlFlow<()>,
    ) -> u32 {
        match &self.code {
            None => self.interpreter.for_each_step_awake(state, asleep, visit),
            Some(code) => {
                let asleep = (!self.all_awake.load(Relaxed)).then_some(asleep);
                self.expand(code, state, asleep, visit)
            }
        }
    }
}

impl CompiledEngine<'_> {
    /// Shows the steps out of a state, and tells how many were left out. `asleep`: who is, if somebody may sleep behind them.
    #[inline(always)]
    fn expand(
        &self,
        code: &Code,
        state: &State,
        asleep: Option<SleepSet>,
        mut visit: impl FnMut(Shown<'_, StepIndex>) -> ControlFlow<()>,
    ) -> u32 {
        if self.interpreter.stop.is_set() {
            let step = Step { action: StepIndex(0), cost: 0, target: Target::CutOff, changed: Changed::Anywhere };
            let _ = visit(Shown { step, nth: 0, asleep: SleepSet::EMPTY });
            return 0;
        }
        let machine = &mut *self.machine.borrow_mut();
        machine.context.load(state);
        let mut next = 0;
        if !self.interpreter.model.invariants.is_empty()
            && let Some(violation) = self.interpreter.broken_invariant(&machine.context.work)
        {
            let target = Target::Violation(violation);
            let step = Step { action: StepIndex(0), cost: 0, target, changed: Changed::Anywhere };
            if visit(Shown { step, nth: 0, asleep: SleepSet::EMPTY }).is_break() {
                return 0;
            }
            next = 1;
        }
        let driver = Driver { interpreter: &self.interpreter, code, machine, timeout: false, atomic_steps: 0 };
        let mut expansion = Expansion::new(driver, next, asleep, &mut visit);
        let explored = loop {
            let explored = expansion.explore();
            let is_stuck = matches!(explored, ControlFlow::Continue(false));
            if !is_stuck || expansion.driver.timeout || !self.interpreter.model.features.timeout {
                break explored;
            }
            expansion.driver.timeout = true;
            expansion.asleep = None;
        };
        self.atomic_steps.set(self.atomic_steps.get() + expansion.driver.atomic_steps);
        let left_out = expansion.left_out;
        if expansion.failed && !Condition::SleepFailure.is_off() {
            self.stay_awake();
        }
        if let ControlFlow::Continue(false) = explored
            && !expansion.driver.all_may_end()
            && let Some(violation) = self.interpreter.invalid_end(&machine.context.work)
        {
            let cost = self.interpreter.pending(&machine.context.work);
            let (target, changed) = (Target::Violation(violation), Changed::Anywhere);
            let step = Step { action: StepIndex(next), cost, target, changed };
            // Nothing follows, so it does not matter whether more is wanted.
            let _ = visit(Shown { step, nth: next, asleep: SleepSet::EMPTY });
        }
        left_out
    }
}
