//! Systems that are explored on the fly.

use std::ops::ControlFlow;

use crate::Violation;

/// A state: the flat bytes of all variables, channels and control locations. Two states are one node of the graph iff
/// they are equal behind the bytes that are merely [carried](TransitionSystem::hidden_prefix).
pub type State = [u8];

/// A number of executed statements: the length of a path, or of a part of it.
pub type Cost = u32;

/// The number a store gives to a state. The first state is 0, and few numbers are left out: arrays can be indexed by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateId(pub u32);

impl StateId {
    /// The number as an array index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One step out of a state.
#[derive(Debug)]
pub struct Step<'a, A> {
    /// How the step is named in a path.
    pub action: A,
    /// How many statements it stands for: an atomic run or a rendezvous is one step of several statements. For a
    /// violation, the statements up to and including the failing one.
    pub cost: Cost,
    pub target: Target<'a>,
    /// Where the state arrived at differs from the one that was left.
    pub changed: Changed<'a>,
}

impl<A> Step<'_, A> {
    /// Whether the system was told to [stop](crate::StopToken): steps are missing.
    pub fn is_stop(&self) -> bool {
        matches!(self.target, Target::CutOff) && self.cost == 0
    }
}

/// What processes need not do in a state because it is done elsewhere. Which bit stands for what is the system's own matter.
///
/// Let `a` be the step by which `t` was reached from `s`, and `b` one that another process can take in `s`. If neither
/// touches what the other does, `b` is the same step in `t`, and leads where `a` leads behind `b`: both make a diamond with
/// `s` at its top. One of its two lower sides may be left out, and it is left out if the process of `b` comes before that of
/// `a` in a fixed order of the processes (a sleep set, as Godefroid has them, of one step's memory).
///
/// Whatever the order of a search, no state is lost: among the steps that lead out of what was reached, take one of the
/// latest process and of those one where its state has the fewest steps behind it. It was left out, so `b` in `s` is such
/// a step too, with fewer behind it, or `a` behind `b` is one, of a later process. In the same way no state is found with a
/// longer path if those with shorter paths come first, as each side of a diamond costs as much as the one across. A step that
/// fails is never left out: who fails in `t` would have failed in `s`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SleepSet(pub u64);

impl SleepSet {
    /// Everybody is awake.
    pub const EMPTY: SleepSet = SleepSet(0);
}

/// A step where some may be asleep.
#[derive(Debug)]
pub struct Shown<'a, A> {
    pub step: Step<'a, A>,
    /// Which step of the state it is, those that are left out counted with the others.
    pub nth: u32,
    /// Who may sleep in the state it leads to if that is reached by it.
    pub asleep: SleepSet,
}

/// Where a step changed the state.
#[derive(Clone, Copy, Debug)]
pub enum Changed<'a> {
    /// Perhaps everywhere; perhaps the length is another.
    Anywhere,
    /// At most in these places, in the order they were written; a place may come twice. The length is the same.
    At(&'a [Written]),
}

/// A place in a state that was written, and what it held.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Written {
    pub offset: u32,
    /// In bytes, at most 8.
    pub width: u32,
    /// Little-endian.
    pub old: u64,
}

/// Where a step leads.
#[derive(Debug)]
pub enum Target<'a> {
    /// To a state, which lives in a scratch buffer: copy it to keep it.
    State(&'a State),
    /// To an error: something failed inside the step, or the state left by it is itself an error (then the cost is 0).
    Violation(Violation),
    /// The step was not followed to its end: it goes on for more statements than the system follows, and its cost is that of
    /// those it has followed; or the system was told to [stop](crate::StopToken), and then the cost is 0 and nothing else is shown.
    /// A search that meets it is incomplete, and asks its watch whether it is over ([`crate::Watch::is_over`]).
    CutOff,
}

/// A system explored on the fly. The same state always yields the same steps in the same order: a path is replayed step
/// by step, so an unstable order would corrupt counterexamples.
pub trait TransitionSystem {
    /// How a step is named in a path: enough to find it again among the steps of its state.
    type Action: Copy;

