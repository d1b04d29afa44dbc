//! A judge of cycles beside pan, because pan knows nothing of strong fairness: the whole state graph of a model without
//! claims, as the interpreter shows it, and components of it, split until they are fair.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use homing_core::{Labels, Selection, State, Target, TransitionSystem};
use homing_engine::Interpreter;
use homing_promela::preprocess::Options;

use super::configurations::Fairness;
use super::models::Kind;

/// Models with more states are not judged.
const MOST_STATES: usize = 30_000;

/// The state graph of a model.
#[derive(Default)]
pub struct Graph {
    labels: Vec<Labels>,
    /// The processes that can move, by state, a bit for each.
    enabled: Vec<u64>,
    edges: Vec<Vec<Edge>>,
}

#[derive(Clone, Copy)]
struct Edge {
    target: usize,
    /// The processes that move; none where nothing can move and the last state repeats.
    movers: u64,
}

impl Graph {
    /// The graph of a model; none if it is not read, or too large.
    pub fn of_model(text: &str) -> Option<Graph> {
        let model = homing_promela::read("model.pml", text.to_owned(), &Options::default()).model?;
        let interpreter = Interpreter::new(&model).ok()?;
        Graph::explore(&interpreter)
    }

    fn explore(system: &impl TransitionSystem) -> Option<Graph> {
        let initial = system.initial();
        let mut ids: BTreeMap<Box<State>, usize> = BTreeMap::from([(initial.clone(), 0)]);
        let mut states = vec![initial];
        let mut graph = Graph::default();
        let mut complete = true;
        while let Some(state) = states.get(graph.edges.len()).cloned() {
            let (mut enabled, mut edges) = (0, Vec::new());
            system.for_each_step(&state, Selection::All, |step| {
                match step.target {
                    Target::State(target) => {
                        let id = *ids.entry(target.into()).or_insert_with(|| {
                            states.push(target.into());
                            states.len() - 1
                        });
                        // a rendezvous is the sender's: a receiver alone cannot move
                        enabled |= step.movers.first().map_or(0, |pid| bit(*pid));
                        edges.push(Edge { target: id, movers: step.movers.iter().fold(0, |set, pid| set | bit(*pid)) });
                    }
                    Target::Violation(_) => {}
                    Target::CutOff => complete = false,
                }
                ControlFlow::Continue(())
            });
            if !complete || states.len() > MOST_STATES {
                return None;
            }
            if edges.is_empty() {
                edges.push(Edge { target: graph.edges.len(), movers: 0 });
            }
            graph.labels.push(system.labels(&state));
            graph.enabled.push(enabled);
            graph.edges.push(edges);
        }
        Some(graph)
    }

    /// Whether a fair run violates the property; none for a property that needs a claim.
    pub fn is_violated(&self, kind: Kind, fairness: Fairness) -> Option<bool> {
        let all = 0..self.labels.len();
        match kind {
            Kind::Accept => Some(self.has_fair_cycle(all.collect(), fairness, true)),
            // a run that ends is no non-progress cycle
            Kind::Progress => {
                let moves = |state: &usize| self.enabled[*state] != 0;
                let inside = all.filter(|&state| !self.labels[state].progress).filter(moves).collect();
                Some(self.has_fair_cycle(inside, fairness, false))
            }
            Kind::Never | Kind::Ltl => None,
        }
    }

    /// Whether the states `inside` have a fair cycle; an accepting one if asked.
    fn has_fair_cycle(&self, inside: Vec<usize>, fairness: Fairness, accepting: bool) -> bool {
        let mut pending = vec![inside];
        while let Some(states) = pending.pop() {
            for component in self.components(&states) {
                let wanted = !accepting || component.iter().any(|&state| self.labels[state].accepting);
                if !wanted {
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

    /// The processes that a run through the whole component treats unfairly.
    fn unfair(&self, component: &[usize], fairness: Fairness) -> u64 {
        let inside = |edge: &&Edge| component.binary_search(&edge.target).is_ok();
        let edges = component.iter().flat_map(|&state| self.edges[state].iter().filter(inside));
        let moved = edges.fold(0, |set, edge| set | edge.movers);
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

fn bit(pid: u8) -> u64 {
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
        let graph = Graph::of_model(text).expect("a small model");
        let judged =
            [Fairness::None, Fairness::Weak, Fairness::Strong].map(|fairness| graph.is_violated(kind, fairness));
        assert_eq!(judged, expected.map(Some), "{text}");
    }

    #[test]
    fn a_semaphore_needs_strong_fairness() {
        let text = "bit s, done; active proctype A() { accept: do :: !done -> atomic { s == 0 -> s = 1 }; s = 0 od }
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
    fn a_run_that_ends_stutters() {
        let text = "bit x; active proctype A() { x = 1; accept: false } active proctype B() { do :: x == 0 od }";
        check(text, Kind::Accept, [true, true, true]);
        check("active proctype A() { skip }", Kind::Progress, [false, false, false]);
        let text = "bit x; active proctype A() { x = 1 } active proctype B() { do :: x == 0 od }";
        check(text, Kind::Progress, [true, false, false]);
    }
}
