//! The parts of compiled code's work that are not compiled: functions it calls.
//!
//! Where something has no meaning they set the context's fault, and the interpreter looks at the same move.

use homing_core::StopToken;
use homing_ir::{Expr, ProctypeId};

use super::context::Context;
use crate::execute::Executor;
use crate::layout::{Layout, ShapeLayout};
use crate::work::ChannelFrame;

/// `??`
pub const ANYWHERE: u32 = 1;
/// `?<…>`
pub const KEEP: u32 = 2;

impl Context<'_> {
    /// Does something with a channel, or sets the fault if there is none with the number.
    fn with_channel<T: Default>(
        &mut self,
        id: i32,
        act: impl FnOnce(&mut Self, (ChannelFrame, &ShapeLayout)) -> Option<T>,
    ) -> T {
        let layout: *const Layout = &*self.layout;
        // SAFETY: a context never changes its layout, so this one outlives the call.
        let found = self.work.channel(unsafe { &*layout }, id).ok();
        let done = found.and_then(|channel| act(self, channel));
        done.unwrap_or_else(|| {
            self.fault = 1;
            T::default()
        })
    }
}

/// A send to the channel: 0 it is full, 1 it can be done, 2 it is a rendezvous.
pub extern "C" fn can_send(context: &mut Context<'_>, id: i32) -> i32 {
    context.with_channel(id, |context, channel| {
        Some(match channel.1.capacity {
            0 => 2,
            capacity => i32::from(context.work.length(channel) < capacity),
        })
    })
}

/// Puts the first `count` fields behind the last message, or before the first greater one.
pub extern "C" fn send(context: &mut Context<'_>, id: i32, count: u32, sorted: u32) {
    context.with_channel(id, |context, channel| {
        let shape = channel.1;
        let length = context.work.length(channel);
        if shape.fields.len() != count as usize || length >= shape.capacity {
            return None;
        }
        let message = context.fields;
        let message = &message[..count as usize];
        let mut slot = length;
        if sorted != 0 {
            let goes_before = |slot: u32| {
                let held = (0..message.len()).map(|at| context.work.field(channel, slot, at));
                message.iter().copied().lt(held)
            };
            slot = (0..length).find(|&slot| goes_before(slot)).unwrap_or(length);
        }
        note_slots(context, channel, slot, length + 1)?;
        context.work.insert(channel, slot, message);
        Some(())
    });
}

/// Notes the length of a channel and its slots from one to before another.
fn note_slots(context: &mut Context<'_>, channel: (ChannelFrame, &ShapeLayout), from: u32, to: u32) -> Option<()> {
    let (frame, shape) = channel;
    let start = frame.offset + shape.length_width;
    let (from, to) = (start + from * shape.slot_size, start + to * shape.slot_size);
    if !context.log.has_room_for((to - from) as usize / 8 + 8) {
        return None;
    }
    context.note_range(frame.offset, start);
    context.note_range(from, to);
    Some(())
}

/// The slot, counted from 1, of the message that a receive takes, or 0. The fields with a bit in `matched` have to be
/// equal to the context's.
pub extern "C" fn find_message(context: &mut Context<'_>, id: i32, count: u32, matched: u32, mode: u32) -> u32 {
    context.with_channel(id, |context, channel| {
        let shape = channel.1;
        if shape.capacity == 0 {
            return (mode & KEEP == 0).then_some(0);
        }
        if shape.fields.len() < count as usize {
            return None;
        }
        let length = context.work.length(channel);
        let last = if mode & ANYWHERE != 0 { length } else { length.min(1) };
        let is_equal = |slot: u32, at: usize| context.work.field(channel, slot, at) == context.fields[at];
        let fits = |slot: &u32| (0..count as usize).all(|at| matched & (1 << at) == 0 || is_equal(*slot, at));
        Some((0..last).find(fits).map_or(0, |slot| slot + 1))
    })
}

