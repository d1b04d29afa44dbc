//! Systems that are explored on the fly.

use std::ops::ControlFlow;

use crate::{PartialLetter, Violation};

/// A state: the flat bytes of all variables, channels and control locations. Two states are one node of the graph iff they
/// are equal.
pub type State = [u8];

/// A number of executed statements: the length of a path, or of a part of it.
pub type Cost = u32;

/// The number of a process.
pub type Pid = u8;

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
    /// Which step of the state it is, from 0 on. Steps that a [`Selection`] leaves out are counted with the others, except by
    /// [`Selection::Stubborn`], where the steps of the stubborn set are counted alone.
    pub ordinal: u32,
    /// The processes that moved, in order: one for most steps, sender and receiver for a rendezvous, and more if control passes
    /// on inside an atomic sequence, where a process may come again. Empty if no process moved, or the system has none.
    pub movers: &'a [Pid],
    /// How many statements the step stands for: a run through an atomic sequence or a rendezvous is one step of several
    /// statements. For a violation, the statements up to and including the failing one.
    pub cost: Cost,
    /// Where the step leads.
    pub target: Target<'a>,
    /// Where the target differs from the source.
    pub changed: Changed<'a>,
    /// The sleep set of the target: steps that need not be taken there if it is reached by this step. Empty unless steps
    /// [outside](Selection::Outside) a sleep set were asked for.
    pub sleep: SleepSet,
    /// The acceptance sets that the step is in, a bit for each: a cycle is accepting if it has steps of all of them. Systems
    /// that are no product with an automaton have none.
    pub acceptance: u32,
    /// The step is known to be on no accepting cycle.
    pub is_transient: bool,
}

impl<'a, A> Step<'a, A> {
    /// A step of cost 1 to a state, for systems without processes.
    pub fn to(action: A, ordinal: u32, target: &'a State) -> Self {
        Step {
            action,
            ordinal,
            movers: &[],
            cost: 1,
            target: Target::State(target),
            changed: Changed::Anywhere,
            sleep: SleepSet::EMPTY,
            acceptance: 0,
            is_transient: false,
        }
    }

    /// A step to an error, after so many statements.
    pub fn violating(action: A, ordinal: u32, cost: Cost, violation: Violation) -> Self {
        Step { cost, target: Target::Violation(violation), ..Self::to(action, ordinal, &[]) }
    }

    /// What a system shows whose [stop token](crate::StopToken) is set: steps are missing.
    pub fn stopped(action: A, ordinal: u32) -> Self {
        Step { cost: 0, target: Target::CutOff, ..Self::to(action, ordinal, &[]) }
    }

    /// Whether the step says that the [stop token](crate::StopToken) of the system is set: steps are missing.
    pub fn is_stop(&self) -> bool {
        matches!(self.target, Target::CutOff) && self.cost == 0
    }
}

/// Where a step leads.
#[derive(Debug)]
pub enum Target<'a> {
    /// To a state, which lives in a scratch buffer: copy it to keep it.
    State(&'a State),
    /// To an error: something failed inside the step, or the source state is itself an error (then the cost is 0).
    Violation(Violation),
    /// The step was not followed to its end: it has more statements than the system follows, and its cost is that of those it
    /// has followed; or the [stop token](crate::StopToken) is set, and then the cost is 0 and no other step follows. The search
    /// is incomplete, and asks its watch whether it is to end ([`crate::Watch::after_cut_off`]).
    CutOff,
}

/// Where a step changed the state.
#[derive(Clone, Copy, Debug)]
pub enum Changed<'a> {
    /// Perhaps everywhere; the length may differ.
    Anywhere,
    /// At most in these places, in the order they were written; a place may come twice. The length is the same.
    At(&'a [Written]),
}

/// A place in a state that was written, and what it held.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Written {
    /// Where the place begins in the state.
    pub offset: u32,
    /// Its width in bytes, at most 8.
    pub width: u32,
    /// The old value, little-endian.
    pub old: u64,
}

/// A sleep set (Godefroid 1996, ch. 5): steps that need not be taken in a state, because states and paths that they lead to
/// are found otherwise. Which bit stands for which step is the system's own matter.
///
/// Let `a` be the step by which `t` was reached from `s`, and `b` a step of another process that is enabled in `s`. If `a` and
/// `b` are independent, `b` is the same step in `t`, and leads where `a` leads after `b`: the four steps make a diamond with
/// `s` at its top. One of its two lower sides may be left out, and `b` is left out in `t` if the process of `b` comes before
/// that of `a` in a fixed order of the processes. Unlike Godefroid's, these sleep sets are not inherited from state to state.
///
/// Whatever the order of a search, no state is lost. Suppose some are; among the steps from visited to lost states take one of
/// the latest process, and of those one whose source has the fewest steps after it. The step was left out as `b` in some `t`,
/// so `b` in `s` is such a step too, with fewer steps after it, or `a` after `b` is one, of a later process: a contradiction. In
/// the same way no state is found with a longer path if those with shorter paths come first, as opposite sides of a diamond
/// have the same cost. A step that fails is never left out: if `b` fails in `t`, it fails in `s`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SleepSet(pub u64);

