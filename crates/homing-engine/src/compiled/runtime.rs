//! The runtime of compiled code: the functions that it calls for what is not compiled.
//!
//! Where an operation is a run-time error of the model they set [`Context::fault`]; the compiled function then gives up, and
//! the interpreter executes the same move.

use homing_core::StopToken;
use homing_ir::{Expr, ProctypeId};

use super::context::Context;
use crate::execute::Executor;
use crate::layout::{Layout, ShapeLayout};
use crate::working_state::ChannelFrame;

/// A bit of the mode of [`find_message`]: the receive is `??`, which takes any message that matches.
pub const ANYWHERE: u32 = 1;
/// A bit of the mode of [`find_message`]: the receive is `?<…>`, which leaves the message in the channel.
pub const KEEP: u32 = 2;

/// A function that compiled code calls.
#[derive(Clone, Copy)]
pub enum RuntimeFunction {
    CanSend,
    Send,
    FindMessage,
    LoadMessage,
    RemoveMessage,
    Length,
    IsFull,
    Offer,
    Eval,
    Run,
    End,
}

/// The number of runtime functions.
pub const RUNTIME_FUNCTIONS: usize = 11;

/// How a runtime function is declared.
pub struct Declaration {
    pub name: &'static str,
    pub address: *const u8,
    pub parameters: Parameters,
    /// It returns a 32-bit number.
    pub returns: bool,
}

/// The parameters of a runtime function after the context.
pub enum Parameters {
    /// So many 32-bit numbers.
    Numbers(usize),
    /// The address of an expression.
    Expression,
}

/// The runtime functions, in the order of [`RuntimeFunction`].
pub fn declarations() -> [Declaration; RUNTIME_FUNCTIONS] {
    use Parameters::{Expression, Numbers};
    let function = |name, address, parameters, returns| Declaration { name, address, parameters, returns };
    [
        function("can_send", can_send as *const u8, Numbers(1), true),
        function("send", send as *const u8, Numbers(3), false),
        function("find_message", find_message as *const u8, Numbers(4), true),
        function("load_message", load_message as *const u8, Numbers(3), false),
        function("remove_message", remove_message as *const u8, Numbers(2), false),
        function("length", length as *const u8, Numbers(1), true),
        function("is_full", is_full as *const u8, Numbers(1), true),
        function("offer", offer as *const u8, Numbers(2), true),
        function("eval", eval as *const u8, Expression, true),
        function("run", run as *const u8, Numbers(3), false),
        function("end", end as *const u8, Numbers(0), false),
    ]
}

impl Context<'_> {
    /// Calls `act` with the channel of a number. Sets the fault if there is no such channel, or `act` returns `None`.
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

/// Whether a send to the channel is executable: 0 if it is full, 1 if it has room, 2 if it is a rendezvous channel.
pub extern "C" fn can_send(context: &mut Context<'_>, id: i32) -> i32 {
    context.with_channel(id, |context, channel| {
        Some(match channel.1.capacity {
            0 => 2,
            capacity => i32::from(context.work.length(channel) < capacity),
        })
    })
}

/// Sends the first `count` fields of the context: after the last message, or, if `sorted`, before the first greater one.
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

/// Logs the length of a channel and its slots from `from` up to, but without, `to`. `None` if the log has no room.
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

/// The slot, counted from 1, of the message that a receive would take, or 0. The fields with a bit in `matched` have to be
/// equal to those of the context.
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

/// Copies the message in a slot, counted from 1, into the fields of the context. It has to have `count` fields.
pub extern "C" fn load_message(context: &mut Context<'_>, id: i32, slot: u32, count: u32) {
    context.with_channel(id, |context, channel| {
        let slot = slot.checked_sub(1).filter(|_| channel.1.fields.len() == count as usize)?;
        for at in 0..count as usize {
            context.fields[at] = context.work.field(channel, slot, at);
        }
        Some(())
    });
}

/// Removes the message in a slot, counted from 1.
pub extern "C" fn remove_message(context: &mut Context<'_>, id: i32, slot: u32) {
    context.with_channel(id, |context, channel| {
        let slot = slot.checked_sub(1)?;
        note_slots(context, channel, slot, context.work.length(channel))?;
        context.work.remove(channel, slot);
        Some(())
    });
}

/// The number of messages in a channel.
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

