//! One expansion of a state: who can move, and the runs that begin with each move.
//!
//! Everything happens in place, on the bytes of one buffer, and is taken back by the log. Where compiled code gives up, the
//! interpreter takes over the move, or the process, from its beginning; steps that were shown already are not shown again.

use std::ops::ControlFlow;

use homing_core::{Changed, Condition, Cost, SleepSet, Step, Target};

use super::drive::{Driver, Faulty, Machine, Move, RunTotals};
use super::partners::Meeting;
use super::seen::Gate;
use super::touches::both;
use super::translate::FAULT;
use crate::interpreter::StepIndex;
use crate::moves::{self, Choice};
use crate::run::{LONGEST_RUN, RunStatus};

/// An expansion knows who looks at its steps: with most transitions, calling a stranger would cost as much as taking them.
pub struct Expansion<'x, 'm, V> {
    pub driver: Driver<'x, 'm>,
    /// The index of the next step shown.
    next: u32,
    /// Somebody could move.
    moved: bool,
    /// The sleep set of the state, if steps in it are to be left out.
    pub sleep: Option<SleepSet>,
    /// The sleep set of the target of the step under way.
    target_sleep: SleepSet,
    /// The step under way is in the sleep set: it is counted, not shown.
    is_left_out: bool,
    /// How many steps were left out.
    pub left_out: u32,
    visit: V,
}

