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

mod cycle_search;

use std::ops::ControlFlow;

use homing_core::{
    Changed, Cost, End, Outcome, Path, Progress, Selection, StateId, Stats, Step, Stop, Target, TransitionSystem,
    Violation, Watch,
};
use homing_store::LoadById;

use self::cycle_search::CycleSearch;
use crate::Objective;
use crate::cycles::{Cycles, Expander, Fairness, Lasso, Marks, Palette, Part};
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
    let mut ball = Ball::new(effort, Marks::wanted(cycles));
    let end = if cycles.fairness == Fairness::Strong {
        End::Stopped(Stop::GivenUp)
    } else {
        let mut growth = Growth { system, objective, fairness: cycles.fairness, store, budget };
        match growth.run(&mut ball) {
            Ok(()) => growth.budget.end(),
            Err(stop) => End::Stopped(stop),
        }
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

/// A recorded step.
#[derive(Clone, Copy)]
struct Arc {
    target: u32,
    cost: Cost,
    /// The number of its marks.
    marks: u32,
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
    wanted: Marks<5>,
    /// The marks of the steps.
    palette: Palette<5>,
    numbers: MarkNumbers,
}

/// The wanted marks that some step lacks, numbered from 0: all other marks every cycle has.
#[derive(Default)]
struct MarkNumbers {
    /// The set of all of them.
    all: u16,
    /// By number of the marks of a step: the set of those that it has.
    sets: Vec<u16>,
}

impl MarkNumbers {
    /// None if there are too many.
    fn of(wanted: Marks<5>, palette: &Palette<5>) -> Option<Self> {
        let lacking = palette.sets.iter().fold(Marks::NONE, |all, &marks| all | wanted.without(marks));
        let marks: Vec<Marks<5>> = lacking.singles().collect();
        if marks.len() as u32 > MOST_MARKS {
            return None;
        }
        let set = |of: &Marks<5>| {
            let bits = marks.iter().enumerate().map(|(bit, &mark)| u16::from(of.has_all(mark)) << bit);
            bits.fold(0, |set, bit| set | bit)
        };
        let all = ((1u32 << marks.len()) - 1) as u16;
        Some(MarkNumbers { all, sets: palette.sets.iter().map(set).collect() })
    }
}

impl<A: Copy> Ball<A> {
    fn new(effort: Effort, wanted: Marks<5>) -> Self {
        Ball {
            nodes: Vec::new(),
            edges: Vec::new(),
            waiting: vec![Vec::new()],
            expanded: 0,
            radius: 0,
            below: effort.below,
            best: Best::None,
            steps_left: effort.most_steps.unwrap_or(u64::MAX),
            wanted,
            palette: Palette::default(),
            numbers: MarkNumbers::default(),
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
        let Growth { system, objective, fairness, store, budget } = self;
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
            edge.marks = ball.palette.number(marks | idle);
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
        self.numbers = MarkNumbers::of(self.wanted, &self.palette).ok_or(Stop::GivenUp)?;
        let component = self.components();
        if self.nodes.len().saturating_mul(usize::from(self.numbers.all) + 1) > MOST_PAIRS {
            return Err(Stop::GivenUp);
        }
        let mut tried: Vec<u32> =
            (0..self.nodes.len() as u32).filter(|&state| component[state as usize] != 0).collect();
        tried.sort_unstable_by_key(|&state| rank(&self.nodes, state));
        let mut search = CycleSearch::new(self.nodes.len(), self.numbers.all);
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
        let (mut component, mut found) = (vec![0u32; self.nodes.len()], 0);
        let part = Part {
            count: self.nodes.len(),
            is_inside: |state: u32| self.nodes[state as usize].count > 0,
            edge: |state: u32, at: u32| self.arcs(state).get(at as usize).map(|arc| (arc.target, self.set(arc))),
        };
        part.for_each_component(|states, marks| {
            if marks == Some(self.numbers.all) {
                found += 1;
                states.iter().for_each(|&state| component[state as usize] = found);
            }
            ControlFlow::Continue(())
        });
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
                let mut search = CycleSearch::new(self.nodes.len(), self.numbers.all);
                let mut states = Vec::new();
                let room = self.below - self.nodes[*start as usize].distance + 1;
                search.shortest_of(self, &component, *start, room, Some(&mut states));
                let mut cycle = Vec::new();
                for step in states.windows(2) {
                    let ((from, _), (to, arc)) = (step[0], step[1]);
                    let recorded = self.palette.sets[arc.marks as usize];
                    cycle.push(find(&mut expander, from, to, arc.cost, |marks| marks == recorded)?);
                }
                Some(Lasso { stem, cycle }.into_path(cycles.violation.clone()))
            }
        }
    }

    /// The marks of a step that some step lacks.
    fn set(&self, arc: &Arc) -> u16 {
        self.numbers.sets[arc.marks as usize]
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

#[cfg(test)]
mod tests;
