//! The sleep set of the target of a step ([`homing_core::SleepSet`]): processes are explored from the youngest, and of two
//! independent steps the one of the process that was explored first is left out after the other. Each transition has a bit
//! of its own.

use homing_core::{Condition, SleepSet};
use homing_ir::{Model, Update};

use super::access::{AccessWord, EVERYTHING, are_independent};
use super::code::{Code, Compiled};
use super::drive::Machine;

/// The bits of [`SleepSet`].
const BITS: u32 = u64::BITS;

/// The bits of one process: where they begin, how many there are, and which of its transitions are in the sleep set.
#[derive(Clone, Copy)]
pub struct Bits {
    from: u32,
    width: u32,
    sleeping: u64,
}

impl Bits {
    /// Whether the nth transition of the location is in the sleep set.
    #[inline(always)]
    pub fn is_sleeping(self, nth: u32) -> bool {
        self.sleeping >> nth & 1 != 0
    }
}

/// The enabled transitions of the state that is expanded, as far as they were explored, with their access sets.
pub struct EnabledSet {
    /// By transition of the code: the code that computes its access set, or else the set.
    accesses: Vec<(Option<Compiled>, u64)>,
    /// How many transitions of a process have a bit: the first ones of each location.
    width: u32,
    count: usize,
    sets: [u64; BITS as usize],
    bits: [u64; BITS as usize],
}

impl EnabledSet {
    pub fn new(code: Option<&Code>, model: &Model) -> Self {
        let (locations, transitions) =
            code.map_or((&[][..], &[][..]), |code| (&code.locations[..], &code.transitions[..]));
        let most = locations.iter().map(|location| location.count).max().unwrap_or(1).max(1);
        EnabledSet {
            accesses: transitions.iter().map(|transition| code_or_word(transition.accesses)).collect(),
            width: most.min(BITS / processes(model)).min(MOST_OF_ONE),
            count: 0,
            sets: [0; BITS as usize],
            bits: [0; BITS as usize],
        }
    }

    /// Forgets all transitions: another state is expanded.
    pub fn forget(&mut self) {
        self.count = 0;
    }

    /// How many transitions were added so far.
    #[inline(always)]
    pub fn mark(&self) -> usize {
        self.count
    }

    /// The bits of a process, some of whose transitions are in the sleep set.
    #[inline(always)]
    pub fn bits_of(&self, pid: usize, sleep: SleepSet) -> Bits {
        let from = pid as u32 * self.width;
        if from + self.width > BITS {
            return Bits { from: 0, width: 0, sleeping: 0 };
        }
        Bits { from, width: self.width, sleeping: sleep.0 >> from & ((1 << self.width) - 1) }
    }

    /// The transitions added up to a mark that are independent of a set.
    #[inline(never)]
    pub fn independent_of(&self, set: u64, mark: usize) -> SleepSet {
        if set == EVERYTHING {
            return SleepSet::EMPTY;
        }
        let those = self.sets.iter().zip(&self.bits).take(mark);
        let is_independent = |other| Condition::SleepDependent.is_met(are_independent(set, other));
        SleepSet(those.fold(0, |all, (&other, &bit)| if is_independent(other) { all | bit } else { all }))
    }

    /// Adds the nth transition of the location of a process, which is enabled, with its access set.
    #[inline(always)]
    pub fn add(&mut self, bits: Bits, nth: u32, set: u64) {
        if nth < bits.width && set != EVERYTHING {
            let at = self.count % BITS as usize; // each has a bit of its own, so there are never more
            (self.sets[at], self.bits[at]) = (set, 1 << (bits.from + nth));
            self.count += 1;
        }
    }
}

/// The most bits of one process.
const MOST_OF_ONE: u32 = 32;

/// For how many processes there are bits at least, if processes can be created.
const FEW: u32 = 8;

/// For how many processes of a model there are bits.
fn processes(model: &Model) -> u32 {
    let mut statements = model.proctypes.iter().flat_map(|proctype| &proctype.automaton.statements);
    let may_grow = statements.any(|statement| matches!(statement.action.update(), Update::Create { .. }));
    (model.start.len() as u32).clamp(if may_grow { FEW } else { 1 }, BITS)
}

impl Machine<'_> {
    /// What a transition of a process accesses in the state that is expanded.
    #[inline(always)]
    pub fn access_word(&mut self, transition: u32, pid: usize, frame: u32) -> u64 {
        match self.enabled.accesses[transition as usize] {
            (Some(code), _) => self.invoke(code, pid, frame),
            (None, set) => set,
        }
    }
}

fn code_or_word(accesses: AccessWord<Compiled>) -> (Option<Compiled>, u64) {
    match accesses {
        AccessWord::Everything => (None, EVERYTHING),
        AccessWord::Fixed(set) => (None, set),
        AccessWord::Computed(code) => (Some(code), EVERYTHING),
    }
}
