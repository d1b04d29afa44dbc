//! The expansion of one state by compiled code: the moves of each process, and the runs that begin with each move. The
//! [diagram](super) of the ways in which a process is explored names the functions.
//!
//! Everything is executed in place, on the bytes of one buffer, and undone by the log. Where compiled code gives up, the
//! interpreter executes the whole move, or all moves of the process; steps that were shown already are not shown again.

use std::ops::ControlFlow;

use homing_core::{Changed, Condition, Cost, SleepSet, Step, Target};

use super::access::union;
use super::drive::{CompiledMove, Driver, Machine, NeedsInterpreter, RunTotals};
use super::fast_paths::LocationEntry;
use super::partners::Rendezvous;
use super::translate::FAULT;
use crate::interpreter::StepIndex;
use crate::moves::{self, Choice};
use crate::run::{LONGEST_RUN, RunStatus};

/// The expansion of one state. It is generic over `visit`: an indirect call would cost as much as most transitions.
pub struct Expansion<'x, 'm, V> {
    pub driver: Driver<'x, 'm>,
    /// The ordinal of the next step.
    pub next: u32,
    /// A process can move.
    moved: bool,
    /// The sleep set of the state, if steps in it are to be left out.
    pub sleep: Option<SleepSet>,
    /// The sleep set of the target of the present step.
    target_sleep: SleepSet,
    /// The present step is in the sleep set: it is counted, not shown.
    is_left_out: bool,
    /// The number of steps that were left out.
    pub left_out: u32,
    visit: V,
}

