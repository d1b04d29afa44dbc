//! What compiled code and the engine share.

use std::sync::Arc;

use homing_core::{State, Written};
use homing_ir::{Model, ProctypeId};

use super::log::{ADDED, Log, REMOVED};
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

/// Where a process is.
#[derive(Clone, Copy, Debug)]
pub struct Seat {
    pub offset: u32,
    /// Where its location is.
    location_at: u32,
    /// Where the locations of its type begin in those of the code.
    start: u32,
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
    /// By pid.
    pub seats: Vec<Seat>,
    /// By process type: where its locations begin in those of the code.
    starts: Vec<u32>,
    /// How many bytes processes that a run creates may take.
    room: usize,
    /// The state under way. Its bytes have room behind them: they never move while compiled code runs.
    pub work: Work,
    pub layout: Arc<Layout>,
    pub model: &'m Model,
}

// SAFETY: the pointers lead into buffers that the context owns.
unsafe impl Send for Context<'_> {}

impl<'m> Context<'m> {
    pub fn new(model: &'m Model, layout: Arc<Layout>, starts: Vec<u32>) -> Self {
        let largest = layout.processes.iter().map(|process| process.size + process.channels_size).max();
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
            seats: Vec::new(),
            starts,
            room: 64 * largest.unwrap_or(0) as usize + 4096,
            work: Work::default(),
            layout,
            model,
        }
    }

    /// Makes `state` the one under way.
    pub fn load(&mut self, state: &State) {
        debug_assert_eq!(self.log.len(), 0);
        let bytes = &mut self.work.bytes;
        let is_first = bytes.is_empty();
        if bytes.capacity() < state.len() + self.room {
            bytes.reserve(state.len() + self.room - bytes.len());
        }
        let before = self.seats.len();
        let kept = if is_first {
            self.work.load(&self.layout, state);
            0
        } else {
            self.work.reload(&self.layout, state)
        };
        if is_first || kept < before || kept < self.work.processes.len() {
            let channels = self.work.processes.get(kept).map(|process| process.channels_before as usize);
            let known = if is_first { 0 } else { channels.unwrap_or(self.work.channels.len()) };
            self.seats.truncate(kept);
            self.channel_places.truncate(known);
            self.reindex();
        }
    }

    /// Tells compiled code about processes that came or went: the older ones are where they were.
    pub fn reindex(&mut self) {
        let Context { layout, work, channel_places, seats, starts, .. } = self;
        channel_places.truncate(work.channels.len());
        channel_places.extend(work.channels[channel_places.len()..].iter().map(|channel| ChannelPlace {
            offset: channel.offset,
            class: layout.shapes[channel.shape as usize].class,
        }));
        seats.truncate(work.processes.len());
        seats.extend(work.processes[seats.len()..].iter().map(|process| Seat {
            offset: process.offset,
            location_at: process.offset + layout.type_width,
            start: starts.get(process.proctype.index()).copied().unwrap_or(0),
        }));
        self.channels = self.channel_places.as_ptr();
        self.channel_count = self.channel_places.len() as u32;
        self.processes = self.seats.len() as u32;
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

    /// Takes back what was written since the log had this length.
    #[inline]
    pub fn undo(&mut self, length: usize) {
        if self.log.is_reshaped() {
            return self.undo_processes(length);
        }
        for record in self.log.cut(length).iter().rev() {
            write_back(&mut self.work.bytes, record);
        }
    }

    /// The same when processes came or went.
    #[cold]
    fn undo_processes(&mut self, length: usize) {
        while self.log.len() > length {
            let record = self.log.cut(self.log.len() - 1)[0];
            match record.width {
                ADDED => self.work.remove_frame(),
                REMOVED => {
                    self.work.add_frame(&self.layout, ProctypeId(record.old as u32));
                }
                _ => {
                    write_back(&mut self.work.bytes, &record);
                    continue;
                }
            }
            self.log.restored_process();
            self.reindex();
        }
    }

    /// Where a process stands: the number of its location in the code.
    #[inline(always)]
    pub fn stands(&self, pid: usize) -> usize {
        let seat = self.seats[pid];
        let location = match self.layout.location_width {
            1 => u32::from(self.work.bytes[seat.location_at as usize]),
            _ => self.work.location(&self.layout, pid),
        };
        (seat.start + location) as usize
    }
}

#[inline(always)]
fn write_back(bytes: &mut [u8], record: &Written) {
    let (at, old) = (record.offset as usize, record.old);
    match record.width {
        1 => bytes[at] = old as u8,
        2 => bytes[at..at + 2].copy_from_slice(&(old as u16).to_le_bytes()),
        4 => bytes[at..at + 4].copy_from_slice(&(old as u32).to_le_bytes()),
        _ => bytes[at..at + 8].copy_from_slice(&old.to_le_bytes()),
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
