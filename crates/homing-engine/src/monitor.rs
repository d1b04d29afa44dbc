//! Trace assertions: an automaton that follows the sends and receives on the channels it lists.

use homing_ir::Action;

use crate::execute::{Breach, Executor};
use crate::fault::Fault;

/// What happened on a channel.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Send,
    Receive,
}

impl Executor<'_> {
    /// Lets the monitor follow a send; `message` is the last one in the channel.
    pub(crate) fn follow_send(&mut self, channel: i32, message: &[i32]) -> Result<(), Fault> {
        match &self.model.monitor {
            Some(monitor) if self.among(&monitor.sends, channel)? => self.follow(Direction::Send, channel, message),
            _ => Ok(()),
        }
    }

    /// Lets the monitor follow a receive; `message` is the first one in the channel.
    pub(crate) fn follow_receive(&mut self, channel: i32, message: &[i32]) -> Result<(), Fault> {
        match &self.model.monitor {
            Some(monitor) if self.among(&monitor.receives, channel)? => {
                self.follow(Direction::Receive, channel, message)
            }
            _ => Ok(()),
        }
    }

    /// Whether an action of the monitor matches a send or receive.
    fn is_event(&self, action: &Action, direction: Direction, id: i32, message: &[i32]) -> Result<bool, Fault> {
        let Action::Event { send, channel, args } = action else { return Ok(matches!(action, Action::Skip(_))) };
        if *send != (direction == Direction::Send) || self.view().eval(channel)? != id {
            return Ok(false);
        }
        let fields = args.len().min(message.len());
        self.view().matches(&args[..fields], fields, |at| message[at])
    }

    /// Moves the monitor over the one transition that the event matches.
    fn follow(&mut self, direction: Direction, channel: i32, message: &[i32]) -> Result<(), Fault> {
        let Some(monitor) = &self.model.monitor else { return Ok(()) };
        let automaton = &monitor.automaton;
        let at = self.work.monitor(self.layout);
        let mut target = None;
        if at != automaton.end {
            for transition in &automaton.location(at).transitions {
                if self.is_event(&automaton.statement(transition.statement).action, direction, channel, message)? {
                    if target.is_some() {
                        return Err(Fault::AmbiguousTrace);
                    }
                    target = Some(transition.target);
                    if monitor.negated && transition.target == automaton.end {
                        break;
                    }
                }
            }
        }
        match target {
            Some(target) => {
                self.work.set_monitor(self.layout, target);
                if monitor.negated && target == automaton.end {
                    self.breaches
                        .push(Breach::Trace { message: "notrace violated: all of its events happened", early: false });
                }
            }
            // A notrace follows one run of events and then no more; a trace has to follow every event.
            None if monitor.negated => self.work.set_monitor(self.layout, automaton.end),
            None => {
                self.breaches.push(Breach::Trace { message: "trace violated: no event of it matches", early: false })
            }
        }
        Ok(())
    }
}
