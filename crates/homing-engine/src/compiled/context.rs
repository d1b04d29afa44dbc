//! The context of compiled code: what compiled functions, the runtime functions and the engine share.

use std::cell::Cell;
use std::sync::Arc;

use homing_core::{State, Written};
use homing_ir::{Model, ProctypeId};

use super::log::{ADDED, Log, REMOVED};
use crate::eval::View;
use crate::layout::Layout;
use crate::working_state::WorkingState;

/// The most fields of a message that compiled code handles.
pub const MOST_FIELDS: usize = 32;

/// The entry of a channel in the table that compiled code reads: where the channel is, and how it is laid out.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ChannelEntry {
    pub offset: u32,
    /// The first shape with the same layout.
    pub class: u32,
}

/// The entry of a process in the table of the context: where it is, and where its locations begin in the code. Its size is a
/// power of two, since it is looked up for each process of each state.
#[derive(Clone, Copy, Debug)]
#[repr(align(16))]
pub struct ProcessEntry {
    pub offset: u32,
    /// The offset of its location.
    location_at: u32,
    /// The index of the first location of its type in the code.
    start: u32,
}

/// What a compiled function is passed beside the state. Compiled code accesses the first fields by their offsets.
#[repr(C)]
pub struct Context<'m> {
    /// Set by a runtime function that gives up: the interpreter has to execute the move.
    pub fault: u32,
    /// The process whose code runs.
    pub pid: u32,
    /// The number of processes.
    pub processes: u32,
    /// The value of `timeout`.
    pub timeout: u32,
    /// The channel of the message on offer in a rendezvous.
    pub offered: i32,
    /// The number of fields of the message on offer.
    pub offered_fields: u32,
    /// The start of `channel_table`.
    pub channels: *const ChannelEntry,
    /// The length of `channel_table`.
    pub channel_count: u32,
    /// The scratch cells of `work`.
    pub scratch: *const Cell<i32>,
    /// Where the guards of a process of a network write the channels that they compute.
    pub computed_channels: *mut i32,
    pub log: Log,
    /// The fields of one message: the arguments of a send, the message on offer, values to match, or fields received.
    pub fields: [i32; MOST_FIELDS],
    /// The channels of the state, by their number minus 1.
    channel_table: Vec<ChannelEntry>,
    /// By pid.
    pub process_table: Vec<ProcessEntry>,
    /// As in the layout.
    location_width: u32,
    /// By process type: the index of its first location in the code.
    starts: Vec<u32>,
    /// The bytes that are reserved after a state, for processes that a run creates.
    room: usize,
    /// The state that compiled code works on. Its vector has `room`, so the bytes never move while compiled code runs.
    pub work: WorkingState,
    pub layout: Arc<Layout>,
    pub model: &'m Model,
}

