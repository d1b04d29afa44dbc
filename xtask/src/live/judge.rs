//! A judge of cycles beside pan, because pan knows nothing of strong fairness and of shortest lassos: the whole graph of a
//! model and what observes it, as the interpreter shows the model, and components of it, split until they are fair.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;

use homing_core::{Selection, State, Target, TransitionSystem, ViolationKind};
use homing_engine::Interpreter;
use homing_ir::Reduced;
use homing_promela::preprocess::Options;

use super::configurations::Fairness;
use super::models::Kind;
use super::observer::{MoveTarget, Observer};

/// Models with more states are not judged.
const MOST_STATES: usize = 30_000;

/// The states of a model with those of the observer. State 0 is the initial one; all can be reached.
#[derive(Default)]
pub struct Graph {
    /// The processes that can move, by state, a bit for each.
    pub(super) enabled: Vec<u64>,
    pub(super) edges: Vec<Vec<Edge>>,
    /// By state: the run that leads there is an error, however it goes on.
    pub(super) is_error: Vec<bool>,
    /// The number of acceptance sets.
    pub(super) sets: u32,
    /// The processes of all states.
    pub(super) processes: u64,
    /// The program can stop where the observer goes on through an accepting state. Which states pan stores there depends
    /// on how it came there.
    pub(super) stops_accepting: bool,
}

#[derive(Clone, Copy)]
pub(super) struct Edge {
    pub target: usize,
    /// The processes that move; none where nothing can move and the last state repeats.
    pub movers: u64,
    /// The acceptance sets that it is in.
    pub marks: u32,
    /// The statements of the program.
    pub cost: u64,
}

/// A state of a model alone.
pub(super) struct Place {
    pub letter: u64,
    pub accepting: bool,
    pub enabled: u64,
    /// Without marks.
    pub steps: Vec<Edge>,
}

/// The states of a model; none if there are too many, or a run-time error is among the steps.
fn places(system: &impl TransitionSystem) -> Option<Vec<Place>> {
    let initial = system.initial();
    let mut ids: BTreeMap<Box<State>, usize> = BTreeMap::from([(initial.clone(), 0)]);
    let mut states = vec![initial];
    let mut places: Vec<Place> = Vec::new();
    let mut complete = true;
    while let Some(state) = states.get(places.len()).cloned() {
        let (mut enabled, mut steps) = (0, Vec::new());
        system.for_each_step(&state, Selection::All, |step| {
            match step.target {
                Target::State(target) => {
                    let id = *ids.entry(target.into()).or_insert_with(|| {
                        states.push(target.into());
                        states.len() - 1
                    });
                    // a rendezvous is the sender's: a receiver alone cannot move
                    enabled |= step.movers.first().map_or(0, |pid| bit(*pid));
                    let movers = step.movers.iter().fold(0, |set, pid| set | bit(*pid));
                    steps.push(Edge { target: id, movers, marks: 0, cost: u64::from(step.cost) });
                }
                Target::Violation(violation) => complete &= violation.kind != ViolationKind::RuntimeError,
                Target::CutOff => complete = false,
            }
            ControlFlow::Continue(())
        });
        if !complete || states.len() > MOST_STATES {
            return None;
        }
        let letter = system.letter(&state).ok()?;
        places.push(Place { letter, accepting: system.labels(&state).accepting, enabled, steps });
    }
    Some(places)
}

impl Graph {
    /// The graph of a model with its property; none if it is not read, or too large.
    pub fn of_model(text: &str, kind: Kind) -> Option<Graph> {
        let mut model = homing_promela::read("model.pml", text.to_owned(), &Options::default()).model?;
        let observer = Observer::of_model(&mut model, kind)?;
        Graph::of_places(&places(&Interpreter::new(&model).ok()?)?, &observer)
    }

    /// Graphs whose shortest lassos are those of the runs, without the values of dead locals; `None` if they are too large.
    pub fn of_runs(text: &str, kind: Kind) -> Option<Vec<Graph>> {
        let mut model = homing_promela::read("model.pml", text.to_owned(), &Options::default()).model?;
        let observers = match kind {
            Kind::Accept => vec![Observer::of_model(&mut model, kind)?],
            _ => Observer::tight(&mut model, kind)?,
        };
        let reduced = Reduced::without_dead_locals(&model).model;
        let places = places(&Interpreter::new(&reduced).ok()?)?;
        observers.iter().map(|observer| Graph::of_places(&places, observer)).collect()
    }