impl<'x, 'm, V: FnMut(Step<'_, StepIndex>) -> ControlFlow<()>> Expansion<'x, 'm, V> {
    #[inline(always)]
    pub fn new(driver: Driver<'x, 'm>, next: u32, sleep: Option<SleepSet>, visit: V) -> Self {
        let (target_sleep, is_left_out, left_out) = (SleepSet::EMPTY, false, 0);
        Expansion { driver, next, moved: false, sleep, target_sleep, is_left_out, left_out, visit }
    }

    /// Shows the steps of all processes, the youngest first. Returns whether a process can move.
    #[inline]
    pub fn explore(&mut self) -> ControlFlow<(), bool> {
        self.moved = false;
        self.driver.begin();
        for pid in (0..self.driver.machine.context.process_table.len()).rev() {
            self.explore_process(pid)?;
        }
        ControlFlow::Continue(self.moved)
    }

    /// Shows the steps of a process: evaluates the guards of its location, and chooses how its transitions are taken.
    #[inline(always)]
    fn explore_process(&mut self, pid: usize) -> ControlFlow<()> {
        (self.target_sleep, self.is_left_out) = (SleepSet::EMPTY, false);
        let machine = &mut *self.driver.machine;
        let process = machine.context.process(pid);
        let entry = machine.fast_paths.location(machine.context.location(process));
        let mask = machine.enabled_mask(&entry, pid, process.offset);
        if mask == 0 {
            return ControlFlow::Continue(());
        }
        if mask & entry.special != 0 {
            if mask & (mask - 1) != 0 || mask == FAULT {
                return self.explore_special(pid, mask);
            }
            return self.explore_send(pid, entry.first + mask.trailing_zeros(), mask);
        }
        self.moved = true;
        match self.sleep {
            Some(sleep) => self.explore_outside(pid, process.offset, &entry, mask, sleep),
            None => self.explore_plain(pid, process.offset, entry.first, mask),
        }
    }

    /// Shows the steps of plain transitions that are outside the sleep set, with the sleep sets of their targets.
    #[inline(always)]
    fn explore_outside(
        &mut self,
        pid: usize,
        frame: u32,
        entry: &LocationEntry,
        mask: u64,
        sleep: SleepSet,
    ) -> ControlFlow<()> {
        let before = self.driver.machine.enabled.mark();
        let bits = self.driver.machine.enabled.bits_of(pid, sleep);
        let mut rest = mask;
        while rest != 0 {
            let nth = rest.trailing_zeros();
            rest &= rest - 1;
            let transition = entry.first + nth;
            let machine = &mut *self.driver.machine;
            let accessed = machine.access_word(transition, pid, frame);
            machine.enabled.add(bits, nth, accessed);
            self.is_left_out = bits.is_sleeping(nth);
            if self.is_left_out && entry.are_whole {
                self.leave_out(entry, transition);
                continue;
            }
            self.target_sleep = machine.enabled.independent_of(accessed, before);
            self.explore_step(pid, frame, transition)?;
        }
        ControlFlow::Continue(())
    }

    /// Counts the step of a transition in the sleep set without taking it.
    #[inline(always)]
    fn leave_out(&mut self, entry: &LocationEntry, transition: u32) {
        if !entry.are_plain {
            let effect = self.driver.code.transitions[transition as usize].effect;
            self.driver.atomic_steps += effect.map_or(0, |chain| u64::from(chain.atomic_steps));
        }
        (self.next, self.left_out) = (self.next + 1, self.left_out + 1);
    }

    /// Shows the steps of plain transitions: those whose guards are all that decides whether they can be taken.
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

    /// Shows the steps of a process where a [special](super::code::LocationCode::special) transition may be enabled, the
    /// location is not recorded yet, or its guards gave up.
    #[inline(never)]
    fn explore_special(&mut self, pid: usize, mask: u64) -> ControlFlow<()> {
        (self.target_sleep, self.is_left_out) = (SleepSet::EMPTY, false);
        let at = self.driver.machine.context.location_of(pid);
        let evaluated = if mask == FAULT { self.driver.evaluate_guards(pid, at) } else { Ok(mask) };
        let Ok(mask) = evaluated else { return self.interpret_process(pid) };
        if mask == 0 {
            return ControlFlow::Continue(());
        }
        let location = &self.driver.code.locations[at];
        if mask & location.special() == 0 {
            self.moved = true;
            return self.explore_plain(pid, self.driver.machine.context.process(pid).offset, location.first, mask);
        }
        self.driver.machine.moves.clear();
        if self.driver.collect_moves(pid, at, mask).is_err() {
            return self.interpret_process(pid);
        }
        let end = self.driver.machine.moves.len();
        // One message was offered, and no code has run since that overwrites it.
        self.driver.machine.offer_is_current =
            end == 1 && (location.sends & mask).count_ones() == 1 && !self.driver.code.provided;
        self.moved |= end > 0;
        let before = self.driver.machine.enabled.mark();
        for at in 0..end {
            self.driver.machine.moves.truncate(end);
            let choice = self.driver.machine.moves[at];
            if let Some(sleep) = self.sleep {
                let nth = choice.transition - location.first;
                let accessed = self.access_word_of(choice);
                let moves = &self.driver.machine.moves[..end];
                let is_only = moves.iter().filter(|other| other.transition == choice.transition).count() == 1;
                let is_only = Condition::SleepPartners.is_met(is_only);
                let enabled = &mut self.driver.machine.enabled;
                let bits = enabled.bits_of(pid, sleep);
                self.target_sleep = enabled.independent_of(accessed, before);
                // A bit of the sleep set means a rendezvous with one partner. Where there are others now, one of them is new.
                self.is_left_out = is_only && bits.is_sleeping(nth);
                if is_only {
                    enabled.add(bits, nth, accessed);
                }
            }
            self.explore_move(choice)?;
        }
        ControlFlow::Continue(())
    }

    /// What a move accesses: in a rendezvous, what either side does.
    fn access_word_of(&mut self, choice: CompiledMove) -> u64 {
        let mut accessed = |pid: u8, transition: u32| {
            let frame = self.driver.machine.context.process(usize::from(pid)).offset;
            self.driver.machine.access_word(transition, usize::from(pid), frame)
        };
        let first = accessed(choice.pid, choice.transition);
        choice.receiver.map_or(first, |(receiver, transition)| union(first, accessed(receiver, transition)))
    }

    /// Shows the step of a send that may be a rendezvous and is the only enabled transition of its process.
    #[inline(always)]
    fn explore_send(&mut self, pid: usize, transition: u32, mask: u64) -> ControlFlow<()> {
        let nth = mask.trailing_zeros();
        let bits = self.sleep.map(|sleep| self.driver.machine.enabled.bits_of(pid, sleep));
        self.is_left_out = bits.is_some_and(|bits| bits.is_sleeping(nth));
        match self.driver.rendezvous(pid, transition, self.is_left_out) {
            Rendezvous::NoPartner => ControlFlow::Continue(()),
            Rendezvous::Done(cost, accessed) => {
                self.moved = true;
                if let Some(bits) = bits {
                    let enabled = &mut self.driver.machine.enabled;
                    self.target_sleep = enabled.independent_of(accessed, enabled.mark());
                    enabled.add(bits, nth, accessed);
                }
                let flow = self.show(cost);
                self.driver.undo();
                flow
            }
            Rendezvous::Unclear => {
                self.driver.undo();
                self.explore_special(pid, mask)
            }
        }
    }

    /// Shows the steps that begin with a transition: usually one, by the fast path.
    #[inline(always)]
    pub fn explore_step(&mut self, pid: usize, frame: u32, transition: u32) -> ControlFlow<()> {
        let machine = &mut *self.driver.machine;
        if let Some(effect) = machine.fast_paths.effect(transition) {
            if machine.invoke(effect.code, pid, frame) != FAULT {
                machine.step_movers.begin(pid);
                self.driver.atomic_steps += u64::from(effect.atomic_steps);
                let flow = self.show(effect.cost);
                self.driver.undo();
                return flow;
            }
            self.driver.undo();
        }
        self.explore_move(CompiledMove { pid: pid as u8, transition, receiver: None })
    }

    /// Shows the steps that begin with a move, by the interpreter if compiled code gives up.
    #[inline(never)]
    pub fn explore_move(&mut self, choice: CompiledMove) -> ControlFlow<()> {
        let (first, atomic_steps) = (self.next, self.driver.atomic_steps);
        let followed = self.follow(choice);
        self.driver.machine.offer_is_current = false;
        self.driver.undo();
        followed.unwrap_or_else(|NeedsInterpreter| {
            self.driver.atomic_steps = atomic_steps;
            let shown = self.next - first;
            self.next = first;
            self.interpret(&[self.as_interpreted(choice)], shown)
        })
    }

    /// Follows the runs that begin with a move, one for each combination of the choices on the way.
    fn follow(&mut self, choice: CompiledMove) -> Result<ControlFlow<()>, NeedsInterpreter> {
        let mut totals = RunTotals::default();
        let mut status = self.driver.perform(choice, None, &mut totals)?;
        if let RunStatus::Arrived = status {
            return Ok(self.show(totals.cost));
        }
        self.driver.machine.choices.clear();
        self.driver.machine.cycles.restart();
        loop {
            // The interpreter follows the run again, and cuts it off at the exact number of statements.
            if totals.statements >= LONGEST_RUN {
                return Err(NeedsInterpreter);
            }
            status = match status {
                RunStatus::Continues(_) if self.driver.interpreter.stop.is_set() => return Ok(self.stop()),
                RunStatus::Continues(control) => {
                    let machine = &mut *self.driver.machine;
                    if machine.cycles.is_cycle(&machine.context.work.bytes, control) {
                        return Err(NeedsInterpreter);
                    }
                    self.driver.continue_run(control, &mut totals)?
                }
                RunStatus::Arrived | RunStatus::Cut => {
                    if let RunStatus::Arrived = status
                        && self.show(totals.cost).is_break()
                    {
                        return Ok(ControlFlow::Break(()));
                    }
                    let Some(status) = self.driver.backtrack(&mut totals)? else {
                        return Ok(ControlFlow::Continue(()));
                    };
                    self.driver.machine.cycles.restart();
                    status
                }
            };
        }
    }

    /// Shows that the stop token is set, and nothing after that.
    #[cold]
    fn stop(&mut self) -> ControlFlow<()> {
        let _ = (self.visit)(Step::stopped(StepIndex(self.next), self.next));
        self.next += 1;
        ControlFlow::Break(())
    }

    /// Shows the step to the present state, unless it is to be left out.
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
            changed: context.log.written_bytes().map_or(Changed::Anywhere, Changed::At),
            sleep: self.target_sleep,
            acceptance: 0,
            is_transient: false,
        })
    }

    /// Shows the steps of a process by the interpreter.
    fn interpret_process(&mut self, pid: usize) -> ControlFlow<()> {
        let moves = self.driver.interpreter.moves_of(&self.driver.machine.context.work, pid, self.driver.timeout);
        self.moved |= !moves.is_empty();
        self.interpret(&moves, 0)
    }

    /// Shows the steps of some moves by the interpreter, except the first `shown`, which were shown already.
    fn interpret(&mut self, moves: &[moves::Move], shown: u32) -> ControlFlow<()> {
        let visit: &mut dyn FnMut(Step<'_, StepIndex>) -> ControlFlow<()> = &mut self.visit;
        let from = self.next + shown;
        let left_out = &mut self.left_out;
        let (sleep, is_left_out) = (self.target_sleep, self.is_left_out);
        let mut show = |step: Step<'_, StepIndex>| {
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
        let (next, flow) = self.driver.interpreter.expand_moves(work, moves, self.next, self.driver.timeout, &mut show);
        self.next = next;
        flow
    }

    /// A move in the interpreter's terms.
    fn as_interpreted(&self, choice: CompiledMove) -> moves::Move {
        let named = |pid: u8, transition: u32| {
            let location = &self.driver.code.locations[self.driver.machine.context.location_of(pid as usize)];
            Choice { pid, transition: transition - location.first }
        };
        let first = named(choice.pid, choice.transition);
        match choice.receiver {
            Some((pid, transition)) => moves::Move::Handshake(first, named(pid, transition)),
            None => moves::Move::Step(first),
        }
    }
}

