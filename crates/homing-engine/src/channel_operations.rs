//! Sends and receives executed: messages put into buffered channels, taken from them, and passed on in a rendezvous.

use homing_ir::{ArgPattern, Expr, Queueing, ReceiveFrom};

use crate::effect::Effect;
use crate::eval::Offer;
use crate::execute::{Executor, ValueOf};
use crate::fault::Fault;

impl Executor<'_> {
    /// The values of the arguments of a send, one for each field of the channel.
    fn message(&self, channel: i32, args: &[Expr]) -> Result<Vec<i32>, Fault> {
        let fields = &self.view().channel(channel)?.1.fields;
        let message = self.values(args)?;
        if message.len() != fields.len() {
            return Err(Fault::WrongFieldCount { given: message.len(), fields: fields.len() });
        }
        Ok(message)
    }

    /// Puts a message into a buffered channel that has room.
    pub(crate) fn send(&mut self, channel: &Expr, args: &[Expr], queueing: Queueing) -> Result<(), Fault> {
        let id = self.view().eval(channel)?;
        let message = self.message(id, args)?;
        let channel = self.work.channel(self.layout, id)?;
        let length = self.work.length(channel);
        // Messages are compared before they are cut to the width of their fields, as SPIN does.
        let slot = match queueing {
            Queueing::Last => length,
            Queueing::Sorted => {
                let goes_before = |slot: u32| {
                    let held = (0..message.len()).map(|at| self.work.field(channel, slot, at));
                    message.iter().copied().lt(held)
                };
                (0..length).find(|&slot| goes_before(slot)).unwrap_or(length)
            }
        };
        let from = self.sources_of(args);
        self.work.insert(channel, slot, &message);
        let shape = channel.1;
        self.note(|executor| Effect::Sent {
            channel: id,
            slot,
            kept: (0..message.len()).map(|at| executor.work.field(channel, slot, at)).collect(),
            given: message.clone(),
            from,
        });
        let last: Vec<i32> = (0..shape.fields.len()).map(|at| self.work.field(channel, length, at)).collect();
        self.follow_send(id, &last)
    }

    /// Receives the message on offer, if there is one, or else from a buffered channel.
    pub(crate) fn receive(&mut self, channel: &Expr, args: &[ArgPattern], from: ReceiveFrom) -> Result<(), Fault> {
        let id = self.view().eval(channel)?;
        match self.offer.take() {
            Some(offer) => self.accept(offer, args),
            None => {
                let slot = self.view().find_message(id, args, from.anywhere)?.ok_or(Fault::BlockInDStep)?;
                self.receive_slot(id, slot, args, from.keep)
            }
        }
    }

    /// Binds the message in a slot of a buffered channel, and removes it unless the receive is to `keep` it.
    fn receive_slot(&mut self, id: i32, slot: u32, args: &[ArgPattern], keep: bool) -> Result<(), Fault> {
        let channel = self.work.channel(self.layout, id)?;
        let fields = channel.1.fields.len();
        if args.len() != fields {
            return Err(Fault::WrongFieldCount { given: args.len(), fields });
        }
        self.note(|executor| Effect::Received {
            channel: id,
            slot,
            message: (0..fields).map(|at| executor.work.field(channel, slot, at)).collect(),
            stays: keep,
        });
        for (at, arg) in args.iter().enumerate() {
            if at + 1 == fields && !keep {
                let first: Vec<i32> = (0..fields).map(|at| self.work.field(channel, 0, at)).collect();
                self.follow_receive(id, &first)?;
            }
            if let ArgPattern::Bind(var) = arg {
                let value = self.work.field(channel, slot, at);
                self.store(var, value, ValueOf::Field(at))?;
            }
        }
        if !keep {
            self.work.remove(channel, slot);
        }
        Ok(())
    }

    /// Binds the message of a rendezvous.
    fn accept(&mut self, offer: &Offer, args: &[ArgPattern]) -> Result<(), Fault> {
        let fields = offer.message.len();
        if args.len() != fields {
            return Err(Fault::WrongFieldCount { given: args.len(), fields });
        }
        for (at, arg) in args.iter().enumerate() {
            if at + 1 == fields {
                self.follow_receive(offer.channel, &offer.message)?;
            }
            if let ArgPattern::Bind(var) = arg {
                self.store(var, offer.message[at], ValueOf::Field(at))?;
            }
        }
        Ok(())
    }
}
