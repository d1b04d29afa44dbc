//! The steps of the state that was entered, as they are generated. Nearly all of them take a short way.

use std::ops::ControlFlow;

use homing_core::{Cost, Estimate, Progress, State, Step, Stop, Target, TransitionSystem, Violation, Watch};
use homing_store::Key;

use super::stack::Stack;
use super::{AtError, Bound, DepthFirst, Generated, Visited, transitions};
use crate::limits::is_time_to_look;

/// One expansion.
pub(super) struct Generation<'x, 'a, T: TransitionSystem, E, W, V: Visited, H> {
    pub search: &'x mut DepthFirst<'a, T, E, W, V::Key>,
    pub d: &'x mut Stack<T::Action, V::Key, V::Edge>,
    pub visited: &'x mut V,
    pub h: &'x mut H,
    pub bound: &'x mut Bound,
    /// The key of the state.
    pub key: V::Key,
    /// The length of the path to it.
    pub g: Cost,
    /// Whether the search goes on.
    pub going: Result<(), Stop>,
}

impl<T, E, W, V, H> Generation<'_, '_, T, E, W, V, H>
where
    T: TransitionSystem,
    E: Fn(&Violation) -> bool,
    W: Watch,
    V: Visited<Key: Key>,
    H: Estimate,
{
    /// The steps of `s` are generated next.
    #[inline]
    pub fn begin(&mut self, s: &State) -> Result<(), Stop> {
        if self.search.budget.is_time_to_look() {
            let progress = self.progress();
            self.search.budget.look(&progress)?;
        }
        self.search.budget.count_expansion();
        self.search.budget.observe(s);
        self.h.expand(s);
        Ok(())
    }

    fn progress(&self) -> Progress {
        Progress {
            states: self.visited.states(),
            transitions: transitions(self.visited, self.search.steps),
            depth: self.g,
            frontier: self.d.pending() as u64 + 1,
            memory: self.visited.memory() + self.d.memory(),
            errors: self.search.errors,
        }
    }

    #[inline(always)]
    pub fn take(&mut self, step: Step<'_, T::Action>) -> ControlFlow<()> {
        if V::DECIDES_AT_TURN
            && let Target::State(target) = step.target
            && !is_time_to_look(step.ordinal)
            && let Some(to) = self.visited.quick_key(target, step.changed)
        {
            let edge = self.visited.edge(&step);
            self.d.push_state((step.action, step.cost, edge), to, V::KEEPS_GENERATED.then_some(target));
            return ControlFlow::Continue(());
        }
        self.take_otherwise(step)
    }

    #[inline(never)]
    fn take_otherwise(&mut self, step: Step<'_, T::Action>) -> ControlFlow<()> {
        let (ordinal, cost) = (step.ordinal, step.cost);
        let g = self.search.budget.lengthen(self.g, cost);
        match step.target {
            Target::State(_) => self.going = self.take_state(&step, g),
            Target::Violation(violation) => {
                if (self.search.is_error)(&violation) {
                    self.take_error((step.action, cost, ordinal), g, violation);
                }
            }
            Target::CutOff => {
                let progress = self.progress();
                self.going = self.search.budget.cut_off(g, &progress);
            }
        }
        if self.going.is_ok() && is_time_to_look(ordinal) {
            let progress = self.progress();
            self.going = self.search.budget.look(&progress);
        }
        if self.going.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    fn take_state(&mut self, step: &Step<'_, T::Action>, g: Option<Cost>) -> Result<(), Stop> {
        let Target::State(target) = step.target else { return Ok(()) };
        let Generation { search, d, visited, h, bound, .. } = self;
        let memory = d.memory();
        let to = visited.key(&search.budget, target, step.changed, memory)?;
        if !V::DECIDES_AT_TURN {
            let estimate = || h.distance_after(target, step.changed);
            let generated = visited.generated(&search.budget, (to, target), g, memory, estimate)?;
            search.steps += u64::from(generated != Generated::TooDeep);
            match generated {
                Generated::HasTurn { h } if g.is_none_or(|g| bound.admits(g, h)) => {}
                Generated::HasTurn { .. } | Generated::Skipped => return Ok(()),
                Generated::TooDeep => {
                    search.budget.skip_too_deep();
                    return Ok(());
                }
            }
        }
        d.push_state((step.action, step.cost, visited.edge(step)), to, V::KEEPS_GENERATED.then_some(target));
        Ok(())
    }

    fn take_error(&mut self, (action, cost, ordinal): (T::Action, Cost, u32), g: Option<Cost>, violation: Violation) {
        let Some(g) = g else { return self.search.budget.skip_too_deep() };
        let counts_once = V::ENTERS_AGAIN && self.search.at_error == AtError::Count;
        if self.bound.admits(g, 0) && (!counts_once || self.search.counted.insert((self.key, ordinal))) {
            self.d.push_error(action, cost, violation);
        }
    }
}
