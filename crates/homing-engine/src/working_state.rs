//! A state that is being executed on: its bytes, with an index of its processes and channels.

use homing_core::State;
use homing_ir::{Cell, ProctypeId};

use crate::fault::Fault;
use crate::layout::{Layout, ShapeLayout};

/// Where a process is in the bytes of a state.
#[derive(Clone, Copy, Debug)]
pub struct ProcessFrame {
    pub offset: u32,
    pub proctype: ProctypeId,
    /// The number of channels before those of this process.
    pub channels_before: u32,
}

/// Where a channel is in the bytes of a state.
#[derive(Clone, Copy, Debug)]
pub struct ChannelFrame {
    pub offset: u32,
    pub shape: u32,
}

/// The bytes of a state with an index of its processes and channels.
#[derive(Clone, Debug, Default)]
pub struct WorkingState {
    pub bytes: Vec<u8>,
    pub processes: Vec<ProcessFrame>,
    pub channels: Vec<ChannelFrame>,
    /// Cells of computations, which are no part of the state; an expression that is evaluated writes them, too.
    pub scratch: Vec<std::cell::Cell<i32>>,
}

impl WorkingState {
    /// Loads a state and indexes all of it.
    pub fn load(&mut self, layout: &Layout, state: &State) {
        self.bytes.clear();
        self.bytes.extend_from_slice(state);
        self.index(layout);
    }

    /// The state before the first process: all variables are zero.
    pub fn without_processes(layout: &Layout) -> Self {
        let bytes = vec![0; layout.processes_at as usize];
        let mut work = WorkingState { bytes, ..WorkingState::default() };
        work.scratch.resize_with(layout.scratch_cells(), Default::default);
        work.index_channels(layout, layout.channels_at, &layout.channels);
        work
    }

    /// Loads a state where another was loaded before. The index is kept up to the first process of another type; returns the
    /// number of processes whose frames were kept.
    pub fn reload(&mut self, layout: &Layout, state: &State) -> usize {
        let count = count(layout, state);
        let is_kept = |process: &ProcessFrame| match layout.type_width {
            0 => true,
            1 => u32::from(state[process.offset as usize]) == process.proctype.0,
            _ => state[process.offset as usize..][..2] == process.proctype.0.to_le_bytes()[..2],
        };
        let known = count.min(self.processes.len());
        let kept = if layout.grows {
            self.processes[..known].iter().position(|process| !is_kept(process)).unwrap_or(known)
        } else {
            debug_assert!(self.processes[..known].iter().all(is_kept));
            known
        };
        self.bytes.clear();
        self.bytes.extend_from_slice(state);
        if kept < self.processes.len() {
            self.channels.truncate(self.processes[kept].channels_before as usize);
            self.processes.truncate(kept);
        }
        if kept < count {
            self.index_processes(layout, count);
        }
        kept
    }

    /// Indexes the processes and channels.
    fn index(&mut self, layout: &Layout) {
        self.processes.clear();
        self.channels.clear();
        self.scratch.resize_with(layout.scratch_cells(), Default::default);
        self.index_channels(layout, layout.channels_at, &layout.channels);
        self.index_processes(layout, count(layout, &self.bytes));
    }

    /// Indexes the processes after those that are indexed already, and their channels.
    fn index_processes(&mut self, layout: &Layout, count: usize) {
        let mut offset = self.processes.last().map_or(layout.processes_at, |last| {
            let process = &layout.processes[last.proctype.index()];
            last.offset + process.size + process.channels_size
        });
        while self.processes.len() < count {
            let proctype = match &layout.fixed {
                Some(types) => types[self.processes.len()],
                None => ProctypeId(self.unsigned(offset, layout.type_width)),
            };
            let channels_before = self.channels.len() as u32;
            self.processes.push(ProcessFrame { offset, proctype, channels_before });
            let process = &layout.processes[proctype.index()];
            self.index_channels(layout, offset + process.size, &process.channels);
            offset += process.size + process.channels_size;
        }
    }

    fn index_channels(&mut self, layout: &Layout, from: u32, shapes: &[homing_ir::ShapeId]) {
        let mut offset = from;
        for shape in shapes {
            self.channels.push(ChannelFrame { offset, shape: shape.0 });
            offset += layout.shapes[shape.index()].size;
        }
    }

    pub fn copy_from(&mut self, other: &WorkingState) {
        self.bytes.clear();
        self.bytes.extend_from_slice(&other.bytes);
        self.processes.clear();
        self.processes.extend_from_slice(&other.processes);
        self.channels.clear();
        self.channels.extend_from_slice(&other.channels);
        self.scratch.resize_with(other.scratch.len(), Default::default);
    }