    fn initial(&self) -> Box<State>;

    /// How many bytes at the front of each state are carried along but do not distinguish states: the values of
    /// `hidden` variables. They belong to the run that reached the state first.
    fn hidden_prefix(&self) -> usize {
        0
    }

    /// Shows `visit` each step out of `state`, in a fixed order. A failed assertion is shown as a violation and, when
    /// execution can go on behind it, the step is shown as well. A state in which nothing can move although it should
    /// is shown as a violation of cost 0. When `visit` breaks off, no further step is shown.
    fn for_each_step(&self, state: &State, visit: impl FnMut(Step<'_, Self::Action>) -> ControlFlow<()>);

    /// The same for a state of a path that was found: a [`StopToken`](crate::StopToken) counts from its second stage on only.
    fn for_each_step_again(&self, state: &State, visit: impl FnMut(Step<'_, Self::Action>) -> ControlFlow<()>) {
        self.for_each_step(state, visit);
    }

    /// Shows the steps of one process that stand for all steps of `state`, if there is such a process; if not, nothing is
    /// shown and the answer is false.
    ///
    /// Whatever the others do, for as long as they like, the process can take the same steps and no others, and each of them
    /// leads to the same state before and behind what they did (a persistent set: Godefroid, Partial-Order Methods for the
    /// Verification of Concurrent Systems, ch. 4). Whoever follows these steps alone reaches every state in which nothing can
    /// move. Whoever takes all steps of a state where none of these leads to a state that is expanded later executes every
    /// statement that can be executed at all, with the values that it reads: a step that waits is still possible behind steps
    /// that do not depend on it, and the states where it waits, each expanded later than the one before, come to an end (ibid.,
    /// ch. 7; Bošnački and Holzmann, Improving Spin's Partial-Order Reduction for Breadth-First Search, 2005).
    ///
    /// The actions name the steps among those that are shown, not among all steps of the state.
    fn for_each_ample_step(&self, state: &State, visit: impl FnMut(Step<'_, Self::Action>) -> ControlFlow<()>) -> bool {
        let _ = (state, visit);
        false
    }

    /// Shows the same steps in the same order, but for those of processes that are asleep, and tells how many those are. A
    /// system need not let anybody sleep. Once a step was shown that fails, nobody sleeps: all that fails is shown.
    fn for_each_step_awake(
        &self,
        state: &State,
        asleep: SleepSet,
        mut visit: impl FnMut(Shown<'_, Self::Action>) -> ControlFlow<()>,
    ) -> u32 {
        let _ = asleep;
        let mut next = 0;
        self.for_each_step(state, |step| {
            let nth = next;
            next += 1;
            visit(Shown { step, nth, asleep: SleepSet::EMPTY })
        });
        0
    }
}

impl<T: TransitionSystem> TransitionSystem for &T {
    type Action = T::Action;

    fn initial(&self) -> Box<State> {
        (**self).initial()
    }

    fn hidden_prefix(&self) -> usize {
        (**self).hidden_prefix()
    }

    fn for_each_step(&self, state: &State, visit: impl FnMut(Step<'_, Self::Action>) -> ControlFlow<()>) {
        (**self).for_each_step(state, visit);
    }

    fn for_each_step_again(&self, state: &State, visit: impl FnMut(Step<'_, Self::Action>) -> ControlFlow<()>) {
        (**self).for_each_step_again(state, visit);
    }

    fn for_each_ample_step(&self, state: &State, visit: impl FnMut(Step<'_, Self::Action>) -> ControlFlow<()>) -> bool {
        (**self).for_each_ample_step(state, visit)
    }

    fn for_each_step_awake(
        &self,
        state: &State,
        asleep: SleepSet,
        visit: impl FnMut(Shown<'_, Self::Action>) -> ControlFlow<()>,
    ) -> u32 {
        (**self).for_each_step_awake(state, asleep, visit)
    }
}
