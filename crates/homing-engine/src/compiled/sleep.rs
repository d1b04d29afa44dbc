//! Who may sleep behind a step ([`homing_core::SleepSet`]): processes are looked at from the youngest, and what those before the
//! one that takes it can do may be left out, if both are apart. Each transition sleeps for itself.

use homing_core::{Condition, SleepSet};
use homing_ir::{Action, Model};

use super::code::{Code, Compiled};
use super::drive::Machine;
use super::touches::{ALL, Touches, are_apart};

/// The bits of [`SleepSet`].
const BITS: u32 = u64::BITS;

/// Those of one process: where they begin, how many there are, and which transitions are asleep.
#[derive(Clone, Copy)]
pub struct Bits {
    from: u32,
    width: u32,
    asleep: u64,
}

impl Bits {
    /// Whether the nth transition of the location is asleep.
    #[inline(always)]
    pub fn is_asleep(self, nth: u32) -> bool {
        self.asleep >> nth & 1 != 0
    }
}

/// What can be done in the state that is expanded, as far as it was looked at, with what it touches.
pub struct Movers {
    /// By transition of the code: the code that tells what it touches, or else what that is.
    touches: Vec<(Option<Compiled>, u64)>,
    /// How many transitions of a process have a bit: the first ones of each location.
    width: u32,
    count: usize,
    sets: [u64; BITS as usize],
    bits: [u64; BITS as usize],
}

impl Movers {
    pub fn new(code: Option<&Code>, model: &Model) -> Self {
        let (locations, transitions) =
            code.map_or((&[][..], &[][..]), |code| (&code.locations[..], &code.transitions[..]));
        let most = locations.iter().map(|location| location.count).max().unwrap_or(1).max(1);
        Movers {
            touches: transitions.iter().map(|transition| told(transition.touches)).collect(),
            width: most.min(BITS / processes(model)).min(MOST_OF_ONE),
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

    /// The bits of a process, some of whose transitions are asleep.
    #[inline(always)]
    pub fn bits_of(&self, pid: usize, asleep: SleepSet) -> Bits {
        let from = pid as u32 * self.width;
        if from + self.width > BITS {
            return Bits { from: 0, width: 0, asleep: 0 };
        }
        Bits { from, width: self.width, asleep: asleep.0 >> from & ((1 << self.width) - 1) }
    }

    /// What of that which was known up to a mark is apart from a set.
    #[inline(never)]
    pub fn apart_from(&self, set: u64, mark: usize) -> SleepSet {
        if set == ALL {
            return SleepSet::EMPTY;
        }
        let those = self.sets.iter().zip(&self.bits).take(mark);
        let is_independent = |other| Condition::SleepDependent.is_met(are_apart(set, other));
        SleepSet(those.fold(0, |all, (&other, &bit)| if is_independent(other) { all | bit } else { all }))
    }

    /// A process can take a transition, the nth of its location, which touches a set.
    #[inline(always)]
    pub fn add(&mut self, bits: Bits, nth: u32, set: u64) {
        if nth < bits.width && set != ALL {
            let at = self.count % BITS as usize; // as each has a bit of its own, there are never more
            (self.sets[at], self.bits[at]) = (set, 1 << (bits.from + nth));
            self.count += 1;
        }
    }
}

/// A process needs no more bits.
const MOST_OF_ONE: u32 = 32;

/// For how many processes there are to be bits, at least if more may come.
const FEW: u32 = 8;

/// For how many processes of a model there are bits.
fn processes(model: &Model) -> u32 {
    let mut may_come = false;
    for statement in model.proctypes.iter().flat_map(|proctype| &proctype.automaton.statements) {
        statement.action.for_each_inside(&mut |action| may_come |= matches!(action, Action::Run { .. }));
    }
    (model.start.len() as u32).clamp(if may_come { FEW } else { 1 }, BITS)
}

impl Machine<'_> {
    /// What a transition of a process touches in the state that is expanded.
    #[inline(always)]
    pub fn touched(&mut self, transition: u32, pid: usize, frame: u32) -> u64 {
        match self.movers.touches[transition as usize] {
            (Some(code), _) => self.invoke(code, pid, frame),
            (None, set) => set,
        }
    }
}

fn told(touches: Touches<Compiled>) -> (Option<Compiled>, u64) {
    match touches {
        Touches::All => (None, ALL),
        Touches::Fixed(set) => (None, set),
        Touches::Computed(code) => (Some(code), ALL),
    }
}
