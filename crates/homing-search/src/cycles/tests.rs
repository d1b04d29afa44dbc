//! Every search for cycles against all sets of states of small random graphs.

use std::ops::ControlFlow;

use homing_core::{
    Cost, End, Labels, Limits, Outcome, Path, Pid, Seed, Selected, Selection, State, Step, TransitionSystem, Unwatched,
    Violation,
};
use homing_store::{ExactStore, TreeStore};

use super::{Cycles, FairCopies, Fairness};
use crate::ndfs::{self, Class, Colouring, Nested, Region};
use crate::testing::{Random, violation};
use crate::{Objective, OnError, StepOrder, recorded_scc, scc};

pub(crate) const PROCESSES: u8 = 3;

/// A step: where it leads, who moves, and its acceptance sets.
#[derive(Clone, Debug)]
pub(crate) struct Arrow {
    cost: Cost,
    target: u8,
    movers: Vec<Pid>,
    acceptance: u32,
}

/// A random graph; with `by_state` the steps of a state are all in the one acceptance set or none is.
#[derive(Clone, Debug)]
pub(crate) struct Net {
    arrows: Vec<Vec<Arrow>>,
    accepting: Vec<bool>,
    pub sets: u32,
}

impl Net {
    pub fn random(seed: u64, by_state: bool) -> Self {
        let mut random = Random(seed);
        let states = 1 + random.below(7);
        let sets = if by_state { 1 } else { random.below(3) as u32 };
        let accepting: Vec<bool> = (0..states).map(|_| random.below(3) == 0).collect();
        let mut arrow = |from: usize| {
            let mut movers: Vec<Pid> = vec![random.below(u64::from(PROCESSES)) as Pid];
            if random.below(5) == 0 {
                movers.push(random.below(u64::from(PROCESSES)) as Pid);
            }
            let any = random.below(1 << sets) as u32 & random.below(1 << sets) as u32;
            let acceptance = if by_state { u32::from(accepting[from]) } else { any };
            let cost = if random.below(4) == 0 { random.below(4) as Cost } else { 1 };
            Arrow { cost, target: random.below(states) as u8, movers, acceptance }
        };
        let counts: Vec<usize> = (0..states).map(|state| (seed as usize + state as usize * 7) % 4).collect();
        let arrows = counts.iter().enumerate().map(|(from, &count)| (0..count).map(|_| arrow(from)).collect());
        Net { arrows: arrows.collect(), accepting, sets }
    }

    /// A random graph of so many states in layers, a quarter in each: steps lead to the same layer or a later one. Only states of the
    /// second and the last are accepting; all of them if `full`.
    pub fn layered(seed: u64, states: u8, full: bool) -> Self {
        let mut random = Random(seed);
        let layer = |state: u8| Self::layer(state, states);
        let accepting: Vec<bool> =
            (0..states).map(|state| layer(state) % 2 == 1 && (full || random.below(4) == 0)).collect();
        let (steps, turns_back) = (2 + random.below(4), 1 + random.below(10));
        let arrows = (0..states).map(|from| {
            let mut to = Vec::new();
            for _ in 0..=random.below(steps) + u64::from(from == 0) * 4 {
                let back = if random.below(turns_back) == 0 { states / 4 } else { 0 };
                let target = from.saturating_sub(back) + random.below(u64::from(states / 3)) as u8;
                if target < states && layer(target) >= layer(from) && (target > from || back > 0) {
                    let (cost, acceptance) = (random.below(3) as Cost, u32::from(accepting[usize::from(from)]));
                    to.push(Arrow { cost, target, movers: vec![0], acceptance });
                }
            }
            to
        });
        Net { arrows: arrows.collect(), accepting, sets: 1 }
    }

    /// The layer of a state.
    pub fn layer(state: u8, states: u8) -> u32 {
        u32::from(state) * 4 / u32::from(states)
    }

    fn enabled(&self, state: usize) -> u32 {
        self.arrows[state].iter().fold(0, |all, arrow| all | 1 << arrow.movers[0])
    }

    fn reachable(&self) -> u32 {
        let mut reached = 1u32;
        loop {
            let states = (0..self.arrows.len()).filter(|state| reached & (1 << state) != 0);
            let next = states.flat_map(|state| &self.arrows[state]).fold(reached, |all, arrow| all | 1 << arrow.target);
            if next == reached {
                return reached;
            }
            reached = next;
        }
    }

