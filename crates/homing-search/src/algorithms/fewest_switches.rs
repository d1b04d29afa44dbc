//! Among the shortest paths to an error, one on which the process changes as seldom as possible.
//!
//! Shortest paths consist of shortest paths, so a state is only left by those that reached it first. They differ in who
//! moved last and in how often the process changed until then: for each process that can have moved last, the fewest
//! changes are kept. States have their turn by the length of their paths (Dijkstra, with a list for each length).

use std::collections::HashMap;
use std::ops::ControlFlow;

use homing_core::{Cost, Path, Pid, Selection, State, Stats, Target, TransitionSystem, Violation};

/// What is looked for, and how much may be done for it.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// That of the shortest path to an error, statements.
    pub length: Cost,
    /// Fewer changes than this.
    pub below: u32,
    /// Steps that may be looked at.
    pub steps: u64,
    /// States that may be expanded.
    pub expansions: u64,
}

/// A path of the wanted length with the fewest changes, and what it took to find it. None if there is none with fewer than asked
/// for, or if it takes too many steps or states to say, or the system was asked to stop.
pub fn search<T: TransitionSystem>(
    system: &T,
    is_error: impl Fn(&Violation) -> bool,
    wanted: Wanted,
) -> (Option<Path<T::Action>>, Stats) {
    let mut stats = Stats::default();
    let path = search_counted(system, is_error, wanted, &mut stats);
    (path, stats)
}

