//! Sends and receives through buffered channels become machine code.
//!
//! Where the shape of the channel is known, or guessed and checked, messages are moved by plain loads and stores; otherwise
//! by helpers. Unused slots are zero, so a whole buffer can be moved without looking at its length.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types};
use homing_ir::{ArgPattern, Cell, Expr, Queueing, ReceiveFrom};

use super::context::{ChannelPlace, Context, MOST_FIELDS};
use super::expression::is_harmless;
use super::runtime::{ANYWHERE, KEEP, RuntimeFunction};
use super::translate::{Address, Base, Translated, Translator, Unsupported};
use crate::layout::ShapeLayout;

/// A buffer longer than this is moved by a helper, which looks at how many messages there are.
const LONGEST_MOVE: u32 = 96;

/// A channel of an expression.
#[derive(Clone, Copy)]
pub struct Channel<'t> {
    pub id: Value,
    /// Its layout and where it is, if that is known.
    pub place: Option<(&'t ShapeLayout, Address)>,
}

impl<'t> Channel<'t> {
    /// Its layout and place, if it is a buffered channel for messages of so many fields.
    fn buffer(&self, fields: usize) -> Option<(&'t ShapeLayout, Address)> {
        self.buffer_of_more(fields).filter(|(shape, _)| shape.fields.len() == fields)
    }

    /// The same for messages of so many fields or more: who only looks need not look at all.
    fn buffer_of_more(&self, fields: usize) -> Option<(&'t ShapeLayout, Address)> {
        self.place.filter(|(shape, _)| shape.capacity > 0 && shape.fields.len() >= fields)
    }
}

/// Where the length of a channel is kept.
fn length_cell(shape: &ShapeLayout) -> Cell {
    match shape.length_width {
        1 => Cell::Byte,
        2 => Cell::Bits(16),
        _ => Cell::Int,
    }
}

impl<'t> Translator<'t, '_> {
    /// The channel that an expression means. Gives up where it has no layout that was expected.
    pub fn channel(&mut self, expr: &Expr) -> Translated<Channel<'t>> {
        let layout = self.layout;
        if let Some(known) = self.channels.constant(self.model, expr) {
            let address = Address { base: Base::State, fixed: known.offset, computed: None };
            return Ok(Channel { id: self.int(known.id), place: Some((&layout.shapes[known.shape.index()], address)) });
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
            return Ok(Channel { id, place: Some((shape, address)) });
        }
        let expected = self.channels.expected(self.proctype, expr).filter(|classes| classes.len() == 1);
        let class = expected.and_then(|classes| classes.first().copied());
        let id = self.expr(expr)?;
        let Some(class) = class else { return Ok(Channel { id, place: None }) };
        let at = self.builder.ins().iadd_imm_s(id, -1);
        let count = self.shared(offset_of!(Context<'_>, channel_count));
        let beyond = self.builder.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, at, count);
        self.fault_if(beyond);
        let places = self.shared_pointer(offset_of!(Context<'_>, channels));
        let at = self.scaled(at, size_of::<ChannelPlace>() as u32);
        let place = self.builder.ins().iadd(places, at);
        let flags = MemFlagsData::trusted();
        let found = self.builder.ins().load(types::I32, flags, place, offset_of!(ChannelPlace, class) as i32);
        let other = self.builder.ins().icmp_imm_s(IntCC::NotEqual, found, i64::from(class));
        self.fault_if(other);
        let offset = self.builder.ins().load(types::I32, flags, place, offset_of!(ChannelPlace, offset) as i32);
        let offset = self.builder.ins().uextend(self.pointer, offset);
        let address = Address { base: Base::State, fixed: 0, computed: Some(offset) };
        Ok(Channel { id, place: Some((&layout.shapes[class as usize], address)) })
    }

    /// The length of a rendezvous channel is a matter of the message on offer: nobody may ask while there is one.
    fn asked(&mut self, channel: &Expr) -> Translated<Channel<'t>> {
        let found = self.channel(channel)?;
        match found.place {
            Some((shape, _)) if shape.capacity > 0 => Ok(found),
            _ if self.offered => Err(Unsupported),
            _ => Ok(found),
        }
    }

    pub fn length(&mut self, channel: &Expr) -> Translated<Value> {
        let channel = self.asked(channel)?;
        Ok(match channel.place {
            Some((shape, _)) if shape.capacity == 0 => self.int(0),
            Some((shape, address)) => self.load(address, length_cell(shape)),
            None => self.call(RuntimeFunction::Length, &[channel.id]).expect("it answers"),
        })
    }

    /// Of one bit's width.
    pub fn is_full(&mut self, channel: &Expr) -> Translated<Value> {
        let channel = self.asked(channel)?;
        Ok(match channel.place {
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

    /// Whether a send can be done, of one bit's width. For a rendezvous that is left open.
    pub fn can_send(&mut self, channel: &Expr) -> Translated<Value> {
        let channel = self.channel(channel)?;
        Ok(match channel.place {
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
            let behind = self.scaled(length, shape.slot_size);
            let computed = match slot.computed {
                Some(computed) => self.builder.ins().iadd(computed, behind),
                None => behind,
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

    /// Whether a message can be received, of one bit's width.
    pub fn can_receive(&mut self, channel: &Expr, args: &[ArgPattern], from: ReceiveFrom) -> Translated<Value> {
        let channel = self.channel(channel)?;
        if let Some((shape, _)) = channel.place
            && shape.capacity == 0
            && !from.keep
        {
            return Ok(self.builder.ins().iconst(types::I8, 0)); // the sender's move
        }
        self.finds(channel, args, from)
    }

    /// Whether a channel holds a message that could be received, of one bit's width.
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

    /// Whether there is a first message and it matches.
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

    /// The slot, counted from 1, of the message that a receive takes, or 0.
    fn find(&mut self, channel: Channel<'_>, args: &[ArgPattern], from: ReceiveFrom) -> Translated<Value> {
        // The fields of the context belong to the message on offer.
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

    /// Receives a message that is there.
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
        if size > LONGEST_MOVE {
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

    /// Stores the fields of a message where the arguments say.
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
