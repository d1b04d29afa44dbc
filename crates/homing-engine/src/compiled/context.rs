//! What compiled code and the engine share.

use std::sync::Arc;

use homing_core::State;
use homing_ir::{Model, ProctypeId};

use super::log::{Log, Undo};
use crate::eval::View;
use crate::layout::Layout;
use crate::work::Work;

/// The most arguments of a message that compiled code handles.
pub const MOST_FIELDS: usize = 32;

/// Where a channel is, and which shapes it is laid out as.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ChannelPlace {
    pub offset: u32,
    /// The first shape with the same layout.
    pub class: u32,
}

/// What a compiled function is given beside the state. Compiled code reads and writes the first fields by their offsets.
#[repr(C)]
pub struct Context<'m> {
    /// Set by a helper when something has no meaning: the interpreter has to find out what.
    pub fault: u32,
    /// The process whose code runs.
    pub pid: u32,
    pub processes: u32,
    /// No process can move otherwise.
    pub timeout: u32,
    /// The channel of a rendezvous under way, and how many fields its message has.
    pub offered: i32,
    pub offered_fields: u32,
    /// The channels of the state.
    pub channels: *const ChannelPlace,
    pub channel_count: u32,
    pub log: Log,
    /// The message under way: arguments of a send, values to match, fields received.
    pub fields: [i32; MOST_FIELDS],
    channel_places: Vec<ChannelPlace>,
    /// The state under way. Its bytes have room behind them: they never move while compiled code runs.
    pub work: Work,
    pub layout: Arc<Layout>,
    pub model: &'m Model,
}

// SAFETY: the pointers lead into buffers that the context owns.
unsafe impl Send for Context<'_> {}

impl<'m> Context<'m> {
    pub fn new(model: &'m Model, layout: Arc<Layout>) -> Self {
        Context {
            fault: 0,
            pid: 0,
            processes: 0,
            timeout: 0,
            offered: 0,
            offered_fields: 0,
            channels: std::ptr::null(),
            channel_count: 0,
            log: Log::new(),
            fields: [0; MOST_FIELDS],
            channel_places: Vec::new(),
            work: Work::default(),
            layout,
            model,
        }
    }

    /// Makes `state` the one under way.
    pub fn load(&mut self, state: &State) {
        debug_assert_eq!(self.log.len(), 0);
        if !self.work.load_alike(&self.layout, state) {
            let largest = self.layout.processes.iter().map(|process| process.size + process.channels_size).max();
            self.work.bytes.clear();
            self.work.bytes.reserve(state.len() + 64 * largest.unwrap_or(0) as usize + 4096);
            self.work.load(&self.layout, state);
            self.reindex();
        }
    }

    /// Tells compiled code about processes that came or went.
    pub fn reindex(&mut self) {
        let layout = &self.layout;
        let place = |channel: &crate::work::ChannelFrame| ChannelPlace {
            offset: channel.offset,
            class: layout.shapes[channel.shape as usize].class,
        };
        self.channel_places.clear();
        self.channel_places.extend(self.work.channels.iter().map(place));
        self.channels = self.channel_places.as_ptr();
        self.channel_count = self.channel_places.len() as u32;
        self.processes = self.work.processes.len() as u32;
    }

    pub fn view(&self) -> View<'_> {
        View {
            model: self.model,
            layout: &self.layout,
            work: &self.work,
            pid: self.pid as usize,
            timeout: self.timeout != 0,
            offer: None,
        }
    }

    /// Notes what is about to be written; there has to be room.
    pub fn note(&mut self, offset: u32, width: u32) {
        let at = offset as usize;
        let mut old = [0; 8];
        old[..width as usize].copy_from_slice(&self.work.bytes[at..at + width as usize]);
        self.log.written(offset, width, u64::from_le_bytes(old));
    }

    /// Notes a range, in pieces as wide as a machine word or half of another; there has to be room.
    pub fn note_range(&mut self, from: u32, to: u32) {
        let mut at = from;
        while at < to {
            let width = piece(to - at);
            self.note(at, width);
            at += width;
        }
    }

    /// Puts a process somewhere else, by hand.
    pub fn go_to(&mut self, pid: usize, location: u32) {
        let offset = self.work.processes[pid].offset + self.layout.type_width;
        self.note(offset, self.layout.location_width);
        self.work.set_location(&self.layout, pid, location);
    }

    /// Takes back what was written since the log had this length.
    pub fn undo(&mut self, length: usize) {
        while let Some(undo) = self.log.pop(length) {
            let bytes = &mut self.work.bytes;
            match undo {
                Undo::Write { at, width: 1, old } => bytes[at] = old as u8,
                Undo::Write { at, width: 2, old } => bytes[at..at + 2].copy_from_slice(&(old as u16).to_le_bytes()),
                Undo::Write { at, width: 4, old } => bytes[at..at + 4].copy_from_slice(&(old as u32).to_le_bytes()),
                Undo::Write { at, old, .. } => bytes[at..at + 8].copy_from_slice(&old.to_le_bytes()),
                Undo::RemoveProcess => {
                    self.work.remove_frame();
                    self.reindex();
                }
                Undo::AddProcess { proctype } => {
                    self.work.add_frame(&self.layout, ProctypeId(proctype));
                    self.reindex();
                }
            }
        }
    }
}

/// How much of a range is written at once: 8, 4, 2 bytes or 1.
pub fn piece(bytes: u32) -> u32 {
    match bytes {
        8.. => 8,
        4..8 => 4,
        2..4 => 2,
        _ => 1,
    }
}
