//! Sets of shared objects as machine words, and what a step does with them.
//!
//! Each object has a bit as long as there are enough; beyond that objects share bits, which only loses reduction.

use std::collections::HashMap;

use homing_ir::{Access, InitValue, Model, Object, ProctypeId, ShapeId, VarId};

/// A set of shared objects.
pub type ObjectSet = u128;

/// What a step does with shared objects. A counted object is changed in a way that commutes with itself: a variable is
/// increased, a process comes to a rendezvous or leaves it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accesses {
    pub read: ObjectSet,
    pub written: ObjectSet,
    pub counted: ObjectSet,
}

impl Accesses {
    /// Those of both.
    #[inline(always)]
    pub fn and(self, other: Accesses) -> Accesses {
        Accesses {
            read: self.read | other.read,
            written: self.written | other.written,
            counted: self.counted | other.counted,
        }
    }

    /// What is changed.
    #[inline(always)]
    pub fn changes(self) -> ObjectSet {
        self.written | self.counted
    }

    /// Whether one changes what the other accesses, except that both may count.
    #[inline(always)]
    pub fn clashes(self, other: Accesses) -> bool {
        let one = self.written & (other.read | other.written | other.counted);
        let two = other.written & (self.read | self.counted);
        one | two | self.counted & other.read | other.counted & self.read != 0
    }
}

/// How an object is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Read,
    Written,
    Counted,
}

impl Accesses {
    /// The objects, accessed in one way.
    pub fn of(objects: ObjectSet, mode: Mode) -> Accesses {
        let none = Accesses::default();
        match mode {
            Mode::Read => Accesses { read: objects, ..none },
            Mode::Written => Accesses { written: objects, ..none },
            Mode::Counted => Accesses { counted: objects, ..none },
        }
    }
}

/// What is done with the two ends of a channel. The front of a buffered channel is where messages are taken, and of a rendezvous
/// channel the processes that wait at a receive; the end is where messages are put, and the processes that wait at a send. Each
/// end has [`TAGS`] bits: those who wait at a rendezvous for messages that begin with different constants do not meet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Ends {
    pub read: u8,
    pub written: u8,
    pub counted: u8,
}

/// The bits of an end.
pub const TAGS: u32 = 4;

pub const FRONT: u8 = 0x0f;
pub const END: u8 = 0xf0;
pub const BOTH: u8 = 0xff;

impl Ends {
    pub const NONE: Ends = Ends { read: 0, written: 0, counted: 0 };

    pub fn reading(ends: u8) -> Ends {
        Ends { read: ends, ..Ends::NONE }
    }

    pub fn writing(ends: u8) -> Ends {
        Ends { written: ends, ..Ends::NONE }
    }

    pub fn counting(ends: u8) -> Ends {
        Ends { counted: ends, ..Ends::NONE }
    }

    pub fn and(self, other: Ends) -> Ends {
        Ends {
            read: self.read | other.read,
            written: self.written | other.written,
            counted: self.counted | other.counted,
        }
    }
}

const BITS: u32 = ObjectSet::BITS;

/// The number of processes, and with it their pids and the channels they create.
pub const PROCESSES: ObjectSet = 1;

/// The bit of the first channel.
const CHANNELS_AT: u32 = 1;

/// The most bits of all channels.
const MOST_OF_CHANNELS: u32 = 80;

/// For how many channels there are bits if processes create channels.
const CREATED: u32 = 16;

/// The bits of the shared objects of a model.
#[derive(Debug)]
pub struct Objects {
    /// By global variable: the number of its first cell, and how many cells it has. None for those that no statement writes.
    cells: Vec<Option<(u32, u32)>>,
    /// How many channels have bits of their own.
    channels: u32,
    /// How many bits each end of a channel has.
    tags: u32,
    /// What others look at of processes, by the number of its cell.
    remote: Remote,
    /// The number of the cell of the trace that is followed.
    trace: u32,
}

/// What remote references look at, with a number for each.
#[derive(Debug, Default)]
struct Remote {
    /// The local variables of process types.
    variables: HashMap<(ProctypeId, VarId), u32>,
    /// The locations, by their numbers: a reference to a process by its number compares numbers, whatever type the process has.
    locations: HashMap<u32, u32>,
}

impl Remote {
    /// What these accesses look at, numbered from `next` on.
    fn of<'m>(accesses: impl Iterator<Item = &'m Access<'m>>, next: &mut u32) -> Self {
        let mut remote = Remote::default();
        let mut number = || {
            *next += 1;
            *next - 1
        };
        for access in accesses {
            match access.object {
                Object::RemoteVariable { proctype, var, .. } => {
                    remote.variables.entry((proctype, var)).or_insert_with(&mut number);
                }
                Object::RemoteLocation { location, .. } => {
                    remote.locations.entry(location).or_insert_with(&mut number);
                }
                _ => {}
            }
        }
        remote
    }
}