// SAFETY: the pointers are into buffers that the context owns.
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
            scratch: std::ptr::null(),
            computed_channels: std::ptr::null_mut(),
            log: Log::new(),
            fields: [0; MOST_FIELDS],
            channel_table: Vec::new(),
            process_table: Vec::new(),
            location_width: layout.location_width,
            starts,
            room: 64 * largest.unwrap_or(0) as usize + 4096,
            work: WorkingState::default(),
            layout,
            model,
        }
    }

    /// Loads a state; the log has to be empty.
    pub fn load(&mut self, state: &State) {
        debug_assert_eq!(self.log.len(), 0);
        let bytes = &mut self.work.bytes;
        let is_first = bytes.is_empty();
        if bytes.capacity() < state.len() + self.room {
            bytes.reserve(state.len() + self.room - bytes.len());
        }
        let before = self.process_table.len();
        let kept = if is_first {
            self.work.load(&self.layout, state);
            0
        } else {
            self.work.reload(&self.layout, state)
        };
        self.scratch = self.work.scratch.as_ptr();
        if is_first || kept < before || kept < self.work.processes.len() {
            let channels = self.work.processes.get(kept).map(|process| process.channels_before as usize);
            let known = if is_first { 0 } else { channels.unwrap_or(self.work.channels.len()) };
            self.process_table.truncate(kept);
            self.channel_table.truncate(known);
            self.reindex();
        }
    }

    /// Updates the tables that compiled code reads after processes were added or removed at the end.
    pub fn reindex(&mut self) {
        let Context { layout, work, channel_table, process_table, starts, .. } = self;
        channel_table.truncate(work.channels.len());
        channel_table.extend(work.channels[channel_table.len()..].iter().map(|channel| ChannelEntry {
            offset: channel.offset,
            class: layout.shapes[channel.shape as usize].class,
        }));
        process_table.truncate(work.processes.len());
        process_table.extend(work.processes[process_table.len()..].iter().map(|process| ProcessEntry {
            offset: process.offset,
            location_at: process.offset + layout.type_width,
            start: starts.get(process.proctype.index()).copied().unwrap_or(0),
        }));
        self.channels = self.channel_table.as_ptr();
        self.channel_count = self.channel_table.len() as u32;
        self.processes = self.process_table.len() as u32;
    }

    /// The state as the process whose code runs sees it.
    pub fn view(&self) -> View<'_> {
        View {
            model: self.model,
            layout: &self.layout,
            work: &self.work,
            pid: self.pid as usize,
            timeout: self.timeout != 0,
            offer: None,
            asked: 0,
        }
    }

    /// Logs bytes that are about to be written; there has to be room in the log.
    pub fn note(&mut self, offset: u32, width: u32) {
        let at = offset as usize;
        let mut old = [0; 8];
        old[..width as usize].copy_from_slice(&self.work.bytes[at..at + width as usize]);
        self.log.written(offset, width, u64::from_le_bytes(old));
    }

    /// Logs a range that is about to be written, in pieces of 8, 4, 2 or 1 bytes; there has to be room in the log.
    pub fn note_range(&mut self, from: u32, to: u32) {
        let mut at = from;
        while at < to {
            let width = piece(to - at);
            self.note(at, width);
            at += width;
        }
    }

    /// Undoes what was written since the log had this length.
    #[inline(always)]
    pub fn undo(&mut self, length: usize) {
        if self.log.is_reshaped() {
            return self.undo_processes(length);
        }
        let bytes = self.work.bytes.as_mut_ptr();
        while let Some(record) = self.log.pop(length) {
            // SAFETY: what was written is inside the state, whose length is what it was.
            unsafe { write_back(bytes, &record) };
        }
    }

    /// Undoes what was written since the log had this length, where processes were created or ended meanwhile.
    #[cold]
    fn undo_processes(&mut self, length: usize) {
        while let Some(record) = self.log.pop(length) {
            match record.width {
                ADDED => self.work.remove_frame(),
                REMOVED => {
                    self.work.add_frame(&self.layout, ProctypeId(record.old as u32));
                }
                _ => {
                    debug_assert!(record.offset as usize + record.width as usize <= self.work.bytes.len());
                    // SAFETY: it was inside the state when it was written, and as many processes are there again.
                    unsafe { write_back(self.work.bytes.as_mut_ptr(), &record) };
                    continue;
                }
            }
            self.log.restored_process();
            self.reindex();
        }
    }

    /// The entry of a process.
    #[inline(always)]
    pub fn process(&self, pid: usize) -> ProcessEntry {
        debug_assert!(pid < self.process_table.len());
        // SAFETY: there is an entry for each process of the state, and callers ask for no other.
        unsafe { *self.process_table.get_unchecked(pid) }
    }

    /// The location of a process, by its index in the code.
    pub fn location_of(&self, pid: usize) -> usize {
        self.location(self.process_table[pid])
    }

    /// The location of the process of an entry, by its index in the code.
    #[inline(always)]
    pub fn location(&self, process: ProcessEntry) -> usize {
        (process.start + self.location_number(process)) as usize
    }

    /// The number of the location of the process of an entry.
    #[inline(always)]
    pub fn location_number(&self, process: ProcessEntry) -> u32 {
        let at = process.location_at as usize;
        debug_assert!(at + self.location_width as usize <= self.work.bytes.len());
        // SAFETY: the entries are those of the state.
        let bytes = unsafe { self.work.bytes.as_ptr().add(at) };
        match self.location_width {
            // SAFETY: a location has this many bytes.
            1 => u32::from(unsafe { *bytes }),
            2 => u32::from(u16::from_le(unsafe { bytes.cast::<u16>().read_unaligned() })),
            _ => u32::from_le(unsafe { bytes.cast::<u32>().read_unaligned() }),
        }
    }

    /// Sets the location of the process of an entry, and logs the old one; there has to be room in the log.
    #[inline(always)]
    pub fn set_location(&mut self, process: ProcessEntry, location: u32) {
        let (at, width) = (process.location_at, self.location_width);
        let old = u64::from(self.location_number(process));
        self.log.written(at, width, old);
        let record = Written { offset: at, width, old: u64::from(location) };
        // SAFETY: the location of a process is inside the state.
        unsafe { write_back(self.work.bytes.as_mut_ptr(), &record) };
    }
}

