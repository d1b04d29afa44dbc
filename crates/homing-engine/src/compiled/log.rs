//! What was overwritten, so that it can be taken back: compiled code appends to it without asking.

use homing_core::Written;

/// Records in all. Memory that is never written costs nothing.
const CAPACITY: usize = 1 << 16;

/// How many records a compiled function may append without looking whether there is room.
pub const ROOM: usize = 1 << 10;

/// The `width` of a record that tells of a process that was added.
pub const ADDED: u32 = u32::MAX;
/// The same for a process that was removed, whose type is `old`.
pub const REMOVED: u32 = u32::MAX - 1;

/// The records since the state was loaded, in the order they were written.
#[repr(C)]
pub struct Log {
    /// Where the next record goes. Compiled code knows this field and the next.
    pub end: *mut Written,
    /// Behind it there is no room left for a whole function.
    pub limit: *mut Written,
    /// Its length stays 0: the records are the room between its start and `end`.
    buffer: Vec<Written>,
    /// How many records tell of processes.
    reshaped: usize,
}

impl Log {
    pub fn new() -> Self {
        let mut buffer = Vec::with_capacity(CAPACITY);
        let end: *mut Written = buffer.as_mut_ptr();
        Log { end, limit: end.wrapping_add(CAPACITY - ROOM), buffer, reshaped: 0 }
    }

    #[inline]
    pub fn len(&self) -> usize {
        (self.end as usize - self.buffer.as_ptr() as usize) / size_of::<Written>()
    }

    /// Whether a compiled function may be called.
    pub fn has_room(&self) -> bool {
        self.end <= self.limit
    }

    /// Whether so many records can be added, and a compiled function be called afterwards.
    pub fn has_room_for(&self, records: usize) -> bool {
        self.len() + records + ROOM <= CAPACITY
    }

    /// Appends a record; there has to be room.
    fn push(&mut self, record: Written) {
        assert!(self.len() < CAPACITY, "room was made before");
        // SAFETY: `end` is inside the buffer, whose room it does not leave.
        unsafe {
            self.end.write(record);
            self.end = self.end.add(1);
        }
    }

    pub fn written(&mut self, offset: u32, width: u32, old: u64) {
        self.push(Written { offset, width, old });
    }

    pub fn added_process(&mut self, offset: u32) {
        self.push(Written { offset, width: ADDED, old: 0 });
        self.reshaped += 1;
    }

    pub fn removed_process(&mut self, offset: u32, proctype: u32) {
        self.push(Written { offset, width: REMOVED, old: u64::from(proctype) });
        self.reshaped += 1;
    }

    /// The places that were written, unless processes came or went.
    #[inline]
    pub fn places(&self) -> Option<&[Written]> {
        // SAFETY: everything between the start of the buffer and `end` was written.
        let records = || unsafe { std::slice::from_raw_parts(self.buffer.as_ptr(), self.len()) };
        (self.reshaped == 0).then(records)
    }

    /// The last record leaves the log, unless there are no more than `length`.
    #[inline(always)]
    pub fn pop(&mut self, length: usize) -> Option<Written> {
        let first = self.buffer.as_ptr().wrapping_add(length);
        if std::ptr::eq(self.end, first) {
            return None;
        }
        debug_assert!(self.len() > length);
        self.end = self.end.wrapping_sub(1);
        // SAFETY: this record was written.
        Some(unsafe { *self.end })
    }

    /// Whether processes came or went since the log was empty.
    #[inline]
    pub fn is_reshaped(&self) -> bool {
        self.reshaped > 0
    }

    /// A record that tells of a process was taken back.
    pub fn restored_process(&mut self) {
        self.reshaped -= 1;
    }
}
