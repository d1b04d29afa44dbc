//! What compiled code and the engine share, and the parts of its work that are not compiled.

use homing_core::Written;

use crate::layout::{Layout, ShapeLayout};
use crate::work::{ChannelFrame, Work};

/// The most arguments of a message that compiled code handles.
pub const MOST_FIELDS: usize = 32;

/// What a compiled function is given beside the state. Compiled code reads and writes it by the offsets of its fields.
#[repr(C)]
pub struct Context {
    /// Set when something has no meaning: the interpreter has to find out what.
    pub fault: u32,
    /// The process whose code runs.
    pub pid: u32,
    pub processes: u32,
    /// The message under way: arguments of a send, values to match, fields received.
    pub fields: [i32; MOST_FIELDS],
    /// The old contents of what was written, in order.
    pub log: Vec<Written>,
    /// The state under way.
    pub work: Work,
    pub layout: *const Layout,
}

impl Context {
    pub fn new(layout: &Layout) -> Self {
        Context {
            fault: 0,
            pid: 0,
            processes: 0,
            fields: [0; MOST_FIELDS],
            log: Vec::new(),
            work: Work::default(),
            layout,
        }
    }

    /// Notes what is about to be written.
    pub fn note(&mut self, offset: u32, width: u32) {
        let at = offset as usize;
        let mut old = [0; 8];
        old[..width as usize].copy_from_slice(&self.work.bytes[at..at + width as usize]);
        self.log.push(Written { offset, width, old: u64::from_le_bytes(old) });
    }

    /// Notes a range, in pieces.
    fn note_range(&mut self, from: u32, to: u32) {
        let mut at = from;
        while at < to {
            let width = (to - at).min(8);
            self.note(at, width);
            at += width;
        }
    }

    /// Takes back what was written since the log had this length.
    pub fn undo(&mut self, length: usize) {
        while self.log.len() > length {
            let Written { offset, width, old } = self.log.pop().expect("longer than that");
            let at = offset as usize;
            self.work.bytes[at..at + width as usize].copy_from_slice(&old.to_le_bytes()[..width as usize]);
        }
    }

    fn channel(&mut self, id: i32) -> Option<(ChannelFrame, &'static ShapeLayout)> {
        // SAFETY: the layout outlives every context that points to it: both belong to one engine.
        let layout: &'static Layout = unsafe { &*self.layout };
        match self.work.channel(layout, id) {
            Ok(channel) => Some(channel),
            Err(_) => {
                self.fault = 1;
                None
            }
        }
    }
}

/// A send to the channel: 0 it is full, 1 it can be done, 2 it is a rendezvous.
pub extern "C" fn can_send(context: &mut Context, id: i32) -> i32 {
    let Some(channel) = context.channel(id) else { return 0 };
    match channel.1.capacity {
        0 => 2,
        capacity => i32::from(context.work.length(channel) < capacity),
    }
}

/// Puts the first `count` fields behind the last message, or before the first greater one.
pub extern "C" fn send(context: &mut Context, id: i32, count: u32, sorted: u32) {
    let Some(channel) = context.channel(id) else { return };
    let shape = channel.1;
    if shape.fields.len() != count as usize || shape.capacity == 0 {
        context.fault = 1;
        return;
    }
    let message = context.fields;
    let message = &message[..count as usize];
    let length = context.work.length(channel);
    let mut slot = length;
    if sorted != 0 {
        let goes_before = |slot: u32| {
            let held = (0..message.len()).map(|at| context.work.field(channel, slot, at));
            message.iter().copied().lt(held)
        };
        slot = (0..length).find(|&slot| goes_before(slot)).unwrap_or(length);
    }
    let start = channel.0.offset + shape.length_width;
    context.note_range(channel.0.offset, start);
    context.note_range(start + slot * shape.slot_size, start + (length + 1) * shape.slot_size);
    context.work.insert(channel, slot, message);
}

/// The slot, counted from 1, of the message that a receive takes, or 0. The fields with a bit in `matched` have to be
/// equal to the context's.
pub extern "C" fn find_message(context: &mut Context, id: i32, count: u32, matched: u32, mode: u32) -> u32 {
    let Some(channel) = context.channel(id) else { return 0 };
    let shape = channel.1;
    if shape.capacity == 0 {
        if mode & KEEP != 0 {
            context.fault = 1;
        }
        return 0;
    }
    if shape.fields.len() != count as usize {
        context.fault = 1;
        return 0;
    }
    let length = context.work.length(channel);
    let last = if mode & ANYWHERE != 0 { length } else { length.min(1) };
    let is_equal = |slot: u32, at: usize| context.work.field(channel, slot, at) == context.fields[at];
    let fits = |slot: &u32| (0..count as usize).all(|at| matched & (1 << at) == 0 || is_equal(*slot, at));
    (0..last).find(fits).map_or(0, |slot| slot + 1)
}

/// `??`
pub const ANYWHERE: u32 = 1;
/// `?<…>`
pub const KEEP: u32 = 2;

/// Reads the message in a slot, counted from 1, into the context's fields.
pub extern "C" fn load_message(context: &mut Context, id: i32, slot: u32) {
    let Some(channel) = context.channel(id) else { return };
    if slot == 0 {
        context.fault = 1;
        return;
    }
    for at in 0..channel.1.fields.len() {
        context.fields[at] = context.work.field(channel, slot - 1, at);
    }
}

/// Takes the message in a slot, counted from 1, out of the channel.
pub extern "C" fn remove_message(context: &mut Context, id: i32, slot: u32) {
    let Some(channel) = context.channel(id) else { return };
    let shape = channel.1;
    let length = context.work.length(channel);
    let start = channel.0.offset + shape.length_width;
    context.note_range(channel.0.offset, start);
    context.note_range(start + (slot - 1) * shape.slot_size, start + length * shape.slot_size);
    context.work.remove(channel, slot - 1);
}

/// How many messages a channel holds.
pub extern "C" fn length(context: &mut Context, id: i32) -> i32 {
    let Some(channel) = context.channel(id) else { return 0 };
    context.work.length(channel) as i32
}

/// Whether a channel is full; a rendezvous channel never is.
pub extern "C" fn is_full(context: &mut Context, id: i32) -> i32 {
    let Some(channel) = context.channel(id) else { return 0 };
    i32::from(channel.1.capacity > 0 && context.work.length(channel) == channel.1.capacity)
}

/// Notes what is about to be written by compiled code.
pub extern "C" fn note(context: &mut Context, offset: u32, width: u32) {
    context.note(offset, width);
}
