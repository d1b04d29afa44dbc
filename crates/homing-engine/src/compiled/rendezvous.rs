//! The two sides of a rendezvous are translated into machine code: the offer of a send, which receives take it, and their
//! effects.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use cranelift_frontend::Variable as Register;
use homing_ir::{
    Action, ArgPattern, Cell, Expr, Location, Model, ProctypeId, Side, Synchronisation, Transition, listened_channels,
};

use super::channels::Channels;
use super::context::{Context, MOST_FIELDS};
use super::runtime::RuntimeFunction;
use super::translate::{Translated, Translator, Unsupported};
use crate::layout::Layout;

/// Whether the channel of an expression is a rendezvous channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meets {
    Never,
    Always,
    /// In some states.
    Perhaps,
}

/// What static analysis knows of the channels of a model.
#[derive(Clone, Copy)]
pub struct Known<'t> {
    pub model: &'t Model,
    pub layout: &'t Layout,
    pub channels: &'t Channels,
}

impl Known<'_> {
    /// Whether a send to the channel is a rendezvous. The answer may depend on a guess, which compiled code checks.
    pub fn meets(self, proctype: ProctypeId, channel: &Expr) -> Meets {
        let is_rendezvous = |class: &u32| self.layout.shapes[*class as usize].capacity == 0;
        let all: Vec<bool> = match self.always(channel) {
            Some((shape, _)) => vec![is_rendezvous(&shape)],
            None => match self.channels.expected(proctype, channel) {
                Some(classes) if classes.len() == 1 => classes.iter().map(is_rendezvous).collect(),
                _ => self.layout.shapes.iter().map(|shape| shape.capacity == 0).collect(),
            },
        };
        match (all.contains(&true), all.contains(&false)) {
            (false, _) => Meets::Never,
            (true, false) => Meets::Always,
            (true, true) => Meets::Perhaps,
        }
    }

    /// The shape and the numbers of the channels that an expression can mean, if these are constant.
    fn always(self, channel: &Expr) -> Option<(u32, std::ops::Range<i32>)> {
        if let Some(known) = self.channels.constant(self.model, channel) {
            return Some((known.shape.0, known.id..known.id + 1));
        }
        let Expr::Var(var) = channel else { return None };
        let first = self.channels.array(var)?;
        Some((first.shape.0, first.id..first.id + self.channels.elements(var) as i32))
    }

    /// The rendezvous channels that an action may receive from, a bit for each by [`channel_bit`].
    pub fn receives_from(self, action: &Action) -> u64 {
        let received = action.synchronisations().filter(|one| matches!(one.side, Side::Receive(_)));
        received.fold(0, |bits, one| bits | self.may_be(one.channel))
    }

    /// The rendezvous channels that an expression may mean, a bit for each by [`channel_bit`]. All, if computing it may fail: that is an
    /// error whenever a partner is looked for, as in SPIN, also where the channels are buffered.
    fn may_be(self, channel: &Expr) -> u64 {
        let is_rendezvous = |shape: u32| self.layout.shapes[shape as usize].capacity == 0;
        match self.channels.constant(self.model, channel) {
            Some(known) if is_rendezvous(known.shape.0) => channel_bit(known.id),
            Some(_) => 0,
            None if (0..self.layout.shapes.len() as u32).any(is_rendezvous) => u64::MAX,
            None => 0,
        }
    }
}

/// The bit of a channel in a set; channels share bits.
pub fn channel_bit(id: i32) -> u64 {
    1 << (id & 63)
}

