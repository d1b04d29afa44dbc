//! The compiled engine: the same steps in the same order as the interpreter, by machine code made when the model is read.
//!
//! What is common is compiled: conditions, assignments, messages through buffered channels, runs through atomic sequences
//! without a choice. For everything else, and for everything that goes wrong, the interpreter is asked about the same
//! state or the same move, so there is one place that says what an error is.

mod channels;
mod code;
mod context;
mod translate;

use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;

use homing_core::{Arrival, Changed, Cost, State, Step, TransitionSystem, Violation};
use homing_ir::{Model, ProctypeId};

use crate::interpreter::{Interpreter, StepIndex};
use crate::moves::{Choice, Move};
use code::{Code, LocationCode, Taking};
use context::Context;

/// A run through an atomic sequence is left to the interpreter when it is longer.
const LONGEST_RUN: Cost = 60;

/// A model with its code.
pub struct CompiledEngine<'m> {
    /// In a box, since the context knows where its layout is.
    interpreter: Box<Interpreter<'m>>,
    /// None if the model, or the machine, is beyond it.
    code: Option<Code>,
    context: RefCell<Context>,
    reached: Reached,
    atomic_steps: Cell<u64>,
    masks: RefCell<Vec<Possible>>,
}

/// What a process can do in the state under way.
#[derive(Clone, Copy)]
enum Possible {
    /// By compiled code: a bit for each transition.
    Mask(u64),
    /// The interpreter has to look.
    Interpreted,
}

/// What was reached the first time, so that the coverage need not be told again.
struct Reached {
    locations: Vec<Vec<Cell<bool>>>,
    transitions: Vec<Vec<Vec<Cell<bool>>>>,
}

impl Reached {
    fn new(model: &Model) -> Self {
        let automata = || model.proctypes.iter().map(|proctype| &proctype.automaton);
        Reached {
            locations: automata().map(|automaton| vec![Cell::new(false); automaton.locations.len()]).collect(),
            transitions: automata()
                .map(|automaton| {
                    let of_location =
                        |location: &homing_ir::Location| vec![Cell::new(false); location.transitions.len()];
                    automaton.locations.iter().map(of_location).collect()
                })
                .collect(),
        }
    }
}

impl<'m> CompiledEngine<'m> {
    /// Fails if the initial state cannot be computed.
    pub fn new(model: &'m Model) -> Result<Self, Violation> {
        let features = model.features;
        let is_plain = !features.last
            && !features.priorities
            && model.monitor.is_none()
            && model.proctypes.iter().all(|proctype| proctype.provided.is_none());
        let mut engine = Self::without_code(model)?;
        if is_plain {
            engine.code = Code::generate(model, &engine.interpreter.layout);
        }
        Ok(engine)
    }

    /// The same by the interpreter alone.
    pub fn without_code(model: &'m Model) -> Result<Self, Violation> {
        let interpreter = Box::new(Interpreter::new(model)?);
        let context = RefCell::new(Context::new(&interpreter.layout));
        let reached = Reached::new(model);
        let (atomic_steps, masks) = (Cell::new(0), RefCell::default());
        Ok(CompiledEngine { interpreter, code: None, context, reached, atomic_steps, masks })
    }

    /// Whether anything is compiled.
    pub fn has_code(&self) -> bool {
        self.code.is_some()
    }

    /// The reference, for whatever is not exploration.
    pub fn interpreter(&self) -> &Interpreter<'m> {
        &self.interpreter
    }

    /// As [`Interpreter::atomic_steps`].
    pub fn atomic_steps(&self) -> u64 {
        self.atomic_steps.get() + self.interpreter.atomic_steps()
    }

    /// The code of a process where it stands.
    fn code_at<'c>(&self, code: &'c Code, proctype: ProctypeId, location: u32) -> Option<&'c LocationCode> {
        if self.interpreter.model.proctype(proctype).deterministic {
            return None;
        }
        let found = code.locations[proctype.index()].get(location as usize)?.as_ref()?;
        let seen = &self.reached.locations[proctype.index()][location as usize];
        if !seen.replace(true) {
            let automaton = &self.interpreter.model.proctype(proctype).automaton;
            for transition in &automaton.location(location).transitions {
                self.interpreter.coverage.tried(proctype, automaton.statement(transition.statement), false);
            }
        }
        Some(found)
    }

    fn passed(&self, proctype: ProctypeId, location: u32, transition: usize) {
        let seen = &self.reached.transitions[proctype.index()][location as usize][transition];
        if !seen.replace(true) {
            let automaton = &self.interpreter.model.proctype(proctype).automaton;
            let taken = automaton.location(location).transitions[transition];
            let statement = automaton.statement(taken.statement);
            self.interpreter.coverage.passed(proctype, location, taken.target, statement);
        }
    }
}