/// Writes the value of a record.
///
/// # Safety
/// The record is one of bytes inside `bytes`.
#[inline(always)]
unsafe fn write_back(bytes: *mut u8, record: &Written) {
    let old = record.old;
    // SAFETY: as the caller says; nothing is aligned.
    unsafe {
        let at = bytes.add(record.offset as usize);
        match record.width {
            1 => at.write(old as u8),
            2 => at.cast::<u16>().write_unaligned(old as u16),
            4 => at.cast::<u32>().write_unaligned(old as u32),
            _ => at.cast::<u64>().write_unaligned(old),
        }
    }
}

/// The width of the first piece of a range of so many bytes: 8, 4, 2 or 1.
pub fn piece(bytes: u32) -> u32 {
    match bytes {
        8.. => 8,
        4..8 => 4,
        2..4 => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use homing_core::TransitionSystem;

    use super::*;
    use crate::compiled::runtime;
    use crate::{Interpreter, testing};

    const MODEL: &str = "
        chan c = [3] of { byte, int };
        int g = 7;
        active proctype Q() { skip }
        proctype P(byte x) { byte y = 2; chan d = [1] of { byte }; skip }";

    fn send(context: &mut Context<'_>) {
        if runtime::is_full(context, 1) == 0 {
            (context.fields[0], context.fields[1]) = (300, -1 - runtime::length(context, 1));
            runtime::send(context, 1, 2, 1);
        }
    }

    fn receive(context: &mut Context<'_>) {
        if runtime::length(context, 1) > 0 {
            runtime::remove_message(context, 1, 1);
        }
    }

    fn run(context: &mut Context<'_>) {
        context.fields[0] = 5;
        runtime::run(context, 1, 1, 1);
    }

    #[test]
    fn undo_restores_every_state_of_a_run() {
        let model = testing::model(MODEL);
        let state = Interpreter::new(&model).expect("an initial state").initial();
        let mut context = Context::new(&model, Arc::new(Layout::new(&model)), vec![0; 2]);
        context.load(&state);
        let operations: [fn(&mut Context<'_>); 4] = [send, receive, run, |context| runtime::end(context)];
        let shown = |context: &Context<'_>| {
            (context.work.bytes.clone(), context.processes, context.channel_count, context.log.len())
        };
        for code in 0..4usize.pow(5) {
            let mut passed = vec![shown(&context)];
            for at in 0..5 {
                operations[code / 4usize.pow(at) % 4](&mut context);
                assert_eq!(context.fault, 0);
                passed.push(shown(&context));
            }
            while let Some(before) = passed.pop() {
                context.undo(before.3);
                assert_eq!(shown(&context), before, "sequence {code}");
            }
        }
        assert_eq!(*context.work.bytes, *state);
    }

    #[test]
    fn a_range_is_logged_in_pieces_of_powers_of_two() {
        for (bytes, expected) in [(1, 1), (2, 2), (3, 2), (7, 4), (8, 8), (100, 8)] {
            assert_eq!(piece(bytes), expected);
        }
    }
}
