//! Sends and receives through buffered channels are translated into machine code.
//!
//! Where the layout of the channel is known, or guessed and checked, messages are copied by plain loads and stores; otherwise
//! by runtime functions. Unused slots are zero, so a whole buffer can be shifted whatever its length is.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types};
use homing_ir::{ArgPattern, Cell, Expr, Queueing, ReceiveFrom};

use super::context::{ChannelEntry, Context, MOST_FIELDS};
use super::expression::is_harmless;
use super::runtime::{ANYWHERE, KEEP, RuntimeFunction};
use super::translate::{Address, Base, Translated, Translator, Unsupported};
use crate::layout::ShapeLayout;

/// A buffer with more bytes is shifted by a runtime function, which shifts only the slots in use.
const LONGEST_SHIFT: u32 = 96;

/// The channel that is the value of an expression.
#[derive(Clone, Copy)]
pub struct Channel<'t> {
    pub id: Value,
    /// Its layout and its address, if they are known.
    pub layout: Option<(&'t ShapeLayout, Address)>,
}

impl<'t> Channel<'t> {
    /// Its layout and address, if it is a buffered channel whose messages have `fields` fields.
    fn buffer(&self, fields: usize) -> Option<(&'t ShapeLayout, Address)> {
        self.buffer_of_more(fields).filter(|(shape, _)| shape.fields.len() == fields)
    }

    /// Its layout and address, if it is a buffered channel whose messages have at least `fields` fields: enough for a poll.
    fn buffer_of_more(&self, fields: usize) -> Option<(&'t ShapeLayout, Address)> {
        self.layout.filter(|(shape, _)| shape.capacity > 0 && shape.fields.len() >= fields)
    }
}

/// How the length of a channel is stored.
fn length_cell(shape: &ShapeLayout) -> Cell {
    match shape.length_width {
        1 => Cell::Byte,
        2 => Cell::Bits(16),
        _ => Cell::Int,
    }
}

