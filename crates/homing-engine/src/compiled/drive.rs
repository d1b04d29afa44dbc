//! Compiled code is called: which transitions a process can take, what its moves are, and taking one of them.
//!
//! Everything happens in place, on the bytes of one buffer, and is taken back by the log.

use homing_core::Cost;

use super::ample::Outlook;
use super::code::{Code, Compiled, Guards, TransitionCode};
use super::context::Context;
use super::partners::Listeners;
use super::seen::{Gate, Seen};
use super::sleep::Movers;
use super::translate::FAULT;
use crate::interpreter::Interpreter;
use crate::movers::StepMovers;
use crate::points::{ChoiceStack, CycleDetector, Entered};
use crate::run::{Control, RunStatus};

/// Buffers that are used again for every state.
pub struct Machine<'m> {
    pub context: Context<'m>,
    pub seen: Seen,
    pub listeners: Listeners,
    pub movers: Movers,
    pub outlook: Outlook,
    pub step_movers: StepMovers,
    pub moves: Vec<Move>,
    /// The message of the one move is still in the context.
    pub is_fresh: bool,
    pub choices: ChoiceStack<Alternatives>,
    pub cycles: CycleDetector,
}

/// Something that can happen: a transition, by its number in the code, and the receiver if it is a rendezvous.
#[derive(Clone, Copy)]
pub struct Move {
    pub pid: u8,
    pub transition: u32,
    pub receiver: Option<(u8, u32)>,
}

/// What is kept with a choice inside an atomic run: the moves that were possible.
pub struct Alternatives {
    /// How long the log was.
    log: usize,
    /// How many processes had moved.
    movers: usize,
    /// They are `moves[first..end]`.
    first: usize,
    next: usize,
    end: usize,
    /// What the run had come to.
    totals: RunTotals,
}

/// What a run has come to, counted as in [`crate::run`].
#[derive(Clone, Copy, Default)]
pub struct RunTotals {
    pub cost: Cost,
    pub statements: usize,
}

/// Something that the interpreter has to look at.
pub struct Faulty;

/// What became of a transition that was tried.
pub enum Tried {
    Taken,
    /// It is a send, and nobody takes the message.
    Unanswered,
    /// It cannot be taken.
    Passed,
}

impl<'m> Machine<'m> {
    pub fn new(context: Context<'m>, code: Option<&Code>) -> Self {
        Machine {
            movers: Movers::new(code, context.model),
            outlook: Outlook::default(),
            step_movers: StepMovers::default(),
            context,
            seen: Seen::new(code),
            listeners: Listeners::new(code),
            moves: Vec::new(),
            is_fresh: false,
            choices: ChoiceStack::default(),
            cycles: CycleDetector::default(),
        }
    }

    /// The answer of the tests of a location.
    #[inline(always)]
    pub fn pass(&mut self, gate: &Gate, pid: usize, frame: u32) -> u64 {
        match gate.guards {
            Some(guards) => self.answer(guards, pid, frame),
            None => gate.mask,
        }
    }

    /// What compiled code says of a process that begins at `frame`.
    #[inline(always)]
    pub fn answer(&mut self, code: Compiled, pid: usize, frame: u32) -> u64 {
        let context = &mut self.context;
        debug_assert_eq!(context.seat(pid).offset, frame);
        context.pid = pid as u32;
        let bytes = context.work.bytes.as_mut_ptr();
        // SAFETY: the code was made for this layout, the frame is that of a process of the right type, and there is room in
        // the log for what one function writes: the log of one statement is short, and `perform` looks before each more.
        unsafe { code(context, bytes, u64::from(frame)) }
    }
}

pub struct Driver<'x, 'm> {
    pub interpreter: &'x Interpreter<'m>,
    pub code: &'x Code,
    pub machine: &'x mut Machine<'m>,
    /// Nobody can move otherwise.
    pub timeout: bool,
    /// Statements that left their process alone in charge.
    pub atomic_steps: u64,
}

impl Driver<'_, '_> {
    /// Before the first process of a state moves.
    pub fn begin(&mut self) {
        self.machine.listeners.forget();
        self.machine.movers.forget();
        self.machine.context.timeout = u32::from(self.timeout);
    }

    /// Takes back all that was done since then.
    #[inline(always)]
    pub fn take_back(&mut self) {
        self.machine.context.undo(0);
        self.machine.context.timeout = u32::from(self.timeout);
    }

    /// Whether every process stands where it may end.
    pub fn all_may_end(&self) -> bool {
        (0..self.machine.context.work.processes.len())
            .all(|pid| self.code.locations[self.machine.context.stands(pid)].end)
    }

    /// Inside an atomic sequence: the process moves on alone, or control is lost where it cannot.
    pub fn go_on(&mut self, control: Control, totals: &mut RunTotals) -> Result<RunStatus, Faulty> {
        let pid = control.pid;
        self.machine.context.timeout = 0; // a matter of the state the run began in
        let at = self.machine.context.stands(pid);
        let location = &self.code.locations[at];
        let mask = self.possible(pid, at)?;
        if mask == 0 && !location.escapes {
            return Ok(RunStatus::Arrived);
        }
        if mask & location.apart() == 0 && mask.count_ones() == 1 {
            let transition = location.first + mask.trailing_zeros();
            return self.perform(Move { pid: pid as u8, transition, receiver: None }, Some(control), totals);
        }
        let first = self.machine.moves.len();
        self.collect(pid, at, mask)?;
        match self.machine.moves.len() - first {
            0 => Ok(RunStatus::Arrived),
            1 => {
                let only = self.machine.moves.pop().expect("there is one");
                self.perform(only, Some(control), totals)
            }
            _ => self.choose(first, control, totals),
        }
    }