fn search_counted<T: TransitionSystem>(
    system: &T,
    is_error: impl Fn(&Violation) -> bool,
    wanted: Wanted,
    stats: &mut Stats,
) -> Option<Path<T::Action>> {
    let mut paths = Paths::new(wanted.length);
    paths.reach(0, &system.initial(), [Way { last: None, switches: 0, before: None }].into_iter());
    let mut best: Option<(u32, Came<T::Action>, Violation)> = None;
    let (mut steps, mut is_stopped) = (0, false);
    for g in 0..=wanted.length {
        for id in std::mem::take(&mut paths.waiting[g as usize]) {
            let node = &paths.nodes[id as usize];
            if node.g < g {
                continue; // a shorter path was found later
            }
            let (state, ways) = (node.state.clone(), node.ways.clone());
            stats.expanded += 1;
            system.for_each_step(&state, Selection::All, |step| {
                steps += 1;
                is_stopped |= step.is_stop();
                let below = best.as_ref().map_or(wanted.below, |(switches, ..)| *switches);
                let longer = ways.iter().enumerate().filter_map(|(way, from)| {
                    let switches = from.switches + switches_after(from.last, step.movers);
                    let before = Some(Came { node: id, way: way as u32, action: step.action });
                    let last = step.movers.last().copied().or(from.last);
                    (switches < below).then_some(Way { last, switches, before })
                });
                let length = g.saturating_add(step.cost);
                match step.target {
                    Target::State(target) if length <= wanted.length => paths.reach(length, target, longer),
                    Target::Violation(violation) if length == wanted.length && is_error(&violation) => {
                        if let Some(way) = longer.min_by_key(|way| way.switches) {
                            let came = way.before.expect("a step leads to an error");
                            best = Some((way.switches, came, violation));
                        }
                    }
                    _ => {}
                }
                if steps < wanted.steps { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
            let states = paths.nodes.len() as u64;
            let bytes = 2 * size_of_val(&*state) + size_of::<Node<T::Action>>() + size_of::<Way<T::Action>>();
            *stats = Stats { states, peak_states: states, max_depth: g, memory: states * bytes as u64, ..*stats };
            if steps >= wanted.steps || stats.expanded >= wanted.expansions || is_stopped {
                return None;
            }
        }
    }
    let (_, came, violation) = best?;
    Some(Path { shortest: true, ..Path::finite(paths.actions(came), wanted.length, violation) })
}

/// How often the process changes in a step if `last` moved before it.
fn switches_after(last: Option<Pid>, movers: &[Pid]) -> u32 {
    let Some((first, others)) = movers.split_first() else { return 0 };
    u32::from(last.is_some_and(|last| last != *first)) + others.len() as u32
}

/// One of the shortest paths to a state: with the fewest changes of those that end with a move of a certain process.
#[derive(Clone, Copy)]
struct Way<A> {
    last: Option<Pid>,
    switches: u32,
    before: Option<Came<A>>,
}

/// The step that a path ends with, and the way it continues.
#[derive(Clone, Copy)]
struct Came<A> {
    node: u32,
    way: u32,
    action: A,
}

struct Node<A> {
    state: Box<State>,
    g: Cost,
    ways: Vec<Way<A>>,
}

impl<A> Node<A> {
    fn take(&mut self, way: Way<A>) {
        match self.ways.iter_mut().find(|known| known.last == way.last) {
            Some(known) if known.switches <= way.switches => {}
            Some(known) => *known = way,
            None => self.ways.push(way),
        }
    }
}

/// All that was reached.
struct Paths<A> {
    known: HashMap<Box<State>, u32>,
    nodes: Vec<Node<A>>,
    /// By the length of their paths; a state may be in two lists.
    waiting: Vec<Vec<u32>>,
}

impl<A: Copy> Paths<A> {
    fn new(length: Cost) -> Self {
        Paths { known: HashMap::new(), nodes: Vec::new(), waiting: (0..=length).map(|_| Vec::new()).collect() }
    }

    /// These ways lead to a state by paths of length `g`.
    fn reach(&mut self, g: Cost, state: &State, ways: impl Iterator<Item = Way<A>>) {
        let mut ways = ways.peekable();
        if ways.peek().is_none() {
            return;
        }
        let id = self.known.get(state).copied().unwrap_or_else(|| self.add(state));
        let node = &mut self.nodes[id as usize];
        if g < node.g {
            node.g = g;
            node.ways.clear();
            self.waiting[g as usize].push(id);
        }
        if g == node.g {
            ways.for_each(|way| node.take(way));
        }
    }

    fn add(&mut self, state: &State) -> u32 {
        let id = self.nodes.len() as u32;
        self.known.insert(state.into(), id);
        self.nodes.push(Node { state: state.into(), g: Cost::MAX, ways: Vec::new() });
        id
    }

    fn actions(&self, last: Came<A>) -> Vec<A> {
        let mut actions = Vec::new();
        let mut at = Some(last);
        while let Some(Came { node, way, action }) = at {
            actions.push(action);
            at = self.nodes[node as usize].ways[way as usize].before;
        }
        actions.reverse();
        actions
    }
}

#[cfg(test)]
mod tests {
    use homing_core::{Selected, Step, ViolationKind};

    use super::*;

    /// Processes that count on, each by itself: the error is where all have come to `goal`. A handshake of the first two
    /// takes both of them on, in one step of two statements.
    struct Counters {
        goal: Vec<u8>,
        handshake: bool,
    }

    impl TransitionSystem for Counters {
        type Action = u8;

        fn initial(&self) -> Box<State> {
            vec![0; self.goal.len()].into()
        }

        fn for_each_step(
            &self,
            state: &State,
            _: Selection,
            mut visit: impl FnMut(Step<'_, u8>) -> ControlFlow<()>,
        ) -> Selected {
            if *state == self.goal[..] {
                let kind = ViolationKind::Invariant;
                let violation = Violation { kind, message: String::new(), place: None, process: None };
                let _ = visit(Step::violating(u8::MAX, 0, 0, violation));
                return Selected::ALL;
            }
            let mut show = |action: u8, movers: &[Pid]| {
                let mut target = state.to_vec();
                movers.iter().for_each(|&mover| target[usize::from(mover)] += 1);
                let cost = movers.len() as Cost;
                visit(Step { movers, cost, ..Step::to(action, action.into(), &target) })
            };
            let mut going = (0..state.len() as Pid).map(|mover| show(mover, &[mover]));
            if going.all(|going| going.is_continue()) && self.handshake {
                let _ = show(9, &[0, 1]);
            }
            Selected::ALL
        }
    }

    fn actions(goal: &[u8], handshake: bool, below: u32) -> Option<Vec<u8>> {
        let wanted = Wanted {
            length: goal.iter().map(|&steps| Cost::from(steps)).sum(),
            below,
            steps: 10_000,
            expansions: 10_000,
        };
        search(&Counters { goal: goal.to_vec(), handshake }, |_| true, wanted).0.map(|path| path.actions)
    }

    #[test]
    fn each_process_moves_at_a_stretch() {
        let path = actions(&[3, 2, 4], false, 8).expect("there is a path");
        assert_eq!(path.windows(2).filter(|pair| pair[0] != pair[1]).count(), 3); // the last is the error itself
        assert_eq!(path.len(), 10);
    }

    #[test]
    fn a_handshake_hands_over() {
        // two of each: 0 0 1 1 changes once, and so does 0 9 1
        assert_eq!(actions(&[2, 2], true, 1), None);
        assert!(actions(&[2, 2], true, 2).is_some());
    }

    #[test]
    fn there_is_a_limit_to_the_work() {
        for (steps, expansions) in [(20, 1000), (1000, 20)] {
            let wanted = Wanted { length: 12, below: 12, steps, expansions };
            let (path, stats) = search(&Counters { goal: vec![4; 3], handshake: false }, |_| true, wanted);
            assert!(path.is_none() && stats.expanded <= 20, "{stats:?}");
        }
        let enough = Wanted { length: 12, below: 12, steps: 10_000, expansions: 10_000 };
        assert!(search(&Counters { goal: vec![4; 3], handshake: false }, |_| true, enough).0.is_some());
    }
}
