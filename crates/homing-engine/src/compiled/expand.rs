//! One expansion of a state: who can move, and the runs that begin with each move.
//!
//! Everything happens in place, on the bytes of one buffer, and is taken back by the log. Where compiled code gives up, the
//! interpreter takes over the move, or the process, from its beginning; steps that were shown already are not shown again.

use std::ops::ControlFlow;

use homing_core::{Arrival, Asleep, Changed, Cost, Shown, Step};

use super::drive::{Driver, Faulty, Going, Move};
use super::partners::Meeting;
use super::translate::FAULT;
use crate::interpreter::{LONGEST_RUN, StepIndex};
use crate::moves::{self, Choice};

/// An expansion knows who looks at its steps: with most transitions, calling a stranger would cost as much as taking them.
pub struct Expansion<'x, 'm, V> {
    pub driver: Driver<'x, 'm>,
    /// The index of the next step shown.
    pub next: u32,
    /// Somebody could move.
    pub moved: bool,
    /// Who is asleep, if somebody may sleep behind the steps that are shown.
    pub asleep: Option<Asleep>,
    /// Who may behind those of the process under way.
    pub behind: Asleep,
    /// A step of the model was seen to fail.
    pub failed: bool,
    pub visit: V,
}

impl<V: FnMut(Shown<'_, StepIndex>) -> ControlFlow<()>> Expansion<'_, '_, V> {
    /// Shows all steps. Whether there was one.
    #[inline]
    pub fn explore(&mut self) -> ControlFlow<(), bool> {
        self.moved = false;
        self.driver.begin();
        for pid in (0..self.driver.machine.context.seats.len()).rev() {
            self.explore_process(pid)?;
        }
        ControlFlow::Continue(self.moved)
    }

    #[inline(always)]
    fn explore_process(&mut self, pid: usize) -> ControlFlow<()> {
        let machine = &mut *self.driver.machine;
        let seat = machine.context.seat(pid);
        let at = machine.context.standing(seat);
        let gate = machine.seen.gate(at);
        let mask = machine.pass(gate, pid, seat.offset);
        if mask == 0 {
            return ControlFlow::Continue(());
        }
        self.behind = Asleep::NOBODY;
        if mask & gate.apart != 0 {
            if mask & (mask - 1) != 0 || mask == FAULT {
                return self.explore_apart(pid, mask);
            }
            return self.explore_send(pid, gate.first + mask.trailing_zeros(), mask);
        }
        self.explore_plain((pid, at, seat.offset), gate.first, mask)
    }

    /// Where all that can be done is to take transitions, each for itself.
    #[inline(always)]
    fn explore_plain(&mut self, (pid, at, frame): (usize, usize, u32), first: u32, mask: u64) -> ControlFlow<()> {
        self.moved = true;
        if let Some(asleep) = self.asleep {
            self.behind = self.driver.machine.sleepers(pid, at, frame);
            if asleep.has(pid) {
                return self.leave_out(first, mask);
            }
        }
        let mut rest = mask;
        while rest != 0 {
            let transition = first + rest.trailing_zeros();
            rest &= rest - 1;
            self.explore_step(pid, frame, transition)?;
        }
        ControlFlow::Continue(())
    }

    /// The transitions of a process that is asleep.
    fn leave_out(&mut self, first: u32, mask: u64) -> ControlFlow<()> {
        let mut rest = mask;
        while rest != 0 {
            let transition = &self.driver.code.transitions[(first + rest.trailing_zeros()) as usize];
            rest &= rest - 1;
            self.driver.atomic_steps += transition.effect.map_or(0, |taking| u64::from(taking.atomic_steps));
            self.next += 1;
            (self.visit)(Shown::LeftOut)?;
        }
        ControlFlow::Continue(())
    }

    /// The transitions of a location where not all is plain, or whose gate is not open yet.
    #[inline(never)]
    fn explore_apart(&mut self, pid: usize, mask: u64) -> ControlFlow<()> {
        let at = self.driver.machine.context.stands(pid);
        let looked = if mask == FAULT { self.driver.look(pid, at) } else { Ok(mask) };
        let Ok(mask) = looked else { return self.interpret_process(pid) };
        if mask == 0 {
            return ControlFlow::Continue(());
        }
        let location = &self.driver.code.locations[at];
        if mask & location.apart() == 0 {
            let frame = self.driver.machine.context.seat(pid).offset;
            return self.explore_plain((pid, at, frame), location.first, mask);
        }
        self.driver.machine.moves.clear();
        if self.driver.collect(pid, at, mask).is_err() {
            return self.interpret_process(pid);
        }
        let end = self.driver.machine.moves.len();
        // One message was on offer, and nobody has touched it.
        self.driver.machine.is_fresh =
            end == 1 && (location.sends & mask).count_ones() == 1 && !self.driver.code.provided;
        self.moved |= end > 0;
        for at in 0..end {
            self.driver.machine.moves.truncate(end);
            self.explore_move(self.driver.machine.moves[at])?;
        }
        ControlFlow::Continue(())
    }

    /// A send that is all there is to do and may be a rendezvous.
    #[inline(always)]
    fn explore_send(&mut self, pid: usize, transition: u32, mask: u64) -> ControlFlow<()> {
        match self.driver.meet(pid, transition) {
            Meeting::Nobody => ControlFlow::Continue(()),
            Meeting::One(cost) => {
                self.moved = true;
                let going = self.show(cost);
                self.driver.take_back();
                going
            }
            Meeting::Unclear => {
                self.driver.take_back();
                self.explore_apart(pid, mask)
            }
        }
    }

    /// Takes one transition; the usual case of [`Self::explore_move`].
    #[inline(always)]
    fn explore_step(&mut self, pid: usize, frame: u32, transition: u32) -> ControlFlow<()> {
        let machine = &mut *self.driver.machine;
        if let Some(effect) = machine.seen.effect(transition) {
            if machine.answer(effect.code, pid, frame) != FAULT {
                self.driver.atomic_steps += u64::from(effect.atomic_steps);
                let going = self.show(effect.cost);
                self.driver.take_back();
                return going;
            }
            self.driver.take_back();
        }
        self.explore_move(Move { pid: pid as u8, transition, receiver: None })
    }

    /// Follows one move; what compiled code cannot do of it, the interpreter does.
    #[inline(never)]
    fn explore_move(&mut self, choice: Move) -> ControlFlow<()> {
        let (first, atomic_steps) = (self.next, self.driver.atomic_steps);
        let followed = self.follow(choice);
        self.driver.machine.is_fresh = false;
        self.driver.take_back();
        followed.unwrap_or_else(|Faulty| {
            self.driver.atomic_steps = atomic_steps;
            let shown = self.next - first;
            self.next = first;
            self.interpret(&[self.as_interpreted(choice)], shown)
        })
    }

    /// Follows one move; where a run through an atomic sequence has a choice, each way by itself.
    fn follow(&mut self, choice: Move) -> Result<ControlFlow<()>, Faulty> {
        let mut cost = 0;
        let mut going = self.driver.perform(choice, None, &mut cost)?;
        if let Going::Arrived = going {
            return Ok(self.show(cost));
        }
        self.driver.machine.depth = 0;
        self.driver.machine.watch.restart();
        loop {
            going = match going {
                Going::On(_) if cost as usize >= LONGEST_RUN => return Err(Faulty),
                // The interpreter knows after how many statements it has gone far enough.
                Going::On(_) if self.driver.machine.watch.circles(&self.driver.machine.context.work) => {
                    return Err(Faulty);
                }
                Going::On(onward) => self.driver.go_on(onward, &mut cost)?,
                Going::Arrived | Going::Cut => {
                    if let Going::Arrived = going
                        && self.show(cost).is_break()
                    {
                        return Ok(ControlFlow::Break(()));
                    }
                    let Some(going) = self.driver.back(&mut cost)? else { return Ok(ControlFlow::Continue(())) };
                    self.driver.machine.watch.restart();
                    going
                }
            };
        }
    }

    #[inline(always)]
    fn show(&mut self, cost: Cost) -> ControlFlow<()> {
        let action = StepIndex(self.next);
        self.next += 1;
        let context = &self.driver.machine.context;
        let changed = context.log.places().map_or(Changed::Anywhere, Changed::At);
        let step = Step { action, cost, arrival: Arrival::State(&context.work.bytes), changed };
        (self.visit)(Shown::Step(step, self.behind))
    }

    fn interpret_process(&mut self, pid: usize) -> ControlFlow<()> {
        let moves = self.driver.interpreter.moves_of(&self.driver.machine.context.work, pid, self.driver.timeout);
        self.moved |= !moves.is_empty();
        self.interpret(&moves, 0)
    }

    /// Shows the steps of some moves by the interpreter, but for the first ones, which were shown already.
    fn interpret(&mut self, moves: &[moves::Move], shown: u32) -> ControlFlow<()> {
        let visit: &mut dyn FnMut(Shown<'_, StepIndex>) -> ControlFlow<()> = &mut self.visit;
        let from = self.next + shown;
        let (failed, behind) = (&mut self.failed, self.behind);
        let look = |step: Step<'_, StepIndex>| {
            if step.action.0 < from {
                return ControlFlow::Continue(());
            }
            *failed |= matches!(step.arrival, Arrival::Violation(_));
            visit(Shown::Step(step, behind))
        };
        let work = &self.driver.machine.context.work;
        let (next, going) = self.driver.interpreter.expand_moves(work, moves, self.next, self.driver.timeout, look);
        self.next = next;
        going
    }

    fn as_interpreted(&self, choice: Move) -> moves::Move {
        let named = |pid: u8, transition: u32| {
            let location = &self.driver.code.locations[self.driver.machine.context.stands(pid as usize)];
            Choice { pid, transition: transition - location.first }
        };
        let first = named(choice.pid, choice.transition);
        match choice.receiver {
            Some((pid, transition)) => moves::Move::Handshake(first, named(pid, transition)),
            None => moves::Move::Step(first),
        }
    }
}
