//! Estimates that are made of parts, as a rule one for each process: after a step only those are computed again that the
//! step can have changed.

use homing_core::{Changed, Cost, Estimate, Estimated, Guarantee, State, Written};
use homing_ir::Model;

use crate::executable::Scene;
use crate::notes::{Notebook, Notes, Readers, Unnoted};

/// The parts of an estimate and how they are put together.
pub trait Parts {
    type Value: Copy;

    /// How many parts there are in the state that is read. As many as before, unless processes came or went.
    fn count(&self, scene: &Scene<'_>) -> usize {
        scene.processes()
    }

    /// A part. It depends on nothing but on what `notes` is told, on which processes there are and of which types they are.
    fn value<N: Notes>(&self, scene: &Scene<'_>, part: usize, notes: &mut N) -> Self::Value;

    /// The whole. It may depend on anything in the state that is read. For a distance of `below` or more, or of none,
    /// another such distance may be told.
    fn whole(
        &self,
        scene: &Scene<'_>,
        values: impl Iterator<Item = Self::Value> + Clone,
        below: Cost,
    ) -> Option<Estimated>;

    fn guarantee(&self) -> Guarantee;
}

/// The estimate made of parts.
pub struct ByParts<'m, P: Parts> {
    parts: P,
    /// Reads the state that was looked at last.
    scene: Scene<'m>,
    /// Its parts, but for those in `replaced`, and what they depend on.
    values: Vec<P::Value>,
    notebook: Notebook,
    /// The parts that differ in the state that was asked for last, as they were.
    replaced: Vec<(usize, P::Value)>,
    /// The state being expanded, and whether it was looked at.
    parent: Vec<u8>,
    looked: bool,
    /// Reads a state that may differ anywhere, and its parts.
    stranger: Scene<'m>,
    strange: Vec<P::Value>,
}

impl<'m, P: Parts> ByParts<'m, P> {
    pub fn new(model: &'m Model, parts: P) -> Self {
        ByParts {
            parts,
            scene: Scene::of(model),
            values: Vec::new(),
            notebook: Notebook::default(),
            replaced: Vec::new(),
            parent: Vec::new(),
            looked: false,
            stranger: Scene::of(model),
            strange: Vec::new(),
        }
    }

    /// Computes the parts of the state being expanded, as far as it differs from the one that was looked at before. Not
    /// before a successor is asked for: many states have none that is new.
    fn look(&mut self) {
        self.restore();
        let again = self.differing();
        match again {
            Some(again) => {
                self.scene.load(&self.parent);
                self.notebook.forget(again);
                for part in again.parts(self.values.len()) {
                    self.notebook.begin(part);
                    self.values[part] = self.parts.value(&self.scene, part, &mut self.notebook);
                }
            }
            None => {
                self.notebook.clear(self.parent.len());
                self.scene.enter(&self.parent, &mut self.notebook);
                self.values.clear();
                for part in 0..self.parts.count(&self.scene) {
                    self.notebook.begin(part);
                    self.values.push(self.parts.value(&self.scene, part, &mut self.notebook));
                }
            }
        }
        self.looked = true;
    }

    /// The parts that read something which is different in the state being expanded. None if that may be all of them.
    fn differing(&self) -> Option<Readers> {
        let known = self.scene.state();
        if known.len() != self.parent.len() {
            return None;
        }
        let mut again = Readers::default();
        let mut note = |from: usize, old: &[u8], new: &[u8]| {
            for at in (0..old.len()).filter(|&at| old[at] != new[at]) {
                again = again.and(self.notebook.readers(from + at..from + at + 1));
            }
        };
        let ((old_words, old_rest), (new_words, new_rest)) = (known.as_chunks::<WORD>(), self.parent.as_chunks());
        for (at, (old, new)) in old_words.iter().zip(new_words).enumerate() {
            if u64::from_ne_bytes(*old) != u64::from_ne_bytes(*new) {
                note(at * WORD, old, new);
            }
        }
        note(old_words.len() * WORD, old_rest, new_rest);
        (!again.are_all()).then_some(again)
    }

    /// Makes the parts those of the state that was looked at.
    fn restore(&mut self) {
        for (part, value) in self.replaced.drain(..) {
            self.values[part] = value;
        }
    }
}

/// States are compared by so many bytes at a time.
const WORD: usize = 8;

impl<P: Parts> Estimate for ByParts<'_, P> {
    fn distance(&mut self, state: &State) -> Option<Estimated> {
        self.stranger.enter(state, &mut Unnoted);
        self.strange.clear();
        for part in 0..self.parts.count(&self.stranger) {
            self.strange.push(self.parts.value(&self.stranger, part, &mut Unnoted));
        }
        self.parts.whole(&self.stranger, self.strange.iter().copied(), Cost::MAX)
    }

    fn expand(&mut self, state: &State) {
        self.parent.clear();
        self.parent.extend_from_slice(state);
        self.looked = false;
    }

    fn distance_after(&mut self, state: &State, changed: Changed<'_>) -> Option<Estimated> {
        let Changed::At(places) = changed else { return self.distance(state) };
        if self.looked {
            self.restore();
        } else {
            self.look();
        }
        let bytes = |place: &Written| place.offset as usize..(place.offset + place.width) as usize;
        let readers = places.iter().map(|place| self.notebook.readers(bytes(place)));
        let again = readers.fold(Readers::default(), Readers::and);
        if again.are_all() {
            return self.distance(state);
        }
        places.iter().for_each(|place| self.scene.patch(bytes(place), state));
        for part in again.parts(self.values.len()) {
            let value = self.parts.value(&self.scene, part, &mut Unnoted);
            self.replaced.push((part, std::mem::replace(&mut self.values[part], value)));
        }
        let whole = self.parts.whole(&self.scene, self.values.iter().copied(), Cost::MAX);
        places.iter().for_each(|place| self.scene.patch(bytes(place), &self.parent));
        whole
    }

    fn guarantee(&self) -> Guarantee {
        self.parts.guarantee()
    }
}

/// The nearer of two kinds of errors. The first is not looked at closely where the second is nearer.
pub struct Nearer<A, B>(pub A, pub B);

/// A part of one of two estimates.
#[derive(Clone, Copy)]
pub enum Of<A, B> {
    First(A),
    Second(B),
}

impl<A, B> Of<A, B> {
    fn first(self) -> Option<A> {
        if let Of::First(value) = self { Some(value) } else { None }
    }

    fn second(self) -> Option<B> {
        if let Of::Second(value) = self { Some(value) } else { None }
    }
}

impl<A: Parts, B: Parts> Parts for Nearer<A, B> {
    type Value = Of<A::Value, B::Value>;

    fn count(&self, scene: &Scene<'_>) -> usize {
        self.0.count(scene) + self.1.count(scene)
    }

    fn value<N: Notes>(&self, scene: &Scene<'_>, part: usize, notes: &mut N) -> Self::Value {
        match part.checked_sub(self.0.count(scene)) {
            None => Of::First(self.0.value(scene, part, notes)),
            Some(part) => Of::Second(self.1.value(scene, part, notes)),
        }
    }

    fn whole(
        &self,
        scene: &Scene<'_>,
        values: impl Iterator<Item = Self::Value> + Clone,
        below: Cost,
    ) -> Option<Estimated> {
        let firsts = self.0.count(scene);
        let second = self.1.whole(scene, values.clone().skip(firsts).filter_map(Of::second), below);
        let below = second.map_or(below, |second| second.h.min(below));
        let first = self.0.whole(scene, values.take(firsts).filter_map(Of::first), below);
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
