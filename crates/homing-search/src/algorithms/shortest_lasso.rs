//! Shortest lassos, by breadth-first search over recorded steps.
//!
//! A lasso that is shorter than a known one lies among the states whose distance from the initial state is less than that length.
//! So states are expanded by increasing distance, and their steps recorded (the *ball*). Now and then the ball is divided into
//! strongly connected components; for each state `x` of a component that has all marks, nearest first, a search over pairs of a
//! state and the set of marks met so far finds the shortest cycle through `x` that is an error. A lasso can be entered at any state
//! of its cycle, and is shortest if that is the one nearest to the initial state: so the search from `x` leaves out states that come
//! before `x`. It is cut at the length of the best lasso, and growing the ball ends there too.
//!
//! Compare Schuppan & Biere 2005, who search pairs of a state and a saved state; the pairs are the same, but most are cut off.
//! Errors that end a finite run count as lassos without a cycle.

use std::ops::ControlFlow;

use homing_core::{
    Changed, Cost, End, Outcome, Path, Progress, Selection, StateId, Stats, Step, Stop, Target, TransitionSystem,
    Violation, Watch,
};
use homing_store::LoadById;

use crate::Objective;
use crate::cycles::{Cycles, Expander, Fairness, Lasso, Marks};
use crate::limits::Budget;

/// What limits the search for a shorter lasso.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Lassos of this length or more are not searched for.
    pub below: Cost,
    /// How many steps may be followed; `None` for as many as it takes.
    pub most_steps: Option<u64>,
}

/// The most marks for which a shortest cycle is searched: there are as many sets of them as pairs with a state.
const MOST_MARKS: u32 = 12;

/// The most pairs of a state and a set of marks.
const MOST_PAIRS: usize = 1 << 27;

/// Searches for a shortest lasso to an error. It is proved to be shortest, or that there is none below the length that was given, if
/// the end is [`End::Exhausted`]. Strong fairness is not supported: then nothing is searched. `store` is empty at the start.
pub fn search<T, S, E, W>(
    system: &T,
    objective: &Objective<'_, E>,
    cycles: &Cycles<'_>,
    effort: Effort,
    store: &mut S,
    watch: &mut W,
) -> Outcome<T::Action>
where
    T: TransitionSystem,
    S: LoadById,
    E: Fn(&Violation) -> bool,
    W: Watch,
{
    let budget = Budget::new(objective.limits, watch);
    let mut ball = Ball::new(effort);
    let wanted = Marks::<5>::wanted(cycles);
    let end = match MarkNumbers::of(wanted) {
        Some(numbers) if cycles.fairness != Fairness::Strong => {
            let mut growth = Growth { system, objective, fairness: cycles.fairness, numbers, store, budget };
            match growth.run(&mut ball) {
                Ok(()) => growth.budget.end(),
                Err(stop) => End::Stopped(stop),
            }
        }
        _ => End::Stopped(Stop::GivenUp),
    };
    let path = system.patiently(|| ball.path(system, store, cycles));
    let stats = Stats {
        states: store.len(),
        expanded: ball.expanded,
        matched: (ball.edges.len() as u64 + 1).saturating_sub(store.len()),
        peak_states: store.len(),
        max_depth: ball.radius,
        memory: store.memory() + ball.memory(),
        ..Stats::default()
    };
    Outcome { end, errors: u64::from(path.is_some()), path, stats }
}

/// The wanted marks, numbered from 0.
struct MarkNumbers(Vec<Marks<5>>);

impl MarkNumbers {
    fn of(wanted: Marks<5>) -> Option<Self> {
        let all: Vec<Marks<5>> = wanted.singles().collect();
        (all.len() as u32 <= MOST_MARKS).then_some(MarkNumbers(all))
    }

    fn set(&self, marks: Marks<5>) -> u16 {
        let bits = self.0.iter().enumerate().map(|(bit, &mark)| u16::from(marks.has_all(mark)) << bit);
        bits.fold(0, |set, bit| set | bit)
    }

    fn all(&self) -> u16 {
        ((1u32 << self.0.len()) - 1) as u16
    }
}

/// A recorded step.
#[derive(Clone, Copy)]
struct Arc {
    target: u32,
    cost: Cost,
    marks: u16,
}

/// What is known of a state of the ball.
#[derive(Clone, Copy)]
struct Node {
    /// Its distance from the initial state, so far.
    distance: Cost,
    /// The state before it on a path of that length.
    parent: u32,
    /// Its recorded steps; none if it was not expanded.
    first: u32,
    count: u32,
}