    #[inline]
    fn unsigned(&self, offset: u32, width: u32) -> u32 {
        let at = offset as usize;
        match width {
            1 => u32::from(self.bytes[at]),
            2 => u32::from(u16::from_le_bytes([self.bytes[at], self.bytes[at + 1]])),
            _ => u32::from_le_bytes(self.bytes[at..at + 4].try_into().expect("four bytes")),
        }
    }

    fn set_unsigned(&mut self, offset: u32, width: u32, value: u32) {
        let at = offset as usize;
        self.bytes[at..at + width as usize].copy_from_slice(&value.to_le_bytes()[..width as usize]);
    }

    #[inline]
    pub fn read(&self, offset: u32, cell: Cell) -> i32 {
        match cell {
            Cell::Byte => i32::from(self.bytes[offset as usize]), // as most are
            Cell::SignedByte => i32::from(self.bytes[offset as usize] as i8),
            Cell::Short => i32::from(self.unsigned(offset, 2) as u16 as i16),
            _ => self.unsigned(offset, cell.width() as u32) as i32,
        }
    }

    pub fn write(&mut self, offset: u32, cell: Cell, value: i32) {
        self.set_unsigned(offset, cell.width() as u32, cell.truncate(value) as u32);
    }

    #[inline]
    pub fn location(&self, layout: &Layout, pid: usize) -> u32 {
        self.unsigned(self.processes[pid].offset + layout.type_width, layout.location_width)
    }

    pub fn set_location(&mut self, layout: &Layout, pid: usize, location: u32) {
        self.set_unsigned(self.processes[pid].offset + layout.type_width, layout.location_width, location);
    }

    /// The priority of a process; 1 in a model without priorities.
    pub fn priority(&self, layout: &Layout, pid: usize) -> u8 {
        match layout.priority_at {
            Some(at) => self.bytes[(self.processes[pid].offset + at) as usize],
            None => 1,
        }
    }

    pub fn set_priority(&mut self, layout: &Layout, pid: usize, priority: u8) {
        if let Some(at) = layout.priority_at {
            let at = (self.processes[pid].offset + at) as usize;
            self.bytes[at] = priority;
        }
    }

    pub fn set_last(&mut self, layout: &Layout, pid: usize) {
        if let Some(at) = layout.last_at {
            self.bytes[at as usize] = pid as u8;
        }
    }

    /// The location of the trace automaton.
    pub fn monitor(&self, layout: &Layout) -> u32 {
        layout.monitor_at.map_or(0, |at| self.unsigned(at, 2))
    }

    pub fn set_monitor(&mut self, layout: &Layout, location: u32) {
        if let Some(at) = layout.monitor_at {
            self.set_unsigned(at, 2, location);
        }
    }

    /// Adds a process at its start, all its bytes zero but for type, location and priority.
    pub fn add_process(
        &mut self,
        layout: &Layout,
        proctype: ProctypeId,
        start: u32,
        priority: u8,
    ) -> Result<usize, Fault> {
        let pid = self.processes.len();
        let process = &layout.processes[proctype.index()];
        if pid >= 255 {
            return Err(Fault::TooManyProcesses);
        }
        if self.channels.len() + process.channels.len() > 255 {
            return Err(Fault::TooManyChannels);
        }
        let offset = self.add_frame(layout, proctype);
        self.set_unsigned(offset, layout.type_width, proctype.0);
        self.set_location(layout, pid, start);
        self.set_priority(layout, pid, priority);
        self.set_count(layout);
        Ok(pid)
    }

    /// Appends the bytes of a process, all zero, and indexes it. Returns its offset.
    pub fn add_frame(&mut self, layout: &Layout, proctype: ProctypeId) -> u32 {
        let process = &layout.processes[proctype.index()];
        let offset = self.bytes.len() as u32;
        self.bytes.resize((offset + process.size + process.channels_size) as usize, 0);
        let channels_before = self.channels.len() as u32;
        self.processes.push(ProcessFrame { offset, proctype, channels_before });
        self.index_channels(layout, offset + process.size, &process.channels);
        offset
    }

    /// Removes the youngest process and its channels.
    pub fn remove_process(&mut self, layout: &Layout) {
        self.remove_frame();
        self.set_count(layout);
    }

    fn set_count(&mut self, layout: &Layout) {
        if let Some(at) = layout.count_at {
            self.bytes[at as usize] = self.processes.len() as u8;
        }
    }

    /// Removes the bytes and the frame of the youngest process; the number of processes in the state stays.
    pub fn remove_frame(&mut self) {
        let frame = self.processes.pop().expect("a process ends");
        self.bytes.truncate(frame.offset as usize);
        self.channels.truncate(frame.channels_before as usize);
    }

