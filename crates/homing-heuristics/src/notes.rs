//! Which bytes of a state a number was computed from.
//!
//! A number that was computed without looking at a byte is the same when that byte is written. So whoever computes takes
//! notes of what it reads, and after a step only the numbers that were computed from what the step wrote are computed again.

use std::ops::Range;

use homing_engine::Reader;
use homing_ir::{ArgPattern, Expr};

/// Takes notes of what is read.
pub trait Notes {
    /// Whether anybody looks at them.
    const KEPT: bool;
    fn read(&mut self, bytes: Range<usize>);
    /// It may depend on anything.
    fn everything(&mut self);
}

/// None are taken.
pub struct Unnoted;

impl Notes for Unnoted {
    const KEPT: bool = false;
    fn read(&mut self, _: Range<usize>) {}
    fn everything(&mut self) {}
}

/// Notes by part of an estimate: for each byte the parts that read it, as bits. Parts from 62 on share a bit.
#[derive(Debug, Default)]
pub struct Notebook {
    readers: Vec<u64>,
    /// The bytes that somebody read.
    noted: Vec<u32>,
    /// The parts that may have read anything.
    always: u64,
    /// The bit of the part whose reading is noted.
    bit: u64,
}

/// The first of the parts that share a bit.
pub const SHARED: usize = 62;

/// The bit for what tells how many processes there are and of which types they are: all depends on it.
pub const FRAMES: u64 = 1 << 63;

impl Notebook {
    /// Forgets all, for a state of so many bytes.
    pub fn clear(&mut self, bytes: usize) {
        for at in self.noted.drain(..) {
            self.readers[at as usize] = 0;
        }
        self.readers.resize(bytes, 0);
        self.always = 0;
    }

    /// Notes what all depends on.
    pub fn note_frames(&mut self, reader: &Reader<'_>) {
        self.bit = FRAMES;
        self.read(reader.count_bytes());
        for pid in 0..reader.processes() {
            self.read(reader.type_bytes(pid));
        }
    }

    /// What is read from now on is read by this part.
    pub fn begin(&mut self, part: usize) {
        self.bit = 1 << part.min(SHARED);
    }

    /// The parts that read any of the bytes, or anything.
    pub fn readers(&self, bytes: Range<usize>) -> u64 {
        self.readers[bytes].iter().fold(self.always, |all, readers| all | readers)
    }
}

impl Notes for Notebook {
    const KEPT: bool = true;

    fn read(&mut self, bytes: Range<usize>) {
        for at in bytes {
            if self.readers[at] == 0 {
                self.noted.push(at as u32);
            }
            self.readers[at] |= self.bit;
        }
    }

    fn everything(&mut self) {
        self.always |= self.bit;
    }
}

/// Notes what the value of an expression depends on; more than that, where it is evaluated lazily.
pub fn note_expr<N: Notes>(reader: &Reader<'_>, pid: usize, expr: &Expr, notes: &mut N) {
    if !N::KEPT {
        return;
    }
    match expr {
        // that processes come and go is always told
        Expr::Const { .. } | Expr::Pid | Expr::ProcessCount => {}
        Expr::Var(var) => {
            var.indices.iter().for_each(|index| note_expr(reader, pid, index, notes));
            if let Some(bytes) = reader.cell(pid, var) {
                notes.read(bytes);
            }
        }
        Expr::Unary(_, operand) => note_expr(reader, pid, operand, notes),
        Expr::Binary(_, left, right) => {
            note_expr(reader, pid, left, notes);
            note_expr(reader, pid, right, notes);
        }
        Expr::Conditional(condition, then, otherwise) => {
            [condition, then, otherwise].into_iter().for_each(|part| note_expr(reader, pid, part, notes));
        }
        Expr::Length(channel)
        | Expr::Full(channel)
        | Expr::Empty(channel)
        | Expr::NotFull(channel)
        | Expr::NotEmpty(channel) => note_channel(reader, pid, channel, notes),
        Expr::Poll { channel, args, .. } => {
            note_channel(reader, pid, channel, notes);
            note_args(reader, pid, args, notes);
        }
        Expr::Last
        | Expr::OwnPriority
        | Expr::Timeout
        | Expr::NonProgress
        | Expr::Enabled(_)
        | Expr::Location(_)
        | Expr::PriorityOf(_)
        | Expr::RemoteLabel { .. }
        | Expr::RemoteVar { .. }
        | Expr::NewPid => notes.everything(),
    }
}

/// Notes which channel an expression means, and what that holds.
pub fn note_channel<N: Notes>(reader: &Reader<'_>, pid: usize, channel: &Expr, notes: &mut N) {
    if !N::KEPT {
        return;
    }
    note_expr(reader, pid, channel, notes);
    if let Some(channel) = reader.eval(pid, channel).and_then(|id| reader.channel(id)) {
        notes.read(channel.bytes);
    }
}

/// Notes what the constants among the arguments of a receive depend on.
pub fn note_args<N: Notes>(reader: &Reader<'_>, pid: usize, args: &[ArgPattern], notes: &mut N) {
    for arg in args {
        if let ArgPattern::Match { value, .. } = arg {
            note_expr(reader, pid, value, notes);
        }
    }
}
