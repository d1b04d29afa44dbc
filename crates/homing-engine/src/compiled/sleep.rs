//! Who may sleep behind a step ([`homing_core::Asleep`]): processes are looked at from the youngest, and what those before the
//! one that takes it can do may be left out, if both are apart. Each transition sleeps for itself.

use homing_core::Asleep;

use super::code::{Code, Compiled};
use super::drive::Machine;
use super::touches::{ALL, Touches, are_apart};

/// The bits of [`Asleep`].
const BITS: u32 = u64::BITS;

/// What can be done in the state that is expanded, as far as it was looked at, with what it touches.
pub struct Movers {
    /// What is touched, by transition of the code.
    touches: Vec<Touches<Compiled>>,
    /// How many transitions of a process have a bit: the first ones of each location.
    width: u32,
    count: usize,
    sets: [u64; BITS as usize],
    bits: [u64; BITS as usize],
}

impl Movers {
    /// For a model that begins with so many processes.
    pub fn new(code: Option<&Code>, processes: usize) -> Self {
        let (locations, transitions) =
            code.map_or((&[][..], &[][..]), |code| (&code.locations[..], &code.transitions[..]));
        let most = locations.iter().map(|location| location.count).max().unwrap_or(1);
        Movers {
            touches: transitions.iter().map(|transition| transition.touches).collect(),
            width: most.min(BITS / (processes as u32).clamp(FEW, BITS)).max(1),
            count: 0,
            sets: [0; BITS as usize],
            bits: [0; BITS as usize],
        }
    }

    /// Another state is expanded.
    pub fn forget(&mut self) {
        self.count = 0;
    }

    /// How much is known by now.
    #[inline(always)]
    pub fn mark(&self) -> usize {
        self.count
    }

    /// The transitions of a process that are asleep.
    #[inline(always)]
    pub fn sleeping(&self, asleep: Asleep, pid: usize) -> u64 {
        let from = pid as u32 * self.width;
        if from + self.width > BITS { 0 } else { asleep.0 >> from & (u64::MAX >> (BITS - self.width)) }
    }

    /// What of that which was known up to a mark is apart from a set.
    #[inline(always)]
    pub fn apart_from(&self, set: u64, mark: usize) -> Asleep {
        if set == ALL {
            return Asleep::NOBODY;
        }
        let those = self.sets.iter().zip(&self.bits).take(mark);
        Asleep(those.fold(0, |all, (&other, &bit)| if are_apart(set, other) { all | bit } else { all }))
    }

    /// A process can take a transition, the nth of its location, which touches a set.
    #[inline(always)]
    pub fn add(&mut self, pid: usize, nth: u32, set: u64) {
        let at = pid as u32 * self.width + nth;
        if nth < self.width && at < BITS && set != ALL && self.count < BITS as usize {
            (self.sets[self.count], self.bits[self.count]) = (set, 1 << at);
            self.count += 1;
        }
    }
}

/// Other processes may come: bits are kept for so many.
const FEW: u32 = 8;

impl Machine<'_> {
    /// What a transition of a process touches in the state that is expanded.
    #[inline(always)]
    pub fn touched(&mut self, transition: u32, pid: usize, frame: u32) -> u64 {
        match self.movers.touches[transition as usize] {
            Touches::All => ALL,
            Touches::Fixed(set) => set,
            Touches::Computed(code) => self.answer(code, pid, frame),
        }
    }
}