#[cfg(test)]
mod tests {
    use homing_core::{Selected, Selection, StopToken, TransitionSystem};

    use super::*;
    use crate::CompiledEngine;
    use crate::compiled::testing::{Arrived, agree, model, steps};

    #[test]
    fn what_compiled_code_gives_up_is_shown_once() {
        for (body, states) in [
            // Two runs are shown before the third fails, and one after it.
            ("atomic { a = 1; if :: b = 1 :: b = 2 :: assert(false) :: b = 3 fi; a = 0 }", 9),
            ("atomic { a = 1; do :: a < 3 -> a++ :: break od }", 7),
            ("atomic { do :: a = 1 - a od }", 1),
            ("{ a = 1; b = 1 } unless { a == 1 }", 4),
            ("if :: timeout -> a = 1 :: b == 1 fi", 4),
            ("a = 1; run P(); a = 2", 9),
        ] {
            let text = format!("int a, b; proctype P() {{ int c = 1; b = c }} init {{ {body} }}");
            assert_eq!(agree(&text), states, "{body}");
        }
    }

    #[test]
    fn processes_come_from_the_youngest_and_are_the_movers() {
        let model = model("byte a; active [3] proctype P() { a++ }");
        let engine = CompiledEngine::new(&model).expect("an initial state");
        let movers: Vec<Vec<u8>> = steps(&engine, &engine.initial()).into_iter().map(|(movers, ..)| movers).collect();
        assert_eq!(movers, [[2], [1], [0]]);
    }

