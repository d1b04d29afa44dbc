//! The driver of compiled code: which transitions a process can take, what its moves are, and the execution of a move.
//!
//! Everything is executed in place, on the bytes of one buffer, and undone by the log.

use homing_core::Cost;

use super::code::{Code, Compiled, Guards, TransitionCode};
use super::context::Context;
use super::fast_paths::{FastPaths, LocationEntry};
use super::network::NetworkBuffers;
use super::partners::Listeners;
use super::sleep::EnabledSet;
use super::stubborn::StubbornScratch;
use super::translate::FAULT;
use crate::coverage::Trial;
use crate::interpreter::Interpreter;
use crate::movers::StepMovers;
use crate::points::{ChoiceStack, CycleDetector, Entered};
use crate::run::{Control, RunStatus};

/// Buffers that are used again for every state.
pub struct Machine<'m> {
    pub context: Context<'m>,
    pub fast_paths: FastPaths,
    pub listeners: Listeners,
    pub enabled: EnabledSet,
    pub stubborn: StubbornScratch,
    pub step_movers: StepMovers,
    pub moves: Vec<CompiledMove>,
    /// The message of the only move is still in the context.
    pub offer_is_current: bool,
    pub choices: ChoiceStack<Alternatives>,
    pub cycles: CycleDetector,
    pub network: NetworkBuffers,
}

/// A move: a transition of a process, by its index in the code, and the receiver and its transition for a rendezvous.
#[derive(Clone, Copy)]
pub struct CompiledMove {
    pub pid: u8,
    pub transition: u32,
    pub receiver: Option<(u8, u32)>,
}

/// The moves of a choice of a run.
pub struct Alternatives {
    /// The length of the log at the choice.
    log: usize,
    /// The number of processes that had moved.
    movers: usize,
    /// They are `moves[first..end]`.
    first: usize,
    /// The next that is to be followed.
    next: usize,
    end: usize,
    /// The cost of the run up to the choice.
    totals: RunTotals,
}

/// The cost and the number of statements of a run so far, counted as in [`crate::run::RunCost`].
#[derive(Clone, Copy, Default)]
pub struct RunTotals {
    pub cost: Cost,
    pub statements: usize,
}

/// Compiled code gave up, or there is none: the interpreter has to execute the move, or the process.
pub struct NeedsInterpreter;

/// The result of trying a transition.
pub enum Attempt {
    Taken,
    /// It is a send over a rendezvous channel without a receiver.
    Unanswered,
    /// It cannot be taken.
    Disabled,
}

impl<'m> Machine<'m> {
    pub fn new(context: Context<'m>, code: Option<&Code>) -> Self {
        Machine {
            enabled: EnabledSet::new(code, context.model),
            stubborn: StubbornScratch::default(),
            step_movers: StepMovers::default(),
            context,
            fast_paths: FastPaths::new(code),
            listeners: Listeners::new(code),
            moves: Vec::new(),
            offer_is_current: false,
            choices: ChoiceStack::default(),
            cycles: CycleDetector::default(),
            network: NetworkBuffers::new(code.and_then(|code| code.network.as_ref())),
        }
    }

    /// The mask of the transitions that a process can take at a location, or [`FAULT`].
    #[inline(always)]
    pub fn enabled_mask(&mut self, entry: &LocationEntry, pid: usize, frame: u32) -> u64 {
        match entry.guards {
            Some(guards) => self.invoke(guards, pid, frame),
            None => entry.mask,
        }
    }

    /// Calls a compiled function for a process that begins at `frame`. Returns [`FAULT`] if it gives up.
    #[inline(always)]
    pub fn invoke(&mut self, code: Compiled, pid: usize, frame: u32) -> u64 {
        let context = &mut self.context;
        debug_assert_eq!(context.process(pid).offset, frame);
        context.pid = pid as u32;
        let bytes = context.work.bytes.as_mut_ptr();
        // SAFETY: the code was made for this layout, the frame is that of a process of the right type, and there is room in
        // the log for what one function writes: the first functions of a step start with an empty log, and `perform` checks the
        // log before each further one.
        unsafe { code(context, bytes, u64::from(frame)) }
    }
}

/// Calls the code of a model in one expansion.
pub struct Driver<'x, 'm> {
    pub interpreter: &'x Interpreter<'m>,
    pub code: &'x Code,
    pub machine: &'x mut Machine<'m>,
    /// The value of `timeout`: no process can move otherwise.
    pub timeout: bool,
    /// The number of executed statements that ended inside an atomic sequence.
    pub atomic_steps: u64,
}

