//! Points of a run through an atomic sequence, and the detection of cycles: a run that comes to a point again.
//!
//! A point of a run is all that decides how the run continues: the bytes of the state, which process has control, and whether
//! its next statement is an absorbed one, whose cost is counted differently. The bytes alone are not enough: after a rendezvous
//! inside the sequence the receiver has control, and after another one back both processes can be at their old locations while
//! the other process continues. Nothing else belongs to a point: `timeout` is false inside a run, and the cost of the run only
//! grows.
//!
//! A run that comes to a point again can be cut there. Everything that it would lead to is reached from the first visit as well,
//! with a lower cost: without the statements between the two visits. For this all continuations of the first visit are followed,
//! as a run is followed from each of its choices by every move.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use homing_core::Condition;

use crate::run::Control;

/// Detects that a run comes to a point again without keeping every point: one point is kept, each for twice as many steps as
/// the one before (Brent 1980, "An improved Monte Carlo factorization algorithm", §2).
#[derive(Default)]
pub struct CycleDetector {
    steps: u64,
    mark: Vec<u8>,
    by: Option<Control>,
}

impl CycleDetector {
    /// The number of steps after which the first point is kept.
    const PATIENCE: u64 = 64;

    /// Starts again: the run went back to a choice, and the point that was kept may not be on its path any more.
    pub fn restart(&mut self) {
        self.steps = 0;
        self.by = None;
    }

    /// Whether the point that the run has come to, at which `by` has control, is the one that is kept.
    #[inline]
    pub fn is_cycle(&mut self, bytes: &[u8], by: Control) -> bool {
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
pub struct ChoiceStack<T> {
    choices: Vec<ChoicePoint<T>>,
    /// The bytes of their states, one after the other.
    bytes: Vec<u8>,
    /// The last choice with a hash, of those that are not among the first [`FEW`].
    by_hash: HashMap<u64, u32>,
}

/// A choice of a run: its point, and what the engine keeps with it.
struct ChoicePoint<T> {
    by: Control,
    /// Where its bytes begin in those of the stack.
    from: usize,
    hash: u64,
    /// The last choice before it that has the same hash.
    before: Option<u32>,
    kept: T,
}

/// The result of entering a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entered {
    New,
    /// The run was at this point before.
    Again,
    /// The choices take too much memory: the run is cut off.
    Full,
}

/// The number of choices that are compared one by one, which is faster than hashing the state.
const FEW: usize = 8;

/// The most bytes that the choices of a run may take. Most runs have few choices; one with more makes a choice in a loop.
const ROOM: usize = 1 << 28;

/// About how many bytes a choice takes besides its state. It does not depend on what is kept with it, so that both engines cut
/// off the same runs.
const OVERHEAD: usize = 128;

/// The most bytes that stay allocated when a run is over.
const KEPT: usize = 1 << 20;

impl<T> Default for ChoiceStack<T> {
    fn default() -> Self {
        ChoiceStack { choices: Vec::new(), bytes: Vec::new(), by_hash: HashMap::new() }
    }
}

impl<T> ChoiceStack<T> {
    /// Removes all choices: another run begins.
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
    pub fn enter(&mut self, bytes: &[u8], by: Control, kept: T) -> Entered {
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
        self.choices.push(ChoicePoint { by, from, hash, before, kept });
        Entered::New
    }

    fn is_at(&self, at: usize, bytes: &[u8], by: Control) -> bool {
        Condition::RunControl.is_met(self.choices[at].by == by) && self.bytes_of(at) == bytes
    }

    fn bytes_of(&self, at: usize) -> &[u8] {
        let to = self.choices.get(at + 1).map_or(self.bytes.len(), |next| next.from);
        &self.bytes[self.choices[at].from..to]
    }

    /// The last choice: its state, the process in control, and what is kept with it.
    pub fn last(&mut self) -> Option<(&[u8], Control, &mut T)> {
        let ChoicePoint { by, from, kept, .. } = self.choices.last_mut()?;
        Some((&self.bytes[*from..], *by, kept))
    }

    /// Removes the last choice: all its moves were followed.
    pub fn leave(&mut self) {
        let Some(ChoicePoint { from, hash, before, .. }) = self.choices.pop() else { return };
        self.bytes.truncate(from);
        if self.choices.len() >= FEW {
            match before {
                Some(before) => self.by_hash.insert(hash, before),
                None => self.by_hash.remove(&hash),
            };
        }
    }
}

fn hashed(bytes: &[u8], by: Control) -> u64 {
    let mut hasher = DefaultHasher::new();
    by.hash(&mut hasher);
    hasher.write(bytes);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by(pid: usize) -> Control {
        Control { pid, absorbed: false }
    }

    #[test]
    fn the_process_in_control_belongs_to_a_point() {
        let mut choices = ChoiceStack::default();
        assert_eq!(choices.enter(&[1, 2], by(0), ()), Entered::New);
        assert_eq!(choices.enter(&[1, 2], by(1), ()), Entered::New);
        assert_eq!(choices.enter(&[1, 2], by(1), ()), Entered::Again);
        assert_eq!(choices.enter(&[1, 2], Control { pid: 1, absorbed: true }, ()), Entered::New);
        let mut detector = CycleDetector::default();
        assert!((0..200).all(|at| !detector.is_cycle(&[7], by(at))), "always another process");
        detector.restart();
        assert!((0..200).any(|at| detector.is_cycle(&[7], by(at % 3))), "three processes in turns");
    }

    #[test]
    fn choices_are_found_however_many_there_are() {
        let mut choices = ChoiceStack::default();
        for at in 0..1000u32 {
            assert_eq!(choices.enter(&at.to_le_bytes(), by(0), at), Entered::New);
        }
        for at in 0..1000u32 {
            assert_eq!(choices.enter(&at.to_le_bytes(), by(0), at), Entered::Again);
            assert_eq!(choices.enter(&at.to_le_bytes(), by(1), at), Entered::New);
            choices.leave();
        }
        for at in (0..1000u32).rev() {
            let (bytes, control, kept) = choices.last().expect("one is left");
            assert_eq!((bytes, control, *kept), (&at.to_le_bytes()[..], by(0), at));
            choices.leave();
            assert_eq!(choices.enter(&at.to_le_bytes(), by(0), at), Entered::New, "it was left");
            choices.leave();
        }
        assert!(choices.last().is_none() && choices.by_hash.is_empty());
    }

    #[test]
    fn choices_do_not_take_all_memory() {
        let (mut choices, mut state) = (ChoiceStack::default(), vec![0; ROOM / 16]);
        let mut entered = Vec::new();
        for at in 0..17 {
            state[0] = at;
            entered.push(choices.enter(&state, by(0), ()));
        }
        assert_eq!(entered.iter().filter(|entered| **entered == Entered::New).count(), 15);
        assert_eq!(entered.last(), Some(&Entered::Full));
    }
}