    #[test]
    fn an_engine_that_is_stopped_shows_that_steps_are_missing() {
        let model = model("byte a; init { a = 1 }");
        let stop = StopToken::default();
        let engine = CompiledEngine::new_until(&model, stop.clone()).expect("an initial state");
        stop.set();
        assert_eq!(steps(&engine, &engine.initial()), [(vec![], 0, Arrived::CutOff)]);
        let selected = engine.for_each_step(&engine.initial(), Selection::Stubborn, |_| ControlFlow::Continue(()));
        assert_eq!(selected, Selected::NotReduced);
    }

    #[test]
    fn independent_steps_are_left_out_in_one_order() {
        let model = model("byte a, b; active proctype P() { a = 1 } active proctype Q() { b = 1 }");
        let engine = CompiledEngine::new(&model).expect("an initial state");
        steps(&engine, &engine.initial()); // fills in the fast paths
        let mut targets = Vec::new();
        engine.for_each_step(&engine.initial(), Selection::Outside(SleepSet::EMPTY), |step| {
            let Target::State(target) = step.target else { panic!("no step fails") };
            targets.push((target.to_vec(), step.sleep));
            ControlFlow::Continue(())
        });
        let [(_, of_second), (after_first, of_first)] = &targets[..] else { panic!("each process has a step") };
        assert_eq!(*of_second, SleepSet::EMPTY, "nothing comes before the youngest process");
        let mut shown = 0;
        let selected = engine.for_each_step(after_first, Selection::Outside(*of_first), |_| {
            shown += 1;
            ControlFlow::Continue(())
        });
        assert_eq!(selected, Selected::Shown { left_out: 1 });
        assert_eq!(shown, 0, "P has terminated, but it is not the youngest process");
    }
}