impl SleepSet {
    /// Every step is to be taken.
    pub const EMPTY: SleepSet = SleepSet(0);
}

/// Which steps of a state are to be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// All steps.
    All,
    /// The steps outside a sleep set, each with the sleep set of its target. A system that knows nothing of independence shows
    /// all steps, with empty sleep sets. Violations are always shown. Once a step has failed, the search has to ask for all
    /// steps of every state: a failed assertion is shown beside its step, so that the steps of a process that are left out
    /// could not be counted.
    Outside(SleepSet),
    /// The steps of a stubborn set of the state, if one is known that has fewer than all steps; nothing otherwise.
    ///
    /// Whatever steps outside the set are taken, for as long as one likes, the steps of the set stay enabled, no others of it
    /// become enabled, and each leads to the same state before and after what was taken (Valmari 1989; Godefroid 1996, ch. 4,
    /// where such sets are called persistent). So of every run the first step that is in the set can be moved to the front, and
    /// the run stays as long. A search that takes these steps alone reaches every state in which no process can move, by a path
    /// that is as short. A search in which also from every state one can be reached that was expanded in full executes every
    /// statement that can be executed at all, with the values that it reads, but perhaps by a longer path. The set is a function
    /// of the state.
    Stubborn,
    /// The same, of a set that also has every transition that can fail, at once or after others of its process. So every run to an
    /// error has a step of the set, and a search that takes these steps alone finds every error by a path as short, in whatever order
    /// it goes and within whatever bound.
    StubbornWithErrors,
}

impl Selection {
    /// Whether only the steps of a stubborn set are asked for. A system that knows none shows nothing then.
    pub fn is_stubborn(self) -> bool {
        matches!(self, Selection::Stubborn | Selection::StubbornWithErrors)
    }
}

/// What a system made of a [`Selection`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selected {
    /// The selected steps were shown.
    Shown {
        /// How many steps were left out because they are in the sleep set, or moves because they are not in the stubborn set.
        left_out: u32,
    },
    /// No step was shown although a process can move: it runs through an atomic sequence that has no end. So the state is not one in
    /// which nothing moves.
    Diverges,
    /// No [stubborn set](Selection::Stubborn) is known that has fewer than all steps: no step was shown.
    NotReduced,
}

impl Selected {
    /// All steps were shown.
    pub const ALL: Selected = Selected::Shown { left_out: 0 };
}

/// What holds in a state, for properties of infinite runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    /// A process is at an acceptance label.
    pub accepting: bool,
    /// A process is at a progress label.
    pub progress: bool,
}

/// A system explored on the fly. The same state always yields the same steps in the same order: a path is replayed step
/// by step, so an unstable order would corrupt counterexamples.
pub trait TransitionSystem {
    /// How a step is named in a path: enough to find it again among the steps of its state.
    type Action: Copy;

    /// The state that every run begins in.
    fn initial(&self) -> Box<State>;

    /// Shows `visit` the selected steps out of `state`, in a fixed order. A failed assertion is shown as a violation and, when
    /// execution can go on after it, the step is shown as well. A state in which nothing can move although it should is shown
    /// as a violation of cost 0. When `visit` breaks off, no further step is shown.
    fn for_each_step(
        &self,
        state: &State,
        selection: Selection,
        visit: impl FnMut(Step<'_, Self::Action>) -> ControlFlow<()>,
    ) -> Selected;

    /// The labels of a state.
    fn labels(&self, state: &State) -> Labels {
        let _ = state;
        Labels::default()
    }

    /// The letter of a state, for automata that read runs: bit i says whether proposition i holds. An error is a letter in which
    /// some propositions have no value.
    fn letter(&self, state: &State) -> Result<u64, PartialLetter> {
        let _ = state;
        Ok(0)
    }

    /// Does work that finishes what a search has found, such as finding the steps of its path again: meanwhile a
    /// [stop token](crate::StopToken) counts only from its second stage on.
    fn patiently<R>(&self, work: impl FnOnce() -> R) -> R {
        work()
    }
}

// A reference to a system is a system.
macro_rules! by_reference {
    ($reference:ty) => {
        impl<T: TransitionSystem> TransitionSystem for $reference {
            type Action = T::Action;

            fn initial(&self) -> Box<State> {
                (**self).initial()
            }

            #[inline(always)]
            fn for_each_step(
                &self,
                state: &State,
                selection: Selection,
                visit: impl FnMut(Step<'_, Self::Action>) -> ControlFlow<()>,
            ) -> Selected {
                (**self).for_each_step(state, selection, visit)
            }

            fn labels(&self, state: &State) -> Labels {
                (**self).labels(state)
            }

            fn letter(&self, state: &State) -> Result<u64, PartialLetter> {
                (**self).letter(state)
            }

            fn patiently<R>(&self, work: impl FnOnce() -> R) -> R {
                (**self).patiently(work)
            }
        }
    };
}

by_reference!(&T);
by_reference!(&mut T);