    /// The channel with a number: the value of a channel variable.
    #[inline]
    pub fn channel<'l>(&self, layout: &'l Layout, id: i32) -> Result<(ChannelFrame, &'l ShapeLayout), Fault> {
        if id == 0 {
            return Err(Fault::UninitialisedChannel);
        }
        match usize::try_from(id - 1).ok().and_then(|at| self.channels.get(at)) {
            Some(&frame) => Ok((frame, &layout.shapes[frame.shape as usize])),
            None => Err(Fault::NoSuchChannel(id)),
        }
    }

    #[inline]
    pub fn length(&self, channel: (ChannelFrame, &ShapeLayout)) -> u32 {
        let (frame, shape) = channel;
        if shape.capacity == 0 { 0 } else { self.unsigned(frame.offset, shape.length_width) }
    }

    fn set_length(&mut self, channel: (ChannelFrame, &ShapeLayout), length: u32) {
        let (frame, shape) = channel;
        self.set_unsigned(frame.offset, shape.length_width, length);
    }

    fn slot(channel: (ChannelFrame, &ShapeLayout), slot: u32) -> u32 {
        channel.0.offset + channel.1.length_width + slot * channel.1.slot_size
    }

    #[inline]
    pub fn field(&self, channel: (ChannelFrame, &ShapeLayout), slot: u32, field: usize) -> i32 {
        let at = &channel.1.fields[field];
        self.read(Self::slot(channel, slot) + at.offset, at.cell)
    }

    /// Inserts a message at a slot; the messages from there on move up.
    pub fn insert(&mut self, channel: (ChannelFrame, &ShapeLayout), slot: u32, message: &[i32]) {
        let length = self.length(channel);
        let (from, end) = (Self::slot(channel, slot) as usize, Self::slot(channel, length) as usize);
        self.bytes.copy_within(from..end, from + channel.1.slot_size as usize);
        for (field, value) in channel.1.fields.iter().zip(message) {
            self.write(from as u32 + field.offset, field.cell, *value);
        }
        self.set_length(channel, length + 1);
    }

    /// Removes the message in a slot; those after it move down, and the last slot is zeroed.
    pub fn remove(&mut self, channel: (ChannelFrame, &ShapeLayout), slot: u32) {
        let length = self.length(channel);
        let size = channel.1.slot_size as usize;
        let (from, end) = (Self::slot(channel, slot) as usize, Self::slot(channel, length) as usize);
        self.bytes.copy_within(from + size..end, from);
        self.bytes[end - size..end].fill(0);
        self.set_length(channel, length - 1);
    }
}

/// The number of processes of a state.
fn count(layout: &Layout, state: &State) -> usize {
    match &layout.fixed {
        Some(types) => types.len(),
        None => layout.count_at.map_or(0, |at| usize::from(state[at as usize])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::model;

    #[test]
    fn reloading_a_state_indexes_it_as_loading_does() {
        let model = model(
            "chan g = [1] of { byte };
             proctype P() { chan c = [2] of { byte }; byte x; skip }
             proctype Q() { int y; skip }
             init { run P(); run Q() }",
        );
        let layout = Layout::new(&model);
        let mut work = WorkingState::default();
        work.load(&layout, &WorkingState::without_processes(&layout).bytes);
        let mut states = vec![work.bytes.clone()];
        for types in [&[0][..], &[0, 1], &[0, 0], &[1, 0, 1], &[2]] {
            work.load(&layout, &states[0].clone());
            for proctype in types {
                work.add_process(&layout, ProctypeId(*proctype), 1, 1).expect("there is room");
            }
            states.push(work.bytes.clone());
        }
        let index = |work: &WorkingState| format!("{:?} {:?}", work.processes, work.channels);
        for before in &states {
            for after in &states {
                work.load(&layout, before);
                let kept = work.reload(&layout, after);
                let reloaded = index(&work);
                assert_eq!(work.bytes, *after);
                work.load(&layout, after);
                assert_eq!(reloaded, index(&work), "{kept} frames were kept");
            }
        }
    }

    #[test]
    fn messages_keep_their_order_and_unused_slots_are_zero() {
        let model = model("chan c = [3] of { byte, short }; init { c!1,2 }");
        let layout = Layout::new(&model);
        let mut work = WorkingState::default();
        let empty = vec![0; layout.processes_at as usize];
        work.load(&layout, &empty);
        let channel = work.channel(&layout, 1).expect("a channel");
        for (slot, message) in [(0, [1, -1]), (1, [3, -3]), (1, [258, -2])] {
            work.insert(channel, slot, &message);
        }
        let held = |work: &WorkingState| {
            let slots = 0..work.length(channel);
            slots.map(|slot| (work.field(channel, slot, 0), work.field(channel, slot, 1))).collect::<Vec<_>>()
        };
        assert_eq!(held(&work), [(1, -1), (2, -2), (3, -3)], "258 is cut to a byte");
        work.remove(channel, 1);
        assert_eq!(held(&work), [(1, -1), (3, -3)]);
        work.remove(channel, 1);
        work.remove(channel, 0);
        assert_eq!(work.bytes, empty);
    }
}
