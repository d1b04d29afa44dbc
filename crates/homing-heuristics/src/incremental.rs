//! Incremental estimates: an estimate is decomposed into parts, as a rule one for each process, and after a step only
//! the parts are computed again whose read set the step wrote to.

use homing_core::{Changed, Cost, Estimate, Estimated, Guarantee, State, Written};
use homing_ir::Model;

use crate::executable::StateView;
use crate::read_set::{ReadSet, ReadSets, Readers, Untracked};

/// An estimate that is decomposed into parts.
pub trait Decomposed {
    type Part: Copy;

    /// The number of parts in the state that is read. It changes only when a process is created or ends.
    fn part_count(&self, view: &StateView<'_>) -> usize {
        view.processes()
    }

    /// Computes a part. It depends only on the bytes recorded in `reads`, on the number of processes and on their
    /// types.
    fn part<R: ReadSet>(&self, view: &StateView<'_>, part: usize, reads: &mut R) -> Self::Part;

    /// Puts the parts together; the result may depend on anything in the state that is read. Distances from `below` on
    /// need not be exact: instead of one of them, or of `None`, another may be returned.
    fn estimate(
        &self,
        view: &StateView<'_>,
        parts: impl Iterator<Item = Self::Part> + Clone,
        below: Cost,
    ) -> Option<Estimated>;

    fn guarantee(&self) -> Guarantee;
}

/// Computes a [`Decomposed`] estimate incrementally.
pub struct Incremental<'m, P: Decomposed> {
    decomposed: P,
    /// The state whose parts are known: the one being expanded if `is_current`, otherwise one expanded before.
    view: StateView<'m>,
    /// The parts of the state in `view`, except where `replaced` has the value.
    parts: Vec<P::Part>,
    /// The read sets of the parts.
    reads: ReadSets,
    /// The parts that the last successor changed, with their values in the state in `view`.
    replaced: Vec<(usize, P::Part)>,
    /// The state being expanded.
    parent: Vec<u8>,
    /// `view` and `parts` are those of `parent`.
    is_current: bool,
    /// The state and the parts of an estimate that is computed from scratch.
    full_view: StateView<'m>,
    full_parts: Vec<P::Part>,
}

impl<'m, P: Decomposed> Incremental<'m, P> {
    pub fn new(model: &'m Model, decomposed: P) -> Self {
        Incremental {
            decomposed,
            view: StateView::of(model),
            parts: Vec::new(),
            reads: ReadSets::default(),
            replaced: Vec::new(),
            parent: Vec::new(),
            is_current: false,
            full_view: StateView::of(model),
            full_parts: Vec::new(),
        }
    }

    /// The estimate that is computed.
    pub fn decomposed(&self) -> &P {
        &self.decomposed
    }

    /// Makes `view` and `parts` those of the state being expanded; computes the parts again that read a byte which
    /// differs. Called only when a successor's estimate is asked for: many states have no new successor.
    fn refresh(&mut self) {
        self.restore();
        let again = self.differing();
        match again {
            Some(again) => {
                self.view.load(&self.parent);
                self.reads.forget(again);
                for part in again.parts(self.parts.len()) {
                    self.reads.begin(part);
                    self.parts[part] = self.decomposed.part(&self.view, part, &mut self.reads);
                }
            }
            None => {
                self.reads.clear(self.parent.len());
                self.view.enter(&self.parent, &mut self.reads);
                self.parts.clear();
                for part in 0..self.decomposed.part_count(&self.view) {
                    self.reads.begin(part);
                    self.parts.push(self.decomposed.part(&self.view, part, &mut self.reads));
                }
            }
        }
        self.is_current = true;
    }

    /// The parts that read a byte which differs in the state being expanded; `None` if that may be all of them.
    fn differing(&self) -> Option<Readers> {
        let known = self.view.state();
        if known.len() != self.parent.len() {
            return None;
        }
        let mut again = Readers::default();
        let mut compare = |from: usize, old: &[u8], new: &[u8]| {
            for at in (0..old.len()).filter(|&at| old[at] != new[at]) {
                again = again.and(self.reads.readers(from + at..from + at + 1));
            }
        };
        let ((old_words, old_rest), (new_words, new_rest)) = (known.as_chunks::<WORD>(), self.parent.as_chunks());
        for (at, (old, new)) in old_words.iter().zip(new_words).enumerate() {
            if u64::from_ne_bytes(*old) != u64::from_ne_bytes(*new) {
                compare(at * WORD, old, new);
            }
        }
        compare(old_words.len() * WORD, old_rest, new_rest);
        (!again.are_all()).then_some(again)
    }

    /// Makes `parts` those of the state in `view` again.
    fn restore(&mut self) {
        for (part, value) in self.replaced.drain(..) {
            self.parts[part] = value;
        }
    }
}

/// The number of bytes of two states that are compared at a time.
const WORD: usize = 8;