const UNREACHED: Node = Node { distance: Cost::MAX, parent: u32::MAX, first: 0, count: 0 };

/// The best error so far.
enum Best<A> {
    None,
    /// A run that ends after a state.
    Finite {
        last: u32,
        action: A,
        violation: Violation,
    },
    /// A cycle through a state.
    Cycle {
        start: u32,
    },
}

/// The states that are near to the initial one, with their steps.
struct Ball<A> {
    nodes: Vec<Node>,
    edges: Vec<Arc>,
    /// The states to expand, by distance.
    waiting: Vec<Vec<u32>>,
    expanded: u64,
    radius: Cost,
    /// The length of the best error, or the one that was given.
    below: Cost,
    best: Best<A>,
    steps_left: u64,
    numbers_all: u16,
}

impl<A: Copy> Ball<A> {
    fn new(effort: Effort) -> Self {
        Ball {
            nodes: Vec::new(),
            edges: Vec::new(),
            waiting: vec![Vec::new()],
            expanded: 0,
            radius: 0,
            below: effort.below,
            best: Best::None,
            steps_left: effort.most_steps.unwrap_or(u64::MAX),
            numbers_all: 0,
        }
    }

    fn memory(&self) -> u64 {
        let waiting: usize = self.waiting.iter().map(Vec::capacity).sum();
        (self.nodes.capacity() * size_of::<Node>() + self.edges.capacity() * size_of::<Arc>() + waiting * 4) as u64
    }

    /// A path of length `distance` leads to a state.
    fn reach(&mut self, state: StateId, distance: Cost, parent: u32) {
        if self.nodes.len() <= state.index() {
            self.nodes.resize(state.index() + 1, UNREACHED);
        }
        let node = &mut self.nodes[state.index()];
        if distance < node.distance {
            (node.distance, node.parent) = (distance, parent);
            if distance < self.below {
                let at = distance as usize;
                if self.waiting.len() <= at {
                    self.waiting.resize_with(at + 1, Vec::new);
                }
                self.waiting[at].push(state.0);
            }
        }
    }

    fn arcs(&self, state: u32) -> &[Arc] {
        let Node { first, count, .. } = self.nodes[state as usize];
        &self.edges[first as usize..(first + count) as usize]
    }
}

/// Grows a ball.
struct Growth<'a, 'o, T, E, S, W> {
    system: &'a T,
    objective: &'a Objective<'o, E>,
    fairness: Fairness,
    numbers: MarkNumbers,
    store: &'a mut S,
    budget: Budget<'a, W>,
}

