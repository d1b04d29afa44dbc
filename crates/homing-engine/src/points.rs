//! Points of a run through an atomic sequence, and whether a run comes to one of them again.
//!
//! A point of a run is all that decides how the run continues: the bytes of the state, which process has control, and whether
//! its next statement is an absorbed one, which counts differently. The bytes alone are not enough: after a rendezvous inside
//! the sequence the receiver has control, and after another one back both processes can stand where they stood while the
//! other one continues. Nothing else belongs to a point: `timeout` is false inside a run, and what the run has cost so far
//! only grows.
//!
//! A run that comes to a point again can be cut there. Whatever it would lead to is reached from the first visit as well,
//! with a lower cost: leave out the statements between the two visits. For this all continuations of the first visit are
//! followed, as a run is followed from each of its choices by every move.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use homing_core::Condition;

use crate::tally::Onward;

/// Notices that a run comes back to a point without looking at every point: one is kept for twice as long each time (Brent
/// 1980, "An improved Monte Carlo factorization algorithm", §2).
#[derive(Default)]
pub struct Watchdog {
    steps: u64,
    mark: Vec<u8>,
    by: Option<Onward>,
}

impl Watchdog {
    /// Runs shorter than this are not looked at.
    const PATIENCE: u64 = 64;

    /// Begins anew: the run went back to a choice, and what was marked is not on its path any more.
    pub fn restart(&mut self) {
        self.steps = 0;
        self.by = None;
    }

    /// Whether the point that the run has come to, where `by` continues, is the one that was marked.
    #[inline]
    pub fn circles(&mut self, bytes: &[u8], by: Onward) -> bool {
        self.steps += 1;
        if self.steps < Self::PATIENCE {
            return false;
        }
        if self.by.is_some_and(|marked| Condition::RunControl.is_met(marked == by)) && self.mark == bytes {
            return true;
        }
        if self.steps.is_power_of_two() {
            self.mark.clear();
            self.mark.extend_from_slice(bytes);
            self.by = Some(by);
        }
        false
    }
}

/// The choices on the path of a run, the last on top, each with its point.
pub struct Choices<T> {
    choices: Vec<Choice<T>>,
    /// The bytes of their states, one after the other.
    bytes: Vec<u8>,
    /// The last choice with a hash, of those that are not among the first [`FEW`].
    by_hash: HashMap<u64, u32>,
}

/// A choice of a run: where it was made, and what its owner keeps with it.
struct Choice<T> {
    by: Onward,
    /// Where its bytes begin.
    from: usize,
    hash: u64,
    /// The one before it that has the same hash.
    before: Option<u32>,
    kept: T,
}

/// What became of a choice that was to be entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entered {
    New,
    /// The run was at this point before.
    Again,
    /// There is no room for more: the run is too long.
    Full,
}

/// So many choices are compared one by one, which is faster than to hash the state.
const FEW: usize = 8;

/// The most bytes that the choices of a run may take. Most runs have few; one that has more makes a choice in a loop.
const ROOM: usize = 1 << 28;

/// What a choice takes besides its state, about; the same for all that is kept with it, so that engines agree.
const OVERHEAD: usize = 128;

/// What is kept of the room when a run is over.
const KEPT: usize = 1 << 20;

impl<T> Default for Choices<T> {
    fn default() -> Self {
        Choices { choices: Vec::new(), bytes: Vec::new(), by_hash: HashMap::new() }
    }
}

impl<T> Choices<T> {
    /// Another run begins.
    #[inline]
    pub fn clear(&mut self) {
        self.choices.clear();
        self.bytes.clear();
        if !self.by_hash.is_empty() {
            self.by_hash.clear();
        }
        if self.bytes.capacity() > KEPT {
            *self = Self::default();
        }
    }