impl Driver<'_, '_> {
    /// Prepares the expansion of the state that is loaded.
    pub fn begin(&mut self) {
        self.machine.listeners.forget();
        self.machine.enabled.forget();
        self.machine.context.timeout = u32::from(self.timeout);
    }

    /// Undoes everything since the state was loaded.
    #[inline(always)]
    pub fn undo(&mut self) {
        self.machine.context.undo(0);
        self.machine.context.timeout = u32::from(self.timeout);
    }

    /// Whether every process is at a location where it may end.
    pub fn all_may_end(&self) -> bool {
        (0..self.machine.context.work.processes.len())
            .all(|pid| self.code.locations[self.machine.context.location_of(pid)].end)
    }

    /// Continues a run by a move of the process that has control; the run ends if it has none.
    pub fn continue_run(&mut self, control: Control, totals: &mut RunTotals) -> Result<RunStatus, NeedsInterpreter> {
        let pid = control.pid;
        self.machine.context.timeout = 0; // it can hold only in the state that the run began in
        let at = self.machine.context.location_of(pid);
        let location = &self.code.locations[at];
        let mask = self.enabled(pid, at)?;
        if mask == 0 && !location.escapes {
            return Ok(RunStatus::Arrived);
        }
        if mask & location.special() == 0 && mask.count_ones() == 1 {
            let transition = location.first + mask.trailing_zeros();
            return self.perform(CompiledMove { pid: pid as u8, transition, receiver: None }, Some(control), totals);
        }
        let first = self.machine.moves.len();
        self.collect_moves(pid, at, mask)?;
        match self.machine.moves.len() - first {
            0 => Ok(RunStatus::Arrived),
            1 => {
                let only = self.machine.moves.pop().expect("there is one");
                self.perform(only, Some(control), totals)
            }
            _ => self.choose(first, control, totals),
        }
    }

    /// Enters a choice between the moves from `first` on, and follows the first of them.
    fn choose(
        &mut self,
        first: usize,
        control: Control,
        totals: &mut RunTotals,
    ) -> Result<RunStatus, NeedsInterpreter> {
        let machine = &mut *self.machine;
        let (log, end) = (machine.context.log.len(), machine.moves.len());
        let movers = machine.step_movers.len();
        let alternatives = Alternatives { log, movers, first, next: first + 1, end, totals: *totals };
        match machine.choices.enter(&machine.context.work.bytes, control, alternatives) {
            Entered::New => {
                let choice = machine.moves[first];
                self.perform(choice, Some(control), totals)
            }
            Entered::Again => {
                machine.moves.truncate(first);
                Ok(RunStatus::Cut)
            }
            Entered::Full => Err(NeedsInterpreter),
        }
    }

    /// Goes back to the last choice with a move that was not followed, and follows it; `None` if there is none.
    pub fn backtrack(&mut self, totals: &mut RunTotals) -> Result<Option<RunStatus>, NeedsInterpreter> {
        let machine = &mut *self.machine;
        while let Some((_, control, alternatives)) = machine.choices.last() {
            if alternatives.next < alternatives.end {
                let choice = machine.moves[alternatives.next];
                alternatives.next += 1;
                *totals = alternatives.totals;
                machine.moves.truncate(alternatives.end);
                machine.context.undo(alternatives.log);
                machine.step_movers.truncate(alternatives.movers);
                return self.perform(choice, Some(control), totals).map(Some);
            }
            machine.moves.truncate(alternatives.first);
            machine.choices.leave();
        }
        Ok(None)
    }

    /// Executes a move: the first of a step, or one of the process that has control. Its cost is that of
    /// [`crate::run::RunCost::charge`].
    pub fn perform(
        &mut self,
        choice: CompiledMove,
        control: Option<Control>,
        totals: &mut RunTotals,
    ) -> Result<RunStatus, NeedsInterpreter> {
        if !self.machine.context.log.has_room() {
            return Err(NeedsInterpreter);
        }
        let movers = &mut self.machine.step_movers;
        if control.is_none() {
            movers.begin(choice.pid.into());
        }
        movers.add(choice.pid.into());
        choice.receiver.iter().for_each(|&(receiver, _)| movers.add(receiver.into()));
        let transition = &self.code.transitions[choice.transition as usize];
        let begins = match control {
            None => transition.pending + 1,
            Some(control) => Cost::from(!(control.absorbed && transition.deferred)),
        };
        let (pid, chain, counts) = match choice.receiver {
            None => (choice.pid as usize, transition.effect, begins),
            Some((receiver, number)) => {
                self.perform_send(choice.pid as usize, transition)?;
                self.record_taken(choice.transition);
                let accepting = &self.code.transitions[number as usize];
                (receiver as usize, accepting.accept, begins + accepting.pending + 1)
            }
        };
        let chain = chain.ok_or(NeedsInterpreter)?;
        self.machine.offer_is_current = false;
        self.call(chain.code, pid)?;
        self.record_taken(choice.receiver.map_or(choice.transition, |(_, number)| number));
        totals.cost += counts + chain.rest_cost;
        totals.statements += usize::from(choice.receiver.is_some()) + chain.statements as usize;
        self.atomic_steps += u64::from(chain.atomic_steps);
        Ok(if chain.atomic || chain.merged {
            RunStatus::Continues(Control { pid, absorbed: !chain.atomic })
        } else {
            RunStatus::Arrived
        })
    }

