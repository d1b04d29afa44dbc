//! Readable trails: a run told with as few changes from one process to another as possible.
//!
//! Moves that do not depend on each other may change places. Among all orders that keep dependent moves in their order,
//! one with few switches is looked for: orders grow by whole runs of one process, all orders with the same number of
//! switches at a time, and of those that have come to the same point one is enough. A process that can go on does: to
//! come back for the rest later costs a switch more, and what the others can do only grows. When there are too many
//! orders those that have come furthest are followed, and the result need not be the best.

use std::collections::HashSet;

/// A move of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// The process that executes its first statement.
    pub first: u8,
    /// The process that executes its last: another one after a rendezvous.
    pub last: u8,
    /// The earlier moves that have to stay before it, as places in the run.
    pub after: Vec<usize>,
}

/// How many times the process changes from one move to the next.
pub fn switches(moves: &[Move], order: &[usize]) -> usize {
    order.windows(2).filter(|pair| moves[pair[0]].last != moves[pair[1]].first).count()
}

/// How much work an arrangement may take: about as many times a lane of an order is looked at.
const EFFORT: usize = 1_000_000;
/// The most orders followed at a time.
const WIDEST: usize = 256;

/// An order with few switches that keeps what depends on each other in order, and the last move last. It never has more
/// switches than the run as it is.
pub fn arrange(moves: &[Move]) -> Vec<usize> {
    let as_found: Vec<usize> = (0..moves.len()).collect();
    let arrangement = Arrangement::new(moves);
    let width = (EFFORT / (moves.len() * arrangement.lanes.len()).max(1)).clamp(1, WIDEST);
    match arrangement.search(width) {
        Some(order) if switches(moves, &order) < switches(moves, &as_found) => order,
        _ => as_found,
    }
}

/// What a move of a lane adds to the sum of an order.
fn odd(lane: usize) -> u64 {
    let mixed = (lane as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) | 1
}

struct Arrangement<'a> {
    moves: &'a [Move],
    /// The moves that each process begins, in order. A process is a lane.
    lanes: Vec<Vec<usize>>,
}

/// An order under way.
#[derive(Clone)]
struct Order {
    /// How many moves of each lane are done.
    done: Vec<u32>,
    /// A sum over what is done that tells orders apart which have come to different points.
    point: u64,
    count: usize,
    /// Who executed the last statement.
    last: Option<u8>,
    /// The runs it consists of, as a list that orders share: an index into the search's arena.
    runs: Option<usize>,
}

/// A run of moves of one lane, behind another run.
struct Run {
    before: Option<usize>,
    lane: usize,
    moves: u32,
}

impl<'a> Arrangement<'a> {
    fn new(moves: &'a [Move]) -> Self {
        let mut lanes: Vec<Vec<usize>> = Vec::new();
        let mut lane_of = [None; 256]; // by process
        for (at, one) in moves.iter().enumerate() {
            let lane = *lane_of[one.first as usize].get_or_insert(lanes.len() as u8);
            if lane as usize == lanes.len() {
                lanes.push(Vec::new());
            }
            lanes[lane as usize].push(at);
        }
        Arrangement { moves, lanes }
    }

    fn search(&self, width: usize) -> Option<Vec<usize>> {
        let place = self.places();
        let mut arena: Vec<Run> = Vec::new();
        let mut layer = vec![Order { done: vec![0; self.lanes.len()], point: 0, count: 0, last: None, runs: None }];
        while !layer.is_empty() {
            let mut next: Vec<Order> = Vec::new();
            let mut seen = HashSet::new();
            let mut at = 0;
            // handshakes that cost no switch lengthen the layer itself
            while at < layer.len() {
                for lane in 0..self.lanes.len() {
                    let order = &layer[at];
                    let Some((longer, moves)) = self.run_on(order, lane, &place) else { continue };
                    // should two points have the same sum, an order is lost that need not be the best
                    if !seen.insert((longer.point, longer.last)) {
                        continue;
                    }
                    arena.push(Run { before: order.runs, lane, moves });
                    let longer = Order { runs: Some(arena.len() - 1), ..longer };
                    if longer.count == self.moves.len() {
                        return Some(self.spell(&arena, longer.runs));
                    }
                    let first = self.moves[self.lanes[lane][order.done[lane] as usize]].first;
                    if order.last.is_none_or(|last| last == first) {
                        layer.push(longer);
                    } else {
                        next.push(longer);
                    }
                }
                at += 1;
            }
            next.sort_by_key(|order| std::cmp::Reverse(order.count));
            next.truncate(width);
            layer = next;
        }
        None
    }