impl Translator<'_, '_> {
    /// The channel of a send if it is a rendezvous channel, and 0 if not; the message is written to the context.
    pub fn offer(&mut self, channel: &Expr, args: &[Expr]) -> Translated<Value> {
        if args.len() > MOST_FIELDS {
            return Err(Unsupported);
        }
        let channel = self.channel(channel)?;
        let mut message = args.iter().map(|arg| self.expr(arg)).collect::<Translated<Vec<Value>>>()?;
        let shape = channel.layout.map(|(shape, _)| shape).filter(|shape| shape.fields.len() == args.len());
        if let Some(shape) = shape.filter(|shape| shape.capacity == 0) {
            for (value, field) in message.iter_mut().zip(&shape.fields) {
                *value = self.truncate(field.cell, *value);
            }
        }
        for (at, value) in message.into_iter().enumerate() {
            self.set_field(at, value);
        }
        let count = self.int(args.len() as i32);
        self.set_shared(offset_of!(Context<'_>, offered), channel.id);
        self.set_shared(offset_of!(Context<'_>, offered_fields), count);
        let id = self.builder.ins().uextend(types::I64, channel.id);
        match shape {
            Some(shape) if shape.capacity == 0 => Ok(id),
            Some(_) => Ok(self.builder.ins().iconst(types::I64, 0)),
            None => {
                let meets = self.call(RuntimeFunction::Offer, &[channel.id, count]).expect("it answers");
                let none = self.builder.ins().iconst(types::I64, 0);
                Ok(self.builder.ins().select(meets, id, none))
            }
        }
    }

    /// The value that a cell has after a value was stored in it.
    fn truncate(&mut self, cell: Cell, value: Value) -> Value {
        match cell {
            Cell::Bits(bits) if bits < 32 => self.builder.ins().band_imm_s(value, (1i64 << bits) - 1),
            Cell::Byte => self.builder.ins().band_imm_s(value, 255),
            Cell::SignedByte => {
                let byte = self.builder.ins().ireduce(types::I8, value);
                self.builder.ins().sextend(types::I32, byte)
            }
            Cell::Short => {
                let short = self.builder.ins().ireduce(types::I16, value);
                self.builder.ins().sextend(types::I32, short)
            }
            _ => value,
        }
    }

    /// A bit for each transition that takes the message on offer.
    pub fn receivers(&mut self, location: &Location) -> Translated<Value> {
        self.offered = true;
        let model = self.model;
        let automaton = &model.proctype(self.proctype).automaton;
        let none = self.builder.ins().iconst(types::I64, 0);
        let mask = self.builder.declare_var(types::I64);
        self.builder.def_var(mask, none);
        for (at, transition) in location.transitions.iter().enumerate() {
            for Synchronisation { channel, side } in automaton.statement(transition.statement).action.synchronisations()
            {
                if let Side::Receive(args) = side {
                    self.receiver(channel, args, mask, 1 << at)?;
                }
            }
        }
        Ok(self.builder.use_var(mask))
    }

    /// The rendezvous channels that the receives of a location refer to, a bit for each by [`channel_bit`].
    pub fn listens(&mut self, location: &Location) -> Translated<Value> {
        let model = self.model;
        let automaton = &model.proctype(self.proctype).automaton;
        let mut bits = self.builder.ins().iconst(types::I64, 0);
        for channel in listened_channels(automaton, location) {
            let known = Known { model: self.model, layout: self.layout, channels: self.channels };
            if known.may_be(channel) != 0 {
                let id = self.channel_number(channel)?;
                let one = self.builder.ins().iconst(types::I64, 1);
                let bit = self.builder.ins().ishl(one, id);
                bits = self.builder.ins().bor(bits, bit);
            }
        }
        Ok(bits)
    }

    /// The number of a channel. Where an array holds constant channels, the number is computed from the index.
    fn channel_number(&mut self, channel: &Expr) -> Translated<Value> {
        match channel {
            Expr::Var(var) if self.channels.array(var).is_some() => Ok(self.channel(channel)?.id),
            _ => self.expr(channel),
        }
    }

    /// Sets a bit of the mask if a receive takes the message on offer.
    fn receiver(&mut self, channel: &Expr, args: &[ArgPattern], mask: Register, bit: i64) -> Translated<()> {
        let known = Known { model: self.model, layout: self.layout, channels: self.channels };
        if known.may_be(channel) == 0 {
            return Ok(());
        }
        let done = self.builder.create_block();
        let id = self.channel_number(channel)?;
        let offered = self.shared(offset_of!(Context<'_>, offered));
        let same = self.builder.ins().icmp(IntCC::Equal, id, offered);
        let more = self.builder.create_block();
        self.builder.ins().brif(same, more, &[], done, &[]);
        self.enter(more);
        let fields = self.shared(offset_of!(Context<'_>, offered_fields));
        let other = self.builder.ins().icmp_imm_s(IntCC::NotEqual, fields, args.len() as i64);
        self.fault_if(other);
        for (at, arg) in args.iter().enumerate() {
            if let ArgPattern::Match { value, .. } = arg {
                let value = self.expr(value)?;
                let field = self.field(at);
                let equal = self.builder.ins().icmp(IntCC::Equal, value, field);
                let more = self.builder.create_block();
                self.builder.ins().brif(equal, more, &[], done, &[]);
                self.enter(more);
            }
        }
        let before = self.builder.use_var(mask);
        let after = self.builder.ins().bor_imm_s(before, bit);
        self.builder.def_var(mask, after);
        self.builder.ins().jump(done, &[]);
        self.enter(done);
        Ok(())
    }

    /// Sets the location of the sender to its target. `_last` will be the receiver.
    pub fn depart(&mut self, transition: Transition) -> Translated<Value> {
        self.begin_log();
        self.set_location(transition.target);
        self.reset(transition);
        Ok(self.builder.ins().iconst(types::I64, 1))
    }

    /// Receives the message on offer.
    pub fn accept(&mut self, args: &[ArgPattern]) -> Translated<()> {
        if args.len() > MOST_FIELDS {
            return Err(Unsupported);
        }
        self.begin_log();
        let message: Vec<Value> = (0..args.len()).map(|at| self.field(at)).collect();
        self.bind(args, &message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::model;

    #[test]
    fn whether_a_send_is_a_rendezvous_follows_from_its_channels() {
        let model = model(
            "chan s = [0] of { byte }; chan q = [2] of { byte };
             init { chan x, y; y = s; if :: x = s :: x = q fi; s!1; q!1; x!1; y!1 }",
        );
        let layout = Layout::new(&model);
        let channels = Channels::of(&model, &layout);
        let known = Known { model: &model, layout: &layout, channels: &channels };
        let sends = model.proctypes[0].automaton.statements.iter().filter_map(|statement| match &statement.action {
            Action::Send { channel, .. } => Some(known.meets(ProctypeId(0), channel)),
            _ => None,
        });
        let expected = [Meets::Always, Meets::Never, Meets::Perhaps, Meets::Always];
        assert_eq!(sends.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn receives_are_known_by_their_channels() {
        let model = model(
            "chan q = [2] of { byte }; chan s = [0] of { byte }; chan a[3] = [0] of { byte };
             chan b[2] = [1] of { byte }; byte i;
             init { chan x; x = s; q?_; s?_; a[1]?_; b[1]?_; a[i]?_; b[i]?_; x?_ }",
        );
        let layout = Layout::new(&model);
        let channels = Channels::of(&model, &layout);
        let known = Known { model: &model, layout: &layout, channels: &channels };
        let received = model.proctypes[0].automaton.statements.iter().filter_map(|statement| match statement.action {
            Action::Receive { .. } => Some(known.receives_from(&statement.action)),
            _ => None,
        });
        // an index that is not known may be out of range, which is an error whatever is offered
        assert_eq!(received.collect::<Vec<_>>(), [0, 1 << 2, 1 << 4, 0, u64::MAX, u64::MAX, u64::MAX]);
    }
}