    /// Whether a cycle visits exactly these states, with all steps between them, and is accepting and fair.
    fn is_error(&self, states: u32, fairness: Fairness) -> bool {
        let inside = |state: u8| states & (1 << state) != 0;
        let members: Vec<usize> = (0..self.arrows.len()).filter(|&state| states & (1 << state) != 0).collect();
        let inner =
            |state: usize| self.arrows[state].iter().filter(move |arrow| inside(arrow.target)).collect::<Vec<_>>();
        let connected = members.iter().all(|&from| {
            let mut reached = 0u32;
            let mut open = vec![from];
            while let Some(state) = open.pop() {
                for arrow in inner(state) {
                    if reached & (1 << arrow.target) == 0 {
                        reached |= 1 << arrow.target;
                        open.push(usize::from(arrow.target));
                    }
                }
            }
            reached == states
        });
        let edges: Vec<(usize, &Arrow)> =
            members.iter().flat_map(|&state| inner(state).into_iter().map(move |arrow| (state, arrow))).collect();
        connected && self.is_fulfilled(&edges, fairness)
    }

    /// Whether a cycle of these steps is accepting and fair.
    fn is_fulfilled(&self, edges: &[(usize, &Arrow)], fairness: Fairness) -> bool {
        let sets = edges.iter().fold(0, |all, (_, arrow)| all | arrow.acceptance);
        let is_fair = |pid: Pid| {
            let moves = edges.iter().any(|(_, arrow)| arrow.movers.contains(&pid));
            let can = |(state, _): &(usize, &Arrow)| self.enabled(*state) & (1 << pid) != 0;
            match fairness {
                Fairness::None => true,
                Fairness::Weak => moves || !edges.iter().all(can),
                Fairness::Strong => moves || !edges.iter().any(can),
            }
        };
        !edges.is_empty() && sets == (1 << self.sets) - 1 && (0..PROCESSES).all(is_fair)
    }

    fn has_error(&self, fairness: Fairness) -> bool {
        let reachable = self.reachable();
        (1..1u32 << self.arrows.len()).any(|states| states & !reachable == 0 && self.is_error(states, fairness))
    }

    /// The length of a shortest lasso to an error, by relaxation over all pairs of states and sets of marks.
    pub fn shortest(&self, fairness: Fairness) -> Option<Cost> {
        let count = self.arrows.len();
        let processes = if fairness == Fairness::Weak { u32::from(PROCESSES) } else { 0 };
        let bits = self.sets + processes;
        let marks = |from: usize, arrow: &Arrow| {
            let process = |pid: u32| {
                let serves = arrow.movers.contains(&(pid as Pid)) || self.enabled(from) & (1 << pid) == 0;
                u32::from(serves) << (self.sets + pid)
            };
            arrow.acceptance | (0..processes).fold(0, |all, pid| all | process(pid))
        };
        let relax = |start: usize, tracks: bool| {
            let mut distance = vec![vec![None::<Cost>; 1 << bits]; count];
            let mut closed = None::<Cost>;
            distance[start][0] = Some(0);
            loop {
                let mut changed = false;
                for from in 0..count {
                    for set in 0..1usize << bits {
                        let Some(so_far) = distance[from][set] else { continue };
                        for arrow in &self.arrows[from] {
                            let met = if tracks { set | marks(from, arrow) as usize } else { 0 };
                            let (to, next) = (usize::from(arrow.target), so_far + arrow.cost);
                            if tracks && to == start && met == (1 << bits) - 1 {
                                closed = Some(closed.map_or(next, |known| known.min(next)));
                            }
                            if distance[to][met].is_none_or(|known| next < known) {
                                distance[to][met] = Some(next);
                                changed = true;
                            }
                        }
                    }
                }
                if !changed {
                    return (distance, closed);
                }
            }
        };
        let (stems, _) = relax(0, false);
        let lassos = (0..count).filter_map(|start| Some(stems[start][0]? + relax(start, true).1?));
        lassos.min()
    }

    /// Executes a lasso: its cycle closes, and is an error.
    pub fn check(&self, path: &Path<usize>, fairness: Fairness) {
        let stem = path.cycle.expect("a lasso");
        let (mut at, mut start, mut edges, mut length) = (0, None, Vec::new(), 0);
        for (step, &action) in path.actions.iter().enumerate() {
            if step == stem {
                start = Some(at);
            }
            let arrow = &self.arrows[at][action];
            length += arrow.cost;
            if step >= stem {
                edges.push((at, arrow));
            }
            at = usize::from(arrow.target);
        }
        assert_eq!(start, Some(at), "the cycle closes");
        assert!(self.is_fulfilled(&edges, fairness), "{path:?} is no error of {self:?} under {fairness:?}");
        assert_eq!(path.length, length);
    }
}

