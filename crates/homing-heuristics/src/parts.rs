//! Estimates that are made of parts, one for each process: after a step only those are computed again that the step can
//! have changed.

use homing_core::{Changed, Cost, Estimate, Guarantee, State};
use homing_engine::Reader;

use crate::notes::{FRAMES, Notebook, Notes, SHARED, Unnoted};

/// The parts of an estimate and how they are put together.
pub trait Parts {
    type Value: Copy;

    /// How many parts there are in the state that is read. As many as before, unless processes came or went.
    fn count(&self, reader: &Reader<'_>) -> usize {
        reader.processes()
    }

    /// A part. It depends on nothing but on what `notes` is told, on which processes there are and of which types they are.
    fn value<N: Notes>(&self, reader: &Reader<'_>, part: usize, notes: &mut N) -> Self::Value;

    /// The whole.
    fn total(&self, values: impl Iterator<Item = Self::Value> + Clone) -> Option<Cost>;

    /// As [`Estimate::tie`].
    fn tie(&self, _: impl Iterator<Item = Self::Value> + Clone) -> Cost {
        0
    }

    fn guarantee(&self) -> Guarantee;
}

/// The estimate made of parts.
pub struct ByParts<'m, P: Parts> {
    parts: P,
    reader: Reader<'m>,
    /// The state being expanded.
    parent: Vec<u8>,
    /// Its parts and what they depend on, if it was looked at.
    looked: bool,
    values: Vec<P::Value>,
    notebook: Notebook,
    /// The parts of another state.
    changed: Vec<P::Value>,
    /// Whether the state that was asked for last has the same parts as the one being expanded.
    same: bool,
}

impl<'m, P: Parts> ByParts<'m, P> {
    pub fn new(reader: Reader<'m>, parts: P) -> Self {
        ByParts {
            parts,
            reader,
            parent: Vec::new(),
            looked: false,
            values: Vec::new(),
            notebook: Notebook::default(),
            changed: Vec::new(),
            same: false,
        }
    }

    /// Computes the parts of the state being expanded. Not before a successor is asked for: many states have none that is
    /// new.
    fn look(&mut self) {
        self.reader.load(&self.parent);
        self.notebook.clear(self.parent.len());
        self.notebook.note_frames(&self.reader);
        self.values.clear();
        for part in 0..self.parts.count(&self.reader) {
            self.notebook.begin(part);
            self.values.push(self.parts.value(&self.reader, part, &mut self.notebook));
        }
        self.looked = true;
    }
}

impl<P: Parts> Estimate for ByParts<'_, P> {
    fn distance(&mut self, state: &State) -> Option<Cost> {
        self.same = false;
        self.reader.load(state);
        self.changed.clear();
        for part in 0..self.parts.count(&self.reader) {
            self.changed.push(self.parts.value(&self.reader, part, &mut Unnoted));
        }
        self.parts.total(self.changed.iter().copied())
    }

    fn expand(&mut self, state: &State) {
        self.parent.clear();
        self.parent.extend_from_slice(state);
        self.looked = false;
    }

    fn distance_after(&mut self, state: &State, changed: Changed<'_>) -> Option<Cost> {
        let Changed::At(places) = changed else { return self.distance(state) };
        if !self.looked {
            self.look();
        }
        let mut again = 0;
        for place in places {
            let start = place.offset as usize;
            again |= self.notebook.readers(start..start + place.width as usize);
        }
        self.same = again == 0;
        if self.same {
            return self.parts.total(self.values.iter().copied());
        }
        if again & FRAMES != 0 {
            return self.distance(state);
        }
        self.reader.load(state);
        self.changed.clear();
        self.changed.extend_from_slice(&self.values);
        let mut left = again;
        while left != 0 {
            let first = left.trailing_zeros() as usize;
            left &= left - 1;
            let end = if first == SHARED { self.changed.len() } else { first + 1 };
            for part in first..end {
                self.changed[part] = self.parts.value(&self.reader, part, &mut Unnoted);
            }
        }
        self.parts.total(self.changed.iter().copied())
    }

    fn tie(&mut self) -> Cost {
        let values = if self.same { &self.values } else { &self.changed };
        self.parts.tie(values.iter().copied())
    }

    fn guarantee(&self) -> Guarantee {
        self.parts.guarantee()
    }
}

/// The nearer of two kinds of errors.
pub struct Nearer<A, B>(pub A, pub B);

impl<A: Parts, B: Parts> Parts for Nearer<A, B> {
    type Value = (A::Value, B::Value);

    fn value<N: Notes>(&self, reader: &Reader<'_>, part: usize, notes: &mut N) -> Self::Value {
        (self.0.value(reader, part, notes), self.1.value(reader, part, notes))
    }

    fn total(&self, values: impl Iterator<Item = Self::Value> + Clone) -> Option<Cost> {
        let first = self.0.total(values.clone().map(|(first, _)| first));
        nearer(first, self.1.total(values.map(|(_, second)| second)))
    }

    fn tie(&self, values: impl Iterator<Item = Self::Value> + Clone) -> Cost {
        let first = self.0.tie(values.clone().map(|(first, _)| first));
        first.saturating_add(self.1.tie(values.map(|(_, second)| second)))
    }

    fn guarantee(&self) -> Guarantee {
        self.0.guarantee().min(self.1.guarantee())
    }
}

/// The less of two distances; none is the greatest.
pub fn nearer(one: Option<Cost>, other: Option<Cost>) -> Option<Cost> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}