    /// The observer reads the letter of a state and moves, then the program moves; where the program cannot move, the
    /// observer moves alone.
    pub(super) fn of_places(places: &[Place], observer: &Observer) -> Option<Graph> {
        let first = (0, observer.initial);
        let mut ids = HashMap::from([(first, 0)]);
        let mut states = vec![first];
        let processes = places.iter().fold(0, |all, place| all | place.enabled);
        let mut graph = Graph { sets: observer.sets, processes, ..Graph::default() };
        while let Some(&(at, observed)) = states.get(graph.edges.len()) {
            let place = &places[at];
            let still = [Edge { target: at, movers: 0, marks: 0, cost: 0 }];
            let (steps, letter) = match &place.steps[..] {
                [] => (&still[..], observer.non_progress.map_or(place.letter, |bit| place.letter & !(1 << bit))),
                steps => (steps, place.letter),
            };
            let (mut edges, mut is_error) = (Vec::new(), false);
            for moved in observer.moves[observed].iter().filter(|moved| moved.can_be_made(letter)) {
                let MoveTarget::State(next) = moved.target else {
                    is_error = true;
                    continue;
                };
                let accepts = place.accepting || observer.moves[next].iter().any(|after| after.marks != 0);
                graph.stops_accepting |= place.steps.is_empty() && accepts;
                let marks = moved.marks | u32::from(observer.counts_labels && place.accepting);
                for step in steps {
                    let pair = (step.target, next);
                    let target = *ids.entry(pair).or_insert_with(|| {
                        states.push(pair);
                        states.len() - 1
                    });
                    edges.push(Edge { target, marks, ..*step });
                }
            }
            if states.len() > MOST_STATES {
                return None;
            }
            graph.enabled.push(place.enabled);
            graph.edges.push(edges);
            graph.is_error.push(is_error);
        }
        Some(graph)
    }

    /// Whether a fair run violates the property.
    pub fn is_violated(&self, fairness: Fairness) -> bool {
        // every run that is an error already can go on in a fair way
        self.is_error.contains(&true) || self.has_fair_cycle((0..self.edges.len()).collect(), fairness)
    }

    /// Whether the states `inside` have a fair accepting cycle.
    fn has_fair_cycle(&self, inside: Vec<usize>, fairness: Fairness) -> bool {
        let mut pending = vec![inside];
        while let Some(states) = pending.pop() {
            for component in self.components(&states) {
                let marks = self.edges_inside(&component).fold(0, |set, edge| set | edge.marks);
                if (0..self.sets).any(|set| marks >> set & 1 == 0) {
                    continue;
                }
                let unfair = self.unfair(&component, fairness);
                if unfair == 0 {
                    return true;
                }
                if fairness == Fairness::Strong {
                    // a strongly fair cycle in here avoids the states where those processes can move
                    pending.push(component.into_iter().filter(|&state| self.enabled[state] & unfair == 0).collect());
                }
            }
        }
        false
    }

    fn edges_inside(&self, component: &[usize]) -> impl Iterator<Item = &Edge> {
        let inside = |edge: &&Edge| component.binary_search(&edge.target).is_ok();
        component.iter().flat_map(move |&state| self.edges[state].iter().filter(inside))
    }

    /// The processes that a run through the whole component treats unfairly.
    fn unfair(&self, component: &[usize], fairness: Fairness) -> u64 {
        let moved = self.edges_inside(component).fold(0, |set, edge| set | edge.movers);
        let enabled = component.iter().map(|&state| self.enabled[state]);
        let served = match fairness {
            Fairness::None => return 0,
            Fairness::Weak => enabled.fold(u64::MAX, |set, enabled| set & enabled),
            Fairness::Strong => enabled.fold(0, |set, enabled| set | enabled),
        };
        served & !moved
    }

    /// The strongly connected components of the states, without those that have no edge inside; each in order.
    fn components(&self, states: &[usize]) -> Vec<Vec<usize>> {
        let mut search = Tarjan {
            graph: self,
            index: vec![usize::MAX; self.edges.len()],
            low: vec![0; self.edges.len()],
            next: 0,
            live: Vec::new(),
            found: Vec::new(),
        };
        states.iter().for_each(|&state| search.index[state] = 0);
        for &state in states {
            search.from(state);
        }
        search.found
    }
}