impl Objects {
    /// The bits of the objects of a model in which messages over rendezvous channels begin with so many constants, and whose processes
    /// and invariants have these accesses.
    pub fn of<'m>(
        model: &Model,
        is_written: &[bool],
        constants: usize,
        accesses: impl Iterator<Item = &'m Access<'m>>,
    ) -> Self {
        let created = |init: &&homing_ir::Init| matches!(init.value, InitValue::Channel(ShapeId(_)));
        let globals: usize = model.inits.iter().filter(created).map(|init| init.cells.len()).sum();
        let is_growing = model.proctypes.iter().any(|proctype| proctype.inits.iter().any(|init| created(&init)));
        let wanted = globals as u32 + if is_growing { CREATED } else { 0 };
        let fits = |tags: &u32| 2 * tags * wanted <= MOST_OF_CHANNELS;
        let tags = [TAGS, 2].into_iter().filter(|&tags| constants > tags as usize / 2).find(fits).unwrap_or(1);
        let channels = wanted.min(MOST_OF_CHANNELS / (2 * tags));
        let mut next = 0;
        let cells = model.globals.iter().zip(is_written).map(|(variable, &is_written)| {
            is_written.then(|| {
                let (first, count) = (next, variable.cells() as u32);
                next += count;
                (first, count)
            })
        });
        let cells = cells.collect();
        let remote = Remote::of(accesses, &mut next);
        Objects { cells, channels, tags, remote, trace: next }
    }

    /// The local variable of a process type, if others look at it.
    pub fn remote_variable(&self, proctype: ProctypeId, var: VarId) -> ObjectSet {
        self.remote.variables.get(&(proctype, var)).map_or(0, |&number| self.cell(number))
    }

    /// Whether a process stands at the location with a number, if others look at that.
    pub fn remote_location(&self, location: u32) -> ObjectSet {
        self.remote.locations.get(&location).map_or(0, |&number| self.cell(number))
    }

    /// How far the trace was followed.
    pub fn trace(&self) -> ObjectSet {
        self.cell(self.trace)
    }

    /// The bits of both ends of a channel.
    fn width(&self) -> u32 {
        2 * self.tags
    }

    /// The ends of a channel, in as many bits as they have here: tags that are beyond share one.
    #[inline(always)]
    fn folded(&self, ends: u8) -> ObjectSet {
        match self.tags {
            TAGS => ends.into(),
            2 => {
                let pairs = (ends | ends >> 2) & 0x33;
                (pairs & 3 | pairs >> 2 & 12).into()
            }
            _ => ObjectSet::from(ends & FRONT != 0) | ObjectSet::from(ends & END != 0) << 1,
        }
    }

    /// The bit of a cell by its number.
    #[inline(always)]
    pub fn cell(&self, number: u32) -> ObjectSet {
        let first = CHANNELS_AT + self.width() * self.channels;
        1 << (first + number % (BITS - first))
    }

    /// The number of the first cell of a global variable, and how many cells it has; none if no statement writes it.
    pub fn cells_of(&self, var: VarId) -> Option<(u32, u32)> {
        self.cells[var.index()]
    }

    /// All cells from one on.
    pub fn all_cells(&self, (first, count): (u32, u32)) -> ObjectSet {
        (0..count.min(BITS)).fold(0, |all, at| all | self.cell(first + at))
    }

    /// What is done with the channel that has a number, from 1 on.
    #[inline(always)]
    pub fn channel(&self, id: i32, ends: Ends) -> Accesses {
        if self.channels == 0 {
            return Accesses::default();
        }
        let at = CHANNELS_AT + self.width() * ((id as u32).wrapping_sub(1) % self.channels);
        let bits = |ends: u8| self.folded(ends) << at;
        Accesses { read: bits(ends.read), written: bits(ends.written), counted: bits(ends.counted) }
    }

    /// What is done with a channel that may be any.
    pub fn any_channel(&self, ends: Ends) -> Accesses {
        (1..=self.channels as i32).fold(Accesses::default(), |all, id| all.and(self.channel(id, ends)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_commute_with_each_other_and_with_nothing_else() {
        let of = |mode| Accesses::of(1, mode);
        let all = [Mode::Read, Mode::Written, Mode::Counted];
        for one in all {
            for other in all {
                let commutes = one == other && one != Mode::Written;
                assert_eq!(of(one).clashes(of(other)), !commutes, "{one:?} {other:?}");
            }
        }
        assert!(!of(Mode::Written).clashes(Accesses::of(2, Mode::Written)));
    }
}
