//! One expansion of a state: who can move, and the runs that begin with each move.
//!
//! Everything happens in place, on the bytes of one buffer, and is taken back by the log. Where compiled code gives up, the
//! interpreter takes over the move, or the process, from its beginning; steps that were shown already are not shown again.

use std::ops::ControlFlow;

use homing_core::{Arrival, Changed, Cost, Step};

use super::CompiledEngine;
use super::code::{Code, Compiled, Guards, LocationCode, TransitionCode};
use super::context::Context;
use super::partners::Listeners;
use super::seen::Seen;
use super::translate::FAULT;
use crate::interpreter::{LONGEST_RUN, StepIndex};
use crate::moves::{self, Choice};
use crate::tally::Onward;
use crate::watchdog::Watchdog;

/// Buffers that are used again for every state.
pub struct Machine<'m> {
    pub context: Context<'m>,
    pub seen: Seen,
    pub listeners: Listeners,
    pub moves: Vec<Move>,
    /// The message of the one move is still in the context.
    is_fresh: bool,
    choices: Vec<ChoicePoint>,
    /// How many of `choices` are in use.
    depth: usize,
    watch: Watchdog,
}

/// Something that can happen: a transition, by its number in the code, and the receiver if it is a rendezvous.
#[derive(Clone, Copy)]
pub struct Move {
    pub pid: u8,
    pub transition: u32,
    pub receiver: Option<(u8, u32)>,
}

/// A place inside an atomic run where more than one move was possible.
#[derive(Default)]
struct ChoicePoint {
    bytes: Vec<u8>,
    /// How long the log was.
    log: usize,
    /// Its moves are `moves[first..end]`.
    first: usize,
    next: usize,
    end: usize,
    cost: Cost,
}

/// Something that the interpreter has to look at.
pub struct Faulty;

/// How a run goes on.
enum Going {
    /// One process goes on alone.
    On(Onward),
    /// The run reached a state that everybody sees.
    Arrived,
    /// It goes in circles.
    Cut,
}

impl<'m> Machine<'m> {
    pub fn new(context: Context<'m>, code: Option<&Code>) -> Self {
        Machine {
            context,
            seen: Seen::new(code),
            listeners: Listeners::default(),
            moves: Vec::new(),
            is_fresh: false,
            choices: Vec::new(),
            depth: 0,
            watch: Watchdog::default(),
        }
    }
}

