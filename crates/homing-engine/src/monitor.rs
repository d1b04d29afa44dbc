//! Trace assertions: an automaton that follows the sends and receives on the channels it mentions.

use homing_ir::{Action, ArgPattern, Expr};

use crate::execute::{Breach, Executor};
use crate::fault::Fault;

impl Executor<'_> {
    /// Lets the monitor follow a send; `message` is the last one in the channel.
    pub(crate) fn follow_send(&mut self, channel: i32, message: &[i32]) -> Result<(), Fault> {
        let Some(monitor) = &self.model.monitor else { return Ok(()) };
        if !self.among(&monitor.sends, channel)? {
            return Ok(());
        }
        self.follow(|executor, action| match action {
            Action::Send { channel: expected, args, .. } => {
                let constants = args.iter().map(|arg| matches!(arg, Expr::Const { .. }).then_some(arg));
                executor.is_event(expected, channel, constants, message)
            }
            _ => Ok(matches!(action, Action::Skip(_))),
        })
    }

    /// Lets the monitor follow a receive; `message` is the first one in the channel.
    pub(crate) fn follow_receive(&mut self, channel: i32, message: &[i32]) -> Result<(), Fault> {
        let Some(monitor) = &self.model.monitor else { return Ok(()) };
        if !self.among(&monitor.receives, channel)? {
            return Ok(());
        }
        self.follow(|executor, action| match action {
            Action::Receive { channel: expected, args, .. } => {
                let constants = args.iter().map(|arg| match arg {
                    ArgPattern::Match { value, .. } => Some(value),
                    _ => None,
                });
                executor.is_event(expected, channel, constants, message)
            }
            _ => Ok(matches!(action, Action::Skip(_))),
        })
    }

    fn is_event<'e>(
        &self,
        expected: &Expr,
        channel: i32,
        constants: impl Iterator<Item = Option<&'e Expr>>,
        message: &[i32],
    ) -> Result<bool, Fault> {
        if self.view().eval(expected)? != channel {
            return Ok(false);
        }
        for (value, field) in constants.zip(message) {
            if let Some(value) = value
                && self.view().eval(value)? != *field
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Moves the monitor over the one transition that `matches`.
    fn follow(&mut self, matches: impl Fn(&Self, &Action) -> Result<bool, Fault>) -> Result<(), Fault> {
        let Some(monitor) = &self.model.monitor else { return Ok(()) };
        let automaton = &monitor.automaton;
        let at = self.work.monitor(self.layout);
        let mut target = None;
        if at != automaton.end {
            for transition in &automaton.location(at).transitions {
                if matches(self, &automaton.statement(transition.statement).action)? {
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
                    self.breaches.push(Breach::Trace { message: "notrace violated: all of its events happened" });
                }
            }
            // A notrace is given one try; a trace has to follow for ever.
            None if monitor.negated => self.work.set_monitor(self.layout, automaton.end),
            None => self.breaches.push(Breach::Trace { message: "trace violated: no event of it matches" }),
        }
        Ok(())
    }
}
