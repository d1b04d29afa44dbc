//! The undo log: what was overwritten since a state was loaded. Compiled code appends to it without a check for room.

use homing_core::Written;

/// The most records. Memory that is never written costs nothing.
const CAPACITY: usize = 1 << 16;

/// The number of records that a compiled function may append without a check for room.
pub const ROOM: usize = 1 << 10;

/// The `width` of a record for a process that was added.
pub const ADDED: u32 = u32::MAX;
/// The `width` of a record for a process that was removed, whose type is `old`.
pub const REMOVED: u32 = u32::MAX - 1;

/// The records since the state was loaded, in the order in which they were written.
#[repr(C)]
pub struct Log {
    /// Where the next record goes. Compiled code accesses this field and the next.
    pub end: *mut Written,
    /// A compiled function is called only while `end` is not after it: then there is room for [`ROOM`] records.
    pub limit: *mut Written,
    /// Its length stays 0: the records are in its spare capacity, from its start to `end`.
    buffer: Vec<Written>,
    /// The number of records of processes that were added or removed.
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

    /// Whether so many records can be appended, and a compiled function be called afterwards.
    pub fn has_room_for(&self, records: usize) -> bool {
        self.len() + records + ROOM <= CAPACITY
    }

    /// Appends a record; there has to be room.
    fn push(&mut self, record: Written) {
        assert!(self.len() < CAPACITY, "room was checked before");
        // SAFETY: `end` is inside the buffer, and stays so.
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

    /// The bytes that were written, unless processes were added or removed.
    #[inline]
    pub fn places(&self) -> Option<&[Written]> {
        // SAFETY: everything between the start of the buffer and `end` was written.
        let records = || unsafe { std::slice::from_raw_parts(self.buffer.as_ptr(), self.len()) };
        (self.reshaped == 0).then(records)
    }

    /// Removes the last record, unless there are only `length` left.
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

    /// Whether the log has records of processes that were added or removed.
    #[inline]
    pub fn is_reshaped(&self) -> bool {
        self.reshaped > 0
    }

    /// Called when a record of a process that was added or removed was undone.
    pub fn restored_process(&mut self) {
        self.reshaped -= 1;
    }
}