/// Whoever looks at the steps.
pub type Visit<'v> = &'v mut dyn FnMut(Step<'_, StepIndex>) -> ControlFlow<()>;

pub struct Expansion<'x, 'm> {
    pub engine: &'x CompiledEngine<'m>,
    pub code: &'x Code,
    pub machine: &'x mut Machine<'m>,
    /// The index of the next step shown.
    pub next: u32,
    /// Nobody can move otherwise.
    pub timeout: bool,
    /// Statements that left their process alone in charge.
    pub atomic_steps: u64,
    pub visit: Visit<'x>,
}

impl<'x> Expansion<'x, '_> {
    /// Shows all steps. Whether there was one.
    pub fn explore(&mut self) -> ControlFlow<(), bool> {
        let mut moved = false;
        self.machine.listeners.forget();
        for pid in (0..self.machine.context.seats.len()).rev() {
            moved |= self.explore_process(pid)?;
        }
        ControlFlow::Continue(moved)
    }

    /// Whether every process stands where it may end.
    pub fn all_may_end(&self) -> bool {
        (0..self.machine.context.work.processes.len())
            .all(|pid| self.code.locations[self.machine.context.stands(pid)].end)
    }

    #[inline(always)]
    fn explore_process(&mut self, pid: usize) -> ControlFlow<(), bool> {
        self.machine.context.timeout = u32::from(self.timeout);
        let at = self.machine.context.stands(pid);
        let Ok(mask) = self.possible(pid, at) else { return self.interpret_process(pid) };
        if mask == 0 {
            return ControlFlow::Continue(false);
        }
        let location = &self.code.locations[at];
        if location.is_plain(mask) {
            let mut rest = location.choices(mask);
            while rest != 0 {
                let transition = location.first + rest.trailing_zeros();
                rest &= rest - 1;
                self.explore_step(pid, transition)?;
            }
            return ControlFlow::Continue(true);
        }
        self.explore_collected(pid, at, mask)
    }

    fn explore_collected(&mut self, pid: usize, at: usize, mask: u64) -> ControlFlow<(), bool> {
        self.machine.moves.clear();
        if self.collect(pid, at, mask).is_err() {
            return self.interpret_process(pid);
        }
        let end = self.machine.moves.len();
        // One message was on offer, and nobody has touched it.
        let location = &self.code.locations[at];
        self.machine.is_fresh = end == 1 && (location.sends & mask).count_ones() == 1 && !self.code.provided;
        for at in 0..end {
            self.machine.moves.truncate(end);
            self.explore_move(self.machine.moves[at])?;
        }
        ControlFlow::Continue(end > 0)
    }

    /// Takes one transition; the usual case of [`Self::explore_move`].
    #[inline(always)]
    fn explore_step(&mut self, pid: usize, transition: u32) -> ControlFlow<()> {
        if let Some(effect) = self.machine.seen.effects[transition as usize] {
            self.machine.context.timeout = u32::from(self.timeout);
            if self.call(effect.code, pid).is_ok() {
                self.atomic_steps += u64::from(effect.atomic_steps);
                let going = self.show(effect.cost);
                self.machine.context.undo(0);
                return going;
            }
            self.machine.context.undo(0);
        }
        self.explore_move(Move { pid: pid as u8, transition, receiver: None })
    }

    /// Follows one move; what compiled code cannot do of it, the interpreter does.
    fn explore_move(&mut self, choice: Move) -> ControlFlow<()> {
        self.machine.context.timeout = u32::from(self.timeout);
        let (first, atomic_steps) = (self.next, self.atomic_steps);
        let followed = self.follow(choice);
        self.machine.is_fresh = false;
        self.machine.context.undo(0);
        followed.unwrap_or_else(|Faulty| {
            self.atomic_steps = atomic_steps;
            let shown = self.next - first;
            self.next = first;
            self.interpret(&[self.as_interpreted(choice)], shown)
        })
    }

    /// Follows one move; where a run through an atomic sequence has a choice, each way by itself.
    fn follow(&mut self, choice: Move) -> Result<ControlFlow<()>, Faulty> {
        let mut cost = 0;
        let mut going = self.perform(choice, None, &mut cost)?;
        if let Going::Arrived = going {
            return Ok(self.show(cost));
        }
        self.machine.depth = 0;
        self.machine.watch.restart();
        loop {
            going = match going {
                Going::On(_) if cost as usize >= LONGEST_RUN => return Err(Faulty),
                // The interpreter knows after how many statements it has gone far enough.
                Going::On(_) if self.machine.watch.circles(&self.machine.context.work) => return Err(Faulty),
                Going::On(onward) => self.go_on(onward, &mut cost)?,
                Going::Arrived | Going::Cut => {
                    if let Going::Arrived = going
                        && self.show(cost).is_break()
                    {
                        return Ok(ControlFlow::Break(()));
                    }
                    let Some(going) = self.back(&mut cost)? else { return Ok(ControlFlow::Continue(())) };
                    self.machine.watch.restart();
                    going
                }
            };
        }
    }

    /// Inside an atomic sequence: the process moves on alone, or control is lost where it cannot.
    fn go_on(&mut self, onward: Onward, cost: &mut Cost) -> Result<Going, Faulty> {
        let pid = onward.pid;
        self.machine.context.timeout = 0; // a matter of the state the run began in
        let at = self.machine.context.stands(pid);
        let location = &self.code.locations[at];
        let mask = self.possible(pid, at)?;
        if location.is_plain(mask) && location.choices(mask).count_ones() < 2 {
            if mask == 0 {
                return Ok(Going::Arrived);
            }
            let transition = location.first + mask.trailing_zeros();
            return self.perform(Move { pid: pid as u8, transition, receiver: None }, Some(onward), cost);
        }
        let first = self.machine.moves.len();
        self.collect(pid, at, mask)?;
        match self.machine.moves.len() - first {
            0 => Ok(Going::Arrived),
            1 => {
                let only = self.machine.moves.pop().expect("there is one");
                self.perform(only, Some(onward), cost)
            }
            _ => self.choose(first, onward, cost),
        }
    }

    /// Takes the first of the moves from `first` on, and remembers the others.
    fn choose(&mut self, first: usize, onward: Onward, cost: &mut Cost) -> Result<Going, Faulty> {
        let machine = &mut *self.machine;
        let bytes = &machine.context.work.bytes;
        // The same choice once more on one run: it goes in circles.
        if machine.choices[..machine.depth].iter().any(|point| point.bytes == *bytes) {
            machine.moves.truncate(first);
            return Ok(Going::Cut);
        }
        if machine.depth == machine.choices.len() {
            machine.choices.push(ChoicePoint::default());
        }
        let point = &mut machine.choices[machine.depth];
        machine.depth += 1;
        point.bytes.clear();
        point.bytes.extend_from_slice(bytes);
        (point.log, point.cost) = (machine.context.log.len(), *cost);
        (point.first, point.next, point.end) = (first, first + 1, machine.moves.len());
        let choice = machine.moves[first];
        self.perform(choice, Some(onward), cost)
    }

    /// Back to the last choice that has a way left.
    fn back(&mut self, cost: &mut Cost) -> Result<Option<Going>, Faulty> {
        while self.machine.depth > 0 {
            let machine = &mut *self.machine;
            let point = &mut machine.choices[machine.depth - 1];
            if point.next < point.end {
                let choice = machine.moves[point.next];
                point.next += 1;
                *cost = point.cost;
                machine.moves.truncate(point.end);
                machine.context.undo(point.log);
                let onward = Onward { pid: usize::from(choice.pid), absorbed: false };
                return self.perform(choice, Some(onward), cost).map(Some);
            }
            machine.moves.truncate(point.first);
            machine.depth -= 1;
        }
        Ok(None)
    }

    /// Executes a move: the first of a step, or one of the process that goes on. It counts as in [`crate::tally`].
    fn perform(&mut self, choice: Move, onward: Option<Onward>, cost: &mut Cost) -> Result<Going, Faulty> {
        if !self.machine.context.log.has_room() {
            return Err(Faulty);
        }
        let transition = &self.code.transitions[choice.transition as usize];
        let begins = match onward {
            None => transition.pending + 1,
            Some(onward) => Cost::from(!(onward.absorbed && transition.deferred)),
        };
        let (pid, taking, counts) = match choice.receiver {
            None => (choice.pid as usize, transition.effect, begins),
            Some((receiver, number)) => {
                self.hand_over(choice.pid as usize, transition)?;
                self.passed(choice.transition);
                let accepting = &self.code.transitions[number as usize];
                (receiver as usize, accepting.accept, begins + accepting.pending + 1)
            }
        };
        let taking = taking.ok_or(Faulty)?;
        self.machine.is_fresh = false;
        self.call(taking.code, pid)?;
        self.passed(choice.receiver.map_or(choice.transition, |(_, number)| number));
        *cost += counts + taking.rest_cost;
        self.atomic_steps += u64::from(taking.atomic_steps);
        Ok(if taking.atomic || taking.merged {
            Going::On(Onward { pid, absorbed: !taking.atomic })
        } else {
            Going::Arrived
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
    #[inline(always)]
    fn possible(&mut self, pid: usize, at: usize) -> Result<u64, Faulty> {
        let gate = self.machine.seen.gates[at];
        let mask = match gate.guards {
            Some(guards) => self.answer(guards, pid),
            None => gate.mask,
        };
        if mask == FAULT { self.look(pid, at) } else { Ok(mask) }
    }

    /// The same at first, and for what is not usual.
    #[inline(never)]
    fn look(&mut self, pid: usize, at: usize) -> Result<u64, Faulty> {
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
    #[inline(always)]
    pub fn call(&mut self, code: Compiled, pid: usize) -> Result<u64, Faulty> {
        match self.answer(code, pid) {
            FAULT => Err(Faulty),
            answer => Ok(answer),
        }
    }

    #[inline(always)]
    fn answer(&mut self, code: Compiled, pid: usize) -> u64 {
        let context = &mut self.machine.context;
        let frame = u64::from(context.seats[pid].offset);
        context.pid = pid as u32;
        let bytes = context.work.bytes.as_mut_ptr();
        // SAFETY: the code was made for this layout, the frame is that of a process of the right type, and there is room in
        // the log for what one function writes: the log of one statement is short, and `perform` looks before each more.
        unsafe { code(context, bytes, frame) }
    }

    /// Adds the moves of a process whose transitions in `mask` pass their tests: `else` only if nothing before it could be
    /// done, and none but those of the same escape behind an escape that could.
    fn collect(&mut self, pid: usize, at: usize, mask: u64) -> Result<(), Faulty> {
        let location = &self.code.locations[at];
        let mut moved = false;
        let mut escape = 0;
        for nth in 0..location.count {
            let transition = location.first + nth;
            let of_escape = self.code.transitions[transition as usize].escape;
            if escape > 0 && escape != of_escape {
                break;
            }
            if location.escapes {
                self.tell_tried_one(at, nth, false);
            }
            let bit = 1 << nth;
            if mask & bit == 0 || (location.elses & bit != 0 && moved) {
                continue;
            }
            if location.sends & bit != 0
                && let Some(found) = self.handshakes(pid, transition)?
            {
                // SPIN forgets the escape it was in when nobody answers.
                moved |= found;
                escape = if found { of_escape } else { 0 };
                continue;
            }
            self.machine.moves.push(Move { pid: pid as u8, transition, receiver: None });
            moved = true;
            escape = of_escape;
        }
        Ok(())
    }

    #[inline(always)]
    fn show(&mut self, cost: Cost) -> ControlFlow<()> {
        let action = StepIndex(self.next);
        self.next += 1;
        let context = &self.machine.context;
        let changed = context.log.places().map_or(Changed::Anywhere, Changed::At);
        (self.visit)(Step { action, cost, arrival: Arrival::State(&context.work.bytes), changed })
    }

    fn interpret_process(&mut self, pid: usize) -> ControlFlow<(), bool> {
        let moves = self.engine.interpreter.moves_of(&self.machine.context.work, pid, self.timeout);
        self.interpret(&moves, 0)?;
        ControlFlow::Continue(!moves.is_empty())
    }

    /// Shows the steps of some moves by the interpreter, but for the first ones, which were shown already.
    fn interpret(&mut self, moves: &[moves::Move], shown: u32) -> ControlFlow<()> {
        let visit = &mut *self.visit;
        let from = self.next + shown;
        let look =
            |step: Step<'_, StepIndex>| if step.action.0 < from { ControlFlow::Continue(()) } else { visit(step) };
        let work = &self.machine.context.work;
        let (next, going) = self.engine.interpreter.expand_moves(work, moves, self.next, self.timeout, look);
        self.next = next;
        going
    }

    fn as_interpreted(&self, choice: Move) -> moves::Move {
        let named = |pid: u8, transition: u32| {
            let location = &self.code.locations[self.machine.context.stands(pid as usize)];
            Choice { pid, transition: transition - location.first }
        };
        let first = named(choice.pid, choice.transition);
        match choice.receiver {
            Some((pid, transition)) => moves::Move::Handshake(first, named(pid, transition)),
            None => moves::Move::Step(first),
        }
    }
}

impl LocationCode {
    /// Whether all that can be done is to take transitions, each for itself.
    fn is_plain(&self, mask: u64) -> bool {
        self.sends & mask == 0 && !self.escapes
    }

    /// The transitions to be taken of those that can: an `else` only before all others.
    fn choices(&self, mask: u64) -> u64 {
        let first = mask & mask.wrapping_neg();
        mask & !(self.elses & !first)
    }
}
