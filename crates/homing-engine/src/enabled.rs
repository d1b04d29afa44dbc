//! Enabledness: whether a statement is executable in a state, and whether a process may move at all.

use homing_ir::{Action, ArgPattern, Expr, Guard, ReceiveFrom, Side, Synchronisation};

use crate::eval::View;
use crate::fault::Fault;

impl View<'_> {
    /// Whether the process may move at all: its `provided` clause holds and no process of a higher priority can move.
    pub fn may_run(self) -> Result<bool, Fault> {
        if let Some(provided) = &self.model.proctype(self.proctype()).provided
            && self.eval(provided)? == 0
        {
            return Ok(false);
        }
        if self.layout.priority_at.is_none() {
            return Ok(true);
        }
        let own = self.work.priority(self.layout, self.pid);
        for other in 0..self.work.processes.len() {
            if other != self.pid && self.work.priority(self.layout, other) > own {
                let other = self.of(other);
                let provided = match &self.model.proctype(other.proctype()).provided {
                    Some(provided) => other.eval(provided)? != 0,
                    None => true,
                };
                if provided && other.can_move()? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Whether the process has an executable statement, by the rules of SPIN's `enabled`: a rendezvous counts without a
    /// partner, and an `else` is reached only if nothing before it is executable.
    pub fn can_move(self) -> Result<bool, Fault> {
        let automaton = &self.model.proctype(self.proctype()).automaton;
        for transition in &automaton.location(self.work.location(self.layout, self.pid)).transitions {
            let action = &automaton.statement(transition.statement).action;
            let is_executable = if action.is_else() { self.offer.is_none() } else { self.is_executable(action)? };
            if is_executable {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether an action is executable by itself. A send over a rendezvous channel counts as executable: the caller has to
    /// look for the receiver. An `else` counts as not executable: it depends on the other options of its selection.
    pub fn is_executable(self, action: &Action) -> Result<bool, Fault> {
        if self.offer.is_some() {
            return self.takes_offer(action);
        }
        self.holds(action.guard())
    }

    fn holds(self, guard: Guard<'_>) -> Result<bool, Fault> {
        Ok(match guard {
            Guard::Always => true,
            Guard::Never | Guard::Else => false,
            Guard::Condition(condition) => self.eval(condition)? != 0,
            Guard::Room(channel) => {
                let channel = self.channel(self.eval(channel)?)?;
                channel.1.capacity == 0 || self.work.length(channel) < channel.1.capacity
            }
            Guard::Message { channel, args, from } => self.can_receive(channel, args, from)?,
            Guard::AnyOf(actions) => {
                for action in actions {
                    if self.holds(action.guard())? {
                        return Ok(true);
                    }
                }
                false
            }
            Guard::Youngest => self.pid + 1 == self.work.processes.len(),
        })
    }

    fn can_receive(self, channel: &Expr, args: &[ArgPattern], from: ReceiveFrom) -> Result<bool, Fault> {
        let id = self.eval(channel)?;
        if self.channel(id)?.1.capacity == 0 {
            // A rendezvous is a move of the sender, and its channel holds no message that could be polled.
            return if from.keep { Err(Fault::PollOfRendezvous) } else { Ok(false) };
        }
        Ok(self.find_message(id, args, from.anywhere)?.is_some())
    }

    /// Whether an action receives the message that is on offer.
    fn takes_offer(self, action: &Action) -> Result<bool, Fault> {
        let Some(offer) = self.offer else { return Ok(false) };
        for Synchronisation { channel, side } in action.synchronisations() {
            if let Side::Receive(args) = side
                && self.eval(channel)? == offer.channel
                && self.matches(args, offer.message.len(), |at| offer.message[at])?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether an action is executable inside a `d_step`. If the `d_step` began by receiving an offer, the offer is visible
    /// to receives alone.
    pub fn is_executable_in_d_step(self, action: &Action) -> Result<bool, Fault> {
        match action.guard() {
            Guard::Message { .. } if self.offer.is_some() => self.takes_offer(action),
            guard => View { offer: None, ..self }.holds(guard),
        }
    }

    /// The rendezvous channel that an action sends to; `None` for other actions and for buffered channels.
    pub fn rendezvous(self, action: &Action) -> Result<Option<i32>, Fault> {
        let Some(Synchronisation { channel, side: Side::Send(_) }) = action.synchronisation() else { return Ok(None) };
        let id = self.eval(channel)?;
        Ok((self.channel(id)?.1.capacity == 0).then_some(id))
    }
}