pub(super) fn bit(pid: u8) -> u64 {
    1 << (pid % 64)
}

/// Tarjan's algorithm (1972), with a stack of its own.
struct Tarjan<'a> {
    graph: &'a Graph,
    /// 0: not seen; `usize::MAX`: outside, or its component is complete.
    index: Vec<usize>,
    low: Vec<usize>,
    next: usize,
    live: Vec<usize>,
    found: Vec<Vec<usize>>,
}

impl Tarjan<'_> {
    fn from(&mut self, root: usize) {
        if self.index[root] != 0 {
            return;
        }
        let mut path = vec![(root, 0)];
        self.enter(root);
        while let Some((state, at)) = path.last_mut() {
            let state = *state;
            let Some(edge) = self.graph.edges[state].get(*at) else {
                path.pop();
                self.leave(state);
                if let Some(&(before, _)) = path.last() {
                    self.low[before] = self.low[before].min(self.low[state]);
                }
                continue;
            };
            *at += 1;
            match self.index[edge.target] {
                0 => {
                    self.enter(edge.target);
                    path.push((edge.target, 0));
                }
                usize::MAX => {}
                index => self.low[state] = self.low[state].min(index),
            }
        }
    }

    fn enter(&mut self, state: usize) {
        self.next += 1;
        (self.index[state], self.low[state]) = (self.next, self.next);
        self.live.push(state);
    }

    fn leave(&mut self, state: usize) {
        if self.low[state] != self.index[state] {
            return;
        }
        let start = self.live.iter().rposition(|&live| live == state).unwrap_or(0);
        let mut component = self.live.split_off(start);
        component.iter().for_each(|&state| self.index[state] = usize::MAX);
        component.sort_unstable();
        let loops = self.graph.edges[state].iter().any(|edge| edge.target == state);
        if component.len() > 1 || loops {
            self.found.push(component);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, kind: Kind, expected: [bool; 3]) {
        let graph = Graph::of_model(text, kind).expect("a small model");
        let judged = [Fairness::None, Fairness::Weak, Fairness::Strong].map(|fairness| graph.is_violated(fairness));
        assert_eq!(judged, expected, "{text}");
    }

    #[test]
    fn a_semaphore_needs_strong_fairness() {
        let text = "bit s, done; active proctype A() { do :: !done -> atomic { s == 0 -> s = 1 }; accept: s = 0 od }
                    active proctype B() { atomic { s == 0 -> s = 1 }; done = 1 }";
        check(text, Kind::Accept, [true, true, false]);
    }

    #[test]
    fn a_component_is_split() {
        let text = "bit x, y, done; active proctype A() { do :: !done -> accept: x = 1 - x od }
                    active proctype B() { do :: !done -> y = 1 - y od }
                    active proctype C() { x == 1 && y == 1 -> done = 1 }";
        check(text, Kind::Accept, [true, true, true]);
    }

    #[test]
    fn formulas_and_claims() {
        let programs = "bit s, done; active proctype A() { do :: atomic { s == 0 -> s = 1 }; s = 0 od }
                    active proctype B() { atomic { s == 0 -> s = 1 }; done = 1 }";
        check(&format!("{programs} ltl p {{ <> done }}"), Kind::Ltl, [true, true, false]);
        check(&format!("{programs} never {{ accept: do :: !done od }}"), Kind::Never, [true, true, false]);
        check(&format!("{programs} never {{ do :: done -> break :: else od }}"), Kind::Never, [true; 3]);
        check(&format!("{programs} never {{ do :: atomic {{ s -> assert(s) }} :: !s od }}"), Kind::Never, [false; 3]);
    }

    #[test]
    fn a_run_that_ends_stutters() {
        let text = "bit x; active proctype A() { x = 1; accept: false } active proctype B() { do :: x == 0 od }";
        check(text, Kind::Accept, [true, true, true]);
        check("active proctype A() { skip }", Kind::Progress, [false, false, false]);
        let text = "bit x; active proctype A() { x = 1 } active proctype B() { do :: x == 0 od }";
        check(text, Kind::Progress, [true, false, false]);
    }
}