    /// Executes the sender's side of a rendezvous.
    fn perform_send(&mut self, pid: usize, transition: &TransitionCode) -> Result<(), NeedsInterpreter> {
        if !self.machine.offer_is_current {
            self.call(transition.offer.ok_or(NeedsInterpreter)?, pid)?;
        }
        self.call(transition.depart.ok_or(NeedsInterpreter)?, pid)?;
        self.machine.context.timeout = 0;
        Ok(())
    }

    /// The transitions that a process can take at its location `at`, a bit for each.
    pub fn enabled(&mut self, pid: usize, at: usize) -> Result<u64, NeedsInterpreter> {
        let entry = self.machine.fast_paths.location(at);
        let frame = self.machine.context.process(pid).offset;
        match self.machine.enabled_mask(&entry, pid, frame) {
            FAULT => self.evaluate_guards(pid, at),
            mask => Ok(mask),
        }
    }

    /// Evaluates the guards of a location that has no entry in the fast paths yet, or one that is not a mask.
    #[inline(never)]
    pub fn evaluate_guards(&mut self, pid: usize, at: usize) -> Result<u64, NeedsInterpreter> {
        let location = &self.code.locations[at];
        if let Some(provided) = location.provided
            && self.call(provided, pid)? == 0
        {
            return Ok(0);
        }
        let mask = match location.guards {
            Guards::Always(mask) => mask,
            Guards::Computed(guards) => self.call(guards, pid)?,
            Guards::Interpreted => return Err(NeedsInterpreter),
        };
        if !location.escapes {
            self.record_tried(at);
        }
        Ok(mask)
    }

    /// Calls a compiled function for a process.
    #[inline]
    pub fn call(&mut self, code: Compiled, pid: usize) -> Result<u64, NeedsInterpreter> {
        let frame = self.machine.context.process(pid).offset;
        match self.machine.invoke(code, pid, frame) {
            FAULT => Err(NeedsInterpreter),
            answer => Ok(answer),
        }
    }

    /// Adds the moves of a process at location `at`, the guards of whose transitions in `mask` hold: an `else` only if there is
    /// no move before it.
    pub fn collect_moves(&mut self, pid: usize, at: usize, mask: u64) -> Result<(), NeedsInterpreter> {
        let location = &self.code.locations[at];
        let mut moved = false;
        self.try_in_order(at, Trial::Alone, |driver, nth, transition| {
            let bit = 1 << nth;
            if mask & bit == 0 || (location.elses & bit != 0 && moved) {
                return Ok(Attempt::Disabled);
            }
            if location.sends & bit != 0
                && let Some(found) = driver.collect_handshakes(pid, transition)?
            {
                moved |= found;
                return Ok(if found { Attempt::Taken } else { Attempt::Unanswered });
            }
            driver.machine.moves.push(CompiledMove { pid: pid as u8, transition, receiver: None });
            moved = true;
            Ok(Attempt::Taken)
        })
    }

    /// Calls `attempt` with the transitions of a location, by their index in the location and in the code: after an escape that
    /// can be taken only with those of the same escape.
    pub fn try_in_order(
        &mut self,
        at: usize,
        trial: Trial,
        mut attempt: impl FnMut(&mut Self, u32, u32) -> Result<Attempt, NeedsInterpreter>,
    ) -> Result<(), NeedsInterpreter> {
        let location = &self.code.locations[at];
        let mut escape = 0;
        for nth in 0..location.count {
            let transition = location.first + nth;
            let of_escape = self.code.transitions[transition as usize].escape;
            if escape > 0 && escape != of_escape {
                break;
            }
            if location.escapes {
                self.cover_tried_one(at, nth, trial);
            }
            match attempt(self, nth, transition)? {
                Attempt::Taken => escape = of_escape,
                // SPIN forgets the escape it was in when there is no receiver.
                Attempt::Unanswered => escape = 0,
                Attempt::Disabled => {}
            }
        }
        Ok(())
    }
}
