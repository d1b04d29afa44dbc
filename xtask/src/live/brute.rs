//! Lengths of shortest lassos by the simplest method: for each state a search over pairs of a state and the marks met so
//! far, back to it. The length is the number of statements of stem and cycle.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::configurations::Fairness;
use super::judge::{Edge, Graph};

/// The most pairs of a state and a set of marks.
const MOST_PAIRS: usize = 1 << 20;

/// The most pairs that are visited in all.
const MOST_VISITS: usize = 1 << 26;

impl Graph {
    /// The length of the shortest error of a fair run: the outer value is none if finding it takes too long, the inner one
    /// if there is none. Not for strong fairness.
    pub fn shortest(&self, fairness: Fairness) -> Option<Option<u64>> {
        let wanted = self.wanted(fairness)?;
        let mut visits = 0;
        let distances = self.distances((0, 0), None, u64::MAX, &mut visits, |_| 0, 0)?;
        let errors = (0..self.edges.len()).filter(|&state| self.is_error[state]);
        let mut best = errors.map(|state| distances[state]).min().unwrap_or(u64::MAX);
        let mut nearest: Vec<usize> = (0..self.edges.len()).collect();
        nearest.sort_by_key(|&state| distances[state]);
        let bits = wanted.len() as u32;
        for start in nearest {
            let room = best.saturating_sub(distances[start]);
            if room == 0 {
                break;
            }
            let all = (1usize << bits) - 1;
            let marks = |(state, edge): (usize, &Edge)| self.set(&wanted, state, edge);
            let goal = Some((start, all));
            let found = self.distances((start, 0), goal, room, &mut visits, marks, bits)?;
            let length = found[start << bits | all];
            best = best.min(distances[start].saturating_add(length));
        }
        Some((best < u64::MAX).then_some(best))
    }

    /// The marks that a cycle needs; none if there are too many, or these do not say which cycles are fair.
    fn wanted(&self, fairness: Fairness) -> Option<Vec<Mark>> {
        let mut wanted: Vec<Mark> = (0..self.sets).map(Mark::Set).collect();
        match fairness {
            Fairness::None => {}
            Fairness::Weak => {
                wanted.extend((0..64).map(|pid| 1 << pid).filter(|pid| self.processes & pid != 0).map(Mark::Process));
            }
            Fairness::Strong => return None,
        }
        (self.edges.len() << wanted.len() <= MOST_PAIRS).then_some(wanted)
    }

    /// The marks of an edge, a bit for each. A process is treated fairly by a step that it makes, and where it cannot move.
    fn set(&self, wanted: &[Mark], state: usize, edge: &Edge) -> usize {
        let has = |mark: &Mark| match *mark {
            Mark::Set(set) => edge.marks >> set & 1 == 1,
            Mark::Process(pid) => edge.movers & pid != 0 || self.enabled[state] & pid == 0,
        };
        wanted.iter().enumerate().fold(0, |all, (bit, mark)| all | usize::from(has(mark)) << bit)
    }

    /// The distances of pairs from a pair (Dijkstra 1959), up to `room`; that of the goal by a path of at least one step.
    /// None if it takes too long.
    fn distances(
        &self,
        from: (usize, usize),
        goal: Option<(usize, usize)>,
        room: u64,
        visits: &mut usize,
        marks: impl Fn((usize, &Edge)) -> usize,
        bits: u32,
    ) -> Option<Vec<u64>> {
        let place = |(state, set): (usize, usize)| state << bits | set;
        let mut known = vec![u64::MAX; self.edges.len() << bits];
        *visits += known.len() / 16;
        let mut queue = BinaryHeap::from([(Reverse(0), from)]);
        let mut is_first = goal.is_some();
        known[place(from)] = if is_first { u64::MAX } else { 0 };
        while let Some((Reverse(distance), (state, set))) = queue.pop() {
            *visits += 1;
            if *visits > MOST_VISITS {
                return None;
            }
            let is_old = distance > known[place((state, set))];
            if is_old || (Some((state, set)) == goal && !is_first) {
                continue;
            }
            is_first = false;
            for edge in &self.edges[state] {
                let pair = (edge.target, set | marks((state, edge)));
                let length = distance + edge.cost;
                if length < room && length < known[place(pair)] {
                    known[place(pair)] = length;
                    queue.push((Reverse(length), pair));
                }
            }
        }
        Some(known)
    }
}

/// What a cycle has to meet.
enum Mark {
    /// An acceptance set.
    Set(u32),
    /// A process, as its bit.
    Process(u64),
}

#[cfg(test)]
mod tests {
    use super::super::models::Kind;
    use super::*;

    fn check(text: &str, kind: Kind, expected: [Option<u64>; 2]) {
        let graph = Graph::of_model(text, kind).expect("a small model");
        let found = [Fairness::None, Fairness::Weak].map(|fairness| graph.shortest(fairness));
        assert_eq!(found, expected.map(Some), "{text}");
    }

    #[test]
    fn stem_and_cycle() {
        let text = "byte x; active proctype A() { x = 1; x = 2; accept: do :: x = 3; x = 2 od }";
        check(text, Kind::Accept, [Some(4), Some(4)]);
        // the other process has to move too, or to have ended
        let text = "bit x; active proctype A() { accept: do :: x = 1 - x od } active proctype B() { x = 0; x = 0 }";
        check(text, Kind::Accept, [Some(2), Some(5)]);
    }

    #[test]
    fn stuttering_costs_nothing() {
        check("byte x; active proctype A() { x = 1 } ltl p { <> (x == 2) }", Kind::Ltl, [Some(2), Some(2)]);
        check("byte x; active proctype A() { x = 1 } ltl p { [] (x == 0) }", Kind::Ltl, [Some(1), Some(1)]);
        check("byte x; active proctype A() { x = 1 } ltl p { <> (x == 1) }", Kind::Ltl, [None, None]);
        check(
            "byte x; active proctype A() { x = 1 } never { do :: x == 1 -> break :: true od }",
            Kind::Never,
            [Some(1), Some(1)],
        );
    }
}