impl TransitionSystem for CompiledEngine<'_> {
    type Action = StepIndex;

    fn initial(&self) -> Box<State> {
        self.interpreter.initial()
    }

    fn carried(&self) -> usize {
        self.interpreter.carried()
    }

    fn for_each_step(&self, state: &State, mut visit: impl FnMut(Step<'_, StepIndex>) -> ControlFlow<()>) {
        let Some(code) = &self.code else { return self.interpreter.for_each_step(state, visit) };
        let mut context = self.context.borrow_mut();
        let mut masks = self.masks.borrow_mut();
        context.work.load(&self.interpreter.layout, state);
        context.processes = context.work.processes.len() as u32;
        let mut expansion = Expansion { engine: self, code, context: &mut context, next: 0, visit: &mut visit };
        let looked = expansion.look(&mut masks);
        let moved = looked.is_ok() && expansion.explore(&masks);
        if !moved {
            // nothing can move, or a test fails in itself
            drop(context);
            self.interpreter.for_each_step(state, visit);
        }
    }
}

/// Something went wrong that the interpreter has to look at.
struct Faulty;

/// One expansion of a state.
struct Expansion<'x, 'm, V> {
    engine: &'x CompiledEngine<'m>,
    code: &'x Code,
    context: &'x mut Context,
    /// The index of the next step shown.
    next: u32,
    visit: &'x mut V,
}

impl<'x, V: FnMut(Step<'_, StepIndex>) -> ControlFlow<()>> Expansion<'x, '_, V> {
    /// What each process can do, from pid 0.
    fn look(&mut self, masks: &mut Vec<Possible>) -> Result<(), Faulty> {
        masks.clear();
        for pid in 0..self.context.work.processes.len() {
            let possible = match self.location(pid) {
                Some(found) => Possible::Mask(self.guards(found, pid)?),
                None => Possible::Interpreted,
            };
            masks.push(possible);
        }
        Ok(())
    }

