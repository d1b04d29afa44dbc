//! Estimates keep what they claim on networks: an admissible one never exceeds the exact distance, a consistent one falls by at most
//! the length of a step, and none gives up a state from which an error can be reached.

use std::collections::HashMap;
use std::ops::ControlFlow;

use homing_core::{Changed, Cost, Estimate, Guarantee, Selection, State, Target, TransitionSystem, ViolationKind};
use homing_engine::CompiledEngine;
use homing_heuristics::{Combine, Goal, Heuristic, HeuristicEstimate};
use homing_ir::Model;
use homing_network::generate::{Arbiter, Variant, arbiter, hanoi, philosophers};
use homing_network::random_networks::random_network;
use homing_network::{Format, Input, read};

/// The most states of a network that is compared.
const MOST_STATES: usize = 1_500;

/// The states of a network, their steps to each other, and how far each is from an error, if one can be reached.
struct Graph {
    states: Vec<Box<State>>,
    steps: Vec<Vec<usize>>,
    distances: Vec<Option<Cost>>,
}

impl Graph {
    /// `None` if there are too many states.
    fn of(model: &Model, kinds: &[ViolationKind]) -> Option<Self> {
        let engine = CompiledEngine::new(model).ok()?;
        let mut ids: HashMap<Box<State>, usize> = HashMap::from([(engine.initial(), 0)]);
        let mut graph = Graph { states: vec![engine.initial()], steps: Vec::new(), distances: Vec::new() };
        while graph.steps.len() < graph.states.len() {
            if graph.states.len() > MOST_STATES {
                return None;
            }
            let state = graph.states[graph.steps.len()].clone();
            let (mut targets, mut nearest) = (Vec::new(), None::<Cost>);
            engine.for_each_step(&state, Selection::All, |step| {
                match step.target {
                    Target::State(target) => {
                        let next = ids.len();
                        let id = *ids.entry(target.into()).or_insert(next);
                        if id == next {
                            graph.states.push(target.into());
                        }
                        targets.push(id);
                    }
                    Target::Violation(violation) if kinds.contains(&violation.kind) => {
                        nearest = Some(nearest.map_or(step.cost, |nearest| nearest.min(step.cost)));
                    }
                    Target::Violation(_) => {}
                    Target::CutOff => panic!("a step is cut off"),
                }
                ControlFlow::Continue(())
            });
            graph.steps.push(targets);
            graph.distances.push(nearest);
        }
        graph.find_distances();
        Some(graph)
    }

    /// Shortens distances over steps until none changes.
    fn find_distances(&mut self) {
        let mut changed = true;
        while changed {
            changed = false;
            for at in 0..self.states.len() {
                let ahead = self.steps[at].iter().filter_map(|target| self.distances[*target]).min();
                let nearer = self.distances[at].into_iter().chain(ahead.map(|ahead| ahead + 1)).min();
                changed |= nearer != self.distances[at];
                self.distances[at] = nearer;
            }
        }
    }

    /// Compares an estimate with the distances; whether it claims anything.
    fn check(&self, mut estimate: HeuristicEstimate<'_>, text: &str) -> bool {
        let guarantee = estimate.guarantee();
        if guarantee < Guarantee::Admissible {
            return false;
        }
        let values: Vec<Option<Cost>> =
            self.states.iter().map(|state| estimate.distance(state).map(|estimated| estimated.h)).collect();
        for (at, state) in self.states.iter().enumerate() {
            match (values[at], self.distances[at]) {
                (Some(h), Some(distance)) => assert!(h <= distance, "{h} instead of {distance}: {text} {state:?}"),
                (None, Some(distance)) => panic!("it gives up at distance {distance}: {text} {state:?}"),
                (_, None) => {}
            }
            estimate.expand(state);
            for &target in &self.steps[at] {
                let after = estimate.distance_after(&self.states[target], Changed::Anywhere);
                assert_eq!(after.map(|estimated| estimated.h), values[target], "after a step: {text}");
                if guarantee == Guarantee::Consistent
                    && let Some(h) = values[target]
                {
                    assert!(values[at].is_some_and(|before| before <= h + 1), "{:?} before {h}: {text}", values[at]);
                }
            }
        }
        true
    }
}

/// Checks all estimates for the queries and the deadlocks of a network; how many of them claim something.
fn check_all(input: &Input) -> usize {
    let mut reading = read(input);
    let lowered = reading.lower().expect("it can be lowered");
    let max = Combine::Max;
    let mut checked = 0;
    for query in &lowered.queries {
        let mut model = lowered.model.clone();
        model.add_invariant(query.invariant.clone());
        let Some(graph) = Graph::of(&model, &[ViolationKind::Invariant, ViolationKind::RuntimeError]) else { continue };
        for heuristic in [Heuristic::FsmMax, Heuristic::FsmSum, Heuristic::Formula(max)] {
            let goal = Goal::Invariant(&model.invariants[0].expr);
            let estimate = HeuristicEstimate::new(&model, heuristic, goal).expect("it fits");
            checked += usize::from(graph.check(estimate, &format!("{heuristic:?} {}\n{}", query.text, input.text)));
        }
    }
    let kinds = [ViolationKind::InvalidEndState, ViolationKind::RuntimeError];
    if let Some(graph) = Graph::of(&lowered.model, &kinds) {
        let all = [Heuristic::FsmMax, Heuristic::FsmSum, Heuristic::Deadlock(max), Heuristic::Formula(max)];
        for heuristic in all.into_iter().chain([Heuristic::Active, Heuristic::Messages]) {
            let estimate = HeuristicEstimate::new(&lowered.model, heuristic, Goal::Errors(&kinds)).expect("it fits");
            checked += usize::from(graph.check(estimate, &format!("{heuristic:?} deadlock\n{}", input.text)));
        }
    }
    checked
}

/// `HOMING_NETWORKS` chooses another number of networks.
#[test]
fn estimates_of_random_networks_keep_what_they_claim() {
    let networks: u64 = std::env::var("HOMING_NETWORKS").map_or(200, |text| text.parse().expect("a number"));
    let checked: usize = (0..networks).map(|seed| check_all(&random_network(seed).to_input(Format::Xta))).sum();
    println!("{checked} estimates of {networks} networks checked");
    assert!(checked as u64 > 5 * networks, "{checked} estimates of {networks} networks are too few");
}

#[test]
fn estimates_of_generated_networks_keep_what_they_claim() {
    for network in [arbiter(Arbiter::new(2)), hanoi(3, Variant::B), hanoi(3, Variant::C), philosophers(4)] {
        assert!(check_all(&network.to_input(Format::Xta)) >= 4);
    }
}