impl<'x, 'm, V: FnMut(Step<'_, StepIndex>) -> ControlFlow<()>> Expansion<'x, 'm, V> {
    #[inline(always)]
    pub fn new(driver: Driver<'x, 'm>, next: u32, sleep: Option<SleepSet>, visit: V) -> Self {
        let (target_sleep, is_left_out, left_out) = (SleepSet::EMPTY, false, 0);
        Expansion { driver, next, moved: false, sleep, target_sleep, is_left_out, left_out, visit }
    }

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
        (self.target_sleep, self.is_left_out) = (SleepSet::EMPTY, false);
        let machine = &mut *self.driver.machine;
        let seat = machine.context.seat(pid);
        let gate = machine.seen.gate(machine.context.standing(seat));
        let mask = machine.pass(&gate, pid, seat.offset);
        if mask == 0 {
            return ControlFlow::Continue(());
        }
        if mask & gate.apart != 0 {
            if mask & (mask - 1) != 0 || mask == FAULT {
                return self.explore_apart(pid, mask);
            }
            return self.explore_send(pid, gate.first + mask.trailing_zeros(), mask);
        }
        self.moved = true;
        match self.sleep {
            Some(sleep) => self.explore_outside(pid, seat.offset, &gate, mask, sleep),
            None => self.explore_plain(pid, seat.offset, gate.first, mask),
        }
    }

    /// The same as [`Self::explore_plain`] where some may sleep.
    #[inline(always)]
    fn explore_outside(&mut self, pid: usize, frame: u32, gate: &Gate, mask: u64, sleep: SleepSet) -> ControlFlow<()> {
        let before = self.driver.machine.movers.mark();
        let bits = self.driver.machine.movers.bits_of(pid, sleep);
        let mut rest = mask;
        while rest != 0 {
            let nth = rest.trailing_zeros();
            rest &= rest - 1;
            let transition = gate.first + nth;
            let machine = &mut *self.driver.machine;
            let touched = machine.touched(transition, pid, frame);
            machine.movers.add(bits, nth, touched);
            self.is_left_out = bits.is_asleep(nth);
            if self.is_left_out && gate.are_whole {
                self.leave_out(gate, transition);
                continue;
            }
            self.target_sleep = machine.movers.apart_from(touched, before);
            self.explore_step(pid, frame, transition)?;
        }
        ControlFlow::Continue(())
    }

    /// Counts the step of a transition that is asleep.
    #[inline(always)]
    fn leave_out(&mut self, gate: &Gate, transition: u32) {
        if !gate.are_plain {
            let taking = self.driver.code.transitions[transition as usize].effect;
            self.driver.atomic_steps += taking.map_or(0, |taking| u64::from(taking.atomic_steps));
        }
        (self.next, self.left_out) = (self.next + 1, self.left_out + 1);
    }

    /// Where all that can be done is to take transitions, each for itself.
    #[inline(always)]
    pub fn explore_plain(&mut self, pid: usize, frame: u32, first: u32, mask: u64) -> ControlFlow<()> {
        let mut rest = mask;
        while rest != 0 {
            let transition = first + rest.trailing_zeros();
            rest &= rest - 1;
            self.explore_step(pid, frame, transition)?;
        }
        ControlFlow::Continue(())
    }

    /// The transitions of a location where not all is plain, or whose gate is not open yet.
    #[inline(never)]
    fn explore_apart(&mut self, pid: usize, mask: u64) -> ControlFlow<()> {
        (self.target_sleep, self.is_left_out) = (SleepSet::EMPTY, false);
        let at = self.driver.machine.context.stands(pid);
        let looked = if mask == FAULT { self.driver.look(pid, at) } else { Ok(mask) };
        let Ok(mask) = looked else { return self.interpret_process(pid) };
        if mask == 0 {
            return ControlFlow::Continue(());
        }
        let location = &self.driver.code.locations[at];
        if mask & location.apart() == 0 {
            self.moved = true;
            return self.explore_plain(pid, self.driver.machine.context.seat(pid).offset, location.first, mask);
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
        let before = self.driver.machine.movers.mark();
        for at in 0..end {
            self.driver.machine.moves.truncate(end);
            let choice = self.driver.machine.moves[at];
            if let Some(sleep) = self.sleep {
                let nth = choice.transition - location.first;
                let touched = self.touched_by(choice);
                let moves = &self.driver.machine.moves[..end];
                let is_only = moves.iter().filter(|other| other.transition == choice.transition).count() == 1;
                let is_only = Condition::SleepPartners.is_met(is_only);
                let movers = &mut self.driver.machine.movers;
                let bits = movers.bits_of(pid, sleep);
                self.target_sleep = movers.apart_from(touched, before);
                // What sleeps is a handshake with one partner. Where there are others now, one of them is new.
                self.is_left_out = is_only && bits.is_asleep(nth);
                if is_only {
                    movers.add(bits, nth, touched);
                }
            }
            self.explore_move(choice)?;
        }
        ControlFlow::Continue(())
    }

    /// What a move touches, for all that take part in it.
    fn touched_by(&mut self, choice: Move) -> u64 {
        let mut touched = |pid: u8, transition: u32| {
            let frame = self.driver.machine.context.seat(usize::from(pid)).offset;
            self.driver.machine.touched(transition, usize::from(pid), frame)
        };
        let first = touched(choice.pid, choice.transition);
        choice.receiver.map_or(first, |(receiver, transition)| both(first, touched(receiver, transition)))
    }

    /// A send that is all there is to do and may be a rendezvous.
    #[inline(always)]
    fn explore_send(&mut self, pid: usize, transition: u32, mask: u64) -> ControlFlow<()> {
        let nth = mask.trailing_zeros();
        let bits = self.sleep.map(|sleep| self.driver.machine.movers.bits_of(pid, sleep));
        self.is_left_out = bits.is_some_and(|bits| bits.is_asleep(nth));
        match self.driver.meet(pid, transition, self.is_left_out) {
            Meeting::Nobody => ControlFlow::Continue(()),
            Meeting::One(cost, touched) => {
                self.moved = true;
                if let Some(bits) = bits {
                    let movers = &mut self.driver.machine.movers;
                    self.target_sleep = movers.apart_from(touched, movers.mark());
                    movers.add(bits, nth, touched);
                }
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
                machine.step_movers.begin(pid);
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
        let mut totals = RunTotals::default();
        let mut going = self.driver.perform(choice, None, &mut totals)?;
        if let RunStatus::Arrived = going {
            return Ok(self.show(totals.cost));
        }
        self.driver.machine.choices.clear();
        self.driver.machine.cycles.restart();
        loop {
            // The interpreter can say after how many statements a run is cut off.
            if totals.statements >= LONGEST_RUN {
                return Err(Faulty);
            }
            going = match going {
                RunStatus::Continues(_) if self.driver.interpreter.stop.is_set() => return Ok(self.stop()),
                RunStatus::Continues(control) => {
                    let machine = &mut *self.driver.machine;
                    if machine.cycles.is_cycle(&machine.context.work.bytes, control) {
                        return Err(Faulty);
                    }
                    self.driver.go_on(control, &mut totals)?
                }
                RunStatus::Arrived | RunStatus::Cut => {
                    if let RunStatus::Arrived = going
                        && self.show(totals.cost).is_break()
                    {
                        return Ok(ControlFlow::Break(()));
                    }
                    let Some(going) = self.driver.back(&mut totals)? else { return Ok(ControlFlow::Continue(())) };
                    self.driver.machine.cycles.restart();
                    going
                }
            };
        }
    }

    /// Nothing more is shown: the engine was told to stop.
    #[cold]
    fn stop(&mut self) -> ControlFlow<()> {
        let _ = (self.visit)(Step::stopped(StepIndex(self.next), self.next));
        self.next += 1;
        ControlFlow::Break(())
    }

    #[inline(always)]
    fn show(&mut self, cost: Cost) -> ControlFlow<()> {
        let ordinal = self.next;
        self.next += 1;
        if self.is_left_out {
            self.left_out += 1;
            return ControlFlow::Continue(());
        }
        let Machine { context, step_movers, .. } = &*self.driver.machine;
        (self.visit)(Step {
            action: StepIndex(ordinal),
            ordinal,
            movers: step_movers.pids(),
            cost,
            target: Target::State(&context.work.bytes),
            changed: context.log.places().map_or(Changed::Anywhere, Changed::At),
            sleep: self.target_sleep,
        })
    }

    fn interpret_process(&mut self, pid: usize) -> ControlFlow<()> {
        let moves = self.driver.interpreter.moves_of(&self.driver.machine.context.work, pid, self.driver.timeout);
        self.moved |= !moves.is_empty();
        self.interpret(&moves, 0)
    }

    /// Shows the steps of some moves by the interpreter, but for the first ones, which were shown already.
    fn interpret(&mut self, moves: &[moves::Move], shown: u32) -> ControlFlow<()> {
        let visit: &mut dyn FnMut(Step<'_, StepIndex>) -> ControlFlow<()> = &mut self.visit;
        let from = self.next + shown;
        let left_out = &mut self.left_out;
        let (sleep, is_left_out) = (self.target_sleep, self.is_left_out);
        let look = |step: Step<'_, StepIndex>| {
            if step.ordinal < from {
                return ControlFlow::Continue(());
            }
            if is_left_out && matches!(step.target, Target::State(_)) {
                *left_out += 1;
                return ControlFlow::Continue(());
            }
            visit(Step { sleep, ..step })
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
