//! Read sets: the bytes of a state that a part of an estimate was computed from.
//!
//! A part that did not read a byte keeps its value when the byte is written. So a computation records what it reads,
//! and after a step only the parts are computed again that read a byte which the step wrote.

use std::ops::Range;

use homing_engine::{ChannelView, Reader};
use homing_ir::{ArgPattern, BinaryOp, Expr, UnaryOp, VarRef};

/// Records what a computation reads.
pub trait ReadSet {
    /// Whether anything is recorded.
    const IS_TRACKED: bool;

    /// Adds the bytes of a range.
    fn read(&mut self, bytes: Range<usize>);

    /// Adds all bytes: the result may depend on anything.
    fn read_everything(&mut self);
}

/// Records nothing.
pub struct Untracked;

impl ReadSet for Untracked {
    const IS_TRACKED: bool = false;
    fn read(&mut self, _: Range<usize>) {}
    fn read_everything(&mut self) {}
}

/// The read sets of the parts of an estimate, inverted: for each byte the parts that read it, a bit for each. Parts
/// from 62 on share a bit.
#[derive(Debug, Default)]
pub struct ReadSets {
    /// By byte of the state.
    readers: Vec<u64>,
    /// By bit: the ranges of bytes in which it is set.
    ranges: Vec<Vec<Range<usize>>>,
    /// The parts that may depend on anything.
    always: u64,
    /// The number of the bit of the part being computed.
    part: usize,
}

/// The bit that the parts from this number on share.
const SHARED: usize = 62;

/// The bit of the bytes that say which processes there are: all parts depend on them.
const FRAMES: usize = 63;

/// A set of parts of an estimate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Readers(u64);

impl Readers {
    /// Whether all parts have to be computed again.
    pub fn are_all(self) -> bool {
        self.0 >> FRAMES != 0
    }

    /// The union of both sets.
    pub fn and(self, others: Readers) -> Readers {
        Readers(self.0 | others.0)
    }

    /// The numbers of the parts, if the estimate has `count` of them.
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

impl ReadSets {
    /// Empties all read sets, for a state of so many bytes. What is read before [`ReadSets::begin`] belongs to all
    /// parts.
    pub fn clear(&mut self, bytes: usize) {
        self.part = FRAMES;
        self.ranges.resize_with(FRAMES + 1, Vec::new);
        self.forget(Readers(u64::MAX));
        self.readers.resize(bytes, 0);
    }

    /// Empties the read sets of these parts.
    pub fn forget(&mut self, parts: Readers) {
        let of_others = !parts.0;
        self.always &= of_others;
        let mut left = parts.0;
        while left != 0 {
            let ranges = &mut self.ranges[left.trailing_zeros() as usize];
            ranges.drain(..).flatten().for_each(|at| self.readers[at] &= of_others);
            left &= left - 1;
        }
    }

    /// Adds what is read from now on to the read set of this part.
    pub fn begin(&mut self, part: usize) {
        self.part = part.min(SHARED);
    }

    /// The parts that may depend on any of the bytes.
    #[inline]
    pub fn readers(&self, bytes: Range<usize>) -> Readers {
        Readers(self.readers[bytes].iter().fold(self.always, |all, readers| all | readers))
    }
}

impl ReadSet for ReadSets {
    const IS_TRACKED: bool = true;

    fn read(&mut self, bytes: Range<usize>) {
        let (bit, readers) = (1 << self.part, &mut self.readers[bytes.clone()]);
        if readers.iter().any(|readers| readers & bit == 0) {
            readers.iter_mut().for_each(|readers| *readers |= bit);
            self.ranges[self.part].push(bytes);
        }
    }