    fn location(&self, pid: usize) -> Option<&'x LocationCode> {
        let proctype = self.context.work.processes[pid].proctype;
        let location = self.context.work.location(&self.engine.interpreter.layout, pid);
        self.engine.code_at(self.code, proctype, location)
    }

    fn guards(&mut self, location: &LocationCode, pid: usize) -> Result<u64, Faulty> {
        let frame = self.context.work.processes[pid].offset;
        self.context.pid = pid as u32;
        let bytes = self.context.work.bytes.as_mut_ptr();
        // SAFETY: the code was made for this layout; the frame is that of a process of the right type.
        let mask = unsafe { (location.guards)(self.context, bytes, frame) };
        if std::mem::take(&mut self.context.fault) == 0 { Ok(mask) } else { Err(Faulty) }
    }

    /// Takes a transition by compiled code.
    fn take(&mut self, code: code::Compiled, pid: usize) -> Result<(), Faulty> {
        let frame = self.context.work.processes[pid].offset;
        self.context.pid = pid as u32;
        let bytes = self.context.work.bytes.as_mut_ptr();
        // SAFETY: as for the guards.
        unsafe { code(self.context, bytes, frame) };
        if std::mem::take(&mut self.context.fault) == 0 { Ok(()) } else { Err(Faulty) }
    }

    /// Shows all steps. False if nothing moved.
    fn explore(&mut self, masks: &[Possible]) -> bool {
        let mut moved = false;
        for pid in (0..masks.len()).rev() {
            let going = match masks[pid] {
                Possible::Mask(0) => continue,
                Possible::Mask(mask) => self.explore_process(pid, mask),
                Possible::Interpreted => self.interpret_process(pid),
            };
            match going {
                ControlFlow::Break(()) => return true,
                ControlFlow::Continue(did) => moved |= did,
            }
        }
        moved
    }

    fn explore_process(&mut self, pid: usize, mask: u64) -> ControlFlow<(), bool> {
        let proctype = self.context.work.processes[pid].proctype;
        let from = self.context.work.location(&self.engine.interpreter.layout, pid);
        let location = self.location(pid).expect("it was looked at before");
        let mut moved = false;
        let mut rest = mask;
        while rest != 0 {
            let at = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let choice = Choice { pid: pid as u8, transition: at as u32 };
            let taken = match location.taking[at] {
                Taking::Else(_) if moved => continue,
                Taking::Compiled(code) | Taking::Else(code) => Some(code),
                Taking::Interpreted => None,
                Taking::Send(code) => {
                    if let Some(did) = self.handshakes(choice)? {
                        moved |= did;
                        continue;
                    }
                    Some(code)
                }
                Taking::Rendezvous => {
                    moved |= self.handshakes(choice)?.unwrap_or(false);
                    continue;
                }
            };
            moved = true;
            match taken.map(|code| self.run(code, proctype, from, at, pid)) {
                Some(Ok(cost)) => {
                    self.show(cost)?;
                    self.context.undo(0);
                }
                Some(Err(Faulty)) => {
                    self.context.undo(0);
                    self.interpret(&[Move::Step(choice)])?;
                }
                None => self.interpret(&[Move::Step(choice)])?,
            }
        }
        ControlFlow::Continue(moved)
    }

    /// Takes a transition and, inside an atomic sequence, those behind it. How many statements that were.
    fn run(
        &mut self,
        code: code::Compiled,
        proctype: ProctypeId,
        from: u32,
        transition: usize,
        pid: usize,
    ) -> Result<Cost, Faulty> {
        let automaton = &self.engine.interpreter.model.proctype(proctype).automaton;
        self.take(code, pid)?;
        let mut cost = 1 + automaton.location(from).pending;
        let mut taken = automaton.location(from).transitions[transition];
        let mut atomic = u64::from(taken.atomic);
        self.engine.passed(proctype, from, transition);
        while taken.atomic || taken.merged {
            let at = taken.target;
            let location = self.location(pid).ok_or(Faulty)?;
            let mask = self.guards(location, pid)?;
            let is_else = |at: usize| matches!(location.taking[at], Taking::Else(_));
            let others: u64 = (0..location.taking.len()).filter(|at| !is_else(*at)).map(|at| mask & (1 << at)).sum();
            let choice = if others != 0 { others } else { mask };
            if choice == 0 {
                break;
            }
            let next = choice.trailing_zeros() as usize;
            let (Taking::Compiled(code) | Taking::Else(code)) = location.taking[next] else { return Err(Faulty) };
            if choice.count_ones() > 1 || cost >= LONGEST_RUN {
                return Err(Faulty);
            }
            self.take(code, pid)?;
            self.engine.passed(proctype, at, next);
            cost += Cost::from(taken.atomic || !automaton.location(at).deferred);
            taken = automaton.location(at).transitions[next];
            atomic += u64::from(taken.atomic);
        }
        self.engine.atomic_steps.set(self.engine.atomic_steps.get() + atomic);
        Ok(cost)
    }

    fn show(&mut self, cost: Cost) -> ControlFlow<()> {
        let action = StepIndex(self.next);
        self.next += 1;
        let changed = Changed::At(&self.context.log);
        (self.visit)(Step { action, cost, arrival: Arrival::State(&self.context.work.bytes), changed })
    }

    /// The handshakes that a send offers, as the interpreter does them; none if its channel is a buffered one.
    fn handshakes(&mut self, choice: Choice) -> ControlFlow<(), Option<bool>> {
        let moves = self.engine.interpreter.handshakes(&self.context.work, choice);
        match moves {
            None => ControlFlow::Continue(None),
            Some(moves) => {
                self.interpret(&moves)?;
                ControlFlow::Continue(Some(!moves.is_empty()))
            }
        }
    }

    fn interpret_process(&mut self, pid: usize) -> ControlFlow<(), bool> {
        let moves = self.engine.interpreter.moves_of(&self.context.work, pid);
        self.interpret(&moves)?;
        ControlFlow::Continue(!moves.is_empty())
    }

    fn interpret(&mut self, moves: &[Move]) -> ControlFlow<()> {
        let visit = &mut *self.visit;
        let (next, going) = self.engine.interpreter.expand_moves(&self.context.work, moves, self.next, visit);
        self.next = next;
        going
    }
}
