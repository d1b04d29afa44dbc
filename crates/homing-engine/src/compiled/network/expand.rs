//! The expansion of one state of a network.
//!
//! Everything is executed in place, on the bytes of one buffer, and undone by the log.

use std::ops::ControlFlow;

use homing_core::{Changed, Condition, Pid, SleepSet, Step, Target};

use super::super::code::{Compiled, Guards};
use super::super::drive::{Machine, NeedsInterpreter};
use super::super::translate::FAULT;
use super::buffers::{NetworkBuffers, Taken};
use super::sleep::Access;
use super::{ChannelOf, Effect, NetworkCode, Role, Test};
use crate::interpreter::{Interpreter, StepIndex};
use crate::moves::{Choice, Move};

/// Is called with each step; a break ends the expansion.
type Visitor<'x> = &'x mut dyn FnMut(Step<'_, StepIndex>) -> ControlFlow<()>;

/// The expansion of one state.
pub struct NetworkExpansion<'x, 'm> {
    interpreter: &'x Interpreter<'m>,
    code: &'x NetworkCode,
    machine: &'x mut Machine<'m>,
    /// The ordinal of the next step.
    pub next: u32,
    /// A process is in a committed location.
    is_committed: bool,
    /// The sleep set of the state, if steps in it are to be left out.
    sleep: Option<SleepSet>,
    /// The bit of the present edge in sleep sets; 0 if it has none.
    bit: u64,
    /// The number of explored steps of processes before the present one.
    mark: usize,
    /// The sleep set of the target of the present step.
    target_sleep: SleepSet,
    /// The number of steps that were left out.
    pub left_out: u32,
    visit: Visitor<'x>,
}

impl<'x, 'm> NetworkExpansion<'x, 'm> {
    /// An expansion of the state that is loaded, whose first step has the ordinal `next`: of all steps, or those outside a sleep set.
    #[inline(always)]
    pub fn new(
        interpreter: &'x Interpreter<'m>,
        code: &'x NetworkCode,
        machine: &'x mut Machine<'m>,
        (next, sleep): (u32, Option<SleepSet>),
        visit: Visitor<'x>,
    ) -> Self {
        let sleep = sleep.filter(|_| machine.network.enabled.is_on());
        let (is_committed, bit, mark, target_sleep, left_out) = (false, 0, 0, SleepSet::EMPTY, 0);
        NetworkExpansion {
            interpreter,
            code,
            machine,
            next,
            is_committed,
            sleep,
            bit,
            mark,
            target_sleep,
            left_out,
            visit,
        }
    }

    /// Shows the steps of the state that is loaded. Gives up before the first of them if evaluating a guard or a channel does.
    #[inline]
    pub fn explore(&mut self) -> Result<ControlFlow<()>, NeedsInterpreter> {
        let code = self.code;
        self.evaluate_guards()?;
        self.is_committed = code.partners.committing.iter().any(|&pid| self.is_at_committed(pid));
        self.machine.network.enabled.forget();
        for (at, &pid) in code.partners.active.iter().enumerate() {
            if self.explore_process(at, pid).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Evaluates the guards and channels of all processes that have some.
    #[inline(always)]
    fn evaluate_guards(&mut self) -> Result<(), NeedsInterpreter> {
        let code = self.code;
        for &pid in &code.partners.guarded {
            let process = self.machine.context.process(pid.into());
            let location = &code.locations[self.machine.context.location(process)];
            let slots = code.partners.processes[usize::from(pid)];
            for nth in 0..location.count {
                let mask = match code.groups[(location.first + nth) as usize].guards {
                    Guards::Always(mask) => mask,
                    Guards::Computed(guards) => {
                        let machine = &mut *self.machine;
                        let channels = machine.network.channels.as_mut_ptr().wrapping_add(slots.computed as usize);
                        machine.context.computed_channels = channels;
                        machine.invoke(guards, pid.into(), process.offset)
                    }
                    Guards::Interpreted => FAULT,
                };
                if mask == FAULT {
                    return Err(NeedsInterpreter);
                }
                self.machine.network.masks[(slots.mask + nth) as usize] = mask;
            }
        }
        Ok(())
    }

    /// Whether a process is in a committed location.
    #[inline]
    fn is_at_committed(&self, pid: u8) -> bool {
        self.code.locations[self.machine.context.location_of(pid.into())].committed
    }

    /// Whether a step of these processes is possible as far as committed locations decide.
    #[inline(always)]
    fn may_move(&self, pids: impl IntoIterator<Item = u8>) -> bool {
        !self.is_committed || pids.into_iter().any(|pid| self.is_at_committed(pid))
    }

    /// Shows the steps that begin with an edge of a process, which is at this place among the active ones.
    #[inline(always)]
    fn explore_process(&mut self, active: usize, pid: u8) -> ControlFlow<()> {
        let code = self.code;
        self.mark = self.machine.network.enabled.mark();
        let location = &code.locations[self.machine.context.location(self.machine.context.process(pid.into()))];
        let mask_at = code.partners.processes[usize::from(pid)].mask;
        for nth in 0..location.count {
            let group = &code.groups[(location.first + nth) as usize];
            let mut rest = group.begins
                & match group.guards {
                    Guards::Always(mask) => mask,
                    _ => self.machine.network.masks[(mask_at + nth) as usize],
                };
            while rest != 0 {
                let first = rest & rest.wrapping_neg();
                let edge = group.first + first.trailing_zeros();
                rest &= rest - 1;
                if self.sleep.is_some() {
                    let before = (group.begins & (first - 1)).count_ones();
                    self.bit = if nth == 0 { self.machine.network.enabled.bit(active, before) } else { 0 };
                }
                self.explore_edge(Taken { pid, edge })?;
            }
        }
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn explore_edge(&mut self, taken: Taken) -> ControlFlow<()> {
        match self.code.edges[taken.edge as usize].role {
            Role::Alone if self.may_move([taken.pid]) => self.take_only(&[taken]),
            Role::Sends(channel) => self.explore_send(taken, self.channel(taken.pid, channel)),
            Role::Broadcasts(channel) => self.explore_broadcast(taken, self.channel(taken.pid, channel)),
            Role::Alone | Role::Receives(_) => ControlFlow::Continue(()),
        }
    }

    /// The number of a channel of a process.
    #[inline(always)]
    fn channel(&self, pid: u8, channel: ChannelOf) -> i32 {
        match channel {
            ChannelOf::Fixed(number) => number as i32,
            ChannelOf::Computed(at) => {
                let first = self.code.partners.processes[usize::from(pid)].computed;
                self.machine.network.channels[(first + at) as usize]
            }
        }
    }

    /// Shows the steps of a sender with each receiver.
    #[inline(always)]
    fn explore_send(&mut self, sender: Taken, channel: i32) -> ControlFlow<()> {
        if self.sleep.is_some() {
            return self.explore_send_outside(sender, channel);
        }
        self.for_each_receiver(sender, channel, |expansion, receiver| {
            if expansion.may_move([sender.pid, receiver.pid]) {
                return expansion.take(&[sender, receiver]);
            }
            ControlFlow::Continue(())
        })
    }

    /// Shows the steps of a sender with each receiver, if there are several: a bit of a sleep set means a step with the only one.
    #[inline(always)]
    fn explore_send_outside(&mut self, sender: Taken, channel: i32) -> ControlFlow<()> {
        let (mut last, mut count) = (sender, 0);
        let _ = self.for_each_receiver(sender, channel, |_, receiver| {
            (last, count) = (receiver, count + 1);
            ControlFlow::Continue(())
        });
        match count {
            0 => ControlFlow::Continue(()),
            1 => self.take_only(&[sender, last]),
            _ if !Condition::SleepPartners.is_met(false) => {
                self.bit = 0;
                self.for_each_receiver(sender, channel, |expansion, receiver| expansion.take_only(&[sender, receiver]))
            }
            _ => {
                self.for_each_receiver(sender, channel, |expansion, receiver| expansion.take_only(&[sender, receiver]))
            }
        }
    }

    /// Takes a step, unless it is in the sleep set: the only one of its edge, if that has a bit. Sleep sets are used only where no
    /// location is committed.
    #[inline(always)]
    fn take_only(&mut self, step: &[Taken]) -> ControlFlow<()> {
        let Some(sleep) = self.sleep else { return self.take(step) };
        let edges = step.iter().map(|taken| self.code.edges[taken.edge as usize].access.by(taken.pid));
        let access = edges.reduce(Access::and).unwrap_or(Access::EVERYTHING);
        if sleep.0 & self.bit != 0 {
            self.machine.network.enabled.add(self.bit, access);
            (self.next, self.left_out) = (self.next + 1, self.left_out + 1);
            return ControlFlow::Continue(());
        }
        self.target_sleep = self.machine.network.enabled.independent_of(access, self.mark);
        self.machine.network.enabled.add(self.bit, access);
        let flow = self.take(step);
        self.target_sleep = SleepSet::EMPTY;
        flow
    }

    /// Calls `found` with each edge of another process that can receive over a channel, by pid.
    #[inline(always)]
    fn for_each_receiver(
        &mut self,
        sender: Taken,
        channel: i32,
        mut found: impl FnMut(&mut Self, Taken) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let code = self.code;
        for &listener in code.partners.listeners(channel) {
            if listener.pid == sender.pid {
                continue;
            }
            let heard = code.partners.heard(listener, self.location(listener.pid));
            let mut rest = heard.edges & self.machine.network.masks[listener.mask as usize];
            while rest != 0 {
                let bit = rest & rest.wrapping_neg();
                rest &= rest - 1;
                let receiver = Taken { pid: listener.pid, edge: heard.first + bit.trailing_zeros() };
                if heard.computed & bit == 0 || self.receives(receiver, channel) {
                    found(self, receiver)?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// The number of the location of a process.
    #[inline(always)]
    fn location(&self, pid: u8) -> u32 {
        self.machine.context.location_number(self.machine.context.process(pid.into()))
    }

    /// Whether an enabled edge with a computed channel receives over this one.
    fn receives(&self, Taken { pid, edge }: Taken, channel: i32) -> bool {
        match self.code.edges[edge as usize].role {
            Role::Receives(of) => self.channel(pid, of) == channel,
            _ => false,
        }
    }

    /// Shows the steps of a sender with one edge of every process that can receive, in all combinations: the last process varies
    /// fastest.
    #[inline(never)]
    fn explore_broadcast(&mut self, sender: Taken, channel: i32) -> ControlFlow<()> {
        self.find_receivers(sender, channel);
        let pids = self.machine.network.receivers.iter().map(|receiver| receiver.pid);
        if !self.may_move(std::iter::once(sender.pid).chain(pids)) {
            return ControlFlow::Continue(());
        }
        let mut step = std::mem::take(&mut self.machine.network.step);
        let mut flow = ControlFlow::Continue(());
        loop {
            let NetworkBuffers { receivers, choices, .. } = &self.machine.network;
            step.clear();
            step.push(sender);
            step.extend(receivers.iter().map(|of| Taken { pid: of.pid, edge: choices[of.at as usize] }));
            if self.take(&step).is_break() {
                flow = ControlFlow::Break(());
                break;
            }
            if !self.machine.network.next_combination() {
                break;
            }
        }
        self.machine.network.step = step;
        flow
    }

    /// Collects the edges by which other processes can receive over a channel.
    fn find_receivers(&mut self, sender: Taken, channel: i32) {
        self.machine.network.receivers.clear();
        self.machine.network.choices.clear();
        let _ = self.for_each_receiver(sender, channel, |expansion, receiver| {
            expansion.machine.network.add_receiver(receiver);
            ControlFlow::Continue(())
        });
    }

    /// Executes a step, shows it and undoes it.
    #[inline(always)]
    fn take(&mut self, step: &[Taken]) -> ControlFlow<()> {
        let flow = match self.execute(step) {
            Ok(true) => self.show(step),
            Ok(false) => ControlFlow::Continue(()),
            Err(NeedsInterpreter) => {
                self.machine.context.undo(0);
                return self.interpret(step);
            }
        };
        self.machine.context.undo(0);
        flow
    }

    /// Executes the edges of a step in order. Returns whether the invariants of locations hold afterwards.
    #[inline(always)]
    fn execute(&mut self, step: &[Taken]) -> Result<bool, NeedsInterpreter> {
        for &Taken { pid, edge } in step {
            let edge = &self.code.edges[edge as usize];
            let process = self.machine.context.process(pid.into());
            match edge.effect {
                Effect::Moves => self.machine.context.set_location(process, edge.target),
                Effect::Compiled(effect) => self.call(effect, pid)?,
                Effect::Interpreted => return Err(NeedsInterpreter),
            }
        }
        if self.code.partners.constrained.is_empty() { Ok(true) } else { self.meets_invariants() }
    }

    /// Executes an update.
    #[inline(always)]
    fn call(&mut self, effect: Compiled, pid: u8) -> Result<(), NeedsInterpreter> {
        let frame = self.machine.context.process(pid.into()).offset;
        if !self.machine.context.log.has_room() || self.machine.invoke(effect, pid.into(), frame) == FAULT {
            return Err(NeedsInterpreter);
        }
        Ok(())
    }

    /// Whether the invariants of all locations hold where processes stand.
    fn meets_invariants(&mut self) -> Result<bool, NeedsInterpreter> {
        let code = self.code;
        for &pid in &code.partners.constrained {
            let process = self.machine.context.process(pid.into());
            match code.locations[self.machine.context.location(process)].invariant {
                Test::Always => {}
                Test::Computed(invariant) => match self.machine.invoke(invariant, pid.into(), process.offset) {
                    FAULT => return Err(NeedsInterpreter),
                    0 => return Ok(false),
                    _ => {}
                },
                Test::Interpreted => return Err(NeedsInterpreter),
            }
        }
        Ok(true)
    }

    /// Shows the step to the present state.
    #[inline(always)]
    fn show(&mut self, step: &[Taken]) -> ControlFlow<()> {
        let Machine { context, step_movers, .. } = &mut *self.machine;
        step_movers.begin(step[0].pid.into());
        step[1..].iter().for_each(|taken| step_movers.add(taken.pid.into()));
        let ordinal = self.next;
        self.next += 1;
        let movers: &[Pid] = step_movers.pids();
        (self.visit)(Step {
            action: StepIndex(ordinal),
            ordinal,
            movers,
            cost: 1,
            target: Target::State(&context.work.bytes),
            changed: context.log.written_bytes().map_or(Changed::Anywhere, Changed::At),
            sleep: self.target_sleep,
            acceptance: 0,
            is_transient: false,
        })
    }

    /// Shows a step by the interpreter.
    #[cold]
    fn interpret(&mut self, step: &[Taken]) -> ControlFlow<()> {
        let choice = |&Taken { pid, edge }: &Taken| {
            let location = &self.code.locations[self.machine.context.location_of(pid.into())];
            Choice { pid, transition: edge - self.code.groups[location.first as usize].first }
        };
        let first = choice(&step[0]);
        let taken = match self.code.edges[step[0].edge as usize].role {
            Role::Alone => Move::Step(first),
            _ => Move::Signal(first, step[1..].iter().map(choice).collect()),
        };
        let work = &self.machine.context.work;
        let (next, flow) = self.interpreter.expand_moves(work, &[taken], self.next, false, &mut *self.visit);
        self.next = next;
        flow
    }
}
