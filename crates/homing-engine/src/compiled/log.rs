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
    pub fn written_bytes(&self) -> Option<&[Written]> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_removed_in_reverse_order_down_to_a_length() {
        let mut log = Log::new();
        (0..5).for_each(|offset| log.written(offset, 1, 0));
        let removed: Vec<u32> = std::iter::from_fn(|| log.pop(2)).map(|record| record.offset).collect();
        assert_eq!((removed, log.len()), (vec![4, 3, 2], 2));
    }

    #[test]
    fn what_was_written_is_known_unless_processes_were_added_or_removed() {
        let mut log = Log::new();
        log.written(3, 2, 7);
        assert_eq!(log.written_bytes().map(<[Written]>::len), Some(1));
        log.added_process(10);
        log.removed_process(10, 0);
        for left in [1, 0] {
            assert!(log.written_bytes().is_none() && log.is_reshaped());
            log.pop(left + 1).expect("a record of a process");
            log.restored_process();
        }
        assert_eq!(log.written_bytes().map(<[Written]>::len), Some(1));
    }

    #[test]
    fn a_function_is_called_only_where_its_records_fit() {
        let mut log = Log::new();
        while log.has_room() {
            assert!(log.has_room_for(0));
            log.written(0, 1, 0);
        }
        assert_eq!(log.len(), CAPACITY - ROOM + 1);
        assert!(!log.has_room_for(0) && CAPACITY - log.len() >= ROOM - 1);
    }
}