/// Whether the channel is a rendezvous channel. If so, the first `count` fields of the context are cut to the width that they
/// have in its messages.
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
    // SAFETY: compiled code passes only addresses of expressions of the context's model.
    let expr = unsafe { &*expr };
    match context.view().eval(expr) {
        Ok(value) => value,
        Err(_) => {
            context.fault = 1;
            0
        }
    }
}

/// Creates a process; its arguments are the first `count` fields of the context.
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
    let count_at = layout.count_at?;
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
    executor.initialise(proctype, &params[..count as usize], &[]).ok()
}

/// Removes the youngest process.
pub extern "C" fn end(context: &mut Context<'_>) {
    let layout = context.layout.clone();
    let (Some(&frame), Some(count_at)) = (context.work.processes.last(), layout.count_at) else { return };
    let to = context.work.bytes.len() as u32;
    if !context.log.has_room_for((to - frame.offset) as usize / 8 + 8) {
        context.fault = 1;
        return;
    }
    context.note(count_at, 1);
    context.note_range(frame.offset, to);
    context.log.removed_process(frame.offset, frame.proctype.0);
    context.work.remove_process(&layout);
    context.reindex();
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use homing_core::TransitionSystem;

    use super::*;
    use crate::{Interpreter, testing};

    /// Calls `test` with a context in which channel 1 holds (1,10), (2,20), (1,30); channel 2 is a rendezvous channel.
    fn with_messages(test: impl FnOnce(&mut Context<'_>)) {
        let model = testing::model(
            "chan c = [4] of { byte, byte }; chan r = [0] of { byte };
             init { c!1,10; c!2,20; c!1,30; r!1 }",
        );
        let state = Interpreter::new(&model).expect("an initial state").initial();
        let mut context = Context::new(&model, Arc::new(Layout::new(&model)), vec![0]);
        context.load(&state);
        for message in [[1, 10], [2, 20], [1, 30]] {
            context.fields[..2].copy_from_slice(&message);
            send(&mut context, 1, 2, 0);
        }
        test(&mut context);
    }

    #[test]
    fn a_message_is_found_by_its_fields() {
        with_messages(|context| {
            for (mode, matched, fields, expected) in [
                (0, 0b00, [0, 0], 1),
                (0, 0b01, [1, 0], 1),
                (0, 0b01, [2, 0], 0),
                (ANYWHERE, 0b01, [2, 0], 2),
                (ANYWHERE, 0b11, [1, 30], 3),
                (ANYWHERE | KEEP, 0b11, [2, 30], 0),
            ] {
                context.fields[..2].copy_from_slice(&fields);
                let found = find_message(context, 1, 2, matched, mode);
                assert_eq!((found, context.fault), (expected, 0), "{mode} {matched:b} {fields:?}");
            }
        });
    }

    #[test]
    fn a_sorted_send_goes_before_the_first_greater_message() {
        with_messages(|context| {
            context.fields[..2].copy_from_slice(&[1, 15]);
            send(context, 1, 2, 1);
            load_message(context, 1, 2, 2);
            assert_eq!((context.fields[..2].to_vec(), length(context, 1)), (vec![1, 15], 4));
            assert_eq!((is_full(context, 1), can_send(context, 1), can_send(context, 2)), (1, 0, 2));
        });
    }

    #[test]
    fn an_offer_is_cut_to_the_width_of_its_fields() {
        with_messages(|context| {
            context.fields[0] = 300;
            assert_eq!((offer(context, 1, 1), context.fields[0]), (0, 300), "a buffered channel");
            assert_eq!((offer(context, 2, 1), context.fields[0]), (1, 44));
        });
    }

    #[test]
    fn what_is_an_error_of_the_model_sets_the_fault() {
        let errors: [fn(&mut Context<'_>); 6] = [
            |context| _ = length(context, 0),
            |context| _ = can_send(context, 3),
            |context| _ = find_message(context, 1, 3, 0, 0),
            |context| _ = find_message(context, 2, 1, 0, KEEP),
            |context| load_message(context, 1, 1, 1),
            |context| _ = offer(context, 2, 2),
        ];
        for (at, error) in errors.into_iter().enumerate() {
            with_messages(|context| {
                error(context);
                assert_eq!(context.fault, 1, "error {at}");
            });
        }
    }

    #[test]
    fn there_is_a_declaration_for_each_function() {
        assert_eq!(RuntimeFunction::End as usize + 1, RUNTIME_FUNCTIONS);
        assert_eq!(declarations()[RuntimeFunction::FindMessage as usize].name, "find_message");
    }
}
