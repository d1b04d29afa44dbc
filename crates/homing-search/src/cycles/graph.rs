//! The states and steps of a search, recorded by its threads, except steps that are known to be on no accepting cycle: a graph that can be divided into components at any time.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::ControlFlow;

use homing_core::{StateId, Step};

use super::{Fairness, Marks, Part};
use crate::kernel::Recorder;

/// A recorded step: where it leads, and the number of its marks.
#[derive(Clone, Copy, Debug)]
struct Arc {
    target: u32,
    marks: u32,
}

/// Sets of marks, numbered. There are few of them.
#[derive(Debug, Default)]
pub(crate) struct Palette<const N: usize> {
    pub sets: Vec<Marks<N>>,
    numbers: HashMap<Marks<N>, u32>,
    /// The set that was asked for last, and its number.
    last: Option<(Marks<N>, u32)>,
}

impl<const N: usize> Palette<N> {
    /// The number of a set.
    #[inline]
    pub fn number(&mut self, marks: Marks<N>) -> u32 {
        if let Some((last, number)) = self.last
            && last == marks
        {
            return number;
        }
        let next = self.sets.len() as u32;
        let number = match self.numbers.entry(marks) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                self.sets.push(marks);
                *new.insert(next)
            }
        };
        self.last = Some((marks, number));
        number
    }
}

/// What one thread records until it hands it over.
#[derive(Debug)]
pub(crate) struct EdgeRecorder<const N: usize> {
    fairness: Fairness,
    /// The states that were expanded, and which processes can move there.
    sources: Vec<(StateId, Marks<N>)>,
    /// The steps whose targets are still to be looked up: their marks, and the number of their source, or [`TRANSIENT`].
    pending: Vec<(Marks<N>, u32)>,
    arcs: Vec<Arc>,
    /// Expanded states, each with the number of its arcs.
    counts: Vec<(StateId, u32)>,
    palette: Palette<N>,
}

/// The source of a step that is on no accepting cycle, and so need not be recorded.
const TRANSIENT: u32 = u32::MAX;

impl<const N: usize> EdgeRecorder<N> {
    pub fn new(fairness: Fairness) -> Self {
        EdgeRecorder {
            fairness,
            sources: Vec::new(),
            pending: Vec::new(),
            arcs: Vec::new(),
            counts: Vec::new(),
            palette: Palette::default(),
        }
    }
}

impl<const N: usize> Recorder for EdgeRecorder<N> {
    type Recorded = Graph<N>;

    const RECORDS: bool = true;

    #[inline]
    fn expand(&mut self, u: StateId) {
        self.sources.push((u, Marks::NONE));
    }

    #[inline]
    fn step<A>(&mut self, step: &Step<'_, A>) {
        let source = self.sources.len() - 1;
        let mut marks = Marks::of_sets(step.acceptance);
        if self.fairness == Fairness::Weak {
            marks = marks | Marks::movers(step);
            let enabled = &mut self.sources[source].1;
            *enabled = *enabled | Marks::enabled(step);
        }
        self.pending.push((marks, if step.is_transient { TRANSIENT } else { source as u32 }));
    }

    #[inline]
    fn edge(&mut self, at: usize, v: StateId) {
        let (marks, source) = self.pending[at];
        if source == TRANSIENT {
            return;
        }
        let (u, enabled) = self.sources[source as usize];
        let marks = if self.fairness == Fairness::Weak { marks | Marks::idle(enabled) } else { marks };
        self.arcs.push(Arc { target: v.0, marks: self.palette.number(marks) });
        match self.counts.last_mut() {
            Some((last, count)) if *last == u => *count += 1,
            _ => self.counts.push((u, 1)),
        }
    }

    fn looked_up(&mut self) {
        self.pending.clear();
        self.sources.clear();
    }

    fn hand_over(&mut self, to: &mut Graph<N>) -> u64 {
        let bytes = self.arcs.len() * size_of::<Arc>() + self.counts.len() * size_of::<(u64, u32)>();
        let numbers: Vec<u32> = self.palette.sets.iter().map(|&marks| to.palette.number(marks)).collect();
        let mut first = to.arcs.len();
        let sources = self.counts.iter().map(|(source, _)| source.0);
        if let Some(last) = self.arcs.iter().map(|arc| arc.target).chain(sources).max() {
            to.nodes.resize(to.nodes.len().max(last as usize + 1), (0, 0));
        }
        to.arcs.extend(self.arcs.drain(..).map(|arc| Arc { marks: numbers[arc.marks as usize], ..arc }));
        for (source, count) in self.counts.drain(..) {
            to.nodes[source.index()] = (first as u64, count);
            first += count as usize;
        }
        bytes as u64
    }
}

/// The states and steps that were recorded.
#[derive(Debug, Default)]
pub(crate) struct Graph<const N: usize> {
    /// By id: the first arc of a state, and how many it has.
    nodes: Vec<(u64, u32)>,
    arcs: Vec<Arc>,
    palette: Palette<N>,
}

impl<const N: usize> Graph<N> {
    /// How many steps were recorded.
    pub fn steps(&self) -> usize {
        self.arcs.len()
    }

    /// Calls `visit` with each component that has all of `wanted`, until that breaks off.
    pub fn for_each_accepting(&self, wanted: Marks<N>, mut visit: impl FnMut(&[u32]) -> ControlFlow<()>) {
        let part = Part {
            count: self.nodes.len(),
            is_inside: |state: u32| self.nodes[state as usize].1 > 0,
            edge: |state: u32, at: u32| {
                let (first, count) = self.nodes[state as usize];
                let arc = (at < count).then(|| self.arcs[first as usize + at as usize])?;
                Some((arc.target, self.palette.sets[arc.marks as usize]))
            },
        };
        part.for_each_component(|states, marks| match marks {
            Some(marks) if marks.has_all(wanted) => visit(states),
            _ => ControlFlow::Continue(()),
        });
    }
}
