//! Which bytes of a state a number was computed from.
//!
//! A number that was computed without looking at a byte is the same when that byte is written. So whoever computes takes
//! notes of what it reads, and after a step only the numbers that were computed from what the step wrote are computed again.

use std::ops::Range;

use homing_engine::{ChannelView, Reader};
use homing_ir::{ArgPattern, BinaryOp, Expr, UnaryOp, VarRef};

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
    /// By bit: the bytes that were noted.
    noted: Vec<Vec<Range<usize>>>,
    /// The parts that may have read anything.
    always: u64,
    /// The bit of the part whose reading is noted, as a number.
    part: usize,
}

/// The first of the parts that share a bit.
const SHARED: usize = 62;

/// The bit for what tells which processes there are: all depends on it.
const FRAMES: usize = 63;

/// Parts of an estimate that read something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Readers(u64);

impl Readers {
    /// Whether all depends on what was read.
    pub fn are_all(self) -> bool {
        self.0 >> FRAMES != 0
    }

    pub fn and(self, others: Readers) -> Readers {
        Readers(self.0 | others.0)
    }

    /// Their numbers, of so many parts.
    pub fn parts(self, count: usize) -> impl Iterator<Item = usize> {
        let mut left = self.0 & !(1 << SHARED) & !(1 << FRAMES);
        let alone = std::iter::from_fn(move || {
            let first = left.trailing_zeros() as usize;
            left &= left.wrapping_sub(1);
            (first < u64::BITS as usize).then_some(first)
        });
        let shared = if self.0 >> SHARED & 1 != 0 { SHARED..count } else { 0..0 };
        alone.chain(shared)
    }
}

impl Notebook {
    /// Forgets all, for a state of so many bytes. All parts depend on what is read until the first of them begins.
    pub fn clear(&mut self, bytes: usize) {
        self.part = FRAMES;
        self.noted.resize_with(FRAMES + 1, Vec::new);
        self.forget(Readers(u64::MAX));
        self.readers.resize(bytes, 0);
    }

    /// Forgets what these parts read.
    pub fn forget(&mut self, parts: Readers) {
        let of_others = !parts.0;
        self.always &= of_others;
        let mut left = parts.0;
        while left != 0 {
            let noted = &mut self.noted[left.trailing_zeros() as usize];
            noted.drain(..).flatten().for_each(|at| self.readers[at] &= of_others);
            left &= left - 1;
        }
    }

    /// What is read from now on is read by this part.
    pub fn begin(&mut self, part: usize) {
        self.part = part.min(SHARED);
    }

    /// The parts that read any of the bytes, or anything.
    #[inline]
    pub fn readers(&self, bytes: Range<usize>) -> Readers {
        Readers(self.readers[bytes].iter().fold(self.always, |all, readers| all | readers))
    }
}

impl Notes for Notebook {
    const KEPT: bool = true;

    fn read(&mut self, bytes: Range<usize>) {
        let (bit, readers) = (1 << self.part, &mut self.readers[bytes.clone()]);
        if readers.iter().any(|readers| readers & bit == 0) {
            readers.iter_mut().for_each(|readers| *readers |= bit);
            self.noted[self.part].push(bytes);
        }
    }

    fn everything(&mut self) {
        self.always |= 1 << self.part;
    }
}

/// The value of an expression with the eyes of a process, and notes of what it was computed from. None if it has none.
///
/// What is common is evaluated here, on the way of taking notes; the rest is left to the engine.
#[inline]
pub fn value<N: Notes>(reader: &Reader<'_>, pid: usize, expr: &Expr, notes: &mut N) -> Option<i32> {
    match expr {
        Expr::Const { value, .. } => Some(*value),
        Expr::Var(var) if var.indices.is_empty() => {
            let (offset, cell) = reader.slot(pid, var.scope, var.var);
            notes.read(offset..offset + cell.width());
            Some(reader.read(offset, cell))
        }
        expr => compound(reader, pid, expr, notes),
    }
}

/// The same for what is neither a constant nor a plain variable.
fn compound<N: Notes>(reader: &Reader<'_>, pid: usize, expr: &Expr, notes: &mut N) -> Option<i32> {
    Some(match expr {
        Expr::Pid => pid as i32,
        Expr::Var(var) => {
            let (start, cell) = reader.slot(pid, var.scope, var.var);
            let offset = start + cell.width() * element(reader, pid, var, notes)?;
            notes.read(offset..offset + cell.width());
            reader.read(offset, cell)
        }
        Expr::Unary(op, operand) => {
            let operand = value(reader, pid, operand, notes)?;
            match op {
                UnaryOp::Not => i32::from(operand == 0),
                UnaryOp::Negate => operand.wrapping_neg(),
                UnaryOp::Complement => !operand,
            }
        }
        Expr::Binary(op, left, right) => {
            let left = value(reader, pid, left, notes)?;
            match op {
                BinaryOp::And if left == 0 => 0,
                BinaryOp::Or if left != 0 => 1,
                _ => Reader::combine(*op, left, value(reader, pid, right, notes)?)?,
            }
        }
        Expr::Conditional(condition, then, otherwise) => {
            let chosen = if value(reader, pid, condition, notes)? != 0 { then } else { otherwise };
            value(reader, pid, chosen, notes)?
        }
        Expr::Length(channel) => channel_of(reader, pid, channel, notes)?.1.length as i32,
        Expr::Full(channel) => i32::from(channel_of(reader, pid, channel, notes)?.1.is_full()),
        Expr::NotFull(channel) => i32::from(!channel_of(reader, pid, channel, notes)?.1.is_full()),
        Expr::Empty(channel) => i32::from(channel_of(reader, pid, channel, notes)?.1.length == 0),
        Expr::NotEmpty(channel) => i32::from(channel_of(reader, pid, channel, notes)?.1.length > 0),
        Expr::ProcessCount => reader.processes() as i32, // that processes come and go is always told
        expr => {
            notes.everything();
            reader.eval(pid, expr)?
        }
    })
}

/// Which element of an array is meant.
fn element<N: Notes>(reader: &Reader<'_>, pid: usize, var: &VarRef, notes: &mut N) -> Option<usize> {
    let mut element = 0;
    for (index, &length) in var.indices.iter().zip(&reader.variable(pid, var.scope, var.var).dims) {
        let index = u32::try_from(value(reader, pid, index, notes)?).ok().filter(|index| *index < length)?;
        element = element * length as usize + index as usize;
    }
    Some(element)
}

/// The channel that an expression means, with its number. What it holds is noted.
pub fn channel_of<N: Notes>(
    reader: &Reader<'_>,
    pid: usize,
    channel: &Expr,
    notes: &mut N,
) -> Option<(i32, ChannelView)> {
    let id = value(reader, pid, channel, notes)?;
    let channel = reader.channel(id)?;
    notes.read(channel.bytes.clone());
    Some((id, channel))
}

/// Notes what the constants among the arguments of a receive depend on.
pub fn note_args<N: Notes>(reader: &Reader<'_>, pid: usize, args: &[ArgPattern], notes: &mut N) {
    if !N::KEPT {
        return;
    }
    for arg in args {
        if let ArgPattern::Match { value: wanted, .. } = arg {
            value(reader, pid, wanted, notes);
        }
    }
}

/// Notes what a message is made of.
pub fn note_message<N: Notes>(reader: &Reader<'_>, pid: usize, args: &[Expr], notes: &mut N) {
    if N::KEPT {
        for arg in args {
            value(reader, pid, arg, notes);
        }
    }
}