/// Reads the message in a slot, counted from 1, into the context's fields. It has to have `count` of them.
pub extern "C" fn load_message(context: &mut Context<'_>, id: i32, slot: u32, count: u32) {
    context.with_channel(id, |context, channel| {
        let slot = slot.checked_sub(1).filter(|_| channel.1.fields.len() == count as usize)?;
        for at in 0..count as usize {
            context.fields[at] = context.work.field(channel, slot, at);
        }
        Some(())
    });
}

/// Takes the message in a slot, counted from 1, out of the channel.
pub extern "C" fn remove_message(context: &mut Context<'_>, id: i32, slot: u32) {
    context.with_channel(id, |context, channel| {
        let slot = slot.checked_sub(1)?;
        note_slots(context, channel, slot, context.work.length(channel))?;
        context.work.remove(channel, slot);
        Some(())
    });
}

/// How many messages a channel holds.
pub extern "C" fn length(context: &mut Context<'_>, id: i32) -> i32 {
    context.with_channel(id, |context, channel| Some(context.work.length(channel) as i32))
}

/// Whether a channel is full; a rendezvous channel never is.
pub extern "C" fn is_full(context: &mut Context<'_>, id: i32) -> i32 {
    context.with_channel(id, |context, channel| {
        let capacity = channel.1.capacity;
        Some(i32::from(capacity > 0 && context.work.length(channel) == capacity))
    })
}

/// Whether the channel is a rendezvous: then the first `count` fields are cut to the width they have in its messages.
pub extern "C" fn offer(context: &mut Context<'_>, id: i32, count: u32) -> i32 {
    context.with_channel(id, |context, channel| {
        let shape = channel.1;
        if shape.capacity > 0 {
            return Some(0);
        }
        if shape.fields.len() != count as usize {
            return None;
        }
        for (value, field) in context.fields.iter_mut().zip(&shape.fields) {
            *value = field.cell.truncate(*value);
        }
        Some(1)
    })
}

/// The value of an expression that is not compiled.
pub extern "C" fn eval(context: &mut Context<'_>, expr: *const Expr) -> i32 {
    // SAFETY: compiled code only has the addresses of expressions in the context's model.
    let expr = unsafe { &*expr };
    match context.view().eval(expr) {
        Ok(value) => value,
        Err(_) => {
            context.fault = 1;
            0
        }
    }
}

/// Creates a process; its arguments are the first `count` fields.
pub extern "C" fn run(context: &mut Context<'_>, proctype: u32, count: u32, priority: u32) {
    if try_run(context, ProctypeId(proctype), count, priority as u8).is_none() {
        context.fault = 1;
    }
}

fn try_run(context: &mut Context<'_>, proctype: ProctypeId, count: u32, priority: u8) -> Option<()> {
    let layout = context.layout.clone();
    let size = layout.processes[proctype.index()].size + layout.processes[proctype.index()].channels_size;
    let at = context.work.bytes.len();
    if at + size as usize > context.work.bytes.capacity() || !context.log.has_room_for(2) {
        return None;
    }
    let start = context.model.proctype(proctype).automaton.start;
    let count_at = layout.count_at;
    let old = u64::from(context.work.bytes[count_at as usize]);
    let pid = context.work.add_process(&layout, proctype, start, priority).ok()?;
    context.log.written(count_at, 1, old);
    context.log.added_process(at as u32);
    context.reindex();
    let params = context.fields;
    let mut executor = Executor {
        model: context.model,
        layout: &layout,
        work: &mut context.work,
        pid,
        timeout: context.timeout != 0,
        offer: None,
        breaches: &mut Vec::new(),
        log: None,
        stop: &StopToken::default(), // no statement is executed
    };
    executor.initialise(proctype, &params[..count as usize]).ok()
}

/// Removes the youngest process.
pub extern "C" fn end(context: &mut Context<'_>) {
    let layout = context.layout.clone();
    let Some(&frame) = context.work.processes.last() else { return };
    let to = context.work.bytes.len() as u32;
    if !context.log.has_room_for((to - frame.offset) as usize / 8 + 8) {
        context.fault = 1;
        return;
    }
    context.note(layout.count_at, 1);
    context.note_range(frame.offset, to);
    context.log.removed_process(frame.offset, frame.proctype.0);
    context.work.remove_process(&layout);
    context.reindex();
}
