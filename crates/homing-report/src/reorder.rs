//! Readable counterexamples: a run in an order with few changes from one process to another (context switches).
//!
//! Independent moves may be exchanged: all orders that keep dependent moves in their order are linearisations of one
//! Mazurkiewicz trace. The search for one with few switches extends prefixes by segments, maximal sequences of moves of
//! one process, and follows all prefixes with the same number of switches at a time; of prefixes of the same moves one
//! is enough. A process that can go on does: coming back for the rest costs a switch more, and what the others can do
//! only grows. If there are too many prefixes, the longest are followed (a beam search), and the result need not be the
//! best.

use std::collections::HashSet;

/// A move of a run, as an event of a trace: its processes and the moves it depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceEvent {
    /// The process that executes its first statement.
    pub first: u8,
    /// The process that executes its last statement: another one after a rendezvous.
    pub last: u8,
    /// The earlier moves that have to stay before it, by index in the run.
    pub depends_on: Vec<usize>,
}

/// The number of switches from one process to another.
fn switches(events: &[TraceEvent], order: &[usize]) -> usize {
    order.windows(2).filter(|pair| events[pair[0]].last != events[pair[1]].first).count()
}

/// A bound of the work: about how often a prefix is tried to be extended by a process.
const EFFORT: usize = 1_000_000;
/// The greatest number of prefixes followed at a time.
const MAX_WIDTH: usize = 256;

/// Finds an order with few switches that keeps dependent moves in their order and the last move last. It never has more
/// switches than the run itself.
pub fn reorder(events: &[TraceEvent]) -> Vec<usize> {
    let as_found: Vec<usize> = (0..events.len()).collect();
    let trace = Trace::new(events);
    let width = (EFFORT / (events.len() * trace.lanes.len()).max(1)).clamp(1, MAX_WIDTH);
    match trace.search(width) {
        Some(order) if switches(events, &order) < switches(events, &as_found) => order,
        _ => as_found,
    }
}

/// What a move of a lane adds to [`Prefix::fingerprint`]: a random-looking odd number.
fn weight(lane: usize) -> u64 {
    let mixed = (lane as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) | 1
}

struct Trace<'a> {
    events: &'a [TraceEvent],
    /// By lane, which is a process: the moves that it begins, in order.
    lanes: Vec<Vec<usize>>,
}

/// The position of a move: its lane, and its index in the lane.
type Position = (u8, u32);

/// A prefix of an order.
#[derive(Clone)]
struct Prefix {
    /// By lane: the number of its moves in the prefix.
    done: Vec<u32>,
    /// A sum over the moves in the prefix, by which prefixes of different moves are distinguished.
    fingerprint: u64,
    length: usize,
    /// The process that executed the last statement.
    last: Option<u8>,
    /// The last segment, by index in the arena of the search: prefixes share segments.
    segment: Option<usize>,
}

/// A sequence of moves of one lane, after another segment.
struct Segment {
    before: Option<usize>,
    lane: usize,
    moves: u32,
}

impl<'a> Trace<'a> {
    fn new(events: &'a [TraceEvent]) -> Self {
        let mut lanes: Vec<Vec<usize>> = Vec::new();
        let mut lane_of = [None; 256]; // by process
        for (at, event) in events.iter().enumerate() {
            let lane = *lane_of[event.first as usize].get_or_insert(lanes.len() as u8);
            if lane as usize == lanes.len() {
                lanes.push(Vec::new());
            }
            lanes[lane as usize].push(at);
        }
        Trace { events, lanes }
    }

    /// A beam search by the number of switches.
    fn search(&self, width: usize) -> Option<Vec<usize>> {
        let positions = self.positions();
        let mut arena: Vec<Segment> = Vec::new();
        let empty = Prefix { done: vec![0; self.lanes.len()], fingerprint: 0, length: 0, last: None, segment: None };
        let mut layer = vec![empty];
        while !layer.is_empty() {
            let mut next: Vec<Prefix> = Vec::new();
            let mut seen = HashSet::new();
            let mut at = 0;
            // a segment that costs no switch, after a rendezvous, extends the layer itself
            while at < layer.len() {
                for lane in 0..self.lanes.len() {
                    let prefix = &layer[at];
                    let Some((longer, moves)) = self.extend(prefix, lane, &positions) else { continue };
                    // if two fingerprints collide a prefix is lost, and the result need not be the best
                    if !seen.insert((longer.fingerprint, longer.last)) {
                        continue;
                    }
                    arena.push(Segment { before: prefix.segment, lane, moves });
                    let longer = Prefix { segment: Some(arena.len() - 1), ..longer };
                    if longer.length == self.events.len() {
                        return Some(self.order(&arena, longer.segment));
                    }
                    let first = self.events[self.lanes[lane][prefix.done[lane] as usize]].first;
                    if prefix.last.is_none_or(|last| last == first) {
                        layer.push(longer);
                    } else {
                        next.push(longer);
                    }
                }
                at += 1;
            }
            next.sort_by_key(|prefix| std::cmp::Reverse(prefix.length));
            next.truncate(width);
            layer = next;
        }
        None
    }

