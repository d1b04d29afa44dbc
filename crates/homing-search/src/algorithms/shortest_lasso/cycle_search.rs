//! The shortest cycle through a state of the ball.

use homing_core::{Cost, Stop};

use super::{Arc, Ball, rank};

/// Shortest cycles through a state, by pairs of a state and a set of marks.
pub(super) struct CycleSearch {
    all: u16,
    marks: usize,
    /// By pair: the round in which it was reached, and its distance then.
    reached: Vec<(u32, Cost)>,
    /// By pair, if paths are wanted: the pair before it, and the step.
    before: Vec<(usize, Arc)>,
    round: u32,
    waiting: Vec<Vec<usize>>,
}

impl CycleSearch {
    pub fn new(states: usize, all: u16) -> Self {
        let marks = usize::from(all) + 1;
        CycleSearch {
            all,
            marks,
            reached: vec![(0, 0); states * marks],
            before: Vec::new(),
            round: 0,
            waiting: Vec::new(),
        }
    }

    /// The length of the shortest cycle through a state that has all marks and is shorter than `room`.
    pub fn shortest<A: Copy>(
        &mut self,
        ball: &mut Ball<A>,
        component: &[u32],
        start: u32,
        room: Cost,
        states: Option<&mut Vec<(u32, Arc)>>,
    ) -> Result<Option<Cost>, Stop> {
        let (found, steps) = self.search(ball, component, start, room, states);
        ball.steps_left = ball.steps_left.saturating_sub(steps);
        if ball.steps_left == 0 { Err(Stop::GivenUp) } else { Ok(found) }
    }

    /// As [`Self::shortest`], without a limit on the effort.
    pub fn shortest_of<A: Copy>(
        &mut self,
        ball: &Ball<A>,
        component: &[u32],
        start: u32,
        room: Cost,
        states: Option<&mut Vec<(u32, Arc)>>,
    ) -> Option<Cost> {
        self.search(ball, component, start, room, states).0
    }

    fn search<A: Copy>(
        &mut self,
        ball: &Ball<A>,
        component: &[u32],
        start: u32,
        room: Cost,
        states: Option<&mut Vec<(u32, Arc)>>,
    ) -> (Option<Cost>, u64) {
        self.round += 1;
        self.waiting.iter_mut().for_each(Vec::clear);
        if states.is_some() && self.before.is_empty() {
            self.before = vec![(0, Arc { target: 0, cost: 0, marks: 0 }); self.reached.len()];
        }
        let (mut steps, mut room, mut last) = (0, room, None);
        let first = start as usize * self.marks;
        self.push(first, 0);
        let mut distance = 0;
        while (distance as usize) < self.waiting.len() && distance < room {
            while let Some(pair) = self.waiting[distance as usize].pop() {
                if self.reached[pair] != (self.round, distance) {
                    continue;
                }
                let (state, met) = ((pair / self.marks) as u32, (pair % self.marks) as u16);
                for arc in ball.arcs(state) {
                    steps += 1;
                    let (to, set, next) = (arc.target, met | ball.set(arc), distance + arc.cost);
                    let is_inside = component[to as usize] == component[start as usize];
                    if next >= room || !is_inside || rank(&ball.nodes, to) < rank(&ball.nodes, start) {
                        continue;
                    }
                    if to == start && set == self.all {
                        (room, last) = (next, Some((pair, *arc))); // from now on, only shorter ones
                        continue;
                    }
                    let target = to as usize * self.marks + usize::from(set);
                    let (round, known) = self.reached[target];
                    if round != self.round || next < known {
                        if states.is_some() {
                            self.before[target] = (pair, *arc);
                        }
                        self.push(target, next);
                    }
                }
            }
            distance += 1;
        }
        if let (Some((last, arc)), Some(states)) = (last, states) {
            *states = self.states(first, (last, arc));
        }
        (last.map(|_| room), steps)
    }

    fn push(&mut self, pair: usize, distance: Cost) {
        self.reached[pair] = (self.round, distance);
        if self.waiting.len() <= distance as usize {
            self.waiting.resize_with(distance as usize + 1, Vec::new);
        }
        self.waiting[distance as usize].push(pair);
    }

    /// The states of the cycle that a step from `last` closes, from the first to the first, each with the step that leads to it.
    fn states(&self, first: usize, (last, closing): (usize, Arc)) -> Vec<(u32, Arc)> {
        let mut backwards = vec![(closing.target, closing)];
        let mut at = last;
        while at != first {
            let (before, arc) = self.before[at];
            backwards.push(((at / self.marks) as u32, arc));
            at = before;
        }
        backwards.push((closing.target, closing));
        backwards.reverse();
        backwards
    }
}