    fn read_everything(&mut self) {
        self.always |= 1 << self.part;
    }
}

/// Evaluates an expression as seen by a process and records what is read; `None` if it has no value.
///
/// Common expressions are evaluated here, where the reads are known; the others are left to the engine, and read
/// everything.
#[inline]
pub fn value<R: ReadSet>(reader: &Reader<'_>, pid: usize, expr: &Expr, reads: &mut R) -> Option<i32> {
    match expr {
        Expr::Const { value, .. } => Some(*value),
        Expr::Var(var) if var.indices.is_empty() => {
            let (offset, cell) = reader.slot(pid, var.scope, var.var);
            reads.read(offset..offset + cell.width());
            Some(reader.read(offset, cell))
        }
        expr => compound(reader, pid, expr, reads),
    }
}

/// Evaluates an expression that is neither a constant nor a plain variable.
fn compound<R: ReadSet>(reader: &Reader<'_>, pid: usize, expr: &Expr, reads: &mut R) -> Option<i32> {
    Some(match expr {
        Expr::Pid => pid as i32,
        Expr::Var(var) => {
            let (start, cell) = reader.slot(pid, var.scope, var.var);
            let offset = start + cell.width() * element(reader, pid, var, reads)?;
            reads.read(offset..offset + cell.width());
            reader.read(offset, cell)
        }
        Expr::Unary(op, operand) => {
            let operand = value(reader, pid, operand, reads)?;
            match op {
                UnaryOp::Not => i32::from(operand == 0),
                UnaryOp::Negate => operand.wrapping_neg(),
                UnaryOp::Complement => !operand,
            }
        }
        Expr::Binary(op, left, right) => {
            let left = value(reader, pid, left, reads)?;
            match op {
                BinaryOp::And if left == 0 => 0,
                BinaryOp::Or if left != 0 => 1,
                _ => Reader::combine(*op, left, value(reader, pid, right, reads)?)?,
            }
        }
        Expr::Conditional(condition, then, otherwise) => {
            let chosen = if value(reader, pid, condition, reads)? != 0 { then } else { otherwise };
            value(reader, pid, chosen, reads)?
        }
        Expr::Length(channel) => channel_of(reader, pid, channel, reads)?.1.length as i32,
        Expr::Full(channel) => i32::from(channel_of(reader, pid, channel, reads)?.1.is_full()),
        Expr::NotFull(channel) => i32::from(!channel_of(reader, pid, channel, reads)?.1.is_full()),
        Expr::Empty(channel) => i32::from(channel_of(reader, pid, channel, reads)?.1.length == 0),
        Expr::NotEmpty(channel) => i32::from(channel_of(reader, pid, channel, reads)?.1.length > 0),
        Expr::ProcessCount => reader.processes() as i32, // all parts depend on the number of processes anyway
        expr => {
            reads.read_everything();
            reader.eval(pid, expr)?
        }
    })
}

/// The number of the array element that a reference means; `None` if an index is out of range.
fn element<R: ReadSet>(reader: &Reader<'_>, pid: usize, var: &VarRef, reads: &mut R) -> Option<usize> {
    let mut element = 0;
    for (index, &length) in var.indices.iter().zip(&reader.variable(pid, var.scope, var.var).dims) {
        let index = u32::try_from(value(reader, pid, index, reads)?).ok().filter(|index| *index < length)?;
        element = element * length as usize + index as usize;
    }
    Some(element)
}

/// The channel that an expression means, with its number. All its bytes are recorded as read.
pub fn channel_of<R: ReadSet>(
    reader: &Reader<'_>,
    pid: usize,
    channel: &Expr,
    reads: &mut R,
) -> Option<(i32, ChannelView)> {
    let id = value(reader, pid, channel, reads)?;
    let channel = reader.channel(id)?;
    reads.read(channel.bytes.clone());
    Some((id, channel))
}

/// Records what the values depend on that a receive compares with.
pub fn read_args<R: ReadSet>(reader: &Reader<'_>, pid: usize, args: &[ArgPattern], reads: &mut R) {
    if !R::IS_TRACKED {
        return;
    }
    for arg in args {
        if let ArgPattern::Match { value: wanted, .. } = arg {
            value(reader, pid, wanted, reads);
        }
    }
}

/// Records what the fields of a message depend on.
pub fn read_message<R: ReadSet>(reader: &Reader<'_>, pid: usize, args: &[Expr], reads: &mut R) {
    if R::IS_TRACKED {
        for arg in args {
            value(reader, pid, arg, reads);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(reads: &ReadSets, bytes: Range<usize>) -> Vec<usize> {
        reads.readers(bytes).parts(70).collect()
    }

    #[test]
    fn the_readers_of_a_byte_are_the_parts_that_read_it() {
        let mut reads = ReadSets::default();
        reads.clear(8);
        reads.begin(0);
        reads.read(0..2);
        reads.begin(1);
        reads.read(1..4);
        assert_eq!(
            [of(&reads, 0..1), of(&reads, 1..2), of(&reads, 3..5), of(&reads, 4..8)],
            [vec![0], vec![0, 1], vec![1], vec![]]
        );
        reads.forget(reads.readers(0..1));
        assert_eq!((of(&reads, 0..1), of(&reads, 1..2)), (vec![], vec![1]), "part 1 keeps its read set");
        reads.begin(2);
        reads.read_everything();
        assert_eq!(of(&reads, 7..8), [2]);
    }

    #[test]
    fn parts_from_62_on_are_computed_together() {
        let mut reads = ReadSets::default();
        reads.clear(2);
        reads.begin(65);
        reads.read(0..1);
        assert_eq!(of(&reads, 0..1), (62..70).collect::<Vec<_>>());
        assert!(of(&reads, 1..2).is_empty());
    }

    #[test]
    fn what_is_read_before_the_first_part_belongs_to_all() {
        let mut reads = ReadSets::default();
        reads.clear(2);
        reads.read(0..1);
        reads.begin(0);
        reads.read(1..2);
        assert!(reads.readers(0..1).are_all());
        assert!(!reads.readers(1..2).are_all());
    }
}