    /// Enters a choice, unless the run is at a point of another choice on its path.
    #[inline]
    pub fn enter(&mut self, bytes: &[u8], by: Onward, kept: T) -> Entered {
        let depth = self.choices.len();
        if (0..depth.min(FEW)).any(|at| self.is_at(at, bytes, by)) {
            return Entered::Again;
        }
        if self.bytes.len() + bytes.len() + depth * OVERHEAD > ROOM {
            return Entered::Full;
        }
        let (mut hash, mut before) = (0, None);
        if depth >= FEW {
            hash = hashed(bytes, by);
            before = self.by_hash.get(&hash).copied();
            let mut same = before;
            while let Some(at) = same {
                if self.is_at(at as usize, bytes, by) {
                    return Entered::Again;
                }
                same = self.choices[at as usize].before;
            }
            self.by_hash.insert(hash, depth as u32);
        }
        let from = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        self.choices.push(Choice { by, from, hash, before, kept });
        Entered::New
    }

    fn is_at(&self, at: usize, bytes: &[u8], by: Onward) -> bool {
        Condition::RunControl.is_met(self.choices[at].by == by) && self.bytes_of(at) == bytes
    }

    fn bytes_of(&self, at: usize) -> &[u8] {
        let to = self.choices.get(at + 1).map_or(self.bytes.len(), |next| next.from);
        &self.bytes[self.choices[at].from..to]
    }

    /// The last choice: its state, which process has it, and what was kept.
    pub fn last(&mut self) -> Option<(&[u8], Onward, &mut T)> {
        let Choice { by, from, kept, .. } = self.choices.last_mut()?;
        Some((&self.bytes[*from..], *by, kept))
    }

    /// Leaves the last choice: all its moves were followed.
    pub fn leave(&mut self) {
        let Some(Choice { from, hash, before, .. }) = self.choices.pop() else { return };
        self.bytes.truncate(from);
        if self.choices.len() >= FEW {
            match before {
                Some(before) => self.by_hash.insert(hash, before),
                None => self.by_hash.remove(&hash),
            };
        }
    }
}

fn hashed(bytes: &[u8], by: Onward) -> u64 {
    let mut hasher = DefaultHasher::new();
    by.hash(&mut hasher);
    hasher.write(bytes);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by(pid: usize) -> Onward {
        Onward { pid, absorbed: false }
    }

    #[test]
    fn the_process_in_control_belongs_to_a_point() {
        let mut choices = Choices::default();
        assert_eq!(choices.enter(&[1, 2], by(0), ()), Entered::New);
        assert_eq!(choices.enter(&[1, 2], by(1), ()), Entered::New);
        assert_eq!(choices.enter(&[1, 2], by(1), ()), Entered::Again);
        assert_eq!(choices.enter(&[1, 2], Onward { pid: 1, absorbed: true }, ()), Entered::New);
        let mut watchdog = Watchdog::default();
        assert!((0..200).all(|at| !watchdog.circles(&[7], by(at))), "always another process");
        watchdog.restart();
        assert!((0..200).any(|at| watchdog.circles(&[7], by(at % 3))), "three processes in turns");
    }

    #[test]
    fn choices_are_found_however_many_there_are() {
        let mut choices = Choices::default();
        for at in 0..1000u32 {
            assert_eq!(choices.enter(&at.to_le_bytes(), by(0), at), Entered::New);
        }
        for at in 0..1000u32 {
            assert_eq!(choices.enter(&at.to_le_bytes(), by(0), at), Entered::Again);
            assert_eq!(choices.enter(&at.to_le_bytes(), by(1), at), Entered::New);
            choices.leave();
        }
        for at in (0..1000u32).rev() {
            let (bytes, onward, kept) = choices.last().expect("one is left");
            assert_eq!((bytes, onward, *kept), (&at.to_le_bytes()[..], by(0), at));
            choices.leave();
            assert_eq!(choices.enter(&at.to_le_bytes(), by(0), at), Entered::New, "it was left");
            choices.leave();
        }
        assert!(choices.last().is_none() && choices.by_hash.is_empty());
    }

    #[test]
    fn choices_do_not_take_all_memory() {
        let (mut choices, mut state) = (Choices::default(), vec![0; ROOM / 16]);
        let mut entered = Vec::new();
        for at in 0..17 {
            state[0] = at;
            entered.push(choices.enter(&state, by(0), ()));
        }
        assert_eq!(entered.iter().filter(|entered| **entered == Entered::New).count(), 15);
        assert_eq!(entered.last(), Some(&Entered::Full));
    }
}
