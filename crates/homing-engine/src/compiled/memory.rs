//! Accesses to the state are translated into machine code: loads, stores, and the log of what stores overwrite.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types};
use homing_core::Written;
use homing_ir::Cell;

use super::context::{Context, piece};
use super::translate::{Address, Base, STATE, Translator};

/// Accesses to the log and the context.
const SHARED: MemFlagsData = MemFlagsData::trusted();

impl Translator<'_, '_> {
    /// Loads the end of the log from the context.
    pub fn begin_log(&mut self) {
        let end = self.shared_pointer(offset_of!(Context<'_>, log.end));
        self.builder.def_var(self.log, end);
    }

    /// Stores the end of the log in the context.
    pub fn end_log(&mut self) {
        if self.records > 0 {
            let end = self.builder.use_var(self.log);
            self.builder.ins().store(SHARED, end, self.context, offset_of!(Context<'_>, log.end) as i32);
        }
    }

    /// Gives up if the log has no room for the records of one function.
    pub fn check_log(&mut self) {
        let limit = self.shared_pointer(offset_of!(Context<'_>, log.limit));
        let end = self.builder.use_var(self.log);
        let beyond = self.builder.ins().icmp(IntCC::UnsignedGreaterThan, end, limit);
        self.fault_if(beyond);
    }

    /// An address as a pointer and an immediate offset.
    fn base_and_offset(&mut self, address: Address) -> (Value, i32) {
        let base = match address.base {
            Base::State => self.bytes,
            Base::Process => self.process,
            Base::Scratch => self.shared_pointer(offset_of!(Context<'_>, scratch)),
        };
        let base = match address.computed {
            Some(computed) => self.builder.ins().iadd(base, computed),
            None => base,
        };
        (base, address.fixed as i32)
    }

    /// The value of a cell, as 32 bits.
    pub fn load(&mut self, address: Address, cell: Cell) -> Value {
        let (base, offset) = self.base_and_offset(address);
        let ins = self.builder.ins();
        match (cell, cell.width()) {
            (Cell::SignedByte, _) => ins.sload8(types::I32, STATE, base, offset),
            (Cell::Short, _) => ins.sload16(types::I32, STATE, base, offset),
            (_, 1) => ins.uload8(types::I32, STATE, base, offset),
            (_, 2) => ins.uload16(types::I32, STATE, base, offset),
            _ => ins.load(types::I32, STATE, base, offset),
        }
    }

    /// An unsigned number of one, two, four or eight bytes, as 64 bits.
    pub fn load_wide(&mut self, address: Address, width: u32) -> Value {
        let (base, offset) = self.base_and_offset(address);
        let ins = self.builder.ins();
        match width {
            1 => ins.uload8(types::I64, STATE, base, offset),
            2 => ins.uload16(types::I64, STATE, base, offset),
            4 => ins.uload32(STATE, base, offset),
            _ => ins.load(types::I64, STATE, base, offset),
        }
    }

    /// Writes the low bytes of a value without logging the old ones.
    pub fn overwrite(&mut self, address: Address, width: u32, value: Value) {
        let (base, offset) = self.base_and_offset(address);
        let ins = self.builder.ins();
        match width {
            1 => ins.istore8(STATE, value, base, offset),
            2 => ins.istore16(STATE, value, base, offset),
            _ => ins.store(STATE, value, base, offset),
        };
    }

    /// Appends a record of old bytes to the log.
    pub fn record(&mut self, address: Address, width: u32, old: Value) {
        let fixed = (i64::from(width) << 32) | i64::from(address.fixed);
        let mut head = self.builder.ins().iconst(types::I64, fixed);
        if address.base == Base::Process {
            head = self.builder.ins().iadd(head, self.frame);
        }
        if let Some(computed) = address.computed {
            head = self.builder.ins().iadd(head, computed);
        }
        let end = self.builder.use_var(self.log);
        self.builder.ins().store(SHARED, head, end, offset_of!(Written, offset) as i32);
        self.builder.ins().store(SHARED, old, end, offset_of!(Written, old) as i32);
        let next = self.builder.ins().iadd_imm_s(end, size_of::<Written>() as i64);
        self.builder.def_var(self.log, next);
        self.records += 1;
    }

    /// A value cut to the bits of a cell, where the width of the store does not do so.
    pub fn cut(&mut self, cell: Cell, value: Value) -> Value {
        match cell {
            Cell::Bits(bits) if bits < 32 && !matches!(bits, 8 | 16) => {
                self.builder.ins().band_imm_s(value, (1i64 << bits) - 1)
            }
            _ => value,
        }
    }

    /// Writes a value, cut to the width of the cell, and logs the old one if it is part of the state.
    pub fn store(&mut self, address: Address, cell: Cell, value: Value) {
        let width = cell.width() as u32;
        if address.base == Base::Scratch {
            return self.overwrite(address, width, value);
        }
        let old = self.load_wide(address, width);
        self.record(address, width, old);
        let value = self.cut(cell, value);
        self.overwrite(address, width, value);
    }

    /// Appends records of a range that holds zeros to the log.
    pub fn record_zeros(&mut self, address: Address, bytes: u32) {
        let zero = self.builder.ins().iconst(types::I64, 0);
        let mut at = 0;
        while at < bytes {
            let width = piece(bytes - at);
            self.record(address.plus(at), width, zero);
            at += width;
        }
    }

    /// Shifts the bytes of a range down by `by`, fills the end with zeros, and logs the old bytes.
    pub fn shift_down(&mut self, address: Address, bytes: u32, by: u32) {
        let mut at = 0;
        while at < bytes {
            let width = piece(bytes - at);
            let old = self.load_wide(address.plus(at), width);
            self.record(address.plus(at), width, old);
            let from = at + by;
            let new = if from >= bytes {
                self.builder.ins().iconst(types::I64, 0)
            } else if from + width <= bytes {
                self.load_wide(address.plus(from), width)
            } else {
                // the last bytes of the range, then zeros
                let last = self.load_wide(address.plus(bytes - width), width);
                self.builder.ins().ushr_imm_u(last, i64::from(8 * (from + width - bytes)))
            };
            let new = if width == 8 { new } else { self.builder.ins().ireduce(types::I32, new) };
            self.overwrite(address.plus(at), width, new);
            at += width;
        }
    }

    /// Fills a range with zeros, and logs the old bytes.
    pub fn clear(&mut self, address: Address, bytes: u32) {
        let mut at = 0;
        while at < bytes {
            let width = piece(bytes - at);
            let old = self.load_wide(address.plus(at), width);
            self.record(address.plus(at), width, old);
            let zero = self.builder.ins().iconst(if width == 8 { types::I64 } else { types::I32 }, 0);
            self.overwrite(address.plus(at), width, zero);
            at += width;
        }
    }

    /// Sets the location of the process.
    pub fn set_location(&mut self, target: u32) {
        let address = Address { base: Base::Process, fixed: self.layout.type_width, computed: None };
        let width = self.layout.location_width;
        let old = self.load_wide(address, width);
        self.record(address, width, old);
        let target = self.int(target as i32);
        self.overwrite(address, width, target);
    }

    /// Sets `_last` to the process, if the model uses it.
    pub fn set_last(&mut self) {
        if let Some(at) = self.layout.last_at {
            let pid = self.shared(offset_of!(Context<'_>, pid));
            self.store(Address { base: Base::State, fixed: at, computed: None }, Cell::Byte, pid);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::compiled::testing::agree;

    /// Messages of all widths are written, shifted and undone; `agree` checks the log of each step.
    #[test]
    fn buffers_of_all_sizes_are_shifted_and_logged() {
        for fields in ["byte", "short", "int", "byte, byte, byte", "byte, int", "short, int, byte", "bool"] {
            let count = fields.split(',').count();
            let message = |value: i32| vec![(value * 77).to_string(); count].join(",");
            for capacity in [1, 2, 3, 5, 8, 9, 17] {
                let sends: String = (0..capacity).map(|at| format!("q!{}; ", message(at))).collect();
                let receives = format!("q?{}; ", vec!["_"; count].join(",")).repeat(capacity as usize);
                let states = agree(&format!("chan q = [{capacity}] of {{ {fields} }}; init {{ {sends} {receives} }}"));
                assert_eq!(states, 2 * capacity as usize + 2, "{fields} {capacity}");
            }
        }
    }
}