    fn positions(&self) -> Vec<Position> {
        let mut positions = vec![(0, 0); self.events.len()];
        for (lane, moves) in self.lanes.iter().enumerate() {
            for (nth, &at) in moves.iter().enumerate() {
                positions[at] = (lane as u8, nth as u32);
            }
        }
        positions
    }

    /// Extends a prefix by as many moves of a lane as are possible in a row, and returns their number too. A move whose
    /// last statement is another process's ends the segment.
    fn extend(&self, prefix: &Prefix, lane: usize, positions: &[Position]) -> Option<(Prefix, u32)> {
        if !self.is_possible(prefix, lane, positions) {
            return None;
        }
        let mut longer = prefix.clone();
        while self.is_possible(&longer, lane, positions) {
            let event = &self.events[self.lanes[lane][longer.done[lane] as usize]];
            longer.done[lane] += 1;
            longer.fingerprint = longer.fingerprint.wrapping_add(weight(lane));
            longer.length += 1;
            longer.last = Some(event.last);
            if event.last != event.first {
                break;
            }
        }
        let moves = longer.done[lane] - prefix.done[lane];
        Some((longer, moves))
    }

    /// Whether the next move of a lane can follow the prefix.
    fn is_possible(&self, prefix: &Prefix, lane: usize, positions: &[Position]) -> bool {
        let Some(&at) = self.lanes[lane].get(prefix.done[lane] as usize) else { return false };
        let is_last = at + 1 == self.events.len();
        let is_ready = self.events[at].depends_on.iter().all(|&earlier| {
            let (lane, nth) = positions[earlier];
            prefix.done[lane as usize] > nth
        });
        is_ready && (!is_last || prefix.length + 1 == self.events.len())
    }

    /// The moves of a chain of segments, in order.
    fn order(&self, arena: &[Segment], last: Option<usize>) -> Vec<usize> {
        let mut segments = Vec::new();
        let mut at = last;
        while let Some(segment) = at {
            segments.push(&arena[segment]);
            at = arena[segment].before;
        }
        let mut done = vec![0; self.lanes.len()];
        let mut order = Vec::with_capacity(self.events.len());
        for segment in segments.into_iter().rev() {
            let from = done[segment.lane];
            done[segment.lane] += segment.moves as usize;
            order.extend_from_slice(&self.lanes[segment.lane][from..done[segment.lane]]);
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run given by its processes and the dependencies besides those of each process on itself.
    fn run(processes: &[u8], extra: &[(usize, usize)]) -> Vec<TraceEvent> {
        let mut moves: Vec<TraceEvent> = Vec::new();
        for (at, &process) in processes.iter().enumerate() {
            let own = (0..at).rev().find(|&earlier| processes[earlier] == process);
            let others = extra.iter().filter(|(_, later)| *later == at).map(|(earlier, _)| *earlier);
            moves.push(TraceEvent {
                first: process,
                last: process,
                depends_on: own.into_iter().chain(others).collect(),
            });
        }
        moves
    }

    fn reordered(moves: &[TraceEvent]) -> (Vec<usize>, usize) {
        let order = reorder(moves);
        let mut place = vec![0; moves.len()];
        order.iter().enumerate().for_each(|(at, &one)| place[one] = at);
        for (at, one) in moves.iter().enumerate() {
            assert!(one.depends_on.iter().all(|&earlier| place[earlier] < place[at]), "{order:?}");
        }
        let count = switches(moves, &order);
        (order, count)
    }

    #[test]
    fn independent_moves_are_grouped_by_process() {
        let moves = run(&[0, 1, 0, 1, 0, 1], &[]);
        assert_eq!(reordered(&moves), (vec![0, 2, 4, 1, 3, 5], 1));
        assert_eq!(reordered(&[]), (vec![], 0));
        assert_eq!(reordered(&run(&[3], &[])), (vec![0], 0));
    }

    #[test]
    fn the_last_move_stays_last() {
        let (order, count) = reordered(&run(&[0, 1, 0, 1, 0], &[]));
        assert_eq!((order.last(), count), (Some(&4), 1));
    }

    #[test]
    fn dependent_moves_stay_in_order() {
        // each waits for the one before it
        let moves = run(&[0, 1, 0, 1], &[(0, 1), (1, 2), (2, 3)]);
        assert_eq!(reordered(&moves), (vec![0, 1, 2, 3], 3));
    }

    #[test]
    fn after_a_rendezvous_the_receiver_goes_on_without_a_switch() {
        let mut moves = run(&[0, 1, 0, 1, 1], &[]);
        moves[2].last = 1; // 0 meets 1
        moves[2].depends_on = vec![0, 1];
        moves[3].depends_on.push(2);
        assert_eq!(reordered(&moves).1, 1);
    }

    #[test]
    fn a_long_run_is_reordered_too() {
        let processes: Vec<u8> = (0..100_000).map(|at| (at % 5) as u8).collect();
        assert_eq!(reordered(&run(&processes, &[])).1, 4);
    }
}