impl<T, E, S, W> Growth<'_, '_, T, E, S, W>
where
    T: TransitionSystem,
    S: LoadById,
    E: Fn(&Violation) -> bool,
    W: Watch,
{
    fn run(&mut self, ball: &mut Ball<T::Action>) -> Result<(), Stop> {
        ball.numbers_all = self.numbers.all();
        let mut cursor = self.store.cursor();
        let initial = self.system.initial();
        let key = self.budget.key(self.store, &mut cursor, &initial, Changed::Anywhere, 0)?;
        let (root, _) = self.budget.admit_numbered(self.store, &mut cursor, (key, &initial), 0)?;
        ball.reach(root, 0, u32::MAX);
        let (mut distance, mut look_at) = (0, 8);
        while (distance as usize) < ball.waiting.len() && distance < ball.below {
            // a step of cost 0 leads to a state of the same distance
            while let Some(state) = ball.waiting[distance as usize].pop() {
                let node = ball.nodes[state as usize];
                if node.distance == distance && node.count == 0 {
                    self.expand(ball, &mut cursor, state)?;
                }
            }
            ball.radius = distance;
            if distance >= look_at {
                ball.look_for_cycles()?;
                look_at = distance + (distance / 4).max(1);
            }
            distance += 1;
        }
        ball.look_for_cycles()
    }

    /// Records the steps of a state.
    fn expand(&mut self, ball: &mut Ball<T::Action>, cursor: &mut S::Cursor, state: u32) -> Result<(), Stop> {
        if self.budget.is_time_to_look() {
            let progress = Progress {
                states: self.store.len(),
                transitions: ball.edges.len() as u64,
                depth: ball.radius,
                memory: self.store.memory() + ball.memory(),
                ..Progress::default()
            };
            self.budget.look(&progress)?;
        }
        self.budget.count_expansion();
        ball.expanded += 1;
        let Growth { system, objective, fairness, numbers, store, budget } = self;
        let (mut s, mut going) = (Vec::new(), Ok(()));
        store.load(cursor, StateId(state), &mut s);
        let (from, first) = (ball.nodes[state as usize].distance, ball.edges.len());
        let (memory, mut enabled) = (ball.memory(), Marks::<5>::NONE);
        let mut marks_of: Vec<Marks<5>> = Vec::new();
        system.for_each_step(&s, Selection::All, |step: Step<'_, T::Action>| {
            let distance = budget.lengthen(from, step.cost);
            match step.target {
                Target::State(target) => {
                    let Some(distance) = distance else {
                        budget.skip_too_deep();
                        return ControlFlow::Continue(());
                    };
                    let mut marks = Marks::of_sets(step.acceptance);
                    if *fairness == Fairness::Weak {
                        enabled = enabled | Marks::enabled(&step);
                        marks = marks | Marks::movers(&step);
                    }
                    let found = budget.key(*store, cursor, target, step.changed, memory).and_then(|key| {
                        let (id, _) = budget.admit_numbered(*store, cursor, (key, target), memory)?;
                        ball.reach(id, distance, state);
                        marks_of.push(marks);
                        ball.edges.push(Arc { target: id.0, cost: step.cost, marks: 0 });
                        Ok(())
                    });
                    going = found;
                }
                Target::Violation(violation) if (objective.is_error)(&violation) => {
                    if let Some(length) = distance
                        && length < ball.below
                    {
                        ball.below = length;
                        ball.best = Best::Finite { last: state, action: step.action, violation };
                    }
                }
                Target::Violation(_) => {}
                Target::CutOff => going = budget.cut_off(distance, &Progress::default()),
            }
            if going.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        let idle = if *fairness == Fairness::Weak { Marks::idle(enabled) } else { Marks::NONE };
        for (edge, marks) in ball.edges[first..].iter_mut().zip(marks_of) {
            edge.marks = numbers.set(marks | idle);
        }
        let node = &mut ball.nodes[state as usize];
        (node.first, node.count) = (first as u32, (ball.edges.len() - first) as u32);
        ball.steps_left = ball.steps_left.saturating_sub(u64::from(node.count));
        if ball.steps_left == 0 { Err(Stop::GivenUp) } else { going }
    }
}

/// The order in which the states of a component are tried: by distance, then by number.
fn rank(nodes: &[Node], state: u32) -> (Cost, u32) {
    (nodes[state as usize].distance, state)
}

impl<A: Copy> Ball<A> {
    /// Looks for a cycle of the ball that makes a shorter lasso than the best so far.
    fn look_for_cycles(&mut self) -> Result<(), Stop> {
        let component = self.components();
        if self.nodes.len().saturating_mul(usize::from(self.numbers_all) + 1) > MOST_PAIRS {
            return Err(Stop::GivenUp);
        }
        let mut tried: Vec<u32> =
            (0..self.nodes.len() as u32).filter(|&state| component[state as usize] != 0).collect();
        tried.sort_unstable_by_key(|&state| rank(&self.nodes, state));
        let mut search = CycleSearch::new(self.nodes.len(), self.numbers_all);
        for start in tried {
            let distance = self.nodes[start as usize].distance;
            if distance >= self.below {
                break;
            }
            let room = self.below - distance;
            if let Some(length) = search.shortest(self, &component, start, room, None)? {
                self.below = distance + length;
                self.best = Best::Cycle { start };
            }
        }
        Ok(())
    }

    /// By state: the number of its component, from 1; 0 if that has not all marks.
    fn components(&self) -> Vec<u32> {
        let count = self.nodes.len();
        let (mut index, mut component) = (vec![0u32; count], vec![0u32; count]);
        const LEFT: u32 = u32::MAX;
        let (mut entered, mut found) = (0, 0);
        let (mut live, mut path): (Vec<u32>, Vec<(u32, u32)>) = (Vec::new(), Vec::new());
        let mut roots: Vec<(u32, u16, u16, bool)> = Vec::new(); // index, marks of the step to it, marks inside, has a step
        for start in 0..count as u32 {
            if index[start as usize] != 0 || self.nodes[start as usize].count == 0 {
                continue;
            }
            let mut next = Some((start, 0));
            loop {
                if let Some((state, marks)) = next.take() {
                    entered += 1;
                    index[state as usize] = entered;
                    live.push(state);
                    roots.push((entered, marks, 0, false));
                    path.push((state, 0));
                }
                let Some((state, at)) = path.last_mut() else { break };
                let arcs = self.arcs(*state);
                if let Some(arc) = arcs.get(*at as usize) {
                    *at += 1;
                    match index[arc.target as usize] {
                        0 => next = Some((arc.target, arc.marks)),
                        LEFT => {}
                        to => {
                            let mut marks = arc.marks;
                            while let Some((_, step, inside, _)) = roots.pop_if(|root| root.0 > to) {
                                marks |= step | inside;
                            }
                            let root = roots.last_mut().expect("the root of a live state");
                            root.2 |= marks;
                            root.3 = true;
                        }
                    }
                    continue;
                }
                let state = *state;
                path.pop();
                if let Some((_, _, inside, has_step)) = roots.pop_if(|root| root.0 == index[state as usize]) {
                    let from = live.iter().rposition(|&other| other == state).expect("it is live");
                    let is_accepting = has_step && inside & self.numbers_all == self.numbers_all;
                    found += u32::from(is_accepting);
                    for member in live.drain(from..) {
                        index[member as usize] = LEFT;
                        component[member as usize] = if is_accepting { found } else { 0 };
                    }
                }
            }
        }
        component
    }

    /// The best error as a path.
    fn path<T, S>(&self, system: &T, store: &S, cycles: &Cycles<'_>) -> Option<Path<A>>
    where
        T: TransitionSystem<Action = A>,
        S: LoadById,
    {
        let mut expander = Expander::<T, S, 5>::new(system, store, cycles.fairness);
        match &self.best {
            Best::None => None,
            Best::Finite { last, action, violation } => {
                let (stem, _) = self.stem(&mut expander, *last)?;
                let mut actions: Vec<A> = stem.into_iter().map(|(action, _)| action).collect();
                actions.push(*action);
                Some(Path::finite(actions, self.below, violation.clone()))
            }
            Best::Cycle { start } => {
                let (stem, _) = self.stem(&mut expander, *start)?;
                let component = self.components();
                let mut search = CycleSearch::new(self.nodes.len(), self.numbers_all);
                let mut states = Vec::new();
                let room = self.below - self.nodes[*start as usize].distance + 1;
                search.shortest_of(self, &component, *start, room, Some(&mut states));
                let mut cycle = Vec::new();
                for step in states.windows(2) {
                    let ((from, _), (to, arc)) = (step[0], step[1]);
                    cycle.push(find(&mut expander, from, to, arc.cost, |marks| self.has(marks, arc.marks, cycles))?);
                }
                Some(Lasso { stem, cycle }.into_path(cycles.violation.clone()))
            }
        }
    }

    /// Whether a step has the marks of a recorded one.
    fn has(&self, marks: Marks<5>, recorded: u16, cycles: &Cycles<'_>) -> bool {
        let numbers = MarkNumbers::of(Marks::wanted(cycles)).expect("there are few");
        numbers.set(marks) == recorded
    }

    /// A shortest path to a state.
    fn stem<T, S>(&self, expander: &mut Expander<'_, T, S, 5>, to: u32) -> Option<(Vec<(A, Cost)>, Cost)>
    where
        T: TransitionSystem<Action = A>,
        S: LoadById,
    {
        let (mut steps, mut at) = (Vec::new(), to);
        while self.nodes[at as usize].parent != u32::MAX {
            let Node { parent, distance, .. } = self.nodes[at as usize];
            let cost = distance - self.nodes[parent as usize].distance;
            steps.push(find(expander, parent, at, cost, |_| true)?);
            at = parent;
        }
        steps.reverse();
        Some((steps, self.nodes[to as usize].distance))
    }
}

/// The action of a step.
fn find<T, S>(
    expander: &mut Expander<'_, T, S, 5>,
    from: u32,
    to: u32,
    cost: Cost,
    has_marks: impl Fn(Marks<5>) -> bool,
) -> Option<(T::Action, Cost)>
where
    T: TransitionSystem,
    S: LoadById,
{
    let steps = expander.expand(StateId(from));
    let is_it = |step: &&crate::cycles::OutEdge<T::Action, 5>| {
        step.target.0 == to && step.cost == cost && has_marks(step.marks)
    };
    steps.iter().find(is_it).map(|step| (step.action, step.cost))
}

/// Shortest cycles through a state, by pairs of a state and a set of marks.
struct CycleSearch {
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
    fn new(states: usize, all: u16) -> Self {
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
    fn shortest<A: Copy>(
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
    fn shortest_of<A: Copy>(
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
                    let (to, set, next) = (arc.target, met | arc.marks & self.all, distance + arc.cost);
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

#[cfg(test)]
mod tests;
