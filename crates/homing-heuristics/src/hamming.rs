//! The Hamming distance to a given state [YD-98], and with it the distance to the last state of a trail (trail-directed
//! search [ELL-01]; [ELL-04] §10).
//!
//! Both are guesses: one statement can change many components, and another state can be an error as well.

use homing_core::{Cost, Estimate, Estimated, Guarantee, State};
use homing_engine::Reader;
use homing_ir::{Model, ProctypeId};

use crate::distance::{Deferred, Distances, to_locations};

/// Compares states by components: the locations of processes, the cells of variables, the channels.
pub struct Hamming<'m> {
    reader: Reader<'m>,
    goal: Box<State>,
    /// The sizes of the components of the globals.
    globals: Vec<usize>,
    /// By process type: the sizes of the components of a process: its type, its location, its locals, its channels.
    processes: Vec<Vec<usize>>,
    /// The offset of the globals.
    start: usize,
    goal_frames: Vec<Frame>,
}

/// A process in the goal state.
#[derive(Clone, Copy, Debug)]
struct Frame {
    proctype: ProctypeId,
    offset: usize,
    location: u32,
}

impl<'m> Hamming<'m> {
    pub fn new(model: &'m Model, goal: &State) -> Self {
        let mut reader = Reader::new(model);
        reader.load(goal);
        let frame = |pid| Frame {
            proctype: reader.proctype(pid),
            offset: reader.process_bytes(pid).start,
            location: reader.location(pid),
        };
        let goal_frames = (0..reader.processes()).map(frame).collect();
        let processes = (0..model.proctypes.len() as u32).map(|id| reader.process_components(ProctypeId(id)));
        Hamming {
            goal: goal.into(),
            globals: reader.global_components(),
            processes: processes.collect(),
            start: reader.global_bytes().start,
            goal_frames,
            reader,
        }
    }

    /// The number of components in which the loaded state differs from the goal.
    fn differing(&self, state: &State) -> Cost {
        let mut differing = differing(&self.globals, &state[self.start..], &self.goal[self.start..]);
        let processes = self.reader.processes();
        for pid in 0..processes.max(self.goal_frames.len()) {
            let here = (pid < processes).then(|| (self.reader.proctype(pid), self.reader.process_bytes(pid).start));
            differing += match (here, self.goal_frames.get(pid)) {
                (Some((proctype, offset)), Some(goal)) if proctype == goal.proctype => {
                    differing_in(&self.processes[proctype.index()], &state[offset..], &self.goal[goal.offset..])
                }
                (here, goal) => {
                    let size = |id: ProctypeId| self.processes[id.index()].len() as Cost;
                    here.map_or(0, |(id, _)| size(id)).max(goal.map_or(0, |goal| size(goal.proctype)))
                }
            };
        }
        differing
    }
}

fn differing(sizes: &[usize], one: &State, other: &State) -> Cost {
    let mut at = 0;
    let mut count = 0;
    for size in sizes {
        count += Cost::from(one[at..at + size] != other[at..at + size]);
        at += size;
    }
    count
}

/// The number of components in which two processes differ; most are equal.
fn differing_in(sizes: &[usize], one: &State, other: &State) -> Cost {
    let all: usize = sizes.iter().sum();
    if one[..all] == other[..all] { 0 } else { differing(sizes, one, other) }
}

impl Estimate for Hamming<'_> {
    fn distance(&mut self, state: &State) -> Option<Estimated> {
        self.reader.load(state);
        Some(Estimated::from(self.differing(state)))
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee::Guess
    }
}

/// The distance to the last state of a trail: of each process to its location there, plus what else differs.
pub struct Trail<'m> {
    hamming: Hamming<'m>,
    /// By process of the goal: the distances to its location.
    distances: Vec<Distances>,
}

impl<'m> Trail<'m> {
    pub fn new(model: &'m Model, goal: &State) -> Self {
        let hamming = Hamming::new(model, goal);
        let to = |frame: &Frame| {
            to_locations(&model.proctype(frame.proctype).automaton, Deferred::Counted, [frame.location])
        };
        let distances = hamming.goal_frames.iter().map(to).collect();
        Trail { hamming, distances }
    }
}

impl Estimate for Trail<'_> {
    fn distance(&mut self, state: &State) -> Option<Estimated> {
        let differing = self.hamming.distance(state)?;
        let reader = &self.hamming.reader;
        let ways = self.hamming.goal_frames.iter().zip(&self.distances).enumerate().map(|(pid, (goal, distances))| {
            let far = distances.len() as Cost; // not a dead end: another state than the goal may be an error
            match pid < reader.processes() && reader.proctype(pid) == goal.proctype {
                true => distances[reader.location(pid) as usize].unwrap_or(far),
                false => far,
            }
        });
        Some(Estimated::from(differing.h + ways.sum::<Cost>()))
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee::Guess
    }
}

#[cfg(test)]
mod tests {
    use homing_core::{Selection, Target, TransitionSystem};
    use homing_engine::Interpreter;
    use std::ops::ControlFlow;

    use super::*;
    use crate::testing::{initial, model};

    #[test]
    fn counts_components() {
        let model = model("byte x, y; chan q = [3] of {int}; active proctype P() { atomic { q!70000; x = 1 }; y = 2 }");
        let start = initial(&model);
        let engine = Interpreter::new(&model).expect("an initial state");
        let mut next = None;
        engine.for_each_step(&start, Selection::All, |step| {
            if let Target::State(state) = step.target {
                next = Some(Box::<State>::from(state));
            }
            ControlFlow::Continue(())
        });
        let next = next.expect("a step");
        let mut hamming = Hamming::new(&model, &next);
        let mut h = |state: &State| hamming.distance(state).map(|estimated| estimated.h);
        assert_eq!((h(&next), h(&start)), (Some(0), Some(3)), "q, x and the location");
        let mut trail = Trail::new(&model, &next);
        let mut h = |state: &State| trail.distance(state).map(|estimated| estimated.h);
        assert_eq!((h(&next), h(&start)), (Some(0), Some(3 + 2)));
    }
}
