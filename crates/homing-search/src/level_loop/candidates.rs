//! The next level as it is generated: an open list that drops.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use homing_core::{Cost, State};

/// Where a state of a level comes from: the slot of its parent in the level before, and which of its steps. All that is kept of
/// a state besides its place in the visited set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Link {
    pub parent: u32,
    pub ordinal: u32,
}

/// What a draw rule knows of a candidate: its estimate, and a hash keyed by seed and level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Priority {
    pub h: Cost,
    pub hash: u64,
}

/// A state of a level.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub state: Vec<u8>,
    /// The length of the path to it.
    pub g: Cost,
    pub link: Link,
    pub priority: Priority,
}

/// Decides which candidates stay when there are more than slots.
pub(crate) trait Draw {
    /// A new level begins.
    fn begin(&mut self);

    /// The slot that a new candidate takes: the first empty one, or that of a state which is dropped instead. `None` if the
    /// candidate is dropped.
    fn slot(&mut self, priority: Priority, filled: usize, width: usize) -> Option<usize>;

    /// Puts the slots in an order that does not depend on the order of generation, if the rule does not depend on it either.
    fn arrange(slots: &mut [Slot]);
}

/// What became of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Offered {
    /// It has a slot, perhaps that of a state which was dropped.
    Kept,
    /// It was dropped.
    Dropped,
    /// It has a slot already.
    Present,
    /// No error can be reached from it, by the estimate.
    DeadEnd,
}

/// The states of the next level, at most `width` at a time.
pub(crate) struct Candidates<D> {
    width: usize,
    draw: D,
    /// How many bytes at the front of a state do not distinguish states.
    hidden_prefix: usize,
    slots: Vec<Slot>,
    by_hash: HashMap<u64, u32, BuildHasherDefault<Hashed>>,
    /// Empty slots, for their memory.
    spare: Vec<Slot>,
    has_dropped: bool,
}

impl<D: Draw> Candidates<D> {
    /// # Panics
    /// If the width is 0.
    pub fn new(width: usize, hidden_prefix: usize, draw: D) -> Self {
        assert!(width > 0, "a level has at least one slot");
        let (slots, spare) = (Vec::new(), Vec::new());
        Candidates { width, draw, hidden_prefix, slots, by_hash: HashMap::default(), spare, has_dropped: false }
    }

    /// Offers a state that is in no level yet; `h` is its estimate. A state that has a slot already gets the smaller one of its
    /// two links, so that the result does not depend on the order of generation.
    ///
    /// Of two states with the same hash the second is dropped, which happens once in 2^64 pairs and is never taken for a proof.
    pub fn offer(
        &mut self,
        hash: u64,
        state: &State,
        (g, link): (Cost, Link),
        h: impl FnOnce() -> Option<Cost>,
    ) -> Offered {
        if let Some(&slot) = self.by_hash.get(&hash) {
            let present = &mut self.slots[slot as usize];
            if present.state[self.hidden_prefix..] != state[self.hidden_prefix..] {
                self.has_dropped = true;
                return Offered::Dropped;
            }
            if link < present.link {
                present.take(state, g, link);
            }
            return Offered::Present;
        }
        let Some(h) = h() else { return Offered::DeadEnd };
        let priority = Priority { h, hash };
        let Some(slot) = self.draw.slot(priority, self.slots.len(), self.width) else {
            self.has_dropped = true;
            return Offered::Dropped;
        };
        if slot == self.slots.len() {
            let spare = self.spare.pop();
            self.slots.push(spare.unwrap_or(Slot { state: Vec::new(), g, link, priority }));
        } else {
            self.by_hash.remove(&self.slots[slot].priority.hash);
            self.has_dropped = true;
        }
        self.by_hash.insert(hash, slot as u32);
        self.slots[slot].take(state, g, link);
        self.slots[slot].priority = priority;
        Offered::Kept
    }

    /// Offers all states of another thread, which is empty then.
    pub fn absorb(&mut self, other: &mut Self) {
        self.has_dropped |= other.has_dropped;
        for slot in &other.slots {
            self.offer(slot.priority.hash, &slot.state, (slot.g, slot.link), || Some(slot.priority.h));
        }
        other.spare.append(&mut other.slots);
        other.clear();
    }

    /// Hands the level over in exchange for one that is done with, and begins the next.
    pub fn hand_over(&mut self, level: &mut Vec<Slot>) {
        D::arrange(&mut self.slots);
        self.spare.append(level);
        std::mem::swap(level, &mut self.slots);
        self.clear();
    }

    fn clear(&mut self) {
        self.by_hash.clear();
        self.draw.begin();
    }

    /// Whether a state was ever dropped.
    pub fn has_dropped(&self) -> bool {
        self.has_dropped
    }

    /// The bytes it takes.
    pub fn memory(&self) -> u64 {
        let slots = self.slots.iter().chain(&self.spare).map(|slot| size_of::<Slot>() + slot.state.capacity());
        (slots.sum::<usize>() + self.by_hash.capacity() * size_of::<(u64, u32)>()) as u64
    }
}

impl Slot {
    fn take(&mut self, state: &State, g: Cost, link: Link) {
        self.state.clear();
        self.state.extend_from_slice(state);
        (self.g, self.link) = (g, link);
    }
}

/// The hasher of numbers that are hashes already.
#[derive(Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = self.0 << 8 | u64::from(byte));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