impl TransitionSystem for Net {
    type Action = usize;

    fn initial(&self) -> Box<State> {
        Box::new([0])
    }

    fn for_each_step(
        &self,
        state: &State,
        _: Selection,
        mut visit: impl FnMut(Step<'_, usize>) -> ControlFlow<()>,
    ) -> Selected {
        for (action, arrow) in self.arrows[usize::from(state[0])].iter().enumerate() {
            let target = [arrow.target];
            let step = Step::to(action, action as u32, &target);
            if visit(Step { cost: arrow.cost, movers: &arrow.movers, acceptance: arrow.acceptance, ..step }).is_break()
            {
                break;
            }
        }
        Selected::ALL
    }

    fn labels(&self, state: &State) -> Labels {
        Labels { accepting: self.accepting[usize::from(state[0])], progress: false }
    }
}

pub(crate) fn agrees(net: &Net, outcome: Outcome<usize>, fairness: Fairness, seed: u64) {
    let expected = net.has_error(fairness);
    assert_eq!(outcome.path.is_some(), expected, "seed {seed}, {fairness:?}: {net:?}");
    assert_eq!(outcome.end, if expected { End::Found } else { End::Exhausted }, "seed {seed}");
    outcome.path.iter().for_each(|path| net.check(path, fairness));
}

fn cycles(net: &Net, fairness: Fairness, violation: &Violation) -> Outcome<usize> {
    let (limits, processes) = (Limits::default(), usize::from(PROCESSES));
    let cycles = Cycles { sets: net.sets, fairness, processes, violation };
    let objective = Objective::new(|_: &Violation| true, OnError::Stop, &limits);
    let tree = scc::search(net, &objective, &cycles, &mut TreeStore::new(), &mut Unwatched);
    let wide = Cycles { processes: 200, ..cycles };
    let exact = scc::search(net, &objective, &wide, &mut ExactStore::new(0), &mut Unwatched);
    assert_eq!(tree.path.map(|path| path.actions), exact.path.clone().map(|path| path.actions));
    assert_eq!(tree.stats.transitions(), exact.stats.transitions());
    exact
}

#[test]
fn components_find_accepting_and_fair_cycles() {
    let violation = violation("cycle");
    let mut found = [0; 3];
    for seed in 0..3000 {
        let net = Net::random(seed, seed % 2 == 0);
        for (at, fairness) in [Fairness::None, Fairness::Weak, Fairness::Strong].into_iter().enumerate() {
            let outcome = cycles(&net, fairness, &violation);
            found[at] += u32::from(outcome.path.is_some());
            agrees(&net, outcome, fairness, seed);
        }
    }
    assert!(found[0] > found[1] && found[1] > found[2] && found[2] > 300, "{found:?}");
}

#[test]
fn recorded_components_are_the_same_for_any_number_of_threads() {
    let (violation, limits) = (violation("cycle"), Limits::default());
    let objective = Objective::new(|_: &Violation| true, OnError::Stop, &limits);
    for seed in 0..3000 {
        let net = Net::random(seed, seed % 2 == 0);
        for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong] {
            let mut lassos = Vec::new();
            for (threads, processes) in [(1, usize::from(PROCESSES)), (1, 200), (2, usize::from(PROCESSES))] {
                if threads == 2 && !seed.is_multiple_of(20) {
                    continue; // threads take long to start
                }
                let cycles = Cycles { sets: net.sets, fairness, processes, violation: &violation };
                let (mut systems, mut store) = (vec![net.clone(); threads], TreeStore::new());
                let outcome = recorded_scc::search(&mut systems, &objective, &cycles, &mut store, &mut Unwatched);
                lassos.push((outcome.stats.states, outcome.stats.matched));
                agrees(&net, outcome, fairness, seed);
            }
            assert!(lassos.windows(2).all(|two| two[0] == two[1]), "seed {seed}: {lassos:?}");
        }
    }
}