impl<'t> Translator<'t, '_> {
    /// The channel that is the value of an expression. Gives up if it does not have the layout that was guessed.
    pub fn channel(&mut self, expr: &Expr) -> Translated<Channel<'t>> {
        let layout = self.layout;
        if let Some(known) = self.channels.constant(self.model, expr) {
            let address = Address { base: Base::State, fixed: known.offset, computed: None };
            return Ok(Channel {
                id: self.int(known.id),
                layout: Some((&layout.shapes[known.shape.index()], address)),
            });
        }
        if let Expr::Var(var) = expr
            && let Some(first) = self.channels.array(var)
        {
            let shape = &layout.shapes[first.shape.index()];
            let (fixed, computed) = self.element(&self.model.globals[var.var.index()].dims, &var.indices)?;
            let element = computed.unwrap_or_else(|| self.int(0));
            let id = self.builder.ins().iadd_imm_s(element, i64::from(first.id) + i64::from(fixed));
            let computed = computed.map(|computed| self.scaled(computed, shape.size));
            let address = Address { base: Base::State, fixed: first.offset + fixed * shape.size, computed };
            return Ok(Channel { id, layout: Some((shape, address)) });
        }
        let expected = self.channels.expected(self.proctype, expr).filter(|classes| classes.len() == 1);
        let class = expected.and_then(|classes| classes.first().copied());
        let id = self.expr(expr)?;
        let Some(class) = class else { return Ok(Channel { id, layout: None }) };
        let at = self.builder.ins().iadd_imm_s(id, -1);
        let count = self.shared(offset_of!(Context<'_>, channel_count));
        let beyond = self.builder.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, at, count);
        self.fault_if(beyond);
        let table = self.shared_pointer(offset_of!(Context<'_>, channels));
        let at = self.scaled(at, size_of::<ChannelEntry>() as u32);
        let entry = self.builder.ins().iadd(table, at);
        let flags = MemFlagsData::trusted();
        let found = self.builder.ins().load(types::I32, flags, entry, offset_of!(ChannelEntry, class) as i32);
        let other = self.builder.ins().icmp_imm_s(IntCC::NotEqual, found, i64::from(class));
        self.fault_if(other);
        let offset = self.builder.ins().load(types::I32, flags, entry, offset_of!(ChannelEntry, offset) as i32);
        let offset = self.builder.ins().uextend(self.pointer, offset);
        let address = Address { base: Base::State, fixed: 0, computed: Some(offset) };
        Ok(Channel { id, layout: Some((&layout.shapes[class as usize], address)) })
    }

    /// The channel of an expression whose length is asked for. The length of a rendezvous channel depends on the message on
    /// offer, so it is not supported while there is one.
    fn channel_with_length(&mut self, channel: &Expr) -> Translated<Channel<'t>> {
        let found = self.channel(channel)?;
        match found.layout {
            Some((shape, _)) if shape.capacity > 0 => Ok(found),
            _ if self.offered => Err(Unsupported),
            _ => Ok(found),
        }
    }

    /// The number of messages in a channel.
    pub fn length(&mut self, channel: &Expr) -> Translated<Value> {
        let channel = self.channel_with_length(channel)?;
        Ok(match channel.layout {
            Some((shape, _)) if shape.capacity == 0 => self.int(0),
            Some((shape, address)) => self.load(address, length_cell(shape)),
            None => self.call(RuntimeFunction::Length, &[channel.id]).expect("it answers"),
        })
    }

    /// Whether a channel is full, as a condition.
    pub fn is_full(&mut self, channel: &Expr) -> Translated<Value> {
        let channel = self.channel_with_length(channel)?;
        Ok(match channel.layout {
            Some((shape, _)) if shape.capacity == 0 => self.builder.ins().iconst(types::I8, 0),
            Some((shape, address)) => {
                let length = self.load(address, length_cell(shape));
                self.builder.ins().icmp_imm_s(IntCC::Equal, length, i64::from(shape.capacity))
            }
            None => {
                let full = self.call(RuntimeFunction::IsFull, &[channel.id]).expect("it answers");
                self.builder.ins().icmp_imm_s(IntCC::NotEqual, full, 0)
            }
        })
    }

    /// Whether a send is executable, as a condition; true for a rendezvous, whose receiver is looked for elsewhere.
    pub fn can_send(&mut self, channel: &Expr) -> Translated<Value> {
        let channel = self.channel(channel)?;
        Ok(match channel.layout {
            Some((shape, _)) if shape.capacity == 0 => self.builder.ins().iconst(types::I8, 1),
            Some((shape, address)) => {
                let length = self.load(address, length_cell(shape));
                self.builder.ins().icmp_imm_s(IntCC::NotEqual, length, i64::from(shape.capacity))
            }
            None => {
                let answer = self.call(RuntimeFunction::CanSend, &[channel.id]).expect("it answers");
                self.builder.ins().icmp_imm_s(IntCC::NotEqual, answer, 0)
            }
        })
    }

    /// Sends through a channel that has room.
    pub fn send(&mut self, channel: &Expr, args: &[Expr], queueing: Queueing) -> Translated<()> {
        if args.len() > MOST_FIELDS {
            return Err(Unsupported);
        }
        let channel = self.channel(channel)?;
        let mut message = Vec::with_capacity(args.len());
        for arg in args {
            message.push(self.expr(arg)?);
        }
        let Some((shape, address)) = channel.buffer(args.len()).filter(|_| queueing == Queueing::Last) else {
            for (at, value) in message.into_iter().enumerate() {
                self.set_field(at, value);
            }
            let count = self.int(args.len() as i32);
            let sorted = self.int(i32::from(queueing == Queueing::Sorted));
            self.call(RuntimeFunction::Send, &[channel.id, count, sorted]);
            return Ok(());
        };
        let length = self.load(address, length_cell(shape));
        let mut slot = address.plus(shape.length_width);
        if shape.capacity > 1 {
            let used = self.scaled(length, shape.slot_size);
            let computed = match slot.computed {
                Some(computed) => self.builder.ins().iadd(computed, used),
                None => used,
            };
            slot.computed = Some(computed);
        }
        self.record_zeros(slot, shape.slot_size);
        for (field, value) in shape.fields.iter().zip(message) {
            let value = self.cut(field.cell, value);
            self.overwrite(slot.plus(field.offset), field.cell.width() as u32, value);
        }
        let longer = self.builder.ins().iadd_imm_s(length, 1);
        self.store(address, length_cell(shape), longer);
        Ok(())
    }

    /// Whether a receive is executable by itself, as a condition.
    pub fn can_receive(&mut self, channel: &Expr, args: &[ArgPattern], from: ReceiveFrom) -> Translated<Value> {
        let channel = self.channel(channel)?;
        if let Some((shape, _)) = channel.layout
            && shape.capacity == 0
            && !from.keep
        {
            return Ok(self.builder.ins().iconst(types::I8, 0)); // a rendezvous is a move of the sender
        }
        self.finds(channel, args, from)
    }

    /// Whether a channel holds a message that the arguments match, as a condition.
    pub fn poll(&mut self, channel: &Expr, args: &[ArgPattern], anywhere: bool) -> Translated<Value> {
        let channel = self.channel(channel)?;
        self.finds(channel, args, ReceiveFrom { anywhere, keep: true })
    }

    fn finds(&mut self, channel: Channel<'_>, args: &[ArgPattern], from: ReceiveFrom) -> Translated<Value> {
        match channel.buffer_of_more(args.len()) {
            Some((shape, address)) if !from.anywhere => self.first_fits(shape, address, args),
            _ => {
                let slot = self.find(channel, args, from)?;
                Ok(self.builder.ins().icmp_imm_s(IntCC::NotEqual, slot, 0))
            }
        }
    }

    /// Whether there is a first message and the arguments match it.
    fn first_fits(&mut self, shape: &ShapeLayout, address: Address, args: &[ArgPattern]) -> Translated<Value> {
        let length = self.load(address, length_cell(shape));
        let mut fits = self.builder.ins().icmp_imm_s(IntCC::NotEqual, length, 0);
        let matched = args.iter().zip(&shape.fields).filter_map(|(arg, field)| match arg {
            ArgPattern::Match { value, .. } => Some((value, field)),
            _ => None,
        });
        let matched: Vec<_> = matched.collect();
        let is_lazy = !matched.iter().all(|(value, _)| is_harmless(value, 8));
        let done = self.builder.create_block();
        if is_lazy {
            self.builder.append_block_param(done, types::I8);
            let more = self.builder.create_block();
            self.builder.ins().brif(fits, more, &[], done, &[fits.into()]);
            self.enter(more);
        }
        for (value, field) in matched {
            let value = self.expr(value)?;
            let held = self.load(address.plus(shape.length_width + field.offset), field.cell);
            let equal = self.builder.ins().icmp(IntCC::Equal, value, held);
            fits = self.builder.ins().band(fits, equal);
        }
        if !is_lazy {
            return Ok(fits);
        }
        self.builder.ins().jump(done, &[fits.into()]);
        self.enter(done);
        Ok(self.builder.block_params(done)[0])
    }

    /// The slot, counted from 1, of the message that a receive would take, or 0.
    fn find(&mut self, channel: Channel<'_>, args: &[ArgPattern], from: ReceiveFrom) -> Translated<Value> {
        // The fields of the context hold the message on offer.
        if args.len() > MOST_FIELDS || self.offered {
            return Err(Unsupported);
        }
        let mut matched = 0u32;
        for (at, arg) in args.iter().enumerate() {
            if let ArgPattern::Match { value, .. } = arg {
                let value = self.expr(value)?;
                self.set_field(at, value);
                matched |= 1 << at;
            }
        }
        let mode = if from.anywhere { ANYWHERE } else { 0 } | if from.keep { KEEP } else { 0 };
        let [count, matched, mode] = [args.len() as i32, matched as i32, mode as i32].map(|value| self.int(value));
        Ok(self.call(RuntimeFunction::FindMessage, &[channel.id, count, matched, mode]).expect("it answers"))
    }

    /// Receives from a channel that holds a message that matches.
    pub fn receive(&mut self, channel: &Expr, args: &[ArgPattern], from: ReceiveFrom) -> Translated<()> {
        let channel = self.channel(channel)?;
        let Some((shape, address)) = channel.buffer(args.len()).filter(|_| !from.anywhere) else {
            let slot = self.find(channel, args, from)?;
            let count = self.int(args.len() as i32);
            self.call(RuntimeFunction::LoadMessage, &[channel.id, slot, count]);
            let message: Vec<Value> = (0..args.len()).map(|at| self.field(at)).collect();
            self.bind(args, &message)?;
            if !from.keep {
                self.call(RuntimeFunction::RemoveMessage, &[channel.id, slot]);
            }
            return Ok(());
        };
        let slots = address.plus(shape.length_width);
        let fields = shape.fields.iter();
        let message: Vec<Value> = fields.map(|field| self.load(slots.plus(field.offset), field.cell)).collect();
        self.bind(args, &message)?;
        if from.keep {
            return Ok(());
        }
        let size = shape.capacity * shape.slot_size;
        if size > LONGEST_SHIFT {
            let first = self.int(1);
            self.call(RuntimeFunction::RemoveMessage, &[channel.id, first]);
            return Ok(());
        }
        self.shift_down(slots, size, shape.slot_size);
        let length = self.load(address, length_cell(shape));
        let shorter = self.builder.ins().iadd_imm_s(length, -1);
        self.store(address, length_cell(shape), shorter);
        Ok(())
    }

    /// Stores the fields of a message in the variables among the arguments.
    pub fn bind(&mut self, args: &[ArgPattern], message: &[Value]) -> Translated<()> {
        for (arg, &value) in args.iter().zip(message) {
            if let ArgPattern::Bind(var) = arg {
                let (address, cell) = self.cell_address(var)?;
                self.store(address, cell, value);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiled::testing::agree;

    #[test]
    fn messages_are_sent_and_received_as_by_the_interpreter() {
        for body in [
            "q!1,2; q!3,4; q?x,y; q?x,y",
            "q!300,2; q?x,y; assert(x == 44)",
            "q!!3,1; q!!1,2; q!!2,3; q?x,y; q?x,y; q?x,y",
            "q!1,2; q!3,4; q??3,y; q?x,y",
            "q!1,2; q?<x,y>; q?x,y",
            "q!1,2; q??<1,y>; if :: q?[2,_] :: q??[1,_] fi",
            "q!1,2; if :: q?3,y :: q?eval(x + 1),y fi",
            "l = q; l!1,2; l?x,y",                   // a channel whose layout is guessed
            "if :: l = q :: l = o fi; l!1,2; o?x,y", // two layouts: no guess
            "c!q; c?l; l!5,6; q?x,y",                // a channel that is received
            "q!1,2; q!1,2; q!1,2; q!1,2",            // it blocks
            "l!1,2",                                 // it was never initialised
        ] {
            agree(&format!(
                "chan q = [3] of {{ byte, byte }}; chan o = [1] of {{ byte, short }}; chan c = [1] of {{ chan }};
                 byte x, y; chan l; init {{ {body} }}"
            ));
        }
    }

    #[test]
    fn a_buffer_is_shifted_by_the_runtime_if_it_is_long() {
        for capacity in [LONGEST_SHIFT / 4, LONGEST_SHIFT / 4 + 1] {
            let text = format!("chan q = [{capacity}] of {{ int }}; init {{ q!-1; q!2; q?_; q!3; q?_; q?_ }}");
            assert_eq!(agree(&text), 8);
        }
    }
}
