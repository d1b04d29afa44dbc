//! The states of the factors that a state of the model stands for.

use std::collections::HashMap;

use homing_core::{State, Written};

use super::explore::Explored;
use super::space::{CellId, GONE, Kind, NOT_BEGUN};

/// No leaf is at this byte.
const NONE: u32 = u32::MAX;

/// How the values of a leaf are looked up.
#[derive(Clone, Debug)]
enum Values {
    /// By the value of its byte.
    Byte(Box<[u32; 256]>),
    /// By its bytes.
    Bytes(HashMap<Box<[u8]>, u32>),
}

#[derive(Clone, Debug)]
struct Leaf {
    bytes: std::ops::Range<usize>,
    owner: Option<usize>,
    values: Values,
    /// The value if its process does not exist: before it is created, and after it has ended.
    absent: (Option<u32>, Option<u32>),
}

/// Reads the leaves of states.
#[derive(Clone, Debug)]
pub struct LeafReader {
    leaves: Vec<Leaf>,
    /// By byte of the state: the leaf there.
    at: Vec<u32>,
    /// The byte with the number of processes; none if it is always the same.
    count: Option<usize>,
    creator: Option<Creator>,
}

/// The process that creates others.
#[derive(Clone, Debug)]
struct Creator {
    pid: usize,
    bytes: std::ops::Range<usize>,
    /// Where it stands before the last process is created.
    before: Vec<Box<[u8]>>,
}

impl LeafReader {
    /// Reads these cells, those that are `used`; others have any value.
    pub fn new(explored: &Explored<'_>, leaves: &[CellId], used: impl Fn(usize) -> bool) -> Self {
        let space = &explored.space;
        let mut reader = homing_engine::Reader::new(space.model);
        reader.load(&space.processes.complete);
        let mut at = vec![NONE; space.processes.complete.len()];
        let leaf = |(number, id): (usize, &CellId)| {
            let cell = space.cell(*id);
            if used(number) {
                at[cell.bytes.clone()].fill(number as u32);
            }
            let encoded = (0..).zip(cell.domain.values()).filter_map(|(value, content)| {
                space.encoded(*id, content).map(|bytes| (bytes.into_boxed_slice(), value))
            });
            let values = if cell.bytes.len() == 1 {
                let mut by_byte = Box::new([NONE; 256]);
                encoded.for_each(|(bytes, value)| by_byte[usize::from(bytes[0])] = value);
                Values::Byte(by_byte)
            } else {
                Values::Bytes(encoded.collect())
            };
            let absent = match cell.kind {
                Kind::Location => [NOT_BEGUN, GONE].map(|place| cell.domain.find(&[place])),
                _ => [cell.domain.find(space.absent(*id)); 2],
            };
            Leaf { bytes: cell.bytes.clone(), owner: cell.owner, values, absent: absent.into() }
        };
        let leaves = leaves.iter().enumerate().map(leaf).collect();
        let creator = space.processes.creator().map(|pid| {
            let bytes = reader.location_bytes(pid);
            let before = space.processes.before.iter().map(|at| at.to_le_bytes()[..bytes.len()].into());
            Creator { pid, bytes: bytes.clone(), before: before.collect() }
        });
        LeafReader { leaves, at, count: reader.count_bytes().next(), creator }
    }

    /// The number of leaves.
    pub fn len(&self) -> usize {
        self.leaves.len()
    }

    /// Writes the values of all leaves. False if one has a value that no run was expected to lead to.
    pub fn read(&self, state: &State, values: &mut Vec<u32>) -> bool {
        values.clear();
        values.extend(self.leaves.iter().map(|leaf| self.value(leaf, state)));
        values.iter().all(|&value| value != NONE)
    }

    /// Adds the leaves that are at some places, with their values. None if the processes may be others.
    pub fn read_at(&self, state: &State, places: &[Written], changed: &mut Vec<(u32, u32)>) -> Option<bool> {
        changed.clear();
        for place in places {
            let bytes = place.offset as usize..(place.offset + place.width) as usize;
            if self.count.is_some_and(|count| bytes.contains(&count)) {
                return None;
            }
            let mut last = NONE;
            for &leaf in &self.at[bytes] {
                if leaf != NONE && leaf != last {
                    changed.push((leaf, self.value(&self.leaves[leaf as usize], state)));
                    last = leaf;
                }
            }
        }
        Some(changed.iter().all(|&(_, value)| value != NONE))
    }

    fn value(&self, leaf: &Leaf, state: &State) -> u32 {
        let exists = |pid: usize| self.count.is_none_or(|count| usize::from(state[count]) > pid);
        if leaf.owner.is_some_and(|pid| !exists(pid)) {
            let is_before = self.creator.as_ref().is_some_and(|creator| {
                exists(creator.pid) && creator.before.iter().any(|before| before[..] == state[creator.bytes.clone()])
            });
            let value = if is_before { leaf.absent.0 } else { leaf.absent.1 };
            return value.unwrap_or(NONE);
        }
        match &leaf.values {
            Values::Byte(values) => values[usize::from(state[leaf.bytes.start])],
            Values::Bytes(values) => values.get(&state[leaf.bytes.clone()]).copied().unwrap_or(NONE),
        }
    }
}
