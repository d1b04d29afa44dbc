//! A layer over a model that leaves steps out: of a state that has a stubborn set only the steps of that are there.
//!
//! Which steps a state has depends on the state alone, so that the layer is a system like any other: every search explores it, in
//! whatever order, and a path of it is a path of the model. Conditions and argument are in `docs/soundness.md`.

use std::cell::Cell;
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use homing_core::{
    Cost, Fork, Labels, PartialLetter, Path, Selected, Selection, State, Step, Target, TransitionSystem, Violation,
};
use homing_engine::{CompiledEngine, StepIndex};

use crate::trial::Trial;

/// A model of which some steps may be left out.
pub(super) struct ReducedSystem<'m> {
    engine: CompiledEngine<'m>,
    steps: Steps,
    /// How many states were shown without some of their steps.
    reduced: Cell<u64>,
}

/// The steps of a state.
#[derive(Clone)]
pub(super) enum Steps {
    /// All of them.
    All,
    /// Those of a stubborn set, except in these states, by which every cycle has one with all of its steps.
    StubbornExcept(Arc<HashSet<Box<State>>>),
    /// Those of a stubborn set that has all that can fail: no error is lost, and no path to one is longer.
    StubbornWithErrors,
}

/// Marks the index of a step among those of a stubborn set, which is not its index among all steps.
const IN_STUBBORN_SET: u32 = 1 << 31;

/// The states that are tried to see whether the reduction pays.
const PROBE: usize = 512;

/// The reduction pays if at least one state in this many is reduced.
const ONE_OF: u64 = 4;

impl<'m> ReducedSystem<'m> {
    /// The model with these steps.
    pub fn new(engine: CompiledEngine<'m>, steps: Steps) -> Self {
        ReducedSystem { engine, steps, reduced: Cell::new(0) }
    }

    /// The model with all of its steps.
    pub fn whole(engine: CompiledEngine<'m>) -> Self {
        Self::new(engine, Steps::All)
    }

    /// The model.
    pub fn engine(&self) -> &CompiledEngine<'m> {
        &self.engine
    }

    /// How many states were shown without some of their steps.
    pub fn reduced(&self) -> u64 {
        self.reduced.get()
    }

    /// Whether a search of the model with the steps of stubborn sets pays: enough of the first states are reduced.
    pub fn pays(engine: &CompiledEngine<'_>, stubborn: Selection) -> bool {
        let mut trial = Trial::new(engine, stubborn);
        trial.explore(PROBE);
        trial.reduced * ONE_OF >= trial.expanded
    }

    /// What the steps of a state are asked for with; none if all are taken.
    #[inline(always)]
    fn selection(&self, state: &State) -> Option<Selection> {
        match &self.steps {
            Steps::All => None,
            Steps::StubbornExcept(in_full) => (!in_full.contains(state)).then_some(Selection::Stubborn),
            Steps::StubbornWithErrors => Some(Selection::StubbornWithErrors),
        }
    }

    /// A path to an error of this system as one of the model: with the indices of its steps among all. None if there is no time for it.
    pub fn among_all_steps(&self, mut path: Path<StepIndex>) -> Option<Path<StepIndex>> {
        if self.reduced() == 0 {
            return Some(path);
        }
        let mut state = self.engine.initial();
        let last = path.actions.len().saturating_sub(1);
        let is_done = self.patiently(|| {
            path.actions.iter_mut().enumerate().all(|(at, action)| {
                let end = if at == last { Ends::InError } else { Ends::InState };
                let Some((index, next)) = self.among_all(&state, *action, end) else { return false };
                *action = index;
                if let Some(next) = next {
                    state = next;
                }
                true
            })
        });
        is_done.then_some(path)
    }

    /// The index among all steps of a state of a step of this system, and the state that it leads to, unless it fails. None if it is not
    /// found: the stop token is set. The interpreter is asked: both engines reduce the same states by the same sets.
    pub fn among_all(
        &self,
        state: &State,
        StepIndex(index): StepIndex,
        end: Ends,
    ) -> Option<(StepIndex, Option<Box<State>>)> {
        let interpreter = self.engine.interpreter();
        let (selection, index) = match index & IN_STUBBORN_SET {
            0 => (Selection::All, index),
            _ => (self.selection(state)?, index & !IN_STUBBORN_SET),
        };
        let mut wanted: Option<(Cost, Reached)> = None;
        interpreter.for_each_step(state, selection, |step| {
            // a failed assertion is shown beside its step
            if step.action == StepIndex(index)
                && let Some(reached) = Reached::of(&step)
                && (wanted.is_none() || reached.is_error() == (end == Ends::InError))
            {
                wanted = Some((step.cost, reached));
            }
            ControlFlow::Continue(())
        });
        let (cost, reached) = wanted?;
        let mut found = None;
        interpreter.for_each_step(state, Selection::All, |step| {
            if step.cost == cost && reached.is_of(&step) {
                found = Some(step.action);
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        let next = match reached {
            Reached::State(state) => Some(state),
            Reached::Violation(_) => None,
        };
        found.map(|index| (index, next))
    }
}

/// How a step of a path ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ends {
    InState,
    InError,
}

/// Where a step leads.
enum Reached {
    State(Box<State>),
    Violation(Violation),
}

impl Reached {
    fn is_error(&self) -> bool {
        matches!(self, Reached::Violation(_))
    }

    fn of(step: &Step<'_, StepIndex>) -> Option<Self> {
        match &step.target {
            Target::State(target) => Some(Reached::State((*target).into())),
            Target::Violation(violation) => Some(Reached::Violation(violation.clone())),
            Target::CutOff => None,
        }
    }

    fn is_of(&self, step: &Step<'_, StepIndex>) -> bool {
        match (self, &step.target) {
            (Reached::State(state), Target::State(target)) => **state == **target,
            (Reached::Violation(one), Target::Violation(other)) => one == other,
            _ => false,
        }
    }
}

impl TransitionSystem for ReducedSystem<'_> {
    type Action = StepIndex;

    fn initial(&self) -> Box<State> {
        self.engine.initial()
    }

    #[inline(always)]
    fn for_each_step(
        &self,
        state: &State,
        selection: Selection,
        mut visit: impl FnMut(Step<'_, StepIndex>) -> ControlFlow<()>,
    ) -> Selected {
        let Some(stubborn) = self.selection(state) else { return self.engine.for_each_step(state, selection, visit) };
        let selected = self.engine.for_each_step(state, stubborn, |step| {
            let StepIndex(index) = step.action;
            visit(Step { action: StepIndex(index | IN_STUBBORN_SET), ..step })
        });
        if selected == Selected::NotReduced {
            // no sleep sets: they need the states around this one with all of their steps
            return self.engine.for_each_step(state, Selection::All, visit);
        }
        self.reduced.set(self.reduced.get() + 1);
        Selected::Shown { left_out: 0 } // of the steps of this system none is left out
    }

    fn labels(&self, state: &State) -> Labels {
        self.engine.labels(state)
    }

    fn letter(&self, state: &State) -> Result<u64, PartialLetter> {
        self.engine.letter(state)
    }

    fn patiently<R>(&self, work: impl FnOnce() -> R) -> R {
        self.engine.patiently(work)
    }
}

impl Fork for ReducedSystem<'_> {
    fn fork(&self) -> Self {
        ReducedSystem::new(self.engine.fork(), self.steps.clone())
    }

    fn join(&self, fork: &Self) {
        self.engine.join(&fork.engine);
        self.reduced.set(self.reduced.get() + fork.reduced.get());
    }
}