#[test]
fn nested_searches_find_the_same_cycles() {
    let violation = violation("cycle");
    let (mut found, mut second, mut plain) = (0, 0, 0);
    for seed in 0..3000 {
        let net = Net::random(seed, true);
        let limits = Limits::default();
        let cycles = Cycles { sets: 1, fairness: Fairness::None, processes: 3, violation: &violation };
        let objective = Objective::new(|_: &Violation| true, OnError::Stop, &limits);
        let region = |state: &State| net.region(usize::from(state[0]));
        let all_in_p = |state: &State| Region { class: Class::P, ..net.region(usize::from(state[0])) };
        let regions: [Option<ndfs::RegionOf<'_>>; 3] = [None, Some(&region), Some(&all_in_p)];
        for (colouring, region) in
            [Colouring::Plain, Colouring::AllRed].into_iter().flat_map(|c| regions.map(|r| (c, r)))
        {
            let order = if seed % 3 == 0 { StepOrder::AsShown } else { StepOrder::Random(Seed::of_run(seed, 0)) };
            let mut store = TreeStore::new();
            let how = Nested { colouring, region, order };
            let outcome = ndfs::search(&net, &objective, &cycles, how, &mut store, &mut Unwatched);
            if outcome.path.is_none() && region.is_none() {
                let count = if colouring == Colouring::Plain { &mut plain } else { &mut second };
                *count += outcome.stats.revisited;
            }
            found += u32::from(outcome.path.is_some());
            agrees(&net, outcome, Fairness::None, seed);
        }
    }
    assert!(found > 1000 && second < plain && second > 0, "{found} {second} {plain}");
}

#[test]
fn copies_make_fair_cycles_accepting() {
    let violation = violation("cycle");
    let (mut fair, mut unfair) = (0, 0);
    for seed in 0..3000 {
        let net = Net::random(seed, true);
        let limits = Limits::default();
        let cycles = Cycles { sets: 1, fairness: Fairness::None, processes: 3, violation: &violation };
        let objective = Objective::new(|_: &Violation| true, OnError::Stop, &limits);
        for processes in [usize::from(PROCESSES), 200] {
            let copies = FairCopies::new(net.clone(), processes);
            for colouring in [Colouring::Plain, Colouring::AllRed] {
                let order = if seed % 2 == 0 { StepOrder::AsShown } else { StepOrder::Random(Seed::of_run(seed, 0)) };
                let how = Nested { colouring, region: None, order };
                let mut store = TreeStore::new();
                let outcome = ndfs::search(&copies, &objective, &cycles, how, &mut store, &mut Unwatched);
                fair += u32::from(outcome.path.is_some());
                unfair += u32::from(outcome.path.is_none() && net.has_error(Fairness::None));
                agrees(&net, outcome, Fairness::Weak, seed);
            }
        }
    }
    assert!(fair > 1000 && unfair > 300, "{fair} {unfair}");
}

/// Below a limit on the depth nothing is claimed, unless all steps were followed.
#[test]
fn a_limit_on_the_depth_hides_no_cycle_silently() {
    let violation = violation("cycle");
    let cycles = Cycles { sets: 1, fairness: Fairness::None, processes: 3, violation: &violation };
    for seed in 0..1000 {
        let net = Net::random(seed, true);
        for max_depth in 0..6 {
            let limits = Limits { max_depth: Some(max_depth), ..Limits::default() };
            let objective = Objective::new(|_: &Violation| true, OnError::Stop, &limits);
            let region = |state: &State| net.region(usize::from(state[0]));
            for region in [None, Some(&region as ndfs::RegionOf<'_>)] {
                let how = Nested { colouring: Colouring::AllRed, region, order: StepOrder::AsShown };
                let nested = ndfs::search(&net, &objective, &cycles, how, &mut TreeStore::new(), &mut Unwatched);
                let components = scc::search(&net, &objective, &cycles, &mut TreeStore::new(), &mut Unwatched);
                for outcome in [nested, components] {
                    assert!(outcome.end != End::Exhausted || !net.has_error(Fairness::None), "seed {seed}: {net:?}");
                    outcome.path.iter().for_each(|path| net.check(path, Fairness::None));
                }
            }
        }
    }
}

impl Net {
    /// The strongly connected component of a state in the whole graph, and its class.
    pub fn region(&self, state: usize) -> Region {
        let reach = |from: usize| {
            let mut reached = 1u32 << from;
            let mut open = vec![from];
            while let Some(at) = open.pop() {
                for arrow in &self.arrows[at] {
                    if reached & (1 << arrow.target) == 0 {
                        reached |= 1 << arrow.target;
                        open.push(usize::from(arrow.target));
                    }
                }
            }
            reached
        };
        let from_here = reach(state);
        let members: Vec<usize> = (0..self.arrows.len())
            .filter(|&other| from_here & (1 << other) != 0 && reach(other) & (1 << state) != 0)
            .collect();
        let accepting = members.iter().filter(|&&member| self.accepting[member]).count();
        let class = match accepting {
            0 => Class::N,
            all if all == members.len() => Class::F,
            _ => Class::P,
        };
        Region { component: members[0] as u32, class }
    }
}