impl<P: Decomposed> Estimate for Incremental<'_, P> {
    fn distance(&mut self, state: &State) -> Option<Estimated> {
        self.full_view.enter(state, &mut Untracked);
        self.full_parts.clear();
        for part in 0..self.decomposed.part_count(&self.full_view) {
            self.full_parts.push(self.decomposed.part(&self.full_view, part, &mut Untracked));
        }
        self.decomposed.estimate(&self.full_view, self.full_parts.iter().copied(), Cost::MAX)
    }

    fn expand(&mut self, state: &State) {
        self.parent.clear();
        self.parent.extend_from_slice(state);
        self.is_current = false;
    }

    fn distance_after(&mut self, state: &State, changed: Changed<'_>) -> Option<Estimated> {
        let Changed::At(places) = changed else { return self.distance(state) };
        if self.is_current {
            self.restore();
        } else {
            self.refresh();
        }
        let bytes = |place: &Written| place.offset as usize..(place.offset + place.width) as usize;
        let readers = places.iter().map(|place| self.reads.readers(bytes(place)));
        let again = readers.fold(Readers::default(), Readers::and);
        if again.are_all() {
            return self.distance(state);
        }
        places.iter().for_each(|place| self.view.patch(bytes(place), state));
        for part in again.parts(self.parts.len()) {
            let value = self.decomposed.part(&self.view, part, &mut Untracked);
            self.replaced.push((part, std::mem::replace(&mut self.parts[part], value)));
        }
        let estimated = self.decomposed.estimate(&self.view, self.parts.iter().copied(), Cost::MAX);
        places.iter().for_each(|place| self.view.patch(bytes(place), &self.parent));
        estimated
    }

    fn guarantee(&self) -> Guarantee {
        self.decomposed.guarantee()
    }
}

/// The nearer of two kinds of errors. The second is computed first and bounds what has to be computed of the first.
pub struct Nearer<A, B>(pub A, pub B);

/// A part of one of two estimates.
#[derive(Clone, Copy)]
pub enum PartOf<A, B> {
    First(A),
    Second(B),
}

impl<A, B> PartOf<A, B> {
    fn first(self) -> Option<A> {
        if let PartOf::First(value) = self { Some(value) } else { None }
    }

    fn second(self) -> Option<B> {
        if let PartOf::Second(value) = self { Some(value) } else { None }
    }
}

impl<A: Decomposed, B: Decomposed> Decomposed for Nearer<A, B> {
    type Part = PartOf<A::Part, B::Part>;

    fn part_count(&self, view: &StateView<'_>) -> usize {
        self.0.part_count(view) + self.1.part_count(view)
    }

    fn part<R: ReadSet>(&self, view: &StateView<'_>, part: usize, reads: &mut R) -> Self::Part {
        match part.checked_sub(self.0.part_count(view)) {
            None => PartOf::First(self.0.part(view, part, reads)),
            Some(part) => PartOf::Second(self.1.part(view, part, reads)),
        }
    }

    fn estimate(
        &self,
        view: &StateView<'_>,
        parts: impl Iterator<Item = Self::Part> + Clone,
        below: Cost,
    ) -> Option<Estimated> {
        let firsts = self.0.part_count(view);
        let second = self.1.estimate(view, parts.clone().skip(firsts).filter_map(PartOf::second), below);
        let below = second.map_or(below, |second| second.h.min(below));
        let first = self.0.estimate(view, parts.take(firsts).filter_map(PartOf::first), below);
        nearer_estimate(first, second)
    }

    fn guarantee(&self) -> Guarantee {
        self.0.guarantee().min(self.1.guarantee())
    }
}

/// The estimate of the nearer of two errors; `None` is farther than anything.
pub fn nearer_estimate(one: Option<Estimated>, other: Option<Estimated>) -> Option<Estimated> {
    match (one, other) {
        (Some(one), Some(other)) => Some(Estimated { h: one.h.min(other.h), tie: one.tie.saturating_add(other.tie) }),
        (one, other) => one.or(other),
    }
}

/// The smaller of two distances; `None` is farther than anything.
pub fn nearer(one: Option<Cost>, other: Option<Cost>) -> Option<Cost> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use homing_core::{Selection, Target, TransitionSystem};
    use homing_engine::Interpreter;

    use super::*;
    use crate::active::Active;
    use crate::deadlock::Deadlock;
    use crate::formula::Combine;
    use crate::testing::model;

    const TEXT: &str = "byte x; chan q = [2] of {byte};
        active [2] proctype P() { do :: atomic { x < 3 -> x++ } :: q!x :: x == 3 -> x = 0; run R() od }
        active proctype Q() { byte y; do :: q?y :: x == y -> break od }
        proctype R() { x > 1 }";

    /// The places where two states of the same length differ.
    fn written(from: &State, to: &State) -> Vec<Written> {
        let differ = (0..from.len()).filter(|&at| from[at] != to[at]);
        differ.map(|at| Written { offset: at as u32, width: 1, old: u64::from(from[at]) }).collect()
    }

    #[test]
    fn after_a_step_the_estimate_is_that_from_scratch() {
        let model = model(TEXT);
        let system = Interpreter::new(&model).expect("an initial state");
        let parts = || Nearer(Deadlock::by_formula(&model, Combine::Sum), Active::of(&model));
        let (mut incremental, mut scratch) = (Incremental::new(&model, parts()), Incremental::new(&model, parts()));
        let (mut open, mut by_places) = (vec![system.initial()], 0);
        for expanded in 0..300 {
            let state = open[expanded].clone();
            incremental.expand(&state);
            system.for_each_step(&state, Selection::All, |step| {
                if let Target::State(target) = step.target {
                    let places = (state.len() == target.len()).then(|| written(&state, target));
                    let changed = places.as_deref().map_or(Changed::Anywhere, Changed::At);
                    assert_eq!(incremental.distance_after(target, changed), scratch.distance(target));
                    by_places += usize::from(places.is_some());
                    open.push(target.into());
                }
                ControlFlow::Continue(())
            });
        }
        assert!(by_places > 300, "{by_places}");
    }
}