    /// Takes the first of the moves from `first` on, and remembers the others.
    fn choose(&mut self, first: usize, control: Control, totals: &mut RunTotals) -> Result<RunStatus, Faulty> {
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
            Entered::Full => Err(Faulty),
        }
    }

    /// Back to the last choice that has a way left.
    pub fn back(&mut self, totals: &mut RunTotals) -> Result<Option<RunStatus>, Faulty> {
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

    /// Executes a move: the first of a step, or one of the process that goes on. It counts as in [`crate::run`].
    pub fn perform(
        &mut self,
        choice: Move,
        control: Option<Control>,
        totals: &mut RunTotals,
    ) -> Result<RunStatus, Faulty> {
        if !self.machine.context.log.has_room() {
            return Err(Faulty);
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
                self.hand_over(choice.pid as usize, transition)?;
                self.passed(choice.transition);
                let accepting = &self.code.transitions[number as usize];
                (receiver as usize, accepting.accept, begins + accepting.pending + 1)
            }
        };
        let chain = chain.ok_or(Faulty)?;
        self.machine.is_fresh = false;
        self.call(chain.code, pid)?;
        self.passed(choice.receiver.map_or(choice.transition, |(_, number)| number));
        totals.cost += counts + chain.rest_cost;
        totals.statements += usize::from(choice.receiver.is_some()) + chain.statements as usize;
        self.atomic_steps += u64::from(chain.atomic_steps);
        Ok(if chain.atomic || chain.merged {
            RunStatus::Continues(Control { pid, absorbed: !chain.atomic })
        } else {
            RunStatus::Arrived
        })
    }

    /// The sender's part of a rendezvous.
    fn hand_over(&mut self, pid: usize, transition: &TransitionCode) -> Result<(), Faulty> {
        if !self.machine.is_fresh {
            self.call(transition.offer.ok_or(Faulty)?, pid)?;
        }
        self.call(transition.depart.ok_or(Faulty)?, pid)?;
        self.machine.context.timeout = 0;
        Ok(())
    }

    /// Which transitions a process can take where it stands.
    fn possible(&mut self, pid: usize, at: usize) -> Result<u64, Faulty> {
        let gate = self.machine.seen.gate(at);
        let frame = self.machine.context.seat(pid).offset;
        match self.machine.pass(&gate, pid, frame) {
            FAULT => self.look(pid, at),
            mask => Ok(mask),
        }
    }

    /// The same at first, and for what is not usual.
    #[inline(never)]
    pub fn look(&mut self, pid: usize, at: usize) -> Result<u64, Faulty> {
        let location = &self.code.locations[at];
        if let Some(provided) = location.provided
            && self.call(provided, pid)? == 0
        {
            return Ok(0);
        }
        let mask = match location.guards {
            Guards::Always(mask) => mask,
            Guards::Computed(guards) => self.call(guards, pid)?,
            Guards::Interpreted => return Err(Faulty),
        };
        if !location.escapes {
            self.tried(at);
        }
        Ok(mask)
    }

    /// Calls compiled code.
    #[inline]
    pub fn call(&mut self, code: Compiled, pid: usize) -> Result<u64, Faulty> {
        let frame = self.machine.context.seat(pid).offset;
        match self.machine.answer(code, pid, frame) {
            FAULT => Err(Faulty),
            answer => Ok(answer),
        }
    }

    /// Adds the moves of a process whose transitions in `mask` pass their tests: `else` only if nothing before it could be
    /// done.
    pub fn collect(&mut self, pid: usize, at: usize, mask: u64) -> Result<(), Faulty> {
        let location = &self.code.locations[at];
        let mut moved = false;
        self.try_in_order(at, false, |driver, nth, transition| {
            let bit = 1 << nth;
            if mask & bit == 0 || (location.elses & bit != 0 && moved) {
                return Ok(Tried::Passed);
            }
            if location.sends & bit != 0
                && let Some(found) = driver.handshakes(pid, transition)?
            {
                moved |= found;
                return Ok(if found { Tried::Taken } else { Tried::Unanswered });
            }
            driver.machine.moves.push(Move { pid: pid as u8, transition, receiver: None });
            moved = true;
            Ok(Tried::Taken)
        })
    }

    /// Tries the transitions of a location, by their place in it and their number in the code: behind an escape that can be
    /// taken none but those of the same escape. `offered`: a message is on offer.
    pub fn try_in_order(
        &mut self,
        at: usize,
        offered: bool,
        mut attempt: impl FnMut(&mut Self, u32, u32) -> Result<Tried, Faulty>,
    ) -> Result<(), Faulty> {
        let location = &self.code.locations[at];
        let mut escape = 0;
        for nth in 0..location.count {
            let transition = location.first + nth;
            let of_escape = self.code.transitions[transition as usize].escape;
            if escape > 0 && escape != of_escape {
                break;
            }
            if location.escapes {
                self.tell_tried_one(at, nth, offered);
            }
            match attempt(self, nth, transition)? {
                Tried::Taken => escape = of_escape,
                // SPIN forgets the escape it was in when nobody answers.
                Tried::Unanswered => escape = 0,
                Tried::Passed => {}
            }
        }
        Ok(())
    }
}