    /// The lane and place in its lane of each move.
    fn places(&self) -> Vec<(u8, u32)> {
        let mut place = vec![(0, 0); self.moves.len()];
        for (lane, moves) in self.lanes.iter().enumerate() {
            for (nth, &at) in moves.iter().enumerate() {
                place[at] = (lane as u8, nth as u32);
            }
        }
        place
    }

    /// The order with as many more moves of a lane as are possible at a stretch; a move that ends with another process
    /// ends the stretch.
    fn run_on(&self, order: &Order, lane: usize, place: &[(u8, u32)]) -> Option<(Order, u32)> {
        if !self.may(order, lane, place) {
            return None;
        }
        let mut longer = order.clone();
        while self.may(&longer, lane, place) {
            let one = &self.moves[self.lanes[lane][longer.done[lane] as usize]];
            longer.done[lane] += 1;
            longer.point = longer.point.wrapping_add(odd(lane));
            longer.count += 1;
            longer.last = Some(one.last);
            if one.last != one.first {
                break;
            }
        }
        let moves = longer.done[lane] - order.done[lane];
        Some((longer, moves))
    }

    /// Whether the next move of a lane is possible.
    fn may(&self, order: &Order, lane: usize, place: &[(u8, u32)]) -> bool {
        let Some(&at) = self.lanes[lane].get(order.done[lane] as usize) else { return false };
        let is_last = at + 1 == self.moves.len();
        let is_ready = self.moves[at].after.iter().all(|&earlier| {
            let (lane, nth) = place[earlier];
            order.done[lane as usize] > nth
        });
        is_ready && (!is_last || order.count + 1 == self.moves.len())
    }

    fn spell(&self, arena: &[Run], last: Option<usize>) -> Vec<usize> {
        let mut runs = Vec::new();
        let mut at = last;
        while let Some(run) = at {
            runs.push(&arena[run]);
            at = arena[run].before;
        }
        let mut done = vec![0; self.lanes.len()];
        let mut order = Vec::with_capacity(self.moves.len());
        for run in runs.into_iter().rev() {
            let from = done[run.lane];
            done[run.lane] += run.moves as usize;
            order.extend_from_slice(&self.lanes[run.lane][from..done[run.lane]]);
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run given by its processes and the dependencies besides those of each process on itself.
    fn run(processes: &[u8], extra: &[(usize, usize)]) -> Vec<Move> {
        let mut moves: Vec<Move> = Vec::new();
        for (at, &process) in processes.iter().enumerate() {
            let own = (0..at).rev().find(|&earlier| processes[earlier] == process);
            let others = extra.iter().filter(|(_, later)| *later == at).map(|(earlier, _)| *earlier);
            moves.push(Move { first: process, last: process, after: own.into_iter().chain(others).collect() });
        }
        moves
    }

    fn arranged(moves: &[Move]) -> (Vec<usize>, usize) {
        let order = arrange(moves);
        let mut place = vec![0; moves.len()];
        order.iter().enumerate().for_each(|(at, &one)| place[one] = at);
        for (at, one) in moves.iter().enumerate() {
            assert!(one.after.iter().all(|&earlier| place[earlier] < place[at]), "{order:?}");
        }
        let count = switches(moves, &order);
        (order, count)
    }

    #[test]
    fn independent_moves_stand_together() {
        let moves = run(&[0, 1, 0, 1, 0, 1], &[]);
        assert_eq!(arranged(&moves), (vec![0, 2, 4, 1, 3, 5], 1));
        assert_eq!(arranged(&[]), (vec![], 0));
        assert_eq!(arranged(&run(&[3], &[])), (vec![0], 0));
    }

    #[test]
    fn the_last_move_stays_last() {
        let (order, count) = arranged(&run(&[0, 1, 0, 1, 0], &[]));
        assert_eq!((order.last(), count), (Some(&4), 1));
    }

    #[test]
    fn what_depends_stays_in_order() {
        // each waits for the one before it
        let moves = run(&[0, 1, 0, 1], &[(0, 1), (1, 2), (2, 3)]);
        assert_eq!(arranged(&moves), (vec![0, 1, 2, 3], 3));
    }

    #[test]
    fn a_rendezvous_hands_over_without_a_switch() {
        let mut moves = run(&[0, 1, 0, 1, 1], &[]);
        moves[2].last = 1; // 0 meets 1
        moves[2].after = vec![0, 1];
        moves[3].after.push(2);
        assert_eq!(arranged(&moves).1, 1);
    }

    #[test]
    fn a_long_run_is_arranged_too() {
        let processes: Vec<u8> = (0..100_000).map(|at| (at % 5) as u8).collect();
        assert_eq!(arranged(&run(&processes, &[])).1, 4);
    }
}
